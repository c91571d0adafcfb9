"""What one step of a training run did, in words and figures."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.counts import counted
from app.models.training import piece_text
from app.recording import MergeRow, Recording, RoundRecording
from app.widgets.report import Facts, Heading, Line, Lines, Part, Section, Sentence, code
from engine.train.wordpiece import WordPieceSettings

TIES_SHOWN = 500
"""Tied pairs that are listed at most."""

TIES = "ties"
"""The link that asks for the tied pairs."""

Pairs = list[tuple[bytes, bytes]]


def tr(text: str) -> str:
    return QCoreApplication.translate("Training", text)


def step_parts(
    recording: Recording, done: int, ties: Pairs | None = None, *, askable: bool = False
) -> tuple[Part, ...]:
    """Return what is told of the last of so many merges.

    ties: the whole tie set where it is known. askable: it can be asked for.
    """
    curve = recording.curve
    figures = Facts(
        (
            (tr("Vocabulary"), counted(int(curve.size[done]), "piece")),
            (tr("Corpus"), counted(int(curve.tokens[done]), "token")),
            (tr("Bytes a token"), f"{curve.ratio[done]:.3f}"),
        )
    )
    if not done:
        words = tr("Before the first merge every word is cut into base symbols.")
        return (Heading(tr("Start")), Sentence(words), figures)
    row = recording.rows[done - 1]
    left, right = piece_text(row.left), piece_text(row.right)
    heading = Heading(f"{left} + {right}", tr("Step {n}").format(n=f"{done:,}"), pieces=True,
                      result=piece_text(row.piece))  # fmt: skip
    parts: list[Part] = [heading, Sentence(_why(recording, row)), figures]
    if row.rival is not None:
        one, other = map(piece_text, row.rival)
        words = counted(row.rival_count, "time")
        parts += [Section(tr("Runner-up")), Lines((Line("", f"{one} + {other}", words),))]
    parts += _ties(row, ties, askable=askable)
    return tuple(parts)


def round_parts(recording: RoundRecording, done: int) -> tuple[Part, ...]:
    """Return what is told of the last of so many rounds."""
    if not done:
        words = tr("Before the first round there is no vocabulary yet.")
        return (Heading(tr("Start")), Sentence(words))
    row = recording.rows[done - 1]
    rows = [
        (tr("Vocabulary"), counted(row.pieces, "piece")),
        (tr("Corpus"), counted(row.tokens, "token")),
        (tr("Bytes a token"), f"{row.ratio:.3f}"),
    ]
    if row.objective is not None:
        rows.append((tr("Objective"), tr("{n} nats a word").format(n=f"{row.objective:.4f}")))
    parts: list[Part] = [Heading(tr("Round {n}").format(n=f"{row.number:,}"))]
    dropped = recording.rows[done - 2].pieces - row.pieces if done > 1 else 0
    if dropped > 0:
        words = tr("{n} fewer than after the round before.")
        parts.append(Sentence(words.format(n=counted(dropped, "piece"))))
    return (*parts, Sentence(round_sentences()[row.name]), Facts(tuple(rows)))


def round_sentences() -> dict[str, str]:
    """Return what rounds do, by their names; those of Unigram have none."""
    return {
        "": tr(
            "EM fitted the probabilities of these pieces to the corpus. The next round goes on "
            "with fewer: those are dropped without which the corpus is hardly less likely."
        ),
        "cut": tr(
            "A language model of byte n-grams cut the corpus where it is best cut. All that came "
            "of it is a piece as yet."
        ),
        "rare": tr("Pieces that are too rare went; what they stood for is cut into others."),
        "prune": tr("Pieces that the others cut better, by their probabilities, went."),
        "cap": tr("The most frequent pieces stayed, as many as were asked for."),
        "encode": tr("The whole corpus is cut with the pieces that are left."),
    }


def _why(recording: Recording, row: MergeRow) -> str:
    """Return why this pair merged."""
    names = {"left": code(piece_text(row.left)), "right": code(piece_text(row.right))}
    names["times"] = counted(row.count, "time")
    if not row.ties:
        return tr("{left} and {right} were given as a merge to begin with.").format(**names)
    settings = recording.settings
    names["rule"] = recording.merges.tie_break
    if isinstance(settings, WordPieceSettings) and settings.select == "likelihood":
        words = tr(
            "{left} and {right} stood side by side {times}. For two symbols as frequent as these "
            "that is more, by the quotient of the counts, than for any other pair."
        )
        if row.ties > 1:
            words = tr(
                "{left} and {right} stood side by side {times}. By the quotient of the counts "
                "{others} did as well as these; the tie rule {rule} chose."
            )
        return words.format(others=counted(row.ties - 1, "other pair"), **names)
    if row.ties == 1:
        return tr(
            "{left} and {right} stood side by side {times}, more often than any other pair, so "
            "they became one piece."
        ).format(**names)
    return tr(
        "{left} and {right} stood side by side {times}, as often as {others}. Of these the tie "
        "rule {rule} chose them, and they became one piece."
    ).format(others=counted(row.ties - 1, "other pair"), **names)


def _ties(row: MergeRow, ties: Pairs | None, *, askable: bool) -> list[Part]:
    if row.ties < 2:
        return []
    title = Section(tr("{n} pairs were as good").format(n=f"{row.ties:,}"))
    if ties is None:
        if not askable:
            return [title, Sentence(tr("They can be listed when the run is over."), "ink2")]
        return [title, Lines((Line("", tr("List them all"), link=TIES),), plain=True)]
    lines = [Line("", f"{piece_text(a)} + {piece_text(b)}") for a, b in ties[:TIES_SHOWN]]
    more = len(ties) - len(lines)
    parts: list[Part] = [title, Lines(tuple(lines))]
    if more > 0:
        parts.append(Sentence(tr("and {n} more").format(n=f"{more:,}"), "ink2"))
    return parts
