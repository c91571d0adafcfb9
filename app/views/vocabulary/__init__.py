"""The Vocabulary workspace: all pieces of the active model, searched, sorted and mapped."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt, QTimer
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.models.vocabulary import VocabularyTableModel
from app.session import Session
from app.theme import Theme
from app.views.vocabulary.card import PieceCard
from app.views.vocabulary.script_map import ScriptMap
from app.widgets.pane_title import PaneTitle
from app.widgets.surface import set_surface
from app.workspace import Workspace
from engine.errors import ParameterError
from engine.piece_table import COLUMNS, PieceTable, piece_table

_WIDTHS = {"id": 76, "text": 260, "bytes": 64, "chars": 92, "script": 120, "kind": 100}


class VocabularyWorkspace(Workspace):
    """Filter line and table in the centre, the map of lengths and scripts, the piece card."""

    name = "vocabulary"

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._table: PieceTable | None = None
        self._table_model: int | None = None

        self.filter_line = QLineEdit()
        self.filter_line.setPlaceholderText(
            self.tr("Part of a piece, len>8, script:Hangul, kind:byte, /regular expression/")
        )
        self.filter_line.setClearButtonEnabled(True)
        self.filter_line.setAccessibleName(self.tr("Filter pieces"))
        self.count = QLabel()
        self.count.setAccessibleName(self.tr("Number of pieces shown"))
        self._fault = QLabel()
        self._fault.setWordWrap(True)
        self._fault.hide()

        self.rows = VocabularyTableModel(theme, self)
        self.view = QTableView()
        self.view.setModel(self.rows)
        self._dress_table()

        centre = QWidget()
        layout = QVBoxLayout(centre)
        layout.setContentsMargins(12, 8, 12, 0)
        layout.setSpacing(8)
        line = QHBoxLayout()
        line.addWidget(self.filter_line, 1)
        line.addWidget(self.count)
        layout.addLayout(line)
        layout.addWidget(self._fault)
        layout.addWidget(self.view, 1)
        self.setCentralWidget(centre)

        self.card = PieceCard(session, theme)
        self.map = ScriptMap(theme)
        side = Qt.DockWidgetArea.RightDockWidgetArea
        card_pane = self.add_pane("inspector", self.tr("Piece"), self.card, side)
        map_pane = self.add_pane("map", self.tr("Length and script"), self.map, side)
        for pane in (card_pane, map_pane):
            title = PaneTitle(theme, pane.windowTitle())
            set_surface(title, theme, "panel")
            pane.setTitleBarWidget(title)
        set_surface(centre, theme, "canvas")
        self.resizeDocks([card_pane, map_pane], [320, 320], Qt.Orientation.Horizontal)
        self.resizeDocks([card_pane, map_pane], [420, 280], Qt.Orientation.Vertical)
        self.compose_default()

        self._pause = QTimer(self, singleShot=True, interval=60)
        self._pause.timeout.connect(self._apply_filter)
        self.filter_line.textChanged.connect(self._filter_typed)
        self.filter_line.returnPressed.connect(self._apply_filter)
        self.map.chosen.connect(self.filter_line.setText)
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.activated.connect(self._focus_filter)
        self.view.selectionModel().selectionChanged.connect(self._row_selected)
        session.active_changed.connect(self._load)
        session.selection_changed.connect(self._show_selection)
        self._load()

    def _dress_table(self) -> None:
        view = self.view
        view.setAccessibleName(self.tr("Pieces of the vocabulary"))
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        view.setShowGrid(False)
        view.setWordWrap(False)
        view.setTabKeyNavigation(False)
        view.verticalHeader().hide()
        view.verticalHeader().setDefaultSectionSize(24)
        header = view.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for section, column in enumerate(COLUMNS):
            view.setColumnWidth(section, _WIDTHS.get(column, 104))
        header.setStretchLastSection(True)
        header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        view.setSortingEnabled(True)

    # The vocabulary of the active model

    def _load(self) -> None:
        opened = self._session.active
        if opened is None:
            self._take(None)
            return
        if self._table_model == opened.key:
            return
        self._table_model = opened.key
        self._session.jobs.start(
            "vocabulary",
            self.tr("Reading the vocabulary of {name}").format(name=opened.model.name),
            lambda report: piece_table(opened.model, report),
            self._take,
        )

    def _take(self, table: PieceTable | None) -> None:
        opened = self._session.active
        self._table = table
        if table is None or opened is None:
            self._table_model = None
            self.rows.set_table(None, None)
        else:
            self.rows.set_table(table, opened.model.vocabulary)
            unranked = opened.model.algorithm != "bpe"
            self.view.setColumnHidden(COLUMNS.index("rank"), unranked)
            self.view.setColumnHidden(COLUMNS.index("score"), opened.model.algorithm != "unigram")
        self.view.horizontalHeader().setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        self.map.set_table(table)
        self.card.set_table(table)
        self._apply_filter()

    def _filter_typed(self) -> None:
        self._pause.start()

    def _apply_filter(self) -> None:
        self._pause.stop()
        table = self._table
        if table is None:
            self.count.setText(self.tr("No model is open"))
            return
        try:
            found = table.filter(self.filter_line.text())
        except ParameterError as error:
            self._fault.setText(f"⚠ {error}")
            self._fault.show()
            return
        self._fault.hide()
        self.rows.set_rows(found)
        self.count.setText(
            self.tr("{shown} of {all} pieces").format(
                shown=f"{len(found):,}", all=f"{len(table):,}"
            )
        )
        self._show_selection()

    def _focus_filter(self) -> None:
        self.filter_line.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter_line.selectAll()

    # The linked selection

    def _row_selected(self, selected: QItemSelection) -> None:
        rows = selected.indexes()
        if rows:
            piece = self.rows.piece(rows[0].row())
            if piece != self._session.selection.piece:
                self._session.select(piece=piece, edge=None, path=None)

    def _show_selection(self) -> None:
        piece = self._session.selection.piece
        if piece is None:
            return
        row = self.rows.row_of(piece)
        if row < 0:
            self.view.clearSelection()
            return
        index = self.rows.index(row, 0)
        if not self.view.selectionModel().isRowSelected(row):
            flags = (
                QItemSelectionModel.SelectionFlag.ClearAndSelect
                | QItemSelectionModel.SelectionFlag.Rows
            )
            self.view.selectionModel().setCurrentIndex(index, flags)
        self.view.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)

    def view_state(self) -> dict[str, Any]:
        header = self.view.horizontalHeader()
        return {
            "filter": self.filter_line.text(),
            "sort": COLUMNS[header.sortIndicatorSection()],
            "descending": header.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder,
        }

    def restore_view_state(self, state: dict[str, Any]) -> None:
        self.filter_line.setText(str(state.get("filter", "")))
        if state.get("sort") in COLUMNS:
            down = bool(state.get("descending"))
            order = Qt.SortOrder.DescendingOrder if down else Qt.SortOrder.AscendingOrder
            self.view.sortByColumn(COLUMNS.index(state["sort"]), order)
