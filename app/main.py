"""Where Segscope starts: headless commands go to the engine, everything else opens the window."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.starting import interruptible

if TYPE_CHECKING:
    from PySide6.QtCore import QTranslator
    from PySide6.QtWidgets import QApplication


def main(arguments: Sequence[str] | None = None) -> int:
    """Run Segscope and return the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given:
        return run_window([])
    with interruptible():
        from app import render
        from engine.cli import add_commands, make_parser, run

    parser, commands = make_parser("segscope")
    parser.description = "Open the window: segscope [FILE…]. Or, without a window:"
    window = commands.add_parser("open", help="open the window, with files or the last session")
    window.add_argument("files", nargs="*", type=Path, metavar="FILE")
    window.set_defaults(run=lambda parsed: run_window(parsed.files))
    render.add(commands)
    add_commands(commands)
    first = given[0]
    # A name that is neither a command nor a file is rather a file when it has an ending.
    looks_like_file = Path(first).exists() or Path(first).suffix or Path(first).parent != Path()
    if looks_like_file and first not in commands.choices and not first.startswith("-"):
        given.insert(0, "open")
    return run(parser, given)


def run_window(paths: Sequence[Path]) -> int:
    """Open the window with files and run it until it is closed.

    Without a screen it says so in a line: Qt would end the process with a core dump.
    """
    from app.setup import Machine, display_problem, needs_display

    machine = Machine()
    problem = display_problem(machine) if needs_display("run", [], machine) else None
    if problem:
        print(f"segscope: error: {problem}", file=sys.stderr)
        return 2
    with interruptible():
        from app import errors
        from app.garbage import Collector
        from app.jobs import Jobs
        from app.session import Session
        from app.settings import Preferences, data_folder
        from app.stylesheet import dress
        from app.theme import Theme
        from app.window import Window

        # A thread that works hands the lock to the window this soon; Python's own choice is 5 ms.
        sys.setswitchinterval(0.001)
        application = make_application(sys.argv[:1])
        translators = translate(application)
        close_log = errors.open_log(data_folder())
        errors.log_qt()
        uncaught = errors.Uncaught()
        uncaught.install()
        from PySide6.QtCore import QSettings

        preferences = Preferences.read(QSettings())
        theme = Theme(preferences.theme)
        theme.reduce_motion(preferences.reduced_motion)
        dress(application, theme)
        jobs, background = Jobs(), Jobs(workers=1)
        session = Session(jobs)
        window = Window(session, theme, preferences, background)
        uncaught.happened.connect(window.messages.error)
        collector = Collector(application)
        session.models_changed.connect(collector.settle)
        background.changed.connect(collector.settle)
        window.painted.connect(lambda: window.begin(paths))
        window.painted.connect(window.warm_up)
        window.show()

        def interrupted(number: int, _frame: object) -> None:
            window.close()
            application.exit(128 + number)

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, interrupted)
    try:
        return application.exec()
    finally:
        jobs.shutdown()
        background.shutdown()
        collector.stop()
        uncaught.uninstall()
        close_log()
        del translators


def make_application(arguments: Sequence[str]) -> QApplication:
    """Make the Qt application with the names that its settings and windows go by."""
    from PySide6.QtCore import QCoreApplication, QLoggingCategory
    from PySide6.QtGui import QIcon
    from PySide6.QtWidgets import QApplication

    # A font of the list that lacks a script is no news: the next one has it.
    QLoggingCategory.setFilterRules("qt.text.font.db=false")
    QCoreApplication.setOrganizationName("Segscope")
    QCoreApplication.setApplicationName("Segscope")
    application = QApplication(list(arguments))
    QApplication.setDesktopFileName("segscope")
    application.setWindowIcon(QIcon(str(_resources() / "icons" / "segscope.svg")))
    return application


def translate(application: QApplication) -> list[QTranslator]:
    """Install the person's language, ours and Qt's own, where there is a translation."""
    from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator

    installed = []
    places = (
        ("segscope", str(_resources() / "translations")),
        ("qtbase", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)),
    )
    for name, folder in places:
        translator = QTranslator(application)
        if translator.load(QLocale(), name, "_", folder):
            application.installTranslator(translator)
            installed.append(translator)
    return installed


def _resources() -> Path:
    from importlib.resources import files

    return Path(str(files("resources")))


if __name__ == "__main__":
    sys.exit(main())
