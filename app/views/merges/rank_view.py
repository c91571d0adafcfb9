"""The widget of the rank line."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from app.draw.merge_labels import Labels
from app.draw.rank_line import HEIGHT, RankScale, paint_rank_line, rule_at
from app.draw.word import Word
from app.player import Player
from app.theme import SIZE_DATA, Theme
from app.widgets import player_keys

LEFT = 212


class RankView(QWidget):
    """Every rule that could act on the word; a click chooses one."""

    chosen = Signal(int)
    """Number of the rule in `Word.rules`."""

    def __init__(self, player: Player, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._player, self._theme = player, theme
        self._word: Word | None = None
        self._labels: Labels | None = None
        self._row = 0
        self._largest = 1
        self._selected = -1
        self.setMinimumHeight(HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Every rule that could act on this word, by rank"))
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(600, HEIGHT)

    def set_word(self, word: Word | None, labels: Labels | None, row: int, largest: int) -> None:
        """Show the rules of a word. largest: the last rank of the model."""
        self._word, self._labels, self._row = word, labels, row
        self._largest, self._selected = largest, -1
        self.update()

    def set_row(self, row: int) -> None:
        self._row = row
        self.update()

    def select(self, rule: int) -> None:
        """Mark a rule; -1 for none."""
        self._selected = rule
        self.update()

    @property
    def scale(self) -> RankScale:
        return RankScale(LEFT, max(self.width() - 62, LEFT + 100), self._largest)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme.color("canvas"))
        word, labels = self._word, self._labels
        if word is None or labels is None:
            return
        left, centre = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignVCenter
        painter.setFont(theme.font(SIZE_DATA, bold=True))
        painter.setPen(theme.color("ink"))
        painter.drawText(16, 20, LEFT - 60, 20, left | centre, self.tr("Winners"))
        painter.setFont(theme.font(SIZE_DATA))
        painter.setPen(theme.color("ink2"))
        painter.drawText(16, 86, LEFT - 60, 20, left | centre, self.tr("Never the lowest"))
        rules = word.rules
        if not len(rules.rank):
            painter.drawText(LEFT, 20, 400, 20, left | centre, self.tr("No rule joins any pair"))

        def name(i: int) -> str:
            return labels.rule(int(rules.left[i]), int(rules.right[i]))

        paint_rank_line(painter, self.scale, rules, self._row, name, theme, self._selected)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        rule = self._rule_at(event.position().x(), event.position().y())
        if rule >= 0:
            self.chosen.emit(rule)

    def _rule_at(self, x: float, y: float) -> int:
        if self._word is None:
            return -1
        return rule_at(self.scale, self._word.rules, x, y)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if player_keys.press(self._player, event):
            return
        by = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if by is None or self._word is None or not len(self._word.rules.rank):
            super().keyPressEvent(event)
            return
        last = len(self._word.rules.rank) - 1
        self.chosen.emit(min(max(self._selected + by, 0), last))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            rule = self._rule_at(event.pos().x(), event.pos().y())
            if rule >= 0 and self._word is not None and self._labels is not None:
                rules = self._word.rules
                text = self.tr("{rule}: rank {rank}").format(
                    rule=self._labels.rule(int(rules.left[rule]), int(rules.right[rule])),
                    rank=f"{int(rules.rank[rule]):,}",
                )
                QToolTip.showText(event.globalPos(), text, self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)
