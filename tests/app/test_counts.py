"""Numbers with what they count: one of it is singular, wherever the window says it."""

from __future__ import annotations

from typing import get_args

import pytest

import engine
from app.counts import Counted, counted
from app.views.explore import ExploreWorkspace
from app.views.status import StatusLine


def test_one_is_singular_and_nothing_is_not():
    assert counted(1, "token") == "1 token"
    assert counted(0, "token") == "0 tokens"
    assert counted(12_345, "grapheme") == "12,345 graphemes"


@pytest.mark.parametrize("what", get_args(Counted))
def test_everything_counted_has_two_forms(what):
    one, many = counted(1, what), counted(2, what)
    assert one == f"1 {what}"
    assert many.startswith(f"2 {what}")
    assert len(many) > len(one)


def test_a_text_of_one_token_is_told_in_the_singular(qtbot, session, theme, tmp_path):
    path = tmp_path / "one.tiktoken"
    path.write_text("YQ== 0\n", encoding="ascii")
    session.add_model(engine.load(path))
    workspace = ExploreWorkspace(session, theme)
    status = StatusLine(session, (session.jobs,), theme)
    for widget in (workspace, status):
        qtbot.addWidget(widget)
    workspace.show()
    session.set_text("a")
    qtbot.waitUntil(lambda: not session.busy)
    assert status.facts == "A · one     1 grapheme, 1 byte     1 token     1 edge"
    assert workspace.text_bar.counts.text() == "1 grapheme · 1 byte"
    assert workspace.paths_title.note.text() == "1 token · 1 segmentation"
    assert workspace.edges_title.note.text().startswith("1 edge; ")
