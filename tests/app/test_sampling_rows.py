"""Rows of the law that are chosen, in chart and table, and what is said of them."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.session import Session
from app.views.sampling import SamplingWorkspace
from app.widgets.report import Line, Lines, Table
from tests.app.sampling import BOTH, Make, draws, make, sentences, settle

__all__ = ["make"]

pytestmark = pytest.mark.screen


def chosen(workspace: SamplingWorkspace) -> tuple[int, int]:
    """Return the row of the chart and that of the table, −1 for none."""
    results = workspace.results
    return results.law.selected, results.table.currentIndex().row()


def test_a_chosen_row_stays_while_draws_come(qtbot: Any, make: Make) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    resets: list[bool] = []
    workspace.results.outcomes.modelReset.connect(lambda: resets.append(True))
    workspace.results.table.selectRow(2)
    assert chosen(workspace) == (2, 2)
    workspace.draw_more(300, show=False)
    draws(qtbot, workspace, 400)
    assert chosen(workspace) == (2, 2)
    assert resets == []


def test_a_chosen_row_goes_with_its_law(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("今天天气不错", "toy-weather", BOTH)
    workspace.results.chosen.emit(3)
    passes = workspace.passes
    assert passes is not None
    label = passes.listing.labels[3]
    # Another θ puts the paths into another order: the row is where its path is.
    session.change_settings(theta=0.0)
    settle(qtbot, workspace, session)
    passes = workspace.passes
    assert passes is not None
    place = passes.listing.labels.index(label)
    assert chosen(workspace) == (place, place)
    session.set_text("天气")
    settle(qtbot, workspace, session)
    assert chosen(workspace) == (-1, -1)


def test_a_row_is_said(qtbot: Any, make: Make) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    law = workspace.results.law
    assert law.accessibleDescription() == "Up and down choose a row."
    qtbot.keyClick(law, Qt.Key.Key_Down)
    tally = draws(qtbot, workspace, 100)
    passes = workspace.passes
    assert passes is not None
    count = tally.counts_of(passes.listing)[0]
    assert law.accessibleDescription() == (
        f"watching: exact probability 1/3. Viterbi: 100 of 100 draws. "
        f"perfect: {count} of 100 draws."
    )


def verdicts(workspace: SamplingWorkspace) -> tuple[str, ...]:
    return next(part for part in workspace.report.parts if isinstance(part, Table)).rows[-1]


def test_a_law_that_is_not_known_is_not_too_few_draws(qtbot: Any, make: Make) -> None:
    workspace = make("internationalization" * 28, "everyday-bpe", ("bpe-dropout",))
    passes = workspace.passes
    assert passes is not None
    assert not passes.laws["bpe-dropout"].known
    assert verdicts(workspace) == ("Verdict", "no exact law")


def test_one_segmentation_allows_no_test(make: Make) -> None:
    workspace = make("ing", "toy-watching", ("perfect",))
    passes = workspace.passes
    assert passes is not None
    assert passes.listing.count == 1
    assert verdicts(workspace) == ("Verdict", "only one")


def test_a_text_too_long_for_coins_is_said_to_be(make: Make) -> None:
    workspace = make("lower newest " * 160, "everyday-bpe", ("bpe-dropout",))
    words = (
        "The text is too long to step through: coins are followed in texts of up to 2,000 bytes."
    )
    assert workspace.rows.none.isVisibleTo(workspace)
    assert workspace.rows.none.text() == words
    assert words in sentences(workspace)
    lines = [part.lines[0] for part in workspace.report.parts if isinstance(part, Lines)]
    assert isinstance(lines[-1], Line)
    assert lines[-1].link == ""
    workspace.choose_methods(("uniform",))
    assert workspace.passes is not None
