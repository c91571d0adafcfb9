"""Closing the window asks where a run or a trained vocabulary would be lost, and never waits."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QMessageBox

import engine
from app.learning import Request, learn
from app.training import Trainer
from engine.train.bpe import BpeSettings

pytestmark = pytest.mark.screen

TEXT = "low low low low low\nlower lower\nnewest newest newest\nwidest\n"
REQUEST = Request(BpeSettings(262, "bytes", "gpt2"), text=TEXT)


@pytest.fixture
def window(make_window):
    return make_window(begin=False)


@pytest.fixture
def trainer(window, monkeypatch):
    monkeypatch.setattr("app.training.learn_apart", learn)  # in a thread: that is quicker
    window.files.train()
    return window.files.leaving._trainer


def run(qtbot, trainer: Trainer) -> None:
    trainer.start(REQUEST)
    qtbot.waitUntil(lambda: not trainer.busy)
    assert trainer.state == "done", trainer.error


def question(window) -> QMessageBox | None:
    return window.files.leaving.question


def press(window, words: str) -> None:
    box = question(window)
    next(b for b in box.buttons() if b.text().replace("&", "") == words).click()


def test_what_is_trained_and_not_saved_is_asked_for(qtbot, window, trainer, tmp_path, monkeypatch):
    run(qtbot, trainer)
    assert not window.close()
    assert window.isVisible()
    box = question(window)
    assert box.text() == "The trained vocabulary isn't saved."
    assert "262 pieces" in box.informativeText()
    assert box.defaultButton().text() == "&Save…"
    assert not window.close()  # asked again, there is one question
    assert question(window) is box
    press(window, "Cancel")
    assert window.isVisible()
    assert question(window) is None
    assert trainer.unsaved
    # No place is chosen: it stays open.
    path = tmp_path / "mine.json"
    places = [None, path]
    monkeypatch.setattr("app.views.training.results.ask", lambda *_: places.pop(0))
    window.close()
    press(window, "Save…")
    assert window.isVisible()
    assert trainer.unsaved
    window.close()
    press(window, "Save…")
    qtbot.waitUntil(lambda: not window.isVisible())
    assert engine.load(path).vocabulary.count == 262
    # Saved is saved, also after a run that leads to nothing.
    trainer.start(REQUEST)
    trainer.cancel()
    qtbot.waitUntil(lambda: not trainer.busy)
    assert not trainer.unsaved
    assert window.files.train().results.place == path


def test_a_run_is_stopped_when_a_person_says_so(qtbot, window, trainer):
    trainer.start(REQUEST)
    assert not window.close()
    assert question(window).text() == "A vocabulary is being trained."
    # It ends while the question stands: then the question is about what came out.
    qtbot.waitUntil(lambda: not trainer.busy)
    assert question(window).text() == "The trained vocabulary isn't saved."
    press(window, "Cancel")
    trainer.start(REQUEST)
    window.close()
    press(window, "Stop and close")
    # The run is gone; what the one before has made is asked for.
    qtbot.waitUntil(lambda: not trainer.busy)
    assert trainer.state == "cancelled"
    assert window.isVisible()
    press(window, "Discard")
    assert not window.isVisible()


def test_a_run_that_is_stopped_elsewhere_needs_no_answer(qtbot, window, trainer):
    trainer.start(REQUEST)
    window.close()
    trainer.cancel()
    qtbot.waitUntil(lambda: not trainer.busy)
    assert question(window) is None
    assert window.isVisible()
    trainer.start(REQUEST)
    window.close()
    press(window, "Stop and close")
    qtbot.waitUntil(lambda: not window.isVisible())


def test_a_long_run_is_not_given_up_for_another_unasked(
    qtbot, window, trainer, tmp_path, monkeypatch
):
    training = window.files.train()
    window.session.set_text(TEXT)
    training.form.corpus.setCurrentIndex(training.form.corpus.findData("text"))
    training.train()
    qtbot.waitUntil(lambda: not trainer.busy)
    first = trainer.outcome
    training.train()  # a short one is soon made again
    assert trainer.busy
    qtbot.waitUntil(lambda: not trainer.busy)
    assert trainer.outcome is not first
    monkeypatch.setattr("app.views.training.LONG", 0)
    training.train()
    assert not trainer.busy
    (box,) = training.findChildren(QMessageBox)
    assert "isn't saved" in box.text()
    path = tmp_path / "mine.json"
    monkeypatch.setattr("app.views.training.results.ask", lambda *_: path)
    next(b for b in box.buttons() if b.text() == "&Save…").click()
    second = trainer.outcome
    qtbot.waitUntil(lambda: trainer.outcome is not second)
    assert path.exists()


def test_where_nothing_is_lost_nothing_is_asked(qtbot, window, trainer):
    assert window.close()
    window.show()
    run(qtbot, trainer)
    window.files.leaving = None  # the process is told to end
    assert window.close()
