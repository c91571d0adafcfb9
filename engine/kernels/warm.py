"""What compiles each family of kernels: one call each on a tiny input.

A kernel compiled here for the engine's own kinds of array serves every later call; see
`engine.matching.check_spans`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.bpe import Bpe
from engine.dropout import DropRule
from engine.dropout.maxmatch import DroppingWordPiece
from engine.dropout.segment import DroppingBpe
from engine.kernels import draws, lattice, words
from engine.kernels.nbest import best_paths
from engine.kernels.spaces import escape_spaces
from engine.pieces import Vocabulary
from engine.pipelines.scanning import SCANS, scan
from engine.samplers.lines import Ffbs
from engine.unigram import Unigram
from engine.wordpiece import WordPiece

DATA = np.array([97, 98, 97], dtype=np.uint8)
STARTS = np.array([0], dtype=np.int64)
ENDS = np.array([3], dtype=np.int64)


def _vocabulary() -> Vocabulary:
    continuation = np.array([False, False, False, True])
    return Vocabulary.build([b"a", b"b", b"ab", b"a"], np.zeros(4), None, continuation)


def _unigram() -> Unigram:
    return Unigram(_vocabulary(), unknown=0, unknown_score=-10.0)


def _warm_viterbi() -> None:
    _unigram().segment_compiled(DATA, STARTS, ENDS)


def _warm_viterbi_in_single_precision() -> None:
    single = Unigram(_vocabulary(), unknown=0, unknown_score=-10.0, single_precision=True)
    single.segment_compiled(DATA, STARTS, ENDS)


def _warm_marginals() -> None:
    _unigram().marginals(DATA, STARTS, ENDS)


def _warm_nbest() -> None:
    one, first, last = np.zeros(1, dtype=np.int32), np.zeros(1, np.int64), np.ones(1, np.int64)
    best_paths(one, one + 1, np.zeros(1), first, last, 1)


def _warm_reservoir() -> None:
    _unigram().sample_lines(DATA, STARTS, ENDS, 1.0, 0)


def _warm_ffbs() -> None:
    Ffbs(_unigram(), 1.0).draw_compiled(DATA, STARTS, ENDS, 0)


def _warm_matches() -> None:
    _unigram().edges_compiled(DATA, STARTS, ENDS)


def _warm_bpe() -> None:
    left, right, result, rank = np.array([[0], [1], [2], [0]], dtype=np.int32)
    bpe = Bpe(_vocabulary(), left, right, result, rank)
    bpe.segment_compiled(DATA, STARTS, ENDS)
    bpe.tables.merge_steps([0, 1, 0])


def _warm_linear_bpe() -> None:
    every_byte = [bytes((byte,)) for byte in range(256)]
    left, right, result, rank = np.array([[97], [98], [256], [0]], dtype=np.int32)
    bpe = Bpe(Vocabulary.build([*every_byte, b"ab"]), left, right, result, rank)
    bpe.segment_compiled(DATA, STARTS, ENDS)


def _warm_wordpiece() -> None:
    WordPiece(_vocabulary(), unknown=0).segment_compiled(DATA, STARTS, ENDS)


def _warm_dropout() -> None:
    left, right, result, rank = np.array([[0], [1], [2], [0]], dtype=np.int32)
    bpe = Bpe(_vocabulary(), left, right, result, rank)
    DroppingBpe(bpe, DropRule.PAPER, 0.5, 0).segment_compiled(DATA, STARTS, ENDS)
    wordpiece = WordPiece(_vocabulary(), unknown=0)
    DroppingWordPiece(wordpiece, 0.5, 0).segment_compiled(DATA, STARTS, ENDS)


def _warm_lattice() -> None:
    order = np.array([0], dtype=np.int32)
    start, end = np.array([0], dtype=np.int32), np.array([1], dtype=np.int32)
    weight = np.zeros(1)
    lattice.best(order, start, end, weight, 2)
    lattice.forward(order, start, end, weight, 2)


def _warm_draws() -> None:
    start, arriving = np.array([0], dtype=np.int32), np.array([0, 0, 1], dtype=np.int64)
    keys = np.zeros(1, dtype=np.uint64)
    draws.draw_paths(np.ones(1), start, arriving, keys)
    draws.choose_paths(np.ones(1), start, arriving, keys)
    draws.hold_paths(start, start + 1, np.zeros(1), np.zeros(2), 1.0, False, keys)


def _warm_spaces() -> None:
    raw = np.frombuffer(b"a b", dtype=np.uint8)
    escape_spaces(raw, True, True, np.empty(12, dtype=np.uint8), np.empty(2, dtype=np.int64))


def _warm_split() -> None:
    for rule in SCANS.values():
        scan(rule, DATA, ENDS)


def _warm_words() -> None:
    table = np.full(0x110000, words.KEPT, dtype=np.int32)
    out, ends = np.empty(80, dtype=np.uint8), np.empty(80, dtype=np.int64)
    spelled, cuts = np.zeros(1, dtype=np.uint8), np.empty(2, dtype=np.int64)
    words.split_words(DATA, ENDS, table, spelled, out, ends, cuts)


STEPS: list[Callable[[], object]] = [
    _warm_viterbi,
    _warm_viterbi_in_single_precision,
    _warm_matches,
    _warm_bpe,
    _warm_linear_bpe,
    _warm_reservoir,
    _warm_ffbs,
    _warm_marginals,
    _warm_wordpiece,
    _warm_dropout,
    _warm_nbest,
    _warm_words,
    _warm_draws,
    _warm_split,
    _warm_spaces,
    _warm_lattice,
]
"""Each compiles some kernels, or loads them from numba's cache.

What a window needs first stands at both ends. The last ones need no trie, whose kernels the first
step compiles meanwhile."""
