"""What comes with Segscope: it loads, it is what it says, and its script makes it again."""

from __future__ import annotations

import runpy
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import engine
from engine import bundled
from engine.corpus import open_corpus
from engine.errors import ParameterError


def model(name: str) -> engine.Model:
    return engine.load(bundled.model_path(name))


def test_all_models_load() -> None:
    for one in bundled.models():
        loaded = engine.load(one.path)
        assert loaded.vocabulary.count > 0
        assert one.about
    folder = bundled.folder() / "models"
    files = {path.name for path in folder.iterdir() if path.suffix in (".json", ".model")}
    assert files == {one.path.name for one in bundled.models()}
    assert sum(one.path.stat().st_size for one in bundled.models()) < 1_000_000


def test_models_that_know_the_corpus_give_it_back() -> None:
    corpus = open_corpus(bundled.corpus_path())
    for name in ("everyday-bpe", "everyday-unigram"):
        loaded = model(name)
        for language in corpus:
            for line in corpus.lines(language):
                assert loaded.decode(loaded.encode(line).ids.tolist()) == line.encode()


def test_the_order_of_merges_on_lower() -> None:
    loaded = model("toy-lower")
    assert loaded.inspect()["merges"] == 2
    assert [token.text for token in loaded.encode("lower").tokens] == ["l", "o", "w", "er"]
    assert [token.text for token in loaded.encode("we").tokens] == ["we"]


def test_three_equal_cuts_of_watching() -> None:
    lattice = model("toy-watching").lattice("watching")
    paths = lattice.nbest(4)
    assert lattice.paths == len(paths) == 3
    assert [path.score for path in paths] == [-6.0, -6.0, -6.0]
    assert {tuple(path.pieces) for path in paths} == {
        ("watching",), ("watch", "ing"), ("wat", "ching"),
    }  # fmt: skip
    assert [path.probability for path in paths] == pytest.approx([1 / 3] * 3, abs=1e-12)


def test_the_weather_has_several_sensible_cuts() -> None:
    loaded = model("toy-weather")
    assert loaded.format == "bytepiece"
    assert all(len(loaded.encode(bytes([b]).decode("latin-1"))) > 0 for b in range(256))
    lattice = loaded.lattice("今天天气不错")
    best = lattice.nbest(6)
    assert best[0].pieces == ["今天", "天气", "不错"]
    assert 0.5 < best[0].probability < 0.95
    assert any("天天" in path.pieces for path in best)
    assert sum(path.probability for path in best) > 0.9


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(bundled.folder() / "models" / "make.py"))


def test_the_commands_make_the_same_files(
    script: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script["train"](tmp_path)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert made == {
        one.path.name: one.path.read_bytes()
        for one in bundled.models()
        if one.name.startswith("everyday-")
    }
    readme = Path(__file__).resolve().parents[2] / "README.md"
    assert script["COMMANDS"] in readme.read_text(encoding="utf-8")


def test_the_script_makes_the_same_toys(script: dict[str, Any]) -> None:
    for package, wanted in script["MADE_WITH"].items():
        if version(package) != wanted:
            pytest.skip(f"the toys were made with {package} {wanted}, here is another version")
    toys = [one.path for one in bundled.models() if one.name.startswith("toy-")]
    assert {path.name for path in toys} == script["TOYS"].keys()
    for path in toys:
        assert script["TOYS"][path.name]() == path.read_bytes(), path.name


def test_references() -> None:
    assert bundled.locate_model("bundled:toy-lower") == bundled.model_path("toy-lower")
    assert bundled.locate_model("a/b.json") == Path("a/b.json")
    assert bundled.locate_corpus("bundled:everyday") == bundled.corpus_path()
    assert bundled.locate_corpus("c") == Path("c")
    with pytest.raises(ParameterError, match="everyday-bpe"):
        bundled.model_path("nothing")
