"""Typed fields of a parsed file: a wrong type becomes an error that names the field."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from engine.errors import ModelError
from engine.formats.source import Source

_NAMES = {
    dict: "an object",
    list: "a list",
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    type(None): "null",
}


def kind_of(value: object) -> str:
    """Return what JSON calls the type of a value, for errors."""
    for kind, name in _NAMES.items():
        if isinstance(value, kind):
            return name
    return type(value).__name__


@dataclass(frozen=True, eq=False)
class Fields:
    """A JSON object at `place` of a file, read field by field."""

    source: Source
    values: dict[str, Any]
    place: str = ""

    def at(self, name: str) -> str:
        """Return the place of a field: `model.vocab`."""
        return f"{self.place}.{name}" if self.place else name

    def wrong(self, name: str, wanted: str) -> ModelError:
        """Make the error for a field of the wrong type."""
        found = kind_of(self.values.get(name))
        return self.source.error(
            f"field {self.at(name)} is {found} where {wanted} is needed",
            "",
            "the file is damaged or of another kind",
        )

    def object(self, name: str) -> Fields:
        """Return the object in a field."""
        value = self.values.get(name)
        if not isinstance(value, dict):
            raise self.wrong(name, "an object")
        return Fields(self.source, value, self.at(name))

    def objects(self, name: str) -> list[Fields]:
        """Return the list of objects in a field; null and absent are empty."""
        out = []
        for i, value in enumerate(self.list(name)):
            if not isinstance(value, dict):
                inner = Fields(self.source, {"": value}, f"{self.at(name)}[{i}]")
                raise self.source.error(
                    f"field {inner.place} is {kind_of(value)} where an object is needed",
                    "",
                    "the file is damaged or of another kind",
                )
            out.append(Fields(self.source, value, f"{self.at(name)}[{i}]"))
        return out

    def list(self, name: str) -> list[Any]:
        """Return the list in a field; null and absent are empty."""
        value = self.values.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.wrong(name, "a list")
        return value

    def text(self, name: str, default: str | None = None) -> str:
        """Return the text in a field; null and absent give `default`, an error without one."""
        value = self.values.get(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            raise self.wrong(name, "text")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise self.source.error(
                f"field {self.at(name)} holds a lone surrogate",
                "",
                "the file is damaged: copy or download it again",
            ) from None
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        """Return true or false; null and absent give `default`."""
        value = self.values.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.wrong(name, "true or false")
        return value

    def whole(self, name: str, default: int | None = None) -> int:
        """Return the whole number in a field, at least 0; null and absent give `default`."""
        value = self.values.get(name)
        if value is None and default is not None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self.wrong(name, "a whole number from 0")
        return value

    def number(self, name: str, default: float) -> float:
        """Return the finite number in a field; null and absent give `default`."""
        value = self.values.get(name)
        if value is None:
            return default
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not abs(value) <= sys.float_info.max
        ):
            raise self.wrong(name, "a finite number")
        return float(value)
