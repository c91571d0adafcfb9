"""Where a person edited a text: what two versions of it have in common at their ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.text import Text


def same_at_start(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> int:
    """Return the number of bytes with which both begin."""
    short = min(len(one), len(other))
    if not short:
        return 0
    differ = one[:short] != other[:short]
    first = int(differ.argmax())
    return first if differ[first] else short


def edited_from(before: Text, after: Text, most: int) -> int:
    """Return the byte at which two texts begin to differ; after a deletion the byte before.

    most: the bytes of each that are looked at.
    """
    place = same_at_start(before.data[:most], after.data[:most])
    return max(place - 1, 0) if after.n_bytes < before.n_bytes else place


def edited_to(before: Text, after: Text) -> int | None:
    """Return the byte up to which a person changed a text; None where it is another text.

    More than half of the longer one has to be the same, at both ends together.
    """
    if before is after:
        return None
    one, other = before.data, after.data
    short = min(len(one), len(other))
    head = same_at_start(one, other)
    tail = min(same_at_start(one[::-1], other[::-1]), short - head)
    return len(other) - tail if 2 * (head + tail) > max(len(one), len(other)) else None
