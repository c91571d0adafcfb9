"""The prompt boundary: how last tokens change as a text grows, and what could follow a cut."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.counts import counted
from app.errors import describe
from app.session import Session
from app.theme import Theme
from app.views.sampling.boundary_data import Findings, Following, look
from app.views.sampling.boundary_views import BarsView, GrowthView
from app.views.sampling.figures import obstacle
from app.widgets.canvas import Canvas
from app.widgets.empty import EmptyState
from app.widgets.integer_field import IntegerField
from engine.errors import SegscopeError
from engine.scene_fields import as_natural

_JOB = "prompt boundary"

COUNTED = 10**9
"""Covering sequences up to which their number is written."""


class BoundaryPane(QStackedWidget):
    """Rows of the growth, covering sequences and next bytes of the session's text at a cut.

    Computed in the background, and only while the pane is seen: `set_seen`.
    """

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._theme = session, theme
        self._seen = False
        self._cut: int | None = None
        self._findings: Findings | None = None
        self.setAccessibleName(self.tr("The prompt boundary"))

        self.field = IntegerField(0, 0, self.tr("Characters before the cut"))
        self.of = QLabel()
        self.at_end = QPushButton(self.tr("End"))
        self.at_end.setAccessibleName(self.tr("Cut at the end"))
        self.at_end.setToolTip(self.tr("Cut at the end of the text, also when it grows"))
        self.field.setFixedWidth(58)
        self.note = Note()
        self.growth = GrowthView(theme)
        self.change = Note()
        self.coverings = BarsView(theme, self.tr("Covering token sequences"), beside=False)
        self.covered = Note()
        self.next_bytes = BarsView(theme, self.tr("Next byte"), beside=True)
        self.following = Note()
        self.split = QSplitter(Qt.Orientation.Vertical)
        self.empty = EmptyState(self.tr("No text to cut"))
        self.addWidget(self._compose())
        self.addWidget(self.empty)
        self.setCurrentIndex(1)

        self.field.entered.connect(self.cut)
        self.growth.cut_wanted.connect(self.cut)
        self.at_end.clicked.connect(lambda _=False: self.cut(None))
        session.text_changed.connect(self._text_changed)
        session.active_changed.connect(self._prepare)
        session.analysis_changed.connect(self._prepare)

    def _compose(self) -> QWidget:
        page = Canvas(self._theme)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(4)
        row = QHBoxLayout()
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(6)
        before = QLabel(self.tr("Cut after"))
        before.setBuddy(self.field)
        row.addWidget(before)
        row.addWidget(self.field)
        row.addWidget(self.of)
        row.addStretch()
        row.addWidget(self.at_end)
        column.addLayout(row)
        column.addWidget(self.note)
        growth = self._part(self.tr("As the text grows"), self.change, self.growth)
        coverings = self._part(self.tr("What covers the prompt"), self.covered, self.coverings)
        following = self._part(self.tr("Next byte"), self.following, self.next_bytes)
        for part in (growth, coverings, following):
            self.split.addWidget(part)
        self.split.setChildrenCollapsible(False)
        self.split.setStretchFactor(0, 1)
        column.addWidget(self.split, 1)
        # A low window has no room for three lists.
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidgetResizable(True)
        area.setWidget(page)
        return area

    @staticmethod
    def _part(title: str, words: Note, view: QWidget) -> QWidget:
        """Return a heading, what it says, and the rows under it."""
        part = QWidget()
        heading = QLabel(title)
        heading.setProperty("role", "section")
        heading.setContentsMargins(12, 4, 12, 0)
        column = QVBoxLayout(part)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(heading)
        column.addWidget(words)
        column.addWidget(view, 1)
        return part

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() > 1.3 * self.height()
        across = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if self.split.orientation() != across:
            self.split.setOrientation(across)

    @property
    def findings(self) -> Findings | None:
        """What is shown; None while there is nothing."""
        return self._findings

    def set_seen(self, seen: bool) -> None:
        """Say whether the pane is in front: only then anything is computed."""
        self._seen = seen
        if seen:
            self._prepare()
        else:
            self._session.jobs.cancel(_JOB)

    def cut(self, after: int | None) -> None:
        """Cut the text after so many code points. None: at its end, also when it grows."""
        findings = self._findings
        if findings is not None:
            last = findings.shown.n_chars
            if after is not None and after >= last:
                after = None
            # At once, so that keys in quick succession go on from there.
            self._mark(findings, last if after is None else after)
        self._cut = after
        self._prepare()

    @property
    def place(self) -> int | None:
        """The code points before the cut; None for the end, also when the text grows."""
        return self._cut

    def restore(self, place: object) -> None:
        """Cut where a scene says; anything that isn't a place in the text is its end."""
        after = as_natural(place)
        inside = after is not None and after < self._session.text.n_chars
        self._cut = after if inside else None
        self._prepare()

    def _mark(self, findings: Findings, place: int) -> None:
        """Show where the text is cut."""
        last = findings.shown.n_chars
        self.field.set_high(last)
        self.field.set_value(place)
        self.of.setText(self.tr("of {n}").format(n=f"{last:,}"))
        self.of.setToolTip(counted(last, "character"))
        self.at_end.setEnabled(place < last)
        self.growth.show_rows(findings.grown.rows, place)
        if findings.grown.trouble is not None:
            self.change.tell(self._trouble(findings.grown.trouble))
            return
        key = self.tr("≠ tokens go · + more come · = nothing changes · framed: new")
        self.change.tell("\n".join(part for part in (self.growth.in_words(), key) if part))

    def _text_changed(self) -> None:
        self._cut = None

    def _prepare(self) -> None:
        """Have it computed what is to be seen, once it can be seen."""
        if not self._seen:
            return
        session = self._session
        opened, analysis, text, cut = session.active, session.analysis, session.text, self._cut
        if opened is None:
            self._say(self.tr("No model is open"))
            return
        why = obstacle(session)
        if why:
            self._say(why)
            return
        if analysis is None or analysis.text is not text or analysis.model_key != opened.key:
            return  # an analysis is on its way
        before = self._findings
        if before is not None and before.fits(opened.key, text, cut):
            session.jobs.cancel(_JOB)
            self.note.tell(self._notes(before))
            return
        session.jobs.start(
            _JOB,
            self.tr("Looking at the prompt boundary"),
            lambda report: look(opened, text, cut, before, report),
            self._take,
            self._failed,
        )

    def _failed(self, error: BaseException) -> None:
        what = self.tr("The prompt boundary was not computed")
        self._say(what)
        self._session.failed.emit(error, what)

    def _trouble(self, error: SegscopeError) -> str:
        """Say why a model can't write the text, which may be cut short."""
        fault = describe(error)
        return "\n".join(part for part in (fault.what, fault.where, fault.remedy) if part)

    def _say(self, sentence: str) -> None:
        """Show why there is nothing to see."""
        self._session.jobs.cancel(_JOB)
        self._findings = None
        self.empty.say(sentence)
        self.setCurrentIndex(1)

    def _take(self, findings: Findings) -> None:
        opened = self._session.active
        if opened is None or findings.model_key != opened.key:
            return
        if findings.text is not self._session.text:
            return
        self._findings = findings
        self._mark(findings, findings.cut)
        self.note.tell(self._notes(findings))
        following = findings.following
        if isinstance(following, SegscopeError):
            self.coverings.show_rows(())
            self.next_bytes.show_rows(())
            self.covered.tell(self._trouble(following))
            self.following.tell("")
        else:
            self.coverings.show_rows(following.coverings)
            self.next_bytes.show_rows(following.next_bytes)
            self.covered.tell(self._covered(following, findings.cut))
            self.following.tell(self._following(following, findings.cut))
        self.next_bytes.setVisible(bool(self.next_bytes.rows))
        self.setCurrentIndex(0)

    def _notes(self, findings: Findings) -> str:
        notes = []
        if findings.shown.n_bytes < findings.text.n_bytes:
            part = self.tr("Only the first {bytes} of the text are looked at")
            notes.append(part.format(bytes=counted(findings.shown.n_bytes, "byte")))
        if findings.special and self._session.settings.special != "literal":
            notes.append(self.tr("Special strings are read as plain text here"))
        return " · ".join(notes)

    def _covered(self, following: Following, cut: int) -> str:
        """Say what the listed sequences are, and how many there are."""
        if not cut:
            return self.tr("Nothing is before the cut: the next token is a new one")
        n = following.count
        number = self.tr("more than 10⁹") if n > COUNTED else f"{n:,}"
        if not following.law:
            words = self.tr(
                "Token sequences: {n}, with the probabilities of independent tokens; dotted: "
                "beyond the cut"
            )
        else:
            words = self.tr(
                "Token sequences: {n}, each what the model makes of some longer text, as far as "
                "its pre-token goes; dotted: beyond the cut. They have no probabilities."
            )
        text = words.format(n=number)
        if n > len(following.coverings) and following.law:
            part = self.tr("Listed: the first {n}")
            text += "\n" + part.format(n=f"{len(following.coverings):,}")
        elif n > len(following.coverings):
            part = self.tr("Listed: the {n} most probable")
            text += "\n" + part.format(n=f"{len(following.coverings):,}")
        return text

    def _following(self, following: Following, cut: int) -> str:
        """Say how the next byte's bars were made, and how far healing is from the exact law."""
        if following.law:
            return self.tr(
                "Only a Unigram model has an exact law of the next byte to hold token healing "
                "against: {why}."
            ).format(why=following.law)
        lines = [self.tr("Filled: the exact law")]
        if following.heals:
            lines[0] = self.tr("Filled: the exact law · hatched: token healing")
            words = self.tr(
                "Healing takes back {removed}. Distance to the exact law (total variation): "
                "{healed} healed, {unhealed} with a new token."
            )
            lines.append(
                words.format(
                    removed=following.removed,
                    healed=f"{following.healed_distance:.4f}",
                    unhealed=f"{following.unhealed_distance:.4f}",
                )
            )
        elif cut:
            words = self.tr(
                "No piece begins with the last token, {removed}, so there is no token healing. "
                "Distance of a new token to the exact law (total variation): {unhealed}."
            )
            distance = following.unhealed_distance
            shown = "–" if math.isnan(distance) else f"{distance:.4f}"
            lines.append(words.format(removed=following.removed, unhealed=shown))
        if any(row.label == "E2" for row in following.next_bytes):
            lines.append(
                self.tr("Of the text as the model sees it: a space may be ▁, which begins with E2")
            )
        return "\n".join(lines)


class Note(QLabel):
    """Lines of words as tall as they are at the width they have; hidden where there are none.

    A splitter asks for a least height alone, and wrapped words have none that depends on a width.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "note")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setContentsMargins(12, 0, 12, 0)
        self.hide()

    def tell(self, text: str) -> None:
        """Say something else."""
        self.setText(text)
        self.setVisible(bool(text))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.setMinimumHeight(self.heightForWidth(self.width()) if self.text() else 0)
