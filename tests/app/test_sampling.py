"""The Sampling workspace: coins, lanes, law against sample, and the keys that drive them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

import engine
from app.draw.coins import column_at, rows_in_view
from app.draw.isolate import isolate
from app.draw.lane import edge_text
from app.draw.numbers import chance_text, p_value_text, share_text, signed
from app.draw.viewport import GUTTER
from app.session import Session
from app.theme import Theme
from app.views.sampling import FIRST, SamplingWorkspace
from app.views.sampling.passes import find_other
from app.views.sampling.tally import Tally, list_law, outcome_label
from app.widgets.report import Sentence, Table
from engine.bundled import model_path
from engine.traces.passes import trace_perfect

pytestmark = pytest.mark.screen

Make = Callable[[str, str], SamplingWorkspace]

LONG = "Subword models cut rare words into pieces, and there are very many ways to do it."


@pytest.fixture
def make(qtbot: Any, session: Session, theme: Theme) -> Make:
    """Show the workspace with a text and a bundled model."""

    def open_workspace(text: str, model: str) -> SamplingWorkspace:
        theme.reduce_motion(True)
        session.set_text(text)
        session.add_model(engine.load(model_path(model)))
        workspace = SamplingWorkspace(session, theme)
        qtbot.addWidget(workspace)
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


def test_three_equal_edges_have_the_chances_1_half_third(make: Make) -> None:
    workspace = make("watching", "toy-watching")
    seek_piece(workspace, "ing")
    column = workspace.lanes["perfect"].column
    assert column is not None
    rows = [row for row in column.rows if row.arrival.chance > 1e-9]
    assert [row.label for row in rows] == ["watching", "ching", "ing"]
    assert [share_text(row.arrival.chance) for row in rows] == ["1", "1/2", "1/3"]
    outcomes = workspace.results.law.outcomes
    assert outcomes is not None
    assert outcomes.labels == ("watching", "wat|ching", "watch|ing")
    assert [share_text(float(p)) for p in outcomes.exact] == ["1/3", "1/3", "1/3"]
    assert float(outcomes.exact.sum()) == pytest.approx(1.0)


def test_the_event_is_told_in_words(make: Make) -> None:
    workspace = make("watching", "toy-watching")
    k = seek_piece(workspace, "ing")
    passes = workspace.passes
    assert passes is not None
    u = float(passes.perfect.u[k - 1])
    fate = "taken." if u < 1 / 3 else "kept out."
    expected = (
        f"ing arrives with weight −6.00 against −5.31 so far: chance 1/3, u = {u:.3f}, {fate}"
    )
    assert sentences(workspace)[0] == expected
    assert workspace.lanes["perfect"].accessibleDescription() == expected
    # Viterbi at the same step meets a tie.
    assert "a tie with what is held: the first stays" in sentences(workspace)[1]


def test_verdicts_follow_the_needle(make: Make) -> None:
    workspace = make("watching", "toy-watching")
    passes = workspace.passes
    assert passes is not None
    lattice = passes.analysis.lattice
    seen = set()
    for draw in range(12):
        trace = trace_perfect(lattice, seed=7, draw=draw)
        column = column_at(trace, len(trace))
        assert [row.open for row in column.rows] == [False] * len(column.rows)
        winners = [row for row in column.rows if row.won]
        assert len(winners) == 1
        for row in column.rows:
            assert row.arrival.taken == (row.arrival.u < row.arrival.chance)
            if not row.arrival.taken:
                assert row.verdict == "kept out ×"
            seen.add(row.verdict)
        held = next(i for i, row in enumerate(column.rows) if row.won)
        assert not any(row.arrival.taken for row in column.rows[held + 1 :])
    assert seen >= {"kept out ×", "held ✓", "taken ✓", "replaced ×"}


def test_a_sample_is_that_of_the_engine(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("watching", "toy-watching")
    qtbot.mouseClick(workspace.controls.many, Qt.MouseButton.LeftButton)
    tally = draws(qtbot, workspace, 1100)
    passes = workspace.passes
    assert passes is not None
    lattice = passes.analysis.lattice
    sample = lattice.sample("perfect", count=1100, seed=session.settings.seed)
    assert tally.distance == pytest.approx(sample.tv_distance)
    assert tally.test == sample.chi2
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
    workspace = make("watching", "toy-watching")
    outcomes = workspace.results.law.outcomes
    assert outcomes is not None
    viterbi = next(mark for mark in outcomes.marks if mark.square)
    assert viterbi.counts.tolist() == [FIRST, 0, 0]
    curve = next(curve for curve in workspace.results.curve.curves if curve.dashed)
    assert curve.distance.tolist() == pytest.approx([2 / 3, 2 / 3])


def test_keys_draw_and_step(qtbot: Any, make: Make) -> None:
    workspace = make("watching", "toy-watching")
    lane, player = workspace.lanes["perfect"], workspace.player
    lane.setFocus()
    assert player.position == player.length  # the result first
    qtbot.keyClick(lane, Qt.Key.Key_Home)
    assert player.position == 0
    qtbot.keyClick(lane, Qt.Key.Key_Right)
    assert lane.position == workspace.lanes["viterbi"].position == 1
    qtbot.keyClick(lane, Qt.Key.Key_Space)
    assert player.playing
    qtbot.keyClick(lane, Qt.Key.Key_Space)
    qtbot.keyClick(lane, Qt.Key.Key_R)
    draws(qtbot, workspace, FIRST + 1)
    assert workspace.shown_draw == FIRST
    qtbot.keyClick(workspace.results.law, Qt.Key.Key_R, Qt.KeyboardModifier.ShiftModifier)
    draws(qtbot, workspace, FIRST + 1001)
    assert workspace.shown_draw == FIRST + 1000


def test_n_goes_to_a_draw_that_is_not_the_best(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("watching", "toy-watching")
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


def test_a_search_ends(make: Make) -> None:
    workspace = make("watching", "toy-watching")
    passes = workspace.passes
    assert passes is not None
    lattice, best = passes.analysis.lattice, passes.viterbi.path.edges
    first = find_other(lattice, 1.0, 7, best, 0, lambda done, total: None)
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
    workspace = make("watching", "toy-watching")
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
    workspace = make("watching", "toy-watching")
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
    workspace = make(LONG, "everyday-unigram")
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
    workspace = make(LONG, "everyday-unigram")
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


def test_lanes_can_be_shown_alone(qtbot: Any, make: Make) -> None:
    workspace = make("watching", "toy-watching")
    qtbot.mouseClick(workspace.controls.methods.button("viterbi"), Qt.MouseButton.LeftButton)
    assert not workspace.lanes["perfect"].isVisibleTo(workspace)
    assert workspace.trace_name() == "viterbi"
    passes = workspace.passes
    assert passes is not None
    assert workspace.player.length == len(passes.viterbi)
    assert workspace.events.rowCount() == len(passes.viterbi)
    workspace.choose_trace("perfect")
    assert workspace.trace_name() == "perfect"
    assert workspace.lanes["perfect"].isVisibleTo(workspace)


def test_the_step_table_is_the_trace(make: Make) -> None:
    workspace = make("watching", "toy-watching")
    k = seek_piece(workspace, "ing")
    events = workspace.events
    row = [str(events.data(events.index(k - 1, column))) for column in range(8)]
    passes = workspace.passes
    assert passes is not None
    u = float(passes.perfect.u[k - 1])
    verdict = "taken" if u < 1 / 3 else "kept out"
    assert row == [str(k), "8", "ing", "−6.000", "−5.307", "1/3", f"{u:.3f}", verdict]
    assert workspace.event_table.selectionModel().currentIndex().row() == k - 1
    workspace.event_table.selectRow(0)
    assert workspace.player.position == 1


def test_the_outcome_table_is_the_chart(qtbot: Any, make: Make) -> None:
    workspace = make("watching", "toy-watching")
    workspace.draw_more(200, show=False)
    tally = draws(qtbot, workspace, FIRST + 200)
    passes, model = workspace.passes, workspace.results.outcomes
    assert passes is not None
    counts = tally.counts_of(passes.listing)
    for row in range(3):
        cells = [str(model.data(model.index(row, column))) for column in range(6)]
        assert cells[1] == "1/3"
        assert cells[2] == str(counts[row])
        assert cells[3] == f"{counts[row] / (FIRST + 200):.3f}"
        assert float(cells[4]) < counts[row] / (FIRST + 200) < float(cells[5])
    workspace.results.table.selectRow(1)
    assert workspace._session.selection.path == 1


def test_table_models_are_sound(qtmodeltester: Any, make: Make) -> None:
    workspace = make("watching", "toy-watching")
    qtmodeltester.check(workspace.events)
    qtmodeltester.check(workspace.results.outcomes)


def test_clicking_an_arc_selects_its_edge(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("watching", "toy-watching")
    lane = workspace.lanes["perfect"]
    picture = lane.picture()
    assert picture is not None
    shown, heights, base = picture.shapes(lane.lattice_rect)
    lattice = picture.places.lattice
    place = next(i for i, edge in enumerate(shown.tolist()) if lattice.edge_text(edge) == "watch")
    edge = int(shown[place])
    rect = lane.lattice_rect
    middle = (picture.places.x0[edge] + picture.places.x1[edge]) / 2
    # The viewport counts from its gutter; the lane has none.
    x = picture.viewport.screen(float(middle)) - GUTTER + rect.left()
    spot = QPointF(x, base - heights[place]).toPoint()
    qtbot.mouseClick(lane, Qt.MouseButton.LeftButton, pos=spot)
    assert session.selection.edge == edge
    assert session.selection.span == (0, 5)
    assert session.selection.piece == int(lattice.piece[edge])


def test_clicking_a_coin_goes_to_its_step(qtbot: Any, make: Make) -> None:
    workspace = make("watching", "toy-watching")
    lane = workspace.lanes["perfect"]
    column, rect = lane.column, lane.column_rect
    assert column is not None
    assert len(rows_in_view(rect, column)) == len(column.rows)
    spot = QPointF(rect.left() + 5, rect.top() + 28 + 4).toPoint()
    qtbot.mouseClick(lane, Qt.MouseButton.LeftButton, pos=spot)
    assert workspace.player.position == column.rows[0].arrival.step + 1


def test_needle_moves_only_where_motion_is_wanted(make: Make, theme: Theme) -> None:
    workspace = make("watching", "toy-watching")
    lane = workspace.lanes["perfect"]
    k = seek_piece(workspace, "ing")
    workspace.player.seek(k - 1)
    workspace.player.seek(k)
    assert lane.progress == 1.0
    theme.reduce_motion(False)
    workspace.player.seek(k - 1)
    workspace.player.seek(k)
    assert lane.progress < 1.0
    assert lane.position == k


def test_typing_gives_other_passes(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("watching", "toy-watching")
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


def test_a_model_without_a_law_says_so(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("lower", "toy-lower")
    assert workspace.stack.currentWidget() is workspace.empty
    state = workspace.empty.state
    assert state is not None
    assert "not log-probabilities" in state.label.text()
    assert state.buttons[0].text() == "Open the bundled Unigram model"
    bpe = session.active
    assert bpe is not None
    opened = session.add_model(engine.load(model_path("toy-watching")))
    settle(qtbot, workspace, session)
    assert workspace.stack.currentIndex() == 0
    session.set_active(bpe.key)
    settle(qtbot, workspace, session)
    assert workspace.passes is None
    state = workspace.empty.state
    assert state is not None
    qtbot.mouseClick(state.buttons[0], Qt.MouseButton.LeftButton)
    assert session.active is opened
    session.set_active(bpe.key)
    session.close_model(opened.key)
    session.close_model(bpe.key)
    state = workspace.empty.state
    assert state is not None
    assert "No model is open" in state.label.text()


def test_a_scene_brings_lanes_and_draws_back(
    qtbot: Any, make: Make, session: Session, theme: Theme
) -> None:
    workspace = make("watching", "toy-watching")
    workspace.choose_trace("viterbi")
    workspace.draw_more(40, show=False)
    draws(qtbot, workspace, FIRST + 40)
    workspace.show_draw(12)
    settle(qtbot, workspace, session)
    state = workspace.view_state()
    assert state == {"lanes": "viterbi", "draws": FIRST + 40, "draw": 12}
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
    qtbot.addWidget(workspace)
    with qtbot.waitExposed(workspace):
        workspace.show()
    settle(qtbot, workspace, session)
    passes = workspace.passes
    assert passes is not None
    assert passes.viterbi.path.ids == list(engine.load(path).encode("Internationalization").ids)
    labels = workspace.results.law.outcomes.labels if workspace.results.law.outcomes else ()
    assert labels[0].replace("|", "") == "▁Internationalization"


def test_the_node_at_work_is_in_view(make: Make) -> None:
    workspace = make(LONG, "everyday-unigram")
    passes, lane = workspace.passes, workspace.lanes["perfect"]
    assert passes is not None
    for position in (0, 40, passes.perfect.n_forward // 2, passes.perfect.n_forward, 25):
        workspace.player.seek(position)
        picture = lane.picture()
        assert picture is not None
        x = float(picture.places.node[picture.node])
        first, last = picture.viewport.visible
        assert first <= x <= last
        for edge in picture.here:
            assert first <= float(picture.places.x0[edge]) <= last


def test_right_to_left_pieces_stay_in_their_place() -> None:
    assert isolate("abc") == "abc"
    assert isolate("سلام") == "\u2068سلام\u2069"
    lattice = engine.load(model_path("everyday-unigram")).lattice("سلام")
    texts = [edge_text(lattice, edge) for edge in range(lattice.n_edges)]
    arabic = [text for text in texts if any("\u0600" <= char <= "\u06ff" for char in text)]
    assert arabic
    assert all(text.startswith("\u2068") and text.endswith("\u2069") for text in arabic)
