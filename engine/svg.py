"""A lattice as an SVG picture: text in, text out, the same bytes for the same lattice.

Arcs are the pieces that match, strong where they are probable; below them the text, the
probability that a segmentation cuts at each place, and the best paths as bricks on the same axis.
Text stays text, colours are those of `engine.palette`, nothing is fetched from outside.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from engine.cells import Cells, lay_out
from engine.constrain import Constrained, meant
from engine.display import visible
from engine.errors import ParameterError
from engine.palette import PALETTES, Palette
from engine.place import LOWEST, SLOPE, Placement, Role, free_boxes, place
from engine.search import decimal
from engine.segmenter import EdgeKind
from engine.terminal import counted, fits, number, ways, width

if TYPE_CHECKING:
    from engine.lattice import Lattice, Path
    from engine.law import Law
    from engine.text import Unit

CELL, LARGEST_CELL, GOOD_WIDTH = 19.0, 44.0, 520.0
"""Pixels of a narrow cell (a wide one has twice as many), larger while the text is short."""

VIEW_HEIGHT = 300.0
"""The highest arc."""

LEFT, RIGHT, TOP = 128.0, 28.0, 64.0
AXIS, BARS, ROW = 34.0, 26.0, 26.0
LABEL, SMALL, PIECE = 12, 11, 15
ADVANCE = 0.62
"""Width of a monospaced character over its size: enough for the fonts named."""

_MARKS = {int(EdgeKind.DROPPED): "∅", int(EdgeKind.UNKNOWN): "?"}
"""What stands before the text of an edge that is no piece."""

MONO = "'JetBrains Mono','Cascadia Mono',Menlo,'DejaVu Sans Mono','Noto Sans Mono CJK SC',monospace"
SANS = "Inter,'Segoe UI','Helvetica Neue','DejaVu Sans','Noto Sans',sans-serif"


@dataclass
class _Canvas:
    """SVG elements in the order of painting."""

    colours: Palette
    elements: list[str] = field(default_factory=list)

    def add(self, tag: str, content: str = "", **attributes: str | float) -> None:
        named = "".join(
            f" {name.rstrip('_').replace('_', '-')}={_quoted(value)}"
            for name, value in attributes.items()
        )
        closing = f">{content}</{tag}>" if content else "/>"
        self.elements.append(f"<{tag}{named}{closing}")

    def text(
        self, x: float, y: float, text: str, colour: str, size: int = SMALL, **more: str | float
    ) -> None:
        if text:
            self.add("text", escape(text), x=x, y=y, fill=colour, font_size=size, **more)


def lattice_svg(
    lattice: Lattice,
    theta: float = 1.0,
    nbest: int = 6,
    theme: str = "light",
    unit: Unit = "grapheme",
    constrained: Constrained | None = None,
) -> str:
    """Return the picture of a lattice at inverse temperature `theta`, as an SVG document.

    nbest: how many best paths are shown where the model defines a law. theme: `light` or `dark`.
    unit: what a cell of the axis is. Edges of a probability under 0.001 that no shown path has
    are left out and counted. constrained: marks what is pinned and forbidden, and the path that
    was best before; `lattice` is then what it leaves.
    """
    if theme not in PALETTES:
        raise ParameterError(f"there is no theme {theme!r}", "theme", "use light or dark")
    law = lattice.law(theta) if lattice.has_law else None
    paths = lattice.nbest(nbest, theta) if law else [lattice.path]
    cells = lay_out(lattice, unit)
    cell = min(max(CELL, GOOD_WIDTH / max(cells.total, 1.0)), LARGEST_CELL)
    ghost = lattice.n_nodes > 1 and not 0 <= cells.x[0] <= cells.total
    shift = LEFT + (cell if ghost and not cells.mirrored else 0)
    x = cells.x * cell + shift
    placed = place(lattice, law, paths[0], paths[1:], x, view_height=VIEW_HEIGHT)
    highest = float(placed.height.max(initial=0))
    if constrained is not None:
        widths = x[constrained.whole.end] - x[constrained.whole.start]
        highest = _height(float(np.abs(widths).max(initial=0)))
    axis = TOP + max(40.0, highest + 34)
    canvas = _Canvas(PALETTES[theme])
    count = 0 if constrained is None else len(constrained.constraints)
    _header(canvas, lattice, law, placed, count)
    if constrained is not None:
        _constraints(canvas, constrained, paths[0], x, axis)
    _arcs(canvas, placed, axis, _apart(lattice, constrained))
    _path_nodes(canvas, paths[0], x, axis)
    _labels(canvas, lattice, placed, axis)
    if constrained is not None:
        _marks(canvas, constrained, x, axis)
    _fragments(canvas, lattice, paths[0], x, axis)
    _axis(canvas, cells, cell, shift, axis)
    bottom = axis + AXIS
    if law is not None:
        _boundaries(canvas, law, x, bottom)
        bottom += BARS + 18
    bottom = _bricks(canvas, lattice, paths, x, bottom + 8, law is not None)
    wide = max(shift + cells.total * cell + RIGHT + (cell if ghost and cells.mirrored else 0), 640)
    return _document(canvas, lattice, paths[0], wide, bottom + 16)


def _document(canvas: _Canvas, lattice: Lattice, best: Path, wide: float, high: float) -> str:
    colours = canvas.colours
    text = visible(lattice.prepared.text.encoded)
    described = " | ".join(_seen(lattice, edge) for edge in best.edges.tolist())
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_value(wide)}" height="{_value(high)}" '
        f'viewBox="0 0 {_value(wide)} {_value(high)}" font-family="{MONO}" role="img">'
    )
    lines = [
        head,
        f"<title>{escape(f'Segmentation lattice of {text}')}</title>",
        f"<desc>{escape(f'Path: {described}')}</desc>",
        f'<rect width="{_value(wide)}" height="{_value(high)}" fill="{colours["canvas"]}"/>',
        *canvas.elements,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _header(
    canvas: _Canvas, lattice: Lattice, law: Law | None, placed: Placement, constraints: int
) -> None:
    colours = canvas.colours
    facts = [
        f"{number(len(placed))} of {counted(lattice.n_edges, 'edge')}",
        ways(decimal(lattice.paths)),
    ]
    if placed.hidden:
        facts[0] += f" ({number(placed.hidden)} under 0.001 hidden)"
    if law is not None:
        facts.append(f"entropy {law.entropy:.3f} nats at θ = {law.theta:g}")
    if constraints:
        facts.append(f"under {constraints} constraint{'' if constraints == 1 else 's'}")
    sans = {"font_family": SANS}
    canvas.text(16, 24, " · ".join(facts), colours["ink2"], LABEL, **sans)
    if law is None:
        note = f"no probabilities: {lattice.no_law}"
        canvas.text(16, 42, note, colours["ink3"], SMALL, **sans)
        return
    keys = (
        ("best path", "best", 3.0),
        ("alternatives", "alternative", 2.0),
        ("other edges", "ink3", 1.0),
    )
    at = 16.0
    for name, role, line in keys:
        colour = colours[role]  # type: ignore[literal-required]
        canvas.add("path", d=f"M{_value(at)} 42h20", stroke=colour, stroke_width=line)
        canvas.text(at + 26, 46, name, colours["ink2"], SMALL, **sans)
        at += 42 + 7 * len(name)


def _colour(canvas: _Canvas, role: int) -> str:
    if role in (Role.BEST, Role.TAKEN):
        return canvas.colours["best"]
    return canvas.colours["alternative" if role == Role.ALTERNATIVE else "ink3"]


def _apart(lattice: Lattice, constrained: Constrained | None) -> NDArray[np.bool_]:
    """Return which edges merging would change, bool[e]."""
    fits = (lattice if constrained is None else constrained.whole).canonical_edges
    if fits is None:
        return np.zeros(lattice.n_edges, dtype=np.bool_)
    return ~fits if constrained is None else ~fits[constrained.kept]


def _constraints(
    canvas: _Canvas, constrained: Constrained, best: Path, x: NDArray[np.float64], axis: float
) -> None:
    """Draw what isn't in the lattice any more: the former best path, forbidden edges; say it."""
    whole, colours = constrained.whole, canvas.colours
    now = set(constrained.kept[best.edges].tolist())
    former = set((whole.viterbi() if whole.has_law else whole.path).edges.tolist()) - now
    forbidden = {
        edge
        for constraint in constrained.constraints
        if constraint.action == "forbid" and constraint.target != "boundary"
        for edge in np.flatnonzero(meant(whole, constraint)).tolist()
    }
    for edge in sorted(former | forbidden):
        x0, x1 = float(x[whole.start[edge]]), float(x[whole.end[edge]])
        top = axis - _height(x1 - x0) * 4 / 3
        curve = " ".join(_value(v) for v in (x0, top, x1, top, x1, axis))
        colour = colours["best" if edge in former else "ink3"]
        dashes = {} if edge in former else {"stroke_dasharray": "3 4"}
        canvas.add(
            "path",
            d=f"M{_value(x0)} {_value(axis)}C{curve}",
            fill="none",
            stroke=colour,
            stroke_width=1,
            **dashes,
        )


def _height(wide: float) -> float:
    return min(LOWEST + SLOPE * abs(wide), VIEW_HEIGHT)


def _marks(canvas: _Canvas, constrained: Constrained, x: NDArray[np.float64], axis: float) -> None:
    """Draw a pin or a bar across the apex of edges, and at the nodes of boundaries."""
    whole = constrained.whole
    source = whole.prepared.node_sources()
    for constraint in constrained.constraints:
        pinned = constraint.action == "pin"
        if constraint.target == "boundary":
            nodes = np.flatnonzero(source == constraint.start)[:1].tolist()
            for node in nodes if constraint.nodes is None else constraint.nodes[:1]:
                _mark(canvas, float(x[node]), axis, pinned, across=False)
            continue
        for edge in np.flatnonzero(meant(whole, constraint)).tolist():
            x0, x1 = float(x[whole.start[edge]]), float(x[whole.end[edge]])
            _mark(canvas, (x0 + x1) / 2, axis - _height(x1 - x0), pinned, across=True)


def _mark(canvas: _Canvas, x: float, y: float, pinned: bool, *, across: bool) -> None:
    ink, paper = canvas.colours["ink"], canvas.colours["canvas"]
    if pinned:
        line = f"M{_value(x)} {_value(y - 8)}v{16 if across else 10}"
    elif across:
        line = f"M{_value(x)} {_value(y - 8)}v16"
    else:
        line = f"M{_value(x - 8)} {_value(y)}h16"
    for colour, wide in ((paper, 3), (ink, 0)):
        canvas.add("path", d=line, stroke=colour, stroke_width=(1.6 if pinned else 3) + wide)
        if pinned:
            canvas.add("circle", cx=x, cy=y - 8, r=4 + wide / 2, fill=colour)


def _arcs(canvas: _Canvas, placed: Placement, axis: float, apart: NDArray[np.bool_]) -> None:
    for i in placed.paint_order.tolist():
        x0, x1 = float(placed.x0[i]), float(placed.x1[i])
        top = axis - float(placed.height[i]) * 4 / 3
        curve = " ".join(_value(v) for v in (x0, top, x1, top, x1, axis))
        canvas.add(
            "path",
            d=f"M{_value(x0)} {_value(axis)}C{curve}",
            fill="none",
            stroke=_colour(canvas, int(placed.role[i])),
            stroke_width=float(placed.line[i]),
            stroke_opacity=float(placed.opacity[i]),
            **({"stroke_dasharray": "4 3"} if apart[placed.edge[i]] else {}),
        )


def _path_nodes(canvas: _Canvas, best: Path, x: NDArray[np.float64], axis: float) -> None:
    for node in best.nodes.tolist():
        canvas.add("circle", cx=float(x[node]), cy=axis, r=3, fill=canvas.colours["best"])


def _labels(canvas: _Canvas, lattice: Lattice, placed: Placement, axis: float) -> None:
    """Write the piece above each apex and its probability below, the important ones first.

    A label whose place is taken, or that is wider than its arc off the path, isn't written;
    arcs inside a grapheme are counted instead.
    """
    order = placed.priority
    texts = [_label(lattice, placed, int(i)) for i in order]
    boxes = np.full((len(order), 4), np.nan)
    for row, i in enumerate(order.tolist()):
        middle = float(placed.x0[i] + placed.x1[i]) / 2
        top = axis - float(placed.height[i])
        half = max(width(text) for text in texts[row]) * LABEL * ADVANCE / 2 + 2
        chosen = placed.role[i] in (Role.BEST, Role.TAKEN)
        fits_in = 2 * half <= abs(float(placed.x1[i] - placed.x0[i])) + 8
        if (chosen or fits_in) and not placed.fragment[i]:
            low = top + (17 if texts[row][1] else 0)
            boxes[row] = (middle - half, top - LABEL - 6, middle + half, low)
    kept = free_boxes(boxes)
    for row, i in enumerate(order.tolist()):
        if not kept[row]:
            continue
        left, top, right, low = boxes[row].tolist()
        role = int(placed.role[i])
        colour = canvas.colours["ink2"] if role == Role.OTHER else _colour(canvas, role)
        piece, chance = texts[row]
        apex = top + LABEL + 6
        middle, weight = (left + right) / 2, 600 if role in (Role.BEST, Role.TAKEN) else 400
        for text, start, end in ((piece, top + 1, apex - 2), (chance, apex + 4, low)):
            if text:
                wide = width(text) * (LABEL if text is piece else SMALL) * ADVANCE
                canvas.add(
                    "rect",
                    x=middle - wide / 2,
                    y=start,
                    width=wide,
                    height=end - start,
                    fill=canvas.colours["canvas"],
                    fill_opacity=0.8,
                )
        canvas.text(
            middle, apex - 6, piece, colour, LABEL, text_anchor="middle", font_weight=weight
        )
        canvas.text(middle, apex + 14, chance, colour, SMALL, text_anchor="middle")


def _fragments(
    canvas: _Canvas, lattice: Lattice, best: Path, x: NDArray[np.float64], axis: float
) -> None:
    """Write over each grapheme that the path cuts inside into how many tokens it is cut."""
    bounds = lattice.prepared.text.grapheme_bounds
    source = lattice.prepared.node_sources()
    inner = np.setdiff1d(source[best.nodes], bounds)
    cells = np.unique(np.searchsorted(bounds, inner) - 1)
    lows, highs = bounds[cells], bounds[cells + 1]
    # Nodes, and so the edges of a path, stand in the order of the text.
    tokens = np.searchsorted(source[lattice.start[best.edges]], highs, side="left")
    tokens -= np.searchsorted(source[lattice.end[best.edges]], lows, side="right")
    firsts = np.searchsorted(source, lows, side="left").tolist()
    lasts = np.searchsorted(source, highs, side="right").tolist()
    for first, last, count in zip(firsts, lasts, tokens.tolist(), strict=True):
        middle = float(x[first:last].min() + x[first:last].max()) / 2
        text = str(count)
        half = 4 + len(text) * SMALL * ADVANCE / 2
        colours = canvas.colours
        canvas.add(
            "rect",
            x=middle - half,
            y=axis - 33,
            width=2 * half,
            height=15,
            rx=2,
            fill=colours["ink"],
        )
        canvas.text(middle, axis - 21.5, text, colours["canvas"], SMALL, text_anchor="middle")


def _label(lattice: Lattice, placed: Placement, i: int) -> tuple[str, str]:
    piece = _seen(lattice, int(placed.edge[i]))
    if placed.role[i] == Role.ALTERNATIVE:
        piece = f"{placed.path[i]}·{piece}"
    chance = float(placed.marginal[i])
    if np.isnan(chance):
        rank = int(lattice.rank[placed.edge[i]])
        return piece, f"{rank:,}" if rank >= 0 else ""
    return piece, f"{chance:.3f}".lstrip("0") if 0.0005 <= chance < 0.995 else ""


def _seen(lattice: Lattice, edge: int) -> str:
    return _MARKS.get(int(lattice.kind[edge]), "") + visible(lattice.bytes(edge))


def _axis(canvas: _Canvas, cells: Cells, cell: float, shift: float, axis: float) -> None:
    colours = canvas.colours
    start, end = shift, shift + cells.total * cell
    canvas.add("path", d=f"M{_value(start)} {_value(axis)}H{_value(end)}", stroke=colours["line2"])
    for i, label in enumerate(cells.labels):
        left = shift + float(cells.left[i]) * cell
        right = shift + float(cells.right[i]) * cell
        canvas.add("path", d=f"M{_value(left)} {_value(axis)}v4", stroke=colours["line2"])
        size = PIECE if width(label) <= 2 else SMALL
        colour = colours["ink3"] if label.startswith(("␣", "↵", "→", "␍", "U+")) else colours["ink"]
        canvas.text((left + right) / 2, axis + 23, label, colour, size, text_anchor="middle")
    canvas.add("path", d=f"M{_value(end)} {_value(axis)}v4", stroke=colours["line2"])


def _boundaries(canvas: _Canvas, law: Law, x: NDArray[np.float64], top: float) -> None:
    """Draw the probability of a cut at each node as a bar of 0 to 1."""
    colours = canvas.colours
    sans = {"font_family": SANS}
    canvas.text(16, top + 12, "Cut here", colours["ink3"], SMALL, **sans)
    canvas.text(16, top + 26, "probability 0–1", colours["ink3"], SMALL, **sans)
    foot = top + BARS
    left, right = float(x.min()), float(x.max())
    canvas.add("path", d=f"M{_value(left)} {_value(foot)}H{_value(right)}", stroke=colours["line"])
    for node in np.flatnonzero(law.node_marginal >= 0.001).tolist():
        high = BARS * float(law.node_marginal[node])
        canvas.add(
            "rect",
            x=float(x[node]) - 1.5,
            y=foot - high,
            width=3,
            height=high,
            fill=colours["best" if law.node_marginal[node] >= 0.5 else "alternative"],
        )


def _bricks(
    canvas: _Canvas,
    lattice: Lattice,
    paths: list[Path],
    x: NDArray[np.float64],
    top: float,
    has_law: bool,
) -> float:
    """Draw the paths as rows of bricks; filled is what differs from the first path."""
    colours = canvas.colours
    best = set(paths[0].edges.tolist())
    for row, path in enumerate(paths):
        y = top + row * ROW
        role = "best" if row == 0 else "alternative"
        ink = colours["best" if row == 0 else "alternative"]
        name = f"{row + 1}  {fits(path.probability)}" if has_law else "the model's path"
        canvas.text(16, y + 15, name, ink, LABEL if has_law else SMALL)
        for edge in path.edges.tolist():
            ends = sorted((float(x[lattice.start[edge]]), float(x[lattice.end[edge]])))
            wide = ends[1] - ends[0]
            if wide <= 0:
                continue
            same = row > 0 and edge in best
            fill = "none" if same else colours["fill_best" if row == 0 else "fill_alternative"]
            canvas.add(
                "rect",
                x=ends[0] + 0.75,
                y=y,
                width=max(wide - 1.5, 0.5),
                height=20,
                rx=2,
                fill=fill,
                stroke=colours["line" if same else role],  # type: ignore[literal-required]
            )
            label = _seen(lattice, edge)
            if width(label) * SMALL * ADVANCE <= wide - 4:
                ink2 = colours["ink3" if same else "ink"]
                middle = sum(ends) / 2
                canvas.text(middle, y + 14, label, ink2, SMALL, text_anchor="middle")
    return top + len(paths) * ROW


def _quoted(value: str | float) -> str:
    """Return an attribute's text in quotes; a number needs no escaping."""
    return quoteattr(value) if isinstance(value, str) else f'"{_value(value)}"'


def _value(value: str | float) -> str:
    """Return an attribute's text; numbers with two decimals at most."""
    if isinstance(value, str):
        return value
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
