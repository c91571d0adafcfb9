"""The headless commands: what the window shows, printed.

`add_commands` puts them into a parser, `run` parses and runs with the manners that all commands
share: one line for a fault, 2 for bad input, 1 for an unexpected failure, 130 for Ctrl+C.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from engine.commands import (
    boundary,
    coding,
    comparing,
    converting,
    lab,
    lattices,
    merging,
    models,
    sampling,
    staging,
    timing,
    train,
)
from engine.commands.common import Parser, Subparsers
from engine.errors import CHECK_PATH, SegscopeError
from engine.progress import Cancelled
from engine.starting import INTERRUPTED

BAD_INPUT, FAILURE = 2, 1

COMMANDS = (
    models,
    coding,
    staging,
    lattices,
    merging,
    sampling,
    boundary,
    comparing,
    converting,
    timing,
    train,
    lab,
)


def make_parser(prog: str = "python -m engine") -> tuple[Parser, Subparsers]:
    """Return a parser without commands yet, and the place to add them to."""
    parser = Parser(
        prog=prog,
        description="Subword tokenizers on the command line.",
        epilog="COMMAND --help says more.",
        allow_abbrev=False,
    )
    parser.add_argument("--debug", action="store_true", help="show a traceback on failure")
    subparsers = parser.add_subparsers(metavar="COMMAND", parser_class=Parser)
    return parser, subparsers


def add_commands(subparsers: Subparsers) -> None:
    """Add the headless commands; each sets `run` to a function of the parsed arguments."""
    for module in COMMANDS:
        module.add(subparsers)


def run(parser: Parser, argv: Sequence[str] | None = None) -> int:
    """Parse the arguments, run the command and return its exit code."""
    _set_streams()
    debug = False
    try:
        arguments, rest = parser.parse_known_args(argv)
        if rest:
            # Its own help lists the options of a command.
            getattr(arguments, "parser", parser).error(f"unrecognized arguments: {' '.join(rest)}")
        debug = arguments.debug
        if not hasattr(arguments, "run"):
            parser.error("no command is given")
        code = arguments.run(arguments)
        sys.stdout.flush()
        return code or 0
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 0
    except (KeyboardInterrupt, Cancelled):
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone (`| head`): nothing more to say, and nothing to flush at exit.
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    except SegscopeError as error:
        return _fault(str(error), BAD_INPUT, debug)
    except OSError as error:
        where = str(error.filename) if error.filename is not None else ""
        what = error.strerror or type(error).__name__
        return _fault(str(SegscopeError(what, where, CHECK_PATH)), BAD_INPUT, debug)
    except BaseException as error:  # noqa: BLE001 Libraries in Rust panic outside of Exception.
        said = f"an unexpected failure ({type(error).__name__}: {error})"
        return _fault(f"{said}, run it again with --debug and report it", FAILURE, debug)


def _fault(message: str, code: int, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    line = " ".join(message.split())
    with suppress(OSError, ValueError):
        sys.stderr.write(f"segscope: error: {line}\n")
    return code


def _set_streams() -> None:
    r"""Print UTF-8 with `\n` on every system, whatever its locale; nowhere, if that is closed."""
    # A closed stream (`>&-`, or a start without a console) is None.
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 It lasts as long as the process.
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def main(argv: Sequence[str] | None = None, prog: str = "python -m engine") -> int:
    """Run a headless command and return its exit code; `prog` is how it was called."""
    parser, subparsers = make_parser(prog)
    add_commands(subparsers)
    return run(parser, argv)
