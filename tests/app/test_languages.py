"""Languages as a person uses it: count, choose a metric and base, sort, filter, drill down."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPushButton

from app.draw.bars import scale_of
from app.models.languages import BAR, COLUMNS
from app.views.languages import LanguagesWorkspace
from engine import bundled
from engine.corpus import open_corpus
from engine.errors import SegscopeError
from engine.metrics import compare
from tests.app.exploring import settle

pytestmark = pytest.mark.screen

KEY, LEFT = Qt.Key, Qt.MouseButton.LeftButton
TEXTS = {
    "en": "The weather is lovely today.\nWhere is the station?\nOne two three.\n",
    "de": "Das Wetter ist heute herrlich.\nWo ist der Bahnhof?\nEins zwei drei.\n",
    "he": "מזג האוויר נהדר היום.\nאיפה התחנה?\nאחת שתיים שלוש.\n",
    "ko": "오늘 날씨가 정말 좋네요.\n역이 어디예요?\n하나 둘 셋.\n",
}


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "texts"
    place.mkdir()
    for code, text in TEXTS.items():
        (place / f"{code}.txt").write_text(text, encoding="utf-8")
    return place


@pytest.fixture
def languages(qtbot, session, theme, models, folder):
    """Make the workspace over four languages, with models open, counted."""

    def make(names=("everyday-unigram", "everyday-bpe"), path=folder):
        for name in names:
            session.add_model(models[name])
        session.set_active(session.models[0].key)
        if path is not None:
            session.set_corpus(open_corpus(path))
        workspace = LanguagesWorkspace(session, theme)
        qtbot.addWidget(workspace)
        workspace.resize(1370, 820)
        with qtbot.waitExposed(workspace):
            workspace.show()
        workspace.activated()
        settle(qtbot, session)
        return workspace

    return make


def shown(workspace):
    return [workspace.rows.language(row).code for row in range(workspace.rows.rowCount())]


def cell(workspace, code, column):
    row = workspace.rows.row_of(code)
    return workspace.rows.index(row, COLUMNS.index(column)).data()


def click_header(qtbot, workspace, column):
    header = workspace.table.horizontalHeader()
    x = header.sectionViewportPosition(COLUMNS.index(column)) + 20
    qtbot.mouseClick(header.viewport(), LEFT, pos=QPoint(x, header.height() // 2))


def test_the_table_shows_what_the_engine_counts(languages, models, folder):
    workspace = languages()
    table = compare([models["everyday-unigram"], models["everyday-bpe"]], folder)
    for row in table.rows[:4]:
        assert cell(workspace, row.language, "tokens") == f"{row.tokens:,}"
        assert cell(workspace, row.language, "chars_per_token") == f"{row.chars_per_token:.2f}"
        assert cell(workspace, row.language, "bytes_per_token") == f"{row.bytes_per_token:.2f}"
        marks = workspace.rows.marks(workspace.rows.row_of(row.language))
        other = table.row("everyday-bpe.json", row.language)
        assert [m.value for m in marks] == [row.chars_per_token, other.chars_per_token]
        assert [m.letter for m in marks] == ["A", "B"]
    best_first = sorted(table.rows[:4], key=lambda row: -row.chars_per_token)
    assert shown(workspace) == [row.language for row in best_first]


def test_another_active_model_takes_the_bars_without_a_new_count(qtbot, session, languages):
    workspace = languages()
    before = [workspace.counting.comparison(m.key) for m in session.models]
    session.set_active(session.models[1].key)
    assert [mark.letter for mark in workspace.rows.marks(0)] == ["B", "A"]
    settle(qtbot, session)
    assert [workspace.counting.comparison(m.key) for m in session.models] == before
    assert workspace.legend.accessibleName().startswith("bar: B everyday-bpe")


def test_a_model_opened_later_is_counted_alone(qtbot, session, languages, models):
    workspace = languages(("everyday-bpe",))
    first = workspace.counting.comparison(session.models[0].key)
    added = session.add_model(models["everyday-wordpiece"])
    assert np.isnan(workspace.counting.values(added.key, "tokens")).all()
    settle(qtbot, session)
    assert workspace.counting.comparison(session.models[0].key) is first
    assert (workspace.counting.values(added.key, "tokens") > 0).all()
    session.close_model(added.key)
    assert workspace.counting.comparison(added.key) is None
    assert len(workspace.rows.marks(0)) == 1


def test_premiums_are_cheapest_first_and_follow_the_base(qtbot, session, languages, models, folder):
    workspace = languages()
    qtbot.mouseClick(workspace.metric_choice.button("premium"), LEFT)
    for base in ("en", "ko"):
        workspace.base.setCurrentIndex(workspace.base.findData(base))
        workspace.base.activated.emit(workspace.base.currentIndex())
        settle(qtbot, session)
        rows = compare(models["everyday-unigram"], folder, base=base).rows
        expected = {row.language: row.premium for row in rows}
        found = {code: workspace.rows.marks(i)[0].value for i, code in enumerate(shown(workspace))}
        assert found == expected
        assert list(found.values()) == sorted(expected.values())
        assert found[base] == 1.0
    assert workspace.base.currentText() == "Korean"
    assert session.settings.metric == "premium"


def test_graphemes_are_counted_on_request(qtbot, session, languages):
    workspace = languages(("everyday-bpe",))
    key = session.models[0].key
    assert np.isnan(workspace.counting.values(key, "graphemes_per_token")).all()
    qtbot.mouseClick(workspace.metric_choice.button("graphemes_per_token"), LEFT)
    settle(qtbot, session)
    values = workspace.counting.values(key, "graphemes_per_token")
    tokens = workspace.counting.values(key, "tokens")
    hebrew = [language.code for language in session.corpus].index("he")
    assert values[hebrew] * tokens[hebrew] == pytest.approx(
        sum(len(line) for line in TEXTS["he"].splitlines())
    )


def test_headers_and_keys_sort(qtbot, session, languages):
    workspace = languages()
    click_header(qtbot, workspace, "tokens")
    tokens = [int(cell(workspace, code, "tokens")) for code in shown(workspace)]
    assert tokens == sorted(tokens)
    assert workspace.rows.headerData(3, Qt.Orientation.Horizontal) == "tokens ▲"
    click_header(qtbot, workspace, "tokens")
    assert [int(cell(workspace, code, "tokens")) for code in shown(workspace)] == tokens[::-1]
    assert workspace.rows.headerData(3, Qt.Orientation.Horizontal) == "tokens ▼"
    workspace.table.setFocus()
    qtbot.keyClick(workspace.table, KEY.Key_S)
    assert workspace.rows.headerData(BAR, Qt.Orientation.Horizontal) == "▼"
    qtbot.keyClick(workspace.table, KEY.Key_S)
    assert shown(workspace) == ["en", "de", "he", "ko"]  # English, German, Hebrew, Korean
    qtbot.keyClick(workspace.table, KEY.Key_M)
    assert session.settings.metric == "bytes_per_token"
    assert workspace.metric_choice.value() == "bytes_per_token"


def test_the_filter_leaves_names_codes_and_scripts(qtbot, languages):
    workspace = languages()
    qtbot.keyClicks(workspace.filter_line, "man")
    assert shown(workspace) == ["de"]
    assert workspace.head.title.text() == "1 of 4 languages"
    workspace.filter_line.clear()
    qtbot.keyClicks(workspace.filter_line, "ko")
    assert shown(workspace) == ["ko"]
    qtbot.keyClicks(workspace.filter_line, " zz")
    assert shown(workspace) == []


def test_a_row_the_overview_and_the_arrow_keys_select(qtbot, session, languages):
    workspace = languages()
    table = workspace.table
    order = shown(workspace)
    place = table.visualRect(workspace.rows.index(1, 0)).center()
    qtbot.mouseClick(table.viewport(), LEFT, pos=place)
    assert session.selection.language == order[1]
    qtbot.keyClick(table, KEY.Key_Down)
    assert session.selection.language == order[2]
    overview = workspace.overview
    x = next(x for x in range(overview.width()) if overview.place_at(x) == 0)
    qtbot.mouseClick(overview, LEFT, pos=QPoint(x + 2, 40))
    assert session.selection.language == order[0]
    assert table.selectionModel().selectedRows()[0].row() == 0
    overview.setFocus()
    qtbot.keyClick(overview, KEY.Key_Right)
    assert session.selection.language == order[1]
    qtbot.mouseMove(overview, QPoint(x + 2, 40))
    qtbot.waitUntil(lambda: overview.hovered == order[0])


def test_the_drill_down_says_what_a_number_is_made_of(qtbot, session, languages, models):
    workspace = languages()
    pane = workspace.inspector
    assert pane.hint.isVisible()
    assert not pane.detail.isVisible()
    session.select(language="ko")
    settle(qtbot, session)
    assert not pane.hint.isVisible()
    assert pane.title.text() == "Korean"
    lines = TEXTS["ko"].splitlines()
    chars = sum(map(len, lines))
    for figure, name in zip(
        pane.figures.figures, ("everyday-unigram", "everyday-bpe"), strict=True
    ):
        each = [len(models[name].encode(line).ids) for line in lines]
        assert figure.made_of == f"{chars} characters ÷ {sum(each)} tokens"
        assert figure.value == f"{chars / sum(each):.2f}"
        column = 2 + session.models.index(
            next(m for m in session.models if m.letter == figure.letter)
        )
        assert [pane.lines.index(row, column).data() for row in range(3)] == [f"{n}" for n in each]
    session.change_settings(metric="premium")
    settle(qtbot, session)
    assert pane.figures.figures[0].value.endswith("×")
    assert "tokens against" in pane.figures.figures[0].made_of


def test_a_line_is_cut_and_opened_in_explore(qtbot, session, languages):
    workspace = languages()
    session.select(language="he")
    settle(qtbot, session)
    pane = workspace.inspector
    assert pane.lines.index(0, 1).data().strip("\u2068\u2069") == TEXTS["he"].splitlines()[0]
    place = pane.table.visualRect(pane.lines.index(1, 1)).center()
    qtbot.mouseClick(pane.table.viewport(), LEFT, pos=place)
    settle(qtbot, session)
    assert pane.line_title.text() == "Line 2"
    counts = [pane.lines.index(1, column).data() for column in (2, 3)]
    assert pane.bands.accessibleDescription() == (
        f"everyday-unigram: {counts[0]} tokens, everyday-bpe: {counts[1]} tokens"
    )
    with qtbot.waitSignal(workspace.go_to) as wanted:
        qtbot.mouseClick(pane.open_button, LEFT)
    assert wanted.args == ["explore"]
    assert session.text.string == TEXTS["he"].splitlines()[1]
    settle(qtbot, session)


def test_in_the_window_the_line_comes_up_in_explore(qtbot, make_window):
    window = make_window()
    window.show_workspace("languages")
    window.session.select(language="de")
    settle(qtbot, window.session)
    qtbot.mouseClick(window.workspace.inspector.open_button, LEFT)
    assert window.current == "explore"
    assert window.session.text.string == window.session.corpus.lines("de")[0]
    settle(qtbot, window.session)


def test_figures_of_lost_text_come_last_and_say_so(qtbot, session, languages, models, tmp_path):
    for code, text in {"en": "good day\n", "de": "guten Tag\n", "xx": "ᚠᚢᚦᚨᚱᚲ ᚷᚹᚺᚾᛁᛃ\n"}.items():
        (tmp_path / f"{code}.txt").write_text(text, encoding="utf-8")
    workspace = languages(("everyday-wordpiece",), None)
    session.set_corpus(open_corpus(tmp_path))
    settle(qtbot, session)
    assert workspace.rows.marks(workspace.rows.row_of("xx"))[0].value == 13 / 2
    assert shown(workspace)[-1] == "xx"
    assert [workspace.rows.marks(row)[0].lossy for row in range(3)] == [False, False, True]
    figures = workspace.rows.figures
    assert 13 / 2 not in figures.measured()
    assert "1% or more unknown tokens (1)" in workspace.notes.text()
    tip = workspace.rows.index(2, BAR).data(Qt.ItemDataRole.ToolTipRole)
    assert "100.0% of its tokens are unknown" in tip
    session.select(language="xx")
    assert "unknown" in workspace.inspector.figures.figures[0].warning
    settle(qtbot, session)


def test_files_out_of_step_are_warned_of(qtbot, session, languages, folder):
    (folder / "fr.txt").write_text("Bonjour.\n", encoding="utf-8")
    session.change_settings(metric="premium")
    workspace = languages()
    assert workspace.notes.text().startswith("⚠ ")
    assert "fr" in workspace.notes.text()
    assert shown(workspace)[-1] == "fr"
    assert np.isnan(workspace.rows.marks(4)[0].value)
    session.select(language="fr")
    figure = workspace.inspector.figures.figures[0]
    assert (figure.value, figure.made_of) == ("–", "another number of lines than the base language")
    settle(qtbot, session)


def test_the_note_of_the_bundled_sentences_is_shown(languages):
    workspace = languages(path=bundled.corpus_path())
    assert "not reviewed by native speakers" in workspace.notes.text()


def test_a_cancelled_count_is_taken_up_again(qtbot, session, theme, models, folder):
    opened = session.add_model(models["everyday-bpe"])
    session.set_corpus(open_corpus(folder))
    settle(qtbot, session)
    workspace = LanguagesWorkspace(session, theme)
    qtbot.addWidget(workspace)
    workspace.show()
    workspace.activated()
    session.jobs.cancel(f"compare {opened.key}")
    qtbot.waitUntil(lambda: workspace.counting.stopped, timeout=20_000)
    assert workspace.counting.comparison(opened.key) is None
    assert workspace.again.isVisible()
    assert workspace.rows.index(0, COLUMNS.index("tokens")).data() == "–"
    qtbot.mouseClick(workspace.again, LEFT)
    settle(qtbot, session)
    assert workspace.counting.comparison(opened.key) is not None
    assert not workspace.again.isVisible()
    # Cancelling what only another metric needs leaves the rest.
    qtbot.mouseClick(workspace.metric_choice.button("graphemes_per_token"), LEFT)
    session.jobs.cancel(f"compare {opened.key}")
    qtbot.waitUntil(lambda: workspace.counting.stopped, timeout=20_000)
    assert not workspace.counting.busy
    qtbot.mouseClick(workspace.metric_choice.button("bytes_per_token"), LEFT)
    assert not workspace.counting.stopped
    assert not workspace.again.isVisible()


def test_another_corpus_is_counted_anew(qtbot, session, languages, tmp_path):
    workspace = languages(("everyday-bpe",))
    other = tmp_path / "other"
    other.mkdir()
    (other / "fi.txt").write_text("Missä asema on?\n", encoding="utf-8")
    session.set_corpus(open_corpus(other))
    assert np.isnan(workspace.rows.marks(0)[0].value)
    settle(qtbot, session)
    assert shown(workspace) == ["fi"]
    assert workspace.rows.marks(0)[0].value > 0
    session.set_corpus(None)
    buttons = [b.text() for b in workspace.findChildren(QPushButton) if b.isVisible()]
    assert "Use the bundled sentences" in buttons


def test_the_figures_are_saved_as_csv(qtbot, session, languages, models, folder, tmp_path):
    workspace = languages()
    path = tmp_path / "figures.csv"
    workspace.save_csv(path)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    table = compare([models["everyday-unigram"], models["everyday-bpe"]], folder)
    assert [(r["model"], r["language"], int(r["tokens"])) for r in rows] == [
        (r.model, r.language, r.tokens) for r in table.rows
    ]
    assert [float(r["premium"]) for r in rows] == [r.premium for r in table.rows]
    assert {r["graphemes"] for r in rows} == {""}
    assert sorted(p.name for p in tmp_path.iterdir()) == ["figures.csv", "texts"]
    with qtbot.waitSignal(session.failed) as failed:
        workspace.save_csv(tmp_path / "absent" / "figures.csv")
    assert isinstance(failed.args[0], OSError | SegscopeError)
    # Nor over what is open.
    text = next(language.path for language in session.corpus)
    before = text.read_bytes()
    with qtbot.waitSignal(session.failed) as failed:
        workspace.save_csv(text)
    assert failed.args[0].what == "the table would be written over the open corpus"
    assert text.read_bytes() == before


def test_the_view_comes_back(qtbot, session, theme, languages):
    workspace = languages()
    click_header(qtbot, workspace, "tokens")
    qtbot.keyClicks(workspace.filter_line, "e")
    state, order = workspace.view_state(), shown(workspace)
    other = LanguagesWorkspace(session, theme)
    qtbot.addWidget(other)
    other.restore_view_state(state)
    other.activated()
    settle(qtbot, session)
    assert shown(other) == order
    assert other.view_state() == state
    other.restore_view_state({"sort": "nothing", "unknown": 1})
    assert other.view_state() == {"sort": "bar", "descending": True, "filter": ""}


def test_scales():
    scale = scale_of(np.array([0.5, 3.0, np.nan]), False)
    assert (scale.origin, scale.at(0.0)) == (0.0, 0.0)
    assert scale.at(1.5) == pytest.approx(scale.at(3.0) / 2)
    assert scale.at(99.0) == 1.0
    assert [label for _, label in scale.ticks()] == ["0", "1", "2", "3"]
    log = scale_of(np.array([0.8, 12.0]), True)
    assert log.at(4.0) - log.at(2.0) == pytest.approx(log.at(2.0) - log.at(1.0))
    assert [label for _, label in log.ticks()] == ["1×", "2×", "4×", "8×"]
    assert scale_of(np.array([np.nan]), True).ticks()[0][1] == "1×"
    assert scale_of(np.array([1.0, 1.4]), True).ticks()[-1][1] == "2×"


def test_the_bands_of_a_line_are_drawn_once_for_each_look(qtbot, session, languages, theme):
    workspace = languages()
    session.select(language="ko")
    settle(qtbot, session)
    bands = workspace.inspector.bands
    drawn = bands.grab().toImage()
    assert bands.grab().toImage() == drawn
    theme.choose("dark")
    assert bands.grab().toImage() != drawn
    theme.choose("light")
    assert bands.grab().toImage() == drawn
    session.select(language="de")
    settle(qtbot, session)
    assert bands.grab().toImage() != drawn
