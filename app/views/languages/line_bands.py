"""One line of a corpus as token bands, wrapped into the width of a pane: a row a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.counts import counted
from app.draw.axis import Axis, build_axis
from app.draw.marks import draw_letter
from app.draw.tokens import WITH_COUNT, Bands, draw_bands, place_tokens
from app.draw.viewport import MARGIN, Viewport
from app.session import OpenModel
from app.theme import SIZE_DATA, Theme
from engine.model import Encoding
from engine.text import Text

LIMIT = 1200
"""Bytes of a line that are drawn; the counts are of the whole line."""

ROW, GAP, HEAD = 30, 4, 26

ZOOM, WIDEST = 1.2, 2.2
"""Wider than text is set, the more the narrower the characters that a count stands beside."""


def zoom_for(bands: Sequence[Bands], axis: Axis) -> float:
    """Return the zoom at which most counts have room beside their characters."""
    cut = [(b.rect_right - b.rect_left)[b.fragment[b.rect_group]] for b in bands]
    widths = np.concatenate(cut) if cut else np.empty(0)
    if axis.runs or not len(widths):
        return ZOOM  # where letters join, counts stand below
    wanted = (WITH_COUNT + 3) / max(float(np.quantile(widths, 0.1)), 1.0)
    return min(max(wanted, ZOOM), WIDEST)


@dataclass(frozen=True, eq=False)
class LineRow:
    """A wrapped row: the stretch of the axis, at zoom 1, that it shows."""

    left: float
    right: float


def wrap(bands: Bands, axis: Axis, width: float) -> list[LineRow]:
    """Cut a band row into rows no wider than `width`, between tokens; in reading order."""
    pairs = sorted(zip(bands.rect_left.tolist(), bands.rect_right.tolist(), strict=True))
    if axis.mirrored:
        pairs = [(-right, -left) for left, right in reversed(pairs)]
    rows: list[tuple[float, float]] = []
    for left, right in pairs:
        if rows and right - rows[-1][0] <= width:
            rows[-1] = (rows[-1][0], max(rows[-1][1], right))
        else:
            rows.append((left, right))
    if axis.mirrored:
        rows = [(-right, -left) for left, right in rows]
    return [LineRow(left, right) for left, right in rows]


class LineBands(QWidget):
    """The bands of a line under each open model."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._axis: Axis | None = None
        self._bands: list[tuple[OpenModel, Bands, list[LineRow]]] = []
        self._viewport = Viewport(self)
        self._picture: QPixmap | None = None
        self._zoom = ZOOM
        self._drawn_for: tuple[float, str] = (0.0, "")
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(self.tr("The line as tokens"))
        theme.changed.connect(self.update)

    def show_line(self, text: Text | None, encodings: list[tuple[OpenModel, Encoding]]) -> None:
        """Show a line cut by some models; None for nothing."""
        self._bands = []
        self._axis = None
        if text is not None and text.n_bytes:
            self._axis = build_axis(text, "grapheme", self._theme.piece_font, LIMIT)
            self._viewport.set_axis(self._axis)
            self._bands = [
                (opened, place_tokens(encoding, self._axis), []) for opened, encoding in encodings
            ]
            self._zoom = zoom_for([bands for _, bands, _ in self._bands], self._axis)
            self.setAccessibleDescription(
                ", ".join(
                    f"{opened.name}: {counted(bands.total, 'token')}"
                    for opened, bands, _ in self._bands
                )
            )
        self._wrap()

    def _wrap(self) -> None:
        axis = self._axis
        if axis is not None:
            self._bands = [
                (opened, bands, wrap(bands, axis, max(self.width() - 2.0, 60.0) / self._zoom))
                for opened, bands, _ in self._bands
            ]
        self.setFixedHeight(self._height())
        self._picture = None
        self.update()

    def _height(self) -> int:
        return sum(HEAD + len(rows) * (self._row + GAP) + 6 for *_, rows in self._bands) or 1

    @property
    def _row(self) -> int:
        joined = self._axis is not None and bool(self._axis.runs)
        return ROW + 10 if joined else ROW

    def sizeHint(self) -> QSize:
        return QSize(260, self._height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._wrap()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the picture of the bands: it is drawn once, and moved while the pane scrolls."""
        ratio, scheme = self.devicePixelRatioF(), self._theme.scheme
        if self._picture is None or self._drawn_for != (ratio, scheme):
            self._drawn_for = (ratio, scheme)
            self._picture = QPixmap(self.size() * ratio)
            self._picture.setDevicePixelRatio(ratio)
            self._picture.fill(Qt.GlobalColor.transparent)
            painter = QPainter(self._picture)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._draw(painter)
            painter.end()
        QPainter(self).drawPixmap(0, 0, self._picture)

    def _draw(self, painter: QPainter) -> None:
        axis, theme = self._axis, self._theme
        if axis is None:
            return
        y = 0.0
        for opened, bands, rows in self._bands:
            draw_letter(painter, theme, QRectF(0, y + 4, 17, 17), opened.letter, opened.color_index)
            painter.setFont(theme.font(SIZE_DATA, bold=True))
            painter.setPen(theme.color("ink"))
            words = counted(bands.total, "token")
            if axis.shown < axis.text.n_bytes:
                words = self.tr("{tokens} · the start is drawn").format(tokens=words)
            place = QRectF(24, y, self.width() - 24, HEAD)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, words)
            y += HEAD
            for row in rows:
                self._paint_row(painter, bands, row, y)
                y += self._row + GAP
            y += 6

    def _paint_row(self, painter: QPainter, bands: Bands, row: LineRow, y: float) -> None:
        axis, view = self._axis, self._viewport
        assert axis is not None
        width = (row.right - row.left) * self._zoom
        left = self.width() - width if axis.mirrored else 0.0
        # The view is as wide as the row, so that only the row's bands are drawn.
        view.restore(self._zoom, 0.0)
        view.set_width(width + 2 * MARGIN)
        view.scroll_to(row.left * self._zoom)
        painter.save()
        painter.setClipRect(QRectF(left, y, width, self._row))
        painter.translate(left - view.screen(row.left), 0)
        draw_bands(painter, view, self._theme, bands, QRectF(0, y, axis.width, self._row))
        painter.restore()
