"""What a model's file says about itself, warnings first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QCoreApplication, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.counts import counted
from app.draw.isolate import isolate
from app.icons import paint_icon
from app.session import OpenModel
from app.theme import SIZE_DATA, SIZE_INPUT, Theme
from app.views.topbar import draw_letter
from engine.display import visible
from engine.model import ALGORITHM_NAMES

PATTERNS = ("none", "gpt2", "cl100k", "o200k")
SHOWN_SPECIALS = 24
WIDTH = 520

FORMATS = {
    "huggingface": "tokenizer.json (HuggingFace)",
    "sentencepiece": "SentencePiece",
    "tiktoken": "tiktoken ranks",
    "gpt2": "vocabulary (JSON) and merges (GPT-2)",
    "bert": "vocab.txt (BERT)",
    "bytepiece": "BytePiece",
    "subword-nmt": "subword-nmt codes",
}

_CONTRACT = frozenset((
    "path", "format", "algorithm", "vocab_size", "max_id", "holes", "merges", "byte_level",
    "byte_fallback", "special_tokens", "normalizer", "pre_tokenizer", "warnings", "rules",
))  # fmt: skip
"""What `Model.inspect` says of every model; whatever else it says is a setting of the file."""


def facts(info: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what `Model.inspect` says as rows of (name, value), in the card's order."""

    def tr(text: str) -> str:
        return QCoreApplication.translate("ModelCard", text)

    def yes(value: object) -> str:
        return tr("yes") if value else tr("no")

    algorithm = str(info["algorithm"])
    rows = [
        (tr("Algorithm"), ALGORITHM_NAMES.get(algorithm, algorithm)),
        (tr("Format"), FORMATS.get(info["format"], str(info["format"]))),
        (tr("Vocabulary"), counted(info["vocab_size"], "piece")),
        (tr("Highest id"), f"{info['max_id']:,}"),
        (tr("Ids without a piece"), f"{info['holes']:,}"),
    ]
    if info["merges"] is not None:
        rows.append((tr("Merge rules"), f"{info['merges']:,}"))
    rows.append((tr("Byte-level"), yes(info["byte_level"])))
    if info["byte_fallback"] or not info["byte_level"]:
        # To a byte-level model every byte is a symbol, so there is nothing to fall back to.
        rows.append((tr("Byte fallback"), yes(info["byte_fallback"])))
    rows += [
        (tr("Normalizer"), str(info["normalizer"]) or tr("none")),
        (tr("Pre-tokenizer"), str(info["pre_tokenizer"]) or tr("none")),
    ]
    for name, value in info.items():
        if name in _CONTRACT or value in (None, "", [], {}) or name.endswith("_guessed"):
            continue
        shown = _in_words(value, yes)
        if name == "ignore_merges" and value:
            shown = tr("yes: a word that is a piece isn't merged")
        if info.get(f"{name}_guessed"):
            shown = tr("{value} (guessed)").format(value=shown)
        rows.append((name.replace("_", " ").capitalize(), shown))
    return [*rows, (tr("File"), str(info["path"]))]


def _in_words(value: object, yes: Callable[[object], str]) -> str:
    """Return a setting for people: no quotes, brackets or words of a programming language."""
    if isinstance(value, bool):
        return yes(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_in_words(item, yes)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_in_words(item, yes) for item in value)
    return str(value)


class ModelCard(QDialog):
    """About one model. What its file leaves out can be chosen, which opens it anew."""

    choice_made = Signal(int, str, str)
    """Key of the model, keyword of `engine.load` and value."""
    close_wanted = Signal(int)

    def __init__(self, opened: OpenModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.opened, self._theme = opened, theme
        model = opened.model
        info = model.inspect()
        self.setWindowTitle(self.tr("About {name}").format(name=opened.name))
        self.setMinimumWidth(460)
        column = QVBoxLayout()
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(12)
        column.addLayout(self._head())
        self.warnings = [str(text) for text in info["warnings"]]
        for text in self.warnings:
            column.addWidget(_Warning(text, theme))
        if model.format in ("tiktoken", "gpt2"):
            column.addLayout(self._patterns(info))
        if model.format == "bert":
            column.addLayout(self._casings(str(info["casing"])))
        self.rows = facts(info)
        self.rules = [(str(rule["topic"]), str(rule["sentence"])) for rule in info["rules"]]
        told = [(topic.capitalize(), sentence) for topic, sentence in self.rules]
        metrics = self.fontMetrics()
        names = [name for name, _ in (*self.rows, *told)]
        wide = max(metrics.horizontalAdvance(name) for name in names)
        column.addLayout(self._grid(self.rows, wide))
        column.addWidget(self._section(self.tr("Special tokens")))
        column.addWidget(self._specials(info["special_tokens"]))
        column.addWidget(self._section(self.tr("Rules, where libraries disagree")))
        column.addLayout(self._grid(told, wide))
        column.addStretch()
        inside = QWidget()
        inside.setLayout(column)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(inside)
        close = QPushButton(self.tr("Close model"))
        close.clicked.connect(self._close_model)
        done = QPushButton(self.tr("Done"))
        done.setDefault(True)
        done.setProperty("primary", True)
        done.clicked.connect(self.accept)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(20, 12, 20, 12)
        buttons.addWidget(close)
        buttons.addStretch()
        buttons.addWidget(done)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scroll, 1)
        line = QFrame()
        line.setFixedHeight(1)
        line.setAutoFillBackground(True)
        line.setBackgroundRole(QPalette.ColorRole.Mid)
        outer.addWidget(line)
        outer.addLayout(buttons)
        self.resize(WIDTH, min(640, inside.heightForWidth(WIDTH) + 60))
        done.setFocus()

    def _head(self) -> QHBoxLayout:
        model = self.opened.model
        name = QLabel(self.opened.name)
        name.setFont(self._theme.font(SIZE_INPUT, bold=True))
        name.setWordWrap(True)
        summary = QLabel(model.summary)
        summary.setProperty("role", "second")
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(_Letter(self.opened, self._theme))
        row.addWidget(name, 1)
        row.addWidget(summary)
        return row

    def _patterns(self, info: dict[str, Any]) -> QHBoxLayout:
        self.pattern = QComboBox()
        names = {"none": self.tr("none: the text is one pre-token")}
        for name in PATTERNS:
            self.pattern.addItem(names.get(name, name), name)
        now = str(info["pre_tokenizer"]) or PATTERNS[0]
        if now not in PATTERNS:
            self.pattern.insertItem(0, now, now)
        self.pattern.setCurrentIndex(max(self.pattern.findData(now), 0))
        self.pattern.setAccessibleName(self.tr("Split pattern"))
        self.pattern.activated.connect(lambda i: self._choose("pattern", self.pattern.itemData(i)))
        return _labelled(QLabel(self.tr("Split &pattern")), self.pattern)

    def _casings(self, now: str) -> QHBoxLayout:
        self.casing = QComboBox()
        self.casing.addItem(self.tr("cased: the text keeps its letters"), "cased")
        self.casing.addItem(self.tr("uncased: lower case, without accents"), "uncased")
        self.casing.setCurrentIndex(self.casing.findData(now))
        self.casing.setAccessibleName(self.tr("Upper and lower case"))
        self.casing.activated.connect(lambda i: self._choose("casing", self.casing.itemData(i)))
        return _labelled(QLabel(self.tr("&Upper and lower case")), self.casing)

    def _choose(self, option: str, value: str) -> None:
        self.choice_made.emit(self.opened.key, option, value)
        self.accept()

    def _close_model(self) -> None:
        self.close_wanted.emit(self.opened.key)
        self.accept()

    def _section(self, text: str) -> QLabel:
        label = QLabel(text)
        label.setProperty("role", "section")
        return label

    def _grid(self, rows: list[tuple[str, str]], wide: int) -> QGridLayout:
        """Return rows of names and values; the names take `wide` pixels, as in the other grid."""
        grid = QGridLayout()
        grid.setColumnMinimumWidth(0, wide)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        for line, (name, value) in enumerate(rows):
            key, shown = QLabel(name), QLabel(_breakable(value))
            key.setProperty("role", "second")
            key.setAlignment(Qt.AlignmentFlag.AlignTop)
            shown.setWordWrap(True)
            shown.setTextFormat(Qt.TextFormat.PlainText)
            shown.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            shown.setAccessibleName(f"{name}: {value}")
            policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
            policy.setHeightForWidth(True)
            shown.setSizePolicy(policy)
            grid.addWidget(key, line, 0)
            grid.addWidget(shown, line, 1)
        return grid

    def _specials(self, tokens: list[dict[str, Any]]) -> QLabel:
        wide = max((len(str(t["id"])) for t in tokens[:SHOWN_SPECIALS]), default=0)
        shown = [
            f"{t['id']:>{wide}}  {isolate(visible(str(t['text']).encode(errors='replace')))}"
            for t in tokens[:SHOWN_SPECIALS]
        ]
        if len(tokens) > SHOWN_SPECIALS:
            more = self.tr("and {count:,} more").format(count=len(tokens) - SHOWN_SPECIALS)
            shown.append(more)
        label = QLabel("\n".join(shown) or self.tr("none"))
        label.setFont(self._theme.piece_font(SIZE_DATA))
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label


def _labelled(label: QLabel, box: QComboBox) -> QHBoxLayout:
    """Return a row of a choice and its label."""
    label.setBuddy(box)
    row = QHBoxLayout()
    row.addWidget(label)
    row.addWidget(box, 1)
    return row


def _breakable(value: str) -> str:
    """Let long paths and patterns break: a label wraps at spaces only."""
    for mark in ("/", "\\", "|", ","):
        value = value.replace(mark, mark + "\u200b")
    return value


class _Letter(QWidget):
    def __init__(self, opened: OpenModel, theme: Theme) -> None:
        super().__init__()
        self._opened, self._theme = opened, theme
        self.setFixedSize(20, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw_letter(painter, self._theme, self._opened, QRectF(0, 0, 20, 20))


class _Warning(QWidget):
    """A warning: its triangle and its sentence."""

    def __init__(self, text: str, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        label = QLabel(text[:1].upper() + text[1:])
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setAccessibleName(text)
        row = QHBoxLayout(self)
        row.setContentsMargins(38, 8, 12, 8)
        row.addWidget(label)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme.color("canvas"))
        painter.fillRect(0, 0, 3, self.height(), theme.color("warning"))
        mark = QRectF(11, self.height() / 2 - 9, 18, 18)
        paint_icon(painter, "warning", mark, theme.color("warning"))
