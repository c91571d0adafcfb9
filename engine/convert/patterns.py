"""The split pattern of a model over bytes, as tiktoken and as the tokenizers library spell it."""

from __future__ import annotations

from itertools import product
from typing import Any

from engine.encodings import PATTERNS
from engine.model import Model
from engine.pipelines.components import parts_of
from engine.pipelines.huggingface import HuggingFacePipeline
from engine.pipelines.splitting import Splitter, same_everywhere
from engine.pipelines.tiktoken import TiktokenPipeline
from engine.train.writers.huggingface import SPELLED
from engine.train.writers.listing import refusal

Part = dict[str, Any]

BYTE_LEVEL: Part = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": False,
    "use_regex": False,
}

WORDS: Part = {
    "type": "Split",
    "pattern": {"Regex": r"[ \r]*\n[ \r]*|\A[ \r]+|[ \r]+\z| +"},
    "behavior": "Removed",
    "invert": False,
}
"""The pre-tokenizer of a tokenizer.json that cuts words as subword-nmt does."""

_CLASSES = (
    "a",
    "A",
    "中",
    "\u0300",
    "1",
    "²",
    "!",
    "'",
    "_",
    " ",
    "\t",
    "\n",
    "\r",
    "\u3000",
    "\0",
)
"""A character of each sort that split patterns tell apart."""


def pattern_of(model: Model, where: str) -> str:
    """Return the name of a published pattern, an own pattern, or empty for a text that isn't split.

    where: what it is wanted for. Raises `ParameterError` for a model whose text isn't just split by
    one pattern into pre-tokens of bytes, which is all that tiktoken and GPT-2's pair can do.
    """
    pipeline = model.pipeline
    if isinstance(pipeline, TiktokenPipeline):
        return pipeline.name
    if not isinstance(pipeline, HuggingFacePipeline) or not model.byte_level:
        raise refusal(
            f"{where} is of bytes, and this model is of characters", "convert to tokenizer.json"
        )
    parts = pipeline.components
    if parts.normalizer is not None:
        raise refusal(
            f"{where} holds no normalizer, and this model has {pipeline.normalizer}",
            "remove it from the tokenizer.json if your texts don't need it",
        )
    for token in parts.added:
        if not token.special:
            raise refusal(
                f"{where} holds no tokens that are looked for in plain text, and this model has "
                f"{token.content!r}",
                "convert to tokenizer.json",
            )
    steps = parts_of(parts.pre_tokenizer, "pretokenizers")
    last = steps[-1] if steps else {}
    if any(step.get("add_prefix_space", step.get("type") == "ByteLevel") for step in steps):
        raise refusal(
            f"{where} puts no space before the text, and this model does",
            "set add_prefix_space to false if your texts don't need it",
        )
    if len(steps) == 1 and last.get("type") == "ByteLevel":
        return "gpt2" if last.get("use_regex", True) else ""
    if len(steps) == 2 and last.get("type") == "ByteLevel" and not last.get("use_regex", True):
        found = _of_split(steps[0])
        if found is not None:
            return found
    raise refusal(
        f"{where} splits text by one pattern, and this model's pre-tokenizer is "
        f"{pipeline.pre_tokenizer}",
        "convert to tokenizer.json",
    )


def _of_split(step: Part) -> str | None:
    """Return the pattern of a Split whose matches and nothing else are pre-tokens."""
    pattern = (step.get("pattern") or {}).get("Regex")
    if step.get("type") != "Split" or not isinstance(pattern, str):
        return None
    matches_only = step.get("behavior") == "Removed" and step.get("invert") is True
    if not matches_only and (step.get("behavior"), step.get("invert", False)) != (
        "Isolated",
        False,
    ):
        return None
    for name, spelled in SPELLED.items():
        if pattern in (spelled, PATTERNS[name]):
            return name
    if same_everywhere(pattern) and (matches_only or _covers(pattern)):
        return pattern
    return None


def _covers(pattern: str) -> bool:
    """Return whether a pattern's matches are the whole text, whatever stands in it.

    Asked with two or three characters of every sort beside each other.
    """
    splitter = Splitter(pattern)
    texts = ("".join(chars) for n in (1, 2, 3) for chars in product(_CLASSES, repeat=n))
    return all(sum(b - a for a, b in splitter.spans(text)) == len(text) for text in texts)


def split_of(pattern: str) -> Part | None:
    """Return the pre-tokenizer of a tokenizer.json that splits by a pattern of `pattern_of`.

    Raises `ParameterError` for a pattern that the tokenizers library may read otherwise.
    """
    if not pattern:
        return BYTE_LEVEL
    own = pattern not in SPELLED
    if own and not same_everywhere(pattern):
        raise refusal(
            f"the tokenizers library may read the split pattern {pattern!r} otherwise: its regular "
            "expressions are Oniguruma's",
            "write the pattern with what both read alike",
        )
    split = {
        "type": "Split",
        "pattern": {"Regex": SPELLED.get(pattern, pattern)},
        # Text that an own pattern doesn't match is left out.
        "behavior": "Removed" if own else "Isolated",
        "invert": own,
    }
    return {"type": "Sequence", "pretokenizers": [split, BYTE_LEVEL]}
