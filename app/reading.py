"""What the window has read: files that nothing may be written over."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.session import Session

Reads = Callable[[], dict[Path, str]]
"""Returns files and what each is called; looks at the disk, so it is for a job to call."""


def read_by(session: Session) -> Reads:
    """Return what lists the files of the models and the corpus that are open now."""
    models, corpus = session.models, session.corpus

    def files() -> dict[Path, str]:
        from engine.files import files_of

        found = {path: "an open model" for opened in models for path in files_of(opened.model)}
        found.update({language.path: "the open corpus" for language in corpus or ()})
        return found

    return files
