"""How special strings in the text are read: a line that is there while the text holds some."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.counts import counted
from app.draw.isolate import isolate
from app.encoding import Reading
from app.session import OpenModel, Session
from app.theme import Theme
from app.widgets.flow import Flow
from app.widgets.segmented import HEIGHT, SegmentedControl
from engine.display import visible

NAMED = 3
"""Different strings that are named; more are counted."""


class SpecialBar(QWidget):
    """Says which special strings there are, lets one choose the reading, tells what each gives."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.found = QLabel()
        self.given = QLabel()
        for label in (self.found, self.given):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setFixedHeight(HEIGHT)  # as tall as the choice beside it
            label.setMinimumWidth(1)  # a long line doesn't widen the window
        self.given.setProperty("role", "second")
        self.choice = SegmentedControl(
            [
                ("literal", self.tr("As text")),
                ("parse", self.tr("As a token")),
                ("forbid", self.tr("Forbidden")),
            ],
            theme,
        )
        self.choice.setAccessibleName(self.tr("Reading of special strings"))
        self.choice.setAccessibleDescription(
            self.tr("As ordinary text, as the token that they spell, or not at all.")
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 0, 12, 8)
        flow = Flow(12)
        for widget in (self.found, self.choice, self.given):
            flow.addWidget(widget)
        column.addLayout(flow)
        self.choice.changed.connect(self._choose)
        session.encoding_changed.connect(lambda _key: self.refresh())
        for signal in (session.models_changed, session.active_changed, session.settings_changed):
            signal.connect(self.refresh)
        self.refresh()

    def _choose(self, reading: str) -> None:
        self._session.change_settings(special=reading)

    def _shown(self) -> tuple[OpenModel, Reading] | None:
        """Return the model whose special strings the text holds: the active one, else the first."""
        session = self._session
        active = session.active
        models = session.models if active is None else (active, *session.models)
        for opened in models:
            reading = session.reading(opened.key)
            if reading is not None and reading.found:
                return opened, reading
        return None

    def refresh(self) -> None:
        """Show what the newest tokens say; a text that is being encoded keeps what is shown."""
        shown = self._shown()
        if shown is None:
            active = self._session.active
            if active is None or self._session.reading(active.key) is not None:
                self.hide()
            return
        opened, reading = shown
        counts = Counter(found.text for found in reading.found)
        named = [
            isolate(visible(text.encode())) + (f" × {count:,}" if count > 1 else "")
            for text, count in counts.most_common(NAMED)
        ]
        if len(counts) > NAMED:
            named.append(self.tr("{count:,} more").format(count=len(counts) - NAMED))
        words = self.tr("Special strings of {name}: {strings}")
        self.found.setText(words.format(name=opened.name, strings=", ".join(named)))
        self.choice.set_value(self._session.settings.special)
        literal, parsed = reading.tokens.get("literal"), reading.tokens.get("parse")
        parts = []
        if literal is not None:
            parts.append(self.tr("as text {tokens}").format(tokens=counted(literal, "token")))
        if parsed is not None:
            parts.append(self.tr("as a token {tokens}").format(tokens=counted(parsed, "token")))
        parts.append(self.tr("forbidden: not encoded"))
        self.given.setText(" · ".join(parts))
        self.given.setToolTip(self.given.text())
        self.show()
