"""How symbols and merge rules are written: one place for bricks, rank line, table and inspector."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.draw.isolate import isolate
from app.draw.merge_rows import Cells
from app.draw.word import Word
from engine.display import hexadecimal, is_text, visible
from engine.pieces import PieceKind
from engine.traces.merges import MergeTrace


class Labels(QObject):
    """Texts for the symbols of one trace."""

    def __init__(self, trace: MergeTrace) -> None:
        super().__init__()
        self._trace = trace
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
        if piece < 0 or self._vocabulary.kind[piece] == PieceKind.UNKNOWN:
            data = self._trace.prepared.data[start:end].tobytes()
            return "?" + visible(data), not is_text(data)
        return self.piece(piece)

    def rule(self, left: int, right: int, plus: str = "+") -> str:
        """Return the text of a rule."""
        return f"{isolate(self.piece(left)[0])}{plus}{isolate(self.piece(right)[0])}"

    def rule_of_step(self, k: int, plus: str = "+") -> str:
        """Return the text of the rule that a step applies."""
        steps = self._trace.steps
        return self.rule(int(steps.left[k]), int(steps.right[k]), plus)

    def pretoken(self, index: int) -> str:
        """Return the text of a pre-token."""
        first, last = self._trace.prepared.cuts[index : index + 2].tolist()
        return visible(self._trace.prepared.data[first:last].tobytes())

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
