"""Small models for the tests of readers and pipelines, written to files."""

from __future__ import annotations

import base64
import copy
import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.alphabet import CHARACTERS
from engine.formats.protobuf import write_bytes, write_varint


def bpe(vocab: Mapping[str, int], merges: Sequence[object], **model: Any) -> dict[str, Any]:
    """Return a tokenizer.json with a BPE model and nothing around it."""
    return tokenizer({"type": "BPE", "vocab": dict(vocab), "merges": list(merges), **model})


def tokenizer(model: dict[str, Any], **parts: Any) -> dict[str, Any]:
    """Return a tokenizer.json with a model and, by name, other parts."""
    document: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": None,
        "model": model,
    }
    return {**document, **parts}


def added(number: int, content: str, **flags: bool) -> dict[str, Any]:
    """Return an entry of `added_tokens`."""
    usual = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), False)
    return {"id": number, "content": content, **usual, **flags}


def byte_level_bpe(*merges: tuple[str, str], **parts: Any) -> dict[str, Any]:
    """Return a byte-level BPE tokenizer: all bytes, then the results of the merges."""
    vocab = {char: i for i, char in enumerate(CHARACTERS)}
    for left, right in merges:
        vocab.setdefault(left + right, len(vocab))
    model = {"type": "BPE", "vocab": vocab, "merges": [list(pair) for pair in merges]}
    usual = {
        "pre_tokenizer": {
            "type": "ByteLevel",
            "add_prefix_space": False,
            "trim_offsets": True,
            "use_regex": True,
        },
        "decoder": {
            "type": "ByteLevel",
            "add_prefix_space": True,
            "trim_offsets": True,
            "use_regex": True,
        },
    }
    return tokenizer(model, **{**usual, **parts})


def write_json(folder: Path, document: object, name: str = "tokenizer.json") -> Path:
    """Write a JSON file and return its path."""
    path = folder / name
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def without(document: dict[str, Any], *path: str) -> dict[str, Any]:
    """Return a copy of a document without a field."""
    copied = copy.deepcopy(document)
    inner = copied
    for name in path[:-1]:
        inner = inner[name]
    del inner[path[-1]]
    return copied


def piece(text: str | bytes, score: float = 0.0, kind: int = 1) -> bytes:
    """Return one piece of a SentencePiece model, as a field of it."""
    name = text.encode() if isinstance(text, str) else text
    message = write_bytes(1, name) + b"\x15" + struct.pack("<f", score)
    if kind != 1:
        message += b"\x18" + write_varint(kind)
    return write_bytes(1, message)


UNKNOWN = piece("<unk>", 0.0, 2)
BYTES = b"".join(piece(f"<0x{byte:02X}>", 0.0, 6) for byte in range(256))


def number(field: int, value: int) -> bytes:
    """Return a whole number as a field."""
    return write_varint(field << 3) + write_varint(value)


def sentencepiece(
    *pieces: bytes,
    model_type: int = 1,
    byte_fallback: bool = False,
    dummy_prefix: bool = False,
    remove_spaces: bool = False,
    suffix: bool = False,
) -> bytes:
    """Return a SentencePiece model with an identity normalizer; the unknown piece is put first."""
    trainer = number(3, model_type) + number(35, int(byte_fallback)) + number(24, int(suffix))
    normalizer = (
        write_bytes(1, b"identity") + number(3, int(dummy_prefix)) + number(4, int(remove_spaces))
    )
    listed = (UNKNOWN, *pieces, *((BYTES,) if byte_fallback else ()))
    return b"".join((*listed, write_bytes(2, trainer), write_bytes(3, normalizer)))


def write_ranks(folder: Path, pieces: Iterable[bytes], name: str = "own.tiktoken") -> Path:
    """Write a rank file: all single bytes, then `pieces`."""
    listed = [bytes([byte]) for byte in range(256)] + list(pieces)
    lines = [f"{base64.b64encode(p).decode()} {rank}\n" for rank, p in enumerate(listed)]
    path = folder / name
    path.write_text("".join(lines), encoding="ascii")
    return path


def bytepiece(frequencies: Mapping[bytes, float]) -> dict[str, list[object]]:
    """Return a BytePiece model: all single bytes with frequency 1 or as given, then the rest."""
    listed = {bytes([byte]): 1.0 for byte in range(256)} | dict(frequencies)
    return {
        base64.b64encode(data).decode(): [i, data.decode("utf-8", errors="ignore"), frequency]
        for i, (data, frequency) in enumerate(listed.items(), start=3)
    }
