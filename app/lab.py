"""The small lab for the window: the lesson's words, step by step, and its work for a job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication

from app.counts import counted
from app.draw.isolate import isolate
from app.recording import Recording, look_at
from app.widgets.keyvalue import Fact
from engine.display import is_text, visible
from engine.lab import MERGES, Lab
from engine.train.save import save

TRAIN, READ, ENCODE, DECODE, CHECK, RATIO = range(6)
"""The steps."""

NAME = "small-lab"


def tr(text: str) -> str:
    return QCoreApplication.translate("Lab", text)


class Words(NamedTuple):
    """What is said of a step: its name, what is done and why, and what to notice."""

    title: str
    explanation: str
    notice: str


def titles() -> tuple[str, ...]:
    """Return the names of the steps."""
    return (
        tr("Train {n}").format(n=counted(MERGES, "merge")),
        tr("Read the merges"),
        tr("Encode a text"),
        tr("Decode the ids"),
        tr("Check the round trip"),
        tr("Read the compression ratio"),
    )


def words_of(step: int, lab: Lab | None) -> Words:
    """Return what is said of a step. lab: what the lesson has made, if it has."""
    explanation = (
        tr(
            "Byte pair encoding (BPE) begins with the 256 bytes, so that it can write any text. It "
            "cuts the text into words, counts which two symbols stand side by side most often, "
            "makes one symbol of them, and does so again. Change the text if you like, then train."
        ),
        tr(
            "Each row is a merge, in the order in which it was learnt: two neighbours and the "
            "piece that they became. Of pairs that are equally frequent a tie rule chooses. ␣ is a "
            "space. Choose a row to read why it was merged."
        ),
        tr(
            "Each word of the new text starts as bytes again, and the merges are done in the order "
            "in which they were learnt. Type a word of your own, then play to watch it merge."
        ),
        tr(
            "A model sees the ids alone. To decode them, write the bytes that each id stands for "
            "one after the other, and read them as UTF-8."
        ),
        tr(
            "A tokenizer should lose nothing: what was encoded must come back when it is decoded, "
            "to the byte."
        ),
        tr(
            "Bytes a token tell how much text a token holds: 1 without any merge, more with "
            "merges. A model pays for each token, so a higher ratio is cheaper."
        ),
    )[step]
    return Words(titles()[step], explanation, "" if lab is None else _NOTICES[step](lab))


def _of_training(lab: Lab) -> str:
    learnt = len(lab.trained.merges)
    if learnt < MERGES:
        words = tr("Only {n} were learnt: no further pair stands in the text twice.")
        return words.format(n=counted(learnt, "merge"))
    return tr("The vocabulary grew by one piece a merge, and none of the 256 bytes was given up.")


def _of_merges(lab: Lab) -> str:
    if not len(lab.trained.merges):
        return tr("No pair stands in this text twice, so there is no merge to read.")
    first = lab.first_merges[0]
    words = tr(
        "The first pair stood in the text {times}. The counts never rise from row to row, and a "
        "piece of one row may be a half of a later one: so long pieces grow."
    )
    return words.format(times=counted(first["count"], "time"))


def _of_tokens(lab: Lab) -> str:
    encoding = lab.encoding
    words = tr(
        "{bytes} became {tokens}. Words like those of the text that was trained on need few."
    )
    said = words.format(
        bytes=counted(encoding.text.n_bytes, "byte"), tokens=counted(len(encoding), "token")
    )
    if any(not is_text(token.bytes) for token in encoding.tokens):
        said += " " + tr("Hatched bricks are bytes of characters for which there is no merge.")
    return said


def _of_decoding(lab: Lab) -> str:
    if any(not is_text(token.bytes) for token in lab.encoding.tokens):
        return tr("Some tokens are no character by themselves: only together are their bytes one.")
    return tr("Spaces are part of the pieces, so nothing has to be put between them.")


def _of_the_check(lab: Lab) -> str:
    if lab.comes_back:
        return tr(
            "It came back because bytes lie underneath and nothing was changed before the merges. "
            "A tokenizer that makes all letters small, say, could not do this."
        )
    return tr("It did not come back: the decoded text is another one.")


def _of_the_ratio(lab: Lab) -> str:
    if lab.ratio < lab.corpus_ratio:
        return tr(
            "Your text compresses less than the one that was trained on: its words are less like "
            "it. Go back and encode other words, or train on another text, and compare."
        )
    return tr(
        "Your text compresses as well as the one that was trained on, or better. Try words of "
        "another language and compare."
    )


_NOTICES = (_of_training, _of_merges, _of_tokens, _of_decoding, _of_the_check, _of_the_ratio)


# Figures


def training_facts(lab: Lab) -> list[Fact]:
    """Return what was trained on, and what came out."""
    words = lab.trained.words
    parts = (
        counted(len(lab.lines), "line"),
        counted(words.n_bytes, "byte"),
        tr("different words: {n}").format(n=f"{len(words):,}"),
    )
    learnt = len(lab.trained.merges)
    total = tr("{pieces} = 256 bytes + {merges}")
    total = total.format(pieces=counted(lab.trained.size, "piece"), merges=counted(learnt, "merge"))
    return [Fact(tr("Text"), " · ".join(parts)), Fact(tr("Vocabulary"), total, bold=True)]


def encoding_facts(lab: Lab) -> list[Fact]:
    """Return the tokens of the text and their ids."""
    tokens = " | ".join(isolate(visible(token.bytes)) for token in lab.encoding.tokens)
    return [
        Fact(tr("Tokens"), tokens, piece=True),
        Fact(tr("Ids"), " ".join(map(str, lab.encoding.ids.tolist())), piece=True),
    ]


def check_facts(lab: Lab) -> list[Fact]:
    """Return the text, what it was decoded to, and whether they are the same."""
    verdict = tr("✓ The same, to the byte") if lab.comes_back else tr("✗ Not the same")
    return [
        Fact(tr("Your text"), lab.text, piece=True),
        Fact(tr("Decoded"), lab.decoded, piece=True),
        Fact(tr("Round trip"), verdict, bold=True),
    ]


def ratio_facts(lab: Lab) -> list[Fact]:
    """Return bytes, tokens and their quotient for both texts."""
    corpus = _ratio(lab.trained.words.n_bytes, lab.trained.n_tokens)
    return [
        Fact(tr("Trained on"), corpus),
        Fact(tr("Your text"), _ratio(lab.encoding.text.n_bytes, len(lab.encoding)), bold=True),
    ]


def _ratio(n_bytes: int, n_tokens: int) -> str:
    if not n_tokens:
        return tr("no token")
    words = tr("{bytes} ÷ {tokens} = {ratio} bytes a token")
    return words.format(
        bytes=counted(n_bytes, "byte"), tokens=counted(n_tokens, "token"),
        ratio=f"{n_bytes / n_tokens:.2f}",
    )  # fmt: skip


def token_rows(lab: Lab) -> list[tuple[str, str, str]]:
    """Return id, bytes and characters of each token."""
    return [
        (str(token.id), token.bytes.hex(" ").upper(), isolate(visible(token.bytes)))
        for token in lab.encoding.tokens
    ]


# Work


def lines_of(text: str) -> Sequence[str]:
    """Return a text's lines as a corpus has them: without what is behind the last line's end."""
    return text.removesuffix("\n").split("\n")


def with_text(lab: Lab, text: str) -> Lab:
    """Return the same lab with another text encoded, and decoded again."""
    new = replace(lab, encoding=lab.model.encode(text))
    _ = new.decoded
    return new


def recording_of(lab: Lab) -> Recording:
    """Return the merges as the training window shows them."""
    recording = Recording(lab.trained.settings)
    recording.add(look_at(lab.trained, 0, MERGES, 1.0, []))
    return recording


def keep(lab: Lab, folder: Path) -> Path:
    """Write the vocabulary to a file of its own in a folder, and return the file.

    The same vocabulary has the same file, and another one never replaces it.
    """
    digest = sha256(repr((lab.trained.merges.base, lab.trained.merges.symbols)).encode())
    path = folder / f"{NAME}-{digest.hexdigest()[:6]}.json"
    folder.mkdir(parents=True, exist_ok=True)
    save(lab.trained, path, "huggingface")
    return path
