"""The vocabulary: all pieces of a model as flat arrays, the id being the index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelError

Bytes = bytes
"""The type, under a name that `Vocabulary.bytes` doesn't hide."""


class PieceKind(IntEnum):
    """What a piece is for. 1 to 6 are SentencePiece's own numbers (`ModelProto.SentencePiece`)."""

    HOLE = 0
    """No piece has this id. Behind the highest id, such entries hold the symbols without a piece
    that BPE may merge (`Bpe`)."""
    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    """Never matches text: `<s>`, `</s>`."""
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6
    """Byte fallback piece such as `<0xE4>`; its bytes are the one byte that it stands for."""
    ADDED = 7
    """Cut out of the text before the model sees it (`added_tokens` of a tokenizer.json)."""


_BYTE = int(PieceKind.BYTE)
"""Members of an IntEnum are slow to reach; this one is asked for once a token."""


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """All pieces, the id being the index; ids without a piece have kind HOLE.

    data: uint8[total], the bytes of all pieces end to end. Bytes are what the piece matches in
        the text that the model segments: real bytes for byte-level models, UTF-8 with ▁ for
        SentencePiece, without the `##` for WordPiece.
    offsets: int64[n + 1], where each piece starts in `data`.
    score: float64[n], natural logarithm of the piece's probability (Unigram); NaN where the
        model defines none. Never a BPE rank.
    kind: uint8[n], `PieceKind`.
    continuation: bool[n], True for WordPiece's `##` pieces; None where the format has no such mark.
    mark: how continuation pieces are written, `##` in BERT.
    names: further byte strings that match a piece: HuggingFace's models also match the characters
        `<0xE4>` as the byte piece.
    matches: bool[n], the pieces that the model's algorithm matches in text, where the kind doesn't
        tell: HuggingFace's Unigram also matches the characters `<unk>`. None: the kind tells.
    """

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    score: NDArray[np.float64]
    kind: NDArray[np.uint8]
    continuation: NDArray[np.bool_] | None = None
    matches: NDArray[np.bool_] | None = None
    mark: str = "##"
    names: Mapping[Bytes, int] = field(default_factory=dict)

    @classmethod
    def build(
        cls,
        pieces: list[bytes],
        score: NDArray[np.float64] | None = None,
        kind: NDArray[np.uint8] | None = None,
        continuation: NDArray[np.bool_] | None = None,
        matches: NDArray[np.bool_] | None = None,
        mark: str = "##",
        names: Mapping[Bytes, int] | None = None,
    ) -> Vocabulary:
        """Make a vocabulary of a list of piece bytes in id order (b"" for a hole)."""
        n = len(pieces)
        lengths = np.fromiter(map(len, pieces), dtype=np.int64, count=n)
        offsets = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
        data = np.frombuffer(b"".join(pieces), dtype=np.uint8)
        if score is None:
            score = np.full(n, np.nan)
        if kind is None:
            kind = np.full(n, PieceKind.NORMAL, dtype=np.uint8)
        for array, name in ((score, "score"), (kind, "kind")):
            if len(array) != n:
                raise ModelError(f"{len(array)} values of {name} for {n} pieces")
        return cls(data, offsets, score, kind, continuation, matches, mark, names or {})

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def count(self) -> int:
        """Number of pieces, holes not counted."""
        return int(np.count_nonzero(self.kind))

    @property
    def holes(self) -> NDArray[np.int64]:
        """Ids without a piece, up to `max_id`."""
        return np.flatnonzero(self.kind[: self.max_id + 1] == PieceKind.HOLE)

    @property
    def max_id(self) -> int:
        """The highest id; symbols without a piece, which may stand behind it, don't count."""
        return len(self) - 1 - int(np.count_nonzero((self.kind == 0) & (self.lengths > 0)))

    @cached_property
    def joined(self) -> bytes:
        """The bytes of all pieces end to end, as one `bytes`."""
        return self.data.tobytes()

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Number of bytes of each piece, int64[n]."""
        return np.diff(self.offsets)

    def bytes(self, piece: int) -> Bytes:
        """Return the bytes of a piece."""
        if not 0 <= piece < len(self):
            raise IndexError(f"no piece {piece}: ids run from 0 to {len(self) - 1}")
        return self.joined[self.offsets[piece] : self.offsets[piece + 1]]

    def text(self, piece: int) -> str:
        """Return a piece as text as its file writes it; stray bytes become U+FFFD.

        WordPiece continuations get their mark back, byte fallback pieces read `<0xE4>`.
        """
        data = self.bytes(piece)
        if self.kind[piece] == _BYTE:
            return f"<0x{data[0]:02X}>"
        text = data.decode("utf-8", errors="replace")
        if self.continuation is not None and self.continuation[piece]:
            return self.mark + text
        return text

    def find(self, data: Bytes) -> NDArray[np.int64]:
        """Return the ids of all pieces with exactly these bytes, of any kind, the lowest first."""
        ids = np.flatnonzero((self.lengths == len(data)) & (self.kind != PieceKind.HOLE))
        rows = self.data[self.offsets[ids][:, np.newaxis] + np.arange(len(data))]
        same: NDArray[np.bool_] = (rows == np.frombuffer(data, dtype=np.uint8)).all(axis=1)
        return ids[same]

    @cached_property
    def matchable(self) -> NDArray[np.bool_]:
        """Pieces that an edge of the lattice may use: normal and user-defined ones, not empty."""
        usable = self.matches
        if usable is None:
            usable = (self.kind == PieceKind.NORMAL) | (self.kind == PieceKind.USER_DEFINED)
        return usable & (self.lengths > 0)

    @cached_property
    def index(self) -> dict[Bytes, int]:
        """Id of each matchable piece by its bytes, WordPiece's continuations left out."""
        return self._index(False)

    @cached_property
    def continuation_index(self) -> dict[Bytes, int]:
        """Id of each WordPiece continuation by its bytes; empty for other models."""
        return self._index(True)

    def _index(self, continuation: bool) -> dict[Bytes, int]:
        wanted = self.matchable
        if self.continuation is not None:
            wanted = wanted & (self.continuation == continuation)
        elif continuation:
            return {}
        offsets = self.offsets.tolist()
        joined = self.joined
        # Reversed, so that of two equal pieces the lower id stays.
        index = {
            joined[offsets[i] : offsets[i + 1]]: i
            for i in reversed(np.flatnonzero(wanted).tolist())
        }
        return index if continuation or not self.names else {**index, **self.names}

    @cached_property
    def byte_pieces(self) -> NDArray[np.int32]:
        """Id of the byte fallback piece of each byte, int32[256]; -1 where there is none."""
        table = np.full(256, -1, dtype=np.int32)
        ids = np.flatnonzero(self.kind == PieceKind.BYTE)
        table[self.data[self.offsets[ids]]] = ids
        return table
