"""A folder that holds a model: which of its files is opened.

The order: `tokenizer.json`, other HuggingFace files, `.model` files, GPT-2's pair, BERT's
`vocab.txt`, tiktoken ranks, subword-nmt codes that tell their version; of one kind the first by
name. Files are known by the names that such files have and by how they begin; `tokenizer.json` by
its name alone, so that what is wrong with it is told. Where nothing else is found, one file of
GPT-2's pair is opened, and its reader tells what is missing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from engine.errors import ModelError, cannot_read
from engine.files import FILE, FOLDER, SHOWN, in_words, kind_of, unusable
from engine.formats import (
    bert,
    bytepiece,
    gpt2,
    huggingface,
    sentencepiece,
    subword_nmt,
    tiktoken,
)

TOKENIZER = "tokenizer.json"

HEAD = 1 << 16
"""Bytes of a file that are looked at."""

MOST = 10_000
"""Files of a folder that are looked at: a model doesn't hide among more."""

_ENDINGS = (".json", ".model", ".txt", ".tiktoken", ".bpe", ".codes", ".vocab")
"""How model files' names end most often."""

_PAIR = (*gpt2.VOCABULARIES, *gpt2.MERGES)


class Choice(NamedTuple):
    """The file to open, the other model files of the folder, and what can't be read in it."""

    path: Path
    others: tuple[Path, ...]
    unusable: tuple[tuple[Path, str], ...] = ()


def choose(folder: Path) -> Choice | None:
    """Return which file of a folder is its model, None where there is none.

    Raises `ModelError` where the folder can't be read.
    """
    paths = _paths_of(folder)
    found = [(rank, path) for path in paths if (rank := _rank(path)) is not None]
    if not found:
        found = [(0, path) for path in paths if _is_half(path)]
    if not found:
        return None
    # Stable: of one kind the first by name.
    found.sort(key=lambda entry: entry[0])
    chosen, *others = (path for _, path in found)
    rest = [path for path in paths if path != chosen and path not in others]
    return Choice(chosen, tuple(others), tuple(_unusable(rest)))


def _paths_of(folder: Path) -> list[Path]:
    """Return what lies in a folder, by name. Raises `ModelError` where it can't be read."""
    try:
        return sorted(path for path, _ in zip(folder.iterdir(), range(MOST), strict=False))
    except OSError as error:
        raise cannot_read(ModelError, "folder", folder, error) from None


def _unusable(paths: Iterable[Path]) -> list[tuple[Path, str]]:
    """Return what can't be read and why, names that model files have first."""
    found = unusable(paths)
    found += [
        (path, "not readable")
        for path in paths
        if kind_of(path) == FILE and not os.access(path, os.R_OK)
    ]
    return sorted(found, key=lambda entry: (not entry[0].name.lower().endswith(_ENDINGS), entry))


def path_of(name: str | PathLike[str]) -> Path:
    """Return what was given as a path. Raises `ModelError` for an empty one, not the folder `.`."""
    if not os.fspath(name):
        raise ModelError(
            "the path is empty", "", "name a model file or a folder; . is the folder you are in"
        )
    return Path(name)


def main_file(path: Path) -> Path:
    """Return the file that a path stands for: itself, or the model in a folder.

    Raises `ModelError` for a folder without a model.
    """
    if not path.is_dir():
        return path
    choice = choose(path)
    if choice is None:
        lost = _unusable(_paths_of(path))
        raise ModelError(
            "this is a folder, and no model was found in it"
            + (f"; left out: {in_words(lost)}" if lost else ""),
            str(path),
            "open the model file itself: tokenizer.json, a .model, vocab.json beside merges.txt, "
            "vocab.txt, a .tiktoken file or subword-nmt codes",
        )
    return choice.path


def left_out(choice: Choice) -> list[str]:
    """Return the warnings that name what else lay in the folder."""
    folder = choice.path.parent.resolve().name
    said = []
    names = sorted(path.name for path in choice.others)
    if names:
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        said.append(
            f"of the folder {folder}, {choice.path.name} is opened; not used: "
            f"{', '.join(names[:SHOWN])}{more}"
        )
    if choice.unusable:
        said.append(f"left out of the folder {folder}: {in_words(choice.unusable)}")
    return said


def _rank(path: Path) -> int | None:
    """Return the place of a file in the order of kinds, None if it is no model."""
    name = path.name.lower()
    if name == TOKENIZER and kind_of(path) != FOLDER:
        return 0
    head = _head(path)
    if not head:
        return None
    if name.endswith(".json") and huggingface.recognise(head):
        return 1
    if name.endswith(".model"):
        kinds = (sentencepiece.recognise, bytepiece.recognise, tiktoken.recognise)
        return 2 if any(recognise(head) for recognise in kinds) else None
    part = gpt2.part_of(path.name)
    if part is not None and gpt2.recognise(head, path):
        # The vocabulary stands for its pair.
        whole = gpt2.other_file(path, part.is_merges) is not None
        return 3 if whole and not part.is_merges else None
    if name.endswith("vocab.txt") and bert.recognise(head):
        return 4
    if name.endswith(".tiktoken") and tiktoken.recognise(head):
        return 5
    return 6 if subword_nmt.tells_version(head) else None


def _is_half(path: Path) -> bool:
    """Return whether a file is one of GPT-2's pair, by its whole name and how it begins."""
    return path.name.lower().endswith(_PAIR) and gpt2.recognise(_head(path), path)


def _head(path: Path) -> bytes:
    """Return how a file begins; empty where it can't be read or is no ordinary file."""
    try:
        if kind_of(path) != FILE:
            return b""
        with path.open("rb") as stream:
            return stream.read(HEAD)
    except OSError:
        return b""
