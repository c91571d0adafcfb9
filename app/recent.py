"""The files and folders opened last."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal

LIMIT = 12


class Recent(QObject):
    """Paths, newest first, without repetition."""

    changed = Signal()

    def __init__(self, paths: Sequence[str] = (), parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._paths = list(dict.fromkeys(paths))[:LIMIT]

    @property
    def paths(self) -> tuple[Path, ...]:
        return tuple(Path(p) for p in self._paths)

    def texts(self) -> list[str]:
        """The paths as the settings keep them."""
        return list(self._paths)

    def add(self, path: Path) -> None:
        """Put a path on top."""
        text = str(path.absolute())
        self._paths = [text, *(p for p in self._paths if p != text)][:LIMIT]
        self.changed.emit()

    def forget(self, path: Path) -> None:
        """Take a path off the list: it couldn't be opened."""
        if str(path.absolute()) in self._paths:
            self._paths.remove(str(path.absolute()))
            self.changed.emit()

    def clear(self) -> None:
        self._paths.clear()
        self.changed.emit()
