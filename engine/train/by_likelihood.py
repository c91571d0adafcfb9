"""Learning merges by likelihood with the kernel: the arrays it works on beside those of counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.errors import TrainingError
from engine.kernels import learn_likelihood as kernel
from engine.progress import Report
from engine.train.compiled import BUDGET, RULE, Work, run_and_watch
from engine.train.merges import LearntMerges, Rules, Watch
from engine.train.units import Units


def learn_by_likelihood(
    units: Units, rules: Rules, report: Report, watch: Watch | None = None
) -> LearntMerges:
    """Do what `engine.train.merges.learn_merges` does for the selection `likelihood`."""
    if units.tokens > kernel.AT_MOST:
        raise TrainingError(
            f"the words have {units.tokens:,} characters",
            "",
            f"give a part of at most {kernel.AT_MOST:,}, or merge by frequency",
        )
    return run_and_watch(_Work(units, rules), units, rules, report, watch)


class _Work(Work):
    """The arrays of one run; `engine.kernels.learn_likelihood` says what each holds."""

    by_pair = (
        "keys", "counts", "heads", "next_left", "next_right", "heap", "spot", "bound", "stack",
        "stale",
    )  # fmt: skip

    def _make_pairs(self, room: int) -> None:
        self.table = np.full(2 * room, -1, dtype=np.int32)
        self.keys = np.empty(room, dtype=np.uint64)
        self.counts = np.empty(room, dtype=np.int64)
        self.bound = np.empty(room, dtype=np.float64)
        for name in ("heads", "next_left", "next_right", "heap", "spot", "stack", "stale"):
            setattr(self, name, np.empty(room, dtype=np.int32))

    next_left: NDArray[np.int32]
    next_right: NDArray[np.int32]
    heap: NDArray[np.int32]
    spot: NDArray[np.int32]
    stack: NDArray[np.int32]
    stale: NDArray[np.int32]

    def _begin(self) -> None:
        """Put the pairs of base symbols into the heap."""
        most = self.base + self.limit
        inside = self.slots >= 0
        weights = self.weights[inside].astype(np.float64)  # Sums below 2⁵³ are exact.
        found = np.bincount(self.slots[inside], weights, minlength=most + 1)
        self.total = found.astype(np.int64)
        self.floor = self.total - (self.total >> kernel.SLACK)
        self.left_lists = np.full(most + 1, -1, dtype=np.int32)
        self.right_lists = np.full(most + 1, -1, dtype=np.int32)
        self.found = np.empty(4, dtype=np.int64)
        self.no_places = np.zeros(1, dtype=np.int64)
        kernel.enter(
            0, self.rules.least, self.keys, self.counts, self.heads, self.floor, self.left_lists,
            self.right_lists, self.next_left, self.next_right, self.heap, self.spot, self.bound,
            self.state,
        )  # fmt: skip

    def _learn(self) -> int:
        rules = self.rules
        why = kernel.learn(
            rules.least, self.limit, BUDGET, RULE[rules.tie_break], rules.longest,
            rules.veto is not None, self.slots, self.weights, self.table, self.keys, self.counts,
            self.heads, self.places, self.links, self.text, self.at, self.size, self.no_places,
            self.total, self.floor, self.left_lists, self.right_lists, self.next_left,
            self.next_right, self.heap, self.spot, self.bound, self.stack, self.stale, self.found,
            self.log, self.state,
        )  # fmt: skip
        return int(why)
