"""Sets without replacement beside the probability to be in one, and laws beside each other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from app.session import Session
from app.widgets.report import Table
from engine.samplers import gumbel
from tests.app.sampling import Make, draws, make, settle

__all__ = ["make"]

pytestmark = pytest.mark.screen


def test_sets_are_held_against_the_probability_to_be_in_one(
    qtbot: Any, make: Make, session: Session
) -> None:
    workspace = make("abc", "toy-abc", ("perfect", "without-replacement"))
    tally = draws(qtbot, workspace, 100)
    assert tally.method == "without-replacement"
    passes, outcomes = workspace.passes, workspace.results.law.outcomes
    assert passes is not None
    assert outcomes is not None
    shares = gumbel.inclusions(passes.listing.exact, 2)
    distinct = outcomes.marks[-1]
    assert distinct.n == 100
    assert distinct.counts.sum() == 200
    assert distinct.exact is not None
    assert distinct.exact == pytest.approx(shares)
    assert outcomes.exact == pytest.approx([p.probability for p in passes.listing.paths])
    sets = gumbel.draw_sets(passes.lattice, 1.0, session.settings.seed, range(100), 2)
    best = passes.listing.paths[0].edges
    assert distinct.counts[0] == sum(any(np.array_equal(best, x) for x in one) for one in sets)
    # Alone, what the boxes show is their own law; there is no distance to one over single paths.
    workspace.choose_methods(("without-replacement",))
    settle(qtbot, workspace, session)
    outcomes = workspace.results.law.outcomes
    assert outcomes is not None
    assert outcomes.exact == pytest.approx(shares)
    assert outcomes.marks[0].exact is None
    assert workspace.results.curve.curves == ()
    assert "probability to be in a set" in workspace.results.law_title.note.text()
    # Three of four: another law, other sets.
    workspace.controls.set_size.set_value(3)
    workspace.controls.set_size.entered.emit(3)
    qtbot.waitUntil(
        lambda: workspace.passes is not None and workspace.passes.wish.settings.set_size == 3
    )
    settle(qtbot, workspace, session)
    outcomes = workspace.results.law.outcomes
    assert outcomes is not None
    assert outcomes.exact.sum() == pytest.approx(3.0)
    assert outcomes.marks[0].counts.sum() == 3 * outcomes.marks[0].n


def test_how_far_the_laws_are_from_each_other_is_said(
    qtbot: Any, make: Make, session: Session
) -> None:
    workspace = make("abc", "toy-abc", ("viterbi", "viterbi-v1", "perfect", "nbest"))
    passes = workspace.passes
    assert passes is not None
    laws = passes.laws
    best = passes.listing.paths[0].probability
    assert laws["viterbi"].distance == pytest.approx(1 - best)
    assert laws["viterbi"].divergence == pytest.approx(-math.log(best))
    own, exact = (laws[kind].probabilities[:4] for kind in ("viterbi-v1", "perfect"))
    assert laws["viterbi-v1"].distance == pytest.approx(0.5 * np.abs(own - exact).sum())
    assert laws["viterbi-v1"].divergence == pytest.approx((own * np.log(own / exact)).sum())
    assert (laws["perfect"].distance, laws["perfect"].divergence) == (0.0, 0.0)
    tables = [part for part in workspace.report.parts if isinstance(part, Table)]
    rows = {row[0]: row[1:] for table in tables for row in table.rows}
    assert rows["TV"][0] == f"{1 - best:.3f}"
    assert rows["KL, nats"][2] == "0.000"
