"""The parts of a tokenizer.json around the model: what the file says about them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SPLITTERS = (
    "ByteLevel",
    "Split",
    "Digits",
    "Punctuation",
    "UnicodeScripts",
    "Whitespace",
    "WhitespaceSplit",
    "BertPreTokenizer",
    "CharDelimiterSplit",
)
"""Pre-tokenizers that cut a text and leave its characters alone (but for the byte alphabet)."""


@dataclass(frozen=True)
class AddedToken:
    """A token that is cut out of the text before the model sees it."""

    id: int
    content: str
    special: bool = False
    normalized: bool = True
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False


@dataclass(frozen=True, eq=False)
class Components:
    """The parts of a tokenizer.json around the model, as parsed JSON."""

    normalizer: Any
    pre_tokenizer: Any
    post_processor: Any
    decoder: Any
    added: tuple[AddedToken, ...] = ()

    @classmethod
    def of(cls, values: Mapping[str, Any], added: Sequence[AddedToken] = ()) -> Components:
        """Take the parts out of a parsed tokenizer.json."""
        return cls(
            values.get("normalizer"),
            values.get("pre_tokenizer"),
            values.get("post_processor"),
            values.get("decoder"),
            tuple(added),
        )


def parts_of(component: Any, inner: str) -> list[dict[str, Any]]:
    """Return a component, or those of a Sequence, as a flat list."""
    if not isinstance(component, dict):
        return []
    if component.get("type") != "Sequence":
        return [component]
    nested = component.get(inner)
    return [part for c in nested for part in parts_of(c, inner)] if isinstance(nested, list) else []


def byte_level(values: Mapping[str, Any]) -> bool:
    """Return whether a tokenizer.json turns text into GPT-2's byte alphabet, and nothing more.

    What comes after the step `ByteLevel` may only split; else the model sees characters.
    """
    parts = parts_of(values.get("normalizer"), "normalizers")
    parts += parts_of(values.get("pre_tokenizer"), "pretokenizers")
    steps = [part.get("type") for part in parts]
    if steps.count("ByteLevel") != 1:
        return False
    return all(step in SPLITTERS for step in steps[steps.index("ByteLevel") :])


def describe(component: Any, inner: str) -> str:
    """Return a component in one line: `NFC`, `Split(pattern), ByteLevel`."""
    shown = []
    for part in parts_of(component, inner):
        settings = []
        for name, value in part.items():
            if name in ("type", "precompiled_charsmap") or value in (None, False):
                continue
            if name in ("trim_offsets", "str_rep"):
                continue
            if isinstance(value, dict) and len(value) == 1:
                (value,) = value.values()
            settings.append(
                name if value is True else f"{name} {json.dumps(value, ensure_ascii=False)}"
            )
        name = str(part.get("type"))
        shown.append(f"{name}({', '.join(settings)})" if settings else name)
    return ", ".join(shown)
