"""The small lab: a lesson that trains a BPE vocabulary on a short text and uses it.

Learn merges, read the first of them, encode, decode, check that the text comes back, and read the
compression ratio. Where no other text is given, it is the English one of the bundled corpus, so
that the lesson says the same everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from engine import bundled
from engine.corpus import read_lines
from engine.display import visible
from engine.errors import ParameterError
from engine.formats import huggingface
from engine.formats.source import Source
from engine.model import Encoding, Model
from engine.progress import Report, silent
from engine.terminal import counted, number
from engine.train.bpe import BpeSettings, TrainedBpe, train_bpe
from engine.train.merge_record import rows_of
from engine.train.writers.huggingface import write

MERGES = 120
TEXT = "Where is the market today? 👋"
"""The text that the lesson encodes: words of the corpus in a new order, and a character that the
corpus doesn't hold."""

FIRST = 10
"""Merges that are read."""

BYTES = 256


@dataclass(frozen=True, eq=False)
class Lab:
    """What the lesson makes.

    lines: of the corpus. trained: the vocabulary of 256 bytes and the merges. model: the same as a
    model to encode with. encoding: of the text.
    """

    lines: tuple[str, ...]
    trained: TrainedBpe
    model: Model
    encoding: Encoding

    @property
    def text(self) -> str:
        """The text that is encoded."""
        return self.encoding.text.string

    @cached_property
    def decoded(self) -> str:
        """The text that the ids come back to."""
        return self.model.decode(self.encoding.ids.tolist()).decode("utf-8", errors="replace")

    @property
    def comes_back(self) -> bool:
        """Whether the decoded text is the text."""
        return self.decoded == self.text

    @property
    def ratio(self) -> float:
        """Bytes of the text over its tokens."""
        return self.encoding.text.n_bytes / max(len(self.encoding), 1)

    @property
    def corpus_ratio(self) -> float:
        """Bytes of the corpus over its tokens."""
        return float(self.trained.bytes_per_token[-1])

    @cached_property
    def first_merges(self) -> list[dict[str, Any]]:
        """The first merges as rows of `engine.train.merge_record.FIELDS`."""
        return rows_of(self.trained)[:FIRST]


class Step(NamedTuple):
    """A step of the lesson: what is done, why, and what comes out, a line each."""

    title: str
    explanation: str
    outcome: tuple[str, ...]


def corpus_lines() -> list[str]:
    """Return the lines of the lesson's own text, without their ends."""
    lines, _ = read_lines(bundled.corpus_path() / "en.txt")
    return lines


def run_lab(
    text: str = TEXT,
    merges: int = MERGES,
    report: Report = silent,
    lines: Sequence[str] | None = None,
) -> Lab:
    """Do the lesson. lines: of the text to learn from, by default `corpus_lines`.

    Raises `ParameterError` for a number of merges that can't be, `TrainingError` for lines without
    a word.
    """
    if merges < 0:
        raise ParameterError(f"{merges:,} merges", "", "ask for 0 or more")
    if lines is None:
        lines = corpus_lines()
    settings = BpeSettings(BYTES + merges, "bytes", "gpt2")
    trained = train_bpe([f"{line}\n" for line in lines], settings, report)
    # Through the format's own writer and reader: what is encoded with is what would be saved.
    model = huggingface.read(Source(Path("lab.json"), write(trained).files[0]))
    return Lab(tuple(lines), trained, model, model.encode(text))


def steps_of(lab: Lab) -> list[Step]:
    """Return the lesson in sentences."""
    trained, words = lab.trained, lab.trained.words
    learnt = len(trained.merges)
    corpus = f"{counted(len(lab.lines), 'line')}, {counted(words.n_bytes, 'byte')}, "
    corpus += counted(len(words), "different word")
    return [
        Step(
            f"Train {counted(learnt, 'merge')}",
            "BPE begins with the 256 bytes, so that it can write any text. It cuts the text into "
            "words, counts which two symbols stand side by side most often, makes one symbol of "
            "them, and does so again.",
            (
                f"the text: {corpus}; it begins with {lab.lines[0]!r}",
                f"the vocabulary: {trained.summary}",
                *(
                    ["no further pair stands in the text twice"]
                    if trained.merges.ended == "count"
                    else []
                ),
            ),
        ),
        Step(
            "Read the first merges",
            "The most frequent pairs come first. Of pairs that are equally frequent the tie rule "
            f"chooses, here {trained.merges.tie_break}; ␣ is a space.",
            tuple(
                f"{row['step']:>2}. {row['left']} + {row['right']} → {row['piece']}, which stood "
                f"{counted(row['count'], 'time')}"
                + (f", one of {row['ties']} pairs" if row["ties"] > 1 else "")
                for row in lab.first_merges
            ),
        ),
        Step(
            "Encode a text",
            "Each word of the new text starts as bytes again, and the merges are done in the order "
            "in which they were learnt. Words like those of the text that was learnt from need few "
            "tokens; a character that it didn't hold stays in bytes.",
            (
                f"the text: {lab.text}",
                f"the tokens: {' | '.join(_shown(lab))}",
                f"the ids: {' '.join(map(str, lab.encoding.ids.tolist()))}",
            ),
        ),
        Step(
            "Decode the ids",
            "Every id stands for bytes; one after the other they are the text.",
            (f"the text: {lab.decoded}",),
        ),
        Step(
            "Check the round trip",
            "A tokenizer should lose nothing. With bytes underneath and nothing changed before the "
            "merges, every text comes back.",
            ("the decoded text is " + ("the text" if lab.comes_back else "not the text"),),
        ),
        Step(
            "Read the compression ratio",
            "Bytes a token tell how much text a token holds: 1 without any merge, more with every "
            "one. A model pays for each token, so more is cheaper; but a text unlike the one that "
            "was learnt from compresses less.",
            (
                f"the text that was learnt from: {_ratio(words.n_bytes, trained.n_tokens)}",
                f"the new text: {_ratio(lab.encoding.text.n_bytes, len(lab.encoding))}",
            ),
        ),
    ]


def _ratio(n_bytes: int, n_tokens: int) -> str:
    ratio = number(n_bytes / max(n_tokens, 1), 2)
    return f"{counted(n_bytes, 'byte')}, {counted(n_tokens, 'token')}, {ratio} bytes a token"


def _shown(lab: Lab) -> Sequence[str]:
    """Return the tokens for the eye."""
    return [visible(token.bytes) for token in lab.encoding.tokens]
