"""Spaces as SentencePiece treats them: the kernel, its twin and the library."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from sentencepiece import SentencePieceProcessor

from engine import kernels
from engine.kernels.spaces import escape_spaces
from engine.pipelines.sentencepiece import Normalization, SentencePiecePipeline, escape_plain
from engine.text import Text
from tests.engine.documents import piece, sentencepiece


def rules(prefix: bool, remove: bool) -> Normalization:
    return Normalization("identity", add_dummy_prefix=prefix, remove_extra_spaces=remove)


def lines(count: int, alphabet: str) -> list[str]:
    draw = random.Random(9)
    return ["".join(draw.choices(alphabet, k=draw.randrange(7))) for _ in range(count)]


def library(prefix: bool, remove: bool) -> SentencePieceProcessor:
    processor = SentencePieceProcessor()
    processor.LoadFromSerializedProto(
        sentencepiece(piece("a"), dummy_prefix=prefix, remove_spaces=remove)
    )
    return processor


MODES = [(False, False), (False, True), (True, False), (True, True)]


@pytest.mark.parametrize(("prefix", "remove"), MODES)
@pytest.mark.parametrize("alphabet", ["  aé", " a▁", " \ta\0今"])
def test_kernel_and_twin_do_what_the_library_does(
    prefix: bool, remove: bool, alphabet: str
) -> None:
    peer = library(prefix, remove)
    done = 0
    for start in range(0, 600, 6):
        some = lines(600, alphabet)[start : start + 6]
        expected = [text.encode() for text in peer.normalize(some)]
        encoded = "\n".join(some).encode()
        raw = np.frombuffer(encoded, dtype=np.uint8)
        out = np.empty(3 * len(raw) + 3 * len(some), dtype=np.uint8)
        bounds = np.empty(len(some) + 1, dtype=np.int64)
        fits = escape_spaces(raw, remove, prefix, out, bounds)
        plain = escape_plain(encoded, len(some), rules(prefix, remove))
        assert fits == (plain is not None)
        # A ▁ of the text's own may be cut off as a space: that is the library's business.
        assert fits == (not (remove and "▁".encode() in encoded))
        if plain is not None:
            at = bounds.tolist()
            assert [out[a:b].tobytes() for a, b in pairwise(at)] == expected
            assert plain[0].tobytes() == b"".join(expected)
            assert plain[1].tolist() == at
            done += 1
    assert done or (remove and "▁" in alphabet)


@pytest.mark.parametrize(("prefix", "remove"), MODES)
@pytest.mark.parametrize("compiled", [False, True])
def test_lines_come_as_the_library_normalizes_them(
    prefix: bool, remove: bool, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "PLAIN_LIMIT", -1 if compiled else 10**9)
    data = sentencepiece(piece("a"), dummy_prefix=prefix, remove_spaces=remove)
    pipeline = SentencePiecePipeline(data, data, rules(prefix, remove), {})
    peer = library(prefix, remove)
    for some in (lines(50, " aé"), lines(50, " a▁\n"), ["", " ", ""], [""], [], ["a\nb", "c"]):
        ready = pipeline.prepare_lines(some)
        expected = peer.normalize(some) if some else []
        assert len(ready.line_cuts) == len(some) + 1
        found = []
        for first, last in pairwise(ready.line_cuts):
            spans = zip(ready.starts[first:last], ready.ends[first:last], strict=True)
            found.append("".join(ready.data[a:b].tobytes().decode() for a, b in spans))
        assert found == expected


def test_more_lines_than_there_is_room_for_are_refused() -> None:
    raw = np.frombuffer(b"a\nb\nc", dtype=np.uint8)
    out, bounds = np.empty(64, dtype=np.uint8), np.empty(3, dtype=np.int64)
    assert not escape_spaces(raw, False, True, out, bounds)


def test_a_literal_mark_of_the_text_points_at_itself() -> None:
    data = sentencepiece(piece("a"), dummy_prefix=True)
    prepared = SentencePiecePipeline(data, data, rules(True, False), {}).prepare(Text("▁ a"))
    assert prepared.data.tobytes().decode() == "▁▁▁a"
    assert prepared.source_start.tolist() == [0, 0, 0, 0, 1, 2, 3, 3, 3, 4]
    assert prepared.source_end.tolist() == [0, 0, 0, 1, 2, 3, 4, 4, 4, 5]


def test_the_normalizer_describes_itself() -> None:
    assert str(rules(True, True)) == (
        "identity, removes extra spaces, ▁ before the text, ▁ for spaces"
    )
    other = Normalization("", True, True, False, False, space_as_suffix=True)
    assert str(other) == "precompiled, ▁ after the text"
