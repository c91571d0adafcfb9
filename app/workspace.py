"""What every workspace is: a fixed centre, panes around it that move, an inspector, maybe a player.

A workspace is a nested `QMainWindow`, so that its panes dock, tab and float on their own and its
layout is kept apart from the others'.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QByteArray, Qt, Signal
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from app.player import Player

LAYOUT_VERSION = 1


class Workspace(QMainWindow):
    """Base of the workspaces.

    name: key in settings and scenes (`explore`, `merges`, `sampling`, `languages`, `vocabulary`).
    player: the player that the player bar shows while this workspace is in front, or None.
    """

    go_to = Signal(str)
    """Another workspace is wanted in front, by its name."""

    name = ""
    player: Player | None = None

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Widget)
        self.setObjectName(self.name)
        self.setDockNestingEnabled(True)
        self._default = QByteArray()

    def add_pane(
        self, name: str, title: str, widget: QWidget, area: Qt.DockWidgetArea
    ) -> QDockWidget:
        """Put `widget` into a pane that can be moved, floated, closed and shown again."""
        dock = QDockWidget(title, self)
        dock.setObjectName(f"{self.name}.{name}")
        dock.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        dock.setWidget(widget)
        self.addDockWidget(area, dock)
        return dock

    def panes(self) -> list[QDockWidget]:
        """Return the panes in the order in which they were added."""
        return self.findChildren(QDockWidget)

    def compose_default(self) -> None:
        """Remember the present layout as the default; call at the end of the constructor."""
        self._default = self.saveState(LAYOUT_VERSION)

    def restore_default(self) -> None:
        """Put all panes back to where the workspace's design has them."""
        for dock in self.panes():
            dock.setFloating(False)
            dock.show()
        self.restoreState(self._default, LAYOUT_VERSION)

    def layout_state(self) -> QByteArray:
        return self.saveState(LAYOUT_VERSION)

    def restore_layout(self, state: QByteArray) -> bool:
        """Restore a saved layout; False when it belongs to another version."""
        return self.restoreState(state, LAYOUT_VERSION)

    def view_state(self) -> dict[str, Any]:
        """What a scene keeps of this workspace beyond the session: plain JSON data."""
        return {}

    def restore_view_state(self, state: dict[str, Any]) -> None:
        """Take back what `view_state` gave; unknown or missing keys are ignored."""

    def trace_name(self) -> str:
        """Return which trace the player plays: `merges`, `viterbi`, `perfect`; "" for none."""
        return ""

    def choose_trace(self, name: str) -> None:
        """Play another trace, by a name of `trace_name`; unknown ones are ignored."""

    def activated(self) -> None:
        """Called when the workspace comes to the front."""
