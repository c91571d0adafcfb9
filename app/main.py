"""Where Segscope starts: headless commands go to the engine, everything else opens the window."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.starting import interruptible


def main(arguments: Sequence[str] | None = None) -> int:
    """Run Segscope and return the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given:
        return run_window([])
    with interruptible():
        from app import render
        from engine.cli import add_commands, make_parser, run
        from engine.commands.common import new_command

    parser, commands = make_parser("segscope")
    parser.description = "Open the window: segscope [FILE…]. Or, without a window:"
    window = new_command(
        commands,
        "open",
        "open the window, with files or the last session",
        lambda parsed: run_window(parsed.files),
        prints=False,
    )
    window.add_argument("files", nargs="*", type=Path, metavar="FILE")
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
        from app.application import make_application, translate
        from app.garbage import Collector
        from app.jobs import Jobs
        from app.session import Session
        from app.settings import Preferences, data_folder
        from app.starting import Rest
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
        # Of those that nobody waits for, one may compile for long.
        jobs, background = Jobs(), Jobs(workers=2)
        session = Session(jobs)
        window = Window(session, theme, preferences, background)
        uncaught.happened.connect(window.messages.error)
        collector = Collector(application)
        session.models_changed.connect(collector.settle)
        background.changed.connect(collector.settle)
        window.painted.connect(lambda: window.begin(paths))
        rest = Rest(session, window.workspaces, lambda: window.current, window.warm_up, application)
        window.painted.connect(rest.begin)
        window.show()

        def interrupted(number: int, _frame: object) -> None:
            window.files.leaving = None  # nobody is there to be asked
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


if __name__ == "__main__":
    sys.exit(main())
