"""The inspector of the Merges workspace: the step, its candidates, and why it came first."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.draw.isolate import isolate
from app.draw.merge_labels import Labels, in_short
from app.draw.merge_rows import Cells
from app.draw.word import Word
from app.widgets.report import (
    Facts,
    Heading,
    Line,
    Lines,
    Part,
    Section,
    Sentence,
    code,
)
from engine.display import hexadecimal, visible
from engine.errors import SegscopeError
from engine.merge_tree import word_mark
from engine.model import Model
from engine.trace import MergeStep, Rival

LISTED = 9
"""Candidates listed beside the winner."""

TOKENS = 12


class MergeReport(QObject):
    """Makes the parts of the report; holds no state but the model's labels.

    own: the words merge under the model's own rule.
    """

    def __init__(self, model: Model, labels: Labels, *, own: bool) -> None:
        super().__init__()
        self._model, self._labels, self._own = model, labels, own

    def parts(
        self,
        word: Word,
        row: int,
        event: MergeStep | None,
        selected: tuple[Cells, ...],
        selected_row: int,
    ) -> tuple[Part, ...]:
        """Return what to say of row `row` of a word, and of what is selected in it.

        event: the step that leads to the row, at the start the first one; None where nothing
        merges.
        """
        out: list[Part] = []
        if event is None:
            out += self._still(word)
        elif row == 0:
            out += self._start(word, event)
        else:
            out += self._step(word, row, event)
        if selected and 0 <= selected_row < word.n_rows:
            out += self._selection(word, selected, selected_row)
        if row == word.n_steps and word.n_steps:
            out += self._result(word)
        return tuple(out)

    # States

    def _still(self, word: Word) -> list[Part]:
        shown = in_short(self._labels.pretoken(word.pretoken))
        tokens = self._tokens(word)
        count = len(word.row(0).piece)
        out: list[Part] = [Heading(shown, self.tr("Nothing merges"), pieces=True)]
        note = next((n for n in word.trace.notes if n.pretoken == word.pretoken), None)
        if note is not None and note.rule == "added":
            text = self.tr("This is an added token: it is cut out of the text before merging.")
        elif note is not None and note.rule == "ignore_merges":
            text = self.tr(
                "The whole word is a piece of the vocabulary, and this model takes such a word "
                "as it is, without merging."
            )
        elif count == 1:
            text = self.tr("One symbol has no neighbour to merge with.")
        else:
            text = self.tr("No rule joins any two neighbours, so each symbol is a token.")
        return [*out, Sentence(text), Section(self.tr("Tokens")), tokens]

    def _start(self, word: Word, event: MergeStep) -> list[Part]:
        return [
            Heading(in_short(self._labels.pretoken(word.pretoken)), self.tr("Start"), pieces=True),
            Facts(
                (
                    (self.tr("Symbols"), f"{word.symbols:,}"),
                    (self.tr("Merges"), f"{word.n_steps:,}"),
                )
            ),
            Section(self.tr("Candidates for step 1")),
            self._candidates(event),
            Section(self.tr("What happens next")),
            Sentence(self._winner(event)),
        ]

    def _step(self, word: Word, row: int, event: MergeStep) -> list[Part]:
        vocabulary = self._model.vocabulary
        left, right = self._labels.piece(event.left)[0], self._labels.piece(event.right)[0]
        small = self.tr("Step {step} of {count}").format(step=f"{row:,}", count=f"{word.n_steps:,}")
        bytes_name = self.tr("Bytes")
        out: list[Part] = [
            Heading(
                f"{isolate(left)} + {isolate(right)}",
                small,
                True,
                isolate(self._labels.piece(event.result)[0]),
            ),
            Facts(
                (
                    (self.tr("Rank"), f"{event.rank:,}"),
                    *self._rules(),
                    (self.tr("Token id"), str(event.result)),
                    (bytes_name, hexadecimal(vocabulary.bytes(event.result))),
                ),
                frozenset((bytes_name,)),
            ),
            Section(self.tr("Candidates at this step")),
            self._candidates(event),
            Section(self.tr("Why this one")),
            Sentence(self._winner(event)),
        ]
        blocked = next((rival for rival in event.rivals if rival.blocked), None)
        if blocked is not None:
            title = self.tr("Why not {rule}").format(
                rule=self._labels.rule(blocked.left, blocked.right)
            )
            out += [Section(title), Sentence(self._blocked(word, event, blocked))]
        return out

    def _rules(self) -> tuple[tuple[str, str], ...]:
        """Return how many rules the model has. Under another rule it is anybody's guess."""
        bpe = self._model.bpe
        if bpe is None or not self._own:
            return ()
        listed = bpe.rule == "pairs"
        name = self.tr("Rules in the list") if listed else self.tr("Pieces that merge")
        return ((name, f"{len(bpe.rank) if listed else len(bpe.merges):,}"),)

    def _result(self, word: Word) -> list[Part]:
        row = word.row(word.n_steps)
        out: list[Part] = [Section(self.tr("Result")), self._tokens(word)]
        if len(row.piece) > 1:
            out.append(Sentence(self.tr("No rule joins two of these, so merging stops.")))
        note = next((n for n in word.trace.notes if n.pretoken == word.pretoken), None)
        if note is not None and note.rule == "filter":
            text = self.tr("The vocabulary filter doesn't hold all of these: merges are undone.")
            out.append(Sentence(text))
        elif note is not None and note.rule == "mark":
            text = self.tr("The end-of-word mark alone is no token: what stands before it is.")
            out.append(Sentence(text))
        return out + self._decoded(word)

    def _decoded(self, word: Word) -> list[Part]:
        """Say what decoding makes of the mark that keeps the word's boundary."""
        bpe = self._model.bpe
        data = word.trace.prepared.data[slice(*word.span)].tobytes()
        mark = None if bpe is None else word_mark(bpe, data)
        if mark is None or word.trace.notes:
            return []
        ids = word.row(word.n_steps).piece.tolist()
        if min(ids) < 0 or len(ids) > TOKENS:
            return []
        try:
            # Twice: what stands between the two is what the mark turns into.
            twice = visible(self._model.decode([*ids, *ids]))
        except SegscopeError:  # a symbol that is no piece, or what the model's library can't decode
            return []
        text = self.tr(
            "{mark} keeps the border between words. Decoding puts the space back: the word twice "
            "in a row reads {twice}."
        )
        return [
            Section(self.tr("Decoded")),
            Sentence(text.format(mark=code(mark[0]), twice=code(twice))),
        ]

    def _tokens(self, word: Word) -> Lines:
        row = word.row(word.n_steps)
        lines = [
            Line(
                "",
                self._labels.symbol(piece, start, end)[0],
                self.tr("id {id}").format(id=piece) if piece >= 0 else self.tr("left out"),
            )
            for piece, start, end in zip(
                row.piece[:TOKENS].tolist(),
                row.start[:TOKENS].tolist(),
                row.end[:TOKENS].tolist(),
                strict=True,
            )
        ]
        if len(row.piece) > TOKENS:
            more = self.tr("and {n} more").format(n=f"{len(row.piece) - TOKENS:,}")
            lines.append(Line("", more, token="ink3"))
        return Lines(tuple(lines))

    # Candidates

    def _candidates(self, event: MergeStep) -> Lines:
        labels = self._labels
        lines = [Line("✓", labels.rule(event.left, event.right), f"{event.rank:,}", "best", True)]
        for rival in event.rivals[:LISTED]:
            note = ""
            if rival.blocked:
                shared = event.left if rival.end == event.middle else event.right
                if rival.start == event.middle or rival.end == event.end:
                    shared = event.right
                note = self.tr("blocked: {symbol} is used up").format(
                    symbol=labels.piece(shared)[0]
                )
            lines.append(
                Line(
                    "×",
                    labels.rule(rival.left, rival.right),
                    f"{rival.rank:,}",
                    "ink3" if rival.blocked else "ink2",
                    note=note,
                )
            )
        hidden = len(event.rivals) - LISTED + event.left_out
        if hidden > 0:
            more = self.tr("and {n} more").format(n=f"{hidden:,}")
            lines.append(Line("", more, token="ink3"))
        return Lines(tuple(lines))

    def _winner(self, event: MergeStep) -> str:
        rule = code(self._labels.rule(event.left, event.right))
        rivals = len(event.rivals) + event.left_out
        rank = f"{event.rank:,}"
        if rivals == 0:
            text = self.tr("{rule} (rank {rank}) is the only pair that a rule joins.")
            return text.format(rule=rule, rank=rank)
        if event.rivals[0].rank == event.rank:
            text = self.tr(
                "{rule} stands here more than once. Of equal ranks ({rank}) the leftmost "
                "pair merges first."
            )
            return text.format(rule=rule, rank=rank)
        text = self.tr(
            "{rule} has rank {rank}, the lowest of {count} pairs that a rule joins. "
            "The next is {next} with {other}."
        )
        runner = event.rivals[0]
        return text.format(
            rule=rule,
            rank=rank,
            count=f"{rivals + 1:,}",
            next=code(self._labels.rule(runner.left, runner.right)),
            other=f"{runner.rank:,}",
        )

    def _blocked(self, word: Word, event: MergeStep, rival: Rival) -> str:
        labels, steps = self._labels, word.trace.steps
        text = self.tr(
            "{rule} has rank {rank}. Rank {first} came first and made {made}, so a symbol that "
            "{rule} needs is gone."
        )
        if rival.result not in steps.result[word.steps.start : word.steps.stop]:
            text = self.tr(
                "{rule} has rank {rank}. Rank {first} came first and made {made}, so a symbol that "
                "{rule} needs is gone. The piece {piece} (id {id}) exists, but this word never "
                "reaches it."
            )
        return text.format(
            rule=code(labels.rule(rival.left, rival.right)),
            rank=f"{rival.rank:,}",
            first=f"{event.rank:,}",
            made=code(labels.piece(event.result)[0]),
            piece=code(labels.piece(rival.result)[0]),
            id=rival.result,
        )

    # What is selected

    def _selection(self, word: Word, selected: tuple[Cells, ...], row: int) -> list[Part]:
        shown = word.row(row, selected[0][0], selected[-1][1])
        places = list(zip(shown.first.tolist(), shown.last.tolist(), strict=True))
        if not all(cells in places for cells in selected):
            return []
        at = places.index(selected[0])
        piece, start, end = int(shown.piece[at]), int(shown.start[at]), int(shown.end[at])
        labels = self._labels
        if len(selected) == 1:
            bytes_name = self.tr("Bytes")
            data = word.trace.prepared.data[start:end].tobytes()
            place = word.trace.prepared.span(start, end)
            facts = Facts(
                (
                    (self.tr("Token id"), str(piece) if piece >= 0 else "–"),
                    (bytes_name, hexadecimal(data)),
                    (self.tr("In the text"), self.tr("bytes {a} to {b}").format(
                        a=f"{place[0]:,}", b=f"{place[1]:,}"
                    )),
                ),
                frozenset((bytes_name,)),
            )  # fmt: skip
            title = self.tr("Selected symbol {symbol}").format(
                symbol=labels.symbol(piece, start, end)[0]
            )
            return [Section(title), facts]
        other = int(shown.piece[at + 1])
        rule = labels.rule(piece, other) if min(piece, other) >= 0 else "–"
        title = self.tr("Selected joint {rule}").format(rule=rule)
        rank = int(shown.rank[at])
        if rank < 0:
            text = self.tr("No merge rule joins these two, so they can't become one symbol.")
            return [Section(title), Sentence(text)]
        return [
            Section(title),
            Sentence(self._fate(word, start, int(shown.end[at + 1]), rank, row)),
        ]

    def _fate(self, word: Word, start: int, end: int, rank: int, row: int) -> str:
        """Say what becomes of the pair over the bytes start … end that stands in a row."""
        pairs = word.trace.pairs
        low, high = word.trace.pair_cuts[word.pretoken : word.pretoken + 2].tolist()
        state = word.steps.start + row
        found = (pairs.start[low:high] == start) & (pairs.end[low:high] == end)
        found &= (pairs.born[low:high] <= state) & (state < pairs.died[low:high])
        if not found.any():
            return self.tr("Its rule has rank {rank}.").format(rank=f"{rank:,}")
        i = low + int(found.argmax())
        step = int(pairs.died[i]) - 1
        shown = f"{step - word.steps.start + 1:,}"
        if pairs.won[i]:
            text = self.tr("Its rule has rank {rank}. It merges at step {step}.")
            return text.format(rank=f"{rank:,}", step=shown)
        text = self.tr(
            "Its rule has rank {rank}. Step {step} takes one of its symbols first: "
            "{rule} has rank {lower}."
        )
        return text.format(
            rank=f"{rank:,}",
            step=shown,
            rule=code(self._labels.rule_of_step(step)),
            lower=f"{int(word.trace.steps.rank[step]):,}",
        )
