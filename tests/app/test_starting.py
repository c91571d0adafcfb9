"""The window is on the screen before what computes is imported; the rest follows by itself."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from app.starting import Rest

ROOT = Path(__file__).resolve().parents[2]

FIRST_PICTURE = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from PySide6.QtCore import QSettings
from app.application import make_application
from app.jobs import Jobs
from app.session import Session
from app.settings import Preferences
from app.stylesheet import dress
from app.theme import Theme
from app.window import Window

application = make_application(["segscope"])
theme = Theme("light")
dress(application, theme)
jobs, background = Jobs(), Jobs()
window = Window(Session(jobs), theme, Preferences.read(QSettings()), background)
window.show()
application.processEvents()
heavy = ("numpy", "numba", "tokenizers", "sentencepiece", "pyqtgraph", "regex", "multiprocessing")
print(window.isVisible(), *(name for name in heavy if name in sys.modules))
jobs.shutdown()
background.shutdown()
"""


def test_the_first_picture_needs_nothing_that_computes(tmp_path: Path) -> None:
    folders = {f"XDG_{kind}_HOME": str(tmp_path) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
    done = subprocess.run(
        [sys.executable, "-c", FIRST_PICTURE],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", **folders},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["True"]


def test_explore_is_made_before_a_model_is_there_and_kernels_come_last(
    qtbot: Any, make_window: Any
) -> None:
    window = make_window(begin=False)
    window.show_workspace("explore")
    warmed, gate = [], threading.Event()
    session = window.session
    session.jobs.start("load x", "Opening x", lambda report: gate.wait(30), lambda _: None)
    rest = Rest(
        session, window.workspaces, lambda: window.current, lambda: warmed.append(session.busy)
    )
    rest.begin()
    qtbot.waitUntil(lambda: window.workspaces.made("explore") is not None)
    assert window.stack.currentWidget() is window.start_view
    assert warmed == []
    gate.set()
    qtbot.waitUntil(lambda: bool(warmed))
    session.jobs.start("later", "Later", lambda report: None, lambda _: None)
    qtbot.waitUntil(lambda: not session.busy)
    assert warmed == [False]
