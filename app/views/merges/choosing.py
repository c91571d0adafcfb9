"""What is chosen in the rows and on the rank line: a brick, a joint, or a rule."""

from __future__ import annotations

from dataclasses import dataclass

from app.draw.merge_rows import Cells
from app.draw.word import Word


@dataclass(frozen=True)
class Chosen:
    """A brick or a joint of a row. span: bytes of the text as given.

    rule: index in the word's rules, -1 for a brick and for a joint without one. piece: the brick's,
    or what the rule makes; None where it isn't one of the vocabulary.
    """

    span: tuple[int, int]
    rule: int
    piece: int | None


def chosen(word: Word, item: tuple[Cells, ...], row: int) -> Chosen | None:
    """Return what one brick, or the joint between two, is; None where the row hasn't got it."""
    shown = word.row(row, item[0][0], item[-1][1])
    places = list(zip(shown.first.tolist(), shown.last.tolist(), strict=True))
    if not all(cells in places for cells in item):
        return None
    first, last = places.index(item[0]), places.index(item[-1])
    span = word.trace.prepared.span(int(shown.start[first]), int(shown.end[last]))
    rule, piece = -1, int(shown.piece[first])
    if len(item) == 2:
        rules = word.rules
        pair = (rules.left == shown.piece[first]) & (rules.right == shown.piece[last])
        found = pair.nonzero()[0]
        rule = int(found[0]) if len(found) else -1
        piece = int(rules.result[rule]) if rule >= 0 else -1
    return Chosen(span, rule, piece if piece >= 0 else None)


def joint_of_rule(word: Word, rule: int) -> tuple[int, tuple[Cells, Cells]] | None:
    """Return the row that first shows a rule's joint, before it is applied, and the two bricks.

    None where the word never has the two side by side.
    """
    left, right = int(word.rules.left[rule]), int(word.rules.right[rule])
    pairs = word.trace.pairs
    low, high = word.trace.pair_cuts[word.pretoken : word.pretoken + 2].tolist()
    same = (pairs.left[low:high] == left) & (pairs.right[low:high] == right)
    found = low + same.nonzero()[0]
    if not len(found):
        return None
    first = int(found[0])
    applied = int(word.rules.applied[rule])
    row = applied if applied >= 0 else max(int(pairs.born[first]) - word.steps.start, 0)
    shown = word.row(row)
    starts = shown.start.tolist()
    if int(pairs.start[first]) not in starts or int(pairs.middle[first]) not in starts:
        return None
    i = starts.index(int(pairs.start[first]))
    one, two = ((int(shown.first[j]), int(shown.last[j])) for j in (i, i + 1))
    return row, (one, two)
