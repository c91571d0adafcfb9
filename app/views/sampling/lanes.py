"""The lanes one under the other: those of passes over the lattice, and that of a dropout."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSplitter, QVBoxLayout, QWidget

from app.analysis import Analysis
from app.draw.axis import build_axis
from app.draw.lane import READABLE, LanePlaces, edge_text, node_at, place_lane, reveal
from app.draw.viewport import Viewport
from app.models.sampling import EventRows, PassRows
from app.player import Player
from app.theme import Theme
from app.views.sampling.drop_lane import DropLane
from app.views.sampling.drop_words import DropRows, verdict
from app.views.sampling.figures import nothing_to_step
from app.views.sampling.lane import Keys, LaneView
from app.views.sampling.methods import LANES
from app.views.sampling.parting import COINED, beside, parting_steps
from app.views.sampling.passes import Passes
from engine.traces.dropout import DropTrace
from engine.traces.maxmatch import MaxMatchTrace
from engine.traces.passes import PassTrace

LABELLED = 200
"""Steps up to which the player's track names them."""

translate = QCoreApplication.translate


class Lanes(QScrollArea):
    """Shows the lanes of what is passed in; they scroll where four don't fit."""

    def __init__(
        self,
        player: Player,
        viewport: Viewport,
        theme: Theme,
        keys: Keys,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumHeight(180)
        self._viewport, self._theme = viewport, theme
        self._places: LanePlaces | None = None
        self._main: PassTrace | None = None
        self._parting: frozenset[int] = frozenset()
        self.of_pass = {kind: LaneView(kind, player, viewport, theme, keys) for kind in LANES}
        self.dropped = DropLane(theme, keys)
        self.dropped.step_clicked.connect(lambda step: player.seek(step + 1))
        self.none = QLabel()
        self.none.setWordWrap(True)
        self.none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.none.setProperty("role", "second")
        rows = QSplitter(Qt.Orientation.Vertical)
        rows.setHandleWidth(3)
        rows.setChildrenCollapsible(False)
        for lane in (*self.of_pass.values(), self.dropped, self.none):
            rows.addWidget(lane)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(rows)
        self.setWidget(inside)

    def place(self, analysis: Analysis) -> None:
        """Give the lattice its places on the axis of its text."""
        axis = build_axis(analysis.text, "grapheme", self._theme.piece_font, analysis.shown)
        self._places = place_lane(analysis.lattice, axis)
        viewport = self._viewport
        viewport.set_axis(axis)
        if axis.width and viewport.zoom < READABLE:
            viewport.zoom_by(READABLE / viewport.zoom, 0)
            viewport.scroll_to(viewport.full if axis.mirrored else 0.0)

    def show_passes(self, passes: Passes | None) -> None:
        """Hand the traces of what was placed to the lanes; None takes all away."""
        self._main = None
        if passes is None:
            self._parting = frozenset()
            for lane in self.of_pass.values():
                lane.set_trace(None, None)
            self.dropped.set_trace(None)
            return
        traces = tuple(passes.traces.values())
        self._main = traces[-1] if traces else None
        self._parting = frozenset(parting_steps(traces).tolist())
        for kind, lane in self.of_pass.items():
            lane.setVisible(kind in passes.traces)
            lane.set_trace(passes.traces.get(kind), self._places, beside(traces, kind))
        self.dropped.set_trace(passes.dropped)
        self.dropped.setVisible(passes.dropped is not None)
        self.none.setText(nothing_to_step(passes))
        self.none.setVisible(not traces and passes.dropped is None)

    def set_position(self, k: int) -> None:
        """Go to a state in all lanes; its node, and lanes that part there, come into view."""
        for lane in self.of_pass.values():
            lane.set_position(k)
        self.dropped.set_position(k)
        if self._main is not None and self._places is not None:
            reveal(self._viewport, self._main, self._places, node_at(self._main, k))
        if k - 1 in self._parting:
            shown = [lane for kind, lane in self.of_pass.items() if kind in COINED]
            # The last one first: where both don't fit, the upper one is seen whole.
            for lane in reversed(shown):
                self.ensureWidgetVisible(lane, 0, 0)

    def choose(self, edge: int) -> None:
        """Mark an edge in all lanes; −1 for none."""
        for lane in self.of_pass.values():
            lane.choose(edge)

    def take_focus(self) -> None:
        """Give the focus to the main lane: the last of those shown."""
        shown = [lane for lane in self.of_pass.values() if not lane.isHidden()]
        (shown[-1] if shown else self.dropped).setFocus()


def step_rows(trace: PassTrace | DropTrace | MaxMatchTrace | None) -> EventRows | None:
    """Return the rows of the table of steps; None for no trace."""
    if trace is None:
        return None
    return PassRows(trace) if isinstance(trace, PassTrace) else DropRows(trace)


def track(passes: Passes, draw: int) -> tuple[int, str, tuple[str, ...]]:
    """Return what the player goes through: its steps, their title and, of not too many, words."""
    traces = tuple(passes.traces.values())
    length = max((len(trace) for trace in traces), default=0)
    if not traces and passes.dropped is not None:
        length = len(passes.dropped)
    title = translate("Lanes", "draw {n}").format(n=f"{draw + 1:,}")
    if passes.wish.methods == ("viterbi",):
        title = translate("Lanes", "Viterbi")
    return length, title, step_labels(passes) if length <= LABELLED else ()


def step_labels(passes: Passes) -> tuple[str, ...]:
    """Return a word for each step of the player; ≠ where the lanes part.

    Empty where the main lane hasn't as many steps as the player.
    """
    traces = tuple(passes.traces.values())
    if traces:
        main, parted = traces[-1], set(parting_steps(traces).tolist())
        if len(main) < max(len(trace) for trace in traces):
            return ()
        names = (edge_text(main.lattice, main.event(k).edge) for k in range(len(main)))
        return tuple(f"{x} ≠" if k in parted else x for k, x in enumerate(names))
    if passes.dropped is None:
        return ()
    return tuple(verdict(passes.dropped.event(k)) for k in range(len(passes.dropped)))
