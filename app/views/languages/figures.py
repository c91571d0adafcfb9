"""The figure of each model on one language, large, with the numbers that it is made of."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.draw.marks import draw_letter
from app.theme import SIZE_DATA, SIZE_NOTE, Theme

ROW, NUMBER = 42, 18


@dataclass(frozen=True)
class Figure:
    """value: as shown. made_of: the formula with its numbers. warning: "" for none."""

    letter: str
    color: int
    name: str
    value: str
    made_of: str
    warning: str = ""


class Figures(QWidget):
    """Two lines a model: letter, value and name; then the formula, and a warning if need be."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.figures: tuple[Figure, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_figures(self, figures: tuple[Figure, ...]) -> None:
        """Show other figures."""
        if figures == self.figures:
            return
        self.figures = figures
        self.setAccessibleName(
            "; ".join(f"{f.letter} {f.name} {f.value} {f.made_of} {f.warning}" for f in figures)
        )
        self.setToolTip("\n".join(f"{f.letter} {f.name}" for f in figures))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(260, sum(ROW + (16 if f.warning else 0) for f in self.figures))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        y, width = 0.0, float(self.width())
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        for figure in self.figures:
            draw_letter(painter, theme, QRectF(0, y + 4, 17, 17), figure.letter, figure.color)
            number = theme.font(NUMBER, bold=True)
            painter.setFont(number)
            painter.setPen(theme.color("ink"))
            painter.drawText(QRectF(26, y, width - 26, 25), middle, figure.value)
            taken = 26 + QFontMetricsF(number).horizontalAdvance(figure.value) + 12
            plain = theme.font(SIZE_DATA)
            painter.setFont(plain)
            painter.setPen(theme.color("ink2"))
            name = QFontMetricsF(plain).elidedText(
                figure.name, Qt.TextElideMode.ElideMiddle, max(width - taken, 20)
            )
            right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(QRectF(taken, y, width - taken, 25), right, name)
            painter.drawText(QRectF(26, y + 23, width - 26, 16), middle, figure.made_of)
            y += ROW
            if figure.warning:
                painter.setFont(theme.font(SIZE_NOTE))
                painter.setPen(theme.color("ink"))
                box = QRectF(26, y - 3, width - 26, 16)
                painter.drawText(box, middle, f"⚠ {figure.warning}")
                y += 16
