"""The last session is written while the window is open, and never older than at its end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from app import keeping
from app.keeping import session_file
from app.window import Window
from engine.model import Model
from engine.scene import Scene, read_scene

Make = Callable[..., Window]


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
