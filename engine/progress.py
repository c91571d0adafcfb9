"""How long work reports its progress and is cancelled.

A slow engine function takes `report: Report` and calls it now and then with (done, total), in the
function's own units. The caller cancels by raising `Cancelled` from inside `report`; the function
lets it through and leaves nothing half done.
"""

from __future__ import annotations

from collections.abc import Callable

Report = Callable[[int, int], None]


class Cancelled(Exception):
    """Raised by a `Report` to stop the work that calls it."""


def silent(done: int, total: int) -> None:
    """The report of a caller who doesn't want to know."""
