"""What the tests of the Sampling workspace share: opening it, waiting for it, reading it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import engine
from app.session import Session
from app.theme import Theme
from app.views.sampling import SamplingWorkspace
from app.views.sampling.tally import Tally
from app.widgets.report import Sentence
from engine.bundled import model_path

Make = Callable[..., SamplingWorkspace]
"""(text, bundled model, methods) → the workspace, ready."""

BOTH = ("viterbi", "perfect")

LONG = "Subword models cut rare words into pieces, and there are very many ways to do it."


@pytest.fixture
def make(qtbot: Any, session: Session, theme: Theme) -> Make:
    """Show the workspace with a text and a bundled model."""

    def open_workspace(text: str, model: str, methods: tuple[str, ...] = ()) -> SamplingWorkspace:
        theme.reduce_motion(True)
        session.set_text(text)
        session.add_model(engine.load(model_path(model)))
        workspace = SamplingWorkspace(session, theme)
        qtbot.addWidget(workspace)
        if methods:
            workspace.choose_methods(methods)
        workspace.resize(1200, 800)
        with qtbot.waitExposed(workspace):
            workspace.show()
        settle(qtbot, workspace, session)
        return workspace

    return open_workspace


def settle(qtbot: Any, workspace: SamplingWorkspace, session: Session) -> None:
    """Wait until lattice, passes and draws are there."""

    def ready() -> bool:
        tally = workspace.tally
        return not session.busy and (workspace.passes is None or bool(tally and tally.n))

    qtbot.waitUntil(ready, timeout=20_000)
    qtbot.wait(1)
    qtbot.waitUntil(ready, timeout=20_000)


def draws(qtbot: Any, workspace: SamplingWorkspace, n: int) -> Tally:
    """Wait for a sample of n draws."""
    qtbot.waitUntil(
        lambda: (
            workspace.tally is not None and workspace.tally.n == n and not workspace._session.busy
        ),
        timeout=20_000,
    )
    tally = workspace.tally
    assert tally is not None
    return tally


def sentences(workspace: SamplingWorkspace) -> list[str]:
    return [
        part.text.replace("\x01", "")
        for part in workspace.report.parts
        if isinstance(part, Sentence)
    ]


def seek_piece(workspace: SamplingWorkspace, piece: str) -> int:
    """Go to the state after the edge of `piece` has come to the last node; return it."""
    passes = workspace.passes
    assert passes is not None
    trace = passes.perfect
    last = trace.lattice.n_nodes - 1
    step = next(
        s for s in trace.steps_at(last) if trace.lattice.edge_text(int(trace.edge[s])) == piece
    )
    workspace.player.seek(step + 1)
    return step + 1
