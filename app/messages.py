"""Errors, scene captions and missing fonts, put into the banners."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from app import errors
from app.fonts import FontWatch
from app.settings import Preferences
from app.theme import Theme
from app.views.banner import Banners, Message, Severity
from app.views.error_dialog import ErrorDialog

OF_TEXT = "text: "
"""What the keys of messages about the current text begin with."""


class Messages(QObject):
    """Says things to the person; owns the `banners`."""

    def __init__(
        self, theme: Theme, preferences: Preferences, fonts: FontWatch, window: QWidget
    ) -> None:
        super().__init__(window)
        self._theme, self._preferences, self._fonts = theme, preferences, fonts
        self._window = window
        self.banners = Banners(theme, self.show_detail)
        fonts.missing_changed.connect(self._say_fonts)

    def error(
        self,
        error: BaseException,
        doing: str = "",
        severity: Severity = "error",
        *,
        of_text: bool = False,
    ) -> None:
        """Say what went wrong, where, and what to do; of_text: it goes with the text."""
        fault = errors.describe(error, doing)
        if not fault.expected:
            errors.LOG.error("%s", fault.what, exc_info=error)
        key = f"{OF_TEXT}{doing}" if of_text else ""
        self.banners.say(
            Message(severity, fault.what, fault.where, fault.remedy, fault.detail, key)
        )

    def kept_aside(self, copy: Path | None) -> None:
        """Say where the last session is kept with what is missing of it now."""
        if copy is not None:
            what = self.tr("The last session is open without its missing models")
            remedy = self.tr("It is kept whole in this file, which opens as a scene")
            self.banners.say(Message("info", what, str(copy), remedy))

    def forget_text(self) -> None:
        """Take back what was said of the text before."""
        for message in self.banners.messages:
            if message.key.startswith(OF_TEXT):
                self.banners.withdraw(message.key)

    def caption(self, title: str, text: str) -> None:
        """Say what a scene shows; an empty text takes the last caption away."""
        if text:
            self.banners.say(Message("info", title, text, key="scene"))
        else:
            self.banners.withdraw("scene")

    def show_detail(self, message: Message) -> None:
        """Show a message in full, to read and to copy."""
        explanation = "\n".join(part for part in (message.where, message.remedy) if part)
        dialog = ErrorDialog(message.what, explanation, message.detail, self._theme, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _say_fonts(self) -> None:
        for package, scripts in self._fonts.missing.items():
            if package in self._preferences.fonts_hidden:
                continue
            what = self.tr("This system has no font for {scripts}: boxes stand for its characters")
            remedy = self.tr("On Debian and Ubuntu the package {package} brings one; then restart")
            self.banners.say(
                Message(
                    "info",
                    what.format(scripts=", ".join(scripts)),
                    remedy=remedy.format(package=package),
                    key=f"fonts {package}",
                    dismissed=partial(self._preferences.fonts_hidden.append, package),
                )
            )
