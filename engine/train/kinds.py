"""The kinds of trained vocabularies: what each is called, recorded as, and saved in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from engine.progress import Report
from engine.train import bytepiece_record, merge_record, unigram_record, wordpiece_record
from engine.train.bpe import BpeSettings
from engine.train.bytepiece import BytePieceSettings
from engine.train.record import Record
from engine.train.unigram import UnigramSettings
from engine.train.wordpiece import WordPieceSettings
from engine.train.words import Words
from engine.train.writers import (
    bytepiece,
    gpt2,
    huggingface,
    sentencepiece,
    subword_nmt,
    tiktoken,
    unigram_huggingface,
    unigram_sentencepiece,
    wordpiece,
)
from engine.train.writers.listing import Written


class Trained(Protocol):
    """What every trained vocabulary tells."""

    @property
    def settings(self) -> Any:
        """How it was trained; its type is a key of `KINDS`."""

    @property
    def words(self) -> Words:
        """The words of its corpus."""

    @property
    def size(self) -> int:
        """Pieces of the vocabulary."""

    @property
    def n_tokens(self) -> int:
        """Tokens of the corpus, cut with the vocabulary."""

    @property
    def summary(self) -> str:
        """What the size is the sum of."""


class Writer(NamedTuple):
    """A format that a kind can be saved in.

    write: the content of its files from what is trained; `ParameterError` where the format can't
    hold it. check: the same error where the settings alone tell. endings: names of files that mean
    this format.
    """

    write: Callable[[Any], Written]
    check: Callable[[Any], None]
    endings: tuple[str, ...] = ()


class Kind(NamedTuple):
    """A kind of vocabulary.

    name: as in "a NAME vocabulary". record: of a run, what each step did. writers: by the names
    that `inspect` gives the formats, the one that holds most first. record_ties: the record with
    the whole tie set of each step, for which the run is done again; None where none is chosen.
    """

    name: str
    record: Callable[[Any], Record]
    writers: dict[str, Writer]
    record_ties: Callable[[Any, Report], Record] | None = None


KINDS: dict[type, Kind] = {
    BpeSettings: Kind(
        "BPE",
        merge_record.record_of,
        {
            "huggingface": Writer(huggingface.write, huggingface.check, (".json",)),
            "sentencepiece": Writer(sentencepiece.write, sentencepiece.check, (".model",)),
            "tiktoken": Writer(tiktoken.write, tiktoken.check, (".tiktoken",)),
            # Its two files are known by their names, see `engine.train.save.format_of`.
            "gpt2": Writer(gpt2.write, gpt2.check),
            "subword-nmt": Writer(subword_nmt.write, subword_nmt.check, (".codes", ".bpe")),
        },
        lambda trained, report: merge_record.record_of(trained, True, report),
    ),
    UnigramSettings: Kind(
        "Unigram",
        unigram_record.record_of,
        {
            "sentencepiece": Writer(
                unigram_sentencepiece.write, unigram_sentencepiece.check, (".model",)
            ),
            "huggingface": Writer(unigram_huggingface.write, unigram_huggingface.check, (".json",)),
        },
    ),
    WordPieceSettings: Kind(
        "WordPiece",
        wordpiece_record.record_of,
        {
            "huggingface": Writer(wordpiece.write, wordpiece.check, (".json",)),
            "bert": Writer(wordpiece.write_list, wordpiece.check_list, (".txt",)),
        },
        lambda trained, report: wordpiece_record.record_of(trained, True, report),
    ),
    BytePieceSettings: Kind(
        "BytePiece",
        bytepiece_record.record_of,
        {"bytepiece": Writer(bytepiece.write, bytepiece.check, (".model",))},
    ),
}
"""Kinds by the type of their settings."""
