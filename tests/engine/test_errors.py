"""Errors keep their class, their fields and their text on the way to another process."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Iterator

import pytest

import engine
from engine.errors import ModelError, SegscopeError, cannot_read

SAMPLES = {"int": 3, "str": "some words", "tuple[int, ...]": (4, 5)}
"""A value for a parameter, by its annotation."""


def all_errors() -> list[type[SegscopeError]]:
    for module in pkgutil.walk_packages(engine.__path__, "engine."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    return sorted(set(_below(SegscopeError)), key=lambda kind: kind.__qualname__)


def _below(kind: type[SegscopeError]) -> Iterator[type[SegscopeError]]:
    yield kind
    for inner in kind.__subclasses__():
        yield from _below(inner)


def make(kind: type[SegscopeError]) -> SegscopeError:
    parameters = list(inspect.signature(kind).parameters.values())
    return kind(**{p.name: SAMPLES[str(p.annotation)] for p in parameters})


def test_the_errors_of_all_modules_are_found():
    names = {kind.__name__ for kind in all_errors()}
    assert {"CoverageError", "LibraryError", "ConstraintError", "SceneError"} <= names


@pytest.mark.parametrize("carry", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy])
@pytest.mark.parametrize("kind", all_errors(), ids=lambda kind: kind.__name__)
def test_an_error_arrives_whole(kind, carry):
    error = make(kind)
    there = carry(error)
    assert type(there) is kind
    assert str(there) == str(error)
    assert "some words" in str(there)
    assert vars(there) == vars(error)
    assert there.args == error.args


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (FileNotFoundError(2, "No such file or directory"), "No such file or directory"),
        (ValueError("embedded null byte"), "embedded null byte"),
        (OSError(), "OSError"),
    ],
)
def test_what_can_t_be_read_is_told_with_the_system_s_reason(error, reason):
    told = cannot_read(ModelError, "folder", "a/b", error)
    assert type(told) is ModelError
    assert told.what == f"the folder can't be read ({reason})"
    assert (told.where, told.remedy) == ("a/b", "check its path, and whether you may read it")
