"""A line of text that is shortened where it doesn't fit; the whole is in its tool tip."""

from __future__ import annotations

import math

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.theme import SIZE_BODY, Theme


class ElidedLabel(QWidget):
    """Text in the interface font, or in the font of pieces, shortened in the middle or at the end.

    pieces: in the font of pieces. token: its colour. steady: it takes what room there is, whatever
    its text; so a new text has nothing laid out anew. step: the width asked for is a multiple of
    it, so that few new texts have.
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
        steady: bool = False,
        step: int = 1,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme, self._text, self._size = theme, text, size
        self._pieces, self._bold, self._token, self._mode = pieces, bold, token, mode
        self._steady, self._step = steady, step
        across = QSizePolicy.Policy.Ignored if steady else QSizePolicy.Policy.Maximum
        self.setSizePolicy(across, QSizePolicy.Policy.Fixed)
        self._hint: QSize | None = None
        self.setAccessibleName(text)
        theme.changed.connect(self._restyle)

    def text(self) -> str:
        return self._text

    def setText(self, text: str) -> None:
        if text != self._text:
            before = self._hint
            self._text, self._hint = text, None
            self.setAccessibleName(text)
            # A steady one behind another pane isn't even measured.
            if not self._steady and self.sizeHint() != before:
                self.updateGeometry()
            self.update()

    def _font(self) -> QFont:
        make = self._theme.piece_font if self._pieces else self._theme.font
        return make(self._size, bold=self._bold)

    def _restyle(self) -> None:
        self._hint = None
        self.update()

    def sizeHint(self) -> QSize:
        # Kept: a layout asks for it several times, and to measure a text is to shape it.
        if self._hint is None:
            self._hint = self._measured()
        return self._hint

    def _measured(self) -> QSize:
        metrics = QFontMetricsF(self._font())
        # Fallback fonts of other scripts stand taller than the font itself.
        wide = int(metrics.horizontalAdvance(self._text)) + 2
        return QSize(
            math.ceil(wide / self._step) * self._step,
            int(max(metrics.height(), self._size * 1.5)),
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(24, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        font, shown, tip = self._font(), self._text, ""
        if self.width() < self.sizeHint().width():
            shown = QFontMetricsF(font).elidedText(shown, self._mode, self.width())
            tip = self._text
        if tip != self.toolTip():
            self.setToolTip(tip)
        painter.setFont(font)
        painter.setPen(self._theme.color(self._token))
        painter.drawText(
            self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown
        )
