"""Which mark stands for which model."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.draw.marks import draw_letter
from app.theme import SIZE_DATA, Theme

NAME_WIDTH = 110.0


class Legend(QWidget):
    """Mark, letter and name of each model: a bar, a hollow square, ticks."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._models: list[tuple[str, int, str]] = []
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_models(self, models: list[tuple[str, int, str]]) -> None:
        """Show (letter, color index, name) of models, the active one first."""
        self._models = models
        self.setAccessibleName(
            ", ".join(
                self.tr("{mark}: {letter} {name}").format(mark=mark, letter=letter, name=name)
                for mark, (letter, _, name) in zip(self._words(), models, strict=False)
            )
        )
        self.updateGeometry()
        self.update()

    def _words(self) -> list[str]:
        rest = max(len(self._models) - 2, 0)
        return [self.tr("bar"), self.tr("hollow square"), *([self.tr("tick")] * rest)]

    def _widths(self) -> list[float]:
        metrics = QFontMetricsF(self._theme.font(SIZE_DATA))
        return [
            56 + min(metrics.horizontalAdvance(name), NAME_WIDTH) for _, _, name in self._models
        ]

    def sizeHint(self) -> QSize:
        return QSize(round(sum(self._widths())), 28)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, 28)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = theme.font(SIZE_DATA)
        metrics = QFontMetricsF(font)
        middle, x = self.height() / 2, 0.0
        for place, ((letter, color, name), width) in enumerate(
            zip(self._models, self._widths(), strict=True)
        ):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.identity(color))
            if place == 0:
                painter.drawRect(QRectF(x, middle - 4, 16, 8))
            else:
                painter.setPen(QPen(theme.identity(color), 2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                if place == 1:
                    painter.drawRect(QRectF(x + 4, middle - 4, 8, 8))
                else:
                    painter.drawLine(QPointF(x + 8, middle - 7), QPointF(x + 8, middle + 7))
            draw_letter(painter, theme, QRectF(x + 20, middle - 8, 16, 16), letter, color)
            painter.setFont(font)
            painter.setPen(theme.color("ink"))
            shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, NAME_WIDTH)
            box = QRectF(x + 40, 0, width - 44, self.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, shown)
            x += width
