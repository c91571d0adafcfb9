"""v1 beside perfect sampling: the same random numbers, and the moment where the lanes part."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint

from app.session import Session
from app.views.sampling.methods import fitting, library_note, usual
from app.views.sampling.parting import parting_steps
from app.widgets.report import Heading, Table
from engine.sampler import SamplingSettings
from tests.app.sampling import Make, draws, make, sentences, settle

__all__ = ["make"]


def test_a_model_with_a_law_begins_with_v1_beside_perfect(make: Make) -> None:
    workspace = make("watching", "toy-watching")
    assert workspace.methods == ("viterbi-v1", "perfect")
    shown = [kind for kind, lane in workspace.lanes.items() if lane.isVisibleTo(workspace)]
    assert shown == ["viterbi-v1", "perfect"]
    laws = [part for part in workspace.report.parts if isinstance(part, Table)][-2]
    assert laws.rows == (
        ("watching", "1/4", "1/3"),
        ("wat|ching", "1/4", "1/3"),
        ("watch|ing", "1/2", "1/3"),
    )


def test_n_leads_to_a_draw_where_the_lanes_part_and_it_is_told(
    qtbot: Any, make: Make, session: Session
) -> None:
    workspace = make("watching", "toy-watching")
    workspace.next_parting()
    qtbot.waitUntil(lambda: workspace.shown_draw > 0 and not session.busy, timeout=20_000)
    settle(qtbot, workspace, session)
    passes = workspace.passes
    assert passes is not None
    v1, perfect = passes.traces["viterbi-v1"], passes.traces["perfect"]
    assert v1.path.edges.tolist() != perfect.path.edges.tolist()
    step = int(parting_steps((v1, perfect))[-1])
    workspace.player.seek(step + 1)
    u = float(v1.u[step])
    assert 1 / 3 <= u < 1 / 2
    expected = (
        f"≠ v1 takes ing, perfect keeps it out: the same u = {u:.3f} lies between 1/3 and 1/2."
    )
    assert sentences(workspace)[0] == expected
    for kind in ("viterbi-v1", "perfect"):
        assert workspace.lanes[kind].accessibleDescription() == expected
        column = workspace.lanes[kind].column
        assert column is not None
        assert [row.parts for row in column.rows] == [False, False, True]
    first = workspace.report.parts[0]
    assert isinstance(first, Heading)
    assert first.text == "The lanes part here"


def test_each_sample_is_held_against_the_law_and_its_own(
    qtbot: Any, make: Make, session: Session
) -> None:
    workspace = make("watching", "toy-watching")
    workspace.draw_more(2900, show=False)
    draws(qtbot, workspace, 3000)
    tallies = workspace.sample.tallies
    sample = session.analysis.lattice.sample("viterbi-v1", count=3000, seed=7)  # type: ignore[union-attr]
    assert sample.exact_counts is not None
    drawn = {tuple(p.pieces): int(n) for p, n in zip(sample.paths, sample.counts, strict=True)}
    passes = workspace.passes
    assert passes is not None
    own = tallies["viterbi-v1"].counts_of(passes.listing).tolist()
    assert own == [drawn[tuple(path.pieces)] for path in passes.listing.paths] + [0]
    test = tallies["viterbi-v1"].test
    assert test is not None
    assert test.p_value < 1e-10
    own_test = tallies["viterbi-v1"].test_against(passes.laws["viterbi-v1"].probabilities)
    assert own_test is not None
    assert own_test.p_value > 1e-3
    assert own_test.p_value == pytest.approx(sample.chi2.p_value)  # type: ignore[union-attr]


def test_four_lanes_and_n_best_with_what_it_loses(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("今天天气不错", "toy-weather", ("perfect", "ffbs", "nbest"))
    workspace.controls.nbest_size.set_value(4)
    workspace._settings_changed()
    settle(qtbot, workspace, session)
    passes = workspace.passes
    assert passes is not None
    best = passes.lattice.nbest(4, 1.0)
    lost = 1 - sum(path.probability for path in best)
    assert passes.laws["nbest"].lost == pytest.approx(lost)
    assert workspace.controls.lost.text() == f"loses {lost:.2%} of the law"
    counts = workspace.sample.tallies["nbest"].counts_of(passes.listing)
    assert int(counts[4:].sum()) == 0
    assert list(passes.traces) == ["perfect", "ffbs"]
    lane = workspace.lanes["ffbs"]
    column = lane.column
    assert column is not None
    chosen = [row for row in column.rows if row.won]
    assert len(chosen) == 1
    assert chosen[0].low <= chosen[0].needle < chosen[0].high


@pytest.mark.parametrize(
    ("model", "methods"),
    [
        ("toy-lower", ("bpe-dropout", "bpe-dropout-huggingface")),
        ("everyday-wordpiece", ("maxmatch-dropout",)),
    ],
)
def test_dropout_is_drawn_from_models_without_a_law(
    qtbot: Any, make: Make, session: Session, model: str, methods: tuple[str, ...]
) -> None:
    workspace = make("lower", model, methods)
    opened = session.active
    assert opened is not None
    assert usual(opened.model) == fitting(opened.model)[:1] == methods[:1]
    workspace.controls.dropout.slider.setValue(50)
    settle(qtbot, workspace, session)
    assert workspace.methods == methods
    passes = workspace.passes
    assert passes is not None
    assert passes.wish.settings.dropout == 0.5
    assert workspace.controls.dropout.isVisibleTo(workspace)
    assert not workspace.controls.theta.isVisibleTo(workspace)
    analysis = session.analysis
    assert analysis is not None
    for kind in methods:
        sample = analysis.lattice.sample(kind, count=100, seed=7, dropout=0.5)
        assert sample.exact is not None
        law = {tuple(path.pieces): path.probability for path in sample.exact}
        own = passes.laws[kind].probabilities
        for path, p in zip(passes.listing.cell_paths, own, strict=False):
            assert float(p) == pytest.approx(law.get(tuple(path.pieces), 0.0))
        counted = workspace.sample.tallies[kind].counts_of(passes.listing)
        assert int(counted.sum()) == workspace.sample.n


def test_merges_are_shown_as_they_are_dropped(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("lower", "toy-lower", ("bpe-dropout",))
    workspace.controls.dropout.slider.setValue(50)
    settle(qtbot, workspace, session)
    passes = workspace.passes
    assert passes is not None
    trace = passes.dropped
    assert trace is not None
    assert workspace.player.length == len(trace)
    lane = workspace.rows.dropped
    for k in range(1, len(trace) + 1):
        workspace.player.seek(k)
        step = trace.event(k - 1)
        row = lane.rows()[-1]
        assert (row.step, row.u, row.won) == (k - 1, step.u, step.u >= 0.5)
        word = "dropped" if step.dropped else "merge"
        assert word in lane.accessibleDescription()
    sample = passes.lattice.sample("bpe-dropout", count=1, seed=7, dropout=0.5)
    assert lane.standing() == "|".join(sample.paths[0].pieces)


def test_pieces_are_shown_as_they_are_dropped(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("watching", "everyday-wordpiece", ("maxmatch-dropout",))
    workspace.controls.dropout.slider.setValue(60)
    settle(qtbot, workspace, session)
    passes, lane = workspace.passes, workspace.rows.dropped
    assert passes is not None
    assert passes.dropped is not None
    assert not lane.isHidden()
    length = workspace.player.length
    assert length == len(passes.dropped) > 1
    drawn = passes.lattice.sample("maxmatch-dropout", count=1, seed=7, dropout=0.6).paths[0]
    taken = []
    for k in range(1, length + 1):
        workspace.player.seek(k)
        row = lane.rows()[-1]
        # Without a number it is a piece of one character, which is always taken.
        assert row.won == (not row.u < 0.6)
        assert ("taken" if row.won else "dropped") in lane.accessibleDescription()
        taken += [row.label] if row.won else []
    assert taken == drawn.pieces
    assert lane.standing() == "|".join(drawn.pieces)
    assert workspace.player.labels[-1] == "taken ✓"


def test_lanes_that_part_come_into_view(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("watching", "toy-watching")
    workspace.resize(1000, 640)
    workspace.next_parting()
    qtbot.waitUntil(lambda: workspace.shown_draw > 0 and not session.busy, timeout=20_000)
    workspace.choose_methods(("viterbi", "viterbi-v1", "perfect", "ffbs"))
    qtbot.waitUntil(lambda: workspace.passes is not None and len(workspace.passes.traces) == 4)
    settle(qtbot, workspace, session)
    passes, rows = workspace.passes, workspace.rows
    assert passes is not None
    steps = parting_steps(tuple(passes.traces.values()))
    workspace.player.seek(0)
    bar = rows.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 300)
    bar.setValue(bar.maximum())
    workspace.player.seek(int(steps[0]) + 1)
    v1 = workspace.lanes["viterbi-v1"]
    top = v1.mapTo(rows.viewport(), QPoint(0, 0)).y()
    assert 0 <= top <= rows.viewport().height() - v1.height()


def test_alpha_means_opposite_things_and_the_note_says_so() -> None:
    lattice = library_note(("perfect",), SamplingSettings(theta=0.3))
    assert "alpha = 0.3 in SentencePiece (Unigram)" in lattice
    assert "nearer to Viterbi" in lattice
    dropout = library_note(("bpe-dropout",), SamplingSettings(dropout=0.3))
    assert "alpha = 0.30 in SentencePiece (BPE)" in dropout
    assert "more random" in dropout


def test_one_method_always_stays(make: Make) -> None:
    workspace = make("watching", "toy-watching", ("perfect",))
    button = workspace.controls.methods
    button.choose("perfect")
    assert button.chosen == ("perfect",)
    for kind in ("viterbi", "ffbs", "uniform", "nbest"):
        button.choose(kind)
    # The fifth is refused.
    assert button.chosen == ("viterbi", "perfect", "ffbs", "uniform")
    assert workspace.methods == button.chosen


def test_a_scene_keeps_methods_and_settings(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("watching", "toy-watching", ("viterbi-v1", "nbest"))
    workspace.controls.nbest_size.set_value(2)
    workspace.controls.set_size.set_value(5)
    workspace.prompt.restore(3)
    state = workspace.view_state()
    workspace.controls.nbest_size.set_value(64)
    workspace.controls.set_size.set_value(1)
    workspace.prompt.restore(None)
    workspace.choose_methods(("uniform",))
    workspace.restore_view_state(state)
    settle(qtbot, workspace, session)
    assert workspace.methods == ("viterbi-v1", "nbest")
    settings = workspace.controls.settings()
    assert (settings.nbest_size, settings.set_size, workspace.prompt.place) == (2, 5, 3)
    workspace.restore_view_state({"lanes": "both"})
    assert workspace.methods == ("viterbi", "perfect")
    workspace.restore_view_state(
        {"methods": ["nonsense", 3], "nbest_size": "x", "dropout": 7, "set_size": 0, "cut": "x"}
    )
    assert (workspace.controls.set_size.value(), workspace.prompt.place) == (5, None)
    assert workspace.methods == ("viterbi-v1", "perfect")
