"""The bench: what it compares, and how it reads its text."""

from __future__ import annotations

import gzip
import lzma
import os
from pathlib import Path

import pytest

from engine import bench, bundled, load
from engine.dropout import BPE_DROPOUTS
from engine.errors import CorpusError

LINES = ["Good morning, the train leaves at 7:45.", "今天天气不错", "", "Доброе утро"] * 20


def test_rows_of_a_unigram_model() -> None:
    seen: list[tuple[int, int]] = []
    model = load(bundled.model_path("everyday-unigram"))
    rows = bench.bench(model, LINES, lambda done, total: seen.append((done, total)), rounds=2)
    assert [(row.name, row.peer) for row in rows] == [
        ("encode", "sentencepiece"),
        ("normalize and pre-tokenize", "encode"),
        ("segment", "encode"),
        *(
            (f"{method} sampling, θ = {theta}", peer)
            for method in ("perfect", "ffbs")
            for theta in ("0.1", "1")
            for peer in ("encode", f"sentencepiece, nbest_size −1, θ = {theta}")
        ),
        ("marginals", "sentencepiece"),
        ("64 best paths", "sentencepiece, 64 best"),
        ("one of 64 best, θ = 0.1", "sentencepiece, nbest_size 64"),
    ]
    for row in rows:
        assert row.ratio == row.peer_seconds / row.seconds
        assert row.lowest <= row.highest
    # What the parts are compared with is the whole of the first row.
    assert {row.peer_seconds for row in rows if row.peer == "encode"} == {rows[0].seconds}
    assert seen[-1] == (45, 45)


@pytest.mark.parametrize(
    ("name", "peer"),
    [("everyday-bpe", "tokenizers"), ("toy-weather", ""), ("toy-lower", "tokenizers")],
)
def test_the_peer_is_the_models_own_library(name: str, peer: str) -> None:
    before = os.environ.get("TOKENIZERS_PARALLELISM")
    rows = bench.bench(load(bundled.model_path(name)), LINES, rounds=1)
    assert rows[0].peer == peer
    assert (rows[0].ratio == rows[0].ratio) == bool(peer)
    dropping = [(row.name, row.peer) for row in rows if "dropout" in row.name]
    assert dropping == (
        [(f"{method}, p = 0.1", peer) for method in BPE_DROPOUTS] if peer == "tokenizers" else []
    )
    assert os.environ.get("TOKENIZERS_PARALLELISM") == before


@pytest.mark.parametrize("name", ["everyday-unigram", "everyday-bpe"])
def test_the_peer_gives_the_same_ids(name: str) -> None:
    model = load(bundled.model_path(name))
    peer = bench.peer_of(model, LINES)
    assert peer is not None
    expected = [list(getattr(found, "ids", found)) for found in peer[1]()]
    batch = model.encode_lines(LINES)
    assert [batch[i].tolist() for i in range(len(batch))] == expected


def test_measure_takes_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, order = [0.0], []
    costs = {"a": iter([9.0, 1.0, 5.0, 2.0]), "b": iter([9.0, 3.0, 3.0, 3.0])}

    def job(name: str) -> None:
        order.append(name)
        clock[0] += next(costs[name])

    monkeypatch.setattr(bench.time, "perf_counter", lambda: clock[0])
    found = bench.measure({"a": lambda: job("a"), "b": lambda: job("b")}, 3)
    assert found == {"a": [1.0, 5.0, 2.0], "b": [3.0, 3.0, 3.0]}  # the first round isn't timed
    assert order == ["a", "b"] * 4


def test_packed_texts_are_read(tmp_path: Path) -> None:
    text = "one\ntwo\r\nthree\u2028four\n"
    (tmp_path / "plain").write_bytes(text.encode())
    (tmp_path / "xz").write_bytes(lzma.compress(text.encode()))
    (tmp_path / "gz").write_bytes(gzip.compress(text.encode()))
    for name in ("plain", "xz", "gz"):
        assert bench.read_text(tmp_path / name) == ["one", "two\r", "three\u2028four"]


def test_texts_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"ab\xe9")
    with pytest.raises(CorpusError, match=r"isn't UTF-8, .*byte 2"):
        bench.read_text(tmp_path / "latin")
    (tmp_path / "torn").write_bytes(lzma.compress(b"abc" * 1000)[:40])
    (tmp_path / "odd").write_bytes(gzip.compress(b"abc" * 1000)[:20])
    for name in ("torn", "odd", "absent"):
        with pytest.raises(CorpusError, match=f"can't be read .*{name}"):
            bench.read_text(tmp_path / name)


def test_without_arguments_the_bundled_model_and_text_are_used() -> None:
    lines = bench.bundled_text()
    size = sum(len(line.encode()) + 1 for line in lines)
    assert bench.DEFAULT_SIZE / 2 < size <= bench.DEFAULT_SIZE
