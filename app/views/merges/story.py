"""What a step does, in a sentence for a person who doesn't know BPE."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.counts import counted
from app.draw.merge_labels import Labels, in_short
from app.draw.word import Row, Word
from app.widgets.report import code
from engine.display import is_text
from engine.merge_rules import MergeRule, own_rule
from engine.merge_tree import word_mark
from engine.trace import MergeStep


class Story(QObject):
    """Tells the steps of a word; holds nothing but the labels of a trace.

    rule: which two symbols may merge; None for the model's own rule.
    """

    def __init__(self, labels: Labels, rule: MergeRule | None = None) -> None:
        super().__init__()
        self._labels, self._rule = labels, rule

    def sentence(self, word: Word, row: int, event: MergeStep | None) -> str:
        """Return what leads to row `row`; pieces stand as `code` marks them.

        event: the step that leads to it, None where nothing merges; at the start none is needed.
        """
        if event is None:
            return self._still(word)
        if row == 0:
            return " ".join(
                part for part in (self._start(word), self._mark(word), self._next(word)) if part
            )
        told = self._merge(event)
        return f"{told} {self._end(word)}" if row == word.n_steps else told

    def _still(self, word: Word) -> str:
        if word.symbols == 1:
            text = self.tr("{word} is one token from the start: there is nothing to join.")
        else:
            text = self.tr("{word}: no rule joins any two neighbours, so each brick is a token.")
        return text.format(word=code(in_short(self._labels.pretoken(word.pretoken))))

    def _start(self, word: Word) -> str:
        data = word.trace.prepared.data[slice(*word.span)].tobytes()
        shown = code(in_short(self._labels.pretoken(word.pretoken)))
        if word.symbols == len(data) and is_text(data) and not data.isascii():
            characters = len(data.decode())
            text = self.tr(
                "{word} starts as its {bytes}: a character outside ASCII is several bytes, and "
                "each hatched brick is a part of one."
            )
            if characters == 1:
                text = self.tr(
                    "{word} is one character, but {bytes} for the computer. Each hatched brick is "
                    "one of them, a part of the character."
                )
            return text.format(word=shown, bytes=counted(len(data), "byte"))
        text = self.tr("{word} starts as {symbols}.")
        return text.format(word=shown, symbols=counted(word.symbols, "symbol"))

    def _mark(self, word: Word) -> str:
        """Say what keeps the word's boundary."""
        bpe = word.trace.model.bpe
        data = word.trace.prepared.data[slice(*word.span)].tobytes()
        found = None if bpe is None else word_mark(bpe, data)
        if found is None:
            return ""
        mark, where = found
        if where == "after":
            text = self.tr("{mark} says that the word ends here.")
        else:
            text = self.tr("{mark} is the space before it.")
        return text.format(mark=code(mark))

    def _next(self, word: Word) -> str:
        bpe = word.trace.model.bpe
        own = "listed" if bpe is None else own_rule(bpe)
        # A rank file and scores have one rank for each piece, whatever rule they are read by.
        kind = (self._rule or own) if own == "listed" else own
        text = {
            "listed": self.tr(
                "A number between two of them is the rank of their rule: its place in the model's "
                "list, counted from 0. The lowest number goes first: {rule}."
            ),
            "joined": self.tr(
                "A number between two of them is the rank of the text that they make together. "
                "The lowest number goes first: {rule}."
            ),
            "vocabulary": self.tr(
                "A number between two of them is the rank of the piece that they make, among all "
                "pieces of the model. The lowest number goes first: {rule}."
            ),
        }[kind]
        return text.format(rule=code(self._labels.rule_of_step(word.steps.start, " + ")))

    def _merge(self, event: MergeStep) -> str:
        labels = self._labels
        (left, left_part), (right, right_part) = labels.piece(event.left), labels.piece(event.right)
        result, part = labels.piece(event.result)
        rivals = len(event.rivals) + event.left_out
        if left_part and right_part:
            text = self.tr("The bytes {left} and {right} join: rank {rank} is the lowest here.")
            if not rivals:
                text = self.tr(
                    "The bytes {left} and {right} join: only their rule fits. It has rank {rank}."
                )
        else:
            text = self.tr("{left} and {right} join: rank {rank} is the lowest here.")
            if not rivals:
                text = self.tr("{left} and {right} join: only their rule fits. It has rank {rank}.")
        told = text.format(
            left=code(in_short(left)), right=code(in_short(right)), rank=f"{event.rank:,}"
        )
        if (left_part or right_part) and not part:
            told += " " + self.tr("The bytes now spell {result}.").format(
                result=code(in_short(result))
            )
        elif part:
            told += " " + self.tr("The result is still not a whole character.")
        blocked = next((rival for rival in event.rivals if rival.blocked), None)
        if blocked is not None:
            shared = event.left if blocked.end == event.middle else event.right
            told += " " + self.tr("That uses up {symbol}, so {rule} can't happen any more.").format(
                symbol=code(labels.piece(shared)[0]),
                rule=code(labels.rule(blocked.left, blocked.right, " + ")),
            )
        return told

    def _end(self, word: Word) -> str:
        last = word.row(word.n_steps)
        if len(last.piece) == 1:
            return self.tr("The whole word is one token now.")
        told = self.tr("No rule joins two of these, so {tokens} are left.").format(
            tokens=counted(len(last.piece), "token")
        )
        if self._hatched(word, last):
            told += " " + self.tr("A hatched one is only a part of a character.")
        return told

    def _hatched(self, word: Word, row: Row) -> bool:
        """Tell whether a symbol of a row is a fragment of characters; each piece is asked once."""
        bpe = word.trace.model.bpe
        unknown = -1 if bpe is None else bpe.unknown
        known: set[int] = set()
        for piece, start, end in zip(
            row.piece.tolist(), row.start.tolist(), row.end.tolist(), strict=True
        ):
            if piece in known:
                continue
            if self._labels.symbol(piece, start, end)[1]:
                return True
            if piece >= 0 and piece != unknown:
                known.add(piece)
        return False
