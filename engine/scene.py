"""Scenes: a saved, repeatable state of the window as a small JSON file.

A scene says which models, text and corpus are open, which workspace is in front, under which
settings and at which moment of a trace. It holds no results: they follow from it.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from engine.bundled import PREFIX, locate_model
from engine.errors import SceneError
from engine.files import write_atomic
from engine.jsonfile import read_json
from engine.readings import READINGS, Special
from engine.scene_fields import (
    MOST_THETA,
    Reader,
    as_integer,
    as_list,
    as_natural,
    as_number,
    as_object,
    as_path,
    as_paths,
    as_span,
    as_text,
)

if TYPE_CHECKING:
    from engine.constrain import Action, Constraint

Coloring = Literal["position", "identity"]

VERSION = 1
"""The schema that is written, in the file's field `segscope`."""

WORKSPACES = ("explore", "merges", "sampling", "languages", "vocabulary")
TRACES = ("merges", "viterbi", "perfect")
ACTIONS = ("pin", "forbid")
UNITS = ("byte", "char", "grapheme", "utf16")
COLORINGS: tuple[Coloring, ...] = ("position", "identity")

MOST_NBEST = 1_000
"""Best paths that a scene may ask for: each is a row of the picture."""


@dataclass(frozen=True)
class SceneModel:
    """A model of a scene: `bundled:NAME` or a path; the SHA-256 of its file, or empty.

    pattern: the split pattern chosen for a rank file or GPT-2's pair, which hold none; casing: the
    casing chosen for a BERT vocabulary; else empty.
    """

    path: str
    sha256: str = ""
    pattern: str = ""
    casing: str = ""

    @property
    def options(self) -> dict[str, str]:
        """What was chosen, as `engine.load` takes it."""
        chosen = {"pattern": self.pattern, "casing": self.casing}
        return {name: value for name, value in chosen.items() if value}

    def locate(self) -> Path:
        """Return the file; `ParameterError` for a bundled name that there isn't."""
        return locate_model(self.path)

    def changed(self) -> bool:
        """Whether the file's content isn't the one that the scene was saved with."""
        return bool(self.sha256) and file_digest(self.locate()) != self.sha256


@dataclass(frozen=True)
class SceneSettings:
    """What the analysis depends on: as in the window's settings.

    special: how strings in the text that spell a special token are read. color: whether colours of
    tokens follow their position or their identity.
    """

    theta: float = 1.0
    nbest: int = 6
    unit: str = "grapheme"
    seed: int = 7
    method: str = "perfect"
    metric: str = "chars_per_token"
    base: str = ""
    special: Special = "literal"
    color: Coloring = "position"


@dataclass(frozen=True)
class ScenePlayer:
    """Where the player stands: which trace (empty: the workspace's own), before which step."""

    trace: str = ""
    position: int = 0


@dataclass(frozen=True)
class SceneConstraint:
    """What is pinned or forbidden for the model of an index."""

    model: int
    constraint: Constraint


@dataclass(frozen=True)
class SceneSelection:
    """What is selected: index of the model, byte span of the text, piece, edge, path, language,
    boundary (a node of the lattice)."""

    model: int | None = None
    span: tuple[int, int] | None = None
    piece: int | None = None
    edge: int | None = None
    path: int | None = None
    language: str | None = None
    node: int | None = None


@dataclass(frozen=True)
class Scene:
    """A saved state of the window.

    models: in the order of their letters; active: index of the one in front. corpus:
    `bundled:everyday`, a folder or files; empty for none. views: what each workspace keeps beside
    (plain JSON, by name). rest: fields of the file that this version doesn't know; they are
    written back. warnings: what was odd in the file; not written.
    """

    models: tuple[SceneModel, ...] = ()
    text: str = ""
    corpus: tuple[str, ...] = ()
    workspace: str = "explore"
    active: int = 0
    settings: SceneSettings = SceneSettings()
    player: ScenePlayer = ScenePlayer()
    selection: SceneSelection = SceneSelection()
    constraints: tuple[SceneConstraint, ...] = ()
    title: str = ""
    caption: str = ""
    views: dict[str, Any] = field(default_factory=dict)
    rest: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = field(default=(), compare=False)


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, or of the model in a folder, as 64 hexadecimal digits."""
    from engine.formats.folder import main_file

    with main_file(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_scene(scene: Scene, path: str | Path) -> None:
    """Write a scene, models and corpus by their paths relative to the file; all or nothing."""
    folder = Path(path).resolve().parent
    document: dict[str, Any] = {"segscope": VERSION}
    for name in ("title", "caption"):
        if getattr(scene, name):
            document[name] = getattr(scene, name)
    document["workspace"] = scene.workspace
    document["models"] = [_model_entry(model, folder) for model in scene.models]
    document["active"] = scene.active
    document["text"] = scene.text
    if scene.corpus:
        references = [_relative(reference, folder) for reference in scene.corpus]
        document["corpus"] = references[0] if len(references) == 1 else references
    document["settings"] = vars(scene.settings)
    if scene.player != ScenePlayer():
        document["player"] = vars(scene.player)
    chosen = {key: value for key, value in vars(scene.selection).items() if value is not None}
    if chosen:
        document["selection"] = chosen
    if scene.constraints:
        document["constraints"] = [_constraint_entry(one) for one in scene.constraints]
    if scene.views:
        document["views"] = scene.views
    document.update((key, value) for key, value in scene.rest.items() if key not in document)
    text = json.dumps(document, ensure_ascii=False, indent=2)
    if any("\ud800" <= char <= "\udfff" for char in text):
        # A name that isn't valid UTF-8 goes in escapes, and comes back from them.
        text = json.dumps(document, indent=2)
    write_atomic(path, text + "\n")


def read_scene(path: str | Path) -> Scene:
    """Read a scene; paths in it become absolute ones.

    What is missing has its default; what this version doesn't know is kept or warned of. Raises
    `SceneError` for a file that is no scene, or a field of the wrong kind, naming it.
    """
    document = _document(Path(path))
    reader = Reader(document, str(path), "")
    folder = Path(path).resolve().parent
    version = reader.take("segscope", "a whole number", as_integer)
    if version is None:
        raise SceneError(
            "the file is no scene", f"{path}: field segscope is missing", "open a saved scene"
        )
    if version > VERSION:
        reader.warn(f"it was saved by a newer Segscope (version {version}); parts may be left out")
    models = _models(reader, folder)
    scene = Scene(
        models=models,
        text=reader.take("text", "a text", as_text) or "",
        corpus=_corpus(reader, folder),
        workspace=reader.choice("workspace", WORKSPACES, "explore"),
        active=_active(reader, len(models)),
        settings=_settings(reader.inside("settings")),
        player=_player(reader.inside("player")),
        selection=_selection(reader.inside("selection"), len(models)),
        constraints=_constraints(reader, len(models)),
        title=reader.take("title", "a text", as_text) or "",
        caption=reader.take("caption", "a text", as_text) or "",
        views=reader.take("views", "an object", as_object) or {},
    )
    return Scene(**{**vars(scene), "rest": reader.rest(), "warnings": tuple(reader.warnings)})


def _document(path: Path) -> dict[str, Any]:
    document = read_json(path, SceneError, "the scene", "mend it or save it again")
    if not isinstance(document, dict):
        raise SceneError("the scene isn't a JSON object", str(path), "open a saved scene")
    return document


def _models(reader: Reader, folder: Path) -> tuple[SceneModel, ...]:
    models = []
    for i, entry in enumerate(reader.take("models", "a list", as_list) or []):
        inner = {"path": entry} if isinstance(entry, str) else entry
        if not isinstance(inner, dict):
            raise SceneError(
                f"the field models[{i}] isn't a path or an object", reader.path, "mend the field"
            )
        one = Reader(inner, reader.path, f"models[{i}].", reader.warnings)
        place = one.take("path", "a path", as_path)
        if place is None:
            raise SceneError(
                f"the field models[{i}].path is missing", reader.path, "name the model's file"
            )
        models.append(
            SceneModel(
                _absolute(place, folder),
                one.take("sha256", "a text", as_text) or "",
                one.take("pattern", "a text", as_text) or "",
                one.take("casing", "a text", as_text) or "",
            )
        )
        one.finish()
    return tuple(models)


def _corpus(reader: Reader, folder: Path) -> tuple[str, ...]:
    listed = reader.take("corpus", "a path or a list of paths", as_paths) or []
    return tuple(_absolute(place, folder) for place in listed)


def _active(reader: Reader, count: int) -> int:
    active = reader.take("active", "a whole number", as_integer) or 0
    if active and not 0 <= active < count:
        reader.warn(f"there is no model number {active}; the first is active")
        return 0
    return active


def _settings(reader: Reader) -> SceneSettings:
    usual = SceneSettings()
    theta = reader.take("theta", f"a number from 0 to {MOST_THETA:,}", _theta)
    nbest = reader.take("nbest", f"a whole number from 1 to {MOST_NBEST:,}", _nbest)
    seed = reader.take("seed", "a whole number", as_integer)
    settings = SceneSettings(
        theta=usual.theta if theta is None else theta,
        nbest=usual.nbest if nbest is None else nbest,
        unit=reader.choice("unit", UNITS, usual.unit),
        seed=usual.seed if seed is None else seed,
        method=reader.take("method", "a text", as_text) or usual.method,
        metric=reader.take("metric", "a text", as_text) or usual.metric,
        base=reader.take("base", "a text", as_text) or usual.base,
        special=_special(reader.choice("special", READINGS, usual.special)),
        color=_coloring(reader.choice("color", COLORINGS, usual.color)),
    )
    reader.finish()
    return settings


def _player(reader: Reader) -> ScenePlayer:
    player = ScenePlayer(
        reader.choice("trace", (*TRACES, ""), ""),
        reader.take("position", "a whole number of at least 0", as_natural) or 0,
    )
    reader.finish()
    return player


def _selection(reader: Reader, count: int) -> SceneSelection:
    model = reader.take("model", "a whole number of at least 0", as_natural)
    if model is not None and model >= count:
        reader.warn(f"there is no model number {model}; nothing of it is selected")
        model = None
    natural = "a whole number of at least 0"
    selection = SceneSelection(
        model=model,
        span=reader.take("span", "a list of two positions", as_span),
        piece=reader.take("piece", natural, as_natural),
        edge=reader.take("edge", natural, as_natural),
        path=reader.take("path", natural, as_natural),
        language=reader.take("language", "a text", as_text),
        node=reader.take("node", natural, as_natural),
    )
    reader.finish()
    return selection


def _constraints(reader: Reader, count: int) -> tuple[SceneConstraint, ...]:
    found = []
    natural = "a whole number of at least 0"
    for i, entry in enumerate(reader.take("constraints", "a list", as_list) or []):
        if not isinstance(entry, dict):
            raise SceneError(
                f"the field constraints[{i}] isn't an object", reader.path, "mend the field"
            )
        one = Reader(entry, reader.path, f"constraints[{i}].", reader.warnings)
        model = one.take("model", natural, as_natural) or 0
        action: Action = "forbid" if one.choice("action", ACTIONS, "pin") == "forbid" else "pin"
        span = one.take("span", "a list of two positions", as_span)
        piece = one.take("piece", "a whole number", as_integer)
        nodes = one.take("nodes", "a list of two positions", as_span)
        one.finish()
        if span is None:
            raise SceneError(
                f"the field constraints[{i}].span is missing", reader.path, "name two positions"
            )
        if model >= count:
            reader.warn(f"there is no model number {model}; constraint {i} is left out")
            continue
        from engine.constrain import Constraint  # most scenes have none

        found.append(SceneConstraint(model, Constraint(action, *span, piece, nodes)))
    return tuple(found)


def _constraint_entry(one: SceneConstraint) -> dict[str, Any]:
    constraint = one.constraint
    entry: dict[str, Any] = {
        "model": one.model,
        "action": constraint.action,
        "span": [constraint.start, constraint.end],
    }
    if constraint.piece is not None:
        entry["piece"] = constraint.piece
    if constraint.nodes is not None:
        entry["nodes"] = list(constraint.nodes)
    return entry


def _special(name: str) -> Special:
    return next(reading for reading in READINGS if reading == name)


def _coloring(name: str) -> Coloring:
    return next(coloring for coloring in COLORINGS if coloring == name)


def _nbest(value: Any) -> int | None:
    number = as_integer(value)
    return number if number is not None and 1 <= number <= MOST_NBEST else None


def _theta(value: Any) -> float | None:
    number = as_number(value)
    return number if number is not None and 0 <= number <= MOST_THETA else None


def _model_entry(model: SceneModel, folder: Path) -> str | dict[str, str]:
    entry = {"path": _relative(model.path, folder)}
    if model.sha256:
        entry["sha256"] = model.sha256
    entry.update(model.options)
    return entry if len(entry) > 1 else entry["path"]


def _absolute(reference: str, folder: Path) -> str:
    if reference.startswith(PREFIX):
        return reference
    return os.path.normpath(folder / reference)


def _relative(reference: str, folder: Path) -> str:
    if reference.startswith(PREFIX):
        return reference
    try:
        return Path(os.path.relpath(_named(Path(reference)), folder)).as_posix()
    except ValueError:
        # Windows: another drive has no relative path.
        return _named(Path(reference)).as_posix()


def _named(path: Path) -> Path:
    """Return a path without links but its last part, which may be the name of what it leads to."""
    return path.parent.resolve() / path.name
