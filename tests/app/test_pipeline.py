"""The Pipeline pane and the readings of special strings, as a person uses them."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QStackedWidget

import engine
from app.draw.stage_rows import place_stage
from app.scenes import Scenes
from app.views.explore.pipeline_work import LIMIT
from app.workspaces import Workspaces
from engine.scene import SceneSettings
from tests.app import exploring

pytestmark = pytest.mark.screen

KEY, LEFT = Qt.Key, Qt.MouseButton.LeftButton


@pytest.fixture(scope="module")
def models(shared):
    folder = shared / "data" / "models"
    return {
        "gpt2": engine.load(folder / "huggingface" / "gpt2.tokenizer.json"),
        "gte": engine.load(folder / "huggingface" / "gte_wordpiece.tokenizer.json"),
        "english": engine.load(folder / "sentencepiece" / "unigram_en_1k.model"),
    }


@pytest.fixture
def explore(qtbot, session, theme, models):
    """Make the workspace with models open, a text given and the pane in front."""

    def make(text, *names):
        chosen = [models[name] for name in names]
        workspace = exploring.open_explore(qtbot, session, theme, chosen, text, "pipeline")
        settle(qtbot, session)
        return workspace

    return make


def settle(qtbot, session):
    qtbot.wait(30)  # what an event of the pane is about to begin
    exploring.settle(qtbot, session)


def place(workspace, stage, cell):
    """Return a pixel in a cell of a stage."""
    view, cells = workspace.pipeline.view, workspace.pipeline.work.cells[stage]
    k = cells.rect_cell.tolist().index(cell)
    x = workspace.pipeline.work.viewport.screen(float(cells.rect_left[k] + cells.rect_right[k]) / 2)
    return QPoint(round(x), round(view.row_rect(stage + 1).center().y()))


def spans(workspace, stage):
    cells = workspace.pipeline.work.cells[stage]
    return list(zip(cells.start.tolist(), cells.end.tolist(), strict=True))


# The picture


def test_stages_stand_over_the_bytes_that_they_come_from(explore):
    workspace = explore("  Café 今", "gte")
    staged = workspace.pipeline.work.staged
    assert staged.labels[0] == ("␣", "␣", "c", "a", "f", "e", "␣", "␣今␣")
    assert spans(workspace, 1) == [(2, 7), (8, 11)]
    assert staged.labels[2] == ("cafe", "[UNK]")
    assert staged.stages.pre_tokenizer.lost.tolist() == [[0, 2], [7, 8]]
    assert len(workspace.pipeline.work.cells[1].lost_left) == 2
    assert workspace.pipeline.title.note.text() == (
        "Round trip not exact. Lost by design: left out by the pre-tokenizer (1), normalizer (1), "
        "unknown to the vocabulary (1) · "
        "Not applied, though the file has them: padding and truncation"
    )


def test_several_tokens_of_one_character_make_one_cell(explore):
    workspace = explore("x⭢y", "gpt2")
    cells = workspace.pipeline.work.cells[2]
    assert list(zip(cells.first.tolist(), cells.last.tolist(), strict=True)) == [
        (0, 1), (1, 4), (4, 5),
    ]  # fmt: skip
    tip = workspace.pipeline.view.tip_at(QPointF(place(workspace, 2, 1)))
    assert [line.split("   ")[-1] for line in tip.splitlines()] == [
        "from bytes 1–2", "from bytes 2–3", "from bytes 3–4",
    ]  # fmt: skip
    assert "in the byte alphabet âŃ¢" in workspace.pipeline.view.tip_at(
        QPointF(place(workspace, 1, 1))
    )


def test_what_stands_before_the_text_is_a_cell_of_its_own(explore):
    workspace = explore("hello", "english")
    cells = workspace.pipeline.work.cells[0]
    assert cells.ghost
    assert spans(workspace, 0)[:2] == [(0, 0), (0, 1)]
    assert workspace.pipeline.title.note.text() == "Round trip exact"


def test_hovering_a_stage_lights_the_same_bytes_everywhere(qtbot, explore):
    workspace = explore("a ﬁn", "english", "gpt2")
    view = workspace.pipeline.view
    cell = spans(workspace, 0).index((2, 5))  # the ligature, "fi" after the normalizer
    middle = place(workspace, 0, cell)
    exploring.hover(qtbot, view, middle, lambda: workspace.placed.lit() == (2, 5))
    assert view.tip_at(QPointF(middle)) == (
        "ﬁ → fi   compatibility form (NFKC or NFKD)   from bytes 2–5"
    )


def test_a_click_selects_the_token_and_its_edge(qtbot, session, explore):
    workspace = explore("hello world", "gpt2")
    qtbot.mouseClick(workspace.pipeline.view, LEFT, pos=place(workspace, 2, 1))
    selection = session.selection
    assert selection.span == (5, 11)
    assert selection.piece == 995
    assert session.analysis.lattice.piece[selection.edge] == 995


def test_arrow_keys_walk_pieces_and_stages(qtbot, session, explore):
    workspace = explore("one two", "gte")
    view = workspace.pipeline.view
    view.setFocus()
    qtbot.keyClick(view, KEY.Key_Right)
    assert session.selection.span == (0, 3)
    qtbot.keyClick(view, KEY.Key_Right)
    assert session.selection.span == (4, 7)
    qtbot.keyClick(view, KEY.Key_Down)
    assert session.selection.span == (3, 7)  # the decoder's piece has the space
    qtbot.keyClick(view, KEY.Key_Escape)
    assert session.selection.span is None


def test_the_selection_lands_right_behind_a_surrogate_pair(session, explore):
    workspace = explore("a😀b", "gpt2")
    workspace.pipeline.view.select_cell(3, 2)
    assert session.selection.span == (5, 6)
    assert workspace.placed.stretch(5, 6) == (
        workspace.placed.axis.left[2], workspace.placed.axis.right[2]
    )  # fmt: skip


def test_white_space_is_visible(explore):
    workspace = explore(" \t\n\u00a0\u200b\0", "gpt2")
    assert "".join(workspace.pipeline.work.staged.labels[0]) == "␣→↵U+00A0U+200BU+0000"


def test_the_table_holds_the_same_and_shares_the_selection(qtbot, session, explore):
    workspace = explore(" Hi", "gte")
    pane = workspace.pipeline
    qtbot.mouseClick(pane.shape.button("table"), LEFT)
    texts = [pane.rows.entry(row).texts for row in range(pane.rows.rowCount())]
    assert texts == [
        ("Normalizer", "0", "1", "␣", "␣", "", ""),
        ("Normalizer", "1", "2", "H", "h", "", "lower-cased"),
        ("Normalizer", "2", "3", "i", "i", "", ""),
        ("Pre-tokenizer", "0", "1", "␣", "×", "", "left out"),
        ("Pre-tokenizer", "1", "3", "Hi", "hi", "", ""),
        ("Model", "1", "3", "Hi", "hi", "7632", ""),
        ("Decoder", "0", "1", "␣", "×", "", "left out"),
        ("Decoder", "1", "3", "Hi", "hi", "", "lower-cased"),
    ]
    pane.table.selectRow(1)
    assert session.selection.span == (1, 2)
    workspace.bands.select_group(session.models[0], 0)
    assert pane.table.selectionModel().selectedRows()[0].row() == 5


def test_a_long_text_is_followed_from_its_start(explore):
    workspace = explore("word " * 2_000, "gpt2")
    staged = workspace.pipeline.work.staged
    assert staged.shown == LIMIT
    assert staged.stages.tokens.source_end[-1] == LIMIT
    assert workspace.pipeline.title.note.text().endswith("of the first 4,000 of 10,000 bytes")


def test_nothing_is_computed_while_the_pane_is_hidden(qtbot, session, explore):
    workspace = explore("one", "gpt2")
    before = workspace.pipeline.work.staged
    workspace.pane("edges").raise_()
    settle(qtbot, session)
    session.set_text("two")
    settle(qtbot, session)
    assert workspace.pipeline.work.staged is before
    workspace.pane("pipeline").raise_()
    settle(qtbot, session)
    assert workspace.pipeline.work.staged.text.string == "two"


def test_what_is_shown_is_told(explore):
    workspace = explore("Hi", "gte")
    spoken = workspace.pipeline.view.accessibleDescription().splitlines()
    assert spoken[0] == "Round trip not exact. Lost by design: normalizer (1)"
    assert spoken[1].startswith("Normalizer (BertNormalizer(")
    assert spoken[1].endswith("): hi")
    assert spoken[-1] == "Decoder (not the same text): hi"


# Special strings


def test_the_reading_is_asked_for_only_where_there_are_special_strings(qtbot, session, explore):
    workspace = explore("hello", "gpt2")
    bar = workspace.special_bar
    assert not bar.isVisible()
    session.set_text("a<|endoftext|>b<|endoftext|>")
    settle(qtbot, session)
    assert bar.isVisible()
    assert bar.found.text() == "Special strings of gpt2: <|endoftext|> × 2"
    assert bar.given.text() == ("as text 16 tokens · as a token 4 tokens · forbidden: not encoded")
    assert bar.choice.value() == "literal"
    session.set_text("hello")
    settle(qtbot, session)
    assert not bar.isVisible()


def test_a_special_string_is_read_as_the_token(qtbot, session, explore):
    workspace = explore("a<|endoftext|>", "gpt2")
    qtbot.mouseClick(workspace.special_bar.choice.button("parse"), LEFT)
    settle(qtbot, session)
    assert session.encoding(session.active.key).ids.tolist() == [64, 50256]
    assert session.analysis.lattice.n_edges == 2
    assert workspace.pipeline.work.staged.labels[2] == ("a", "<|endoftext|>")
    assert workspace.placed.bands[session.active.key].special.tolist() == [False, True]


def test_a_forbidden_string_keeps_the_text_from_being_encoded(qtbot, session, explore):
    workspace = explore("a<|endoftext|>", "gpt2")
    failures = []
    session.failed.connect(lambda error, _doing: failures.append(error))
    qtbot.mouseClick(workspace.special_bar.choice.button("forbid"), LEFT)
    settle(qtbot, session)
    assert session.forbidden
    assert session.encoding(session.active.key) is None
    assert session.analysis is None
    assert workspace.pipeline.work.staged is None
    assert workspace.placed.bands == {}
    assert workspace.special_bar.isVisible()
    assert failures == []
    session.set_text("ab")
    settle(qtbot, session)
    assert session.encoding(session.active.key).ids.tolist() == [397]
    assert workspace.pipeline.work.staged.stages.exact


def test_a_scene_keeps_the_reading(qtbot, session, theme, explore):
    workspace = explore("a<|endoftext|>", "gpt2")
    session.change_settings(special="parse")
    settle(qtbot, session)
    stack = QStackedWidget()
    qtbot.addWidget(stack)
    scenes = Scenes(session, Workspaces(session, theme, {}, stack))
    assert scenes.capture("explore").settings == SceneSettings(special="parse")
    assert workspace.special_bar.choice.value() == "parse"


# Placing


def test_pieces_without_width_go_with_the_one_after_them(explore):
    workspace = explore("ab", "gpt2")
    axis = workspace.placed.axis
    nothing = np.zeros((0, 2), dtype=np.int32)
    start = np.array([0, 0, 1, 1, 2], dtype=np.int32)
    end = np.array([0, 1, 1, 2, 2], dtype=np.int32)
    cells = place_stage(start, end, nothing, axis)
    assert cells.first.tolist() == [0, 1, 2]
    assert cells.last.tolist() == [1, 2, 5]
    assert cells.ghost
    alone = place_stage(start[:1], end[:1], nothing, axis)
    assert (len(alone), alone.ghost) == (1, True)
