"""Checked values out of a scene's JSON: a field is of its kind, or an error names it.

Functions `as_…` return a value of their kind, None for any other.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from engine.errors import SceneError, TextError
from engine.text import Text

T = TypeVar("T")

MOST_THETA = 1_000
"""The greatest θ of a scene, and of the window."""


class Reader:
    """Takes checked fields out of a JSON object, and knows what was left."""

    def __init__(
        self, content: dict[str, Any], path: str, prefix: str, warnings: list[str] | None = None
    ) -> None:
        self.content = content
        self.path = path
        self.prefix = prefix
        self.taken: set[str] = set()
        self.warnings: list[str] = [] if warnings is None else warnings

    def take(self, key: str, kind: str, convert: Callable[[Any], T | None]) -> T | None:
        """Return the converted value of a field, None where it is missing or null."""
        self.taken.add(key)
        value = self.content.get(key)
        if value is None:
            return None
        converted = convert(value)
        if converted is None:
            raise SceneError(
                f"the field {self.prefix}{key} isn't {kind}", self.path, "mend or remove the field"
            )
        return converted

    def choice(self, key: str, choices: tuple[str, ...], default: str) -> str:
        """Return a name; an unknown one is warned of and gives the default."""
        value = self.take(key, "a text", as_text)
        if value is None:
            return default
        if value not in choices:
            self.warn(f"there is no {key} {value!r}; {default or 'the usual one'} is shown")
            return default
        return value

    def inside(self, key: str) -> Reader:
        """Return a reader of a nested object; empty where there is none."""
        content = self.take(key, "an object", as_object) or {}
        return Reader(content, self.path, f"{self.prefix}{key}.", self.warnings)

    def warn(self, message: str) -> None:
        """Note something odd that doesn't keep the scene from being shown."""
        self.warnings.append(message)

    def rest(self) -> dict[str, Any]:
        """Return the fields that nobody took."""
        return {key: value for key, value in self.content.items() if key not in self.taken}

    def finish(self) -> None:
        """Warn of the fields that nobody took."""
        for key in self.rest():
            self.warn(f"the field {self.prefix}{key} is unknown and left out")


def as_text(value: Any) -> str | None:
    """Return a text that holds no lone surrogate."""
    if not isinstance(value, str):
        return None
    try:
        return Text(value).string
    except TextError:
        return None


def as_path(value: Any) -> str | None:
    """Return a path; on some systems its bytes needn't be UTF-8, see `os.fsdecode`."""
    if not isinstance(value, str) or not value or "\0" in value:
        return None
    try:
        os.fsencode(value)
    except UnicodeEncodeError:
        return None
    return value


def as_paths(value: Any) -> list[str] | None:
    """Return the paths of a list, or one path as a list."""
    listed = value if isinstance(value, list) else [value]
    paths = [path for path in map(as_path, listed) if path is not None]
    return paths if len(paths) == len(listed) else None


def as_object(value: Any) -> dict[str, Any] | None:
    """Return an object."""
    return value if isinstance(value, dict) else None


def as_list(value: Any) -> list[Any] | None:
    """Return a list."""
    return value if isinstance(value, list) else None


def as_integer(value: Any) -> int | None:
    """Return a whole number; True and False are none."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def as_natural(value: Any) -> int | None:
    """Return a whole number of at least 0."""
    number = as_integer(value)
    return number if number is not None and number >= 0 else None


def as_number(value: Any) -> float | None:
    """Return a finite number; True and False are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # A whole number in JSON may be too large for a float.
    return float(value) if -sys.float_info.max <= value <= sys.float_info.max else None


def as_span(value: Any) -> tuple[int, int] | None:
    """Return a start and an end that isn't before it, both at least 0."""
    if not isinstance(value, list) or len(value) != 2:
        return None
    start, end = as_natural(value[0]), as_natural(value[1])
    return (start, end) if start is not None and end is not None and start <= end else None
