"""A number with what it counts: one token, two tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QCoreApplication

if TYPE_CHECKING:

    def QT_TRANSLATE_NOOP(context: str, text: str) -> str:
        """Mark a text for translation; Qt's own stub says that it returns an object."""
else:
    from PySide6.QtCore import QT_TRANSLATE_NOOP

CONTEXT = "Counts"

Counted = Literal[
    "token", "grapheme", "byte", "character", "edge", "piece", "language", "segmentation", "draw",
    "merge", "model", "warning", "pre-token", "stretch", "space",
    "special token", "word", "line", "time", "base symbol", "other pair", "longer piece",
    "symbol", "step",
]  # fmt: skip

_WORDS: dict[str, tuple[str, str]] = {
    "token": (QT_TRANSLATE_NOOP("Counts", "{n} token"), QT_TRANSLATE_NOOP("Counts", "{n} tokens")),
    "grapheme": (
        QT_TRANSLATE_NOOP("Counts", "{n} grapheme"),
        QT_TRANSLATE_NOOP("Counts", "{n} graphemes"),
    ),
    "byte": (QT_TRANSLATE_NOOP("Counts", "{n} byte"), QT_TRANSLATE_NOOP("Counts", "{n} bytes")),
    "character": (
        QT_TRANSLATE_NOOP("Counts", "{n} character"),
        QT_TRANSLATE_NOOP("Counts", "{n} characters"),
    ),
    "edge": (QT_TRANSLATE_NOOP("Counts", "{n} edge"), QT_TRANSLATE_NOOP("Counts", "{n} edges")),
    "piece": (QT_TRANSLATE_NOOP("Counts", "{n} piece"), QT_TRANSLATE_NOOP("Counts", "{n} pieces")),
    "language": (
        QT_TRANSLATE_NOOP("Counts", "{n} language"),
        QT_TRANSLATE_NOOP("Counts", "{n} languages"),
    ),
    "segmentation": (
        QT_TRANSLATE_NOOP("Counts", "{n} segmentation"),
        QT_TRANSLATE_NOOP("Counts", "{n} segmentations"),
    ),
    "draw": (QT_TRANSLATE_NOOP("Counts", "{n} draw"), QT_TRANSLATE_NOOP("Counts", "{n} draws")),
    "merge": (QT_TRANSLATE_NOOP("Counts", "{n} merge"), QT_TRANSLATE_NOOP("Counts", "{n} merges")),
    "model": (QT_TRANSLATE_NOOP("Counts", "{n} model"), QT_TRANSLATE_NOOP("Counts", "{n} models")),
    "warning": (
        QT_TRANSLATE_NOOP("Counts", "{n} warning"),
        QT_TRANSLATE_NOOP("Counts", "{n} warnings"),
    ),
    "pre-token": (
        QT_TRANSLATE_NOOP("Counts", "{n} pre-token"),
        QT_TRANSLATE_NOOP("Counts", "{n} pre-tokens"),
    ),
    "stretch": (
        QT_TRANSLATE_NOOP("Counts", "{n} stretch"),
        QT_TRANSLATE_NOOP("Counts", "{n} stretches"),
    ),
    "space": (QT_TRANSLATE_NOOP("Counts", "{n} space"), QT_TRANSLATE_NOOP("Counts", "{n} spaces")),
    "special token": (
        QT_TRANSLATE_NOOP("Counts", "{n} special token"),
        QT_TRANSLATE_NOOP("Counts", "{n} special tokens"),
    ),
    "word": (QT_TRANSLATE_NOOP("Counts", "{n} word"), QT_TRANSLATE_NOOP("Counts", "{n} words")),
    "line": (QT_TRANSLATE_NOOP("Counts", "{n} line"), QT_TRANSLATE_NOOP("Counts", "{n} lines")),
    "time": (QT_TRANSLATE_NOOP("Counts", "{n} time"), QT_TRANSLATE_NOOP("Counts", "{n} times")),
    "symbol": (
        QT_TRANSLATE_NOOP("Counts", "{n} symbol"),
        QT_TRANSLATE_NOOP("Counts", "{n} symbols"),
    ),
    "step": (QT_TRANSLATE_NOOP("Counts", "{n} step"), QT_TRANSLATE_NOOP("Counts", "{n} steps")),
    "base symbol": (
        QT_TRANSLATE_NOOP("Counts", "{n} base symbol"),
        QT_TRANSLATE_NOOP("Counts", "{n} base symbols"),
    ),
    "longer piece": (
        QT_TRANSLATE_NOOP("Counts", "{n} longer piece"),
        QT_TRANSLATE_NOOP("Counts", "{n} longer pieces"),
    ),
    "other pair": (
        QT_TRANSLATE_NOOP("Counts", "{n} other pair"),
        QT_TRANSLATE_NOOP("Counts", "{n} other pairs"),
    ),
}


def counted(n: int, what: Counted) -> str:
    """Return a number and the word for what it counts, in the person's language."""
    one, many = _WORDS[what]
    words = QCoreApplication.translate(CONTEXT, one if n == 1 else many)
    return words.format(n=f"{n:,}")
