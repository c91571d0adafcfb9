"""All pieces of a vocabulary as a table: columns, search and sort over flat arrays.

Made for 260,000 rows: a filter or a sort is one pass over arrays, or over the texts.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from engine.bpe_edges import canonical_pieces
from engine.errors import ParameterError
from engine.model import Model
from engine.pieces import PieceKind
from engine.progress import Report, silent

Column = Literal["id", "text", "bytes", "chars", "script", "kind", "score", "rank", "canonical"]
COLUMNS: tuple[Column, ...] = get_args(Column)

COMMON, MIXED, BROKEN = "Common", "Mixed", "Not UTF-8"
"""Scripts of pieces without letters, with letters of several scripts, and of stray bytes."""

_SCRIPT_NAMES = {"Cjk": "Han", "Ideographic": "Han", "Canadian": "Aboriginal"}
_NO_SCRIPTS = frozenset(
    ("Modifier", "Fullwidth", "Halfwidth", "Mathematical", "Feminine", "Masculine", "Micro")
)
_NO_RANK = np.iinfo(np.int32).max
_COMPARISON = re.compile(r"(len|bytes|chars|id|rank|score)(<=|>=|=|<|>)(-?\d+(?:\.\d+)?)")


@dataclass(frozen=True, eq=False)
class PieceTable:
    """One row a piece, holes left out, in id order. Every array has one value a row.

    ids: int32. texts: the pieces as `Vocabulary.text` writes them; folded: in lower case.
    n_bytes, n_chars: int32.
    script: uint16, an index into `scripts`. kind: uint8, `PieceKind`. score: float64, NaN where
    there is none. rank: int32, the lowest merge that makes the piece, the largest int32 for none.
    canonical: int8, whether merging its own symbols gives a piece back (1 or 0); −1 where another
    rule makes it (`engine.bpe_edges.canonical_pieces`). alphabetic: int32, the row's place among
    all texts by code point, 0 for the first; rows of equal texts share one.
    """

    ids: NDArray[np.int32]
    texts: list[str]
    n_bytes: NDArray[np.int32]
    n_chars: NDArray[np.int32]
    script: NDArray[np.uint16]
    scripts: tuple[str, ...]
    kind: NDArray[np.uint8]
    score: NDArray[np.float64]
    rank: NDArray[np.int32]
    canonical: NDArray[np.int8]
    alphabetic: NDArray[np.int32]
    folded: list[str]
    _orders: dict[tuple[Column, bool], NDArray[np.int64]] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    def row_of(self, piece: int) -> int:
        """Return the row of a piece, -1 where the vocabulary has none of this id."""
        row = int(np.searchsorted(self.ids, piece))
        return row if row < len(self.ids) and self.ids[row] == piece else -1

    def has_rank(self, row: int) -> bool:
        """Return whether a merge makes the piece of this row."""
        return bool(self.rank[row] != _NO_RANK)

    def filter(self, query: str) -> NDArray[np.int64]:
        """Return the rows that match every term of `query`, int64, ascending.

        Terms are separated by blanks: `len>8` (also bytes, chars, id, rank, score; < <= = >= >),
        `script:Hangul`, `kind:byte`, `canonical:no`, `/regular expression/`, anything else is a
        part of the piece (upper and lower case count only when the term has an upper case letter;
        `␣` or a quoted term for blanks). Raises `ParameterError` for a term that can't be read.
        """
        keep = np.ones(len(self), dtype=bool)
        for term in _terms(query):
            keep &= self._matches(term)
        return np.flatnonzero(keep)

    def sort(
        self, rows: NDArray[np.int64], column: Column, descending: bool = False
    ) -> NDArray[np.int64]:
        """Return `rows` ordered by a column; equal values stay in id order, missing ones last."""
        order = self._order(column, descending)
        keep = np.zeros(len(self), dtype=bool)
        keep[rows] = True
        return order[keep[order]]

    def _order(self, column: Column, descending: bool) -> NDArray[np.int64]:
        """Return all rows ordered by a column; made once, then a search only picks from it."""
        if (column, descending) not in self._orders:
            keys = self._keys(column).astype(np.float64)
            if column == "rank":
                keys[keys == _NO_RANK] = np.nan
            elif column == "canonical":
                keys[keys < 0] = np.nan
            # argsort puts NaN last
            order = np.argsort(-keys if descending else keys, kind="stable")
            self._orders[column, descending] = order
        return self._orders[column, descending]

    def containing(self, text: str) -> NDArray[np.int64]:
        """Return the rows whose text has `text` in it, upper and lower case apart, int64."""
        return np.flatnonzero(np.array([text in other for other in self.texts], dtype=bool))

    def _keys(self, column: Column) -> NDArray[np.generic]:
        if column == "script":
            order = np.argsort(np.argsort(np.array(self.scripts)))
            return order[self.script]
        arrays: dict[str, NDArray[np.generic]] = {
            "id": self.ids,
            "text": self.alphabetic,
            "bytes": self.n_bytes,
            "len": self.n_bytes,
            "chars": self.n_chars,
            "kind": self.kind,
            "score": self.score,
            "rank": self.rank,
            "canonical": self.canonical,
        }
        return arrays[column]

    def _matches(self, term: str) -> NDArray[np.bool_]:
        comparison = _COMPARISON.fullmatch(term)
        if comparison:
            name, operator, number = comparison.groups()
            values, bound = self._keys(name), float(number)  # type: ignore[arg-type]
            found = _COMPARE[operator](values.astype(np.float64), bound)
            return found & (values != _NO_RANK) if name == "rank" else found
        name, colon, value = term.partition(":")
        if colon and value and name == "script":
            return self._named(self.script, self.scripts, value, "script")
        if colon and value and name == "kind":
            names = tuple(kind.name.replace("_", "-") for kind in PieceKind)
            return self._named(self.kind, names, value, "kind")
        if colon and value and name == "canonical":
            return self._named(self.canonical, ("no", "yes"), value, "answer to canonical:")
        if len(term) > 2 and term[0] == term[-1] == "/":
            return self._search_regular(term[1:-1])
        if len(term) > 2 and term[0] == term[-1] == '"':
            term = term[1:-1]
        return self._search(term.replace("␣", " "))

    def _named(
        self, values: NDArray[np.generic], names: tuple[str, ...], value: str, what: str
    ) -> NDArray[np.bool_]:
        wanted = [i for i, name in enumerate(names) if name.lower().startswith(value.lower())]
        if not wanted:
            raise ParameterError(f"no piece has the {what} {value!r}", "", f"known: {names}")
        return np.isin(values, wanted)

    def _search(self, term: str) -> NDArray[np.bool_]:
        """Return where the texts contain a term; case counts where it has an upper case letter."""
        texts = self.texts if term != term.lower() else self.folded
        return np.array([term in text for text in texts], dtype=bool)

    def _search_regular(self, expression: str) -> NDArray[np.bool_]:
        try:
            pattern = re.compile(expression, re.MULTILINE)
        except re.error as error:
            raise ParameterError(
                f"the regular expression /{expression}/ can't be read: {error}", "", "correct it"
            ) from None
        search = pattern.search
        return np.array([search(text) is not None for text in self.texts], dtype=bool)


_COMPARE = {
    "<": np.less,
    "<=": np.less_equal,
    "=": np.equal,
    ">=": np.greater_equal,
    ">": np.greater,
}


def _terms(query: str) -> list[str]:
    """Cut a query into terms; blanks inside "…" and /…/ don't separate."""
    return re.findall(r'"[^"]+"|/(?:\\.|[^/])+/|\S+', query)


def piece_table(model: Model, report: Report = silent) -> PieceTable:
    """Return the table of a model's pieces."""
    vocabulary = model.vocabulary
    ids = np.flatnonzero(vocabulary.kind != PieceKind.HOLE).astype(np.int32)
    report(0, 3)
    raw = [vocabulary.joined[a:b] for a, b in _spans(vocabulary.offsets, ids)]
    plain = [piece.decode("utf-8", errors="replace") for piece in raw]
    report(1, 3)
    script, scripts = _scripts(plain)
    broken = np.fromiter(
        ("\ufffd" in text and not _is_utf8(data) for text, data in zip(plain, raw, strict=True)),
        dtype=bool,
        count=len(ids),
    )
    if broken.any():
        script[broken] = len(scripts)
        scripts = (*scripts, BROKEN)
    n_chars = np.fromiter(map(len, plain), dtype=np.int32, count=len(ids))
    report(2, 3)
    texts = plain
    marked = vocabulary.kind[ids] == PieceKind.BYTE
    if vocabulary.continuation is not None:
        marked |= vocabulary.continuation[ids]
    for row in np.flatnonzero(marked).tolist():
        texts[row] = vocabulary.text(int(ids[row]))
    rank = np.full(len(vocabulary), _NO_RANK, dtype=np.int32)
    canonical = np.full(len(vocabulary), -1, dtype=np.int8)
    if model.bpe is not None:
        np.minimum.at(rank, model.bpe.result, model.bpe.rank)
        canonical = canonical_pieces(model.bpe)
    folded = [text.lower() for text in texts]
    report(3, 3)
    return PieceTable(
        ids,
        texts,
        vocabulary.lengths[ids].astype(np.int32),
        n_chars,
        script,
        scripts,
        vocabulary.kind[ids],
        vocabulary.score[ids],
        rank[ids],
        canonical[ids],
        _alphabetic(texts),
        folded,
    )


def _spans(offsets: NDArray[np.int64], ids: NDArray[np.int32]) -> list[tuple[int, int]]:
    return list(zip(offsets[ids].tolist(), offsets[ids + 1].tolist(), strict=True))


_KEY_CHARS, _PER_KEY = 12, 3


def _alphabetic(texts: list[str]) -> NDArray[np.int32]:
    """Return the place of each text among all, by code point, int32[texts]; equal texts share one.

    Sorted as numbers of three code points each: numpy lets other threads run meanwhile, which a
    sort of strings doesn't. Texts alike in their first twelve are then compared as strings.
    """
    n = len(texts)
    lengths = np.fromiter((min(len(t), _KEY_CHARS) for t in texts), dtype=np.int64, count=n)
    heads = "".join(text[:_KEY_CHARS] for text in texts)
    codes = np.frombuffer(heads.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    # One more than the code point, so that the end of a text comes before U+0000.
    grid = np.zeros((n, _KEY_CHARS), dtype=np.uint64)
    grid[np.arange(_KEY_CHARS) < lengths[:, None]] = codes.astype(np.uint64) + np.uint64(1)
    bits = np.uint64(21)
    keys = [
        (grid[:, i] << (bits + bits)) | (grid[:, i + 1] << bits) | grid[:, i + 2]
        for i in range(0, _KEY_CHARS, _PER_KEY)
    ]
    order = np.lexsort(keys[::-1])
    fresh = np.ones(n, dtype=bool)
    if n:
        fresh[1:] = np.any([np.diff(key[order].view(np.int64)) != 0 for key in keys], axis=0)
    starts = np.flatnonzero(fresh)
    ends = np.append(starts[1:], n)
    for start, end in zip(
        starts[ends - starts > 1].tolist(), ends[ends - starts > 1].tolist(), strict=True
    ):
        alike = sorted(order[start:end].tolist(), key=texts.__getitem__)
        order[start:end] = alike
        for i in range(start + 1, end):
            fresh[i] = texts[alike[i - start]] != texts[alike[i - start - 1]]
    places = np.empty(n, dtype=np.int32)
    places[order] = np.cumsum(fresh) - 1
    return places


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _scripts(texts: list[str]) -> tuple[NDArray[np.uint16], tuple[str, ...]]:
    """Return the script of each text and the scripts' names, `COMMON` first, `MIXED` second.

    A letter's script is the first word of its Unicode name, which is what the standard names
    letters after; other characters, and the accents U+02B9 to U+02DF, belong to no script.
    """
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    known, inverse = np.unique(codes, return_inverse=True)
    names: dict[str, int] = {COMMON: 0, MIXED: 1}
    of_code = np.zeros(len(known), dtype=np.uint16)
    for i, code in enumerate(known.tolist()):
        char = chr(code)
        if unicodedata.category(char)[0] == "L" and not 0x2B9 <= code <= 0x2DF:
            word = unicodedata.name(char, COMMON).split()[0].split("-")[0].capitalize()
            name = _SCRIPT_NAMES.get(word, word)
            if name in _NO_SCRIPTS:
                continue
            of_code[i] = names.setdefault(name, len(names))
    script = np.zeros(len(texts), dtype=np.uint16)
    of_char = of_code[inverse]
    filled = np.flatnonzero(lengths)
    if len(filled):
        at = np.concatenate(([0], np.cumsum(lengths)[:-1]))[filled]
        highest = np.maximum.reduceat(of_char, at)
        lowest = np.minimum.reduceat(np.where(of_char == 0, np.uint16(0xFFFF), of_char), at)
        script[filled] = np.where((lowest != 0xFFFF) & (lowest != highest), 1, highest)
    return script, tuple(names)
