"""Messages above the workspace: errors, warnings and hints, without a dialog in the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.icons import paint_icon
from app.theme import Theme
from app.widgets.icon_button import IconButton

Severity = Literal["error", "warning", "info"]
LIMIT = 3


@dataclass(frozen=True)
class Message:
    """What is said. key: a newer message of the same key takes its place.

    what, where, remedy: a sentence each. detail: shown and copied on request. action: a button's
    words and what it does. dismissed: called when the person closes the message.
    """

    severity: Severity
    what: str
    where: str = ""
    remedy: str = ""
    detail: str = ""
    key: str = ""
    action: tuple[str, Callable[[], object]] | None = None
    dismissed: Callable[[], object] | None = field(default=None, compare=False)


class Banners(QWidget):
    """The newest messages, one under the other; Esc in one closes it."""

    def __init__(
        self, theme: Theme, show_detail: Callable[[Message], object], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme, self._show_detail = theme, show_detail
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.setAccessibleName(self.tr("Messages"))
        self.hide()

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages on show, oldest first."""
        return tuple(banner.message for banner in self.banners)

    @property
    def banners(self) -> list[Banner]:
        items = [self._column.itemAt(i) for i in range(self._column.count())]
        widgets = [item.widget() for item in items if item is not None]
        return [widget for widget in widgets if isinstance(widget, Banner)]

    def say(self, message: Message) -> None:
        """Show a message under the others."""
        for banner in self.banners:
            if banner.message == message or (message.key and banner.message.key == message.key):
                self._remove(banner)
        while len(self.banners) >= LIMIT:
            self._remove(self.banners[0])
        banner = Banner(message, self._theme)
        banner.close_button.clicked.connect(lambda: self._dismiss(banner))
        banner.detail_button.clicked.connect(lambda: self._show_detail(message))
        self._column.addWidget(banner)
        self.show()

    def withdraw(self, key: str) -> None:
        """Take back the message of a key."""
        for banner in self.banners:
            if banner.message.key == key:
                self._remove(banner)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        focused = self.focusWidget()
        if event.key() == Qt.Key.Key_Escape and focused is not None:
            for banner in self.banners:
                if banner.isAncestorOf(focused):
                    self._dismiss(banner)
                    return
        super().keyPressEvent(event)

    def _dismiss(self, banner: Banner) -> None:
        self._remove(banner)
        if banner.message.dismissed is not None:
            banner.message.dismissed()

    def _remove(self, banner: Banner) -> None:
        self._column.removeWidget(banner)
        banner.hide()
        banner.deleteLater()
        self.setVisible(self._column.count() > 0)


class Banner(QWidget):
    """One message: its mark, what, where and remedy, and what can be done."""

    def __init__(self, message: Message, theme: Theme) -> None:
        super().__init__()
        self.message, self._theme = message, theme
        words = {
            "error": self.tr("Error"),
            "warning": self.tr("Warning"),
            "info": self.tr("Hint"),
        }[message.severity]
        what = QLabel(message.what)
        what.setProperty("role", "title")
        rest = "\n".join(part for part in (message.where, message.remedy) if part)
        column = QVBoxLayout()
        column.setSpacing(2)
        column.addWidget(what)
        self.labels = [what]
        if rest:
            more = QLabel(rest)
            more.setProperty("role", "second")
            column.addWidget(more)
            self.labels.append(more)
        for label in self.labels:
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setAccessibleName(f"{words}: {message.what}. {rest}")
        self.detail_button = QPushButton(self.tr("Details…"))
        self.detail_button.setVisible(bool(message.detail))
        self.close_button = IconButton("close", self.tr("Close this message (Esc)"), theme, 16)
        row = QHBoxLayout(self)
        row.setContentsMargins(48, 8, 12, 9)
        row.setSpacing(8)
        row.addLayout(column, 1)
        if message.action is not None:
            text, call = message.action
            self.action_button = QPushButton(text)
            self.action_button.clicked.connect(lambda _=False: call())
            row.addWidget(self.action_button)
        row.addWidget(self.detail_button)
        row.addWidget(self.close_button)
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        token = {"error": "error", "warning": "warning", "info": "ink2"}[self.message.severity]
        painter.fillRect(self.rect(), theme.color("panel"))
        painter.fillRect(0, 0, 3, self.height(), theme.color(token))
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme.color("line"))
        mark = QRectF(16, self.height() / 2 - 10, 20, 20)
        paint_icon(painter, self.message.severity, mark, theme.color(token))
