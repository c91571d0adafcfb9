"""Random SentencePiece, tiktoken and BytePiece models: the ids are those of the libraries.

BytePiece's library doesn't install everywhere; its rule is written out in `tests.peers`.
"""

from __future__ import annotations

import base64
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor
from tiktoken import Encoding

from engine.encodings import PATTERNS
from engine.formats import load
from engine.model import Model
from tests.engine.documents import bytepiece
from tests.engine.random_models import frequencies, rank_files, sentencepiece_models, texts
from tests.peers import bytepiece_peer

MANY = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def read(data: bytes, name: str, pattern: str | None = None) -> Model:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        return load(path, pattern=pattern)


@pytest.mark.parametrize("model_type", [1, 2, 3, 4], ids=["unigram", "bpe", "word", "char"])
@MANY
@given(data=st.data())
def test_sentencepiece(model_type: int, data: st.DataObject) -> None:
    proto = data.draw(sentencepiece_models(model_type))
    lines = data.draw(texts)
    model, peer = read(proto, "m.model"), SentencePieceProcessor()
    peer.LoadFromSerializedProto(proto)
    batch = model.encode_lines(lines)
    for k, line in enumerate([*lines, " ".join(lines * 60)]):
        ids = peer.encode(line)
        assert model.encode(line).ids.tolist() == ids, line[:80]
        assert model.decode(ids).decode() == peer.decode(ids)
        if k < len(lines):
            assert batch[k].tolist() == ids
            assert model.lattice(line).path.ids == ids


@MANY
@given(rank_files(), texts, st.sampled_from(["none", "gpt2", "cl100k"]))
def test_tiktoken(data: bytes, lines: list[str], pattern: str) -> None:
    ranks = {
        base64.b64decode(piece): int(rank)
        for piece, rank in (line.split() for line in data.splitlines())
    }
    model = read(data, "own.tiktoken", pattern)
    regex = PATTERNS.get(pattern, r"(?s).+")
    peer = Encoding("own", pat_str=regex, mergeable_ranks=ranks, special_tokens={})
    batch = model.encode_lines(lines)
    for k, line in enumerate([*lines, " ".join(lines * 60)]):
        ids = peer.encode_ordinary(line)
        encoding = model.encode(line)
        assert encoding.ids.tolist() == ids, line[:80]
        assert model.decode(ids) == peer.decode_bytes(ids) == line.encode()
        assert b"".join(token.bytes for token in encoding.tokens) == line.encode()
        if k < len(lines):
            assert batch[k].tolist() == ids
            assert model.lattice(line).path.ids == ids


@MANY
@given(frequencies(), texts)
def test_bytepiece(counts: dict[bytes, float], lines: list[str]) -> None:
    data = json.dumps(bytepiece(counts)).encode()
    model = read(data, "b.model")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "b.model")
        path.write_bytes(data)
        peer = bytepiece_peer(path)
    batch = model.encode_lines(lines)
    for k, (line, ids) in enumerate(zip(lines, peer.encode(lines), strict=True)):
        assert model.encode(line).ids.tolist() == batch[k].tolist() == ids
        assert model.decode(ids) == peer.decode(ids)
        assert model.lattice(line).path.ids == ids
