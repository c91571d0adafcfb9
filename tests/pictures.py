"""Make the pictures of the README again: `python tests/pictures.py`, on a screen or under Xvfb.

They are grabs of the real window at 1440 × 900 over what is bundled, in `resources/pictures`.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.window import Window

PICTURES = ROOT / "resources" / "pictures"
LARGEST = 320_000
"""Bytes that a picture may have: everybody who clones the project loads it."""
PATIENCE = 120.0


def settle(application: QApplication, window: Window) -> None:
    """Let the window work until it has had nothing to do for a while."""
    begun = quiet_since = time.monotonic()
    while time.monotonic() - quiet_since < 1.0:
        application.processEvents()
        if window.session.busy:
            quiet_since = time.monotonic()
        if time.monotonic() - begun > PATIENCE:
            raise SystemExit("the window did not come to rest")
        time.sleep(0.01)


def grab(window: Window, name: str) -> None:
    """Write the window as a picture."""
    path = PICTURES / f"{name}.png"
    window.grab().save(str(path), "PNG", 0)  # the smallest file; a PNG loses nothing
    size = path.stat().st_size
    print(f"{path.relative_to(ROOT)}: {size:,} bytes")
    if size > LARGEST:
        raise SystemExit(f"{path.name} is larger than {LARGEST:,} bytes")


def explore(application: QApplication, window: Window) -> None:
    """Show the sample text with an edge that the best path passes by."""
    window.begin(restore=False)
    settle(application, window)
    session = window.session
    analysis = session.analysis
    assert analysis is not None
    lattice, best = analysis.lattice, set(analysis.best.edges.tolist())
    others = {edge for path in analysis.nbest for edge in path.edges.tolist()} - best
    edge = max(others, key=lambda e: (len(lattice.bytes(e).decode().strip("▁")), -e))
    piece = int(lattice.piece[edge])
    session.select(model=analysis.model_key, edge=edge, piece=piece, span=lattice.source(edge))
    settle(application, window)
    grab(window, "explore-light")


def merges(application: QApplication, window: Window) -> None:
    """Show a word's merges half done, in the dark."""
    session = window.session
    window.theme.choose("dark")
    session.set_active(session.models[1].key)
    session.set_text("watching")
    window.show_workspace("merges")
    settle(application, window)
    player = window.player
    assert player is not None
    window.theme.reduce_motion(True)
    player.seek(2)
    settle(application, window)
    grab(window, "merges-dark")


def main() -> None:
    from PySide6.QtCore import QSettings

    from app.application import make_application
    from app.jobs import Jobs
    from app.session import Session
    from app.settings import Preferences
    from app.stylesheet import dress
    from app.theme import Theme
    from app.window import Window

    with tempfile.TemporaryDirectory() as folder:
        # Nobody's own settings are read or written.
        QSettings.setPath(QSettings.Format.NativeFormat, QSettings.Scope.UserScope, folder)
        application = make_application(["segscope"])
        theme = Theme("light")
        dress(application, theme)
        jobs, background = Jobs(), Jobs(workers=1)
        window = Window(Session(jobs), theme, Preferences(), background)
        window.resize(1440, 900)
        window.show()
        PICTURES.mkdir(exist_ok=True)
        try:
            explore(application, window)
            merges(application, window)
        finally:
            jobs.shutdown()
            background.shutdown()
            window.deleteLater()
            application.processEvents()


if __name__ == "__main__":
    main()
