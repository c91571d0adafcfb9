"""The text axis that bands, arcs, bars and bricks share: where each byte of a text stands.

The text is one line. Graphemes of scripts whose letters stand apart get a cell each, wide enough
to be read and to end arcs at; a run of a script whose letters join or stack (Arabic, Devanagari
…) is shaped whole and cut at cursor positions. Runs stand in visual order, so a text that runs
from right to left mirrors the axis. Where the direction turns, one byte boundary has two places:
`lead`, where what follows begins, and `trail`, where what comes before ends.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QTextLayout, QTextLine, QTextOption

from app.draw.bidi import base_direction, has_right_to_left, levels, visual_order
from app.draw.widths import width_of
from engine.display import visible
from engine.text import Text

if TYPE_CHECKING:
    import regex

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
AxisUnit = Literal["grapheme", "byte"]

CELL, BYTE_CELL = 17.0, 20.0
"""The least width of a grapheme's and of a byte's cell at zoom 1, in pixels."""

TEXT_SIZE, JOINED_SIZE = 15, 18
"""Pixel sizes of the text on the axis: cells, and runs of joining scripts."""

JOINED_SPREAD = 1.25
"""How much wider than natural a joined run stands at zoom 1."""

# Scripts whose letters join, stack or reorder across graphemes.
_JOINED = (
    "Arab Syrc Mand Nkoo Mong Phag Mani Rohg Adlm Deva Beng Guru Gujr Orya Taml Telu Knda Mlym "
    "Sinh Khmr Mymr Tibt Java Bali Sund Cham Lana Tale Limb Lepc"
)


@dataclass(frozen=True, eq=False)
class JoinedRun:
    """Graphemes that stand shaped together. left, right: their place at zoom 1.

    font: its description. turned: the run goes from right to left. natural: its width as shaped.
    """

    graphemes: tuple[str, ...]
    font: str
    turned: bool
    natural: float
    left: float
    right: float

    @property
    def line(self) -> QTextLine:
        """The shaped line. A glyph belongs to the thread that shaped it, so this one does."""
        return _shape(self.graphemes, self.font, self.turned).layout.lineAt(0)


@dataclass(frozen=True, eq=False)
class Axis:
    """Where a text stands, at zoom 1; x runs from 0 to `width`.

    text, shown: the axis covers the first `shown` bytes of `text`.
    mirrored: the first strong character runs from right to left.
    bounds: int64[g + 1], the bytes at which units start, and `shown`. A unit is a grapheme, with
        those graphemes that have no width of their own on the shaped line.
    left, right: float64[g], the place of each unit. turned: bool[g], it runs right to left.
    labels: what each unit shows; empty where a joined run shows it. advance: float64[g].
    lead, trail: float64[shown + 1], see the module.
    stretches: int64[s + 1], units at which the line stops going on in one direction.
    """

    text: Text
    shown: int
    unit: AxisUnit
    mirrored: bool
    width: float
    bounds: Ints
    left: Floats
    right: Floats
    turned: NDArray[np.bool_]
    labels: list[str]
    advance: Floats
    runs: tuple[JoinedRun, ...]
    lead: Floats
    trail: Floats
    stretches: Ints

    @property
    def n_units(self) -> int:
        return len(self.left)

    def at(self, position: NDArray[Any], *, end: bool) -> Floats:
        """Return the x of byte positions, which may be fractions of a byte.

        end: as the end of what comes before, else as the start of what follows.
        """
        # Not np.clip, which takes several times as long for a few places.
        position = np.minimum(np.maximum(np.asarray(position, dtype=np.float64), 0), self.shown)
        if self.shown == 0:
            return np.zeros_like(position)
        # A position inside a byte lies between that byte's own two edges.
        byte = np.ceil(position) - 1 if end else np.floor(position)
        byte = np.minimum(np.maximum(byte, 0), self.shown - 1).astype(np.int64)
        part = position - byte
        first, last = self.lead[byte], self.trail[byte + 1]
        return first + (last - first) * part

    def x(self, position: float, *, end: bool) -> float:
        """Return what `at` does of one position."""
        if self.shown == 0:
            return 0.0
        position = min(max(position, 0.0), self.shown)
        byte = math.ceil(position) - 1 if end else math.floor(position)
        byte = min(max(byte, 0), self.shown - 1)
        first, last = float(self.lead[byte]), float(self.trail[byte + 1])
        return first + (last - first) * (position - byte)

    def intervals(self, start: float, end: float) -> list[tuple[float, float]]:
        """Return the stretches of x that the bytes [start, end) take, left before right in each.

        One stretch but where the direction of writing turns inside.
        """
        # Without arrays, for which one span is too little: each row of the picture asks.
        cuts = self._cuts
        if end <= start or len(cuts) < 2:
            return []
        first = max(bisect_right(cuts, start) - 1, 0)
        last = min(bisect_left(cuts, end) - 1, len(cuts) - 2)
        found = []
        for stretch in range(first, last + 1):
            x0 = self.x(max(start, cuts[stretch]), end=False)
            x1 = self.x(min(end, cuts[stretch + 1]), end=True)
            found.append((min(x0, x1), max(x0, x1)))
        return found

    def rectangles(self, start: Floats, end: Floats) -> tuple[Ints, Floats, Floats]:
        """Return the stretches of x of many spans of bytes: (span, left, right), by span.

        Spans without width or beyond the axis have none; those over a turn of direction have
        several.
        """
        cuts = self._stretch_bytes
        wide = ((end > start) & (start < self.shown)).nonzero()[0]
        begins, ends = start[wide], end[wide]
        if len(cuts) > 2:
            first = np.maximum(cuts.searchsorted(begins, side="right") - 1, 0)
            last = np.minimum(cuts.searchsorted(ends, side="left") - 1, len(cuts) - 2)
            # A row for each span and each stretch that it reaches into.
            count = np.maximum(last - first + 1, 0)
            row = np.arange(len(wide)).repeat(count)
            stretch = first[row] + np.arange(len(row)) - (count.cumsum() - count)[row]
            wide = wide[row]
            begins = np.maximum(begins[row], cuts[stretch])
            ends = np.minimum(ends[row], cuts[stretch + 1])
        x0, x1 = self.at(begins, end=False), self.at(ends, end=True)
        return wide, np.minimum(x0, x1), np.maximum(x0, x1)

    @cached_property
    def usual_width(self) -> float:
        """The median width of a unit at zoom 1."""
        return float(np.median(self.right - self.left))

    @cached_property
    def usual_advance(self) -> float:
        """The median width of the text of a unit."""
        return float(np.median(self.advance))

    @cached_property
    def _stretch_bytes(self) -> Ints:
        return self.bounds[self.stretches]

    @cached_property
    def _cuts(self) -> list[int]:
        return self._stretch_bytes.tolist()

    def unit_at(self, x: float) -> int:
        """Return the unit that stands at x, the nearest one outside; -1 on an empty axis."""
        if self.n_units == 0:
            return -1
        order = self.visual
        place = int(np.searchsorted(self.left[order], x, side="right")) - 1
        return int(order[min(max(place, 0), self.n_units - 1)])

    def byte_at(self, x: float) -> int:
        """Return the byte that stands at x, the nearest one outside; -1 on an empty axis."""
        unit = self.unit_at(x)
        if unit < 0:
            return -1
        start, end = int(self.bounds[unit]), int(self.bounds[unit + 1])
        share = (x - self.left[unit]) / max(self.right[unit] - self.left[unit], 1e-9)
        if self.turned[unit]:
            share = 1 - share
        return start + min(max(int(share * (end - start)), 0), end - start - 1)

    @cached_property
    def visual(self) -> Ints:
        """The units from left to right, int64[g]."""
        return np.argsort(self.left, kind="stable")

    def unit_of(self, byte: NDArray[np.integer] | int) -> Ints:
        """Return the unit that each byte belongs to; the end belongs to the last."""
        place = np.searchsorted(self.bounds, np.asarray(byte), side="right") - 1
        return np.minimum(np.maximum(place, 0), max(self.n_units - 1, 0))


@dataclass(frozen=True)
class AxisFonts:
    """The fonts of an axis as descriptions, which may go to another thread."""

    cells: str
    joined: str

    @classmethod
    @lru_cache(maxsize=8)  # of a theme they stay the same
    def of(cls, font: Callable[[int], QFont]) -> AxisFonts:
        """Ask for the fonts. font: returns the font for text under analysis at a pixel size."""
        return cls(font(TEXT_SIZE).toString(), font(JOINED_SIZE).toString())


def build_axis(text: Text, unit: AxisUnit, font: Callable[[int], QFont], limit: int) -> Axis:
    """Shape the first `limit` bytes of a text (cut at a grapheme) and give each byte its place.

    font: returns the font for text under analysis at a pixel size.
    """
    return shape_axis(text, unit, AxisFonts.of(font), limit, _shape)


def build_axis_apart(text: Text, unit: AxisUnit, fonts: AxisFonts, limit: int) -> Axis:
    """Do what `build_axis` does, in any thread."""
    return shape_axis(text, unit, fonts, limit, lru_cache(maxsize=4096)(_shape_anew))


def shape_axis(
    text: Text,
    unit: AxisUnit,
    fonts: AxisFonts,
    limit: int,
    shape: Callable[[tuple[str, ...], str, bool], _Shaped],
) -> Axis:
    """Build the axis; `shape` shapes a run in a font, from right to left or not."""
    short = text.head(limit)
    bounds = short.grapheme_bounds.astype(np.int64)
    count = len(bounds) - 1
    graphemes = _pieces(short)
    turned = np.zeros(count, dtype=np.bool_)
    level = np.zeros(count, dtype=np.uint8)
    if has_right_to_left(short.string):
        level = levels(short.string)[np.searchsorted(short.char_bounds, bounds[:-1])]
        turned = level % 2 == 1
    shown = {grapheme: _label(grapheme) for grapheme in set(graphemes)}
    wide = {grapheme: width_of(label, fonts.cells) for grapheme, label in shown.items()}
    labels = [shown[g] for g in graphemes]
    advance = np.array([wide[g] for g in graphemes], dtype=np.float64)
    # In whole pixels, so that what follows an edit moves by whole pixels and needs no paint.
    width = np.ceil(np.maximum(CELL, np.minimum(2 * advance, advance + CELL)))

    shaped: list[tuple[int, int, tuple[str, ...], _Shaped]] = []
    if not short.string.isascii():
        for first, last in _joined_runs(graphemes, level):
            letters = tuple(graphemes[first:last])
            run = shape(letters, fonts.joined, bool(turned[first]))
            advance[first:last] = run.wide
            width[first:last] = run.wide * JOINED_SPREAD
            labels[first:last] = [""] * (last - first)
            shaped.append((first, last, letters, run))
    if unit == "byte":
        width = np.ceil(np.maximum(BYTE_CELL * np.diff(bounds), np.minimum(width, advance + 4)))

    order = visual_order(level)
    left = np.empty(count)
    edges = np.concatenate(([0.0], np.cumsum(width[order])))
    left[order] = edges[:-1]
    right = left + width
    runs = tuple(
        JoinedRun(
            letters,
            fonts.joined,
            bool(turned[first]),
            run.natural,
            # Of one direction, so it begins and ends at its ends.
            float(min(left[first], left[last - 1])),
            float(max(right[first], right[last - 1])),
        )
        for first, last, letters, run in shaped
    )
    bounds, merged = _merge_widthless(bounds, width)
    if len(merged) < count:
        left, right, turned, advance = left[merged], right[merged], turned[merged], advance[merged]
        labels = [labels[i] for i in merged.tolist()]
    begin, end = left, right
    if turned.any():
        begin, end = np.where(turned, right, left), np.where(turned, left, right)
    lead, trail = _byte_places(bounds, begin, end)
    return Axis(
        text,
        short.n_bytes,
        unit,
        bool(count) and base_direction(short.string) == 1,
        float(edges[-1]),
        bounds,
        left,
        right,
        turned,
        labels,
        advance,
        runs,
        lead,
        trail,
        _stretches(begin, end, turned),
    )


def _pieces(text: Text) -> list[str]:
    """Return the graphemes of a text."""
    if text.n_chars == text.n_graphemes:
        return list(text.string)
    chars = np.searchsorted(text.char_bounds, text.grapheme_bounds).tolist()
    return [text.string[a:b] for a, b in pairwise(chars)]


@lru_cache(maxsize=4096)  # at each key nearly all are known
def _label(grapheme: str) -> str:
    return grapheme if grapheme.isalnum() else visible(grapheme.encode("utf-8"))


def _joined_runs(graphemes: list[str], level: NDArray[np.uint8]) -> Iterator[tuple[int, int]]:
    """Yield the runs (first, last + 1) of graphemes of joining scripts, of one direction each."""
    known = {grapheme: _joins(grapheme) for grapheme in set(graphemes)}
    for run in re.finditer(b"\1+", bytes([known[grapheme] for grapheme in graphemes])):
        first, last = run.span()
        turns = (level[first + 1 : last] != level[first : last - 1]).nonzero()[0] + (first + 1)
        yield from pairwise((first, *turns.tolist(), last))


@lru_cache(maxsize=4096)
def _joins(grapheme: str) -> bool:
    """Whether a grapheme is of a script whose letters join, stack or reorder."""
    return bool(_joining().search(grapheme))


@lru_cache(maxsize=1)
def _joining() -> regex.Pattern[str]:
    import regex

    classes = "".join(rf"\p{{sc={name}}}" for name in _JOINED.split())
    # The tatweel and digits of these scripts: the first joins, the second stand apart.
    return regex.compile(f"[[{classes}]&&[\\p{{L}}\\p{{M}}]\\u0640]", regex.V1)


@dataclass(frozen=True, eq=False)
class _Shaped:
    """A shaped run: its line at x 0, its width and that of each grapheme."""

    layout: QTextLayout
    natural: float
    wide: Floats


def _font(description: str) -> QFont:
    font = QFont()
    font.fromString(description)
    return font


@lru_cache(maxsize=4096)
def _shape(graphemes: tuple[str, ...], font: str, turned: bool) -> _Shaped:
    """Shape graphemes as one line. Cached, so that a key pressed shapes one word only.

    For the window's thread: what is in the cache is drawn there.
    """
    return _shape_anew(graphemes, font, turned)


def _shape_anew(graphemes: tuple[str, ...], description: str, turned: bool) -> _Shaped:
    font = _font(description)
    layout = QTextLayout("".join(graphemes), font)
    option = QTextOption(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute)
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    option.setTextDirection(
        Qt.LayoutDirection.RightToLeft if turned else Qt.LayoutDirection.LeftToRight
    )
    layout.setTextOption(option)
    layout.setCacheEnabled(True)
    layout.beginLayout()
    line = layout.createLine()
    layout.endLayout()
    natural = line.naturalTextWidth()
    units = [0]
    for grapheme in graphemes:
        units.append(units[-1] + len(grapheme.encode("utf-16-le")) // 2)
    at = np.array([_cursor(line, unit) for unit in units])
    return _Shaped(layout, natural, np.abs(np.diff(np.clip(at - at.min(), 0, natural))))


def _cursor(line: QTextLine, unit: int) -> float:
    x: Any = line.cursorToX(unit)
    return float(x[0] if isinstance(x, tuple) else x)


def _merge_widthless(bounds: Ints, width: Floats) -> tuple[Ints, Ints]:
    """Join graphemes without width to the one before; return (bounds, the graphemes that stay)."""
    stays = np.ones(len(bounds), dtype=np.bool_)
    stays[1:-1] = width[1:] > 0.5
    return bounds[stays], stays[:-1].nonzero()[0]


def _byte_places(bounds: Ints, begin: Floats, end: Floats) -> tuple[Floats, Floats]:
    """Return (lead, trail) of each byte boundary; bytes share their unit's width evenly.

    begin, end: where the first byte of each unit begins and its last one ends.
    """
    total = int(bounds[-1])
    lead, trail = np.zeros(total + 1), np.zeros(total + 1)
    if total == 0:
        return lead, trail
    sizes = bounds[1:] - bounds[:-1]
    unit = np.arange(len(sizes)).repeat(sizes)
    inside = np.arange(total) - bounds[unit]
    first, step = begin[unit], ((end - begin) / sizes)[unit]
    lead[:-1], lead[-1] = first + step * inside, end[-1]
    trail[0], trail[1:] = begin[0], first + step * (inside + 1)
    return lead, trail


def _stretches(begin: Floats, end: Floats, turned: NDArray[np.bool_]) -> Ints:
    """Return the units at which x doesn't go on from the unit before, with both ends."""
    count = len(begin)
    if count == 0:
        return np.zeros(1, dtype=np.int64)
    jumps = np.abs(begin[1:] - end[:-1]) > 0.01
    turns = turned[1:] != turned[:-1]
    return np.array([0, *((jumps | turns).nonzero()[0] + 1).tolist(), count])
