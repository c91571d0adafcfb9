"""Where the parts of the lattice's picture are."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF

from app.draw.viewport import GUTTER, MARGIN, Viewport

TEXT_ROW, BYTE_ROW, BARS, TOP, MINIMAP = 34.0, 44.0, 26.0, 40.0, 28.0


@dataclass(frozen=True)
class Frame:
    """Where the parts of the picture are. base: y of the axis; room: the greatest arc height."""

    width: float
    base: float
    text: QRectF
    bars: QRectF
    minimap: QRectF | None

    @property
    def room(self) -> float:
        return self.base - TOP


def frame(width: float, height: float, viewport: Viewport, *, bars: bool) -> Frame:
    """Divide a picture of this size; without `bars` the row of boundary bars is left out."""
    overview = MINIMAP + 8 if viewport.overflows else 0.0
    tall = BYTE_ROW if viewport.axis is not None and viewport.axis.unit == "byte" else TEXT_ROW
    below = tall + (BARS + 14 if bars else 4) + overview
    base = max(height - below, TOP + 20)
    bar = QRectF(GUTTER, base + tall + 6, width - GUTTER, BARS if bars else 0.0)
    small = QRectF(GUTTER + MARGIN, height - MINIMAP - 4, width - GUTTER - 2 * MARGIN, MINIMAP)
    return Frame(
        width,
        base,
        QRectF(GUTTER, base + 2, width - GUTTER, tall),
        bar,
        small if overview else None,
    )
