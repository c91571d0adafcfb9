"""The Sampling workspace: a forward pass over the lattice, played, and the law against the sample.

A person chooses methods. Those that pass over the lattice have lanes in step, on the same random
numbers; BPE-dropout has a lane of coins; the samples of all are held against one exact law.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.draw.viewport import Viewport
from app.models.sampling import EventTableModel
from app.player import Player
from app.session import Session
from app.theme import Theme
from app.touching import TouchMarks
from app.views.sampling.boundary import BoundaryPane
from app.views.sampling.controls import MANY, Controls
from app.views.sampling.empty import NoLaw
from app.views.sampling.figures import count_note, obstacle
from app.views.sampling.growing import MOST, GrowingSample
from app.views.sampling.inspector import SamplingReport
from app.views.sampling.lanes import Lanes, step_rows, track
from app.views.sampling.methods import Choices, fitting
from app.views.sampling.panes import compose_panes
from app.views.sampling.passes import (
    CHUNK_EDGES,
    Passes,
    Wish,
    trace_passes,
)
from app.views.sampling.results import Results
from app.views.sampling.seeking import PartingSearch
from app.views.sampling.tally import Tally
from app.views.sampling.touching import touching
from app.widgets import player_keys
from app.widgets.canvas import Canvas
from app.widgets.report import Report
from app.widgets.rows_table import RowsTable
from app.workspace import Workspace
from engine.scene_fields import as_natural

FIRST = 100
"""Draws of a sample that is begun."""

REPORT_REST = 200
"""Milliseconds from one text of the inspector to the next, while steps follow each other."""

WIDEST_LANE = 1.9
"""The zoom of a short text in the lanes: what stands before it grows with it."""


class SamplingWorkspace(Workspace):
    """Controls, one or two lanes, law against sample, distance curve, inspector and tables."""

    name = "sampling"
    player: Player

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._session = session
        self.player = Player(self)
        TouchMarks(
            self.player,
            session,
            lambda a, b: touching(None if self._passes is None else self._passes.main, a, b),
        )
        self._viewport = Viewport(self, WIDEST_LANE)
        self._passes: Passes | None = None
        self.sample = GrowingSample(session, self)
        self._search = PartingSearch(session, self)
        self._draw = 0
        self._wanted: dict[str, int] = {}
        self._choices = Choices()
        self._quiet = False
        self._waiting = True
        self._reports = SamplingReport()

        self.controls = Controls(session, theme)
        keys = self._key
        self.rows = Lanes(self.player, self._viewport, theme, keys)
        self.lanes = self.rows.of_pass
        self.results = Results(theme, keys, self)
        self.empty = NoLaw(session)
        self.stack = QStackedWidget()
        self.stack.addWidget(self._compose())
        self.stack.addWidget(self.empty)
        self.setCentralWidget(self.stack)
        self.report = Report(theme, self.tr("What happens at this step"), rest=REPORT_REST)
        self.events = EventTableModel(theme, self)
        self.event_table = RowsTable(
            self.events, self.tr("Steps of the pass"), theme, (56, 60, 130)
        )
        self.prompt = BoundaryPane(session, theme)
        compose_panes(self, self.prompt)
        self.compose_default()

        self._connect()
        self._show_state()
        self._prepare()

    # Composition

    def _compose(self) -> QWidget:
        centre = Canvas(self._theme)
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.controls)
        column.addWidget(self.rows, 1)
        return centre

    def _connect(self) -> None:
        session = self._session
        controls = self.controls
        controls.methods_changed.connect(self.choose_methods)
        controls.settings_changed.connect(self._settings_changed)
        controls.draw_chosen.connect(lambda number: self.show_draw(number - 1))
        controls.more_wanted.connect(self.draw_more)
        controls.again_wanted.connect(self.draw_again)
        controls.stop_wanted.connect(self.sample.stop)
        self.report.followed.connect(self._follow_link)
        self.results.chosen.connect(self._choose_outcome)
        for lane in self.lanes.values():
            lane.edge_clicked.connect(self._choose_edge)
        self.event_table.selectionModel().currentRowChanged.connect(self._event_chosen)
        self.player.position_changed.connect(self._show_position)
        self.sample.grew.connect(self._show_growth)
        self.sample.complete.connect(self._drawn_all)
        self._search.found.connect(self._found)
        self._search.ended.connect(controls.count.setText)
        session.text_changed.connect(self._search.stop)
        session.active_changed.connect(self._show_state)
        session.models_changed.connect(self._show_state)
        session.selection_changed.connect(self._show_edge)
        session.analysis_changed.connect(self._prepare)
        session.settings_changed.connect(self._settings_changed)
        session.jobs.changed.connect(self._show_running)
        self._theme.changed.connect(self._show_charts)

    # What is shown

    @property
    def passes(self) -> Passes | None:
        """The traces on show."""
        return self._passes

    @property
    def tally(self) -> Tally | None:
        """The sample of the main method, the last one shown."""
        return next(reversed(self.sample.tallies.values()), None)

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that are shown under the active model."""
        opened = self._session.active
        return () if opened is None else self._choices.of(opened.model)

    @property
    def shown_draw(self) -> int:
        """Number of the draw on show, from 0."""
        return self._draw

    @property
    def stale(self) -> bool:
        """Whether the sample was drawn at other settings or another seed than the present ones."""
        drawn, seed = self.sample.passes, self._session.settings.seed
        if drawn is None:
            return False
        return drawn.wish.seed != seed or not drawn.fits(self.controls.settings())

    def _show_state(self) -> None:
        opened = self._session.active
        able = () if opened is None else fitting(opened.model)
        self.empty.show_state()
        self.stack.setCurrentIndex(0 if able else 1)
        self.show_panes(bool(able))
        if not able or opened is None:
            self._clear()
            return
        self.controls.methods.show_methods(able, self.methods)
        self._show_settings()

    def _show_settings(self) -> None:
        opened = self._session.active
        law = opened is not None and not opened.model.segmenter.law
        self.controls.show_settings(self.methods, law=law)

    def activated(self) -> None:
        """Let the player's keys work: they would write into the text line."""
        self.rows.take_focus()

    def _clear(self) -> None:
        self._search.stop()
        self._session.jobs.cancel("sampling pass")
        self.sample.drop()
        self._passes = None
        self._draw = 0
        self.rows.show_passes(None)
        self.events.set_rows(None)
        self.results.clear()
        self.report.set_parts(())
        self.controls.count.clear()
        self.player.set_trace(0)

    # Preparing the passes

    def _settings_changed(self) -> None:
        passes, seed = self._passes, self._session.settings.seed
        if passes is not None:
            now, then = self.controls.settings(), passes.wish.settings
            # Another θ comes with an analysis of its own.
            if passes.wish.seed != seed or then != replace(now, theta=then.theta):
                self._prepare()
        self._show_settings()
        self._show_stale()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._waiting:
            self._prepare()

    def _prepare(self) -> None:
        """Have the passes of the present draw traced in the background, once they can be seen."""
        self._search.stop()
        self._waiting = not self.isVisible()
        if self._waiting:
            return
        analysis, session = self._session.analysis, self._session
        why = obstacle(session)
        if why:
            self._clear()
            self.controls.count.setText(why)
            return
        if analysis is None or analysis.text is not session.text:
            return
        opened = next((m for m in session.models if m.key == analysis.model_key), None)
        if opened is None or not fitting(opened.model):
            return
        before, draw, model = self._passes, self._draw, opened.model
        if before is not None and before.analysis.lattice is not analysis.lattice:
            draw = 0
        draw = self._wanted.get("draw", draw)
        now = self.controls.settings()
        settings = replace(now, theta=analysis.settings.theta)
        wish = Wish(self._choices.of(model), settings, session.settings.seed, draw)
        session.jobs.start(
            "sampling pass",
            self.tr("Passing over the lattice"),
            lambda report: trace_passes(analysis, model, before, wish),
            self._take,
            lambda error: session.failed.emit(error, self.tr("The pass was not followed")),
        )

    def _take(self, passes: Passes) -> None:
        session = self._session
        if passes.analysis is not session.analysis or passes.wish.seed != session.settings.seed:
            return
        before, self._passes = self._passes, passes
        same = before is not None and before.analysis.lattice is passes.analysis.lattice
        self._draw = passes.wish.draw
        if not same:
            self.rows.place(passes.analysis)
            self.sample.drop()
        self.controls.count.setText(count_note(passes.listing.count, passes.analysis))
        law = passes.laws.get("nbest")
        self.controls.show_lost(None if law is None else law.lost)
        at_end = not same or self.player.position >= self.player.length
        self._show_traces(None if at_end else self.player.position)
        count = self.sample.n
        drawn = self.sample.passes
        if (
            drawn is None
            or (self.stale and count <= FIRST)
            or (not self.stale and drawn.listing is not passes.listing)
        ):
            self.sample.begin(passes)
        elif not self.stale:
            self.sample.follow(passes)
        if self._wanted.get("draw") == self._draw:
            del self._wanted["draw"]
        first = max(1, min(FIRST, CHUNK_EDGES // passes.analysis.lattice.n_edges))
        least = max(self._draw + 1, count, self._wanted.pop("draws", first))
        if not self.stale:
            self.sample.up_to(least, show=False)
        self._show_stale()

    def _show_traces(self, position: int | None) -> None:
        """Hand the traces to the lanes. position: None for the end."""
        passes = self._passes
        if passes is None:
            return
        self.rows.show_passes(passes)
        self.events.set_rows(step_rows(passes.main))
        length, title, labels = track(passes, self._draw)
        self.player.set_trace(length, length if position is None else position, title, labels)
        self._show_edge()
        self.controls.draw.set_value(self._draw + 1)

    def _show_position(self, position: int) -> None:
        if self._passes is None:
            return
        self.rows.set_position(position)
        self._tell()
        self._quiet = True
        if 0 < position <= self.events.rowCount():
            self.event_table.selectRow(position - 1)
        else:
            self.event_table.selectionModel().clear()
        self._quiet = False
        self._session.select(step=position)

    # Drawing

    def draw_more(self, count: int, *, show: bool = True) -> None:
        """Draw `count` more in the background. show: the last of them is shown."""
        if self.stale:
            self.draw_again()
        else:
            self.sample.more(count, show=show)

    def draw_again(self) -> None:
        """Draw as many as before at the present θ and seed."""
        passes, count = self._passes, max(self.sample.n, 1)
        if passes is None or self.tally is None:
            return
        if not passes.fits(self.controls.settings()):
            return
        self.sample.begin(passes)
        self.sample.more(count, show=False)
        self._show_stale()

    def _show_growth(self) -> None:
        self.controls.draw.set_high(max(self.sample.n, 1))
        self._show_charts()

    def _drawn_all(self, show: int | None) -> None:
        # A draw of another seed, or of a text that is about to go, is not what was asked for.
        if show is not None and self._current:
            self.show_draw(show)

    @property
    def _current(self) -> bool:
        """Whether the sample is one of what is set now."""
        drawn, analysis = self.sample.passes, self._session.analysis
        if drawn is None or analysis is None or analysis.text is not self._session.text:
            return False
        return analysis.lattice is drawn.analysis.lattice and not self.stale

    def show_draw(self, draw: int) -> None:
        """Show a draw of the sample, coin by coin."""
        passes = self._passes
        if passes is None or draw == self._draw:
            return
        self._draw = draw
        self._prepare()

    def next_parting(self) -> None:
        """Show the next draw in which the methods part; of one method, that isn't the best path."""
        if self._passes is not None and not self.stale:
            self._search.start(self._passes, self._draw + 1)

    def _found(self, draw: int) -> None:
        if not self._current:
            return
        if self.sample.n <= draw:
            self.draw_more(draw + 1 - self.sample.n)
        else:
            self.show_draw(draw)

    def _show_running(self) -> None:
        self.controls.show_running(self.sample.running)

    def _show_stale(self) -> None:
        self.controls.show_stale(self.stale)
        self._show_charts()

    # Charts and inspector

    def _show_charts(self) -> None:
        passes = self._passes
        if passes is None:
            return
        self.results.show(passes, self.sample.tallies, stale=self.stale)
        self._tell()

    def _tell(self) -> None:
        passes = self._passes
        if passes is None:
            self.report.set_parts(())
            return
        self._reports.draw = self._draw
        parts = self._reports.parts(passes, self.player.position, self.sample.tallies, self.stale)
        self.report.set_parts(parts)

    # Choosing

    def choose_methods(self, methods: tuple[str, ...]) -> None:
        """Show other methods under models like the active one."""
        if self._session.active is not None:
            self._choices.choose(self._session.active.model, methods)
            self._show_state()
            self._prepare()

    def _choose_edge(self, edge: int) -> None:
        passes = self._passes
        if passes is not None:
            lattice = passes.analysis.lattice
            piece = int(lattice.piece[edge])
            self._session.select(
                model=passes.analysis.model_key,
                edge=edge,
                piece=piece if piece >= 0 else None,
                span=lattice.source(edge),
            )

    def _show_edge(self) -> None:
        """Mark the edge that is selected, here or elsewhere."""
        passes, selection = self._passes, self._session.selection
        if passes is not None:
            edge = selection.edge if selection.model == passes.analysis.model_key else None
            # A scene may name an edge that there isn't.
            there = edge is not None and edge < passes.analysis.lattice.n_edges
            self.rows.choose(edge if edge is not None and there else -1)

    def _choose_outcome(self, row: int) -> None:
        """Mark an outcome, and light its path elsewhere."""
        self.results.select(row)
        passes = self._passes
        if passes is not None and row < len(passes.analysis.nbest):
            self._session.select(path=row)

    def _event_chosen(self, current: QModelIndex, _before: QModelIndex) -> None:
        if current.isValid() and not self._quiet:
            self.player.seek(current.row() + 1)

    def _follow_link(self, link: str) -> None:
        calls: dict[str, Callable[[], None]] = {
            "next": self.next_parting,
            "one": lambda: self.draw_more(1),
            "many": lambda: self.draw_more(MANY),
        }
        if link in calls:
            calls[link]()

    def _key(self, event: QKeyEvent) -> bool:
        """Do what a key means to the pictures of this workspace."""
        if player_keys.press(self.player, event):
            return True
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        shift = event.modifiers() == Qt.KeyboardModifier.ShiftModifier
        if event.key() == Qt.Key.Key_R and (plain or shift):
            self.draw_more(MANY if shift else 1)
        elif event.key() == Qt.Key.Key_N and plain:
            self.next_parting()
        else:
            return False
        return True

    # Scenes

    def trace_name(self) -> str:
        main = self.methods[-1] if self.methods else ""
        return main if main in ("viterbi", "perfect") else ""

    def choose_trace(self, name: str) -> None:
        methods = self.methods
        if name == "viterbi" and name not in methods:
            self.choose_methods((name,))
        elif name == "perfect" and name not in methods and "viterbi" in methods:
            self.choose_methods((*methods, name))

    def view_state(self) -> dict[str, Any]:
        drawn = {"draws": self.sample.n, "draw": self._draw}
        kept = {**self.controls.kept(), "cut": self.prompt.place}
        return {"methods": list(self.methods), "chosen": self._choices.kept(), **drawn, **kept}

    def sample_in_bulk(self) -> None:
        self.controls.sample_in_bulk()

    def restore_view_state(self, state: dict[str, Any]) -> None:
        self._choices.restore(state)
        self.controls.restore(state)
        self.prompt.restore(state.get("cut"))
        most = {"draws": MOST, "draw": MOST - 1}
        numbers = ((key, as_natural(state.get(key))) for key in most)
        self._wanted = {k: n for k, n in numbers if n is not None and n <= most[k]}
        self._show_state()
        self._prepare()
