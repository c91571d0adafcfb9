"""What the training view says: the sum of a vocabulary's size, tie rules, how far a run is."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QCoreApplication

from app.counts import Counted, counted
from app.learning import Outcome, Progress
from engine.errors import SegscopeError
from engine.train.bpe import BpeSettings
from engine.train.bytepiece import BytePieceSettings, TrainedBytePiece
from engine.train.merges import LONGEST
from engine.train.unigram import TrainedUnigram, UnigramSettings
from engine.train.wordpiece import WordPieceSettings

BYTES = 256


def tr(text: str) -> str:
    return QCoreApplication.translate("Training", text)


def algorithm_sentences() -> dict[str, str]:
    """Return what each algorithm does, in a sentence."""
    return {
        "bpe": tr("The most frequent pair of neighbours becomes one piece, over and over."),
        "wordpiece": tr(
            "As BPE, but the pair that stands together more often than by chance; pieces inside a "
            "word begin with ##."
        ),
        "unigram": tr(
            "Begins with very many pieces, fits their probabilities, and drops those that are "
            "missed least, round after round."
        ),
        "bytepiece": tr(
            "Cuts the bytes by a language model, counts what comes of it, and drops pieces that "
            "others cut better."
        ),
    }


def sum_line(settings: Any, given: int = 0) -> str:
    """Return what the vocabulary's size is the sum of, before training.

    How many characters a corpus has isn't known then. given: merges to begin with.
    """
    specials = len(settings.specials)
    parts = {"specials": counted(specials, "special token"), "all": counted(settings.size, "piece")}
    if isinstance(settings, UnigramSettings):
        parts["specials"] = counted(_unscored(settings), "special token")
        if settings.byte_fallback:
            words = tr("{specials} + 256 bytes + characters + longer pieces = {all}")
        else:
            words = tr("{specials} + the characters of the corpus + longer pieces = {all}")
        return words.format(**parts)
    if isinstance(settings, BytePieceSettings):
        words = tr("{specials} + {base} + pieces learnt = {all} at most")
        return words.format(base=counted(BYTES, "byte"), **parts)
    if isinstance(settings, BpeSettings) and settings.style == "bytes":
        words = tr("{base} + {merges} + {specials} = {all}")
        merges = max(settings.size - BYTES - specials, 0)
        return words.format(base=counted(BYTES, "byte"), merges=_merges(merges, given), **parts)
    if given:
        words = tr("The characters of the corpus + merges ({n} given) + {specials} = {all}")
        return words.format(n=f"{given:,}", **parts)
    return tr("The characters of the corpus + merges + {specials} = {all}").format(**parts)


def _merges(number: int, given: int) -> str:
    if not given:
        return counted(number, "merge")
    words = tr("{merges} ({n} given)")
    return words.format(merges=counted(number, "merge"), n=f"{given:,}")


def _unscored(settings: UnigramSettings) -> int:
    """Return how many special tokens there are, byte pieces aside."""
    return len(settings.first) - BYTES * settings.byte_fallback


def sum_of(outcome: Outcome) -> str:
    """Return what the size of a trained vocabulary is the sum of."""
    trained = outcome.trained
    settings, whole = trained.settings, counted(trained.size, "piece")
    if isinstance(trained, TrainedUnigram):
        words = tr("{specials} + {characters} + {longer} = {all}")
        if settings.byte_fallback:
            words = tr("{specials} + {bytes} + {characters} + {longer} = {all}")
        longer = trained.size - len(settings.first) - trained.n_characters
        return words.format(
            specials=counted(_unscored(settings), "special token"),
            bytes=counted(BYTES, "byte"),
            characters=counted(trained.n_characters, "character"),
            longer=counted(longer, "longer piece"),
            all=whole,
        )
    if isinstance(trained, TrainedBytePiece):
        specials = len(settings.specials)
        return tr("{specials} + {base} + {learnt} learnt = {all}").format(
            specials=counted(specials, "special token"),
            base=counted(BYTES, "byte"),
            learnt=counted(trained.size - specials - BYTES, "longer piece"),
            all=whole,
        )
    merges = trained.merges
    by_bytes = isinstance(settings, BpeSettings) and settings.style == "bytes"
    return tr("{base} + {merges} + {specials} = {all}").format(
        base=counted(len(merges.base), "byte" if by_bytes else "character"),
        merges=_merges(len(merges), merges.given),
        specials=counted(len(settings.specials), "special token"),
        all=whole,
    )


def corpus_line(outcome: Outcome) -> str:
    """Return what was trained on, and how long that took."""
    words = outcome.trained.words
    if isinstance(outcome.trained, TrainedBytePiece):
        return tr("{lines}, {bytes}; {seconds} s").format(
            lines=counted(words.n_texts, "line"),
            bytes=counted(words.n_bytes, "byte"),
            seconds=f"{outcome.seconds:.1f}",
        )
    return tr("{lines}, {words} ({different} different), {bytes}; {seconds} s").format(
        lines=counted(words.n_texts, "line"),
        words=counted(words.total, "word"),
        different=f"{len(words):,}",
        bytes=counted(words.n_bytes, "byte"),
        seconds=f"{outcome.seconds:.1f}",
    )


def ending(outcome: Outcome) -> str:
    """Return why the vocabulary is smaller than was asked for, "" where it isn't."""
    trained = outcome.trained
    if isinstance(trained, TrainedUnigram):
        if trained.ended == "size":
            return ""
        words = tr("The corpus gives no more: it holds no further piece of at most {characters}.")
        return words.format(characters=counted(trained.settings.longest, "character"))
    if isinstance(trained, TrainedBytePiece):
        whole = trained.size >= trained.settings.size
        return "" if whole else tr("The corpus gives no more: no further piece stays.")
    if trained.merges.ended == "size":
        return ""
    return _no_further_pair(trained.settings)


def _no_further_pair(settings: BpeSettings | WordPieceSettings) -> str:
    """Return why no further pair merges: settings that keep pairs apart are named."""
    unit: Counted = "base symbol" if isinstance(settings, BpeSettings) else "character"
    parts = {"times": counted(settings.least, "time"), "longest": counted(settings.longest, unit)}
    limited = settings.longest < LONGEST
    if isinstance(settings, BpeSettings) and settings.veto is not None:
        words = tr(
            "Nothing more can be learnt: no further pair that occurs {times} or more makes a piece "
            "that the veto lets pass."
        )
        if limited:
            words = tr(
                "Nothing more can be learnt: no further pair that occurs {times} or more makes a "
                "piece of at most {longest} that the veto lets pass."
            )
        return words.format(**parts)
    if limited:
        words = tr(
            "Nothing more can be learnt: no further pair that occurs {times} or more makes a piece "
            "of at most {longest}."
        )
        return words.format(**parts)
    least = settings.least
    if least > 1:
        words = tr("The corpus gives no more: no further pair occurs {n} times.")
        return words.format(n=f"{least:,}")
    return tr("The corpus gives no more: there is no further pair.")


def complaint(error: SegscopeError) -> str:
    """Return what is wrong with the settings, where, and what to do."""
    words = tr("{what}; {where}; {remedy}.")
    if not error.where:
        words = tr("{what}; {remedy}.") if error.remedy else tr("{what}.")
    elif not error.remedy:
        words = tr("{what}; {where}.")
    what = error.what[:1].upper() + error.what[1:]
    return words.format(what=what, where=error.where, remedy=error.remedy)


def stage_line(progress: Progress | None) -> str:
    """Return how far a run is."""
    if progress is None:
        return QCoreApplication.translate("Training", "Starting")
    done, total = f"{progress.done:,}", f"{progress.total:,}"
    if progress.stage == "reading":
        if not progress.total:
            return QCoreApplication.translate("Training", "Reading the corpus")
        return QCoreApplication.translate(
            "Training", "Reading the corpus: {done} of {total} files"
        ).format(done=done, total=total)
    if progress.stage == "counting":
        words = QCoreApplication.translate(
            "Training", "Counting words: {done} of {total} characters"
        )
        return words.format(done=done, total=total)
    if progress.unit == "rounds":
        if not progress.total:
            return tr("Looking for pieces to begin with")
        words = tr("Learning: {done} of about {total} rounds")
        return words.format(done=done, total=total)
    if progress.unit == "bytes":
        if not progress.total:
            return tr("Counting")
        return tr("Cutting: {done} of {total}").format(done=done, total=total)
    if not progress.total:
        return QCoreApplication.translate("Training", "Counting pairs")
    if not progress.done:
        # The kernels that learn are compiled when they are first needed.
        return tr("Getting ready to learn {total} merges: the first time can take a minute").format(
            total=total
        )
    return QCoreApplication.translate("Training", "Learning: {done} of {total} merges").format(
        done=done, total=total
    )


def time_left(seconds: float | None) -> str:
    """Return how much time is left, "" where that is unknown."""
    if seconds is None:
        return ""
    if seconds < 90:
        return QCoreApplication.translate("Training", "about {n} s left").format(
            n=f"{max(round(seconds), 1):,}"
        )
    return QCoreApplication.translate("Training", "about {n} min left").format(
        n=f"{round(seconds / 60):,}"
    )


def tie_sentences() -> dict[str, str]:
    """Return what each tie rule does, and whose it is."""
    return {
        "lexicographic-smallest": QCoreApplication.translate(
            "Training",
            "Of equally frequent pairs the smallest pair of byte strings merges first: the same "
            "vocabulary in every run, whatever the order of the lines.",
        ),
        "lexicographic-largest": QCoreApplication.translate(
            "Training",
            "Of equally frequent pairs the largest pair of byte strings merges first. This is "
            "subword-nmt's rule.",
        ),
        "lowest-ids": QCoreApplication.translate(
            "Training",
            "Of equally frequent pairs the one of the lowest ids merges first, that is of symbols "
            "learnt early. This is the rule of HuggingFace tokenizers and rustbpe.",
        ),
        "shortest-then-smallest": QCoreApplication.translate(
            "Training",
            "Of equally frequent pairs the one that makes the shortest piece merges first, then "
            "the smallest. This is SentencePiece's rule.",
        ),
        "first-seen": QCoreApplication.translate(
            "Training",
            "Of equally frequent pairs the one that stands first in the corpus merges first, so "
            "the order of the lines matters. This is minbpe's rule.",
        ),
    }


def pre_tokenizer_names() -> dict[str, str]:
    """Return what each pre-tokenizer does."""
    return {
        "cl100k": QCoreApplication.translate("Training", "cl100k: GPT-4's pattern"),
        "o200k": QCoreApplication.translate("Training", "o200k: GPT-4o's pattern"),
        "gpt2": QCoreApplication.translate("Training", "gpt2: GPT-2's pattern"),
        "whitespace": QCoreApplication.translate("Training", "whitespace: cut at spaces"),
        "metaspace": QCoreApplication.translate("Training", "metaspace: ▁ before each word"),
        "none": QCoreApplication.translate("Training", "none: whole lines"),
    }
