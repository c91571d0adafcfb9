"""BytePiece vocabularies: the language model, the pieces, and what is saved."""

from __future__ import annotations

import json
import math
import random
from itertools import pairwise

import numpy as np
import pytest

import engine
from engine.errors import ParameterError, TextError, TrainingError
from engine.progress import Cancelled, silent
from engine.train import bytepiece_compiled, bytepiece_plain
from engine.train.bytepiece import BytePieceSettings, train_bytepiece
from engine.train.bytepiece_plain import count_ngrams, cut
from engine.train.bytepiece_record import FIELDS, record_of
from engine.train.save import save, write_record
from tests.engine.trained import lines, scrambled
from tests.peers import bytepiece_peer


def chunks_of(rng):
    alphabet = rng.choice(["ab", "abc d", "aé今\0", "今日は天気👨\u200d👩"])
    return [
        "".join(rng.choice(alphabet) for _ in range(rng.choice([1, 2, 5, 20, 60]))).encode()
        for _ in range(rng.randint(1, 9))
    ]


def found_by(module, chunks, least, whole):
    data = np.frombuffer(b"".join(chunks), dtype=np.uint8)
    ends = np.cumsum([len(chunk) for chunk in chunks])
    data, offsets, counts = module.cut_corpus(data, ends, least, whole, silent)
    raw = data.tobytes()
    return {raw[a:b]: n for (a, b), n in zip(pairwise(offsets.tolist()), counts.tolist(),
                                             strict=True)}  # fmt: skip


def test_the_kernels_do_what_their_plain_twins_do():
    rng = random.Random("bytes")
    for _ in range(80):
        chunks, least, whole = chunks_of(rng), rng.choice([1, 2, 3, 5]), rng.random() < 0.6
        assert found_by(bytepiece_compiled, chunks, least, whole) == found_by(
            bytepiece_plain, chunks, least, whole
        )


def test_n_grams_by_hand():
    counts = count_ngrams([b"abab", b"ab"], 2)
    assert counts[b"a"] == counts[b"b"] == counts[b"ab"] == 3
    assert counts[b"c"] == 1  # never there
    assert counts[b""] == 6 + 254
    assert b"ba" not in counts  # only once
    assert b"abab" not in counts
    assert {len(key) for key in count_ngrams([b"abcdefgh"] * 2, 1)} == set(range(7))


def best_of_all(chunk, counts, whole):
    """Return the best sum over all cuts of a chunk, by the definition."""
    best = -math.inf
    for mask in range(1 << (len(chunk) - 1)):
        begins = [0, *(i for i in range(1, len(chunk)) if mask >> (i - 1) & 1)]
        if whole and any(chunk[i] & 0xC0 == 0x80 for i in begins):
            continue
        total = 0.0
        for i in range(len(chunk)):
            j = min(i - max(b for b in begins if b <= i), 5)
            own = counts.get(chunk[i - j : i + 1])
            if own is None:
                total = -math.inf
                break
            total += math.log(own) - math.log(counts[chunk[i - j : i]])
        best = max(best, total)
    return best


def worth(pieces, counts):
    total = 0.0
    for piece in pieces:
        for i in range(len(piece)):
            j = min(i, 5)
            total += math.log(counts[piece[i - j : i + 1]]) - math.log(counts[piece[i - j : i]])
    return total


def test_cuts_are_the_best_of_all():
    rng = random.Random("cuts")
    for _ in range(60):
        text = "".join(rng.choice("abé") for _ in range(rng.randint(4, 30))) * 2
        counts = count_ngrams([text.encode()], 2)
        chunk = "".join(rng.choice("abé") for _ in range(rng.randint(1, 6))).encode()
        whole = rng.random() < 0.5
        best, pieces = best_of_all(chunk, counts, whole), cut(chunk, counts, whole)
        assert b"".join(pieces) == chunk
        if best > -math.inf:
            assert worth(pieces, counts) == pytest.approx(best, rel=1e-12)


def test_a_rare_character_does_not_spoil_its_line():
    # Its bytes never follow each other twice, so no path keeps it whole: only it is cut to bytes.
    rare, usual = "now and then 今\n", "now and then\n"
    counts = count_ngrams([rare.encode(), *[usual.encode()] * 9], 2)
    assert cut(usual.encode(), counts, True) == [usual.encode()]
    pieces = cut(rare.encode(), counts, True)
    assert pieces[0].startswith(b"now and then")
    assert pieces[-4:] == [b"\xe4", b"\xbb", b"\x8a", b"\n"]
    found = train_bytepiece([rare, *[usual] * 9], BytePieceSettings(300))
    assert usual.encode() in found.pieces
    assert all(piece.decode("utf-8") for piece in found.pieces[256:])


SETTINGS = [
    BytePieceSettings(600),
    BytePieceSettings(500, whole_characters=False, longest=6),
    BytePieceSettings(5_000, least=3, single_digits=True),
]


@pytest.fixture(scope="module")
def texts():
    return [*(line + "\n" for line in lines()[:120]), *scrambled(60), "a\0b 12 345\n\n\nx"]


@pytest.fixture(scope="module", params=SETTINGS, ids=str)
def trained(request, texts):
    return train_bytepiece(texts, request.param)


def test_what_is_saved_gives_the_ids_of_the_library_s_rule(trained, texts, tmp_path):
    path = tmp_path / "b.model"
    save(trained, path)
    document = json.loads(path.read_text(encoding="utf-8"))
    assert len(document) == len(trained.pieces) == trained.size - 3
    assert [row[0] for row in document.values()] == list(range(3, trained.size))
    model = engine.load(path)
    assert model.warnings == ()
    theirs = bytepiece_peer(path).encode(texts)
    assert [model.encode(text).ids.tolist() for text in texts] == theirs
    if not trained.settings.single_digits:
        assert sum(map(len, theirs)) == trained.n_tokens


def test_pieces_are_as_they_were_asked_for(trained):
    settings, pieces = trained.settings, trained.pieces
    assert pieces == tuple(sorted(pieces, key=lambda piece: (len(piece), piece)))
    assert pieces[:256] == tuple(bytes((byte,)) for byte in range(256))
    assert trained.size <= settings.size
    assert max(map(len, pieces)) <= settings.longest
    inside = 0
    for piece, count in zip(pieces[256:], trained.counts[256:].tolist(), strict=True):
        assert count >= settings.least
        try:
            text = piece.decode("utf-8")
        except UnicodeDecodeError:
            inside += 1
            continue
        assert len(text) == 1 or not (
            settings.single_digits and any(char.isdecimal() for char in text)
        )
    assert (inside > 0) == (not settings.whole_characters)


def test_every_piece_is_its_own_best_cut(trained, tmp_path):
    save(trained, tmp_path / "b.model")
    model = engine.load(tmp_path / "b.model")
    for number, piece in enumerate(trained.pieces, start=3):
        data = np.frombuffer(piece, dtype=np.uint8)
        ends = np.array([len(piece)], dtype=np.int64)
        found = model.segmenter.segment(data, np.zeros(1, dtype=np.int64), ends)
        assert found.ids.tolist() == [number]


def test_the_record_has_a_row_for_each_round(trained, tmp_path):
    record = record_of(trained)
    assert [row["name"] for row in record.rows][:2] == ["cut", "rare"]
    assert record.rows[-1]["name"] == "encode"
    assert record.rows[-1]["vocab_size"] == trained.size
    assert record.rows[-1]["tokens"] == trained.n_tokens
    capped = any(row["name"] == "cap" for row in record.rows)
    assert capped == (trained.settings.size < 5_000)
    write_record(trained, tmp_path / "log.csv")
    rows = (tmp_path / "log.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0].split(",") == list(FIELDS)
    assert len(rows) == 1 + len(record.rows)


def test_the_order_of_lines_changes_nothing(texts):
    shuffled = list(texts)
    random.Random(3).shuffle(shuffled)
    one = train_bytepiece(texts, SETTINGS[0])
    other = train_bytepiece(shuffled, SETTINGS[0])
    assert one.pieces == other.pieces
    assert one.counts.tolist() == other.counts.tolist()
    assert one.rounds == other.rounds


def test_text_is_composed_and_long_lines_are_cut():
    found = train_bytepiece(["e\u0301te\u0301 now\n"] * 5, BytePieceSettings(300))
    assert any("é".encode() in piece for piece in found.pieces)
    assert not any(b"e\xcc\x81" in piece for piece in found.pieces)
    long = train_bytepiece(["a" * 1_000_000], BytePieceSettings(300))
    # A line of a million is a hundred chunks, and no piece is longer than 36 bytes.
    assert max(map(len, long.pieces)) <= 36
    assert long.rounds[0].tokens >= 100


def test_watching_and_cancelling(texts):
    seen = []
    found = train_bytepiece(texts, SETTINGS[0], watch=seen.append)
    assert [len(held.rounds) for held in seen] == list(range(2, len(found.rounds)))
    assert seen[-1].pieces == found.pieces

    def report(done, total):
        if total and done > total // 2:
            raise Cancelled

    with pytest.raises(Cancelled):
        train_bytepiece(texts, SETTINGS[0], report)


def test_bad_input_is_refused_and_said():
    def refused(text, *given, **settings):
        with pytest.raises((ParameterError, TrainingError)) as caught:
            train_bytepiece([text], BytePieceSettings(*given, **settings))
        return str(caught.value)

    assert "nothing but white space, 1 line" in refused("", 300)
    assert "nothing but white space" in refused("\n\n \r\n", 300)
    assert "smaller than the 256 bytes and 3 special tokens" in refused("abc", 258)
    assert "at least 259" in refused("abc", 258)
    assert "lowest count of 0" in refused("abc", 300, least=0)
    assert "longest piece of 0 bytes" in refused("abc", 300, longest=0)
    with pytest.raises(TextError):
        train_bytepiece(["a\ud800"], BytePieceSettings(300))


def test_a_size_that_the_corpus_cannot_give():
    found = train_bytepiece(["ab\n"] * 3, BytePieceSettings(5_000))
    assert found.size < 263
    assert b"ab\n" in found.pieces
    assert found.n_tokens == 3
