"""A word under three rules of merging, two rules swapped as a what-if, and the way back."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt

import engine
from app.draw.merge_lanes import LANE
from app.session import Session
from app.theme import Theme
from app.views.merges import MergesWorkspace
from app.views.merges.follow import WhatIf
from app.widgets.report import Lines, Section
from engine.bundled import model_path
from engine.model import Model
from tests.app.merging import open_merges

pytestmark = pytest.mark.screen


@pytest.fixture(scope="module")
def everyday() -> Model:
    return engine.load(model_path("everyday-bpe"))


@pytest.fixture
def workspace(qtbot: Any, session: Session, theme: Theme) -> MergesWorkspace:
    return open_merges(qtbot, session, theme, "lower", "toy-lower")


def pieces(workspace: MergesWorkspace) -> list[str]:
    word = workspace.word
    assert word is not None
    vocabulary = word.trace.model.vocabulary
    return [vocabulary.text(int(piece)) for piece in word.row(word.n_steps).piece]


def raise_pane(workspace: MergesWorkspace, name: str) -> None:
    pane = next(pane for pane in workspace.panes() if pane.objectName() == f"merges.{name}")
    pane.raise_()


def offers(workspace: MergesWorkspace) -> list[tuple[str, str, str]]:
    """Text, value and link of what the inspector offers to swap with."""
    return [
        (line.text, line.value, line.link)
        for part in workspace.report.parts
        if isinstance(part, Lines)
        for line in part.lines
        if line.link
    ]


def shown_rule(workspace: MergesWorkspace, what_if: WhatIf | None) -> bool:
    return workspace.followed is not None and workspace.followed.what_if == what_if


def lanes(workspace: MergesWorkspace) -> list[tuple[str, list[tuple[str, bool]], list[str]]]:
    shown = workspace.compare.view.lanes
    return [(lane.name, lane.pieces(99), lane.merges(99)) for lane in shown]


def wait_lanes(qtbot: Any, workspace: MergesWorkspace, count: int) -> None:
    qtbot.waitUntil(lambda: len(workspace.compare.view.lanes) == count, timeout=20_000)


def test_swapping_two_rules_and_the_way_back(qtbot: Any, workspace: MergesWorkspace) -> None:
    assert offers(workspace) == [("w+e", "1", "swap:0:1")]
    assert not workspace.what_if.isVisible()
    workspace.report.followed.emit("swap:0:1")
    swap = WhatIf(swap=(0, 1))
    qtbot.waitUntil(lambda: shown_rule(workspace, swap), timeout=20_000)
    assert pieces(workspace) == ["l", "o", "we", "r"]
    assert workspace.what_if.isVisible()
    assert workspace.what_if.label.text() == (
        "e+r (0) and w+e (1) exchange ranks. Other tokens for 1 of 1 word."
    )
    assert workspace.head.story.told.startswith("w and e join: rank 0 is the lowest here.")
    assert "This is a what-if" in [
        p.title for p in workspace.report.parts if isinstance(p, Section)
    ]
    assert offers(workspace) == [("Back to the model as it is", "", "back")]
    qtbot.mouseClick(workspace.what_if.back, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: shown_rule(workspace, None), timeout=20_000)
    assert pieces(workspace) == ["l", "o", "w", "er"]
    assert not workspace.what_if.isVisible()


def test_a_what_if_stays_while_typing_and_goes_with_the_model(
    qtbot: Any, workspace: MergesWorkspace, session: Session, everyday: Model
) -> None:
    swap = WhatIf(swap=(0, 1))
    workspace.what_ifs.ask(swap)
    qtbot.waitUntil(lambda: shown_rule(workspace, swap), timeout=20_000)
    session.set_text("low wet")
    qtbot.waitUntil(lambda: workspace.followed.text is session.text, timeout=20_000)
    assert shown_rule(workspace, swap)
    assert workspace.what_if.label.text().endswith("Nothing changes in this text.")
    assert not workspace.what_if.next.isVisible()
    session.add_model(everyday)
    qtbot.waitUntil(lambda: workspace.followed.key == session.active.key, timeout=20_000)
    assert shown_rule(workspace, None)
    assert not workspace.what_if.isVisible()


def test_the_words_that_change_are_gone_through(
    qtbot: Any, workspace: MergesWorkspace, session: Session
) -> None:
    session.set_text("lower wet newer low")
    swap = WhatIf(swap=(0, 1))
    workspace.what_ifs.ask(swap)
    qtbot.waitUntil(
        lambda: shown_rule(workspace, swap) and workspace.followed.text is session.text,
        timeout=20_000,
    )
    seen = []
    for _ in range(3):
        qtbot.mouseClick(workspace.what_if.next, Qt.MouseButton.LeftButton)
        seen.append(workspace.strip.current)
    assert sorted(set(seen)) == [0, 2]
    assert "2 of 4 words" in workspace.what_if.label.text()


def test_neighbours_in_the_list_and_blocked_rules_are_offered(
    qtbot: Any, workspace: MergesWorkspace, session: Session, everyday: Model
) -> None:
    session.set_text("watching")
    session.add_model(everyday)
    qtbot.waitUntil(
        lambda: workspace.followed is not None and workspace.followed.key == session.active.key,
        timeout=20_000,
    )
    workspace.player.seek(2)
    # a + t has rank 99 and blocks w + a.
    ranks = [link.split(":")[1:] for _, _, link in offers(workspace)]
    assert ranks == [["99", "98"], ["99", "100"], ["99", "415"]]
    assert offers(workspace)[2][:2] == ("w+a", "415")
    workspace.report.followed.emit("swap:99:415")
    qtbot.waitUntil(lambda: shown_rule(workspace, WhatIf(swap=(99, 415))), timeout=20_000)
    assert pieces(workspace)[0] == "wa"


def test_one_word_under_three_rules(
    qtbot: Any, workspace: MergesWorkspace, session: Session
) -> None:
    session.set_text("there")
    session.add_model(engine.load(model_path("toy-there")))
    raise_pane(workspace, "rules")
    qtbot.waitUntil(
        lambda: any(found[0][0] == "the" for _, found, _ in lanes(workspace)), timeout=20_000
    )
    assert lanes(workspace) == [
        (
            "By listed pair",
            [("th", False), ("e", False), ("r", False), ("e", False)],
            ["t+h 0"],
        ),
        (
            "By rank of the joined string",
            [("the", True), ("r", False), ("e", False)],
            ["t+h 0", "≠ th+e 2"],
        ),
        (
            "Where the vocabulary has it",
            [("th", False), ("er", True), ("e", False)],
            ["t+h 0", "≠ e+r 2"],
        ),
    ]
    assert "1 word under “By rank of the joined string”" in workspace.compare.total.text()
    described = workspace.compare.view.accessibleDescription()
    assert "By rank of the joined string: ≠ the | r | e" in described
    # A click on a lane shows it in the rows.
    spot = QPoint(400, round(1.5 * LANE))
    qtbot.mouseClick(workspace.compare.view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    qtbot.waitUntil(lambda: shown_rule(workspace, WhatIf("joined")), timeout=20_000)
    assert pieces(workspace) == ["the", "r", "e"]
    assert [lane.shown for lane in workspace.compare.view.lanes] == [False, True, False]
    qtbot.keyClick(workspace.compare.view, Qt.Key.Key_Up)
    qtbot.waitUntil(lambda: shown_rule(workspace, None), timeout=20_000)
    assert pieces(workspace) == ["th", "e", "r", "e"]


def test_a_swap_has_a_lane_beside_the_rules(qtbot: Any, workspace: MergesWorkspace) -> None:
    raise_pane(workspace, "rules")
    wait_lanes(qtbot, workspace, 3)
    assert workspace.compare.total.text() == "In this text all three rules lead to the same tokens"
    workspace.what_ifs.ask(WhatIf(swap=(0, 1)))
    wait_lanes(qtbot, workspace, 4)
    name, found, merges = lanes(workspace)[0]
    assert name == "With the two ranks exchanged"
    assert found == [("l", False), ("o", False), ("we", True), ("r", True)]
    assert merges == ["≠ w+e 0"]


def test_an_example_is_one_click_away(
    qtbot: Any, workspace: MergesWorkspace, session: Session
) -> None:
    session.set_text("something else")
    actions = workspace.top.examples.menu().actions()
    assert actions[0].text() == "Order decides: “e r” before “w e” in lower"
    actions[0].trigger()
    assert session.text.string == "lower"
    assert len(session.models) == 1
    actions[1].trigger()
    qtbot.waitUntil(lambda: len(session.models) == 2, timeout=20_000)
    qtbot.waitUntil(
        lambda: workspace.followed is not None and workspace.followed.key == session.active.key,
        timeout=20_000,
    )
    assert pieces(workspace) == ["th", "e", "r", "e"]


def test_a_scene_keeps_a_what_if(qtbot: Any, workspace: MergesWorkspace) -> None:
    swap = WhatIf(swap=(0, 1))
    workspace.what_ifs.ask(swap)
    qtbot.waitUntil(lambda: shown_rule(workspace, swap), timeout=20_000)
    state = workspace.view_state()
    assert state["what_if"] == {"swap": [0, 1]}
    workspace.what_ifs.ask(None)
    qtbot.waitUntil(lambda: shown_rule(workspace, None), timeout=20_000)
    assert "what_if" not in workspace.view_state()
    workspace.restore_view_state(state)
    qtbot.waitUntil(lambda: shown_rule(workspace, swap), timeout=20_000)
    assert pieces(workspace) == ["l", "o", "we", "r"]
    assert WhatIf.of_scene(WhatIf("joined").for_scene()) == WhatIf("joined")
    for odd in (None, {"rule": "x"}, {"swap": [1]}, {"swap": ["a", 2]}, []):
        assert WhatIf.of_scene(odd) is None


def test_ranks_that_a_model_has_not_are_told_and_left(
    qtbot: Any, workspace: MergesWorkspace, session: Session
) -> None:
    errors: list[BaseException] = []
    session.failed.connect(lambda error, _about: errors.append(error))
    workspace.restore_view_state({"what_if": {"swap": [0, 99]}})
    qtbot.waitUntil(lambda: bool(errors) and shown_rule(workspace, None), timeout=20_000)
    assert "no merge has the rank 99" in str(errors[0])
    assert workspace.what_ifs.what_if is None
    assert pieces(workspace) == ["l", "o", "w", "er"]
