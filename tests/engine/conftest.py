"""Fixtures of the engine's tests: bundled models, read once."""

from __future__ import annotations

import pytest

import engine
from engine.bundled import model_path
from engine.model import Model


@pytest.fixture(scope="session")
def watching() -> Model:
    return engine.load(model_path("toy-watching"))


@pytest.fixture(scope="session")
def weather() -> Model:
    return engine.load(model_path("toy-weather"))


@pytest.fixture(scope="session")
def lower() -> Model:
    return engine.load(model_path("toy-lower"))


@pytest.fixture(scope="session")
def bpe() -> Model:
    return engine.load(model_path("everyday-bpe"))


@pytest.fixture(scope="session")
def unigram() -> Model:
    return engine.load(model_path("everyday-unigram"))


@pytest.fixture(scope="session")
def wordpiece() -> Model:
    return engine.load(model_path("everyday-wordpiece"))
