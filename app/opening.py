"""Opening whatever a person names: models, scenes, texts and corpora, by their content."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, Signal

from app.recent import Recent
from app.session import Session
from engine.errors import SegscopeError, cannot_read
from engine.files import FILE, FOLDER
from engine.files import kind_of as what_is_at
from engine.jsonfile import read_json
from engine.progress import Report

Kind = Literal["model", "scene", "text", "corpus"]

HEAD = 64 * 1024
MODEL_ENDINGS = {".json", ".model", ".tiktoken", ".vocab", ".bpe", ".codes"}


def kind_of(path: Path) -> Kind:
    """Tell what a path is, by its content; a folder is a model if one is in it, else a corpus.

    Raises `SegscopeError` for a path that can't be read. What is broken is reported by the reader
    of what it should have been: a file named as models are goes to the models' reader.
    """
    kind = what_is_at(path)
    if kind not in (FILE, FOLDER) and path.exists():
        # To open a pipe would wait for whoever writes into it.
        raise SegscopeError(f"it is {kind}", str(path), "name a file or a folder")
    if kind == FOLDER:
        from engine.formats.folder import choose

        return "corpus" if choose(path) is None else "model"
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD)
    except (OSError, ValueError) as error:
        raise cannot_read(SegscopeError, "file", path, error) from None
    if _is_scene(head):
        return "scene"
    if _is_model(path, head):
        return "model"
    return "text"


def brings_models(paths: Sequence[Path]) -> bool:
    """Whether there is a model among the paths, or a scene, which names its models."""
    for path in paths:
        try:
            if kind_of(path) in ("model", "scene"):
                return True
        except SegscopeError:
            continue
    return False


def _is_scene(head: bytes) -> bool:
    text = head.decode("utf-8-sig", errors="ignore").lstrip()
    if not text.startswith("{"):
        return False
    try:
        content = read_json(head)
    except SegscopeError:
        # Cut at the end of the head, or broken: a scene writes its mark first.
        return text[1:].lstrip().startswith('"segscope"')
    return isinstance(content, dict) and "segscope" in content


def _is_model(path: Path, head: bytes) -> bool:
    if path.suffix.lower() in MODEL_ENDINGS:
        return True
    from engine.formats import recognised

    return recognised(head, path)


class Opener(QObject):
    """Opens paths one after the other in the background and keeps the list of recent ones."""

    scene_wanted = Signal(object)
    failed = Signal(object, str)

    def __init__(self, session: Session, recent: Recent, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._recent = session, recent

    def open(self, paths: Sequence[Path]) -> None:
        """Open paths; several texts at once are a corpus."""
        paths = tuple(paths)
        if not paths:
            return

        def work(report: Report) -> list[tuple[Path, Kind | SegscopeError]]:
            found: list[tuple[Path, Kind | SegscopeError]] = []
            for done, path in enumerate(paths):
                report(done, len(paths))
                try:
                    found.append((path, kind_of(path)))
                except SegscopeError as error:
                    found.append((path, error))
            return found

        self._session.jobs.start(
            f"look {paths}", self.tr("Looking at {name}").format(name=paths[0].name), work,
            self._open,
        )  # fmt: skip

    def _open(self, found: list[tuple[Path, Kind | SegscopeError]]) -> None:
        texts = tuple(path for path, kind in found if kind == "text")
        for path, kind in found:
            if isinstance(kind, SegscopeError):
                self._recent.forget(path)
                words = self.tr("{name} was not opened").format(name=path.name)
                self.failed.emit(kind, words)
                continue
            self._recent.add(path)
            if kind == "model":
                self._session.load_model(path)
            elif kind == "scene":
                self.scene_wanted.emit(path)
            elif kind == "corpus":
                self._session.load_corpus((path,))
        if len(texts) == 1:
            self._session.load_text(texts[0])
        elif texts:
            self._session.load_corpus(texts)
