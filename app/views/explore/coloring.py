"""What the colours of the tokens follow: the choice, and the words that say so."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.session import Session
from app.theme import SIZE_NOTE, Theme
from app.widgets.segmented import SegmentedControl

HEIGHT = 22


class ColoringControl(QWidget):
    """Chooses between colours by position and by identity."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        label = QLabel(self.tr("Colour by"))
        label.setProperty("role", "note")
        label.setFont(theme.font(SIZE_NOTE))
        self.choice = SegmentedControl(
            [("position", self.tr("Position")), ("identity", self.tr("Identity"))], theme, HEIGHT
        )
        self.choice.setAccessibleName(self.tr("What the colours of tokens follow"))
        self.choice.button("position").setToolTip(self.tr("Four colours in turn part neighbours"))
        self.choice.button("identity").setToolTip(
            self.tr("The same token has the same colour wherever it stands")
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(label)
        row.addWidget(self.choice)
        self.choice.changed.connect(lambda color: session.change_settings(color=color))
        session.settings_changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        self.choice.set_value(self._session.settings.color)

    def brief(self) -> str:
        """Return what a colour means now, in few words."""
        if self._session.settings.color == "identity":
            return self.tr("Same token, same colour.")
        return self.legend()

    def legend(self) -> str:
        """Return what a colour means now."""
        if self._session.settings.color == "identity":
            return self.tr(
                "Same token: same colour and underline; beside itself, another underline."
            )
        return self.tr("Colours in turn, by position.")
