"""What traces share that go pre-token by pre-token: which steps are whose."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class PretokenSteps:
    """Steps in the order of the pre-tokens, with states 0 … number of steps.

    step_cuts: int64[pre-tokens + 1], the steps of pre-token i are step_cuts[i] …
    step_cuts[i + 1] − 1.
    """

    step_cuts: NDArray[np.int64]

    def __len__(self) -> int:
        return int(self.step_cuts[-1])

    def pretoken_of(self, k: int) -> int:
        """Return the pre-token that step k belongs to; `IndexError` where there is no step k."""
        self._check(k, len(self) - 1, "step")
        return int(np.searchsorted(self.step_cuts, k, side="right")) - 1

    def steps_of(self, pretoken: int) -> range:
        """Return the steps of a pre-token; none for one that an added token owns."""
        return range(int(self.step_cuts[pretoken]), int(self.step_cuts[pretoken + 1]))

    def check_state(self, k: int) -> None:
        """Raise `IndexError` where there is no state k."""
        self._check(k, len(self), "state")

    def _check(self, k: int, last: int, what: str) -> None:
        if not 0 <= k <= last:
            raise IndexError(f"there is no {what} {k}: they run from 0 to {last}")
