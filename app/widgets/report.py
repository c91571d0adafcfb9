"""An inspector's text: headings, facts, rows and sentences, in the theme's fonts and colours."""

from __future__ import annotations

import html
import time
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from app.draw.isolate import isolate
from app.theme import SIZE_BODY, SIZE_DATA, SIZE_INSPECTOR, SIZE_NOTE, Theme

MARK = "\x01"
"""Stands around what is in the font of pieces, inside a sentence."""


def code(text: str) -> str:
    """Return a piece as it stands in a sentence."""
    return f"{MARK}{isolate(text)}{MARK}"


@dataclass(frozen=True)
class Heading:
    """What the report is about. small: the line above. pieces: in the font of pieces."""

    text: str
    small: str = ""
    pieces: bool = False
    result: str = ""


@dataclass(frozen=True)
class Section:
    """A part with its own small title, under a line."""

    title: str


@dataclass(frozen=True)
class Facts:
    """Names with values; a value in the font of pieces where its name is in `mono`."""

    rows: tuple[tuple[str, str], ...]
    mono: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Line:
    """One of several candidates: mark, text in the font of pieces, value at the right.

    token: the colour of mark and text. link: given by `followed` when it is clicked.
    """

    mark: str
    text: str
    value: str = ""
    token: str = "ink"
    bold: bool = False
    link: str = ""
    note: str = ""


@dataclass(frozen=True)
class Lines:
    """Candidates, one under the other. plain: in the interface font."""

    lines: tuple[Line, ...]
    plain: bool = False


@dataclass(frozen=True)
class Sentence:
    """A sentence. What `code` made of it is in the font of pieces."""

    text: str
    token: str = "ink"


@dataclass(frozen=True)
class Table:
    """Columns with a head; the first column is text, the others are numbers."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Part = Heading | Section | Facts | Lines | Sentence | Table

CLOSE = (Facts, Lines, Sentence, Table)
"""Parts that keep a distance from each other; the others bring their own."""

SOON = 30
"""Milliseconds after which a report with a rest shows other parts at first."""

GAP = '<p style="margin:0; font-size:6px">&nbsp;</p>'


class Report(QTextBrowser):
    """Shows parts; text can be selected and links followed, also by keyboard.

    rest: milliseconds at least from one text to the next, for a report that follows a player: to
    lay out a text takes longer than a frame. Other parts are then shown a little later, and those
    that are superseded meanwhile never. 0: at once.
    """

    followed = Signal(str)

    def __init__(
        self, theme: Theme, name: str, parent: QWidget | None = None, *, rest: int = 0
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._parts: tuple[Part, ...] = ()
        self._rest, self._shown = rest / 1000, 0.0
        self._later = QTimer(self, singleShot=True)
        self._later.timeout.connect(self._show)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("quiet", True)
        self.setAccessibleName(name)
        self.setOpenLinks(False)
        self.setMinimumWidth(260)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(12)
        # A sentence runs as the interface does, whatever script its first piece is in.
        option = self.document().defaultTextOption()
        option.setTextDirection(self.layoutDirection())
        self.document().setDefaultTextOption(option)
        self.anchorClicked.connect(self._follow)
        theme.changed.connect(self._show)

    @property
    def parts(self) -> tuple[Part, ...]:
        return self._parts

    def set_parts(self, parts: tuple[Part, ...]) -> None:
        """Show other parts; the place scrolled to stays."""
        if parts != self._parts:
            self._parts = parts
            if not self._rest:
                self._show()
            elif not self._later.isActive():
                left = self._shown + self._rest - time.monotonic()
                self._later.start(max(SOON, round(1000 * left)))

    def _follow(self, url: QUrl) -> None:
        self.followed.emit(url.toString())

    def _show(self) -> None:
        self._shown = time.monotonic()
        bar = self.verticalScrollBar()
        at = bar.value()
        body = ""
        for before, part in zip((None, *self._parts), self._parts, strict=False):
            if isinstance(before, CLOSE) and isinstance(part, CLOSE):
                body += GAP
            body += self._part(part)
        font = self._theme.font(SIZE_BODY)
        if self.document().defaultFont() != font:
            self.document().setDefaultFont(font)
        ink = self._theme.color("ink").name()
        self.setHtml(f'<div style="color:{ink}">{body}</div>')
        bar.setValue(at)

    # Parts as HTML

    def _part(self, part: Part) -> str:
        if isinstance(part, Heading):
            return self._heading(part)
        if isinstance(part, Section):
            return self._section(part.title)
        if isinstance(part, Facts):
            return self._facts(part)
        if isinstance(part, Lines):
            return self._lines(part)
        if isinstance(part, Table):
            return self._table(part)
        color = self._theme.color(part.token).name()
        return f'<p style="margin:0 0 4px 0; color:{color}">{self._marked(part.text)}</p>'

    def _color(self, token: str) -> str:
        return self._theme.color(token).name()

    def _span(
        self, text: str, size: int, token: str, mono: bool = False, bold: bool = False
    ) -> str:
        font = self._theme.piece_font(size) if mono else self._theme.font(size)
        family = ",".join(f"'{name}'" for name in font.families())
        weight = 600 if bold else 400
        style = (
            f"font-family:{family}; font-size:{size}px; color:{self._color(token)};"
            f" font-weight:{weight}"
        )
        return f'<span style="{style}">{html.escape(text)}</span>'

    def _marked(self, text: str) -> str:
        parts = text.split(MARK)
        return "".join(
            self._span(part, SIZE_DATA + 1, "ink", mono=True) if i % 2 else html.escape(part)
            for i, part in enumerate(parts)
        )

    def _heading(self, part: Heading) -> str:
        out = ""
        if part.small:
            small = self._span(part.small, SIZE_NOTE, "ink2", bold=True)
            out += f'<p style="margin:0 0 4px 0">{small}</p>'
        size = SIZE_INSPECTOR if part.pieces and len(part.text + part.result) < 18 else 18
        text = self._span(part.text, size, "ink", mono=part.pieces, bold=not part.pieces)
        if part.result:
            text += self._span(" → ", size, "ink3")
            text += self._span(part.result, size, "best", mono=True, bold=True)
        return f'{out}<p style="margin:0 0 8px 0">{text}</p>'

    def _section(self, title: str) -> str:
        line = self._color("line")
        return (
            '<table width="100%" cellspacing="0" cellpadding="0" style="margin-top:8px;'
            f' border-collapse:collapse"><tr><td style="border-top:1px solid {line};'
            f' padding-top:10px; padding-bottom:6px">'
            f"{self._span(title, SIZE_NOTE, 'ink2', bold=True)}</td></tr></table>"
        )

    def _facts(self, part: Facts) -> str:
        rows = ""
        for name, value in part.rows:
            shown = self._span(value, SIZE_BODY, "ink", mono=name in part.mono)
            rows += (
                f'<tr><td style="padding:2px 16px 2px 0">{self._span(name, SIZE_DATA, "ink2")}'
                f'</td><td style="padding:2px 0">{shown}</td></tr>'
            )
        return f'<table cellspacing="0" cellpadding="0">{rows}</table>'

    def _lines(self, part: Lines) -> str:
        rows = ""
        indent = 20 if any(line.mark for line in part.lines) else 0
        for line in part.lines:
            mark = self._span(line.mark, SIZE_BODY, line.token)
            text = self._span(line.text, SIZE_BODY, line.token, mono=not part.plain, bold=line.bold)
            if line.link:
                text = f'<a href="{line.link}" style="text-decoration:none">{text}</a>'
            if line.note:
                text += "<br/>" + self._span(line.note, SIZE_NOTE, "ink3")
            value = self._span(line.value, SIZE_BODY, line.token, bold=line.bold)
            rows += (
                f'<tr><td width="{indent}" style="padding:2px 0">{mark}</td>'
                f'<td style="padding:2px 0">{text}</td>'
                f'<td align="right" style="padding:2px 0 2px 8px">{value}</td></tr>'
            )
        return f'<table width="100%" cellspacing="0" cellpadding="0">{rows}</table>'

    def _table(self, part: Table) -> str:
        head = "".join(
            f"{_cell(i)}{self._span(text, SIZE_NOTE, 'ink2', bold=True)}</td>"
            for i, text in enumerate(part.head)
        )
        rows = ""
        for row in part.rows:
            cells = "".join(
                f"{_cell(i)}{self._span(text, SIZE_DATA, 'ink' if i else 'ink2')}</td>"
                for i, text in enumerate(row)
            )
            rows += f"<tr>{cells}</tr>"
        return f'<table width="100%" cellspacing="0" cellpadding="0"><tr>{head}</tr>{rows}</table>'


def _cell(column: int) -> str:
    """Return the tag that begins a cell: text at the left, numbers at the right."""
    if column == 0:
        return '<td style="padding:2px 0">'
    return '<td align="right" style="padding:2px 0 2px 8px">'
