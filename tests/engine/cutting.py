"""What the tests of the segmentation rules share."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engine.segmenter import Edges, Segmented

Cut = Callable[[Any, bytes], Segmented]
Span = tuple[np.ndarray, np.ndarray, np.ndarray]


def whole(text: bytes) -> Span:
    """Return a text as one pre-token: data, starts, ends."""
    return np.frombuffer(bytearray(text), np.uint8), np.array([0]), np.array([len(text)])


def parts(words: Sequence[bytes]) -> Span:
    """Return words as pre-tokens: data, starts, ends."""
    ends = np.cumsum([len(word) for word in words], dtype=np.int64)
    starts = ends - np.array([len(word) for word in words], dtype=np.int64)
    return np.frombuffer(bytearray(b"".join(words)), np.uint8), starts, ends


def plain(model: Any, text: bytes) -> Segmented:
    """Cut one pre-token on the plain road."""
    return model.segment_plain(*whole(text))


def compiled(model: Any, text: bytes) -> Segmented:
    """Cut one pre-token with the kernel."""
    cut = model.segment_compiled(*whole(text))
    return cut[0] if isinstance(cut, tuple) else cut


def tokens(cut: Segmented) -> list[tuple[int, int, int]]:
    """Return (id, start, end) of each token."""
    columns = (cut.ids.tolist(), cut.starts.tolist(), cut.ends.tolist())
    return list(zip(*columns, strict=True))


def rows(edges: Edges) -> list[tuple[int, int, int, int]]:
    """Return (start, end, piece, kind) of each edge."""
    columns = (edges.start, edges.end, edges.piece, edges.kind)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def sentencepiece_model(pieces: Sequence[tuple[str, float, int]], model_type: int) -> bytes:
    """Return a `ModelProto` without a normalizer. model_type: 1 Unigram, 2 BPE."""

    def varint(value: int) -> bytes:
        return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)

    def message(number: int, content: bytes) -> bytes:
        return varint(number << 3 | 2) + varint(len(content)) + content

    def number(field: int, value: int) -> bytes:
        return varint(field << 3) + varint(value)

    out = b""
    for text, score, kind in pieces:
        one = message(1, text.encode()) + varint(2 << 3 | 5) + struct.pack("<f", score)
        out += message(1, one + number(3, kind))
    out += message(2, number(3, model_type))
    return out + message(3, message(1, b"identity") + number(3, 0) + number(4, 0) + number(5, 0))
