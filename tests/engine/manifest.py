"""The shared data's files with one defect each, and what opening them must do."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from engine.errors import ModelError
from engine.formats import load
from engine.model import Model


@dataclass(frozen=True)
class Expected:
    """What opening a file must do: an error with these parts, or warnings and ids by text.

    merges: how many, where it is said. pattern: given to `load`.
    """

    error: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()
    ids: dict[str, list[int]] = field(default_factory=dict)
    merges: int | None = None
    pattern: str | None = None


def rows(shared: Path, prefixes: tuple[str, ...]) -> set[str]:
    """Return the files of the manifest whose names begin so."""
    with (shared / "data" / "broken" / "MANIFEST.tsv").open(encoding="utf-8") as file:
        names = [row["file"] for row in csv.DictReader(file, delimiter="\t")]
    return {name for name in names if name.startswith(prefixes)}


def check(path: Path, wanted: Expected) -> Model | None:
    """Open a file and assert that it does what is wanted; return the model if there is one."""
    if wanted.error:
        with pytest.raises(ModelError) as caught:
            load(path)
        for part in (*wanted.error, str(path)):
            assert part in str(caught.value)
        assert caught.value.remedy
        return None
    model = load(path, pattern=wanted.pattern)
    for part in wanted.warned:
        assert any(part in warning for warning in model.warnings), model.warnings
    for text, ids in wanted.ids.items():
        assert model.encode(text).ids.tolist() == ids
        assert model.encode_lines([text])[0].tolist() == ids
    return model
