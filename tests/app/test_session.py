"""The session: what is open, and results that never belong to another text."""

from __future__ import annotations

import threading

import pytest

import engine
from engine import bundled
from engine.errors import TextError


@pytest.fixture(scope="module")
def watching():
    return engine.load(bundled.model_path("toy-watching"))


@pytest.fixture(scope="module")
def lower():
    return engine.load(bundled.model_path("toy-lower"))


def test_a_model_encodes_and_analyses_the_text(qtbot, session, watching):
    session.set_text("watching")
    opened = session.add_model(watching)
    qtbot.waitUntil(lambda: session.analysis is not None and not session.busy)
    assert session.active is opened
    assert opened.letter == "A"
    best = [path.probability for path in session.analysis.nbest[:3]]
    assert best == pytest.approx([1 / 3] * 3)
    assert session.analysis.law is not None
    assert session.analysis.shown == 8


def test_letters_are_reused_and_the_neighbour_becomes_active(qtbot, session, watching, lower):
    a, b, c = (session.add_model(model) for model in (watching, lower, watching))
    assert [m.letter for m in session.models] == ["A", "B", "C"]
    session.set_active(b.key)
    session.close_model(b.key)
    assert session.active is c
    d = session.add_model(lower)
    assert d.letter == "B"
    session.close_model(d.key)
    assert session.active is c
    for opened in (c, a):
        session.close_model(opened.key)
    assert session.active is None
    assert session.selection.model is None
    assert session.analysis is None


def test_a_model_is_replaced_in_its_place(qtbot, session, watching, lower):
    a, b = session.add_model(watching), session.add_model(watching)
    session.replace_model(a.key, lower)
    assert [m.letter for m in session.models] == ["A", "B"]
    assert session.models[0].model is lower
    assert session.active is session.models[0]
    assert session.open_model(a.key) is None
    assert session.open_model(b.key) is b


def test_names_drop_the_endings_of_model_files(session, watching):
    assert session.add_model(watching).name == "toy-watching"


def test_a_result_for_an_older_text_is_dropped(qtbot, session, watching):
    opened = session.add_model(watching)
    for text in ("w", "wa", "watch", "watching"):
        session.set_text(text)
    qtbot.waitUntil(lambda: not session.busy)
    assert session.encoding(opened.key).text.string == "watching"
    assert session.analysis.text.string == "watching"


def test_theta_changed_while_the_lattice_is_built_is_not_lost(qtbot, session, watching):
    session.set_text("watching")
    session.add_model(watching)
    session.change_settings(theta=0.5)
    qtbot.waitUntil(lambda: not session.busy)
    assert session.analysis.settings.theta == 0.5


def test_settings_of_the_law_leave_the_lattice_as_it_is(qtbot, session, watching):
    session.set_text("watching")
    session.add_model(watching)
    qtbot.waitUntil(lambda: not session.busy)
    lattice = session.analysis.lattice
    session.change_settings(nbest=2)
    qtbot.waitUntil(lambda: not session.busy)
    assert session.analysis.lattice is lattice
    assert len(session.analysis.nbest) == 2


def test_a_lone_surrogate_is_shown_as_a_replacement_and_told(qtbot, session):
    with qtbot.waitSignal(session.failed) as told:
        session.set_text("a\ud800b")
    assert isinstance(told.args[0], TextError)
    assert session.text.string == "a\ufffdb"


def test_a_long_text_is_drawn_from_its_start_to_a_whole_grapheme(qtbot, session, watching):
    from app.analysis import LATTICE_LIMIT

    session.set_text("w" * (LATTICE_LIMIT - 1) + "é" + "w" * 500)
    session.add_model(watching)
    qtbot.waitUntil(lambda: not session.busy, timeout=30_000)
    assert session.analysis.shown == LATTICE_LIMIT - 1


def test_loading_a_broken_file_leaves_everything_as_it_was(qtbot, session, watching, tmp_path):
    path = tmp_path / "cut.json"
    path.write_text('{"model": {"type": "BPE", "vocab": {"a": 0', encoding="utf-8")
    opened = session.add_model(watching)
    with qtbot.waitSignal(session.failed, timeout=20_000) as told:
        session.load_model(path)
    assert str(path) in told.args[0].where
    assert session.models == (opened,)
    assert session.active is opened


def test_a_text_file_that_is_not_utf8_says_where(qtbot, session, tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes(b"ok\ncaf\xe9\n")
    session.set_text("before")
    with qtbot.waitSignal(session.failed) as told:
        session.load_text(path)
    assert "byte 6 (line 2)" in told.args[0].where
    assert session.text.string == "before"


@pytest.mark.parametrize("text", ["", "\ufeffBOM", "a\r\nb\u2028c\0d", "x" * 1_000_000])
def test_odd_texts_are_encoded(qtbot, session, lower, text):
    opened = session.add_model(lower)
    failures = []
    session.failed.connect(lambda *args: failures.append(args))
    session.set_text(text)
    qtbot.waitUntil(lambda: not session.busy, timeout=60_000)
    assert failures == []
    assert session.text.string == text
    assert session.encoding(opened.key).text.string == text


def test_a_selection_belongs_to_its_text(session, watching):
    session.add_model(watching)
    session.set_text("watching")
    session.select(span=(0, 5), edge=2, language="ko")
    session.set_text("watch")
    assert session.selection.span is None
    assert session.selection.edge is None
    assert session.selection.language == "ko"
    assert session.selection.model == session.active.key


def test_no_two_models_have_the_same_mark(session, watching):
    for _ in range(54):
        session.add_model(watching)
    letters = [opened.letter for opened in session.models]
    assert letters[:2] + letters[25:28] + letters[51:] == [
        "A",
        "B",
        "Z",
        "AA",
        "AB",
        "AZ",
        "BA",
        "BB",
    ]
    assert len({opened.color_index for opened in session.models}) == 54
    session.close_model(session.models[26].key)
    assert session.add_model(watching).letter == "AA"


def test_encodings_run_beside_each_other(qtbot, session, watching, monkeypatch):
    """A slow model doesn't keep a fast one from being shown."""
    from engine.model import Model

    release, encode = threading.Event(), Model.encode

    def slow(self, text, *args, **kwargs):
        if self.name.startswith("toy-lower"):
            release.wait(10)
        return encode(self, text, *args, **kwargs)

    monkeypatch.setattr(Model, "encode", slow)
    session.add_model(engine.load(bundled.model_path("toy-lower")))
    quick = session.add_model(watching)
    qtbot.waitUntil(lambda: session.encoding(quick.key) is not None)
    assert session.encoding(session.models[0].key) is None
    release.set()
    qtbot.waitUntil(lambda: session.encoding(session.models[0].key) is not None)
