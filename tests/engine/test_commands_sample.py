"""`sample` of the headless contract: keys, values and files written."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import cli, load
from engine.bundled import model_path
from engine.model import Batch
from engine.sample import SAMPLERS
from engine.sampler import SamplingSettings
from engine.samplers.gibbs import exact_law
from tests.engine.headless import ROOT, document, fault, run


def test_sample(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ("sample", "toy-watching", "--text", "watching", "--count", "3000", "--seed", "7")
    result = document(capsys, *argv)
    assert result.keys() >= {"method", "seed", "samples", "exact", "tv_distance", "chi2_p"}
    assert (result["method"], result["seed"]) == ("perfect", 7)
    assert sum(sample["count"] for sample in result["samples"]) == 3000
    assert {tuple(s["pieces"]) for s in result["samples"]} == {
        ("watching",), ("watch", "ing"), ("wat", "ching"),
    }  # fmt: skip
    assert sum(entry["probability"] for entry in result["exact"]) == pytest.approx(1)
    assert result["tv_distance"] < 0.05
    assert result["chi2_p"] > 1e-4
    assert document(capsys, *argv) == result
    assert document(capsys, *argv[:-1], "8") != result


def test_sample_viterbi(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ("sample", "toy-watching", "--text", "watching", "--method", "viterbi", "--count", "5")
    result = document(capsys, *argv)
    assert [(s["pieces"], s["count"]) for s in result["samples"]] == [(["watching"], 5)]
    assert result["exact"] == [{"pieces": ["watching"], "probability": 1.0}]
    assert result["tv_distance"] == 0
    assert result["chi2_p"] is None


def test_sample_among_the_best(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ("sample", "toy-watching", "--text", "watching", "--method", "nbest", "--count", "900")
    result = document(capsys, *argv, "--nbest-size", "2", "--theta", "0.5")
    assert (result["nbest_size"], result["theta"]) == (2, 0.5)
    assert [entry["probability"] for entry in result["exact"]] == pytest.approx([0.5, 0.5])
    assert result["lost"] == pytest.approx(1 / 3)
    assert result["entropy_nats"] == pytest.approx(math.log(2))
    assert (result["effective"], result["covering_95"]) == (pytest.approx(2.0), 2)
    assert (
        "left out by choosing among the best: 0.333" in run(capsys, *argv, "--nbest-size", "2")[1]
    )
    for size in ("0", "-1", "1000001"):
        assert "best paths" in fault(capsys, *argv, "--nbest-size", size)


def test_sample_without_replacement(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ("sample", "toy-watching", "--text", "watching", "--method", "without-replacement")
    result = document(capsys, *argv, "--count", "2")
    assert [entry["count"] for entry in result["samples"]] == [1, 1]
    assert [entry["inclusion"] for entry in result["exact"]] == pytest.approx([2 / 3] * 3)
    assert [entry["inclusion"] for entry in result["samples"]] == pytest.approx([2 / 3] * 2)
    assert (result["tv_distance"], result["chi2_p"]) == (None, None)
    assert len(document(capsys, *argv, "--count", "9")["samples"]) == 3
    assert "each different" in run(capsys, *argv)[1]


def test_sample_shows_the_bias_of_viterbi_sampling(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ("sample", "toy-watching", "--text", "watching", "--method", "viterbi-v1")
    top = document(capsys, *argv)["exact"][0]
    assert (top["pieces"], top["probability"]) == (["watch", "ing"], pytest.approx(0.5))
    for theta in ("nan", "inf", "-1"):
        assert "θ" in fault(capsys, *argv, "--theta", theta)


def test_a_law_is_held_against_another(capsys: pytest.CaptureFixture[str]) -> None:
    # Three equal cuts: v1 gives them 1/4, 1/4, 1/2.
    argv = ("sample", "toy-watching", "--text", "watching", "--method", "viterbi-v1")
    found = document(capsys, *argv, "--against", "perfect")["against"]
    assert (found["method"], found["theta"]) == ("perfect", 1.0)
    assert found["tv_distance"] == pytest.approx(1 / 6)
    assert found["kl_nats"] == pytest.approx(0.5 * math.log(0.75) + 0.5 * math.log(1.5))
    assert found["kl_back_nats"] == pytest.approx((2 * math.log(4 / 3) + math.log(2 / 3)) / 3)
    # One method at two settings, by forward and backward sums.
    lattice = load(model_path("everyday-unigram")).lattice("watching")
    argv = ("sample", "everyday-unigram", "--text", "watching", "--theta", "0.5")
    found = document(capsys, *argv, "--against", "ffbs", "--against-theta", "2")["against"]
    first, second = exact_law(lattice, 0.5), exact_law(lattice, 2.0)
    ratios = {tuple(path.edges.tolist()): path.probability for path in second}
    wanted = [(p.probability, ratios[tuple(p.edges.tolist())]) for p in first]
    kl = sum(a * math.log(a / b) for a, b in wanted)
    assert found["kl_nats"] == pytest.approx(kl)
    assert found["tv_distance"] == pytest.approx(0.5 * sum(abs(a - b) for a, b in wanted))
    # The best path alone can't draw what the others can.
    found = document(capsys, *argv, "--against", "viterbi")["against"]
    assert (found["kl_nats"], found["kl_infinite"]) == (None, True)
    best = exact_law(lattice, 0.5)[0].probability
    assert found["kl_back_nats"] == pytest.approx(-math.log(best))
    _, shown, _ = run(capsys, *argv, "--against", "viterbi")
    assert "KL ∞, the other way" in shown


def test_pieces_dropped_with_another_probability(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ("sample", "everyday-wordpiece", "--text", "watching", "--method", "maxmatch-dropout")
    argv += ("--dropout", "0.2", "--against", "maxmatch-dropout", "--against-dropout")
    found = document(capsys, *argv, "0.6")["against"]
    assert found["kl_nats"] > 0
    assert 0 < found["tv_distance"] < 1
    assert document(capsys, *argv, "0.2")["against"]["kl_nats"] == pytest.approx(0.0, abs=1e-12)
    # The model's own cut alone: its probability is all that the other law keeps.
    found = document(capsys, *argv, "0")["against"]
    own = load(model_path("everyday-wordpiece")).lattice("watching")
    sampler, settings = SAMPLERS["maxmatch-dropout"], SamplingSettings(dropout=0.2)
    assert sampler.lattice is not None
    choice = sampler.lattice(own, settings)
    share = sampler.law(choice, settings).probability(choice.taken)
    assert (found["kl_infinite"], found["kl_back_nats"]) == (True, pytest.approx(-math.log(share)))
    assert found["tv_distance"] == pytest.approx(1 - share)


@pytest.mark.parametrize(
    ("model", "method"),
    [
        ("everyday-unigram", "perfect"),
        ("everyday-bpe", "bpe-dropout"),
        ("everyday-wordpiece", "maxmatch-dropout"),
    ],
)
def test_the_method_by_default_is_one_for_the_model(
    capsys: pytest.CaptureFixture[str], model: str, method: str
) -> None:
    argv = ("sample", model, "--text", "watching", "--dropout", "0.3", "--count", "20")
    assert document(capsys, *argv) == document(capsys, *argv, "--method", method)
    assert document(capsys, *argv)["method"] == method


def test_sample_with_too_many_segmentations(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ("sample", "everyday-unigram", "--text", "The weather is lovely today. " * 3)
    result = document(capsys, *argv, "--count", "3")
    assert (result["exact"], result["tv_distance"], result["chi2_p"]) == (None, None, None)
    assert "too many" in run(capsys, *argv)[1]


def test_sample_of_bad_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    base = ("sample", "toy-watching", "--text", "watching")
    assert "perfect" in fault(capsys, *base, "--method", "dice")
    fault(capsys, *base, "--count", "0")
    fault(capsys, *base, "--seed", "1.5")
    argv = ("sample", "toy-lower", "--text", "lower", "--method", "perfect")
    assert "Unigram" in fault(capsys, *argv)
    fault(capsys, "sample", "toy-watching", "--output", "x")
    fault(capsys, "sample", "toy-watching", "--corpus", "bundled:everyday")
    assert "dice" in fault(capsys, *base, "--against", "dice")
    assert "--against M is missing" in fault(capsys, *base, "--against-theta", "2")
    assert "--against" in fault(capsys, *base, "--against", "ffbs", "--output", "x")


def test_sample_a_corpus(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    source = tmp_path / "en.txt"
    source.write_text("the weather is lovely\n\nwatching 안녕\n", encoding="utf-8")
    argv = ("sample", "everyday-unigram", "--corpus", str(source), "--theta", "0.2")
    first, second, ids = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    assert run(capsys, *argv, "--output", str(first), "--seed", "3")[0] == 0
    assert run(capsys, *argv, "--output", str(second), "--seed", "3")[0] == 0
    assert first.read_bytes() == second.read_bytes()
    lines = first.read_text(encoding="utf-8").split("\n")
    assert len(lines) == 4
    assert lines[0].replace(" ", "").replace("▁", " ") == " the weather is lovely"
    assert (lines[1], lines[3]) == ("", "")
    result = document(capsys, *argv, "--output", str(ids), "--seed", "3", "--ids")
    assert (result["lines"], result["seed"]) == (3, 3)
    rows = [[int(i) for i in line.split()] for line in ids.read_text().split("\n")]
    assert [len(row) for row in rows] == [len(line.split()) for line in lines]
    assert sum(map(len, rows)) == result["tokens"]
    assert run(capsys, *argv, "--output", str(second), "--seed", "4")[0] == 0
    assert first.read_bytes() != second.read_bytes()


def test_sample_says_what_a_corpus_leaves_out(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    source = tmp_path / "en.txt"
    source.write_bytes(b"\xef\xbb\xbfwatch\r\nwatching\n")
    argv = ("sample", "toy-watching", "--corpus", str(source), "--output", str(tmp_path / "out"))
    notes = document(capsys, *argv)["warnings"]
    assert len(notes) == 2
    assert "byte order mark" in notes[0]
    assert "CR LF" in notes[1]
    code, out, err = run(capsys, *argv)
    assert code == 0
    assert err == "".join(f"note: {note}\n" for note in notes)
    assert out.count("\n") == 1
    source.write_bytes(b"watch\nwatching\n")
    assert document(capsys, *argv)["warnings"] == []
    assert run(capsys, *argv)[2] == ""


def test_nothing_is_half_written(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import engine.sampled_files

    output = tmp_path / "out"
    output.write_text("before")
    argv = ["sample", "toy-watching", "--corpus", "bundled:everyday", "--output", str(output)]

    def interrupted(*_: Any) -> Any:
        yield Batch(np.array([1], dtype=np.int32), np.array([0, 1]))
        raise KeyboardInterrupt

    monkeypatch.setattr(engine.sampled_files, "sample_lines", interrupted)
    assert cli.main(argv) == 130
    assert output.read_text() == "before"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]
    assert "can't be written" in fault(capsys, *argv[:-1], str(tmp_path / "no" / "out"))


def test_nothing_that_was_read_is_written_over(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    corpus, model = tmp_path / "corpus.txt", tmp_path / "my.json"
    corpus.write_text("watching\n")
    model.write_bytes((ROOT / "resources/models/toy-watching.json").read_bytes())
    before = model.read_bytes()
    for output, what in ((corpus, "corpus"), (model, "model")):
        argv = ("sample", str(model), "--corpus", str(corpus), "--output", str(output))
        assert f"the sample would be written over the {what}" in fault(capsys, *argv)
    assert (corpus.read_text(), model.read_bytes()) == ("watching\n", before)
