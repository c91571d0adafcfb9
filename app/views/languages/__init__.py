"""The Languages workspace: compression by language, for all open models, over a corpus."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QItemSelection, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.counts import counted
from app.draw.bars import scale_of
from app.models.languages import COLUMNS, LanguageFigures, LanguagesTableModel, ModelBars
from app.reading import read_by
from app.session import OpenModel, Session
from app.theme import Theme
from app.views.languages.counting import METRICS, Counting
from app.views.languages.inspector import LanguageInspector
from app.views.languages.legend import Legend
from app.views.languages.overview import Overview
from app.views.languages.table import BarTable
from app.widgets.empty import EmptyState
from app.widgets.pane_title import PaneTitle
from app.widgets.segmented import SegmentedControl
from app.widgets.surface import set_surface
from app.workspace import Workspace
from engine import bundled
from engine.errors import SegscopeError
from engine.files import check_over, write_atomic
from engine.scene_fields import as_text

SORTS = ("bar", "language", "tokens")
"""What the key S goes through: the figure shown, the name, the tokens."""


class LanguagesWorkspace(Workspace):
    """Metric and base on top, the overview, the bar table, and the drill-down at the right."""

    name = "languages"

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._session = session
        self.counting = Counting(session, self)
        self._sort, self._descending = "bar", True
        self._metric = ""
        self.rows = LanguagesTableModel(self)

        self.metric_choice = SegmentedControl(
            [
                ("chars_per_token", self.tr("Chars / token")),
                ("bytes_per_token", self.tr("Bytes / token")),
                ("graphemes_per_token", self.tr("Graphemes / token")),
                ("premium", self.tr("Premium")),
            ],
            theme,
        )
        self.metric_choice.setAccessibleName(self.tr("Metric"))
        self.base = QComboBox()
        self.base.setAccessibleName(self.tr("Base language"))
        self.base.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.base.setMinimumContentsLength(14)
        self.filter_line = QLineEdit()
        self.filter_line.setPlaceholderText(self.tr("Filter languages"))
        self.filter_line.setAccessibleName(self.tr("Filter languages"))
        self.filter_line.setClearButtonEnabled(True)
        self.filter_line.setMaximumWidth(200)
        self.legend = Legend(theme)
        self.head = PaneTitle(theme)
        self.notes = QLabel()
        self.notes.setProperty("role", "note")
        self.notes.setTextFormat(Qt.TextFormat.PlainText)
        self.overview = Overview(theme)
        self.table = BarTable(self.rows, theme)
        self.again = QPushButton(self.tr("Count again"))
        self.again.clicked.connect(self.counting.try_again)
        self.export_button = QPushButton(self.tr("Save as CSV…"))
        self.export_button.clicked.connect(self._save_dialog)
        self.inspector = LanguageInspector(session, self.counting, theme)
        self._empty = EmptyState(
            self.tr("Open a corpus: a folder with one text file a language, lines aligned."),
            [
                (self.tr("Open a corpus folder…"), self._open_dialog),
                (self.tr("Use the bundled sentences"), self._use_bundled),
            ],
        )
        self._compose()
        self._wire()
        self.compose_default()
        self._corpus_changed()

    def _compose(self) -> None:
        full = QWidget()
        set_surface(full, self._theme, "canvas")
        column = QVBoxLayout(full)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        bar = QWidget()
        controls = QHBoxLayout(bar)
        controls.setContentsMargins(12, 8, 12, 8)
        controls.setSpacing(10)
        base_label = QLabel(self.tr("base"))
        base_label.setProperty("role", "second")
        base_label.setBuddy(self.base)
        for widget in (self.metric_choice, base_label, self.base, self.filter_line):
            controls.addWidget(widget)
        controls.addStretch(1)
        self.head.add(self.legend)
        foot = QWidget()
        under = QHBoxLayout(foot)
        under.setContentsMargins(12, 4, 12, 6)
        under.addWidget(self.notes, 1)
        under.addWidget(self.again)
        under.addWidget(self.export_button)
        self.notes.setWordWrap(True)
        column.addWidget(bar)
        column.addWidget(self.head)
        column.addWidget(self.overview)
        column.addWidget(self.table, 1)
        column.addWidget(foot)
        self._pages = QStackedWidget()
        self._pages.addWidget(full)
        self._pages.addWidget(self._empty)
        self.setCentralWidget(self._pages)
        set_surface(self.inspector.body, self._theme, "panel")
        set_surface(self.head, self._theme, "canvas")
        side = Qt.DockWidgetArea.RightDockWidgetArea
        pane = self.add_pane("inspector", self.tr("Language"), self.inspector, side)
        self.resizeDocks([pane], [380], Qt.Orientation.Horizontal)

    def _wire(self) -> None:
        session = self._session
        self.metric_choice.changed.connect(lambda metric: session.change_settings(metric=metric))
        self.base.activated.connect(self._base_chosen)
        self.filter_line.textChanged.connect(self.refresh)
        self.overview.chosen.connect(lambda code: session.select(language=code))
        self.table.selectionModel().selectionChanged.connect(self._row_selected)
        self.table.verticalScrollBar().valueChanged.connect(self._show_window)
        self.table.verticalScrollBar().rangeChanged.connect(self._show_window)
        header = self.table.horizontalHeader()
        header.sectionClicked.connect(self._header_clicked)
        self.counting.changed.connect(self.refresh)
        session.active_changed.connect(self.refresh)
        session.corpus_changed.connect(self._corpus_changed)
        session.selection_changed.connect(self._show_selection)
        self._theme.changed.connect(self.refresh)
        self.inspector.open_wanted.connect(self._open_line)
        self.table.sort_wanted.connect(self._next_sort)
        self.table.metric_wanted.connect(self._next_metric)
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        find.activated.connect(self.filter_line.setFocus)

    # What is shown

    def _corpus_changed(self) -> None:
        corpus = self._session.corpus
        self.base.clear()
        if corpus is None:
            self._pages.setCurrentIndex(1)
            return
        self._pages.setCurrentIndex(0)
        for language in sorted(corpus, key=lambda x: x.name.casefold()):
            self.base.addItem(language.name, language.code)
        self.refresh()

    def refresh(self) -> None:
        """Show the figures again: another metric, model, order or filter, or new counts."""
        corpus, metric = self._session.corpus, self.counting.metric
        if metric != self._metric:
            self._metric = metric
            if self._sort == "bar":
                self._descending = self._best_is_most("bar")
        if corpus is None:
            return
        self.metric_choice.set_value(metric)
        self.base.setCurrentIndex(self.base.findData(self.counting.base))
        figures = self._figures(metric)
        order = figures.order(self._sort, self._descending)
        kept = figures.matching(self.filter_line.text())
        self.rows.show(figures, order[kept[order]], self._sort, self._descending)
        self.table.set_scale(scale_of(figures.measured(), metric == "premium"))
        if figures.bars:
            self.overview.show_bars(figures, order, kept)
        self.legend.show_models(self._models())
        self._tell(figures, kept)
        self._show_selection()
        self._show_window()

    def _models(self) -> list[tuple[str, int, str]]:
        """Return (letter, color index, name) of the open models, the active one first."""
        active = self._session.active
        models = sorted(self._session.models, key=lambda opened: opened is not active)
        return [(m.letter, m.color_index, m.name) for m in models]

    def _figures(self, metric: str) -> LanguageFigures:
        corpus, active = self._session.corpus, self._session.active
        assert corpus is not None
        models = sorted(self._session.models, key=lambda opened: opened is not active)
        columns = {
            c: self.counting.values(models[0].key if models else -1, c) for c in COLUMNS[1:4]
        }
        return LanguageFigures(
            corpus.languages, columns, metric, tuple(self._bars(m, metric) for m in models)
        )

    def _bars(self, opened: OpenModel, metric: str) -> ModelBars:
        counting, key = self.counting, opened.key
        with np.errstate(invalid="ignore", divide="ignore"):
            unknown = counting.values(key, "unknown_tokens") / counting.values(key, "tokens")
        values = counting.values(key, metric)
        return ModelBars(opened.letter, opened.color_index, opened.name, values, unknown)

    def _tell(self, figures: LanguageFigures, kept: NDArray[np.bool_]) -> None:
        """Say in words what is drawn, on what it rests, and what to beware of."""
        corpus, metric = self._session.corpus, self.counting.metric
        assert corpus is not None
        meaning = {
            "chars_per_token": self.tr("characters (code points) per token · longer is better"),
            "bytes_per_token": self.tr("bytes per token · scripts of three bytes look better"),
            "graphemes_per_token": self.tr("graphemes per token · longer is better"),
            "premium": self.tr("tokens needed, as a multiple of the base language · log scale"),
        }
        shown = counted(len(kept), "language")
        if not kept.all():
            part = self.tr("{n} of {languages}")
            shown = part.format(n=f"{int(kept.sum()):,}", languages=shown)
        self.head.title.setText(shown)
        note = meaning[metric]
        if self.counting.busy:
            note = self.tr("{meaning} · counting…").format(meaning=note)
        self.head.note.setText(note)
        notes = [corpus.note, *corpus.notes[:2]]
        lossy = int(np.count_nonzero(figures.bars[0].lossy)) if figures.bars else 0
        if lossy:
            words = self.tr("Hatched, and last: languages with 1% or more unknown tokens ({n})")
            notes.insert(0, words.format(n=f"{lossy:,}"))
        if any(bars.lossy.any() for bars in figures.bars[1:]):
            notes.insert(0, self.tr("?: 1% or more of that model's tokens are unknown"))
        if figures.bars and not self.counting.busy and not np.isfinite(figures.measured()).any():
            notes.insert(0, self.tr("No figure: no language here has text to count"))
        problems = corpus.problems
        if problems:
            words = self.tr("⚠ {problem} and {n} more") if problems[1:] else self.tr("⚠ {problem}")
            notes.insert(0, words.format(problem=problems[0], n=len(problems) - 1))
        notes.append(self.tr("Special tokens are not counted; the text is taken as given."))
        self.notes.setText(" · ".join(n for n in notes if n))
        self.notes.setToolTip("\n".join(problems[:40]))
        self.again.setVisible(self.counting.stopped)

    # Choosing

    def _base_chosen(self) -> None:
        self._session.change_settings(base=self.base.currentData())

    def _header_clicked(self, section: int) -> None:
        column = COLUMNS[section]
        same = column == self._sort
        self._order(column, not self._descending if same else self._best_is_most(column))

    def _next_sort(self) -> None:
        now = SORTS.index(self._sort) if self._sort in SORTS else -1
        column = SORTS[(now + 1) % len(SORTS)]
        self._order(column, self._best_is_most(column))

    def _best_is_most(self, column: str) -> bool:
        """Whether a column is first shown from its largest value down: the best comes first."""
        if column == "bar":
            return self.counting.metric != "premium"
        return column in ("chars_per_token", "bytes_per_token")

    def _order(self, column: str, descending: bool) -> None:
        self._sort, self._descending = column, descending
        self.refresh()

    def _next_metric(self) -> None:
        now = METRICS.index(self.counting.metric)
        self._session.change_settings(metric=METRICS[(now + 1) % len(METRICS)])

    def _row_selected(self, selected: QItemSelection) -> None:
        rows = selected.indexes()
        if rows:
            self._session.select(language=self.rows.language(rows[0].row()).code)

    def _show_selection(self) -> None:
        """Mark the selected language; a filter may have taken it out of the table."""
        code = self._session.selection.language or ""
        self.overview.select(code)
        row = self.rows.row_of(code)
        if row < 0:
            self.table.clearSelection()
        elif not self.table.selectionModel().isRowSelected(row):
            self.table.selectRow(row)
            self.table.scrollTo(self.rows.index(row, 0))

    def _show_window(self) -> None:
        """Mark in the overview what the table shows now."""
        count = self.rows.rowCount()
        if not count:
            self.overview.show_window("", "")
            return
        first = max(self.table.rowAt(0), 0)
        last = self.table.rowAt(self.table.viewport().height() - 1)
        last = count - 1 if last < 0 else last
        self.overview.show_window(self.rows.language(first).code, self.rows.language(last).code)

    def _open_line(self, line: str) -> None:
        self._session.set_text(line)
        self.go_to.emit("explore")

    def _open_dialog(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, self.tr("Open a corpus folder"))
        if folder:
            self._session.load_corpus((Path(folder),))

    def _use_bundled(self) -> None:
        self._session.load_corpus((bundled.corpus_path(),))

    # Saving

    def _save_dialog(self) -> None:
        path, _ = QFileDialog.getSaveFileName(
            self, self.tr("Save the figures"), "languages.csv", self.tr("CSV files (*.csv)")
        )
        if path:
            self.save_csv(Path(path))

    def save_csv(self, path: Path) -> None:
        """Write the figures of all languages and open models that have been counted."""
        out = io.StringIO()
        writer = csv.writer(out)
        names = (
            "model", "language", "name", "lines", "chars", "bytes", "graphemes", "tokens",
            "chars_per_token", "bytes_per_token", "graphemes_per_token", "premium",
        )  # fmt: skip
        writer.writerow(names)
        corpus = self._session.corpus
        for opened in self._session.models:
            found = self.counting.comparison(opened.key)
            if found is None or corpus is None:
                continue
            for row in found.rows:
                language = corpus.language(row.language)
                values = {**vars(row), "name": language.name}
                writer.writerow("" if values[n] != values[n] else values[n] for n in names)
        try:
            check_over({path: "the table"}, read_by(self._session)())
            write_atomic(path, out.getvalue())
        except (OSError, SegscopeError) as error:
            self._session.failed.emit(error, self.tr("The figures were not saved"))

    # Scenes

    def activated(self) -> None:
        """Begin to count."""
        self.counting.begin()
        self.refresh()

    def view_state(self) -> dict[str, Any]:
        return {
            "sort": self._sort,
            "descending": self._descending,
            "filter": self.filter_line.text(),
        }

    def restore_view_state(self, state: dict[str, Any]) -> None:
        column = state.get("sort", "bar")
        self._sort = column if column in COLUMNS else "bar"
        down = state.get("descending")
        self._descending = down if isinstance(down, bool) else self._best_is_most(self._sort)
        self.filter_line.setText(as_text(state.get("filter")) or "")
        self.refresh()
