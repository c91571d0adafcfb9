"""The drill-down: one language's figures with their formula, its lines, and one line as tokens."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QItemSelection, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QScrollArea,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.session import OpenModel, Session
from app.theme import SIZE_DATA, SIZE_INSPECTOR, Theme
from app.views.languages.counting import Counting
from app.views.languages.line_bands import LineBands
from app.views.languages.lines import LinesModel
from app.widgets.keyvalue import Fact, KeyValue
from engine.corpus import Language
from engine.errors import SegscopeError
from engine.metrics import Row
from engine.model import Encoding
from engine.progress import Report
from engine.text import Text

EncodedLine = tuple[Text, list[tuple[OpenModel, Encoding]]]


class LanguageInspector(QScrollArea):
    """What the selected language's numbers are made of."""

    open_wanted = Signal(str)
    """A line that a person wants to see in Explore."""

    def __init__(
        self, session: Session, counting: Counting, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._counting, self._theme = session, counting, theme
        self._language: Language | None = None
        self._line = -1
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("The selected language"))

        self.title = QLabel()
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.title.setWordWrap(True)
        self.about = QLabel()
        self.about.setProperty("role", "second")
        self.about.setTextFormat(Qt.TextFormat.PlainText)
        self.facts = KeyValue(theme)
        self.formula = QLabel()
        self.formula.setProperty("role", "note")
        self.formula.setWordWrap(True)
        self.lines = LinesModel(self)
        self.table = QTableView()
        self._dress_table()
        self.bands = LineBands(theme)
        self.open_button = QPushButton(self.tr("Open the line in Explore"))
        self.open_button.clicked.connect(self._open)
        self._compose()
        self.table.selectionModel().selectionChanged.connect(self._line_selected)
        session.selection_changed.connect(self.refresh)
        counting.changed.connect(self.refresh)
        theme.changed.connect(self._dress)
        self._dress()
        self.refresh()

    def _compose(self) -> None:
        self.body = QWidget()
        column = QVBoxLayout(self.body)
        column.setContentsMargins(16, 10, 16, 14)
        column.setSpacing(8)
        self._lines_title = QLabel(self.tr("Lines and their tokens"))
        self._lines_title.setProperty("role", "section")
        for widget in (
            self.title, self.about, self.facts, self.formula, self._lines_title, self.table,
        ):  # fmt: skip
            column.addWidget(widget)
        column.setStretchFactor(self.table, 1)
        column.addWidget(self.bands)
        buttons = QHBoxLayout()
        buttons.addWidget(self.open_button)
        buttons.addStretch(1)
        column.addLayout(buttons)
        self.setWidget(self.body)

    def _dress_table(self) -> None:
        table = self.table
        table.setModel(self.lines)
        table.setAccessibleName(self.tr("Lines of the language"))
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(22)
        table.setMinimumHeight(190)

    def _dress(self) -> None:
        self.title.setFont(self._theme.font(SIZE_INSPECTOR - 2))
        self.about.setFont(self._theme.font(SIZE_DATA))

    def refresh(self) -> None:
        """Show the selected language again."""
        language = self._selected()
        other = language is not self._language
        self._language = language
        for widget in (self.facts, self.formula, self._lines_title, self.table, self.bands):
            widget.setVisible(language is not None)
        self.open_button.setVisible(language is not None)
        if language is None:
            self.title.setText("")
            self.about.setText(self.tr("Choose a language to see what its numbers are made of."))
            self.about.setWordWrap(True)
            self._line = -1
            return
        self.title.setText(language.name)
        direction = self.tr("right to left") if language.direction == "rtl" else ""
        parts = (language.code, language.script, direction)
        self.about.setText(" · ".join(part for part in parts if part))
        self._show_facts(language)
        self._show_lines(language, other)

    def _selected(self) -> Language | None:
        corpus, code = self._session.corpus, self._session.selection.language
        if corpus is None or code is None:
            return None
        try:
            return corpus.language(code)
        except SegscopeError:
            return None

    def _show_facts(self, language: Language) -> None:
        metric = self._counting.metric
        facts: list[Fact] = []
        for opened in self._session.models:
            found = self._counting.comparison(opened.key)
            name = f"{opened.letter} {opened.name}"
            if found is None:
                facts.append(Fact(name, self.tr("not counted yet")))
                continue
            row = found.row(found.models[0], language.code)
            base = found.row(found.models[0], self._counting.base)
            facts.append(Fact(name, self._figure(row, base, metric), bold=True))
            if row.unknown_tokens:
                share = f"{row.unknown_tokens / (row.tokens or 1):.1%}"
                facts.append(
                    Fact("", self.tr("{share} of the tokens are unknown").format(share=share))
                )
        self.facts.set_facts(facts)
        self.formula.setText(self._formula(metric))

    def _figure(self, row: Row, base: Row, metric: str) -> str:
        """Return a figure with the numbers that it is made of."""
        value = getattr(row, metric)
        if math.isnan(value):
            return "–"
        parts = {
            "chars_per_token": (row.chars, row.tokens),
            "bytes_per_token": (row.bytes, row.tokens),
            "graphemes_per_token": (row.graphemes, row.tokens),
            "premium": (row.tokens, base.tokens),
        }
        above, under = parts[metric]
        return f"{value:.2f} = {above or 0:,} ÷ {under or 0:,}"

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
                counts.append((opened.letter, np.asarray(tokens)))
        keep = 0 if other else max(self._line, 0)
        self._line = -1
        self.lines.show(lines, counts)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        for section in range(self.lines.columnCount()):
            self.table.setColumnWidth(section, 40 if section == 0 else 52)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        if lines:
            self.table.selectRow(min(keep, len(lines) - 1))

    def _line_selected(self, selected: QItemSelection) -> None:
        rows = selected.indexes()
        if rows and rows[0].row() != self._line:
            self._line = rows[0].row()
            self._cut(self.lines.lines[self._line])

    def _cut(self, line: str) -> None:
        """Cut the line with every model, off the GUI thread."""
        models = self._session.models

        def work(report: Report) -> EncodedLine:
            text = Text(line)
            done: list[tuple[OpenModel, Encoding]] = []
            for opened in models:
                report(len(done), len(models))
                done.append((opened, opened.model.encode(text)))
            return text, done

        self._session.jobs.start(
            "line", self.tr("Cutting a line"), work, lambda found: self.bands.show_line(*found)
        )

    def _open(self) -> None:
        if 0 <= self._line < len(self.lines.lines):
            self.open_wanted.emit(self.lines.lines[self._line])
