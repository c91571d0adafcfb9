"""Errors that a person can act on: what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class SegscopeError(Exception):
    """A fault that a person can mend.

    `what` names the fault, `where` the place (file, line or byte offset, field) and `remedy` the
    next thing to try. `str()` joins them as the headless contract wants: "what, where, remedy".
    An error can be pickled, whatever its class's `__init__` takes.
    """

    def __init__(self, what: str, where: str = "", remedy: str = "") -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        super().__init__(", ".join(part for part in (what, where, remedy) if part))

    def __reduce__(
        self,
    ) -> tuple[Callable[..., SegscopeError], tuple[type[SegscopeError], Any], dict[str, Any]]:
        # An exception's own way calls the class with `args`, which here is the joined text.
        return _bare, (type(self), self.args), vars(self)


CHECK_PATH = "check its path, and whether you may read it"
"""What to do where the system doesn't give something to read."""


def cannot_read(
    kind: type[SegscopeError], what: str, path: object, error: Exception
) -> SegscopeError:
    """Return the error that a file or folder, `what`, can't be read, for the system's reason."""
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return kind(f"the {what} can't be read ({reason})", str(path), CHECK_PATH)


def _bare(kind: type[SegscopeError], args: tuple[Any, ...]) -> SegscopeError:
    """Make an error of a class with its text, but without its fields."""
    return kind.__new__(kind, *args)


class ModelError(SegscopeError):
    """A model file that can't be read, or whose content contradicts itself."""


class TextError(SegscopeError):
    """A text that isn't Unicode text: undecodable bytes or a lone surrogate."""


class CoverageError(TextError):
    """A text that a model without an unknown token can't write.

    at: the byte, in what was segmented, that no sequence of pieces leads past. place: the same
    for a person. line: index of the text among those that were encoded together, −1 for one alone.
    """

    def __init__(
        self, at: int, what: str = "", place: str = "", remedy: str = "", line: int = -1
    ) -> None:
        self.at, self.line = at, line
        self.place = place or f"byte {at} of the normalized text"
        super().__init__(
            what or "the model has no unknown token, and its pieces don't cover the text",
            self.place if line < 0 else f"line {line + 1}, {self.place}",
            remedy or "choose a text that the vocabulary can write",
        )


class CorpusError(SegscopeError):
    """A corpus file or folder that can't be used as it is."""


class ParameterError(SegscopeError):
    """A number or name given to a function that it can't work with."""


class SceneError(SegscopeError):
    """A scene file that can't be read or shown."""


class TrainingError(SegscopeError):
    """A corpus or a setting that no model can be trained from."""
