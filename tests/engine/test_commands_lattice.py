"""`lattice` of the headless contract: keys, values, places and pictures."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.headless import document, fault, run


def test_lattice_of_watching(capsys: pytest.CaptureFixture[str]) -> None:
    result = document(capsys, "lattice", "toy-watching", "--text", "watching", "--nbest", "3")
    assert result.keys() >= {
        "unit", "positions", "edges", "path", "viterbi", "nbest", "log_partition", "entropy_nats",
        "expected_tokens", "paths", "law",
    }  # fmt: skip
    assert (result["unit"], result["positions"], result["law"]) == ("byte", 9, None)
    assert [path["pieces"] for path in result["nbest"]] == [
        ["watching"], ["wat", "ching"], ["watch", "ing"],
    ]  # fmt: skip
    assert [path["probability"] for path in result["nbest"]] == pytest.approx([1 / 3] * 3)
    assert {path["score"] for path in result["nbest"]} == {-6.0}
    assert result["path"]["ids"] == result["viterbi"]["ids"] == [0]
    assert result["entropy_nats"] == pytest.approx(1.0986122886681098)
    assert result["log_partition"] == pytest.approx(-6 + 1.0986122886681098)
    assert result["expected_tokens"] == pytest.approx(5 / 3)
    # There is no unknown token, which would allow cuts into single letters.
    assert result["paths"] == "3"
    assert len(result["edges"]) == 5
    edges = {(e["start"], e["end"]): e for e in result["edges"]}
    assert edges[0, 5].keys() >= {
        "start", "end", "id", "text", "score", "rank", "marginal", "canonical",
    }  # fmt: skip
    assert edges[0, 5]["text"] == "watch"
    assert edges[0, 5]["marginal"] == pytest.approx(1 / 3)
    assert edges[0, 5]["rank"] is None
    assert [span for span, e in edges.items() if e["canonical"]] == [(0, 8)]


def test_a_text_that_no_pieces_cover(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    given = ("toy-watching", "--text", "é watch")
    for command in (("encode",), ("sample",), ("lattice", "--pin", "0:1")):
        assert "past 'é', character 0" in fault(capsys, *command, *given)
    result = document(capsys, "lattice", "toy-watching", "--text", "watch!ing")
    assert (result["paths"], result["path"], result["nbest"]) == ("0", None, None)
    assert "leads past '!' (character 5)" in result["law"]
    assert [edge["text"] for edge in result["edges"]] == ["wat", "watch", "ing"]
    code, out, _ = run(capsys, "lattice", "toy-watching", "--text", "watch!ing")
    assert code == 0
    assert "0 segmentations" in out
    assert "on the path" not in out
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "aa.txt").write_text("watch\nwatching\n")
    (corpus / "bb.txt").write_text("wat\nwatéching\n")
    out_file = tmp_path / "drawn"
    for command in (
        ("compare", "toy-watching", "--corpus", str(corpus)),
        ("sample", "toy-watching", "--corpus", str(corpus), "--output", str(out_file)),
    ):
        assert "bb.txt: line 2, character 3" in fault(capsys, *command)
    assert not out_file.exists()


def test_one_segmentation_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    base = ("lattice", "toy-watching", "--text", "watching", "--pin", "0:8")
    out = run(capsys, *base)[1].splitlines()
    assert out[0] == "1 edge over 9 positions (byte), 1 segmentation"
    assert any(line.startswith("without: 3 segmentations, ") for line in out)


def test_theta_and_alpha_are_one(capsys: pytest.CaptureFixture[str]) -> None:
    base = ("lattice", "toy-watching", "--text", "watching")
    uniform = document(capsys, *base, "--theta", "0")
    assert uniform == document(capsys, *base, "--alpha", "0")
    assert [path["probability"] for path in uniform["nbest"]] == pytest.approx([1 / 3] * 3)
    for bad in ("-1", "nan", "inf", "x"):
        fault(capsys, *base, f"--theta={bad}")


def test_units(capsys: pytest.CaptureFixture[str]) -> None:
    base = ("lattice", "toy-weather", "--text", "今天")
    by_byte = document(capsys, *base)
    by_char = document(capsys, *base, "--unit", "char")
    assert (by_byte["positions"], by_char["positions"]) == (7, 3)
    whole = {(e["start"], e["end"]) for e in by_byte["edges"] if e["text"] == "今天"}
    assert whole == {(0, 6)}
    assert {(e["start"], e["end"]) for e in by_char["edges"]} == {(0, 1), (1, 2), (0, 2)}
    joined = ("lattice", "everyday-unigram", "--text", "e\u0301a", "--unit")
    assert document(capsys, *joined, "char")["positions"] == 4
    assert document(capsys, *joined, "grapheme")["positions"] == 3


def test_models_without_a_law(capsys: pytest.CaptureFixture[str]) -> None:
    result = document(capsys, "lattice", "toy-lower", "--text", "lower")
    for key in ("log_partition", "entropy_nats", "viterbi", "nbest", "expected_tokens"):
        assert result[key] is None
    assert "rank" in result["law"]
    assert result["path"]["pieces"] == ["l", "o", "w", "er"]
    assert (result["path"]["score"], result["path"]["probability"]) == (None, None)
    by_text = {edge["text"]: edge for edge in result["edges"]}
    assert (by_text["er"]["rank"], by_text["we"]["rank"]) == (0, 1)
    assert (by_text["er"]["canonical"], by_text["we"]["canonical"]) == (True, False)
    assert (by_text["er"]["score"], by_text["er"]["marginal"]) == (None, None)
    # l|o|w|e|r, with er, with we.
    assert result["paths"] == "3"


def test_pin_and_forbid(capsys: pytest.CaptureFixture[str]) -> None:
    base = ("lattice", "toy-watching", "--text", "watching")
    pinned = document(capsys, *base, "--pin", "0:5", "--nbest", "1")
    assert pinned["nbest"][0]["pieces"] == ["watch", "ing"]
    assert pinned["nbest"][0]["probability"] == pytest.approx(1)
    assert pinned["path"]["pieces"] == ["watching"]
    assert pinned["path"]["probability"] == 0
    forbidden = document(capsys, *base, "--forbid", "0:8")
    assert [p["probability"] for p in forbidden["nbest"][:2]] == pytest.approx([0.5, 0.5])
    assert forbidden["log_partition"] == pytest.approx(-6 + 0.6931471805599453)
    kept = document(capsys, *base, "--pin", "0:8")
    assert (kept["path"]["probability"], kept["paths"]) == (pytest.approx(1), "1")
    both = (*base, "--pin", "0:5", "--forbid", "5:8")
    assert "no segmentation" in fault(capsys, *both)
    between = ("lattice", "everyday-wordpiece", "--text", "a b", "--pin", "1:2")
    assert "no piece covers the pinned span" in fault(capsys, *between)
    for span in ("5:2", "a:b", "0:99", "3:3", "99", "0:8:x", "0:8:0:1", ""):
        fault(capsys, *base, "--pin", span)


@pytest.mark.parametrize("unit", ["byte", "char", "grapheme"])
@pytest.mark.parametrize(
    ("model", "text"),
    [
        ("everyday-unigram", "e\u0301a"),
        ("everyday-unigram", "watching"),
        ("everyday-unigram", "\ufb01n 今"),
        ("everyday-bpe", "今"),
        ("everyday-bpe", "🙂e\u0301"),
    ],
)
def test_every_listed_edge_can_be_named(
    capsys: pytest.CaptureFixture[str], model: str, text: str, unit: str
) -> None:
    base = ("lattice", model, "--text", text, "--unit", unit)
    edges = document(capsys, *base)["edges"]
    assert edges
    for edge in edges:
        span = f"{edge['start']}:{edge['end']}"
        whole = edge["id"] is None
        place = span if whole else f"{span}:{edge['id']}"
        keys = ("start", "end") if whole else ("start", "end", "id")
        same = [e for e in edges if all(e[key] == edge[key] for key in keys)]
        code, _, said = run(capsys, *base, "--forbid", place)
        if code:
            assert "no segmentation is left: all of them have" in said
            continue
        left = document(capsys, *base, "--forbid", place)
        assert left["edges"] == [
            {**e, "marginal": kept["marginal"]}
            for e, kept in zip([e for e in edges if e not in same], left["edges"], strict=True)
        ]
        (given,) = left["constraints"]
        assert (given["start"], given["end"], given["id"]) == (
            edge["start"], edge["end"], None if whole else edge["id"],
        )  # fmt: skip
        assert left["obeys"] is not any(e["canonical"] for e in same)


def test_edges_inside_a_unit_and_of_no_length(capsys: pytest.CaptureFixture[str]) -> None:
    inside = ("lattice", "everyday-bpe", "--text", "今", "--unit", "char")
    pinned = document(capsys, *inside, "--pin", "0:1:2357")
    assert (pinned["paths"], pinned["obeys"]) == ("1", False)
    assert document(capsys, *inside, "--pin", "0:1")["paths"] == "3"
    forbidden = document(capsys, *inside, "--forbid", "0:1:2357")
    assert forbidden["paths"] == "2"
    grapheme = ("lattice", "everyday-unigram", "--text", "qe\u0301a", "--unit", "grapheme")
    assert "all of them have" in fault(capsys, *grapheme, "--forbid", "1:2:266")
    prefix = ("lattice", "everyday-unigram", "--text", "watching")
    pinned = document(capsys, *prefix, "--pin", "0:0:259")
    assert pinned["constraints"][0]["target"] == "edge"
    assert document(capsys, *prefix, "--pin", "0:0")["paths"] == pinned["paths"]
    without = document(capsys, *prefix, "--forbid", "0:0")
    assert int(without["paths"]) + int(pinned["paths"]) == int(pinned["without"]["paths"])
    assert "forbidden span: bytes 0 to 0" in run(capsys, *prefix, "--forbid", "0:0")[1]
    assert run(capsys, *prefix, "--pin", "0:0", "--forbid", "1:2", "--format", "svg")[0] == 0


@pytest.mark.parametrize("option", ["--pin", "--forbid"])
def test_places_that_no_edge_has(capsys: pytest.CaptureFixture[str], option: str) -> None:
    base = ("lattice", "everyday-unigram", "--text", "watching", option)
    for place in ("3:3", "3:3:259", "0:8", "0:1:259"):
        assert "no piece covers the" in fault(capsys, *base, place)
    many = "9" * 5000
    for place in (many, f"0:{many}", f"{many}:{many}:1"):
        said = fault(capsys, *base, place)
        assert "9999…" in said
        assert "lies outside of the text" in said
        assert len(said) < 200
    for identifier, shown in ((many, "9999…"), ("4000", "4000")):
        said = fault(capsys, *base, f"0:1:{identifier}")
        assert f"the model has no piece {shown}; the highest id is 3999" in said
        assert len(said) < 200
    assert len(fault(capsys, *base, "x" * 5000)) < 200
    assert run(capsys, *base, "0" * 5000 + ":1:395")[0] == 0


def test_huge_figures_are_powers(capsys: pytest.CaptureFixture[str]) -> None:
    base = ("lattice", "everyday-unigram", "--text", "watching")
    out = run(capsys, *base, "--theta", "1e308")[1]
    assert "log-partition -1.7977e+308" in out
    assert max(map(len, out.splitlines())) < 120
    assert "-26,834,9" not in out
    out = run(capsys, *base, "--theta", "1e13")[1]
    assert "log-partition -274,3" in out


def test_constraints_in_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    base = ("lattice", "toy-watching", "--text", "watching")
    cut = document(capsys, *base, "--pin", "5", "--forbid", "0:8:0")
    assert [path["pieces"] for path in cut["nbest"]] == [["watch", "ing"]]
    given = [[c[k] for k in ("action", "target", "start", "end", "id")] for c in cut["constraints"]]
    assert given == [["pin", "boundary", 5, 5, None], ["forbid", "edge", 0, 8, 0]]
    assert (cut["obeys"], cut["path"]["probability"], cut["remaining"]) == (False, 0, None)
    assert cut["without"]["paths"] == "3"
    assert cut["without"]["viterbi"]["pieces"] == ["watching"]
    assert cut["without"]["entropy_nats"] == pytest.approx(1.0986122886681098)
    assert cut["cost"]["share"] == pytest.approx(1 / 3)
    assert (cut["cost"]["score"], cut["cost"]["ratio"]) == (0, 1)
    said = run(capsys, *base, "--pin", "5")[1]
    assert "pinned boundary: byte 5" in said
    assert "0.3333 of all probability obeys" in said
    by_char = document(capsys, "lattice", "toy-weather", "--text", "今天", "--unit", "char",
                       "--pin", "1")  # fmt: skip
    assert by_char["nbest"][0]["pieces"] == ["今", "天"]
    assert by_char["paths"] < document(capsys, "lattice", "toy-weather", "--text", "今天")["paths"]
    assert "char positions end at 2" in fault(
        capsys, "lattice", "toy-weather", "--text", "今天", "--unit", "char", "--pin", "3"
    )
    merged = document(capsys, "lattice", "toy-lower", "--text", "lower", "--forbid", "3:5")
    assert (merged["obeys"], merged["cost"], merged["paths"]) == (False, None, "2")
    assert [path["pieces"] for path in merged["remaining"]] == [
        ["l", "o", "we", "r"], ["l", "o", "w", "e", "r"],
    ]  # fmt: skip
    assert merged["path"]["pieces"] == ["l", "o", "w", "er"]
    apart = {edge["text"] for edge in merged["edges"] if edge["non_canonical"]}
    assert apart == {"we", "e", "r"}


@pytest.mark.parametrize(
    ("form", "first", "last"),
    [
        ("svg", "<svg ", "</svg>"),
        ("dot", "digraph lattice {", "}"),
        ("tikz", "% ", "\\end{tikzpicture}"),
    ],
)
def test_pictures(capsys: pytest.CaptureFixture[str], form: str, first: str, last: str) -> None:
    for argv in (
        ("lattice", "toy-watching", "--text", "watching", "--format", form),
        ("lattice", "toy-lower", "--text", "lower", "--format", form),
        ("lattice", "everyday-unigram", "--text", "", "--format", form),
    ):
        code, out, err = run(capsys, *argv)
        assert (code, err) == (0, "")
        assert out.startswith(first)
        assert out.endswith(f"{last}\n")
        assert run(capsys, *argv)[1] == out
    fault(capsys, *argv, "--json")


def test_a_count_of_paths_with_many_digits(capsys: pytest.CaptureFixture[str]) -> None:
    result = document(capsys, "lattice", "everyday-unigram", "--text", "the weather " * 500)
    assert len(result["paths"]) > 300
    assert result["paths"].isdecimal()
    assert run(capsys, "lattice", "everyday-unigram", "--text", "the weather " * 500)[0] == 0
