"""Sampled texts in bulk: the list, the files, and that they are the command's own."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from PySide6.QtCore import Qt

from app.session import Session
from app.views.sampling.bulk import BulkDialog
from engine import cli
from engine.bundled import model_path
from engine.corpus import open_corpus
from engine.files import replacing
from tests.app.sampling import LONG, Make, make

__all__ = ["make"]

pytestmark = pytest.mark.screen


def wait(qtbot: Any, dialog: BulkDialog) -> None:
    qtbot.waitUntil(lambda: not dialog.running and bool(dialog.state.text()), timeout=20_000)


def cells(dialog: BulkDialog, column: int) -> list[str]:
    rows = dialog.rows
    return [rows.index(row, column).data() for row in range(rows.rowCount())]


def written(qtbot: Any, dialog: BulkDialog, form: str, path: Path) -> bytes:
    """Write by the dialog; return the bytes."""
    dialog.form.set_value(form)
    dialog.write(path)
    wait(qtbot, dialog)
    return path.read_bytes()


def test_a_corpus_is_drawn_as_the_command_draws_it(
    qtbot: Any, make: Make, session: Session, tmp_path: Path
) -> None:
    source = tmp_path / "en.txt"
    source.write_text(f"{LONG}\n\nwatching 안녕\n", encoding="utf-8")
    workspace = make("watching", "everyday-unigram")
    session.change_settings(theta=0.25, seed=11)
    dialog = workspace.controls.sample_in_bulk()
    dialog.choose_method("ffbs")
    dialog.source.set_value("corpus")
    dialog.refresh()
    assert not dialog.save_button.isEnabled()
    session.set_corpus(open_corpus([source]))
    assert dialog.save_button.isEnabled()
    found, path, told = {}, tmp_path / "window", tmp_path / "command"
    for form in ("text", "ids", "json"):
        found[form] = written(qtbot, dialog, form, path)
        argv = ["sample", "everyday-unigram", "--corpus", str(source), "--method", "ffbs"]
        argv += ["--theta", "0.25", "--seed", "11", "--format", form, "--output", str(told)]
        assert cli.main(argv) == 0
        assert found[form] == told.read_bytes()
        assert "3 lines" in dialog.state.text()
        qtbot.waitUntil(lambda: dialog.state.height() > 0)
    lines = [json.loads(line) for line in found["json"].splitlines()]
    assert [line["ids"] for line in lines] == [
        [int(i) for i in line.split()] for line in found["ids"].splitlines()
    ]
    assert "".join(lines[0]["pieces"]).replace("▁", " ") == f" {LONG}"
    assert (lines[1]["ids"], len(lines)) == ([], 3)
    # The files themselves, read by the dialog, and another seed.
    dialog.choose_files((source,))
    assert written(qtbot, dialog, "text", path) == found["text"]
    session.change_settings(seed=12)
    assert written(qtbot, dialog, "text", path) != found["text"]


def test_draws_of_the_text_are_listed_and_written(
    qtbot: Any, make: Make, session: Session, tmp_path: Path
) -> None:
    workspace = make("watching", "toy-watching", ("viterbi", "perfect"))
    dialog = workspace.controls.sample_in_bulk()
    assert dialog.method.currentData() == "perfect"
    dialog.count.set_value(300)
    qtbot.mouseClick(dialog.draw_button, Qt.MouseButton.LeftButton)
    wait(qtbot, dialog)
    counts = [int(count) for count in cells(dialog, 0)]
    assert (len(counts), sum(counts)) == (3, 300)
    assert counts == sorted(counts, reverse=True)
    assert cells(dialog, 2) == ["1/3"] * 3
    assert cells(dialog, 1) == [f"{count / 300:.4f}" for count in counts]
    assert {text.replace("|", "") for text in cells(dialog, 4)} == {"watching"}
    assert dialog.table.isColumnHidden(3)
    assert "300 draws, 3 different" in dialog.state.text()
    qtbot.mouseClick(dialog.source.button("corpus"), Qt.MouseButton.LeftButton)
    assert (dialog.state.text(), dialog.table.isVisible()) == ("", False)
    qtbot.mouseClick(dialog.source.button("text"), Qt.MouseButton.LeftButton)
    assert "300 draws, 3 different" in dialog.state.text()
    assert dialog.table.isVisible()
    path, told = tmp_path / "window", tmp_path / "command"
    for form in ("text", "ids", "json"):
        argv = ["sample", "toy-watching", "--text", "watching", "--count", "300"]
        argv += ["--seed", str(session.settings.seed), "--format", form, "--output", str(told)]
        assert cli.main(argv) == 0
        assert written(qtbot, dialog, form, path) == told.read_bytes()
    samples = json.loads(path.read_bytes())["samples"]
    assert [entry["count"] for entry in samples] == counts
    session.change_settings(seed=99)
    assert (dialog.draws, dialog.rows.rowCount()) == (None, 0)


def test_distinct_draws_are_a_set(qtbot: Any, make: Make) -> None:
    dialog = make("watching", "toy-watching").controls.sample_in_bulk()
    dialog.choose_method("without-replacement")
    dialog.count.set_value(2)
    dialog.draw()
    wait(qtbot, dialog)
    assert cells(dialog, 0) == ["1", "1"]
    assert cells(dialog, 3) == ["2/3", "2/3"]
    assert not dialog.table.isColumnHidden(3)


def test_what_can_not_be_is_refused_in_words(qtbot: Any, make: Make, tmp_path: Path) -> None:
    dialog = make("watching", "toy-watching").controls.sample_in_bulk()
    path = model_path("toy-watching")
    before = path.read_bytes()
    dialog.write(path)
    wait(qtbot, dialog)
    assert "over the model" in dialog.state.text()
    assert path.read_bytes() == before


@pytest.mark.parametrize("kind", ["text", "corpus"])
def test_what_has_its_place_is_not_cancelled(
    qtbot: Any, make: Make, session: Session, tmp_path: Path, monkeypatch: Any, kind: str
) -> None:
    source, path = tmp_path / "en.txt", tmp_path / "out"
    source.write_text("watching\n", encoding="utf-8")
    dialog = make("watching", "toy-watching").controls.sample_in_bulk()
    session.set_corpus(open_corpus([source]))
    dialog.source.set_value(kind)
    dialog.refresh()
    written, told = threading.Event(), threading.Event()

    @contextmanager
    def slowly(output: Path) -> Iterator[BinaryIO]:
        with replacing(output) as stream:
            yield stream
            written.set()
            assert told.wait(20)

    monkeypatch.setattr("engine.sampled_files.replacing", slowly)
    dialog.write(path)
    assert written.wait(20)
    dialog.cancel()
    assert dialog.running
    told.set()
    wait(qtbot, dialog)
    assert path.exists()
    assert dialog.state.text().startswith(str(path))


def test_fewer_than_were_asked_for_are_explained(qtbot: Any, make: Make, tmp_path: Path) -> None:
    dialog = make("watching", "toy-watching").controls.sample_in_bulk()
    dialog.choose_method("without-replacement")
    dialog.count.set_value(1_000_000)
    dialog.draw()
    wait(qtbot, dialog)
    why = "1,000,000 were asked for; the text has only 3 segmentations to draw"
    assert dialog.state.text().splitlines() == ["3 draws, 3 different", why]
    written(qtbot, dialog, "ids", tmp_path / "out")
    assert dialog.state.text().splitlines()[1:] == [why]


@pytest.mark.parametrize("change", ["text", "model", "seed", "count"])
def test_what_changes_during_a_draw_stops_it_in_words(
    qtbot: Any, make: Make, session: Session, change: str
) -> None:
    dialog = make("watching", "toy-watching").controls.sample_in_bulk()
    dialog.count.set_value(1_000_000)
    dialog.draw()
    if change == "text":
        session.set_text("")
        assert "empty" in dialog.what.text()
    elif change == "model":
        session.close_model(session.models[0].key)
    elif change == "seed":
        session.change_settings(seed=99)
    else:
        dialog.count._take(10)
    assert not dialog.running
    assert "changed before all was drawn" in dialog.state.text()
    assert (dialog.draws, dialog.rows.rowCount()) == (None, 0)
    qtbot.waitUntil(lambda: not session.busy)
    assert "changed before all was drawn" in dialog.state.text()


def test_lines_of_wrong_bytes_are_refused_left_out_or_mended(
    qtbot: Any, make: Make, tmp_path: Path
) -> None:
    source, path = tmp_path / "bad.txt", tmp_path / "out"
    source.write_bytes(b"watching\nwatch\xffing\nwatching\n")
    dialog = make("watching", "everyday-unigram").controls.sample_in_bulk()
    dialog.choose_method("viterbi")
    assert not dialog.invalid.isVisible()
    dialog.choose_files((source,))
    assert dialog.invalid.isVisible()
    dialog.write(path)
    wait(qtbot, dialog)
    assert "UTF-8" in dialog.state.text()
    assert not path.exists()
    for choice, lines in (("skip", 2), ("replace", 3)):
        dialog.invalid.setCurrentIndex(dialog.invalid.findData(choice))
        rows = written(qtbot, dialog, "json", path).decode().splitlines()
        assert len(rows) == lines
        assert "bad.txt" in dialog.state.text()
        assert (rows[1] == rows[0], rows[-1] == rows[0]) == (choice == "skip", True)


def test_cancel_leaves_no_file(qtbot: Any, make: Make, tmp_path: Path) -> None:
    dialog = make("watching", "toy-watching").controls.sample_in_bulk()
    dialog.count.set_value(1_000_000)
    dialog.write(tmp_path / "out")
    assert dialog.cancel_button.isEnabled()
    assert not dialog.save_button.isEnabled()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible()
    assert not dialog.running
    assert dialog.save_button.isEnabled()
    dialog._session.jobs.shutdown()
    assert list(tmp_path.iterdir()) == []
    assert "nothing was written" in dialog.state.text()
