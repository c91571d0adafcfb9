"""The headless contract, command by command: keys and values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine import cli
from tests.engine.headless import document, fault, run

ROOT = Path(__file__).resolve().parents[2]


# inspect


def test_inspect(capsys: pytest.CaptureFixture[str]) -> None:
    facts = document(capsys, "inspect", "toy-lower")
    keys = {
        "path", "format", "algorithm", "vocab_size", "max_id", "holes", "merges", "byte_level",
        "byte_fallback", "special_tokens", "normalizer", "pre_tokenizer", "warnings",
    }  # fmt: skip
    assert keys <= facts.keys()
    assert (facts["format"], facts["algorithm"]) == ("huggingface", "bpe")
    assert (facts["vocab_size"], facts["max_id"], facts["holes"], facts["merges"]) == (13, 12, 0, 2)
    assert (facts["byte_level"], facts["byte_fallback"]) == (False, False)
    assert facts["warnings"] == []


@pytest.mark.parametrize(
    ("name", "form", "algorithm", "size", "fallback"),
    [
        ("everyday-bpe", "huggingface", "bpe", 3000, False),
        ("everyday-unigram", "sentencepiece", "unigram", 4000, True),
        ("everyday-wordpiece", "huggingface", "wordpiece", 4000, False),
        ("toy-watching", "huggingface", "unigram", 5, False),
    ],
)
def test_inspect_bundled(
    capsys: pytest.CaptureFixture[str],
    name: str,
    form: str,
    algorithm: str,
    size: int,
    fallback: bool,
) -> None:
    facts = document(capsys, "inspect", name)
    assert (facts["format"], facts["algorithm"]) == (form, algorithm)
    assert (facts["vocab_size"], facts["byte_fallback"]) == (size, fallback)
    assert facts["byte_level"] == (name == "everyday-bpe")


def test_inspect_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "inspect", "everyday-wordpiece")
    assert code == 0
    assert "[UNK] (1)" in out
    assert "\x1b" not in out


def test_inspect_gives_warnings_first(capsys: pytest.CaptureFixture[str], shared: Path) -> None:
    path = shared / "data" / "broken" / "hf_no_merges.json"
    assert document(capsys, "inspect", str(path))["warnings"]
    out = run(capsys, "inspect", str(path))[1]
    assert out.splitlines()[1].startswith("warning: ")


# encode and decode


def test_encode_says_what_is_lost(capsys: pytest.CaptureFixture[str]) -> None:
    assert document(capsys, "encode", "toy-lower", "--text", "lower☃")["unknown_chars"] == 1
    assert cli.main(["encode", "bundled:toy-lower", "--text", "lower☃"]) == 0
    assert "1 character of the text can't be read back" in capsys.readouterr().out


def test_encode(capsys: pytest.CaptureFixture[str]) -> None:
    result = document(capsys, "encode", "everyday-bpe", "--text", "각 the")
    assert result.keys() >= {
        "ids", "tokens", "n_bytes", "n_chars", "n_graphemes", "n_tokens", "special_found",
    }  # fmt: skip
    assert (result["n_bytes"], result["n_chars"], result["n_graphemes"]) == (7, 5, 5)
    assert result["n_tokens"] == len(result["ids"]) == len(result["tokens"])
    assert [token["id"] for token in result["tokens"]] == result["ids"]
    assert "".join(token["bytes"] for token in result["tokens"]) == "각 the".encode().hex()
    assert [t["start_byte"] for t in result["tokens"][1:]] == [
        t["end_byte"] for t in result["tokens"][:-1]
    ]
    assert result["unknown_chars"] == 0
    # Every token inside 각 reports the whole character.
    inside = [t for t in result["tokens"] if t["end_byte"] <= 3]
    assert len(inside) > 1
    assert {(t["start_char"], t["end_char"]) for t in inside} == {(0, 1)}
    assert result["special_found"] == []


def test_special_strings(capsys: pytest.CaptureFixture[str]) -> None:
    text = ("--text", "é<|endoftext|>")
    literal = document(capsys, "encode", "everyday-bpe", *text)
    parsed = document(capsys, "encode", "everyday-bpe", *text, "--special", "parse")
    found = [{"text": "<|endoftext|>", "start_char": 1}]
    assert literal["special_found"] == parsed["special_found"] == found
    assert parsed["ids"][-1] == 0
    assert 0 not in literal["ids"]
    err = fault(capsys, "encode", "everyday-bpe", *text, "--special", "forbid")
    assert "<|endoftext|>" in err
    assert "character 1" in err
    assert "note: " in run(capsys, "encode", "everyday-bpe", *text)[1]


def test_add_special(capsys: pytest.CaptureFixture[str]) -> None:
    plain = document(capsys, "encode", "everyday-wordpiece", "--text", "the")
    added = document(capsys, "encode", "everyday-wordpiece", "--text", "the", "--add-special")
    assert added["ids"] == [2, *plain["ids"], 3]
    assert (added["tokens"][0]["start_byte"], added["tokens"][-1]["start_byte"]) == (0, 3)


def test_decode(capsys: pytest.CaptureFixture[str]) -> None:
    ids = document(capsys, "encode", "everyday-bpe", "--text", "각a")["ids"]
    listed = ",".join(map(str, ids))
    result = document(capsys, "decode", "everyday-bpe", "--ids", listed)
    assert result == {"text": "각a", "bytes": "각a".encode().hex(), "valid_utf8": True}
    cut = document(capsys, "decode", "everyday-bpe", "--ids", str(ids[0]))
    assert cut["valid_utf8"] is False
    assert cut["text"] == "\ufffd"
    assert document(capsys, "decode", "everyday-bpe", "--ids", "")["text"] == ""


@pytest.mark.parametrize("ids", ["1,2,x", "-1", "1,,2", "1.5", "99999", "9" * 30])
def test_decode_of_bad_ids(capsys: pytest.CaptureFixture[str], ids: str) -> None:
    fault(capsys, "decode", "toy-lower", f"--ids={ids}")


# lattice


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
    pinned = document(capsys, *inside, "--pin", "0:1:2349")
    assert (pinned["paths"], pinned["obeys"]) == ("1", False)
    assert document(capsys, *inside, "--pin", "0:1")["paths"] == "3"
    forbidden = document(capsys, *inside, "--forbid", "0:1:2349")
    assert forbidden["paths"] == "2"
    grapheme = ("lattice", "everyday-unigram", "--text", "e\u0301a", "--unit", "grapheme")
    assert "all of them have" in fault(capsys, *grapheme, "--forbid", "0:1:263")
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
    assert run(capsys, *base, "0" * 5000 + ":1:376")[0] == 0


def test_huge_figures_are_powers(capsys: pytest.CaptureFixture[str]) -> None:
    base = ("lattice", "everyday-unigram", "--text", "watching")
    out = run(capsys, *base, "--theta", "1e308")[1]
    assert "log-partition -1.7977e+308" in out
    assert max(map(len, out.splitlines())) < 120
    assert "-28,108,4" not in out
    out = run(capsys, *base, "--theta", "1e13")[1]
    assert "log-partition -289,2" in out


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


# merges


def test_merges(capsys: pytest.CaptureFixture[str]) -> None:
    result = document(capsys, "merges", "toy-lower", "--text", "lower we")
    steps = result["steps"]
    names = ("step", "rank", "left", "right", "result", "at")
    assert [tuple(step[name] for name in names) for step in steps] == [
        (0, 0, "e", "r", "er", 3),
        (1, 1, "w", "e", "we", 6),
    ]
    assert [token["text"] for token in result["tokens"]] == ["l", "o", "w", "er", "we"]
    blocked = result["blocked"]
    assert [(b["step"], b["left"], b["right"], b["rank"]) for b in blocked] == [(0, "w", "e", 1)]
    out = run(capsys, "merges", "toy-lower", "--text", "lower we")[1]
    assert "w + e (rank 1)" in out
    assert "2 merges: l | o | w | er | we" in out
    # People read steps counted as the window counts them, programs read indices.
    assert [line.split()[:3] for line in out.splitlines()[1:3]] == [
        ["1", "0", "e"],
        ["2", "1", "w"],
    ]


def test_merges_of_another_algorithm(capsys: pytest.CaptureFixture[str]) -> None:
    assert "BPE" in fault(capsys, "merges", "toy-watching", "--text", "watching")


# sample


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
    assert "Unigram" in fault(capsys, "sample", "toy-lower", "--text", "lower")
    fault(capsys, "sample", "toy-watching", "--output", "x")
    fault(capsys, "sample", "toy-watching", "--corpus", "bundled:everyday")


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
    from engine.commands import sampling

    output = tmp_path / "out"
    output.write_text("before")
    argv = ["sample", "toy-watching", "--corpus", "bundled:everyday", "--output", str(output)]

    def interrupted(*_: Any) -> Any:
        yield [1]
        raise KeyboardInterrupt

    monkeypatch.setattr(sampling, "sample_lines", interrupted)
    assert cli.main(argv) == 130
    assert output.read_text() == "before"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]
    assert "can't be written" in fault(capsys, *argv[:-1], str(tmp_path / "no" / "out"))


# compare


def test_compare(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ("compare", "everyday-bpe", "everyday-unigram", "--corpus", "bundled:everyday")
    rows = document(capsys, *argv)["rows"]
    keys = [
        "model", "language", "lines", "chars", "bytes", "graphemes", "words", "tokens",
        "chars_per_token", "bytes_per_token", "graphemes_per_token", "tokens_per_word", "premium",
        "unknown_chars", "round_trip_failures",
    ]  # fmt: skip
    # More keys may be added.
    assert [key for key in rows[0] if key in keys] == keys
    assert len(rows) % 2 == 0
    english = [row for row in rows if row["language"] == "en"]
    assert [row["model"] for row in english] == ["everyday-bpe.json", "everyday-unigram.model"]
    for row in english:
        assert row["premium"] == 1.0
        assert row["chars_per_token"] == row["chars"] / row["tokens"]
        assert (row["graphemes"], row["words"], row["unknown_chars"]) == (None, None, None)


def test_compare_by_line_and_columns(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "en.txt").write_text("lower\nnew\n")
    (tmp_path / "qq9.txt").write_text("er\nwe\n")
    argv = ("compare", "toy-lower", "--corpus", str(tmp_path))
    rows = document(capsys, *argv, "--by-line", "--base", "qq9")["rows"]
    assert [(r["language"], r["line"], r["tokens"], r["premium"]) for r in rows] == [
        ("en", 1, 4, 4.0), ("en", 2, 3, 3.0), ("qq9", 1, 1, 1.0), ("qq9", 2, 1, 1.0),
    ]  # fmt: skip
    words = document(capsys, *argv, "--columns", "words,tokens")["rows"][0]
    assert (words["words"], words["tokens_per_word"], words["chars"]) == (2, 3.5, None)
    assert document(capsys, *argv, "--columns", "all")["rows"][0]["round_trip_failures"] == 0
    fault(capsys, *argv, "--columns", "wordz")
    fault(capsys, *argv, "--base", "fr")
    out = run(capsys, *argv)[1]
    assert "English" in out
    assert "chars/token" in out


def test_compare_of_files_out_of_step(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "en.txt").write_text("lower\nnew\n")
    (tmp_path / "fr.txt").write_text("er\n")
    argv = ("compare", "toy-lower", "--corpus", str(tmp_path))
    result = document(capsys, *argv)
    assert result["rows"][1]["premium"] is None
    assert result["rows"][1]["tokens"] == 1
    assert any("fr.txt has 1 line" in warning for warning in result["warnings"])
    assert "note: fr.txt has 1 line" in run(capsys, *argv)[1]
