"""The Vocabulary workspace: all pieces of the active model, searched, sorted and mapped."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt, QTimer
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.counts import counted
from app.models.vocabulary import VocabularyTableModel
from app.session import Session
from app.theme import Theme
from app.views.vocabulary.card import PieceCard
from app.views.vocabulary.script_map import ScriptMap
from app.widgets.rows_table import RowsTable
from app.widgets.surface import set_surface
from app.workspace import Workspace
from engine.errors import ParameterError
from engine.piece_table import COLUMNS, PieceTable, piece_table
from engine.scene_fields import as_text

_WIDTHS = {"id": 76, "text": 260, "bytes": 64, "chars": 92, "script": 120, "kind": 100}


class VocabularyWorkspace(Workspace):
    """Filter line and table in the centre, the map of lengths and scripts, the piece card."""

    name = "vocabulary"

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._session = session
        self._table: PieceTable | None = None
        self._model_key: int | None = None
        self._seen = session.selection.piece

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
        self.view = RowsTable(self.rows, self.tr("Pieces of the vocabulary"), theme)
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
        set_surface(centre, theme, "canvas")
        self.resizeDocks([card_pane, map_pane], [372, 372], Qt.Orientation.Horizontal)
        self.resizeDocks([card_pane, map_pane], [420, 280], Qt.Orientation.Vertical)
        self.compose_default()

        self._pause = QTimer(self, singleShot=True, interval=60)
        self._pause.timeout.connect(self._apply_filter)
        self.filter_line.textChanged.connect(self._filter_typed)
        self.filter_line.returnPressed.connect(self._apply_filter)
        self.map.chosen.connect(self.filter_line.setText)
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        find.activated.connect(self._focus_filter)
        self.view.selectionModel().selectionChanged.connect(self._row_selected)
        session.active_changed.connect(self._active_changed)
        session.selection_changed.connect(self._selection_changed)
        self._load()

    def _dress_table(self) -> None:
        view = self.view
        header = view.horizontalHeader()
        for section, column in enumerate(COLUMNS):
            view.setColumnWidth(section, _WIDTHS.get(column, 104))
        header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        view.setSortingEnabled(True)
        header.setSortIndicatorShown(False)  # it would stand on the title: the title says it

    # The vocabulary of the active model

    def _active_changed(self) -> None:
        if self.isVisible() or self._session.active is None:
            self._load()
        else:  # `activated` reads the pieces once they can be seen
            self._session.jobs.cancel("vocabulary")
            self._take(None)

    def _load(self) -> None:
        opened = self._session.active
        if opened is None:
            self._session.jobs.cancel("vocabulary")
            self._take(None)
            return
        if self._model_key == opened.key:
            return
        self._take(None)  # ids of one model mean nothing in another
        self._model_key = opened.key
        self.count.setText(self.tr("Reading the pieces…"))
        job = self._session.jobs.start(
            "vocabulary",
            self.tr("Reading the vocabulary of {name}").format(name=opened.model.name),
            lambda report: piece_table(opened.model, report),
            self._take,
            lambda error: self._session.failed.emit(error, self.tr("The vocabulary was not read")),
        )
        job.ended.connect(lambda: self._ended(opened.key))

    def _ended(self, key: int) -> None:
        if self._model_key == key and self._table is None:  # cancelled, or it failed
            self._model_key = None
            self.count.setText(self.tr("The pieces were not read"))

    def _take(self, table: PieceTable | None) -> None:
        opened = self._session.active
        self._table = table
        if table is None or opened is None:
            self._model_key = None
            self.rows.set_table(None, None)
        else:
            model = opened.model
            hidden = {"rank": model.bpe is None, "score": model.algorithm != "unigram"}
            for column, absent in hidden.items():
                self.view.setColumnHidden(COLUMNS.index(column), absent)
            judged = bool((table.canonical >= 0).any())
            self.view.setColumnHidden(COLUMNS.index("canonical"), not judged)
            self.rows.set_table(table, opened.model.vocabulary)
            if self.view.isColumnHidden(self.view.horizontalHeader().sortIndicatorSection()):
                self.view.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.map.set_table(table)
        self.card.set_table(table)
        self._apply_filter()

    def activated(self) -> None:
        """Show the piece that was chosen elsewhere."""
        self._load()
        self._show_chosen()

    def _selection_changed(self) -> None:
        if self.isVisible():
            self._show_chosen()
        self._show_selection()

    def _show_chosen(self) -> None:
        """Show the piece that was chosen elsewhere, also where the filter would hide it."""
        piece, before = self._session.selection.piece, self._seen
        self._seen = piece
        if piece is not None and piece != before and self._table is not None:
            if self._table.row_of(piece) >= 0 and self.rows.row_of(piece) < 0:
                self.filter_line.clear()
            self._show_selection()

    def _filter_typed(self) -> None:
        self._pause.start()

    def _apply_filter(self) -> None:
        """Search in the background: a regular expression may take longer than a key press."""
        self._pause.stop()
        table, query = self._table, self.filter_line.text()
        if table is None:
            self.count.setText(self.tr("No model is open"))
            return

        def failed(error: BaseException) -> None:
            if not isinstance(error, ParameterError):
                self._session.failed.emit(error, self.tr("The vocabulary was not searched"))
                return
            self._fault.setText(f"⚠ {error}")
            self._fault.show()

        self._session.jobs.start(
            "vocabulary search",
            self.tr("Searching the vocabulary"),
            lambda report: table.filter(query),
            lambda found: self._show_found(table, found),
            failed,
        )

    def _show_found(self, table: PieceTable, found: NDArray[np.int64]) -> None:
        if table is not self._table:
            return
        self._fault.hide()
        self.rows.set_rows(found)
        self.count.setText(
            self.tr("{shown} of {all}").format(
                shown=f"{len(found):,}", all=counted(len(table), "piece")
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
            self._seen = piece
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
        self.view.scrollTo(index, RowsTable.ScrollHint.EnsureVisible)

    def view_state(self) -> dict[str, Any]:
        header = self.view.horizontalHeader()
        return {
            "filter": self.filter_line.text(),
            "sort": COLUMNS[header.sortIndicatorSection()],
            "descending": header.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder,
        }

    def restore_view_state(self, state: dict[str, Any]) -> None:
        self.filter_line.setText(as_text(state.get("filter")) or "")
        if state.get("sort") in COLUMNS:
            down = state.get("descending") is True
            order = Qt.SortOrder.DescendingOrder if down else Qt.SortOrder.AscendingOrder
            self.view.sortByColumn(COLUMNS.index(state["sort"]), order)
