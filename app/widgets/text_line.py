"""The current text in one line, to be edited: what the workspaces with a player put on top."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from app.theme import SIZE_INPUT, Theme

LONGEST = 2_000
"""Characters up to which the line can be edited; a longer text is only begun here."""

_SHOWN = {"\n": "↵", "\r": "␍", "\t": "→", "\u2028": "↵", "\u2029": "↵"}


class TextLine(QLineEdit):
    """A line over a text that may have several: line ends and tabs are shown as marks.

    `edited` gives the whole text when a person changed it. Marks that stand for line ends turn
    back into them; a text that has such marks of its own can't be told from them, so it is shown
    but not edited here.
    """

    edited = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._given = ""
        self.setMaxLength(LONGEST * 4)
        self.setAccessibleName(self.tr("Text"))
        self.setPlaceholderText(self.tr("Type a word or a sentence"))
        self.textEdited.connect(self._take)
        theme.changed.connect(self._dress)
        self._dress()

    def _dress(self) -> None:
        self.setFont(self._theme.piece_font(SIZE_INPUT))

    def show_text(self, text: str) -> None:
        """Show a text; the cursor stays where it is if a person is typing it."""
        if text == self._given and self.text():
            return
        self._given = text
        long = len(text) > LONGEST
        fixed = long or any(mark in text for mark in (*_SHOWN.values(), "\r", "\u2028", "\u2029"))
        self.setReadOnly(fixed)
        if long:
            why = self.tr("A long text is edited in Explore")
        elif fixed:
            why = self.tr("A text with these characters is edited in Explore")
        else:
            why = ""
        self.setToolTip(why)
        shown = text[:LONGEST] + "…" if long else text
        shown = "".join(_SHOWN.get(char, char) for char in shown)
        if shown != self.text():
            self.setText(shown)
            self.setCursorPosition(0 if long else len(shown))

    def _take(self, shown: str) -> None:
        self._given = shown.replace("↵", "\n").replace("→", "\t")
        self.edited.emit(self._given)
