"""Traces of `viterbi-v1` and `ffbs`: the draws of the engine, and the coins of perfect sampling."""

from __future__ import annotations

import math
import random
import warnings

import numpy as np
import pytest

import engine
from engine.bundled import model_path
from engine.errors import ParameterError
from engine.lattice import Lattice
from engine.passes import LARGEST
from engine.trace import Arrival
from engine.traces.draws import trace_ffbs, trace_v1
from engine.traces.passes import trace_perfect
from tests.engine.lattices import random_lattice

TRACES = {"viterbi-v1": trace_v1, "ffbs": trace_ffbs, "perfect": trace_perfect}


@pytest.fixture(scope="module")
def watching() -> Lattice:
    return engine.load(model_path("toy-watching")).lattice("watching")


@pytest.mark.parametrize("method", ["viterbi-v1", "ffbs"])
def test_a_trace_ends_in_the_draw_of_its_number(method: str) -> None:
    rng = random.Random(5)
    for i in range(20):
        lattice, theta = random_lattice(rng), rng.choice((0.0, 0.4, 1.0, 3.0))
        draws = lattice.sample(method, theta=theta, count=12, seed=i)
        for draw in (0, 5, 11):
            trace = TRACES[method](lattice, theta, i, draw)
            own = draws.paths[draws.order[draw]].edges.tolist()
            assert trace.path.edges.tolist() == trace.back.tolist()[::-1] == own


def test_v1_tosses_fair_coins_where_perfect_sampling_tosses_a_third(watching: Lattice) -> None:
    ours, other = trace_v1(watching, 1.0, 7, 3), trace_perfect(watching, 1.0, 7, 3)
    steps = ours.steps_at(8)
    assert ours.chance[steps.start :].tolist() == [1.0, 0.5, 0.5]
    assert other.chance[steps.start :].tolist() == pytest.approx([1.0, 1 / 2, 1 / 3])
    # The same random numbers, and the same edges in the same order.
    assert ours.u.tolist() == other.u.tolist()
    assert ours.edge.tolist() == other.edge.tolist()


def test_the_held_path_of_v1_is_the_one_that_was_taken_last() -> None:
    rng = random.Random(8)
    for seed in range(20):
        lattice = random_lattice(rng)
        trace = trace_v1(lattice, 0.7, seed)
        held = [-math.inf] * lattice.n_nodes
        held[0] = 0.0
        for k in range(trace.n_forward):
            event = trace.event(k)
            assert isinstance(event, Arrival)
            start = int(lattice.start[event.edge])
            assert event.newcomer == held[start] + float(lattice.score[event.edge])
            assert event.held == held[event.node]
            if not event.first:
                lead = 0.7 * (event.newcomer - event.held)
                assert event.chance == pytest.approx(1 / (1 + math.exp(-lead)))
            if event.taken:
                held[event.node] = event.newcomer
            assert event.total == held[event.node]


def test_the_stretches_of_a_node_fill_0_to_1_and_hold_the_random_number(watching: Lattice) -> None:
    for draw in range(30):
        trace = trace_ffbs(watching, 1.0, 7, draw)
        steps = trace.steps_at(8)
        stretches = [trace.stretch(step) for step in steps]
        assert [low for low, _ in stretches] == pytest.approx([0.0, 1 / 3, 2 / 3])
        assert stretches[-1][1] == 1.0
        u = float(trace.back_u[0])
        chosen = next(i for i, (low, high) in enumerate(stretches) if low <= u < high)
        assert trace.edge[steps[chosen]] == trace.back[0]
        # Forward nothing is held, and every node keeps its sum.
        state = trace.state(trace.n_forward)
        assert state.holder.tolist() == [-1] * watching.n_nodes
        assert state.total[8] == pytest.approx(math.log(3) - 6)
        assert not trace.taken.any()
        assert np.isnan(trace.u).all()


def test_the_four_cuts_of_abc_have_the_published_laws() -> None:
    lattice = engine.load(model_path("toy-abc")).lattice("abc")
    expected = {
        "perfect": {"a|b|c": 0.069054, "a|bc": 0.214834, "ab|c": 0.214834, "abc": 0.501279},
        "viterbi-v1": {"a|b|c": 0.038366, "a|bc": 0.168736, "ab|c": 0.272432, "abc": 0.520465},
    }
    for method, law in expected.items():
        exact = lattice.sample(method).exact
        assert exact is not None
        found = {"|".join(path.pieces): path.probability for path in exact}
        assert found == pytest.approx(law, abs=1e-6)


def test_bad_settings_are_refused(watching: Lattice) -> None:
    for trace in (trace_v1, trace_ffbs):
        with pytest.raises(ParameterError):
            trace(watching, -1.0)
        with pytest.raises(ParameterError):
            trace(engine.load(model_path("toy-lower")).lattice("lower"))


@pytest.mark.parametrize("method", ["ffbs", "perfect"])
def test_log_weights_past_the_largest_number_are_the_largest(
    watching: Lattice, method: str
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trace = TRACES[method](watching, 1e308, 7, 3)
    reached = watching.best_pass.total[trace.node] < 0
    assert reached.any()
    assert set(trace.total[reached].tolist()) == {-LARGEST}
    assert np.isfinite(trace.newcomer).all()
