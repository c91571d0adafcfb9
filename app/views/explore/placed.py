"""What the session knows, placed on the axis: the one thing that all parts of Explore paint.

The bands follow a key at once. The lattice comes later; until then the old lattice stays, on the
axis of its own text, so two viewports move together but may hold different axes.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QObject, QTimer, Signal

from app.draw.arcs import Arcs, Nodes, place_arcs, place_nodes
from app.draw.axis import Axis, AxisUnit, build_axis
from app.draw.bricks import BrickRow, brick_row
from app.draw.tokens import Bands, place_tokens
from app.draw.viewport import Viewport
from app.session import LATTICE_LIMIT, Analysis, OpenModel, Session
from app.theme import Theme
from engine.lattice import Path

PATIENCE = 60
"""Milliseconds that a new text waits for its tokens before it is drawn without them."""


class Placed(QObject):
    """Axis, bands, arcs, nodes and brick rows of the session's text."""

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
        self.viewport.changed.connect(lambda: self.lattice_viewport.follow(self.viewport))
        self.bands: dict[int, Bands] = {}
        self.arcs: Arcs | None = None
        self.nodes: Nodes | None = None
        self.rows: tuple[BrickRow, ...] = ()
        self.analysis: Analysis | None = None
        self.hovered: tuple[int, int] | None = None
        self.hidden = False
        self._late = False
        self._axis: Axis | None = None
        self._wait = QTimer(self, singleShot=True, interval=PATIENCE)
        self._wait.timeout.connect(self._show_axis)
        session.text_changed.connect(self._text_changed)
        session.settings_changed.connect(self._settings_changed)
        session.encoding_changed.connect(self._encoding_changed)
        session.models_changed.connect(self._models_changed)
        session.analysis_changed.connect(self.place_lattice)
        self._build_axis()
        self._show_axis()
        self.place_lattice()
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
        """The axis of the current text."""
        assert self._axis is not None
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
        if self.analysis is None or not self.analysis.lattice.n_edges:
            return ()
        return self.analysis.nbest or (self.analysis.best,)

    def stretch(self, start: int, end: int) -> tuple[float, float]:
        """Return the leftmost and rightmost x of bytes of the current text, at zoom 1."""
        found = self.axis.intervals(start, min(end, self.axis.shown))
        if not found:
            x = float(self.axis.at(np.array([start]), end=False)[0])
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

    def _build_axis(self) -> None:
        self._axis = build_axis(
            self._session.text, self._unit(), self._theme.piece_font, LATTICE_LIMIT
        )

    def _text_changed(self) -> None:
        self._build_axis()
        if not self._session.models or not self._session.text.n_bytes:
            self._show_axis()
        else:
            self._wait.start()

    def _settings_changed(self) -> None:
        if self._axis is not None and self._axis.unit != self._unit():
            self._build_axis()
            self._show_axis()
            self.place_lattice()
        elif self.hidden:
            self._late = True
        else:
            self.lattice_changed.emit()

    def _show_axis(self) -> None:
        self._wait.stop()
        self.bands = {}
        for opened in self._session.models:
            self._place_bands(opened.key)
        self.viewport.set_axis(self.axis)
        if self.analysis is None or not self.stale_text:
            self.lattice_viewport.hold(self.axis)
        self.axis_changed.emit()
        self.bands_changed.emit()

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

    def _place_bands(self, key: int) -> None:
        encoding = self._session.encoding(key)
        if encoding is None:
            self.bands.pop(key, None)
        elif encoding.text is self.axis.text:
            self.bands[key] = place_tokens(encoding, self.axis)

    def place_lattice(self) -> None:
        """Place the newest analysis; an analysis of an older text keeps its own axis."""
        analysis = self._session.analysis
        self._late = self.hidden and analysis is not None
        if self._late:
            return
        self.analysis = analysis
        if analysis is None:
            self.arcs, self.nodes, self.rows = None, None, ()
            self.lattice_viewport.hold(self.axis)
            self.lattice_changed.emit()
            return
        if analysis.text is not self.axis.text:
            self.lattice_changed.emit()
            return
        axis, lattice = self.axis, analysis.lattice
        self.arcs = place_arcs(lattice, axis, analysis.best, analysis.nbest, analysis.law)
        self.nodes = place_nodes(lattice, axis, analysis.best, analysis.law)
        paths = self.paths()
        self.rows = tuple(
            brick_row(path, axis, paths[0] if place else None) for place, path in enumerate(paths)
        )
        self.lattice_viewport.hold(axis)
        self.lattice_changed.emit()
