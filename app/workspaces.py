"""The workspaces of the window, each made when it is first shown."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from PySide6.QtCore import QByteArray, QObject, Signal
from PySide6.QtWidgets import QStackedWidget

from app.session import Session
from app.theme import Theme
from app.workspace import Workspace

CLASSES = {
    "explore": ("app.views.explore", "ExploreWorkspace"),
    "merges": ("app.views.merges", "MergesWorkspace"),
    "sampling": ("app.views.sampling", "SamplingWorkspace"),
    "languages": ("app.views.languages", "LanguagesWorkspace"),
    "vocabulary": ("app.views.vocabulary", "VocabularyWorkspace"),
}


class Workspaces(QObject):
    """Makes workspaces in a stack and keeps the layout and view state of those not yet made."""

    go_to = Signal(str)
    """One of them wants another in front."""

    def __init__(
        self,
        session: Session,
        theme: Theme,
        layouts: dict[str, QByteArray],
        stack: QStackedWidget,
    ) -> None:
        super().__init__(stack)
        self._session, self._theme, self._stack = session, theme, stack
        self._layouts = dict(layouts)
        self._states: dict[str, dict[str, Any]] = {}
        self._made: dict[str, Workspace] = {}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(CLASSES)

    def made(self, name: str) -> Workspace | None:
        """Return a workspace if it has been made."""
        return self._made.get(name)

    def get(self, name: str) -> Workspace:
        """Return a workspace, made now if need be."""
        if name not in self._made:
            module, kind = CLASSES[name]
            workspace: Workspace = getattr(importlib.import_module(module), kind)(
                self._session, self._theme
            )
            self._made[name] = workspace
            workspace.go_to.connect(self.go_to)
            self._stack.addWidget(workspace)
            if not self._layouts.get(name, QByteArray()).isEmpty():
                workspace.restore_layout(self._layouts[name])
            if name in self._states:
                workspace.restore_view_state(self._states.pop(name))
        return self._made[name]

    def layouts(self) -> dict[str, QByteArray]:
        """Return the layout of every workspace, of those not made as they were stored."""
        now = {name: workspace.layout_state() for name, workspace in self._made.items()}
        return {**self._layouts, **now}

    def view_states(self) -> dict[str, dict[str, Any]]:
        """Return what each workspace keeps in a scene."""
        now = {name: workspace.view_state() for name, workspace in self._made.items()}
        return {name: state for name, state in {**self._states, **now}.items() if state}

    def restore_view_states(self, states: dict[str, Any]) -> None:
        """Take back what `view_states` gave; a workspace that isn't named gets its defaults."""
        known = {name: states.get(name) for name in CLASSES}
        plain = {name: state if isinstance(state, dict) else {} for name, state in known.items()}
        for name, workspace in self._made.items():
            workspace.restore_view_state(plain.pop(name))
        self._states = {name: state for name, state in plain.items() if state}
