"""Ids of real models beside their own libraries, on a sample; tests/conformance.py has it all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.formats import load
from engine.model import Model
from engine.pieces import PieceKind
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
    total_score,
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


def test_a_span_that_we_cut_short_is_no_fault_of_the_library(shared: Path) -> None:
    model = load(shared / "data" / "models" / "tiktoken" / "r50k_base.tiktoken")
    token = replace(model.encode("a").token(0), end_char=1)
    # The library has the mark in the span, and we haven't.
    assert span_fault(token, 0, 2, "a\u0301") == ""
    assert span_fault(token, 0, 1, "a\u0301") == ""
    longer = replace(token, end_char=2)
    assert span_fault(longer, 0, 1, "a\u200d") == MARKS
    assert span_fault(longer, 1, 1, "a\u0301") == ""
    for char in "\n\r\t\0\x7f\x85\ue000":
        assert span_fault(longer, 0, 1, "a" + char) == "", repr(char)


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
    # Only SentencePiece adds in float32.
    assert not same_score(replace(model, format="huggingface"), [3, 4, 4], [4, 4, 3])


def test_nearly_one_score_is_no_tie(shared: Path) -> None:
    model = load(shared / "data" / "broken" / "uni_float_tie.model")

    def scored(a: float, aa: float) -> Model:
        scores = np.array([0, 0, 0, a, aa])
        return replace(model, vocabulary=replace(model.vocabulary, score=scores))

    assert not same_score(scored(-1.0000005, -2.0), [3, 3], [4])
    assert same_score(scored(-1.00000001, -2.0), [3, 3], [4])
    # 2^24 + 1 + 1 is 2^24 in float32, and 1 + 1 + 2^24 isn't.
    large = scored(-1.0, -(2.0**24))
    assert not same_score(large, [4, 3, 3], [3, 3, 4])
    assert total_score(large, [4, 3, 3]) == -(2.0**24)
    # What an unknown token stands for isn't told by its id.
    assert not same_score(model, [0, 3], [0, 3])


def test_a_character_in_byte_pieces_has_the_score_of_an_unknown_one(shared: Path) -> None:
    model = load(shared / "data" / "models" / "bench" / "unigram32k.model")
    ids = model.encode("\U00012345").ids.tolist()
    spelled = [i for i in ids if model.vocabulary.kind[i] == PieceKind.BYTE]
    assert len(spelled) == 4
    unknown = np.float32(model.segmenter.unknown_score)
    assert total_score(model, spelled) == unknown
    assert total_score(model, spelled * 2) == unknown + unknown


def test_the_script_prints_its_table(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = shared / "data"
    chosen = ["--models", str(data / "models" / "sentencepiece"), "--only", "unigram_en"]
    options = ["--languages", "2", "--edge", str(data / "broken")]
    assert main([*chosen, "--texts", str(data / "corpora" / "udhr"), *options]) == 0
    table = capsys.readouterr().out
    assert "sentencepiece/unigram_en_1k.model" in table
    assert " 0 unexplained differences" in table
    assert main([*chosen, "--texts", str(data / "edge" / "nothing")]) == 2
