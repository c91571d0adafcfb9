"""Scenes: what is open is saved, and comes back the same."""

from __future__ import annotations

import json

import pytest
from PySide6.QtWidgets import QStackedWidget

from app.scenes import Scenes, default_scene, with_digests
from app.workspaces import Workspaces
from engine import bundled
from engine.corpus import open_corpus
from engine.scene import (
    WORKSPACES,
    Scene,
    SceneModel,
    ScenePlayer,
    SceneSelection,
    read_scene,
    write_scene,
)


def scene_path(name):
    return next(scene.path for scene in bundled.scenes() if scene.name == name)


def open_and_wait(qtbot, window, path):
    with qtbot.waitSignal(window.scenes.opened, timeout=20_000):
        window.scenes.open(path)
    qtbot.waitUntil(lambda: not window.session.busy, timeout=30_000)


@pytest.mark.parametrize("bundle", bundled.scenes(), ids=lambda scene: scene.name)
def test_a_built_in_scene_opens_as_it_says(qtbot, make_window, bundle):
    window = make_window()
    open_and_wait(qtbot, window, bundle.path)
    scene = read_scene(bundle.path)
    assert window.current == scene.workspace
    assert [f"bundled:{m.name}" for m in window.session.models] == [m.path for m in scene.models]
    assert window.session.active is window.session.models[scene.active]
    assert window.session.text.string == scene.text
    for name, value in vars(scene.settings).items():
        assert getattr(window.session.settings, name) == value
    assert (window.session.corpus is not None) == bool(scene.corpus)
    if scene.player != ScenePlayer():
        assert window.player is not None
    if window.player is not None:
        assert window.player.position == scene.player.position
        assert window.player.length > 0
    captions = [message.where for message in window.messages.banners.messages]
    assert scene.caption in captions


def test_what_is_open_is_saved_and_comes_back(qtbot, make_window, tmp_path):
    window = make_window()
    open_and_wait(qtbot, window, scene_path("three-cuts"))
    session = window.session
    session.change_settings(theta=0.25, seed=99)
    qtbot.waitUntil(lambda: not session.busy, timeout=20_000)
    window.player.seek(3)
    session.select(span=(0, 5), edge=1)
    path = tmp_path / "mine.json"
    window.scenes.path = path
    with qtbot.waitSignal(window.files.saved, timeout=20_000):
        window.table.actions["save"].trigger()
    scene = read_scene(path)
    assert scene.models == (SceneModel("bundled:toy-watching"),)
    assert scene.settings.theta == 0.25
    assert scene.player.position == 3
    assert scene.selection == SceneSelection(model=0, span=(0, 5), edge=1)
    assert scene.title == read_scene(scene_path("three-cuts")).title
    # But not over what is open.
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("low lower\n", encoding="utf-8")
    with qtbot.waitSignal(session.corpus_changed):
        session.load_corpus((corpus,))
    window.scenes.path = corpus
    with qtbot.waitSignal(window.files.failed) as caught:
        window.table.actions["save"].trigger()
    assert "the scene would be written over the open corpus" in caught.args[0].what
    assert corpus.read_text(encoding="utf-8") == "low lower\n"
    open_and_wait(qtbot, window, scene_path("weather"))
    assert window.session.text.string == "今天天气不错"
    open_and_wait(qtbot, window, path)
    assert window.session.settings.seed == 99
    assert window.session.text.string == "watching"
    assert window.session.selection.span == (0, 5)
    assert window.session.selection.edge == 1
    assert window.current == "sampling"
    assert window.player.position == 3
    assert window.windowTitle() == "mine – Segscope"


def test_a_model_of_ones_own_is_kept_with_its_digest(qtbot, make_window, tmp_path):
    own = tmp_path / "own.model"
    own.write_bytes(bundled.model_path("everyday-unigram").read_bytes())
    window = make_window()
    window.session.load_model(own)
    qtbot.waitUntil(lambda: len(window.session.models) == 3, timeout=20_000)
    scene = with_digests(window.scenes.capture("explore"))
    assert scene.models[2].path == str(own)
    assert len(scene.models[2].sha256) == 64
    path = tmp_path / "scene.json"
    write_scene(scene, path)
    assert json.loads(path.read_text("utf-8"))["models"][2]["path"] == "own.model"
    own.write_bytes(own.read_bytes() + b"\x22\x00")
    open_and_wait(qtbot, window, path)
    said = [(m.severity, m.what) for m in window.messages.banners.messages]
    assert any(severity == "warning" and "model isn't the one" in what for severity, what in said)
    assert len(window.session.models) == 3


def test_the_pattern_chosen_for_a_rank_file_is_kept(qtbot, make_window, tmp_path):
    ranks = tmp_path / "own.tiktoken"
    ranks.write_text("YQ== 0\nYg== 1\n", encoding="ascii")
    window = make_window()
    window.session.load_model(ranks, pattern="gpt2")
    qtbot.waitUntil(lambda: len(window.session.models) == 3, timeout=20_000)
    path = tmp_path / "scene.json"
    write_scene(window.scenes.capture("explore"), path)
    assert read_scene(path).models[2].pattern == "gpt2"
    open_and_wait(qtbot, window, path)
    assert window.session.models[2].model.inspect()["pre_tokenizer"] == "gpt2"


def test_a_missing_model_is_named_and_the_rest_is_shown(qtbot, make_window, tmp_path):
    path = tmp_path / "scene.json"
    models = (SceneModel(str(tmp_path / "gone.json")), SceneModel("bundled:toy-lower"))
    write_scene(Scene(models=models, active=1, text="lower"), path)
    window = make_window()
    open_and_wait(qtbot, window, path)
    assert [opened.name for opened in window.session.models] == ["toy-lower"]
    assert any("gone.json" in m.where for m in window.messages.banners.messages)


@pytest.mark.parametrize(
    "content",
    ['{"segscope": 1, "models": 7}', '{"segscope": 1, "models": ["gone.json"]}', '{"segscope"'],
)
def test_a_scene_that_cannot_be_shown_leaves_everything(qtbot, make_window, tmp_path, content):
    path = tmp_path / "scene.json"
    path.write_text(content, encoding="utf-8")
    window = make_window()
    before = (window.session.models, window.session.text, window.current)
    with qtbot.waitSignal(window.scenes.failed, timeout=20_000):
        window.opener.open([path])
    assert (window.session.models, window.session.text, window.current) == before
    message = window.messages.banners.messages[0]
    assert message.severity == "error"
    assert message.what.startswith(("scene.json was not opened", "The scene was not opened"))


def test_the_folder_that_one_stands_in_is_kept_as_a_folder(session, theme, tmp_path, monkeypatch):
    for code in ("en", "de"):
        (tmp_path / f"{code}.txt").write_text("a\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    scenes = Scenes(session, Workspaces(session, theme, {}, QStackedWidget()))
    cases = {
        ".": (tmp_path,),
        "en.txt": (tmp_path / "en.txt",),
        ("de.txt", "en.txt"): (tmp_path / "de.txt", tmp_path / "en.txt"),
        "../" + tmp_path.name: (tmp_path,),
    }
    for given, kept in cases.items():
        session.set_corpus(open_corpus(given))
        write_scene(scenes.capture("explore"), tmp_path / "scene.json")
        again = read_scene(tmp_path / "scene.json").corpus
        assert again == tuple(map(str, kept))
        assert open_corpus(again).parallel == session.corpus.parallel


@pytest.mark.parametrize("digits", [25, 4_000, 5_000])
def test_long_numbers_in_the_last_session_do_not_stop_the_window(make_window, digits):
    from app.keeping import session_file

    number = "9" * digits
    fields = (
        f'"active": {number}, "settings": {{"seed": {number}}}, '
        f'"player": {{"position": {number}}}, '
        f'"selection": {{"span": [0, {number}], "piece": {number}, "edge": {number}, '
        f'"path": {number}, "model": {number}}}'
    )
    models = '["bundled:toy-watching"]'
    session_file().write_text(
        f'{{"segscope": 1, "text": "watching", "models": {models}, {fields}}}', encoding="utf-8"
    )
    window = make_window()
    assert len(window.session.models) == (2 if digits == 5_000 else 1)
    if digits == 5_000:
        assert "not restored" in window.messages.banners.messages[0].what
    for name in WORKSPACES:
        window.show_workspace(name)
        assert window.current == name


def test_a_broken_last_session_gives_the_default(qtbot, make_window):
    from app.keeping import session_file

    session_file().write_text("{broken", encoding="utf-8")
    window = make_window()
    assert len(window.session.models) == 2
    assert "not restored" in window.messages.banners.messages[0].what
    # It isn't written over: somebody may mend it.
    assert session_file().with_name("session.damaged.json").read_text() == "{broken"


def test_the_last_session_is_told_of(qtbot, make_window):
    from app.keeping import session_file

    models = '["bundled:toy-watching", "bundled:toy-lower"]'
    session_file().write_text(f'{{"segscope": 1, "models": {models}}}', encoding="utf-8")
    window = make_window()
    qtbot.waitUntil(lambda: window.status.noted == "The last session is open again: 2 models")


def test_the_default_shows_many_scripts_and_needs_no_network(make_window):
    from app.fonts import scripts_of

    scene = default_scene()
    assert all(model.path.startswith("bundled:") for model in scene.models)
    assert scene.corpus == ("bundled:everyday",)
    scripts = {script for script, _ in scripts_of(scene.text)}
    assert {"Han", "Hangul", "Devanagari", "Arabic", "Emoji"} <= scripts


def test_what_colours_follow_is_chosen_in_the_menu_and_kept_in_scenes(qtbot, make_window):
    window = make_window()
    position, identity = (window.table.actions[f"color.{c}"] for c in ("position", "identity"))
    assert position.isChecked()
    identity.trigger()
    assert (position.isChecked(), identity.isChecked()) == (False, True)
    assert window.workspace.bands.coloring.choice.value() == "identity"
    scene = window.scenes.capture("explore")
    assert scene.settings.color == "identity"
    window.session.change_settings(color="position")
    assert position.isChecked()
    with qtbot.waitSignal(window.scenes.opened, timeout=20_000):
        window.scenes.show(scene, "a scene")
    assert window.session.settings.color == "identity"
    assert identity.isChecked()
