"""A training run in the window: what comes out, what is seen of it, and how it ends early."""

from __future__ import annotations

import multiprocessing
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt

from app.learning import Progress, Request, learn, share_done
from app.models.training import COUNT, LEFT, PIECE, RIVAL, RIVAL_COUNT, STEP, TIES, RecordModel
from app.recording import Look, MergeRows, Recording
from app.recording import look_at as look_from
from app.training import Trainer
from app.views.training import TrainingWindow
from app.views.training.curve import axis_marks
from app.views.training.sentences import ending, sum_of
from engine.progress import silent
from engine.train.bpe import BpeSettings, train_bpe
from engine.train.merge_record import rows_of
from engine.train.veto import PatternVeto

pytestmark = pytest.mark.screen

TEXT = "low low low low low\nlower lower\nnewest newest newest newest newest newest\nwidest\n"
SETTINGS = BpeSettings(300, "bytes", "whitespace", specials=("<unk>",))


@pytest.fixture(scope="module")
def trained():
    return train_bpe([line + "\n" for line in TEXT.splitlines()], SETTINGS)


def look_at(trained, upto, first=0, share=0.5):
    """A look at the run after so many merges."""
    whole = trained.merges
    names = ("left", "right", "count", "ties", "rival_left", "rival_right", "rival_count")
    columns = {name: getattr(whole, name)[:upto] for name in names}
    so_far = replace(whole, tokens=whole.tokens[: upto + 1], **columns)
    return look_from(replace(trained, merges=so_far), first, 43, share, [])


def recording_of(trained):
    recording = Recording(trained.settings)
    recording.add(look_at(trained, len(trained.merges)))
    return recording


@pytest.fixture
def window(qtbot, session, theme, tmp_path):
    trainer = Trainer(session.jobs)
    window = TrainingWindow(session, trainer, theme)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    path = tmp_path / "corpus.txt"
    path.write_text(TEXT, encoding="utf-8")
    form = window.form
    form.choose([path])
    form.bpe.pre_tokenizer.setCurrentIndex(form.bpe.pre_tokenizer.findData("whitespace"))
    form.size_field.set_value(300)
    form.specials.setPlainText("<unk>")
    window.trainer = trainer
    return window


def run(qtbot, window):
    window.train()
    assert window.trainer.busy
    qtbot.waitUntil(lambda: not window.trainer.busy)


def cell(model, row, column, role=Qt.ItemDataRole.DisplayRole):
    return model.index(row, column).data(role)


def messages(window):
    return [f"{m.severity}: {m.what}" for m in window.banners.messages]


def test_a_run_ends_with_the_engines_merges(qtbot, window, trained):
    assert not window.results.save_button.isEnabled()
    run(qtbot, window)
    assert window.trainer.state == "done", window.trainer.error
    outcome = window.trainer.outcome
    assert outcome.trained.merges.symbols == trained.merges.symbols
    assert window.run.rows.rowCount() == len(trained.merges)
    assert [cell(window.run.rows, k, PIECE) for k in range(3)] == ["we", "lo", "st"]
    assert window.results.save_button.isEnabled()
    # A small corpus gives fewer merges than were asked for, and that is told.
    merges = len(trained.merges)
    assert merges < 300 - 256 - 1
    words = f"256 bytes + {merges} merges + 1 special token = {257 + merges} pieces"
    assert window.head.text() == words
    assert "no further pair occurs 2 times" in window.about.text()
    assert "4 lines, 14 words (4 different)" in window.about.text()

    # A step is marked in the curve and in the table, whichever it was gone to by.
    window.run.table.selectRow(4)
    assert window.run.curve.step == 5
    size = 257 + 5
    ratio = recording_of(trained).curve.ratio[5]
    assert window.run.curve.marked_text() == f"step 5 · {size} pieces · {ratio:.3f} bytes a token"
    window.run.curve.setFocus()
    qtbot.keyClick(window.run.curve, Qt.Key.Key_Right)
    assert window.run.curve.step == 6
    assert window.run.table.currentIndex().row() == 5
    qtbot.keyClick(window.run.curve, Qt.Key.Key_Home)
    assert window.run.curve.step == 0
    assert not window.run.table.selectionModel().hasSelection()
    plot = window.run.curve._plot()
    middle = plot.center().toPoint()
    qtbot.mouseClick(window.run.curve, Qt.MouseButton.LeftButton, pos=middle)
    assert abs(window.run.curve.step - merges / 2) <= 1
    assert window.run.table.currentIndex().row() == window.run.curve.step - 1

    # Another run that fails leaves what is there.
    window.form.bpe.style_choice.button("characters").click()
    window.form.size_field.set_value(10)
    run(qtbot, window)
    assert window.trainer.state == "failed"
    (message,) = window.banners.messages
    assert message.what.startswith("Nothing was trained: a vocabulary of 10 pieces is smaller")
    assert message.remedy == "Ask for at least 11"  # l o w e r n s t i d and <unk>
    assert window.head.text() == words
    assert window.run.rows.rowCount() == merges
    assert window.results.save_button.isEnabled()


def test_cancel_leaves_nothing_and_says_so(qtbot, window):
    window.train()
    assert window.cancel_button.isEnabled()
    assert not window.train_button.isEnabled()
    assert not window.form.isEnabled()
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert window.trainer.state == "stopping"
    qtbot.waitUntil(lambda: not window.trainer.busy)
    assert window.isVisible()
    assert window.trainer.state == "cancelled"
    assert window.trainer.outcome is None
    assert multiprocessing.active_children() == []
    assert messages(window) == ["info: Training was cancelled"]
    assert window.run.rows.rowCount() == 0
    assert window.form.isEnabled()
    assert window.train_button.isEnabled()
    assert not window.results.save_button.isEnabled()
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.isVisible()


def test_a_run_that_is_cancelled_elsewhere_is_over_here_too(qtbot, window):
    window.train()
    window.trainer._jobs.cancel_all()
    qtbot.waitUntil(lambda: window.trainer.state == "cancelled")


def test_enter_trains_from_a_setting_and_not_from_the_table(qtbot, window):
    window.activateWindow()
    window.run.table.setFocus()
    qtbot.keyClick(window.run.table, Qt.Key.Key_Return)
    assert not window.trainer.busy
    window.form.size_field.setFocus()
    qtbot.keyClick(window.form.size_field, Qt.Key.Key_Return)
    assert window.trainer.busy
    window.trainer.cancel()
    qtbot.waitUntil(lambda: not window.trainer.busy)


def test_what_cant_be_trained_is_not(qtbot, window):
    window.form.size_field.set_value(12)
    window.form.changed.emit()
    assert "257 pieces already" in window.problem.text()
    assert window.problem.isVisible()
    assert not window.sum.isVisible()
    assert not window.train_button.isEnabled()
    window.train()
    assert window.trainer.state == "idle"


@pytest.mark.parametrize(
    ("content", "what", "where", "remedy"),
    [
        (b"\n\n", "the corpus holds no word", "2 lines", "Give a text"),
        (b"fine\nb\xffd\n", "UTF-8", "line 2", "Save it as UTF-8"),
        (None, "", "absent.txt", ""),
    ],
)
def test_errors_are_shown_in_place(qtbot, window, tmp_path, content, what, where, remedy):
    path = tmp_path / "absent.txt"
    if content is not None:
        path = tmp_path / "broken.txt"
        path.write_bytes(content)
    window.form.choose([path])
    run(qtbot, window)
    (message,) = window.banners.messages
    assert message.severity == "error"
    assert what in message.what
    assert where in message.where
    assert remedy in message.remedy
    assert "Traceback" not in message.detail


@pytest.mark.parametrize("ready", [False, True])
def test_a_look_at_a_run_and_its_stages(trained, monkeypatch, ready):
    # Whether by the plain twin or by the kernel, which stops for a look after each merge here.
    monkeypatch.setattr("engine.train.merges.compiled", lambda size: ready)
    monkeypatch.setattr("engine.train.compiled.BUDGET", 1)
    seen = []
    outcome = learn(Request(SETTINGS, text=TEXT), silent, seen.append)
    assert outcome.trained.merges.symbols == trained.merges.symbols
    stages = [part for part in seen if isinstance(part, Progress)]
    assert stages[0] == Progress("counting", 0, len(TEXT))
    assert stages[1] == Progress("learning", 0, 0)
    looks = [part for part in seen if isinstance(part, Look)]
    assert (looks[0].first, looks[0].done, looks[0].wanted) == (0, 1, 300 - 257)
    assert looks[-1].done == len(trained.merges)
    recording = Recording(SETTINGS)
    for look in looks:
        recording.add(look)
    assert recording.symbols == list(trained.merges.symbols)
    assert list(recording.rows) == list(MergeRows(trained.merges, trained.merges.symbols))


def test_a_run_begins_with_given_merges(tmp_path):
    path = tmp_path / "merges.txt"
    path.write_text("w i\nz z\n", encoding="utf-8")
    seen = []
    request = Request(replace(SETTINGS, veto=PatternVeto("^es$")), text=TEXT, given=path)
    outcome = learn(request, silent, seen.append)
    merges = outcome.trained.merges
    assert merges.symbols[256:258] == (b"wi", b"zz")
    assert merges.given == 2
    assert b"es" not in merges.symbols
    assert f"{len(merges)} merges (2 given)" in sum_of(outcome)
    # The window's record is that of the run, though its own settings name no merges.
    recording = Recording(request.settings)
    for look in seen:
        if isinstance(look, Look):
            recording.add(look)
    assert recording.symbols == list(merges.symbols)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({}, "The corpus gives no more: no further pair occurs 2 times."),
        ({"veto": PatternVeto(".*")}, "makes a piece that the veto lets pass."),
        ({"longest": 2}, "occurs 2 times or more makes a piece of at most 2 base symbols."),
        (
            {"veto": PatternVeto("w"), "longest": 2},
            "makes a piece of at most 2 base symbols that the veto lets pass.",
        ),
    ],
)
def test_why_there_is_no_further_merge(changed, why):
    outcome = learn(Request(replace(SETTINGS, **changed), text=TEXT), silent, lambda _: None)
    assert ending(outcome).endswith(why)
    assert ("The corpus gives no more" in ending(outcome)) is (not changed)


def test_a_running_window_follows_the_newest_merge(qtbot, window, trained):
    trainer = window.trainer
    trainer.request, trainer.state = Request(SETTINGS, text=TEXT), "running"

    def take(*parts):
        for part in parts:
            trainer._part(part)
        qtbot.waitUntil(lambda: not window._soon.isActive())

    take(Progress("learning", 0, 43))
    assert window.head.text().startswith("Getting ready to learn 43 merges: the first time")
    take(Progress("learning", 4, 43), look_at(trained, 4))
    assert window.head.text() == "Learning: 4 of 43 merges"
    assert [cell(window.run.rows, k, STEP) for k in range(4)] == ["1", "2", "3", "4"]
    assert window.run.player.position == window.run.curve.step == 4
    take(look_at(trained, 6, first=4))
    assert window.run.rows.rowCount() == 6
    assert window.run.table.currentIndex().row() == 5
    # A person who went elsewhere stays there.
    window.run.player.seek(2)
    take(look_at(trained, 9, first=6))
    assert (window.run.player.position, window.run.player.length) == (2, 9)
    assert window.run.table.currentIndex().row() == 1
    trainer.state = "idle"


def test_the_share_of_the_work_that_is_done(trained):
    merges = trained.merges
    whole = share_done(merges, len(merges))
    assert whole == 1
    # 67 − 18 = 49 symbols were merged in 9 steps; the last count is 2: 2 · 9 · ln 2 to come.
    assert share_done(merges, 18) == pytest.approx(49 / (49 + 2 * 9 * np.log(2)))


def test_the_time_left_is_reckoned_from_the_work_done(qtbot, jobs, monkeypatch, trained):
    clock = [100.0]
    monkeypatch.setattr("app.training.time.monotonic", lambda: clock[0])
    trainer = Trainer(jobs)
    trainer.state = "running"
    trainer._part(Progress("learning", 0, 43))
    assert trainer.seconds_left is None
    clock[0] += 6
    trainer._part(Progress("learning", 4, 43))
    trainer.request = Request(SETTINGS, text=TEXT)
    trainer._part(look_at(trained, 4, share=0.75))
    assert trainer.seconds_left == pytest.approx(2)
    clock[0] += 0.5
    assert trainer.seconds_left == pytest.approx(1.5)
    trainer._part(Progress("learning", 43, 43))
    assert trainer.seconds_left is None


def test_the_curve_is_the_records(trained):
    rows, curve = rows_of(trained), recording_of(trained).curve
    assert curve.size[0] == 257
    assert curve.ratio[0] == len(TEXT) / 67  # letters of all words
    assert curve.size[1:].tolist() == [row["vocab_size"] for row in rows]
    assert curve.tokens[1:].tolist() == [row["tokens"] for row in rows]
    np.testing.assert_allclose(curve.ratio[1:], [row["bytes_per_token"] for row in rows])


def test_looks_that_do_not_fit_are_refused(trained):
    recording = Recording(SETTINGS)
    recording.add(look_at(trained, 2))
    with pytest.raises(ValueError, match="from merge 3 on, after 2"):
        recording.add(look_at(trained, 5, first=3))
    assert len(recording) == 2


def test_axis_marks_are_round_and_inside():
    assert axis_marks(1, 2.47, 5) == [1, 1.5, 2]
    assert axis_marks(256, 2000, 6) == [500, 1000, 1500, 2000]
    assert axis_marks(0.31, 0.38, 5) == [0.32, 0.34, 0.36, 0.38]


def test_the_table_says_what_the_record_says(qtbot, theme, trained):
    model = RecordModel(theme)
    model.set_rows(MergeRows(trained.merges, trained.merges.symbols))
    for k, row in enumerate(rows_of(trained)):
        assert cell(model, k, STEP) == str(row["step"])
        assert cell(model, k, PIECE) == row["piece"]
        assert cell(model, k, COUNT) == str(row["count"])
        assert cell(model, k, TIES) == str(row["ties"])
        rival = f"{row['rival_left']} + {row['rival_right']}" if row["rival_left"] else ""
        assert cell(model, k, RIVAL) == rival
        assert cell(model, k, RIVAL_COUNT) == ("" if not rival else str(row["rival_count"]))


def test_bytes_that_are_no_text_cant_be_taken_for_it(qtbot, theme):
    trained = train_bpe(["é é 97 97"], BpeSettings(258, "bytes", "whitespace"))
    model = RecordModel(theme)
    model.set_rows(MergeRows(trained.merges, trained.merges.symbols))
    shown = {cell(model, k, PIECE): cell(model, k, LEFT) for k in range(2)}
    assert shown == {"97": "9", "é": "0xC3"}
    row = next(k for k in range(2) if cell(model, k, PIECE) == "é")
    assert cell(model, row, PIECE, Qt.ItemDataRole.ToolTipRole) == "C3 A9"
    assert cell(model, row, PIECE, Qt.ItemDataRole.EditRole) == "é"


def test_tab_goes_from_the_settings_to_the_run_to_the_results(qtbot, window):
    run(qtbot, window)
    window.activateWindow()
    form, results, shown, bar = window.form, window.results, window.run, window.run.bar
    form.bpe.style_choice.set_value("characters")
    form.bpe.style_choice.changed.emit("characters")
    wanted = [
        form.corpus, form.files_button, form.folder_button, form.invalid,
        form.algorithm.button("bpe"), form.size_field, form.specials,
        form.bpe.style_choice.button("characters"), form.bpe.pre_tokenizer, form.bpe.mark,
        form.bpe.tie, form.bpe.more.button, window.train_button, shown.curve,
        shown.report, shown.sample_field, shown.sample, shown.table, bar.track, bar.first,
        bar.back, bar.play, bar.loop, bar.speed, results.format, results.save_button,
        results.open_button, results.export_button,
    ]  # fmt: skip
    form.corpus.setFocus()
    seen = [window.focusWidget()]
    for _ in wanted[1:]:
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
        seen.append(window.focusWidget())
    assert seen == wanted


def test_of_a_very_long_piece_only_the_beginning_is_shown(qtbot, theme):
    trained = train_bpe(["é" * 512 + " " + "é" * 512], BpeSettings(400, "bytes", "whitespace"))
    model = RecordModel(theme)
    model.set_rows(MergeRows(trained.merges, trained.merges.symbols))
    last = model.rowCount() - 1
    assert cell(model, last, PIECE, Qt.ItemDataRole.EditRole) == "é" * 512
    assert cell(model, last, PIECE) == "é" * 100 + "…"
    tip = cell(model, last, PIECE, Qt.ItemDataRole.ToolTipRole)
    assert tip == " ".join(["C3 A9"] * 50) + "…"
