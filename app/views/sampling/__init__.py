"""The Sampling workspace: a forward pass over the lattice, played, and the law against the sample.

Lanes show methods in step: Viterbi keeps the better score, perfect sampling compares each newcomer
with the sum of all that came before. Further methods are further lanes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.analysis import Analysis
from app.draw.axis import build_axis
from app.draw.lane import READABLE, LanePlaces, edge_text, node_at, place_lane, reveal
from app.draw.viewport import Viewport
from app.models.sampling import EventTableModel
from app.player import Player
from app.session import Session
from app.theme import Theme
from app.touching import TouchMarks
from app.views.sampling.controls import MANY, Controls
from app.views.sampling.empty import NoLaw
from app.views.sampling.figures import count_note
from app.views.sampling.growing import MOST, GrowingSample
from app.views.sampling.inspector import SamplingReport
from app.views.sampling.lane import LaneView
from app.views.sampling.passes import (
    CHUNK_EDGES,
    SEARCHED,
    Passes,
    find_other,
    trace_passes,
)
from app.views.sampling.results import Results
from app.views.sampling.tally import Tally
from app.views.sampling.touching import touching
from app.widgets import player_keys
from app.widgets.canvas import Canvas
from app.widgets.report import Report
from app.widgets.rows_table import RowsTable
from app.workspace import Workspace
from engine.traces.passes import PassTrace

FIRST = 100
"""Draws of a sample that is begun."""

WIDEST_LANE = 1.9
"""The zoom of a short text in the lanes: what stands before it grows with it."""

LABELLED = 200
"""Steps up to which the player's track names them."""


class SamplingWorkspace(Workspace):
    """Controls, one or two lanes, law against sample, distance curve, inspector and tables."""

    name = "sampling"
    player: Player

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._session = session
        self.player = Player(self)
        TouchMarks(self.player, session, lambda a, b: touching(self._traces(), a, b))
        self._viewport = Viewport(self, WIDEST_LANE)
        self._passes: Passes | None = None
        self._places: LanePlaces | None = None
        self.sample = GrowingSample(session, self)
        self._draw = 0
        self._wanted: dict[str, int] = {}
        self._quiet = False
        self._waiting = True
        self._reports = SamplingReport()

        self.controls = Controls(session, theme)
        keys = self._key
        self.lanes = {
            kind: LaneView(kind, self.player, self._viewport, theme, keys)
            for kind in ("viterbi", "perfect")
        }
        self.results = Results(theme, keys, self)
        self.empty = NoLaw(session)
        self.stack = QStackedWidget()
        self.stack.addWidget(self._compose())
        self.stack.addWidget(self.empty)
        self.setCentralWidget(self.stack)
        self.report = Report(theme, self.tr("What happens at this step"))
        self.events = EventTableModel(theme, self)
        self.event_table = RowsTable(
            self.events, self.tr("Steps of the pass"), theme, (56, 60, 130)
        )
        self._compose_panes()
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
        rows = QSplitter(Qt.Orientation.Vertical)
        rows.setHandleWidth(3)
        rows.setChildrenCollapsible(False)
        for lane in self.lanes.values():
            rows.addWidget(lane)
        column.addWidget(rows, 1)
        return centre

    def _compose_panes(self) -> None:
        side = Qt.DockWidgetArea.RightDockWidgetArea
        bottom = Qt.DockWidgetArea.BottomDockWidgetArea
        # The inspector stands beside everything, the charts only under the lanes.
        self.setCorner(Qt.Corner.BottomRightCorner, side)
        results = self.results
        law = self.add_pane(
            "law", self.tr("Law against sample"), results.law, bottom, results.law_title, "canvas"
        )
        curve = self.add_pane(
            "distance",
            self.tr("Distance to the law"),
            results.curve,
            bottom,
            results.curve_title,
            "canvas",
        )
        events = self.add_pane(
            "events", self.tr("Steps"), self.event_table, bottom, surface="canvas"
        )
        outcomes = self.add_pane(
            "outcomes", self.tr("Outcomes"), results.table, bottom, surface="canvas"
        )
        self.splitDockWidget(law, curve, Qt.Orientation.Horizontal)
        self.tabifyDockWidget(law, events)
        self.tabifyDockWidget(events, outcomes)
        law.raise_()
        inspector = self.add_pane("inspector", self.tr("Inspector"), self.report, side)
        self.resizeDocks([inspector], [300], Qt.Orientation.Horizontal)
        self.resizeDocks([law, curve], [660, 400], Qt.Orientation.Horizontal)
        self.resizeDocks([law], [300], Qt.Orientation.Vertical)

    def _connect(self) -> None:
        session = self._session
        controls = self.controls
        controls.methods_changed.connect(self._methods_changed)
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
        session.active_changed.connect(self._show_state)
        session.models_changed.connect(self._show_state)
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
        """The sample."""
        return self.sample.tally

    @property
    def shown_draw(self) -> int:
        """Number of the draw on show, from 0."""
        return self._draw

    @property
    def stale(self) -> bool:
        """Whether the sample was drawn at another θ or seed than the present ones."""
        return self.sample.stale

    def _show_state(self) -> None:
        opened = self._session.active
        law = opened is not None and not opened.model.segmenter.law
        self.empty.show_state()
        self.stack.setCurrentIndex(0 if law else 1)
        self.show_panes(law)
        if not law:
            self._clear()

    def activated(self) -> None:
        """Let the player's keys work: they would write into the text line."""
        self.lanes[self._shown_kinds()[-1]].setFocus()

    def _clear(self) -> None:
        self._session.jobs.cancel("sampling pass")
        self.sample.drop()
        self._passes = self._places = None
        self._draw = 0
        for lane in self.lanes.values():
            lane.set_trace(None, None)
        self.events.set_trace(None)
        self.results.clear()
        self.report.set_parts(())
        self.controls.count.clear()
        self.player.set_trace(0)

    def _shown_kinds(self) -> tuple[str, ...]:
        value = self.controls.methods.value()
        return ("viterbi", "perfect") if value == "both" else (value,)

    def _traces(self) -> tuple[PassTrace, ...]:
        if self._passes is None:
            return ()
        both = {"viterbi": self._passes.viterbi, "perfect": self._passes.perfect}
        return tuple(both[kind] for kind in self._shown_kinds())

    # Preparing the passes

    def _settings_changed(self) -> None:
        passes, settings = self._passes, self._session.settings
        if passes is not None and passes.perfect.seed != settings.seed:
            self._prepare()
        self._show_stale()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._waiting:
            self._prepare()

    def _prepare(self) -> None:
        """Have the passes of the present draw traced in the background, once they can be seen."""
        self._waiting = not self.isVisible()
        if self._waiting:
            return
        analysis, session = self._session.analysis, self._session
        if analysis is None and session.active is not None and session.forbidden:
            self._clear()
            self.controls.count.setText(self.tr("Special strings in the text are forbidden"))
        if analysis is None or analysis.text is not session.text:
            return
        if analysis.lattice.uncovered is not None:
            self._clear()
            words = self.tr("The pieces can't cover the text: no way past {place}")
            self.controls.count.setText(words.format(place=analysis.lattice.uncovered.place))
            return
        if not analysis.lattice.has_law:
            return
        if analysis.lattice.n_edges == 0:
            self._clear()
            self.controls.count.setText(self.tr("The text is empty"))
            return
        before, draw, seed = self._passes, self._draw, session.settings.seed
        if before is not None and before.analysis.lattice is not analysis.lattice:
            draw = 0
        draw = self._wanted.get("draw", draw)
        session.jobs.start(
            "sampling pass",
            self.tr("Passing over the lattice"),
            lambda report: trace_passes(analysis, before, seed, draw),
            self._take,
            lambda error: session.failed.emit(error, self.tr("The pass was not followed")),
        )

    def _take(self, passes: Passes) -> None:
        session = self._session
        if passes.analysis is not session.analysis or passes.perfect.seed != session.settings.seed:
            return
        before, self._passes = self._passes, passes
        same = before is not None and before.analysis.lattice is passes.analysis.lattice
        self._draw = passes.perfect.draw
        if not same or self._places is None:
            self._place(passes.analysis)
            self.sample.drop()
        self.controls.count.setText(count_note(passes.listing.count, passes.analysis))
        at_end = not same or self.player.position >= self.player.length
        self._show_traces(None if at_end else self.player.position)
        if self.tally is None or (self.stale and self.sample.n <= FIRST):
            self.sample.begin(passes.listing)
        if self._wanted.get("draw") == self._draw:
            del self._wanted["draw"]
        first = max(1, min(FIRST, CHUNK_EDGES // passes.analysis.lattice.n_edges))
        least = max(self._draw + 1, self._wanted.pop("draws", first))
        if not self.stale:
            self.sample.more(least - self.sample.n, show=False)
        self._show_stale()
        self._show_charts()

    def _place(self, analysis: Analysis) -> None:
        """Give the lattice its places on the axis of its text."""
        axis = build_axis(analysis.text, "grapheme", self._theme.piece_font, analysis.shown)
        self._places = place_lane(analysis.lattice, axis)
        self._viewport.set_axis(axis)
        if axis.width and self._viewport.zoom < READABLE:
            self._viewport.zoom_by(READABLE / self._viewport.zoom, 0)
            self._viewport.scroll_to(self._viewport.full if axis.mirrored else 0.0)

    def _show_traces(self, position: int | None) -> None:
        """Hand the traces to the lanes. position: None for the end."""
        traces, passes = self._traces(), self._passes
        if passes is None:
            return
        for kind, lane in self.lanes.items():
            lane.setVisible(kind in self._shown_kinds())
            trace = passes.viterbi if kind == "viterbi" else passes.perfect
            lane.set_trace(trace, self._places)
        main = traces[-1]
        self.events.set_trace(main)
        length = max(len(trace) for trace in traces)
        labels: tuple[str, ...] = ()
        if length <= LABELLED and length == len(main):
            labels = tuple(edge_text(main.lattice, main.event(k).edge) for k in range(length))
        title = self.tr("draw {n}").format(n=f"{self._draw + 1:,}")
        if self.controls.methods.value() == "viterbi":
            title = self.tr("Viterbi")
        self.player.set_trace(length, length if position is None else position, title, labels)
        self.controls.draw.set_value(self._draw + 1)

    def _show_position(self, position: int) -> None:
        traces, places = self._traces(), self._places
        if not traces or places is None:
            return
        for lane in self.lanes.values():
            lane.set_position(position)
        reveal(self._viewport, traces[-1], places, node_at(traces[-1], position))
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
        if passes.listing.theta != self._session.settings.theta:
            return
        self.sample.begin(passes.listing)
        self.sample.more(count, show=False)
        self._show_stale()
        self._show_charts()

    def _show_growth(self) -> None:
        self.controls.draw.set_high(max(self.sample.n, 1))
        self._show_charts()

    def _drawn_all(self, show: int | None) -> None:
        if show is not None:
            self.show_draw(show)

    def show_draw(self, draw: int) -> None:
        """Show a draw of the sample, coin by coin."""
        passes = self._passes
        if passes is None or draw == self._draw:
            return
        self._draw = draw
        self._prepare()

    def next_unlike_best(self) -> None:
        """Show the next draw that isn't the best path."""
        passes = self._passes
        if passes is None or self.stale:
            return
        lattice, seed = passes.analysis.lattice, self._session.settings.seed
        best, theta, first = passes.viterbi.path.edges, passes.listing.theta, self._draw + 1

        def found(draw: int | None) -> None:
            if draw is None or self.tally is None:
                self.controls.count.setText(
                    self.tr("{n} draws looked at: all are the best path").format(n=f"{SEARCHED:,}")
                )
                return
            if self.sample.n <= draw:
                self.draw_more(draw + 1 - self.sample.n)
            else:
                self.show_draw(draw)

        self._session.jobs.start(
            "sampling next",
            self.tr("Looking for a draw that isn't the best path"),
            lambda report: find_other(lattice, theta, seed, best, first, report),
            found,
        )

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
        self.results.show(passes.listing, self.tally, self._shown_kinds(), stale=self.stale)
        self._tell()

    def _tell(self) -> None:
        traces, passes = self._traces(), self._passes
        if passes is None or not traces:
            self.report.set_parts(())
            return
        parts = self._reports.parts(
            traces,
            self.player.position,
            passes.listing,
            self.tally,
            self.stale,
            self._session.settings.seed,
        )
        self.report.set_parts(parts)

    # Choosing

    def _methods_changed(self, _value: str) -> None:
        position = self.player.position
        at_end = position >= self.player.length
        self._show_traces(None if at_end else position)
        self._show_charts()

    def _choose_edge(self, edge: int) -> None:
        passes = self._passes
        if passes is not None:
            lattice = passes.analysis.lattice
            piece = int(lattice.piece[edge])
            self._session.select(
                edge=edge, piece=piece if piece >= 0 else None, span=lattice.source(edge)
            )

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
            "next": self.next_unlike_best,
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
            self.next_unlike_best()
        else:
            return False
        return True

    # Scenes

    def trace_name(self) -> str:
        return "viterbi" if self.controls.methods.value() == "viterbi" else "perfect"

    def choose_trace(self, name: str) -> None:
        value = self.controls.methods.value()
        if name == "viterbi":
            value = "viterbi"
        elif name == "perfect" and value == "viterbi":
            value = "both"
        if value != self.controls.methods.value():
            self.controls.methods.set_value(value)
            self._methods_changed(value)

    def view_state(self) -> dict[str, Any]:
        draws = self.sample.n
        return {"lanes": self.controls.methods.value(), "draws": draws, "draw": self._draw}

    def restore_view_state(self, state: dict[str, Any]) -> None:
        lanes = state.get("lanes", "both")
        if lanes in ("both", "perfect", "viterbi"):
            self.controls.methods.set_value(lanes)
        numbers = ((key, state.get(key)) for key in ("draws", "draw"))
        self._wanted = {k: n for k, n in numbers if isinstance(n, int) and 0 <= n < MOST}
        if self._passes is not None:
            self._show_traces(self.player.position)
        self._prepare()
