"""What a step of a pass over the lattice did, in words, and what an edge is."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.draw.lane import edge_text, path_text
from app.draw.numbers import chance_text, share_text, signed
from engine.lattice import Lattice
from engine.trace import Arrival
from engine.traces.passes import PassTrace

translate = QCoreApplication.translate


def edge_sentence(lattice: Lattice, edge: int) -> str:
    """Say what an edge is and where it stands in the text."""
    first, end = lattice.source(edge)
    text = translate(
        "Lane", "{piece} is chosen: score {score}, bytes {first} to {end} of the text."
    )
    return text.format(
        piece=edge_text(lattice, edge),
        score=signed(float(lattice.score[edge])),
        first=f"{first:,}",
        end=f"{end:,}",
    )


def event_sentence(trace: PassTrace, k: int, mark: str = "") -> str:
    """Say what step k − 1 of a trace did. mark: put before and after pieces."""
    lattice = trace.lattice

    def piece(edge: int) -> str:
        return f"{mark}{edge_text(lattice, edge)}{mark}"

    if k <= 0:
        return translate("Lane", "The pass begins at node 0, with nothing held.")
    if k > trace.n_forward:
        if k >= len(trace):
            return path_sentence(trace, mark)
        event = trace.event(k - 1)
        if trace.kind == "ffbs":
            return _chosen_sentence(trace, k - 1 - trace.n_forward, piece(event.edge))
        text = translate("Lane", "Back from node {node}: it holds {piece}.")
        return text.format(node=f"{event.node:,}", piece=piece(event.edge))
    event = trace.event(k - 1)
    assert isinstance(event, Arrival)
    if trace.kind == "ffbs":
        text = translate(
            "Lane",
            "{piece} arrives with weight {weight}: node {node} now has {total}. No coin yet.",
        )
        return text.format(
            piece=piece(event.edge),
            weight=signed(event.newcomer),
            node=f"{event.node:,}",
            total=signed(event.total),
        )
    if event.first:
        if trace.kind == "viterbi":
            text = translate("Lane", "{piece} arrives first, with score {weight}, and is held.")
        else:
            text = translate(
                "Lane", "{piece} arrives first, with weight {weight}: chance 1, taken."
            )
        return text.format(piece=piece(event.edge), weight=signed(event.newcomer))
    if trace.kind == "viterbi":
        if event.taken:
            text = translate(
                "Lane", "{piece} arrives with score {weight}, better than {held}: held from now on."
            )
        elif event.newcomer == event.held:
            text = translate(
                "Lane",
                "{piece} arrives with score {weight}, a tie with what is held: the first stays.",
            )
        else:
            text = translate(
                "Lane", "{piece} arrives with score {weight}, not better than {held}: kept out."
            )
        return text.format(
            piece=piece(event.edge), weight=signed(event.newcomer), held=signed(event.held)
        )
    if trace.kind == "viterbi-v1":
        if event.taken:
            text = translate(
                "Lane",
                "{piece} arrives with score {weight} against {held} of the path held: "
                "chance {chance}, u = {u}, taken.",
            )
        else:
            text = translate(
                "Lane",
                "{piece} arrives with score {weight} against {held} of the path held: "
                "chance {chance}, u = {u}, kept out.",
            )
    elif event.taken:
        text = translate(
            "Lane",
            "{piece} arrives with weight {weight} against {held} so far: chance {chance}, "
            "u = {u}, taken.",
        )
    else:
        text = translate(
            "Lane",
            "{piece} arrives with weight {weight} against {held} so far: chance {chance}, "
            "u = {u}, kept out.",
        )
    return text.format(
        piece=piece(event.edge),
        weight=signed(event.newcomer),
        held=signed(event.held),
        chance=chance_text(event.chance),
        u=f"{event.u:.3f}",
    )


def _chosen_sentence(trace: PassTrace, back: int, piece: str) -> str:
    """Say how the way back chose an edge."""
    edge = int(trace.back[back])
    node = int(trace.lattice.end[edge])
    step = next(step for step in trace.steps_at(node) if trace.edge[step] == edge)
    low, high = trace.stretch(step)
    text = translate(
        "Lane", "Back at node {node}: u = {u} lies from {low} to {high}, so {piece} is chosen."
    )
    return text.format(
        node=f"{node:,}",
        u=f"{trace.back_u[back]:.3f}",
        low=chance_text(low),
        high=chance_text(high),
        piece=piece,
    )


def path_sentence(trace: PassTrace, mark: str = "") -> str:
    """Say what the pass found."""
    edges = trace.path.edges
    shown = path_text(trace.lattice, edges[:12]) + ("|…" if len(edges) > 12 else "")
    if trace.kind == "viterbi":
        text = translate("Lane", "The best path is {path}, score {score}.")
    else:
        text = translate("Lane", "Draw {draw} ends as {path}, probability {p}.")
    return text.format(
        draw=f"{trace.draw + 1:,}",
        path=f"{mark}{shown}{mark}",
        score=signed(trace.path.score),
        p=share_text(trace.path.probability, 4),
    )
