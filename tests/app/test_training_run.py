"""A training run as a trace: played, scrubbed, reversed, cancelled, and recorded without a gap."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt

import app.learning as learning
from app.learning import Request, learn
from app.recording import COLUMNS, Look, Recording
from app.widgets.report import Heading, Line, Lines, Sentence
from engine.train.bpe import BpeSettings, train_bpe, units_of
from engine.train.merge_record import rows_of
from engine.train.replay import Span
from engine.train.ties import ties_at
from tests.app.training_window import open_training

pytestmark = pytest.mark.screen

TEXT = "low low low low low\nlower lower\nnewest newest newest newest newest newest\nwidest\n"
SETTINGS = BpeSettings(300, "bytes", "whitespace", specials=("<unk>",))


@pytest.fixture(scope="module")
def trained():
    return train_bpe([line + "\n" for line in TEXT.splitlines()], SETTINGS)


@pytest.fixture
def here(monkeypatch):
    """Runs go on in a thread and are looked at after each merge: each look counts."""
    monkeypatch.setattr(learning, "PAUSE", 0.0)
    monkeypatch.setattr("app.training.learn_apart", learn)
    monkeypatch.setattr("engine.train.merges.compiled", lambda size: False)
    monkeypatch.setattr(
        "app.views.training.run.ties_apart",
        learning._ties,
    )


@pytest.fixture
def window(qtbot, session, theme, here):
    session.set_text("lower newest")
    return open_training(qtbot, session, theme)


def start(window, text=TEXT, settings=SETTINGS):
    window._trainer.start(Request(settings, text=text))


@pytest.fixture
def over(qtbot, window):
    """The view of a run that is over."""
    start(window)
    qtbot.waitUntil(lambda: not window.trainer.busy)
    assert window.trainer.state == "done", window.trainer.error
    return window.run


def sentences(view):
    return [part.text for part in view.report.parts if isinstance(part, Sentence)]


def test_a_step_tells_what_the_record_tells(over, trained):
    rows = rows_of(trained)
    assert over.player.length == len(rows)
    assert over.player.position == len(rows)  # at its end
    for k in (1, 2, 5, len(rows)):
        over.player.seek(k)
        row = rows[k - 1]
        heading = over.report.parts[0]
        assert isinstance(heading, Heading)
        assert heading.small == f"Step {k}"
        told = heading.text + heading.result
        for name in ("left", "right", "piece"):
            assert row[name] in told
        facts = dict(over.report.parts[2].rows)
        assert facts["Vocabulary"] == f"{row['vocab_size']} pieces"
        assert facts["Corpus"] == f"{row['tokens']} tokens"
        assert facts["Bytes a token"] == f"{row['bytes_per_token']:.3f}"
        assert f"{row['count']} times" in sentences(over)[0]
        assert ("as often as" in sentences(over)[0]) == (row["ties"] > 1)
        assert over.table.currentIndex().row() == k - 1
        assert over.curve.step == k
    over.player.seek(0)
    assert "Before the first merge" in sentences(over)[0]
    assert not over.table.selectionModel().hasSelection()


def test_the_sample_is_cut_by_the_merges_done(qtbot, over, trained):
    merges = trained.merges
    symbols = [symbol.decode("latin-1") for symbol in merges.symbols]
    over.sample_field.setText("lowest")
    for done in range(len(merges) + 1):
        over.player.seek(done)
        parts = list("lowest")
        for left, right in zip(merges.left[:done], merges.right[:done], strict=True):
            k = 0
            while k + 1 < len(parts):
                if parts[k : k + 2] == [symbols[left], symbols[right]]:
                    parts[k : k + 2] = [symbols[left] + symbols[right]]
                k += 1
        assert [piece.strip("\u2068\u2069") for piece in over.sample.pieces()] == parts
    assert over.sample_note.text() == f"{len(parts)} tokens"
    # What is marked is what changes something, and . and , go there.
    marks = over.player.marks.tolist()
    assert len(marks) == len("lowest") - len(parts)
    over.player.seek(0)
    over.sample.setFocus()
    for mark in marks:
        qtbot.keyClick(over.sample, Qt.Key.Key_Period)
        assert over.player.position == mark
    # A brick that is selected narrows that down to what touches it.
    over.player.seek(0)
    over.sample.select(Span(0, 5, 5))
    ends = over.player.marks.tolist()
    assert 0 < len(ends) < len(marks)
    assert set(ends) < set(marks)


def test_a_brick_is_clicked_and_chosen_by_key(qtbot, over):
    over.player.seek(0)
    sample = over.sample
    rect = sample.picture.grid.rects(1, 2, 2)[0].translated(sample._origin())
    qtbot.mouseClick(sample.viewport(), Qt.MouseButton.LeftButton, pos=rect.center().toPoint())
    assert sample.span == Span(1, 2, 2)
    assert sample.brick_at(QPointF(rect.center())).part.first == 2
    sample.setFocus()
    qtbot.keyClick(sample, Qt.Key.Key_Down)
    assert sample.span == Span(1, 3, 3)
    qtbot.keyClick(sample, Qt.Key.Key_Up)
    qtbot.mouseClick(sample.viewport(), Qt.MouseButton.LeftButton, pos=rect.center().toPoint())
    assert sample.span is None


SLOW = r"(a|aa)+$|\S+"
"""A pattern that needs half as long again for each further "a" before another letter."""


def test_a_pattern_that_takes_long_cuts_the_sample_apart(qtbot, window):
    start(window, settings=replace(SETTINGS, pre_tokenizer=SLOW))
    qtbot.waitUntil(lambda: not window.trainer.busy)
    view, jobs = window.run, window.run._jobs
    view.sample_field.setText("lowest")
    assert not jobs.running
    view.sample_field.setText(f"{'a' * 26}x low")
    assert "takes long" in view.sample.accessibleDescription()
    assert view.sample_note.text() == ""
    qtbot.waitUntil(lambda: not jobs.running)
    assert len(view.sample.pieces()) == 26 + 1 + 1
    assert view.sample_note.text() == "28 tokens"
    assert len(view.player.marks) == 2  # of "low"
    # The next key gives up what would take for ever, and so does Cancel.
    for_ever = f"{'a' * 200}x"
    view.sample_field.setText(for_ever)
    (job,) = jobs.running
    view.sample_field.setText("low")
    assert job.cancelled
    assert view.sample_note.text() == "1 token"
    view.sample_field.setText(for_ever)
    (job,) = jobs.running
    with qtbot.waitSignal(job.ended):
        jobs.cancel(job.key)
    assert "isn't cut" in view.sample.accessibleDescription()
    assert not view.sample.pieces()


def test_it_pauses_when_its_window_is_closed(window, over):
    over.player.set_looping(True)
    over.player.play()
    window.close()
    assert not over.player.playing


def test_it_plays_scrubs_and_reverses(qtbot, over):
    player, sample = over.player, over.sample
    player.seek(0)
    player.set_speed(8.0)
    seen = []
    player.position_changed.connect(seen.append)
    over.curve.setFocus()
    qtbot.keyClick(over.curve, Qt.Key.Key_Space)
    assert player.playing
    qtbot.waitUntil(lambda: len(seen) >= 4)
    qtbot.keyClick(over.curve, Qt.Key.Key_Space)
    assert not player.playing
    assert seen == list(range(1, len(seen) + 1))
    # Scrubbed on the track and in the curve, and back.
    track = over.bar.track
    for k in (7, 3, 9):
        spot = QPoint(round(track.x_of(k)), track.height() // 2)
        qtbot.mouseClick(track, Qt.MouseButton.LeftButton, pos=spot)
        assert player.position == over.curve.step == k
    qtbot.mouseClick(
        over.curve, Qt.MouseButton.LeftButton, pos=over.curve._plot().topLeft().toPoint()
    )
    assert player.position == 0
    start = sample.pieces()
    player.seek(player.length)
    end = sample.pieces()
    states = {}
    for k in range(player.length, -1, -1):
        player.seek(k)
        states[k] = sample.pieces()
    assert states[0] == start
    qtbot.keyClick(over.curve, Qt.Key.Key_End)
    assert sample.pieces() == end == states[player.length]
    qtbot.keyClick(over.curve, Qt.Key.Key_Left)
    assert sample.pieces() == states[player.length - 1]
    # A step by its number, and Return trains nothing there.
    qtbot.keyClick(over.curve, Qt.Key.Key_G)
    qtbot.keyClicks(over.bar.step_field, "4")
    qtbot.keyClick(over.bar.step_field, Qt.Key.Key_Return)
    assert player.position == 4
    assert over.bar.player is player


def test_a_step_forward_is_a_move_and_with_reduced_motion_is_not(over, theme):
    sample, (first, *_) = over.sample, over.player.marks.tolist()
    over.player.seek(first - 1)
    over.player.step()
    assert sample.progress < 1
    span = sample.replay.made(first)[0]
    left, right = (brick.rects[0] for brick in sample.picture.halves(span))
    whole = sample.picture.grid.rects(*span)[0]
    assert left.right() < right.left()
    assert whole.contains(left)
    assert whole.contains(right)
    # The result is there at once: what moves is only where it is drawn.
    assert sample.n_tokens == sum(len(sample.replay.state(w, first)) for w in range(2))
    over.player.step(-1)
    assert sample.progress == 1
    theme.reduce_motion(True)
    over.player.step()
    assert sample.progress == 1


def test_the_tied_pairs_are_listed_when_asked_for(qtbot, over, trained):
    k = int((trained.merges.ties > 1).argmax()) + 1
    over.player.seek(k)
    (link,) = [line.link for part in over.report.parts if isinstance(part, Lines)
               for line in part.lines if line.link]  # fmt: skip
    over.report.followed.emit(link)
    ties = ties_at(units_of(trained.words, SETTINGS), trained.merges, k - 1)

    def listed():
        lines = [part for part in over.report.parts if isinstance(part, Lines)][-1].lines
        return lines if all(isinstance(line, Line) and not line.link for line in lines) else ()

    qtbot.waitUntil(lambda: len(listed()) == len(ties) == trained.merges.ties[k - 1])
    symbols = trained.merges.symbols
    wanted = sorted((symbols[a].decode(), symbols[b].decode()) for a, b in ties)
    shown = [
        tuple(part.strip("\u2068\u2069") for part in line.text.split(" + ")) for line in listed()
    ]
    assert shown == wanted
    # They belong to this step alone.
    over.player.step()
    assert over._ties[0] == k
    assert listed() != shown


def test_300_frames_are_recorded_while_it_trains_and_no_look_is_dropped(qtbot, window, monkeypatch):
    text = " ".join(f"{a}{b}{c}" for a in "abcd" for b in "efgh" for c in "ijkl") + "\n"
    turn = threading.Semaphore(0)

    def paced(request, report, give):
        """Train, with a rest after each merge until the window has drawn five frames more."""

        def on(part):
            give(part)
            while isinstance(part, Look) and not turn.acquire(timeout=0.01):
                report(0, 0)

        return learn(request, report, on)

    monkeypatch.setattr("app.training.learn_apart", paced)
    looks, frames = [], []
    trainer, view = window.trainer, window.run
    trainer.moved.connect(lambda: trainer.look and looks.append(trainer.look))
    start(window, text, BpeSettings(73, "characters", "whitespace", least=1))
    recording = None
    while trainer.busy or len(frames) < 300:
        qtbot.wait(1)
        recording = trainer.recording or recording
        if len(frames) > 150:  # scrubbed meanwhile, forward and back
            view.player.seek(abs(view.player.length - len(frames) % 40))
        assert not view.sample.grab().toImage().isNull()
        frames.append((view.player.length, view.player.position, view.rows.rowCount()))
        if len(frames) % 5 == 0:
            turn.release()
    assert trainer.state == "done", trainer.error
    assert len(frames) >= 300
    # Looks that carry something follow each other without a gap, up to the whole record.
    new = [look for k, look in enumerate(looks) if not k or look is not looks[k - 1]]
    done = 0
    for look in new:
        assert look.first == done
        done = look.done
    record = trainer.outcome.trained.merges
    assert done == len(record) == len(recording) == view.player.length
    lengths = [length for length, _, _ in frames]
    assert lengths == sorted(lengths)
    assert all(rows == length for length, _, rows in frames)
    assert [len(look.part) for look in new if len(look.part)] == [1] * len(record)
    assert recording.symbols == list(record.symbols)
    for name in ("left", "right", "count", "ties", "rival_left", "rival_right", "rival_count"):
        assert getattr(recording.merges, name).tolist() == getattr(record, name).tolist()
    assert recording.merges.tokens.tolist() == record.tokens.tolist()
    assert view.rows.rowCount() == len(record)


def test_a_cancelled_run_leaves_the_recording_of_the_last_one(qtbot, window, over, monkeypatch):
    before, length = window.trainer.recording, over.player.length
    held = []

    def slow(request, report, give):
        def on(part):
            give(part)
            if isinstance(part, Look):
                held.append(part)
                while True:
                    report(0, 0)

        return learn(request, report, on)

    monkeypatch.setattr("app.training.learn_apart", slow)
    start(window)
    qtbot.waitUntil(lambda: over.player.length == 1)
    assert over.bar.isVisible()
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.trainer.state == "cancelled")
    assert len(held) == 1
    assert window.trainer.recording is before
    assert over.player.length == over.rows.rowCount() == length


def test_a_trace_of_100_000_steps_is_scrubbed(qtbot, window, trained):
    merges = trained.merges
    # The same merges over and over: what they are doesn't matter here.
    many = {name: np.resize(getattr(merges, name), 100_000) for name in COLUMNS}
    tokens = np.linspace(67, 10, 100_001).astype(np.int64)
    recording = Recording(SETTINGS)
    made = (merges.symbols[len(merges.base) :] * 100_000)[:100_000]
    recording.add(Look(0, replace(merges, tokens=tokens, **many), made, 90, 100_000, 1.0))
    view = window.run
    view.grow(recording, 100_257)
    assert view.player.position == 100_000
    for k in (50_000, 1, 99_999, 0):
        view.player.seek(k)
        assert view.curve.step == k
        assert view.table.currentIndex().row() == k - 1
        assert f"{257 + k:,} pieces" in view.curve.marked_text()


def test_the_report_is_laid_out_once_it_rests(qtbot, over, monkeypatch):
    over.player.seek(0)
    qtbot.waitUntil(lambda: "Before the first merge" in over.report.toPlainText())
    texts = []
    show = over.report._show
    monkeypatch.setattr(over.report, "setHtml", texts.append)
    for k in range(1, over.player.length + 1):
        over.player.seek(k)
    assert texts == []  # no step waits for a text
    assert over.report.parts[0].small == f"Step {over.player.length}"
    qtbot.waitUntil(lambda: len(texts) > 0)
    assert f"Step {over.player.length}" in texts[-1]
    assert len(texts) == 1
    monkeypatch.undo()
    show()
    assert f"Step {over.player.length}" in over.report.toPlainText()
