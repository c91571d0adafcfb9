"""Which scripts of a text this system has no font for, and the package that brings them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QTextLayout

SAMPLES = 6
"""Characters of a script that are tried."""

LIMIT = 20_000
"""Characters of a text that are looked at."""

CJK, EMOJI, CORE = "fonts-noto-cjk", "fonts-noto-color-emoji", "fonts-noto-core"

# First and last code point of blocks, and the name of their script. The ranges need not be
# complete: whatever isn't named here counts as "other" and is tried all the same.
_BLOCKS: tuple[tuple[int, int, str, str], ...] = (
    (0x0000, 0x024F, "Latin", CORE),
    (0x0370, 0x03FF, "Greek", CORE),
    (0x0400, 0x052F, "Cyrillic", CORE),
    (0x0530, 0x058F, "Armenian", CORE),
    (0x0590, 0x05FF, "Hebrew", CORE),
    (0x0600, 0x06FF, "Arabic", CORE),
    (0x0900, 0x097F, "Devanagari", CORE),
    (0x0980, 0x09FF, "Bengali", CORE),
    (0x0A00, 0x0A7F, "Gurmukhi", CORE),
    (0x0A80, 0x0AFF, "Gujarati", CORE),
    (0x0B00, 0x0B7F, "Odia", CORE),
    (0x0B80, 0x0BFF, "Tamil", CORE),
    (0x0C00, 0x0C7F, "Telugu", CORE),
    (0x0C80, 0x0CFF, "Kannada", CORE),
    (0x0D00, 0x0D7F, "Malayalam", CORE),
    (0x0D80, 0x0DFF, "Sinhala", CORE),
    (0x0E00, 0x0E7F, "Thai", CORE),
    (0x0E80, 0x0EFF, "Lao", CORE),
    (0x0F00, 0x0FFF, "Tibetan", CORE),
    (0x1000, 0x109F, "Burmese", CORE),
    (0x10A0, 0x10FF, "Georgian", CORE),
    (0x1100, 0x11FF, "Hangul", CJK),
    (0x1200, 0x139F, "Ethiopic", CORE),
    (0x13A0, 0x13FF, "Cherokee", CORE),
    (0x1400, 0x167F, "Canadian syllabics", CORE),
    (0x1780, 0x17FF, "Khmer", CORE),
    (0x1800, 0x18AF, "Mongolian", CORE),
    (0x2E80, 0x303F, "Han", CJK),
    (0x3040, 0x30FF, "Kana", CJK),
    (0x3130, 0x318F, "Hangul", CJK),
    (0x3400, 0x9FFF, "Han", CJK),
    (0xAC00, 0xD7AF, "Hangul", CJK),
    (0xF900, 0xFAFF, "Han", CJK),
    (0x1F000, 0x1FAFF, "Emoji", EMOJI),
    (0x20000, 0x3FFFF, "Han", CJK),
)


def scripts_of(text: str) -> dict[tuple[str, str], list[str]]:
    """Return the (script, package) pairs of a text, each with a few of its characters."""
    found: dict[tuple[str, str], list[str]] = {}
    for char in dict.fromkeys(text[:LIMIT]):
        code = ord(char)
        if code < 0x250 or not char.isprintable() or char.isspace():
            continue
        for first, last, script, package in _BLOCKS:
            if first <= code <= last:
                samples = found.setdefault((script, package), [])
                if len(samples) < SAMPLES:
                    samples.append(char)
                break
    return found


def shown(char: str, font: QFont) -> bool:
    """Whether some installed font has a glyph for a character: it is shaped, as on the screen."""
    layout = QTextLayout(char, font)
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    runs = layout.glyphRuns()
    return bool(runs) and all(0 not in run.glyphIndexes() for run in runs)


class FontWatch(QObject):
    """Looks through texts for scripts that can't be shown, one script at a time.

    Each script is tried once. It counts as missing when most of the characters tried have no
    glyph: a single rare character isn't worth a word.
    """

    missing_changed = Signal()

    def __init__(self, font: QFont, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._font = font
        self._tried: set[str] = set()
        self._waiting: list[tuple[str, str, list[str]]] = []
        self.missing: dict[str, tuple[str, ...]] = {}
        """Package → scripts that it would bring."""
        # Finding a fallback font for the first time takes milliseconds: one script a turn.
        self._timer = QTimer(self, interval=20)
        self._timer.timeout.connect(self._try_one)

    def look(self, texts: Iterable[str]) -> None:
        """Try the scripts of texts that weren't tried yet."""
        for text in texts:
            for (script, package), samples in scripts_of(text).items():
                if script not in self._tried:
                    self._tried.add(script)
                    self._waiting.append((script, package, samples))
        if self._waiting and not self._timer.isActive():
            self._timer.start()

    def _try_one(self) -> None:
        if not self._waiting:
            self._timer.stop()
            return
        script, package, samples = self._waiting.pop(0)
        absent = sum(not shown(char, self._font) for char in samples)
        if 2 * absent > len(samples):
            self.missing[package] = (*self.missing.get(package, ()), script)
            self.missing_changed.emit()


class FontsAhead(QObject):
    """Has fonts for the scripts of texts found before they are painted.

    The first text of a script takes some milliseconds, in each font and size. A picture that meets
    ten scripts for the first time would stand still; here each gets a turn of the event loop.
    """

    def __init__(self, fonts: Sequence[QFont], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._metrics = [QFontMetricsF(font) for font in fonts]
        self._known: set[str] = set()
        self._waiting: list[tuple[QFontMetricsF, str]] = []
        self._timer = QTimer(self, interval=10)
        self._timer.timeout.connect(self._find_one)

    def look(self, text: str) -> None:
        """Find fonts for what scripts of a text are new."""
        found = {script: samples[0] for (script, _), samples in scripts_of(_few(text)).items()}
        for script, sample in {"Latin": "0", **found}.items():
            if script not in self._known:
                self._known.add(script)
                self._waiting += [(metrics, sample) for metrics in self._metrics]
        if self._waiting and not self._timer.isActive():
            self._timer.start()

    @property
    def busy(self) -> bool:
        """Whether fonts are still to be found."""
        return bool(self._waiting)

    def _find_one(self) -> None:
        metrics, sample = self._waiting.pop(0)
        metrics.horizontalAdvance(sample)
        if not self._waiting:
            self._timer.stop()


def _few(text: str) -> str:
    """Return a few characters of a text, of each 128 neighbours in Unicode that it has one."""
    import numpy as np  # not by the window's first picture

    codes = np.frombuffer(text.encode("utf-32-le", errors="surrogatepass"), dtype=np.uint32)
    place = np.full(0x110000 >> 7, -1)
    place[codes >> 7] = np.arange(len(codes))
    return "".join(text[i] for i in place[place >= 0].tolist())
