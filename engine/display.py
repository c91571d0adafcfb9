"""How bytes are shown to a person: whitespace visible, stray bytes as hexadecimal digits."""

from __future__ import annotations

import unicodedata

SPACE, TAB, NEWLINE, RETURN = "␣", "→", "↵", "␍"
_MARKS = {" ": SPACE, "\t": TAB, "\n": NEWLINE, "\r": RETURN}

_CONTROLS = {
    "\0": "NULL", "\t": "TAB", "\n": "LINE FEED", "\v": "LINE TABULATION", "\f": "FORM FEED",
    "\r": "CARRIAGE RETURN", "\x1b": "ESCAPE", "\x7f": "DELETE", "\x85": "NEXT LINE",
}  # fmt: skip

_UNSEEN = frozenset(("Cc", "Cf", "Zs", "Zl", "Zp"))
"""Categories of characters without a glyph of their own."""

_NUMBER_SIGNS = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
"""Format characters that do have a glyph (Prepended_Concatenation_Mark)."""


def visible(data: bytes) -> str:
    """Return `data` for the eye: UTF-8 text with whitespace marks, stray bytes as `E4 BD`.

    Control and format characters are shown as `U+200D`, except where they join what stands on
    both sides (emoji families, conjuncts). A combining mark without its base stands on ◌.
    """
    out: list[str] = []
    stray: list[str] = []
    # Whether a mark that follows has a base to stand on.
    based = False
    text = data.decode("utf-8", errors="surrogateescape")
    for i, char in enumerate(text):
        code = ord(char)
        if 0xDC80 <= code <= 0xDCFF:
            stray.append(f"{code - 0xDC00:02X}")
            based = False
            continue
        if stray:
            out.append(" ".join(stray))
            stray.clear()
        category = unicodedata.category(char)
        if char in _MARKS:
            out.append(_MARKS[char])
            based = False
        elif category in _UNSEEN and char not in _NUMBER_SIGNS:
            joined = based and _joins(code, text[i + 1 : i + 2])
            out.append(char if joined else f"U+{code:04X}")
            based = joined
        elif category.startswith("M") and not based:
            out.append("◌" + char)
            based = True
        else:
            out.append(char)
            based = True
    if stray:
        out.append(" ".join(stray))
    return "".join(out)


def unseen(data: bytes) -> list[str]:
    """Return code point and Unicode name of the characters in `data` that have no glyph, each once.

    As `U+200B ZERO WIDTH SPACE`; control characters have no name there, so they have the one of
    ISO 6429 (`U+0009 TAB`, `U+000A LINE FEED` …) where that is well known.
    """
    text = data.decode("utf-8", errors="ignore")
    found = []
    for char in dict.fromkeys(text):
        if unicodedata.category(char) in _UNSEEN and char not in _NUMBER_SIGNS:
            name = unicodedata.name(char, "") or _CONTROLS.get(char, "CONTROL CHARACTER")
            found.append(f"U+{ord(char):04X} {name}")
    return found


def _joins(code: int, following: str) -> bool:
    """Whether a format character after a base is a part of its cluster."""
    if 0xE0020 <= code <= 0xE007F:
        # Tags of a flag.
        return True
    if code not in (0x200C, 0x200D) or not following or following in _MARKS:
        return False
    stray = 0xDC80 <= ord(following) <= 0xDCFF
    return not stray and unicodedata.category(following) not in _UNSEEN


def is_text(data: bytes) -> bool:
    """Tell whether bytes are whole characters in UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def plain(data: bytes) -> str:
    """Return `data` to be copied: its characters as they are; `E4 BD` where it isn't UTF-8."""
    return data.decode("utf-8") if is_text(data) else hexadecimal(data)


def hexadecimal(data: bytes) -> str:
    """Return `data` as two digits a byte: `E4 BD A0`."""
    return data.hex(" ").upper()
