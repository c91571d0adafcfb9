"""A lattice as text for other programs that draw: Graphviz' DOT, and TikZ for LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.cells import lay_out
from engine.display import visible
from engine.palette import LIGHT
from engine.search import decimal
from engine.terminal import counted, ways

if TYPE_CHECKING:
    from engine.lattice import Lattice
    from engine.law import Law

HIDDEN = 0.001
"""Edges of a lower probability that aren't on the path are left out."""

CELL = 0.45
"""Centimetres of a narrow cell."""


def lattice_dot(lattice: Lattice, theta: float = 1.0) -> str:
    """Return the lattice as a DOT digraph: nodes are byte positions, edges carry the piece.

    The path (the best one, or the one the model takes where it defines no law) is thick. Edges
    of a probability under 0.001 off the path are left out; a comment counts them.
    """
    law, path = _law_and_path(lattice, theta)
    shown = _shown(lattice, law, path)
    lines = [
        "digraph lattice {",
        *(f"  // {line}" for line in _facts(lattice, law, shown)),
        "  rankdir=LR;",
        f'  node [shape=circle, fontsize=10, fontcolor="{LIGHT["ink2"]}"];',
        f'  edge [fontname="DejaVu Sans Mono", fontsize=11, color="{LIGHT["ink3"]}"];',
    ]
    nodes = np.unique(np.concatenate((lattice.start[shown], lattice.end[shown])))
    lines += [f"  {node};" for node in nodes.tolist()]
    for edge in shown.tolist():
        label = visible(lattice.bytes(edge))
        if law is not None:
            label += f"\n{law.marginal[edge]:.3f}"
        elif lattice.rank[edge] >= 0:
            label += f"\n{lattice.rank[edge]}"
        style = f', color="{LIGHT["best"]}", penwidth=2.6' if path[edge] else ""
        lines.append(
            f"  {lattice.start[edge]} -> {lattice.end[edge]} [label={_quoted(label)}{style}];"
        )
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def lattice_tikz(lattice: Lattice, theta: float = 1.0) -> str:
    """Return the lattice as a `tikzpicture`: arcs over the text, in centimetres.

    It needs only the package tikz; scripts beside Latin need a font that has them (XeLaTeX or
    LuaLaTeX). Edges are left out as in `lattice_dot`.
    """
    law, path = _law_and_path(lattice, theta)
    shown = _shown(lattice, law, path)
    cells = lay_out(lattice)
    lines = [
        *(f"% {line}" for line in _facts(lattice, law, shown)),
        "% \\usepackage{tikz}",
        "\\begin{tikzpicture}[font=\\footnotesize\\ttfamily, every node/.style={inner sep=1pt}]",
        f"  \\definecolor{{best}}{{HTML}}{{{LIGHT['best'][1:]}}}",
        f"  \\definecolor{{other}}{{HTML}}{{{LIGHT['ink3'][1:]}}}",
        f"  \\draw[other] (0,0) -- ({_cm(cells.total)},0);",
    ]
    for i, label in enumerate(cells.labels):
        middle = (float(cells.left[i]) + float(cells.right[i])) / 2
        lines.append(f"  \\node[below=2pt] at ({_cm(middle)},0) {{\\strut {_tex(label)}}};")
    # Painted last is on top: the path.
    for edge in sorted(shown.tolist(), key=lambda edge: (bool(path[edge]), edge)):
        x0, x1 = float(cells.x[lattice.start[edge]]), float(cells.x[lattice.end[edge]])
        top = _cm(0.7 + 0.8 * abs(x1 - x0))
        style = "best, line width=1.2pt" if path[edge] else "other, line width=0.4pt"
        curve = f"({_cm(x0)},0) .. controls ({_cm(x0)},{top}) and ({_cm(x1)},{top}) .."
        label = f" node[midway, above] {{{_tex(visible(lattice.bytes(edge)))}}}"
        lines.append(f"  \\draw[{style}] {curve} ({_cm(x1)},0){label};")
    return "\n".join([*lines, "\\end{tikzpicture}", ""])


def _cm(cells: float) -> str:
    text = f"{cells * CELL:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _tex(text: str) -> str:
    """Return text with LaTeX's own characters escaped, and marks without a glyph spelled."""
    special = {
        "\\": "\\textbackslash{}",
        "~": "\\textasciitilde{}",
        "^": "\\textasciicircum{}",
        "␣": "\\textvisiblespace{}",
        "→": "$\\rightarrow$",
        "↵": "$\\hookleftarrow$",
        "▁": "\\_",
    }
    return "".join(special.get(c, f"\\{c}" if c in "&%$#_{}" else c) for c in text)


def _law_and_path(lattice: Lattice, theta: float) -> tuple[Law | None, NDArray[np.bool_]]:
    law = lattice.law(theta) if lattice.has_law else None
    path = np.zeros(lattice.n_edges, dtype=np.bool_)
    path[lattice.viterbi().edges if law is not None else lattice.taken] = True
    return law, path


def _shown(lattice: Lattice, law: Law | None, path: NDArray[np.bool_]) -> NDArray[np.int64]:
    if law is None:
        return np.arange(lattice.n_edges)
    return np.flatnonzero((law.marginal >= HIDDEN) | path)


def _facts(lattice: Lattice, law: Law | None, shown: NDArray[np.int64]) -> list[str]:
    """Return comment lines; nothing of the text is in them, so no line end can break out."""
    of = counted(lattice.n_edges, "edge")
    facts = [f"{len(shown):,} of {of}, {ways(decimal(lattice.paths))}"]
    if law is None:
        return [*facts, f"no probabilities: {lattice.no_law}"]
    return [*facts, f"theta {law.theta:g}, entropy {law.entropy:.6f} nats"]
