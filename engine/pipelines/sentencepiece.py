"""The pipeline of a SentencePiece model: the library's own normalizer, no pre-tokens.

The library normalizes a text, puts ▁ for spaces and gives it to the model as a whole.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels import compiled
from engine.pipeline import Prepared, PreparedLines, check_unicode
from engine.pipelines.alignment import align_groups, keep_marks
from engine.pipelines.specials import prepare_parsed
from engine.readings import Special
from engine.text import Text

SPACE = "▁"
_SPACE_BYTES = SPACE.encode("utf-8")


@dataclass
class Normalization:
    """What a model's `NormalizerSpec` says, with the defaults of its proto."""

    name: str = ""
    has_charsmap: bool = False
    add_dummy_prefix: bool = True
    remove_extra_spaces: bool = True
    escape_spaces: bool = True
    space_as_suffix: bool = False
    spaced_pieces: bool = False
    """Whether a user-defined piece holds a space."""

    def __str__(self) -> str:
        name = self.name or ("precompiled" if self.has_charsmap else "identity")
        parts = [name]
        if self.remove_extra_spaces:
            parts.append("removes extra spaces")
        if self.add_dummy_prefix:
            parts.append("▁ after the text" if self.space_as_suffix else "▁ before the text")
        if self.escape_spaces:
            parts.append("▁ for spaces")
        return ", ".join(parts)


@dataclass(frozen=True, eq=False)
class SentencePiecePipeline:
    """Normalization by the sentencepiece library.

    proto: the model file. slim: a model with the same normalizer and few pieces, which opens at
    once. rules: what the normalizer does. specials: ids by text.
    """

    proto: bytes
    slim: bytes
    rules: Normalization
    specials: Mapping[str, int]
    _made: dict[str, Any] = field(default_factory=dict, repr=False)
    _lock: Any = field(default_factory=threading.Lock, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the library's objects and the lock behind."""
        names = ("proto", "slim", "rules", "specials")
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _made={}, _lock=threading.Lock())

    @property
    def normalizer(self) -> str:
        """One line that describes the normalizer."""
        return str(self.rules)

    @property
    def pre_tokenizer(self) -> str:
        """Empty: the text is one pre-token."""
        return ""

    @cached_property
    def _identity(self) -> bool:
        """Whether the normalizer only treats spaces, in the usual way."""
        rules = self.rules
        # Before the text is looked at, user-defined pieces are passed over: one with a space in
        # it would keep it.
        return (
            not rules.has_charsmap
            and rules.escape_spaces
            and not rules.space_as_suffix
            and not rules.spaced_pieces
        )

    def check(self) -> None:
        """Open the library's normalizer; raises its RuntimeError if it refuses."""
        self._processor("slim")

    def _processor(self, which: str) -> Any:
        with self._lock:
            if which not in self._made:
                from sentencepiece import SentencePieceProcessor

                proto = self.slim if which == "slim" else self.proto
                processor = SentencePieceProcessor()
                processor.LoadFromSerializedProto(proto)
                self._made[which] = processor
            return self._made[which]

    def prepare(self, text: Text, special: Special = "literal") -> Prepared:
        """Return the normalized text as one pre-token.

        The library never reads special strings as tokens; for "parse" they are cut out here.
        """
        if special == "parse":
            return prepare_parsed(text, self.specials, self.prepare)
        normal, places = self._processor("slim").normalize(text.string, with_offsets=True)
        chars = Text(normal)
        begins = np.asarray(places, dtype=np.int64)
        dummy = self.rules.add_dummy_prefix and len(normal) > 0
        starts, ends = _char_spans(begins, dummy, self.rules.space_as_suffix)
        source_starts = text.char_bounds[starts].astype(np.int64)
        source_ends = text.char_bounds[ends].astype(np.int64)
        lengths = np.diff(chars.char_bounds)
        source_start = np.repeat(source_starts, lengths)
        source_end = np.repeat(source_ends, lengths)
        align_groups(
            text, chars.data, source_start, source_end, np.ones(len(chars.data), dtype=np.bool_)
        )
        keep_marks(text, source_start, source_end)
        k = int(len(normal) > 0)
        cuts = np.array([0, len(chars.data)] if k else [0], dtype=np.int32)
        return Prepared(
            text,
            chars.data,
            cuts,
            np.full(k, -1, dtype=np.int32),
            source_start.astype(np.int32),
            source_end.astype(np.int32),
        )

    def prepare_lines(self, lines: Sequence[str]) -> PreparedLines:
        """Return many texts normalized, each one pre-token (none for an empty one)."""
        ready = escape_lines(lines, self.rules) if self._identity else None
        if ready is None:
            check_unicode(lines)
            normal = self._processor("slim").normalize(list(lines)) if lines else []
            encoded = [text.encode("utf-8") for text in normal]
            bounds = np.zeros(len(encoded) + 1, dtype=np.int64)
            np.cumsum([len(text) for text in encoded], out=bounds[1:])
            ready = np.frombuffer(b"".join(encoded), dtype=np.uint8), bounds
        data, bounds = ready
        starts, ends = bounds[:-1], bounds[1:]
        full = starts < ends
        line_cuts = np.concatenate((np.zeros(1, np.int64), np.cumsum(full, dtype=np.int64)))
        starts, ends = starts[full], ends[full]
        return PreparedLines(data, starts, ends, np.full(len(starts), -1, np.int32), line_cuts)

    def decode(self, ids: Sequence[int]) -> bytes:
        """Return what the library decodes; control pieces give nothing."""
        text: str = self._processor("full").decode([int(i) for i in ids])
        return text.encode("utf-8")


def _char_spans(
    begins: NDArray[np.int64], dummy: bool, suffix: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the characters of the given text that each normalized character comes from.

    begins: int64[n + 1], where each normalized character begins in the given text, and the end,
    as the library reports them. Characters that one given character became share its span; the
    dummy ▁ has an empty one.
    """
    n = len(begins) - 1
    starts, ends = begins[:-1].copy(), begins[1:].copy()
    own = slice(1, None) if dummy and not suffix else slice(None, -1) if dummy else slice(None)
    after = np.arange(n)
    # A character that shares its begin with the next one ends where the last of them ends.
    shared = starts == ends
    after[shared] = n
    after = np.minimum.accumulate(after[::-1])[::-1]
    reach = np.append(begins[1:], begins[-1:])[after]
    ends[own] = reach[own]
    if dummy and n:
        at = 0 if not suffix else n - 1
        ends[at] = starts[at]
    return starts, ends


def escape_lines(
    lines: Sequence[str], rules: Normalization
) -> tuple[NDArray[np.uint8], NDArray[np.int64]] | None:
    """Do what a normalizer without rewriting rules does to many lines at once.

    Return the bytes of all lines end to end and int64[lines + 1], where each starts; None where
    the lines need the library: one holds a newline, or a ▁ of its own that may be cut off.
    """
    count = len(lines)
    try:
        joined = "\n".join(lines)
        encoded = joined.encode("utf-8")
    except UnicodeEncodeError:
        check_unicode(lines)
        raise
    if count == 0:
        return None
    if not compiled(len(encoded)):
        return escape_plain(encoded, count, rules)
    from engine.kernels.spaces import escape_spaces

    raw = np.frombuffer(encoded, dtype=np.uint8)
    out = np.empty(3 * len(raw) + 3 * count, dtype=np.uint8)
    bounds = np.empty(count + 1, dtype=np.int64)
    if not escape_spaces(raw, rules.remove_extra_spaces, rules.add_dummy_prefix, out, bounds):
        return None
    return out[: bounds[-1]], bounds


def escape_plain(
    encoded: bytes, count: int, rules: Normalization
) -> tuple[NDArray[np.uint8], NDArray[np.int64]] | None:
    """Do the work of `escape_lines` on `count` lines joined by newlines, without a kernel."""
    lines = encoded.split(b"\n")
    if len(lines) != count or (rules.remove_extra_spaces and _SPACE_BYTES in encoded):
        return None
    made = []
    for line in lines:
        if rules.remove_extra_spaces:
            line = b" ".join(part for part in line.split(b" ") if part)
        if line and rules.add_dummy_prefix:
            line = b" " + line
        made.append(line.replace(b" ", _SPACE_BYTES))
    bounds = np.zeros(count + 1, dtype=np.int64)
    np.cumsum([len(line) for line in made], out=bounds[1:])
    return np.frombuffer(b"".join(made), dtype=np.uint8), bounds
