"""How bytes are shown to a person: whitespace visible, stray bytes as hexadecimal digits."""

from __future__ import annotations

import unicodedata

SPACE, TAB, NEWLINE, RETURN = "␣", "→", "↵", "␍"
_MARKS = {" ": SPACE, "\t": TAB, "\n": NEWLINE, "\r": RETURN}


def visible(data: bytes) -> str:
    """Return `data` for the eye: UTF-8 text with whitespace marks, stray bytes as `E4 BD`.

    Control and format characters are shown as `U+200D`, a lone combining mark stands on ◌.
    """
    out: list[str] = []
    stray: list[str] = []

    def flush() -> None:
        if stray:
            out.append(" ".join(stray))
            stray.clear()

    for char in data.decode("utf-8", errors="surrogateescape"):
        code = ord(char)
        if 0xDC80 <= code <= 0xDCFF:
            stray.append(f"{code - 0xDC00:02X}")
            continue
        flush()
        if char in _MARKS:
            out.append(_MARKS[char])
        elif unicodedata.category(char) in ("Cc", "Cf", "Zs", "Zl", "Zp"):
            # A joiner inside a cluster belongs to the cluster (emoji families, conjuncts).
            inside = code in (0x200C, 0x200D) and bool(out)
            out.append(char if inside else f"U+{code:04X}")
        elif not out and unicodedata.category(char).startswith("M"):
            out.append("◌" + char)
        else:
            out.append(char)
    flush()
    return "".join(out)


def hexadecimal(data: bytes) -> str:
    """Return `data` as two digits a byte: `E4 BD A0`."""
    return data.hex(" ").upper()
