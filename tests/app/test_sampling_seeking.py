"""The search for a draw in which the methods part: for what is shown, where there is one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.session import Session
from app.views.sampling import SamplingWorkspace, seeking
from app.views.sampling.passes import SEARCHED, compared
from app.widgets.report import Lines
from tests.app.sampling import BOTH, Make, draws, make, settle

__all__ = ["make"]

pytestmark = pytest.mark.screen


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Hold every search back until the event is set."""
    go = threading.Event()
    find = seeking.find_parting

    def wait(*given: Any) -> int | None:
        go.wait(20)
        return find(*given)

    monkeypatch.setattr(seeking, "find_parting", wait)
    yield go
    go.set()


def press(qtbot: Any, workspace: SamplingWorkspace) -> None:
    shown = [lane for lane in workspace.lanes.values() if lane.isVisibleTo(workspace)]
    qtbot.keyClick(shown[-1] if shown else workspace.rows.dropped, Qt.Key.Key_N)


def link_next(workspace: SamplingWorkspace) -> tuple[str, str]:
    """Return words and link of the line that looks for a draw."""
    found = [part for part in workspace.report.parts if isinstance(part, Lines)][-1].lines[0]
    return found.text, found.link


def quiet(workspace: SamplingWorkspace) -> bool:
    return not any(job.key == "sampling next" for job in workspace._session.jobs.running)


CHANGES: dict[str, Callable[[SamplingWorkspace, Session], object]] = {
    "seed": lambda _, session: session.change_settings(seed=5),
    "theta": lambda _, session: session.change_settings(theta=0.3),
    "text": lambda _, session: session.set_text("watch"),
    "methods": lambda workspace, _: workspace.choose_methods(("viterbi-v1", "ffbs")),
    "draw": lambda workspace, _: workspace.show_draw(3),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_found_too_late_changes_nothing(
    qtbot: Any, make: Make, session: Session, held: threading.Event, change: str
) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    press(qtbot, workspace)
    assert not quiet(workspace)
    CHANGES[change](workspace, session)
    held.set()
    settle(qtbot, workspace, session)
    assert workspace.shown_draw == (3 if change == "draw" else 0)
    assert "looked at" not in workspace.controls.count.text()
    assert workspace.sample.n == 100


def test_draws_asked_for_at_another_seed_are_not_shown(
    qtbot: Any, make: Make, session: Session
) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    workspace.draw_more(50_000)
    session.change_settings(seed=5)
    settle(qtbot, workspace, session)
    assert workspace.shown_draw == 0


def test_what_is_not_found_is_said(qtbot: Any, make: Make, session: Session) -> None:
    # One segmentation only: no draw is another one.
    workspace = make("ing", "toy-watching", BOTH)
    press(qtbot, workspace)
    qtbot.waitUntil(lambda: "looked at" in workspace.controls.count.text(), timeout=20_000)
    words = f"{SEARCHED:,} draws looked at: the methods part in none"
    assert workspace.controls.count.text() == words


def test_only_paths_are_compared() -> None:
    sets = "without-replacement"
    assert compared(("perfect",), law=True) == ("viterbi", "perfect")
    assert compared(("perfect", sets), law=True) == ("viterbi", "perfect")
    assert compared(("viterbi", "ffbs", sets), law=True) == ("viterbi", "ffbs")
    for nothing in (("viterbi",), (sets,), ("viterbi", sets)):
        assert compared(nothing, law=True) == ()
    assert compared(("bpe-dropout",), law=False) == ()
    two = ("bpe-dropout", "bpe-dropout-huggingface")
    assert compared(two, law=False) == two


@pytest.mark.parametrize(
    ("text", "model", "methods"),
    [
        ("watching", "toy-watching", ("viterbi",)),
        ("watching", "toy-watching", ("viterbi", "without-replacement")),
        ("lower", "toy-lower", ("bpe-dropout",)),
    ],
)
def test_where_nothing_can_be_compared_it_is_said(
    qtbot: Any, make: Make, session: Session, text: str, model: str, methods: tuple[str, ...]
) -> None:
    workspace = make(text, model, methods)
    assert link_next(workspace) == ("Next draw that isn't the best path", "")
    workspace.next_parting()
    assert workspace.controls.count.text().startswith("Nothing to compare")
    assert quiet(workspace)


def test_the_line_says_what_is_looked_for(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    assert link_next(workspace) == ("Next draw where the methods part", "next")
    workspace.choose_methods(("perfect", "without-replacement"))
    settle(qtbot, workspace, session)
    assert link_next(workspace) == ("Next draw that isn't the best path", "next")
    session.change_settings(seed=11)
    draws(qtbot, workspace, 100)
