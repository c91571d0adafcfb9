"""A text under the first merges of a run: each state is what those merges alone make of it."""

from __future__ import annotations

import numpy as np
import pytest

from engine.train.bpe import BpeSettings, train_bpe, units_of
from engine.train.replay import MISSING, Replay, Span, rows_of
from engine.train.words import count_words, cut, words_of

TEXT = "low low low low low lower lower newest newest newest newest newest newest widest aaaaa aaa"


def replay(trained, text, upto=None):
    settings, merges = trained.settings, trained.merges
    words = cut(text, settings.pre_tokenizer)
    units = units_of(words_of((word.encode(), 1) for word in words), settings)
    replayed = Replay(rows_of(units, merges.base))
    pairs = list(zip(merges.left.tolist(), merges.right.tolist(), strict=True))
    for known in (upto,) if upto is not None else (1, 4, len(pairs)):
        numbers = {pair: k for k, pair in enumerate(pairs[:known])}
        replayed.extend(lambda a, b, known=numbers: known.get((a, b), -1), len(merges.base))
    return replayed


def texts(trained, replayed, word, done):
    symbols = trained.merges.symbols
    return [symbols[part.symbol].decode() for part in replayed.state(word, done)]


@pytest.fixture(scope="module")
def trained():
    return train_bpe([TEXT], BpeSettings(60, "characters", "whitespace", "</w>"))


def test_a_word_is_merged_as_the_run_goes(trained):
    replayed = replay(trained, "lowest")
    # we, lo and st</w> are learnt before any longer piece.
    assert texts(trained, replayed, 0, 0) == ["l", "o", "w", "e", "s", "t</w>"]
    pieces = trained.merges.symbols[len(trained.merges.base) :]
    steps = replayed.touching().tolist()
    made = [pieces[done - 1].decode() for done in steps]
    for done, piece in zip(steps, made, strict=True):
        assert piece in texts(trained, replayed, 0, done)
        assert piece not in texts(trained, replayed, 0, done - 1)
        (span,) = replayed.made(done)
        assert "lowest</w>"[span.first : span.last + 1] == piece.removesuffix("</w>")
    assert "".join(texts(trained, replayed, 0, 999)) == "lowest</w>"
    assert texts(trained, replayed, 0, 999) == ["lowe", "st</w>"]


def test_every_state_has_the_tokens_that_the_run_counted(trained):
    merges, words = trained.merges, count_words([TEXT], "whitespace")
    whole = replay(trained, TEXT)
    assert len(whole) == words.total
    for done in range(len(merges) + 1):
        tokens = sum(len(whole.state(word, done)) for word in range(len(whole)))
        assert tokens == merges.tokens[done]
        first = replay(trained, TEXT, done)
        for word in range(len(whole)):
            assert whole.state(word, done) == first.state(word, done)


def test_what_touches_a_part_of_a_word(trained):
    replayed = replay(trained, "low newest")
    ends = replayed.touching(Span(1, 4, 5)).tolist()
    assert ends
    for done in range(1, len(trained.merges) + 1):

        def state(done):
            return [p for p in replayed.state(1, done) if p.last >= 4]

        assert (done in ends) == (state(done) != state(done - 1))
    both = np.union1d(replayed.touching(Span(0, 0, 9)), replayed.touching(Span(1, 0, 9)))
    assert replayed.touching().tolist() == both.tolist()


def test_a_character_that_was_not_in_the_corpus_stays_alone(trained):
    replayed = replay(trained, "loxw")
    state = replayed.state(0, 999)
    assert [part.symbol for part in state][1:2] == [MISSING]
    assert [(part.first, part.last) for part in state] == [(0, 1), (2, 2), (3, 3)]


def test_words_are_cut_as_they_are_counted():
    text = "Hello, 今天  weather's 12345\n"
    for name in ("cl100k", "gpt2", "whitespace", "metaspace", "none", r"\w+|\W"):
        counted = count_words([text], name)
        assert [word.encode() for word in dict.fromkeys(cut(text, name))] == list(counted)
