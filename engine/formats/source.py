"""A model file as it is read: its bytes, its name for errors, and its progress."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path

from engine.errors import ModelError
from engine.progress import Report, silent

BLOCK = 1 << 20
MAX_SIZE = 1 << 29
WHOLE = 1000
"""Total of a load's progress; its parts report in thousandths."""


ALWAYS_ROOM = 1 << 20


def highest_id(entries: int) -> int:
    """Return the highest id that a vocabulary of so many entries may use.

    Every id up to the highest takes memory, so that a small file can't ask for much of it.
    """
    return max(ALWAYS_ROOM, 16 * entries)


MOST_SAID = 1000
"""Characters of an error or a warning: a piece that it repeats can be as long as the file."""


def brief(said: str) -> str:
    """Return what is said of a file; of more than `MOST_SAID` characters the beginning and end."""
    return said if len(said) <= MOST_SAID else f"{said[: MOST_SAID - 200]}…{said[-199:]}"


@dataclass(frozen=True, eq=False)
class Source:
    """The content of a model file. `report` counts up to `WHOLE` over the whole load."""

    path: Path
    data: bytes
    report: Report = silent

    @property
    def name(self) -> str:
        """The file's name, as errors show it."""
        return self.path.name

    def error(self, what: str, where: str = "", remedy: str = "") -> ModelError:
        """Make the error that names this file: `where` is the place in it."""
        place = f"{self.path}: {brief(where)}" if where else str(self.path)
        return ModelError(brief(what), place, remedy)

    def part(self, first: int, last: int) -> Report:
        """Return a report for the part of the load from `first` to `last` thousandths."""

        def report(done: int, total: int) -> None:
            self.report(first + (last - first) * done // max(total, 1), WHOLE)

        return report


MODEL_WANTED = "choose a model file: tokenizer.json, a .model or a .tiktoken file"


def open_source(path: Path, report: Report = silent, remedy: str = MODEL_WANTED) -> Source:
    """Read a file whole, in blocks so that the work can be cancelled.

    Raises `ModelError` for a missing or unreadable file, a folder and an empty file. remedy: what
    to do about a file of the wrong sort.
    """
    try:
        if path.is_dir():
            raise ModelError("this is a folder, not a file", str(path), remedy)
        state = path.stat()
        if not stat.S_ISREG(state.st_mode):
            raise ModelError("this isn't an ordinary file", str(path), remedy)
        size = state.st_size
        if size > MAX_SIZE:
            raise ModelError(
                f"the file is too large for a tokenizer ({size / 1e9:.1f} GB)", str(path), remedy
            )
        blocks = []
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                blocks.append(block)
                report(min(50, 50 * len(blocks) * BLOCK // max(size, 1)), WHOLE)
    except FileNotFoundError:
        if path.is_symlink():
            what, remedy = "this is a link to a file that isn't there", "mend the link"
            raise ModelError(what, str(path), remedy) from None
        raise ModelError("there is no such file", str(path), "check the path") from None
    except (OSError, ValueError) as error:
        # ValueError: a NUL inside the path.
        reason = getattr(error, "strerror", None) or str(error)
        raise ModelError(f"the file can't be read ({reason})", str(path), remedy) from None
    data = b"".join(blocks)
    if not data:
        raise ModelError("the file is empty", str(path), "copy or download it again")
    return Source(path, data, report)
