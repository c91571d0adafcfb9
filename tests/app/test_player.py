"""The player: an integer position, and a bar that shows and moves it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt

from app.player import BASE_INTERVAL, Player
from app.views.player_bar import PlayerBar


@pytest.fixture
def player(qtbot):
    player = Player()
    player.set_trace(4, title="lower", labels=("e+r", "o+w", "ow+er", "l+ower"))
    return player


def test_positions_are_clamped(player):
    player.seek(9)
    assert player.position == 4
    player.step(-7)
    assert player.position == 0


def test_play_ends_at_the_end_and_starts_again_from_the_start(qtbot, player):
    player.set_speed(8.0)
    assert player.interval == round(BASE_INTERVAL / 8)
    with qtbot.waitSignals([player.playing_changed] * 2, timeout=5000):
        player.play()
    assert (player.position, player.playing) == (4, False)
    player.play()
    assert (player.position, player.playing) == (0, True)
    player.pause()


def test_a_new_trace_pauses_and_a_scene_may_say_where_it_begins(player):
    player.play()
    player.resume_at(3)
    player.set_trace(0)
    assert (player.playing, player.position) == (False, 0)
    player.set_trace(4)
    assert player.position == 3
    player.set_trace(4)
    assert player.position == 0


@pytest.fixture
def bar(qtbot, theme, player):
    bar = PlayerBar(theme)
    qtbot.addWidget(bar)
    bar.resize(1000, 56)
    bar.set_player(player)
    bar.show()
    return bar


def test_buttons_step_and_are_off_where_there_is_nowhere_to_go(qtbot, bar, player):
    assert not bar.first.isEnabled()
    assert not bar.back.isEnabled()
    qtbot.mouseClick(bar.next, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(bar.next, Qt.MouseButton.LeftButton)
    assert player.position == 2
    assert bar.back.isEnabled()
    qtbot.mouseClick(bar.last, Qt.MouseButton.LeftButton)
    assert player.position == 4
    assert not bar.next.isEnabled()
    qtbot.mouseClick(bar.first, Qt.MouseButton.LeftButton)
    assert player.position == 0


def test_the_title_says_the_step(bar, player):
    player.seek(3)
    assert bar.title.accessibleName() == "Step 3 of 4 · lower"
    player.seek(0)
    assert bar.title.accessibleName() == "Start of 4 · lower"
    assert bar.track.accessibleName() == "Position 0 of 4"


def test_a_press_on_the_track_seeks_and_a_drag_scrubs(qtbot, bar, player):
    track = bar.track
    y = track.height() // 2
    qtbot.mousePress(track, Qt.MouseButton.LeftButton, pos=QPoint(round(track.x_of(2)), y))
    assert player.position == 2
    qtbot.mouseMove(track, QPoint(round(track.x_of(3)) + 3, y))
    qtbot.waitUntil(lambda: player.position == 3)
    qtbot.mouseRelease(track, Qt.MouseButton.LeftButton)
    assert track.step_at(track.x_of(3) + 3) == 3


def test_every_step_has_a_tick_and_a_label_when_there_is_room(bar):
    assert bar.track.ticks() == [0, 1, 2, 3, 4]
    assert [step for step, *_ in sorted(bar.track.labelled())] == [0, 1, 2, 3, 4]
    texts = {step: text for step, text, _ in bar.track.labelled()}
    assert texts == {0: "start", 1: "e+r", 2: "o+w", 3: "ow+er", 4: "l+ower"}


def test_a_long_trace_has_round_ticks_and_labels_that_do_not_touch(bar, player):
    player.set_trace(100_000)
    ticks = bar.track.ticks()
    assert 10 < len(ticks) < 150
    assert ticks[1] in (1000, 2000, 5000)
    rects = [rect for *_, rect in bar.track.labelled()]
    assert not any(a.intersects(b) for i, a in enumerate(rects) for b in rects[:i])
    assert {0, 100_000} <= {step for step, *_ in bar.track.labelled()}


def test_another_player_takes_the_place_of_the_first(bar, player):
    other = Player()
    other.set_trace(7)
    bar.set_player(other)
    player.seek(2)
    assert bar.track.accessibleName() == "Position 0 of 7"
    bar.set_player(None)
    assert not bar.isVisible()


def test_speed_is_chosen_in_the_box(bar, player):
    bar.speed.setCurrentIndex(4)
    bar.speed.activated.emit(4)
    assert player.speed == 4.0
    player.set_speed(0.5)
    assert bar.speed.currentText() == "0.5×"
