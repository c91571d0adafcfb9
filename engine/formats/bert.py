"""BERT's `vocab.txt`: one piece a line, the number of the line being the id.

The file doesn't say whether text is lower-cased; that is guessed from the pieces unless it is
given. What else BERT does to a text (clean-up, spaces around Chinese characters, splitting at
spaces and punctuation) is the `BertNormalizer` and `BertPreTokenizer` of the tokenizers library.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Literal

from engine.errors import ParameterError
from engine.formats import huggingface
from engine.formats.jsonparts import Pairs
from engine.formats.source import Source
from engine.formats.textfile import BYTE_ORDER_MARK, lines_of, told_mark
from engine.model import Model
from engine.terminal import counted

Casing = Literal["cased", "uncased"]
CASINGS: tuple[Casing, ...] = ("cased", "uncased")

UNKNOWN = "[UNK]"
SPECIALS = ("[PAD]", UNKNOWN, "[CLS]", "[SEP]", "[MASK]")

_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""White space as Rust's `trim_end` has it, which is what the tokenizers library strips."""

_BYTE_OF = {chr(b): b for b in range(0x80, 0x100)}
_BYTE_OF |= {bytes([b]).decode("cp1252", "ignore") or chr(b): b for b in range(0x80, 0x100)}
"""The byte of each character of the western encodings, ISO 8859-1 and Windows 1252."""

_GARBLED = 10
"""Garbled pieces from which on a file is thought to be damaged."""

_INSIDE = re.compile(rb"##[^#\s]\S*")
_SHOWN = 5
_LOOKED_AT = 1 << 20
"""Bytes that tell what a file is."""


def recognise(data: bytes) -> bool:
    """Return whether a file lists single words, `[UNK]` or a continuation `##…` among them.

    One line in fifty may hold a space: texts have more of them.
    """
    data = data[:_LOOKED_AT]
    if b"\0" in data:
        return False
    lines = [line.strip() for line in data.removeprefix(BYTE_ORDER_MARK).split(b"\n")]
    spaced = sum(b" " in line for line in lines)
    if spaced > len(lines) // 50:
        return False
    return UNKNOWN.encode() in lines or (
        not spaced and any(_INSIDE.fullmatch(line) for line in lines)
    )


def read(source: Source, casing: str | None = None) -> Model:
    """Read a vocab.txt. Raises `ModelError` with the line.

    casing: `cased` or `uncased`; guessed if it isn't given.
    """
    if casing is not None and casing not in CASINGS:
        raise ParameterError(f"the casing {casing!r} isn't known", "", "choose cased or uncased")
    lines = lines_of(source)
    pieces = [line.rstrip(_SPACE) for line in lines]
    if not any(pieces):
        raise source.error("the vocabulary is empty", "", "copy or download it again")
    ids = {piece: i for i, piece in enumerate(pieces)}
    warnings: list[str] = []
    chosen: str = casing or guess_casing(pieces)
    if casing is None:
        why = "pieces with" if chosen == "cased" else "no pieces, or hardly any, with"
        warnings.append(
            f"a vocab.txt doesn't say whether text is lower-cased: it is read as {chosen}, for it "
            f"has {why} upper-case letters; the other can be chosen"
        )
    source.report(500, 1000)
    _warn(source, lines, pieces, ids, warnings)
    model = huggingface.build(source, _document(pieces, ids, chosen))
    return replace(
        model,
        format="bert",
        settings={"casing": chosen, "casing_guessed": casing is None, **model.settings},
        # The builder's own words on doubles and holes are said better here.
        warnings=(*warnings, *(w for w in model.warnings if not _said(w))),
    )


def _said(warning: str) -> bool:
    return "listed twice" in warning or "ids lack" in warning


def guess_casing(pieces: list[str]) -> Casing:
    """Return `cased` if more than one piece in a thousand holds an upper-case letter.

    Pieces in brackets like `[UNK]` don't count.
    """
    plain = (piece for piece in pieces if not (piece[:1] == "[" and piece[-1:] == "]"))
    upper = sum(piece != piece.lower() for piece in plain)
    return "cased" if upper * 1000 > len(pieces) else "uncased"


def _warn(
    source: Source, lines: list[str], pieces: list[str], ids: dict[str, int], warnings: list[str]
) -> None:
    """Say which lines are odd."""
    warnings += told_mark(source, "the tokenizers library takes it for a part of the first piece")
    strange = garbled(pieces)
    if len(strange) >= _GARBLED:
        warnings.append(
            f"{counted(len(strange), 'piece')} look as if UTF-8 had been read in another encoding "
            f"and saved again, the first is {strange[0]!r}: no text will meet them, so get the "
            "original file"
        )
    blank = [i for i, piece in enumerate(pieces) if not piece]
    if blank:
        warnings.append(
            f"{counted(len(blank), 'line')} without a piece ({_places(blank)}): the id is kept "
            "and matches nothing"
        )
    doubles = [i for i, piece in enumerate(pieces) if piece and ids[piece] != i]
    if doubles:
        shown = ", ".join(
            f"{pieces[i]!r} in line {i + 1}, where id {ids[pieces[i]]} counts"
            for i in doubles[:_SHOWN]
        )
        more = ", …" if len(doubles) > _SHOWN else ""
        warnings.append(
            f"{counted(len(doubles), 'piece')} listed again further down ({shown}{more}): the "
            "last line of a piece is its id, the ids of the others stand for nothing"
        )
    spaced = [i for i, line in enumerate(lines) if line != pieces[i] and pieces[i]]
    if spaced:
        warnings.append(
            f"{counted(len(spaced), 'line')} with white space at the end ({_places(spaced)}): "
            "it is left out, as the tokenizers library does"
        )


def garbled(pieces: list[str]) -> list[str]:
    """Return the pieces that are UTF-8 read as a western encoding: `Ã©` for `é`."""
    found = []
    for piece in pieces:
        if piece.isascii():
            continue
        data = bytes(_BYTE_OF.get(c, ord(c) if c.isascii() else 0) for c in piece)
        try:
            if 0 not in data and not data.decode("utf-8").isascii():
                found.append(piece)
        except UnicodeDecodeError:
            continue
    return found


def _places(numbers: list[int]) -> str:
    shown = ", ".join(f"line {i + 1}" for i in numbers[:_SHOWN])
    return shown + (", …" if len(numbers) > _SHOWN else "")


def _document(pieces: list[str], ids: dict[str, int], casing: str) -> dict[str, Any]:
    """Return the vocabulary as the content of a tokenizer.json."""
    special = [text for text in SPECIALS if text in ids]
    frame = None
    if {"[CLS]", "[SEP]"} <= ids.keys():
        frame = {
            "type": "BertProcessing",
            "cls": ["[CLS]", ids["[CLS]"]],
            "sep": ["[SEP]", ids["[SEP]"]],
        }
    return {
        "added_tokens": [{"id": ids[text], "content": text, "special": True} for text in special],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": casing == "uncased",
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": frame,
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": UNKNOWN,
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": Pairs((piece, i) for i, piece in enumerate(pieces)),
        },
    }
