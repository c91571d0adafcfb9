"""How symbols, rules and tries are written: one place for bricks, ranks, tables and inspector."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.draw.isolate import isolate
from app.draw.merge_rows import Cells
from app.draw.word import Word
from engine.display import hexadecimal, is_text, visible
from engine.pieces import PieceKind
from engine.traces.longest import LongestTrace
from engine.traces.merges import MergeTrace

LONG, HEAD, TAIL = 48, 28, 14
"""Characters of a piece that a sentence repeats; of a longer one its head and its tail."""

WHOLE = 2_000
"""Bytes of a word up to which all of it is written; where it stands there is room for less."""

UNKNOWN = int(PieceKind.UNKNOWN)


def in_short(text: str) -> str:
    """Return a piece as a sentence names it."""
    return text if len(text) <= LONG else f"{text[:HEAD]}…{text[-TAIL:]}"


def _opening(data: bytes, place: int) -> int:
    """Return where the character begins that a place in UTF-8 is in."""
    while place > 0 and data[place] & 0xC0 == 0x80:
        place -= 1
    return place


def _shown(data: bytes) -> str:
    """Return a word for the eye, of a long one its head and its tail."""
    if len(data) <= WHOLE:
        return visible(data)
    head, tail = _opening(data, WHOLE // 2), _opening(data, len(data) - WHOLE // 4)
    return f"{visible(data[:head])}…{visible(data[tail:])}"


class Labels(QObject):
    """Texts for the symbols of one trace."""

    def __init__(self, trace: MergeTrace | LongestTrace) -> None:
        super().__init__()
        self._trace, self._prepared = trace, trace.prepared
        self._vocabulary = trace.model.vocabulary
        self._pieces: dict[int, tuple[str, bool]] = {}

    def piece(self, piece: int) -> tuple[str, bool]:
        """Return the text of a piece for the eye, and whether it is a fragment of characters."""
        known = self._pieces.get(piece)
        if known is not None:
            return known
        vocabulary = self._vocabulary
        data = vocabulary.bytes(piece)
        if vocabulary.kind[piece] == PieceKind.BYTE:
            shown = hexadecimal(data), True
        elif is_text(data):
            shown = visible(data), False
        else:
            shown = visible(data), True
        self._pieces[piece] = shown
        return shown

    def symbol(self, piece: int, start: int, end: int) -> tuple[str, bool]:
        """Return the text of a symbol over the bytes start … end, and whether it is a fragment."""
        if piece < 0 or self._vocabulary.kind[piece] == UNKNOWN:
            data = self._prepared.data[start:end].tobytes()
            return "?" + visible(data), not is_text(data)
        return self.piece(piece)

    def rule(self, left: int, right: int, plus: str = "+") -> str:
        """Return the text of a rule."""
        return f"{isolate(self.piece(left)[0])}{plus}{isolate(self.piece(right)[0])}"

    def rule_of_step(self, k: int, plus: str = "+") -> str:
        """Return the text of the rule that a step applies."""
        assert isinstance(self._trace, MergeTrace)
        steps = self._trace.steps
        return self.rule(int(steps.left[k]), int(steps.right[k]), plus)

    def pretoken(self, index: int) -> str:
        """Return the text of a pre-token, of a long one its head and its tail."""
        first, last = self._prepared.cuts[index : index + 2].tolist()
        return _shown(self._prepared.data[first:last].tobytes())

    def looked_up(self, start: int, end: int, word: int) -> str:
        """Return what WordPiece looks up for the bytes start … end of a word that starts at `word`.

        Inside a word it is written with the mark of continuations.
        """
        shown = _shown(self._prepared.data[start:end].tobytes())
        return f"{self._vocabulary.mark}{shown}" if start > word else shown

    def tried(self, k: int) -> str:
        """Return what step k of WordPiece looks up."""
        trace = self._trace
        assert isinstance(trace, LongestTrace)
        event = trace.event(k)
        return self.looked_up(event.start, event.end, int(self._prepared.cuts[event.pretoken]))

    def written(self, piece: int, *, inside: bool) -> tuple[str, bool]:
        """Return a token of WordPiece as its vocabulary writes it, and whether it is a fragment."""
        shown, fragment = self.piece(piece)
        return (f"{self._vocabulary.mark}{shown}" if inside else shown), fragment

    def describe(self, word: Word, item: tuple[Cells, ...], row: int) -> str:
        """Say what a brick or a joint is, in a line or two."""
        low, high = item[0][0], item[-1][1]
        shown = word.row(row, low, high)
        if len(shown.piece) < len(item):
            return ""
        if len(item) == 1:
            piece = int(shown.piece[0])
            text, _ = self.symbol(piece, int(shown.start[0]), int(shown.end[0]))
            data = word.trace.prepared.data[int(shown.start[0]) : int(shown.end[0])].tobytes()
            return self.tr("{text}: token id {id}\nbytes {bytes}").format(
                text=text, id=piece, bytes=hexadecimal(data)
            )
        rule = self.rule(int(shown.piece[0]), int(shown.piece[1]))
        if shown.rank[0] < 0:
            return self.tr("{rule}: no merge rule").format(rule=rule)
        return self.tr("{rule}: rank {rank}").format(rule=rule, rank=f"{int(shown.rank[0]):,}")
