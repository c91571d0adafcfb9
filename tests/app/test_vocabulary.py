"""Vocabulary as a person uses it: search, sort, walk, follow links, click the map."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from app.views.vocabulary import VocabularyWorkspace
from app.views.vocabulary.script_map import LENGTHS
from engine.piece_table import COLUMNS
from tests.app.exploring import settle

pytestmark = pytest.mark.screen

KEY, LEFT, CTRL = Qt.Key, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def vocabulary(qtbot, session, theme, models):
    """Make the workspace with a model open and its pieces read."""

    def make(*names):
        for name in names:
            session.add_model(models[name])
        workspace = VocabularyWorkspace(session, theme)
        qtbot.addWidget(workspace)
        workspace.resize(1300, 820)
        with qtbot.waitExposed(workspace):
            workspace.show()
        workspace.activated()
        settle(qtbot, session)
        return workspace

    return make


def search(qtbot, workspace, session, text):
    """Type a search and wait until its rows are shown."""
    workspace.filter_line.clear()
    qtbot.keyClicks(workspace.filter_line, text)
    qtbot.keyClick(workspace.filter_line, KEY.Key_Return)
    settle(qtbot, session)


def column(workspace, name, rows=None):
    model = workspace.rows
    count = model.rowCount() if rows is None else min(rows, model.rowCount())
    return [model.index(row, COLUMNS.index(name)).data() for row in range(count)]


def click_header(qtbot, workspace, name):
    header = workspace.view.horizontalHeader()
    x = header.sectionViewportPosition(COLUMNS.index(name)) + 12
    qtbot.mouseClick(header.viewport(), LEFT, pos=QPoint(x, header.height() // 2))


def id_of(model, text):
    return next(i for i in range(len(model.vocabulary)) if model.vocabulary.text(i) == text)


def test_all_pieces_are_listed(vocabulary, models):
    workspace = vocabulary("everyday-unigram")
    vocabulary_of = models["everyday-unigram"].vocabulary
    size = len(vocabulary_of)
    assert workspace.rows.rowCount() == size
    assert workspace.count.text() == f"{size:,} of {size:,} pieces"
    assert column(workspace, "id", 3) == ["0", "1", "2"]
    last = workspace.rows.index(size - 1, COLUMNS.index("score")).data()
    assert last == f"{vocabulary_of.score[size - 1]:.4f}".replace("-", "−")
    assert workspace.view.isColumnHidden(COLUMNS.index("rank"))
    assert not workspace.view.isColumnHidden(COLUMNS.index("score"))


def test_typing_searches(qtbot, session, vocabulary):
    workspace = vocabulary("everyday-bpe")
    workspace.filter_line.setFocus()
    qtbot.keyClicks(workspace.filter_line, "the")
    qtbot.waitUntil(lambda: 0 < workspace.rows.rowCount() < 100, timeout=20_000)
    settle(qtbot, session)
    assert all("the" in text.lower() for text in column(workspace, "text"))
    shown = workspace.rows.rowCount()
    assert workspace.count.text().startswith(f"{shown} of ")
    search(qtbot, workspace, session, "the len>3")
    assert 0 < workspace.rows.rowCount() < shown
    assert min(map(int, column(workspace, "bytes"))) == 4


def test_a_search_that_cannot_be_read_is_named_and_the_rows_stay(qtbot, session, vocabulary):
    workspace = vocabulary("everyday-bpe")
    search(qtbot, workspace, session, "script:Thai")
    thai = workspace.rows.rowCount()
    assert set(column(workspace, "script")) == {"Thai"}
    search(qtbot, workspace, session, "script:Klingon")
    assert workspace._fault.isVisible()
    assert "Klingon" in workspace._fault.text()
    search(qtbot, workspace, session, "script:Thai")
    assert not workspace._fault.isVisible()
    assert workspace.rows.rowCount() == thai


def test_headers_sort_and_the_search_keeps_the_order(qtbot, session, vocabulary, models):
    workspace = vocabulary("everyday-unigram")
    click_header(qtbot, workspace, "score")
    scores = [float(x.replace("−", "-")) for x in column(workspace, "score") if x]
    assert scores == sorted(scores)
    title = workspace.rows.headerData(COLUMNS.index("score"), Qt.Orientation.Horizontal)
    assert title == "Score (nats) ▲"
    click_header(qtbot, workspace, "score")
    best = float(np.nanmax(models["everyday-unigram"].vocabulary.score))
    assert column(workspace, "score", 1) == [f"{best:.4f}".replace("-", "−")]
    search(qtbot, workspace, session, "a")
    scores = [float(x.replace("−", "-")) for x in column(workspace, "score")]
    assert scores == sorted(scores, reverse=True)
    # The next model has no scores: its pieces are shown by id.
    session.add_model(models["everyday-bpe"])
    settle(qtbot, session)
    ids = [int(x) for x in column(workspace, "id")]
    assert ids == sorted(ids)
    assert all("a" in text.lower() for text in column(workspace, "text"))


def test_clicks_and_arrow_keys_select(qtbot, session, vocabulary):
    workspace = vocabulary("everyday-bpe")
    place = workspace.view.visualRect(workspace.rows.index(4, 1)).center()
    qtbot.mouseClick(workspace.view.viewport(), LEFT, pos=place)
    assert session.selection.piece == 4
    qtbot.keyClick(workspace.view, KEY.Key_Down)
    assert session.selection.piece == 5
    settle(qtbot, session)


def test_the_card_tells_what_makes_a_piece_and_where_it_is_found(
    qtbot, session, vocabulary, models
):
    workspace = vocabulary("everyday-bpe")
    model = models["everyday-bpe"]
    card = workspace.card
    assert card.hint.isVisible()
    session.set_text("the cat and the dog")
    settle(qtbot, session)
    piece = id_of(model, " the")
    session.select(piece=piece)
    settle(qtbot, session)
    assert not card.hint.isVisible()
    assert card.title.text() == "␣the"
    assert card.facts.value("Id") == str(piece)
    assert card.facts.value("Bytes") == "20 74 68 65"
    assert card.facts.value("In this text") == "once"
    merges = model.segmenter
    made = int(np.flatnonzero(merges.result == piece)[0])
    assert card.facts.value("Merge rank") == f"{merges.rank[made]:,}"
    assert f'href="{merges.left[made]}"' in card.rules.content.text()
    assert not card.neighbours.isVisible()  # no other piece has it inside
    card.rules.content.linkActivated.emit(str(merges.left[made]))
    assert session.selection.piece == merges.left[made]
    settle(qtbot, session)
    assert card.facts.value("Id") == str(merges.left[made])
    table, text = workspace._table, model.vocabulary.text(int(merges.left[made]))
    inside = sum(text in other for other in table.texts) - 1
    assert inside > 1
    assert card.neighbours.heading.text() == f"Found inside {inside:,} other pieces"
    assert f'href="{piece}"' in card.neighbours.content.text()


def test_a_piece_of_a_unigram_model_has_a_score(qtbot, session, vocabulary, models):
    workspace = vocabulary("everyday-unigram")
    vocabulary_of = models["everyday-unigram"].vocabulary
    session.select(piece=400)
    settle(qtbot, session)
    score = f"{vocabulary_of.score[400]:.4f}".replace("-", "−")
    assert workspace.card.facts.value("Score") == f"{score} nats"
    assert workspace.card.facts.value("Merge rank") == ""
    assert not workspace.card.rules.isVisible()
    row = workspace.view.selectionModel().selectedRows()[0].row()
    assert workspace.rows.piece(row) == 400


def test_a_piece_chosen_in_explore_comes_into_view_though_a_search_hides_it(qtbot, make_window):
    window = make_window()
    session = window.session
    window.show_workspace("vocabulary")
    workspace = window.workspace
    settle(qtbot, session)
    search(qtbot, workspace, session, "script:Thai")
    window.show_workspace("explore")
    piece = int(session.encoding(session.active.key).ids[2])
    session.select(piece=piece)
    window.workspace.inspector.show_piece.emit()
    assert window.current == "vocabulary"
    qtbot.waitUntil(lambda: workspace.rows.row_of(piece) >= 0, timeout=20_000)
    settle(qtbot, session)
    selected = workspace.view.selectionModel().selectedRows()
    assert [workspace.rows.piece(index.row()) for index in selected] == [piece]
    view = workspace.view
    assert view.viewport().rect().intersects(view.visualRect(selected[0]))


def test_another_model_brings_its_own_pieces(qtbot, session, vocabulary, models):
    workspace = vocabulary("everyday-bpe", "everyday-wordpiece")
    assert workspace.rows.rowCount() == len(models["everyday-wordpiece"].vocabulary)
    assert any(text.startswith("##") for text in column(workspace, "text"))
    session.set_active(session.models[0].key)
    assert workspace.rows.rowCount() == 0  # ids of one model mean nothing in another
    settle(qtbot, session)
    assert workspace.rows.rowCount() == len(models["everyday-bpe"].vocabulary)
    for opened in session.models:
        session.close_model(opened.key)
    settle(qtbot, session)
    assert workspace.rows.rowCount() == 0
    assert workspace.count.text() == "No model is open"


def test_reading_that_was_cancelled_begins_again(qtbot, session, theme, models):
    session.add_model(models["everyday-bpe"])
    settle(qtbot, session)
    workspace = VocabularyWorkspace(session, theme)
    qtbot.addWidget(workspace)
    session.jobs.cancel("vocabulary")
    qtbot.waitUntil(lambda: workspace.count.text() == "The pieces were not read", timeout=20_000)
    workspace.activated()
    settle(qtbot, session)
    assert workspace.rows.rowCount() == len(models["everyday-bpe"].vocabulary)


def test_the_map_counts_and_its_cells_search(qtbot, session, vocabulary):
    workspace = vocabulary("everyday-bpe")
    chart = workspace.map
    table = workspace._table
    assert chart.scripts[0] == "Latin"
    latin = table.scripts.index("Latin")
    assert chart.counts[0].sum() == int((table.script == latin).sum())
    assert chart.counts[0, LENGTHS.index(3)] == int(
        ((table.script == latin) & (table.n_bytes == 3)).sum()
    )
    y = next(y for y in range(chart.height()) if chart.cell_at(chart.width() - 14, y))
    x = next(x for x in range(chart.width()) if chart.cell_at(x, y) == (0, 2))
    qtbot.mouseClick(chart, LEFT, pos=QPoint(x + 3, y + 3))
    settle(qtbot, session)
    qtbot.waitUntil(lambda: workspace.rows.rowCount() == chart.counts[0, 2], timeout=20_000)
    assert workspace.filter_line.text() == "script:Latin len=3"
    chart.setFocus()
    for key in (KEY.Key_Right, KEY.Key_Right, KEY.Key_Right, KEY.Key_Right, KEY.Key_Return):
        qtbot.keyClick(chart, key)
    assert workspace.filter_line.text() == "script:Latin len>=7 len<=8"
    qtbot.waitUntil(lambda: workspace.rows.rowCount() == chart.counts[0, 6], timeout=20_000)


def test_the_view_comes_back(qtbot, session, theme, vocabulary):
    workspace = vocabulary("everyday-bpe")
    click_header(qtbot, workspace, "text")
    click_header(qtbot, workspace, "text")
    search(qtbot, workspace, session, "script:Greek")
    state, texts = workspace.view_state(), column(workspace, "text")
    assert state == {"filter": "script:Greek", "sort": "text", "descending": True}
    other = VocabularyWorkspace(session, theme)
    qtbot.addWidget(other)
    other.restore_view_state(state)  # before the pieces are read
    settle(qtbot, session)
    qtbot.waitUntil(lambda: column(other, "text") == texts, timeout=20_000)
    assert other.view_state() == state


def test_find_goes_to_the_search_line(qtbot, vocabulary):
    workspace = vocabulary("everyday-bpe")
    with qtbot.waitActive(workspace):
        workspace.activateWindow()
    workspace.view.setFocus()
    qtbot.keyClick(workspace.view, KEY.Key_F, CTRL)
    assert workspace.focusWidget() is workspace.filter_line
