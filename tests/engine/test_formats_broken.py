"""One test for each file with a defect of the shared data, with what its manifest wants."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from engine.errors import ModelError
from engine.formats import load
from engine.reachable import never_best
from engine.rules import rules
from tests.engine.documents import bpe, write_json
from tests.engine.manifest import Expected, check, rows

PREFIXES = ("uni_", "tik_", "hf_", "bp_", "html_")


EXPECTED = {
    "uni_tiny.model": Expected(ids={"a": [3], "aa": [4], "aaa": [3, 4]}),
    "uni_truncated.model": Expected(("is cut short or damaged", "of 114", "copy or download")),
    "uni_empty.model": Expected(("the file is empty", "copy or download")),
    "uni_dup_piece.model": Expected(("'aa' stands twice", "pieces 4 and 7", "remove one")),
    "uni_empty_piece.model": Expected(("a piece is empty", "piece 7", "no piece may be empty")),
    "uni_no_unk.model": Expected(("no unknown piece", "exactly one piece of kind UNKNOWN")),
    "uni_float_tie.model": Expected(ids={"aaaaa": [3, 4, 4]}),
    "uni_shadowed.model": Expected(ids={"ab": [3, 4]}),
    "html_saved_as.model": Expected(("this is an HTML page", "download the file itself")),
    "tik_ok.tiktoken": Expected(ids={"aab": [0, 2]}),
    "tik_bad_base64.tiktoken": Expected(("isn't base64", "line 3", "copy or download")),
    "tik_dup_rank.tiktoken": Expected(("rank 0 stands twice, for 'a' and 'b'", "line 2")),
    "tik_one_column.tiktoken": Expected(("isn't a base64 text, a space and a rank", "line 2")),
    "tik_crlf.tiktoken": Expected(ids={"aab": [0, 2]}),
    "tik_empty_token.tiktoken": Expected(
        warned=("rank 2 is an empty piece: reserved",), ids={"ab": [0, 1]}
    ),
    "tik_empty.tiktoken": Expected(("the file is empty", "copy or download")),
    "hf_space_merge_array.json": Expected(ids={"x y": [4]}),
    "hf_space_merge_string.json": Expected(
        warned=("2 merges with spaces inside a piece, resolved with the vocabulary",),
        ids={"x y": [4]},
    ),
    "hf_no_merges.json": Expected(
        warned=("1 piece of several characters but no merges",), ids={"ab": [0, 1]}
    ),
    "hf_missing_part.json": Expected(
        ("the right part 'b' of merge 0", "model.merges[0]", "add the piece or remove the merge")
    ),
    "hf_id_gap.json": Expected(
        warned=("5 of 8 ids lack a piece: 1, 3, 4, 5, 6",), ids={"a": [0], "b": [2], "ab": [7]}
    ),
    "hf_added_id_moved.json": Expected(
        warned=("'<gap>' declares id 900; the tokenizers library renumbers it to 2",),
        ids={"ab": [0, 1]},
    ),
    "hf_dup_key.json": Expected(warned=("('b'); the last entry counts",)),
    "hf_truncated.json": Expected(("the JSON ends too early", "line 1", "copy or download")),
    "hf_padded.json": Expected(
        warned=("switches on padding and truncation; they are never applied",),
        ids={"ab": [0, 1], "abababababab": [0, 1] * 6},
    ),
    "hf_ignore_merges.json": Expected(
        warned=("ignore_merges is on", "1 piece can be reached in no other way"),
        ids={"abc": [4], "xabc": [0, 3]},
    ),
    "bp_ok.model": Expected(ids={"ab c": [259, 35, 102]}),
    "bp_zero_freq.model": Expected(
        warned=("1 piece with the frequency 0, never used; the first is 'ab'",),
        ids={"ab": [100, 101]},
    ),
    "bp_dup_id.model": Expected(("have the same id 101", "'Yg=='", "give each piece its own id")),
}


def test_every_row_of_the_manifest_has_its_test(shared: Path) -> None:
    assert rows(shared, PREFIXES) == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_file_of_the_manifest_does_what_is_wanted(shared: Path, name: str) -> None:
    check(shared / "data" / "broken" / name, EXPECTED[name])


def test_the_marginals_of_the_tiny_model_are_those_by_hand(shared: Path) -> None:
    lattice = load(shared / "data" / "broken" / "uni_tiny.model").lattice("aaa")
    # Weights e^-3 (a|a|a), e^-2.5 (a|aa), e^-2.5 (aa|a).
    assert lattice.paths == 3
    marginal = dict(zip(zip(lattice.start.tolist(), lattice.end.tolist(), strict=True),
                        lattice.law().marginal.tolist(), strict=True))  # fmt: skip
    assert marginal[0, 1] == pytest.approx(0.23269 + 0.38365, abs=1e-4)
    assert marginal[1, 2] == pytest.approx(0.23269, abs=1e-4)
    assert lattice.law().entropy == pytest.approx(1.07437, abs=1e-5)


def test_a_tie_is_shown_and_its_rule_is_told(shared: Path) -> None:
    model = load(shared / "data" / "broken" / "uni_float_tie.model")
    lattice = model.lattice("aaaaa")
    assert lattice.tied
    assert [path.ids for path in lattice.nbest(2)] == [[3, 4, 4], [4, 4, 3]] or {
        tuple(path.ids) for path in lattice.nbest(3)
    } == {(3, 4, 4), (4, 3, 4), (4, 4, 3)}
    assert len({round(path.score, 9) for path in lattice.nbest(3)}) == 1
    assert any("32" in sentence for topic, sentence in rules(model) if topic == "ties")


def test_a_shadowed_piece_is_reported_and_can_be_sampled(shared: Path) -> None:
    model = load(shared / "data" / "broken" / "uni_shadowed.model")
    assert [model.vocabulary.text(i) for i in never_best(model).tolist()] == ["ab"]
    lattice = model.lattice("ab")
    whole = [e for e in range(lattice.n_edges) if lattice.edge_text(e) == "ab"]
    assert 0.0 < lattice.law().marginal[whole[0]] < 0.5
    assert len(never_best(load(shared / "data" / "broken" / "uni_tiny.model"))) == 0


def test_a_file_that_claims_much_gets_no_memory_for_it(tmp_path: Path) -> None:
    hostile = {
        "id.json": b'{"model": {"type": "BPE", "vocab": {"a": 999999999}, "merges": []}}',
        "deep.json": b'{"model": ' + b"[" * 100_000,
        "deep2.json": b'{"model": {"vocab": {}}, "normalizer": ' + b'{"a":' * 50_000,
        "ranks.tiktoken": b"YQ== 0\nYg== " + b"9" * 50_000 + b"\n",
        "long.model": b"\x0a\x03\x0a\x01a\x0a\xff\xff\xff\xff\xff\xff\xff\x7fx",
        "loop.model": b"\x0a\x03\x0a\x01a" + b"\x12" + b"\xff" * 10,
        "bp.model": b'{"YQ==": [123456789, "a", 1]}',
        "added.json": b'{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}, '
        b'"added_tokens": [{"id": 88888888, "content": "x"}]}',
    }
    tracemalloc.start()
    for name, data in hostile.items():
        (tmp_path / name).write_bytes(data)
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        with pytest.raises(ModelError) as caught:
            load(tmp_path / name)
        assert name in str(caught.value)
        assert tracemalloc.get_traced_memory()[1] - before < 50 * len(data) + 2_000_000
    tracemalloc.stop()


def test_the_highest_id_that_a_small_file_may_use_takes_bounded_memory(tmp_path: Path) -> None:
    path = write_json(tmp_path, bpe({"a": 0, "b": 1_000_000}, []))
    tracemalloc.start()
    model = load(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.encode("ab").ids.tolist() == [0, 1_000_000]
    assert peak < 200_000_000
