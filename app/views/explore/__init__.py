"""Explore: a text, its tokens under each open model, the lattice, the best paths."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.session import Session
from app.theme import Theme
from app.views.explore.bands_view import BandsView
from app.views.explore.lattice_view import LatticeView
from app.views.explore.paths_view import PathsView
from app.views.explore.placed import Placed
from app.views.explore.text_bar import TextBar
from app.views.explore.theta import ThetaControl
from app.workspace import Workspace


class ExploreWorkspace(Workspace):
    """The workspace of one text. `go_to` asks the window for another workspace by name."""

    name = "explore"
    go_to = Signal(str)

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.placed = Placed(session, theme, self)
        self.text_bar = TextBar(session, theme)
        self.bands = BandsView(self.placed, theme)
        self.lattice = LatticeView(self.placed, theme)
        self.paths = PathsView(self.placed, theme)
        self.theta = ThetaControl(session)
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.text_bar)
        column.addWidget(self.bands)
        column.addWidget(self.theta)
        column.addWidget(self.lattice, 1)
        self.setCentralWidget(centre)
        self.add_pane(
            "paths", self.tr("Best paths"), self.paths, Qt.DockWidgetArea.BottomDockWidgetArea
        )
        self.compose_default()
