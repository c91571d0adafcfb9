"""Scenes: what is written is read back, and odd files are named or survived."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import bundled
from engine.errors import ParameterError, SceneError
from engine.scene import (
    Scene,
    SceneModel,
    ScenePlayer,
    SceneSelection,
    SceneSettings,
    file_digest,
    read_scene,
    write_scene,
)


def written(path: Path, **fields: Any) -> Path:
    path.write_text(json.dumps({"segscope": 1, **fields}), encoding="utf-8")
    return path


def test_all_parts_come_back(tmp_path: Path) -> None:
    model = tmp_path / "models" / "a.json"
    model.parent.mkdir()
    model.write_text("{}")
    scene = Scene(
        models=(SceneModel(str(model), file_digest(model)), SceneModel("bundled:toy-lower")),
        text="a\0b \u2028 😀\n",
        corpus=(str(tmp_path / "texts"), str(tmp_path / "b.txt")),
        workspace="sampling",
        active=1,
        settings=SceneSettings(0.25, 3, "byte", -5, "viterbi", "premium", "fr"),
        player=ScenePlayer("perfect", 12),
        selection=SceneSelection(1, (2, 5), 7, 8, 0, "fr"),
        title="T",
        caption="C",
        views={"languages": {"sort": "name"}},
        rest={"later": [1, 2]},
    )
    path = tmp_path / "scenes" / "x.json"
    path.parent.mkdir()
    write_scene(scene, path)
    assert read_scene(path) == scene
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["segscope"] == 1
    assert document["models"][0]["path"] == "../models/a.json"
    assert document["models"][1] == "bundled:toy-lower"
    assert document["later"] == [1, 2]


def test_a_scene_can_move_with_its_models(tmp_path: Path) -> None:
    first, second = tmp_path / "one", tmp_path / "two"
    first.mkdir()
    (first / "m.json").write_text("{}")
    write_scene(Scene(models=(SceneModel(str(first / "m.json")),)), first / "s.json")
    first.rename(second)
    assert read_scene(second / "s.json").models[0].locate() == second / "m.json"


def test_a_model_keeps_its_name_where_it_is_a_link(tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir()
    (tmp_path / "blobs" / "0af3").write_text("{}")
    link = tmp_path / "snapshot" / "tokenizer.json"
    link.parent.mkdir()
    link.symlink_to("../blobs/0af3")
    scene = Scene(models=(SceneModel(str(link)),))
    write_scene(scene, tmp_path / "scene.json")
    assert read_scene(tmp_path / "scene.json").models[0].path == str(link)


def test_a_model_that_changed_is_noticed(tmp_path: Path) -> None:
    model = tmp_path / "m.json"
    model.write_text("{}")
    kept = SceneModel(str(model), file_digest(model))
    assert not kept.changed()
    model.write_text("{ }")
    assert kept.changed()
    assert not SceneModel(str(model)).changed()


def test_a_small_file_has_defaults(tmp_path: Path) -> None:
    assert read_scene(written(tmp_path / "s.json")) == Scene()


def test_unknown_things_are_warned_of_or_kept(tmp_path: Path) -> None:
    path = written(
        tmp_path / "s.json",
        segscope=9,
        workspace="kitchen",
        models=["bundled:toy-lower"],
        active=4,
        settings={"theta": 2, "gamma": 1, "unit": "inch"},
        selection={"model": 3},
        player={"trace": "dance"},
        future={"a": 1},
    )
    scene = read_scene(path)
    assert (scene.workspace, scene.active, scene.selection.model) == ("explore", 0, None)
    assert (scene.settings.theta, scene.settings.unit) == (2.0, "grapheme")
    assert scene.player.trace == ""
    assert scene.rest == {"future": {"a": 1}}
    text = "\n".join(scene.warnings)
    for word in ("newer", "kitchen", "number 4", "settings.gamma", "inch", "number 3", "dance"):
        assert word in text


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"segscope": "1"}, "segscope"),
        ({"segscope": None}, "segscope"),
        ({"text": 5}, "text"),
        ({"text": "\ud800"}, "text"),
        ({"models": "a"}, "models"),
        ({"models": [5]}, r"models\[0\]"),
        ({"models": [{}]}, r"models\[0\]\.path"),
        ({"models": ["ok", {"path": ""}]}, r"models\[1\]\.path"),
        ({"corpus": [1]}, "corpus"),
        ({"settings": []}, "settings"),
        ({"settings": {"theta": -1}}, r"settings\.theta"),
        ({"settings": {"theta": float("nan")}}, r"settings\.theta"),
        ({"settings": {"theta": 10**400}}, r"settings\.theta"),
        ({"settings": {"theta": True}}, r"settings\.theta"),
        ({"settings": {"theta": 1000.5}}, r"settings\.theta"),
        ({"settings": {"nbest": 0}}, r"settings\.nbest"),
        ({"settings": {"nbest": 10**9}}, r"settings\.nbest"),
        ({"settings": {"seed": 1.5}}, r"settings\.seed"),
        ({"player": {"position": -1}}, r"player\.position"),
        ({"selection": {"span": [3, 1]}}, r"selection\.span"),
        ({"views": []}, "views"),
    ],
)
def test_a_field_of_the_wrong_kind_is_named(
    tmp_path: Path, fields: dict[str, Any], name: str
) -> None:
    path = written(tmp_path / "s.json", **fields)
    with pytest.raises(SceneError, match=f"field {name}") as caught:
        read_scene(path)
    assert str(path) in caught.value.where
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "line 1, column 1"),
        (b"{", "valid JSON"),
        (b"[]", "isn't a JSON object"),
        (b"{}", "is no scene"),
        (b"<!doctype html>", "valid JSON"),
        (b'{"segscope": 1, "text": "\xff"}', "byte 25"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"segscope": 1, "active": ' + b"1" * 5_000 + b"}", "too many digits"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_files_that_are_no_scenes(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "s.json"
    path.write_bytes(data)
    with pytest.raises(SceneError, match=words):
        read_scene(path)


def test_a_missing_scene(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match="can't be read"):
        read_scene(tmp_path / "absent.json")


def test_a_failed_write_leaves_the_old_scene(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    write_scene(Scene(text="old"), path)
    with pytest.raises(TypeError):
        write_scene(Scene(views={"explore": {"bad": object()}}), path)
    assert read_scene(path).text == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["s.json"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
fields = st.sampled_from(
    ["models", "text", "corpus", "workspace", "active", "settings", "player", "selection", "views"]
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(fields, json_values, max_size=5))
def test_any_json_is_read_or_refused_by_name(
    tmp_path_factory: pytest.TempPathFactory, content: dict[str, Any]
) -> None:
    path = tmp_path_factory.mktemp("scene") / "s.json"
    path.write_text(json.dumps({"segscope": 1, **content}))
    scene: Scene | None = None
    refused = ""
    try:
        scene = read_scene(path)
    except SceneError as error:
        refused = error.what
    if scene is None:
        assert "field" in refused
    else:
        write_scene(scene, path)
        assert read_scene(path) == scene


def test_the_built_in_scenes() -> None:
    scenes = {one.name: read_scene(one.path) for one in bundled.scenes()}
    assert all(not scene.warnings and scene.title and scene.caption for scene in scenes.values())
    assert all(model.locate().is_file() for s in scenes.values() for model in s.models)
    assert scenes["order-of-merges"].text == "lower"
    assert scenes["order-of-merges"].workspace == "merges"
    assert scenes["three-cuts"].text == "watching"
    assert scenes["three-cuts"].player.trace == "perfect"
    assert scenes["weather"].text == "今天天气不错"
    assert scenes["languages"].corpus == ("bundled:everyday",)
    assert len(list((bundled.folder() / "scenes").glob("*.json"))) == len(scenes)


def test_unknown_bundled_names() -> None:
    with pytest.raises(ParameterError, match="toy-lower"):
        SceneModel("bundled:nothing").locate()
    with pytest.raises(ParameterError, match="bundled:everyday"):
        bundled.locate_corpus("bundled:nothing")


def test_the_reading_of_special_strings_is_kept_and_an_unknown_one_is_warned_of(tmp_path):
    path = tmp_path / "a.json"
    write_scene(Scene(settings=SceneSettings(special="forbid")), path)
    assert read_scene(path).settings.special == "forbid"
    path.write_text('{"segscope": 1, "settings": {"special": "maybe"}}')
    scene = read_scene(path)
    assert scene.settings.special == "literal"
    assert scene.warnings == ("there is no special 'maybe'; literal is shown",)


def test_what_colours_follow_is_kept_and_an_unknown_choice_is_warned_of(tmp_path):
    path = tmp_path / "a.json"
    write_scene(Scene(settings=SceneSettings(color="identity")), path)
    assert read_scene(path).settings.color == "identity"
    path.write_text('{"segscope": 1, "settings": {"color": "mood"}}')
    scene = read_scene(path)
    assert scene.settings.color == "position"
    assert scene.warnings == ("there is no color 'mood'; position is shown",)
