"""What a person sets in the Sampling workspace: text, methods, θ, seed, and the draws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.session import Session
from app.theme import Theme
from app.views.examples import Example, ExamplesButton
from app.views.explore.theta import ThetaControl
from app.views.sampling.bulk import BulkDialog
from app.views.sampling.choosing import DropoutControl, MethodsButton
from app.views.sampling.methods import (
    WITHOUT_REPLACEMENT,
    Settings,
    library_note,
    settings_of,
)
from app.widgets.integer_field import IntegerField
from app.widgets.text_line import TextLine
from engine.dropout import MAXMATCH_DROPOUT
from engine.sampler import SamplingSettings
from engine.scene_fields import as_integer, as_number

MANY = 1000
LARGEST_SIZE, LARGEST_SET = 1024, 64
SIDE = 12
NARROW = 820
"""Width under which less is written in the first row."""

LARGEST_SEED = 2**63 - 1


class Controls(QWidget):
    """Rows of settings. Text, θ and seed go to the session; the rest is asked for by signals."""

    methods_changed = Signal(tuple)
    settings_changed = Signal()
    """The drop probability, ℓ or k."""

    draw_chosen = Signal(int)
    """Number of the draw to show, from 1."""

    more_wanted = Signal(int)
    again_wanted = Signal()
    stop_wanted = Signal()

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._theme = session, theme
        self.text_line = TextLine(theme)
        self.count = QLabel()
        self.count.setProperty("role", "second")
        self.methods = MethodsButton()
        examples = (
            Example(
                self.tr("Three equal cuts, and v1 gets one wrong: watching"),
                "toy-watching",
                "watching",
            ),
            Example(self.tr("Four cuts with laws worked out by hand: abc"), "toy-abc", "abc"),
            Example(self.tr("A sentence over bytes: 今天天气不错"), "toy-weather", "今天天气不错"),
            Example(self.tr("Merges dropped: lower"), "toy-lower", "lower"),
            Example(self.tr("Pieces dropped: watching"), "everyday-wordpiece", "watching"),
        )
        self.examples = ExamplesButton(session, self.tr("Examples of sampling"), examples)
        self.bulk = self._button(
            self.tr("Sample in bulk…"), self.tr("Many draws of the text or of a corpus, as a file")
        )
        self.bulk_dialog: BulkDialog | None = None
        self.theta = ThetaControl(session)
        self.dropout = DropoutControl(SamplingSettings.dropout)
        self.nbest_size = IntegerField(1, LARGEST_SIZE, self.tr("ℓ, the number of best paths"))
        self.nbest_size.set_value(SamplingSettings.nbest_size)
        self.set_size = IntegerField(1, LARGEST_SET, self.tr("k, segmentations in a set"))
        self.set_size.set_value(Settings.set_size)
        self.lost = QLabel()
        self.lost.setProperty("role", "second")
        self.libraries = QLabel("ⓘ")
        self.libraries.setAccessibleName(self.tr("What the libraries call these settings"))
        self.seed = IntegerField(-LARGEST_SEED, LARGEST_SEED, self.tr("Seed"))
        self.draw = IntegerField(1, 1, self.tr("Draw that is shown"))
        self.one = self._button(self.tr("Draw one"), self.tr("One more draw (R)"))
        self.many = self._button(self.tr("Draw 1,000"), self.tr("1,000 more draws (Shift+R)"))
        self.again = self._button(
            self.tr("Draw again"), self.tr("Draw as many again at the present θ and seed")
        )
        self.stop = self._button(self.tr("Stop"), self.tr("Keep what is drawn so far"))
        self.again.hide()
        self.stop.hide()
        self._compose()
        self.text_line.edited.connect(session.set_text)
        self.seed.entered.connect(lambda seed: session.change_settings(seed=seed))
        self.methods.changed.connect(self.methods_changed)
        self.dropout.changed.connect(self.settings_changed)
        self.nbest_size.entered.connect(self.settings_changed)
        self.set_size.entered.connect(self.settings_changed)
        self.draw.entered.connect(self.draw_chosen)
        self.one.clicked.connect(lambda: self.more_wanted.emit(1))
        self.many.clicked.connect(lambda: self.more_wanted.emit(MANY))
        self.again.clicked.connect(self.again_wanted)
        self.bulk.clicked.connect(self.sample_in_bulk)
        self.stop.clicked.connect(self.stop_wanted)
        session.text_changed.connect(self._show_text)
        session.settings_changed.connect(self._show_seed)
        self._show_text()
        self._show_seed()

    @staticmethod
    def _button(text: str, tip: str) -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(tip)
        return button

    def _compose(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(SIDE, 6, SIDE, 6)
        column.setSpacing(6)
        first = QHBoxLayout()
        first.setSpacing(12)
        first.addWidget(self.text_line, 1)
        first.addWidget(self.count)
        first.addWidget(self.examples)
        first.addWidget(self.methods)
        first.addWidget(self.bulk)
        column.addLayout(first)
        law = self._law = QHBoxLayout()
        law.setSpacing(8)
        for control in (self.theta, self.dropout, self.libraries):
            law.addWidget(control)
        law.addStretch(1)
        second = self._draws = QHBoxLayout()
        second.setSpacing(8)
        for text, box in ((self.tr("Seed"), self.seed), (self.tr("Draw"), self.draw)):
            label = QLabel(text)
            label.setProperty("role", "second")
            label.setBuddy(box)
            second.addWidget(label)
            second.addWidget(box)
        for button in (self.one, self.many, self.again, self.stop):
            second.addWidget(button)
        second.addStretch(0)
        self._rows = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._rows.setSpacing(6)
        self._rows.addLayout(law, 1)
        self._rows.addLayout(second)
        column.addLayout(self._rows)
        third = QHBoxLayout()
        third.setSpacing(8)
        self._size_name = QLabel(self.tr("ℓ, best paths to choose from"))
        self._size_name.setBuddy(self.nbest_size)
        self._set_name = QLabel(self.tr("k, segmentations in a set"))
        self._set_name.setBuddy(self.set_size)
        for widget in (
            self._size_name, self.nbest_size, self.lost, self._set_name, self.set_size
        ):  # fmt: skip
            third.addWidget(widget)
        third.addStretch(1)
        column.addLayout(third)

    def sample_in_bulk(self) -> BulkDialog:
        """Show the dialog of sampled texts in bulk, with the last of the methods; there is one."""
        if self.bulk_dialog is None:
            self.bulk_dialog = BulkDialog(self._session, self._theme, self.settings, self)
            self.settings_changed.connect(self.bulk_dialog.refresh)
        dialog, shown = self.bulk_dialog, self.bulk_dialog.isVisible()
        dialog.show()
        if not shown and self.methods.chosen:
            dialog.choose_method(self.methods.chosen[-1])
        dialog.activateWindow()
        return dialog

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < NARROW
        self._arrange()
        self.methods.write_names(not narrow)
        # The menu has it too.
        self.bulk.setVisible(not narrow)

    def _arrange(self) -> None:
        """Put the draws beside the settings of the law, under them where there is no room."""
        wanted = sum(row.sizeHint().width() for row in (self._law, self._draws))
        beside = wanted + self._rows.spacing() <= self.width() - 2 * SIDE
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._rows.setDirection(across if beside else down)

    def settings(self) -> Settings:
        """Return what is set."""
        theta, p = self._session.settings.theta, self.dropout.value()
        return Settings(theta, p, self.nbest_size.value(), self.set_size.value())

    def kept(self) -> dict[str, Any]:
        """Return what a scene keeps: the drop probability, ℓ and k."""
        sizes = {"nbest_size": self.nbest_size.value(), "set_size": self.set_size.value()}
        return {"dropout": self.dropout.value(), **sizes}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Show the drop probability, ℓ and k that a scene holds."""
        p = as_number(state.get("dropout"))
        size, k = (as_integer(state.get(name)) for name in ("nbest_size", "set_size"))
        if k is not None and 1 <= k <= LARGEST_SET:
            self.set_size.set_value(k)
        if p is not None and 0 <= p <= 1:
            self.dropout.set_value(p)
        if size is not None and 1 <= size <= LARGEST_SIZE:
            self.nbest_size.set_value(size)

    def show_settings(self, kinds: tuple[str, ...], *, law: bool) -> None:
        """Show the settings that the methods read, and what libraries call them."""
        read = settings_of(kinds)
        self.theta.setVisible(law or "theta" in read)
        self.dropout.setVisible("dropout" in read)
        self.dropout.name_end(merging=MAXMATCH_DROPOUT not in kinds)
        for widget in (self._size_name, self.nbest_size, self.lost):
            widget.setVisible("nbest_size" in read)
        for widget in (self._set_name, self.set_size):
            widget.setVisible(WITHOUT_REPLACEMENT in kinds)
        note = library_note(kinds, self.settings())
        self.libraries.setVisible(bool(note))
        self.libraries.setToolTip(note)
        self.libraries.setAccessibleDescription(note)
        self._arrange()

    def show_lost(self, lost: float | None) -> None:
        """Say how much of the law n-best sampling loses, None where it isn't drawn by."""
        text = self.tr("loses {share} of the law")
        self.lost.setText("" if lost is None else text.format(share=f"{lost:.2%}"))

    def show_running(self, running: bool) -> None:
        """Offer to stop while draws are being made."""
        self.stop.setVisible(running)
        self.many.setVisible(not running)
        self._arrange()

    def show_stale(self, stale: bool) -> None:
        """Offer to draw again where the sample belongs to another θ or seed."""
        self.again.setVisible(stale)
        self.one.setEnabled(not stale)
        self.many.setEnabled(not stale)
        self._arrange()

    def _show_text(self) -> None:
        self.text_line.show_text(self._session.text.string)

    def _show_seed(self) -> None:
        self.seed.set_value(self._session.settings.seed)
