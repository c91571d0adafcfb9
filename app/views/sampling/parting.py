"""Where two methods that toss a coin for each edge part under the same random number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication

from app.draw.lane import edge_text
from app.draw.numbers import chance_text
from app.views.sampling.methods import method_name
from engine.traces.passes import PassTrace

COINED = ("viterbi-v1", "perfect")
"""The methods whose coins have the same random numbers, edge by edge."""

translate = QCoreApplication.translate


def beside(traces: tuple[PassTrace, ...], kind: str) -> PassTrace | None:
    """Return the trace that a lane's coins are compared with, None for a lane without one."""
    if kind not in COINED:
        return None
    return next((t for t in traces if t.kind in COINED and t.kind != kind), None)


def parting_steps(traces: tuple[PassTrace, ...]) -> NDArray[np.int64]:
    """Return the forward steps at which one method takes the edge and the other doesn't: int64[s].

    Empty unless both methods of `COINED` are there.
    """
    coined = [trace for trace in traces if trace.kind in COINED]
    if len(coined) < 2:
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(coined[0].taken != coined[1].taken).astype(np.int64)


def parting_sentence(own: PassTrace, other: PassTrace, step: int, mark: str = "") -> str:
    """Say why two methods part at a forward step."""
    taking, refusing = (own, other) if own.taken[step] else (other, own)
    low, high = float(refusing.chance[step]), float(taking.chance[step])
    text = translate(
        "Parting",
        "≠ {taking} takes {piece}, {refusing} keeps it out: the same u = {u} lies between "
        "{low} and {high}.",
    )
    return text.format(
        taking=method_name(taking.kind),
        refusing=method_name(refusing.kind),
        piece=f"{mark}{edge_text(own.lattice, int(own.edge[step]))}{mark}",
        u=f"{own.u[step]:.3f}",
        low=chance_text(low),
        high=chance_text(high),
    )
