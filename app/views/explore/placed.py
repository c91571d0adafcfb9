"""What the session knows, placed on the axis: the one thing that all parts of Explore paint.

The bands follow a key at once. The lattice comes later; until then the old lattice stays, on the
axis of its own text, so two viewports move together but may hold different axes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QEvent, QObject, QTimer, Signal

from app.analysis import LATTICE_LIMIT, Analysis
from app.constraints import Solution
from app.draw.arcs import Arcs, Nodes
from app.draw.axis import Axis, AxisFonts, AxisUnit, build_axis, build_axis_apart
from app.draw.bricks import BrickRow
from app.draw.tokens import Bands, place_tokens
from app.draw.viewport import Viewport
from app.edits import edited_to
from app.session import SHORT, OpenModel, Session
from app.theme import Theme
from app.views.explore.placing import PlacedLattice, place_analysis, shown_paths
from engine.lattice import Path
from engine.model import Encoding
from engine.text import Text

PATIENCE = 60
"""Milliseconds that a new text waits for its tokens before it is drawn without them."""


FEW = 3_000
"""Edges up to which a lattice is placed at once; more are placed by a job."""


CATCH_UP = 120
"""Milliseconds that the lattice of the text before keeps its place while its successor is on the
way: most come sooner, and then it was painted once and not twice."""


class Placed(QObject):
    """Axis, bands, arcs, nodes and brick rows of the session's text.

    analysis: the one that arcs, nodes and rows show. solution: where that is under constraints,
    what it was solved from.
    """

    axis_changed = Signal()
    bands_changed = Signal()
    lattice_changed = Signal()
    hover_changed = Signal()
    """Another stretch is under the mouse: `hovered`."""
    shown_again = Signal()
    """The workspace was hidden and is in front again."""

    def __init__(self, session: Session, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._theme = session, theme
        self.viewport = Viewport(self)
        self.lattice_viewport = Viewport(self)
        self._typing = False
        self._catch_up = QTimer(self, singleShot=True, interval=CATCH_UP)
        self._catch_up.timeout.connect(self._follow)
        self.viewport.changed.connect(self._viewport_changed)
        self.bands: dict[int, Bands] = {}
        self.arcs: Arcs | None = None
        self.nodes: Nodes | None = None
        self.rows: tuple[BrickRow, ...] = ()
        self.analysis: Analysis | None = None
        self.solution: Solution | None = None
        self.hovered: tuple[int, int] | None = None
        self.hidden = False
        self._late = False
        self._axis: Axis
        self._wanted: tuple[Text, AxisUnit]
        """What the axis is, or is being built, for."""
        self._axis_job, self._lattice_job = f"axis {id(self)}", f"place {id(self)}"
        self._wait = QTimer(self, singleShot=True, interval=PATIENCE)
        self._wait.timeout.connect(self._show_axis)
        session.text_changed.connect(self._text_changed)
        session.settings_changed.connect(self._settings_changed)
        session.encoding_changed.connect(self._encoding_changed)
        session.models_changed.connect(self._models_changed)
        session.analysis_changed.connect(self.place_lattice)
        session.constraints.solved.connect(self.place_lattice)
        self._axis = build_axis(Text(""), self._unit(), theme.piece_font, LATTICE_LIMIT)
        self._start_axis(self._axis_turned)
        if parent is not None:
            parent.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """While the workspace is hidden no lattice is placed: θ may be dragged elsewhere."""
        if event.type() == QEvent.Type.Hide:
            self.hidden = True
        elif event.type() == QEvent.Type.Show and self.hidden:
            self.hidden = False
            if self._late:
                self.place_lattice()
            self.shown_again.emit()
        return False

    @property
    def session(self) -> Session:
        return self._session

    @property
    def axis(self) -> Axis:
        """The axis of the current text, or of the text before while that is being measured."""
        return self._axis

    @property
    def model(self) -> OpenModel | None:
        """The model whose lattice is shown."""
        return None if self.analysis is None else self._session.open_model(self.analysis.model_key)

    @property
    def stale_text(self) -> bool:
        """Whether the lattice shown belongs to an older text."""
        return self.analysis is not None and self.analysis.text is not self._session.text

    @property
    def stale_theta(self) -> bool:
        """Whether the probabilities shown are for another θ than the one asked for."""
        analysis = self.analysis
        return (
            analysis is not None
            and analysis.law is not None
            and analysis.settings.theta != self._session.settings.theta
        )

    def hover(self, span: tuple[int, int] | None) -> None:
        """Light a stretch of bytes in every row; None when the mouse is on none."""
        if span != self.hovered:
            self.hovered = span
            self.hover_changed.emit()

    def lit(self) -> tuple[int, int] | None:
        """Return the stretch that every row lights: under the mouse, else selected."""
        return self.hovered or self._session.selection.span

    def paths(self) -> tuple[Path, ...]:
        """Return the paths that the brick rows show: n-best, or the one taken."""
        return () if self.analysis is None else shown_paths(self.analysis, self.solution)

    def stretch(self, start: int, end: int) -> tuple[float, float]:
        """Return the leftmost and rightmost x of bytes of the current text, at zoom 1."""
        found = self.axis.intervals(start, min(end, self.axis.shown))
        if not found:
            x = self.axis.x(start, end=False)
            return x, x
        return min(left for left, _ in found), max(right for _, right in found)

    def edge_of(self, start: int, end: int, piece: int | None) -> int | None:
        """Return the edge of the lattice between two nodes, of a piece if one is named."""
        if self.analysis is None or self.stale_text:
            return None
        lattice = self.analysis.lattice
        first = int(np.searchsorted(lattice.start, start, side="left"))
        last = int(np.searchsorted(lattice.start, start, side="right"))
        for edge in range(first, last):
            if lattice.end[edge] == end and piece in (None, int(lattice.piece[edge])):
                return edge
        return None

    def _unit(self) -> AxisUnit:
        return "byte" if self._session.settings.unit == "byte" else "grapheme"

    def _start_axis(self, then: Callable[[], None]) -> None:
        """Build the axis of the text, a long one's in a job, and go on."""
        text, unit, font = self._session.text, self._unit(), self._theme.piece_font
        self._session.jobs.cancel(self._axis_job)
        self._wanted = text, unit
        if text.n_bytes <= SHORT:
            self._axis = build_axis(text, unit, font, LATTICE_LIMIT)
            then()
            return
        fonts = AxisFonts.of(font)

        def done(axis: Axis) -> None:
            if self._wanted == (text, unit):
                self._axis = axis
                then()

        self._session.jobs.start(
            self._axis_job,
            self.tr("Measuring the text"),
            lambda report: build_axis_apart(text, unit, fonts, LATTICE_LIMIT),
            done,
        )

    def _text_changed(self) -> None:
        self.hover(None)  # what is under the mouse is another stretch now
        self._wait.stop()
        self._start_axis(self._axis_built)

    def _axis_built(self) -> None:
        """Show the axis with the tokens, which come soon if they aren't there yet."""
        session = self._session
        short = self.axis.text.n_bytes <= SHORT
        if short and session.models and session.text.n_bytes:
            self._wait.start()
            return
        self._show_axis()
        analysis = session.analysis
        if analysis is not None and analysis.text is self.axis.text:
            self.place_lattice()

    def _axis_turned(self) -> None:
        self._show_axis()
        self.place_lattice()

    def _settings_changed(self) -> None:
        if self._wanted != (self._session.text, self._unit()):
            self._start_axis(self._axis_turned)
        elif self.hidden:
            self._late = True
        else:
            self.lattice_changed.emit()

    def _show_axis(self) -> None:
        self._wait.stop()
        self.bands = {}
        for opened in self._session.models:
            self._place_bands(opened.key)
        self._typing = self.stale_text and self.axis.text.n_bytes <= SHORT
        shown = self.viewport.axis
        at = None if shown is None else edited_to(shown.text, self.axis.text)
        place = None if at is None else self.axis.x(at, end=True)
        self.viewport.set_axis(self.axis, place)
        self._typing = False
        if self.arcs is None:
            # A lattice stays on the axis that it was placed on, until it is placed anew.
            self.lattice_viewport.hold(self.axis)
        self.axis_changed.emit()
        self.bands_changed.emit()

    def _viewport_changed(self) -> None:
        if self._typing:
            self._catch_up.start()
        else:
            self._follow()

    def _follow(self) -> None:
        self._catch_up.stop()
        self.lattice_viewport.follow(self.viewport)

    def _encoding_changed(self, key: int) -> None:
        if self._wait.isActive():
            if all(self._session.reading(m.key) is not None for m in self._session.models):
                self._show_axis()
            return
        self._place_bands(key)
        self.bands_changed.emit()

    def _models_changed(self) -> None:
        keys = {m.key for m in self._session.models}
        self.bands = {key: bands for key, bands in self.bands.items() if key in keys}
        self.bands_changed.emit()

    def encoding(self, key: int) -> Encoding | None:
        """Return the tokens that the bands of a model show: all, or the first of a long text."""
        return self._session.encoding(key) or self._session.beginning(key)

    def partial(self, key: int) -> bool:
        """Whether more tokens of a model are being computed."""
        return self._session.beginning(key) is not None

    def _place_bands(self, key: int) -> None:
        encoding = self.encoding(key)
        if encoding is None:
            self.bands.pop(key, None)
        elif encoding.text is self.axis.text:
            self.bands[key] = place_tokens(encoding, self.axis)

    def place_lattice(self) -> None:
        """Place the newest analysis; until it is placed the one before stays, on its own axis."""
        session, axis = self._session, self.axis
        analysis, solution = session.constraints.shown, session.constraints.solution
        if analysis is not None and session.constraints.pending:
            return  # the constraints are being solved for it
        if solution is not None and solution.analysis is not analysis:
            solution = None
        session.jobs.cancel(self._lattice_job)
        self._late = self.hidden and analysis is not None
        if self._late:
            return
        if analysis is None:
            self.analysis = self.solution = None
            self.arcs, self.nodes, self.rows = None, None, ()
            self.lattice_viewport.hold(axis)
            self.lattice_changed.emit()
            return
        if analysis.text is not axis.text:
            # Of an older text, or the text's axis isn't there yet.
            self.lattice_changed.emit()
            return
        if analysis.lattice.n_edges <= FEW:
            self._take(place_analysis(analysis, solution, axis))
            return

        def done(placed: PlacedLattice) -> None:
            if placed.analysis is session.constraints.shown and placed.axis is self.axis:
                self._take(placed)

        session.jobs.start(
            self._lattice_job,
            self.tr("Placing the lattice"),
            lambda report: place_analysis(analysis, solution, axis),
            done,
        )

    def _take(self, placed: PlacedLattice) -> None:
        if self._catch_up.isActive():
            self._follow()
        self.analysis, self.solution = placed.analysis, placed.solution
        self.arcs, self.nodes, self.rows = placed.arcs, placed.nodes, placed.rows
        self.lattice_viewport.hold(placed.axis)
        self.lattice_changed.emit()
