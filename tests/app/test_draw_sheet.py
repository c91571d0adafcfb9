"""Pictures that are kept on sheets: a step aside shows what a fresh paint would show."""

from __future__ import annotations

import numpy as np
import pytest

from app.draw.arc_labels import PIECE
from app.draw.sheet import SPARE
from app.draw.viewport import GUTTER
from engine.place import free_boxes
from tests.app.exploring import open_explore, settle

pytestmark = pytest.mark.screen

TEXT = "The weather is lovely, so we watched 16 birds. 今天天气不错 날씨가 🌤️ و الطقس हिन्दी. " * 6


@pytest.fixture
def workspace(qtbot, session, theme, models):
    chosen = [models["everyday-unigram"], models["everyday-bpe"]]
    made = open_explore(qtbot, session, theme, chosen, TEXT)
    settle(qtbot, session)
    return made


def pixels(view):
    image = view.grab().toImage()
    return np.array(image.constBits(), copy=True)


def recorded(view, monkeypatch):
    """Return a list that grows by (left, right) with each part of a sheet that is painted."""
    painted = []
    paint = view._sheet._paint_between

    def record(viewport, left, right, paper):
        if left < right:
            painted.append((left, right))
        paint(viewport, left, right, paper)

    monkeypatch.setattr(view._sheet, "_paint_between", record)
    return painted


def pixels_of(parts):
    return sum(right - left for left, right in parts)


@pytest.mark.parametrize("name", ["bands", "paths", "lattice"])
def test_a_view_that_was_moved_looks_as_if_painted_anew(workspace, name):
    view, viewport = getattr(workspace, name), workspace.placed.viewport
    viewport.restore(0.45, 300.0)  # without labels: those of arcs stay where they were placed
    view.grab()
    for step in (37, 500, -120, 3.3, 700, -1000):
        viewport.pan(step)
        moved = pixels(view).astype(np.int64)
        view._refresh()
        # At the edge of a part a pixel is covered by halves.
        assert np.abs(moved - pixels(view)).max() <= 2, step


@pytest.mark.parametrize("name", ["bands", "paths", "lattice"])
def test_a_step_aside_paints_only_what_comes_into_view(workspace, name, monkeypatch):
    view, viewport = getattr(workspace, name), workspace.placed.viewport
    viewport.restore(1.0, 10.0)
    view.grab()
    painted = recorded(view, monkeypatch)
    for _ in range(6):
        viewport.pan(20)
        view.grab()
    assert painted == []  # it is on the sheet
    viewport.pan(SPARE)
    view.grab()
    assert len(painted) == 1
    assert pixels_of(painted) < viewport.width / 2
    view._refresh()
    view.grab()
    assert pixels_of(painted[1:]) > viewport.width


def test_labels_on_both_sides_of_an_edge_of_parts_keep_apart(workspace):
    view, viewport = workspace.lattice, workspace.placed.viewport
    viewport.restore(1.0, 0.0)
    labels = {}
    for _ in range(20):
        view.grab()
        labels |= dict.fromkeys(view.labels())
        viewport.pan(SPARE)
    assert len(labels) > 40
    # A piece's own number stands apart from it too, so every pair is free.
    assert free_boxes(np.array([label[:4] for label in labels])).all()


@pytest.mark.parametrize("name", ["bands", "paths", "lattice"])
@pytest.mark.parametrize("at", ["start", "end"])
def test_what_typing_leaves_as_it_was_is_not_painted_again(
    qtbot, session, workspace, monkeypatch, name, at
):
    view, viewport = getattr(workspace, name), workspace.placed.viewport
    viewport.restore(1.0, 1e6 if at == "end" else 0.0)
    view.grab()
    painted = recorded(view, monkeypatch)
    session.set_text(f"{TEXT}x" if at == "end" else f"x{TEXT}")
    settle(qtbot, session)
    view.grab()
    assert (viewport.zoom, viewport.overflows) == (1.0, True)
    assert (viewport.scroll > 3000) == (at == "end")  # what was typed is seen
    if (name, at) != ("bands", "start"):  # colours of bands follow their number
        assert pixels_of(painted) < viewport.width / 2
    kept = pixels(view)
    view._refresh()
    if name != "lattice":  # labels may have found other places
        assert np.array_equal(kept, pixels(view))


EDITS = [
    lambda text: text.replace("weather", "wzather", 1),  # as wide, with other edges
    lambda text: text[:40] + "今" + text[40:],
    lambda text: text[: len(text) // 3],
    lambda text: text[:60],  # fits now
    lambda text: text + " a dog and a cat and two more birds went out and out and out",
    lambda text: text + " fly",
    lambda text: text.replace("16", "61"),
]


@pytest.mark.parametrize("unit", ["grapheme", "byte"])
def test_after_any_edit_the_lattice_is_as_if_painted_anew(
    qtbot, session, workspace, monkeypatch, unit
):
    monkeypatch.setattr("app.views.explore.lattice_view.has_labels", lambda *_: False)
    session.change_settings(unit=unit)
    view, viewport, text = workspace.lattice, workspace.placed.viewport, TEXT
    for step, edit in enumerate(EDITS):
        text = edit(text)
        session.set_text(text)
        settle(qtbot, session)
        for zoom, scroll in ((None, 0.0), (0.9, 120.0)):
            if zoom:
                viewport.restore(zoom, scroll)
            kept = pixels(view).astype(np.int64)
            view._refresh()
            # A line's width and opacity may differ by what rounding takes, which nobody sees.
            assert np.abs(kept - pixels(view)).max() <= 2, (step, zoom)


SNIPPETS = ["a", "e", " ", "the ", "watching", "ü", "🌤️", "天气", "الطقس", "हिन्दी", "16", "\n", "zq"]


def edited(rng, text):
    """Return a text as a person leaves it after one more edit: typed, deleted or replaced."""
    at = len(text) if rng.random() < 0.3 else int(rng.integers(len(text)))
    gone = int(rng.integers(1, 4)) if rng.random() < 0.5 else 0
    typed = str(rng.choice(SNIPPETS)) if not gone or rng.random() < 0.5 else ""
    return text[:at] + typed + text[at + gone :]


def test_after_random_edits_every_pixel_is_as_if_painted_anew(
    qtbot, session, workspace, monkeypatch
):
    monkeypatch.setattr("app.views.explore.lattice_view.has_labels", lambda *_: False)
    viewport = workspace.placed.viewport
    views = {name: getattr(workspace, name) for name in ("bands", "paths", "lattice")}
    painted = {name: recorded(view, monkeypatch) for name, view in views.items()}
    rng, text = np.random.default_rng(7), TEXT[:150]
    for step in range(15):
        if step == 12:
            session.change_settings(unit="byte")
        text = edited(rng, text)
        session.set_text(text)
        settle(qtbot, session)
        if step % 3 == 0:
            viewport.restore((1.0, 0.83, 2.1, 0.6, 1.0)[step // 3], 47.0 * step)
        for name, view in views.items():
            kept = pixels(view).astype(np.int64)
            if step % 3 == 2:
                view._refresh()
                # A line's width and opacity may differ by what rounding takes: nobody sees it.
                unlike = np.abs(kept - pixels(view)).max()
                assert unlike <= (2 if name == "lattice" else 0), (step, name, text)
    for parts in painted.values():
        assert any(right - left < viewport.width / 2 for left, right in parts)


@pytest.mark.parametrize(
    ("edit", "far"),
    [
        (lambda text: text.replace("weather", "wzather", 1), 300.0),  # as wide: nothing moves
        (lambda text: "z" + text, 300.0),
        (lambda text: text[:20] + text[24:], 600.0),
        (lambda text: text[:200] + "الطق" + text[200:], 0.0),
    ],
)
def test_a_label_that_was_kept_knows_its_edge(qtbot, session, workspace, edit, far):
    view, viewport = workspace.lattice, workspace.placed.viewport
    viewport.restore(1.0, far)
    view.grab()
    session.set_text(edit(TEXT))
    assert view.labels()  # those of the picture that is still shown
    known = []
    workspace.placed.lattice_changed.connect(lambda: known.append(view.labels()))
    settle(qtbot, session)
    assert known[0] == []  # nothing is painted yet
    view.grab()
    arcs, shown = workspace.placed.arcs, view.labels()
    placed = arcs.placement
    pieces = [label for label in shown if label.edge >= 0 and label.font == PIECE]
    assert len(pieces) > 20
    for label in pieces:
        assert label.text.startswith(arcs.label(label.edge))
        row = arcs.row_of[label.edge]
        middle = viewport.screen((placed.x0[row] + placed.x1[row]) / 2) + viewport.scroll
        before_text = arcs.ghost_step / 2 if arcs.ghost[row] else 0.0
        assert label.middle == pytest.approx(middle + before_text, abs=0.01)
    # Numbers stay with their pieces.
    assert {label.edge for label in shown} <= {label.edge for label in pieces} | {-1}


def test_what_is_typed_stays_in_view_when_the_text_grows_out_of_it(qtbot, session, workspace):
    viewport, text = workspace.placed.viewport, ""
    for word in TEXT[:120].split(" "):
        text += word + " "
        session.set_text(text)
        settle(qtbot, session)
        end = viewport.screen(float(workspace.placed.axis.width))
        assert end <= GUTTER + viewport.width + 1, text


def test_a_text_that_is_replaced_is_fitted_and_one_that_is_edited_stays(qtbot, session, workspace):
    viewport = workspace.placed.viewport
    viewport.restore(0.6, 700.0)
    once = f"{TEXT[:90]}!{TEXT[90:]}"
    session.set_text(once)
    settle(qtbot, session)
    assert viewport.zoom == 0.6
    assert viewport.scroll == pytest.approx(700.0)
    session.set_text(once + "?")
    settle(qtbot, session)
    assert viewport.zoom == 0.6
    assert viewport.scroll == pytest.approx(viewport.full - viewport.width)
    session.set_text("another text altogether")
    settle(qtbot, session)
    assert viewport.fitted


def test_a_view_that_no_longer_holds_all_makes_room_for_the_overview(qtbot, session, workspace):
    view, viewport = workspace.lattice, workspace.placed.viewport
    session.set_text("The weather is lovely")
    settle(qtbot, session)
    viewport.restore((viewport.width - 90) / workspace.placed.axis.width, 0.0)
    assert not viewport.overflows
    view.grab()
    base = view.place.base
    view.resize(view.width() - 80, view.height())
    assert viewport.overflows
    assert view.place.base < base
    kept = pixels(view)
    view._refresh()
    assert np.array_equal(kept, pixels(view))


def test_what_was_under_the_mouse_is_forgotten_at_an_edit(qtbot, session, workspace):
    placed = workspace.placed
    workspace.lattice._set_hover(0)
    assert placed.lit() is not None
    session.set_text("Xyz " + TEXT)
    settle(qtbot, session)
    assert placed.lit() is None
    workspace.lattice.grab()
    assert workspace.lattice._sheet._shown is not None  # the next key paints only what differs


def test_bands_of_the_old_text_keep_their_height_until_the_new_tokens_come(
    qtbot, session, workspace
):
    view, placed = workspace.bands, workspace.placed
    session.set_text("the theory of the thing")
    settle(qtbot, session)
    height, shown = view.band, pixels(view)
    session.set_text("the theory of the thing الطقس جميل")
    assert placed.axis.runs  # it is there before its tokens are
    assert placed.stale_text
    assert view.band == height
    view._refresh()
    assert np.array_equal(pixels(view), shown)
    settle(qtbot, session)
    assert view.band > height
