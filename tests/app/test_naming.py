"""What the window calls a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import engine
from app.naming import model_name
from app.session import Session


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("gpt2/vocab.json", "gpt2"),
        ("gpt2/merges.txt", "gpt2"),
        ("gpt2/encoder.json", "gpt2"),
        ("gpt2/vocab.bpe", "gpt2"),
        ("llama/tokenizer.json", "llama"),
        ("llama/tokenizer.model", "llama"),
        ("xlnet/spiece.model", "xlnet"),
        ("mbart/sentencepiece.bpe.model", "mbart"),
        ("stable/tokenizer/vocab.json", "stable"),
        ("one/ranks.tiktoken", "one"),
        ("any/gpt2.tokenizer.json", "gpt2"),
        ("any/roberta-vocab.json", "roberta"),
        ("any/bert_cased_vocab.txt", "bert_cased"),
        ("any/everyday-bpe.json", "everyday-bpe"),
        ("any/o200k_base.tiktoken", "o200k_base"),
        ("any/vocabularies.json", "vocabularies"),
        ("hub/models--openai-community--gpt2/snapshots/607a30d7/tokenizer.json", "gpt2"),
        ("hub/models--gpt2/snapshots/607a30d7/tokenizer.json", "gpt2"),
        ("hub/models--openai-community--gpt2/snapshots/607a30d7", "gpt2"),
    ],
)
def test_a_generic_file_has_the_name_of_its_folder(tmp_path: Path, path: str, name: str) -> None:
    given = tmp_path / path
    assert model_name(given.name, given) == name


def test_without_a_folder_that_tells_the_file_keeps_its_name() -> None:
    assert model_name("vocab.json", Path("/vocab.json")) == "vocab"


def test_a_pair_is_named_after_its_folder_in_the_window(session: Session, tmp_path: Path) -> None:
    folder = tmp_path / "my-pair"
    folder.mkdir()
    pieces: dict[str, Any] = {piece: i for i, piece in enumerate([*"abc", "ab"])}
    (folder / "vocab.json").write_text(json.dumps(pieces))
    (folder / "merges.txt").write_text("#version: 0.2\na b\n")
    names = [session.add_model(engine.load(folder / n)).name for n in ("vocab.json", "merges.txt")]
    assert [*names, session.add_model(engine.load(folder)).name] == ["my-pair"] * 3
