"""Rules that keep pairs from merging."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engine.errors import ParameterError


@dataclass(frozen=True)
class PatternVeto:
    """Keeps pairs apart where a regular expression matches somewhere in what they would make.

    pattern: of the `regex` library. It sees the piece as text, U+DC80 … U+DCFF for each byte that
    isn't a part of a whole character; an end-of-word mark is part of the piece. Raises
    `ParameterError` for a pattern that isn't one.
    """

    pattern: str

    def __post_init__(self) -> None:
        """Read the pattern."""
        _ = self._compiled

    @cached_property
    def _compiled(self) -> Any:
        import regex

        try:
            return regex.compile(self.pattern)
        except regex.error as error:
            raise ParameterError(
                f"the veto {self.pattern!r} isn't a regular expression ({error})",
                "",
                "correct the pattern",
            ) from None

    def __call__(self, left: bytes, right: bytes) -> bool:
        """Return whether a pair may not merge."""
        text = (left + right).decode("utf-8", errors="surrogateescape")
        return self._compiled.search(text) is not None
