"""Records of training runs as files: a row for each step, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import ParameterError
from engine.files import write_atomic


class Record(NamedTuple):
    """What a run did, step by step.

    about: what holds for the whole run; only JSON has it. fields: the keys of every row, in order.
    rows: of plain values; None where there is nothing to say. Lists are JSON inside of CSV.
    """

    about: dict[str, Any]
    fields: tuple[str, ...]
    rows: list[dict[str, Any]]


def write_rows(record: Record, path: Path) -> None:
    """Write a record as CSV or JSON, which the ending tells; it is there whole or not at all.

    Raises `ParameterError` for another ending, and for a place that can't be written.
    """
    kind = kind_of_record(path)
    if kind == ".json":
        document = {**record.about, "steps": record.rows}
        data = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    else:
        text = io.StringIO()
        writer = csv.DictWriter(text, record.fields, lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: _cell(row[key]) for key in record.fields} for row in record.rows)
        data = text.getvalue()
    try:
        write_atomic(path, data)
    except OSError as error:
        raise ParameterError(
            f"the record can't be written ({error.strerror or type(error).__name__})",
            str(path),
            "make room or choose another place; what was there is unchanged",
        ) from None


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value


def kind_of_record(path: Path) -> str:
    """Return the ending of a record's name. Raises `ParameterError` for one without meaning."""
    kind = path.suffix.lower()
    if not kind:
        raise ParameterError(
            "the record's name has no ending", str(path), "end its name in .csv or .json"
        )
    if kind not in (".csv", ".json"):
        raise ParameterError(
            f"a record ending in {kind!r}", str(path), "end its name in .csv or .json"
        )
    return kind
