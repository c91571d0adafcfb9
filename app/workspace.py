"""What every workspace is: a fixed centre, panes around it that move, an inspector, maybe a player.

A workspace is a nested `QMainWindow`, so that its panes dock, tab and float on their own and its
layout is kept apart from the others'.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtCore import QByteArray, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from app.player import Player
from app.theme import Theme
from app.widgets.pane_title import PaneTitle
from app.widgets.surface import set_surface

if TYPE_CHECKING:
    from engine.constrain import Action

LAYOUT_VERSION = 2

Zoom = Literal["in", "out", "fit", "all"]
"""By a step, to what is legible, or to all there is."""


class Workspace(QMainWindow):
    """Base of the workspaces.

    name: key in settings and scenes (`explore`, `merges`, `sampling`, `languages`, `vocabulary`).
    player: the player that the player bar shows while this workspace is in front, or None.
    """

    go_to = Signal(str)
    """Another workspace is wanted in front, by its name."""

    name = ""
    player: Player | None = None

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Widget)
        self._theme = theme
        self.setObjectName(self.name)
        self.setDockNestingEnabled(True)
        self._default = QByteArray()
        self._sizes: list[tuple[Sequence[QDockWidget], Sequence[int], Qt.Orientation]] = []
        self._restored = QByteArray()
        self._put_away = QByteArray()
        self._shown = False

    def add_pane(
        self,
        name: str,
        title: str,
        widget: QWidget,
        area: Qt.DockWidgetArea,
        bar: PaneTitle | None = None,
        surface: str = "panel",
    ) -> QDockWidget:
        """Put `widget` into a pane that is dragged by its title; the menus float and close it.

        bar: what stands above the widget, where it is more than the title.
        surface: the colour of the theme that the title stands on.
        """
        dock = QDockWidget(title, self)
        dock.setObjectName(f"{self.name}.{name}")
        dock.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        dock.setWidget(widget)
        bar = bar or PaneTitle(self._theme, title)
        set_surface(bar, self._theme, surface)
        dock.setTitleBarWidget(bar)
        self.addDockWidget(area, dock)
        return dock

    def panes(self) -> list[QDockWidget]:
        """Return the panes in the order in which they were added."""
        return self.findChildren(QDockWidget)

    def resizeDocks(
        self, docks: Sequence[QDockWidget], sizes: Sequence[int], orientation: Qt.Orientation
    ) -> None:
        """Give panes their sizes, now and when the workspace is first shown.

        Before that it hasn't its own size, and Qt would forget those of its panes.
        """
        if not self._shown:
            self._sizes.append((docks, sizes, orientation))
        super().resizeDocks(docks, sizes, orientation)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._shown:
            self._shown = True
            QTimer.singleShot(0, self, self._first_layout)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self.player is not None:
            self.player.pause()  # nobody would see it play

    def _first_layout(self) -> None:
        if not self._put_away.isEmpty():
            self._put_away = self._default if self._restored.isEmpty() else self._restored
            return
        if self._restored.isEmpty():
            self._size_panes()
        else:
            self.restoreState(self._restored, LAYOUT_VERSION)

    def _size_panes(self) -> None:
        for docks, sizes, orientation in self._sizes:
            super().resizeDocks(docks, sizes, orientation)

    def compose_default(self) -> None:
        """Remember the present layout as the default; call at the end of the constructor."""
        self._default = self.saveState(LAYOUT_VERSION)

    def restore_default(self) -> None:
        """Put all panes back to where the workspace's design has them."""
        self.show_panes(True)
        for dock in self.panes():
            dock.setFloating(False)
            dock.show()
        self.restoreState(self._default, LAYOUT_VERSION)
        self._size_panes()

    def show_panes(self, on: bool) -> None:
        """Put all panes away while there is nothing to show in them, and bring them back."""
        if on == self._put_away.isEmpty():
            return
        if on:
            state, self._put_away = self._put_away, QByteArray()
            self.restoreState(state, LAYOUT_VERSION)
            if state == self._default:
                self._size_panes()
            return
        self._put_away = self.saveState(LAYOUT_VERSION)
        for dock in self.panes():
            dock.hide()

    def layout_state(self) -> QByteArray:
        if not self._put_away.isEmpty():
            return self._put_away
        return self.saveState(LAYOUT_VERSION)

    def restore_layout(self, state: QByteArray) -> bool:
        """Restore a saved layout; False when it belongs to another version."""
        if not self._put_away.isEmpty():
            return self._keep_for_later(state)
        known = self.restoreState(state, LAYOUT_VERSION)
        if known and not self._shown:
            self._restored = state
        return known

    def _keep_for_later(self, state: QByteArray) -> bool:
        """Check a layout and keep it for when the panes come back."""
        known = self.restoreState(state, LAYOUT_VERSION)
        if known:
            self._put_away = state
        for dock in self.panes():
            dock.hide()
        return known

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

    def constrain(self, action: Action) -> bool:
        """Pin or forbid what is selected, or set it free; False where nothing can be."""
        return False

    def sample_in_bulk(self) -> None:
        """Show the dialog in which many texts are drawn, where the workspace has it."""

    def zoom(self, how: Zoom) -> None:
        """Show more or less of the picture in front."""

    def activated(self) -> None:
        """Called when the workspace comes to the front."""
