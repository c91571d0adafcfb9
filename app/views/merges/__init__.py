"""The Merges workspace: how BPE merges the text, or WordPiece cuts it, step by step, played."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, QTimer
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.counts import counted
from app.draw.merge_labels import Labels
from app.draw.merge_rows import Cells
from app.draw.word import Word
from app.models.merges import MergeTableModel
from app.models.tries import TriesTableModel
from app.player import Player
from app.session import LATTICE_DELAY, OpenModel, Session
from app.theme import Theme
from app.touching import TouchMarks
from app.views.merges.bricks import BrickRows
from app.views.merges.choosing import chosen, joint_of_rule
from app.views.merges.compare import ComparePane
from app.views.merges.empty import NoMerges
from app.views.merges.follow import Followed, WhatIf, follow, place_to_show, pretoken_at
from app.views.merges.head import Head, TopRow, WhatIfBar
from app.views.merges.inspector import MergeReport
from app.views.merges.longest import LongestPage
from app.views.merges.panes import add_panes
from app.views.merges.rank_view import RankView
from app.views.merges.story import Story
from app.views.merges.strip import WordStrip
from app.views.merges.touching import touching
from app.views.merges.tree import TreePane
from app.views.merges.wanted import Wanted
from app.views.merges.what_if import WhatIfs
from app.widgets.canvas import Canvas
from app.widgets.report import Report
from app.widgets.rows_table import RowsTable
from app.workspace import Workspace
from engine.traces.longest import LongestTrace
from engine.traces.merges import MergeTrace

REPORT_REST = 200
"""Milliseconds from one text of the inspector to the next, while steps follow each other."""

LABELLED = 200
"""Steps up to which the player's track names them."""


class MergesWorkspace(Workspace):
    """Words to choose from, the rows of bricks, the rank line, the inspector and the steps."""

    name = "merges"
    player: Player

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._session = session
        self.player = Player(self)
        TouchMarks(self.player, session, lambda a, b: touching(self._trace(), a, b))
        self._followed: Followed | None = None
        self._labels: Labels | None = None
        self._story: Story | None = None
        self._report: MergeReport | None = None
        self._word: Word | None = None
        self._selected: tuple[Cells, ...] = ()
        self._selected_row = -1
        self._wanted: Wanted | None = None
        self._special = session.settings.special
        self._stale = True
        self._quiet = False

        self.top = TopRow(session, theme)
        self.text_line = self.top.text_line
        self.strip = WordStrip(theme)
        self.what_if = WhatIfBar(theme)
        self.head = Head(
            theme,
            self.tr("In a joint: rank of its rule, “–” for none. Filled: the lowest, merges next."),
        )
        self.bricks = BrickRows(self.player, theme)
        self.ranks = RankView(self.player, theme)
        self.compare = ComparePane(session, theme)
        self.tree = TreePane(session, theme)
        self.what_ifs = WhatIfs()
        self.empty = NoMerges(session)
        self.stack = QStackedWidget()
        self.stack.addWidget(self._compose())
        self.stack.addWidget(self.empty)
        self.setCentralWidget(self.stack)

        self.report = Report(theme, self.tr("What happens at this step"), rest=REPORT_REST)
        self.steps = MergeTableModel(theme, self)
        self.table = RowsTable(
            self.steps, self.tr("Merge steps"), theme, (56, 200, 84, 110, 110, 160, 72)
        )
        self.longest = LongestPage(
            session, self.player, self.report, TriesTableModel(theme, self), theme
        )
        self.stack.addWidget(self.longest)
        self.tries = RowsTable(
            self.longest.steps, self.tr("Tries of WordPiece"), theme, (56, 200, 200, 160, 160, 72)
        )
        self.tables = QStackedWidget()
        self.tables.addWidget(self.table)
        self.tables.addWidget(self.tries)
        add_panes(self, theme)
        self.compose_default()

        self._pause = QTimer(self, singleShot=True, interval=LATTICE_DELAY)
        self._pause.timeout.connect(self._follow)
        self.strip.chosen.connect(self._choose_word)
        self.bricks.chosen.connect(self._choose_item)
        self.bricks.row_clicked.connect(self._seek_row)
        self.ranks.chosen.connect(self._choose_rule)
        for table in (self.table, self.tries):
            table.selectionModel().currentRowChanged.connect(self._row_chosen)
        self.player.position_changed.connect(self._show_position)
        self.player.position_changed.connect(self._mark_row)
        self.report.followed.connect(self.what_ifs.take_link)
        self.compare.rule_wanted.connect(self.what_ifs.ask_rule)
        self.what_if.back_wanted.connect(lambda: self.what_ifs.ask(None))
        self.what_ifs.asked.connect(self._follow)
        self.what_if.next_wanted.connect(self._show_changed_word)
        session.text_changed.connect(self._text_changed)
        session.active_changed.connect(self._active_changed)
        session.models_changed.connect(self._show_state)
        session.selection_changed.connect(self._show_selection)
        session.settings_changed.connect(self._settings_changed)
        self._text_changed()
        self._active_changed()

    # Composition

    def _compose(self) -> QWidget:
        centre = Canvas(self._theme)
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.top, self.strip, self.what_if, self.head):
            column.addWidget(widget)
        column.addWidget(self.bricks, 1)
        return centre

    # Following the text

    @property
    def followed(self) -> Followed | None:
        """The trace on show."""
        return self._followed

    def _trace(self) -> MergeTrace | LongestTrace | None:
        """Return the trace that the player plays."""
        if self._followed is not None:
            return self._followed.trace
        tries = self.longest.followed
        return None if tries is None else tries.trace

    @property
    def word(self) -> Word | None:
        """The pre-token on show."""
        return self._word

    @property
    def row(self) -> int:
        """The row of the word that the player stands on."""
        if self._word is None:
            return 0
        return min(max(self.player.position - self._word.steps.start, 0), self._word.n_steps)

    def activated(self) -> None:
        """Let the player's keys work: they would write into the text line."""
        (self.longest.rows if self.longest.wordpiece() is not None else self.bricks).setFocus()
        if self._stale:
            self._follow()

    def _text_changed(self) -> None:
        self.text_line.show_text(self._session.text.string)
        self._stale = True
        if self.isVisible():
            self._pause.start()

    def _settings_changed(self) -> None:
        if self._session.settings.special != self._special:
            self._special = self._session.settings.special
            self._stale = True
            self.longest.forget()
            if self.isVisible():
                self._follow()

    def _active_changed(self) -> None:
        self._stale = True
        self.what_ifs.forget()
        self._show_state()
        if self.isVisible():
            self._follow()

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        if self._stale:
            self._follow()

    def _merging(self) -> OpenModel | None:
        opened = self._session.active
        return opened if opened is not None and opened.model.bpe is not None else None

    def _show_state(self) -> None:
        merging, wordpiece = self._merging(), self.longest.wordpiece()
        self.empty.show_state()
        if merging is None:
            self._session.jobs.cancel("merges")
            if self._followed is not None or wordpiece is None:
                self._take(None)
        self.stack.setCurrentIndex(0 if merging is not None else 2 if wordpiece is not None else 1)
        self.tables.setCurrentIndex(0 if wordpiece is None else 1)
        note = self.tr("A WordPiece model has no merges: it takes the longest piece that matches.")
        self.ranks.set_note("" if wordpiece is None else note)
        self.show_panes(merging is not None or wordpiece is not None)
        self.longest.forget()

    def _follow(self) -> None:
        """Have the merges of the text followed in the background."""
        self._pause.stop()
        opened = self._merging()
        self._stale = False
        if opened is None:
            return
        text, self._special = self._session.text, self._session.settings.special
        special, what_if, before = self._special, self.what_ifs.what_if, self._followed
        self._session.jobs.start(
            "merges",
            self.tr("Following the merges"),
            lambda report: follow(opened, text, special, what_if, before, report),
            self._take,
            self._failed,
        )

    def _failed(self, error: BaseException) -> None:
        if self.what_ifs.what_if is not None:  # a scene's, of another version of the model
            self.what_ifs.ask(None)
        else:
            self._take(None)
        self._session.failed.emit(error, self.tr("The merges were not followed"))

    def _take(self, followed: Followed | None) -> None:
        before, self._followed = self._followed, followed
        if followed is None:
            self._labels = self._report = self._word = self._story = None
            self.steps.set_trace(None, None)
            self.strip.set_trace(None, None, 0)
            self.bricks.set_word(None, None, 0)
            self.ranks.set_word(None, None, 0, 1)
            self.player.set_trace(0)
            self.report.set_parts(())
            self.compare.set_followed(None)
            self.tree.set_word(None, None, None)
            self._say()
            return
        self._labels = Labels(followed.trace)
        rule = None if followed.what_if is None else followed.what_if.rule
        self._story = Story(self._labels, rule)
        self.compare.set_followed(followed)
        opened = self._session.open_model(followed.key)
        if opened is None:
            return
        self._report = MergeReport(opened.model, self._labels, own=rule is None)
        trace = followed.trace
        pretoken, position = self._place_to_show(before, followed)
        self._word = None
        self.steps.set_trace(trace, self._labels)
        self.strip.set_trace(trace, self._labels, pretoken)
        labels: tuple[str, ...] = ()
        if len(trace) <= LABELLED:
            labels = tuple(self._labels.rule_of_step(k) for k in range(len(trace)))
        self._show_word(pretoken, position)
        title = self._labels.pretoken(pretoken) if self.word is not None else ""
        self.player.set_trace(len(trace), position, title, labels)

    def _place_to_show(self, before: Followed | None, now: Followed) -> tuple[int, int]:
        """Return pre-token and position: what a scene asked for, or the word at hand."""
        trace = now.trace
        count = len(trace.prepared.fixed)
        wanted, self._wanted = self._wanted, None
        if count and wanted is not None and wanted.of(now.key, now.text):
            return wanted.within(count, len(trace))
        byte = -1
        if before is not None and self._word is not None:
            byte = before.trace.prepared.span(*self._word.span)[0]
        old = None if before is None else before.text
        return place_to_show(now.text, trace.prepared, trace.step_cuts, old, byte)

    # The word and the position

    def _show_word(self, pretoken: int, position: int) -> None:
        followed, labels = self._followed, self._labels
        if followed is None or labels is None:
            return
        if len(followed.trace.prepared.fixed) == 0:
            self._word = None
            self.bricks.set_word(None, None, 0)
            self.ranks.set_word(None, None, 0, 1)
            self.report.set_parts(())
            self._say()
            return
        word = Word(followed.trace, pretoken)
        self._word = word
        self._selected, self._selected_row = (), -1
        row = min(max(position - word.steps.start, 0), word.n_steps)
        self.bricks.set_word(word, labels, row)
        bpe = followed.own.model.bpe
        largest = int(bpe.rank.max()) if bpe is not None and len(bpe.rank) else 1
        self.ranks.set_word(word, labels, row, largest)
        self.compare.set_word(pretoken)
        self.tree.set_word(followed, labels, word)
        self.strip.set_current(pretoken)
        self._say()
        self._tell()

    def _show_position(self, position: int) -> None:
        followed, word = self._followed, self._word
        if followed is None or word is None:
            return
        if not word.steps.start <= position <= word.steps.stop:
            trace = followed.trace
            # Forward, the step that was made names the word; backward, the one to be undone.
            forward = position > word.steps.stop
            pretoken = trace.pretoken_of(position - 1 if forward else position)
            start = trace.steps_of(pretoken).start
            self._show_word(pretoken, start if forward and position == start + 1 else position)
            word = self._word
            assert word is not None
            self.player.title = self._labels.pretoken(pretoken) if self._labels else ""
            if forward and position == start + 1:
                self.bricks.set_row(1)
        else:
            self.bricks.set_row(self.row)
        self.ranks.set_row(self.row)
        self._tell()
        self._select(step=position)

    def _mark_row(self, position: int) -> None:
        table = self.table if self.longest.wordpiece() is None else self.tries
        if position > 0 and table.model().rowCount():
            self._quiet = True
            table.selectRow(position - 1)
            self._quiet = False
        else:
            # Without a current row, so that a click on the last one counts again.
            table.selectionModel().clear()

    def _say(self) -> None:
        """Write the line above the rows."""
        followed, word, labels = self._followed, self._word, self._labels
        self.head.legend.setVisible(word is not None)
        opened = None if followed is None else self._session.open_model(followed.key)
        self.what_if.say(*self.what_ifs.sentence(followed, labels))
        if followed is None or word is None or labels is None:
            self.head.clear("" if followed is None else self.tr("The text is empty"))
            self.top.note.clear()
            return
        tokens = len(word.row(word.n_steps).piece)
        merges = counted(word.n_steps, "merge")
        self.head.say(labels.pretoken(word.pretoken), merges, tokens, opened)
        words = len(followed.trace.prepared.fixed)
        self.top.place(word.pretoken, words, followed.shown, followed.text.n_bytes)

    def _tell(self) -> None:
        """Write the inspector."""
        if self._word is None or self._report is None or self._story is None:
            self.report.set_parts(())
            return
        word, row, event = self._word, self.row, None
        if word.n_steps:
            event = word.trace.event(word.steps.start + max(row - 1, 0))
        parts = self._report.parts(word, row, event, self._selected, self._selected_row)
        offers = self.what_ifs.parts(self._followed, self._labels, event)
        self.report.set_parts((*parts, *offers))
        self.head.story.tell(self._story.sentence(word, row, event))

    def _show_changed_word(self) -> None:
        """Go to the next word that comes out otherwise than in the model as it is."""
        followed, word = self._followed, self._word
        if followed is None or followed.found is None or word is None:
            return
        changed = (followed.found.pretokens | followed.found.order).nonzero()[0]
        if len(changed):
            later = changed[changed > word.pretoken]
            self.show_word(int(later[0] if len(later) else changed[0]))

    # Choosing

    def show_word(self, pretoken: int) -> None:
        """Show a pre-token before its first merge."""
        if self._followed is None:
            return
        start = self._followed.trace.steps_of(pretoken).start
        self.player.pause()
        self._show_word(pretoken, start)
        if self._labels is not None:
            self.player.title = self._labels.pretoken(pretoken)
        if self.player.position == start:
            self.player.position_changed.emit(start)
        else:
            self.player.seek(start)

    def _choose_word(self, pretoken: int) -> None:
        self.show_word(pretoken)
        if self._word is not None:
            span = self._word.trace.prepared.span(*self._word.span)
            self._select(span=span, piece=None, edge=None, path=None)

    def _seek_row(self, row: int) -> None:
        if self._word is not None:
            self.player.seek(self._word.steps.start + row)

    def _choose_item(self, item: tuple[Cells, ...], row: int) -> None:
        """Select a brick or a joint of a row."""
        word = self._word
        if word is None:
            return
        self._selected, self._selected_row = item, row
        self.bricks.select(item, row)
        part = chosen(word, item, row)
        if part is not None:
            self.ranks.select(part.rule)
            step = word.steps.start + row
            self._select(span=part.span, piece=part.piece, step=step, edge=None, path=None)
        self._tell()

    def _choose_rule(self, rule: int) -> None:
        """Select a rule of the rank line: go to the step that applies it, or mark its joint."""
        word = self._word
        if word is None:
            return
        applied = int(word.rules.applied[rule])
        if applied >= 0:
            self.player.seek(word.steps.start + applied + 1)
        self.ranks.select(rule)
        joint = joint_of_rule(word, rule)
        if joint is not None:
            row, cells = joint
            if applied < 0:
                self.player.seek(word.steps.start + row)
            self._choose_item(cells, row)

    def _row_chosen(self, current: QModelIndex, _before: QModelIndex) -> None:
        if current.isValid() and not self._quiet:
            self.player.seek(current.row() + 1)

    def _select(self, **changes: Any) -> None:
        self._quiet = True
        self._session.select(**changes)
        self._quiet = False

    def _show_selection(self) -> None:
        """Show the word that something selected elsewhere belongs to."""
        followed, span = self._followed, self._session.selection.span
        if self._quiet or followed is None or span is None or self._word is None:
            return
        if followed.text is not self._session.text or self.player.playing:
            return
        here = followed.trace.prepared.span(*self._word.span)
        if here[0] <= span[0] < max(here[1], here[0] + 1) or span[0] >= followed.shown:
            return
        if self.isVisible():
            self.show_word(pretoken_at(followed.trace.prepared, span[0]))

    # Scenes

    def trace_name(self) -> str:
        return "merges"

    def view_state(self) -> dict[str, Any]:
        if self.longest.wordpiece() is not None:
            return self.longest.view_state()
        word, what_if = self._word, self.what_ifs.what_if
        state = {"word": word.pretoken if word else 0, "position": self.player.position}
        return state if what_if is None else {**state, "what_if": what_if.for_scene()}

    def restore_view_state(self, state: dict[str, Any]) -> None:
        self.what_ifs.ask(WhatIf.of_scene(state.get("what_if")))
        wanted = self._wanted = Wanted.of_scene(state, self._session)
        if self.longest.wordpiece() is not None:
            self.longest.restore(wanted)
            return
        followed = self._followed
        if wanted is None:
            return
        if followed is not None and followed.text is self._session.text and not self._stale:
            self._take(followed)
