"""Pinning and forbidding what is selected in the lattice: by key, menu or button."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from app.icons import icon
from app.session import Session
from app.theme import Theme
from app.views.explore.placed import Placed
from engine.constrain import Action, Constraint, edge_constraint, node_constraint

KEYS: dict[Action, str] = {"pin": "P", "forbid": "X"}

tr = QCoreApplication.translate


def selected_constraint(session: Session, placed: Placed, action: Action) -> Constraint | None:
    """Return the constraint on the selected edge or boundary; None where neither is selected."""
    analysis, selection = placed.analysis, session.selection
    if analysis is None or placed.stale_text or selection.model != analysis.model_key:
        return None
    lattice = analysis.lattice
    if selection.node is not None and selection.node < lattice.n_nodes:
        return node_constraint(lattice, selection.node, action)
    if selection.edge is not None and selection.edge < lattice.n_edges:
        return edge_constraint(lattice, selection.edge, action)
    return None


def constrain_selected(session: Session, placed: Placed, action: Action) -> bool:
    """Pin or forbid what is selected, or set it free again; return whether something is."""
    constraint = selected_constraint(session, placed, action)
    if constraint is not None:
        session.constraints.toggle(constraint)
    return constraint is not None


def words_for(session: Session, placed: Placed, action: Action) -> str:
    """Return what pinning or forbidding the selection is called now; empty where nothing is."""
    constraint = selected_constraint(session, placed, action)
    if constraint is None:
        return ""
    boundary = constraint.target == "boundary"
    if constraint in session.constraints.asked:
        if action == "pin":
            return tr("Constraints", "Unpin")
        return tr("Constraints", "Allow again")
    if action == "pin":
        if boundary:
            return tr("Constraints", "Pin this boundary")
        return tr("Constraints", "Pin this edge")
    if boundary:
        return tr("Constraints", "Forbid this boundary")
    return tr("Constraints", "Forbid this edge")


def constraint_menu(session: Session, placed: Placed, theme: Theme, parent: QWidget) -> QMenu:
    """Return the menu of the selected edge or boundary."""
    menu = QMenu(parent)
    actions: tuple[Action, ...] = ("pin", "forbid")
    for action in actions:
        words = words_for(session, placed, action)
        entry = menu.addAction(
            icon(action, theme, size=18), words or tr("Constraints", "Nothing is selected here")
        )
        entry.setEnabled(bool(words))
        if not words:
            break
        entry.setShortcut(QKeySequence(KEYS[action]))
        entry.setShortcutVisibleInContextMenu(True)
        entry.triggered.connect(
            lambda _=False, action=action: constrain_selected(session, placed, action)
        )
    menu.addSeparator()
    clear = menu.addAction(tr("Constraints", "Clear all constraints"))
    clear.setEnabled(bool(session.constraints.asked))
    clear.triggered.connect(session.constraints.clear)
    return menu
