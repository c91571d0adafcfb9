"""Choosing sampling methods, and the slider of the drop probability."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QPushButton, QSlider, QWidget

from app.views.sampling.methods import LOOKS, MOST, method_name, method_title

TICKS = 100


class MethodsButton(QPushButton):
    """A menu of methods, up to `MOST` of them checked; the button names those."""

    changed = Signal(tuple)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offered: tuple[str, ...] = ()
        self._chosen: tuple[str, ...] = ()
        self._named = True
        self._menu = QMenu(self)
        self.setMenu(self._menu)
        self.setToolTip(self.tr("Methods to draw by, up to {most} at once").format(most=MOST))

    @property
    def chosen(self) -> tuple[str, ...]:
        """The methods that are checked, in the order of the menu."""
        return self._chosen

    def show_methods(self, offered: tuple[str, ...], chosen: tuple[str, ...]) -> None:
        """Offer methods; `changed` is not emitted."""
        if (offered, chosen) == (self._offered, self._chosen):
            return
        self._offered, self._chosen = offered, chosen
        self._menu.clear()
        for kind in offered:
            action = self._menu.addAction(f"{LOOKS[kind].sign}  {method_title(kind)}")
            action.setCheckable(True)
            action.setChecked(kind in chosen)
            action.setEnabled(kind in chosen or len(chosen) < MOST)
            action.triggered.connect(lambda _=False, kind=kind: self.choose(kind))
        self._write()

    def write_names(self, named: bool) -> None:
        """Write the names of the methods, or their marks alone."""
        if named != self._named:
            self._named = named
            self._write()

    def _write(self) -> None:
        names = ", ".join(f"{LOOKS[kind].sign} {method_name(kind)}" for kind in self._chosen)
        marks = " ".join(LOOKS[kind].sign for kind in self._chosen)
        text = self.tr("Methods: {names}")
        self.setText(text.format(names=names if self._named else marks))
        self.setAccessibleName(text.format(names=names))

    def choose(self, kind: str) -> None:
        """Add a method or take it away; one always stays."""
        wanted = set(self._chosen) ^ {kind}
        chosen = tuple(known for known in self._offered if known in wanted)
        if not 1 <= len(chosen) <= MOST:
            chosen = self._chosen
        offered, self._offered = self._offered, ()  # The menu has unchecked the last one.
        before = self._chosen
        self.show_methods(offered, chosen)
        if chosen != before:
            self.changed.emit(chosen)


class DropoutControl(QWidget):
    """The drop probability p from plain BPE (0) to characters (1)."""

    changed = Signal(float)

    def __init__(self, value: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._low, self._high = QLabel(), QLabel(self.tr("characters"))
        self._number = QLabel()
        for label in (self._low, self._high):
            label.setProperty("role", "note")
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, TICKS)
        self.slider.setFixedWidth(140)
        self.slider.setAccessibleName(self.tr("Drop probability p"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for widget in (QLabel("p"), self._low, self.slider, self._high, self._number):
            row.addWidget(widget)
        self.set_value(value)
        self.name_end(merging=True)
        self.slider.valueChanged.connect(self._slid)

    def value(self) -> float:
        """Return p."""
        return self.slider.value() / TICKS

    def set_value(self, value: float) -> None:
        """Show p; `changed` is not emitted."""
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(value * TICKS))
        self._number.setText(f"{self.value():.2f}")

    def name_end(self, *, merging: bool) -> None:
        """Say what p = 0 is: plain BPE, or plain WordPiece."""
        self._low.setText(self.tr("plain BPE") if merging else self.tr("plain WordPiece"))

    def _slid(self, _tick: int) -> None:
        self._number.setText(f"{self.value():.2f}")
        self.changed.emit(self.value())
