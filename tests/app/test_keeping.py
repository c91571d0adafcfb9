"""The last session is written while the window is open, and never older than at its end."""

from __future__ import annotations

import errno
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app import keeping
from app.keeping import session_file
from app.window import Window
from engine.model import Model
from engine.scene import Scene, SceneModel, read_scene, write_scene

Make = Callable[..., Window]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def no_session() -> None:
    session_file().unlink(missing_ok=True)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "AFTER_MODELS", 20)
    monkeypatch.setattr(keeping, "AFTER_CHANGES", 20)


def kept() -> Scene | None:
    return read_scene(session_file()) if session_file().exists() else None


def wait_for(qtbot: Any, wanted: Callable[[Scene], bool]) -> Scene:
    def found() -> bool:
        scene = kept()
        return scene is not None and wanted(scene)

    qtbot.waitUntil(found)
    scene = kept()
    assert scene is not None
    return scene


def idle(window: Window) -> bool:
    return not window.session.busy and not window.background.running


@pytest.mark.usefixtures("soon")
def test_what_is_open_is_written_without_closing(
    qtbot: Any, make_window: Make, models: dict[str, Model]
) -> None:
    window = make_window()
    wait_for(qtbot, lambda scene: len(scene.models) == 2)
    window.session.add_model(models["toy-lower"])
    scene = wait_for(qtbot, lambda scene: len(scene.models) == 3)
    assert scene.models[2].path == "bundled:toy-lower"
    window.session.set_text("a text of its own")
    wait_for(qtbot, lambda scene: scene.text == "a text of its own")
    window.session.change_settings(theta=0.25)
    wait_for(qtbot, lambda scene: scene.settings.theta == 0.25)
    window.show_workspace("vocabulary")
    wait_for(qtbot, lambda scene: scene.workspace == "vocabulary")


@pytest.mark.usefixtures("soon")
def test_nothing_is_written_where_nothing_changed(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    wait_for(qtbot, lambda scene: len(scene.models) == 2)
    qtbot.waitUntil(lambda: idle(window))
    qtbot.wait(600)  # the window notes its place after a while
    qtbot.waitUntil(lambda: idle(window))
    session_file().unlink()
    window.session.set_text(window.session.text.string + "!")
    window.session.set_text(window.session.text.string[:-1])
    window.keeper.touch()
    qtbot.wait(100)
    qtbot.waitUntil(lambda: idle(window))
    assert kept() is None


@pytest.mark.usefixtures("soon")
def test_a_session_is_not_written_while_a_model_is_on_its_way(
    qtbot: Any, make_window: Make, models: dict[str, Model]
) -> None:
    window = make_window(begin=False)
    gate = threading.Event()
    window.session.jobs.start(
        "load slow", "Opening slow", lambda report: gate.wait(30), lambda _: None
    )
    window.session.set_text("before the model is there")
    qtbot.wait(150)
    qtbot.waitUntil(lambda: not window.background.running)
    assert kept() is None
    window.session.add_model(models["toy-lower"])
    gate.set()
    scene = wait_for(qtbot, lambda scene: True)
    assert [model.path for model in scene.models] == ["bundled:toy-lower"]


@pytest.mark.usefixtures("soon")
def test_that_nothing_can_be_kept_is_told_once(
    qtbot: Any, make_window: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    wait_for(qtbot, lambda scene: len(scene.models) == 2)
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(session_file()))
    tries: list[Scene] = []

    def fail(scene: Scene, path: Path) -> None:
        tries.append(scene)
        raise full

    monkeypatch.setattr("engine.scene.write_scene", fail)
    for text in ("one", "two"):
        window.session.set_text(text)
        qtbot.waitUntil(lambda: bool(tries) and tries[-1].text == window.session.text.string)
        qtbot.waitUntil(lambda: not window.background.running)
    said = [message.what for message in window.messages.banners.messages]
    assert [text for text in said if "can't be kept" in text] == [
        "What is open can't be kept for the next start: no space left on device"
    ]


def test_what_was_begun_earlier_does_not_replace_what_is_written_at_the_end(
    qtbot: Any, make_window: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    gate, begun = threading.Event(), threading.Event()

    def busy(report: object) -> None:
        begun.set()
        gate.wait(30)

    window.background.start("busy", "Busy", busy, lambda _: None)
    qtbot.waitUntil(begun.is_set)
    monkeypatch.setattr(keeping, "AFTER_CHANGES", 5)
    window.session.set_text("earlier")
    qtbot.waitUntil(lambda: any(job.key == "keep" for job in window.background.running))
    window.session.set_text("at the end")
    window.close()
    gate.set()
    window.background.shutdown()
    scene = kept()
    assert scene is not None
    assert scene.text == "at the end"


def test_closing_while_the_last_session_comes_back_keeps_it(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    qtbot.waitUntil(lambda: len(window.session.models) == 2 and idle(window))
    window.session.set_text("what was there")
    window.close()
    before = kept()
    assert before is not None
    assert len(before.models) == 2
    window = make_window(begin=False)
    window.begin()
    window.close()  # at once
    assert kept() == before


def test_a_start_without_any_model_keeps_the_last_session(
    qtbot: Any, make_window: Make, tmp_path: Path
) -> None:
    window = make_window()
    qtbot.waitUntil(lambda: len(window.session.models) == 2 and idle(window))
    window.close()
    before = kept()
    broken = tmp_path / "broken.json"
    broken.write_text('{"model": {"type": "BPE"', encoding="utf-8")
    window = make_window(begin=False)
    window.begin([broken])
    qtbot.waitUntil(lambda: idle(window) and bool(window.messages.banners.messages))
    window.close()
    assert kept() == before


def test_a_session_whose_models_are_gone_brings_its_text_and_is_kept_whole(
    qtbot: Any, make_window: Make, models: dict[str, Model]
) -> None:
    scene = Scene(models=(SceneModel("/mnt/stick/mine.model"),), text="a long text of mine")
    write_scene(scene, session_file())
    window = make_window(begin=False)
    window.begin()
    qtbot.waitUntil(lambda: idle(window) and bool(window.messages.banners.messages))
    assert window.session.text.string == "a long text of mine"
    assert window.session.models == ()
    said = {message.what: message.where for message in window.messages.banners.messages}
    aside = session_file().with_name("session.before.json")
    assert said["The last session is open without its missing models"] == str(aside)
    assert any("/mnt/stick/mine.model" in where for where in said.values())
    window.session.add_model(models["toy-lower"])
    window.close()
    now = kept()
    assert now is not None
    assert now.text == "a long text of mine"
    assert [model.path for model in now.models] == ["bundled:toy-lower"]
    assert read_scene(aside) == scene


def test_all_models_closed_by_a_person_stay_closed(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    qtbot.waitUntil(lambda: len(window.session.models) == 2 and idle(window))
    for opened in window.session.models:
        window.session.close_model(opened.key)
    window.close()
    scene = kept()
    assert scene is not None
    assert scene.models == ()


@pytest.mark.skipif(sys.platform != "linux", reason="names there are bytes")
def test_a_name_that_is_not_utf_8_is_kept_and_the_window_closes(
    qtbot: Any, make_window: Make, tmp_path: Path
) -> None:
    path = tmp_path / os.fsdecode(b"x\xff.json")
    path.write_bytes((ROOT / "resources" / "models" / "toy-lower.json").read_bytes())
    window = make_window(begin=False)
    window.begin([path])
    qtbot.waitUntil(lambda: len(window.session.models) == 1 and idle(window))
    assert window.close()
    scene = kept()
    assert scene is not None
    assert Path(scene.models[0].path).name == path.name
    window = make_window(begin=False)
    window.begin()
    qtbot.waitUntil(lambda: len(window.session.models) == 1 and idle(window))
    found = window.session.models[0].model.path
    assert found is not None
    assert found.name == path.name


def test_nothing_that_goes_wrong_keeps_the_window_open(
    qtbot: Any, make_window: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    qtbot.waitUntil(lambda: len(window.session.models) == 2 and idle(window))

    def fails(*_: Any) -> None:
        raise ValueError("no")

    monkeypatch.setattr("engine.scene.write_scene", fails)
    assert window.close()
