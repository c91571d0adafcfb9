"""The actions of the table as Qt's own, bound to what they call."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from app.actions import ACTIONS, Spec


class ActionTable(QObject):
    """The actions of the table as `QAction`s, bound to the methods of a commands object."""

    def __init__(self, window: QWidget, commands: object) -> None:
        super().__init__(window)
        self.actions: dict[str, QAction] = {}
        groups: dict[str, QActionGroup] = {}
        for spec in ACTIONS:
            action = QAction(spec.title, window)
            action.setObjectName(f"action.{spec.id}")
            if spec.local:
                action.setText(f"{spec.title}\t{spec.keys()}")
            elif spec.shortcut:
                action.setShortcut(QKeySequence(spec.shortcut))
            action.setCheckable(spec.checkable)
            if spec.exclusive:
                if spec.exclusive not in groups:
                    groups[spec.exclusive] = QActionGroup(self)
                groups[spec.exclusive].addAction(action)
            action.triggered.connect(_bind(spec, getattr(commands, spec.call)))
            window.addAction(action)  # so that shortcuts work while the menu bar is hidden
            self.actions[spec.id] = action

    def allow(self, conditions: Mapping[str, bool]) -> None:
        """Enable the actions whose condition holds."""
        for spec in ACTIONS:
            if spec.when:
                self.actions[spec.id].setEnabled(conditions.get(spec.when, False))

    def fill(self, menus: Mapping[str, QMenu]) -> None:
        """Put the actions into the menus, with a line between groups."""
        for name, menu in menus.items():
            group: int | None = None
            for spec in ACTIONS:
                if spec.menu != name:
                    continue
                if group is not None and spec.group != group:
                    menu.addSeparator()
                group = spec.group
                menu.addAction(self.actions[spec.id])


def _bind(spec: Spec, call: Callable[..., object]) -> Callable[[bool], object]:
    def run(checked: bool = False) -> object:
        if spec.argument:
            return call(spec.argument)
        return call(checked) if spec.checkable else call()

    return run
