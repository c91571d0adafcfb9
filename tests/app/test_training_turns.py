"""A training run is shown in turns of the event loop: none is long, stale, or shows half a look."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QEvent, QObject

import app.learning as learning
from app.learning import Request, learn
from app.recording import Look, Recording
from engine.train.bpe import BpeSettings
from engine.train.unigram import UnigramSettings
from tests.app.training_window import open_training

pytestmark = pytest.mark.screen

TEXT = "low low low low low\nlower lower\nnewest newest newest newest newest newest\nwidest\n"
SETTINGS = BpeSettings(300, "bytes", "whitespace")


@pytest.fixture
def window(qtbot, session, theme, monkeypatch):
    """Runs go on in a thread and are looked at after each merge."""
    monkeypatch.setattr(learning, "PAUSE", 0.0)
    monkeypatch.setattr("app.training.learn_apart", learn)
    monkeypatch.setattr("engine.train.merges.compiled", lambda size: False)
    session.set_text("lower newest")
    return open_training(qtbot, session, theme)


def start(window, text=TEXT):
    window.trainer.start(Request(SETTINGS, text=text))


def train(qtbot, window, text=TEXT):
    start(window, text)
    qtbot.waitUntil(lambda: not window.trainer.busy)
    qtbot.wait(1)


def endless(request, report, give):
    """Train until that is cancelled, and learn nothing."""
    while True:
        report(0, 0)
        time.sleep(0.001)


def looks_of(settings, text, monkeypatch, most):
    monkeypatch.setattr(learning, "MOST", most)
    seen = []
    outcome = learn(Request(settings, text=text), lambda done, total: None, seen.append)
    return [look for look in seen if isinstance(look, Look)], outcome.trained


def test_many_merges_that_are_learnt_at_once_come_in_several_looks(monkeypatch):
    looks, trained = looks_of(SETTINGS, TEXT, monkeypatch, 3)
    assert [look.first for look in looks] == [0, *(look.done for look in looks[:-1])]
    assert looks[-1].done == len(trained.merges) > 6
    assert max(len(look.part) for look in looks) == 3
    assert [bool(look.part.base) for look in looks] == [True] + [False] * (len(looks) - 1)
    recording = Recording(SETTINGS)
    for look in looks:
        assert len(look.made) == len(look.part) == len(look.part.tokens) - 1
        recording.add(look)
    assert recording.symbols == list(trained.merges.symbols)
    assert recording.merges.tokens.tolist() == trained.merges.tokens.tolist()


class Paints(QObject):
    """Notes, at each paint of a part of the view, of how many merges each part is."""

    def __init__(self, view):
        super().__init__(view)
        self._view, self.seen = view, []
        for part in (view.curve, view.table.viewport(), view.bar.track, view.sample.viewport()):
            part.installEventFilter(self)

    def eventFilter(self, _part, event):
        if event.type() == QEvent.Type.Paint and self._view._recording is not None:
            view = self._view
            self.seen.append(
                (
                    len(view.curve._curve) - 1,
                    view.rows.rowCount(),
                    view.player.length,
                    view.bar.track._length,
                    view.curve.step,
                )
            )
        return False


def test_what_is_painted_belongs_to_one_look(qtbot, window):
    paints = Paints(window.run)
    train(qtbot, window)
    length = len(window.trainer.recording)
    qtbot.waitUntil(lambda: bool(paints.seen) and paints.seen[-1][0] == length)
    assert all(len(set(lengths)) == 1 for lengths in paints.seen), paints.seen


def test_room_for_a_run_is_made_when_it_begins(qtbot, window):
    view = window.run
    assert not view.bar.isVisible()
    assert not view.report.isVisible()
    view.begin(by_rounds=False)
    places = [part.geometry() for part in (view.curve, view.table, view.bar, view.report)]
    assert view.bar.isVisible()
    assert view.table.isVisible()
    assert view.player.length == 0
    start(window)
    qtbot.waitUntil(lambda: view.player.length > 0)
    assert [p.geometry() for p in (view.curve, view.table, view.bar, view.report)] == places
    view.begin(by_rounds=True)
    assert view.round_table.isVisible()
    assert not view.table.isVisible()
    view.clear()
    assert not view.bar.isVisible()
    qtbot.waitUntil(lambda: not window.trainer.busy)


def test_what_comes_in_one_turn_is_shown_once(qtbot, window, monkeypatch):
    shown = []
    grow = window.run.grow
    monkeypatch.setattr(
        window.run,
        "grow",
        lambda recording, end: (shown.append(len(recording)), grow(recording, end)),
    )
    looks, trained = looks_of(SETTINGS, TEXT, monkeypatch, 1)
    trainer = window.trainer
    monkeypatch.setattr("app.training.learn_apart", endless)
    start(window)
    for look in looks:
        trainer._part(look)
    assert shown == []
    qtbot.waitUntil(lambda: bool(shown))
    assert shown[0] == len(trained.merges)
    trainer.cancel()
    qtbot.waitUntil(lambda: not trainer.busy)


@pytest.fixture
def at_look(window):
    """Does something when a look has come and before it is shown, once."""

    def arrange(do):
        def came():
            if window.trainer.look is not None:
                window.trainer.moved.disconnect(came)
                assert window._soon.isActive()
                do()

        window.trainer.moved.connect(came)

    return arrange


def test_a_look_of_a_cancelled_run_is_not_shown_any_more(qtbot, window, at_look):
    at_look(window.trainer.cancel)
    lengths = []
    window.run.player.length_changed.connect(lengths.append)
    start(window)
    qtbot.waitUntil(lambda: window.trainer.state == "cancelled")
    qtbot.wait(20)
    assert set(lengths) <= {0}
    assert window.run._recording is None
    assert window.run.rows.rowCount() == 0
    assert not window._soon.isActive()
    # Another run begins with nothing of it.
    train(qtbot, window, "aa ab aa ab\n")
    assert window.trainer.outcome is not None
    assert window.run.player.length == len(window.trainer.outcome.trained.merges) == max(lengths)


def test_a_look_after_a_run_goes_back_to_what_was_there(qtbot, window, at_look):
    train(qtbot, window)
    before, length = window.trainer.recording, window.run.player.length
    at_look(window.trainer.cancel)
    start(window, "aa ab aa ab\n")
    qtbot.waitUntil(lambda: window.trainer.state == "cancelled")
    qtbot.wait(20)
    assert window.run._recording is before
    assert window.run.player.length == window.run.rows.rowCount() == length


def test_a_window_that_is_closed_shows_the_whole_run_when_it_comes_back(qtbot, window, at_look):
    at_look(window.close)
    train(qtbot, window)
    assert not window.isVisible()
    window.show()
    merges = window.trainer.outcome.trained.merges
    assert window.run.player.length == window.run.rows.rowCount() == len(merges)
    qtbot.waitUntil(window.run.updatesEnabled)


def test_a_sample_is_typed_while_a_look_waits_for_its_turn(qtbot, window, monkeypatch):
    looks, trained = looks_of(SETTINGS, TEXT, monkeypatch, 4)
    recording, view = Recording(SETTINGS), window.run
    recording.add(looks[0])
    view.grow(recording, 300)
    assert not view.updatesEnabled()  # it is painted in a turn of its own
    qtbot.waitUntil(view.updatesEnabled)
    for look in looks[1:]:
        recording.add(look)
    view.sample_field.setText("lowest newest")
    length = len(trained.merges)
    assert view.player.length == view.rows.rowCount() == length
    assert 4 < view.player.marks.max() <= length


def test_unigram_is_shown_in_rounds_from_the_beginning(qtbot, window, monkeypatch):
    monkeypatch.setattr("app.training.learn_apart", endless)
    window.trainer.start(Request(UnigramSettings(300), text=TEXT))
    assert window.run.round_table.isVisible()
    window.trainer.cancel()
    qtbot.waitUntil(lambda: not window.trainer.busy)
    assert not window.run.bar.isVisible()
