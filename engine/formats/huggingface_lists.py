"""What a tokenizer.json lists: pieces and their ids or scores, added tokens, merges.

Each list is checked here and put into a `Reading`, with a warning for what is odd in it;
`engine.formats.huggingface` makes a model of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.alphabet import in_alphabet, unmap_all
from engine.formats.fields import Fields, kind_of
from engine.formats.jsonparts import Pairs
from engine.formats.source import Source, highest_id
from engine.pieces import PieceKind
from engine.pipelines.components import AddedToken
from engine.terminal import agreed, counted

LARGEST_SCORE = 1e100
"""Logarithms of probabilities are nowhere near; sums of these stay finite at any θ in use."""

AGAIN = "the file is damaged: copy or download it again"
"""What to do about a damaged file."""


@dataclass
class Reading:
    """What has been read so far. `tokens` are the pieces as written, None for a hole."""

    source: Source
    top: Fields
    model: Fields
    kind: str
    byte_level: bool
    tokens: list[str | None] = field(default_factory=list)
    scores: NDArray[np.float64] | None = None
    warnings: list[str] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    ids: dict[str, int] = field(default_factory=dict)
    size: int = 0
    """Number of entries of the model's own vocabulary."""
    shadowed: list[int] = field(default_factory=list)
    """Ids whose piece stands again under a later id."""


def read_ids(reading: Reading) -> None:
    """Read a vocabulary of the form {piece: id}."""
    source, pairs = reading.source, reading.model.values.get("vocab")
    if not isinstance(pairs, Pairs):
        raise reading.model.wrong("vocab", "an object of pieces and ids")
    tokens, ids = place_by_id(source, pairs, "field model.vocab")
    if len(ids) != len(pairs):
        _warn_doubles(reading, [piece for piece, _ in pairs])
    reading.tokens, reading.ids, reading.size = tokens, ids, len(ids)
    gaps = len(tokens) - len(ids)
    if gaps:
        first = [str(i) for i, token in enumerate(tokens) if token is None][:5]
        more = ", …" if gaps > 5 else ""
        reading.warnings.append(
            f"{gaps} of {len(tokens)} ids {agreed(gaps, 'lack')} a piece: {', '.join(first)}{more}"
        )


def place_by_id(
    source: Source, pairs: Pairs, where: str = ""
) -> tuple[list[str | None], dict[str, int]]:
    """Return the pieces by id, None for a hole, and the id of each; the last of equal ones counts.

    pairs: of piece and id. where: their place in the file, for the `ModelError` of a wrong id.
    """
    if not pairs:
        raise source.error("the vocabulary is empty", where, AGAIN)
    limit = highest_id(len(pairs))
    ids = dict(pairs)
    numbers = list(ids.values())
    if numbers == list(range(len(pairs))) and set(map(type, numbers)) == {int}:
        return [*ids], ids
    for piece, number in pairs:
        if type(number) is not int or not 0 <= number <= limit:
            shown = number if isinstance(number, int | float) else kind_of(number)
            raise source.error(
                f"piece {piece!r} has the id {shown}",
                where,
                f"ids are whole numbers from 0 to {limit:,}",
            )
    tokens: list[str | None] = [None] * (max(ids.values()) + 1)
    for piece, number in ids.items():
        if tokens[number] is not None:
            raise source.error(
                f"the pieces {tokens[number]!r} and {piece!r} have the same id {number}",
                where,
                "give each piece its own id",
            )
        tokens[number] = piece
    return tokens, ids


def _warn_doubles(reading: Reading, pieces: list[str]) -> None:
    seen: set[str] = set()
    doubles = []
    for piece in pieces:
        if piece in seen:
            doubles.append(piece)
        seen.add(piece)
    shown = ", ".join(repr(piece) for piece in doubles[:5])
    reading.warnings.append(
        f"{counted(len(doubles), 'piece')} listed twice ({shown}); the last entry counts"
    )


def _short(value: float) -> str:
    """Return a number, the middle of a very long one left out."""
    text = str(value)
    return text if len(text) <= 40 else f"{text[:16]}…{text[-16:]}"


def read_scored(reading: Reading) -> None:
    """Read a vocabulary of the form [[piece, score], …]; the place in the list is the id."""
    source = reading.source
    rows = reading.model.values.get("vocab")
    if not isinstance(rows, list) or isinstance(rows, Pairs):
        raise reading.model.wrong("vocab", "a list of pieces and scores")
    if not rows:
        raise source.error("the vocabulary is empty", "field model.vocab", AGAIN)
    pieces: list[str] = []
    scores: list[float] = []
    for i, row in enumerate(rows):
        if (
            not isinstance(row, list)
            or len(row) != 2
            or not isinstance(row[0], str)
            or type(row[1]) not in (int, float)
        ):
            raise source.error(
                f"entry {i} of the vocabulary isn't [piece, score]",
                f"field model.vocab[{i}]",
                AGAIN,
            )
        # Not isfinite: it can't take every int, and sums of scores must stay finite too.
        if not abs(row[1]) <= LARGEST_SCORE:
            raise source.error(
                f"piece {row[0]!r} has the score {_short(row[1])}",
                f"field model.vocab[{i}]",
                f"scores are finite numbers up to {LARGEST_SCORE:g}, either way",
            )
        pieces.append(row[0])
        scores.append(float(row[1]))
    reading.tokens = list(pieces)
    reading.scores = np.array(scores)
    reading.ids = {piece: i for i, piece in enumerate(pieces)}
    reading.size = len(pieces)
    if len(reading.ids) != len(pieces):
        reading.shadowed = [i for i, p in enumerate(pieces) if reading.ids[p] != i]
        _warn_doubles(reading, pieces)


def read_added(reading: Reading) -> list[AddedToken]:
    """Read the added tokens, and put those that the model lacks into the list of pieces."""
    added: list[AddedToken] = []
    known: dict[str, int] = {}
    highest = -1
    entries = reading.top.objects("added_tokens")
    limit = highest_id(reading.size + len(entries))
    for entry in entries:
        content = entry.text("content")
        declared = entry.whole("id")
        special = entry.flag("special")
        if declared > limit:
            raise reading.source.error(
                f"added token {content!r} has the id {_short(declared)}",
                f"field {entry.at('id')}",
                f"ids go up to {limit:,} in a vocabulary of {counted(reading.size, 'piece')}",
            )
        if not content or content in known:
            continue
        # The library takes the model's id, else the next free number, whatever the file says.
        used = reading.ids.get(content)
        if used is None:
            used = max(highest + 1, reading.size)
        highest = max(highest, used)
        if used != declared:
            reading.warnings.append(
                f"added token {content!r} declares id {declared}; "
                f"the tokenizers library renumbers it to {used}"
            )
        known[content] = declared
        _place(reading, content, declared)
        added.append(
            AddedToken(
                id=declared,
                content=content,
                special=special,
                normalized=entry.flag("normalized", not special),
                single_word=entry.flag("single_word"),
                lstrip=entry.flag("lstrip"),
                rstrip=entry.flag("rstrip"),
            )
        )
    return added


def _place(reading: Reading, content: str, number: int) -> None:
    tokens = reading.tokens
    if number >= len(tokens):
        tokens.extend([None] * (number + 1 - len(tokens)))
    if tokens[number] is None:
        tokens[number] = content
    elif tokens[number] != content:
        raise reading.source.error(
            f"added token {content!r} and piece {tokens[number]!r} have the same id {number}",
            "field added_tokens",
            "give each its own id",
        )


def piece_bytes(reading: Reading) -> list[bytes]:
    """Return what each piece matches, b"" for a hole."""
    texts = [token or "" for token in reading.tokens]
    try:
        "".join(texts).encode("utf-8")
    except UnicodeEncodeError:
        culprit = next(i for i, text in enumerate(texts) if not _is_unicode(text))
        raise reading.source.error(
            f"piece {culprit} holds a lone surrogate", "field model.vocab", "remove the piece"
        ) from None
    if reading.byte_level:
        return unmap_all(texts)
    return list(map(str.encode, texts))


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def kinds_of(reading: Reading, added: list[AddedToken], unknown: int) -> NDArray[np.uint8]:
    """Return the `PieceKind` of each piece, uint8[tokens]. unknown: an id, -1 for none."""
    kind = np.full(len(reading.tokens), PieceKind.NORMAL, dtype=np.uint8)
    kind[[i for i, token in enumerate(reading.tokens) if token is None]] = PieceKind.HOLE
    kind[[token.id for token in added]] = PieceKind.ADDED
    if unknown >= 0:
        kind[unknown] = PieceKind.UNKNOWN
    return kind


def find_byte_pieces(
    reading: Reading, pieces: list[bytes], kind: NDArray[np.uint8]
) -> NDArray[np.int32] | None:
    """Find the pieces `<0x00>` … `<0xFF>` if the model falls back to them; None if it doesn't."""
    if not reading.model.flag("byte_fallback"):
        return None
    table = np.full(256, -1, dtype=np.int32)
    for byte in range(256):
        number = reading.ids.get(f"<0x{byte:02X}>")
        if number is not None:
            table[byte] = number
            pieces[number] = bytes([byte])
            kind[number] = PieceKind.BYTE
    missing = np.flatnonzero(table < 0)
    if reading.kind == "BPE":
        for field in ("continuing_subword_prefix", "end_of_word_suffix"):
            if reading.model.values.get(field):
                raise reading.source.error(
                    f"byte_fallback and {field} are both on; the tokenizers library then spells "
                    "the mark in bytes too",
                    f"field model.{field}",
                    "switch one of the two off",
                )
    if len(missing) == 256:
        reading.warnings.append(
            "byte fallback is on, but there are no byte pieces: it has no effect"
        )
        return None
    if len(missing):
        raise reading.source.error(
            f"byte fallback is on, but byte pieces are missing: {len(missing)} of 256, "
            f"the first is <0x{int(missing[0]):02X}>",
            "field model.vocab",
            "add them or switch byte_fallback off",
        )
    return table


def byte_names(
    byte_pieces: NDArray[np.int32] | None, reached: NDArray[np.bool_]
) -> dict[bytes, int]:
    """Return the byte pieces that the library also matches as they are written, by that text.

    Of `<0x41>` in a text a Unigram model makes the piece, and a BPE model where something makes it
    (`reached`, bool[tokens]).
    """
    if byte_pieces is None:
        return {}
    return {f"<0x{b:02X}>".encode(): i for b, i in enumerate(byte_pieces.tolist()) if reached[i]}


def find_unknown(reading: Reading, name: str, default: str = "") -> int:
    """Return the id of the unknown token that is named in a field, -1 for none."""
    text = reading.model.text(name, default)
    if not text:
        return -1
    number = reading.ids.get(text)
    if number is None:
        reading.warnings.append(
            f"the unknown token {text!r} isn't in the vocabulary: "
            "the tokenizers library fails where it would need it"
        )
        return -1
    return number


def own_pieces(reading: Reading, kind: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which pieces the library's model matches in text: all of its own vocabulary.

    Byte-level text comes in GPT-2's alphabet, so a piece with another character is never met.
    """
    own = np.zeros(len(reading.tokens), dtype=np.bool_)
    own[list(reading.ids.values())] = True
    if reading.byte_level:
        own &= in_alphabet([token or "" for token in reading.tokens])
    own[kind == PieceKind.BYTE] = False
    return own
