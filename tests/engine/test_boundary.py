"""The prompt boundary: covering sequences and next bytes against brute force."""

from __future__ import annotations

import math
import random
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from engine import load
from engine.boundary import boundary, growth
from engine.errors import ParameterError
from engine.model import Model
from engine.text import Text
from tests.dropouts import write_huggingface
from tests.engine.cutting import sentencepiece_model
from tests.engine.dropping import random_merges

LETTERS = "ab"


def unigram(folder: Path, pieces: dict[str, float]) -> Model:
    """Return a Unigram model with these probabilities, which needn't add up to 1."""
    listed = [("<unk>", 0.0, 2), *((text, math.log(p), 1) for text, p in pieces.items())]
    path = folder / "own.model"
    path.write_bytes(sentencepiece_model(listed, 1))
    return load(path)


def random_pieces(rng: random.Random) -> dict[str, float]:
    texts = {"".join(rng.choice(LETTERS) for _ in range(rng.randint(1, 4))) for _ in range(5)}
    return {text: rng.uniform(0.05, 1.0) for text in sorted(texts | set(LETTERS))}


def coverings(pieces: dict[str, float], prompt: str) -> dict[tuple[str, ...], float]:
    """Every sequence whose text begins with the prompt only with its last token, and its weight."""
    total = math.fsum(pieces.values())
    found: dict[tuple[str, ...], float] = {}

    def walk(text: str, cut: tuple[str, ...], share: float) -> None:
        if len(text) >= len(prompt):
            if text.startswith(prompt):
                found[cut] = share
            return
        if prompt.startswith(text):
            for piece, p in pieces.items():
                walk(text + piece, (*cut, piece), share * p / total)

    walk("", (), 1.0)
    return found


def prefix_probability(pieces: dict[str, float], prompt: str) -> float:
    return math.fsum(coverings(pieces, prompt).values()) if prompt else 1.0


def test_coverings_and_next_bytes_against_all_sequences(tmp_path: Path) -> None:
    rng = random.Random(3)
    for _ in range(30):
        pieces = random_pieces(rng)
        model = unigram(tmp_path, pieces)
        prompt = "".join(rng.choice(LETTERS) for _ in range(rng.randint(1, 5)))
        found = boundary(model, Text(prompt))
        naive = coverings(pieces, prompt)
        total = math.fsum(naive.values())
        assert found.count == len(naive)
        assert found.log_probability == pytest.approx(math.log(total), rel=1e-6)
        listed = {covering.pieces: covering.probability for covering in found.covering(10_000)}
        assert listed == pytest.approx(
            {cut: share / total for cut, share in naive.items()}, rel=1e-5
        )
        for covering in found.covering(10_000):
            assert "".join(covering.pieces) == prompt + covering.beyond.decode()
            assert len("".join(covering.pieces[:-1])) == covering.start < len(prompt)
        exact = found.next_byte()
        for letter in LETTERS:
            ratio = prefix_probability(pieces, prompt + letter) / total
            assert exact[ord(letter)] == pytest.approx(ratio, rel=1e-5)
        assert exact.sum() == pytest.approx(1.0)


def test_healing_restricts_one_token(tmp_path: Path) -> None:
    # ab is what the model makes of the prompt; healing then knows of ab and abb alone.
    pieces = {"a": 0.3, "b": 0.3, "ab": 0.2, "abb": 0.1, "aba": 0.1}
    found = boundary(unigram(tmp_path, pieces), Text("ab"))
    assert found.removed == b"ab"
    healed = found.healed()
    assert healed is not None
    # ab .5, then any token: a .7 (a, ab, abb, aba), b .3; abb .25; aba .25.
    assert healed[ord("a")] == pytest.approx(0.5 * 0.7 + 0.25)
    assert healed[ord("b")] == pytest.approx(0.5 * 0.3 + 0.25)
    # Exactly there is also a|b, with .09 beside the .4 of ab, abb and aba.
    exact = found.next_byte()
    assert exact[ord("a")] == pytest.approx((0.29 * 0.7 + 0.1) / 0.49)
    assert found.fresh[ord("a")] == pytest.approx(0.7)


def test_a_cut_inside_a_character(tmp_path: Path) -> None:
    pieces = {"é": 0.4, "è": 0.2, "ê": 0.1, "a": 0.3}
    found = boundary(unigram(tmp_path, pieces), Text("aé"), 2)
    assert found.data == b"a\xc3"
    assert found.rest == b"\xc3"
    exact = found.next_byte()
    assert exact[0xA9] == pytest.approx(0.4 / 0.7)
    assert exact[0xA8] == pytest.approx(0.2 / 0.7)
    assert {covering.beyond for covering in found.covering(9)} == {b"\xa9", b"\xa8", b"\xaa"}
    alone = boundary(unigram(tmp_path, pieces), Text("é"), 1)
    assert alone.next_byte() == pytest.approx(exact)


def test_an_empty_prompt_is_a_new_token(tmp_path: Path) -> None:
    found = boundary(unigram(tmp_path, {"a": 3.0, "b": 1.0}), Text(""))
    assert (found.covering(5), found.count, found.healed()) == ([], 0, None)
    assert found.next_byte()[[97, 98]] == pytest.approx([0.75, 0.25])


def test_what_a_bpe_model_makes_of_longer_texts(tmp_path: Path) -> None:
    rng = random.Random(5)
    for _ in range(8):
        merges = random_merges(rng, "ab", 6)
        model = load(write_huggingface(merges, tmp_path))
        prompt = "".join(rng.choice("ab") for _ in range(rng.randint(1, 4)))
        found = boundary(model, Text(prompt))
        longest = max(len(a + b) for a, b in merges)
        naive = set()
        for more in range(longest):
            for letters in product("abcd", repeat=more):
                ids = model.encode(prompt + "".join(letters)).ids.tolist()
                texts = [model.vocabulary.text(i) for i in ids]
                if len("".join(texts[:-1])) < len(prompt):
                    naive.add(tuple(ids))
        assert {covering.ids for covering in found.covering(10_000)} == naive
        assert found.count == len(naive)
        assert all(math.isnan(covering.probability) for covering in found.covering(9))


def test_long_prompts_are_covered_by_what_the_whole_text_becomes(tmp_path: Path) -> None:
    # The last token alone decides what may follow: held against cutting every whole text.
    rng = random.Random(7)
    for _ in range(40):
        merges = random_merges(rng, "ab", 10)
        model = load(write_huggingface(merges, tmp_path))
        prompt = "".join(rng.choice("ab") for _ in range(rng.randint(6, 30)))
        ends = {a + b for a, b in merges} | set("abcd")
        naive = set()
        for start in range(len(prompt)):
            for piece in ends:
                if piece.startswith(prompt[start:]):
                    ids = model.encode(prompt[:start] + piece).ids.tolist()
                    if model.vocabulary.text(ids[-1]) == piece:
                        naive.add(tuple(ids))
        assert {covering.ids for covering in boundary(model, Text(prompt)).covering(99)} == naive


def test_tokens_before_the_last_word_stand(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text("[UNK]\nthe\nwa\nwatch\n##t\n##ter\n##tch\nx\n", encoding="utf-8")
    found = boundary(load(path), Text("the wat"))
    assert [covering.pieces for covering in found.covering(9)] == [
        ("the", "watch"),
        ("the", "wa", "##t"),
        ("the", "wa", "##ter"),
    ]
    with pytest.raises(ParameterError):
        found.next_byte()


def test_an_end_of_word_mark_ends_the_word(tmp_path: Path) -> None:
    path = tmp_path / "own.codes"
    path.write_text("#version: 0.2\na b</w>\nb a\na ba\n", encoding="utf-8")
    found = boundary(load(path), Text("b a"))
    # Words that go on past the mark aren't told: a may end here, or become ab.
    pieces = {covering.pieces for covering in found.covering(9)}
    assert {("b</w>", "a</w>"), ("b</w>", "ab</w>")} == pieces


def test_pieces_without_a_probability_are_no_tokens(tmp_path: Path) -> None:
    listed = [("<unk>", 0.0, 2), ("a", math.log(0.5), 1), ("b", math.log(0.5), 1), ("ac", 3.0, 4)]
    path = tmp_path / "own.model"
    path.write_bytes(sentencepiece_model(listed, 1))
    found = boundary(load(path), Text("a"))
    # A user-defined piece's score says that it is taken wherever it stands, not how often.
    assert found.next_byte()[[97, 98, 99]] == pytest.approx([0.5, 0.5, 0.0])


def test_a_model_of_no_probable_piece_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.model"
    path.write_bytes(sentencepiece_model([("<unk>", 0.0, 2), ("a", 1.0, 4)], 1))
    with pytest.raises(ParameterError, match="no piece of the model has a probability"):
        boundary(load(path), Text("a")).next_byte()


def test_growth_tells_what_stays(tmp_path: Path) -> None:
    model = load(write_huggingface([("a", "b"), ("ab", "c"), ("c", "d")], tmp_path))
    text = Text("abcd")
    steps = growth(model, text)
    pieces = [
        (
            [model.vocabulary.text(i) for i in step.gone],
            [model.vocabulary.text(i) for i in step.new],
        )
        for step in steps
    ]
    assert pieces == [([], ["a"]), (["a"], ["ab"]), (["ab"], ["abc"]), ([], ["d"])]
    assert [(step.end_char, step.kept) for step in steps] == [(1, 0), (2, 0), (3, 0), (4, 1)]
    assert growth(model, text, last=1) == steps[-1:]
    assert growth(model, Text("")) == []


@pytest.mark.parametrize("cut", [-1, 3])
def test_a_cut_outside_of_the_text_is_refused(cut: int, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="cut"):
        boundary(unigram(tmp_path, {"a": 1.0}), Text("aa"), cut)


def test_distributions_add_up_on_a_real_model(shared: Path) -> None:
    model = load(shared / "data/models/sentencepiece/unigram_en_1k.model")
    found = boundary(model, Text("the wat"))
    exact, healed = found.next_byte(), found.healed()
    assert healed is not None
    assert exact.sum() == pytest.approx(1.0)
    assert healed.sum() == pytest.approx(1.0)
    # Healing takes back at; watch and water, which are likelier by far, it can't give.
    assert found.removed == b"at"
    assert int(np.argmax(exact)) == ord("c")
    assert 0.5 * np.abs(exact - healed).sum() > 0.7
