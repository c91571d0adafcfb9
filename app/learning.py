"""Training in a process of its own: what is asked for, what is seen of it, and what comes out.

Reading a big corpus and cutting it into words hold Python's global lock for too long, and a process
that is cancelled is gone at once, with all that it held.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from app.apart import call_apart
from app.recording import Look, MergeSettings, Recording, RoundLook, RoundRow, look_at
from engine.corpus import Invalid, open_corpus
from engine.errors import ParameterError
from engine.progress import Report
from engine.train import bpe, bytepiece, unigram, wordpiece
from engine.train.bpe import BpeSettings, Style, TrainedBpe, train_bpe, units_of
from engine.train.bytepiece import BytePieceSettings, TrainedBytePiece, train_bytepiece
from engine.train.given import read_given
from engine.train.kinds import KINDS, Trained
from engine.train.merges import LearntMerges
from engine.train.record import write_rows
from engine.train.round_cuts import Cut, cut_by, prepared
from engine.train.save import check_kind, record_of, save
from engine.train.ties import ties_at
from engine.train.unigram import UnigramSettings, train_unigram
from engine.train.units import Units
from engine.train.wordpiece import TrainedWordPiece, WordPieceSettings, train_wordpiece

Stage = Literal["reading", "counting", "learning"]
Unit = Literal["merges", "rounds", "bytes"]


class Algorithm(NamedTuple):
    """What learns from settings of a kind. check: raises an error for settings that can't be."""

    train: Callable[..., Any]
    check: Callable[[Any], None]
    unit: Unit


ALGORITHMS: dict[type, Algorithm] = {
    BpeSettings: Algorithm(train_bpe, bpe.check_settings, "merges"),
    WordPieceSettings: Algorithm(train_wordpiece, wordpiece.check_settings, "merges"),
    UnigramSettings: Algorithm(train_unigram, unigram.check_settings, "rounds"),
    BytePieceSettings: Algorithm(train_bytepiece, bytepiece.check_settings, "bytes"),
}
"""By the type of the settings."""

PAUSE = 0.1
"""Seconds at least between two looks at a run."""

MOST = 2000
"""Merges in a look; where more are learnt in one go, looks follow each other at once."""


@dataclass(frozen=True)
class Request:
    """A run that is asked for.

    paths: files and folders; without any, `text` is the corpus. invalid: what becomes of lines of
    files that aren't UTF-8. settings: of a type of `ALGORITHMS`. given: a file of merges for BPE to
    begin with, see `engine.train.given`. sample: a text that is cut after each round of algorithms
    that go in rounds.
    """

    settings: Any
    paths: tuple[Path, ...] = ()
    text: str = ""
    invalid: Invalid = "refuse"
    given: Path | None = None
    sample: str = ""


@dataclass(frozen=True)
class Progress:
    """How far a run is: files read, characters counted, or `unit`s learnt, of how many."""

    stage: Stage
    done: int
    total: int
    unit: Unit = "merges"


Seen = Progress | Look | RoundLook
"""What is seen of a run while it goes on."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """A trained vocabulary.

    notes: of its corpus. refusals: why a format can't hold it, by name. read: the files that it was
    trained from, and what each is called.
    """

    trained: Any
    notes: tuple[str, ...]
    refusals: dict[str, str]
    seconds: float
    read: dict[Path, str] = field(default_factory=dict)


def share_done(merges: LearntMerges, wanted: int) -> float:
    """Return how much of the work of learning so many merges is done, from 0 to 1.

    A merge takes as long as its pair is frequent, so the first ones take the longest. The counts to
    come are taken to fall as one over the step, which is Zipf's law.
    """
    done = len(merges)
    so_far = float(merges.tokens[0] - merges.tokens[-1])
    to_come = float(merges.count[-1]) * done * math.log(max(wanted, done) / done)
    return so_far / max(so_far + to_come, 1.0)


def learn_apart(request: Request, report: Report, give: Callable[[Seen], None]) -> Outcome:
    """Train as `request` asks, in a process of its own; `give` gets what is seen of it."""
    outcome: Outcome = call_apart(learn, request, report=report, give=give)
    return outcome


def learn(request: Request, report: Report, give: Callable[[Seen], None]) -> Outcome:
    """Train as `request` asks; runs in the process."""
    begun = time.perf_counter()
    settings = request.settings
    if request.given is not None:
        settings = replace(settings, given=read_given(request.given, settings.style))
    watch = _Watch(settings, request.sample, report, give)
    lines, notes, read = _lines(request, watch)
    if request.given is not None:
        read[request.given] = "the given merges"
    watch.counting(sum(map(len, lines)))
    train = ALGORITHMS[type(settings)].train
    trained = train(lines, settings, watch.report, watch.look)
    watch.look(trained, last=True)
    if isinstance(trained, (TrainedBpe, TrainedWordPiece)):
        # Made here and kept with the merges: in the window's thread it would take its time.
        _ = trained.merges.symbols
    return Outcome(trained, notes, _refusals(settings), time.perf_counter() - begun, read)


def _lines(request: Request, watch: _Watch) -> tuple[list[str], tuple[str, ...], dict[Path, str]]:
    """Return the lines of the corpus with their ends, what was left out of it, and its files."""
    if not request.paths:
        return [line + "\n" for line in request.text.removesuffix("\n").split("\n")], (), {}
    corpus = open_corpus(request.paths, watch.report, request.invalid)
    lines = [line + "\n" for language in corpus for line in corpus.lines(language)]
    return lines, corpus.notes, {language.path: "the corpus" for language in corpus}


def _refusals(settings: Any) -> dict[str, str]:
    """Return why formats can't hold what is trained so, as far as the settings tell."""
    found = {}
    for name in KINDS[type(settings)].writers:
        try:
            check_kind(settings, name)
        except ParameterError as error:
            found[name] = str(error)
    return found


def save_apart(
    trained: Trained, path: Path, format_name: str, report: Report, settle: Callable[[], object]
) -> tuple[str, ...]:
    """Do what `engine.train.save.save` does, in a process of its own.

    settle: called before the file is written. A process that is killed later would leave its half
    behind.
    """
    notes: tuple[str, ...] = call_apart(
        _save, trained, path, format_name, report=report, settle=settle
    )
    return notes


def _save(
    trained: Trained, path: Path, format_name: str, report: Report, settle: Callable[[], object]
) -> tuple[str, ...]:
    settle()
    return save(trained, path, format_name)


def export_apart(
    trained: Trained, path: Path, ties: bool, report: Report, settle: Callable[[], object]
) -> None:
    """Do what `engine.train.save.write_record` does, in a process of its own.

    settle: called when the tie sets are found and the file is about to be written. Raises
    `ParameterError` for a place that can't be written.
    """
    call_apart(_export, trained, path, ties, report=report, settle=settle)


def _export(
    trained: Trained, path: Path, ties: bool, report: Report, settle: Callable[[], object]
) -> None:
    record = record_of(trained, ties, report)
    settle()
    write_rows(record, path)


def count_given_apart(path: Path, style: Style, report: Report) -> int:
    """Return how many merges a file gives to begin with, read in a process of its own."""
    count: int = call_apart(_count_given, path, style, report=report)
    return count


def _count_given(path: Path, style: Style, report: Report) -> int:
    return len(read_given(path, style, report))


def cut_apart(settings: MergeSettings, text: str, report: Report) -> Units:
    """Return a text as a run with these settings cuts it, cut in a process of its own."""
    units: Units = call_apart(_cut, settings, text, report=report)
    return units


def _cut(settings: MergeSettings, text: str, report: Report) -> Units:
    return Recording(settings).cut(text)


def ties_apart(
    trained: TrainedBpe | TrainedWordPiece, step: int, report: Report
) -> list[tuple[bytes, bytes]]:
    """Return the whole tie set of merge `step`, from 0, found in a process of its own."""
    pairs: list[tuple[bytes, bytes]] = call_apart(_ties, trained, step, report=report)
    return pairs


def _ties(
    trained: TrainedBpe | TrainedWordPiece, step: int, report: Report
) -> list[tuple[bytes, bytes]]:
    symbols: Sequence[bytes]
    if isinstance(trained, TrainedWordPiece):
        symbols = [piece.encode() for piece in trained.pieces[len(trained.settings.specials) :]]
        settings = trained.settings
        found = ties_at(
            trained.symbols.units, trained.merges, step, settings.select, settings.least
        )
    else:
        symbols = trained.merges.symbols
        found = ties_at(units_of(trained.words, trained.settings), trained.merges, step)
    return sorted((symbols[left], symbols[right]) for left, right in found)


class _Watch:
    """Tells stages and looks at the run, not too often."""

    def __init__(
        self, settings: Any, sample: str, report: Report, give: Callable[[Seen], None]
    ) -> None:
        self._settings, self._report, self._give = settings, report, give
        self._stage: Stage = "reading"
        self._characters = 0
        self._unit = ALGORITHMS[type(settings)].unit
        self._given = 0
        self._expected = 0
        self._symbols: list[bytes] = []
        self._sample = b""
        if isinstance(settings, (UnigramSettings, BytePieceSettings)):
            self._sample = prepared(sample, settings)
        self._cuts: dict[int, Cut] = {}
        self._told = self._looked = 0.0

    def counting(self, characters: int) -> None:
        """Go on to counting the words of so many characters."""
        self._stage, self._characters = "counting", characters
        self._tell(0, characters)

    def report(self, done: int, total: int) -> None:
        """Tell how far the stage is, and note the end of counting."""
        if self._stage == "counting":
            if total or done >= self._characters:
                self._stage = "learning"
                self._tell(0, 0)
                return
            total = self._characters
        if self._stage == "learning":
            self._expected = total
        if time.monotonic() - self._told >= PAUSE:
            self._tell(done, total)

    def _tell(self, done: int, total: int) -> None:
        self._told = time.monotonic()
        self._report(done, total)
        self._give(Progress(self._stage, done, total, self._unit))

    def look(self, trained: Any, *, last: bool = False) -> None:
        """Give what the run has learnt since the look before. last: there is no more."""
        if not isinstance(trained, (TrainedBpe, TrainedWordPiece)):
            if len(trained.rounds) not in self._cuts:
                self._cuts[len(trained.rounds)] = cut_by(trained, self._sample)
            rows = _rounds(trained, self._cuts)
            known = self._unit == "rounds" and self._expected > 0
            share = len(rows) / max(self._expected, len(rows)) if known else 0.0
            self._give(RoundLook(rows, 1.0 if last else share, self._sample))
            return
        now = time.monotonic()
        if now - self._looked < PAUSE and not last:
            return
        self._looked = now
        merges, first = trained.merges, self._given
        self._given = len(merges)
        ends = range(first + MOST, len(merges), MOST)
        wanted = self._settings.size - len(merges.base) - len(self._settings.specials)
        share = 1.0 if last else share_done(merges, wanted)
        for end in (*ends, len(merges)):
            self._give(look_at(trained, first, wanted, share, self._symbols, end))
            first = end


def _rounds(trained: Any, cuts: Mapping[int, Cut]) -> tuple[RoundRow, ...]:
    """Return the rounds of a run. cuts: of its sample, by the number of the round."""
    ratios = trained.bytes_per_token.tolist()
    # BytePiece's rounds count what has a count, its special tokens aside.
    more = len(trained.settings.specials) if isinstance(trained, TrainedBytePiece) else 0
    return tuple(
        RoundRow(
            number, getattr(row, "step", ""), row.pieces + more, getattr(row, "objective", None),
            row.tokens, ratio, cuts.get(number),
        )
        for number, (row, ratio) in enumerate(zip(trained.rounds, ratios, strict=True), 1)
    )  # fmt: skip
