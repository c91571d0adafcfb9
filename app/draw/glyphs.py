"""The text itself, drawn on the axis: cells and shaped runs, only what is in view."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from app.draw.axis import TEXT_SIZE, Axis
from app.draw.lettering import Lettering
from app.draw.viewport import Viewport
from app.theme import Theme

SMALLEST_TEXT = 8
HEX_SIZE = 10
_MARKS = frozenset("␣→↵␍")


def text_size(axis: Axis, zoom: float) -> int:
    """Return the pixel size at which text fits its cells at a zoom; 0 where it is too small."""
    if axis.n_units == 0:
        return 0
    room = axis.usual_width * zoom
    need = axis.usual_advance or 1.0
    size = TEXT_SIZE if room >= need else int(TEXT_SIZE * room / need)
    return size if size >= SMALLEST_TEXT else 0


def units_in_view(viewport: Viewport) -> np.ndarray:
    """Return the units that are at least partly in view, in text order."""
    axis = viewport.axis
    if axis is None:
        return np.zeros(0, dtype=np.int64)
    first, last = viewport.visible
    return np.flatnonzero((axis.right >= first) & (axis.left <= last))


def draw_text(
    painter: QPainter,
    viewport: Viewport,
    theme: Theme,
    rect: QRectF,
    color: QColor,
    nudged: Mapping[int, float] | None = None,
    faint: QColor | None = None,
) -> None:
    """Draw the text in view on the axis, centred in the height of `rect`.

    nudged: pixels by which some units stand beside the middle of their cell. faint: of marks and
    bytes, where they don't stand on paper.
    """
    nudged = nudged or {}
    axis = viewport.axis
    size = text_size(axis, viewport.zoom) if axis is not None else 0
    if axis is None or not size:
        return
    font = theme.piece_font(size)
    faint = theme.color("ink3") if faint is None else faint
    metrics = QFontMetricsF(font)
    base = rect.center().y() + (metrics.ascent() - metrics.descent()) / 2
    scale = size / TEXT_SIZE
    shown = units_in_view(viewport)
    shift = -8.0 if axis.unit == "byte" else 0.0
    centres = viewport.to_screen((axis.left[shown] + axis.right[shown]) / 2)
    widths = axis.advance[shown] * scale
    letters, marks = Lettering(painter, font, color), Lettering(painter, font, faint)
    for unit, centre, width in zip(shown.tolist(), centres.tolist(), widths.tolist(), strict=True):
        label = axis.labels[unit]
        if label:
            x = centre - width / 2 + nudged.get(unit, 0.0)
            (marks if label in _MARKS else letters).draw(x, base + shift, label)
    _draw_runs(painter, viewport, rect, scale, shift, color)
    if axis.unit == "byte" and scale == 1:
        _draw_bytes(painter, viewport, theme, rect, shown, faint)


def _draw_runs(
    painter: QPainter, viewport: Viewport, rect: QRectF, scale: float, shift: float, color: QColor
) -> None:
    """Draw the joined runs in view, stretched to their place on the axis."""
    axis = viewport.axis
    assert axis is not None
    first, last = viewport.visible
    for run in axis.runs:
        if run.right < first or run.left > last or not run.natural:
            continue
        room = (run.right - run.left) * viewport.zoom
        wide = room / run.natural
        if axis.unit == "byte":
            wide = min(wide, 1.5)
        line = run.line
        tall = min(max(wide, 0.5), 1.1, (rect.height() + 4 + 2 * shift) / line.height())
        middle = viewport.screen((run.left + run.right) / 2)
        painter.save()
        painter.setPen(color)
        height = line.height() * tall
        painter.translate(middle - run.natural * wide / 2, rect.center().y() - height / 2 + shift)
        painter.scale(wide, tall)
        line.draw(painter, QPointF(-line.naturalTextRect().left(), 0))
        painter.restore()


def _draw_bytes(
    painter: QPainter,
    viewport: Viewport,
    theme: Theme,
    rect: QRectF,
    shown: np.ndarray,
    color: QColor,
) -> None:
    """Write the bytes under the text, two digits each."""
    axis = viewport.axis
    assert axis is not None
    letters = Lettering(painter, theme.piece_font(HEX_SIZE), color)
    data = axis.text.data
    y = rect.center().y() + 4
    for unit in shown.tolist():
        start, end = int(axis.bounds[unit]), int(axis.bounds[unit + 1])
        for byte in range(start, end):
            x0, x1 = viewport.screen(axis.lead[byte]), viewport.screen(axis.trail[byte + 1])
            box = QRectF(min(x0, x1), y, abs(x1 - x0), 12)
            letters.draw_centred(box, f"{int(data[byte]):02X}")
