"""Fonts: which scripts are on the screen, and who is told what is missing."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont

from app import fonts
from app.fonts import CJK, CORE, EMOJI, FontWatch, scripts_of

pytestmark = pytest.mark.screen


def test_scripts_are_told_by_their_characters():
    found = scripts_of("Hello 天气 한국 हिन्दी ไทย مرحبا שלום 🌤️ Привет ▁")
    assert set(found) == {
        ("Han", CJK), ("Hangul", CJK), ("Devanagari", CORE), ("Thai", CORE), ("Arabic", CORE),
        ("Hebrew", CORE), ("Emoji", EMOJI), ("Cyrillic", CORE),
    }  # fmt: skip
    assert found["Han", CJK] == ["天", "气"]
    assert scripts_of("plain ASCII, café") == {}
    assert len(scripts_of("一二三四五六七八九十")["Han", CJK]) == fonts.SAMPLES


def test_a_letter_is_shown_and_a_code_point_that_no_font_has_is_not(qtbot):
    assert fonts.shown("a", QFont())
    assert not fonts.shown("\U0003ffff", QFont())


def test_a_script_without_glyphs_is_told_once_with_its_package(qtbot, monkeypatch):
    monkeypatch.setattr(fonts, "shown", lambda char, font: ord(char) < 0x3000)
    watch = FontWatch(QFont())
    with qtbot.waitSignals([watch.missing_changed] * 2):
        watch.look(["今天 한국 привет"])
    assert watch.missing == {CJK: ("Han", "Hangul")}
    told = []
    watch.missing_changed.connect(lambda: told.append(1))
    watch.look(["明天 русский"])
    qtbot.wait(100)
    assert told == []


def test_one_rare_character_is_not_worth_a_word(qtbot, monkeypatch):
    monkeypatch.setattr(fonts, "shown", lambda char, font: char != "𠀋")
    watch = FontWatch(QFont())
    watch.look(["天气不错𠀋"])
    qtbot.waitUntil(lambda: not watch._waiting)
    assert watch.missing == {}


def test_the_message_names_the_package_and_stays_closed(qtbot, make_window, monkeypatch):
    monkeypatch.setattr(fonts, "shown", lambda char, font: ord(char) < 0x3000)
    window = make_window()
    window.session.set_text("天气")
    key = f"fonts {CJK}"
    banners = window.messages.banners
    qtbot.waitUntil(lambda: any(m.key == key for m in banners.messages), timeout=5000)
    banner = next(b for b in banners.banners if b.message.key == key)
    assert "Han" in banner.message.what
    assert CJK in banner.message.remedy
    banner.close_button.click()
    assert window.preferences.fonts_hidden == [CJK]
    window.messages._say_fonts()
    assert not any(m.key == key for m in banners.messages)
    qtbot.waitUntil(lambda: not window.session.busy, timeout=20_000)


def test_fonts_are_found_ahead_one_in_a_turn_and_once_a_script(qtbot):
    class Asked:
        def __init__(self):
            self.texts = []

        def horizontalAdvance(self, text):
            self.texts.append(text)

    ahead = fonts.FontsAhead([QFont(), QFont()])
    one, other = ahead._metrics = [Asked(), Asked()]
    ahead.look("Hello 天气 날씨")
    assert one.texts == []
    ahead._find_one()
    assert len(one.texts) + len(other.texts) == 1
    qtbot.waitUntil(lambda: not ahead.busy)
    # Latin always; of Han and Hangul any character.
    assert len(one.texts) == 3
    assert set(one.texts) < set("0天气날씨")
    assert one.texts == other.texts
    ahead.look("天地 abc 한")
    assert not ahead.busy
    ahead.look("привет")
    assert ahead.busy
    qtbot.waitUntil(lambda: len(other.texts) == 4)
