"""The player: an integer position, and a bar that shows and moves it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QStyle, QStyleOptionComboBox

from app.player import BASE_INTERVAL, Player
from app.views.player_bar import PlayerBar
from tests.app.turning import turn

pytestmark = pytest.mark.screen


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


def test_a_loop_goes_on_from_the_start(qtbot, player):
    player.set_looping(True)
    player.set_speed(8.0)
    player.seek(3)
    seen = []
    player.position_changed.connect(seen.append)
    player.play()
    qtbot.waitUntil(lambda: len(seen) >= 4)
    assert seen[:4] == [4, 0, 1, 2]
    player.set_looping(False)
    qtbot.waitUntil(lambda: not player.playing)
    assert player.position == 4


def test_marked_positions_are_gone_to_and_played(qtbot, player):
    player.set_trace(100_000)
    player.set_marks([7, 50, 99_000])
    player.to_mark(-1)
    assert player.position == 0
    for wanted in (7, 50, 99_000, 99_000):
        player.to_mark(1)
        assert player.position == wanted
    player.step()
    assert player.next_mark() is None
    player.to_mark(-1)
    assert player.position == 99_000
    player.to_mark(-1)
    assert player.position == 50
    player.set_marked_only(True)
    player.set_speed(8.0)
    seen = []
    player.position_changed.connect(seen.append)
    with qtbot.waitSignals([player.playing_changed] * 2):
        player.play()
    assert seen == [99_000]
    # At the end of what is marked it begins anew.
    with qtbot.waitSignals([player.playing_changed] * 2):
        player.play()
    assert seen == [99_000, 0, 7, 50, 99_000]
    player.set_trace(5)
    assert len(player.marks) == 0


def test_a_trace_that_is_recorded_grows_and_stays_where_it_is(player):
    player.seek(2)
    player.grow(10)
    assert (player.length, player.position) == (10, 2)
    player.grow(3)
    assert player.length == 10


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


def test_a_step_is_gone_to_by_its_number(qtbot, bar, player):
    player.set_trace(100_000)
    qtbot.mouseClick(bar.title, Qt.MouseButton.LeftButton)
    assert bar.place.currentWidget() is bar.step_field
    assert bar.step_field.selectedText() == "0"
    qtbot.keyClicks(bar.step_field, "12,345")
    qtbot.keyClick(bar.step_field, Qt.Key.Key_Return)
    assert player.position == 12_345
    assert bar.place.currentWidget() is bar.title
    bar.ask_step()
    qtbot.keyClicks(bar.step_field, "7")
    qtbot.keyClick(bar.step_field, Qt.Key.Key_Escape)
    assert player.position == 12_345
    assert bar.place.currentWidget() is bar.title
    bar.ask_step()
    qtbot.keyClicks(bar.step_field, "999999")
    qtbot.keyClick(bar.step_field, Qt.Key.Key_Return)
    assert player.position == 100_000


def test_marks_have_buttons_and_triangles(qtbot, bar, player):
    assert not bar.next_mark.isEnabled()
    assert not bar.marked_only.isEnabled()
    player.set_marks([2, 4])
    assert bar.track.accessibleDescription() == "2 steps touch the selection"
    assert bar.track.marked() == [round(bar.track.x_of(2)), round(bar.track.x_of(4))]
    assert not bar.mark_before.isEnabled()
    qtbot.mouseClick(bar.next_mark, Qt.MouseButton.LeftButton)
    assert player.position == 2
    qtbot.mouseClick(bar.next_mark, Qt.MouseButton.LeftButton)
    assert not bar.next_mark.isEnabled()
    qtbot.mouseClick(bar.mark_before, Qt.MouseButton.LeftButton)
    assert player.position == 2
    qtbot.mouseClick(bar.marked_only, Qt.MouseButton.LeftButton)
    assert player.marked_only
    qtbot.mouseClick(bar.loop, Qt.MouseButton.LeftButton)
    assert player.looping
    player.set_looping(False)
    assert not bar.loop.isChecked()


def test_many_marks_are_as_many_triangles_as_there_are_pixels(bar, player):
    player.set_trace(100_000)
    player.set_marks(np.arange(1, 100_001))
    places = bar.track.marked()
    assert len(places) <= bar.track.width()
    assert places == sorted(set(places))


def test_marks_are_placed_anew_only_where_they_or_the_room_change(bar, player):
    track = bar.track
    player.set_trace(100)
    player.set_marks([10, 90])
    before = track.marked()
    assert before == [round(track.x_of(10)), round(track.x_of(90))]
    player.seek(50)
    assert track.marked() is before
    bar.resize(bar.width() + 200, bar.height())
    assert track.marked() == [round(track.x_of(10)), round(track.x_of(90))] != before
    player.set_marks([20])
    assert track.marked() == [round(track.x_of(20))]
    player.grow(200)
    assert track.marked() == [round(track.x_of(20))]
    player.set_trace(100)
    assert track.marked() == []


def test_a_mark_is_a_triangle_over_the_line(bar, player, theme):
    track = bar.track
    player.set_trace(100)
    player.seek(100)
    plain = track.grab().toImage()
    player.set_marks([40])
    marked = track.grab().toImage()
    x, over = round(track.x_of(40)), track.height() // 2 - 16
    assert marked.pixelColor(x, over) == theme.color("best") != plain.pixelColor(x, over)
    below = track.height() // 2 + 6
    assert marked.pixelColor(x, below) == plain.pixelColor(x, below)


def test_the_wheel_goes_a_step_for_each_whole_notch(bar, player):
    track = bar.track
    player.seek(2)
    for eighths in (15, -15) * 4:  # a finger that trembles
        turn(track, eighths)
    assert player.position == 2
    for position in (2, 2, 2, 3, 3):
        turn(track, -30)
        assert player.position == position
    turn(track, 30)
    turn(track, 120)
    assert player.position == 2
    turn(track, -240)
    assert player.position == 4


def test_a_stacked_bar_gives_the_track_its_own_line(qtbot, theme, player):
    bar = PlayerBar(theme, stacked=True)
    qtbot.addWidget(bar)
    bar.resize(620, bar.height())
    bar.set_player(player)
    bar.show()
    assert bar.track.geometry().bottom() <= bar.play.geometry().top()
    shown = (bar.first, bar.last, bar.place, bar.mark_before, bar.loop, bar.speed)
    edges = [(w.geometry().left(), w.geometry().right()) for w in shown]
    assert all(a[1] < b[0] for a, b in pairwise(edges))
    assert edges[-1][1] <= 620


def test_the_speed_box_has_room_for_every_speed(qtbot, theme):
    bar = PlayerBar(theme)
    qtbot.addWidget(bar)
    player = Player()
    player.set_trace(3)
    bar.set_player(player)
    bar.show()
    box = bar.speed
    for size in (theme.font().pixelSize(), 22):
        font = theme.font()
        font.setPixelSize(size)
        box.setFont(font)
        box.resize(box.sizeHint())
        option = QStyleOptionComboBox()
        box.initStyleOption(option)
        room = box.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, box
        )
        widest = max(
            QFontMetricsF(font).horizontalAdvance(box.itemText(row)) for row in range(box.count())
        )
        assert widest + 2 <= room.width()
    player.set_speed(0.25)
    assert box.currentText() == "0.25×"
