"""What the actions do to files and to what is shown of them: the methods that dialogs belong to.

A dialog is imported when it is first asked for: what they need would hold up the first window.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from app.opening import Opener
from app.reading import read_by
from app.scenes import Scenes, with_digests
from app.session import Session
from app.settings import data_folder
from app.theme import Theme
from engine.progress import Report

if TYPE_CHECKING:
    from app.leaving import Leaving, Then
    from app.views.keyboard import KeyboardDialog
    from app.views.lab import LabWindow
    from app.views.model_card import ModelCard
    from app.views.training import TrainingWindow
    from engine.scene import Scene

_DELETE = Qt.WidgetAttribute.WA_DeleteOnClose


class FileCommands(QObject):
    """Open, save and tell about what is open, by dialogs."""

    failed = Signal(object, str)
    saved = Signal(object)

    def __init__(
        self,
        session: Session,
        theme: Theme,
        opener: Opener,
        scenes: Scenes,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._session, self._theme, self._opener = session, theme, opener
        self._scenes, self._window = scenes, window
        self._folder = ""
        self._training: TrainingWindow | None = None
        self._lab: LabWindow | None = None
        self.leaving: Leaving | None = None
        """What asks whether the window may close; None where there is nothing to ask."""

    def open_dialog(self) -> None:
        """Ask for files of any sort."""
        kinds = (
            self.tr("All files (*)"),
            self.tr("Models (*.json *.model *.tiktoken *.bpe *.codes *vocab.txt *merges.txt)"),
            self.tr("Texts (*.txt)"),
            self.tr("Scenes (*.json)"),
        )
        names, _ = QFileDialog.getOpenFileNames(
            self._window,
            self.tr("Open models, texts, corpora or scenes"),
            self._folder,
            ";;".join(kinds),
        )
        if names:
            self._folder = str(Path(names[0]).parent)
            self._opener.open([Path(name) for name in names])

    def open_corpus_dialog(self) -> None:
        """Ask for a folder with one text file a language."""
        name = QFileDialog.getExistingDirectory(
            self._window,
            self.tr("Open a folder: a model's, or a corpus with one text file a language"),
            self._folder,
        )
        if name:
            self._folder = str(Path(name).parent)
            self._opener.open([Path(name)])

    def save(self, workspace: str) -> None:
        """Write the scene to its file; ask for one where it has none."""
        if self._scenes.path is None:
            self.save_as(workspace)
        else:
            self._write(workspace, self._scenes.path)

    def save_as(self, workspace: str) -> None:
        """Ask for a file and write the scene to it."""
        proposal = self._scenes.path or Path(self._folder, "scene.json")
        name, _ = QFileDialog.getSaveFileName(
            self._window, self.tr("Save scene"), str(proposal), self.tr("Scenes (*.json)")
        )
        if not name:
            return
        path = Path(name)
        if not path.suffix:
            path = path.with_suffix(".json")
        self._folder = str(path.parent)
        self._write(workspace, path)

    def _write(self, workspace: str, path: Path) -> None:
        plain, reads = self._scenes.capture(workspace), read_by(self._session)

        def work(_report: Report, settle: Callable[[], object]) -> Scene:
            from engine.files import check_over
            from engine.scene import write_scene

            check_over({path: "the scene"}, reads())
            scene = with_digests(plain)
            settle()
            write_scene(scene, path)
            return scene

        def done(_scene: Scene) -> None:
            self._scenes.path = path
            self.saved.emit(path)

        self._session.jobs.start(
            "save",
            self.tr("Saving {name}").format(name=path.name),
            work,
            done,
            lambda error: self.failed.emit(
                error, self.tr("{name} was not saved").format(name=path.name)
            ),
            settles=True,
        )

    def about_model(self, key: int) -> ModelCard | None:
        """Show what a model's file says."""
        opened = self._session.open_model(key)
        if opened is None:
            return None
        from app.views.model_card import ModelCard

        card = ModelCard(opened, self._theme, self._window)
        card.setAttribute(_DELETE)
        card.choice_made.connect(self._reopen)
        card.close_wanted.connect(self._session.close_model)
        card.show()
        card.activateWindow()
        return card

    def _reopen(self, key: int, option: str, value: str) -> None:
        opened = self._session.open_model(key)
        if opened is not None:
            self._session.load_model(opened.model.path, replaces=key, **{option: value})

    def train(self) -> TrainingWindow:
        """Show the window in which vocabularies are trained; there is one."""
        if self._training is None:
            from app.leaving import Leaving
            from app.training import Trainer
            from app.views.training import TrainingWindow

            trainer, window = Trainer(self._session.jobs, self), self._window
            self._training = TrainingWindow(self._session, trainer, self._theme, window)
            self.leaving = Leaving(trainer, self._save_trained, window.close, window)
            self._training.open_wanted.connect(lambda path: self._opener.open([path]))
        self._training.show()
        self._training.activateWindow()
        return self._training

    def _save_trained(self, then: Then) -> None:
        self.train().results.save_as(then)

    def may_close(self) -> bool:
        """Return whether the window may close at once; ask where work would be lost."""
        return self.leaving is None or self.leaving.may()

    def lab(self) -> LabWindow:
        """Show the small lab; there is one, which stays at its step when it is closed."""
        if self._lab is None:
            from app.views.lab import LabWindow

            folder = data_folder() / "lab"
            self._lab = LabWindow(self._session.jobs, self._theme, folder, self._window)
            self._lab.open_wanted.connect(lambda path: self._opener.open([path]))
        self._lab.show()
        self._lab.activateWindow()
        return self._lab

    def keyboard(self) -> KeyboardDialog:
        """Show the keyboard at a glance."""
        from app.views.keyboard import KeyboardDialog

        dialog = KeyboardDialog(self._window)
        dialog.setAttribute(_DELETE)
        dialog.show()
        dialog.activateWindow()
        return dialog

    def log_folder(self) -> None:
        """Show the folder of the log in the system's file manager."""
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(data_folder())))

    def about(self) -> None:
        """Say what this is."""
        from importlib.metadata import PackageNotFoundError, version

        try:
            number = version("segscope")
        except PackageNotFoundError:
            number = self.tr("(not installed)")
        box = QMessageBox(self._window)
        box.setAttribute(_DELETE)
        box.setWindowTitle(self.tr("About Segscope"))
        box.setText(self.tr("Segscope {version}").format(version=number))
        box.setInformativeText(
            self.tr(
                "A desktop analyzer for subword tokenizers: every cut, every path, every "
                "probability. Apache License 2.0."
            )
        )
        box.open()
