"""Values that can't be, in what a scene keeps for a workspace: as if they were missing."""

from __future__ import annotations

import math
from typing import Any

import pytest

from app.views.explore.theta import NumberField
from app.window import Window
from engine.scene import WORKSPACES
from engine.scene_fields import MOST_THETA

ODD = [True, None, "x", [], {}, 10**400, math.nan, math.inf, -math.inf, "\ud800"]


def same(kept: dict[str, Any], value: object) -> dict[str, Any]:
    """Return what a workspace keeps with one value for all of it."""
    return dict.fromkeys(kept, value)


def test_odd_values_are_left_out(qtbot: Any, make_window: Any) -> None:
    window: Window = make_window()
    kept = {
        "explore": {"zoom": 2.0, "scroll": 30.0},
        "merges": {"word": 1, "position": 2, "what_if": None},
        "sampling": {
            "methods": ["perfect"], "chosen": {}, "draws": 5, "draw": 2, "dropout": 0.5,
            "nbest_size": 8, "set_size": 4, "cut": 3,
        },
        "languages": {"sort": "name", "descending": False, "filter": "a"},
        "vocabulary": {"sort": "id", "descending": False, "filter": "a"},
    }  # fmt: skip
    assert set(kept) == set(WORKSPACES)
    for name, state in kept.items():
        window.show_workspace(name)
        workspace = window.workspace
        assert workspace is not None
        qtbot.waitUntil(lambda: not window.session.busy)
        workspace.restore_view_state({})
        usual = workspace.view_state()
        for value in ODD:
            workspace.restore_view_state(same(state, value))
            now = workspace.view_state()
            if value == "x" and "filter" in usual:
                assert now["filter"] == "x"
                now["filter"] = usual["filter"]
            assert now == usual, (name, value)
            assert {key: type(v) for key, v in now.items()} == {
                key: type(v) for key, v in usual.items()
            }
    qtbot.waitUntil(lambda: not window.session.busy)


@pytest.mark.parametrize(("field", "most"), [("nbest_size", 1024), ("set_size", 64)])
def test_sizes_are_those_that_the_fields_take(
    qtbot: Any, make_window: Any, field: str, most: int
) -> None:
    window: Window = make_window()
    window.show_workspace("sampling")
    assert window.workspace is not None
    for given, shown in ((most, most), (most + 1, most), (0, most), (-5, most), (2, 2), (2.0, 2)):
        window.workspace.restore_view_state({field: given})
        assert window.workspace.view_state()[field] == shown
    qtbot.waitUntil(lambda: not window.session.busy)


def test_the_window_takes_the_theta_that_a_scene_may_have(qtbot: Any) -> None:
    field = NumberField()
    qtbot.addWidget(field)
    for text, value in ((f"{MOST_THETA}", MOST_THETA), (f"{MOST_THETA}.1", None)):
        field.setText(text)
        assert field.value() == value
