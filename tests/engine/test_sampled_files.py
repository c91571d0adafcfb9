"""Files of sampled segmentations: whole or not there, and draws that chunks don't change."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import engine
import engine.sample
import engine.sample_lines
from engine.bundled import model_path
from engine.corpus import open_corpus
from engine.errors import ParameterError
from engine.progress import Cancelled
from engine.sample import sample
from engine.sampled_files import write_corpus, write_draws
from engine.sampler import SamplingSettings


@pytest.mark.parametrize("method", ["perfect", "viterbi-v1"])
def test_a_cancelled_file_is_what_it_was(
    method: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    model = engine.load(model_path("toy-watching"))
    source, output = tmp_path / "en.txt", tmp_path / "out"
    source.write_text("watching\n" * 6)
    output.write_text("before")
    corpus = open_corpus([source])
    monkeypatch.setattr(engine.sample_lines, "CHUNK", 2)
    seen = []

    def report(done: int, total: int) -> None:
        seen.append((done, total))
        if done >= 4:
            raise Cancelled

    with pytest.raises(Cancelled):
        write_corpus(model, corpus, output, method, SamplingSettings(), 1, report=report)
    assert seen[0] == (0, 6)
    assert seen[-1] == (4, 6)
    assert output.read_text() == "before"
    assert {entry.name for entry in tmp_path.iterdir()} == {"en.txt", "out"}
    tokens = write_corpus(model, corpus, output, method, SamplingSettings(), 1)
    lines = output.read_text().split("\n")
    assert [line.replace(" ", "") for line in lines] == ["watching"] * 6 + [""]
    assert tokens == sum(len(line.split()) for line in lines)


@pytest.mark.parametrize("method", ["perfect", "ffbs", "nbest", "without-replacement"])
def test_chunks_change_no_draw(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lattice = engine.load(model_path("toy-watching")).lattice("watching")
    whole = sample(lattice, method, count=500, seed=4)
    monkeypatch.setattr(engine.sample, "CHUNK", 7)
    parts = sample(lattice, method, count=500, seed=4)
    assert np.array_equal(whole.order, parts.order)
    assert [path.pieces for path in whole.paths] == [path.pieces for path in parts.paths]
    assert whole.counts.tolist() == parts.counts.tolist()


def test_the_draws_of_a_text_stand_in_their_order(tmp_path: Path) -> None:
    model = engine.load(model_path("toy-watching"))
    draws = sample(model.lattice("watching"), count=40, seed=2)
    path = tmp_path / "out"
    tokens = write_draws(model, draws, path)
    lines = path.read_text().splitlines()
    assert lines == [" ".join(draws.paths[i].pieces) for i in draws.order]
    assert len(set(lines)) == 3
    assert tokens == sum(len(line.split()) for line in lines)
    with pytest.raises(ParameterError, match="over the model"):
        write_draws(model, draws, model.path)
