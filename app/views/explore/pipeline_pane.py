"""The Pipeline pane: the stages as a picture or as a table, and what came back of the text."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QSize
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QWidget

from app.draw.isolate import isolate
from app.draw.viewport import GUTTER, MARGIN
from app.models.stages import StageEntry, StageTableModel
from app.theme import Theme
from app.views.explore.pipeline_view import PipelineView
from app.views.explore.pipeline_words import (
    not_applied_words,
    round_trip_words,
    titles,
    tr,
)
from app.views.explore.pipeline_work import PipelineWork, Staged, change_words
from app.views.explore.placed import Placed
from app.widgets.pane_title import PaneTitle
from app.widgets.rows_table import RowsTable
from app.widgets.segmented import SegmentedControl
from engine.changes import Change
from engine.display import visible


class PipelinePane(QStackedWidget):
    """Picture and table over the same stages and the same selection. title: what stands above."""

    def __init__(self, placed: Placed, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._placed, self._session = placed, placed.session
        self._showing = self._seen = False
        self.work = PipelineWork(placed, self)
        self.view = PipelineView(self.work, placed, theme)
        self.rows = StageTableModel(theme, self)
        self.table = RowsTable(
            self.rows, self.tr("Stages"), theme, (120, 84, 84, 170, 190, 76), self
        )
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setWidget(self.view)
        self.addWidget(area)
        self.addWidget(self.table)
        self.title = PaneTitle(theme, self.tr("Pipeline"))
        self.title.set_note_left(round(GUTTER + MARGIN))
        self.shape = SegmentedControl(
            [("picture", self.tr("Picture")), ("table", self.tr("Table"))], theme
        )
        self.shape.setAccessibleName(self.tr("Pipeline as"))
        self.shape.changed.connect(self._choose)
        self.title.add(self.shape)
        self.work.changed.connect(self._changed)
        self.table.selectionModel().selectionChanged.connect(self._row_selected)
        self._session.selection_changed.connect(self._show_selection)
        self._session.models_changed.connect(self._changed)
        self._changed()

    def sizeHint(self) -> QSize:
        return QSize(700, self.view.sizeHint().height() + 2)

    @property
    def seen(self) -> bool:
        """Whether the pane is in front of those that share its place."""
        return self._seen

    def set_seen(self, seen: bool) -> None:
        """Work only while the pane is in front; Qt hides no pane behind another."""
        self._seen = seen
        self.work.set_seen(seen)

    def _choose(self, shape: str) -> None:
        self.setCurrentIndex(1 if shape == "table" else 0)
        if shape == "table":
            self._fill()

    def _changed(self) -> None:
        staged = self.work.staged
        words = "" if staged is None else round_trip_words(staged)
        not_applied = [] if staged is None else staged.stages.model.settings.get("not_applied", [])
        if not_applied:
            words += " · " + not_applied_words(not_applied)
        self.title.note.setText(words)
        if self.currentIndex() == 1:
            self._fill()

    def _fill(self) -> None:
        staged = self.work.staged
        self._showing = True
        self.rows.set_entries([] if staged is None else entries(staged))
        self._showing = False
        self._show_selection()

    def _row_selected(self) -> None:
        rows, staged = self.table.selectionModel().selectedRows(), self.work.staged
        if self._showing or not rows or staged is None or self.work.stale:
            return
        entry = self.rows.entry(rows[0].row())
        piece = None
        if entry.stage == 2 and entry.piece >= 0:
            piece = int(staged.stages.tokens.piece[entry.piece])
        self._session.select(
            model=staged.key, span=(entry.start, entry.end), piece=piece, edge=None
        )

    def _show_selection(self) -> None:
        if self.currentIndex() != 1 or self._showing:
            return
        chosen, span = self.table.selectionModel().selectedRows(), self._session.selection.span
        if chosen:
            entry = self.rows.entry(chosen[0].row())
            if span == (entry.start, entry.end):
                return
        row = -1 if span is None else self.rows.row_of(span, 2)
        self._showing = True
        if row < 0:
            self.table.clearSelection()
        else:
            index = self.rows.index(row, 0)
            flags = QItemSelectionModel.SelectionFlag
            self.table.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
            self.table.scrollTo(index)
        self._showing = False


def entries(staged: Staged) -> list[StageEntry]:
    """Return the rows of the table: of each stage its pieces, and what it leaves out."""
    given, names = staged.stages.text.encoded, titles()

    def head(number: int, start: int, end: int) -> tuple[str, str, str, str]:
        before = isolate(visible(given[start:end]))
        return names[number + 1], f"{start:,}", f"{end:,}", before

    found = []
    for number, whole in enumerate(staged.stages.all):
        stage = whole.joined if number == 0 else whole
        rows = []
        for i in range(len(stage)):
            start, end = int(stage.source_start[i]), int(stage.source_end[i])
            label = visible(stage.bytes(i)) if number == 0 else staged.labels[number][i]
            token = str(int(stage.piece[i])) if number == 2 else ""
            words = change_words(Change(stage.change[i]))
            if number == 1 and staged.stages.written(i):
                words = staged.stages.written(i)
            texts = (*head(number, start, end), isolate(label), token, words)
            rows.append(StageEntry(number, i, start, end, texts))
        for start, end in stage.lost.tolist():
            texts = (*head(number, start, end), "×", "", tr("left out"))
            rows.append(StageEntry(number, -1, start, end, texts))
        found += sorted(rows, key=lambda row: (row.start, row.piece))
    return found
