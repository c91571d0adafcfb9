"""What the card of a model says, and how it is closed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QWidget

import engine
from app.session import Session
from app.theme import Theme
from app.views.model_card import ModelCard, facts
from engine.bundled import model_path
from engine.rules import rules

pytestmark = pytest.mark.screen

Open = Callable[[Path | str], ModelCard]


@pytest.fixture
def open_card(qtbot: Any, session: Session, theme: Theme) -> Open:
    """Show the card of a bundled model, or of a file."""
    window = QMainWindow()
    qtbot.addWidget(window)
    window.show()

    def show(model: Path | str) -> ModelCard:
        session.add_model(engine.load(model if isinstance(model, Path) else model_path(model)))
        card = ModelCard(session.models[-1], theme, window)
        card.show()
        card.activateWindow()
        qtbot.waitUntil(card.isVisible)
        return card

    return show


def specials(card: ModelCard) -> str:
    texts = [label.text() for label in card.findChildren(QLabel)]
    return texts[texts.index("Special tokens") + 1]


def test_special_tokens_are_written_as_the_file_writes_them(open_card: Open) -> None:
    assert specials(open_card("everyday-bpe")) == "2999  <|endoftext|>"
    shown = specials(open_card("everyday-unigram"))
    assert "⟨" not in shown
    assert any(line.split() == ["0", "<unk>"] for line in shown.splitlines())


def test_settings_are_in_words(open_card: Open) -> None:
    card = open_card("everyday-bpe")
    assert dict(card.rows)["Ignore merges"] == "no"
    info = card.opened.model.inspect()
    rows = dict(facts({**info, "ignore_merges": True}))
    assert rows["Ignore merges"] == "yes: a word that is a piece isn't merged"
    more = {"casing": "uncased", "casing_guessed": True, "roles": {"pad": "<p>"}, "none": None}
    rows = dict(facts({**info, **more}))
    assert (rows["Casing"], rows["Roles"]) == ("uncased (guessed)", "pad: <p>")
    assert "None" not in rows
    assert "Casing guessed" not in rows
    for values in (card.rows, rows.items()):
        assert not {"True", "False", "None"} & {value for _, value in values}


def test_the_rules_where_libraries_disagree_are_told(open_card: Open) -> None:
    for name, topic in (("everyday-bpe", "merging"), ("everyday-unigram", "ties")):
        card = open_card(name)
        assert card.rules == rules(card.opened.model)
        assert topic in dict(card.rules)
        shown = [label.text().replace("\u200b", "") for label in card.findChildren(QLabel)]
        for name, sentence in card.rules:
            assert name.capitalize() in shown
            assert sentence in shown


def test_a_byte_level_model_has_no_use_for_a_fallback(open_card: Open) -> None:
    rows = dict(open_card("everyday-bpe").rows)
    assert rows["Byte-level"] == "yes"
    assert "Byte fallback" not in rows
    rows = dict(open_card("everyday-unigram").rows)
    assert rows["Byte-level"] == "no"
    assert rows["Byte fallback"] in ("yes", "no")


def test_escape_closes_the_card_wherever_the_focus_is_in_it(
    qtbot: Any, open_card: Open, tmp_path: Path
) -> None:
    ranks = tmp_path / "own.tiktoken"
    ranks.write_text("YQ== 0\nYg== 1\nYWI= 2\n", encoding="ascii")
    card = open_card(ranks)
    inside = [w for w in card.findChildren(QWidget) if w.focusPolicy() != Qt.FocusPolicy.NoFocus]
    assert card.pattern in inside
    labels = [w for w in inside if isinstance(w, QLabel)]
    assert len(labels) > 5
    for widget in inside:
        card.show()
        card.activateWindow()
        if widget in labels:  # text is being selected with the mouse
            left = Qt.MouseButton.LeftButton
            qtbot.mousePress(widget, left, pos=QPoint(1, 4))
            qtbot.mouseRelease(widget, left, pos=QPoint(12, 4))
        else:
            widget.setFocus()
        focus = QApplication.focusWidget()
        qtbot.keyClick(focus if focus is not None else card, Qt.Key.Key_Escape)
        assert not card.isVisible(), widget
