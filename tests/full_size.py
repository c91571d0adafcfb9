"""A tokenizer.json as large as the largest that people use, made by rule.

262,000 pieces and 515,000 merges in some 33 MB: a character-level BPE model with byte fallback
whose file lists, as such files do, several ways of merging for most pieces.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

PIECES, MERGES = 262_000, 515_000

SPECIALS = ("<pad>", "<eos>", "<bos>", "<unk>")
LETTERS = "▁etaoinshrdlcumwfgypbvkjxqzETAOINSHRDLCUMWFGYPBVKJXQZ0123456789.,:;!?-'\"()"
WIDE = "今天气不错的一是了我人在有他这中大来上国説語時安녕하세요이다는을를가에привет"
LONGEST = 8
WAYS = 2
"""Merges that a piece has at most."""


def words(count: int, seed: int = 1) -> list[str]:
    """Return words of letters as frequent as in a text, each after a space, by rule."""
    rng = np.random.default_rng(seed)
    letters = np.array(list(LETTERS[1:27]))
    share = 1 / np.arange(1, 27)
    lengths = rng.integers(2, LONGEST, count)
    drawn = letters[rng.choice(26, int(lengths.sum()), p=share / share.sum())]
    ends = np.cumsum(lengths)
    return ["▁" + "".join(drawn[a:b]) for a, b in zip(ends - lengths, ends, strict=True)]


def pieces(count: int = PIECES) -> list[str]:
    """Return the pieces in id order: special ones, bytes, characters, and what merging makes."""
    found = dict.fromkeys([*SPECIALS, *(f"<0x{byte:02X}>" for byte in range(256))])
    found.update(dict.fromkeys(LETTERS + WIDE))
    for word in words(2 * count):
        # A piece stands after the shorter ones that merge to it.
        for size in range(2, len(word) + 1):
            found.setdefault(word[:size])
            found.setdefault(word[-size:])
        if len(found) >= count:
            break
    return list(found)[:count]


def merges(vocabulary: list[str], count: int = MERGES) -> list[tuple[str, str]]:
    """Return merges in order: up to `WAYS` to cut each piece into two pieces, `count` in all."""
    known = set(vocabulary)
    found: list[tuple[str, str]] = []
    for piece in vocabulary[len(SPECIALS) + 256 :]:
        cuts = ((piece[:at], piece[at:]) for at in range(len(piece) - 1, 0, -1))
        found += islice((cut for cut in cuts if cut[0] in known and cut[1] in known), WAYS)
    return found[:count]


def document(n_pieces: int = PIECES, n_merges: int = MERGES) -> Iterator[str]:
    """Yield the file's text in parts, indented as the libraries write it."""
    vocabulary = pieces(n_pieces)
    added = [
        {
            "id": number,
            "content": content,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for number, content in enumerate(SPECIALS)
    ]
    decoders = [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
    ]
    yield '{\n  "version": "1.0",\n  "truncation": null,\n  "padding": null,\n'
    yield f'  "added_tokens": {json.dumps(added, indent=2)},\n'
    yield '  "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},\n'
    yield '  "pre_tokenizer": null,\n  "post_processor": null,\n'
    yield f'  "decoder": {json.dumps({"type": "Sequence", "decoders": decoders})},\n'
    yield '  "model": {\n    "type": "BPE",\n    "dropout": null,\n    "unk_token": "<unk>",\n'
    yield '    "continuing_subword_prefix": null,\n    "end_of_word_suffix": null,\n'
    yield '    "fuse_unk": true,\n    "byte_fallback": true,\n    "ignore_merges": false,\n'
    rows = (f"      {_quoted(piece)}: {number}" for number, piece in enumerate(vocabulary))
    yield '    "vocab": {\n' + ",\n".join(rows) + "\n    },\n"
    pairs = (
        f"      [\n        {_quoted(left)},\n        {_quoted(right)}\n      ]"
        for left, right in merges(vocabulary, n_merges)
    )
    yield '    "merges": [\n' + ",\n".join(pairs) + "\n    ]\n  }\n}\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def write(path: Path, n_pieces: int = PIECES, n_merges: int = MERGES) -> Path:
    """Write the file and return its path."""
    path.write_text("".join(document(n_pieces, n_merges)), encoding="utf-8")
    return path
