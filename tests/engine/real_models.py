"""The real models of the shared data, each loaded once for all tests of a process."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from engine.formats import load
from engine.model import Model

NAMES = {
    "gpt2": "huggingface/gpt2.tokenizer.json",
    "gte": "huggingface/gte_wordpiece.tokenizer.json",
    "bert": "huggingface/bert_base_cased.tokenizer.json",
    "mistral json": "huggingface/mistral_v1.tokenizer.json",
    "xlnet json": "huggingface/xlnet_cased.tokenizer.json",
    "mistral": "sentencepiece/bpe_mistral_v1_32k.model",
    "xlnet": "sentencepiece/unigram_xlnet_cased_32k.model",
    "english": "sentencepiece/unigram_en_1k.model",
    "r50k": "tiktoken/r50k_base.tiktoken",
    "cl100k": "tiktoken/cl100k_base.tiktoken",
    "o200k": "tiktoken/o200k_base.tiktoken",
    "bytepiece": "bytepiece/bytepiece.plus.40k.model",
}


@cache
def real(shared: Path, name: str) -> Model:
    """Return a model of `NAMES`."""
    return load(shared / "data" / "models" / NAMES[name])


def ids(model: Model, text: str) -> list[int]:
    """Return the ids of a text."""
    found: list[int] = model.encode(text).ids.tolist()
    return found


def round_trip(model: Model, text: str) -> str:
    """Return what the ids of a text decode to."""
    return model.decode(ids(model, text)).decode("utf-8", errors="replace")


def normalized(model: Model, text: str) -> str:
    """Return a text as the model's algorithm sees it."""
    return model.prepare(text).data.tobytes().decode("utf-8", errors="replace")
