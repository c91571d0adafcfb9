"""Edges that are no plain pieces are told apart in arcs, bricks and legend by one rule."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

import engine
from app.draw.arc_labels import Label, probability_text
from app.draw.edge_marks import EdgeMark, edge_marks, with_sign
from app.draw.lane import edge_text
from app.views.explore.legend import legend_rows
from engine.model import Model
from engine.pieces import PieceKind
from engine.segmenter import EdgeKind
from engine.text import Text
from tests.app.exploring import open_explore, settle

pytestmark = pytest.mark.screen

UNKNOWN = "the ᚠ weather"


@pytest.fixture
def explore(qtbot: Any, session: Any, theme: Any, models: dict[str, Model]) -> Any:
    return lambda name, text: open_explore(qtbot, session, theme, [models[name]], text)


def labels_of(workspace: Any) -> list[Label]:
    workspace.lattice.grab()
    return workspace.lattice.labels()


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.7331, ".733"), (0.001, ".001"), (0.0005, ".001"), (0.00049, "<.001"), (1e-300, "<.001"),
        (0.0, "0"), (0.996, ""), (float("nan"), ""), (0.9949, ".995"),
    ],
)  # fmt: skip
def test_a_small_probability_is_not_none(p: float, text: str) -> None:
    assert probability_text(p) == text


def test_each_kind_has_its_mark(models: dict[str, Model]) -> None:
    lattice = models["everyday-unigram"].lattice(Text("abab"))
    kind = lattice.kind.copy()
    piece = lattice.piece.copy()
    pieces = lattice.vocabulary.kind.copy()
    assert len(kind) >= 5
    kind[:5] = (
        EdgeKind.UNKNOWN, EdgeKind.BYTE, EdgeKind.DROPPED, EdgeKind.PIECE, EdgeKind.PIECE
    )  # fmt: skip
    piece[2] = -1
    pieces[piece[3]] = PieceKind.UNUSED
    vocabulary = replace(lattice.vocabulary, kind=pieces)
    edges = replace(lattice.edges, kind=kind, piece=piece)
    changed = replace(lattice, edges=edges, vocabulary=vocabulary)
    marks = [EdgeMark(mark) for mark in edge_marks(changed, np.arange(5))]
    assert marks[:4] == [EdgeMark.UNKNOWN, EdgeMark.BYTE, EdgeMark.DROPPED, EdgeMark.UNUSED]
    assert marks[4] == (EdgeMark.UNUSED if piece[4] == piece[3] else EdgeMark.PLAIN)
    assert [with_sign("x", mark) for mark in EdgeMark] == ["x", "x ?", "x", "x ∅", "x"]
    assert edge_text(changed, 0).strip("\u2068\u2069").endswith(" ?")


@pytest.mark.parametrize("name", ["everyday-unigram", "everyday-wordpiece"])
def test_an_unknown_character_is_marked_everywhere(explore: Any, name: str) -> None:
    text = UNKNOWN if name == "everyday-wordpiece" else "the ǂ weather ᚠ"
    workspace = explore(name, text)
    placed = workspace.placed
    lattice = placed.analysis.lattice
    marks = edge_marks(lattice, np.arange(lattice.n_edges))
    if not (marks == EdgeMark.UNKNOWN).any():
        pytest.fail("the model knows every character: choose another")
    best = placed.paths()[0].edges
    unknown = [int(edge) for edge in best if marks[edge] == EdgeMark.UNKNOWN]
    shown = [label for label in labels_of(workspace) if label.edge in unknown and label.font == 0]
    assert shown
    assert all(label.text.endswith(" ?") and label.mark == EdgeMark.UNKNOWN for label in shown)
    row = placed.rows[0]
    bricks = [
        b for b in range(len(row.first))
        if set(best[row.first[b] : row.last[b]].tolist()) & set(unknown)
    ]  # fmt: skip
    assert np.flatnonzero(row.mark == EdgeMark.UNKNOWN).tolist() == bricks
    # The brick is ink, which no other is.
    ink = workspace._theme.color("ink").rgb()
    image = workspace.paths.grab().toImage()
    high = round(workspace.paths.row_rect(0).top()) + 4
    for k in range(len(row.rect_brick)):
        x = placed.lattice_viewport.screen(float(row.rect_left[k])) + 4
        assert (image.pixel(round(x), high) == ink) == (int(row.rect_brick[k]) in bricks)


def test_the_legend_names_the_kinds_that_are_there(
    qtbot: Any, explore: Any, session: Any, models: dict[str, Model], shared: Any
) -> None:
    path = shared / "data" / "models" / "sentencepiece" / "bpe_mistral_v1_32k.model"
    workspace = explore("everyday-wordpiece", UNKNOWN)

    def kinds() -> set[str]:
        return {kind for kind, _ in legend_rows(workspace.placed, workspace.lattice)}

    assert "UNKNOWN" in kinds()
    session.add_model(engine.load(path))
    settle(qtbot, session)
    assert not kinds() & {"UNKNOWN", "BYTE"}
    session.change_settings(unit="byte")
    settle(qtbot, session)
    assert "BYTE" in kinds()
    assert (workspace.placed.rows[0].mark == EdgeMark.BYTE).sum() == 3


# Labels and the mouse


def test_a_click_on_a_label_selects_its_own_edge(
    qtbot: Any, explore: Any, session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = explore("everyday-unigram", "The weather is lovely today and tomorrow")
    view = workspace.lattice
    labels = [label for label in labels_of(workspace) if label.edge >= 0]
    assert len(labels) > 10
    scroll = view.viewport.scroll
    behind = 0
    for label in labels:
        for x in (label.left + 1, (label.left + label.right) / 2, label.right - 1):
            spot = QPointF(x - scroll, (label.top + label.bottom) / 2)
            assert view.edge_at(spot) == label.edge
            with monkeypatch.context() as patched:
                patched.setattr(view, "labels", list)
                behind += view.edge_at(spot) not in (None, label.edge)
    # Without the labels some of these spots belong to arcs that pass behind.
    assert behind > 0
    label = next(label for label in labels if label.font == 0)
    spot = QPointF((label.left + label.right) / 2 - scroll, (label.top + label.bottom) / 2)
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=spot.toPoint())
    assert session.selection.edge == label.edge


def test_a_label_stays_where_it_is_while_the_mouse_is_on_it(qtbot: Any, explore: Any) -> None:
    workspace = explore("everyday-unigram", "The weather is lovely")
    view = workspace.lattice
    before = labels_of(workspace)
    label = next(label for label in before if label.edge >= 0)
    view._set_hover(label.edge)
    assert labels_of(workspace) == before
    spot = QPointF(label.left + 2 - view.viewport.scroll, (label.top + label.bottom) / 2)
    assert view.edge_at(spot) == label.edge


def test_far_away_no_label_is_in_the_way(qtbot: Any, explore: Any) -> None:
    workspace = explore("everyday-unigram", "The weather is lovely today " * 20)
    view = workspace.lattice
    label = next(label for label in labels_of(workspace) if label.edge >= 0)
    spot = QPointF(label.left + 2, (label.top + label.bottom) / 2)
    assert view.edge_at(spot) == label.edge
    workspace.zoom("all")
    assert view.edge_at(spot) != label.edge


def test_the_inspectors_bricks_mark_the_unknown_too(
    qtbot: Any, session: Any, theme: Any, tmp_path: Path
) -> None:
    pieces = [["<unk>", 0.0], ["ab", -1.0], ["b", -2.0]]
    model = {"type": "Unigram", "unk_id": 0, "vocab": pieces}
    (tmp_path / "small.json").write_text(json.dumps({"version": "1.0", "model": model}))
    opened = engine.load(tmp_path / "small.json")
    workspace = open_explore(qtbot, session, theme, [opened], "ab")
    lattice = workspace.placed.analysis.lattice
    marks = edge_marks(lattice, np.arange(lattice.n_edges))
    workspace.lattice.select_edge(int(np.flatnonzero(marks == EdgeMark.UNKNOWN)[0]))
    settle(qtbot, session)
    assert [line.pieces for line in workspace.inspector.bricks.lines] == [("ab",), ("a ?", "b")]
