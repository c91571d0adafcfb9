"""The last session's file: written at the end, and meanwhile, so that a crash loses little."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app import errors
from app.jobs import Jobs
from app.session import Session
from app.settings import data_folder
from engine.errors import SegscopeError
from engine.progress import Report

if TYPE_CHECKING:
    from engine.scene import Scene

SESSION_FILE = "session.json"

AFTER_MODELS, AFTER_CHANGES = 4_000, 60_000
"""Milliseconds from a change of the open models, and of anything else, to the writing."""


def session_file() -> Path:
    """Return where the last session is kept."""
    return data_folder() / SESSION_FILE


def kept_scene(failed: Callable[[SegscopeError], object]) -> Scene | None:
    """Return the last session's scene, None where there is none.

    A file that can't be read is set aside, and `failed` is told why.
    """
    path = session_file()
    if not path.exists():
        return None
    from engine.scene import read_scene

    try:
        return read_scene(path)
    except SegscopeError as error:
        set_aside(path)
        failed(error)
        return None


def set_aside(path: Path) -> None:
    """Keep a session's file that can't be read under another name: a new one will be written."""
    try:
        path.replace(path.with_name(f"{path.stem}.damaged{path.suffix}"))
    except OSError as error:
        _log(error)


class SessionKeeper(QObject):
    """Writes the session as a scene some time after it changed, in the background.

    capture: returns the scene of what is open. jobs: those that nobody waits for. failed: the
    session couldn't be written; told once until it can be again.
    """

    failed = Signal(object)

    def __init__(
        self,
        session: Session,
        capture: Callable[[], Scene],
        jobs: Jobs,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._capture, self._jobs = session, capture, jobs
        self._kept: Scene | None = None
        self._lock = threading.Lock()
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._write_later)
        self._held_models = False
        self._told = False
        session.models_changed.connect(self._models_changed)
        for changed in (session.text_changed, session.settings_changed, session.corpus_changed):
            changed.connect(self.touch)

    def _models_changed(self) -> None:
        self._held_models |= bool(self._session.models)
        self._start(AFTER_MODELS)

    def _opening(self) -> bool:
        """Whether something is being opened, which would be missing in the file."""
        keys = [job.key for job in self._session.jobs.running]
        return any(key == "scene" or key.startswith(("load ", "look ")) for key in keys)

    def keep_aside(self) -> Path | None:
        """Copy the last session's file: from now on it is written without what is missing.

        Returns the copy, None where it can't be made: then the file stays while no model is open.
        """
        path = session_file()
        copy = path.with_name(f"{path.stem}.before{path.suffix}")
        try:
            shutil.copyfile(path, copy)
        except OSError as error:
            _log(error)
            return None
        self._held_models = True
        return copy

    def touch(self) -> None:
        """Tell that something may have changed."""
        self._start(AFTER_CHANGES)

    def _start(self, delay: int) -> None:
        if not self._timer.isActive() or delay < self._timer.remainingTime():
            self._timer.start(delay)

    def _write_later(self) -> None:
        if self._opening():
            self._start(AFTER_MODELS)
            return
        scene = self._capture()
        if scene == self._kept:
            return
        path = session_file()

        def work(_report: Report, settle: Callable[[], object]) -> None:
            from engine.scene import write_scene

            with self._lock:
                settle()  # which leaves here when the window has written meanwhile
                write_scene(scene, path)

        def done(_: None) -> None:
            self._kept = scene
            self._told = False

        title = self.tr("Keeping the session")
        self._jobs.start("keep", title, work, done, self._not_written, settles=True)

    def _not_written(self, error: BaseException) -> None:
        _log(error)
        if not self._told:
            self._told = True
            self.failed.emit(error)

    def write(self) -> None:
        """Write the session now: the window is about to close.

        What was kept stays where the session hasn't come to hold anything: its models are still
        being opened, or couldn't be. Whatever goes wrong, the window can close.
        """
        self._timer.stop()
        self._jobs.cancel("keep")
        path = session_file()
        if path.exists() and (self._opening() or not self._held_models):
            return
        from engine.scene import write_scene

        try:
            with self._lock:
                write_scene(self._capture(), path)
        except Exception as error:  # noqa: BLE001
            _log(error)


def _log(error: BaseException) -> None:
    errors.LOG.error("the session was not saved", exc_info=error)
