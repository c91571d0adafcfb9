"""The training window as its tests open it."""

from __future__ import annotations

from app.training import Trainer
from app.views.training import TrainingWindow


def open_training(qtbot, session, theme):
    """Return the window, shown, with its trainer as `trainer`."""
    trainer = Trainer(session.jobs)
    window = TrainingWindow(session, trainer, theme)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    window.trainer = trainer
    return window
