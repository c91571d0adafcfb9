"""Scenes and the window: what is open becomes a scene, and a scene becomes what is open.

`engine.scene` is imported by what uses it, not with the window.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.jobs import Work
from app.loading import load_model
from app.session import Selection, Session
from app.workspaces import Workspaces
from engine.bundled import CORPUS, PREFIX, corpus_path, locate_corpus, models
from engine.errors import SegscopeError
from engine.progress import Report

if TYPE_CHECKING:
    from engine.corpus import Corpus
    from engine.model import Model
    from engine.scene import Scene, SceneModel, SceneSelection
    from engine.text import Text


@dataclass(frozen=True, eq=False)
class Loaded:
    """A scene with what it names, loaded: ready to be shown at once.

    models: None where a model failed. problems: what failed, in the scene's order.
    """

    scene: Scene
    path: Path | None
    models: tuple[Model | None, ...]
    corpus: Corpus | None
    problems: tuple[SegscopeError, ...]


def default_scene() -> Scene:
    """Return what the window shows where there is no last session: all of it is bundled."""
    from engine.scene import Scene, SceneModel

    text = "The weather is lovely! 今天天气不错，안녕하세요, नमस्ते, مرحبا 🌤️"
    return Scene(
        models=(SceneModel(f"{PREFIX}everyday-unigram"), SceneModel(f"{PREFIX}everyday-bpe")),
        text=text,
        corpus=(f"{PREFIX}{CORPUS}",),
    )


def load_scene(scene: Scene, path: Path | None, report: Report) -> Loaded:
    """Load a scene's models and corpus; a part that fails is left out and named."""
    from engine.corpus import open_corpus

    problems: list[SegscopeError] = []
    loaded: list[Model | None] = []
    total = 1000 * (len(scene.models) + 1)
    for number, wanted in enumerate(scene.models):

        def part(done: int, whole: int, number: int = number) -> None:
            report(1000 * number + 1000 * done // max(whole, 1), total)

        part(0, 1)
        model: Model | None = None
        try:
            model = load_model(wanted.locate(), part, **wanted.options)
            if wanted.changed():
                problems.append(
                    SegscopeError(
                        "a model isn't the one that the scene was saved with",
                        wanted.path,
                        "its numbers may differ from those of that time",
                    )
                )
        except SegscopeError as error:
            problems.append(error)
        loaded.append(model)
    corpus: Corpus | None = None
    if scene.corpus:
        try:
            corpus = open_corpus([locate_corpus(place) for place in scene.corpus])
        except SegscopeError as error:
            problems.append(error)
    problems.extend(SegscopeError(warning, str(path or "")) for warning in scene.warnings)
    report(total, total)
    return Loaded(scene, path, tuple(loaded), corpus, tuple(problems))


class Scenes(QObject):
    """Opens and captures scenes for a session and its workspaces.

    path: the file of the scene that is open, None for one without a file. base: the scene that
    was opened last; what the window doesn't show of it (title, caption, unknown fields) is kept.
    """

    opened = Signal(object)
    """A `Loaded` scene is shown; its workspace is to come to the front."""
    failed = Signal(object, str)

    def __init__(
        self,
        session: Session,
        workspaces: Workspaces,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._workspaces = session, workspaces
        self.path: Path | None = None
        self._base: Scene | None = None

    @property
    def base(self) -> Scene:
        """The scene that was opened last, else an empty one."""
        if self._base is None:
            from engine.scene import Scene

            self._base = Scene()
        return self._base

    def open(self, path: Path) -> None:
        """Read and load a scene in the background; what is open stays until it is ready."""

        def work(report: Report) -> Loaded:
            from engine.scene import read_scene

            return load_scene(read_scene(path), path, report)

        self._start(work, path.name)

    def show(self, scene: Scene, name: str, *, without_models: bool = False) -> None:
        """Load a scene that isn't a file and show it. name: what it is called meanwhile.

        without_models: show it also where none of its models can be read.
        """

        def shown(loaded: Loaded) -> None:
            self.apply(loaded, without_models=without_models)

        self._start(lambda report: load_scene(scene, None, report), name, shown)

    def _start(self, work: Work, name: str, done: Callable[[Loaded], object] | None = None) -> None:
        self._session.jobs.start(
            "scene",
            self.tr("Opening {name}").format(name=name),
            work,
            done or self.apply,
            lambda error: self.failed.emit(
                error, self.tr("{name} was not opened").format(name=name)
            ),
            long=True,
        )

    def apply(self, loaded: Loaded, *, without_models: bool = False) -> None:
        """Put a loaded scene in the place of what is open, if any of its models could be read.

        without_models: if none could be, too.
        """
        from engine.scene import ScenePlayer

        scene, session = loaded.scene, self._session
        if scene.models and not any(loaded.models) and not without_models:
            for problem in loaded.problems:
                self.failed.emit(problem, self.tr("The scene was not opened"))
            return
        self.path, self._base = loaded.path, scene
        keys: list[int | None] = []
        before = [opened.key for opened in session.models]
        session.set_text(scene.text)
        session.change_settings(**vars(scene.settings))
        session.set_corpus(loaded.corpus)
        for key in before:
            session.close_model(key)
        for model in loaded.models:
            keys.append(None if model is None else session.add_model(model).key)
        active = keys[scene.active] if scene.active < len(keys) else None
        if active is not None:
            session.set_active(active)
        chosen = scene.selection
        selected = keys[chosen.model] if chosen.model is not None else session.selection.model
        session.select(
            model=selected,
            span=_inside(chosen.span, session.text),
            piece=chosen.piece,
            edge=chosen.edge,
            path=chosen.path,
            language=chosen.language,
            node=chosen.node,
        )
        for place, opened in enumerate(keys):
            given = tuple(c.constraint for c in scene.constraints if c.model == place)
            if opened is not None and given:
                session.constraints.restore(opened, given)
        session.constraints.dismiss()
        self._workspaces.restore_view_states(scene.views)
        if scene.player != ScenePlayer():
            front = self._workspaces.get(scene.workspace)
            if scene.player.trace:
                front.choose_trace(scene.player.trace)
            if front.player is not None:
                front.player.resume_at(scene.player.position)
        self.opened.emit(loaded)

    def capture(self, workspace: str) -> Scene:
        """Return the scene of what is open now, with `workspace` in front; without digests."""
        from engine.scene import Scene, SceneConstraint, ScenePlayer, SceneSettings

        session, base = self._session, self.base
        listed = tuple(_reference(opened.model) for opened in session.models)
        places = {opened.key: i for i, opened in enumerate(session.models)}
        active = session.active
        front = self._workspaces.made(workspace)
        trace = front.trace_name() if front is not None else ""
        player = front.player if front is not None else None
        return Scene(
            models=listed,
            text=session.text.string,
            corpus=_corpus_reference(session.corpus),
            workspace=workspace,
            active=places[active.key] if active is not None else 0,
            settings=SceneSettings(**vars(session.settings)),
            player=ScenePlayer(trace, player.position if player is not None else 0),
            selection=_selection(session.selection, places),
            constraints=tuple(
                SceneConstraint(places[opened.key], constraint)
                for opened in session.models
                for constraint in session.constraints.of(opened.key)
            ),
            title=base.title,
            caption=base.caption,
            views=dict(self._workspaces.view_states()),
            rest=base.rest,
        )


def _selection(selection: Selection, places: Mapping[int, int]) -> SceneSelection:
    model = None if selection.model is None else places.get(selection.model)
    from engine.scene import SceneSelection

    return SceneSelection(
        model,
        selection.span,
        selection.piece,
        selection.edge,
        selection.path,
        selection.language,
        selection.node,
    )


def _inside(span: tuple[int, int] | None, text: Text) -> tuple[int, int] | None:
    return span if span is not None and span[1] <= text.n_bytes else None


def with_digests(scene: Scene) -> Scene:
    """Note the SHA-256 of each model file, so that a changed one is noticed later."""
    from engine.scene import file_digest

    listed = []
    for model in scene.models:
        if not model.path.startswith(PREFIX):
            # The file is gone; the scene still names it.
            with suppress(OSError, SegscopeError):
                model = replace(model, sha256=file_digest(model.locate()))
        listed.append(model)
    return replace(scene, models=tuple(listed))


def _reference(model: Model) -> SceneModel:
    from engine.scene import SceneModel

    for bundled in models():
        if bundled.path == model.path:
            return SceneModel(PREFIX + bundled.name)
    # What a file says or is known by is found again; what was chosen here isn't.
    said, pattern = model.settings, ""
    if model.format == "tiktoken" and "encoding" not in said:
        pattern = model.pipeline.pre_tokenizer
    elif model.format == "gpt2" and model.pipeline.pre_tokenizer != "gpt2":
        pattern = model.pipeline.pre_tokenizer or "none"
    casing = str(said["casing"]) if said.get("casing_guessed") is False else ""
    return SceneModel(str(model.path.absolute()), pattern=pattern, casing=casing)


def _corpus_reference(corpus: Corpus | None) -> tuple[str, ...]:
    if corpus is None:
        return ()
    if corpus.path == corpus_path():
        return (PREFIX + CORPUS,)
    if corpus.parallel:
        return (str(corpus.path.absolute()),)
    return tuple(str(language.path.absolute()) for language in corpus.languages)
