"""What stands in the place of the workspaces while no model is open."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from engine.errors import ModelError
from engine.model import Model


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, models: dict[str, Model]) -> threading.Event:
    """Models are loaded when it opens; the file `broken.json` fails."""
    gate = threading.Event()

    def load(path: Path, report: Any, **_options: Any) -> Model:
        while not gate.wait(0.02):
            report(0, 0)
        if path.name == "broken.json":
            raise ModelError("it is broken", path.name, "mend it")
        return models["toy-watching"]

    monkeypatch.setattr("app.session.load_model", load)
    return gate


def test_it_says_what_is_being_opened(
    qtbot: Any, make_window: Any, gate: threading.Event, tmp_path: Path
) -> None:
    window = make_window(begin=False)
    for name in ("big.model", "broken.json"):
        (tmp_path / name).write_text("[]")
    start = window.start_view
    assert not start.empty.isVisible()
    window.begin([tmp_path / "big.model", tmp_path / "broken.json"])
    qtbot.waitUntil(lambda: "Opening big.model …" in start.waiting.label.text())
    assert "Opening broken.json …" in start.waiting.label.text()
    assert start.waiting.isVisible()
    assert not start.empty.isVisible()
    gate.set()
    qtbot.waitUntil(lambda: bool(window.session.models) and not window.session.busy)
    assert window.stack.currentWidget() is not start
    window.close_model()
    assert start.empty.isVisible()


def test_after_a_failure_it_asks_for_a_file(
    qtbot: Any, make_window: Any, gate: threading.Event, tmp_path: Path
) -> None:
    window = make_window(begin=False)
    (tmp_path / "broken.json").write_text("[]")
    gate.set()
    window.begin([tmp_path / "broken.json"])
    qtbot.waitUntil(lambda: bool(window.messages.banners.messages))
    qtbot.waitUntil(window.start_view.empty.isVisible)


def test_escape_stops_what_is_being_opened(
    qtbot: Any, make_window: Any, gate: threading.Event, tmp_path: Path
) -> None:
    window = make_window(begin=False)
    (tmp_path / "big.model").write_text("[]")
    window.begin([tmp_path / "big.model"])
    start = window.start_view
    qtbot.waitUntil(lambda: "Opening big.model" in start.waiting.label.text())
    qtbot.waitUntil(lambda: window.status.shown_job is not None)
    qtbot.waitUntil(lambda: "big.model" in window.status.job_text)
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    qtbot.waitUntil(start.empty.isVisible)
    gate.set()
    assert not window.session.models
