"""Why an edge of the lattice is, or isn't, on the model's path.

Each answer is a record: a `kind` and the numbers and edges that decide, from which a window can
make a sentence in any language; `sentence` is the English one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from engine.display import visible
from engine.lookup import Lookup
from engine.passes import best_from_end, best_pass, path_score
from engine.search import follow, rounding
from engine.segmenter import EdgeKind
from engine.subword_nmt import MARK, SubwordNmt
from engine.traces.merges import NEVER, History, word_history

if TYPE_CHECKING:
    from engine.bpe import Bpe
    from engine.lattice import Lattice
    from engine.law import Law

Ints = NDArray[np.int32]


@dataclass(frozen=True)
class GivenReason:
    """The model has no choice.

    kind: `added` or `dropped`, as the edge's own kind; `uncovered`, no path leads through the text;
    `found`, a word or character model looked its unit up; `not_found`, that unit is no piece.
    """

    lattice: Lattice
    edge: int
    kind: Literal["added", "dropped", "uncovered", "found", "not_found"]

    @property
    def sentence(self) -> str:
        """The reason in English."""
        if self.kind == "added":
            return "It is an added token: it is cut out before the model sees the text."
        if self.kind == "found":
            return "It is a piece of the vocabulary; the model looks it up whole."
        if self.kind == "not_found":
            return "The model looks it up whole, and it is no piece, so it is unknown."
        if self.kind == "uncovered":
            return f"No segmentation uses it: {self.lattice.no_law}."
        return "No piece matches this character and there is no unknown token, so it is left out."


@dataclass(frozen=True, eq=False)
class ScoreReason:
    """Unigram: two paths are held against each other.

    kind: `best`, the edge is on the best path, whose rival is the best path without it;
        `only`, every segmentation uses it, there is no rival; `beaten`, the rival is the best path
        through the edge; `tie`, the rival has the best path's score; `unused`, no segmentation uses
        the edge.
    on_path: whether the edge is on the best path. best, other: int32, the edges of the stretch
    where the two paths differ. best_score, other_score: sums over that stretch. gap: their
    difference in nats, ≥ 0. ratio: how many times as likely the best path is at `theta`.
    """

    lattice: Lattice
    edge: int
    kind: Literal["best", "only", "beaten", "tie", "unused"]
    on_path: bool
    theta: float
    best: Ints
    other: Ints
    best_score: float = math.nan
    other_score: float = math.nan
    gap: float = math.nan
    ratio: float = math.nan

    @property
    def sentence(self) -> str:
        """The reason in English."""
        if self.kind == "only":
            return "Every segmentation uses it: nothing else covers this stretch."
        if self.kind == "unused":
            return "No segmentation uses it: around it the text can't be covered."
        lattice = self.lattice
        best, other = _pieces(lattice, self.best), _pieces(lattice, self.other)
        if self.kind == "tie":
            return (
                f"A tie: {best} and {other} have the same score, {self.best_score:.3f}. "
                "The edge that starts first wins at a node."
            )
        at = "" if self.theta == 1 else f" at θ = {self.theta:g}"
        facts = (
            f"A gap of {self.gap:.3f} nats: the best path is {_times(self.ratio)} as likely{at}."
        )
        verb = "beats" if self.kind == "best" else "loses to"
        first, second = (best, other) if self.kind == "best" else (other, best)
        one, two = self.best_score, self.other_score
        if self.kind == "beaten":
            one, two = two, one
        return f"{first} ({one:.3f}) {verb} {second} ({two:.3f}). {facts}"


@dataclass(frozen=True)
class MergeReason:
    """BPE: the merge that made the piece, or the one that came first.

    kind: `merged`, step `step` of its pre-token made it; `symbol`, it is a first symbol that no
        rule joins to a neighbour; `whole`, the pre-token is a piece, so nothing is merged;
        `absorbed`, it stood there, but a later merge joined it to a neighbour; `overtaken`, the
        pair left + right stood side by side, but another merge took one of them; `never_formed`,
        another merge crossed its border before its parts were made; `other_way`, also alone its
        text is merged to something else; `no_rule`, no merge makes it; `undone`, merging makes it,
        but a vocabulary filter doesn't hold it; `restored`, the filter undoes what it merged to.
    rank, left, right: the merge that makes it, −1 where there is none. by_rank, by_left,
    by_right, by_result: the merge that came first, −1. taken: the symbol that this merge took.
    alone: the pieces that its text is cut into when it stands alone.
    """

    lattice: Lattice
    edge: int
    kind: Literal[
        "merged",
        "symbol",
        "whole",
        "absorbed",
        "overtaken",
        "never_formed",
        "other_way",
        "no_rule",
        "undone",
        "restored",
    ]
    rank: int = -1
    left: int = -1
    right: int = -1
    step: int = -1
    by_rank: int = -1
    by_left: int = -1
    by_right: int = -1
    by_result: int = -1
    taken: int = -1
    alone: tuple[int, ...] = ()

    @property
    def sentence(self) -> str:
        """The reason in English."""
        name = self._name
        piece = _edge_name(self.lattice, self.edge)
        pair = f"{name(self.left)} + {name(self.right)}"
        by = f"{name(self.by_left)} + {name(self.by_right)}"
        if self.kind == "merged":
            return f"Rule {self.rank:,} makes it from {pair}, and no rule joins it to a neighbour."
        if self.kind == "symbol":
            return "It is a first symbol, and no rule joins it to a neighbour in time."
        if self.kind == "whole":
            return "The pre-token is a piece of the vocabulary, so the model takes it whole."
        if self.kind == "absorbed":
            made = f"Rule {self.rank:,} makes it" if self.rank >= 0 else "It is a first symbol"
            return f"{made}, but then rule {self.by_rank:,} joins {by} to {name(self.by_result)}."
        if self.kind == "overtaken":
            return (
                f"{pair} has rank {self.rank:,}. By the time it could act, {name(self.taken)} is "
                f"taken: rule {self.by_rank:,} came first and made {name(self.by_result)}."
            )
        if self.kind == "never_formed":
            return (
                f"It needs {pair} (rank {self.rank:,}), which never stand side by side: rule "
                f"{self.by_rank:,}, {by}, came first and made {name(self.by_result)}."
            )
        if self.kind == "undone":
            return "Merging makes it, but the vocabulary filter doesn't hold it: it is taken apart."
        if self.kind == "restored":
            return "It was joined to a neighbour, but the vocabulary filter undoes that merge."
        if self.kind == "other_way":
            return f"Even alone {piece} is merged to {' | '.join(map(name, self.alone))}."
        return f"No rule makes {piece}."

    def _name(self, piece: int) -> str:
        return "?" if piece < 0 else visible(self.lattice.vocabulary.bytes(piece))


@dataclass(frozen=True)
class MatchReason:
    """WordPiece: the longest piece first, from left to right.

    kind: `longest`, the edge is the longest match where the algorithm stands; `longer`, it starts
        there, but `winner` is longer; `passed`, the algorithm never stands at its start: `winner`
        covers it; `unknown_word`, the word can't be finished, so it is one unknown token, the edge
        `winner` (which may be this edge).
    """

    lattice: Lattice
    edge: int
    kind: Literal["longest", "longer", "passed", "unknown_word"]
    winner: int = -1

    @property
    def sentence(self) -> str:
        """The reason in English."""
        if self.kind == "longest":
            return "It is the longest piece that matches here; the longest always wins."
        winner = _edge_name(self.lattice, self.winner)
        if self.kind == "longer":
            return f"{winner} starts here too and is longer; the longest always wins."
        if self.kind == "passed":
            return f"No token starts here: {winner} already covers this place."
        return (
            f"The word {winner} can't be cut into pieces to its end, so it is unknown as a whole."
        )


Explanation = GivenReason | ScoreReason | MergeReason | MatchReason


def explain_edge(lattice: Lattice, law: Law | None, edge: int) -> Explanation:
    """Say why an edge is on the model's path, or why not.

    law: only its θ is read; None means θ = 1. A Unigram edge is held against the best path, a BPE
    edge against the merges of its pre-token, a WordPiece edge against the longest match. Word and
    character models look a unit up and have no choice.
    """
    kind = lattice.kind[edge]
    if kind == EdgeKind.ADDED:
        return GivenReason(lattice, edge, "added")
    if kind == EdgeKind.DROPPED:
        return GivenReason(lattice, edge, "dropped")
    if lattice.uncovered is not None:
        return GivenReason(lattice, edge, "uncovered")
    if lattice.has_law:
        return _explain_score(lattice, 1.0 if law is None else law.theta, edge)
    if isinstance(lattice.segmenter, Lookup):
        return GivenReason(lattice, edge, "not_found" if kind == EdgeKind.UNKNOWN else "found")
    if lattice.bpe is not None:
        return _explain_merge(lattice, lattice.bpe, edge)
    return _explain_match(lattice, edge)


def _explain_score(lattice: Lattice, theta: float, edge: int) -> ScoreReason:
    best = lattice.best_edges
    on_path = bool((best == edge).any())
    none = np.zeros(0, dtype=np.int32)
    if on_path:
        # The best of the paths that don't use the edge.
        score = lattice.score.copy()
        score[edge] = -np.inf
        without = best_pass(lattice, score)
        if not np.isfinite(without.total[-1]):
            return ScoreReason(lattice, edge, "only", on_path, theta, none, none)
        other = follow(lattice, without.holder)
    else:
        start, end = int(lattice.start[edge]), int(lattice.end[edge])
        to, onward = lattice.best_pass, best_from_end(lattice, lattice.score)
        if not np.isfinite(to.total[start] + lattice.score[edge] + onward.total[end]):
            return ScoreReason(lattice, edge, "unused", on_path, theta, none, none)
        before, node = follow(lattice, to.holder, start), end
        after = []
        while node < lattice.n_nodes - 1:
            after.append(int(onward.holder[node]))
            node = int(lattice.end[after[-1]])
        other = np.array([*before.tolist(), edge, *after], dtype=np.int32)
    mine, theirs = differing(best, other)
    best_score, other_score = path_score(lattice, mine), path_score(lattice, theirs)
    gap = max(0.0, best_score - other_score)
    tie = gap <= rounding(lattice)
    kind: Literal["best", "beaten", "tie"] = "tie" if tie else "best" if on_path else "beaten"
    exponent = theta * gap
    ratio = math.exp(exponent) if exponent < 700 else math.inf
    return ScoreReason(
        lattice, edge, kind, on_path, theta, mine, theirs, best_score, other_score, gap, ratio
    )


def differing(a: Ints, b: Ints) -> tuple[Ints, Ints]:
    """Return the stretches of two paths between their common start and their common end."""
    shorter = min(len(a), len(b))
    first = 0
    while first < shorter and a[first] == b[first]:
        first += 1
    last = 0
    while last < shorter - first and a[-1 - last] == b[-1 - last]:
        last += 1
    return a[first : len(a) - last], b[first : len(b) - last]


def _explain_merge(lattice: Lattice, segmenter: Bpe, edge: int) -> MergeReason:
    cuts = lattice.prepared.cuts
    start, end = int(lattice.start[edge]), int(lattice.end[edge])
    word = int(np.searchsorted(cuts, start, side="right")) - 1
    first, last = int(cuts[word]), int(cuts[word + 1])
    history = lattice.histories.get(word)
    if history is None:
        history = word_history(segmenter, lattice.prepared.data[first:last])
        lattice.histories[word] = history
    start, end = start - first, end - first
    on_path = bool((lattice.taken == edge).any())
    if on_path:
        return _explain_made(lattice, segmenter, edge, history, start, end)
    piece = int(lattice.piece[edge])
    if lattice.rank[edge] < 0 and piece not in history.symbols[history.symbols[:, 3] == 0, 2]:
        return MergeReason(lattice, edge, "no_rule")
    if history.note is not None and history.note[0] == "ignore_merges":
        return MergeReason(lattice, edge, "whole")
    steps = history.steps.tolist()
    for symbol in history.symbols.tolist():
        if tuple(symbol[:3]) == (start, end, piece) and symbol[4] < NEVER:
            maker = steps[symbol[3] - 1] if symbol[3] else [-1] * 7
            rank, left, right = maker[0], maker[4], maker[5]
            k = symbol[4] - 1
            return MergeReason(lattice, edge, "absorbed", rank, left, right, k, *_by(steps[k]))
    if history.note is not None and history.note[0] == "filter":
        last = history.symbols[history.symbols[:, 4] == NEVER, :3].tolist()
        if [start, end, piece] in last:
            return MergeReason(lattice, edge, "undone")
    made = _made_alone(lattice, segmenter, edge)
    if isinstance(made, MergeReason):
        return made
    for pair in history.pairs.tolist():
        if (pair[0], pair[2], pair[5]) == (start, end, piece):
            k = pair[8] - 1
            # It lost its right symbol to a merge that starts there, else its left one.
            taken = pair[4] if steps[k][1] == pair[1] else pair[3]
            own = (pair[6], pair[3], pair[4])
            return MergeReason(lattice, edge, "overtaken", *own, k, *_by(steps[k]), taken)
    for k, step in enumerate(steps):
        if step[1] < start < step[3] or step[1] < end < step[3]:
            return MergeReason(lattice, edge, "never_formed", *made, k, *_by(step))
    return MergeReason(lattice, edge, "no_rule")


def _by(step: Sequence[int]) -> tuple[int, int, int, int]:
    """Return rank, left, right and result of a row of `History.steps`."""
    return step[0], step[4], step[5], step[6]


def _explain_made(
    lattice: Lattice, segmenter: Bpe, edge: int, history: History, start: int, end: int
) -> MergeReason:
    rule = history.note[0] if history.note is not None else ""
    if rule == "ignore_merges":
        return MergeReason(lattice, edge, "whole")
    ends = {end}
    if (
        isinstance(segmenter, SubwordNmt)
        and segmenter.mark >= 0
        and end == history.symbols[:, 1].max()
    ):
        # The mark that merges with nothing is in the token, but in no step.
        ends.add(end - len(MARK))
    symbols = history.symbols.tolist()
    if rule == "filter" and not any(
        s[0] == start and s[1] in ends and s[4] == NEVER for s in symbols
    ):
        return MergeReason(lattice, edge, "restored")
    for k, step in reversed(list(enumerate(history.steps.tolist()))):
        if step[1] == start and step[3] in ends:
            return MergeReason(lattice, edge, "merged", step[0], step[4], step[5], k)
    return MergeReason(lattice, edge, "symbol")


def _made_alone(lattice: Lattice, segmenter: Bpe, edge: int) -> tuple[int, int, int] | MergeReason:
    """Return (rank, left, right) of the last merge of the edge's text alone, or what is made."""
    if segmenter.prefix or segmenter.suffix:
        # A stretch alone would be written with other marks than in its word.
        return int(lattice.rank[edge]), -1, -1
    data = lattice.prepared.data[int(lattice.start[edge]) : int(lattice.end[edge])]
    alone = word_history(segmenter, data)
    final = alone.symbols[alone.symbols[:, 4] == NEVER, 2].tolist()
    if len(final) != 1:
        return MergeReason(lattice, edge, "other_way", alone=tuple(final))
    if not len(alone.steps):
        return -1, -1, -1
    rank, _, _, _, left, right, _ = alone.steps[-1].tolist()
    return rank, left, right


def _explain_match(lattice: Lattice, edge: int) -> MatchReason:
    taken = lattice.taken
    if (taken == edge).any():
        unknown = lattice.kind[edge] == EdgeKind.UNKNOWN
        return MatchReason(lattice, edge, "unknown_word" if unknown else "longest", edge)
    start = int(lattice.start[edge])
    covering = taken[(lattice.start[taken] <= start) & (lattice.end[taken] > start)]
    winner = int(covering[0])
    if lattice.kind[winner] == EdgeKind.UNKNOWN:
        return MatchReason(lattice, edge, "unknown_word", winner)
    same = int(lattice.start[winner]) == start
    return MatchReason(lattice, edge, "longer" if same else "passed", winner)


def _edge_name(lattice: Lattice, edge: int) -> str:
    return visible(lattice.bytes(edge))


def _pieces(lattice: Lattice, edges: Ints) -> str:
    return " | ".join(_edge_name(lattice, edge) for edge in edges.tolist())


def _times(ratio: float) -> str:
    if ratio < 1000:
        return f"{ratio:.2f} times"
    if ratio < 1e7:
        return f"{ratio:,.0f} times"
    return f"{ratio:.2e} times" if math.isfinite(ratio) else "more than 1e304 times"
