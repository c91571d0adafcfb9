"""A line of text that is shortened where it doesn't fit; the whole is in its tool tip."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.theme import SIZE_BODY, Theme


class ElidedLabel(QWidget):
    """Text in the interface font, or in the font of pieces, shortened in the middle or at the end.

    pieces: in the font of pieces. token: its colour.
    """

    def __init__(
        self,
        theme: Theme,
        text: str = "",
        size: int = SIZE_BODY,
        *,
        pieces: bool = False,
        bold: bool = False,
        token: str = "ink",
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme, self._text, self._size = theme, text, size
        self._pieces, self._bold, self._token, self._mode = pieces, bold, token, mode
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(text)
        theme.changed.connect(self.update)

    def text(self) -> str:
        return self._text

    def setText(self, text: str) -> None:
        if text != self._text:
            self._text = text
            self.setAccessibleName(text)
            self.updateGeometry()
            self._tip()
            self.update()

    def _font(self) -> QFont:
        make = self._theme.piece_font if self._pieces else self._theme.font
        return make(self._size, bold=self._bold)

    def sizeHint(self) -> QSize:
        metrics = QFontMetricsF(self._font())
        # Fallback fonts of other scripts stand taller than the font itself.
        return QSize(
            int(metrics.horizontalAdvance(self._text)) + 2,
            int(max(metrics.height(), self._size * 1.5)),
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(24, self.sizeHint().height())

    def _tip(self) -> None:
        self.setToolTip(self._text if self.width() < self.sizeHint().width() else "")

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._tip()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        font = self._font()
        shown = QFontMetricsF(font).elidedText(self._text, self._mode, self.width())
        painter.setFont(font)
        painter.setPen(self._theme.color(self._token))
        painter.drawText(
            self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown
        )
