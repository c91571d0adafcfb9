"""Tokens, arcs and bricks on the axis: placed arrays, no pixels of fonts."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

import engine
from app.draw.arc_labels import probability_text
from app.draw.arcs import arcs_in_view, place_arcs, place_nodes
from app.draw.axis import build_axis
from app.draw.bricks import brick_rows
from app.draw.frame import frame
from app.draw.lattice import Light, draw_lattice
from app.draw.tokens import byte_places, draw_bands, place_tokens
from app.draw.viewport import Viewport
from engine import bundled
from engine.pipeline import Prepared
from engine.place import BUMP, Role
from engine.text import Text

pytestmark = pytest.mark.screen


def load(name):
    return engine.load(next(m.path for m in bundled.models() if m.name == name))


@pytest.fixture(scope="module")
def unigram():
    return load("everyday-unigram")


@pytest.fixture(scope="module")
def bpe():
    return load("everyday-bpe")


@pytest.fixture(scope="module")
def wordpiece():
    return load("everyday-wordpiece")


@pytest.fixture(scope="module")
def watching():
    return load("toy-watching")


@pytest.fixture
def axis_of(theme):
    return lambda text, unit="grapheme": build_axis(text, unit, theme.piece_font, 20_000)


def lattice_arcs(model, string, axis_of, unit="grapheme", n=6):
    text = Text(string)
    lattice = model.lattice(text)
    law = lattice.law() if lattice.has_law else None
    nbest = tuple(lattice.nbest(n)) if law is not None else ()
    best = nbest[0] if nbest else lattice.path
    axis = axis_of(text, unit)
    return place_arcs(lattice, axis, best, nbest, law), axis, best, nbest, law


# Tokens


def test_bytes_that_stand_for_one_stretch_share_it():
    text = Text("ab")
    prepared = Prepared(
        text,
        np.zeros(5, np.uint8),
        np.array([0, 5], np.int32),
        np.array([-1], np.int32),
        np.array([0, 0, 0, 0, 1], np.int32),
        np.array([0, 1, 1, 1, 2], np.int32),
    )
    start, end = byte_places(prepared)
    assert start == pytest.approx([0, 0, 1 / 3, 2 / 3, 1])
    assert end == pytest.approx([0, 1 / 3, 2 / 3, 1, 2])


def test_each_token_gets_a_band_and_the_bands_cover_the_text(bpe, axis_of):
    text = Text("The weather is lovely")
    encoding, axis = bpe.encode(text), axis_of(text)
    bands = place_tokens(encoding, axis)
    assert bands.n_groups == bands.total == len(encoding)
    assert bands.start.tolist() == encoding.start.tolist()
    assert bands.rect_left[0] == 0
    assert bands.rect_right[-1] == pytest.approx(axis.width)
    assert np.allclose(bands.rect_left[1:], bands.rect_right[:-1])
    assert not bands.fragment.any()
    assert bands.group_at(5) == bands.group_of_token(1)
    assert bands.group_at(text.n_bytes) == -1


def test_a_character_cut_into_several_tokens_is_one_band_with_a_count(bpe, axis_of):
    text = Text("ᚠ a")
    encoding = bpe.encode(text)
    tokens = int((encoding.end <= 3).sum())
    assert tokens == 3
    bands = place_tokens(encoding, axis_of(text))
    assert bands.token[:2].tolist() == [0, 3]
    assert bands.fragment[0]
    assert not bands.fragment[1:].any()
    # On the byte axis each of them is seen.
    bytewise = place_tokens(encoding, axis_of(text, "byte"))
    assert bytewise.n_groups == len(encoding)
    assert bytewise.fragment[:3].all()


def test_a_dummy_prefix_stands_before_the_text(unigram, axis_of):
    text = Text("ᚠᚠ")
    encoding = unigram.encode(text)
    bands = place_tokens(encoding, axis_of(text))
    assert bands.ghost == 1
    assert bands.start[0] == bands.end[0] == 0
    assert bands.start[1] == 0
    assert 0 not in bands.rect_group


def test_characters_between_tokens_have_no_band(wordpiece, axis_of):
    text = Text("a b")
    bands = place_tokens(wordpiece.encode(text), axis_of(text))
    assert bands.start.tolist() == [0, 2]
    assert bands.end.tolist() == [1, 3]
    assert bands.group_at(1) == -1


def test_an_unknown_token_is_told_apart(wordpiece, axis_of):
    text = Text("a ᚠ")
    assert place_tokens(wordpiece.encode(text), axis_of(text)).unknown.tolist() == [False, True]


def test_an_empty_text_has_no_bands(bpe, axis_of):
    text = Text("")
    bands = place_tokens(bpe.encode(text), axis_of(text))
    assert (bands.n_groups, bands.total) == (0, 0)
    assert bands.group_of_token(0) == -1


def test_bands_of_mixed_directions_have_a_rectangle_each_side(axis_of, bpe):
    text = Text("ab אב")
    encoding, axis = bpe.encode(text), axis_of(text)
    bands = place_tokens(encoding, axis)
    covered = (bands.rect_right - bands.rect_left).sum()
    assert covered == pytest.approx(axis.width)
    assert set(bands.rect_group) == set(range(bands.n_groups))


# Arcs


def test_arcs_end_where_their_pieces_do(watching, axis_of):
    arcs, axis, best, _, law = lattice_arcs(watching, "watching", axis_of, n=3)
    placed, lattice = arcs.placement, arcs.lattice
    # Three segmentations of equal score have five edges together.
    assert len(arcs) == arcs.total == 5
    assert arcs.placement.hidden == 0
    assert np.allclose(placed.x0, axis.lead[lattice.start[placed.edge]])
    assert np.allclose(placed.x1, axis.trail[lattice.end[placed.edge]])
    assert sorted(arcs.label(int(e)) for e in placed.edge) == [
        "ching", "ing", "wat", "watch", "watching",
    ]  # fmt: skip
    whole = int(placed.edge[np.flatnonzero(placed.x1 - placed.x0 == axis.width)[0]])
    assert arcs.label(whole) == "watching"
    assert law.marginal[whole] == pytest.approx(1 / 3)
    assert set(placed.edge[placed.role == Role.BEST]) == set(best.edges)


def test_rare_edges_are_hidden_and_counted(unigram, axis_of):
    arcs, *_, law = lattice_arcs(unigram, "The weather is lovely today", axis_of)
    rare = law.marginal < 1e-3
    shown = np.zeros(arcs.total, dtype=bool)
    shown[arcs.placement.edge] = True
    assert arcs.placement.hidden == arcs.total - len(arcs)
    assert rare[~shown].all()
    assert (arcs.placement.role[rare[arcs.placement.edge]] != Role.OTHER).all()
    for row, edge in enumerate(arcs.placement.edge):
        assert arcs.row_of[edge] == row


def test_higher_arcs_over_wider_stretches_and_none_above_the_room(unigram, axis_of):
    arcs, axis, *_ = lattice_arcs(unigram, "The weather is lovely today", axis_of)
    viewport = Viewport()
    viewport.set_width(1600)
    viewport.set_axis(axis)
    for room in (120.0, 400.0):
        placed = arcs_in_view(arcs, viewport, room)
        assert len(placed) == len(arcs)
        width = np.abs(placed.x1 - placed.x0)
        order = np.argsort(width, kind="stable")
        whole = ~placed.fragment[order]
        assert (np.diff(placed.height[order][whole]) >= -1e-9).all()
        assert placed.height.max() <= room


def test_only_the_arcs_in_view_are_drawn(unigram, axis_of):
    arcs, axis, *_ = lattice_arcs(unigram, "The weather is lovely. " * 40, axis_of)
    viewport = Viewport()
    viewport.set_width(400)
    viewport.set_axis(axis)
    first = arcs_in_view(arcs, viewport, 300)
    assert 0 < len(first) < len(arcs) / 4
    viewport.pan(3000)
    assert set(first.edge).isdisjoint(arcs_in_view(arcs, viewport, 300).edge)


def test_arcs_inside_a_grapheme_are_low_and_counted(bpe, axis_of):
    arcs, axis, best, *_ = lattice_arcs(bpe, "aᚠ", axis_of)
    viewport = Viewport()
    viewport.set_width(600)
    viewport.set_axis(axis)
    placed = arcs_in_view(arcs, viewport, 300)
    assert placed.fragment.any()
    assert (placed.height[placed.fragment] == BUMP).all()
    assert arcs.cut_unit.tolist() == [1]
    assert arcs.cut_count.tolist() == [int((arcs.lattice.start[best.edges] >= 1).sum())]
    # On the byte axis they are arcs like all others.
    wide, axis, *_ = lattice_arcs(bpe, "aᚠ", axis_of, "byte")
    viewport.set_axis(axis)
    assert (arcs_in_view(wide, viewport, 300).height > BUMP).all()


def test_without_a_law_the_path_taken_stands_out(bpe, axis_of):
    arcs, _, best, _, law = lattice_arcs(bpe, "lovely", axis_of)
    assert law is None
    assert not arcs.has_law
    assert arcs.placement.hidden == 0
    taken = arcs.placement.role == Role.TAKEN
    assert set(arcs.placement.edge[taken]) == set(best.edges)
    assert arcs.placement.line[taken].min() > arcs.placement.line[~taken].max()


def test_in_mirrored_text_arcs_run_left(unigram, axis_of):
    arcs, axis, *_ = lattice_arcs(unigram, "שלום עולם", axis_of)
    assert axis.mirrored
    own = ~arcs.ghost
    assert (arcs.placement.x1[own] < arcs.placement.x0[own]).all()


def test_boundaries_are_those_of_the_law(watching, axis_of):
    arcs, axis, best, _, law = lattice_arcs(watching, "watching", axis_of)
    nodes = place_nodes(arcs.lattice, axis, best, law)
    assert nodes.node.tolist() == [0, 3, 5, 8]
    assert nodes.probability == pytest.approx([1, 1 / 3, 1 / 3, 1])
    assert np.allclose(nodes.x, axis.lead[nodes.node])
    assert set(nodes.node[nodes.on_path]) == set(best.nodes)


def test_a_certain_edge_needs_no_number():
    assert probability_text(0.7333) == ".733"
    assert probability_text(0.996) == ""
    assert probability_text(float("nan")) == ""


# Bricks


def test_bricks_tell_what_differs_from_the_best_path(watching, axis_of):
    _, axis, _, nbest, _ = lattice_arcs(watching, "watching", axis_of, n=3)
    first, *others = brick_rows(nbest, axis)
    assert not first.differs.any()
    assert len(others) == 2
    for row in others:
        assert row.differs.all()
        assert row.same_from == 8
        assert row.rect_left[0] == 0
        assert row.rect_right[-1] == pytest.approx(axis.width)


def test_rows_are_the_same_after_their_last_difference(unigram, axis_of):
    _, axis, _, nbest, _ = lattice_arcs(unigram, "The weather is lovely today", axis_of)
    first, *others = brick_rows(nbest, axis)
    assert first.rest == ()
    for path, row in zip(nbest[1:], others, strict=True):
        tail = row.start >= row.same_from
        assert row.differs.any()
        assert not row.differs[tail].any()
        assert row.rest == (() if tail.sum() < 3 else ((row.rect_right[-1], axis.width),))
        own, best = set(path.edges.tolist()), set(nbest[0].edges.tolist())
        assert int(row.differs.sum()) == len(own - best)


def test_pieces_of_characters_make_one_brick(bpe, axis_of):
    _, axis, best, *_ = lattice_arcs(bpe, "aᚠᚠ", axis_of)
    (row,) = brick_rows([best], axis)
    assert row.fragments.tolist() == [0, len(best.edges) - 1]
    assert row.last[-1] - row.first[-1] == len(best.edges) - 1


# Painting: every level of detail must draw something, and only where it should


def painted(draw, width=900, height=320):
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    draw(painter)
    painter.end()
    bits = np.frombuffer(image.constBits(), dtype=np.uint8)
    return bits.reshape(height, width, 4)[:, :, 3] > 0


@pytest.mark.parametrize("zoom", [1.0, 0.3, 0.05])
def test_bands_are_drawn_at_every_zoom(theme, bpe, axis_of, zoom):
    text = Text("The weather is lovely. " * 30)
    viewport = Viewport()
    viewport.set_width(700)
    viewport.set_axis(axis_of(text))
    viewport.zoom_by(zoom)
    viewport.scroll_to(0)
    bands = place_tokens(bpe.encode(text), viewport.axis)
    rect = QRectF(0, 10, 900, 26)
    ink = painted(lambda painter: draw_bands(painter, viewport, theme, bands, rect))
    assert ink[10:36].any(axis=0).sum() > 300
    assert not ink[60:].any()


@pytest.mark.parametrize("zoom", [1.0, 0.3, 0.05])
@pytest.mark.parametrize("name", ["unigram", "bpe"])
def test_the_lattice_is_drawn_at_every_zoom(request, theme, axis_of, zoom, name):
    model = request.getfixturevalue(name)
    arcs, axis, best, _, law = lattice_arcs(model, "The weather ᚠ lovely. " * 30, axis_of)
    viewport = Viewport()
    viewport.set_width(700)
    viewport.set_axis(axis)
    viewport.zoom_by(zoom)
    viewport.scroll_to(0)
    nodes = place_nodes(arcs.lattice, axis, best, law)
    place = frame(900, 320, viewport, bars=law is not None)
    shapes = arcs_in_view(arcs, viewport, place.room)
    light = Light(selected=int(best.edges[0]), hover=int(best.edges[1]), span=(0, 3))
    ink = painted(
        lambda painter: draw_lattice(painter, viewport, theme, arcs, nodes, shapes, place, light)
    )
    above = ink[: int(place.base) - 4]
    assert above.any()
    assert ink[int(place.base)].any()
    assert not ink[:, :150].any()  # the gutter is the legend's
