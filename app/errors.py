"""What becomes of errors: the log file, and sentences instead of tracebacks."""

from __future__ import annotations

import errno
import logging
import logging.handlers
import platform
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import (
    QCoreApplication,
    QMessageLogContext,
    QObject,
    QtMsgType,
    Signal,
    qInstallMessageHandler,
    qVersion,
)

from engine.errors import SegscopeError

LOG = logging.getLogger("segscope")

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Numbers of errors that say that there is no room."""


@dataclass(frozen=True)
class Fault:
    """An error in words. expected: one that the engine explains, so nothing is broken."""

    what: str
    where: str
    remedy: str
    detail: str
    expected: bool


def describe(error: BaseException, doing: str = "") -> Fault:
    """Put an error into words; `doing` says what was being done and opens the sentence."""
    if isinstance(error, SegscopeError):
        what = f"{doing}: {error.what}" if doing else _capital(error.what)
        detail = "\n".join(part for part in (what, error.where, error.remedy) if part)
        return Fault(what, _place(error.where), _capital(error.remedy), detail, True)

    def tr(text: str) -> str:
        return QCoreApplication.translate("Errors", text)

    if isinstance(error, OSError) and error.strerror:
        what = f"{doing}: {_small(error.strerror)}" if doing else _capital(error.strerror)
        where = "" if error.filename is None else str(error.filename)
        remedy = tr("Free some space, or choose another place.")
        if error.errno not in FULL:
            remedy = tr("Look whether the place is there and may be used, then try again.")
        detail = "\n".join(part for part in (what, where, remedy) if part)
        return Fault(what, where, remedy, detail, True)
    if isinstance(error, MemoryError):
        problem = tr("there is not enough memory")
    else:
        problem = tr("something unexpected happened inside Segscope")
    what = f"{doing}: {problem}" if doing else _capital(problem)
    return Fault(
        what,
        "",
        tr("What is open stays as it is. The details can be copied for a report."),
        report(error),
        False,
    )


def report(error: BaseException) -> str:
    """Return the text that a person can send to those who mend it."""
    lines = traceback.format_exception(type(error), error, error.__traceback__)
    system = f"Python {platform.python_version()}, Qt {qVersion()}, {platform.platform()}"
    return f"{system}\n\n{''.join(lines)}"


def _place(where: str) -> str:
    """Return a place as a sentence begins, but a path as it is."""
    first = where.split(" ", 1)[0]
    return where if set(first) & set("./\\") else _capital(where)


def _small(text: str) -> str:
    """Return a sentence as it goes on after a colon."""
    return text[:1].lower() + text[1:]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


class Uncaught(QObject):
    """Takes every exception that nobody caught, from any thread, to the log and the window."""

    happened = Signal(object)

    def install(self) -> None:
        """Take the place of Python's own hooks."""
        self._before = (sys.excepthook, threading.excepthook)
        sys.excepthook = self._take
        threading.excepthook = lambda args: self._take(
            args.exc_type, args.exc_value, args.exc_traceback
        )

    def uninstall(self) -> None:
        """Give Python its hooks back."""
        sys.excepthook, threading.excepthook = self._before

    def _take(
        self,
        kind: type[BaseException],
        error: BaseException | None,
        place: TracebackType | None,
    ) -> None:
        if error is None or issubclass(kind, KeyboardInterrupt | SystemExit):
            sys.__excepthook__(kind, error or kind(), place)
            return
        LOG.error("uncaught error", exc_info=(kind, error, place))
        # A painter must not outlive its paint event, and the error keeps all that its frames hold.
        traceback.clear_frames(place)
        self.happened.emit(error)


def log_qt() -> None:
    """Send what Qt has to say to the log instead of the terminal."""

    def take(_kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
        LOG.info("Qt: %s", text)

    qInstallMessageHandler(take)


def open_log(folder: Path) -> Callable[[], None]:
    """Write the log to a file of limited size; return what closes it."""
    handler: logging.Handler
    try:
        handler = logging.handlers.RotatingFileHandler(
            folder / "segscope.log", maxBytes=500_000, backupCount=1, encoding="utf-8", delay=True
        )
    except OSError:
        handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    LOG.propagate = False

    def close() -> None:
        LOG.removeHandler(handler)
        handler.close()

    return close
