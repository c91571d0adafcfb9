"""The lists of the prompt boundary: token lines of a text that grows, and rows with bars."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from app.draw.boundary_rows import (
    LINE,
    BarRow,
    TokenRow,
    bar_row_height,
    paint_bar_row,
    paint_token_row,
)
from app.theme import Theme


class _Rows(QAbstractScrollArea):
    """Rows that scroll, painted as far as they are in view. name: what screen readers call it."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(name)
        self.setMinimumHeight(96)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().setSingleStep(round(LINE))
        theme.changed.connect(self.viewport().update)

    def sizeHint(self) -> QSize:
        return QSize(240, 160)

    def heights(self) -> list[float]:
        """Return the height of each row."""
        raise NotImplementedError

    def paint_row(self, painter: QPainter, rect: QRectF, row: int) -> None:
        """Paint a row into its place."""
        raise NotImplementedError

    def lay_out(self) -> None:
        """Give the scroll bar its range; call when there are other rows."""
        view = self.viewport().height()
        self.verticalScrollBar().setRange(0, max(0, round(sum(self.heights()) - view)))
        self.verticalScrollBar().setPageStep(view)
        self.viewport().update()

    def row_at(self, y: float) -> int:
        """Return the row at a height of the viewport, −1 where there is none."""
        top = -float(self.verticalScrollBar().value())
        for row, height in enumerate(self.heights()):
            if top <= y < top + height:
                return row
            top += height
        return -1

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        view = QRectF(self.viewport().rect())
        painter.fillRect(view, self._theme.color("canvas"))
        top = -float(self.verticalScrollBar().value())
        for row, height in enumerate(self.heights()):
            if top + height > 0 and top < view.height():
                self.paint_row(painter, QRectF(0, top, view.width(), height), row)
            top += height
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.color("line2"), 1))
            painter.drawRect(view.adjusted(0.5, 0.5, -0.5, -0.5))

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.viewport().update()


class GrowthView(_Rows):
    """A row of tokens for each code point that comes in; a click or ↑ ↓ cuts the text there."""

    cut_wanted = Signal(int)
    """Code points that the text is to have."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "", parent)
        self.setAccessibleName(self.tr("How the last tokens change as the text grows"))
        self._rows: tuple[TokenRow, ...] = ()
        self._selected = -1

    @property
    def rows(self) -> tuple[TokenRow, ...]:
        """What is painted."""
        return self._rows

    @property
    def selected(self) -> TokenRow | None:
        """The row at which the text is cut."""
        return self._rows[self._selected] if 0 <= self._selected < len(self._rows) else None

    def show_rows(self, rows: tuple[TokenRow, ...], cut: int) -> None:
        """Show other rows, and mark the one at which the text is cut."""
        self._rows = rows
        found = (i for i, row in enumerate(rows) if row.end_char == cut)
        self._selected = next(found, -1)
        self.setAccessibleDescription(self.in_words())
        self.lay_out()
        self._reveal()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._reveal()

    def _reveal(self) -> None:
        """Scroll to the row at which the text is cut."""
        if self._selected >= 0:
            bar, top = self.verticalScrollBar(), round(self._selected * LINE)
            low = top + round(LINE) - self.viewport().height()
            bar.setValue(min(max(bar.value(), low), top))

    def in_words(self) -> str:
        """Say what the row at which the text is cut shows."""
        row = self.selected
        if row is None:
            return ""
        new = "|".join(row.tokens[row.new :])
        if row.gone:
            words = self.tr("With {char}: {gone} becomes {new}")
        elif new:
            words = self.tr("With {char}: {new} comes, nothing before it changes")
        else:
            words = self.tr("With {char}: nothing changes")
        return words.format(char=row.added, gone="|".join(row.gone), new=new)

    def heights(self) -> list[float]:
        return [LINE] * len(self._rows)

    def paint_row(self, painter: QPainter, rect: QRectF, row: int) -> None:
        chosen = row == self._selected
        paint_token_row(painter, rect, self._rows[row], self._theme, selected=chosen)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position().y())
        if row >= 0:
            self.cut_wanted.emit(self._rows[row].end_char)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = len(self._rows) - 1
        page = max(1, round(self.viewport().height() / LINE) - 1)
        wanted = {
            Qt.Key.Key_Up: self._selected - 1,
            Qt.Key.Key_Down: self._selected + 1,
            Qt.Key.Key_PageUp: self._selected - page,
            Qt.Key.Key_PageDown: self._selected + page,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }.get(Qt.Key(event.key()))
        if wanted is None or last < 0:
            event.ignore()
            return
        self.cut_wanted.emit(self._rows[min(max(wanted, 0), last)].end_char)


class BarsView(_Rows):
    """Labels with their probabilities as bars and numbers.

    beside: labels stand left of the bars, not above them.
    """

    def __init__(
        self, theme: Theme, name: str, *, beside: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, name, parent)
        self._beside = beside
        self._rows: tuple[BarRow, ...] = ()
        self._largest = 0.0

    @property
    def rows(self) -> tuple[BarRow, ...]:
        """What is painted."""
        return self._rows

    def show_rows(self, rows: tuple[BarRow, ...]) -> None:
        """Show other rows, from the first."""
        self._rows = rows
        self._largest = max((max(row.values, default=0.0) for row in rows), default=0.0)
        self.setAccessibleDescription("; ".join(row.in_words() for row in rows[:20]))
        self.lay_out()
        self.verticalScrollBar().setValue(0)

    def heights(self) -> list[float]:
        return [bar_row_height(row, self._beside) for row in self._rows]

    def paint_row(self, painter: QPainter, rect: QRectF, row: int) -> None:
        shown = self._rows[row]
        paint_bar_row(painter, rect, shown, self._largest, self._theme, beside=self._beside)
