"""A text as given, with the maps between its four ways of counting.

Inside the engine a position is a byte offset into the UTF-8 text. People, libraries and Qt count
code points, graphemes or UTF-16 units; `Text` owns the maps and is the only place that converts.

The maps are made when they are first asked for. NumPy is imported no sooner: the window has a
text before it needs arrays.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal

from engine.errors import TextError

if TYPE_CHECKING:
    import numpy as np
    import regex
    from numpy.typing import NDArray

    Offsets = NDArray[np.int32]

Unit = Literal["byte", "char", "grapheme", "utf16"]


@lru_cache(maxsize=1)
def _clusters() -> regex.Pattern[str]:
    r"""Return a pattern that takes a run of lone code points, or else one grapheme as group 1.

    Most code points break before and after them (Grapheme_Cluster_Break is Other). Between two
    such there is always a bound, so only what stands beside another one is for \X.
    """
    import regex

    return regex.compile(r"(?:\p{GCB=Other}(?!\P{GCB=Other}))++|(\X)")


class Text:
    """An immutable text. `string` is the text as given, `encoded` its UTF-8 bytes.

    Positions of every unit run from 0 to its count, both included, and stand between units.
    Raises `TextError` for a lone surrogate, which no UTF-8 text can hold.
    """

    def __init__(self, string: str) -> None:
        try:
            encoded = string.encode("utf-8")
        except UnicodeEncodeError as error:
            raise TextError(
                f"the text holds the lone surrogate U+{ord(string[error.start]):04X}",
                f"character {error.start}",
                "remove it or replace it by U+FFFD",
            ) from None
        self.string = string
        self.encoded = encoded

    @classmethod
    def from_bytes(cls, encoded: bytes, where: str = "") -> Text:
        """Read UTF-8 bytes; nothing is stripped. `where` names their source in the error."""
        try:
            return cls(encoded.decode("utf-8"))
        except UnicodeDecodeError as error:
            line = encoded.count(b"\n", 0, error.start) + 1
            place = f"byte {error.start} (line {line}), value 0x{encoded[error.start]:02X}"
            raise TextError(
                "the text isn't valid UTF-8",
                f"{where}: {place}" if where else place,
                "save it as UTF-8 or remove the byte",
            ) from None

    def __len__(self) -> int:
        return len(self.encoded)

    @cached_property
    def data(self) -> NDArray[np.uint8]:
        """The UTF-8 bytes, uint8[n_bytes]."""
        import numpy as np

        return np.frombuffer(self.encoded, dtype=np.uint8)

    @property
    def n_bytes(self) -> int:
        """Number of bytes in UTF-8."""
        return len(self.encoded)

    @property
    def n_chars(self) -> int:
        """Number of code points."""
        return len(self.string)

    @property
    def n_graphemes(self) -> int:
        """Number of extended grapheme clusters."""
        return self.n_bytes if self.plain else len(self.grapheme_bounds) - 1

    @property
    def n_utf16(self) -> int:
        """Number of UTF-16 code units."""
        return int(self.bounds_utf16[-1])

    @cached_property
    def char_bounds(self) -> Offsets:
        """Byte offset at which each code point starts, and the end: int32[n_chars + 1]."""
        import numpy as np

        starts = np.flatnonzero((self.data & 0xC0) != 0x80)
        return np.append(starts, self.n_bytes).astype(np.int32)

    @property
    def plain(self) -> bool:
        """Whether each byte is a grapheme."""
        return self.string.isascii() and "\r" not in self.string

    @cached_property
    def grapheme_bounds(self) -> Offsets:
        r"""Byte offset at which each grapheme starts, and the end: int32[n_graphemes + 1].

        Extended grapheme clusters of UAX 29, as the `regex` library's \X finds them.
        """
        import numpy as np

        if self.plain:
            return np.arange(self.n_bytes + 1, dtype=np.int32)
        inside: list[int] = []
        for match in _clusters().finditer(self.string):
            if match.lastindex and match.end() - match.start() > 1:
                inside += range(match.start() + 1, match.end())
        return np.delete(self.char_bounds, inside) if inside else self.char_bounds

    @cached_property
    def bounds_utf16(self) -> Offsets:
        """UTF-16 offset of every code point and of the end: int32[n_chars + 1]."""
        import numpy as np

        units = np.ones(self.n_chars, dtype=np.int32)
        units[self.data[self.char_bounds[:-1]] >= 0xF0] = 2
        return np.concatenate(([0], np.cumsum(units))).astype(np.int32)

    def bounds(self, unit: Unit) -> Offsets:
        """Return the byte offset of every position of `unit`, int32[count + 1], ascending.

        For UTF-16 the position inside a surrogate pair has the byte offset of the pair's start.
        """
        import numpy as np

        if unit == "byte":
            return np.arange(self.n_bytes + 1, dtype=np.int32)
        if unit == "char":
            return self.char_bounds
        if unit == "grapheme":
            return self.grapheme_bounds
        bounds = np.zeros(self.n_utf16 + 1, dtype=np.int32)
        bounds[self.bounds_utf16] = self.char_bounds
        return np.maximum.accumulate(bounds)

    def position(self, unit: Unit, byte: int, *, up: bool = False) -> int:
        """Return the position of `unit` at byte offset `byte`.

        Inside a unit it is the unit's start, or with `up` its end: the start and the end of a
        span converted with False and True touch every unit that the span touches. Raises
        `IndexError` outside of 0 … n_bytes.
        """
        if not 0 <= byte <= self.n_bytes:
            raise IndexError(f"byte offset {byte} is outside 0 … {self.n_bytes}")
        if unit == "byte":
            return byte
        if unit == "utf16":
            return int(self.bounds_utf16[self.position("char", byte, up=up)])
        import numpy as np

        bounds = self.bounds(unit)
        if up:
            return int(np.searchsorted(bounds, byte, side="left"))
        return int(np.searchsorted(bounds, byte, side="right")) - 1

    def byte(self, unit: Unit, position: int) -> int:
        """Return the byte offset of position `position` of `unit`.

        Raises `IndexError` outside of 0 … the count of units.
        """
        bounds = self.bounds(unit)
        if not 0 <= position < len(bounds):
            raise IndexError(f"{unit} position {position} is outside 0 … {len(bounds) - 1}")
        return int(bounds[position])

    def slice(self, start: int, end: int) -> str:
        """Return the characters that the byte span [start, end) touches.

        Raises `IndexError` for a byte outside of 0 … n_bytes.
        """
        first, last = self.position("char", start), self.position("char", end, up=True)
        return self.string[first:last]

    def head(self, limit: int) -> Text:
        """Return the text up to the last grapheme that ends within `limit` bytes.

        The rest of a long text isn't looked at.
        """
        if self.n_bytes <= limit:
            return self
        # A little more than wanted, so that the grapheme at the limit is seen whole.
        rough = Text(self.encoded[: limit + 256].decode("utf-8", errors="ignore"))
        return Text(rough.slice(0, rough.byte("grapheme", rough.position("grapheme", limit))))

    def __repr__(self) -> str:
        shown = self.string if self.n_chars <= 40 else self.string[:39] + "…"
        return f"Text({shown!r}, {self.n_chars} chars, {self.n_bytes} bytes)"
