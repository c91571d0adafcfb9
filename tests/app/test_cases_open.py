"""Cases of opening, of odd input and of pieces that look alike; each test by its case's number."""

from __future__ import annotations

import shutil
from collections import Counter

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit

from app.jobs import _Task
from app.models.vocabulary import VocabularyTableModel, piece_text
from app.views.explore.theta import ThetaControl
from app.views.languages import LanguagesWorkspace
from app.views.sampling.controls import Controls
from engine.corpus import open_corpus
from engine.formats import load
from engine.piece_table import COLUMNS, piece_table
from engine.scene import Scene, SceneSettings, write_scene
from tests.engine.real_models import real

pytestmark = pytest.mark.screen

KEY, CTRL = Qt.Key, Qt.KeyboardModifier.ControlModifier
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 499723\n"


@pytest.fixture
def odd(shared, tmp_path):
    """Files of the wrong kind or with a defect, by name."""
    broken = shared / "data" / "broken"
    files = {
        name: broken / f"{name}{ending}"
        for name, ending in (
            ("html_saved_as", ".model"), ("uni_truncated", ".model"), ("uni_empty", ".model"),
            ("hf_truncated", ".json"),
        )
    }  # fmt: skip
    for name in ("lfs_pointer", "corpus", "junk_tail"):
        files[name] = tmp_path / f"{name}.model"
    files["lfs_pointer"].write_bytes(LFS)
    shutil.copy(shared / "data" / "corpora" / "en_botchan.txt", files["corpus"])
    tiny = (broken / "uni_tiny.model").read_bytes()
    files["junk_tail"].write_bytes(tiny + b"\xff\xff junk")
    return files


SAID = {
    # C20: what the file is, not only that it is no model.
    "html_saved_as": "an HTML page, not a tokenizer model",
    "lfs_pointer": "a Git LFS pointer, not the file that it points to",
    "corpus": "a text file, not a tokenizer model",
    # C21
    "uni_truncated": "cut short or damaged",
    "junk_tail": "cut short or damaged",
    "uni_empty": "the file is empty",
    "hf_truncated": "the JSON ends too early",
}


def test_c20_c21_a_file_that_is_no_model_is_named_and_what_is_open_stays(qtbot, make_window, odd):
    window = make_window()
    session = window.session
    before = [(opened.key, opened.model) for opened in session.models]
    active, analysis = session.active, session.analysis
    for name, said in SAID.items():
        window.opener.open([odd[name]])
        qtbot.waitUntil(
            lambda name=name: any(
                str(odd[name]) in message.where for message in window.messages.banners.messages
            )
        )
        message = window.messages.banners.messages[-1]
        assert said in message.what
        assert message.severity == "error"
        assert message.remedy
        assert "Traceback" not in message.what + message.where + message.remedy
    qtbot.waitUntil(lambda: not session.busy)
    assert [(opened.key, opened.model) for opened in session.models] == before
    assert session.active is active
    assert session.analysis is analysis


def test_c20_a_rank_file_under_the_name_of_a_sentencepiece_model_opens(
    qtbot, make_window, shared, tmp_path
):
    path = tmp_path / "tokenizer.model"
    shutil.copy(shared / "data" / "models" / "tiktoken" / "r50k_base.tiktoken", path)
    window = make_window()
    window.opener.open([path])
    qtbot.waitUntil(lambda: window.session.active.model.path == path)
    qtbot.waitUntil(lambda: not window.session.busy)
    model = window.session.active.model
    assert (model.format, model.algorithm) == ("tiktoken", "bpe")
    assert model.encode("hello world").ids.tolist() == [31373, 995]
    assert not any(m.severity == "error" for m in window.messages.banners.messages)


REFUSED = ("-1", "-0.001", "nan", "inf", "-inf", "1e6", "", "abc", "1 000 000")


def write(qtbot, field: QLineEdit, text):
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text) if text else field.clear()
    qtbot.keyClick(field, KEY.Key_Return)


def test_c56_theta_takes_0_to_1000_and_nothing_else(qtbot, session):
    control = ThetaControl(session)
    qtbot.addWidget(control)
    control.show()
    session.change_settings(theta=0.5)
    for text in REFUSED:
        write(qtbot, control.field, text)
        assert session.settings.theta == 0.5
        assert control.field.text() == "0.50"
        assert control.refusal == "A number from 0 to 1,000"
    for text, theta in (("0", 0.0), ("0,25", 0.25), ("1e2", 100.0), ("1000", 1000.0)):
        write(qtbot, control.field, text)
        assert session.settings.theta == theta
        assert control.refusal == ""


def test_c56_exact_probabilities_at_the_ends_of_theta(qtbot, session, shared):
    session.add_model(load(shared / "data" / "broken" / "uni_tiny.model"))
    session.set_text("aaa")
    found = {}
    for theta in (1.0, 0.0, 1000.0):
        session.change_settings(theta=theta)
        qtbot.waitUntil(lambda: not session.busy)
        found[theta] = sorted(path.probability for path in session.analysis.nbest)
    assert found[0.0] == pytest.approx([1 / 3] * 3)
    # Weights e^-3, e^-2.5, e^-2.5; their ratio stays at any theta, and the two best are a tie.
    assert found[1.0] == pytest.approx([0.2327, 0.3837, 0.3837], abs=5e-5)
    assert found[1000.0] == pytest.approx([0.0, 0.5, 0.5])


def test_c56_a_seed_is_a_whole_number(qtbot, session, theme):
    controls = Controls(session, theme)
    qtbot.addWidget(controls)
    controls.show()
    write(qtbot, controls.seed, "11")
    assert session.settings.seed == 11
    for text in ("1.5", "nan", "", "x"):
        write(qtbot, controls.seed, text)
        assert session.settings.seed == 11
        assert controls.seed.text() == "11"


@pytest.mark.parametrize("nbest", [0, -1, 1_001, 2.5])
def test_c56_a_scene_with_an_impossible_number_of_paths_is_refused(
    qtbot, make_window, tmp_path, nbest
):
    path = tmp_path / "odd.json"
    write_scene(Scene(settings=SceneSettings(nbest=nbest)), path)
    window = make_window()
    window.opener.open([path])
    qtbot.waitUntil(lambda: any("nbest" in m.what for m in window.messages.banners.messages))
    message = next(m for m in window.messages.banners.messages if "nbest" in m.what)
    assert "a whole number from 1 to 1,000" in message.what
    assert window.session.settings.nbest == 6


@pytest.fixture
def count(qtbot, session, theme, models):
    """Count files in Languages with a bundled model; return the workspace."""

    def make(*paths):
        session.add_model(models["everyday-bpe"])
        session.set_corpus(open_corpus(list(paths)))
        workspace = LanguagesWorkspace(session, theme)
        qtbot.addWidget(workspace)
        workspace.resize(1200, 700)
        with qtbot.waitExposed(workspace):
            workspace.show()
        workspace.activated()
        qtbot.waitUntil(lambda: not session.busy)
        return workspace

    return make


def test_c67_long_lines_are_counted_like_others(session, count, models, tmp_path):
    long, short = "the weather " * 833 + "end", ["a line", "and one"]
    assert len(long.encode()) > 9_990
    (tmp_path / "long.txt").write_text("\n".join([long, *short]) + "\n", encoding="utf-8")
    (tmp_path / "short.txt").write_text("\n".join(short) + "\n", encoding="utf-8")
    workspace = count(tmp_path / "long.txt", tmp_path / "short.txt")
    key = session.models[0].key
    tokens = dict(
        zip(
            (language.code for language in session.corpus),
            workspace.counting.values(key, "tokens").tolist(),
            strict=True,
        )
    )
    model = models["everyday-bpe"]
    assert tokens["short"] == sum(len(model.encode(line)) for line in short)
    assert tokens["long"] == tokens["short"] + len(model.encode(long))


def test_c69_an_empty_corpus_counts_nothing_and_says_so(session, count, shared):
    edge = shared / "data" / "edge"
    workspace = count(edge / "empty.txt", edge / "newlines_only.txt")
    key = session.models[0].key
    assert workspace.counting.values(key, "tokens").tolist() == [0, 0]
    assert np.isnan(workspace.counting.values(key, "chars_per_token")).all()
    model = workspace.rows
    shown = [
        model.index(row, column).data() for row in range(2) for column in range(model.columnCount())
    ]
    assert not any("nan" in str(text).lower() for text in shown)


def test_c70_a_running_count_is_cancelled_by_escape(qtbot, make_window, shared, monkeypatch):
    report = _Task.report

    def slowly(task, done, total):
        report(task, done, total)
        task.stop.wait(0.05)

    # However quick the machine is, the count is still running when the key is pressed.
    monkeypatch.setattr(_Task, "report", slowly)
    window = make_window()
    session = window.session
    window.show_workspace("languages")
    qtbot.waitUntil(lambda: not session.busy)
    session.set_corpus(open_corpus([shared / "data" / "corpora" / "udhr"]))
    job = next(job for job in session.jobs.running if job.key.startswith("compare"))
    seen = []
    job.progressed.connect(lambda done, total: seen.append((done, total)))
    qtbot.waitUntil(lambda: window.status.shown_job is job and bool(seen))
    # The count is a true one: of all languages' bytes, never past the end.
    done, total = seen[-1]
    assert 0 < done < total
    window.rail.button("languages").setFocus()
    qtbot.keyClick(window.rail.button("languages"), KEY.Key_Escape)
    assert job not in session.jobs.running
    # The model that waits for its turn goes on; this one can be taken up again.
    qtbot.waitUntil(lambda: window.workspace.counting.stopped)
    session.jobs.cancel_all()


def test_c72_pieces_of_stray_bytes_show_them_and_no_two_rows_are_alike(theme, shared):
    model = real(shared, "bytepiece")
    rows = VocabularyTableModel(theme)
    rows.set_table(piece_table(model), model.vocabulary)
    text, vocabulary = COLUMNS.index("text"), model.vocabulary
    # What the columns of pieces and of their sizes show.
    shown = Counter(
        (piece_text(vocabulary, i), len(vocabulary.bytes(i))) for i in range(len(vocabulary))
    )
    assert [cells for cells, n in shown.items() if n > 1] == []
    by_bytes = {model.vocabulary.bytes(i): i for i in range(len(model.vocabulary))}
    for data, cell in ((b"80", "80"), (b"\x80", "80 · 0x80")):
        assert rows.index(rows.row_of(by_bytes[data]), text).data() == cell


@pytest.mark.parametrize(
    ("token", "mark", "tip"),
    [
        (198, "↵", "0A\nU+000A LINE FEED"),
        (1849, "U+00A0", "C2 A0\nU+00A0 NO-BREAK SPACE"),
        (262, "␣the", "20 74 68 65\nU+0020 SPACE"),
    ],
)
def test_c78_a_table_copies_the_characters_that_it_shows_marks_for(
    qtbot, session, theme, shared, token, mark, tip
):
    from app.widgets.rows_table import RowsTable

    model = real(shared, "gpt2")
    rows = VocabularyTableModel(theme)
    rows.set_table(piece_table(model), model.vocabulary)
    table = RowsTable(rows, "pieces", theme)
    qtbot.addWidget(table)
    table.show()
    index = rows.index(rows.row_of(token), COLUMNS.index("text"))
    assert (index.data(), index.data(Qt.ItemDataRole.ToolTipRole)) == (mark, tip)
    table.setCurrentIndex(index)
    qtbot.keyClick(table, KEY.Key_C, CTRL)
    assert QGuiApplication.clipboard().text().encode() == model.vocabulary.bytes(token)
    table.setCurrentIndex(rows.index(index.row(), COLUMNS.index("id")))
    qtbot.keyClick(table, KEY.Key_C, CTRL)
    assert QGuiApplication.clipboard().text() == str(token)
