"""What a piece, or each token of a word, was merged from: binary trees as flat arrays."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.bpe import Bpe
from engine.merge_rules import pair_of
from engine.subword_nmt import MARK, SubwordNmt
from engine.traces.merges import MergeTrace

Ints = NDArray[np.int32]

SPACE, UNDERSCORE = b" ", "▁".encode()


class Forest(NamedTuple):
    """Trees of merges; int32[n] each, children before the node that is made of them.

    piece: id of each node. left, right: the nodes it is made of, −1 for a first symbol. rank: of
    its merge, −1 for a first symbol. first, last: the first and the last first symbol it covers,
    counted from the left. roots: int32[r], what nothing is made of, from the left.
    """

    piece: Ints
    left: Ints
    right: Ints
    rank: Ints
    first: Ints
    last: Ints
    roots: Ints

    @property
    def height(self) -> Ints:
        """How many merges stand over each other in each node at most, int32[n]; 0 for a symbol."""
        height = np.zeros(len(self.piece), dtype=np.int32)
        for node, (left, right) in enumerate(
            zip(self.left.tolist(), self.right.tolist(), strict=True)
        ):
            if left >= 0:
                height[node] = max(height[left], height[right]) + 1
        return height


Node = tuple[int, int, int, int, int, int]
"""Piece, left, right, rank, first, last."""


def forest_of_word(trace: MergeTrace, pretoken: int) -> Forest:
    """Return what each token of a pre-token was merged from."""
    steps = trace.steps_of(pretoken)
    span = trace.prepared.cuts[pretoken : pretoken + 2].tolist()
    state = trace.state(steps.start, *span)
    nodes: list[Node] = [(piece, -1, -1, -1, i, i) for i, piece in enumerate(state.piece.tolist())]
    at = {start: i for i, start in enumerate(state.start.tolist())}
    for k in steps:
        start, middle = int(trace.steps.start[k]), int(trace.steps.middle[k])
        left, right = at[start], at.pop(middle)
        at[start] = len(nodes)
        covered = nodes[left][4], nodes[right][5]
        nodes.append((int(trace.steps.result[k]), left, right, int(trace.steps.rank[k]), *covered))
    return _forest(nodes, sorted(at.values(), key=lambda node: nodes[node][4]))


def tree_of_piece(bpe: Bpe, piece: int) -> Forest:
    """Return what a piece is merged from, by `pair_of` all the way down; one tree.

    A piece that no merge makes is a tree of itself alone.
    """
    nodes: list[Node] = []
    # Depth first, by a list instead of calls: a piece may be as deep as it is long.
    todo: list[tuple[int, bool]] = [(piece, False)]
    done: list[int] = []
    leaves = 0
    ranks = bpe.made_by
    while todo:
        now, opened = todo.pop()
        pair = None if opened else pair_of(bpe, now)
        if opened:
            right, left = done.pop(), done.pop()
            covered = nodes[left][4], nodes[right][5]
            done.append(len(nodes))
            nodes.append((now, left, right, int(ranks[now]), *covered))
        elif pair is None:
            done.append(len(nodes))
            nodes.append((now, -1, -1, -1, leaves, leaves))
            leaves += 1
        else:
            todo += [(now, True), (pair[1], False), (pair[0], False)]
    return _forest(nodes, done)


def _forest(nodes: list[Node], roots: list[int]) -> Forest:
    table = np.array(nodes, dtype=np.int32).reshape(-1, 6)
    piece, left, right, rank, first, last = table.T
    return Forest(piece, left, right, rank, first, last, np.array(roots, dtype=np.int32))


def word_mark(bpe: Bpe, word: bytes) -> tuple[str, Literal["before", "after"]] | None:
    """Return the mark that keeps a word's end, and whether it stands before or after the word.

    `</w>` or what else a model's `suffix` is; SentencePiece's ▁, or the space itself in byte-level
    models, which stand where the file puts them. None for a word without one.
    """
    if bpe.suffix:
        return bpe.suffix, "after"
    if isinstance(bpe, SubwordNmt) and bpe.mark >= 0:
        return MARK.decode(), "after"
    for mark, shown in ((UNDERSCORE, "▁"), (SPACE, "␣")):
        if word.startswith(mark) and word != mark:
            return shown, "before"
        if word.endswith(mark) and word != mark:
            return shown, "after"
    return None
