"""What a step of BPE-dropout did, in words."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.draw.isolate import isolate
from engine.display import visible
from engine.traces.dropout import DropStep, DropTrace

translate = QCoreApplication.translate


def piece_text(trace: DropTrace, piece: int) -> str:
    """Return a piece for the eye."""
    return isolate(visible(trace.model.vocabulary.bytes(piece)))


def symbols_text(trace: DropTrace, k: int, pretoken: int) -> str:
    """Return the symbols of a pre-token before step k with bars between."""
    cuts = trace.prepared.cuts
    state = trace.state(k, int(cuts[pretoken]), int(cuts[pretoken + 1]))
    return "|".join(piece_text(trace, int(piece)) for piece in state.piece)


def verdict(step: DropStep) -> str:
    """Return what became of a pair, with its sign."""
    if step.stale:
        return translate("Dropout", "gone –")
    return translate("Dropout", "dropped ×") if step.dropped else translate("Dropout", "merged ✓")


def drop_title(trace: DropTrace, k: int) -> str:
    """Return the heading of state k."""
    if k <= 0:
        return translate("Dropout", "Before the first coin")
    step = trace.event(min(k, len(trace)) - 1)
    if step.stale:
        return translate("Dropout", "The pair is gone")
    text = translate("Dropout", "{left} + {right}: {verdict}")
    return text.format(
        left=piece_text(trace, step.left),
        right=piece_text(trace, step.right),
        verdict=verdict(step),
    )


def drop_sentence(trace: DropTrace, k: int, mark: str = "") -> str:
    """Say what step k − 1 did. mark: put before and after pieces."""
    if k <= 0:
        return translate(
            "Dropout", "Each pair that could merge will be dropped with p = {p}."
        ).format(p=f"{trace.p:g}")
    step = trace.event(min(k, len(trace)) - 1)
    if step.stale:
        return translate(
            "Dropout", "A pair comes out of the queue, but another merge took one of its symbols."
        )
    text = translate(
        "Dropout", "u = {u} isn't below p = {p}: {left} and {right} merge to {result}."
    )
    if step.dropped:
        text = translate(
            "Dropout", "u = {u} is below p = {p}: {left} and {right} are dropped, nothing merges."
        )
    pieces = {
        name: f"{mark}{piece_text(trace, piece)}{mark}"
        for name, piece in (("left", step.left), ("right", step.right), ("result", step.result))
    }
    return text.format(u=f"{step.u:.3f}", p=f"{trace.p:g}", **pieces)
