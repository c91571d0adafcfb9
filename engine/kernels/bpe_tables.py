"""The flat arrays that the BPE kernels work on, made once for a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.kernels.bpe import (
    NO_RANK,
    SCAN_LIMIT,
    USER,
    WHOLE,
    Merging,
    Pairs,
    build_pairs,
    encode,
    end_symbols,
    merge_heap,
)
from engine.kernels.bpe_linear import (
    ALONE,
    CACHE_BITS,
    FIELDS,
    TIME,
    TOKEN,
    encode_linear,
    find_halves,
    find_shorter,
)
from engine.kernels.build_trie import Keys, build_trie
from engine.kernels.trie import ZERO, Ints, Longs
from engine.pieces import PieceKind

if TYPE_CHECKING:
    from engine.bpe import Bpe


class BpeTables:
    """The arrays of one BPE model.

    trie: all pieces that may match. base, byte_pieces, flags, leads, pairs, bits, apart: as in
    `engine.kernels.bpe.Merging`. linear: what `encode_linear` reads, None where it isn't exact.
    """

    def __init__(self, bpe: Bpe) -> None:
        self.bpe = bpe
        self.trie = build_trie(Keys.matching(bpe.vocabulary), bpe.alphabet)
        self.base = self._base()
        none = np.empty(0, dtype=np.int32)
        given = none if bpe.byte_pieces is None else bpe.byte_pieces
        self.byte_pieces = np.require(given, np.int32, ("C", "W"))
        self.flags = np.zeros(max(1, len(bpe.vocabulary)), dtype=np.uint8)
        self.leads = np.zeros(self.trie.n_symbols, dtype=np.uint8)
        if bpe.rule == "concatenation":
            for piece in np.flatnonzero(bpe.vocabulary.kind == PieceKind.USER_DEFINED).tolist():
                symbols = self.trie.symbols(bpe.vocabulary.bytes(piece))
                if len(symbols):
                    self.leads[symbols[0]] = 1
                    self.flags[piece] = USER
        self._hash_rows()
        own = self._own_pieces()
        self._flag_whole(own)
        self.linear = self._linear(own)

    def _base(self) -> Ints:
        """Return the piece of each symbol, by its place in a pre-token."""
        bpe, trie = self.bpe, self.trie
        if not (bpe.prefix or bpe.suffix):
            return np.tile(trie.lone, 4)
        if trie.by_char:
            codes = np.flatnonzero(trie.table)
            spelled = {int(trie.table[c]): chr(c).encode() for c in codes.tolist()}
        else:
            spelled = {i: bytes((i,)) for i in range(256)}
        base = np.full((4, trie.n_symbols), -1, dtype=np.int32)
        prefix, suffix = bpe.prefix.encode(), bpe.suffix.encode()
        for row in range(4):
            before, after = prefix if row & 1 else b"", suffix if row & 2 else b""
            for symbol, data in spelled.items():
                base[row, symbol] = bpe.base.get(before + data + after, -1)
        return base.reshape(-1)

    def _hash_rows(self) -> None:
        """Make the hash table, and with it the neighbours of first symbols inside pieces."""
        bpe, vocabulary = self.bpe, self.bpe.vocabulary
        left, right, result, rank = bpe.rows
        keys, values = _packed(left, right), _packed(rank, result)
        size = max(1, len(vocabulary))
        first, last = np.full(size, -1, dtype=np.int32), np.full(size, -1, dtype=np.int32)
        joined = end_symbols(
            np.require(vocabulary.data, np.uint8, ("C", "W")),
            np.require(vocabulary.offsets, np.int64, ("C", "W")),
            left,
            right,
            result,
            self.trie.table,
            self.trie.by_char,
            self.base,
            int(vocabulary.lengths.max(initial=0)),
            first,
            last,
        )
        # Symbols that don't spell their piece (unknown ones, bytes) could join against the rule.
        odd = vocabulary.kind == PieceKind.BYTE
        if bpe.unknown >= 0:
            odd[bpe.unknown] = True
        self.apart = bool(
            joined and not (bpe.prefix or bpe.suffix) and not (odd[left].any() or odd[right].any())
        )
        if self.apart:
            beside = (last[left] >= 0) & (first[right] >= 0)
            inner = np.unique(_packed(last[left][beside], first[right][beside]))
            keys = np.concatenate((keys, inner))
            values = np.concatenate((values, np.full(len(inner), NO_RANK << 32, dtype=np.uint64)))
        self.pairs, self.bits = build_pairs(keys, values)

    def _own_pieces(self) -> NDArray[np.bool_]:
        """Return the pieces that merging their own bytes gives, bool[pieces]."""
        bpe = self.bpe
        own = np.zeros(max(1, len(bpe.vocabulary)), dtype=np.bool_)
        # Names stand behind the pieces, and their bytes aren't those of the vocabulary.
        listed = Keys.matching(bpe.vocabulary).ids.astype(np.int64)
        pieces = listed[: len(listed) - len(bpe.vocabulary.names)]
        if bpe.prefix or bpe.suffix or not len(pieces):
            return own
        data = np.require(bpe.vocabulary.data, np.uint8, ("C", "W"))
        starts, ends = bpe.vocabulary.offsets[pieces], bpe.vocabulary.offsets[pieces + 1]
        lengths = ends - starts
        total = int(lengths.sum())
        ids = np.empty(total, dtype=np.int32)
        at, to = np.empty(total, dtype=np.int64), np.empty(total, dtype=np.int64)
        count = self.encode(data, starts, ends, int(lengths.max()), ids, at, to)
        # A token that spans a whole piece is its only one, and pieces start at different bytes.
        place = np.searchsorted(starts, at[:count], side="right") - 1
        alone = (at[:count] == starts[place]) & (to[:count] == ends[place])
        own[pieces[place[alone & (ids[:count] == pieces[place])]]] = True
        return own

    def _flag_whole(self, own: NDArray[np.bool_]) -> None:
        """Flag the pieces that a pre-token spelled like them comes out as."""
        if self.bpe.ignore_merges:
            self.flags[Keys.matching(self.bpe.vocabulary).ids] |= WHOLE
        else:
            self.flags[own] |= WHOLE

    def _linear(self, own: NDArray[np.bool_]) -> tuple[Ints, Ints, Pairs] | None:
        """Return what `encode_linear` reads (units, tokens, cache), None where it isn't exact.

        It is where every byte is a token, every token that merging can give is made later than
        its halves, and nothing but those tokens comes out.
        """
        bpe, trie, vocabulary = self.bpe, self.trie, self.bpe.vocabulary
        plain = self.apart and not trie.by_char and bpe.rule != "concatenation"
        if not plain or len(self.byte_pieces) or (trie.lone[:256] < 0).any():
            return None
        left, right, result, rank = bpe.rows
        tokens = np.zeros(FIELDS * len(own), dtype=np.int32)
        tokens[TIME::FIELDS] = -1
        known = np.zeros(len(own), dtype=np.uint8)
        known[trie.lone[:256]] = 1
        order = np.argsort(rank, kind="stable").astype(np.int64)
        find_halves(order, left, right, result, rank, self.pairs, self.bits, tokens, known)
        if not np.array_equal(known.astype(np.bool_), own):
            return None
        units = trie.units.copy()
        ends = np.flatnonzero(trie.ids >= 0)
        pieces = trie.ids[ends]
        units[TOKEN::4], units[ALONE::4] = -1, -1
        units[4 * ends + TOKEN] = np.where(own[pieces], pieces, -1)
        units[4 * ends + ALONE] = np.where(self.flags[pieces] & WHOLE, pieces, -1)
        data = np.require(vocabulary.data, np.uint8, ("C", "W"))
        offsets = np.require(vocabulary.offsets, np.int64, ("C", "W"))
        find_shorter(data, offsets, known, units, tokens)
        return units, tokens, np.zeros(1 << CACHE_BITS, dtype=np.uint64)

    @property
    def _merging(self) -> Merging:
        trie = self.trie
        return Merging(
            trie.table,
            trie.by_char,
            trie.units,
            trie.ids,
            self.flags,
            self.leads,
            self.base,
            self.pairs,
            self.bits,
            self.apart,
            self.bpe.unknown,
            self.bpe.fuse_unknown,
            self.byte_pieces,
        )

    def segment(
        self,
        data: NDArray[np.uint8],
        starts: Longs,
        ends: Longs,
        longest: int,
        ids: Ints,
        at: Longs,
        to: Longs,
    ) -> int:
        """Do what `encode` does, without merging where that is exact."""
        if self.linear is None:
            return self.encode(data, starts, ends, longest, ids, at, to)
        units, tokens, cache = self.linear
        count = int(
            encode_linear(
                data,
                starts,
                ends,
                units,
                tokens,
                self.pairs,
                self.bits,
                cache,
                longest,
                ids,
                at,
                to,
            )
        )
        # Where no token leads on: merging has an answer for every text.
        return count if count >= 0 else self.encode(data, starts, ends, longest, ids, at, to)

    def encode(
        self,
        data: NDArray[np.uint8],
        starts: Longs,
        ends: Longs,
        longest: int,
        ids: Ints,
        at: Longs,
        to: Longs,
    ) -> int:
        """Write the tokens of pre-tokens to ids, at (starts) and to (ends); return their number.

        By merging.
        """
        return int(
            encode(
                data,
                starts,
                ends,
                self._merging,
                SCAN_LIMIT,
                longest,
                ids,
                at,
                to,
            )
        )

    def draw_dropping(
        self,
        data: NDArray[np.uint8],
        starts: Longs,
        ends: Longs,
        longest: int,
        rule: int,
        p: float,
        keys: NDArray[np.uint64],
        ids: Ints,
        at: Longs,
        to: Longs,
        bounds: Longs,
    ) -> None:
        """Do what `encode` does with merges dropped, once for each key of `keys`.

        See `engine.kernels.drop_draws`.
        """
        from engine.kernels.drop_draws import draw_dropping

        model = self._merging
        draw_dropping(
            data, starts, ends, model, SCAN_LIMIT, longest, rule, p, keys, ids, at, to, bounds
        )

    def merge_steps(self, symbols: list[int]) -> Longs:
        """Return the merges of a pre-token's symbols, int64[merges, 7]; see `merge_heap`."""
        n = len(symbols)
        left = np.array(symbols, dtype=np.int32)
        before, after = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
        heap = np.empty(3 * n + 1, dtype=np.int64)
        steps = np.empty(7 * n + 7, dtype=np.int32)
        done = merge_heap(left, ZERO, n, before, after, heap, self.pairs, self.bits, steps)
        return steps[: 7 * done].reshape(-1, 7).astype(np.int64)


def _packed(high: Ints, low: Ints) -> NDArray[np.uint64]:
    return high.astype(np.uint64) << np.uint64(32) | low.astype(np.uint64)
