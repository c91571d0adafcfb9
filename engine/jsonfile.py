"""JSON: small files that people write or keep, and plain data to be written.

What is wrong with a file is said with its place.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from engine.errors import SegscopeError


def read_json(
    source: str | Path | bytes,
    error: type[SegscopeError] = SegscopeError,
    name: str = "the file",
    remedy: str = "mend it",
    where: str = "",
) -> Any:
    """Return the content of a JSON file as plain Python data, a byte order mark skipped.

    source: the file, or its bytes; then `where` says where they are from. name: what the file is
    to a person ("the scene"). Raises `error` for a file that can't be read, isn't UTF-8 (with the
    byte), isn't JSON (with line and column), is nested more deeply than Python's parser goes, or
    holds a whole number of more digits than Python converts.
    """
    if isinstance(source, bytes):
        data = source
    else:
        where = where or str(source)
        try:
            data = Path(source).read_bytes()
        except OSError as failure:
            reason = failure.strerror or type(failure).__name__
            raise error(f"{name} can't be read ({reason})", where, "check the path") from None
        except ValueError as failure:  # a NUL in the path
            raise error(f"{name} can't be read ({failure})", where, "check the path") from None
    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as failure:
        # The bytes that are counted begin after a byte order mark.
        at = failure.start + (len(data) - len(failure.object))
        raise error(f"{name} isn't valid UTF-8", _at(where, f"byte {at}"), remedy) from None
    except json.JSONDecodeError as failure:
        place = f"line {failure.lineno}, column {failure.colno}"
        raise error(f"{name} isn't valid JSON ({failure.msg})", _at(where, place), remedy) from None
    except ValueError:
        raise error(f"a number in {name} has too many digits", where, remedy) from None
    except RecursionError:
        raise error(f"{name} is nested too deeply", where, remedy) from None


def _at(where: str, place: str) -> str:
    return f"{where}: {place}" if where else place


def json_line(document: Any) -> str:
    """Return a document as one line of JSON with its end, null for what isn't a finite number."""
    try:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):
        # Going through all of a large document takes longer than writing it.
        text = json.dumps(plain(document), ensure_ascii=False, allow_nan=False)
    return text + "\n"


def plain(value: Any) -> Any:
    """Return plain JSON data: NaN and infinities become null, arrays lists."""
    import numpy as np

    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
