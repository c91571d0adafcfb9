"""The kernels beside their plain twins: trie, lattice passes, random numbers, the reservoir."""

from __future__ import annotations

import math
import random
import threading
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import kernels, passes, rng
from engine.goodness import chi_square
from engine.kernels import PLAIN_LIMIT, compiling, folder, jit
from engine.kernels import lattice as lattice_kernels
from engine.kernels import unigram as unigram_kernels
from engine.kernels.ahead import AHEAD, look_ahead
from engine.kernels.build_trie import Keys, build_trie
from engine.kernels.trie import STRAY, Trie, read_symbols
from engine.lattice import Lattice, Spelling
from engine.pieces import PieceKind, Vocabulary
from engine.sample import sample
from engine.unigram import Unigram
from tests.engine.cutting import parts, tokens, whole
from tests.engine.lattices import exact, lattice_of, prepared, random_lattice

COUNTS = {"a": 3, "b": 3, "c": 3, "ab": 2, "bc": 2, "abc": 1}


def lookup(trie: Trie, symbols: list[int], unit: int = 0) -> int:
    """Walk symbols from a unit; return the piece that ends there, -1 for none."""
    for symbol in symbols:
        child = int(trie.units[4 * unit]) + symbol
        if trie.units[4 * child + 1] != unit:
            return -1
        unit = child
    return int(trie.ids[unit])


@settings(deadline=None, max_examples=80)
@given(
    st.sets(st.text("abcéx中😀\0", min_size=1, max_size=5), max_size=60),
    st.sets(st.text("abcé", min_size=1, max_size=3), max_size=10),
    st.sampled_from(["byte", "char"]),
)
def test_trie_holds_its_pieces_and_no_others(
    texts: set[str], inside: set[str], alphabet: str
) -> None:
    pieces = {text.encode(): i for i, text in enumerate(sorted(texts))}
    later = {text.encode(): 1000 + i for i, text in enumerate(sorted(inside))}
    trie = build_trie(Keys.of_mapping(pieces), alphabet, Keys.of_mapping(later))
    for text in sorted(texts | inside):
        for end in range(len(text) + 1):
            data = text[:end].encode()
            symbols = trie.symbols(data).tolist()
            if data and not symbols:
                assert data not in pieces
                assert data not in later
                continue
            assert lookup(trie, symbols) == pieces.get(data, -1)
            assert lookup(trie, symbols, trie.inside) == later.get(data, -1)
    for symbol, piece in enumerate(trie.lone.tolist()):
        assert piece == (-1 if alphabet == "char" and not symbol else lookup(trie, [symbol]))


def test_trie_leaves_out_what_is_not_text() -> None:
    trie = build_trie(Keys.of_mapping({b"\xff": 0, b"a": 1, b"a\xc3": 2}), "char")
    assert lookup(trie, trie.symbols(b"a").tolist()) == 1
    assert trie.symbols(b"\xff").size == 0
    assert trie.longest == 1


def test_trie_of_many_pieces() -> None:
    draw = random.Random(3)
    texts = {
        "".join(draw.choices("abcdefghij가나다라", k=draw.randint(1, 7))) for _ in range(20_000)
    }
    pieces = {text.encode(): i for i, text in enumerate(sorted(texts))}
    for alphabet in ("byte", "char"):
        trie = build_trie(Keys.of_mapping(pieces), alphabet)
        for data in draw.sample(sorted(pieces), 500):
            assert lookup(trie, trie.symbols(data).tolist()) == pieces[data]
        # Walks must not leave the array from any unit by any symbol.
        base = trie.units.reshape(-1, 4)[:, 0]
        assert base.min() >= 0
        assert base.max() + trie.n_symbols <= len(base)


@pytest.mark.parametrize("alphabet", ["byte", "char"])
@pytest.mark.parametrize("strays", [True, False])
def test_first_steps_along_the_trie(alphabet: str, strays: bool) -> None:
    draw = random.Random(5)
    texts = ["\0", *("".join(draw.choices("abcé中", k=draw.randint(1, 7))) for _ in range(60))]
    pieces = {text.encode(): i for i, text in enumerate(sorted({*texts} - {"b", "é"}))}
    trie = build_trie(Keys.of_mapping(pieces), alphabet)
    scores = np.arange(len(pieces), dtype=np.float32)
    walk = trie.weighted(scores, -np.inf, -99.0 if strays else None)
    for text in ("", "b", "\0a", "".join(draw.choices("abcé中x\0", k=300))):
        data = whole(text.encode())[0]
        symbols, places = np.zeros(len(data) + AHEAD, np.int32), np.zeros(len(data) + 1, np.int32)
        n = read_symbols(data, 0, len(data), trie.table, trie.by_char, symbols, places)
        read = symbols[:n].tolist()
        ahead = np.zeros(AHEAD * n, np.int32)
        look_ahead(symbols, n, walk.units, walk.width, walk.below, walk.alone, ahead)
        found = walk.units[ahead.reshape(n, AHEAD) + 2]
        weight = walk.weights[ahead.reshape(n, AHEAD) + walk.after]
        for start in range(n):
            for step in range(AHEAD):
                end = start + step + 1
                piece = lookup(trie, read[start:end]) if end <= n else -1
                stray = strays and step == 0 and piece < 0
                assert found[start, step] == (STRAY if stray else piece)
                assert weight[start, step] == (-99.0 if stray else piece if piece >= 0 else -np.inf)


def test_symbols_of_bad_utf8() -> None:
    table = np.zeros(0x110000, dtype=np.int32)
    table[[0, ord("a"), 0xE9, 0xD800]] = [1, 2, 3, 4]
    data = whole(b"\0\xc3\xa9\x80\xc1\xa1\xed\xa0\x80\xc3")[0]
    symbols, places = np.zeros(20, dtype=np.int32), np.zeros(21, dtype=np.int32)
    n = read_symbols(data, 0, len(data), table, True, symbols, places)
    # NUL, é, a stray byte, an overlong a, a surrogate (no piece can spell it), a cut-off lead.
    assert symbols[:n].tolist() == [1, 3, 0, 0, 4, 0]
    assert places[: n + 1].tolist() == [0, 1, 3, 4, 6, 9, 10]


@pytest.mark.parametrize("seed", range(30))
def test_lattice_passes(seed: int) -> None:
    lattice = random_lattice(random.Random(seed), whole=seed % 3 > 0, ties=seed % 2 > 0)
    order, start, end, n = lattice.by_end, lattice.start, lattice.end, lattice.n_nodes
    total, holder = lattice_kernels.best(order, start, end, lattice.score, n)
    twin, twin_holder = passes.best_plain(order, start, end, lattice.score, n)
    assert total.tolist() == twin.tolist()
    assert holder.tolist() == twin_holder.tolist()
    weight = lattice.score.copy()
    weight[::4] = -np.inf
    alpha = lattice_kernels.forward(order, start, end, weight, n)
    np.testing.assert_allclose(
        alpha, passes.forward_plain(order, start, end, weight, n), rtol=1e-13
    )
    last_first = np.arange(lattice.n_edges - 1, -1, -1, dtype=np.int32)
    beta = lattice_kernels.backward(last_first, start, end, weight, n)
    np.testing.assert_allclose(beta, passes.backward_plain(start, end, weight, n), rtol=1e-13)


def test_lattice_passes_check_their_indices() -> None:
    one, zero = np.ones(1, dtype=np.int32), np.zeros(1, dtype=np.int32)
    weight = np.zeros(1)
    assert lattice_kernels.best(zero, zero, one, weight, 2)[1].tolist() == [-1, 0]
    for order, start, end in ((one, zero, one), (zero, zero, one + 1), (zero, -one, one)):
        with pytest.raises(ValueError, match=r"edge"):
            lattice_kernels.best(order, start, end, weight, 2)
    with pytest.raises(ValueError, match="one length"):
        lattice_kernels.forward(zero, zero, one, np.zeros(2), 2)


def test_random_numbers_are_those_of_rng() -> None:
    for key in (0, 1, rng.key_of(7), 2**64 - 1):
        for index in (0, 1, 1000, 2**40):
            got = unigram_kernels.random_number(np.uint64(key), np.uint64(index))
            assert got == rng.uniform(key, index)


def counted(**options: object) -> Unigram:
    score = np.array([math.log(n / 14) for n in COUNTS.values()])
    vocabulary = Vocabulary.build([piece.encode() for piece in COUNTS], score)
    filled = {"unknown": len(COUNTS), "unknown_score": -12.0, **options}
    return Unigram(vocabulary, **filled)  # type: ignore[arg-type]


def as_lattice(model: Unigram, text: str) -> Lattice:
    """The lattice of one pre-token under a model."""
    ready = prepared(text)
    edges = model.edges_plain(*whole(text.encode()))
    none = np.zeros(0, dtype=np.int32)
    return Lattice(ready, model.vocabulary, edges, none, Spelling(model.unknown))


@pytest.mark.parametrize("theta", [0.0, 0.1, 1.0, 3.0, 40.0, 1e4])
def test_reservoir_draws_the_path_of_the_plain_sampler(theta: float) -> None:
    pieces = [b"ab", b"abc", b"ca", b"bcab", b"cab", b"c", b"abca"]
    score = np.array([-2.0, -3.5, -1.0, -2.5, -9.0, -4.0, -5.0])
    # Without an unknown token no path reaches some of the nodes.
    gaps = Unigram(Vocabulary.build(pieces, score), unknown=-1, unknown_score=0.0)
    for model, text in ((counted(), "abcabcxbcacbabc" * 12), (gaps, "abcabcab" * 20)):
        lattice = as_lattice(model, text)
        for seed in range(12):
            path = sample(lattice, "perfect", theta, 1, seed).paths[0]
            cut = model.sample_lines(*whole(text.encode()), theta, rng.key_of(seed, 0))
            assert cut.starts.tolist() == lattice.start[path.edges].tolist()
            assert cut.ids.tolist() == lattice.piece[path.edges].tolist()


@pytest.mark.parametrize("theta", [1e12, 1e200, 1e305, 1.7e308])
def test_reservoir_at_a_huge_theta_is_viterbi(theta: float) -> None:
    model = counted()
    text = whole(b"abcabxbcacbabc" * 12)
    best = model.segment_plain(*text)
    drawn = model.sample_lines(*text, theta, rng.key_of(1))
    assert (drawn.ids.tolist(), drawn.ends.tolist()) == (best.ids.tolist(), best.ends.tolist())


def test_reservoir_in_logarithms_draws_the_same() -> None:
    # Sums of one stretch spread over more than floats can hold: b is far better than a.
    pieces = {"a": -300.0, "b": -0.01, "ab": -500.0, "aaaa": -900.0, "ba": -280.0, "aa": -590.0}
    vocabulary = Vocabulary.build([p.encode() for p in pieces], np.array(list(pieces.values())))
    model = Unigram(vocabulary, -1, -400.0)
    text = "aabaaaaabbaaaab" * 3
    lattice = as_lattice(model, text)
    for theta in (0.001, 1.0, 2.5, 30.0):
        for seed in range(10):
            path = sample(lattice, "perfect", theta, 1, seed).paths[0]
            cut = model.sample_lines(*whole(text.encode()), theta, rng.key_of(seed, 0))
            assert cut.ids.tolist() == path.ids


@pytest.mark.parametrize("theta", [0.0, 0.5, 1.0])
def test_reservoir_follows_the_exact_law(theta: float) -> None:
    model, text, n = counted(), "abcab", 20_000
    lattice = lattice_of({piece: math.log(c / 14) for piece, c in COUNTS.items()}, text)
    law = exact(lattice, theta)
    ids = {tuple(lattice.piece[list(path)].tolist()): p for path, p in law.items()}
    data, starts, ends = parts([text.encode()] * n)
    cut = model.sample_lines(data, starts, ends, theta, rng.key_of(5))
    firsts = np.searchsorted(cut.starts, np.append(starts, len(data)))
    drawn = Counter(tuple(cut.ids[a:b].tolist()) for a, b in pairwise(firsts))
    assert set(drawn) <= set(ids)
    found = chi_square(np.array([drawn[path] for path in ids]), np.array(list(ids.values())))
    assert found is not None
    assert found.p_value > 1e-3


def test_reservoir_spells_unknown_characters() -> None:
    kind = np.array([PieceKind.UNKNOWN, PieceKind.NORMAL], dtype=np.uint8)
    vocabulary = Vocabulary.build([b"<unk>", b"a"], np.array([0.0, -1.0]), kind)
    text = whole("aé中a".encode())
    fused = Unigram(vocabulary, 0, -20.0)
    assert tokens(fused.sample_lines(*text, 1.0, 3)) == [(1, 0, 1), (0, 1, 6), (1, 6, 7)]
    table = np.arange(500, 756, dtype=np.int32)
    spelled = Unigram(vocabulary, 0, -20.0, byte_pieces=table)
    assert spelled.sample_lines(*whole("é".encode()), 1.0, 3).ids.tolist() == [695, 669]


def test_reservoir_makes_room_for_crowded_pretokens() -> None:
    # Twelve edges leave each node, more than is reckoned with at first.
    vocabulary = Vocabulary.build([b"a" * k for k in range(1, 13)], np.zeros(12))
    model = Unigram(vocabulary, -1, -9.0)
    cut = model.sample_lines(*whole(b"a" * 5000), 0.0, 1)
    assert cut.starts[0] == 0
    assert cut.ends[-1] == 5000
    assert (cut.ends - cut.starts == cut.ids + 1).all()
    assert (cut.starts[1:] == cut.ends[:-1]).all()
    # Uniform over all cuts: about every second byte has one, and pieces halve with length.
    assert 2300 < len(cut.ids) < 2700
    assert np.bincount(cut.ids)[:3] == pytest.approx([1250, 625, 312], rel=0.25)


def test_which_road_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    ready = threading.Event()
    monkeypatch.setattr(kernels, "_ready", ready)
    assert [kernels.compiled(size) for size in (0, PLAIN_LIMIT, PLAIN_LIMIT + 1)] == [
        False,
        False,
        True,
    ]
    ready.set()
    assert kernels.compiled(0)


def test_the_cache_follows_every_kernel_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    copy = tmp_path / "kernels"
    copy.mkdir()
    (copy / "jit.py").write_text("1")
    (copy / "trie.py").write_text("2")
    monkeypatch.setattr(folder, "__file__", str(copy / "jit.py"))
    before = folder.cache_folder()
    assert Path(before).parent == tmp_path
    (copy / "trie.py").write_text("3")
    assert folder.cache_folder() != before


def test_kernels_work_where_nothing_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    real = jit.njit

    def without_folder(**options: Any) -> Any:
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return real(**options)

    monkeypatch.setattr(jit, "njit", without_folder)
    add = jit.kernel(lambda a, b: a + b)
    assert add(20, 22) == 42
    assert add.nopython_signatures


def test_a_second_process_helps_only_while_nothing_is_cached(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started: list[list[str]] = []

    def refuse(command: list[str], **_: Any) -> None:
        started.append(command)
        raise OSError

    monkeypatch.setattr("engine.kernels.compiling.subprocess.Popen", refuse)
    monkeypatch.setattr("engine.kernels.compiling.os.cpu_count", lambda: 2)
    monkeypatch.setattr(compiling, "cache_folder", lambda: str(tmp_path))
    with compiling.second_process():
        assert len(started) == 1
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "one.nbi").touch()
    with compiling.second_process():
        assert len(started) == 1
    monkeypatch.setattr(compiling, "cache_folder", lambda: "")
    with compiling.second_process():
        assert len(started) == 1
