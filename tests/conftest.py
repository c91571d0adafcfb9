"""What every test gets: a hidden screen, its own settings folder, no network, leak checks.

Nothing here imports Qt when the file is loaded, so the engine's tests run where Qt is absent
(there, pass `-p no:pytest-qt`).
"""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent

# Read by Qt, pytest-qt and the peer libraries when they start, so set before any of them is.
os.environ["QT_QPA_PLATFORM"] = os.environ.get("SEGSCOPE_TEST_PLATFORM") or "offscreen"
os.environ["PYTEST_QT_API"] = "pyside6"
os.environ["TIKTOKEN_CACHE_DIR"] = ""
os.environ["HF_HUB_OFFLINE"] = "1"
for variable in ("QT_SCALE_FACTOR", "QT_STYLE_OVERRIDE", "QT_QPA_PLATFORMTHEME"):
    os.environ.pop(variable, None)

_home = tempfile.mkdtemp(prefix="segscope-tests-")
for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
    folder = Path(_home, variable.lower())
    folder.mkdir(mode=0o700)
    os.environ[variable] = str(folder)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the folders that the tests wrote their settings to."""
    shutil.rmtree(_home, ignore_errors=True)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real models and corpora that isn't part of the project.

    It is looked for at $SEGSCOPE_SHARED, else beside the checkout. Without it the tests that
    need it are skipped; a wrong $SEGSCOPE_SHARED is an error.
    """
    named = os.environ.get("SEGSCOPE_SHARED")
    path = Path(named) if named else ROOT.parent / "shared"
    if (path / "data").is_dir():
        return path.resolve()
    if named:
        pytest.fail(f"SEGSCOPE_SHARED is {named}, but there is no folder 'data' in it")
    pytest.skip("the shared data folder is absent; name it in SEGSCOPE_SHARED to run this test")


def _uses_qt(request: pytest.FixtureRequest) -> bool:
    return not {"qtbot", "qapp"}.isdisjoint(request.fixturenames)


@pytest.fixture(autouse=True)
def fresh_settings(request: pytest.FixtureRequest) -> Iterator[None]:
    """Give every window test its own empty place for settings and state."""
    if not _uses_qt(request):
        yield
        return
    from PySide6.QtCore import QSettings

    folder: Path = request.getfixturevalue("tmp_path_factory").mktemp("home")
    patch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
    for name in ("config", "data", "state"):
        (folder / name).mkdir()
        patch.setenv(f"XDG_{name.upper()}_HOME", str(folder / name))
    for kind in (QSettings.Format.NativeFormat, QSettings.Format.IniFormat):
        QSettings.setPath(kind, QSettings.Scope.UserScope, str(folder / "config"))
    yield


@pytest.fixture(autouse=True)
def no_leaks(request: pytest.FixtureRequest, fresh_settings: None) -> Iterator[None]:
    """Fail a window test that leaves a window open or a thread running.

    Widgets given to `qtbot.addWidget` are closed before this looks. Daemon threads may go on;
    any other thread has two seconds to end.
    """
    if not _uses_qt(request):
        yield
        return
    request.getfixturevalue("qapp")
    threads = set(threading.enumerate())
    widgets = {id(widget) for widget in _top_level_widgets()}
    yield
    leaked = [widget for widget in _top_level_widgets() if id(widget) not in widgets]
    if leaked:
        # A widget in a reference cycle isn't a leak.
        del leaked
        gc.collect()
        leaked = [widget for widget in _top_level_widgets() if id(widget) not in widgets]
    names = [f"{type(w).__name__} {w.objectName() or w.windowTitle()!r}" for w in leaked]
    for widget in leaked:
        widget.close()
        widget.deleteLater()
    running = []
    for thread in threading.enumerate():
        if thread not in threads and not thread.daemon:
            thread.join(timeout=2)
            if thread.is_alive():
                running.append(thread.name)
    if names:
        pytest.fail(f"top-level widgets left after the test: {', '.join(names)}")
    if running:
        pytest.fail(f"threads left running after the test: {', '.join(running)}")


def _top_level_widgets() -> list[Any]:
    """List the top-level widgets that are alive once pending deletions are done."""
    from PySide6.QtCore import QCoreApplication, QEvent
    from PySide6.QtWidgets import QApplication

    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QCoreApplication.processEvents()
    return QApplication.topLevelWidgets()
