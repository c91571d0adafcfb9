"""Converting a model: the same model in another format, or the reason why that can't hold it.

A model in another format has the same ids for the same pieces and cuts every text alike, special
strings read as text. What the formats say of a model is compared part by part, and what is written
is read again and compared with the model before it takes its place.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from engine.convert import byte_merges, huggingface, lists, sentencepiece
from engine.convert.comparison import compare
from engine.model import Model
from engine.progress import Report, silent
from engine.train.save import format_of, write_files
from engine.train.writers.listing import Written, refusal


class Format(NamedTuple):
    """A format to convert to: what writes it, and the endings of its files' names."""

    write: Callable[[Model], Written]
    endings: tuple[str, ...] = ()


def _frequencies(model: Model) -> Written:
    raise refusal(
        "a BytePiece model holds the frequencies of its pieces, which "
        f"{'scores' if model.algorithm == 'unigram' else 'merges'} don't tell",
        "train one with `train bytepiece`",
    )


FORMATS: dict[str, Format] = {
    "huggingface": Format(huggingface.write, (".json",)),
    "sentencepiece": Format(sentencepiece.write, (".model",)),
    "tiktoken": Format(byte_merges.write_ranks, (".tiktoken",)),
    "gpt2": Format(byte_merges.write_pair),
    "bert": Format(lists.write_words, (".txt",)),
    "subword-nmt": Format(lists.write_codes, (".codes", ".bpe")),
    "bytepiece": Format(_frequencies),
}
"""Formats by the names that `inspect` gives them."""


def convert(
    model: Model,
    path: Path,
    format: str = "",  # noqa: A002
    report: Report = silent,
) -> tuple[str, tuple[str, ...]]:
    """Write a model in another format; return the format's name and what to know of it.

    path: the file, for GPT-2's pair a folder or one of the two files. format: a name of `FORMATS`;
    without one the path tells it. Files that are there are replaced once the new ones are complete
    and compared. Raises `ParameterError` with what the format can't hold, and for a place that
    can't be written.
    """
    name = format or format_of(path, {name: entry.endings for name, entry in FORMATS.items()})
    if name not in FORMATS:
        raise refusal(f"no format {name!r}", f"choose one of {', '.join(FORMATS)}")
    if name == model.format:
        raise refusal(f"the model is in the format {name} already", "copy the file")
    written = FORMATS[name].write(model)
    lost = compare(model, name, written.files, report)
    write_files(path, name, written.files)
    return name, (*written.notes, *lost)


__all__ = ["FORMATS", "convert"]
