"""What stands above the rows of bricks: the word, what happens in words, and a what-if."""

from __future__ import annotations

import html

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.counts import counted
from app.draw.isolate import isolate
from app.session import OpenModel, Session
from app.theme import SIZE_DATA, SIZE_INPUT, SIZE_PIECE, Theme
from app.views.examples import Example, ExamplesButton
from app.widgets.elided import ElidedLabel
from app.widgets.report import MARK
from app.widgets.text_line import TextLine

SIDE, GAP = 16, 16
LEAST = 120
"""Width that a word has in any case."""


class TopRow(QWidget):
    """The text, which word of it is shown, and the examples."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text_line = TextLine(theme)
        self.note = QLabel()
        self.note.setProperty("role", "second")
        examples = (
            Example(self.tr("Order decides: “e r” before “w e” in lower"), "toy-lower", "lower"),
            Example(self.tr("One word under three rules: there"), "toy-there", "there"),
            Example(self.tr("A Korean word as bytes: 한국어"), "everyday-bpe", "한국어"),
            Example(self.tr("An emoji as bytes: 👍"), "everyday-bpe", "👍"),
            Example(self.tr("The longest piece first: watching"), "everyday-wordpiece", "watching"),
        )
        self.examples = ExamplesButton(session, self.tr("Examples of merging"), examples)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 16, 6)
        row.setSpacing(12)
        row.addWidget(self.text_line, 1)
        row.addWidget(self.note)
        row.addWidget(self.examples)
        self.text_line.edited.connect(session.set_text)

    def place(self, pretoken: int, words: int, shown: int, total: int) -> None:
        """Say which of the words it is. shown, total: bytes that were followed, and that are."""
        note = self.tr("word {n} of {count}")
        if shown < total:
            note = self.tr("word {n} of {count} in the first {shown} bytes")
        self.note.setText(
            note.format(n=f"{pretoken + 1:,}", count=f"{words:,}", shown=f"{shown:,}")
        )


class Head(QWidget):
    """The word and its counts, and a sentence on the step at hand."""

    def __init__(self, theme: Theme, legend: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = ElidedLabel(
            theme, size=SIZE_PIECE, pieces=True, mode=Qt.TextElideMode.ElideMiddle
        )
        self.summary = ElidedLabel(theme, size=SIZE_DATA, token="ink2")
        self.legend = QLabel(legend)
        self.legend.setProperty("role", "note")
        self.story = StoryLine(theme)
        row = QHBoxLayout()
        row.setSpacing(GAP)
        row.addWidget(self.title)
        row.addWidget(self.summary)
        row.addStretch(1)
        row.addWidget(self.legend)
        column = QVBoxLayout(self)
        column.setContentsMargins(SIDE, 10, SIDE, 4)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self.story)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._share()

    def _share(self) -> None:
        """Let a long word leave its counts the room that they need."""
        legend = self.legend.sizeHint().width() if self.legend.isVisibleTo(self) else 0
        left = self.width() - legend - self.summary.sizeHint().width() - 2 * SIDE - 3 * GAP
        self.title.setMaximumWidth(max(left, LEAST))

    def say(self, word: str, steps: str, tokens: int, opened: OpenModel | None) -> None:
        """Name the word, how many steps it takes, what comes of it, and the model."""
        self.title.setText(isolate(word))
        self.summary.setText(
            self.tr("{steps}, {tokens} · {letter} {model}").format(
                steps=steps,
                tokens=counted(tokens, "token"),
                letter=opened.letter if opened else "",
                model=opened.name if opened else "",
            )
        )
        self._share()

    def clear(self, summary: str = "") -> None:
        """Show no word."""
        self.title.setText("")
        self.summary.setText(summary)
        self.story.tell("")


class StoryLine(QLabel):
    """A sentence in which what `code` made of a piece is in the font of pieces.

    Room for two lines is kept, so that the picture under it stays where it is.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._told = theme, ""
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._show)
        self._show()

    @property
    def told(self) -> str:
        """The sentence as plain text."""
        return self._told.replace(MARK, "")

    def tell(self, sentence: str) -> None:
        """Show another sentence."""
        if sentence != self._told:
            self._told = sentence
            self._show()

    def sizeHint(self) -> QSize:
        return QSize(200, round(SIZE_INPUT * 1.45) * 2 + 2)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def hasHeightForWidth(self) -> bool:
        return False

    def _show(self) -> None:
        families = ",".join(f"'{name}'" for name in self._theme.piece_font().families())
        style = f"font-family:{families}; font-weight:600"
        parts = self._told.split(MARK)
        shown = "".join(
            f'<span style="{style}">{html.escape(part)}</span>' if i % 2 else html.escape(part)
            for i, part in enumerate(parts)
        )
        self.setFont(self._theme.font(SIZE_INPUT))
        # A sentence runs as the interface does, whatever script its first piece is in.
        way = "rtl" if self.layoutDirection() == Qt.LayoutDirection.RightToLeft else "ltr"
        self.setText(f'<p dir="{way}" style="margin:0">{shown}</p>')
        self.setAccessibleName(self.told)


class WhatIfBar(QWidget):
    """Says that what is shown isn't the model as it is, and leads back."""

    back_wanted = Signal()
    next_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.mark = QLabel(self.tr("What if"))
        self.mark.setProperty("role", "title")
        self.label = ElidedLabel(theme)
        self.label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.next = QPushButton(self.tr("Next word that changes"))
        self.back = QPushButton(self.tr("Back to the model as it is"))
        self.next.clicked.connect(self.next_wanted)
        self.back.clicked.connect(self.back_wanted)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 6, 16, 6)
        row.setSpacing(12)
        row.addWidget(self.mark)
        row.addWidget(self.label, 1)
        row.addWidget(self.next)
        row.addWidget(self.back)
        self.hide()
        theme.changed.connect(self.update)

    def say(self, text: str, changes: bool) -> None:
        """Show what is changed; changes: some word of the text comes out otherwise."""
        self.label.setText(text)
        self.next.setVisible(changes)
        self.setVisible(bool(text))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), self._theme
        painter.fillRect(self.rect(), theme.color("selection"))
        pen = QPen(theme.color("ink"), 2)
        pen.setDashPattern([4, 3])
        painter.setPen(pen)
        painter.drawLine(QRectF(self.rect()).bottomLeft(), QRectF(self.rect()).bottomRight())
