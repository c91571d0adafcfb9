"""The session: what is open and selected, and what the engine says of it.

What several views need of the engine, the session asks for; what one alone needs, that view asks
for itself. Either way the work goes through `Jobs`. The session announces what changed; views
subscribe and paint. Every engine result carries the text and settings that it belongs to.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from app.analysis import Analysis, Settings, analyse, with_law
from app.constraints import Constraints
from app.encoding import LONG, Reading, encode_beginning, read_text
from app.jobs import Jobs
from app.loading import load_model
from app.naming import model_name
from engine.errors import SegscopeError, TextError, cannot_read
from engine.progress import Report
from engine.text import Text

if TYPE_CHECKING:
    from engine.corpus import Corpus
    from engine.model import Encoding, Model

LATTICE_DELAY = 120
"""Milliseconds of quiet after a key before the lattice is computed."""

SHORT = 4_000
"""Bytes up to which the lattice is computed as soon as there are tokens, without a delay."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def letters_of(number: int) -> str:
    """Return the mark of open model `number`, from 0: A … Z, AA, AB … AZ, BA …"""
    before, last = divmod(number, len(LETTERS))
    return (letters_of(before - 1) if before else "") + LETTERS[last]


@dataclass(frozen=True, eq=False)
class OpenModel:
    """A model in the window.

    key: unique while the session lives. color_index: its first mark, the same for no other open
    model. order: that in which models were asked for; a model that replaces another takes its.
    """

    key: int
    color_index: int
    model: Model
    order: int = 0

    @property
    def letter(self) -> str:
        """Its second mark: A … Z, then AA, AB …"""
        return letters_of(self.color_index)

    @property
    def name(self) -> str:
        """What the window calls it."""
        return model_name(self.model.name, self.model.path)


@dataclass(frozen=True)
class Selection:
    """What is selected, everywhere at once. None: nothing of that sort.

    model: key of the open model that edge, node and piece belong to. span: bytes of the text as
    given. node: a boundary of the lattice.
    """

    model: int | None = None
    span: tuple[int, int] | None = None
    piece: int | None = None
    edge: int | None = None
    path: int | None = None
    step: int | None = None
    language: str | None = None
    node: int | None = None


class _Place(NamedTuple):
    """Kept for a model while it is being read, so that marks and order are those of asking."""

    color_index: int
    order: int


class Session(QObject):
    """Open models, text, corpus, settings and selection, with a signal for each change."""

    models_changed = Signal()
    active_changed = Signal()
    text_changed = Signal()
    corpus_changed = Signal()
    settings_changed = Signal()
    selection_changed = Signal()
    encoding_changed = Signal(int)
    """The encoding of the current text under the model of this key is ready."""
    analysis_changed = Signal()
    failed = Signal(object, str)
    """An error that a person should see, and what was being done."""

    def __init__(self, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.jobs = jobs
        self._models: tuple[OpenModel, ...] = ()
        self._active: int | None = None
        self._next_key = 1
        self._next_order = 0
        self._places: dict[str, _Place] = {}
        self._text = Text("")
        self._corpus: Corpus | None = None
        self._settings = Settings()
        self._selection = Selection()
        self._readings: dict[int, Reading] = {}
        self._beginnings: dict[int, Encoding] = {}
        self._analysis: Analysis | None = None
        self._lattice_waits = False
        self._lattice_timer = QTimer(self, singleShot=True, interval=LATTICE_DELAY)
        self._lattice_timer.timeout.connect(self._start_analysis)
        self.constraints = Constraints(self)

    @property
    def models(self) -> tuple[OpenModel, ...]:
        return self._models

    @property
    def active(self) -> OpenModel | None:
        """The model that the lattice and the players show."""
        return None if self._active is None else self.open_model(self._active)

    @property
    def text(self) -> Text:
        return self._text

    @property
    def corpus(self) -> Corpus | None:
        return self._corpus

    @property
    def settings(self) -> Settings:
        return self._settings

    @property
    def selection(self) -> Selection:
        return self._selection

    @property
    def analysis(self) -> Analysis | None:
        """The newest analysis; may still belong to an older text while a new one is computed."""
        return self._analysis

    def open_model(self, key: int) -> OpenModel | None:
        """Return the open model of this key."""
        return next((m for m in self._models if m.key == key), None)

    def encoding(self, key: int) -> Encoding | None:
        """Return the encoding of the current text, None while it is being computed.

        None, too, where special strings are forbidden and the text holds some: `reading` has them.
        """
        reading = self._readings.get(key)
        return None if reading is None else reading.encoding

    def reading(self, key: int) -> Reading | None:
        """Return how a model reads the current text, None while that is being computed."""
        return self._readings.get(key)

    def beginning(self, key: int) -> Encoding | None:
        """Return the first tokens of a long text, until there are all; then None."""
        return self._beginnings.get(key)

    @property
    def forbidden(self) -> bool:
        """Whether the active model isn't given the text, for the special strings in it."""
        reading = None if self._active is None else self._readings.get(self._active)
        return reading is not None and reading.special == "forbid" and bool(reading.found)

    # Opening and closing

    def load_model(self, path: FilePath, *, replaces: int | None = None, **options: Any) -> None:
        """Open a model file in the background; it becomes the active model.

        Of several that are being opened the one that was asked for last is active in the end.
        replaces: key of the open model whose place it takes. options: what `engine.load` takes
        beside the path (the split pattern of rank files, the casing of a vocab.txt …).
        """
        key = f"load {path}"
        kept = self._place(self._places.get(key))
        self._places[key] = kept

        def done(model: Model) -> None:
            if replaces is None or self.open_model(replaces) is None:
                self._add(model, kept)
            else:
                self.replace_model(replaces, model)

        def ended() -> None:
            if self._places.get(key) is kept:
                del self._places[key]

        job = self.jobs.start(
            key,
            self.tr("Opening {name}").format(name=path.name),
            lambda report: load_model(path, report, **options),
            done,
            lambda error: self.failed.emit(
                error, self.tr("{name} was not opened").format(name=path.name)
            ),
            long=True,
        )
        job.ended.connect(ended)

    def _place(self, before: _Place | None = None) -> _Place:
        """Return a place at the end for a model; its mark is that of `before`, else a free one."""
        used = {m.color_index for m in self._models}
        used |= {place.color_index for place in self._places.values()}
        free = next(i for i in range(len(used) + 1) if i not in used)
        self._next_order += 1
        return _Place(free if before is None else before.color_index, self._next_order)

    def add_model(self, model: Model) -> OpenModel:
        """Put a loaded model into the session and make it active."""
        return self._add(model, self._place())

    def _add(self, model: Model, place: _Place) -> OpenModel:
        opened = OpenModel(self._next_key, place.color_index, model, place.order)
        self._next_key += 1
        active = self.active
        self._models = tuple(sorted((*self._models, opened), key=lambda m: m.order))
        self.models_changed.emit()
        self._start_encoding(opened)
        if active is None or active.order < opened.order:
            self.set_active(opened.key)
        return opened

    def replace_model(self, key: int, model: Model) -> None:
        """Put a model in the place of an open one; it keeps the letter and gets a new key."""
        place = next(i for i, m in enumerate(self._models) if m.key == key)
        before = self._models[place]
        opened = OpenModel(self._next_key, before.color_index, model, before.order)
        self._next_key += 1
        self._forget_encoding(key)
        self._models = (*self._models[:place], opened, *self._models[place + 1 :])
        self.models_changed.emit()
        self._start_encoding(opened)
        self.set_active(opened.key)

    def close_model(self, key: int) -> None:
        """Close a model; its neighbour becomes active."""
        place = next((i for i, m in enumerate(self._models) if m.key == key), None)
        if place is None:
            return
        self._forget_encoding(key)
        self._models = tuple(m for m in self._models if m.key != key)
        self.models_changed.emit()
        if self._active == key:
            rest = self._models[min(place, len(self._models) - 1)] if self._models else None
            self._active = None
            self._analysis = None
            if rest is not None:
                self.set_active(rest.key)
            else:
                self.jobs.cancel("analysis")
                self.select(model=None, edge=None, piece=None, path=None, step=None)
                self.active_changed.emit()
                self.analysis_changed.emit()

    def set_active(self, key: int) -> None:
        """Make a model the one that the lattice and the players show."""
        if key != self._active and self.open_model(key) is not None:
            self._active = key
            self.select(model=key, edge=None, piece=None, path=None, step=None)
            self.active_changed.emit()
            self._start_analysis()

    def load_corpus(self, paths: tuple[FilePath, ...]) -> None:
        """Open a corpus folder or files in the background."""

        def work(report: Report) -> Corpus:
            from engine.corpus import open_corpus

            return open_corpus(paths, report)

        name = paths[0].name
        self.jobs.start(
            "corpus",
            self.tr("Opening {name}").format(name=name),
            work,
            self.set_corpus,
            lambda error: self.failed.emit(
                error, self.tr("{name} was not opened").format(name=name)
            ),
            long=True,
        )

    def load_text(self, path: FilePath) -> None:
        """Read a text file in the background and make it the current text."""

        def work(report: Report) -> Text:
            try:
                data = path.read_bytes()
            except OSError as error:
                raise cannot_read(TextError, "file", path, error) from None
            return Text.from_bytes(data, str(path))

        self.jobs.start(
            "text",
            self.tr("Opening {name}").format(name=path.name),
            work,
            self.set_text,
            lambda error: self.failed.emit(
                error, self.tr("{name} was not opened").format(name=path.name)
            ),
        )

    def set_corpus(self, corpus: Corpus | None) -> None:
        self._corpus = corpus
        self.corpus_changed.emit()

    # Text, settings, selection

    def set_text(self, text: str | Text) -> None:
        """Make `text` the current text; a lone surrogate is shown as U+FFFD and reported."""
        if isinstance(text, str):
            try:
                text = Text(text)
            except SegscopeError as error:
                self.failed.emit(error, self.tr("Shown with U+FFFD in its place"))
                repaired = str(text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
                text = Text(repaired)
        if text.string == self._text.string:
            return
        self._text = text
        self._readings.clear()
        self._beginnings.clear()
        selected = self._selection
        self._selection = Selection(model=self._active, language=selected.language)
        self.text_changed.emit()
        if self._selection != selected:
            self.selection_changed.emit()
        # The first tokens of a long text come before its lattice is begun.
        self._lattice_timer.stop()
        self._lattice_waits = text.n_bytes >= LONG
        self.jobs.cancel("analysis")
        for opened in self._models:
            self._start_encoding(opened)
        if text.n_bytes < LONG:
            self._lattice_timer.start()

    def change_settings(self, **changes: Any) -> None:
        """Change some settings (fields of `Settings`); the law follows at once."""
        settings = replace(self._settings, **changes)
        if settings == self._settings:
            return
        before, self._settings = self._settings, settings
        self.settings_changed.emit()
        if before.special != settings.special:
            self.select(edge=None, piece=None, path=None, step=None)
            for opened in self._models:
                self._start_encoding(opened)
            self._start_analysis()
        elif (before.theta, before.nbest) != (settings.theta, settings.nbest):
            self._start_law()

    def select(self, **changes: Any) -> None:
        """Change some parts of the selection (fields of `Selection`).

        A boundary stays selected only until something else is.
        """
        if changes.keys() & {"model", "span", "edge", "path", "piece"}:
            changes.setdefault("node", None)
        selection = replace(self._selection, **changes)
        if selection != self._selection:
            self._selection = selection
            self.selection_changed.emit()

    # The engine's work

    def _start_encoding(self, opened: OpenModel) -> None:
        """Encode the text; the beginning of a long one first."""
        text, key, special = self._text, opened.key, self._settings.special
        self._forget_encoding(key)
        title = self.tr("Encoding with {name}").format(name=opened.model.name)

        def begun(encoding: Encoding) -> None:
            if text is self._text:
                self._beginnings[key] = encoding
                self.encoding_changed.emit(key)
            go_on()

        def done(reading: Reading) -> None:
            if text is not self._text:
                return
            self._readings[key] = reading
            self._beginnings.pop(key, None)
            self.encoding_changed.emit(key)
            if key == self._active and text.n_bytes <= SHORT and self._lattice_timer.isActive():
                self._start_analysis()

        def failed(error: BaseException) -> None:
            if text is self._text:
                done(Reading(special, None, error=error))
            words = self.tr("{name} did not encode the text")
            self.failed.emit(error, words.format(name=opened.model.name))

        def go_on() -> None:
            if key == self._active and self._lattice_waits:
                self._lattice_waits = False
                self._lattice_timer.start()
            self.jobs.start(
                f"encode {key}",
                title,
                lambda report: read_text(opened.model, text, special, report),
                done,
                failed,
            )

        if text.n_bytes < LONG or special == "forbid":
            go_on()
            return
        self.jobs.start(
            f"begin {key}",
            title,
            lambda report: encode_beginning(opened.model, text, special),
            begun,
            lambda _: go_on(),  # which fails in the same way, and says so
        )

    def _forget_encoding(self, key: int) -> None:
        self.jobs.cancel(f"begin {key}")
        self.jobs.cancel(f"encode {key}")
        self._readings.pop(key, None)
        self._beginnings.pop(key, None)

    def _start_analysis(self) -> None:
        opened = self.active
        if opened is None:
            return
        self._lattice_timer.stop()
        self._lattice_waits = False
        key, model, text, settings = opened.key, opened.model, self._text, self._settings
        known = self.encoding(key)

        def done(analysis: Analysis | None) -> None:
            if analysis is None and (text is not self._text or key != self._active):
                return  # that other text held special strings
            self._set_analysis(analysis)

        self.jobs.start(
            "analysis",
            self.tr("Building the lattice"),
            lambda report: analyse(key, model, text, settings, known),
            done,
            lambda error: self.failed.emit(error, self.tr("The lattice was not built")),
        )

    def _start_law(self) -> None:
        analysis, settings = self._analysis, self._settings
        if analysis is None or not self._current(analysis):
            return  # the lattice is still being built; the settings follow it
        self.jobs.start(
            "analysis",
            self.tr("Computing probabilities"),
            lambda report: with_law(analysis, settings),
            self._set_analysis,
        )

    def _set_analysis(self, analysis: Analysis | None) -> None:
        """Take an analysis; None where special strings are forbidden and the text holds some."""
        if analysis is not None and not self._current(analysis):
            return
        self._analysis = analysis
        self.analysis_changed.emit()
        if analysis is None:
            return
        now, then = self._settings, analysis.settings
        if (now.theta, now.nbest) != (then.theta, then.nbest):
            self._start_law()

    def _current(self, analysis: Analysis) -> bool:
        same = analysis.settings.special == self._settings.special
        return same and analysis.text is self._text and analysis.model_key == self._active

    @property
    def busy(self) -> bool:
        """Whether something is being computed or about to be."""
        return bool(self.jobs.running) or self._lattice_timer.isActive()
