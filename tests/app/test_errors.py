"""Errors in words, the log file, and exceptions that nobody caught."""

from __future__ import annotations

import errno
import os
import sys
import threading

import pytest
from PySide6.QtGui import QImage, QPainter

from app import errors
from engine.errors import ModelError, SegscopeError


def test_an_error_of_the_engine_is_what_where_and_remedy():
    fault = errors.describe(
        ModelError("the file is cut off", "a.json: byte 9", "copy it again"),
        "a.json was not opened",
    )
    assert fault.what == "a.json was not opened: the file is cut off"
    assert (fault.where, fault.remedy) == ("a.json: byte 9", "Copy it again")
    assert fault.expected
    assert "Traceback" not in fault.detail
    assert errors.describe(SegscopeError("no luck")).what == "No luck"


@pytest.mark.parametrize(
    ("error", "words"),
    [(ValueError("boom"), "something unexpected"), (MemoryError(), "not enough memory")],
)
def test_any_other_error_is_a_sentence_with_its_trace_in_the_detail(error, words):
    fault = errors.describe(error, "The lattice was not built")
    assert fault.what.startswith("The lattice was not built: ")
    assert words in fault.what
    assert type(error).__name__ in fault.detail
    assert type(error).__name__ not in fault.what + fault.where + fault.remedy
    assert not fault.expected


@pytest.mark.parametrize(
    ("number", "remedy"), [(errno.ENOSPC, "Free some space"), (errno.ENOENT, "Look whether")]
)
def test_a_full_disk_is_told_as_such(number, remedy):
    error = OSError(number, os.strerror(number), "/mnt/stick/cuts.txt")
    fault = errors.describe(error, "The scene was not saved")
    said = os.strerror(number)
    assert fault.what == f"The scene was not saved: {said[0].lower()}{said[1:]}"
    assert fault.where == "/mnt/stick/cuts.txt"
    assert fault.remedy.startswith(remedy)
    assert fault.expected
    assert "unexpected" not in fault.what


def test_an_uncaught_error_lets_go_of_what_its_frames_held(qtbot):
    """A painter of a paint event that failed would go on painting on its widget."""
    image = QImage(8, 8, QImage.Format.Format_RGB32)

    def paint():
        painter = QPainter(image)
        painter.drawPoint(0, 0)
        raise ValueError("while painting")

    uncaught = errors.Uncaught()
    uncaught.install()
    seen = []
    uncaught.happened.connect(seen.append)
    try:
        try:
            paint()
        except ValueError as error:
            assert image.paintingActive()
            sys.excepthook(ValueError, error, error.__traceback__)
    finally:
        uncaught.uninstall()
    assert not image.paintingActive()
    assert "while painting" in errors.report(seen[0])


def test_uncaught_errors_of_any_thread_reach_the_window_and_the_log(qtbot, tmp_path):
    uncaught = errors.Uncaught()
    close = errors.open_log(tmp_path)
    uncaught.install()
    seen = []
    uncaught.happened.connect(lambda error: seen.append((error, threading.get_ident())))

    def fail():
        raise ValueError("in a thread")

    try:
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
        qtbot.waitUntil(lambda: bool(seen))
    finally:
        uncaught.uninstall()
        close()
    assert isinstance(seen[0][0], ValueError)
    assert seen[0][1] == threading.get_ident()
    log = (tmp_path / "segscope.log").read_text("utf-8")
    assert "ValueError: in a thread" in log
    assert "def fail" in log or "in fail" in log


def test_the_log_is_closed_again(tmp_path):
    before = list(errors.LOG.handlers)
    errors.open_log(tmp_path)()
    assert errors.LOG.handlers == before


def test_a_path_is_shown_as_it_is_and_another_place_as_a_sentence_begins():
    shown = [errors.describe(SegscopeError("no", where)).where for where in (
        "gen/models--org/tokenizer.json: line 3", "model.json", "line 3, field vocab",
    )]  # fmt: skip
    assert shown == ["gen/models--org/tokenizer.json: line 3", "model.json", "Line 3, field vocab"]
