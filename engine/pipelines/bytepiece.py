"""The pipeline of a BytePiece model: NFC, and cuts after runs of newlines."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.pieces import PieceKind, Vocabulary
from engine.pipeline import Prepared, PreparedLines, check_unicode, source_of_identity
from engine.pipelines.alignment import align_groups
from engine.pipelines.specials import prepare_parsed
from engine.readings import Special
from engine.text import Text

_CHUNK = re.compile(r".*\n+|.+")


@dataclass(frozen=True, eq=False)
class BytePiecePipeline:
    """NFC and chunks that end after a run of newlines, as the bytepiece library makes them."""

    vocabulary: Vocabulary
    specials: Mapping[str, int]

    @property
    def normalizer(self) -> str:
        """The name of the normal form."""
        return "NFC"

    @property
    def pre_tokenizer(self) -> str:
        """The pattern of the chunks."""
        return f"chunks {_CHUNK.pattern}"

    def prepare(self, text: Text, special: Special = "literal") -> Prepared:
        """Return the chunks of the composed text.

        The library never reads special strings as tokens; for "parse" they are cut out here.
        """
        if special == "parse":
            return prepare_parsed(text, self.specials, self.prepare)
        composed, source_start, source_end = compose(text)
        data, cuts = _chunks(composed.string)
        return Prepared(
            text,
            data,
            cuts.astype(np.int32),
            np.full(len(cuts) - 1, -1, dtype=np.int32),
            source_start,
            source_end,
        )

    def prepare_lines(self, lines: Sequence[str]) -> PreparedLines:
        """Return many texts composed and cut into chunks."""
        check_unicode(lines)
        chunks: list[bytes] = []
        counts: list[int] = []
        for line in lines:
            found = _CHUNK.findall(unicodedata.normalize("NFC", line))
            counts.append(len(found))
            chunks.extend(chunk.encode("utf-8") for chunk in found)
        data = np.frombuffer(b"".join(chunks), dtype=np.uint8)
        ends = np.cumsum([len(chunk) for chunk in chunks], dtype=np.int64)
        starts = np.concatenate((np.zeros(1, np.int64), ends))[: len(ends)]
        cuts = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)))
        return PreparedLines(data, starts, ends, np.full(len(ends), -1, np.int32), cuts)

    def decode(self, ids: Sequence[int]) -> bytes:
        """Return the bytes of the pieces; padding, begin and end give nothing."""
        kind = self.vocabulary.kind
        return b"".join(self.vocabulary.bytes(int(i)) for i in ids if kind[i] != PieceKind.CONTROL)


def _chunks(string: str) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    chunks = [chunk.encode("utf-8") for chunk in _CHUNK.findall(string)]
    cuts = np.zeros(len(chunks) + 1, dtype=np.int64)
    np.cumsum([len(chunk) for chunk in chunks], out=cuts[1:])
    return np.frombuffer(b"".join(chunks), dtype=np.uint8), cuts


def compose(text: Text) -> tuple[Text, NDArray[np.int32], NDArray[np.int32]]:
    """Return a text in NFC, and the byte span in the given text of each of its bytes.

    Composition stays inside a stretch between two characters that begin one on both sides; such
    stretches are found as graphemes, and joined until they compose to the whole.
    """
    if unicodedata.is_normalized("NFC", text.string):
        return text, *source_of_identity(text)
    composed = Text(unicodedata.normalize("NFC", text.string))
    bounds = text.grapheme_bounds.tolist()
    spans: list[tuple[int, int, int]] = []
    made = ""
    encoded = text.encoded
    parts = []
    for start, end in pairwise(bounds):
        piece = unicodedata.normalize("NFC", encoded[start:end].decode("utf-8"))
        parts.append(piece)
        spans.append((start, end, len(piece.encode("utf-8"))))
    made = "".join(parts)
    if made != composed.string:
        spans = [(0, text.n_bytes, composed.n_bytes)]
    lengths = np.array([span[2] for span in spans], dtype=np.int64)
    starts = np.repeat(np.array([span[0] for span in spans], dtype=np.int64), lengths)
    ends = np.repeat(np.array([span[1] for span in spans], dtype=np.int64), lengths)
    align_groups(text, composed.data, starts, ends, np.ones(len(starts), dtype=np.bool_))
    return composed, starts.astype(np.int32), ends.astype(np.int32)
