"""Learning BPE merges: the most frequent pair of neighbouring symbols merges, over and over.

Sennrich, Haddow & Birch, "Neural Machine Translation of Rare Words with Subword Units" (ACL 2016).
Counts are kept up to date and never made anew: a merge changes only the counts of the pairs beside
it. The highest count never rises, so all pairs of that count lie in a heap of their own, the
`level`: it is the tie set, and only in it is the tie rule asked.

Words lie end to end in slots, one a base symbol, with BOUNDARY before, between and after them. A
symbol stands in its first slot; where it takes several, its last slot holds minus their number, so
that both neighbours are found without links. All state is in arrays that the caller keeps, so that
learning can stop after any merge, and the caller can give more room. Twin: `engine.train.plain`.
"""

from __future__ import annotations

import numpy as np

from engine.kernels.jit import kernel
from engine.kernels.tie_heap import (
    FIRST,
    HALF,
    LOW,
    Keys,
    pop_level,
    pop_queue,
    push_level,
    push_queue,
)
from engine.kernels.trie import ZERO, Bytes, Int, Ints, Longs, u

BOUNDARY = np.int32(-0x80000000)
DEAD = np.int32(-0x7FFFFFFF)
"""What slots hold that no symbol begins in: between words, and inside a symbol."""

(PAIRS, NODES, FREE, FREE_NODES, QUEUED, LEVEL, LEVEL_SIZE, LEVEL_COUNT, TOKENS, SYMBOLS, MERGES,
 ASKED, ANSWER, GIVEN, LACKING) = range(15)  # fmt: skip
"""Fields of the state: pairs known; occurrences ever stored, the first free one and how many are;
entries of the queue and of the level's heap; the pairs that do have the level's count, and that
count; tokens of the corpus; symbols; merges; the pair whose merge waits for a word, and that word
(1 yes, 0 no, -1 none); merges given beforehand that are done; what there is no room for."""

BARRED = -2
"""The head of a pair that may not merge: its occurrences aren't kept."""

FEW_PAIRS, FEW_NODES, FEW_BYTES = 1, 2, 4

DONE, MORE, ROOM, ASK = range(4)
"""Why `learn` returns: it is at its end, its budget is used up, the arrays are too small for the
next merge, or somebody has to say whether that merge may be."""

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@kernel
def find(table: Ints, keys: Keys, key: np.uint64) -> Int:
    """Return the pair of a key, or minus the free place in the table, minus 1.

    table: int32[2^k], pairs by hash, -1 for none. keys: uint64, left symbol << 32 | right one.
    """
    mask = np.uint64(table.size - 1)
    place = key * GOLDEN
    place = (place ^ place >> HALF) & mask
    while True:
        pair: Int = ZERO + table[u(place)]
        if pair < 0:
            return ZERO - 1 - np.int64(place)
        if keys[u(pair)] == key:
            return pair
        place = (place + np.uint64(1)) & mask


@kernel
def fill_table(table: Ints, keys: Keys, count: Int) -> None:
    """Enter the first `count` pairs into an empty table."""
    for pair in range(count):
        place = find(table, keys, keys[u(pair)])
        table[u(-1 - place)] = pair


@kernel
def count_pairs(slots: Ints, weights: Ints, table: Ints, keys: Keys, counts: Longs, heads: Ints,
                places: Ints, links: Ints, state: Longs) -> bool:  # fmt: skip
    """Find all pairs of neighbours with their counts and occurrences; False where room is short.

    slots: int32, base symbols. weights: int32, how often the word of each slot occurs. keys,
    counts, heads: room for pairs. places, links: room for as many occurrences as there are slots;
    those of a pair form a list that begins at its head, from left to right, -1 at its end.
    """
    pairs = ZERO
    nodes = ZERO
    for i in range(slots.size - 2, 0, -1):
        left, right = slots[u(i)], slots[u(i + 1)]
        if left < 0 or right < 0:
            continue
        key = np.uint64(left) << HALF | np.uint64(right)
        pair = find(table, keys, key)
        if pair < 0:
            if pairs == keys.size or 2 * pairs > table.size:
                return False
            table[u(-1 - pair)] = pairs
            pair = pairs
            pairs += 1
            keys[u(pair)] = key
            counts[u(pair)] = 0
            heads[u(pair)] = -1
        counts[u(pair)] += weights[u(i)]
        places[u(nodes)] = i
        links[u(nodes)] = heads[u(pair)]
        heads[u(pair)] = nodes
        nodes += 1
    state[u(PAIRS)] = pairs
    state[u(NODES)] = nodes
    return True


@kernel
def first_place(pair: Int, keys: Keys, heads: Ints, places: Ints, links: Ints, slots: Ints,
                size: Ints) -> Int:  # fmt: skip
    """Return the first slot where a pair stands now."""
    left, right = np.int32(keys[u(pair)] >> HALF), np.int32(keys[u(pair)] & LOW)
    first = ZERO + 0x7FFFFFFF
    node = ZERO + heads[u(pair)]
    while node >= 0:
        i = ZERO + places[u(node)]
        if i < first and slots[u(i)] == left and slots[u(i + size[u(left)])] == right:
            first = i
        node = ZERO + links[u(node)]
    return first


@kernel
def settle(least: Int, rule: Int, keys: Keys, counts: Longs, heads: Ints, places: Ints,
           links: Ints, slots: Ints, seen: Longs, text: Bytes, at: Longs, size: Ints,
           queue_counts: Longs, queue: Ints, level: Ints, state: Longs) -> Int:  # fmt: skip
    """Bring the pair to merge next to the top of the level; return it, -1 where there is none.

    A pair whose count fell since it was put somewhere goes back to the queue with what it has.
    """
    while True:
        length = state[u(LEVEL)]
        while length > 0:
            pair: Int = ZERO + level[u(0)]
            if counts[u(pair)] == state[u(LEVEL_COUNT)]:
                state[u(LEVEL)] = length
                return pair
            pop_level(level, length, rule, keys, seen, text, at, size)
            length -= 1
            if counts[u(pair)] >= least:
                push_queue(queue_counts, queue, state[u(QUEUED)], counts[u(pair)], pair)
                state[u(QUEUED)] += 1
        state[u(LEVEL)] = 0
        state[u(LEVEL_SIZE)] = 0
        # The next level: all pairs of the highest count.
        found = False
        while state[u(QUEUED)] > 0:
            count, pair = ZERO + queue_counts[u(0)], ZERO + queue[u(0)]
            if found and count < state[u(LEVEL_COUNT)]:
                break
            pop_queue(queue_counts, queue, state[u(QUEUED)])
            state[u(QUEUED)] -= 1
            if counts[u(pair)] != count:
                if counts[u(pair)] >= least:
                    push_queue(queue_counts, queue, state[u(QUEUED)], counts[u(pair)], pair)
                    state[u(QUEUED)] += 1
                continue
            if not found:
                found = True
                state[u(LEVEL_COUNT)] = count
            if rule == FIRST:
                seen[u(pair)] = first_place(pair, keys, heads, places, links, slots, size)
            push_level(level, state[u(LEVEL)], pair, rule, keys, seen, text, at, size)
            state[u(LEVEL)] += 1
            state[u(LEVEL_SIZE)] += 1
        if not found:
            state[u(LEVEL_COUNT)] = -1
            return ZERO - 1


@kernel
def lower(key: np.uint64, weight: Int, before: Int, table: Ints, keys: Keys, counts: Longs,
          heads: Ints, state: Longs) -> None:  # fmt: skip
    """Take occurrences off a pair. before: the pairs that were known before this merge."""
    pair = find(table, keys, key)
    old = pair < before and heads[u(pair)] != BARRED
    if old and counts[u(pair)] == state[u(LEVEL_COUNT)]:
        state[u(LEVEL_SIZE)] -= 1
    counts[u(pair)] -= weight


@kernel
def add(key: np.uint64, weight: Int, place: Int, fits: bool, table: Ints, keys: Keys,
        counts: Longs, heads: Ints, places: Ints, links: Ints, state: Longs) -> None:  # fmt: skip
    """Count an occurrence of a pair that this merge makes. fits: it may merge, by its length."""
    pair = find(table, keys, key)
    if pair < 0:
        new = state[u(PAIRS)]
        table[u(-1 - pair)] = new
        pair = ZERO + new
        state[u(PAIRS)] = new + 1
        keys[u(pair)] = key
        counts[u(pair)] = 0
        heads[u(pair)] = -1 if fits else BARRED
    counts[u(pair)] += weight
    if heads[u(pair)] == BARRED:
        return
    node = ZERO + state[u(FREE)]
    if node >= 0:
        state[u(FREE)] = links[u(node)]
        state[u(FREE_NODES)] -= 1
    else:
        node = ZERO + state[u(NODES)]
        state[u(NODES)] = node + 1
    places[u(node)] = place
    links[u(node)] = heads[u(pair)]
    heads[u(pair)] = node


@kernel
def replace(pair: Int, new: Int, longest: Int, slots: Ints, weights: Ints, table: Ints,
            keys: Keys, counts: Longs, heads: Ints, places: Ints, links: Ints, size: Ints,
            state: Longs) -> Int:  # fmt: skip
    """Put symbol `new` in the place of a pair wherever it stands; return how often it was listed.

    In a run of one symbol the pairs overlap; they are taken from its left end.
    """
    left, right = np.int32(keys[u(pair)] >> HALF), np.int32(keys[u(pair)] & LOW)
    wide_left, wide_right = ZERO + size[u(left)], ZERO + size[u(right)]
    wide = wide_left + wide_right
    before = ZERO + state[u(PAIRS)]
    listed = ZERO
    node = ZERO + heads[u(pair)]
    # While it goes, its count passes others: it is of no level.
    heads[u(pair)] = BARRED
    while node >= 0:
        i = ZERO + places[u(node)]
        listed += 1
        following = ZERO + links[u(node)]
        links[u(node)] = state[u(FREE)]
        state[u(FREE)] = node
        state[u(FREE_NODES)] += 1
        node = following
        if left == right and slots[u(i)] == left:
            while True:
                earlier = i - wide_left
                last = ZERO + slots[u(i - 1)]
                if (last != left or wide_left > 1) and last != -wide_left:
                    break
                if slots[u(earlier)] != left:
                    break
                i = earlier
        while slots[u(i)] == left and slots[u(i + wide_left)] == right:
            j = i + wide_left
            k = j + wide_right
            weight = ZERO + weights[u(i)]
            state[u(TOKENS)] -= weight
            counts[u(pair)] -= weight
            slots[u(j)] = DEAD
            slots[u(i)] = new
            slots[u(i + wide - 1)] = -wide
            last = ZERO + slots[u(i - 1)]
            if last != BOUNDARY:
                at = i - 1 if last >= 0 else i + last
                beside = np.uint64(slots[u(at)]) << HALF
                fits = size[u(slots[u(at)])] + wide <= longest
                lower(beside | np.uint64(left), weight, before, table, keys, counts, heads, state)
                add(beside | np.uint64(new), weight, at, fits, table, keys, counts, heads, places,
                    links, state)  # fmt: skip
            beside_right = slots[u(k)]
            if beside_right >= 0:
                beside = np.uint64(beside_right)
                fits = size[u(beside_right)] + wide <= longest
                lower(np.uint64(right) << HALF | beside, weight, before, table, keys, counts,
                      heads, state)  # fmt: skip
                add(np.uint64(new) << HALF | beside, weight, i, fits, table, keys, counts, heads,
                    places, links, state)  # fmt: skip
            if left != right:
                break
            i = k
    heads[u(pair)] = -1
    return listed


@kernel
def lacks(pair: Int, left: Int, right: Int, keys: Keys, table: Ints, heads: Ints, places: Ints,
          links: Ints, text: Bytes, at: Longs, state: Longs) -> bool:  # fmt: skip
    """Return whether a merge needs more room than there is; what, is in the state then.

    pair: the one that merges, -1 where it stands nowhere. left, right: its symbols.
    """
    new = ZERO + state[u(SYMBOLS)]
    listed = ZERO
    if pair >= 0:
        node = ZERO + heads[u(pair)]
        while node >= 0:
            listed += 1
            node = ZERO + links[u(node)]
    pairs = state[u(PAIRS)] + min(2 * listed, 2 * new + 2)
    nodes = state[u(NODES)] + max(ZERO, listed - state[u(FREE_NODES)])
    bytes_of_pair = at[u(left + 1)] - at[u(left)] + at[u(right + 1)] - at[u(right)]
    lacking = ZERO
    if pairs > keys.size or 2 * pairs > table.size:
        lacking |= FEW_PAIRS
    if nodes > places.size:
        lacking |= FEW_NODES
    if at[u(new)] + bytes_of_pair > text.size:
        lacking |= FEW_BYTES
    state[u(LACKING)] = lacking
    return bool(lacking != 0)


@kernel
def make_symbol(left: Int, right: Int, text: Bytes, at: Longs, size: Ints,
                state: Longs) -> None:  # fmt: skip
    """Add the symbol that two make: its bytes and its slots."""
    new = ZERO + state[u(SYMBOLS)]
    write = ZERO + at[u(new)]
    for part in (left, right):
        for i in range(at[u(part)], at[u(part + 1)]):
            text[u(write)] = text[u(i)]
            write += 1
    at[u(new + 1)] = write
    size[u(new)] = size[u(left)] + size[u(right)]
    state[u(SYMBOLS)] = new + 1


@kernel
def learn(least: Int, limit: Int, budget: Int, rule: Int, longest: Int, asks: bool, slots: Ints,
          weights: Ints, table: Ints, keys: Keys, counts: Longs, heads: Ints, places: Ints,
          links: Ints, seen: Longs, text: Bytes, at: Longs, size: Ints, queue_counts: Longs,
          queue: Ints, level: Ints, given: Keys, log: Longs, state: Longs) -> Int:  # fmt: skip
    """Learn merges until there are `limit`, or `budget` occurrences were replaced; return why.

    least: the lowest count of a pair that merges. longest: slots of the longest symbol. given:
    uint64, pairs to merge first, in order. log: int64[8 · merges], eight a merge: left, right,
    count, pairs of that count, left, right and count of the pair that would come next (-1 where
    there is none), tokens after it.
    """
    while state[u(MERGES)] < limit:
        if budget <= 0:
            return ZERO + MORE
        forced = state[u(GIVEN)] < given.size
        key = np.uint64(0)
        if forced:
            key = given[u(state[u(GIVEN)])]
            pair = find(table, keys, key)
        else:
            pair = settle(least, rule, keys, counts, heads, places, links, slots, seen, text, at,
                          size, queue_counts, queue, level, state)  # fmt: skip
            if pair < 0:
                return ZERO + DONE
            key = keys[u(pair)]
            if asks and (state[u(ASKED)] != pair or state[u(ANSWER)] < 0):
                state[u(ASKED)] = pair
                state[u(ANSWER)] = -1
                return ZERO + ASK
        left, right = np.int64(key >> HALF), np.int64(key & LOW)
        new = ZERO + state[u(SYMBOLS)]
        if lacks(pair, left, right, keys, table, heads, places, links, text, at, state):
            return ZERO + ROOM
        ties = ZERO + state[u(LEVEL_SIZE)]
        count = ZERO
        if pair >= 0:
            count = ZERO + counts[u(pair)]
            if heads[u(pair)] != BARRED and count == state[u(LEVEL_COUNT)]:
                state[u(LEVEL_SIZE)] -= 1
        if not forced:
            pop_level(level, state[u(LEVEL)], rule, keys, seen, text, at, size)
            state[u(LEVEL)] -= 1
            if asks:
                state[u(ASKED)] = -1
                if state[u(ANSWER)] == 0:
                    heads[u(pair)] = BARRED
                    continue
        entry = 8 * state[u(MERGES)]
        rival = ZERO - 1
        if forced:
            state[u(GIVEN)] += 1
            ties = ZERO
        else:
            rival = settle(least, rule, keys, counts, heads, places, links, slots, seen, text, at,
                           size, queue_counts, queue, level, state)  # fmt: skip
        log[u(entry)] = left
        log[u(entry + 1)] = right
        log[u(entry + 2)] = count
        log[u(entry + 3)] = ties
        log[u(entry + 4)] = -1 if rival < 0 else np.int64(keys[u(rival)] >> HALF)
        log[u(entry + 5)] = -1 if rival < 0 else np.int64(keys[u(rival)] & LOW)
        log[u(entry + 6)] = -1 if rival < 0 else counts[u(rival)]
        make_symbol(left, right, text, at, size, state)
        before = ZERO + state[u(PAIRS)]
        if pair >= 0:
            budget -= replace(pair, new, longest, slots, weights, table, keys, counts, heads,
                              places, links, size, state)  # fmt: skip
            counts[u(pair)] = 0
        log[u(entry + 7)] = state[u(TOKENS)]
        state[u(MERGES)] += 1
        highest = ZERO
        for fresh in range(before, state[u(PAIRS)]):
            if heads[u(fresh)] != BARRED:
                highest = max(highest, ZERO + counts[u(fresh)])
        if highest > state[u(LEVEL_COUNT)]:
            # The runner-up was looked for too early: its level isn't the next one.
            for i in range(state[u(LEVEL)]):
                loser = ZERO + level[u(i)]
                if counts[u(loser)] >= least:
                    push_queue(queue_counts, queue, state[u(QUEUED)], counts[u(loser)], loser)
                    state[u(QUEUED)] += 1
            state[u(LEVEL)] = 0
            state[u(LEVEL_SIZE)] = 0
            state[u(LEVEL_COUNT)] = -1
        for fresh in range(before, state[u(PAIRS)]):
            have = ZERO + counts[u(fresh)]
            if heads[u(fresh)] == BARRED or have < least:
                continue
            if have == state[u(LEVEL_COUNT)] and state[u(LEVEL)] > 0:
                if rule == FIRST:
                    seen[u(fresh)] = first_place(fresh, keys, heads, places, links, slots, size)
                push_level(level, state[u(LEVEL)], fresh, rule, keys, seen, text, at, size)
                state[u(LEVEL)] += 1
                state[u(LEVEL_SIZE)] += 1
            else:
                push_queue(queue_counts, queue, state[u(QUEUED)], have, fresh)
                state[u(QUEUED)] += 1
    return ZERO + DONE
