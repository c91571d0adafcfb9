"""Ids of real models beside their own libraries, on a sample; tests/conformance.py has it all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.formats import load
from tests.conformance import (
    MARKS,
    PREFIX,
    SHARED,
    TIE,
    compare_model,
    find_models,
    main,
    misspelled,
    plain,
    read_texts,
    same_score,
    span_fault,
)

LANGUAGES = 12
LINES = 10

MODELS = (
    "bench/bpe32k.model", "bench/bpe32k.tiktoken", "bench/bytepiece32k.model",
    "bench/unigram32k.model", "bert/bert_cased_vocab.txt", "bert/bert_uncased_vocab.txt",
    "bytepiece/bytepiece.plus.40k.model",
    "bytepiece/bytepiece.zh.id.eu.40k.model", "gpt2/encoder.json",
    "huggingface/bert_base_cased.tokenizer.json",
    "huggingface/gpt2.tokenizer.json", "huggingface/gte_wordpiece.tokenizer.json",
    "huggingface/mistral_v1.tokenizer.json", "huggingface/qwen3.tokenizer.json",
    "huggingface/whisper_large_v3.tokenizer.json", "huggingface/xlnet_cased.tokenizer.json",
    "sentencepiece/bpe_mistral_v1_32k.model", "sentencepiece/unigram_en_1k.model",
    "sentencepiece/unigram_ja_8k.model", "sentencepiece/unigram_xlnet_cased_32k.model",
    "subword-nmt/bpe.ref",
    "tiktoken/cl100k_base.tiktoken", "tiktoken/o200k_base.tiktoken", "tiktoken/r50k_base.tiktoken",
)  # fmt: skip


def sample(shared: Path) -> dict[str, list[str]]:
    texts = read_texts(shared / "data" / "corpora" / "udhr", LANGUAGES)
    return {name: lines[:LINES] for name, lines in texts.items()}


@pytest.mark.parametrize("name", MODELS)
def test_all_is_as_the_library_has_it(shared: Path, name: str) -> None:
    result = compare_model(shared / "data" / "models" / name, sample(shared))
    assert result.texts > 100
    assert result.tokens > 1000
    assert result.different == 0, result.first
    # Faults of the library that explain a difference are few and have names.
    assert set(result.explained) <= {TIE, PREFIX, MARKS, SHARED}


def test_a_wrong_span_and_a_wrong_spelling_are_seen(shared: Path) -> None:
    model = load(shared / "data" / "models" / "tiktoken" / "r50k_base.tiktoken")
    encoding = model.encode("ab cd")
    assert list(misspelled(model, encoding)) == []
    moved = replace(encoding, ids=encoding.ids[::-1].copy())
    assert any("of the normalized text" in problem for problem in misspelled(model, moved))
    token = encoding.token(0)
    assert span_fault(token, 0, 1, "ab cd") == ""
    assert span_fault(replace(token, end_char=0), 0, 2, "ab cd") == PREFIX
    assert span_fault(replace(token, end_char=2), 0, 1, "a\u0301 cd") == MARKS
    assert span_fault(replace(token, end_char=1), 0, 0, "中", shared=True) == SHARED
    assert plain("▁Éﬁ".encode()) == "efi"


def test_models_are_found_by_their_endings(shared: Path) -> None:
    folder = shared / "data" / "models"
    found = {path.relative_to(folder).as_posix() for path in find_models(folder)}
    assert found >= set(MODELS)


def test_a_difference_is_seen_and_an_exact_tie_is_none(shared: Path) -> None:
    model = load(shared / "data" / "broken" / "uni_float_tie.model")
    # a|aa|aa and aa|aa|a have one score; a|a|a|aa hasn't.
    assert same_score(model, [3, 4, 4], [4, 4, 3])
    assert not same_score(model, [3, 4, 4], [3, 3, 3, 4])
    assert not same_score(model, [3, 4, 4], [3, 4])


def test_the_script_prints_its_table(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = shared / "data"
    chosen = ["--models", str(data / "models" / "sentencepiece"), "--only", "unigram_en"]
    options = ["--languages", "2", "--edge", str(data / "broken")]
    assert main([*chosen, "--texts", str(data / "corpora" / "udhr"), *options]) == 0
    table = capsys.readouterr().out
    assert "sentencepiece/unigram_en_1k.model" in table
    assert " 0 unexplained differences" in table
    assert main([*chosen, "--texts", str(data / "edge" / "nothing")]) == 2
