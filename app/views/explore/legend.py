"""What the marks of the lattice mean, and how many edges are drawn: the text at its left."""

from __future__ import annotations

import math
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QImage, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QWidget

from app.counts import counted
from app.draw.arcs import HIDDEN
from app.draw.constraint_marks import apart_pen, draw_bar, draw_pin, ghost_pen
from app.draw.edge_marks import EdgeMark, draw_over, draw_under, with_sign
from app.draw.frame import Frame
from app.draw.lattice import FAR, NEAR
from app.draw.lettering import Lettering, on_screen, pixel
from app.draw.marks import draw_hatch
from app.draw.viewport import GUTTER
from app.theme import SIZE_DATA, SIZE_NOTE, Scheme, Theme
from app.views.explore.placed import Placed

LEFT, SAMPLE, LINE = 12.0, 26.0, 21.0
HIGH, AROUND = 14.0, 6.0
"""Pixels: of a sample's height, and of the room around it that its strokes may reach into."""


def draw_legend(
    painter: QPainter, theme: Theme, placed: Placed, widget: QWidget, place: Frame
) -> None:
    """Draw the legend in the gutter of the lattice."""
    arcs, analysis = placed.arcs, placed.analysis
    if arcs is None or analysis is None:
        return
    names = Lettering(painter, theme.font(SIZE_DATA), theme.color("ink2"))
    counts = Lettering(painter, theme.font(SIZE_DATA, bold=True), theme.color("ink"))
    notes = Lettering(painter, theme.font(SIZE_NOTE), theme.color("ink3"))
    ratio = painter.device().devicePixelRatioF() if on_screen(painter) else 0.0
    y = 10.0
    said = arcs.has_law and placed.lattice_viewport.zoom >= FAR
    bottom = place.bars.top() - 6 if said else float(widget.height())
    for kind, words in legend_rows(placed, widget):
        if y + HIGH > bottom:
            break  # the table of edges has the words of all marks
        _draw_sample(painter, theme, kind, y, ratio)
        middle = QPointF(LEFT + SAMPLE + 9, y + 7)
        names.draw_left(middle, words)
        y += LINE
    y += 8
    for words, bold, gap in _notes(placed, widget):
        room = QRectF(LEFT, y, GUTTER - LEFT - 8, place.base - 4 - y)
        foot = (counts if bold else notes).draw_block(room, words)
        if foot > room.bottom():
            break
        y = foot + gap
    if said:
        box = QRectF(LEFT, place.bars.top() - 4, GUTTER - LEFT - 8, place.bars.height() + 14)
        notes.draw_block(box, widget.tr("Boundary here\nprobability 0 – 1"))


def legend_rows(placed: Placed, widget: QWidget) -> list[tuple[str, str]]:
    """Return the samples that the legend shows, and their words."""
    arcs, analysis = placed.arcs, placed.analysis
    if arcs is None or analysis is None:
        return []
    tr = widget.tr
    rows: list[tuple[str, str]] = []
    if arcs.has_law:
        rows.append(("best", tr("best path")))
        count = len(analysis.nbest)
        if count == 2:
            rows.append(("alternative", tr("alternative 2")))
        elif count > 2:
            rows.append(("alternative", tr("alternatives 2–{n}").format(n=count)))
    elif len(analysis.best):
        rows.append(("best", tr("path taken")))
    rows.append(("other", tr("other edges") if arcs.has_law else tr("other matches")))
    marks = arcs.marks
    if marks.apart is not None and marks.apart[arcs.placement.edge].any():
        rows.append(("apart", tr("non-canonical")))
    if marks.former:
        rows.append(("former", tr("former best") if arcs.has_law else tr("model's path")))
    if marks.pinned or marks.pinned_nodes:
        rows.append(("pinned", tr("pinned")))
    if marks.forbidden or marks.forbidden_nodes:
        rows.append(("forbidden", tr("forbidden")))
    if arcs.bumps and arcs.placement.fragment.any():
        rows.append(("fragment", tr("byte fragments")))
    names = {
        EdgeMark.UNKNOWN: tr("unknown"),
        EdgeMark.BYTE: tr("byte fallback"),
        EdgeMark.DROPPED: tr("left out"),
        EdgeMark.UNUSED: tr("unused piece"),
    }
    labelled = ~(arcs.placement.fragment & arcs.bumps)
    found = set(arcs.mark_of[arcs.placement.edge[labelled]].tolist())
    rows += [(mark.name, words) for mark, words in names.items() if mark in found]
    return rows


def legend_text(placed: Placed, widget: QWidget) -> str:
    """Return the notes of the legend as text."""
    if placed.arcs is None or placed.analysis is None:
        return ""
    return "\n".join(words for words, _, _ in _notes(placed, widget))


def _notes(placed: Placed, widget: QWidget) -> list[tuple[str, bool, float]]:
    """Return the lines under the samples: words, bold, and pixels after them."""
    arcs, analysis = placed.arcs, placed.analysis
    assert arcs is not None
    assert analysis is not None
    tr = widget.tr
    notes: list[tuple[str, bool, float]] = []
    if arcs.has_law:
        notes.append(
            (
                tr(
                    "Width and opacity are the exact probability of the edge, θ = {theta:g}."
                ).format(theta=analysis.settings.theta),
                False,
                10.0,
            )
        )
    else:
        notes.append((arcs.lattice.no_law + ".", False, 8.0))
        if (arcs.lattice.rank >= 0).any():
            notes.append((tr("Under an apex: the rank of the merge."), False, 10.0))
    notes.append(
        (
            tr("{drawn:,} of {edges}").format(drawn=len(arcs), edges=counted(arcs.total, "edge")),
            True,
            2.0,
        )
    )
    if arcs.marks.apart is not None and arcs.marks.apart[arcs.placement.edge].any():
        notes.append(
            (
                tr(
                    "Non-canonical: in the vocabulary, but merging (without dropout) leads "
                    "elsewhere, whatever stands beside."
                ),
                False,
                8.0,
            )
        )
    hidden = arcs.placement.hidden
    if hidden and not arcs.has_law:
        notes.append((tr("{count:,} excluded by constraints").format(count=hidden), False, 8.0))
    elif hidden:
        notes.append(
            (
                tr("{count:,} under {limit} hidden").format(count=hidden, limit=HIDDEN),
                False,
                8.0,
            )
        )
    if arcs.beyond:
        notes.append((tr("{count:,} beyond the part drawn").format(count=arcs.beyond), False, 8.0))
    if placed.lattice_viewport.zoom < FAR:
        notes.append((tr("Far away: how many edges, the longer ones higher."), False, 8.0))
    else:
        notes.append((tr("Labels where they fit; hover shows the rest."), False, 8.0))
    if placed.lattice_viewport.overflows:
        notes.append((tr("F: all of the text."), False, 0.0))
    elif placed.lattice_viewport.zoom < NEAR:
        notes.append((tr("0: readable again."), False, 0.0))
    return notes


def _draw_sample(painter: QPainter, theme: Theme, kind: str, y: float, ratio: float) -> None:
    """Draw a sample at a height: on the screen as an image, for it is the same at each key.

    ratio: pixels of the device to a pixel, 0 where none but shapes serve.
    """
    if not ratio:
        _sample(painter, theme, kind, QRectF(LEFT, y, SAMPLE, HIGH))
        return
    left, top = pixel(LEFT - AROUND, ratio) / ratio, pixel(y - AROUND, ratio) / ratio
    painter.drawImage(QPointF(left, top), _sample_image(theme, theme.scheme, kind, ratio))


@lru_cache(maxsize=64)
def _sample_image(theme: Theme, scheme: Scheme, kind: str, ratio: float) -> QImage:
    """Return a sample as an image with some room around it.

    scheme: the theme's, so that each has images of its own.
    """
    room = QSizeF(SAMPLE + 2 * AROUND, HIGH + 2 * AROUND) * ratio
    size = QSize(math.ceil(room.width()), math.ceil(room.height()))
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(0)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _sample(painter, theme, kind, QRectF(AROUND, AROUND, SAMPLE, HIGH))
    painter.end()
    return image


def _sample(painter: QPainter, theme: Theme, kind: str, box: QRectF) -> None:
    if kind == "fragment":
        frame = box.adjusted(0.5, 2.5, -0.5, -1.5)
        draw_hatch(painter, frame, theme.color("line2"), 4)
        painter.setPen(QPen(theme.color("line2"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(frame, 2, 2)
        return
    if kind in EdgeMark.__members__:
        mark = EdgeMark[kind]
        label = box.adjusted(1, 0, -1, 0)
        text = {EdgeMark.BYTE: "E4", EdgeMark.UNUSED: "abc"}.get(mark) or with_sign("a", mark)
        draw_under(painter, theme, label, mark)
        painter.setFont(theme.piece_font(SIZE_NOTE))
        painter.setPen(theme.color("canvas" if mark == EdgeMark.UNKNOWN else "ink2"))
        painter.drawText(label, Qt.AlignmentFlag.AlignCenter, text)
        draw_over(painter, theme, label, mark)
        return
    if kind == "pinned":
        draw_pin(painter, theme, QPointF(box.center().x(), box.bottom()), box.height())
        return
    if kind == "forbidden":
        x = box.center().x()
        draw_bar(painter, theme, QPointF(x, box.top()), QPointF(x, box.bottom()))
        return
    path = QPainterPath(QPointF(box.left(), box.bottom()))
    top = box.bottom() - 13 * 4 / 3
    path.cubicTo(box.left(), top, box.right(), top, box.right(), box.bottom())
    color, width = {
        "best": ("best", 3.0),
        "alternative": ("alternative", 1.6),
        "other": ("line2", 1.0),
        "apart": ("line2", 1.0),
        "former": ("best", 1.0),
    }[kind]
    pen = QPen(theme.color(color), width)
    if kind == "apart":
        pen = apart_pen(theme.color(color))
    elif kind == "former":
        pen = ghost_pen(theme)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(pen)
    painter.drawPath(path)
    if kind == "best":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("best"))
        for x in (box.left(), box.right()):
            painter.drawEllipse(QPointF(x, box.bottom()), 2.6, 2.6)
