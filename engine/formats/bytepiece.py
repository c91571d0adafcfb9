"""BytePiece `.model`: a Unigram model over bytes.

JSON of the form {base64(piece): [id, display, frequency]}. `display` is for the eye and loses
bytes, so it is ignored. The score of a piece is ln frequency − ln of the sum of all. The ids 0, 1
and 2 stand for padding, begin and end without being in the file.
"""

from __future__ import annotations

import binascii
import math
import re

import numpy as np

from engine.formats.jsonparts import read_pairs
from engine.formats.source import Source, highest_id
from engine.formats.textfile import decode, told_mark
from engine.lattice import Spelling
from engine.model import Model, SpecialToken
from engine.pieces import PieceKind, Vocabulary
from engine.pipelines.bytepiece import BytePiecePipeline
from engine.terminal import agreed, counted
from engine.unigram import Unigram

SPECIALS = ("<pad>", "<bos>", "<eos>")
MOST = 1e100
"""No corpus counts further; sums of frequencies stay finite."""

_BEGINNING = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"[A-Za-z0-9+/]*={0,2}"\s*:\s*\[\s*-?\d')


def recognise(data: bytes) -> bool:
    """Return whether a file begins with a base64 key and a list that starts with a number."""
    return _BEGINNING.match(data[:4096]) is not None


def read(source: Source) -> Model:
    """Read a BytePiece model. Raises `ModelError` naming the piece."""
    pairs = read_pairs(source, decode(source), source.part(50, 500))
    again = "the file is damaged: copy or download it again"
    pieces: dict[int, bytes] = {}
    frequency: dict[int, float] = {}
    seen: dict[bytes, int] = {}
    limit = highest_id(len(pairs))
    for key, row in pairs:
        try:
            piece = binascii.a2b_base64(key, strict_mode=True)
        except (binascii.Error, ValueError):
            raise source.error(f"the key {key!r} isn't base64", f"piece {key!r}", again) from None
        if (
            not isinstance(row, list)
            or len(row) != 3
            or type(row[0]) is not int
            or type(row[2]) not in (int, float)
        ):
            raise source.error(
                f"the entry of piece {key!r} isn't [id, display, frequency]",
                f"piece {key!r}",
                again,
            )
        number, count = row[0], row[2]
        if not len(SPECIALS) <= number <= limit:
            raise source.error(
                f"piece {key!r} has the id {number}",
                f"piece {key!r}",
                f"ids run from 3 to {limit:,}; 0, 1 and 2 are padding, begin and end",
            )
        if not 0 <= count <= MOST:
            raise source.error(
                f"piece {key!r} has the frequency {count}",
                f"piece {key!r}",
                "a frequency is a number from 0: correct it or remove the piece",
            )
        if not piece:
            raise source.error("a piece is empty", f"id {number}", "remove it")
        if number in pieces:
            other = binascii.b2a_base64(pieces[number], newline=False).decode()
            raise source.error(
                f"the pieces {other!r} ({_show(pieces[number])}) and {key!r} ({_show(piece)}) "
                f"have the same id {number}",
                f"piece {key!r}",
                "give each piece its own id",
            )
        if piece in seen:
            raise source.error(
                f"piece {key!r} stands twice, with the ids {seen[piece]} and {number}",
                f"piece {key!r}",
                "remove one of them",
            )
        pieces[number], frequency[number], seen[piece] = piece, float(count), number
    return _build(source, pieces, frequency)


def _show(piece: bytes) -> str:
    return repr(piece.decode("utf-8", errors="backslashreplace"))


def _build(source: Source, pieces: dict[int, bytes], frequency: dict[int, float]) -> Model:
    # Correctly rounded on any Python, as the library's sum of whole numbers is.
    total = math.fsum(frequency.values())
    if not total > 0:
        raise source.error("no piece has a frequency above 0", "", "the model can't cut any text")
    warnings = told_mark(source, "bytepiece refuses such a file")
    size = max(pieces) + 1
    kind = np.full(size, PieceKind.HOLE, dtype=np.uint8)
    kind[: len(SPECIALS)] = PieceKind.CONTROL
    score = np.full(size, np.nan)
    data = [b""] * size
    data[: len(SPECIALS)] = [name.encode() for name in SPECIALS]
    unused = []
    for number, piece in pieces.items():
        data[number] = piece
        if frequency[number] > 0:
            kind[number] = PieceKind.NORMAL
            score[number] = math.log(frequency[number]) - math.log(total)
        else:
            kind[number] = PieceKind.UNUSED
            unused.append(piece)
    if unused:
        warnings.append(
            f"{counted(len(unused), 'piece')} with the frequency 0, never used; the first is "
            f"{_show(unused[0])}"
        )
    vocabulary = Vocabulary.build(data, score=score, kind=kind)
    missing = [byte for byte in range(256) if bytes([byte]) not in vocabulary.index]
    if missing:
        warnings.append(
            f"{len(missing)} of the 256 bytes {agreed(len(missing), 'lack')} a piece "
            f"(the first is 0x{missing[0]:02X}): "
            "a text that needs them has no segmentation (the bytepiece library never returns on it)"
        )
    holes = len(vocabulary.holes)
    if holes:
        warnings.append(f"{holes} of {size} ids {agreed(holes, 'lack')} a piece")
    segmenter = Unigram(
        vocabulary,
        unknown=-1,
        unknown_score=float(np.nanmin(score)) - 10.0,
        single_precision=False,
        fuse_unknown=False,
        byte_pieces=None,
        alphabet="byte",
    )
    source.report(1000, 1000)
    return Model(
        name=source.name,
        path=source.path,
        format="bytepiece",
        vocabulary=vocabulary,
        pipeline=BytePiecePipeline(vocabulary, {name: i for i, name in enumerate(SPECIALS)}),
        segmenter=segmenter,
        special_tokens=tuple(SpecialToken(i, name) for i, name in enumerate(SPECIALS)),
        template=((1,), (2,)),
        spelling=Spelling(),
        byte_level=True,
        warnings=tuple(warnings),
    )
