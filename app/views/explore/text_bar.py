"""The text under analysis: the field, its size, and the unit of the axis."""

from __future__ import annotations

import re

from PySide6.QtCore import QMimeData, QRectF, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextOption,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.counts import counted
from app.encoding import count_graphemes
from app.jobs import Jobs
from app.session import Session
from app.theme import SIZE_INPUT, Theme
from app.widgets.elided import ElidedLabel
from app.widgets.segmented import SegmentedControl
from app.widgets.space_marks import draw_space_marks
from engine.text import Text

EDIT_LIMIT = 100_000
"""Characters up to which a text is edited in the field; a longer one is shown from its start."""

UNBROKEN_LIMIT = 10_000
"""Characters without a place for a line break that the field can have. Qt tries every place of
such a run for every line, so the time grows with the square of its length."""

HEAD = 5_000
"""Characters that are shown of a text that isn't edited in the field."""

COUNT_LIMIT = 20_000
"""Bytes up to which graphemes are counted at once; beyond it a job counts them."""

COUNT_DELAY = 500
"""Milliseconds after which that job starts: tokens are wanted sooner."""

LINES = 3

# Between the letters of East Asian scripts a line can break anywhere.
_UNBROKEN = re.compile(r"[^\s\u2e80-\u9fff\uac00-\ud7af\uf900-\uffef\U00020000-\U0003ffff]+")


def fits_field(text: str) -> bool:
    """Return whether the field can lay a text out while somebody types."""
    if len(text) <= UNBROKEN_LIMIT:
        return True
    if len(text) > EDIT_LIMIT:
        return False
    return all(len(run.group()) <= UNBROKEN_LIMIT for run in _UNBROKEN.finditer(text))


class TextField(QPlainTextEdit):
    """A field of one line that grows to three; Return leaves it, Shift+Return breaks the line.

    A text that is too long for it is shown from its start, read only: a paste puts another text in
    its place, and so does Delete with nothing. Spaces that would be missed are marked.
    """

    edited = Signal(object)  # a str: as one of Qt it would be copied twice
    left = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setFont(theme.piece_font(SIZE_INPUT))
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(0)
        self.setViewportMargins(9, 5, 9, 5)
        self.textChanged.connect(self._changed)
        self._fit_height()

    def text(self) -> str:
        """Return the text; line ends are U+000A."""
        return self.toPlainText()

    def set_text(self, text: str) -> None:
        """Show a text without announcing it."""
        with QSignalBlocker(self):
            self.setPlainText(text)
        self._fit_height()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        room = QRectF(event.rect())
        painter = QPainter(self.viewport())
        block, color = self.firstVisibleBlock(), self._theme.color("ink3")
        while block.isValid():
            top = self.blockBoundingGeometry(block).translated(self.contentOffset()).topLeft()
            if top.y() > room.bottom():
                break
            draw_space_marks(painter, block.layout(), block.text(), top, room, color)
            block = block.next()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self.insertPlainText("\n")
            else:
                self.left.emit()
            return
        if self.isReadOnly():
            keys = QKeySequence.StandardKey
            if event.matches(keys.Paste):
                self.edited.emit(QGuiApplication.clipboard().text())
                return
            if event.matches(keys.Delete) or event.key() == Qt.Key.Key_Backspace:
                self.edited.emit("")
                return
        super().keyPressEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste or drop a text; one that makes the whole too long passes the field by."""
        pasted = source.text()
        if len(pasted) + self.document().characterCount() > UNBROKEN_LIMIT:
            cursor, text = self.textCursor(), self.text()
            # Qt counts UTF-16 units.
            units = text.encode("utf-16-le")
            start, end = 2 * cursor.selectionStart(), 2 * cursor.selectionEnd()
            before, after = units[:start].decode("utf-16-le"), units[end:].decode("utf-16-le")
            whole = before + pasted + after
            if not fits_field(whole):
                self.edited.emit(whole)
                return
        super().insertFromMimeData(source)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        super().inputMethodEvent(event)
        self._fit_height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_height()

    def _changed(self) -> None:
        self._fit_height()
        self.edited.emit(self.text())

    def _fit_height(self) -> None:
        # The document's height is in lines; a line's own height counts tall scripts in.
        lines = min(max(int(self.document().size().height()), 1), LINES)
        height = QFontMetricsF(self.font()).height()
        first = self.document().firstBlock().layout()
        if first.lineCount():
            height = max(height, first.lineAt(0).height())
        self.setFixedHeight(round(lines * height) + 13)


class TextBar(QWidget):
    """Field, counts and units; edits go to the session at once."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs: Jobs = session.jobs
        self._later = QTimer(self, singleShot=True, interval=COUNT_DELAY)
        self._later.timeout.connect(self._start_counting)
        self.field = TextField(theme)
        self.field.setPlaceholderText(self.tr("Type or paste a text"))
        self.field.setAccessibleName(self.tr("Text"))
        self.counts = ElidedLabel(theme, token="ink2", step=24)
        self.counts.setAccessibleDescription(self.tr("Size of the text"))
        self.note = QLabel()
        self.note.setProperty("role", "second")
        self.note.hide()
        sizes = QVBoxLayout()
        sizes.setSpacing(0)
        sizes.addWidget(self.counts)
        sizes.addWidget(self.note)
        self.units = SegmentedControl(
            [("byte", self.tr("Bytes")), ("grapheme", self.tr("Graphemes"))], theme
        )
        self.units.setAccessibleName(self.tr("Unit of the axis"))
        self.units.set_value("grapheme")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 12, 8)
        row.setSpacing(12)
        row.addWidget(self.field, 1)
        row.addLayout(sizes)
        row.addWidget(self.units)
        self.field.edited.connect(self._edited)
        self.units.changed.connect(lambda unit: session.change_settings(unit=unit))
        session.text_changed.connect(self._text_changed)
        session.settings_changed.connect(self._settings_changed)
        self._text_changed()
        self._settings_changed()

    def _edited(self, text: str) -> None:
        # The field turns CR LF into LF: only what a person changes reaches the session.
        self._session.set_text(text)

    def _text_changed(self) -> None:
        text = self._session.text
        shown = text.string
        too_long = not fits_field(shown)
        note = ""
        if too_long:
            shown = shown[:HEAD]
            note = self.tr(
                "Too long to edit here: the first {count:,} characters are shown. "
                "Paste another text in its place, or delete it."
            ).format(count=len(shown))
        # Only what changes: Qt tells of each of these at each key.
        if too_long is not self.field.isReadOnly():
            self.field.setReadOnly(too_long)
        if note != self.field.toolTip():
            self.field.setToolTip(note)
        self.note.setText(self.tr("start shown, not editable"))
        self.note.setVisible(too_long)
        self._describe(shown)
        if self.field.text() != shown.replace("\r\n", "\n").replace("\r", "\n"):
            self.field.set_text(shown)
        self._count(text)

    def _describe(self, shown: str) -> None:
        """Say what the field is, and of the spaces at the ends, which are only marked in it."""
        words = self.tr("The text under analysis. Shift+Return breaks the line.")
        first, last = len(shown) - len(shown.lstrip(" ")), len(shown) - len(shown.rstrip(" "))
        if first or last:
            ends = self.tr("{first} at the start, {last} at the end.")
            ends = ends.format(first=counted(first, "space"), last=counted(last, "space"))
            words = f"{words} {ends}"
        self.field.setAccessibleDescription(words)

    def _count(self, text: Text) -> None:
        self._jobs.cancel("graphemes")
        self._later.stop()
        if text.n_bytes <= COUNT_LIMIT:
            self._show_counts(text, text.n_graphemes)
            return
        self.counts.setText(counted(text.n_bytes, "byte"))
        self._later.start()

    def _start_counting(self) -> None:
        text = self._session.text

        def done(graphemes: int) -> None:
            if text is self._session.text:
                self._show_counts(text, graphemes)

        self._jobs.start(
            "graphemes",
            self.tr("Counting graphemes"),
            lambda report: count_graphemes(text, report),
            done,
            lambda error: None,  # the bytes stay on show
        )

    def _show_counts(self, text: Text, graphemes: int) -> None:
        parts = counted(graphemes, "grapheme"), counted(text.n_bytes, "byte")
        self.counts.setText(" · ".join(parts))

    def _settings_changed(self) -> None:
        unit = self._session.settings.unit
        self.units.set_value("byte" if unit == "byte" else "grapheme")
