"""A tokenizer model: a pipeline, a vocabulary and a segmentation rule, as one record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.bpe import Bpe
from engine.display import visible
from engine.errors import CoverageError, ParameterError
from engine.lattice import Lattice, Spelling
from engine.pieces import Vocabulary
from engine.pipeline import Pipeline, Prepared
from engine.readings import Special
from engine.segmenter import Segmented, Segmenter
from engine.text import Text

if TYPE_CHECKING:
    from engine.traces.longest import LongestTrace
    from engine.traces.merges import MergeTrace
    from engine.traces.passes import PassTrace


ALGORITHM_NAMES = {
    "bpe": "BPE",
    "unigram": "Unigram",
    "wordpiece": "WordPiece",
    "word": "Word",
    "char": "Character",
}
"""How an algorithm's name is written for people."""


@dataclass(frozen=True)
class SpecialToken:
    """A special token: its id and how it is spelled in text."""

    id: int
    text: str


@dataclass(frozen=True)
class SpecialFound:
    """A special string found in a text: which, and the code point where it starts."""

    text: str
    start_char: int


@dataclass(frozen=True)
class Token:
    """A piece at a place in a text. Spans refer to the text as given."""

    id: int
    text: str
    bytes: bytes
    start_byte: int
    end_byte: int
    start_char: int
    end_char: int

    @property
    def visible(self) -> str:
        """The token's bytes for the eye."""
        return visible(self.bytes)


@dataclass(frozen=True, eq=False)
class Encoding:
    """The tokens of a text.

    ids: int32[t]. node_start, node_end: int32[t], spans in `prepared.data`. start, end: int32[t],
    byte spans in the text as given; neighbours may overlap or leave a gap.
    """

    vocabulary: Vocabulary
    prepared: Prepared
    ids: NDArray[np.int32]
    node_start: NDArray[np.int32]
    node_end: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    special_found: tuple[SpecialFound, ...] = ()

    @property
    def text(self) -> Text:
        """The text as given."""
        return self.prepared.text

    def __len__(self) -> int:
        return len(self.ids)

    def token(self, i: int) -> Token:
        """Return token number i."""
        text, piece = self.text, int(self.ids[i])
        start, end = int(self.start[i]), int(self.end[i])
        return Token(
            piece,
            self.vocabulary.text(piece),
            self.vocabulary.bytes(piece),
            start,
            end,
            text.position("char", start),
            text.position("char", end, up=True),
        )

    @property
    def tokens(self) -> Iterator[Token]:
        """The tokens in order, made one by one."""
        return (self.token(i) for i in range(len(self)))

    def _repr_html_(self) -> str:
        from engine.notebook import encoding_html

        return encoding_html(self)


@dataclass(frozen=True, eq=False)
class Batch:
    """Tokens of many texts: ids int32[t], offsets int64[texts + 1] into it."""

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: int) -> NDArray[np.int32]:
        return self.ids[self.offsets[i] : self.offsets[i + 1]]

    @property
    def counts(self) -> NDArray[np.int64]:
        """Tokens of each text, int64[texts]."""
        return np.diff(self.offsets)


@dataclass(frozen=True, eq=False)
class Model:
    """A tokenizer as read from a file; see `engine.load`.

    format: `huggingface`, `sentencepiece`, `tiktoken` or `bytepiece`. template: ids to put before
    and after a text when special tokens are asked for. settings: further facts of the file for
    `inspect` (name → value). warnings: what a person should know, most serious first.
    """

    name: str
    path: FilePath
    format: str
    vocabulary: Vocabulary
    pipeline: Pipeline
    segmenter: Segmenter
    special_tokens: tuple[SpecialToken, ...] = ()
    template: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    spelling: Spelling = field(default_factory=Spelling)
    byte_level: bool = False
    settings: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def algorithm(self) -> str:
        """`unigram`, `bpe` or `wordpiece`."""
        return self.segmenter.algorithm

    @property
    def bpe(self) -> Bpe | None:
        """The segmenter of a model that merges, whatever its rule; None for any other."""
        return self.segmenter if isinstance(self.segmenter, Bpe) else None

    @property
    def byte_fallback(self) -> bool:
        """Whether unknown characters are spelled byte by byte."""
        return self.spelling.byte_pieces is not None

    def prepare(self, text: str | Text, special: Special = "literal") -> Prepared:
        """Return the text as the model's algorithm sees it, aligned; `special` as in `encode`."""
        given = text if isinstance(text, Text) else Text(text)
        if special == "forbid":
            refuse_special(self.find_special(given))
        return self.pipeline.prepare(given, special)

    def encode(
        self, text: str | Text, special: Special = "literal", add_special: bool = False
    ) -> Encoding:
        """Cut a text into tokens, with the ids of the model's own library.

        special: strings that spell a special token are ordinary text (`literal`), the token
        (`parse`), or an error (`forbid`, `ParameterError`). add_special: put the model's own
        start and end tokens around the text. Raises `CoverageError` where the model has no
        unknown token and its pieces don't cover the text.
        """
        given = text if isinstance(text, Text) else Text(text)
        found = self.find_special(given)
        if special == "forbid":
            refuse_special(found)
        prepared = self.pipeline.prepare(given, special)
        return self.encode_prepared(prepared, add_special, found)

    def encode_prepared(
        self,
        prepared: Prepared,
        add_special: bool = False,
        found: tuple[SpecialFound, ...] = (),
    ) -> Encoding:
        """Cut a text that the pipeline has prepared; see `encode`."""
        cut = segment_prepared(self.segmenter, prepared)
        ids, starts, ends = cut.ids, cut.starts.astype(np.int32), cut.ends.astype(np.int32)
        if add_special:
            before, after = self.template
            size = np.int32(len(prepared.data))
            ids = np.concatenate((before, ids, after)).astype(np.int32)
            zeros, full = np.zeros(len(before), np.int32), np.full(len(after), size, np.int32)
            starts = np.concatenate((zeros, starts, full))
            ends = np.concatenate((zeros, ends, full))
        source_starts, source_ends = prepared.spans(starts, ends)
        return Encoding(
            self.vocabulary, prepared, ids, starts, ends, source_starts, source_ends, found
        )

    def encode_lines(self, lines: Sequence[str]) -> Batch:
        """Return the ids of many texts, special strings read literally: the fast road.

        Raises `CoverageError`, with the number of the line, as `encode` does.
        """
        ready = self.pipeline.prepare_lines(lines)
        try:
            cut = segment_fixed(self.segmenter, ready.data, ready.starts, ready.ends, ready.fixed)
        except CoverageError as error:
            pretoken = int(np.searchsorted(ready.starts, error.at, side="right")) - 1
            line = int(np.searchsorted(ready.line_cuts, pretoken, side="right")) - 1
            raise _of_line(self, lines[line], line, error) from None
        # A token belongs to the line whose pre-token holds it: pre-tokens ascend in `data`.
        k = len(ready.starts)
        bounds = np.append(ready.starts, len(ready.data))[np.minimum(ready.line_cuts, k)]
        offsets = np.searchsorted(cut.starts, bounds, side="left")
        offsets[-1] = len(cut.ids)
        return Batch(cut.ids, offsets.astype(np.int64))

    def decode(self, ids: Sequence[int]) -> bytes:
        """Return the bytes that ids stand for, as the model's own library decodes them.

        Raises `ParameterError` for an id that no piece has, and `LibraryError` (of
        `engine.pipelines.huggingface`) where the tokenizers library fails to decode.
        """
        for i in ids:
            if not 0 <= i < len(self.vocabulary) or self.vocabulary.kind[i] == 0:
                raise ParameterError(
                    f"no piece has id {i}", self.name, f"use ids up to {len(self.vocabulary) - 1}"
                )
        return self.pipeline.decode(ids)

    def lattice(self, text: str | Text, special: Special = "literal") -> Lattice:
        """Return the lattice of a text: all pieces that match, and the path the model takes.

        special: as in `encode`; a special token that is parsed is one edge, and no other starts
        or ends inside it.
        """
        from engine.build import build_lattice

        return build_lattice(self, self.prepare(text, special))

    def merges(self, text: str | Text, special: Special = "literal") -> MergeTrace:
        """Return the trace of BPE encoding; `ParameterError` for models that don't merge."""
        from engine.traces.merges import trace_merges

        return trace_merges(self, self.prepare(text, special))

    def longest(self, text: str | Text, special: Special = "literal") -> LongestTrace:
        """Return the trace of WordPiece's tries; `ParameterError` for other models."""
        from engine.traces.longest import trace_longest

        return trace_longest(self, self.prepare(text, special))

    def trace(
        self,
        text: str | Text,
        kind: str = "",
        *,
        theta: float = 1.0,
        seed: int = 0,
        special: Special = "literal",
    ) -> MergeTrace | LongestTrace | PassTrace:
        """Return the trace of `kind`: `merges`, `longest`, `viterbi` or `perfect`.

        By default it is the model's own: a BPE model merges, a WordPiece model looks for the
        longest piece, a Unigram model passes forward for the best path. theta and seed are for
        `perfect`. Raises `ParameterError` for an unknown kind, a bad theta, merges of a model that
        doesn't merge, tries of one that isn't WordPiece, a pass of one that defines no law, or a
        special string where `special` forbids it; `TextError` for a lone surrogate;
        `CoverageError` for what no path covers.
        """
        from engine.traces.passes import trace_perfect, trace_viterbi

        kind = kind or {"bpe": "merges", "wordpiece": "longest"}.get(self.algorithm, "viterbi")
        if kind == "merges":
            return self.merges(text, special)
        if kind == "longest":
            return self.longest(text, special)
        if kind == "viterbi":
            return trace_viterbi(self.lattice(text, special))
        if kind == "perfect":
            return trace_perfect(self.lattice(text, special), theta=theta, seed=seed)
        remedy = "choose merges, longest, viterbi or perfect"
        raise ParameterError(f"there is no trace {kind!r}", "", remedy)

    def find_special(self, text: Text) -> tuple[SpecialFound, ...]:
        """Return the special strings that a text spells, leftmost and longest first."""
        spelled = [token.text for token in self.special_tokens if token.text in text.string]
        if not spelled:
            return ()
        import re

        pattern = "|".join(re.escape(s) for s in sorted(spelled, key=len, reverse=True))
        return tuple(
            SpecialFound(match.group(), match.start())
            for match in re.finditer(pattern, text.string)
        )

    def inspect(self) -> dict[str, Any]:
        """Return the facts of the headless contract's `inspect`, as plain data."""
        from engine.rules import rules

        vocabulary = self.vocabulary
        return {
            "path": str(self.path),
            "format": self.format,
            "algorithm": self.algorithm,
            "vocab_size": vocabulary.count,
            "max_id": vocabulary.max_id,
            "holes": len(vocabulary.holes),
            "merges": None if self.bpe is None else len(self.bpe.merges),
            "byte_level": self.byte_level,
            "byte_fallback": self.byte_fallback,
            "special_tokens": [{"id": t.id, "text": t.text} for t in self.special_tokens],
            "normalizer": self.pipeline.normalizer,
            "pre_tokenizer": self.pipeline.pre_tokenizer,
            "warnings": list(self.warnings),
            "rules": [{"topic": topic, "sentence": said} for topic, said in rules(self)],
            **self.settings,
        }

    @cached_property
    def summary(self) -> str:
        """One line: algorithm and size, as on the model's chip."""
        size = self.vocabulary.count
        shown = f"{size / 1000:.0f}k" if size >= 10_000 else f"{size:,}"
        return f"{ALGORITHM_NAMES[self.algorithm]} {shown}"

    def __repr__(self) -> str:
        return f"<Model {self.name}: {self.summary}, {self.format}>"


def refuse_special(found: Sequence[SpecialFound]) -> None:
    """Raise `ParameterError` if a text in which special strings are forbidden holds any."""
    if found:
        raise ParameterError(
            f"the text holds the special string {found[0].text!r}",
            f"character {found[0].start_char}",
            "remove it, or read special strings as text or as tokens",
        )


def segment_prepared(segmenter: Segmenter, prepared: Prepared) -> Segmented:
    """Cut a prepared text; pre-tokens that an added token owns keep its id.

    Raises `CoverageError` with the character of the text as given.
    """
    cuts = prepared.cuts.astype(np.int64)
    try:
        return segment_fixed(segmenter, prepared.data, cuts[:-1], cuts[1:], prepared.fixed)
    except CoverageError as error:
        text = prepared.text
        number = text.position("char", prepared.span(error.at, error.at + 1)[0])
        raise CoverageError(
            error.at,
            "the model has no unknown token, and no sequence of its pieces leads past "
            f"{text.string[number]!r}",
            f"character {number}",
            "leave that character out, or open a model that can write it",
        ) from None


def segment_fixed(
    segmenter: Segmenter,
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    fixed: NDArray[np.int32],
) -> Segmented:
    """Cut pre-tokens, those with `fixed` ≥ 0 being one token of that id each."""
    owned = fixed >= 0
    if not owned.any():
        return segmenter.segment(data, starts, ends)
    cut = segmenter.segment(data, starts[~owned], ends[~owned])
    ids = np.concatenate((cut.ids, fixed[owned].astype(np.int32)))
    at, to = np.concatenate((cut.starts, starts[owned])), np.concatenate((cut.ends, ends[owned]))
    order = np.argsort(at, kind="stable")
    return Segmented(ids[order], at[order], to[order])


def _of_line(model: Model, text: str, line: int, error: CoverageError) -> CoverageError:
    """Return the error of one of many texts: it names the line and the character."""
    try:
        model.encode(text)
    except CoverageError as found:
        error = found
    return CoverageError(error.at, error.what, error.place, error.remedy, line)
