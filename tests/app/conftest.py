"""Fixtures of the window's tests: jobs that end, a theme, a session, the whole window."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from app.jobs import Jobs
    from app.session import Session
    from app.theme import Theme
    from app.views.explore import ExploreWorkspace
    from app.window import Window
    from engine.model import Model


PATIENCE = 60_000
"""Milliseconds to wait at least for what must come: machines are slow while they compile."""


@pytest.fixture
def qtbot(qtbot: Any) -> Any:
    """A person who waits long enough on any machine: no test is about how long things take."""

    def patient(wait: Callable[..., Any]) -> Callable[..., Any]:
        def waiting(*what: Any, timeout: int = 0, **how: Any) -> Any:
            return wait(*what, timeout=max(timeout, PATIENCE), **how)

        return waiting

    for name in ("waitUntil", "waitSignal", "waitSignals", "waitExposed", "waitActive"):
        setattr(qtbot, name, patient(getattr(qtbot, name)))
    return qtbot


@pytest.fixture(autouse=True)
def collect_garbage_here() -> Iterator[None]:
    """Keep Python's collector out of worker threads, as the window does.

    It runs wherever memory is asked for, and would destroy a test's Qt objects in the wrong
    thread, which crashes.
    """
    gc.disable()
    yield
    gc.collect()
    gc.enable()


@pytest.fixture(scope="session")
def model_caches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("caches")


@pytest.fixture(autouse=True)
def caches_of_the_tests(model_caches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep parsed models in a folder of the tests' own."""
    monkeypatch.setattr("engine.cache.user_caches", lambda: model_caches)


@pytest.fixture(autouse=True)
def empty_clipboard() -> Iterator[None]:
    """Leave nothing on the clipboard.

    Without a screen Qt keeps what was copied until the process ends, and destroys it after Python
    is gone, which crashes.
    """
    yield
    from PySide6.QtGui import QGuiApplication

    if QGuiApplication.instance() is not None:
        QGuiApplication.clipboard().clear()


@pytest.fixture(scope="session")
def models() -> dict[str, Model]:
    """The bundled models by name."""
    import engine
    from engine import bundled

    return {model.name: engine.load(model.path) for model in bundled.models()}


@pytest.fixture
def jobs(qtbot: Any) -> Iterator[Jobs]:
    """Worker threads that are joined after the test."""
    from app.jobs import Jobs

    jobs = Jobs()
    yield jobs
    jobs.shutdown()


@pytest.fixture
def theme(qtbot: Any) -> Theme:
    from app.theme import Theme

    return Theme("light")


@pytest.fixture
def session(jobs: Jobs) -> Session:
    from app.session import Session

    return Session(jobs)


@pytest.fixture
def explore(
    qtbot: Any, session: Session, theme: Theme, models: dict[str, Model]
) -> Callable[..., ExploreWorkspace]:
    """Make the Explore workspace with some bundled models open and a text typed."""
    from tests.app.exploring import SENTENCE, open_explore

    def make(
        text: str = SENTENCE, names: tuple[str, ...] = ("everyday-unigram", "everyday-bpe")
    ) -> ExploreWorkspace:
        return open_explore(qtbot, session, theme, [models[name] for name in names], text)

    return make


@pytest.fixture
def make_window(qtbot: Any, jobs: Jobs) -> Iterator[Callable[..., Window]]:
    """Make the main window; `begin=False` leaves it as it is before the first paint."""
    from PySide6.QtCore import QSettings

    from app.jobs import Jobs
    from app.session import Session
    from app.settings import Preferences
    from app.theme import Theme
    from app.window import Window

    background = Jobs(workers=1)
    made: list[Window] = []

    def make(begin: bool = True, **arguments: Any) -> Window:
        preferences = Preferences.read(QSettings())
        window = Window(Session(jobs), Theme("light"), preferences, background)
        made.append(window)
        qtbot.addWidget(window)
        with qtbot.waitActive(window):  # keys of actions work in the active window only
            window.show()
            window.activateWindow()
        if begin:
            with qtbot.waitSignal(window.scenes.opened, timeout=20_000):
                window.begin(**arguments)
            qtbot.waitUntil(lambda: not window.session.busy, timeout=20_000)
        return window

    yield make
    for window in made:
        window.session.jobs.cancel_all()
    background.shutdown()
