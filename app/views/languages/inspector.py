"""The drill-down: one language's figures with their formula, its lines, and one line as tokens."""

from __future__ import annotations

import math

from PySide6.QtCore import QItemSelection, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLayout,
    QPushButton,
    QScrollArea,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.counts import counted
from app.session import OpenModel, Session
from app.theme import SIZE_INSPECTOR, Theme
from app.views.languages.counting import Counting
from app.views.languages.figures import Figure, Figures
from app.views.languages.line_bands import LineBands
from app.views.languages.lines import LinesModel
from app.widgets.elided import ElidedLabel
from app.widgets.rows_table import dress_rows
from engine.corpus import Language
from engine.errors import SegscopeError
from engine.metrics import Row
from engine.model import Encoding
from engine.progress import Report
from engine.text import Text

EncodedLine = tuple[Text, list[tuple[OpenModel, Encoding]]]

SIDE = 12


class LanguageInspector(QScrollArea):
    """What the selected language's numbers are made of."""

    open_wanted = Signal(str)
    """A line that a person wants to see in Explore."""

    def __init__(
        self, session: Session, counting: Counting, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._counting = session, counting
        self._language: Language | None = None
        self._line = -1
        self._cut_line: tuple[str, tuple[int, ...]] = ("", ())
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("The selected language"))
        self.setMinimumWidth(280)

        self.hint = QLabel(self.tr("Choose a language to see what its numbers are made of."))
        self.hint.setProperty("role", "second")
        self.hint.setWordWrap(True)
        self.title = ElidedLabel(theme, "", SIZE_INSPECTOR - 4)
        self.about = QLabel()
        self.about.setProperty("role", "second")
        self.about.setTextFormat(Qt.TextFormat.PlainText)
        self.figures = Figures(theme)
        self.formula = QLabel()
        self.formula.setProperty("role", "note")
        self.formula.setWordWrap(True)
        self.lines = LinesModel(self)
        self.table = QTableView()
        self._dress_table()
        self.bands = LineBands(theme)
        self.line_title = QLabel()
        self.line_title.setProperty("role", "section")
        self.open_button = QPushButton(self.tr("Open in Explore"))
        self.open_button.setToolTip(self.tr("Make this line the text of Explore"))
        self.open_button.clicked.connect(self._open)
        self._compose()
        self.table.selectionModel().selectionChanged.connect(self._line_selected)
        session.selection_changed.connect(self._language_selected)
        session.corpus_changed.connect(self.refresh)
        session.models_changed.connect(self.refresh)
        counting.changed.connect(self.refresh)
        self.refresh()

    def _compose(self) -> None:
        self.body = QWidget()
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 6, 0, 14)
        column.setSpacing(8)
        self.detail = QWidget()
        inside = QVBoxLayout(self.detail)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(8)
        lines_title = QLabel(self.tr("Lines and their tokens"))
        lines_title.setProperty("role", "section")
        head = QHBoxLayout()
        head.addWidget(self.title)
        head.addStretch(1)
        head.addWidget(self.about)
        line_head = QHBoxLayout()
        line_head.addWidget(self.line_title, 1)
        line_head.addWidget(self.open_button)
        above: tuple[QWidget | QLayout, ...] = (head, self.figures, self.formula, lines_title)
        below: tuple[QWidget | QLayout, ...] = (line_head, self.bands)
        for item in above:
            inside.addLayout(_indented(item))
        inside.addWidget(self.table)
        for item in below:
            inside.addLayout(_indented(item))
        column.addLayout(_indented(self.hint))
        column.addWidget(self.detail)
        column.addStretch(1)
        self.setWidget(self.body)

    def _dress_table(self) -> None:
        table = self.table
        table.setModel(self.lines)
        dress_rows(table, self.tr("Lines of the language"), 22)
        table.setFixedHeight(34 + 8 * 22)
        header = table.horizontalHeader()
        header.setMinimumSectionSize(28)
        header.setHighlightSections(False)

    def _language_selected(self) -> None:
        if self._selected() is not self._language:
            self.refresh()

    def refresh(self) -> None:
        """Show the selected language again."""
        language = self._selected()
        other = language is not self._language
        self._language = language
        self.hint.setVisible(language is None)
        self.detail.setVisible(language is not None)
        if language is None:
            self._line = -1
            return
        self.title.setText(language.name)
        direction = self.tr("right to left") if language.direction == "rtl" else ""
        parts = (language.code, language.script, direction)
        self.about.setText(" · ".join(part for part in parts if part))
        self._show_figures(language)
        self._show_lines(language, other)

    def _selected(self) -> Language | None:
        corpus, code = self._session.corpus, self._session.selection.language
        if corpus is None or code is None:
            return None
        try:
            return corpus.language(code)
        except SegscopeError:
            return None

    def _show_figures(self, language: Language) -> None:
        metric = self._counting.metric
        figures = []
        for opened in self._session.models:
            mark = (opened.letter, opened.color_index, opened.name)
            found = self._counting.comparison(opened.key)
            stale = found is not None and found.base != self._counting.base
            if found is None or (stale and metric == "premium"):
                figures.append(Figure(*mark, "–", self.tr("not counted yet")))
                continue
            row = found.row(found.models[0], language.code)
            base = found.row(found.models[0], self._counting.base)
            warning = ""
            if row.unknown_tokens:
                share = f"{row.unknown_tokens / (row.tokens or 1):.1%}"
                warning = self.tr("{share} of the tokens are unknown").format(share=share)
            figures.append(Figure(*mark, *self._figure(row, base, metric), warning))
        self.figures.show_figures(tuple(figures))
        self.formula.setText(self._formula(metric))

    def _figure(self, row: Row, base: Row, metric: str) -> tuple[str, str]:
        """Return a figure and the numbers that it is made of."""
        value = float(getattr(row, metric))
        if math.isnan(value):
            aligned = row.lines == base.lines
            why = "" if aligned else self.tr("another number of lines than the base language")
            return "–", why
        if metric == "premium":
            shown = self.tr("{tokens} against {base}").format(
                tokens=counted(row.tokens or 0, "token"), base=f"{base.tokens:,}"
            )
            return f"{value:.2f}×", shown
        units = {
            "chars_per_token": counted(row.chars or 0, "character"),
            "bytes_per_token": counted(row.bytes or 0, "byte"),
            "graphemes_per_token": counted(row.graphemes or 0, "grapheme"),
        }
        return f"{value:.2f}", f"{units[metric]} ÷ {counted(row.tokens or 0, 'token')}"

    def _formula(self, metric: str) -> str:
        formulas = {
            "chars_per_token": self.tr("Σ code points ÷ Σ tokens over all lines"),
            "bytes_per_token": self.tr("Σ UTF-8 bytes ÷ Σ tokens over all lines"),
            "graphemes_per_token": self.tr("Σ graphemes ÷ Σ tokens over all lines"),
            "premium": self.tr(
                "Σ tokens ÷ Σ tokens of the base language, over the lines that both have"
            ),
        }
        return formulas[metric]

    def _show_lines(self, language: Language, other: bool) -> None:
        corpus = self._session.corpus
        assert corpus is not None
        lines = corpus.lines(language)
        counts = []
        for opened in self._session.models:
            found = self._counting.comparison(opened.key)
            if found is not None:
                tokens = found.line_tokens(found.models[0], language.code)
                counts.append((opened.letter, tokens))
        keep = 0 if other else max(self._line, 0)
        if self.lines.show(lines, counts):
            self._line = -1
            header = self.table.horizontalHeader()
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            for section in range(self.lines.columnCount()):
                self.table.setColumnWidth(section, 38 if section == 0 else 48)
            header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
            if lines:
                self.table.selectRow(min(keep, len(lines) - 1))
        elif 0 <= self._line < len(lines):
            self._cut(lines[self._line])  # where a model came or went
        self.open_button.setEnabled(self._line >= 0)

    def _line_selected(self, selected: QItemSelection) -> None:
        rows = selected.indexes()
        if rows and rows[0].row() != self._line:
            self._line = rows[0].row()
            self.line_title.setText(self.tr("Line {n}").format(n=f"{self._line + 1:,}"))
            self._cut(self.lines.lines[self._line])

    def _cut(self, line: str) -> None:
        """Cut the line with every model, off the GUI thread."""
        models = self._session.models
        wanted = (line, tuple(opened.key for opened in models))
        if wanted == self._cut_line:
            return
        self._cut_line = wanted

        def work(report: Report) -> EncodedLine:
            text = Text(line)
            done: list[tuple[OpenModel, Encoding]] = []
            for opened in models:
                report(len(done), len(models))
                done.append((opened, opened.model.encode(text)))
            return text, done

        def failed(error: BaseException) -> None:
            self._session.failed.emit(error, self.tr("The line was not cut"))

        self._session.jobs.start(
            "line",
            self.tr("Cutting a line"),
            work,
            lambda found: self.bands.show_line(*found),
            failed,
        )

    def _open(self) -> None:
        if 0 <= self._line < len(self.lines.lines):
            self.open_wanted.emit(self.lines.lines[self._line])


def _indented(item: QWidget | QLayout) -> QVBoxLayout:
    """Return a layout that keeps an item away from the pane's sides."""
    box = QVBoxLayout()
    box.setContentsMargins(SIDE, 0, SIDE, 0)
    if isinstance(item, QLayout):
        box.addLayout(item)
    else:
        box.addWidget(item)
    return box
