"""A training run as a trace: its curve, what a step did, a sample text, the steps, the player."""

from __future__ import annotations

from typing import Any, Literal

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.counts import counted
from app.fonts import FontsAhead
from app.jobs import Job, Jobs
from app.learning import cut_apart, ties_apart
from app.models.training import NUMBERS, PIECE, PIECES, RIVAL, RecordModel
from app.models.training_rounds import NAME, OBJECTIVE, RoundModel
from app.player import Player
from app.recording import Recording, RoundRecording
from app.theme import SIZE_BODY, SIZE_DATA, SIZE_INSPECTOR, SIZE_NOTE, Theme
from app.training import Recorded
from app.views.player_bar import PlayerBar
from app.views.training.curve import CurveView
from app.views.training.sample import SampleBricks
from app.views.training.step_report import TIES, Pairs, round_parts, step_parts
from app.widgets import player_keys
from app.widgets.elided import ElidedLabel
from app.widgets.plain_table import PlainTable
from app.widgets.report import Report
from app.widgets.rows_table import RowsTable
from app.widgets.surface import set_surface
from engine.progress import Report as Progress
from engine.train.kinds import Trained
from engine.train.round_cuts import RoundCuts
from engine.train.units import Units

WIDTHS = (62, 68, 68, 100, 60, 50, 100, 68)
"""Of the table's columns; the pieces and the runners-up share what is left."""

ROUND_WIDTHS = (80, 150, 110, 110, 130)

REPORT_WIDTH = 290
SCROLL_AFTER = 60
"""Milliseconds after a step that the table scrolls to its row."""

REPORT_REST = 200
"""Milliseconds at least from one text of the report to the next."""

NOTE_STEP = 40
"""Pixels by which the number of tokens gets more room, so that few steps lay out the window."""

LONGEST = 300
"""Characters of the sample text."""

CUT = "cut the sample"
PATIENCE = 0.01
"""Seconds of work that a pattern may take to cut the sample here, where the window waits for it."""


class RunView(QWidget):
    """Shows a recording, also while it grows. It follows the end until a person goes elsewhere."""

    failed = Signal(object, str)
    """An error, and what was being done."""

    def __init__(
        self, jobs: Jobs, theme: Theme, sample: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._jobs, self._theme = jobs, theme
        self._recording: Recorded | None = None
        self._trained: Any = None
        self._ties: tuple[int, Pairs] | None = None
        self._end = 0
        self._quiet = False
        self._cutting: Job | None = None
        self.player = Player(self)
        # After the frame of the step: a table that moves is painted as a whole.
        self._scroll = QTimer(self, singleShot=True, interval=SCROLL_AFTER)
        self._scroll.timeout.connect(self._show_row)
        self._paint_soon = QTimer(self, singleShot=True, interval=0)
        self._paint_soon.timeout.connect(lambda: self.setUpdatesEnabled(True))
        self.curve = CurveView(theme)
        self.report = Report(theme, self.tr("What happens at this step"), rest=REPORT_REST)
        self.sample_field = QLineEdit(sample[:LONGEST])
        self.sample_note = ElidedLabel(theme, token="ink2", step=NOTE_STEP)
        self.sample = SampleBricks(self.player, theme)
        self.rows = RecordModel(theme, self)
        self.table = PlainTable(self.rows, self.tr("Merges"), theme, PIECES, NUMBERS, WIDTHS)
        self.rounds = RoundModel(self)
        self.round_table = RowsTable(self.rounds, self.tr("Rounds"), theme, ROUND_WIDTHS)
        self.bar = PlayerBar(theme, stacked=True)
        sizes = (SIZE_NOTE, SIZE_DATA, SIZE_BODY, SIZE_INSPECTOR)
        self._fonts = FontsAhead(
            [*map(theme.piece_font, sizes), theme.piece_font(SIZE_INSPECTOR, bold=True)], self
        )
        self._compose()
        self._dress()
        theme.changed.connect(self._dress)
        self.curve.step_wanted.connect(lambda place: self.player.seek(place + self._first))
        self.report.followed.connect(self._followed)
        self.sample_field.textChanged.connect(self._sample_typed)
        self.sample.selected.connect(self._mark_steps)
        for table in (self.table, self.round_table):
            table.selectionModel().currentRowChanged.connect(self._row_chosen)
        self.player.position_changed.connect(self._show_position)

    def _compose(self) -> None:
        header = self.table.horizontalHeader()
        header.setStretchLastSection(False)
        for section in (PIECE, RIVAL):
            header.setSectionResizeMode(section, QHeaderView.ResizeMode.Stretch)
        self.report.setFixedWidth(REPORT_WIDTH)
        top = QHBoxLayout()
        top.setSpacing(0)
        top.addWidget(self.curve, 1)
        self._side = self._line(QFrame.Shape.VLine)
        top.addWidget(self._side)
        top.addWidget(self.report)
        label = QLabel(self.tr("Sa&mple"))
        label.setBuddy(self.sample_field)
        tip = self.tr("A text of your own; below it how it is cut at this step of the run")
        for widget in (label, self.sample_field):
            widget.setToolTip(tip)
        self.sample_field.setMaxLength(LONGEST)
        self.sample_field.setAccessibleName(self.tr("Sample text"))
        self.sample_field.setAccessibleDescription(tip)
        self.sample_field.setPlaceholderText(self.tr("Type a word or a sentence"))
        typing = QHBoxLayout()
        typing.setContentsMargins(16, 8, 16, 4)
        typing.setSpacing(8)
        typing.addWidget(label)
        typing.addWidget(self.sample_field, 1)
        typing.addWidget(self.sample_note)
        self._sampling = QWidget()
        below = QVBoxLayout(self._sampling)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        below.addWidget(self._line(QFrame.Shape.HLine))
        below.addLayout(typing)
        below.addWidget(self.sample)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top, 3)
        column.addWidget(self._sampling)
        column.addWidget(self._line(QFrame.Shape.HLine))
        column.addWidget(self.table, 3)
        column.addWidget(self.round_table, 3)
        self.round_table.hide()
        column.addWidget(self.bar)

    def _line(self, shape: QFrame.Shape) -> QFrame:
        line = QFrame()
        line.setObjectName("line")
        if shape == QFrame.Shape.HLine:
            line.setFixedHeight(1)
        else:
            line.setFixedWidth(1)
        set_surface(line, self._theme, "line")
        return line

    def _dress(self) -> None:
        self.sample_field.setFont(self._theme.piece_font(SIZE_BODY))

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.player.pause()  # nobody would see it play

    # The recording

    def clear(self) -> None:
        """Show nothing."""
        self._take(None, None)
        self._lay_out(None)

    def begin(self, *, by_rounds: bool) -> None:
        """Show nothing yet of a run that begins; what it will be seen in stands there already.

        by_rounds: it goes in rounds, else it learns merges. Where all of it came with the first
        look, to lay it out and to paint it for the first time would make the window stand still.
        """
        self._take(None, None)
        self._fonts.look(self.sample_field.text())
        self._lay_out("rounds" if by_rounds else "merges")

    def show_whole(self, recording: Recorded, trained: Trained) -> None:
        """Show the recording of a run that is over, at its end unless it is on show already."""
        if recording is self._recording:
            self._trained = trained
            self.grow(recording, trained.size)
        else:
            self._take(recording, trained)

    def grow(self, recording: Recorded, end: int) -> None:
        """Show what a recording has got since. end: pieces where the curve's axis ends."""
        self._end = end
        if recording is not self._recording:
            self._take(recording, None)
            return
        at_end = self.player.position == self.player.length
        self._quiet = True
        if isinstance(recording, Recording):
            self._fonts.look(_text_of(recording, self.player.length))
            self.rows.grow(recording.rows)
            self.sample.grow()
        else:
            self._show_rounds(recording)
            self._show_sample()
        self._quiet = False
        self._show_curve()
        self.player.grow(len(recording))
        self._mark_steps()
        follows = at_end and not self.player.playing
        if follows and self.player.position < self.player.length:
            self.player.seek(self.player.length)
        else:
            self._show_position()

    def _catch_up(self) -> None:
        """Show all of a recording that has grown since: it may have done so a moment ago."""
        recording = self._recording
        if recording is not None and len(recording) > self.player.length:
            self.grow(recording, self._end)

    def _take(self, recording: Recorded | None, trained: Trained | None) -> None:
        """Show another recording, at its end; or none.

        It is painted as a whole in the next turn of the event loop: both in one take too long.
        """
        if recording is not None:
            self.setUpdatesEnabled(False)
            self._paint_soon.start()
        self._recording, self._trained, self._ties = recording, trained, None
        self._jobs.cancel(TIES)
        if trained is not None:
            self._end = trained.size
        merges = recording if isinstance(recording, Recording) else None
        self._quiet = True
        self.rows.set_rows(merges.rows if merges is not None else ())
        self._show_rounds(recording if isinstance(recording, RoundRecording) else None)
        self._quiet = False
        if merges is not None:
            self._fonts.look(_text_of(merges, 0))
        if recording is not None:
            self._lay_out("merges" if merges is not None else "rounds")
        self._show_sample()
        self._show_curve()
        length = len(recording) if recording is not None else 0
        self.player.set_trace(length, length)
        self._mark_steps()
        self._show_row()

    def _lay_out(self, kind: Literal["merges", "rounds"] | None) -> None:
        """Make room for a recording of a kind, or for none."""
        self.table.setVisible(kind != "rounds")
        self.round_table.setVisible(kind == "rounds")
        for widget in (self._side, self.report, self._sampling):
            widget.setVisible(kind is not None)
        self.bar.set_player(self.player if kind is not None else None)

    def _show_rounds(self, recording: RoundRecording | None) -> None:
        rows = () if recording is None else recording.rows
        self.rounds.set_rows(rows)
        self.round_table.setColumnHidden(NAME, not any(row.name for row in rows))
        has_objective = any(row.objective is not None for row in rows)
        self.round_table.setColumnHidden(OBJECTIVE, not has_objective)

    @property
    def _first(self) -> int:
        """The position that the curve begins with: there is nothing before the first round."""
        return 1 if isinstance(self._recording, RoundRecording) else 0

    def _show_curve(self) -> None:
        recording = self._recording
        curve = None if recording is None else recording.curve
        self.curve.show_curve(curve, self._end, still=self._trained is not None)
        if recording is not None:
            self.curve.mark(self.player.position - self._first)

    # The position

    def _show_position(self, _value: int = 0) -> None:
        recording, done = self._recording, self.player.position
        if recording is None:
            self.report.set_parts(())
            return
        self.curve.mark(done - self._first)
        self.sample.go_to(done)
        self.sample_note.setText(self._about_sample(done))
        by_rounds = isinstance(recording, RoundRecording)
        self._mark_row(self.round_table if by_rounds else self.table, done - 1)
        self._tell()

    def _about_sample(self, done: int) -> str:
        states = self.sample.replay
        if states is None:
            return ""
        if isinstance(states, RoundCuts) and not states.is_cut(done):
            return self.tr("not cut yet")
        return counted(self.sample.n_tokens, "token")

    def _mark_row(self, table: RowsTable, row: int) -> None:
        self._quiet = True
        if row < 0:
            table.selectionModel().clear()
        elif table.currentIndex().row() != row:
            # Rows stay where they are until the step leaves the view: to move them takes time.
            table.setAutoScroll(False)
            table.selectRow(row)
            table.setAutoScroll(True)
            if not self._scroll.isActive():
                self._scroll.start()
        self._quiet = False

    def _show_row(self) -> None:
        """Scroll to the step's row, where it isn't in view."""
        by_rounds = isinstance(self._recording, RoundRecording)
        table = self.round_table if by_rounds else self.table
        index = table.currentIndex()
        if index.isValid() and not table.viewport().rect().contains(
            table.visualRect(index).center()
        ):
            table.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)

    def _tell(self) -> None:
        """Say what the step did."""
        recording, done = self._recording, self.player.position
        if isinstance(recording, RoundRecording):
            self.report.set_parts(round_parts(recording, done))
        elif recording is not None:
            ties = self._ties[1] if self._ties is not None and self._ties[0] == done else None
            askable = self._trained is not None
            self.report.set_parts(step_parts(recording, done, ties, askable=askable))

    def _row_chosen(self, current: QModelIndex, _before: QModelIndex) -> None:
        if current.isValid() and not self._quiet:
            self.player.seek(current.row() + 1)

    # The sample

    def _sample_typed(self, text: str) -> None:
        self._catch_up()
        self._show_sample(text)
        self._mark_steps()
        self._show_position()

    def _show_sample(self, text: str | None = None) -> None:
        """Show the sample under the recording; rounds are known for the text of their run alone."""
        recording = self._recording
        text = self.sample_field.text() if text is None else text
        self._cutting = None
        self._jobs.cancel(CUT)
        if isinstance(recording, RoundRecording):
            if recording.text == text:
                self.sample.set_cuts(recording.cuts)
            else:
                self.sample.set_message(
                    self.tr(
                        "Each round has its own probabilities, which aren't kept. So a text is cut "
                        "while the run goes on: train again to see this one."
                    )
                )
        elif recording is None:
            self.sample.set_sample(None, None)
        else:
            try:
                self.sample.set_sample(recording, recording.cut(text, PATIENCE))
            except TimeoutError:
                self._cut_apart(recording, text)

    def _cut_apart(self, recording: Recording, text: str) -> None:
        """Cut the sample in a process, which can be cancelled: its pattern takes long."""
        self.sample.set_message(self.tr("The pattern takes long to cut this text …"))

        def work(report: Progress) -> Units:
            return cut_apart(recording.settings, text, report)

        def done(units: Units) -> None:
            self._catch_up()
            self.sample.set_sample(recording, units)
            self._mark_steps()
            self._show_position()

        def failed(error: BaseException) -> None:
            self.sample.set_sample(None, None)
            self.failed.emit(error, self.tr("The sample was not cut"))

        def ended() -> None:
            if self._cutting is job and job.cancelled:
                self.sample.set_message(
                    self.tr("This text isn't cut: that was cancelled. Its pattern takes long.")
                )

        title = self.tr("Cutting the sample")
        job = self._cutting = self._jobs.start(CUT, title, work, done, failed)
        job.ended.connect(ended)

    def _mark_steps(self) -> None:
        """Mark the steps that touch the selected brick, or any of the sample where none is."""
        replay = self.sample.replay
        marks = () if replay is None else replay.touching(self.sample.span)
        self.player.set_marks(marks)

    # The tied pairs

    def _followed(self, link: str) -> None:
        trained, done = self._trained, self.player.position
        if link != TIES or trained is None or not done:
            return

        def work(report: Progress) -> Pairs:
            return ties_apart(trained, done - 1, report)

        def found(pairs: Pairs) -> None:
            self._ties = done, pairs
            self._tell()

        doing = self.tr("The tied pairs were not found")
        self._jobs.start(
            TIES, self.tr("Finding the tied pairs"), work, found,
            lambda error: self.failed.emit(error, doing),
        )  # fmt: skip

    # Keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if event.key() == Qt.Key.Key_G and plain:
            self.bar.ask_step()
        elif not player_keys.press(self.player, event):
            super().keyPressEvent(event)


def _text_of(recording: Recording, first: int) -> str:
    """Return the pieces from a merge on as one text, without what is no character."""
    pieces = recording.symbols[len(recording.base) + first :]
    return b"".join(pieces).decode("utf-8", errors="ignore")
