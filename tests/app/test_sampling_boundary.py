"""The pane of the prompt boundary: rows of the growth, covering sequences, next bytes, notes."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QDockWidget

import engine
from app.draw.boundary_rows import LINE
from app.session import Session
from app.theme import Theme
from app.views.sampling import SamplingWorkspace
from app.views.sampling.boundary import BoundaryPane
from app.views.sampling.boundary_data import PROMPT_LIMIT, Findings
from engine.boundary import boundary, growth
from engine.bundled import model_path
from engine.display import visible
from engine.text import Text
from tests.app.sampling import Make, make

__all__ = ["make"]

Open = Any
"""(text, bundled model) → the pane alone, seen, with its findings."""


@pytest.fixture
def pane(qtbot: Any, session: Session, theme: Theme) -> Open:
    def open_pane(text: str, model: str) -> BoundaryPane:
        session.set_text(text)
        session.add_model(engine.load(model_path(model)))
        pane = BoundaryPane(session, theme)
        qtbot.addWidget(pane)
        pane.resize(300, 800)
        pane.show()
        pane.set_seen(True)
        qtbot.waitUntil(lambda: session.analysis is not None and not session.busy)
        return pane

    return open_pane


def found(pane: BoundaryPane) -> Findings:
    findings = pane.findings
    assert findings is not None
    return findings


def cut(qtbot: Any, session: Session, pane: BoundaryPane, after: int | None) -> Findings:
    before = pane.findings
    pane.cut(after)
    qtbot.waitUntil(lambda: pane.findings is not before and not session.busy)
    return found(pane)


def test_rows_of_the_growth_say_what_goes_and_what_comes(pane: Open) -> None:
    view = pane("watching", "everyday-unigram")
    model = engine.load(model_path("everyday-unigram"))
    rows = view.growth.rows
    assert [row.end_char for row in rows] == list(range(1, 9))
    assert [row.added for row in rows] == list("watching")
    piece = model.vocabulary.text
    for row, step in zip(rows, growth(model, Text("watching")), strict=True):
        assert row.hidden == 0
        assert list(row.tokens[row.new :]) == [piece(i) for i in step.new]
        assert list(row.gone) == [piece(i) for i in step.gone]
        assert "".join(row.tokens) == "▁watching"[: row.end_char + 1]
        assert row.sign == (f"≠ {len(step.gone)}" if step.gone else "+")
    assert any(row.gone for row in rows)
    assert view.growth.selected == rows[-1]


def test_bars_are_the_engines_law(pane: Open) -> None:
    view = pane("everyday wo", "everyday-unigram")
    here = boundary(engine.load(model_path("everyday-unigram")), Text("everyday wo"))
    coverings = here.covering(20)
    rows = view.coverings.rows
    assert [row.values for row in rows] == [(one.probability,) for one in coverings]
    for row, one in zip(rows, coverings, strict=True):
        assert row.label[row.beyond :] == one.beyond.decode()
        assert row.label[: row.beyond].endswith(here.data[one.start :].decode())
    exact, healed = here.next_byte(), here.healed()
    assert healed is not None
    shown = {row.label: row.values for row in view.next_bytes.rows}
    for letter in "rul":
        assert shown[letter] == (exact[ord(letter)], healed[ord(letter)])
    assert sum(values[0] for values in shown.values()) == pytest.approx(1)
    assert sum(values[1] for values in shown.values()) == pytest.approx(1)
    filled = [row.values[0] for row in view.next_bytes.rows]
    assert filled == sorted(filled, reverse=True)
    distance = 0.5 * abs(exact - healed).sum()
    assert f"{distance:.4f} healed" in view.following.text()
    assert f"Token sequences: {here.count:,}," in view.covered.text()


def test_a_click_keys_and_the_number_cut(qtbot: Any, session: Session, pane: Open) -> None:
    view = pane("watching", "everyday-unigram")
    assert (found(view).cut, view.field.value(), view.at_end.isEnabled()) == (8, 8, False)
    first = found(view)
    qtbot.mouseClick(
        view.growth.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(80, round(LINE * 2.5))
    )
    qtbot.waitUntil(lambda: view.findings is not first and not session.busy)
    assert (found(view).cut, view.field.value(), view.at_end.isEnabled()) == (3, 3, True)
    # The rows stay where they are.
    assert found(view).grown is first.grown
    qtbot.keyClick(view.growth, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: found(view).cut == 4 and not session.busy)
    selected = view.growth.selected
    assert selected is not None
    assert selected.end_char == 4
    view.field.setText("5")
    view.field.editingFinished.emit()
    qtbot.waitUntil(lambda: found(view).cut == 5 and not session.busy)
    assert cut(qtbot, session, view, 0).cut == 0
    assert view.coverings.rows == ()
    assert "the next token is a new one" in view.covered.text()
    view.at_end.click()
    qtbot.waitUntil(lambda: found(view).cut == 8 and not session.busy)
    session.set_text("watchingwat")
    qtbot.waitUntil(lambda: found(view).text is session.text and not session.busy)
    assert found(view).cut == 11


@pytest.mark.parametrize("model", ["everyday-bpe", "everyday-wordpiece"])
def test_a_model_without_a_law_shows_sequences_without_bars(pane: Open, model: str) -> None:
    view = pane("everyday wo", model)
    here = boundary(engine.load(model_path(model)), Text("everyday wo"))
    rows = view.coverings.rows
    assert len(rows) == min(here.count, 20) > 1
    assert all(row.values == () for row in rows)
    pieces = engine.load(model_path(model)).vocabulary.text
    for row, one in zip(rows, here.covering(20), strict=True):
        assert visible(one.beyond) == row.label[row.beyond :]
        assert row.label.replace("|", "").endswith(pieces(one.ids[-1]).removeprefix("##"))
    assert view.next_bytes.rows == ()
    assert not view.next_bytes.isVisibleTo(view)
    assert "They have no probabilities" in view.covered.text()
    assert "Only a Unigram model" in view.following.text()


def test_a_long_text_is_limited_and_that_is_told(qtbot: Any, session: Session, pane: Open) -> None:
    view = pane("day by day " * 1000, "everyday-unigram")
    findings = found(view)
    assert findings.shown.n_bytes == findings.cut <= PROMPT_LIMIT < findings.text.n_bytes
    assert f"first {findings.shown.n_bytes:,} bytes" in view.note.text()
    assert "more than 10⁹" in view.covered.text()
    # Only tokens that change are kept in the rows, but one.
    assert view.growth.rows[0].hidden > 100
    # Cut far before, other rows are made around it.
    assert cut(qtbot, session, view, 100).grown.end == 130
    assert view.growth.selected is not None


def test_a_model_that_cannot_write_a_part_says_so(qtbot: Any, session: Session, pane: Open) -> None:
    # No piece of the model begins a cut of w.
    view = pane("watching", "toy-watching")
    assert view.growth.rows == ()
    assert "no sequence of its pieces" in view.change.text()
    assert {row.label for row in view.coverings.rows} == {"watching", "wat|ching", "watch|ing"}
    cut(qtbot, session, view, 1)
    assert "no sequence of its pieces" in view.covered.text()
    assert view.coverings.rows == view.next_bytes.rows == ()
    # The number stays, so that a person can cut elsewhere.
    assert view.currentWidget() is not view.empty
    assert (view.field.value(), view.at_end.isEnabled()) == (1, True)


def test_an_empty_text_has_a_sentence(qtbot: Any, session: Session, pane: Open) -> None:
    view = pane("", "everyday-unigram")
    assert view.findings is None
    assert view.currentWidget() is view.empty
    assert view.empty.label.text() == "The text is empty"
    session.set_text("day")
    qtbot.waitUntil(lambda: view.findings is not None and not session.busy)
    assert view.currentWidget() is not view.empty


def test_nothing_is_computed_before_the_pane_is_seen(
    qtbot: Any, make: Make, session: Session
) -> None:
    workspace: SamplingWorkspace = make("watching", "toy-watching", ("perfect",))
    view = workspace.findChild(BoundaryPane)
    assert isinstance(view, BoundaryPane)
    assert view.findings is None
    dock = next(p for p in workspace.panes() if p.objectName() == "sampling.boundary")
    assert isinstance(dock, QDockWidget)
    dock.raise_()
    qtbot.waitUntil(lambda: view.findings is not None and not session.busy)
    assert found(view).cut == 8
    # Another text while it is behind is looked at when it comes to the front.
    next(p for p in workspace.panes() if p.objectName() == "sampling.inspector").raise_()
    qtbot.wait(20)
    session.set_text("watch")
    qtbot.waitUntil(lambda: session.analysis.text is session.text and not session.busy)  # type: ignore[union-attr]
    assert found(view).cut == 8
    dock.raise_()
    qtbot.waitUntil(lambda: found(view).cut == 5 and not session.busy)
