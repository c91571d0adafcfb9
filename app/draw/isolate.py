"""Pieces of any script inside a line that runs from left to right."""

from __future__ import annotations

from app.draw.bidi import has_right_to_left

FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"


def isolate(text: str) -> str:
    """Return a piece so that it keeps its own direction and leaves that of its line alone.

    Only text with right-to-left characters is changed (UAX 9, FSI … PDI).
    """
    if not has_right_to_left(text):
        return text
    return f"{FIRST_STRONG_ISOLATE}{text}{POP_ISOLATE}"
