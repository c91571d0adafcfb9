"""The Qt application as all parts that open one make it: names, icon, language."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QLoggingCategory, QTranslator
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from engine.bundled import folder


def make_application(arguments: Sequence[str]) -> QApplication:
    """Make the Qt application with the names that its settings and windows go by."""
    # A font of the list that lacks a script is no news: the next one has it.
    QLoggingCategory.setFilterRules("qt.text.font.db=false")
    QCoreApplication.setOrganizationName("Segscope")
    QCoreApplication.setApplicationName("Segscope")
    application = QApplication(list(arguments))
    QApplication.setDesktopFileName("segscope")
    application.setWindowIcon(QIcon(str(folder() / "icons" / "segscope.svg")))
    return application


def translate(application: QApplication) -> list[QTranslator]:
    """Install the person's language, ours and Qt's own, where there is a translation."""
    installed = []
    places = (
        ("segscope", str(folder() / "translations")),
        ("qtbase", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)),
    )
    for name, place in places:
        translator = QTranslator(application)
        if translator.load(QLocale(), name, "_", place):
            application.installTranslator(translator)
            installed.append(translator)
    return installed
