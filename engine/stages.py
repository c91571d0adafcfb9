"""The stages of a tokenizer: normalizer, pre-tokenizer, model, decoder, each aligned to the text.

A stage is a text of its own, cut into pieces; each piece knows the stretch of the text as given
that it comes from. Stretches are unions: one character may own several pieces, one piece several
characters, and neighbours may overlap or leave a gap. What a stage leaves out is listed as lost.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.alphabet import CHARACTERS
from engine.changes import Change, change_of
from engine.decoding import decoded_parts
from engine.model import Encoding, Model, SpecialFound
from engine.pieces import PieceKind
from engine.pipeline import Normalizing, Pipeline, Prepared, source_of_identity
from engine.readings import Special
from engine.text import Text

Ints = NDArray[np.int32]
StageName = Literal["normalizer", "pre_tokenizer", "model", "decoder"]


_UNKNOWN = Change.UNKNOWN
"""Members of an IntEnum are slow to reach; this one is asked for once a part."""


@dataclass(frozen=True, eq=False)
class Stage:
    """What stands after one stage.

    data: the stage's own text; UTF-8 but for stray bytes of a decoder. start, end: int32[k], the
    span of each piece in it. source_start, source_end: int32[k], byte spans in the text as given,
    empty for what stands for nothing in it. change: uint8[k], `Change`. piece: int32[k], the id
    of a piece of the vocabulary, -1 where it is none. lost: int32[l, 2], byte spans of the text
    as given of which the stage before still had something and this one has nothing; of the
    decoder all that didn't come back.
    """

    name: StageName
    data: bytes
    start: Ints
    end: Ints
    source_start: Ints
    source_end: Ints
    change: NDArray[np.uint8]
    piece: Ints
    lost: Ints

    def __len__(self) -> int:
        return len(self.start)

    @property
    def text(self) -> str:
        """The stage's own text; stray bytes become U+FFFD."""
        return self.data.decode("utf-8", errors="replace")

    def bytes(self, i: int) -> bytes:
        """Return the bytes of piece i in the stage's own text."""
        return self.data[self.start[i] : self.end[i]]

    @cached_property
    def joined(self) -> Stage:
        """The stage with neighbours that are the same as in the text made one piece."""
        same = self.change == Change.SAME
        touching = (self.end[:-1] == self.start[1:]) & (
            self.source_end[:-1] == self.source_start[1:]
        )
        goes_on = np.append(False, same[1:] & same[:-1] & touching) if len(self) else same
        first = np.flatnonzero(~goes_on)
        last = np.append(first[1:], len(self))[: len(first)] - 1
        return replace(
            self,
            start=self.start[first],
            end=self.end[last],
            source_start=self.source_start[first],
            source_end=self.source_end[last],
            change=self.change[first],
            piece=self.piece[first],
        )


@dataclass(frozen=True, eq=False)
class Stages:
    """All stages of a text under a model.

    special: how special strings were read; found: those that the text holds. ids: int32[t], the
    tokens. mapped: the pre-tokenizer writes bytes in GPT-2's alphabet.
    """

    model: Model
    text: Text
    special: Special
    ids: Ints
    normalizer: Stage
    pre_tokenizer: Stage
    tokens: Stage
    decoder: Stage
    found: tuple[SpecialFound, ...]
    mapped: bool

    @property
    def all(self) -> tuple[Stage, ...]:
        """The four stages in order."""
        return self.normalizer, self.pre_tokenizer, self.tokens, self.decoder

    @property
    def exact(self) -> bool:
        """Whether the text came back: decode(encode(text)) = text."""
        return self.decoder.data == self.text.encoded

    def shown(self, stage: Stage, i: int) -> str:
        """Return a piece as its stage writes it: tokens as in the vocabulary."""
        if stage.name == "model":
            return self.model.vocabulary.text(int(stage.piece[i]))
        return stage.bytes(i).decode("utf-8", errors="replace")

    def written(self, i: int) -> str:
        """Return pre-token i in GPT-2's byte alphabet (`Ġweather`), empty where none is used."""
        if not self.mapped or self.pre_tokenizer.piece[i] >= 0:
            return ""
        return "".join(CHARACTERS[byte] for byte in self.pre_tokenizer.bytes(i))


def make_stages(model: Model, text: str | Text, special: Special = "literal") -> Stages:
    """Return the stages of a text.

    Raises `ParameterError` where special strings are forbidden and the text holds some, and
    `CoverageError` where the model can't write the text.
    """
    return stages_of(model, model.encode(text, special), special)


def stages_of(model: Model, encoding: Encoding, special: Special) -> Stages:
    """Return the stages of a text that is encoded already, without added start and end tokens."""
    prepared, text = encoding.prepared, encoding.text
    specials = np.array([token.id for token in model.special_tokens], dtype=np.int64)
    normalizer = _normalizer(model.pipeline, prepared, special, specials)
    pre_tokenizer = _pre_tokenizer(prepared, specials, normalizer)
    tokens = _tokens(model, encoding, specials, pre_tokenizer)
    return Stages(
        model,
        text,
        special,
        encoding.ids,
        normalizer,
        pre_tokenizer,
        tokens,
        _decoder(model, encoding, tokens),
        encoding.special_found,
        model.byte_level and isinstance(model.pipeline, Normalizing),
    )


def _normalizer(
    pipeline: Pipeline, prepared: Prepared, special: Special, specials: NDArray[np.int64]
) -> Stage:
    """Return the text after the normalizer, character by character where it can be told."""
    text = prepared.text
    if not pipeline.normalizer:
        # The whole text, with what the pipeline cuts out of it.
        start, end = source_of_identity(text)
        fixed = np.flatnonzero(prepared.fixed >= 0)
        spans = [prepared.span(int(prepared.cuts[i]), int(prepared.cuts[i + 1])) for i in fixed]
        owner = np.full(text.n_bytes, -1, dtype=np.int32)
        for i, (first, last) in zip(fixed.tolist(), spans, strict=True):
            owner[first:last] = prepared.fixed[i]
        return _characters(text, text.data, start, end, owner, specials)
    normal = prepared
    if isinstance(pipeline, Normalizing):
        normal = pipeline.normalize(text, special)
    owner = np.repeat(normal.fixed, np.diff(normal.cuts)).astype(np.int32)
    return _characters(text, normal.data, normal.source_start, normal.source_end, owner, specials)


def _characters(
    text: Text,
    data: NDArray[np.uint8],
    source_start: Ints,
    source_end: Ints,
    owner: Ints,
    specials: NDArray[np.int64],
) -> Stage:
    """Cut normalized bytes into the smallest pieces whose stretches of the text are apart.

    owner: int32[m], the added token that each byte belongs to, -1 for none.
    """
    begins = np.flatnonzero((data & 0xC0) != 0x80)
    if len(data) and (not len(begins) or begins[0]):
        begins = np.append(0, begins)
    first, last = _union(begins, source_start, source_end)
    owners = owner[begins]
    reach = np.maximum.accumulate(last) if len(last) else last
    opens = np.ones(len(begins), dtype=np.bool_)
    if len(begins) > 1:
        both_wide = (last[1:] > first[1:]) & (last[:-1] > first[:-1])
        inserted = (last[1:] <= first[1:]) & (last[:-1] <= first[:-1])
        overlaps = both_wide & (first[1:] < reach[:-1])
        one_token = (owners[1:] >= 0) & (owners[1:] == owners[:-1]) & (first[1:] == last[:-1])
        # An inserted character belongs to none of its neighbours, but to another inserted one.
        opens[1:] = ~(overlaps | one_token | (inserted & (first[1:] == first[:-1])))
    start = begins[opens]
    end = np.append(start[1:], len(data))[: len(start)]
    first, last = _union(start, source_start, source_end)
    change = _changes(text, data.tobytes(), start, end, first, last)
    owners = owner[start] if len(start) else owner[:0]
    cut_out = owners >= 0
    change[cut_out] = np.where(
        np.isin(owners[cut_out], specials), Change.SPECIAL, Change.ADDED
    ).astype(np.uint8)
    covered = _covered(text.n_bytes, first, last)
    return Stage(
        "normalizer",
        data.tobytes(),
        start.astype(np.int32),
        end.astype(np.int32),
        first,
        last,
        change,
        owners.astype(np.int32),
        _runs(~covered),
    )


def _changes(
    text: Text,
    data: bytes,
    start: NDArray[np.int64],
    end: NDArray[np.int64],
    first: Ints,
    last: Ints,
) -> NDArray[np.uint8]:
    """Return the `Change` of each piece data[start:end] of text[first:last]."""
    change = np.zeros(len(start), dtype=np.uint8)
    given = text.encoded
    # Most characters stay as they are, one by one.
    bytes_ = np.frombuffer(data, dtype=np.uint8)
    simple = (end - start == 1) & (last - first == 1)
    done = np.zeros(len(start), dtype=np.bool_)
    done[simple] = bytes_[start[simple]] == text.data[first[simple]]
    for i in np.flatnonzero(~done).tolist():
        change[i] = change_of(given[first[i] : last[i]], data[start[i] : end[i]])
    return change


def _pre_tokenizer(prepared: Prepared, specials: NDArray[np.int64], before: Stage) -> Stage:
    cuts = prepared.cuts.astype(np.int64)
    full = np.flatnonzero(np.diff(cuts) > 0)
    start, end, fixed = cuts[:-1][full], cuts[1:][full], prepared.fixed[full]
    first, last = _union(start, prepared.source_start, prepared.source_end)
    change = np.where(
        fixed < 0, Change.SAME, np.where(np.isin(fixed, specials), Change.SPECIAL, Change.ADDED)
    ).astype(np.uint8)
    gone = _gone(prepared.text.n_bytes, before, first, last)
    return Stage(
        "pre_tokenizer",
        prepared.data.tobytes(),
        start.astype(np.int32),
        end.astype(np.int32),
        first,
        last,
        change,
        fixed.astype(np.int32),
        gone,
    )


def _tokens(model: Model, encoding: Encoding, specials: NDArray[np.int64], before: Stage) -> Stage:
    kinds = model.vocabulary.kind[encoding.ids]
    change = np.full(len(kinds), Change.SAME, dtype=np.uint8)
    change[kinds == PieceKind.UNKNOWN] = Change.UNKNOWN
    change[kinds == PieceKind.BYTE] = Change.BYTE
    change[(kinds == PieceKind.ADDED) | (kinds == PieceKind.CONTROL)] = Change.ADDED
    cut_out = _cut_out(encoding)
    change[cut_out] = Change.ADDED
    change[(change == Change.ADDED) & np.isin(encoding.ids, specials)] = Change.SPECIAL
    first, last = encoding.start.astype(np.int32), encoding.end.astype(np.int32)
    return Stage(
        "model",
        encoding.prepared.data.tobytes(),
        encoding.node_start.astype(np.int32),
        encoding.node_end.astype(np.int32),
        first,
        last,
        change,
        encoding.ids.astype(np.int32),
        _gone(encoding.text.n_bytes, before, first, last),
    )


def _cut_out(encoding: Encoding) -> NDArray[np.bool_]:
    """Return which tokens own a pre-token, bool[t]: added tokens that the pipeline cut out."""
    prepared = encoding.prepared
    if not (prepared.fixed >= 0).any():
        return np.zeros(len(encoding), dtype=np.bool_)
    place = np.searchsorted(prepared.cuts, encoding.node_start, side="right") - 1
    fixed = np.append(prepared.fixed, np.int32(-1))
    owned: NDArray[np.bool_] = fixed[np.minimum(place, len(prepared.fixed))] >= 0
    return owned


def _decoder(model: Model, encoding: Encoding, tokens: Stage) -> Stage:
    """Return what the tokens decode to, joined where their stretches of the text overlap."""
    text, ids = encoding.text, encoding.ids.tolist()
    cuts, parts = decoded_parts(model.decode, ids, model.vocabulary.bytes)
    given = text.encoded
    groups = np.array(cuts[:-1], dtype=np.int64)
    unknown_tokens = tokens.change == Change.UNKNOWN
    spans = [array.tolist() for array in _union(groups, tokens.source_start, tokens.source_end)]
    spans.append(np.logical_or.reduceat(unknown_tokens, groups).tolist() if len(groups) else [])
    rows: list[tuple[bytes, int, int, bool]] = []
    for part, begin, end, unknown in zip(parts, *spans, strict=True):
        if not part:
            continue
        if rows and begin < rows[-1][2]:
            before = rows.pop()
            rows.append(
                (before[0] + part, min(before[1], begin), max(before[2], end), before[3] or unknown)
            )
        else:
            rows.append((part, begin, end, unknown))
    start, ends, first_, last_, change = [], [], [], [], []
    at = reach = 0
    for part, begin, end, unknown in rows:
        # White space that the pre-tokenizer left out and the decoder puts in has come back.
        if reach < begin and part[:1] == b" " and not given[reach:begin].strip():
            if not unknown or begin - reach == 1:
                begin = reach
        elif reach < begin and part == b" " and begin == end:
            begin = reach
        what = _UNKNOWN if unknown else change_of(given[begin:end], part)
        start.append(at)
        at += len(part)
        ends.append(at)
        first_.append(begin)
        last_.append(end)
        change.append(what)
        reach = max(reach, end)
    source_start, source_end = np.array(first_, dtype=np.int32), np.array(last_, dtype=np.int32)
    return Stage(
        "decoder",
        b"".join(row[0] for row in rows),
        np.array(start, dtype=np.int32),
        np.array(ends, dtype=np.int32),
        source_start,
        source_end,
        np.array(change, dtype=np.uint8),
        np.full(len(rows), -1, dtype=np.int32),
        _runs(~_covered(text.n_bytes, source_start, source_end)),
    )


def _union(begins: NDArray[np.int64], source_start: Ints, source_end: Ints) -> tuple[Ints, Ints]:
    """Return the union of the spans of each run of bytes that starts at `begins`.

    Bytes that stand for nothing count only where all of a run do.
    """
    if not len(begins):
        return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32)
    wide = source_end > source_start
    most = np.iinfo(np.int32).max
    first = np.minimum.reduceat(np.where(wide, source_start, most), begins)
    last = np.maximum.reduceat(np.where(wide, source_end, -1), begins)
    empty = last < 0
    at = source_start[begins]
    return (
        np.where(empty, at, first).astype(np.int32),
        np.where(empty, at, last).astype(np.int32),
    )


def _covered(size: int, start: Ints, end: Ints) -> NDArray[np.bool_]:
    """Return which bytes are in one of the spans, bool[size]."""
    edges = np.zeros(size + 1, dtype=np.int32)
    np.add.at(edges, start, 1)
    np.add.at(edges, end, -1)
    return np.cumsum(edges[:-1]) > 0


def _gone(size: int, before: Stage, start: Ints, end: Ints) -> Ints:
    """Return the spans that the stage before covers and the spans [start, end) don't."""
    had = _covered(size, before.source_start, before.source_end)
    return _runs(had & ~_covered(size, start, end))


def _runs(flags: NDArray[np.bool_]) -> Ints:
    """Return the runs of true flags as spans, int32[l, 2]."""
    edges = np.diff(np.concatenate(([False], flags, [False])).astype(np.int8))
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    return np.stack((starts, ends), axis=1).astype(np.int32)
