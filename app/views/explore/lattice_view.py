"""The lattice on the text axis: arcs by exact probability, boundary bars, mouse and keys."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.counts import counted
from app.draw.arc_labels import Label, draw_hover_label, draw_labels, place_labels
from app.draw.arcs import Arcs, arcs_in_view
from app.draw.contents import MANY, Change, Content, lattice_content
from app.draw.frame import Frame, frame
from app.draw.kept_labels import KeptLabels
from app.draw.lattice import (
    FAR,
    Light,
    draw_lattice,
    draw_picture,
    has_labels,
    is_far,
)
from app.draw.minimap import draw_minimap
from app.draw.sheet import Sheet, update_moved, whole_scroll
from app.draw.viewport import GUTTER, MARGIN, Viewport
from app.session import Session
from app.theme import SIZE_BODY, Theme
from app.views.explore.constraining import constrain_selected, constraint_menu
from app.views.explore.legend import draw_legend, legend_text
from app.views.explore.placed import Placed
from app.views.explore.walking import along, among
from app.views.explore.wheel import wheel, zoom_key
from engine.constrain import Action
from engine.place import Placement, edge_at

REACH = 8.0
"""Pixels from an arc at which the mouse still means it."""

ACTIONS_OF: dict[Qt.Key, Action] = {Qt.Key.Key_P: "pin", Qt.Key.Key_X: "forbid"}

NEAR_NODE = 7.0
"""Pixels from a boundary, on or under the axis, at which a click means it."""


class LatticeView(QWidget):
    """Draws the placed lattice. Selects edges and paths in the session."""

    def __init__(self, placed: Placed, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._placed, self._theme = placed, theme
        self._session: Session = placed.session
        self._hover: int | None = None
        self._shapes: Placement | None = None
        self._seen = (False, False)
        self._sheet = Sheet(self._paint_part, self._content, self._keep_labels, self._place_labels)
        self._labels = KeptLabels()
        self._drag: QPointF | None = None
        self._moved = False
        self._on_map = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(172)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(self.tr("Lattice"))
        placed.lattice_viewport.changed.connect(self._moved_view)
        placed.lattice_changed.connect(self._lattice_changed)
        placed.hover_changed.connect(self._refresh)
        self._session.selection_changed.connect(self._refresh)
        self._session.settings_changed.connect(self._refresh)
        theme.changed.connect(self._refresh)
        self._lattice_changed()

    def sizeHint(self) -> QSize:
        return QSize(700, 420)

    @property
    def viewport(self) -> Viewport:
        return self._placed.lattice_viewport

    @property
    def hover(self) -> int | None:
        """The edge under the mouse."""
        return self._hover

    @property
    def place(self) -> Frame:
        arcs = self._placed.arcs
        bars = arcs is not None and arcs.has_law
        return frame(self.width(), self.height(), self.viewport, bars=bars)

    def shapes(self) -> Placement | None:
        """Return the arcs in view in pixels."""
        arcs = self._placed.arcs
        if arcs is None:
            return None
        if self._shapes is None:
            self._shapes = arcs_in_view(arcs, self.viewport, self.place.room)
        return self._shapes

    def legend(self) -> str:
        """Return what the legend says."""
        return legend_text(self._placed, self)

    def light(self) -> Light:
        """Return what is lit: hover, and the selection as far as this lattice has it."""
        selection, placed = self._session.selection, self._placed
        if placed.analysis is None or placed.stale_text:
            return Light()
        mine = selection.model == placed.analysis.model_key
        path: frozenset[int] = frozenset()
        paths = placed.paths()
        if selection.path is not None and 0 < selection.path < len(paths):
            path = frozenset(paths[selection.path].edges.tolist())
        edge, node = (selection.edge, selection.node) if mine else (None, None)
        return Light(edge, self._hover, placed.lit(), path, node)

    def _lattice_changed(self) -> None:
        self._shapes = None
        self._hover = None
        arcs = self._placed.arcs
        if arcs is None:
            self.setAccessibleDescription(self.tr("No lattice yet."))
        else:
            self.setAccessibleDescription(
                self.tr(
                    "Drawn: {drawn:,} of {edges}. Left and right walk the path, up and "
                    "down the edges at a node, with Shift the boundaries. P pins what is selected, "
                    "X forbids it. Plus, minus and 0 zoom, F shows all of the text. "
                    "The table of edges holds the same."
                ).format(drawn=len(arcs), edges=counted(arcs.total, "edge"))
                + "\n"
                + self.legend()
            )
        self._sheet.review()
        self.update()

    def _refresh(self) -> None:
        """Paint anew."""
        self._sheet.clear()
        self.update()

    def _moved_view(self) -> None:
        self._shapes = None
        # What the legend speaks of.
        seen = (self.viewport.zoom < FAR, self.viewport.overflows)
        update_moved(self, gutter=seen != self._seen)
        self._seen = seen

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), self._theme.color("canvas"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        arcs = self._placed.arcs
        drawn = arcs is not None and arcs.total and not self._session.forbidden
        if arcs is None or not drawn or is_far(arcs, self.viewport):
            self.paint(painter)
        else:
            self._paint_moving(painter, arcs)
            self._paint_still(painter, arcs, legend=event.rect().left() < GUTTER)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.color("ink"), 1, Qt.PenStyle.DotLine))
            painter.drawRect(QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5))

    def paint(self, painter: QPainter) -> None:
        """Paint the picture; the screen and an exported file share it."""
        theme, placed = self._theme, self._placed
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        arcs, nodes, shapes = placed.arcs, placed.nodes, self.shapes()
        if self._session.forbidden:
            self._say(painter, self.tr("Special strings are forbidden: the text is not encoded."))
            return
        if arcs is None or nodes is None or shapes is None:
            return
        if not arcs.total:
            self._say(painter, self._nothing())
            return
        light, place = self.light(), self.place
        draw_lattice(painter, self.viewport, theme, arcs, nodes, shapes, place, light)
        self._paint_still(painter, arcs)

    def _paint_moving(self, painter: QPainter, arcs: Arcs) -> None:
        """Paint what hangs on the axis, as far as it can from what was painted before."""
        viewport, canvas = self.viewport, self._theme.color("canvas")
        self._sheet.draw(painter, viewport, self.height(), canvas, self.place.base)
        if not has_labels(arcs, viewport):
            return
        painter.save()
        painter.setClipRect(QRectF(GUTTER, 0, viewport.width, self.height()))
        scroll = whole_scroll(viewport, self.devicePixelRatioF())
        draw_labels(painter, self._theme, self.labels(), -scroll, self._hover)
        painter.restore()

    def _content(self, viewport: Viewport) -> Content | None:
        """Return what is shown; None where something is lit or marked, or of a long text."""
        arcs, nodes = self._placed.arcs, self._placed.nodes
        assert arcs is not None
        assert nodes is not None
        analysis = self._placed.analysis
        if analysis is None or self.light() != Light() or arcs.marks.any or len(arcs) > MANY:
            return None
        shapes = arcs_in_view(arcs, viewport, self.place.room)
        key = (analysis.model_key, self.place.base)
        return Content(key, ()) + lattice_content(arcs, nodes, shapes, viewport)

    def _paint_part(self, painter: QPainter, viewport: Viewport) -> None:
        """Paint a part of the picture, without labels."""
        arcs, nodes = self._placed.arcs, self._placed.nodes
        assert arcs is not None
        assert nodes is not None
        place = self.place
        shapes = arcs_in_view(arcs, viewport, place.room)
        draw_picture(painter, viewport, self._theme, arcs, nodes, shapes, place, self.light())

    def _keep_labels(self, change: Change | None) -> None:
        """Keep the labels of what didn't change, each with its edge of the lattice as it is now."""
        arcs = self._placed.arcs
        assert arcs is not None
        self._labels.keep(arcs, change, self.viewport.zoom)

    def _place_labels(self, viewport: Viewport, left: float, right: float) -> None:
        """Place the labels of a part that was painted."""
        arcs, place = self._placed.arcs, self.place
        assert arcs is not None
        self._labels.drop(viewport, left, right)
        if not has_labels(arcs, viewport):
            return
        # Labels aren't cut at the edge of a part: they are placed with it, beside those that
        # are there, and drawn over all.
        shapes = arcs_in_view(arcs, viewport, place.room)
        taken = self._labels.beside(viewport)
        selected, between = self.light().selected, (left, right)
        self._labels.add(
            place_labels(viewport, self._theme, arcs, shapes, place.base, selected, between, taken),
            viewport,
        )

    def _paint_still(self, painter: QPainter, arcs: Arcs, *, legend: bool = True) -> None:
        """Paint what doesn't move with the axis, and the name of the arc under the mouse."""
        theme, placed, place = self._theme, self._placed, self.place
        hover = self._hover
        shapes = None if hover is None else self.shapes()
        if hover is not None and shapes is not None and has_labels(arcs, self.viewport):
            draw_hover_label(painter, theme, arcs, shapes, place, hover)
        draw_minimap(painter, self.viewport, theme, arcs, place)
        if legend:
            draw_legend(painter, theme, placed, self, place)
        if placed.stale_theta or placed.stale_text:
            painter.setPen(QPen(theme.color("line2"), 2, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(GUTTER, 1), QPointF(self.width(), 1))

    def _nothing(self) -> str:
        if self._session.text.n_bytes:
            return self.tr("This model leaves nothing of the text to cut.")
        return self.tr("Type a text above: its lattice appears here.")

    def _say(self, painter: QPainter, sentence: str) -> None:
        painter.setFont(self._theme.font(SIZE_BODY))
        painter.setPen(self._theme.color("ink3"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, sentence)

    # Mouse

    def edge_at(self, place: QPointF) -> int | None:
        """Return the edge whose label is at a pixel, else the one whose arc is."""
        shapes, arcs = self.shapes(), self._placed.arcs
        if shapes is None or arcs is None or place.x() < GUTTER:
            return None
        if has_labels(arcs, self.viewport):
            x, y = place.x() + self.viewport.scroll, place.y()
            for label in self.labels():
                if label.edge >= 0 and label.contains(x, y):
                    return label.edge
        return edge_at(shapes, place.x(), self.place.base - place.y(), REACH)

    def labels(self) -> list[Label]:
        """Return the labels in view, at places on the zoomed axis; none before they are placed."""
        return self._labels.seen(self.viewport) if self._sheet.sure else []

    def node_at(self, place: QPointF) -> int | None:
        """Return the boundary at a pixel: on the axis, or in the row of the text."""
        nodes, frame_ = self._placed.nodes, self.place
        if nodes is None or not len(nodes.places) or place.x() < GUTTER:
            return None
        if not -4 <= place.y() - frame_.base <= 12:
            return None
        away = np.abs(nodes.all_on_screen(self.viewport) - place.x())
        if np.isnan(away).all():
            return None
        nearest = int(np.nanargmin(away))
        return nearest if away[nearest] <= NEAR_NODE else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag is not None and event.buttons() & Qt.MouseButton.LeftButton:
            step = event.position() - self._drag
            if self._on_map:
                self._go_on_map(event.position().x())
            elif self._moved or abs(step.x()) > 4:
                self._moved = True
                self._drag = event.position()
                self._placed.viewport.pan(-step.x())
            return
        hover = self.edge_at(event.position())
        if hover != self._hover:
            self._set_hover(hover)

    def _set_hover(self, edge: int | None) -> None:
        self._hover = edge
        analysis = self._placed.analysis
        if edge is None or analysis is None or self._placed.stale_text:
            self._placed.hover(None)
        else:
            self._placed.hover(analysis.lattice.source(edge))
        self._refresh()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._drag, self._moved = event.position(), False
            small = self.place.minimap
            self._on_map = small is not None and small.contains(event.position())
            if self._on_map:
                self._go_on_map(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        clicked = not self._moved and not self._on_map
        self._drag, self._on_map = None, False
        if clicked:
            self._select_at(event.position())

    def _select_at(self, place: QPointF) -> None:
        """Select the boundary or the edge at a pixel, nothing where there is none."""
        node = self.node_at(place)
        edge = self.edge_at(place) if node is None else None
        if node is not None:
            self.select_node(node)
        elif edge is not None:
            self.select_edge(edge)
        else:
            self._session.select(edge=None, span=None, piece=None, path=None)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done with the edge or the boundary under the mouse."""
        if event.reason() != QContextMenuEvent.Reason.Keyboard:
            self._select_at(QPointF(event.pos()))
        menu = constraint_menu(self._session, self._placed, self._theme, self)
        place = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            place = self.mapToGlobal(QPoint(self.width() // 2, round(self.place.base)))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(place)

    def _go_on_map(self, pixel: float) -> None:
        small, axis = self.place.minimap, self.viewport.axis
        if small is None or axis is None:
            return
        share = (pixel - small.left()) / small.width()
        viewport = self._placed.viewport
        viewport.scroll_to(share * axis.width * viewport.zoom + MARGIN - viewport.width / 2)

    def leaveEvent(self, event: QEvent) -> None:
        self._set_hover(None)

    def wheelEvent(self, event: QWheelEvent) -> None:
        wheel(event, self._placed.viewport)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._shapes = None
        self._placed.viewport.set_width(self.width() - GUTTER)

    # Selection and keys

    def select_edge(self, edge: int) -> None:
        """Select an edge, its piece and its stretch, and bring it into view."""
        analysis = self._placed.analysis
        if analysis is None:
            return
        lattice = analysis.lattice
        piece = int(lattice.piece[edge])
        span = lattice.source(edge)
        self._session.select(
            model=analysis.model_key,
            edge=edge,
            piece=piece if piece >= 0 else None,
            span=span,
        )
        if not self._placed.stale_text:
            self._placed.viewport.reveal(*self._placed.stretch(*span))

    def select_node(self, node: int) -> None:
        """Select a boundary and bring it into view."""
        analysis, nodes = self._placed.analysis, self._placed.nodes
        if analysis is None or nodes is None or self._placed.stale_text:
            return
        self._session.select(
            model=analysis.model_key, node=node, edge=None, piece=None, span=None, path=None
        )
        x = float(nodes.places[node])
        if not np.isnan(x):
            self._placed.viewport.reveal(x, x)

    def _along_nodes(self, step: int) -> None:
        """Select the next boundary, from the selected one or from an end of the selected edge."""
        analysis, selection = self._placed.analysis, self._session.selection
        if analysis is None:
            return
        last = analysis.lattice.n_nodes - 1
        if selection.node is not None:
            node = selection.node + step
        elif selection.edge is not None:
            lattice = analysis.lattice
            node = int((lattice.end if step > 0 else lattice.start)[selection.edge])
        else:
            node = 1 if step > 0 else last - 1
        self.select_node(min(max(node, 0), last))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        key = Qt.Key(event.key())
        if zoom_key(event, self._placed.viewport):
            return
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            mirrored = self._placed.axis.mirrored
            forward = (key == Qt.Key.Key_Right) != mirrored
            (self._along_nodes if shift else self._along)(1 if forward else -1)
        elif key in ACTIONS_OF and not event.modifiers():
            constrain_selected(self._session, self._placed, ACTIONS_OF[key])
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._among(-1 if key == Qt.Key.Key_Up else 1)
        elif Qt.Key.Key_1 <= key <= Qt.Key.Key_9:
            self._select_path(int(key) - int(Qt.Key.Key_1))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._hover is not None:
            self.select_edge(self._hover)
        elif key == Qt.Key.Key_Escape:
            self._session.select(edge=None, span=None, piece=None, path=None)
        else:
            super().keyPressEvent(event)

    def _path_edges(self) -> np.ndarray:
        """Return the edges of the selected path, of the best one by default."""
        paths = self._placed.paths()
        if not paths:
            return np.zeros(0, dtype=np.int32)
        place = self._session.selection.path or 0
        return paths[min(place, len(paths) - 1)].edges

    def _along(self, step: int) -> None:
        """Select the next edge of the path."""
        edges, analysis = self._path_edges(), self._placed.analysis
        if analysis is None or not len(edges):
            return
        now = self._session.selection.edge
        self.select_edge(along(analysis.lattice, edges, now, step))

    def _among(self, step: int) -> None:
        """Select the next likely edge that starts where the selected one does."""
        arcs, now = self._placed.arcs, self._session.selection.edge
        if arcs is None:
            return
        if now is None:
            self._along(1)
            return
        self.select_edge(among(arcs, now, step))

    def _select_path(self, place: int) -> None:
        if place < len(self._placed.paths()):
            self._session.select(path=place)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()
