"""Learning BPE merges from the words of a corpus.

Sennrich, Haddow & Birch, "Neural Machine Translation of Rare Words with Subword Units" (ACL 2016):
the most frequent pair of neighbouring symbols becomes a symbol, over and over. A pair's count is
the number of places where it stands; in a run of one symbol these overlap, as in the published
trainers. Which of equally frequent pairs comes first is a rule that the caller chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from engine.errors import ParameterError
from engine.kernels import compiled
from engine.progress import Report, silent
from engine.train.units import Units

TieBreak = Literal[
    "lexicographic-smallest",
    "lexicographic-largest",
    "lowest-ids",
    "shortest-then-smallest",
    "first-seen",
]
"""Which of equally frequent pairs merges first.

lexicographic-smallest, -largest: the smallest or largest pair of byte strings, left before right
(the latter is subword-nmt's). lowest-ids: the smallest pair of ids (HuggingFace, rustbpe).
shortest-then-smallest: the fewest base symbols, then the smallest joined string, then the shortest
left part (SentencePiece). first-seen: the pair that stands first in the corpus as it is then
(minbpe). What is still equal goes by ids.
"""

TIE_BREAKS: tuple[TieBreak, ...] = get_args(TieBreak)

Select = Literal["frequency", "likelihood"]
"""Which pair merges next. frequency: the one that stands most often (BPE). likelihood: the one with
the highest count(ab) / (count(a) · count(b)), counts of symbols being those of the corpus as it is
then: how much more often the two stand together than by chance (WordPiece, Schuster & Nakajima
2012 as it is commonly told). Quotients are compared exactly; equal ones go by the tie rule."""

SELECTS: tuple[Select, ...] = get_args(Select)

Watch = Callable[["LearntMerges"], None]
"""Called now and then with the merges learnt so far, of which `ended` is `under way`."""

Ended = Literal["size", "count", "under way"]

Veto = Callable[[bytes, bytes], bool]
"""Whether a pair of symbols, given by their bytes, may not merge."""

LONGEST = 1 << 30
"""Base symbols of the longest symbol, where no fewer are asked for."""

MOST = 1 << 60
"""The highest count that can be asked for."""


@dataclass(frozen=True, eq=False)
class LearntMerges:
    """m merges in the order learnt, with what the choice was between.

    base: the bytes of each base symbol. Merge k makes symbol len(base) + k. left, right:
    int32[m], symbols. count: int64[m], how often the pair stood; 0 for a given merge that didn't.
    ties: int32[m], how many pairs had that count (by likelihood: that quotient); 0 for a given
    merge. rival_left, rival_right,
    rival_count: the pair that would have come next, −1 where there was none. tokens: int64[m + 1],
    tokens of the corpus before the first merge and after each. given: how many merges were given.
    ended: why there are no more: `size` or `count` (no pair is frequent enough).
    """

    base: tuple[bytes, ...]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    count: NDArray[np.int64]
    ties: NDArray[np.int32]
    rival_left: NDArray[np.int32]
    rival_right: NDArray[np.int32]
    rival_count: NDArray[np.int64]
    tokens: NDArray[np.int64]
    tie_break: TieBreak
    given: int
    ended: Ended

    def __len__(self) -> int:
        return len(self.left)

    @cached_property
    def symbols(self) -> tuple[bytes, ...]:
        """The bytes of each symbol: base symbols, then merged ones."""
        made = list(self.base)
        for left, right in zip(self.left.tolist(), self.right.tolist(), strict=True):
            made.append(made[left] + made[right])
        return tuple(made)


@dataclass(frozen=True)
class Rules:
    """How merges are learnt.

    merges: how many at most. least: the lowest count of a pair that merges. longest: base symbols
    of the longest symbol. given: pairs of symbols to merge first, whatever their counts. veto:
    asked for each pair that is about to merge. select: what the next pair is chosen by; likelihood
    knows no given merges and no rule `first-seen`.
    """

    merges: int
    tie_break: TieBreak = "lexicographic-smallest"
    least: int = 2
    longest: int = LONGEST
    given: Sequence[tuple[int, int]] = ()
    veto: Veto | None = None
    select: Select = "frequency"


def learn_merges(
    units: Units, rules: Rules, report: Report = silent, watch: Watch | None = None
) -> LearntMerges:
    """Learn merges; equal units and rules give equal merges, in every process.

    report: called with merges done and wanted; watch: beside it, with what is learnt so far.
    Raises `ParameterError` for rules that can't be followed. A small corpus is left to the plain
    twin until the kernels are compiled.
    """
    check_rules(rules)
    _check_given(units, rules)
    if compiled(len(units.symbols)):
        if rules.select == "likelihood":
            from engine.train.by_likelihood import learn_by_likelihood

            return learn_by_likelihood(units, rules, report, watch)
        from engine.train.compiled import learn_compiled

        return learn_compiled(units, rules, report, watch)
    from engine.train.plain import learn_plain

    return learn_plain(units, rules, report, watch)


def check_rules(rules: Rules) -> None:
    """Raise `ParameterError` for rules that can't be followed, whatever the corpus."""
    if rules.tie_break not in TIE_BREAKS:
        names = ", ".join(TIE_BREAKS)
        raise ParameterError(f"no tie rule {rules.tie_break!r}", "", f"choose one of {names}")
    if rules.select not in SELECTS:
        names = ", ".join(SELECTS)
        raise ParameterError(f"no selection {rules.select!r}", "", f"choose one of {names}")
    if rules.select == "likelihood" and (rules.given or rules.tie_break == "first-seen"):
        raise ParameterError(
            "merging by likelihood takes no given merges and no tie rule first-seen",
            "",
            "merge by frequency, or leave them out",
        )
    if rules.merges < 0:
        raise ParameterError(f"{rules.merges:,} merges", "", "ask for 0 or more")
    if not 1 <= rules.least <= MOST:
        raise ParameterError(
            f"a lowest pair count of {rules.least:,}", "", f"give one from 1 to {MOST:,}"
        )
    if not 1 <= rules.longest <= LONGEST:
        raise ParameterError(
            f"a longest symbol of {rules.longest:,} base symbols", "", f"give 1 to {LONGEST:,}"
        )
    if len(rules.given) > rules.merges:
        raise ParameterError(
            f"{len(rules.given):,} merges are given, {rules.merges:,} asked for",
            "",
            "ask for at least as many as are given",
        )


def _check_given(units: Units, rules: Rules) -> None:
    """Raise `ParameterError` for given merges of what isn't there."""
    sizes = [1] * len(units.base)
    for k, (left, right) in enumerate(rules.given):
        if not (0 <= left < len(sizes) and 0 <= right < len(sizes)):
            raise ParameterError(
                f"given merge {k + 1} joins the symbols {left} and {right}",
                "",
                f"there are symbols 0 to {len(sizes) - 1} before it",
            )
        sizes.append(sizes[left] + sizes[right])
        if sizes[-1] > rules.longest:
            raise ParameterError(
                f"given merge {k + 1} makes a symbol of {sizes[-1]:,} base symbols",
                "",
                f"{rules.longest:,} are allowed",
            )
