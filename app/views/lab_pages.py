"""The pages of the small lab: a step's controls and what came out of it."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app import lab as lessons
from app.models.training import NUMBERS, PIECE, PIECES, RIVAL, RIVAL_COUNT, RecordModel
from app.player import Player
from app.recording import Recording
from app.theme import SIZE_DATA, SIZE_INPUT, Theme
from app.views.player_bar import PlayerBar
from app.views.status import ProgressLine
from app.views.training.sample import SampleBricks
from app.views.training.step_report import step_parts
from app.widgets.keyvalue import KeyValue
from app.widgets.plain_table import PlainTable
from app.widgets.report import Report
from engine.lab import TEXT, Lab

LONGEST = 200
"""Characters of the text that is encoded."""

LONGEST_CORPUS = 100_000
"""Characters of the text that is trained on: the lab is small."""

TYPING = 150
"""Milliseconds without a key after which the text is encoded."""


def _column(page: QWidget) -> QVBoxLayout:
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(10)
    return column


class TrainPage(QWidget):
    """The text to train on, and the button that does so."""

    changed = Signal()
    """The text is another one."""

    def __init__(self, theme: Theme, own_text: str) -> None:
        super().__init__()
        self._theme, self._own = theme, own_text
        self.corpus = QPlainTextEdit(own_text)
        self.corpus.setAccessibleName(self.tr("Text to train on"))
        self.corpus.setTabChangesFocus(True)
        self.train_button = QPushButton(lessons.titles()[lessons.TRAIN])
        self.train_button.setProperty("primary", True)
        self.train_button.setToolTip(self.tr("Learn the merges from this text"))
        self.restore_button = QPushButton(self.tr("&Restore the lesson's text"))
        self.restore_button.clicked.connect(lambda: self.corpus.setPlainText(self._own))
        for button in (self.train_button, self.restore_button):
            button.setAutoDefault(False)
        self.progress = ProgressLine(theme)
        self.progress.setFixedHeight(7)
        policy = self.progress.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.progress.setSizePolicy(policy)
        self.progress.hide()
        self.facts = KeyValue(theme)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.train_button)
        buttons.addWidget(self.restore_button)
        buttons.addStretch(1)
        column = _column(self)
        column.addWidget(self.corpus, 1)
        column.addLayout(buttons)
        column.addWidget(self.progress)
        column.addWidget(self.facts)
        self.corpus.textChanged.connect(self.changed)
        self.corpus.textChanged.connect(self._allow)
        theme.changed.connect(self._dress)
        self._dress()
        self._allow()

    def _dress(self) -> None:
        self.corpus.setFont(self._theme.piece_font(SIZE_DATA))

    def _allow(self) -> None:
        self.restore_button.setEnabled(self.corpus.toPlainText() != self._own)

    def show_lab(self, lab: Lab | None) -> None:
        """Say what came out, or nothing."""
        self.facts.set_facts(() if lab is None else lessons.training_facts(lab))


class MergesPage(QWidget):
    """The merges as a table, and why the one that is chosen was merged."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._recording: Recording | None = None
        self.rows = RecordModel(theme, self)
        self.table = PlainTable(
            self.rows, self.tr("Merges"), theme, PIECES, NUMBERS, (60, 90, 90, 120, 70, 60)
        )
        header = self.table.horizontalHeader()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(PIECE, QHeaderView.ResizeMode.Stretch)
        for column in (RIVAL, RIVAL_COUNT):  # the report says them
            self.table.setColumnHidden(column, True)
        self.report = Report(theme, self.tr("Why this merge"))
        self.report.setFixedWidth(290)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.table, 1)
        row.addWidget(self.report)
        self.table.selectionModel().currentRowChanged.connect(self._tell)

    def show_recording(self, recording: Recording | None) -> None:
        """Show other merges, the first one chosen."""
        self._recording = recording
        self.rows.set_rows(() if recording is None else recording.rows)
        if recording is not None and len(recording):
            self.table.selectRow(0)
        else:
            self.report.set_parts(())

    def _tell(self, current: QModelIndex, _before: QModelIndex) -> None:
        if self._recording is not None and current.isValid():
            self.report.set_parts(step_parts(self._recording, current.row() + 1))


class EncodePage(QWidget):
    """A text of one's own, its bricks, which can be played, and its ids."""

    typed = Signal()
    """There is another text, and no key has been pressed for a moment."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._recording: Recording | None = None
        self.field = QLineEdit(TEXT)
        self.field.setMaxLength(LONGEST)
        self.field.setAccessibleName(self.tr("Text to encode"))
        self.field.setPlaceholderText(self.tr("Type a word or a sentence"))
        self.player = Player(self)
        self.bricks = SampleBricks(self.player, theme)
        self.bar = PlayerBar(theme)
        self.facts = KeyValue(theme)
        self._clock = QTimer(self, singleShot=True, interval=TYPING)
        self._clock.timeout.connect(self.typed)
        self.field.textChanged.connect(self._typed)
        self.player.position_changed.connect(self.bricks.go_to)
        column = _column(self)
        column.addWidget(self.field)
        column.addWidget(self.bricks)
        column.addWidget(self.bar)
        column.addWidget(self.facts)
        column.addStretch(1)
        theme.changed.connect(self._dress)
        self._dress()

    def _dress(self) -> None:
        self.field.setFont(self._theme.piece_font(SIZE_INPUT))

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.player.pause()  # nobody would see it play

    def _typed(self) -> None:
        self._show_bricks()
        self._clock.start()

    def show_recording(self, recording: Recording | None) -> None:
        """Show the text under these merges, all of them done."""
        self._recording = recording
        self._show_bricks()

    def _show_bricks(self) -> None:
        recording = self._recording
        length = 0 if recording is None else len(recording)
        units = None if recording is None else recording.cut(self.field.text())
        self.bricks.set_sample(recording, units)
        self.player.set_trace(length, length)
        self.player.set_marked_only(True)
        replay = self.bricks.replay
        self.player.set_marks(() if replay is None else replay.touching())
        self.bar.set_player(None if recording is None else self.player)

    def show_lab(self, lab: Lab | None) -> None:
        """Say what the tokens are, or nothing."""
        self.facts.set_facts(() if lab is None else lessons.encoding_facts(lab))


class DecodePage(QWidget):
    """Each id with its bytes."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.rows = QStandardItemModel(0, 3, self)
        self.rows.setHorizontalHeaderLabels([self.tr("Id"), self.tr("Bytes"), self.tr("Text")])
        self.table = PlainTable(self.rows, self.tr("Tokens"), theme, {1, 2}, widths=(80, 240))
        self.table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        column = _column(self)
        column.addWidget(self.table, 1)

    def show_lab(self, lab: Lab | None) -> None:
        """Show the tokens of a text, or none."""
        self.rows.setRowCount(0)
        for row in () if lab is None else lessons.token_rows(lab):
            self.rows.appendRow([QStandardItem(text) for text in row])


class FactsPage(QWidget):
    """Facts and nothing to do."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.facts = KeyValue(theme)
        column = _column(self)
        column.addWidget(self.facts)
        column.addStretch(1)
