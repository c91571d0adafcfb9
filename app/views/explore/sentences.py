"""Sentences for the engine's explanations, in the window's language."""

from __future__ import annotations

import math

from PySide6.QtCore import QCoreApplication

from engine.display import visible
from engine.explain import Explanation, GivenReason, MatchReason, MergeReason, ScoreReason

LONGEST = 40


def title(reason: Explanation, on_path: bool) -> str:
    """Return the question that the sentence answers."""
    if isinstance(reason, ScoreReason):
        if on_path:
            return QCoreApplication.translate("Explanation", "Why is it on the best path?")
        return QCoreApplication.translate("Explanation", "Why is it not on the best path?")
    if on_path:
        return QCoreApplication.translate("Explanation", "Why is it a token here?")
    return QCoreApplication.translate("Explanation", "Why is it not a token here?")


def sentence(reason: Explanation) -> str:
    """Return the reason, before any bricks."""
    if isinstance(reason, ScoreReason):
        return _score(reason)
    if isinstance(reason, MergeReason):
        return _merge(reason)
    if isinstance(reason, MatchReason):
        return _match(reason)
    return _given(reason)


def consequence(reason: Explanation) -> str:
    """Return what the numbers of the bricks come to; empty where there are none."""
    if not isinstance(reason, ScoreReason) or math.isnan(reason.gap):
        return ""
    if reason.kind == "tie":
        return QCoreApplication.translate(
            "Explanation",
            "The scores are equal. Of equal paths the one whose edge starts first at a node wins.",
        )
    if reason.theta == 1:
        words = QCoreApplication.translate(
            "Explanation", "A gap of {gap:.3f} nats: the best path is {ratio} times as likely."
        )
    else:
        words = QCoreApplication.translate(
            "Explanation",
            "A gap of {gap:.3f} nats: at θ = {theta:g} the best path is {ratio} times as likely.",
        )
    return words.format(gap=reason.gap, ratio=times(reason.ratio), theta=reason.theta)


def times(ratio: float) -> str:
    """Return a ratio with three figures, large ones in powers of ten."""
    if not math.isfinite(ratio):
        return QCoreApplication.translate("Explanation", "more than 10³⁰⁰")
    if ratio < 1000:
        return f"{ratio:.2f}"
    return f"{ratio:,.0f}" if ratio < 1e7 else f"{ratio:.2e}"


def _score(reason: ScoreReason) -> str:
    if reason.kind == "only":
        return QCoreApplication.translate(
            "Explanation", "Every segmentation uses it: nothing else covers this stretch."
        )
    if reason.kind == "unused":
        return QCoreApplication.translate(
            "Explanation", "No segmentation uses it: the text around it can't be covered."
        )
    if reason.kind == "best":
        words = QCoreApplication.translate(
            "Explanation",
            "Over “{stretch}” the best path scores more than the best way without it:",
        )
    elif reason.kind == "tie":
        words = QCoreApplication.translate("Explanation", "Two ways to cut “{stretch}” tie:")
    else:
        words = QCoreApplication.translate(
            "Explanation", "Over “{stretch}” the best path scores more than the best way with it:"
        )
    return words.format(stretch=_stretch(reason))


def _stretch(reason: ScoreReason) -> str:
    """Return the text over which two paths differ, a long one shortened in its middle."""
    edges = reason.best if len(reason.best) else reason.other
    text = visible(b"".join(reason.lattice.bytes(edge) for edge in edges.tolist()))
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}…{text[-LONGEST // 2 :]}"


def _given(reason: GivenReason) -> str:
    if reason.kind == "added":
        return QCoreApplication.translate(
            "Explanation", "It is an added token: it is cut out before the model sees the text."
        )
    if reason.kind == "found":
        return QCoreApplication.translate(
            "Explanation", "It is a piece of the vocabulary; the model looks it up whole."
        )
    if reason.kind == "not_found":
        return QCoreApplication.translate(
            "Explanation", "The model looks it up whole, and it is no piece, so it is unknown."
        )
    if reason.kind == "uncovered":
        return QCoreApplication.translate(
            "Explanation", "No segmentation uses it: around it the text can't be covered."
        )
    return QCoreApplication.translate(
        "Explanation",
        "No piece matches this character and there is no unknown token, so it is left out.",
    )


def _match(reason: MatchReason) -> str:
    winner = visible(reason.lattice.bytes(reason.winner)) if reason.winner >= 0 else ""
    if reason.kind == "longest":
        return QCoreApplication.translate(
            "Explanation", "It is the longest piece that matches here; the longest always wins."
        )
    if reason.kind == "longer":
        words = QCoreApplication.translate(
            "Explanation", "{winner} starts here too and is longer; the longest always wins."
        )
    elif reason.kind == "passed":
        words = QCoreApplication.translate(
            "Explanation", "No token starts here: {winner} already covers this place."
        )
    else:
        words = QCoreApplication.translate(
            "Explanation",
            "{winner} can't be cut into pieces to its end, so the word is unknown as a whole.",
        )
    return words.format(winner=winner)


def _merge(reason: MergeReason) -> str:
    def name(piece: int) -> str:
        return visible(reason.lattice.vocabulary.bytes(piece)) if piece >= 0 else "?"

    words = {
        "merged": QCoreApplication.translate(
            "Explanation",
            "Rule {rank:,} makes it from {left} + {right}, and no rule joins it to a neighbour.",
        ),
        "symbol": QCoreApplication.translate(
            "Explanation", "It is a first symbol, and no rule joins it to a neighbour in time."
        ),
        "whole": QCoreApplication.translate(
            "Explanation", "The pre-token is a piece of the vocabulary, so it is taken whole."
        ),
        "absorbed": QCoreApplication.translate(
            "Explanation",
            "It stood there, but then rule {by:,} joined {by_left} + {by_right} to {made}.",
        ),
        "overtaken": QCoreApplication.translate(
            "Explanation",
            "{left} + {right} has rank {rank:,}. By the time it could act, {taken} was taken: "
            "rule {by:,} came first and made {made}.",
        ),
        "never_formed": QCoreApplication.translate(
            "Explanation",
            "It needs {left} + {right} (rank {rank:,}), which never stood side by side: rule "
            "{by:,}, {by_left} + {by_right}, came first and made {made}.",
        ),
        "other_way": QCoreApplication.translate(
            "Explanation", "Even when it stands alone, its text is merged to {alone}."
        ),
        "no_rule": QCoreApplication.translate("Explanation", "No rule makes it."),
        "undone": QCoreApplication.translate(
            "Explanation",
            "Merging makes it, but the vocabulary filter doesn't hold it: it is taken apart.",
        ),
        "restored": QCoreApplication.translate(
            "Explanation",
            "It was joined to a neighbour, but the vocabulary filter undoes that merge.",
        ),
    }[reason.kind]
    return words.format(
        rank=reason.rank,
        left=name(reason.left),
        right=name(reason.right),
        by=reason.by_rank,
        by_left=name(reason.by_left),
        by_right=name(reason.by_right),
        made=name(reason.by_result),
        taken=name(reason.taken),
        alone=" | ".join(name(piece) for piece in reason.alone),
    )
