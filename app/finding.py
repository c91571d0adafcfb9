"""Everything that the search field finds: actions, open models, examples, recent files."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from app.actions import ACTIONS, ActionTable
from app.opening import Opener
from app.recent import Recent
from app.scenes import Scenes
from app.session import Session
from app.views.search import Entry
from engine import bundled


class Finder(QObject):
    """Lists what can be found now, the most wanted first."""

    def __init__(
        self,
        table: ActionTable,
        session: Session,
        opener: Opener,
        scenes: Scenes,
        recent: Recent,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._table, self._session = table, session
        self._opener, self._scenes, self._recent = opener, scenes, recent

    def entries(self) -> list[Entry]:
        """Return the entries, made anew: what is open and what is allowed changes."""
        session = self._session
        entries = self._actions()
        for opened in session.models:
            text = f"{opened.letter}  {opened.name}"
            call = partial(session.set_active, opened.key)
            entries.append(Entry(text, self.tr("open model"), "vocabulary", call))
        for scene in bundled.scenes():
            show = partial(self._scenes.open, scene.path)
            text = scene.about[:1].upper() + scene.about[1:]
            entries.append(Entry(text, self.tr("example"), "scene", show, words=scene.name))
        for model in bundled.models():
            load, words = partial(session.load_model, model.path), model.about
            entries.append(Entry(model.name, self.tr("bundled model"), "plus", load, words=words))
        for path in self._recent.paths:
            again, words = partial(self._opener.open, [path]), str(path.parent)
            entries.append(Entry(path.name, self.tr("recent file"), "recent", again, words=words))
        return entries

    def _actions(self) -> list[Entry]:
        entries = []
        for spec in ACTIONS:
            if spec.id == "search":
                continue
            action = self._table.actions[spec.id]
            kind = self.tr("workspace") if spec.call == "show_workspace" else self.tr("action")
            entries.append(
                Entry(spec.plain, kind, spec.icon, action.trigger, spec.keys(), action.isEnabled())
            )
        return entries
