"""The stages in words: titles, counts, tips, and what came back of the text."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from app.counts import counted
from app.draw.isolate import isolate
from app.views.explore.pipeline_work import PipelineWork, Staged, change_words
from engine.changes import Change
from engine.display import hexadecimal, visible
from engine.round_trip import Cause, cause_name

SPOKEN = 40
"""Pieces of a stage that the accessible description names."""


def tr(text: str) -> str:
    """Translate a text of this pane."""
    return QCoreApplication.translate("Pipeline", text)


def titles() -> tuple[str, str, str, str, str]:
    """Return the names of the rows: the text as given and the stages."""
    return (
        tr("Text as given"),
        tr("Normalizer"),
        tr("Pre-tokenizer"),
        tr("Model"),
        tr("Decoder"),
    )


def rule_words(staged: Staged, row: int) -> str:
    """Return the rule of a row's stage as the model's file has it."""
    model = staged.stages.model
    if row == 1:
        return model.pipeline.normalizer or tr("none")
    if row == 2:
        return model.pipeline.pre_tokenizer or tr("none")
    return ""


def count_words(staged: Staged, row: int) -> str:
    """Return what a row holds, with its number."""
    stages = staged.stages
    if row == 0:
        return counted(staged.shown, "byte")
    if row == 2:
        return counted(len(stages.pre_tokenizer), "pre-token")
    if row == 3:
        return counted(len(stages.tokens), "token")
    if row == 4:
        return tr("text came back") if stages.exact else tr("not the same text")
    return ""


def cause_words(staged: Staged, cause: Cause) -> str:
    """Return why something didn't come back."""
    if cause == "extra_spaces" and staged.stages.model.format == "sentencepiece":
        return cause_name(staged.stages, cause)
    return {
        "unknown": tr("unknown to the vocabulary"),
        "special": tr("special or added tokens"),
        "extra_spaces": tr("extra spaces removed"),
        "normalizer": tr("normalizer"),
        "pre_tokenizer": tr("left out by the pre-tokenizer"),
        "dropped": tr("no piece and no unknown token"),
        "decoder": tr("decoder"),
    }[cause]


def round_trip_words(staged: Staged) -> str:
    """Return in a sentence whether the text came back, and what was lost by design."""
    if staged.stages.exact:
        words = tr("Round trip exact")
    else:
        parts = [
            f"{cause_words(staged, cause)} ({count:,})"
            for cause, count in staged.causes.most_common()
        ]
        words = tr("Round trip not exact. Lost by design: {causes}").format(causes=", ".join(parts))
    if staged.shown < staged.text.n_bytes:
        part = tr("of the first {shown:,} of {total:,} bytes")
        words += " · " + part.format(shown=staged.shown, total=staged.text.n_bytes)
    return words


def not_applied_words(settings: Sequence[str]) -> str:
    """Return which settings of the model's file aren't applied: padding, truncation or both."""
    if "padding" not in settings:
        return tr("Not applied, though the file has it: truncation")
    if "truncation" not in settings:
        return tr("Not applied, though the file has it: padding")
    return tr("Not applied, though the file has them: padding and truncation")


def describe_piece(staged: Staged, number: int, i: int) -> str:
    """Return what a piece of a stage is, in one line."""
    stage, stages = staged.stages.all[number], staged.stages
    start, end = int(stage.source_start[i]), int(stage.source_end[i])
    label = isolate(staged.labels[number][i])
    before = isolate(visible(stages.text.encoded[start:end]))
    parts = []
    if start == end or staged.same[number][i]:
        parts.append(label)
    else:
        parts.append(tr("{before} → {after}").format(before=before, after=label))
    words = change_words(Change(stage.change[i]))
    if words:
        parts.append(words)
    if stage.name == "model":
        parts.append(tr("id {id}").format(id=int(stage.piece[i])))
        data = stages.model.vocabulary.bytes(int(stage.piece[i]))
        parts.append(tr("bytes {bytes}").format(bytes=hexadecimal(data)))
    elif stage.name == "pre_tokenizer" and stages.written(i):
        parts.append(tr("in the byte alphabet {text}").format(text=stages.written(i)))
    if end > start:
        parts.append(tr("from bytes {start}–{end}").format(start=start, end=end))
    else:
        parts.append(tr("from nothing, before byte {start}").format(start=start))
    return "   ".join(parts)


def spoken(work: PipelineWork) -> str:
    """Return the whole picture in words."""
    staged = work.staged
    if staged is None:
        return work.problem or tr("Nothing to show yet.")
    lines = [round_trip_words(staged)]
    for row, stage in enumerate(staged.stages.all, start=1):
        labels = staged.labels[row - 1]
        shown = " ".join(labels[:SPOKEN]) if row in (2, 3) else "".join(labels[:SPOKEN])
        more = " …" if len(labels) > SPOKEN else ""
        words = ", ".join(p for p in (rule_words(staged, row), count_words(staged, row)) if p)
        lines.append(f"{titles()[row]} ({words}): {shown}{more}")
        if len(stage.lost):
            lines.append(
                tr("Left out: {stretches}").format(stretches=counted(len(stage.lost), "stretch"))
            )
    return "\n".join(lines)
