"""Errors that a person can act on: what is wrong, where, and what to do."""

from __future__ import annotations


class SegscopeError(Exception):
    """A fault that a person can mend.

    `what` names the fault, `where` the place (file, line or byte offset, field) and `remedy` the
    next thing to try. `str()` joins them as the headless contract wants: "what, where, remedy".
    """

    def __init__(self, what: str, where: str = "", remedy: str = "") -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        super().__init__(", ".join(part for part in (what, where, remedy) if part))


class ModelError(SegscopeError):
    """A model file that can't be read, or whose content contradicts itself."""


class TextError(SegscopeError):
    """A text that isn't Unicode text: undecodable bytes or a lone surrogate."""


class CorpusError(SegscopeError):
    """A corpus file or folder that can't be used as it is."""


class ParameterError(SegscopeError):
    """A number or name given to a function that it can't work with."""


class SceneError(SegscopeError):
    """A scene file that can't be read or shown."""
