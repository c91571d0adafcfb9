"""Samplers against brute force on random small lattices: `python -m tests.laws [N]`.

Each of N lattices (2,000) gets a random θ and is drawn from by every method. The frequencies are
tested by χ² against probabilities from listing all paths, which shares no code with the samplers.
For each method the smallest p of all tests is printed, and corrected for their number (Šidák): the
probability of so small a one if every law is right. `viterbi-v1` and `viterbi-v1.5` are held
against their own laws, by following every coin, and must not agree with the Gibbs law. For
`maxmatch-dropout`, which has no θ, there are N random words under random WordPiece models.
"""

from __future__ import annotations

import math
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import permutations
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from engine import load
from engine.goodness import chi_square
from engine.kernels import warm_up
from engine.lattice import Lattice
from engine.model import Model
from engine.sample import SAMPLERS, sample
from engine.sampler import SamplingSettings
from engine.samplers.gumbel import top_keys
from tests.engine.documents import tokenizer, write_json
from tests.engine.lattices import exact, random_lattice

Path = tuple[int, ...]
Law = dict[Any, float]

DRAWS = 1000
SETS = 300
MOST_COINS = 13
"""Edges up to which every coin of Viterbi sampling is followed."""

THETAS = (0.0, 0.1, 0.5, 1.0, 2.0, 5.0)
DROPS = (0.1, 0.3, 0.5, 0.9)
UNKNOWN = "[UNK]"


def gibbs(lattice: Lattice, theta: float) -> Law:
    """P(path) ∝ exp(θ · score), by listing."""
    return exact(lattice, theta)


def uniform(lattice: Lattice, _theta: float) -> Law:
    """Every path alike."""
    paths = exact(lattice, 1.0)
    return dict.fromkeys(paths, 1.0 / len(paths))


def two_best(lattice: Lattice, theta: float) -> Law:
    """The two best paths, best first, as their weights are."""
    best = dict(list(exact(lattice, theta).items())[:2])
    whole = sum(best.values())
    return {path: p / whole for path, p in best.items()}


def ordered_pairs(lattice: Lattice, theta: float) -> Law:
    """Two different paths, drawn one after the other; or the only one."""
    law = exact(lattice, theta)
    if len(law) == 1:
        return {(path,): 1.0 for path in law}
    # What is left is summed anew: 1 − p would lose digits.
    left = {path: math.fsum(p for other, p in law.items() if other != path) for path in law}
    pairs = permutations(law, 2)
    return {(a, b): law[a] * law[b] / left[a] if left[a] else 0.0 for a, b in pairs}


def every_coin(lattice: Lattice, theta: float, accumulate: bool) -> Law:
    """The law of Viterbi sampling by the definition: each coin of each edge falls either way."""
    found: Counter[Path] = Counter()
    order = lattice.by_end.tolist()
    start, end, score = lattice.start.tolist(), lattice.end.tolist(), lattice.score.tolist()
    last = lattice.n_nodes - 1

    def follow(
        place: int, p: float, held: dict[int, tuple[float, Path]], weights: dict[int, float]
    ) -> None:
        if place == len(order):
            found[held[last][1]] += p
            return
        edge = order[place]
        if start[edge] not in held:
            follow(place + 1, p, held, weights)
            return
        own, path = held[start[edge]]
        new, at = own + score[edge], end[edge]
        weight = weights.get(at, 0.0) + math.exp(theta * new)
        chance = 1.0
        if at in held and accumulate:
            chance = math.exp(theta * new) / weight
        elif at in held:
            lead = math.exp(theta * (new - held[at][0]))
            chance = lead / (1 + lead)
        after = {**weights, at: weight}
        follow(place + 1, p * chance, {**held, at: (new, (*path, edge))}, after)
        if chance < 1:
            follow(place + 1, p * (1 - chance), held, after)

    follow(0, 1.0, {0: (0.0, ())}, {})
    return dict(found)


LAWS: dict[str, Callable[[Lattice, float], Law]] = {
    "perfect": gibbs,
    "ffbs": gibbs,
    "nbest": two_best,
    "uniform": uniform,
    "without-replacement": ordered_pairs,
    "viterbi-v1": lambda lattice, theta: every_coin(lattice, theta, False),
    "viterbi-v1.5": lambda lattice, theta: every_coin(lattice, theta, True),
}


def maxmatch(pieces: set[str], word: str, drop: float) -> dict[tuple[str, ...], float]:
    """The law of MaxMatch-dropout on a word by its definition: each coin falls either way.

    Without marks, so that a piece may stand anywhere; a piece of one letter is never dropped.
    """
    found: Counter[tuple[str, ...]] = Counter()

    def walk(at: int, cut: tuple[str, ...], share: float) -> None:
        if at == len(word):
            found[cut] += share
            return
        for end in range(len(word), at, -1):
            piece = word[at:end]
            if piece not in pieces:
                continue
            if len(piece) == 1:
                walk(end, (*cut, piece), share)
                return
            walk(end, (*cut, piece), share * (1 - drop))
            share *= drop
        found[UNKNOWN,] += share

    walk(0, (), 1.0)
    return {cut: share for cut, share in found.items() if share > 0.0}


def wordpiece_model(folder: FilePath, pieces: Iterable[str], mark: str = "") -> Model:
    """Return a WordPiece model; without a mark its pieces may stand anywhere in a word."""
    content = {
        "type": "WordPiece",
        "unk_token": UNKNOWN,
        "continuing_subword_prefix": mark,
        "max_input_chars_per_word": 20,
        "vocab": {piece: i for i, piece in enumerate([UNKNOWN, *pieces])},
    }
    parts = {"pre_tokenizer": {"type": "WhitespaceSplit"}}
    return load(write_json(folder, tokenizer(content, **parts)))


def compare_maxmatch(words: int, seed: int = 1) -> list[float]:
    """Return the p of MaxMatch-dropout's draws on random words, where there is a test."""
    rng, found = random.Random(seed), []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(words):
            pieces = {"".join(rng.choices("abc", k=rng.randint(2, 4))) for _ in range(9)}
            pieces |= set("abc" if number % 3 else "ab")
            word, drop = "".join(rng.choices("abc", k=rng.randint(3, 7))), rng.choice(DROPS)
            lattice = wordpiece_model(FilePath(folder), sorted(pieces)).lattice(word)
            draws = sample(lattice, "maxmatch-dropout", count=DRAWS, seed=number, dropout=drop)
            counts: Counter[Any] = Counter()
            for path, times in zip(draws.paths, draws.counts, strict=True):
                counts[tuple(lattice.vocabulary.text(i) for i in path.ids)] += int(times)
            p = p_value(counts, maxmatch(pieces, word, drop))
            if p is not None:
                found.append(p)
    return found


def drawn(lattice: Lattice, method: str, theta: float, seed: int) -> Counter[Any]:
    """Return how often each outcome of a method was drawn."""
    if method == "without-replacement":
        sets = [top_keys(lattice, theta, seed * SETS + i, 2).paths for i in range(SETS)]
        return Counter(tuple(tuple(edges.tolist()) for edges in paths) for paths in sets)
    settings = SamplingSettings(theta, nbest_size=2)
    paths = SAMPLERS[method].draw(lattice, settings, seed, range(DRAWS))
    return Counter(tuple(edges.tolist()) for edges in paths)


def p_value(counts: Counter[Any], law: Law) -> float | None:
    """Return the p of χ²; 0 for an outcome that the law doesn't know; None without a test."""
    if not set(counts) <= set(law):
        return 0.0
    test = chi_square(np.array([counts[k] for k in law]), np.array(list(law.values())))
    return None if test is None else test.p_value


def corrected(smallest: float, tests: int) -> float:
    """Return the probability that the smallest of so many p is at most this, by chance."""
    return -math.expm1(tests * math.log1p(-smallest)) if smallest < 1 else 1.0


def compare(lattices: int, seed: int = 1) -> dict[str, tuple[int, float, float]]:
    """Return for each method the number of tests, the smallest p, and that corrected.

    Under `viterbi-v1 as Gibbs` and the like stand the same draws against the Gibbs law.
    """
    rng = random.Random(seed)
    found: dict[str, list[float]] = {}
    for number in range(lattices):
        lattice, theta = random_lattice(rng), rng.choice(THETAS)
        for method, make in LAWS.items():
            biased = method.startswith("viterbi")
            if biased and lattice.n_edges > MOST_COINS:
                continue
            counts = drawn(lattice, method, theta, number)
            for name, law in (
                (method, make(lattice, theta)),
                *([(f"{method} as Gibbs", gibbs(lattice, theta))] if biased else []),
            ):
                p = p_value(counts, law)
                if p is not None:
                    found.setdefault(name, []).append(p)
    found["maxmatch-dropout"] = compare_maxmatch(lattices, seed)
    return {
        name: (len(values), min(values), corrected(min(values), len(values)))
        for name, values in found.items()
        if values
    }


def main() -> None:
    """Print the comparison of as many lattices as the first argument says."""
    warm_up()
    lattices = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print(f"{lattices:,} lattices, {DRAWS:,} draws of each ({SETS} pairs without replacement)")
    print(f"{'':28}{'tests':>7}{'smallest p':>14}{'corrected':>14}")
    for name, (tests, smallest, p) in compare(lattices).items():
        print(f"{name:28}{tests:7,}{smallest:14.3g}{p:14.3g}")


if __name__ == "__main__":
    main()
