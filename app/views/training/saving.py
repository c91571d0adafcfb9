"""Where a trained vocabulary and its record are saved: formats, names, dialogs."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from engine.errors import ParameterError
from engine.formats.gpt2 import MERGES, VOCABULARIES
from engine.train.bpe import BpeSettings
from engine.train.kinds import KINDS

ENDINGS = {
    "huggingface": "json",
    "sentencepiece": "model",
    "tiktoken": "tiktoken",
    "gpt2": "json",
    "subword-nmt": "codes",
    "bert": "txt",
    "bytepiece": "model",
}


def format_names(kind: type = BpeSettings) -> dict[str, str]:
    """Return what the formats of a kind are called, the one that holds most first.

    kind: the type of the settings, a key of `engine.train.kinds.KINDS`.
    """

    def tr(text: str) -> str:
        return QCoreApplication.translate("Training", text)

    names = {
        "huggingface": tr("tokenizer.json"),
        "sentencepiece": tr("SentencePiece"),
        "tiktoken": tr("tiktoken ranks"),
        "gpt2": tr("GPT-2 pair"),
        "subword-nmt": tr("subword-nmt codes"),
        "bert": tr("vocab.txt"),
        "bytepiece": tr("BytePiece"),
    }
    return {name: names.get(name, name) for name in KINDS[kind].writers}


def proposal(format_name: str, kind: type = BpeSettings) -> str:
    """Return the name that is proposed for a file of a format."""
    if format_name == "bert":
        return "vocab.txt"
    if format_name == "huggingface":
        return "tokenizer.json"
    return (
        VOCABULARIES[0]
        if format_name == "gpt2"
        else f"{KINDS[kind].name.lower()}.{ENDINGS[format_name]}"
    )


def check_place(path: Path, format_name: str) -> None:
    """Raise `ParameterError` where saving would replace a file that nobody was asked about.

    The dialog asks for the file that is named; the other one of GPT-2's pair has the name that
    goes with it.
    """
    if format_name != "gpt2" or path.name not in VOCABULARIES:
        return
    other = path.with_name(MERGES[VOCABULARIES.index(path.name)])
    if other.exists() and not path.exists():
        raise ParameterError(
            f"{other.name} is there already, and would be replaced",
            str(other),
            "choose another folder, or move it away",
        )


def ask(parent: QWidget, title: str, folder: str, name: str, kinds: dict[str, str]) -> Path | None:
    """Ask for a file to write to; kinds: what each ending is called, the usual one first."""
    dialog = QFileDialog(parent, title, folder)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    filters = {f"{words} (*.{ending})": ending for ending, words in kinds.items()}
    dialog.setNameFilters(list(filters))
    dialog.setDefaultSuffix(next(iter(kinds)))
    dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix(filters[chosen]))
    dialog.selectFile(name)
    try:
        if not dialog.exec():
            return None
        return Path(dialog.selectedFiles()[0])
    finally:
        dialog.deleteLater()
