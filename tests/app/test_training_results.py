"""A trained vocabulary is saved, opened in the window and exported; what fails is told."""

from __future__ import annotations

import csv
import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

import engine
from app import learning
from app.learning import Request, learn
from app.session import Session
from app.views.status import StatusLine
from app.views.training.results import ResultBar
from app.views.training.saving import ask, check_place, format_names, proposal
from engine.errors import ParameterError
from engine.progress import silent
from engine.train.bpe import BpeSettings
from engine.train.kinds import KINDS
from engine.train.merge_record import rows_of

TEXT = "low low low low low\nlower lower\nnewest newest newest\nwidest\n"


@pytest.fixture(scope="module")
def outcome():
    return learn(Request(BpeSettings(270, "bytes", "gpt2"), text=TEXT), silent, lambda _: None)


@pytest.fixture
def bar(qtbot, session, theme, outcome):
    bar = ResultBar(session, theme)
    qtbot.addWidget(bar)
    bar.show()
    bar.set_outcome(outcome)
    return bar


def test_formats_that_cant_hold_it_say_why(bar, outcome):
    assert set(format_names()) == set(KINDS[BpeSettings].writers)
    items = bar.format.model()
    able = {
        bar.format.itemData(row): items.item(row).isEnabled() for row in range(bar.format.count())
    }
    assert able == {
        "huggingface": True, "sentencepiece": False, "tiktoken": True, "gpt2": True,
        "subword-nmt": False,
    }  # fmt: skip
    assert set(outcome.refusals) == {"sentencepiece", "subword-nmt"}
    assert "SentencePiece" in outcome.refusals["sentencepiece"]


@pytest.mark.parametrize("name", ["huggingface", "tiktoken", "gpt2"])
def test_what_is_saved_opens_as_what_was_trained(qtbot, bar, outcome, tmp_path, name):
    path = tmp_path / proposal(name)
    with qtbot.waitSignal(bar.saved) as caught:
        bar.save_to(path, name)
    assert caught.args[0] == path
    assert bar.place == path
    encoding = engine.load(path).encode("lowest newest")
    pieces = [engine.load(path).vocabulary.bytes(i) for i in encoding.ids]
    symbols = set(outcome.trained.merges.symbols)
    assert b"".join(pieces) == b"lowest newest"
    assert set(pieces) <= symbols
    assert len(pieces) < len("lowest newest")


def test_save_as_asks_for_a_place(qtbot, bar, outcome, tmp_path, monkeypatch):
    asked = []

    def ask(_parent, title, _folder, name, kinds):
        asked.append((title, name, kinds))
        return tmp_path / "mine.json"

    monkeypatch.setattr("app.views.training.results.ask", ask)
    with qtbot.waitSignal(bar.saved):
        bar.save_button.click()
    assert asked == [("Save the vocabulary", "tokenizer.json", {"json": "tokenizer.json"})]
    assert len(engine.load(tmp_path / "mine.json").vocabulary) == outcome.trained.size
    # It is saved, so opening asks for nothing.
    with qtbot.waitSignal(bar.open_wanted) as caught:
        bar.open_button.click()
    assert caught.args == [tmp_path / "mine.json"]
    assert len(asked) == 1


@pytest.mark.parametrize(("kind", "ending"), [("Table", ".csv"), ("JSON", ".json")])
def test_a_name_gets_the_ending_of_the_kind_that_is_chosen(qtbot, bar, tmp_path, kind, ending):
    def answer():
        dialog = QApplication.activeModalWidget()
        chosen = next(words for words in dialog.nameFilters() if words.startswith(kind))
        dialog.selectNameFilter(chosen)
        dialog.filterSelected.emit(chosen)
        dialog.selectFile("mine")
        dialog.accept()

    QTimer.singleShot(0, answer)
    kinds = {"csv": "Table", "json": "JSON"}
    assert ask(bar, "Export", str(tmp_path), "merges.csv", kinds) == tmp_path / f"mine{ending}"


def test_no_file_is_chosen(qtbot, bar, tmp_path):
    QTimer.singleShot(0, lambda: QApplication.activeModalWidget().reject())
    assert ask(bar, "Export", str(tmp_path), "merges.csv", {"csv": "Table"}) is None


def test_the_record_is_exported(qtbot, bar, outcome, tmp_path):
    rows = rows_of(outcome.trained)
    with qtbot.waitSignal(bar.exported):
        bar.export_to(tmp_path / "record.csv")
    with (tmp_path / "record.csv").open(encoding="utf-8", newline="") as stream:
        written = list(csv.DictReader(stream))
    assert [row["piece"] for row in written] == [row["piece"] for row in rows]
    with qtbot.waitSignal(bar.exported):
        bar.export_to(tmp_path / "record.json")
    assert json.loads((tmp_path / "record.json").read_text(encoding="utf-8"))["steps"] == rows


def test_the_record_is_exported_with_its_tie_sets(qtbot, bar, tmp_path):
    path = tmp_path / "record.json"
    bar.export_button.click()
    plain, with_ties = bar.export_menu.actions()
    bar.export_menu.close()
    assert plain.isEnabled()
    assert with_ties.isEnabled()
    with qtbot.waitSignal(bar.exported):
        bar.export_to(path, ties=True)
    steps = json.loads(path.read_text(encoding="utf-8"))["steps"]
    assert [len(step["tie_set"]) for step in steps] == [step["ties"] for step in steps]
    assert max(step["ties"] for step in steps) > 1


@pytest.mark.parametrize("late", [False, True])
def test_what_is_cancelled_is_not_written_and_what_is_written_is_told(
    qtbot, bar, jobs, outcome, tmp_path, monkeypatch, late
):
    path, there, go_on = tmp_path / "a.json", threading.Event(), threading.Event()

    def apart(trained, path, name, report, settle):
        """Save here, so that it can be stopped before or after it is settled."""

        def settled():
            if late:
                settle()
            there.set()
            assert go_on.wait(20)
            settle()

        return learning._save(trained, path, name, report, settled)

    monkeypatch.setattr("app.views.training.results.save_apart", apart)
    status = StatusLine(Session(jobs), (jobs,), bar._theme)
    qtbot.addWidget(status)
    status.show()
    bar.save_to(path, "huggingface")
    (job,) = jobs.running
    qtbot.waitUntil(lambda: there.is_set() and status.shown_job is job)
    saved = []
    bar.saved.connect(lambda *_: saved.append(path))
    assert status.cancel() is not late
    assert (status.noted == "Cancelled: Saving a.json") is not late
    if late:
        qtbot.waitUntil(lambda: not status.cancel_button.isVisible())
        assert status.shown_job is job
    with qtbot.waitSignal(job.ended):
        go_on.set()
    assert path.exists() is late
    assert bar.place == (path if late else None)
    assert saved == ([path] if late else [])


def test_an_export_is_cancelled_while_tie_sets_are_found(qtbot, bar, jobs, tmp_path):
    path = tmp_path / "record.json"
    bar.export_to(path, ties=True)
    (job,) = jobs.running
    with qtbot.waitSignal(job.ended):
        assert jobs.cancel(job.key)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("write", ["save_to", "export_to"])
def test_a_place_that_cant_be_written_is_told(qtbot, bar, tmp_path, write):
    path = tmp_path / "absent" / "file.json"
    arguments = (path, "huggingface") if write == "save_to" else (path,)
    with qtbot.waitSignal(bar.failed) as caught:
        getattr(bar, write)(*arguments)
    error, doing = caught.args
    assert isinstance(error, ParameterError)
    assert "can't be written" in error.what
    assert error.where == str(path)
    assert doing == "file.json was not saved"
    assert bar.place is None


def test_the_other_file_of_a_pair_is_not_replaced_unasked(qtbot, bar, tmp_path):
    (tmp_path / "merges.txt").write_text("mine", encoding="utf-8")
    with qtbot.waitSignal(bar.failed) as caught:
        bar.save_to(tmp_path / "vocab.json", "gpt2")
    assert "merges.txt is there already" in caught.args[0].what
    assert (tmp_path / "merges.txt").read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "vocab.json").exists()
    (tmp_path / "vocab.json").write_text("{}", encoding="utf-8")
    check_place(tmp_path / "vocab.json", "gpt2")  # the dialog has asked


def test_nothing_is_written_over_what_was_read(qtbot, bar, session, models, tmp_path):
    folder, given, other = tmp_path / "texts", tmp_path / "given.txt", tmp_path / "open.json"
    folder.mkdir()
    corpus, linked = folder / "a.txt", tmp_path / "linked.json"
    corpus.write_text(TEXT, encoding="utf-8")
    linked.symlink_to(corpus)
    given.write_text("l o\n", encoding="utf-8")
    other.write_bytes(models["everyday-bpe"].path.read_bytes())
    session.add_model(engine.load(other))
    settings = BpeSettings(262, "bytes", "gpt2")
    request = Request(settings, paths=(folder,), given=given)
    bar.set_outcome(learn(request, silent, lambda _: None))
    read = {corpus: "corpus", linked: "corpus", given: "given merges", other: "open model"}
    before = {path: path.read_bytes() for path in read}

    def refused(write, *arguments):
        with qtbot.waitSignal(bar.failed) as caught:
            write(*arguments)
        return caught.args[0].what

    for path, what in read.items():
        words = f"the vocabulary would be written over {'an' if path is other else 'the'} {what}"
        assert refused(bar.save_to, path, "huggingface") == words
        assert refused(bar.export_to, path) == words.replace("vocabulary", "record")
    # GPT-2's pair has a file that nobody names.
    merges = tmp_path / "pair" / "merges.txt"
    merges.parent.mkdir()
    merges.write_text("l o\n", encoding="utf-8")
    bar.set_outcome(learn(replace(request, given=merges), silent, lambda _: None))
    (merges.parent / "vocab.json").write_text("{}", encoding="utf-8")
    assert "given merges" in refused(bar.save_to, merges.parent / "vocab.json", "gpt2")
    assert before == {path: path.read_bytes() for path in read}


def test_what_was_saved_here_is_saved_anew_but_nothing_else_is_written_over_it(
    qtbot, bar, session, tmp_path, monkeypatch
):
    # In a thread: that is quicker.
    monkeypatch.setattr("app.views.training.results.save_apart", learning._save)
    monkeypatch.setattr("app.views.training.results.export_apart", learning._export)
    path, record = tmp_path / "mine.json", tmp_path / "record.json"
    with qtbot.waitSignal(bar.saved):
        bar.save_to(path, "huggingface")
    session.add_model(engine.load(path))
    with qtbot.waitSignal(bar.saved):
        bar.save_to(path, "huggingface")
    with qtbot.waitSignal(bar.failed) as caught:
        bar.export_to(path)
    assert caught.args[0].what == "the record would be written over the vocabulary"
    for _ in range(2):
        with qtbot.waitSignal(bar.exported):
            bar.export_to(record)
    with qtbot.waitSignal(bar.failed) as caught:
        bar.save_to(record, "huggingface")
    assert caught.args[0].what == "the vocabulary would be written over the record"
    assert engine.load(path).vocabulary.count == bar._outcome.trained.size


def test_the_window_trains_saves_and_opens(qtbot, make_window, tmp_path, monkeypatch):
    window = make_window(restore=False)
    window.table.actions["train"].trigger()
    training = window.files.train()
    assert window.files.train() is training
    assert training.isVisible()
    form = training.form
    window.session.set_text(TEXT)
    form.corpus.setCurrentIndex(form.corpus.findData("text"))
    form.size_field.set_value(262)
    training.train()
    qtbot.waitUntil(training.results.open_button.isEnabled)
    path = tmp_path / "opened.json"
    monkeypatch.setattr("app.views.training.results.ask", lambda *_: Path(path))
    training.results.open_button.click()
    qtbot.waitUntil(lambda: any(m.model.path == path for m in window.session.models))
    assert len(window.session.active.model.vocabulary) == 262
