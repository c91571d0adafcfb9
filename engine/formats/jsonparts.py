"""JSON read in parts, so that a large file neither stalls a window nor resists Cancel.

`json.loads` works through a 12 MB file in one C call and holds the interpreter all the while. Here
the large arrays and objects of a file are parsed some 100 kB at a time: each part begins where the
last one ended, outside any string, so if it parses up to its own closing bracket, its end is right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from json import JSONDecodeError
from typing import Any

from engine.formats.source import Source
from engine.progress import Report

CHUNK = 1 << 17
TRIES = 8
"""Ends tried for a part before it is given up and the rest is parsed at once."""

Path = tuple[str, ...]

_SPACE = re.compile(r"[ \t\n\r]*")
# Where a part may end, by the first character of the container's first item; for objects by "".
_ENDS = {
    '"': re.compile(r'"[ \t\n\r]*,[ \t\n\r]*(?=")'),
    "[": re.compile(r"\][ \t\n\r]*,[ \t\n\r]*(?=\[)"),
    "{": re.compile(r"\}[ \t\n\r]*,[ \t\n\r]*(?=\{)"),
    "": re.compile(r'[\d}\]"el][ \t\n\r]*,[ \t\n\r]*(?=")'),
}


class Pairs(list[tuple[str, Any]]):
    """A JSON object as its (key, value) pairs in file order, duplicate keys kept."""


@dataclass
class _Reader:
    text: str
    pairs_at: Collection[Path]
    report: Report
    duplicates: list[str] = field(default_factory=list)

    def space(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def fail(self, message: str, at: int) -> JSONDecodeError:
        return JSONDecodeError(message, self.text, at)

    def plain(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                if key in seen:
                    self.duplicates.append(key)
                seen.add(key)
        return made

    def decode(self, text: str, shift: int, *, as_pairs: bool = False) -> tuple[Any, int]:
        """Parse the value at the start of `text`, which stands at `shift` in the whole."""
        decoder = json.JSONDecoder(object_pairs_hook=Pairs if as_pairs else self.plain)
        try:
            return decoder.raw_decode(text)
        except JSONDecodeError as error:
            raise self.fail(error.msg, min(shift + error.pos, len(self.text))) from None

    def value(self, at: int, path: Path) -> tuple[Any, int]:
        """Return the value at `at` and where it ends."""
        at = self.space(at)
        opening = self.text[at : at + 1]
        deeper = any(p[: len(path)] == path and len(p) > len(path) for p in self.pairs_at)
        if path in self.pairs_at and opening in ("{", "["):
            return self.parts(at, opening)
        if opening == "{" and deeper:
            return self.object(at, path)
        value, end = self._whole(at)
        return value, end

    def _whole(self, at: int) -> tuple[Any, int]:
        decoder = json.JSONDecoder(object_pairs_hook=self.plain)
        return decoder.raw_decode(self.text, at)

    def object(self, at: int, path: Path) -> tuple[dict[str, Any], int]:
        """Return the object at `at`, its values read by their own paths."""
        pairs: list[tuple[str, Any]] = []
        at = self.space(at + 1)
        if self.text[at : at + 1] == "}":
            return {}, at + 1
        while True:
            if self.text[at : at + 1] != '"':
                raise self.fail("Expecting property name enclosed in double quotes", at)
            key, at = self._whole(at)
            at = self.space(at)
            if self.text[at : at + 1] != ":":
                raise self.fail("Expecting ':' delimiter", at)
            value, at = self.value(at + 1, (*path, key))
            pairs.append((key, value))
            at = self.space(at)
            after = self.text[at : at + 1]
            if after == "}":
                return self.plain(pairs), at + 1
            if after != ",":
                raise self.fail("Expecting ',' delimiter", at)
            at = self.space(at + 1)

    def parts(self, at: int, opening: str) -> tuple[Any, int]:
        """Return the large array or object at `at`, parsed part by part."""
        closing = "]" if opening == "[" else "}"
        pairs = opening == "{"
        items: list[Any] = Pairs() if pairs else []
        at = self.space(at + 1)
        ends = _ENDS.get("" if pairs else self.text[at : at + 1])
        while True:
            self.report(at, len(self.text))
            found = self._part(at, opening, closing, ends) if ends else None
            if found is None:
                part, end = self.decode(opening + self.text[at:], at - 1, as_pairs=pairs)
                items.extend(part)
                return items, at - 1 + end
            part, after, done = found
            items.extend(part)
            at = after
            if done:
                return items, at

    def _part(
        self, at: int, opening: str, closing: str, ends: re.Pattern[str]
    ) -> tuple[Any, int, bool] | None:
        """Return (items, where to go on, whether the container ended), None if no end fits."""
        search = at + CHUNK
        for _ in range(TRIES):
            match = ends.search(self.text, search)
            if match is None:
                return None
            cut = match.start() + 1
            part = f"{opening}{self.text[at:cut]}{closing}"
            try:
                items, end = self.decode(part, at - 1, as_pairs=opening == "{")
            except JSONDecodeError:
                search = match.end()
                continue
            if end == len(part):
                return items, match.end(), False
            return items, at - 1 + end, True
        return None


def read_json(
    source: Source, text: str, pairs_at: Collection[Path], report: Report
) -> tuple[dict[str, Any], list[str]]:
    """Parse a JSON file whose top is an object; return it and the keys that stand twice.

    Containers at the paths of `pairs_at` are read in parts, the objects among them as `Pairs`;
    their duplicate keys aren't listed. Raises `ModelError` with line and column.
    """
    value, doubles = _read(source, text, pairs_at, report)
    return dict(value), doubles


def read_pairs(source: Source, text: str, report: Report) -> Pairs:
    """Parse a JSON file whose top is one large object; return its pairs, doubles kept.

    Raises `ModelError` with line and column.
    """
    value, _ = _read(source, text, {()}, report)
    return Pairs(value)


def _read(
    source: Source, text: str, pairs_at: Collection[Path], report: Report
) -> tuple[Any, list[str]]:
    reader = _Reader(text, pairs_at, report)
    remedy = "it may be cut short: copy or download it again"
    try:
        at = reader.space(0)
        if text[at : at + 1] != "{":
            raise reader.fail("Expecting an object", at)
        value, end = reader.value(at, ())
        end = reader.space(end)
        if end != len(text):
            raise reader.fail("Extra data", end)
    except JSONDecodeError as error:
        cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        what = "the JSON ends too early" if cut else f"this isn't valid JSON ({error.msg})"
        raise source.error(what, f"line {error.lineno}, column {error.colno}", remedy) from None
    except RecursionError:
        raise source.error("the JSON is nested too deeply", "", remedy) from None
    except ValueError as error:
        # An integer of more digits than Python converts.
        raise source.error(f"this isn't valid JSON ({error})", "", remedy) from None
    return value, reader.duplicates
