"""Preferences that outlive the window, over `QSettings`; one record, passed in."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast, get_args

from PySide6.QtCore import QByteArray, QSettings, QStandardPaths

from app.theme import Choice


@dataclass
class Preferences:
    """What is kept over restarts beside the last session's scene.

    layouts: workspace name → `QMainWindow` state. recent: paths, newest first. fonts_hidden:
    packages whose absence the person doesn't want to hear of again.
    """

    theme: Choice = "system"
    reduced_motion: bool = False
    menu_bar: bool = False
    geometry: QByteArray = field(default_factory=QByteArray)
    layouts: dict[str, QByteArray] = field(default_factory=dict)
    recent: list[str] = field(default_factory=list)
    fonts_hidden: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, store: QSettings) -> Preferences:
        """Read the stored preferences; what is missing or odd is the default."""
        theme = store.value("theme", "system")
        store.beginGroup("layouts")
        layouts = {name: _bytes(store.value(name)) for name in store.childKeys()}
        store.endGroup()
        return cls(
            theme=cast(Choice, theme) if theme in get_args(Choice) else "system",
            reduced_motion=_bool(store.value("reduced_motion")),
            menu_bar=_bool(store.value("menu_bar")),
            geometry=_bytes(store.value("geometry")),
            layouts=layouts,
            recent=_strings(store.value("recent")),
            fonts_hidden=_strings(store.value("fonts_hidden")),
        )

    def write(self, store: QSettings) -> None:
        """Store the preferences."""
        store.setValue("theme", self.theme)
        store.setValue("reduced_motion", self.reduced_motion)
        store.setValue("menu_bar", self.menu_bar)
        store.setValue("geometry", self.geometry)
        store.setValue("recent", self.recent)
        store.setValue("fonts_hidden", self.fonts_hidden)
        store.beginGroup("layouts")
        store.remove("")
        for name, state in self.layouts.items():
            store.setValue(name, state)
        store.endGroup()
        store.sync()


def data_folder() -> Path:
    """Return the folder for the last session and the log; made when first asked for."""
    folder = Path(
        QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppLocalDataLocation)
    )
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _bool(value: Any) -> bool:
    return value is True or value == "true"  # an INI file gives text


def _bytes(value: Any) -> QByteArray:
    return value if isinstance(value, QByteArray) else QByteArray()


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):  # an INI file gives a list of one as text
        return [value] if value else []
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
