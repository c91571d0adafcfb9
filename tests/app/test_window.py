"""The window as a person uses it: keys, chips, rail, search, messages, history, restart."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QFontMetricsF, QGuiApplication
from PySide6.QtWidgets import QPushButton

from app.theme import SIZE_BODY, SIZE_DATA
from app.views.error_dialog import ErrorDialog
from app.views.topbar import BEFORE, LEAST_NAME
from engine import bundled, load
from engine.errors import ModelError

pytestmark = pytest.mark.screen

KEY, CTRL, ALT = Qt.Key, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier


def titles(window):
    return [opened.name for opened in window.session.models]


def test_the_window_begins_with_the_bundled_models_and_corpus(make_window):
    window = make_window()
    assert titles(window) == ["everyday-unigram", "everyday-bpe"]
    assert window.session.corpus.path == bundled.corpus_path()
    assert window.current == "explore"
    assert window.workspace is not None
    chips = window.topbar.chips.chips
    assert chips[1].accessibleName().endswith("active") != chips[0].accessibleName().endswith(
        "active"
    )
    assert "θ = 1.00" in window.status.conditions
    assert window.session.active.name in window.status.facts


@pytest.mark.parametrize(
    ("key", "name"),
    [
        (KEY.Key_2, "merges"), (KEY.Key_3, "sampling"), (KEY.Key_4, "languages"),
        (KEY.Key_5, "vocabulary"), (KEY.Key_1, "explore"),
    ],
)  # fmt: skip
def test_ctrl_and_a_number_go_to_a_workspace(qtbot, make_window, key, name):
    window = make_window()
    qtbot.keyClick(window, key, CTRL)
    assert window.current == name
    assert window.workspace.name == name
    assert window.rail.button(name).isChecked()
    assert window.player_bar.isVisible() == (window.workspace.player is not None)
    qtbot.waitUntil(lambda: not window.session.busy, timeout=20_000)


def test_the_rail_is_clicked_and_walked(qtbot, make_window):
    window = make_window()
    qtbot.mouseClick(window.rail.button("vocabulary"), Qt.MouseButton.LeftButton)
    assert window.current == "vocabulary"
    window.rail.button("explore").setFocus()
    qtbot.keyClick(window.rail.button("explore"), KEY.Key_Down)
    assert window.current == "merges"


def test_a_chip_makes_its_model_active(qtbot, make_window):
    window = make_window()
    first, second = window.topbar.chips.chips
    active = window.session.active.key
    other = first if second.opened.key == active else second
    qtbot.mouseClick(other, Qt.MouseButton.LeftButton)
    assert window.session.active.key == other.opened.key
    assert other.isChecked()
    assert [chip.isChecked() for chip in (first, second)].count(True) == 1
    qtbot.keyClick(window, KEY.Key_PageDown, CTRL)
    assert window.session.active.key == active
    qtbot.waitUntil(lambda: not window.session.busy, timeout=20_000)


def test_chips_without_room_are_in_a_menu(qtbot, make_window):
    window = make_window()
    model = window.session.models[0].model
    for _ in range(7):
        window.session.add_model(model)
    window.resize(900, 600)
    row = window.topbar.chips
    qtbot.waitUntil(row.more.isVisible)
    hidden = [chip for chip in row.chips if not chip.isVisible()]
    assert hidden
    assert not any(chip.isChecked() for chip in hidden)
    row._fill_more()
    assert len(row.more.menu.actions()) == len(hidden)
    key = hidden[0].opened.key
    row.more.menu.actions()[0].trigger()
    assert window.session.active.key == key
    assert next(chip for chip in row.chips if chip.opened.key == key).isVisible()
    qtbot.waitUntil(lambda: not window.session.busy, timeout=20_000)


@pytest.mark.parametrize("width", [900, 1_000])
def test_the_active_chip_keeps_its_name_in_a_narrow_window(qtbot, make_window, tmp_path, width):
    window = make_window()
    model = window.session.models[0].model
    for name in ("everyday", "a-vocabulary-of-a-very-long-name-that-has-no-room", "c", "d"):
        path = tmp_path / f"{name}.model"
        path.write_bytes(model.path.read_bytes())
        window.session.add_model(load(path))
    window.resize(width, 700)
    row = window.topbar.chips
    qtbot.waitUntil(row.more.isVisible)
    for opened in window.session.models:
        window.session.set_active(opened.key)
        qtbot.waitUntil(lambda: row.width() >= row.minimumSizeHint().width())
        chip = next(chip for chip in row.chips if chip.isChecked())
        name, kind = chip.words()
        first, _, last = name.partition("…")
        assert opened.name.startswith(first)
        assert opened.name.endswith(last)
        assert len(name) >= min(len(opened.name), 8)
        font, small = window.theme.font(SIZE_BODY, bold=True), window.theme.font(SIZE_DATA)
        if QFontMetricsF(font).horizontalAdvance(opened.name) <= LEAST_NAME:
            assert name == opened.name
        end = BEFORE + QFontMetricsF(font).horizontalAdvance(name)
        end += 6 + QFontMetricsF(small).horizontalAdvance(kind) if kind else 0
        assert end <= chip.about.x()
        assert chip.geometry().right() < row.more.x()
        assert row.more.geometry().right() < row.width()
    qtbot.waitUntil(lambda: not window.session.busy, timeout=20_000)


def test_closing_all_models_shows_the_start_view(qtbot, make_window):
    window = make_window()
    qtbot.keyClick(window, KEY.Key_W, CTRL)
    assert len(window.session.models) == 1
    qtbot.keyClick(window, KEY.Key_W, CTRL)
    assert window.stack.currentWidget() is window.start_view
    assert not window.table.actions["close"].isEnabled()
    assert len(window.start_view.empty.buttons) == 2
    assert len(window.start_view.empty.samples) == 3
    with qtbot.waitSignal(window.scenes.opened, timeout=20_000):
        qtbot.mouseClick(window.start_view.empty.samples[0], Qt.MouseButton.LeftButton)
    assert window.workspace is not None
    assert titles(window) == ["toy-lower"]
    assert window.session.text.string == "lower"
    qtbot.waitUntil(lambda: not window.session.busy, timeout=20_000)


def test_search_finds_and_does(qtbot, make_window):
    window = make_window()
    qtbot.keyClick(window, KEY.Key_P, CTRL | Qt.KeyboardModifier.ShiftModifier)
    field = window.search_field
    qtbot.waitUntil(field.list.isVisible)
    qtbot.keyClicks(field, "vocab")
    assert field.found.entries[0].text == "Vocabulary"
    qtbot.keyClick(field, KEY.Key_Return)
    assert window.current == "vocabulary"
    assert not field.list.isVisible()
    assert field.text() == ""
    field.begin()
    qtbot.keyClicks(field, "toy-watching")
    assert [entry.kind for entry in field.found.entries] == ["bundled model"]
    qtbot.keyClick(field, KEY.Key_Return)
    qtbot.waitUntil(lambda: "toy-watching" in titles(window), timeout=20_000)
    field.begin()
    qtbot.keyClicks(field, "everyday")
    kinds = {entry.kind for entry in field.found.entries}
    assert {"open model", "bundled model"} <= kinds
    qtbot.keyClick(field, KEY.Key_Down)
    assert field.list.currentIndex().row() == 1
    qtbot.keyClick(field, KEY.Key_Escape)
    assert not field.list.isVisible()
    qtbot.waitUntil(lambda: not window.session.busy, timeout=20_000)


def test_ctrl_l_turns_the_theme_and_it_is_kept(qtbot, make_window):
    window = make_window()
    assert window.theme.scheme == "light"
    qtbot.keyClick(window, KEY.Key_L, CTRL)
    assert window.theme.scheme == "dark"
    assert window.table.actions["theme.dark"].isChecked()
    window.table.actions["motion"].trigger()
    assert window.theme.reduced_motion
    window.close()
    settings = QSettings()
    assert settings.value("theme") == "dark"
    assert settings.value("reduced_motion") in (True, "true")


def test_alt_shows_the_menu_bar_and_an_action_hides_it(qtbot, make_window):
    window = make_window()
    bar = window.menuBar()
    assert not bar.isVisible()
    qtbot.keyClick(window, KEY.Key_Alt, ALT)
    assert bar.isVisible()
    menu = window.menus.menus["file"]
    qtbot.waitUntil(menu.isVisible)
    menu.close()
    qtbot.waitUntil(lambda: not bar.isVisible())
    window.table.actions["menubar"].trigger()
    assert bar.isVisible()
    window.table.actions["menubar"].trigger()
    assert not bar.isVisible()


def test_every_action_is_in_a_menu_with_its_lists(make_window):
    window = make_window()
    listed = {a for menu in window.menus.menus.values() for a in menu.actions()}
    assert set(window.table.actions.values()) <= listed
    names = [action.text() for action in window.menus.menus["file"].actions()]
    assert "Open &recent" in names
    assert "&Examples" in names


def test_player_keys_work_where_no_text_is_typed(qtbot, make_window):
    window = make_window()
    with qtbot.waitSignal(window.scenes.opened, timeout=20_000):
        window.scenes.open(next(s.path for s in bundled.scenes() if s.name == "three-cuts"))
    player = window.player
    qtbot.waitUntil(lambda: player is not None and player.length > 0, timeout=20_000)
    track = window.player_bar.track
    track.setFocus()
    qtbot.keyClick(track, KEY.Key_Home)
    assert player.position == 0
    qtbot.keyClick(track, KEY.Key_Right)
    qtbot.keyClick(track, KEY.Key_Right)
    assert player.position == 2
    qtbot.keyClick(track, KEY.Key_Left)
    assert player.position == 1
    qtbot.keyClick(track, KEY.Key_End)
    assert player.position == player.length
    qtbot.keyClick(track, KEY.Key_Home)
    qtbot.keyClick(track, KEY.Key_L)
    assert player.speed == 2.0
    qtbot.keyClick(track, KEY.Key_J)
    qtbot.keyClick(track, KEY.Key_Space)
    assert player.playing
    qtbot.keyClick(track, KEY.Key_Space)
    assert not player.playing
    field = window.search_field
    field.setFocus()
    qtbot.keyClick(field, KEY.Key_Space)
    assert not player.playing
    assert field.text() == " "


def test_an_error_is_a_message_that_can_be_read_copied_and_closed(qtbot, make_window):
    window = make_window()
    error = ModelError("the file is cut off", "x.json: byte 12", "copy it again")
    window.session.failed.emit(error, "x.json was not opened")
    banner = window.messages.banners.banners[0]
    assert banner.isVisible()
    assert banner.message.what == "x.json was not opened: the file is cut off"
    assert banner.message.where == "x.json: byte 12"
    assert banner.message.remedy == "Copy it again"
    qtbot.mouseClick(banner.detail_button, Qt.MouseButton.LeftButton)
    dialog = window.findChild(ErrorDialog)
    qtbot.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
    assert "x.json: byte 12" in QGuiApplication.clipboard().text()
    dialog.reject()
    qtbot.mouseClick(banner.close_button, Qt.MouseButton.LeftButton)
    assert window.messages.banners.messages == ()
    assert not window.messages.banners.isVisible()


def test_an_unexpected_error_is_a_sentence_and_its_trace_is_only_in_the_detail(make_window):
    window = make_window()
    try:
        {}["missing"]
    except KeyError as error:
        window.messages.error(error, "The text was not encoded")
    message = window.messages.banners.messages[0]
    assert "KeyError" not in message.what + message.where + message.remedy
    assert "KeyError: 'missing'" in message.detail
    assert "Python 3." in message.detail


def test_alt_left_goes_back(qtbot, make_window):
    window = make_window()
    window._settled()
    qtbot.keyClick(window, KEY.Key_5, CTRL)
    window._settled()
    window.session.select(piece=300)
    window._settled()
    qtbot.keyClick(window, KEY.Key_Left, ALT)
    assert window.session.selection.piece is None
    assert window.current == "vocabulary"
    qtbot.keyClick(window, KEY.Key_Left, ALT)
    assert window.current == "explore"
    qtbot.keyClick(window, KEY.Key_Right, ALT)
    qtbot.keyClick(window, KEY.Key_Right, ALT)
    assert window.current == "vocabulary"
    assert window.session.selection.piece == 300
    assert not window.table.actions["forward"].isEnabled()
    qtbot.waitUntil(lambda: not window.session.busy, timeout=20_000)


def test_a_slow_job_is_shown_and_escape_cancels_it(qtbot, make_window):
    window = make_window()

    def work(report):
        while True:
            report(3, 10)

    window.session.jobs.start("slow", "Counting", work, print)
    assert not window.status.cancel_button.isVisible()
    qtbot.waitUntil(lambda: window.status.job_text == "Counting: 3 of 10", timeout=5000)
    assert window.status.cancel_button.isVisible()
    assert window.stack._line.isVisible()
    window.rail.button("explore").setFocus()
    qtbot.keyClick(window.rail.button("explore"), KEY.Key_Escape)
    assert "slow" not in [job.key for job in window.session.jobs.running]
    qtbot.waitUntil(lambda: not window.status.cancel_button.isVisible())
    assert not window.stack._line.isVisible()


def test_the_model_card_is_one_click_away_and_has_warnings_first(qtbot, make_window, tmp_path):
    from app.views.model_card import ModelCard

    window = make_window()
    path = tmp_path / "own.tiktoken"
    path.write_text("YQ== 0\nYg== 1\nYWI= 2\n", encoding="ascii")
    window.opener.open([path])
    qtbot.waitUntil(lambda: "own" in titles(window), timeout=20_000)
    chip = window.topbar.chips.chips[-1]
    assert "warning" in chip.about.accessibleName()
    qtbot.mouseClick(chip.about, Qt.MouseButton.LeftButton)
    card = window.findChildren(ModelCard)[0]
    assert card.warnings
    assert dict(card.rows)["Vocabulary"] == "3 pieces"
    assert dict(card.rows)["Merge rules"] == "1"
    key, letter = chip.opened.key, chip.opened.letter
    index = card.pattern.findData("gpt2")
    card.pattern.setCurrentIndex(index)
    card.pattern.activated.emit(index)
    qtbot.waitUntil(lambda: window.session.open_model(key) is None, timeout=20_000)
    opened = window.session.models[-1]
    assert opened.letter == letter
    assert opened.model.inspect()["pre_tokenizer"] == "gpt2"
    qtbot.waitUntil(lambda: not window.session.busy, timeout=20_000)


def test_layout_geometry_and_session_are_kept(qtbot, make_window):
    window = make_window()
    window.session.set_text("kept 한국어")
    window.session.change_settings(theta=0.5, seed=11)
    window.show_workspace("vocabulary")
    pane = window.workspace.panes()[0]
    pane.hide()
    window.resize(1000, 700)
    qtbot.waitUntil(lambda: not window.session.busy, timeout=20_000)
    window.close()
    again = make_window()
    assert again.session.text.string == "kept 한국어"
    assert again.session.settings.theta == 0.5
    assert again.session.settings.seed == 11
    assert again.current == "vocabulary"
    assert again.workspace.panes()[0].isHidden()
    again.table.actions["layout"].trigger()
    assert not again.workspace.panes()[0].isHidden()
    assert again.height() == 700


def test_everything_in_the_frame_has_a_name_and_can_be_reached(make_window):
    window = make_window()
    buttons = [
        button
        for part in (window.topbar, window.rail, window.player_bar, window.status)
        for button in part.findChildren(QPushButton.__mro__[1])
        if not button.isHidden()
    ]
    assert len(buttons) >= 12
    for button in buttons:
        assert button.accessibleName() or button.text(), button


FIRST_PAINT = """
import sys
from app.application import make_application
application = make_application(["segscope"])
from app.jobs import Jobs
from app.session import Session
from app.settings import Preferences
from app.stylesheet import dress
from app.theme import Theme
from app.window import Window
theme = Theme("light")
dress(application, theme)
jobs, background = Jobs(), Jobs(workers=1)
window = Window(Session(jobs), theme, Preferences(), background)
def painted():
    heavy = {"numba", "llvmlite", "pyqtgraph", "tokenizers", "sentencepiece", "langcodes"}
    print("loaded:", *sorted(heavy & set(sys.modules)))
    application.exit()
window.painted.connect(painted)
window.show()
application.exec()
jobs.shutdown(); background.shutdown()
"""


def test_nothing_heavy_is_loaded_before_the_first_paint():
    done = subprocess.run(
        [sys.executable, "-c", FIRST_PAINT],
        capture_output=True, text=True, check=False, cwd=bundled.folder().parent,
        env={**os.environ, "PYTHONPATH": str(bundled.folder().parent)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "loaded:" in done.stdout
    assert done.stdout.strip().endswith("loaded:")


def test_an_error_about_a_text_goes_with_the_text_and_names_the_model(qtbot, make_window, models):
    window = make_window()
    window._settled()
    window.session.add_model(models["toy-watching"])
    window.session.set_text("watching x")

    def of_text():
        # A system may lack fonts, and that is told too.
        messages = window.messages.banners.messages
        return [message.what for message in messages if message.severity == "error"]

    qtbot.waitUntil(lambda: bool(of_text()))
    assert of_text()[0].startswith("toy-watching.json did not encode the text: ")
    window.session.set_text("watching")
    assert of_text() == []
    qtbot.waitUntil(lambda: not window.session.busy)
    assert of_text() == []
