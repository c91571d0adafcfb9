"""Learning merges by the kernel: the arrays it works on, and room for them as it goes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import TrainingError
from engine.kernels import learn as kernel
from engine.kernels import tie_heap
from engine.progress import Report
from engine.train.merges import TIE_BREAKS, LearntMerges, Rules, Watch
from engine.train.plain import from_rows
from engine.train.units import Units

BUDGET = 2_000_000
"""Occurrences that are replaced between two reports: a tenth of a second or so."""

MOST_SLOTS = 1_600_000_000
"""Slots whose occurrences, a quarter more, can be numbered in 32 bits."""
LOOKS = 64
"""A watcher sees what is learnt after at least a 64th more."""

RULE = {
    "lexicographic-smallest": tie_heap.SMALLEST,
    "lexicographic-largest": tie_heap.LARGEST,
    "lowest-ids": tie_heap.LOWEST,
    "shortest-then-smallest": tie_heap.SHORTEST,
    "first-seen": tie_heap.FIRST,
}
assert set(RULE) == set(TIE_BREAKS)


def learn_compiled(
    units: Units, rules: Rules, report: Report, watch: Watch | None = None
) -> LearntMerges:
    """Do what `engine.train.merges.learn_merges` does."""
    return run_and_watch(Work(units, rules), units, rules, report, watch)


def run_and_watch(
    work: Work, units: Units, rules: Rules, report: Report, watch: Watch | None
) -> LearntMerges:
    """Learn to the end, and show the watcher now and then what is learnt so far."""
    shown = 0

    def seen(done: int, total: int) -> None:
        nonlocal shown
        report(done, total)
        # A veto has the kernel come back at every merge; what is learnt isn't copied each time.
        if watch is not None and shown + done // LOOKS < done < total:
            shown = done
            watch(from_rows(units, rules, work.rows(), "under way"))

    work.run(seen)
    rows = work.rows()
    return from_rows(units, rules, rows, "size" if len(rows) == rules.merges else "count")


class Work:
    """The arrays of one run; `engine.kernels.learn` says what each holds."""

    by_pair: tuple[str, ...] = (
        "keys", "counts", "heads", "seen", "queue_counts", "queue", "level"
    )  # fmt: skip
    """Arrays with an entry for each pair, which grow together."""

    def __init__(self, units: Units, rules: Rules) -> None:
        self.rules, self.base = rules, len(units.base)
        self.slots, self.weights = _slots(units)
        size = len(self.slots)
        self.state = np.zeros(15, dtype=np.int64)
        for field, value in (
            (kernel.FREE, -1), (kernel.LEVEL_COUNT, -1), (kernel.ASKED, -1), (kernel.ANSWER, -1),
            (kernel.TOKENS, units.tokens), (kernel.SYMBOLS, self.base),
        ):  # fmt: skip
            self.state[field] = value
        self.places = np.empty(size + size // 4 + 64, dtype=np.int32)
        self.links = np.empty_like(self.places)
        room = 1 << max(12, min(18, (2 * size).bit_length()))
        while True:
            self._make_pairs(room)
            if kernel.count_pairs(
                self.slots, self.weights, self.table, self.keys, self.counts, self.heads,
                self.places, self.links, self.state,
            ):  # fmt: skip
                break
            room *= 4
        # Each merge takes at least one symbol off some word.
        self.limit = min(rules.merges, len(units.symbols) + len(rules.given))
        most = self.base + self.limit
        self.size = np.ones(most + 1, dtype=np.int32)
        self.at = np.zeros(most + 2, dtype=np.int64)
        np.cumsum([len(symbol) for symbol in units.base], out=self.at[1 : self.base + 1])
        joined = b"".join(units.base)
        self.text = np.zeros(2 * len(joined) + 64 * self.limit + 1024, dtype=np.uint8)
        self.text[: len(joined)] = np.frombuffer(joined, dtype=np.uint8)
        self.log = np.zeros(8 * max(self.limit, 1), dtype=np.int64)
        packed = [left << 32 | right for left, right in rules.given]
        self.given = np.array(packed, dtype=np.uint64)
        count = int(self.state[kernel.PAIRS])
        self._bar(count)
        self._begin()

    def _begin(self) -> None:
        """Put the pairs of base symbols into the queue."""
        rules, count = self.rules, int(self.state[kernel.PAIRS])
        able = np.flatnonzero((self.counts[:count] >= rules.least) & (self.heads[:count] >= 0))
        # Sorted from the highest count down, the queue is a heap.
        able = able[np.argsort(-self.counts[able], kind="stable")]
        self.queue[: len(able)] = able
        self.queue_counts[: len(able)] = self.counts[able]
        self.state[kernel.QUEUED] = len(able)

    def _make_pairs(self, room: int) -> None:
        self.table = np.full(2 * room, -1, dtype=np.int32)
        self.keys = np.empty(room, dtype=np.uint64)
        self.counts = np.empty(room, dtype=np.int64)
        self.heads = np.empty(room, dtype=np.int32)
        self.seen = np.empty(room, dtype=np.int64)
        self.queue_counts = np.empty(room, dtype=np.int64)
        self.queue = np.empty(room, dtype=np.int32)
        self.level = np.empty(room, dtype=np.int32)

    def _bar(self, count: int) -> None:
        """Bar pairs of base symbols where even two are too many."""
        if self.rules.longest < 2:
            self.heads[:count] = kernel.BARRED

    def _widen(self) -> None:
        """Give room for what the next merge lacks."""
        lacking = int(self.state[kernel.LACKING])
        if lacking & kernel.FEW_NODES:
            self.places = _longer(self.places, len(self.places) * 3 // 2 + 1024)
            self.links = _longer(self.links, len(self.places))
        if lacking & kernel.FEW_BYTES:
            self.text = _longer(self.text, 2 * len(self.text))
        room = len(self.keys) * (2 if lacking & kernel.FEW_PAIRS else 1)
        if room > 1 << 30 or len(self.places) > MOST_SLOTS:
            raise TrainingError(
                "the corpus has too many different words for memory", "", "give a smaller part"
            )
        if room == len(self.keys):
            return
        count = int(self.state[kernel.PAIRS])
        for name in self.by_pair:
            setattr(self, name, _longer(getattr(self, name), room))
        self.table = np.full(2 * room, -1, dtype=np.int32)
        kernel.fill_table(self.table, self.keys, count)

    def rows(self) -> NDArray[np.int64]:
        """Return the log of what is learnt, int64[m, 8]."""
        return self.log[: 8 * int(self.state[kernel.MERGES])].reshape(-1, 8)

    def run(self, report: Report) -> None:
        """Learn to the end."""
        rules, state = self.rules, self.state
        veto = rules.veto
        while True:
            report(int(state[kernel.MERGES]), rules.merges)
            why = self._learn()
            if why == kernel.DONE:
                report(rules.merges, rules.merges)
                return
            if why == kernel.ROOM:
                self._widen()
            elif why == kernel.ASK:
                assert veto is not None
                key = int(self.keys[state[kernel.ASKED]])
                parts = (self._bytes(key >> 32), self._bytes(key & 0xFFFFFFFF))
                state[kernel.ANSWER] = 0 if veto(*parts) else 1

    def run_to(self, merges: int) -> None:
        """Do given merges until there are so many."""
        self.limit = merges
        while self._learn() != kernel.DONE:
            if self.state[kernel.LACKING]:
                self._widen()

    def pairs(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return the pairs, left << 32 | right, and their counts; some may have gone."""
        count = int(self.state[kernel.PAIRS])
        return self.keys[:count], self.counts[:count]

    def _learn(self) -> int:
        """Learn for a while; return why the kernel came back."""
        rules = self.rules
        why = kernel.learn(
            rules.least, self.limit, BUDGET, RULE[rules.tie_break], rules.longest,
            rules.veto is not None, self.slots, self.weights, self.table, self.keys, self.counts,
            self.heads, self.places, self.links, self.seen, self.text, self.at, self.size,
            self.queue_counts, self.queue, self.level, self.given, self.log, self.state,
        )  # fmt: skip
        return int(why)

    def _bytes(self, symbol: int) -> bytes:
        return self.text[self.at[symbol] : self.at[symbol + 1]].tobytes()


def _slots(units: Units) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the slots and their weights: every word between two boundaries."""
    lengths = np.diff(units.offsets)
    size = len(units.symbols) + len(units) + 1
    if size > MOST_SLOTS:
        raise TrainingError(
            f"the corpus has {size:,} symbols in different words", "", "give a smaller part"
        )
    slots = np.full(size, kernel.BOUNDARY, dtype=np.int32)
    weights = np.zeros(size, dtype=np.int32)
    inside = np.ones(size, dtype=np.bool_)
    inside[np.concatenate(([0], np.cumsum(lengths + 1)))] = False
    slots[inside] = units.symbols
    weights[inside] = np.repeat(units.counts, lengths)
    return slots, weights


def _longer(array: NDArray[Any], size: int) -> NDArray[Any]:
    longer = np.empty(size, dtype=array.dtype)
    longer[: len(array)] = array
    return longer


def pairs_after(
    units: Units, rules: Rules, report: Report
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Do what `engine.train.plain.pairs_after` does."""
    work = Work(units, rules)
    work.run(report)
    return work.pairs()


def pair_states(
    units: Units, rules: Rules, report: Report
) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.int64]]]:
    """Do what `engine.train.plain.pair_states` does; the arrays hold until the next state."""
    work, steps = Work(units, rules), len(rules.given)
    for step in range(steps):
        report(step, steps)
        yield work.pairs()
        work.run_to(step + 1)
    report(steps, steps)
