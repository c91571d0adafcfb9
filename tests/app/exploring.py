"""The Explore workspace on screen, as the window's tests use it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint

from app.views.explore import ExploreWorkspace
from engine.model import Model
from engine.place import arc_points

SENTENCE = "The weather is lovely today"


def settle(qtbot: Any, session: Any) -> None:
    """Wait until nothing is computed any more."""
    qtbot.waitUntil(lambda: not session.busy)


def hover(qtbot: Any, widget: Any, place: QPoint, until: Callable[[], bool]) -> None:
    """Move the mouse to a place, from elsewhere so that it is a move, and wait until it shows.

    On a real display the pointer's moves arrive later, one after the other.
    """
    qtbot.mouseMove(widget, place + QPoint(0, 40))
    qtbot.mouseMove(widget, place)
    qtbot.waitUntil(until)


def open_explore(
    qtbot: Any, session: Any, theme: Any, models: Iterable[Model], text: str, pane: str = ""
) -> ExploreWorkspace:
    """Show the workspace with models open, the first active, and a text given.

    pane: the short name of the pane that is brought to the front.
    """
    for model in models:
        session.add_model(model)
    if session.models:
        session.set_active(session.models[0].key)
    workspace = ExploreWorkspace(session, theme)
    qtbot.addWidget(workspace)
    workspace.resize(1370, 820)
    with qtbot.waitExposed(workspace):
        workspace.show()
    session.set_text(text)
    if pane:
        workspace.pane(pane).raise_()
    settle(qtbot, session)
    return workspace


def apex(workspace: ExploreWorkspace, edge: int) -> QPoint:
    """Return a pixel on an edge's arc."""
    shapes = workspace.lattice.shapes()
    assert shapes is not None
    k = int(np.flatnonzero(shapes.edge == edge)[0])
    x, up = arc_points(shapes.x0[k : k + 1], shapes.x1[k : k + 1], shapes.height[k : k + 1])[0][12]
    return QPoint(round(x), round(workspace.lattice.place.base - up))
