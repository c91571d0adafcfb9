"""What a step of a dropout did, in words: merges dropped, or pieces dropped."""

from __future__ import annotations

import math
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication

from app.draw.isolate import isolate
from engine.display import visible
from engine.traces.dropout import DropStep, DropTrace
from engine.traces.longest import TryKind
from engine.traces.maxmatch import DropTry, MaxMatchTrace

translate = QCoreApplication.translate

Trace = DropTrace | MaxMatchTrace


class DropRow(NamedTuple):
    """A step as a row: what was considered, its random number (NaN without one), what became of it.

    won: it merges, or is taken.
    """

    step: int
    label: str
    u: float
    verdict: str
    won: bool


class DropRows:
    """The steps of a dropout for the table of steps: each pair or piece with its coin."""

    texts = frozenset((2, 4))
    piece_column = 2

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        whole = isinstance(trace, MaxMatchTrace)
        self.titles: tuple[str, ...] = (
            translate("Dropout", "Step"),
            translate("Dropout", "Word"),
            translate("Dropout", "Piece") if whole else translate("Dropout", "Pair"),
            translate("Dropout", "u"),
            translate("Dropout", "Verdict"),
        )

    def __len__(self) -> int:
        return len(self._trace)

    def cell(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        if column == 0:
            return f"{row + 1:,}"
        if column == 1:
            return f"{self._trace.pretoken_of(row) + 1:,}"
        step = row_of(self._trace, row)
        if column == 3:
            return "" if math.isnan(step.u) else f"{step.u:.3f}"
        return step.label if column == 2 else step.verdict


def piece_text(trace: Trace, piece: int) -> str:
    """Return a piece for the eye."""
    vocabulary = trace.model.vocabulary
    if isinstance(trace, MaxMatchTrace):
        return isolate(vocabulary.text(piece)) if piece >= 0 else "–"
    return isolate(visible(vocabulary.bytes(piece)))


def symbols_text(trace: Trace, k: int, pretoken: int) -> str:
    """Return what stands of a pre-token before step k with bars between.

    Of a word that is being cut: the pieces taken, and what is left of it.
    """
    cuts = trace.prepared.cuts
    first, last = int(cuts[pretoken]), int(cuts[pretoken + 1])
    if isinstance(trace, DropTrace):
        state = trace.state(k, first, last)
        return "|".join(piece_text(trace, int(piece)) for piece in state.piece)
    taken = trace.taken(pretoken, k)
    parts = [piece_text(trace, int(piece)) for piece in taken.piece]
    done = int(taken.end[-1]) if len(taken.end) else first
    if done < last and not (k >= trace.steps_of(pretoken).stop and trace.failed(pretoken)):
        left = visible(trace.prepared.data[done:last].tobytes())
        parts.append(isolate(f"{left}…"))
    return "|".join(parts)


def row_of(trace: Trace, step: int) -> DropRow:
    """Return a step as a row."""
    event = trace.event(step)
    if isinstance(event, DropTry):
        won = event.kind == TryKind.HIT
        return DropRow(step, piece_text(trace, event.piece), event.u, verdict(event), won)
    label = "–"
    if not event.stale:
        label = f"{piece_text(trace, event.left)} + {piece_text(trace, event.right)}"
    return DropRow(step, label, math.nan if event.stale else event.u, verdict(event), event.merged)


def verdict(step: DropStep | DropTry) -> str:
    """Return what became of a pair or a piece, with its sign."""
    if isinstance(step, DropTry):
        words = {
            TryKind.HIT: translate("Dropout", "taken ✓"),
            TryKind.MISS: translate("Dropout", "dropped ×"),
        }
        return words.get(step.kind, translate("Dropout", "unknown"))
    if step.stale:
        return translate("Dropout", "gone –")
    return translate("Dropout", "dropped ×") if step.dropped else translate("Dropout", "merged ✓")


def drop_title(trace: Trace, k: int) -> str:
    """Return the heading of state k."""
    if k <= 0:
        return translate("Dropout", "Before the first coin")
    step = trace.event(min(k, len(trace)) - 1)
    if isinstance(step, DropTry):
        text = translate("Dropout", "{piece}: {verdict}")
        return text.format(piece=piece_text(trace, step.piece), verdict=verdict(step))
    if step.stale:
        return translate("Dropout", "The pair is gone")
    text = translate("Dropout", "{left} + {right}: {verdict}")
    return text.format(
        left=piece_text(trace, step.left),
        right=piece_text(trace, step.right),
        verdict=verdict(step),
    )


def drop_sentence(trace: Trace, k: int, mark: str = "") -> str:
    """Say what step k − 1 did. mark: put before and after pieces."""
    if k <= 0:
        text = translate("Dropout", "Each pair that could merge will be dropped with p = {p}.")
        if isinstance(trace, MaxMatchTrace):
            text = translate(
                "Dropout", "The longest piece that matches comes first; p = {p} that it is dropped."
            )
        return text.format(p=f"{trace.p:g}")
    step = trace.event(min(k, len(trace)) - 1)
    if isinstance(step, DropTry):
        return _try_sentence(trace, step, mark)
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


def _try_sentence(trace: Trace, step: DropTry, mark: str) -> str:
    if step.kind == TryKind.FAIL:
        text = translate("Dropout", "No piece is left here: the whole word is {piece}.")
    elif step.kind == TryKind.TOO_LONG:
        text = translate("Dropout", "The word has too many characters: all of it is {piece}.")
    elif step.coin < 0:
        text = translate("Dropout", "{piece} is one character, which is never dropped: taken.")
    elif step.kind == TryKind.HIT:
        text = translate("Dropout", "u = {u} isn't below p = {p}: {piece} is taken.")
    else:
        text = translate(
            "Dropout", "u = {u} is below p = {p}: {piece} is dropped, the next shorter one follows."
        )
    piece = f"{mark}{piece_text(trace, step.piece)}{mark}"
    return text.format(u=f"{step.u:.3f}", p=f"{trace.p:g}", piece=piece)
