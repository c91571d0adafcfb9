"""`train ALGORITHM`: a vocabulary learnt from texts, written as a model file."""

from __future__ import annotations

from engine.commands import train_bpe, train_bytepiece, train_unigram, train_wordpiece
from engine.commands.common import Parser, Subparsers
from engine.commands.training import add_algorithm

ALGORITHMS = (
    train_bpe.BPE,
    train_wordpiece.WORDPIECE,
    train_unigram.UNIGRAM,
    train_bytepiece.BYTEPIECE,
)


def add(subparsers: Subparsers) -> None:
    """Add the command, with a command of its own for each algorithm."""
    about = "train a vocabulary from texts"
    parser: Parser = subparsers.add_parser(
        "train",
        help=about,
        description="Train a vocabulary from texts.",
        epilog="ALGORITHM --help says more.",
        allow_abbrev=False,
    )
    algorithms = parser.add_subparsers(
        metavar="ALGORITHM", dest="algorithm", required=True, parser_class=Parser
    )
    for algorithm in ALGORITHMS:
        add_algorithm(algorithms, algorithm)
