"""The widget of the rank line."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.draw.merge_labels import Labels
from app.draw.rank_line import (
    ABOVE,
    BELOW,
    HEIGHT,
    Placement,
    RankScale,
    paint_rank_line,
    place_labels,
    rules_at,
)
from app.draw.word import Word
from app.player import Player
from app.theme import SIZE_DATA, SIZE_NOTE, Theme
from app.widgets import player_keys
from app.widgets.tips import Tips

LEFT = 212

TOLD = 8
"""Rules that the tip of a place names."""


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
        self._note = ""
        self._placed: tuple[tuple[Word, int, int, int], Placement] | None = None
        self._usual: tuple[tuple[Word, int], Placement] | None = None
        self.setMinimumHeight(HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        Tips(self, self.tip_at)
        self.setAccessibleName(self.tr("Every rule that could act on this word, by rank"))
        theme.changed.connect(self._restyle)

    def sizeHint(self) -> QSize:
        return QSize(600, HEIGHT)

    def set_word(self, word: Word | None, labels: Labels | None, row: int, largest: int) -> None:
        """Show the rules of a word. largest: the last rank of the model."""
        self._word, self._labels, self._row = word, labels, row
        self._largest, self._selected = largest, -1
        self._placed = self._usual = None
        self.setAccessibleDescription("")
        self.update()

    def set_note(self, note: str) -> None:
        """Say why there are no ranks, where there is no word."""
        self._note = note
        self.update()

    def set_row(self, row: int) -> None:
        self._row = row
        self.update()

    def select(self, rule: int) -> None:
        """Mark a rule; -1 for none."""
        self._selected = rule
        self.setAccessibleDescription(self.describe(rule) if rule >= 0 else "")
        self.update()

    @property
    def selected(self) -> int:
        """The rule that is marked, -1 for none."""
        return self._selected

    @property
    def scale(self) -> RankScale:
        return RankScale(LEFT, max(self.width() - 62, LEFT + 100), self._largest)

    @property
    def placement(self) -> Placement:
        """The labels that have room, and how many have none."""
        if self._word is None or self._labels is None:
            return Placement((), (), 0, 0)
        key = (self._word, self._row, self._selected, self.width())
        if self._placed is None or self._placed[0] != key:
            scale, rules, theme = self.scale, self._word.rules, self._theme
            of = (self._word, self.width())
            if self._usual is None or self._usual[0] != of:
                self._usual = of, place_labels(scale, rules, 0, self._name, theme)
            labels = place_labels(
                scale, rules, self._row, self._name, theme, self._selected, self._usual[1]
            )
            self._placed = key, labels
        return self._placed[1]

    def _restyle(self) -> None:
        self._placed = self._usual = None
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme.color("canvas"))
        word, labels = self._word, self._labels
        if word is None or labels is None:
            painter.setFont(theme.font(SIZE_DATA))
            painter.setPen(theme.color("ink2"))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._note)
            return
        placed = self.placement
        self._paint_row_name(painter, ABOVE, self.tr("Winners"), placed.winners_left)
        outranked = self.tr("Outranked every time")
        self._paint_row_name(painter, BELOW, outranked, placed.outranked_left)
        if not len(word.rules.rank):
            painter.setFont(theme.font(SIZE_DATA))
            painter.setPen(theme.color("ink2"))
            left, centre = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignVCenter
            line = QRectF(LEFT, ABOVE[1], self.width() - LEFT, ABOVE[0] - ABOVE[1])
            painter.drawText(line, left | centre, self.tr("No rule joins any pair"))
        paint_rank_line(painter, self.scale, word.rules, self._row, placed, theme, self._selected)
        if self.hasFocus():
            painter.setPen(theme.color("line2"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_row_name(
        self, painter: QPainter, lines: tuple[float, float], name: str, hidden: int
    ) -> None:
        """Write what a row of labels is, and how many rules have no label in it."""
        theme = self._theme
        place = QRectF(16, min(lines) - 9, LEFT - 32 - 24, 18)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.setFont(theme.font(SIZE_DATA, bold=lines is ABOVE))
        painter.setPen(theme.color("ink" if lines is ABOVE else "ink2"))
        painter.drawText(place, middle, name)
        if hidden:
            more = self.tr("{n} more: point, or ↑ ↓").format(n=f"{hidden:,}")
            painter.setFont(theme.font(SIZE_NOTE))
            painter.setPen(theme.color("ink3"))
            painter.drawText(place.translated(0, 16), middle, more)

    def _name(self, rule: int) -> str:
        assert self._word is not None
        assert self._labels is not None
        rules = self._word.rules
        return self._labels.rule(int(rules.left[rule]), int(rules.right[rule]))

    def describe(self, rule: int) -> str:
        """Say which rule it is, its rank, and what became of it."""
        assert self._word is not None
        rules = self._word.rules
        step = int(rules.applied[rule])
        text = self.tr("{rule}: rank {rank}, outranked every time")
        if step >= 0:
            text = self.tr("{rule}: rank {rank}, applied at step {step}")
        return text.format(
            rule=self._name(rule), rank=f"{int(rules.rank[rule]):,}", step=f"{step + 1:,}"
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        rules = self.rules_at(event.position())
        if rules:
            self.chosen.emit(rules[0])

    def rules_at(self, place: QPointF) -> list[int]:
        """Return the rules at a place of the view, the nearest one first."""
        if self._word is None:
            return []
        return rules_at(self.scale, self._word.rules, self.placement, place.x(), place.y())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if player_keys.press(self._player, event):
            return
        by = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if by is None or self._word is None or not len(self._word.rules.rank):
            super().keyPressEvent(event)
            return
        last = len(self._word.rules.rank) - 1
        self.chosen.emit(min(max(self._selected + by, 0), last))

    def tip_at(self, place: QPointF) -> str:
        """Return what the tip at a pixel says: the rules there."""
        found = self.rules_at(place)
        text = "\n".join(self.describe(rule) for rule in found[:TOLD])
        if len(found) > TOLD:
            more = self.tr("and {n} more").format(n=f"{len(found) - TOLD:,}")
            text = f"{text}\n{more}"
        return text

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.update()
