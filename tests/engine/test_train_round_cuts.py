"""A sample text after each round of a run: what cuts it, and how it stands as words and parts."""

from __future__ import annotations

import pytest

import engine
from engine.train.bytepiece import BytePieceSettings, train_bytepiece
from engine.train.replay import MISSING, Part, Span
from engine.train.round_cuts import RoundCuts, cut_by, prepared
from engine.train.save import save
from engine.train.unigram import UnigramSettings, train_unigram

WORDS = [
    a + b + c
    for a in ("low", "new", "wid", "sea")
    for b in ("er", "est", "ing")
    for c in ("", "s", "ly")
]
LINES = [" ".join([*WORDS, "이", "오늘", "오늘", "\n"])] * 3
SAMPLE = "  lowest newest 오늘 🌤 zz"


def spans(data, cut):
    begun, found = 0, []
    for end, known in cut:
        found.append((data[begun:end], known))
        begun = end
    return found


@pytest.mark.parametrize("byte_fallback", [False, True])
def test_the_last_cut_of_unigram_is_that_of_the_saved_model(tmp_path, byte_fallback):
    size = 40 + 256 * byte_fallback
    settings = UnigramSettings(size, coverage=1.0, byte_fallback=byte_fallback)
    seen = []
    trained = train_unigram(LINES, settings, watch=seen.append)
    data = prepared(SAMPLE, settings)
    assert data.decode() == "▁lowest▁newest▁오늘▁🌤▁zz"
    found = spans(data, cut_by(trained, data))
    save(trained, tmp_path / "m.model")
    encoding = engine.load(tmp_path / "m.model").encode(SAMPLE)
    assert len(found) == len(encoding.ids)
    pieces = [trained.pieces[i] for i in encoding.ids.tolist()]
    for (text, known), piece in zip(found, pieces, strict=True):
        if not known:
            assert piece == b"<unk>"
        else:
            assert text == piece or b"<0x%02X>" % text[0] == piece
    assert any(not known for _, known in found) == (not byte_fallback)
    # Earlier rounds had more pieces, and cut by their own.
    first = spans(data, cut_by(seen[0], data))
    assert {text for text, known in first if known and len(text) > 1} <= {
        *seen[0].pieces, *(bytes([byte]) for byte in data)
    }  # fmt: skip


def test_the_last_cut_of_bytepiece_is_that_of_the_saved_model(tmp_path):
    settings = BytePieceSettings(290, least=1)
    trained = train_bytepiece(LINES, settings)
    data = prepared(SAMPLE, settings)
    save(trained, tmp_path / "m.model")
    model = engine.load(tmp_path / "m.model")
    pieces = [model.vocabulary.bytes(i) for i in model.encode(SAMPLE).ids.tolist()]
    assert [text for text, _ in spans(data, cut_by(trained, data))] == pieces


def test_a_text_as_words_of_parts():
    data = "▁ab▁cé".encode()
    one = ((4, True), (5, True), (8, True), (9, True), (11, False))
    other = ((5, True), (8, True), (9, True), (10, True), (11, True))
    cuts = RoundCuts(data, [None, one, other])
    base = [symbol.decode("latin-1") for symbol in cuts.units.base]
    assert base == ["▁".encode().decode("latin-1"), "a", "b", "c", "Ã", "©"]
    assert cuts.units.offsets.tolist() == [0, 3, 7]
    texts = [
        [["?" if p.symbol == MISSING else cuts.symbols[p.symbol] for p in cuts.state(word, done)]
         for word in range(len(cuts))]
        for done in range(4)
    ]  # fmt: skip
    mark, e = "▁".encode(), "é".encode()
    whole = [[mark + b"ab"], [mark + b"c" + e]]
    assert texts == [
        whole, whole,
        [[mark + b"a", b"b"], [mark, b"c", "?"]],
        [[mark + b"ab"], [mark, b"c", e[:1], e[1:]]],
    ]  # fmt: skip
    assert cuts.state(1, 3)[2] == Part(cuts.symbols.index(e[:1]), 2, 2)
    assert [cuts.is_cut(done) for done in range(4)] == [False, False, True, True]
    assert cuts.touching().tolist() == [2, 3]
    assert cuts.touching(Span(1, 1, 1)).tolist() == [2]
    assert cuts.touching(Span(0, 0, 0)).tolist() == [2, 3]


def test_an_empty_text_has_no_words():
    settings = BytePieceSettings(290)
    assert cut_by(train_bytepiece(LINES, settings), prepared("", settings)) == ()
    assert len(RoundCuts(b"", [()])) == 0
