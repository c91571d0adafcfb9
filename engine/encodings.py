"""The published tiktoken encodings: what their rank files don't say.

Split patterns and special tokens as in tiktoken's own definitions (tiktoken_ext.openai_public),
in the spelling of the `regex` library. A rank file is recognised by the SHA-256 of its lines.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

_BEFORE = r"[^\r\n\p{L}\p{N}]"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_SUFFIX = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"

PATTERNS = {
    "gpt2": (r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"),
    "cl100k": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    "o200k": "|".join(
        (
            rf"{_BEFORE}?{_UPPER}*{_LOWER}+{_SUFFIX}",
            rf"{_BEFORE}?{_UPPER}+{_LOWER}*{_SUFFIX}",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        )
    ),
}
"""Split patterns by the names that `--pattern` takes; `none` is no splitting."""

END_OF_TEXT = "<|endoftext|>"
END_OF_PROMPT = "<|endofprompt|>"


@dataclass(frozen=True)
class PublishedEncoding:
    """A published encoding: its name, the name of its pattern and its special tokens."""

    name: str
    pattern: str
    specials: dict[str, int] = field(default_factory=dict)


_PUBLISHED = {
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930": PublishedEncoding(
        "r50k_base", "gpt2", {END_OF_TEXT: 50256}
    ),
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069": PublishedEncoding(
        "p50k_base", "gpt2", {END_OF_TEXT: 50256}
    ),
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7": PublishedEncoding(
        "cl100k_base",
        "cl100k",
        {
            END_OF_TEXT: 100257,
            "<|fim_prefix|>": 100258,
            "<|fim_middle|>": 100259,
            "<|fim_suffix|>": 100260,
            END_OF_PROMPT: 100276,
        },
    ),
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d": PublishedEncoding(
        "o200k_base", "o200k", {END_OF_TEXT: 199999, END_OF_PROMPT: 200018}
    ),
}


def published(data: bytes) -> PublishedEncoding | None:
    """Return the published encoding whose rank file this is, whatever its line ends."""
    lines = data.replace(b"\r\n", b"\n").rstrip(b"\n") + b"\n"
    return _PUBLISHED.get(hashlib.sha256(lines).hexdigest())


def pattern_of(encoding: str) -> str:
    """Return the name of a published encoding's split pattern, empty for an unknown encoding."""
    return next((known.pattern for known in _PUBLISHED.values() if known.name == encoding), "")
