"""What the window calls a model: its file's name, or its folder's where all such files share it."""

from __future__ import annotations

import re
from pathlib import Path

ENDINGS = (".json", ".model", ".tiktoken", ".tokenizer", ".txt", ".bpe", ".codes")

GENERIC = (
    "vocabulary", "vocab", "merges", "encoder", "tokenizer", "ranks", "codes", "model", "spiece",
    "spm", "sentencepiece", "bpe",
)  # fmt: skip
"""Names that say what a file is and not whose."""

_ONLY_GENERIC = re.compile(rf"(?:(?:{'|'.join(GENERIC)})(?:[-_. ]|$))+", re.IGNORECASE)
_GENERIC_END = re.compile(r"[-_.](?:vocab|merges|encoder|tokenizer)$", re.IGNORECASE)


def model_name(name: str, path: Path) -> str:
    """Return the name of a model for people.

    name: the file's or folder's own. path: where it lies. `gpt2/vocab.json` is `gpt2`,
    `roberta-merges.txt` is `roberta`, and a snapshot in HuggingFace's cache has the name of its
    repository.
    """
    place = path.absolute()
    if place.name == name and place.parent.name == "snapshots":
        return _repository(place)
    short = _without_endings(name)
    if not _ONLY_GENERIC.fullmatch(short):
        return _GENERIC_END.sub("", short)
    for folder in place.parents:
        if folder.name and not _ONLY_GENERIC.fullmatch(folder.name):
            return _repository(folder)
    return short


def _repository(folder: Path) -> str:
    """Return the name of a folder; of a snapshot in a cache, of its repository."""
    if folder.parent.name == "snapshots":
        folder = folder.parent.parent
    return folder.name.rpartition("--")[2] or folder.name


def _without_endings(name: str) -> str:
    short = name
    for ending in ENDINGS:
        short = short.removesuffix(ending)
    return short or name
