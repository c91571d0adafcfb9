"""What a file is that is no model of a known format: an error that says so."""

from __future__ import annotations

import re

from engine.errors import ModelError
from engine.formats.source import Source
from engine.formats.textfile import BYTE_ORDER_MARK

_MODELS = (
    "open a tokenizer.json, a SentencePiece or BytePiece .model, a .tiktoken rank file, vocab.json "
    "with merges.txt, a BERT vocab.txt or subword-nmt codes"
)

_MAGIC = (
    (b"GGUF", "a GGUF file", "GGUF isn't read yet; open the tokenizer.json of the model"),
    (b"PK\x03\x04", "a zip archive", "unpack it and open the model file in it"),
    (b"\x1f\x8b", "a gzip archive", "unpack it and open the model file in it"),
    (b"\xfd7zXZ", "an xz archive", "unpack it and open the model file in it"),
    (b"BZh", "a bzip2 archive", "unpack it and open the model file in it"),
    (b"(\xb5/\xfd", "a zstd archive", "unpack it and open the model file in it"),
    (b"\x89PNG", "a picture", _MODELS),
    (b"%PDF", "a PDF document", _MODELS),
)


def what_is_it(source: Source) -> ModelError:
    """Make the error for a file that no reader recognises."""
    data = source.data
    for magic, name, remedy in _MAGIC:
        if data.startswith(magic):
            return source.error(f"this is {name}, not a tokenizer model", "", remedy)
    head = data[:4096].removeprefix(BYTE_ORDER_MARK).lstrip()
    lower = head.lower()
    if lower.startswith((b"<!doctype html", b"<html", b"<head")) or (
        lower.startswith(b"<") and b"<html" in lower
    ):
        return source.error(
            "this is an HTML page, not a tokenizer model",
            "",
            "the download saved a web page: download the file itself (the raw file)",
        )
    if head.startswith(b"version https://git-lfs.github.com/spec"):
        return source.error(
            "this is a Git LFS pointer, not the file that it points to",
            "",
            "fetch the file with `git lfs pull` or download it",
        )
    if re.match(rb'\{|\[\s*["{\[\d-]', head):
        return _json(source)
    return _text(source, head)


def _json(source: Source) -> ModelError:
    if b'"tokenizer_class"' in source.data or b'"added_tokens_decoder"' in source.data:
        return source.error(
            "this is the configuration of a tokenizer, not the tokenizer",
            "",
            "open the tokenizer.json beside it",
        )
    return source.error("this JSON file holds no tokenizer that is known", "", _MODELS)


def _text(source: Source, head: bytes) -> ModelError:
    try:
        source.data.decode("utf-8")
    except UnicodeDecodeError:
        return source.error("the file isn't a tokenizer model of a known format", "", _MODELS)
    if b"\0" in head:
        return source.error("the file isn't a tokenizer model of a known format", "", _MODELS)
    return source.error("this is a text file, not a tokenizer model", "", _MODELS)
