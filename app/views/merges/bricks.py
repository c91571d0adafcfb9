"""The rows of bricks: a scrolled picture of which only the rows and bricks in view are painted."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import (
    QEasingCurve,
    QEvent,
    QPointF,
    QRectF,
    Qt,
    QVariantAnimation,
    Signal,
)
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from app.counts import counted
from app.draw.bidi import base_direction
from app.draw.merge_grid import Needs, fit_grid, needs_of
from app.draw.merge_labels import Labels
from app.draw.merge_rows import (
    BRICK,
    ROW,
    TOP,
    Cells,
    Picture,
    brick_rect,
    joint_rect,
    paint_rows,
    row_in_view,
)
from app.draw.word import Word
from app.player import Player
from app.theme import SIZE_BODY, SIZE_DATA, SIZE_NOTE, Theme
from app.widgets import player_keys
from app.widgets.wheel import Notches

GUTTER = 216
"""Pixels at the left in which each row says what its step does; it stays when bricks scroll."""

AROUND = 24
"""Pixels kept in view beside the neighbours of a merge."""

MOVE = 320
"""Milliseconds of a move of two bricks."""

ZOOMS = (0.4, 0.5, 0.64, 0.8, 1.0, 1.25, 1.6, 2.0)


class BrickRows(QAbstractScrollArea):
    """The states of a pre-token, one under the other, with the player's row in front."""

    chosen = Signal(object, int)
    """A symbol as ((first, last),), or a joint as two of them, and the row it was chosen in."""

    row_clicked = Signal(int)

    def __init__(self, player: Player, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._player, self._theme = player, theme
        self._word: Word | None = None
        self._labels: Labels | None = None
        self._needs = Needs(1.0, np.zeros(0), 1.0)
        self._grid = fit_grid(self._needs, 1.0)
        self._row = 0
        self._zoom = 1.0
        self._notches = Notches()
        self._mirrored = False
        self._selected: tuple[Cells, ...] = ()
        self._selected_row = -1
        self._move = QVariantAnimation(self)
        self._move.setStartValue(0.0)
        self._move.setEndValue(1.0)
        self._move.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._move.valueChanged.connect(lambda _value: self.viewport().update())
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.setMinimumHeight(160)
        self.setAccessibleName(self.tr("Merges of the word, one row a step"))
        theme.changed.connect(self._restyle)

    @property
    def word(self) -> Word | None:
        return self._word

    @property
    def row(self) -> int:
        """The row that the player stands on."""
        return self._row

    @property
    def progress(self) -> float:
        """How far the move into the row has come, 0 … 1."""
        if self._move.state() == QVariantAnimation.State.Stopped:
            return 1.0
        value = self._move.currentValue()
        return float(value) if value is not None else 1.0

    @property
    def picture(self) -> Picture | None:
        """What is painted now."""
        if self._word is None or self._labels is None:
            return None
        return Picture(
            self._word,
            self._grid,
            self._labels.symbol,
            self._theme,
            self._row,
            self.progress,
            self._selected,
            self._selected_row,
        )

    def set_word(self, word: Word | None, labels: Labels | None, row: int) -> None:
        """Show a pre-token with its merges, at a row."""
        self._move.stop()
        self._word, self._labels, self._row = word, labels, row
        self._selected, self._selected_row = (), -1
        self._mirrored = False
        if word is not None:
            data = word.trace.prepared.data[slice(*word.span)].tobytes()
            self._mirrored = base_direction(data.decode("utf-8", errors="ignore")) == 1
            if labels is not None:
                self._needs = needs_of(word, labels.symbol, self._theme)
        self._layout()
        across = self.horizontalScrollBar()
        across.setValue(across.maximum() if self._mirrored else 0)
        self._reveal_row()
        self._tell()
        self.viewport().update()

    def set_row(self, row: int) -> None:
        """Go to a row; one step forward is shown as a move unless motion is reduced."""
        forward, same = row == self._row + 1, row == self._row
        self._row = row
        self._move.stop()
        if forward and not self._theme.reduced_motion and self.isVisible():
            self._move.setDuration(min(MOVE, round(self._player.interval * 0.8)))
            self._move.start()
        self._reveal_row()
        if not same:
            self._reveal_merge()
            self._tell()
        self.viewport().update()

    def select(self, selected: tuple[Cells, ...], row: int) -> None:
        """Mark a symbol or a joint of a row."""
        self._selected, self._selected_row = selected, row
        self._tell()
        self.viewport().update()

    def _tell(self) -> None:
        """Describe what is selected in the player's row, or the row, for those who hear it."""
        word, labels, row = self._word, self._labels, self._row
        if word is None or labels is None:
            self.setAccessibleDescription("")
            return
        if self._selected and self._selected_row == row:
            self.setAccessibleDescription(self._tip(self._selected, row))
            return
        text = self.tr("Start: {symbols}").format(symbols=counted(word.symbols, "symbol"))
        if row:
            k = word.steps.start + row - 1
            text = self.tr("Step {step} of {count}: {rule}, rank {rank}").format(
                step=f"{row:,}",
                count=f"{word.n_steps:,}",
                rule=labels.rule_of_step(k, " + "),
                rank=f"{int(word.trace.steps.rank[k]):,}",
            )
        self.setAccessibleDescription(text)

    # Layout

    def _layout(self) -> None:
        word = self._word
        if word is None:
            self.horizontalScrollBar().setRange(0, 0)
            self.verticalScrollBar().setRange(0, 0)
            return
        across, room = self.horizontalScrollBar(), self.viewport().width() - GUTTER
        # A word keeps its place as seen from where it is read from.
        behind = across.maximum() - across.value()
        self._grid = fit_grid(self._needs, room, self._zoom, self._mirrored)
        high = TOP * 2 + word.n_rows * ROW
        across.setRange(0, max(0, round(self._grid.width - room)))
        across.setPageStep(max(room, 1))
        across.setSingleStep(40)
        if self._mirrored:
            across.setValue(across.maximum() - behind)
        # Scrolled to the end, and by a notch of the wheel (three steps), the first row is whole.
        down = math.ceil(max(high - self.viewport().height(), 0.0) / ROW)
        self.verticalScrollBar().setRange(0, round(down * ROW))
        self.verticalScrollBar().setPageStep(self.viewport().height())
        self.verticalScrollBar().setSingleStep(round(ROW / 3))

    def _reveal_row(self) -> None:
        """Scroll so that the row is in view with what leads to it and what follows.

        No row is cut at the top.
        """
        if self._word is None:
            return
        bar, page = self.verticalScrollBar(), self.viewport().height()
        after = 2 if page >= TOP + 3 * ROW else 1
        before, bottom = max(self._row - 1, 0) * ROW, TOP + (self._row + after) * ROW
        if before < bar.value():
            bar.setValue(round(before))
        elif bottom > bar.value() + page:
            bar.setValue(round(min(math.ceil((bottom - page) / ROW) * ROW, before)))

    def _reveal_merge(self) -> None:
        """Scroll so that what merged, or merges next, is in view with something on both sides."""
        word = self._word
        if word is None or not word.n_steps:
            return
        (first, seam), (_, last) = word.merge(max(self._row - 1, 0))
        low, high = max(first - 1, 0), min(last + 1, word.symbols - 1)
        rect = brick_rect(self._grid, 0, (low, high))
        across, room = self.horizontalScrollBar(), self.viewport().width() - GUTTER
        if rect.width() + 2 * AROUND > room:
            middle = joint_rect(self._grid, 0, (seam, seam), (seam + 1, seam + 1)).center().x()
            across.setValue(int(middle - room / 2))
        elif rect.left() - AROUND < across.value():
            across.setValue(int(rect.left() - AROUND))
        elif rect.right() + AROUND > across.value() + room:
            across.setValue(int(rect.right() + AROUND - room))

    def _rows_in_view(self) -> tuple[int, int]:
        assert self._word is not None
        top = self.verticalScrollBar().value() - TOP
        first = max(int(top // ROW), 0)
        last = int((top + self.viewport().height()) // ROW)
        return min(first, self._word.n_rows - 1), min(max(last, 0), self._word.n_rows - 1)

    def _restyle(self) -> None:
        self._layout()
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._layout()
        self._reveal_row()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._theme
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.viewport().rect(), theme.color("canvas"))
        picture = self.picture
        if picture is None:
            return
        width = self.viewport().width()
        across, down = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        first, last = self._rows_in_view()
        band = QRectF(0, TOP + self._row * ROW - down, width, ROW)
        painter.fillRect(band, theme.color("panel"))
        painter.save()
        painter.setClipRect(GUTTER, 0, width - GUTTER, self.viewport().height())
        painter.translate(GUTTER - across, -down)
        paint_rows(painter, picture, first, last, float(across), float(across + width - GUTTER))
        painter.restore()
        painter.fillRect(QRectF(0, band.top(), 3, ROW), theme.color("ink"))
        for row in range(first, last + 1):
            self._paint_heading(painter, row, TOP + row * ROW - down)
        if self.hasFocus():
            painter.setPen(QPen(theme.color("line2"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.viewport().rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_heading(self, painter: QPainter, row: int, top: float) -> None:
        word, labels, theme = self._word, self._labels, self._theme
        assert word is not None
        assert labels is not None
        ahead = row > self._row
        ink = theme.color("ink3" if ahead else "ink")
        left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
        centre = Qt.AlignmentFlag.AlignVCenter
        upper = QRectF(16, top + 18, GUTTER - 40, 20)
        lower = QRectF(16, top + 38, GUTTER - 40, 20)
        painter.setPen(ink)
        painter.setFont(theme.font(SIZE_BODY, bold=not ahead))
        if row == 0:
            painter.drawText(upper, left | centre, self.tr("Start"))
            painter.setFont(theme.font(SIZE_DATA))
            painter.setPen(theme.color("ink2"))
            painter.drawText(lower, left | centre, counted(word.symbols, "symbol"))
            return
        painter.drawText(upper, left | centre, self.tr("Step {step}").format(step=f"{row:,}"))
        painter.setFont(theme.font(SIZE_NOTE))
        painter.setPen(theme.color("ink3" if ahead else "ink2"))
        painter.drawText(upper, right | centre, self.tr("made by rank"))
        rank = f"{int(word.trace.steps.rank[word.steps.start + row - 1]):,}"
        font = theme.font(SIZE_DATA, bold=True)
        painter.setFont(font)
        painter.setPen(ink)
        painter.drawText(lower, right | centre, rank)
        room = lower.width() - QFontMetricsF(font).horizontalAdvance(rank) - 12
        piece = theme.piece_font(SIZE_DATA)
        text = labels.rule_of_step(word.steps.start + row - 1, " + ")
        text = QFontMetricsF(piece).elidedText(text, Qt.TextElideMode.ElideMiddle, room)
        painter.setFont(piece)
        painter.setPen(theme.color("ink3" if ahead else "ink2"))
        painter.drawText(lower, left | centre, text)

    # Mouse and keys

    def item_at(self, place: QPointF) -> tuple[tuple[Cells, ...], int]:
        """Return what is at a place of the view: a symbol or a joint, and its row."""
        word = self._word
        if word is None:
            return (), -1
        x = place.x() - GUTTER + self.horizontalScrollBar().value()
        y = place.y() + self.verticalScrollBar().value() - TOP
        row = int(y // ROW)
        if not 0 <= row < word.n_rows:
            return (), -1
        if place.x() < GUTTER or abs(y - row * ROW - ROW / 2) > BRICK / 2:
            return (), row
        shown = row_in_view(word, self._grid, row, x, x)
        cells: list[Cells] = list(zip(shown.first.tolist(), shown.last.tolist(), strict=True))
        spot = QPointF(x, TOP + row * ROW + ROW / 2)
        for i, place_of in enumerate(cells):
            if brick_rect(self._grid, row, place_of).contains(spot):
                return (place_of,), row
            if i and joint_rect(self._grid, row, cells[i - 1], place_of).contains(spot):
                return (cells[i - 1], place_of), row
        return (), row

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        item, row = self.item_at(event.position())
        if item:
            self.chosen.emit(item, row)
        elif row >= 0:
            self.row_clicked.emit(row)

    def items_of_row(self) -> list[tuple[Cells, ...]]:
        """Return bricks and joints of the player's row in reading order."""
        if self._word is None:
            return []
        row = self._word.row(self._row)
        items: list[tuple[Cells, ...]] = []
        before: Cells | None = None
        for place in zip(row.first.tolist(), row.last.tolist(), strict=True):
            if before is not None:
                items.append((before, place))
            items.append((place,))
            before = place
        return items

    def _choose_next(self, by: int) -> None:
        items = self.items_of_row()
        if not items:
            return
        here = self._selected_row == self._row and self._selected in items
        at = items.index(self._selected) + by if here else (0 if by > 0 else len(items) - 1)
        self.chosen.emit(items[min(max(at, 0), len(items) - 1)], self._row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if player_keys.press(self._player, event):
            return
        if key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self._choose_next(1 if key == Qt.Key.Key_Down else -1)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self._set_zoom(1)
        elif key == Qt.Key.Key_Minus:
            self._set_zoom(-1)
        elif key == Qt.Key.Key_0:
            self._zoom = 1.0
            self._restyle()
        elif key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
            bar = self.verticalScrollBar()
            page = bar.pageStep() if key == Qt.Key.Key_PageDown else -bar.pageStep()
            bar.setValue(bar.value() + page)
        else:
            event.ignore()

    def _set_zoom(self, by: int) -> None:
        near = min(range(len(ZOOMS)), key=lambda i: abs(ZOOMS[i] - self._zoom))
        self._zoom = ZOOMS[min(max(near + by, 0), len(ZOOMS) - 1)]
        self._restyle()
        self._reveal_merge()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            notches = self._notches.add(event.angleDelta().y())
            if notches:
                self._set_zoom(notches)
        else:
            super().wheelEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            item, row = self.item_at(QPointF(event.pos()))
            text = self._tip(item, row)
            if text:
                QToolTip.showText(event.globalPos(), text, self.viewport())
            else:
                QToolTip.hideText()
            return True
        return super().viewportEvent(event)

    def _tip(self, item: tuple[Cells, ...], row: int) -> str:
        if not item or self._word is None or self._labels is None:
            return ""
        return self._labels.describe(self._word, item, row)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.viewport().update()
