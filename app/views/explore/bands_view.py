"""A row of tokens for each open model, on the shared axis."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
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

from app.draw.contents import MANY, Content, axis_content, bands_content
from app.draw.glyphs import draw_text
from app.draw.lettering import Lettering
from app.draw.marks import draw_letter, notched
from app.draw.sheet import Sheet
from app.draw.tokens import DENSITY, Bands, draw_bands, text_rect
from app.draw.viewport import GUTTER, MARGIN, Viewport
from app.draw.widths import Widths
from app.session import OpenModel, Session
from app.theme import SIZE_DATA, SIZE_NOTE, Theme
from app.views.explore.coloring import ColoringControl
from app.views.explore.placed import Placed
from app.views.explore.wheel import wheel, zoom_key
from app.widgets.tips import Tips
from engine.display import hexadecimal, unseen, visible

HEAD, GAP = 30, 5
BAND, BAND_JOINED, BAND_BYTES = 26, 40, 40
"""Heights of a band: for cells, for letters that join (counts stand below them), for bytes."""


class BandsView(QWidget):
    """Bands of all models. Hover lights a token, a click selects it; arrow keys walk the tokens."""

    def __init__(self, placed: Placed, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._placed, self._theme = placed, theme
        self._session: Session = placed.session
        self._hover: tuple[int, int] | None = None
        self._notes: tuple[str, ...] = ()
        self._sheet = Sheet(self._paint_bands, self._content)
        self.coloring = ColoringControl(placed.session, theme, self)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        Tips(self, self.tip_at)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Tokens by model"))
        self.setAccessibleDescription(
            self.tr(
                "Left and right walk the tokens, up and down the models. Copy takes the characters."
            )
        )
        placed.viewport.changed.connect(self._moved)
        placed.bands_changed.connect(self._bands_changed)
        placed.hover_changed.connect(self._refresh)
        placed.axis_changed.connect(self._bands_changed)
        self._session.models_changed.connect(self._bands_changed)
        self._session.active_changed.connect(self._refresh)
        self._session.selection_changed.connect(self._refresh)
        self._session.settings_changed.connect(self._refresh)
        theme.changed.connect(self._refresh)
        self._bands_changed()

    @property
    def _viewport(self) -> Viewport:
        return self._placed.viewport

    def sizeHint(self) -> QSize:
        return QSize(600, self.height_of(max(len(self._session.models), 1)))

    @property
    def band(self) -> int:
        """Height of a band."""
        # That of the tokens that are shown: those of a new text come a moment after its axis.
        axis = self._viewport.axis or self._placed.axis
        if axis.unit == "byte":
            return BAND_BYTES
        return BAND_JOINED if axis.runs else BAND

    def height_of(self, rows: int) -> int:
        """Return the height that a number of rows takes."""
        return HEAD + rows * (self.band + GAP) + 6

    def row_at(self, y: float) -> int:
        """Return the row at a height, -1 where there is none."""
        row = int((y - HEAD) // (self.band + GAP))
        return row if 0 <= row < len(self._session.models) else -1

    def _bands_changed(self) -> None:
        self._hover = None
        self.setFixedHeight(self.sizeHint().height())
        self._sheet.review()
        notes = self.notes()
        if notes != self._notes:
            self._notes = notes
            self.update()
        else:
            self.update(0, HEAD, self.width(), self.height() - HEAD)

    def _refresh(self) -> None:
        """Paint anew."""
        self._sheet.clear()
        self.update()

    def _moved(self) -> None:
        left = math.floor(GUTTER)
        self.update(QRect(left, HEAD, self.width() - left, self.height() - HEAD))

    def row_rect(self, row: int) -> QRectF:
        """Return where the bands of model number `row` are drawn."""
        return QRectF(0, HEAD + row * (self.band + GAP), self.width(), self.band)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), theme.color("canvas"))
        self._paint_rows(painter)
        if event.rect().left() < GUTTER or event.rect().top() < HEAD:
            self._paint_heads(painter)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("ink"), 1, Qt.PenStyle.DotLine))
            painter.drawRect(QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5))

    def _paint_rows(self, painter: QPainter) -> None:
        """Paint the bands, as far as it can from what was painted before."""
        viewport = self._viewport
        if any(
            bands.usual_width * viewport.zoom < DENSITY for bands in self._placed.bands.values()
        ):
            # How many stand at a place is counted in the view.
            painter.save()
            painter.setClipRect(QRectF(GUTTER, HEAD, self.width() - GUTTER, self.height()))
            self._paint_bands(painter, viewport)
            painter.restore()
            return
        self._sheet.draw(painter, viewport, self.height(), self._theme.color("canvas"))

    def _paint_heads(self, painter: QPainter) -> None:
        theme = self._theme
        painter.fillRect(QRectF(0, 0, self.width(), HEAD), theme.color("canvas"))
        words = Lettering(painter, theme.font(SIZE_NOTE), theme.color("ink3"))
        middle, tokens = HEAD / 2 - 1, self.tr("tokens")
        words.draw_left(QPointF(12, middle), self.tr("Model"))
        words.draw_left(QPointF(GUTTER - 6 - words.width(tokens), middle), tokens)
        left = GUTTER + MARGIN
        room = self.coloring.x() - left - 16
        note = next((note for note in self.notes() if words.width(note) <= room), "")
        words.draw_left(QPointF(left, middle), note)
        for row, opened in enumerate(self._session.models):
            self._paint_head(painter, row, opened)

    def notes(self) -> tuple[str, ...]:
        """Return the line above the bands, the fullest first: the first that has room is shown.

        It says how much of the text is drawn, and what colours mean.
        """
        axis, legend, brief = self._placed.axis, self.coloring.legend(), self.coloring.brief()
        if axis.shown >= axis.text.n_bytes:
            return legend, brief
        shown, total = axis.shown, axis.text.n_bytes
        part = self.tr("The first {shown:,} of {total:,} bytes are drawn; counts are of all.")
        part = part.format(shown=shown, total=total)
        few = self.tr("The first {shown:,} of {total:,} bytes").format(shown=shown, total=total)
        return f"{part} {legend}", f"{part} {brief}", part, few

    def _paint_head(self, painter: QPainter, row: int, opened: OpenModel) -> None:
        theme = self._theme
        active = self._session.active is opened
        rect = self.row_rect(row)
        mark = QRectF(12, rect.center().y() - 8.5, 17, 17)
        draw_letter(painter, theme, mark, opened.letter, opened.color_index)
        bands = self._placed.bands.get(opened.key)
        partial = self._placed.partial(opened.key)
        count = "" if bands is None else "…" if partial else f"{bands.total:,}"
        bold = theme.font(SIZE_DATA, bold=True)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(bold)
        painter.setPen(theme.color("ink"))
        painter.drawText(
            QRectF(0, rect.top(), GUTTER - 6, rect.height()),
            middle | Qt.AlignmentFlag.AlignRight,
            count,
        )
        font = theme.font(SIZE_DATA, bold=active)
        room = GUTTER - 42 - Widths(bold)(count) - 8
        name = Widths(font).cut(opened.name, room)
        words = Lettering(painter, font, theme.color("ink" if active else "ink2"))
        words.draw_left(QPointF(35, rect.center().y()), name)

    def _content(self, viewport: Viewport) -> Content | None:
        """Return what the picture shows; None where something is lit, or of a long text."""
        axis = viewport.axis
        if axis is None or axis.n_units > MANY:
            return None
        if self._placed.lit() is not None or self._hover is not None:
            return None
        by_identity = self._session.settings.color == "identity"
        content = Content((self._theme.scheme, by_identity), ()) + axis_content(axis, viewport.zoom)
        for opened in self._session.models:
            bands, reading = self._placed.bands.get(opened.key), self._session.reading(opened.key)
            if bands is None and reading is not None and reading.encoding is None:
                return None  # special strings are marked
            content += Content((opened.key, bands is None), ())
            if bands is not None:
                ghost = self._ghost_label(opened, bands)
                content += bands_content(bands, viewport, ghost, by_identity=by_identity)
        return content

    def _paint_bands(self, painter: QPainter, viewport: Viewport) -> None:
        theme, by_identity = self._theme, self._session.settings.color == "identity"
        for row, opened in enumerate(self._session.models):
            rect = self.row_rect(row)
            bands = self._placed.bands.get(opened.key)
            painter.save()
            left, right = viewport.ends
            room = QRectF(left, rect.top() - 3, right - left, self.band + GAP + 3)
            painter.setClipRect(room, Qt.ClipOperation.IntersectClip)
            self._paint_underlay(painter, viewport, opened, bands, rect)
            if bands is None:
                ink = theme.color("ink")
                draw_text(painter, viewport, theme, text_rect(viewport, rect), ink)
                self._paint_forbidden(painter, viewport, opened, rect)
            else:
                label = self._ghost_label(opened, bands)
                draw_bands(painter, viewport, theme, bands, rect, label, by_identity=by_identity)
            painter.restore()

    def _paint_forbidden(
        self, painter: QPainter, viewport: Viewport, opened: OpenModel, rect: QRectF
    ) -> None:
        """Mark the special strings for which the text isn't encoded."""
        reading, axis = self._session.reading(opened.key), self._placed.axis
        if reading is None or reading.encoding is not None:
            return
        bounds = axis.text.char_bounds
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self._theme.color("error"), 1.6))
        for found in reading.found:
            start, end = bounds[found.start_char], bounds[found.start_char + len(found.text)]
            for left, right in axis.intervals(int(start), int(end)):
                x0, x1 = viewport.screen(left), viewport.screen(right)
                painter.drawPath(notched(QRectF(x0, rect.top(), x1 - x0, rect.height())))

    def _ghost_label(self, opened: OpenModel, bands: Bands) -> str:
        """Return the text of the first token, where it stands for nothing in the text."""
        if not bands.ghost:
            return ""
        return visible(opened.model.vocabulary.bytes(int(bands.id[0])))

    def _paint_underlay(
        self,
        painter: QPainter,
        viewport: Viewport,
        opened: OpenModel,
        bands: Bands | None,
        rect: QRectF,
    ) -> None:
        """Light the selected stretch, and the token under the mouse."""
        axis = self._placed.axis
        span = self._placed.lit()
        yellow, ink = self._theme.color("selection"), self._theme.color("ink")
        if span is not None and span[1] <= axis.shown:
            for left, right in axis.intervals(*span):
                x0, x1 = viewport.screen(left), viewport.screen(right)
                painter.fillRect(
                    QRectF(x0 - 1, rect.top() - 3, x1 - x0 + 2, rect.height() + 6), yellow
                )
                # Yellow alone is faint in the dark theme: a line of ink goes with it.
                painter.fillRect(QRectF(x0, rect.bottom() + 1, x1 - x0, 1.5), ink)
        if bands is not None and self._hover is not None and self._hover[0] == opened.key:
            mine = bands.rect_group == self._hover[1]
            pairs = zip(bands.rect_left[mine], bands.rect_right[mine], strict=True)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(ink, 1.5))
            for left, right in pairs:
                x0, x1 = viewport.screen(left), viewport.screen(right)
                painter.drawRect(QRectF(x0, rect.top() - 1.5, x1 - x0, rect.height() + 3))

    # Mouse

    def token_at(self, place: QPointF) -> tuple[OpenModel, int] | None:
        """Return the model and the group of tokens at a pixel."""
        row = self.row_at(place.y())
        models = self._session.models
        if place.x() < GUTTER or row < 0:
            return None
        bands = self._placed.bands.get(models[row].key)
        if bands is None:
            return None
        x = self._viewport.from_screen(place.x())
        hit = (bands.rect_left <= x) & (x <= bands.rect_right)
        return (models[row], int(bands.rect_group[hit.argmax()])) if hit.any() else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        found = self.token_at(event.position())
        hover = None if found is None else (found[0].key, found[1])
        if hover != self._hover:
            self._set_hover(hover)

    def _set_hover(self, hover: tuple[int, int] | None) -> None:
        self._hover = hover
        if hover is None:
            self._placed.hover(None)
        else:
            bands = self._placed.bands[hover[0]]
            start, end = bands.start[hover[1]], bands.end[hover[1]]
            self._placed.hover((int(start), int(np.ceil(end))))
        self._refresh()

    def leaveEvent(self, event: QEvent) -> None:
        self._set_hover(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if event.position().x() < GUTTER:
            row = self.row_at(event.position().y())
            if row >= 0:
                self._session.set_active(self._session.models[row].key)
            return
        found = self.token_at(event.position())
        if found is not None:
            self.select_group(*found)
        else:
            self._session.select(span=None, piece=None, edge=None)

    def wheelEvent(self, event: QWheelEvent) -> None:
        wheel(event, self._viewport)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        size = self.coloring.sizeHint()
        self.coloring.setGeometry(
            self.width() - size.width() - 12,
            (HEAD - size.height()) // 2,
            size.width(),
            size.height(),
        )
        self.update()

    def tip_at(self, place: QPointF) -> str:
        """Return what the tip at a pixel says: the tokens there."""
        found = self.token_at(place)
        return "" if found is None else self.describe(*found)

    def describe(self, opened: OpenModel, group: int) -> str:
        """Return what a group of tokens is, one line a token."""
        bands = self._placed.bands[opened.key]
        encoding = self._placed.encoding(opened.key)
        if encoding is None:
            return ""
        lines: list[str] = []
        for token in range(int(bands.token[group]), int(bands.token[group + 1])):
            piece = int(encoding.ids[token])
            data = encoding.vocabulary.bytes(piece)
            lines.append(
                self.tr("{piece}   id {id}   bytes {bytes}").format(
                    piece=visible(data), id=piece, bytes=hexadecimal(data)
                )
            )
            lines += [f"    {name}" for name in unseen(data)]
        return "\n".join(lines[:12]) + ("\n…" if len(lines) > 12 else "")

    # Selection and keys

    def select_group(self, opened: OpenModel, group: int) -> None:
        """Select a group's stretch and, where it is one token, its piece."""
        bands = self._placed.bands[opened.key]
        encoding = self._placed.encoding(opened.key)
        assert encoding is not None
        first, last = int(bands.token[group]), int(bands.token[group + 1])
        span = (int(bands.start[group]), int(-(-bands.end[group] // 1)))
        piece = int(encoding.ids[first]) if last - first == 1 else None
        edge = None
        if self._session.active is opened:
            edge = self._placed.edge_of(
                int(encoding.node_start[first]), int(encoding.node_end[last - 1]), piece
            )
        self._session.select(model=opened.key, span=span, piece=piece, edge=edge)
        left, right = self._placed.stretch(*span)
        self._viewport.reveal(left, right)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        rows = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        key = Qt.Key(event.key())
        if key in steps:
            axis = self._placed.axis
            back = axis.mirrored
            self._walk(-steps[key] if back else steps[key], 0)
        elif key in rows:
            self._walk(0, rows[key])
        elif not zoom_key(event, self._placed.viewport):
            super().keyPressEvent(event)

    def _walk(self, step: int, rows: int) -> None:
        models = self._session.models
        if not models:
            return
        selection = self._session.selection
        now = next((i for i, m in enumerate(models) if m.key == selection.model), 0)
        opened = models[min(max(now + rows, 0), len(models) - 1)]
        bands = self._placed.bands.get(opened.key)
        if bands is None or not bands.n_groups:
            return
        if selection.span is None:
            group = 0
        else:
            group = bands.group_at(selection.span[0]) + step
        self.select_group(opened, min(max(group, 0), bands.n_groups - 1))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()
