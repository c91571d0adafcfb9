"""The search field: what fits in it, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QLineEdit, QMainWindow

import engine
from app.finding import pieces_spelled
from app.theme import Theme
from app.views.search import Entry, SearchField, matches
from engine.bundled import model_path
from engine.model import Model

pytestmark = pytest.mark.screen


def spelled(name: str, typed: str) -> list[str]:
    model: Model = engine.load(model_path(name))
    return [model.vocabulary.text(piece) for piece in pieces_spelled(model, typed)]


def test_a_piece_is_found_as_it_is_typed_or_as_it_is_shown() -> None:
    assert spelled("everyday-bpe", "in") == ["in", " in"]
    assert spelled("everyday-bpe", " the") == spelled("everyday-bpe", "␣the") == [" the"]
    assert spelled("everyday-unigram", "the") == ["▁the"]
    assert spelled("everyday-unigram", "▁the") == spelled("everyday-unigram", "␣the") == ["▁the"]
    assert spelled("everyday-bpe", "<|endoftext|>") == ["<|endoftext|>"]
    assert spelled("everyday-bpe", "no such piece") == []


def test_a_continuation_is_found_with_its_mark() -> None:
    model: Model = engine.load(model_path("everyday-wordpiece"))
    vocabulary = model.vocabulary
    assert vocabulary.continuation is not None
    with_mark = [vocabulary.text(i) for i in pieces_spelled(model, "##ing")]
    assert with_mark == ["##ing"]
    assert "##ing" in spelled("everyday-wordpiece", "ing")


def test_byte_pieces_are_not_offered_for_a_letter() -> None:
    model: Model = engine.load(model_path("toy-weather"))
    for piece in pieces_spelled(model, "天"):
        assert model.vocabulary.bytes(piece).decode() == "天"


def test_a_piece_behind_its_space_counts_as_a_word() -> None:
    names = ("weathered", "Piece ␣the", "Theme")
    entries = [Entry(name, "", "", lambda: None) for name in names]
    assert [entry.text for entry in matches(entries, "the")] == ["Theme", "Piece ␣the", "weathered"]


@pytest.fixture
def field(qtbot: Any, theme: Theme) -> Iterator[SearchField]:
    window = QMainWindow()
    qtbot.addWidget(window)
    found = SearchField(list, lambda _typed: [], "Ctrl+Shift+P", theme, window)
    window.setCentralWidget(found)
    other = QLineEdit(window)
    with qtbot.waitExposed(window):
        window.show()
    other.setFocus()
    yield found
    window.close()


@pytest.mark.parametrize("size", [13, 18, 26])
@pytest.mark.parametrize("wide", [160, 240, 320])
def test_the_words_end_before_the_shortcut(field: SearchField, size: int, wide: int) -> None:
    font = field.font()
    font.setPixelSize(size)
    field.setFont(font)
    field.setFixedWidth(wide)
    left = field.textMargins().left()
    assert not field.badge.isEmpty()
    assert field.badge.left() > left
    # Qt shortens the words to what is between the margins.
    assert field.width() - field.textMargins().right() <= field.badge.left()


def test_both_fit_at_the_width_that_the_field_asks_for(field: SearchField) -> None:
    words = QFontMetricsF(field.font()).horizontalAdvance(field.placeholderText())
    margins = field.textMargins()
    assert words <= field.sizeHint().width() - margins.left() - margins.right()


def test_typing_takes_the_room_of_the_shortcut(qtbot: Any, field: SearchField) -> None:
    reserved = field.textMargins().right()
    assert reserved > 0
    qtbot.keyClicks(field, "x")
    assert field.textMargins().right() == 0
    assert field.badge.isEmpty()
    field.clear()
    field.clearFocus()
    assert field.textMargins().right() == reserved


def test_a_piece_is_shown_in_vocabulary(qtbot: Any, make_window: Callable[..., Any]) -> None:
    window = make_window()
    session = window.session
    bpe = next(opened for opened in session.models if opened.model.algorithm == "bpe")
    session.set_active(bpe.key)
    wanted = pieces_spelled(bpe.model, " the")[0]
    window.search_field.begin()
    qtbot.keyClicks(window.search_field, " the")
    entries = window.search_field.found.entries
    assert [e.text for e in entries if e.text.startswith("Piece ")] == [
        f"Piece ␣the, id {wanted}: show in Vocabulary"
    ]
    row = next(i for i, e in enumerate(entries) if e.text.startswith("Piece "))
    window.search_field.list.setCurrentIndex(window.search_field.found.index(row))
    qtbot.keyClick(window.search_field, Qt.Key.Key_Return)
    assert window.current == "vocabulary"
    view = window.workspace

    def shown() -> bool:
        rows = view.view.selectionModel().selectedRows()
        return bool(rows) and view.rows.piece(rows[0].row()) == wanted

    qtbot.waitUntil(shown, timeout=20_000)
    # The same once more, with a filter in the way.
    view.filter_line.setText("weather")
    qtbot.waitUntil(lambda: view.rows.row_of(wanted) < 0, timeout=20_000)
    other = pieces_spelled(bpe.model, "a")[0]
    for entry in window.search_field._spelled("a"):
        if entry.text.startswith(f"Piece a, id {other}:"):
            entry.call()
    wanted = other
    qtbot.waitUntil(shown, timeout=20_000)
    assert view.filter_line.text() == ""
    qtbot.waitUntil(lambda: not session.busy, timeout=20_000)
