"""What sampling in bulk does in the background: draws of one text, and files of draws.

These run in a worker thread and know nothing of widgets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from engine.corpus import Corpus, Invalid, open_corpus
from engine.errors import ParameterError
from engine.model import Model
from engine.progress import Report
from engine.readings import Special
from engine.sample import Draws, sample
from engine.sampled_files import Form, write_corpus, write_draws
from engine.sampler import SamplingSettings
from engine.text import Text

translate = QCoreApplication.translate

MOST_BYTES = 200_000_000
"""Bytes of text in all draws of a text: their paths are kept."""


@dataclass(frozen=True)
class Manner:
    """How is drawn: the model, a method with its settings, and a seed."""

    model: Model
    method: str
    settings: SamplingSettings
    seed: int


@dataclass(frozen=True)
class TextWish:
    """Draws of one text that are asked for."""

    manner: Manner
    text: Text
    special: Special
    count: int


@dataclass(frozen=True)
class Written:
    """A file that was written."""

    path: Path
    lines: int
    tokens: int
    notes: tuple[str, ...] = ()


def draw_text(wish: TextWish, report: Report) -> Draws:
    """Draw a text as often as is asked for, and what is said of the draws."""
    manner, settings = wish.manner, wish.manner.settings
    lattice = manner.model.lattice(wish.text, wish.special)
    most = MOST_BYTES // max(1, len(lattice.prepared.data))
    if wish.count > most:
        raise ParameterError(
            translate("Bulk", "{n} draws of so long a text fill the memory").format(
                n=f"{wish.count:,}"
            ),
            "",
            translate("Bulk", "ask for {most} or fewer").format(most=f"{most:,}"),
        )
    draws = sample(
        lattice,
        manner.method,
        settings.theta,
        wish.count,
        manner.seed,
        dropout=settings.dropout,
        nbest_size=settings.nbest_size,
        report=report,
    )
    # The window must not wait for these.
    _ = draws.tv_distance, draws.inclusion
    return draws


def shortfall(draws: Draws, wanted: int) -> tuple[str, ...]:
    """Say why there are fewer draws than were asked for; nothing where there are as many."""
    if len(draws) >= wanted:
        return ()
    words = translate(
        "Bulk", "{wanted} were asked for; the text has only {n} segmentations to draw"
    )
    return (words.format(wanted=f"{wanted:,}", n=f"{len(draws):,}"),)


Settle = Callable[[], object]


def write_text(
    wish: TextWish, draws: Draws | None, path: Path, form: Form, report: Report, settle: Settle
) -> Written:
    """Write draws of a text. draws: those of the wish, None where they are still to be made.

    settle: called before the file takes its place; it raises what stops that.
    """
    if draws is None:
        draws = draw_text(wish, report)
    tokens = write_draws(wish.manner.model, draws, path, form, _at_end(report, settle))
    return Written(path, len(draws), tokens, shortfall(draws, wish.count))


def write_lines(
    manner: Manner, source: Corpus | tuple[Path, ...], path: Path, form: Form, invalid: Invalid,
    report: Report, settle: Settle,
) -> Written:  # fmt: skip
    """Write a draw of every line of a corpus, or of files that are still to be read.

    invalid: what becomes of lines of the files that aren't UTF-8. settle: as for `write_text`.
    """
    corpus = open_corpus(source, report, invalid) if isinstance(source, tuple) else source
    lines = sum(len(corpus.lines(language)) for language in corpus)
    tokens = write_corpus(
        manner.model, corpus, path, manner.method, manner.settings, manner.seed, form,
        _at_end(report, settle),
    )  # fmt: skip
    return Written(path, lines, tokens, corpus.notes)


def _at_end(report: Report, settle: Settle) -> Report:
    """Return a report that settles with the last one, when all is in the new file."""

    def told(done: int, total: int) -> None:
        report(done, total)
        if done >= total:
            settle()

    return told
