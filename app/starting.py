"""What comes behind the first picture of the window, and in which order.

The window is on the screen before NumPy, the engine and the workspaces are imported. The engine
comes in a thread; of the workspace in front a part comes in each turn of the event loop, so that
keys and clicks get theirs. The kernels, which nobody waits for, come when nothing else is awaited.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from app.session import Session
from app.workspaces import Workspaces
from engine.progress import Report

EXPLORE = (
    "app.draw.viewport",
    "app.draw.axis",
    "app.draw.lettering",
    "app.draw.tokens",
    "app.draw.arc_labels",
    "app.draw.contents",
    "app.views.explore.placed",
    "app.views.explore.bands_view",
    "app.views.explore.facts",
    "app.views.explore.inspector",
    "app.views.explore.lattice_view",
    "app.views.explore.pipeline_pane",
    "app.views.explore.workspace",
)
"""The modules of Explore, each some milliseconds more than those before it."""


class Rest(QObject):
    """Brings in what the window's first picture did without; `begin` once that is painted.

    front: returns the name of the workspace that is wanted in front. kernels: begins to prepare
    them.
    """

    def __init__(
        self,
        session: Session,
        workspaces: Workspaces,
        front: Callable[[], str],
        kernels: Callable[[], object],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._workspaces = session, workspaces
        self._front, self._kernels = front, kernels
        self._modules = iter(EXPLORE)

    def begin(self) -> None:
        """Import the engine in the background, then the rest."""
        self._session.jobs.start(
            "engine", self.tr("Starting"), _import_engine, lambda _: self._next(), long=True
        )

    def _next(self) -> None:
        """Import one module of the workspace in front, or make it of them."""
        front = self._front() or "explore"
        module = next(self._modules, None) if front == "explore" else None
        if module is None:
            self._workspaces.get(front)
            self._session.jobs.changed.connect(self._kernels_if_quiet)
            self._kernels_if_quiet()
            return
        importlib.import_module(module)
        QTimer.singleShot(0, self, self._next)

    def _kernels_if_quiet(self) -> None:
        if not self._session.busy:
            self._session.jobs.changed.disconnect(self._kernels_if_quiet)
            self._kernels()


def _import_engine(_report: Report) -> None:
    for module in ("numpy", "regex", "engine.formats", "engine.explain", "engine.piece_table"):
        importlib.import_module(module)
