"""How a SentencePiece model treats spaces, as the normalizer of a tokenizer.json, and back."""

from __future__ import annotations

from itertools import product
from typing import Any

from engine.pipelines.sentencepiece import SPACE, Normalization

Part = dict[str, Any]


def normalizer_of(rules: Normalization) -> Part | None:
    """Return a normalizer of the tokenizers library that does what the rules say.

    The rules have no map of characters and no mark after the text. Spaces too many are those at
    both ends and all but one of several; at the end marks that the text itself holds go with them.
    """
    mark = SPACE if rules.escape_spaces else " "
    steps: list[Part] = []
    if rules.remove_extra_spaces:
        steps += [_regex(r"\A +", ""), _regex(" {2,}", " ")]
    if rules.escape_spaces:
        steps.append({"type": "Replace", "pattern": {"String": " "}, "content": SPACE})
    if rules.remove_extra_spaces:
        steps.append(_regex(rf"{mark}+\z", ""))
    if rules.add_dummy_prefix:
        steps.append({"type": "Prepend", "prepend": mark})
    if len(steps) > 1:
        return {"type": "Sequence", "normalizers": steps}
    return steps[0] if steps else None


def decoder_of(rules: Normalization, byte_fallback: bool) -> Part:
    """Return a decoder of the tokenizers library that does what SentencePiece's decoding does."""
    steps: list[Part] = [{"type": "Replace", "pattern": {"String": SPACE}, "content": " "}]
    if byte_fallback:
        steps.append({"type": "ByteFallback"})
    steps.append({"type": "Fuse"})
    if rules.add_dummy_prefix and rules.escape_spaces:
        # A space that was put before the text as a space stays, as in SentencePiece.
        steps.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    return {"type": "Sequence", "decoders": steps}


def rules_of(normalizer: Any) -> Normalization | None:
    """Return the rules whose `normalizer_of` this is, or that a file like Llama's means; or None.

    Llama's files first put the mark before the text and then write it for each space.
    """
    spaces = {"type": "Replace", "pattern": {"String": " "}, "content": SPACE}
    prepend = {"type": "Prepend", "prepend": SPACE}
    if normalizer == {"type": "Sequence", "normalizers": [prepend, spaces]}:
        return Normalization("identity", False, True, False, True)
    for prefix, remove, escape in product((True, False), repeat=3):
        rules = Normalization("identity", False, prefix, remove, escape)
        if normalizer == normalizer_of(rules):
            return rules
    return None


def _regex(pattern: str, content: str) -> Part:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}
