"""`bench`: how fast the engine is on this machine, beside the peer libraries."""

from __future__ import annotations

import argparse

from engine.commands.common import Subparsers, add_model, new_command


def add(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = new_command(
        subparsers, "bench", "time the engine beside the peer libraries on this machine", run
    )
    add_model(parser, optional=True)
    parser.add_argument("--text", metavar="FILE", help="the UTF-8 text to time with")


def run(arguments: argparse.Namespace) -> None:
    """Print times and ratios."""
    raise NotImplementedError
