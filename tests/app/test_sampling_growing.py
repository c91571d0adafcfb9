"""A sample that grows: counted beside the window, no draw twice, whole figures at each look."""

from __future__ import annotations

import threading
from itertools import pairwise
from threading import Event
from typing import Any

import numpy as np
import pytest

import engine
from app.session import Session
from app.views.sampling import inspector
from app.views.sampling.listing import list_law
from app.views.sampling.methods import Settings
from app.views.sampling.passes import draw_into
from app.views.sampling.tally import GROWTH, SetTally, Tally
from engine.bundled import model_path
from engine.goodness import total_variation
from engine.progress import Cancelled
from engine.samplers.gumbel import draw_sets
from tests.app.sampling import BOTH, Make, draws, make, sentences

__all__ = ["make"]

pytestmark = pytest.mark.screen


def test_draws_are_counted_beside_the_window(
    qtbot: Any, make: Make, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting: set[threading.Thread] = set()
    add = Tally.add

    def noted(tally: Tally, *given: Any) -> None:
        counting.add(threading.current_thread())
        add(tally, *given)

    monkeypatch.setattr(Tally, "add", noted)
    workspace = make("watching", "toy-watching", BOTH)
    workspace.draw_more(20_000, show=False)
    tally = draws(qtbot, workspace, 20_100)
    assert counting
    assert threading.main_thread() not in counting
    passes = workspace.passes
    assert passes is not None
    sample = passes.lattice.sample("perfect", count=20_100, seed=session.settings.seed)
    exact = sample.exact_counts
    assert exact is not None
    assert tally.counts_of(passes.listing)[:3].tolist() == exact[:3].tolist()
    assert tally.distance == sample.tv_distance
    at, distance = tally.curve
    assert at[-1] == 20_100
    assert distance.tolist() == [sample.distance_after(n) for n in at.tolist()]
    assert all(b == max(a + 1, int(np.ceil(a * GROWTH))) for a, b in pairwise(at[:-1]))


def test_what_is_cancelled_counts_no_draw_twice() -> None:
    lattice = engine.load(model_path("toy-watching")).lattice("watching")
    tallies = {"perfect": Tally(list_law(lattice, 1.0), 7)}
    tally, asked = tallies["perfect"], 0

    def report(_done: int, _total: int) -> None:
        nonlocal asked
        asked += 1
        if asked == 3:  # two chunks are in, the third is drawn
            raise Cancelled

    with pytest.raises(Cancelled):
        draw_into(tallies, lattice, Settings(), 9_000, report, Event.set)
    assert tally.added == 2_000
    assert tally.n == 0
    tally.look()
    assert tally.n == 2_000
    before = tally.counts_of(tally.listing)
    draw_into(tallies, lattice, Settings(), 2_700, lambda done, total: None, Event.set)
    # What is shown stays as it was until the next look.
    assert tally.counts_of(tally.listing).tolist() == before.tolist()
    tally.look()
    sample = lattice.sample("perfect", count=2_700, seed=7)
    exact = sample.exact_counts
    assert exact is not None
    assert tally.counts_of(tally.listing).tolist() == [*exact.tolist(), 0]


def test_one_test_for_one_look() -> None:
    lattice = engine.load(model_path("toy-watching")).lattice("watching")
    tally = Tally(list_law(lattice, 1.0), 7)
    cells = [path.edges for path in tally.listing.paths]
    tally.add(cells * 10)
    tally.look()
    first = tally.test
    assert first is not None
    assert first.statistic == 0.0
    assert tally.test is first
    tally.add([cells[0]] * 30)
    assert tally.test is first
    tally.look()
    again = tally.test
    assert again is not None
    assert again.statistic == pytest.approx(20.0**2 / 20 + 2 * 10.0**2 / 20)
    shares = np.array([40, 10, 10]) / 60
    assert tally.distance == pytest.approx(
        total_variation(np.array([40, 10, 10]), shares * 0 + 1 / 3)
    )


def test_sets_are_counted_by_what_they_hold() -> None:
    lattice = engine.load(model_path("everyday-unigram")).lattice("internationalization")
    listing = list_law(lattice, 0.3)
    sets = draw_sets(lattice, 0.3, 5, range(60), 3)
    tally = SetTally(listing, 5, "without-replacement")
    tally.add(sets[:25])
    tally.add(sets[25:])
    tally.look()
    listed = [path.edges.tobytes() for path in listing.paths]
    keys = [{edges.tobytes() for edges in one} for one in sets]
    own = [sum(path in one for one in keys) for path in listed]
    others = sum(not one <= set(listed) for one in keys)
    assert 0 < others <= 60
    assert tally.counts_of(listing).tolist() == [*own, others]
    assert tally.n == 60
    assert tally.test is None


def test_a_step_is_put_in_words_once_while_the_sample_grows(
    qtbot: Any, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    said: list[int] = []
    sentence = inspector.event_sentence

    def noted(*given: Any) -> str:
        said.append(given[1])
        return sentence(*given)

    monkeypatch.setattr(inspector, "event_sentence", noted)
    workspace.draw_more(500, show=False)
    draws(qtbot, workspace, 600)
    assert said == []
    assert "600 draws of each method" in sentences(workspace)
    workspace.player.seek(3)
    assert said == [3, 3]  # one for each lane
