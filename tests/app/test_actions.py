"""The table of actions: complete, free of double keys, and the source of menus and help."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtGui import QKeySequence

from app.actions import ACTIONS, MENUS
from app.views.keyboard import KeyboardDialog
from app.views.search import Entry, matches
from app.window import Window


def test_ids_and_keys_are_unique():
    assert [i for i, n in Counter(spec.id for spec in ACTIONS).items() if n > 1] == []
    keys = Counter(spec.shortcut for spec in ACTIONS if spec.shortcut)
    assert [key for key, n in keys.items() if n > 1] == []


@pytest.mark.parametrize("spec", ACTIONS, ids=lambda spec: spec.id)
def test_an_action_can_be_done(spec):
    assert callable(getattr(Window, spec.call))
    assert spec.menu in dict(MENUS)
    assert not spec.shortcut or QKeySequence(spec.shortcut).toString() == spec.shortcut


def test_mnemonics_of_a_menu_are_unique():
    for name, _ in MENUS:
        letters = [s.text[s.text.index("&") + 1].lower() for s in ACTIONS
                   if s.menu == name and "&" in s.text]  # fmt: skip
        assert [x for x, n in Counter(letters).items() if n > 1] == [], name
    tops = [text[text.index("&") + 1] for _, text in MENUS]
    assert len(set(tops)) == len(tops)


def test_the_usual_keys():
    keys = {spec.id: spec.shortcut for spec in ACTIONS}
    expected = {
        "open": "Ctrl+O", "save": "Ctrl+S", "save.as": "Ctrl+Shift+S", "close": "Ctrl+W",
        "quit": "Ctrl+Q", "search": "Ctrl+Shift+P", "back": "Alt+Left", "forward": "Alt+Right",
        "go.explore": "Ctrl+1", "go.vocabulary": "Ctrl+5", "theme.toggle": "Ctrl+L",
        "play": "Space", "step.next": "Right", "step.back": "Left", "step.first": "Home",
        "step.last": "End",
    }  # fmt: skip
    assert {name: keys[name] for name in expected} == expected


def test_the_keyboard_help_lists_every_key(qtbot):
    dialog = KeyboardDialog()
    qtbot.addWidget(dialog)
    rows = {
        dialog.table.item(row, 0).text(): dialog.table.item(row, 1).text()
        for row in range(dialog.table.rowCount())
    }
    assert rows["Open"] == "Ctrl+O"
    assert rows["Next step"] == "Right (in the picture)"
    assert len(rows) == sum(bool(spec.shortcut) for spec in ACTIONS)


def entry(text, kind="action", **more):
    return Entry(text, kind, "", lambda: None, **more)


def test_search_puts_the_best_first():
    entries = [
        entry("Save scene as"), entry("Open"), entry("Open corpus folder"),
        entry("Zoom out, reopen"), entry("everyday-bpe", "bundled model", words="byte-level BPE"),
        entry("Opaque", enabled=False),
    ]  # fmt: skip
    assert [e.text for e in matches(entries, "op")] == [
        "Open", "Open corpus folder", "Zoom out, reopen", "Opaque",
    ]  # fmt: skip
    assert [e.text for e in matches(entries, "corpus op")] == ["Open corpus folder"]
    assert [e.text for e in matches(entries, "BYTE")] == ["everyday-bpe"]
    assert [e.text for e in matches(entries, "model")] == ["everyday-bpe"]
    assert matches(entries, "nothing of this") == []
    assert len(matches(entries, "  ")) == len(entries)


def test_search_ignores_case_accents_and_width():
    assert [e.text for e in matches([entry("Éxplore")], "explore")] == ["Éxplore"]
    assert [e.text for e in matches([entry("ABC")], "ａｂｃ")] == ["ABC"]
