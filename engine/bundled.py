"""The models, the corpus and the scenes that come with Segscope."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from engine.errors import ParameterError

PREFIX = "bundled:"
CORPUS = "everyday"


@dataclass(frozen=True)
class Bundled:
    """A file that comes with Segscope: the name it goes by, what it is for, and where it is."""

    name: str
    about: str
    path: Path


_MODELS = (
    ("everyday-bpe", "json", "byte-level BPE, trained on the bundled corpus"),
    ("everyday-unigram", "model", "Unigram with byte fallback, trained on the bundled corpus"),
    ("everyday-wordpiece", "json", "WordPiece, trained on the bundled corpus"),
    ("toy-abc", "json", "Unigram with four cuts of abc, for laws by hand"),
    ("toy-lower", "json", "BPE with two merges: e r, then w e"),
    ("toy-there", "json", "BPE that cuts there otherwise under each rule of merging"),
    ("toy-watching", "json", "Unigram with three equally likely cuts of watching"),
    ("toy-weather", "model", "byte-level Unigram for 今天天气不错"),
)
_SCENES = (
    ("order-of-merges", "why the order of merges decides"),
    ("three-cuts", "three equally likely cuts under perfect sampling"),
    ("abc", "four cuts of abc under viterbi-v1 and perfect sampling"),
    ("weather", "the lattice of 今天天气不错 over bytes"),
    ("korean-bytes", "a Korean sentence in a byte-level model"),
    ("languages", "compression over the bundled languages"),
)


@cache
def folder() -> Path:
    """Return the folder that everything bundled lies in."""
    return Path(str(files("resources")))


def models() -> tuple[Bundled, ...]:
    """Return the bundled models: those trained on the bundled corpus, then the toys."""
    place = folder() / "models"
    return tuple(Bundled(name, about, place / f"{name}.{end}") for name, end, about in _MODELS)


def scenes() -> tuple[Bundled, ...]:
    """Return the built-in examples."""
    place = folder() / "scenes"
    return tuple(Bundled(name, about, place / f"{name}.json") for name, about in _SCENES)


def corpus_path() -> Path:
    """Return the folder of the bundled parallel corpus."""
    return folder() / "corpora" / CORPUS


def model_path(name: str) -> Path:
    """Return the file of a bundled model; `ParameterError` names those that there are."""
    for model in models():
        if model.name == name:
            return model.path
    names = ", ".join(model.name for model in models())
    raise ParameterError(f"there is no bundled model {name!r}", "", f"choose one of {names}")


def locate_model(reference: str | Path) -> Path:
    """Return the path that `bundled:NAME` or a path stands for."""
    text = str(reference)
    return model_path(text.removeprefix(PREFIX)) if text.startswith(PREFIX) else Path(reference)


def locate_corpus(reference: str | Path) -> Path:
    """Return the path that `bundled:everyday` or a path stands for."""
    text = str(reference)
    if not text.startswith(PREFIX):
        return Path(reference)
    if text.removeprefix(PREFIX) != CORPUS:
        raise ParameterError(
            f"there is no bundled corpus {text!r}", "", f"use {PREFIX}{CORPUS}, or a path"
        )
    return corpus_path()
