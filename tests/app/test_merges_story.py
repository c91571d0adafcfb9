"""Each step in a sentence, the characters over their bytes, the trees, the border of a word."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

import engine
from app.draw.merge_labels import Labels
from app.draw.merge_rows import characters_over
from app.draw.word import Word
from app.session import Session
from app.theme import Theme
from app.views.merges import MergesWorkspace
from app.views.merges.story import Story
from app.widgets.report import MARK, Section, Sentence
from engine.bundled import model_path
from engine.model import Model
from tests.app.merging import open_merges

pytestmark = pytest.mark.screen


@pytest.fixture(scope="module")
def gpt2(request: pytest.FixtureRequest) -> Model:
    folder = request.getfixturevalue("shared")
    return engine.load(folder / "data/models/huggingface/gpt2.tokenizer.json")


def story(model: Model, text: str) -> list[str]:
    trace = model.merges(text)
    word, told = Word(trace, 0), Story(Labels(trace))
    events = [trace.event(max(row - 1, 0)) for row in range(word.n_rows)]
    return [told.sentence(word, row, event).replace(MARK, "") for row, event in enumerate(events)]


def test_lower_step_by_step(gpt2: Model) -> None:
    start, *steps = story(gpt2, "lower")
    assert start == (
        "lower starts as 5 symbols. A number between two of them is the rank of their rule: its "
        "place in the model's list, counted from 0. The lowest number goes first: e + r."
    )
    lost = "{} join: rank {} is the lowest here. That uses up {}, so {} can't happen"
    assert [told.removesuffix(" any more.") for told in steps[:3]] == [
        lost.format("e and r", 7, "e", "w + e"),
        lost.format("o and w", 66, "o", "l + o"),
        lost.format("ow and er", 533, "ow", "l + ow"),
    ]
    assert steps[3] == (
        "l and ower join: only their rule fits. It has rank 20,781. The whole word is one token "
        "now."
    )


def test_an_emoji_and_a_korean_word_are_bytes(gpt2: Model) -> None:
    emoji = story(gpt2, "👍")
    assert emoji[0].startswith(
        "👍 is one character, but 4 bytes for the computer. Each hatched brick is one of them"
    )
    assert emoji[1] == (
        "The bytes F0 and 9F join: only their rule fits. It has rank 8,326. The result is still "
        "not a whole character."
    )
    korean = story(gpt2, "한국어")
    assert korean[0].startswith("한국어 starts as its 9 bytes: a character outside ASCII")
    assert korean[-1].endswith("so 8 tokens are left. A hatched one is only a part of a character.")
    assert "The bytes now spell é." in " ".join(story(gpt2, "é"))


def test_the_border_of_a_word_is_told(gpt2: Model, tmp_path: Any) -> None:
    assert "␣ is the space before it." in story(gpt2, " lower")[0]
    path = tmp_path / "codes"
    path.write_text("#version: 0.2\ne r</w>\n", encoding="utf-8")
    assert "</w> says that the word ends here." in story(engine.load(path), "lower")[0]


def test_characters_stand_over_their_bytes(gpt2: Model) -> None:
    word = Word(gpt2.merges("a한👍"), 0)
    assert characters_over(word, 0, 3) == [("한", (1, 3))]
    word = Word(gpt2.merges("a한👍"), 1)
    assert characters_over(word, 0, 3) == [("👍", (0, 3))]
    assert characters_over(Word(gpt2.merges("lower"), 0), 0, 4) == []
    everyday = engine.load(model_path("toy-lower"))
    assert characters_over(Word(everyday.merges("é"), 0), 0, 0) == []


@pytest.fixture
def workspace(qtbot: Any, session: Session, theme: Theme) -> MergesWorkspace:
    return open_merges(qtbot, session, theme, "watching lower", "everyday-bpe")


def test_the_inspector_says_what_decoding_makes_of_the_space(workspace: MergesWorkspace) -> None:
    workspace.show_word(1)
    word = workspace.word
    assert word is not None
    workspace.player.seek(word.steps.stop)
    parts = workspace.report.parts
    at = parts.index(Section("Decoded"))
    sentence = parts[at + 1]
    assert isinstance(sentence, Sentence)
    assert sentence.text.replace(MARK, "").endswith("twice in a row reads ␣lower␣lower.")


def test_the_trees_of_a_word_and_of_a_piece(
    qtbot: Any, workspace: MergesWorkspace, session: Session
) -> None:
    pane = next(pane for pane in workspace.panes() if pane.objectName() == "merges.tree")
    pane.raise_()
    view = workspace.tree.view
    qtbot.waitUntil(lambda: view.tree is not None, timeout=5000)
    assert view.tree is not None
    texts = [text for text, _ in view.tree.texts]
    assert texts == [*"watching", "in", "at", "ch", "ing"]
    forest = view.tree.forest
    assert [texts[root] for root in forest.roots.tolist()] == ["w", "at", "ch", "ing"]
    # Each merge stands over the middle of what it joins.
    of, halves = view.tree.middle, (texts.index("in"), texts.index("g"))
    assert of[texts.index("ing")] == (of[halves[0]] + of[halves[1]]) / 2
    tops = [view.tree.box(texts.index(text)).top() for text in ("ing", "in", "i")]
    assert tops == sorted(set(tops))
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert texts[view.selected] == "w"
    told = []
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down):
        qtbot.keyClick(view, key)
        told.append(view.accessibleDescription())
    assert told[0] == "at: a and t, joined by rank 99"
    assert [text.split(":")[0] for text in told] == ["at", "ch", "ing", "in"]
    qtbot.keyClick(view, Qt.Key.Key_Up)
    assert texts[view.selected] == "ing"
    workspace.tree.what.button("piece").click()
    assert view.tree is None
    vocabulary = session.active.model.vocabulary
    session.select(piece=vocabulary.index[b"ing"])
    assert view.tree is not None
    assert [text for text, _ in view.tree.texts][-1] == "ing"
    session.select(piece=vocabulary.index[b"a"])
    assert workspace.tree.said.text() == "No merge makes this piece"
