"""A long text is encoded with the help of a process, and gives what the model gives."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from app import encoding
from app.encoding import count_graphemes, encode_beginning, encode_text
from engine import bundled
from engine.progress import Cancelled
from engine.text import Text


def _model(name):
    return engine.load(next(m.path for m in bundled.models() if m.name == name))


def test_a_text_prepared_apart_gives_the_tokens_and_spans_of_the_model(monkeypatch):
    monkeypatch.setattr(encoding, "LONG", 10)
    model = _model("everyday-unigram")
    text = Text("The weather is lovely  today, é今天 <s>.")
    found, wanted = encode_text(model, text, lambda done, total: None), model.encode(text)
    assert found.text is text
    assert found.ids.tolist() == wanted.ids.tolist()
    for name in ("node_start", "node_end", "start", "end"):
        assert np.array_equal(getattr(found, name), getattr(wanted, name))
    assert np.array_equal(found.prepared.source_end, wanted.prepared.source_end)
    assert found.special_found == wanted.special_found


@pytest.mark.parametrize(
    ("string", "count", "apart"), [("e\u0301é 🌤️\r\n", 5, True), ("plain text\n", 11, False)]
)
def test_graphemes_of_a_long_text_are_counted_apart(monkeypatch, string, count, apart):
    monkeypatch.setattr(encoding, "LONG", 5)
    reports = []
    found = count_graphemes(Text(string), lambda *done: reports.append(done))
    assert found == count
    assert bool(reports) == apart


def test_preparing_apart_can_be_cancelled(monkeypatch):
    monkeypatch.setattr(encoding, "LONG", 10)

    def report(done, total):
        raise Cancelled

    with pytest.raises(Cancelled):
        encode_text(_model("everyday-bpe"), Text("The weather is lovely"), report)


@pytest.mark.parametrize("name", ["everyday-unigram", "everyday-bpe", "everyday-wordpiece"])
def test_the_beginning_of_a_long_text_has_the_tokens_of_the_whole(monkeypatch, name):
    monkeypatch.setattr(encoding, "BEGINNING", 400)
    monkeypatch.setattr(encoding, "UNSURE", 100)
    model = _model(name)
    text = Text("The weather is lovely  today, é今天天气不错 <s>. " * 30)
    begun, whole = encode_beginning(model, text, "literal"), model.encode(text)
    count = len(begun)
    assert begun.text is text
    assert 250 < begun.end[-1] <= 300
    for part in ("ids", "node_start", "node_end", "start", "end"):
        assert np.array_equal(getattr(begun, part), getattr(whole, part)[:count]), part
