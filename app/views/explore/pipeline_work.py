"""The stages of the text under the active model: computed in a job, placed on the axis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QObject, Signal

from app.draw.axis import Axis
from app.draw.stage_rows import StageCells, place_stage
from app.draw.viewport import Viewport
from app.session import Session
from app.views.explore.placed import Placed
from engine.changes import Change
from engine.display import visible
from engine.errors import SegscopeError
from engine.model import Encoding, Model
from engine.progress import Report
from engine.readings import Special
from engine.round_trip import Cause, Difference, differences
from engine.stages import Stage, Stages, make_stages, stages_of
from engine.text import Text

LIMIT = 4_000
"""Bytes of text whose stages are shown; of a longer text the first ones."""


@dataclass(frozen=True, eq=False)
class Staged:
    """The stages of a text with what is written into their pieces.

    text: the text as given; shown: how many bytes of it the stages are of. labels: a text for the
    eye for each piece of each stage. same: whether a piece has the bytes of its own stretch.
    """

    key: int
    text: Text
    shown: int
    stages: Stages
    labels: tuple[tuple[str, ...], ...]
    same: tuple[tuple[bool, ...], ...]
    differences: tuple[Difference, ...]

    @property
    def causes(self) -> Counter[Cause]:
        """How many stretches didn't come back, by what made it so."""
        return Counter(found.cause for found in self.differences)


def stage_text(
    key: int, model: Model, text: Text, encoding: Encoding, special: Special, report: Report
) -> Staged:
    """Make the stages of a text, of a long one up to `LIMIT` bytes; runs in a worker thread."""
    report(0, 1)
    shown = text.head(LIMIT)
    if shown is text:
        stages = stages_of(model, encoding, special)
    else:
        stages = make_stages(model, shown, special)
    labels = tuple(tuple(_labels(stages, stage)) for stage in stages.all)
    given = shown.encoded
    same = tuple(
        tuple(
            given[stage.source_start[i] : stage.source_end[i]] == stage.bytes(i)
            for i in range(len(stage))
        )
        for stage in stages.all
    )
    _ = shown.grapheme_bounds
    return Staged(key, text, shown.n_bytes, stages, labels, same, differences(stages))


def _labels(stages: Stages, stage: Stage) -> Sequence[str]:
    if stage.name != "model":
        return [visible(stage.bytes(i)) for i in range(len(stage))]
    vocabulary = stages.model.vocabulary
    found = []
    for i in range(len(stage)):
        piece = int(stage.piece[i])
        text = vocabulary.text(piece)
        spelled = stage.change[i] == Change.BYTE or "\ufffd" in text
        data = vocabulary.bytes(piece)
        found.append(data.hex(" ").upper() if spelled and len(data) == 1 else "")
        if not found[-1]:
            found[-1] = visible(data if spelled else text.encode("utf-8"))
    return found


@dataclass(frozen=True, eq=False)
class StagePicture:
    """The stages of a text, the cells of each, and the axis of that text that they stand on."""

    staged: Staged
    cells: tuple[StageCells, ...]
    axis: Axis


def place_stages(staged: Staged, axis: Axis) -> StagePicture:
    """Place the pieces of all stages on the axis of their text."""
    cells = tuple(
        place_stage(stage.source_start, stage.source_end, stage.lost, axis)
        for stage in staged.stages.all
    )
    return StagePicture(staged, cells, axis)


class PipelineWork(QObject):
    """Keeps the stages up to date while they can be seen.

    picture: what is shown, swapped as a whole. problem: why there is nothing to show.
    """

    changed = Signal()

    def __init__(self, placed: Placed, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._placed = placed
        self._session: Session = placed.session
        self._seen, self._wanted = False, True
        self.viewport = Viewport(self)
        self._newest: Staged | None = None
        self.picture: StagePicture | None = None
        self.problem = ""
        placed.viewport.changed.connect(lambda: self.viewport.follow(placed.viewport))
        placed.axis_changed.connect(self._place)
        self._session.encoding_changed.connect(self._encoding_changed)
        self._session.text_changed.connect(self._text_changed)
        self._session.active_changed.connect(self._start)
        self._session.models_changed.connect(self._models_changed)

    @property
    def staged(self) -> Staged | None:
        """The stages that are shown."""
        return None if self.picture is None else self.picture.staged

    @property
    def cells(self) -> tuple[StageCells, ...]:
        """The cells of each stage that is shown; empty where nothing is."""
        return () if self.picture is None else self.picture.cells

    @property
    def stale(self) -> bool:
        """Whether what is shown belongs to an older text, model or reading."""
        staged = self.staged
        return staged is not None and not self._current(
            staged.key, staged.text, staged.stages.special
        )

    def _current(self, key: int, text: Text, special: Special) -> bool:
        session, active = self._session, self._session.active
        mine = active is not None and active.key == key
        return mine and text is session.text and special == session.settings.special

    def set_seen(self, seen: bool) -> None:
        """Work only while the pane is seen; catch up when it is seen again."""
        self._seen = seen
        if seen and self._wanted:
            self._start()

    def _models_changed(self) -> None:
        if self._session.active is None:
            self._start()

    def _text_changed(self) -> None:
        """Stop what is under way; the encoding of the new text starts it again."""
        self._session.jobs.cancel("stages")
        self._wanted = self._wanted or not self._seen

    def _encoding_changed(self, key: int) -> None:
        active = self._session.active
        if active is not None and active.key == key:
            self._start()

    def _start(self) -> None:
        self._wanted = not self._seen
        if self._wanted:
            return
        session, opened = self._session, self._session.active
        session.jobs.cancel("stages")
        if opened is None or session.forbidden:
            self._take(None)
            return
        reading, key, text = session.reading(opened.key), opened.key, session.text
        if reading is None:
            return  # it is being computed
        encoding, special, model = reading.encoding, session.settings.special, opened.model
        if encoding is None:
            self._take(None, str(reading.error or self.tr("The text was not encoded.")))
            return

        def done(staged: Staged) -> None:
            if self._current(key, text, special):
                self._take(staged)

        def failed(error: BaseException) -> None:
            if not isinstance(error, SegscopeError):
                session.jobs.unhandled.emit(error)
            if self._current(key, text, special):
                self._take(None, str(error))

        session.jobs.start(
            "stages",
            self.tr("Following the text through the pipeline"),
            lambda report: stage_text(key, model, text, encoding, special, report),
            done,
            failed,
        )

    def _take(self, staged: Staged | None, problem: str = "") -> None:
        """Show stages, as soon as the axis of their text is there, or nothing and why."""
        self._newest, self.problem = staged, problem
        if staged is None:
            self.picture = None
            self.changed.emit()
        else:
            self._place()

    def _place(self) -> None:
        """Place the newest stages; until the axis of their text is there the old ones stay."""
        staged, axis = self._newest, self._placed.axis
        if staged is None or staged.text is not axis.text:
            return
        self.picture = place_stages(staged, axis)
        self.viewport.hold(axis)
        self.changed.emit()


def change_words(change: Change) -> str:
    """Return what a piece is to its stretch of the text, for a person; empty for the same."""

    def tr(text: str) -> str:
        return QCoreApplication.translate("Pipeline", text)

    return {
        Change.SAME: "",
        Change.SPACE: tr("▁ for the space"),
        Change.WHITE_SPACE: tr("one space for this white space"),
        Change.INSERTED: tr("inserted"),
        Change.SPACED: tr("spaces put around it"),
        Change.LOWER_CASE: tr("lower-cased"),
        Change.ACCENTS: tr("marks removed"),
        Change.FOLDED: tr("lower-cased, marks removed"),
        Change.COMPOSED: tr("composed (NFC)"),
        Change.DECOMPOSED: tr("decomposed (NFD)"),
        Change.COMPATIBLE: tr("compatibility form (NFKC or NFKD)"),
        Change.REPLACED: tr("replaced"),
        Change.SPECIAL: tr("special token"),
        Change.ADDED: tr("added token"),
        Change.UNKNOWN: tr("unknown"),
        Change.BYTE: tr("byte piece"),
    }[change]
