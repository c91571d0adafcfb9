"""The window opens pairs, vocabularies, codes and folders, and keeps what was chosen for them."""

from __future__ import annotations

import json

import pytest

from app.opening import brings_models, kind_of
from app.scenes import with_digests
from engine.alphabet import CHARACTERS
from engine.scene import read_scene, write_scene


@pytest.fixture
def folder(tmp_path):
    vocabulary = {char: i for i, char in enumerate(CHARACTERS)} | {"12": 256}
    files = {
        "pair/vocab.json": json.dumps(vocabulary),
        "pair/merges.txt": "#version: 0.2\n1 2\n",
        "lone/merges.txt": "a b\n",
        "bert/vocab.txt": "[UNK]\nhello\nHello\n##s\n",
        "codes.txt": "#version: 0.2\nl o\nlo w</w>\n",
        "old.txt": "l o\nlo w\n",
        "texts/en.txt": "a text\n",
        "texts/de.txt": "ein Text\n",
        "words.txt": "two words\nand more\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("pair", "model"), ("pair/vocab.json", "model"), ("pair/merges.txt", "model"),
        ("lone/merges.txt", "model"), ("lone", "model"), ("bert", "model"),
        ("bert/vocab.txt", "model"), ("codes.txt", "model"), ("old.txt", "model"),
        ("texts", "corpus"), ("words.txt", "text"),
    ],
)  # fmt: skip
def test_a_folder_with_a_model_is_one_and_a_folder_of_texts_a_corpus(folder, name, kind):
    assert kind_of(folder / name) == kind
    assert brings_models([folder / name]) == (kind == "model")


def test_all_of_them_open_in_the_window(qtbot, make_window, folder):
    window = make_window()
    session = window.session
    before = len(session.models)
    names = ["pair", "pair/merges.txt", "bert", "codes.txt", "texts"]
    window.opener.open([folder / name for name in names])
    qtbot.waitUntil(lambda: len(session.models) == before + 4, timeout=60_000)
    qtbot.waitUntil(lambda: not session.busy, timeout=60_000)
    opened = [(opened.name, opened.model.format) for opened in session.models[before:]]
    assert opened == [
        ("pair", "gpt2"), ("pair", "gpt2"), ("bert", "bert"), (folder.name, "subword-nmt"),
    ]  # fmt: skip
    assert [language.code for language in session.corpus] == ["de", "en"]
    assert window.recent.texts()[0] == str(folder / "texts")


def test_a_lone_file_of_a_pair_says_what_it_misses(qtbot, make_window, folder):
    window = make_window()
    window.opener.open([folder / "lone" / "merges.txt"])
    qtbot.waitUntil(lambda: bool(window.messages.banners.messages), timeout=20_000)
    message = window.messages.banners.messages[0]
    assert "vocab.json" in message.remedy
    assert str(folder / "lone") in message.remedy


def open_one(qtbot, window, path):
    session = window.session
    window.opener.open([path])
    qtbot.waitUntil(
        lambda: any(path in (m.model.path, m.model.path.parent) for m in session.models),
        timeout=20_000,
    )
    qtbot.waitUntil(lambda: not session.busy, timeout=20_000)
    return session.active


def choose(qtbot, window, box, value):
    """Choose a value as a person does; return the model that takes the old one's place."""
    before = window.session.active.key
    index = box.findData(value)
    box.setCurrentIndex(index)
    box.activated.emit(index)
    qtbot.waitUntil(lambda: window.session.active.key != before, timeout=20_000)
    qtbot.waitUntil(lambda: not window.session.busy, timeout=20_000)
    return window.session.active


def test_casing_is_chosen_on_the_card_and_kept_in_the_scene(qtbot, make_window, folder, tmp_path):
    window = make_window()
    opened = open_one(qtbot, window, folder / "bert")
    assert opened.model.settings["casing"] == "cased"
    card = window.files.about_model(opened.key)
    assert "read as cased" in card.warnings[0]
    assert card.casing.currentData() == "cased"
    letter = opened.letter
    opened = choose(qtbot, window, card.casing, "uncased")
    assert (opened.model.settings["casing"], opened.letter) == ("uncased", letter)
    assert [t.text for t in opened.model.encode("Hellos").tokens] == ["hello", "##s"]
    scene = window.scenes.capture("explore")
    path = tmp_path / "kept.json"
    write_scene(with_digests(scene), path)
    kept = read_scene(path).models[-1]
    assert (kept.casing, kept.options) == ("uncased", {"casing": "uncased"})
    assert kept.locate() == folder / "bert"
    assert not kept.changed()
    (folder / "bert" / "vocab.txt").write_text("[UNK]\nother\n", encoding="utf-8")
    assert kept.changed()


def test_the_split_pattern_of_a_pair_is_chosen_and_kept(qtbot, make_window, folder):
    window = make_window()
    opened = open_one(qtbot, window, folder / "pair" / "vocab.json")
    assert len(opened.model.encode("1 2 12")) == 5
    assert window.scenes.capture("explore").models[-1].pattern == ""
    card = window.files.about_model(opened.key)
    assert card.pattern.currentData() == "gpt2"
    opened = choose(qtbot, window, card.pattern, "none")
    assert opened.model.inspect()["pre_tokenizer"] == ""
    assert window.scenes.capture("explore").models[-1].pattern == "none"


def test_a_folder_is_opened_by_the_menu_of_plus(qtbot, make_window, folder, monkeypatch):
    window = make_window()
    menu = window.topbar.plus.menu()
    words = [action.text().replace("&", "") for action in menu.actions()]
    assert words[:2] == ["Open…", "Open a folder: model or corpus…"]
    monkeypatch.setattr(
        "app.commands.QFileDialog.getExistingDirectory", lambda *_: str(folder / "pair")
    )
    before = len(window.session.models)
    menu.actions()[1].trigger()
    qtbot.waitUntil(lambda: len(window.session.models) == before + 1, timeout=60_000)
    assert window.session.active.model.path == folder / "pair"
    qtbot.waitUntil(lambda: not window.session.busy, timeout=60_000)
