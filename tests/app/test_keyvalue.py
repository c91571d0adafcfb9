"""Facts in rows: their places, and values that can be selected."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget

from app.theme import Theme
from app.widgets.keyvalue import NAME_WIDTH, Fact, KeyValue
from app.widgets.selectable import SelectableLabel

LONG = "The weather is lovely, so we went outside and watched sixteen birds"
SELECTABLE = Qt.TextInteractionFlag.TextSelectableByMouse


class Layouts(QObject):
    """Counts how often a widget is laid out anew."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.LayoutRequest
        return False


@pytest.fixture
def page(qtbot: Any, theme: Theme) -> tuple[QWidget, KeyValue, QLabel]:
    whole, facts, below = QWidget(), KeyValue(theme), QLabel("below")
    column = QVBoxLayout(whole)
    column.addWidget(facts)
    column.addWidget(below)
    column.addStretch()
    qtbot.addWidget(whole)
    whole.resize(260, 400)
    whole.show()
    return whole, facts, below


def labels(facts: KeyValue, kind: type[QLabel]) -> list[QLabel]:
    """Return the shown labels of a class from top to bottom: names or values."""
    found = [label for label in facts.findChildren(QLabel) if type(label) is kind]
    return sorted((w for w in found if not w.isHidden()), key=lambda label: label.y())


def test_a_value_as_high_as_the_one_before_has_nothing_laid_out_anew(page: Any) -> None:
    whole, facts, _ = page
    facts.set_facts([Fact("Bytes", "516"), Fact("Tokens", "217")])
    QApplication.processEvents()
    layouts = Layouts()
    whole.installEventFilter(layouts)
    facts.set_facts([Fact("Bytes", "517"), Fact("Tokens", "217")])
    QApplication.processEvents()
    assert [label.text() for label in labels(facts, SelectableLabel)] == ["517", "217"]
    assert layouts.count == 0
    facts.set_facts([Fact("Bytes", "517"), Fact("Tokens", LONG)])
    QApplication.processEvents()
    assert layouts.count > 0


def test_a_long_value_is_broken_and_moves_what_is_under_it(page: Any) -> None:
    _, facts, below = page
    facts.set_facts([Fact("Name", "short"), Fact("Last", "1")])
    QApplication.processEvents()
    line, under = labels(facts, SelectableLabel)[0].height(), below.y()
    facts.set_facts([Fact("Name", LONG), Fact("Last", "1")])
    QApplication.processEvents()
    first, last = labels(facts, SelectableLabel)
    more = first.height() - line
    assert more >= 2 * line
    assert last.y() >= first.y() + first.height()
    assert below.y() == under + more
    assert first.x() + first.width() == facts.width()


def test_values_stand_behind_the_widest_name(page: Any) -> None:
    _, facts, _ = page
    facts.set_facts([Fact("Name", "1")])
    QApplication.processEvents()
    assert labels(facts, SelectableLabel)[0].x() > NAME_WIDTH
    facts.set_facts([Fact("A name that is wider than most", "1")])
    QApplication.processEvents()
    (name,), (value,) = labels(facts, QLabel), labels(facts, SelectableLabel)
    assert value.x() > name.sizeHint().width() > NAME_WIDTH


def test_a_text_can_be_selected_under_the_mouse(qtbot: Any) -> None:
    label = SelectableLabel()
    qtbot.addWidget(label)
    label.setText("516 bytes")
    label.show()
    assert not label.textInteractionFlags() & SELECTABLE
    at = QPointF(5, 5)
    QApplication.sendEvent(label, QEnterEvent(at, at, at))
    assert label.textInteractionFlags() & SELECTABLE
    label.setSelection(0, 3)
    QApplication.sendEvent(label, QEvent(QEvent.Type.Leave))
    assert label.selectedText() == "516"
    label.setText("517 bytes")
    assert not label.textInteractionFlags() & SELECTABLE
    qtbot.mousePress(label, Qt.MouseButton.LeftButton, pos=QPoint(2, 5))
    assert label.textInteractionFlags() & SELECTABLE
    # Laid out as a document from the start: where letters run from right to left it may differ.
    label.setText("שלום")
    assert label.textInteractionFlags() & SELECTABLE
