"""The Sampling workspace: samples, law against sample, and what changes them."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt

import engine
from app.draw.numbers import chance_text, p_value_text, share_text, signed
from app.session import Session
from app.theme import Theme
from app.views.sampling import FIRST, SamplingWorkspace
from app.views.sampling.listing import list_law, outcome_label
from app.views.sampling.passes import find_parting
from app.views.sampling.tally import Tally
from app.widgets.report import Table
from engine.bundled import model_path
from engine.sampler import SamplingSettings
from tests.app.sampling import BOTH, LONG, Make, draws, make, sentences, settle

__all__ = ["make"]

pytestmark = pytest.mark.screen


def test_a_sample_is_that_of_the_engine(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    qtbot.mouseClick(workspace.controls.many, Qt.MouseButton.LeftButton)
    tally = draws(qtbot, workspace, 1100)
    passes = workspace.passes
    assert passes is not None
    lattice = passes.analysis.lattice
    sample = lattice.sample("perfect", count=1100, seed=session.settings.seed)
    assert tally.distance == pytest.approx(sample.tv_distance)
    assert tally.test is not None
    assert sample.chi2 is not None
    assert tally.test.statistic == pytest.approx(sample.chi2.statistic)
    assert tally.test.degrees == sample.chi2.degrees
    exact = sample.exact_counts
    assert exact is not None
    counts = tally.counts_of(passes.listing)
    assert counts[:3].tolist() == exact[:3].tolist()
    assert counts.sum() == 1100
    # The draw that is shown coin by coin is the last of the sample.
    assert workspace.shown_draw == 1099
    assert passes.perfect.path.edges.tolist() == sample.paths[sample.order[1099]].edges.tolist()
    assert workspace.controls.draw.value() == 1100
    n, distance = tally.curve
    assert n[0] == 1
    assert n[-1] == 1100
    assert distance[-1] == pytest.approx(tally.distance)
    at = 20
    assert distance[n.tolist().index(at)] == pytest.approx(sample.distance_after(at))
    table = next(part for part in workspace.report.parts if isinstance(part, Table))
    verdicts = table.rows[-1]
    assert verdicts[1:] == ("× no", "✓ fits")


def test_viterbi_stands_beside_as_one_path(qtbot: Any, make: Make) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    outcomes = workspace.results.law.outcomes
    assert outcomes is not None
    viterbi = next(mark for mark in outcomes.marks if mark.certain)
    assert viterbi.counts.tolist() == [FIRST, 0, 0]
    curve = next(curve for curve in workspace.results.curve.curves if curve.dashed)
    assert curve.distance.tolist() == pytest.approx([2 / 3] * len(curve.n))


def test_n_goes_to_a_draw_that_is_not_the_best(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    before = workspace.shown_draw
    qtbot.keyClick(workspace.lanes["perfect"], Qt.Key.Key_N)
    qtbot.waitUntil(lambda: workspace.shown_draw > before and not session.busy, timeout=20_000)
    passes = workspace.passes
    assert passes is not None
    assert passes.perfect.path.edges.tolist() != passes.viterbi.path.edges.tolist()
    sample = passes.analysis.lattice.sample(count=workspace.shown_draw + 1, seed=7)
    best = passes.viterbi.path.edges.tolist()
    between = [sample.paths[i].edges.tolist() for i in sample.order[before + 1 : -1]]
    assert all(path == best for path in between)
    tally = workspace.tally
    assert tally is not None
    assert tally.n > workspace.shown_draw


@pytest.mark.parametrize("width", [600, 760, 812, 824, 900, 1100, 1400])
def test_controls_have_their_room_at_each_width(qtbot: Any, make: Make, width: int) -> None:
    controls = make("watching", "toy-watching", BOTH).controls
    controls.setParent(None)
    qtbot.addWidget(controls)
    controls.resize(width, 120)
    controls.show()
    qtbot.waitUntil(lambda: controls.width() == width)
    controls.layout().activate()
    row = [controls.theta, controls.libraries, controls.seed, controls.draw]
    row += [controls.one, controls.many]
    for widget in row:
        assert widget.width() >= widget.minimumSizeHint().width(), widget.accessibleName()
    boxes = [widget.geometry() for widget in row if widget.isVisible()]
    assert not any(a.intersects(b) for a, b in combinations(boxes, 2))


def test_a_search_ends(make: Make) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    passes = workspace.passes
    assert passes is not None
    lattice, best = passes.lattice, passes.viterbi.path.edges
    settings = SamplingSettings(1.0)
    first = find_parting(lattice, ("viterbi", "perfect"), settings, 7, 0, lambda done, total: None)
    assert first is not None
    other = lattice.sample(count=first + 1, seed=7)
    assert other.paths[other.order[first]].edges.tolist() != best.tolist()


def test_theta_makes_the_sample_stale(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("今天天气不错", "toy-weather")
    workspace.draw_more(100, show=False)
    draws(qtbot, workspace, 200)
    before = workspace.results.law.outcomes
    assert before is not None
    session.change_settings(theta=0.2)
    settle(qtbot, workspace, session)
    assert workspace.stale
    assert workspace.controls.again.isVisibleTo(workspace)
    assert not workspace.controls.one.isEnabled()
    assert "θ = 1" in workspace.results.law_title.note.text()
    after = workspace.results.law.outcomes
    assert after is not None
    assert after.exact[0] < before.exact[0]
    assert any("Draw again" in text for text in sentences(workspace))
    qtbot.mouseClick(workspace.controls.again, Qt.MouseButton.LeftButton)
    tally = draws(qtbot, workspace, 200)
    assert tally.theta == 0.2
    assert not workspace.stale
    assert not workspace.controls.again.isVisibleTo(workspace)


def test_a_seed_gives_its_own_draws(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    workspace.controls.seed.selectAll()
    qtbot.keyClicks(workspace.controls.seed, "12")
    qtbot.keyClick(workspace.controls.seed, Qt.Key.Key_Return)
    assert session.settings.seed == 12
    settle(qtbot, workspace, session)
    passes, tally = workspace.passes, workspace.tally
    assert passes is not None
    assert tally is not None
    assert passes.perfect.seed == tally.seed == 12
    qtbot.keyClicks(workspace.controls.seed, "x")
    qtbot.keyClick(workspace.controls.seed, Qt.Key.Key_Return)
    assert workspace.controls.seed.text() == "12"
    assert session.settings.seed == 12


def test_a_draw_is_chosen_by_number(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    draws(qtbot, workspace, FIRST)
    workspace.controls.draw.selectAll()
    qtbot.keyClicks(workspace.controls.draw, "20")
    qtbot.keyClick(workspace.controls.draw, Qt.Key.Key_Return)
    settle(qtbot, workspace, session)
    assert workspace.shown_draw == 19
    passes = workspace.passes
    assert passes is not None
    assert passes.perfect.draw == 19


def test_stopping_keeps_what_is_drawn(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make(LONG, "everyday-unigram", BOTH)
    workspace.draw_more(200_000, show=False)
    qtbot.waitUntil(lambda: bool(workspace.tally and workspace.tally.n > FIRST), timeout=20_000)
    assert workspace.controls.stop.isVisibleTo(workspace)
    qtbot.mouseClick(workspace.controls.stop, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not session.busy, timeout=20_000)
    tally = workspace.tally
    assert tally is not None
    assert FIRST < tally.n < 200_000
    assert not workspace.controls.stop.isVisibleTo(workspace)
    assert sum(tally.drawn.values()) == tally.n


def test_too_many_segmentations_are_said_to_be(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make(LONG, "everyday-unigram", BOTH)
    passes, outcomes = workspace.passes, workspace.results.law.outcomes
    assert passes is not None
    assert outcomes is not None
    assert passes.listing.exact is None
    assert passes.listing.count == passes.analysis.lattice.paths > 10_000
    assert len(outcomes.labels) == 21
    assert outcomes.rest
    assert float(outcomes.exact[:-1].sum()) < 1
    assert float(outcomes.exact.sum()) == pytest.approx(1.0)
    assert "too many" in workspace.results.law_title.note.text()
    workspace.draw_more(300, show=False)
    tally = draws(qtbot, workspace, FIRST + 300)
    assert tally.counts_of(passes.listing).sum() == FIRST + 300
    test = tally.test
    assert test is not None
    assert test.p_value > 1e-4


def test_the_outcome_table_is_the_chart(qtbot: Any, make: Make) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    workspace.draw_more(200, show=False)
    tally = draws(qtbot, workspace, FIRST + 200)
    passes, model = workspace.passes, workspace.results.outcomes
    assert passes is not None
    counts = tally.counts_of(passes.listing)
    titles = [str(model.headerData(c, Qt.Orientation.Horizontal)) for c in range(11)]
    assert titles[2:7] == [
        f"■ Viterbi: {what}" for what in ("exact", "drawn", "share", "95% from", "95% to")
    ]
    assert titles[7:] == [f"○ perfect: {what}" for what in ("drawn", "share", "95% from", "95% to")]
    header = workspace.results.table.horizontalHeader()
    assert all(header.sectionSize(c) >= header.sectionSizeHint(c) for c in range(11))
    for row in range(3):
        cells = [str(model.data(model.index(row, column))) for column in range(model.columnCount())]
        assert cells[1] == "1/3"
        always = row == 0  # of three equal ones Viterbi takes the first
        assert cells[2:5] == (["1", "300", "1.000"] if always else ["0", "0", "0.000"])
        assert cells[7] == str(counts[row])
        assert cells[8] == f"{counts[row] / (FIRST + 200):.3f}"
        assert float(cells[9]) < counts[row] / (FIRST + 200) < float(cells[10])
    workspace.results.table.selectRow(1)
    assert workspace._session.selection.path == 1


def test_table_models_are_sound(qtmodeltester: Any, make: Make) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    qtmodeltester.check(workspace.events)
    qtmodeltester.check(workspace.results.outcomes)


def test_typing_gives_other_passes(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    workspace.draw_more(50, show=False)
    draws(qtbot, workspace, FIRST + 50)
    for _ in range(3):
        qtbot.keyClick(workspace.controls.text_line, Qt.Key.Key_Backspace)
    assert session.text.string == "watch"
    settle(qtbot, workspace, session)
    passes = workspace.passes
    assert passes is not None
    assert passes.perfect.lattice.prepared.text.string == "watch"
    tally = workspace.tally
    assert tally is not None
    assert tally.n == FIRST
    session.set_text("watchin")
    settle(qtbot, workspace, session)
    assert workspace.player.length == 0
    assert workspace.controls.count.text().endswith("no way past character 5")
    session.set_text("")
    settle(qtbot, workspace, session)
    assert workspace.player.length == 0
    assert workspace.controls.count.text() == "The text is empty"


def test_where_nothing_is_open_it_says_so(make: Make, session: Session) -> None:
    workspace = make("watching", "toy-watching")
    assert workspace.stack.currentIndex() == 0
    opened = session.active
    assert opened is not None
    session.close_model(opened.key)
    assert workspace.stack.currentWidget() is workspace.empty
    assert workspace.passes is None
    state = workspace.empty.state
    assert state is not None
    assert "No model is open" in state.label.text()
    assert state.buttons[0].text() == "Open the bundled Unigram model"


def test_a_scene_brings_lanes_and_draws_back(
    qtbot: Any, make: Make, session: Session, theme: Theme
) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    workspace.choose_methods(("viterbi",))
    settle(qtbot, workspace, session)
    workspace.draw_more(40, show=False)
    draws(qtbot, workspace, FIRST + 40)
    workspace.show_draw(12)
    settle(qtbot, workspace, session)
    state = workspace.view_state()
    assert state["methods"] == ["viterbi"]
    assert (state["draws"], state["draw"]) == (FIRST + 40, 12)
    again = SamplingWorkspace(session, theme)
    qtbot.addWidget(again)
    again.restore_view_state(state)
    assert again.passes is None  # nothing is computed for what isn't seen
    with qtbot.waitExposed(again):
        again.show()
    settle(qtbot, again, session)
    draws(qtbot, again, FIRST + 40)
    assert again.shown_draw == 12
    assert again.trace_name() == "viterbi"


def test_labels_say_where_paths_differ() -> None:
    model = engine.load(model_path("everyday-unigram"))
    lattice = model.lattice(LONG)
    listing = list_law(lattice, 1.0)
    first = listing.paths[0].edges.tolist()
    labels = listing.labels
    assert len(set(labels)) == len(labels)
    for path, label in zip(listing.paths[1:], labels[1:], strict=True):
        own = [edge for edge in path.edges.tolist() if edge not in first]
        assert lattice.vocabulary.text(int(lattice.piece[own[0]])).replace(" ", "␣") in label
    short = list_law(engine.load(model_path("toy-watching")).lattice("watching"), 1.0)
    paths = [path.edges.tolist() for path in short.paths]
    assert outcome_label(short.lattice, paths[2], paths[0]) == "watch|ing"


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1"), (0.5, "1/2"), (1 / 3, "1/3"), (0.0, "0"), (0.2346, "0.235"), (1e-9, "< 0.001"),
     (1 - 1e-12, "> 0.999"), (float("nan"), "–"), (5 / 12, "5/12")],
)  # fmt: skip
def test_shares_are_fractions_where_they_are(value: float, text: str) -> None:
    assert share_text(value) == text


def test_numbers_have_true_minus_signs() -> None:
    assert signed(-2.3111) == "−2.31"
    assert signed(-0.001) == "0.00"
    assert signed(float("-inf")) == "−∞"
    assert signed(-12345.678, 1) == "−12,345.7"
    assert p_value_text(0.4321) == "0.43"
    assert p_value_text(0.0123) == "0.012"
    assert p_value_text(3.2e-32) == "3 × 10⁻³²"
    assert p_value_text(9.96e-5) == "1 × 10⁻⁴"
    assert chance_text(3.2e-6) == "3 × 10⁻⁶"
    assert chance_text(1 / 3) == "1/3"
    assert chance_text(0.0) == "0"


def test_tally_counts_draws_it_does_not_list() -> None:
    lattice = engine.load(model_path("everyday-unigram")).lattice(LONG)
    listing = list_law(lattice, 0.0)
    assert listing.exact is None
    tally = Tally(listing, 3)
    assert np.isnan(tally.distance)
    assert tally.test is None
    tally.add([path.edges for path in lattice.nbest(22, 0.0)])
    assert tally.n == 0  # not looked at yet
    tally.look()
    counts = tally.counts_of(listing)
    assert counts.tolist() == [1] * 20 + [2]
    assert tally.distance == pytest.approx(
        0.5 * float(np.abs(counts / 22 - listing.probabilities).sum())
    )


def test_a_real_model(qtbot: Any, session: Session, theme: Theme, shared: Path) -> None:
    path = shared / "data/models/sentencepiece/unigram_xlnet_cased_32k.model"
    session.set_text("Internationalization")
    session.add_model(engine.load(path))
    workspace = SamplingWorkspace(session, theme)
    workspace.choose_methods(BOTH)
    qtbot.addWidget(workspace)
    with qtbot.waitExposed(workspace):
        workspace.show()
    settle(qtbot, workspace, session)
    passes = workspace.passes
    assert passes is not None
    assert passes.viterbi.path.ids == list(engine.load(path).encode("Internationalization").ids)
    labels = workspace.results.law.outcomes.labels if workspace.results.law.outcomes else ()
    assert labels[0].replace("|", "") == "▁Internationalization"
