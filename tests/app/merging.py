"""The Merges workspace on screen, as the window's tests use it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import engine
from app.session import Session
from app.theme import Theme
from app.views.merges import MergesWorkspace
from engine.bundled import model_path


def settle(qtbot: Any, session: Session) -> None:
    """Wait until nothing is computed any more, and what arrived is handled."""
    qtbot.waitUntil(lambda: not session.busy)
    qtbot.wait(1)


def open_merges(
    qtbot: Any, session: Session, theme: Theme, text: str, model: str, height: int = 760
) -> MergesWorkspace:
    """Show the workspace with a text and a model, a bundled one's name or a path."""
    theme.reduce_motion(True)
    session.set_text(text)
    session.add_model(engine.load(Path(model) if "/" in model else model_path(model)))
    workspace = MergesWorkspace(session, theme)
    qtbot.addWidget(workspace)
    workspace.resize(1200, height)
    with qtbot.waitExposed(workspace):
        workspace.show()
    settle(qtbot, session)
    return workspace
