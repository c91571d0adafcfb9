"""What is said comes whole from one text, so that another language may turn its parts round."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QTranslator

from app.draw.coins import Column, heading
from app.learning import Outcome, Progress, _count_given
from app.player import Player
from app.training import Trainer
from app.views.player_bar import PlayerBar
from app.views.training import TrainingWindow
from app.views.training.sentences import complaint, sum_of
from engine.errors import ParameterError
from engine.train.unigram import UnigramSettings, train_unigram

pytestmark = pytest.mark.screen

APP = Path(__file__).resolve().parents[2] / "app"


class Brackets(QTranslator):
    """Puts each text that is translated into brackets."""

    def translate(self, _context, text, _disambiguation=None, _n=-1):
        return f"⟦{text}⟧"


@pytest.fixture
def brackets(qapp):
    translator = Brackets()
    QCoreApplication.installTranslator(translator)
    yield
    QCoreApplication.removeTranslator(translator)


def is_whole(text: str) -> bool:
    """Whether a text lies in one pair of brackets; there may be others within."""
    depth = 0
    for place, char in enumerate(text):
        depth += (char == "⟦") - (char == "⟧")
        if not depth and place < len(text) - 1:
            return False
    return text.startswith("⟦") and depth == 0


def test_brackets_tell_glue():
    assert is_whole("⟦{n} of ⟦3 steps⟧⟧")
    assert not is_whole("⟦Step 3⟧ · ⟦of 4⟧")
    assert not is_whole("name: ⟦3 languages⟧")


def texts(path: Path) -> Iterator[str]:
    """The texts of a file that are translated."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in ("tr", "translate", "QT_TRANSLATE_NOOP") and node.args:
                text = node.args[0 if name == "tr" else -1]
                if isinstance(text, ast.Constant) and isinstance(text.value, str):
                    yield text.value


def test_no_text_is_there_to_be_put_behind_another():
    found = [text for path in sorted(APP.rglob("*.py")) for text in texts(path)]
    assert len(found) > 1_000
    assert [text for text in found if text != text.strip() or text[:1] in "·,;:.)"] == []


@pytest.mark.parametrize("at_end", [False, True])
@pytest.mark.parametrize("count", [1, 3, 40])
def test_the_head_of_coins(qapp, brackets, count, at_end):
    column = Column(7, (None,) * count, -1, 0.0, 1.0)
    text = heading(column, range(2, 2 + min(count, 6)), at_end=at_end)
    assert is_whole(text)
    assert ("3 to 8 shown" in text) is (count == 40)
    assert ("last node" in text) is (at_end and count > 1)


def test_the_player_says_where_it_is(qtbot, theme, brackets):
    bar, player = PlayerBar(theme), Player()
    qtbot.addWidget(bar)
    player.set_trace(4, title="lower")
    bar.set_player(player)
    assert is_whole(bar.title.accessibleName())
    assert is_whole(bar.title._lines[1])
    assert "lower" in bar.title._lines[1]


def test_the_training_window(qtbot, session, theme, brackets, monkeypatch, tmp_path):
    monkeypatch.setattr("app.views.training.given.count_given_apart", _count_given)
    (tmp_path / "en.txt").write_text("low\n", encoding="utf-8")
    session.load_corpus((tmp_path,))
    qtbot.waitUntil(lambda: session.corpus is not None)
    trainer = Trainer(session.jobs)
    window = TrainingWindow(session, trainer, theme)
    qtbot.addWidget(window)
    form = window.form
    form.corpus.setCurrentIndex(form.corpus.findData("corpus"))
    assert is_whole(form.corpus_note.text())
    assert tmp_path.name in form.corpus_note.text()
    # Merges to begin with.
    given = form.bpe.given
    for text in ("l o\n", "▁ a\n"):
        (tmp_path / "merges").write_text(text, encoding="utf-8")
        given.choose(tmp_path / "merges")
        qtbot.waitUntil(lambda: given.count is not None or bool(given.fault))
        assert is_whole(given.fault or given.note.text())
    assert given.fault
    # How far a run is, and how long it will go on.
    trainer.state, trainer.progress = "running", Progress("learning", 4, 43)
    monkeypatch.setattr(Trainer, "seconds_left", 12.0)
    window._show_progress()
    assert is_whole(window.head.text())
    assert "about 12 s left" in window.head.text()


@pytest.mark.parametrize("where", ["", "line 3"])
@pytest.mark.parametrize("remedy", ["", "take fewer"])
def test_what_is_wrong_with_settings(qapp, brackets, where, remedy):
    text = complaint(ParameterError("too many", where, remedy))
    assert is_whole(text)
    assert text.strip("⟦⟧") == "; ".join(filter(None, ("Too many", where, remedy))) + "."


@pytest.mark.parametrize("byte_fallback", [False, True])
def test_the_sum_of_a_unigram_vocabulary(qapp, brackets, byte_fallback):
    settings = UnigramSettings(280 if byte_fallback else 16, byte_fallback=byte_fallback)
    trained = train_unigram(["lower newest widest\n"] * 5, settings)
    text = sum_of(Outcome(trained, (), {}, 0.0))
    assert is_whole(text)
    assert ("256 bytes" in text) is byte_fallback
