"""Everything that the search field finds: actions, models, examples, recent files, pieces."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.action_table import ActionTable
from app.actions import ACTIONS
from app.draw.isolate import isolate
from app.opening import Opener
from app.recent import Recent
from app.scenes import Scenes
from app.session import Session
from app.views.search import Entry
from engine import bundled
from engine.display import NEWLINE, SPACE, TAB

if TYPE_CHECKING:
    from engine.model import Model

MOST_PIECES = 4
"""Pieces that are offered for what is typed."""

_TYPED = str.maketrans({SPACE: " ", TAB: "\t", NEWLINE: "\n"})
"""Marks that the window writes for whitespace, back to what they stand for."""


def pieces_spelled(model: Model, typed: str) -> list[int]:
    """Return the pieces that what is typed may mean, the likeliest first.

    That is the very text, then the text with a space before it, both also with SentencePiece's ▁
    for spaces; a continuation piece may be typed with its mark.
    """
    from engine.pieces import PieceKind

    vocabulary = model.vocabulary
    given = typed.translate(_TYPED)
    spaced = [given, f" {given}"]
    found: list[int] = []
    for text in dict.fromkeys((*spaced, *(text.replace(" ", "▁") for text in spaced))):
        found += vocabulary.find(text.encode(errors="surrogatepass")).tolist()
    if vocabulary.continuation is not None and given.startswith(vocabulary.mark):
        rest = vocabulary.find(given.removeprefix(vocabulary.mark).encode(errors="surrogatepass"))
        found += rest[vocabulary.continuation[rest]].tolist()
    kind = vocabulary.kind
    return [i for i in dict.fromkeys(found) if kind[i] != PieceKind.BYTE]


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

    def pieces(self, typed: str) -> list[Entry]:
        """Return the pieces of the active model that are spelled as what is typed."""
        opened = self._session.active
        if opened is None or not typed:
            return []
        from app.models.vocabulary import piece_text

        entries = []
        for piece in pieces_spelled(opened.model, typed)[:MOST_PIECES]:
            text = self.tr("Piece {piece}, id {id}: show in Vocabulary").format(
                piece=isolate(piece_text(opened.model.vocabulary, piece)), id=piece
            )
            kind = self.tr("piece of {letter}").format(letter=opened.letter)
            show = partial(self._show_piece, opened.key, piece)
            entries.append(Entry(text, kind, "vocabulary", show, words=typed))
        return entries

    def _show_piece(self, key: int, piece: int) -> None:
        self._session.set_active(key)
        self._table.actions["go.vocabulary"].trigger()
        self._session.select(piece=piece, edge=None, path=None)

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
