"""WordPiece in the Merges workspace: the longest piece first, try by try, in the same player."""

from __future__ import annotations

from typing import Any, NamedTuple

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.counts import counted
from app.draw.isolate import isolate
from app.draw.merge_labels import Labels, in_short
from app.draw.tries import TriedWord
from app.models.tries import TriesTableModel
from app.player import Player
from app.session import LATTICE_DELAY, OpenModel, Session
from app.theme import Theme
from app.views.merges.follow import LIMIT, place_to_show, pretoken_at
from app.views.merges.head import Head, TopRow
from app.views.merges.strip import WordStrip
from app.views.merges.tries import TryRows
from app.views.merges.wanted import Wanted
from app.widgets.canvas import Canvas
from app.widgets.report import Facts, Heading, Line, Lines, Part, Report, Section, Sentence, code
from engine.readings import Special
from engine.text import Text
from engine.traces.longest import LongestTrace, Taken, Try, TryKind

JOB = "tries"

LABELLED = 200
"""Steps up to which the player's track names them."""


class Followed(NamedTuple):
    """The tries of a text, of which model they are, and how many bytes of the text they cover."""

    trace: LongestTrace
    key: int
    text: Text
    shown: int


class LongestPage(Canvas):
    """The centre for a WordPiece model. It writes the inspector and the steps' table meanwhile."""

    def __init__(
        self,
        session: Session,
        player: Player,
        report: Report,
        steps: TriesTableModel,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(theme, parent)
        self._session, self._player, self._report, self.steps = session, player, report, steps
        self._followed: Followed | None = None
        self._labels: Labels | None = None
        self._word: TriedWord | None = None
        self._wanted: Wanted | None = None
        self._stale = True
        self._quiet = False
        self.top = TopRow(session, theme)
        self.strip = WordStrip(theme)
        legend = self.tr("× no such piece   ✓ found: a token   ? the word is unknown")
        self.head = Head(theme, legend)
        self.rows = TryRows(player, theme)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.top, self.strip, self.head):
            column.addWidget(widget)
        column.addWidget(self.rows, 1)
        self._pause = QTimer(self, singleShot=True, interval=LATTICE_DELAY)
        self._pause.timeout.connect(self.follow)
        self.strip.chosen.connect(self._choose_word)
        self.rows.row_clicked.connect(self._seek_row)
        player.position_changed.connect(self._show_position)
        session.text_changed.connect(self._text_changed)
        session.selection_changed.connect(self._show_selection)
        self._text_changed()

    @property
    def followed(self) -> Followed | None:
        """The trace on show."""
        return self._followed

    @property
    def word(self) -> TriedWord | None:
        """The pre-token on show."""
        return self._word

    def view_state(self) -> dict[str, Any]:
        """Return what a scene keeps."""
        return {"word": self._word.pretoken if self._word else 0, "position": self._player.position}

    def restore(self, wanted: Wanted | None) -> None:
        """Show the place that a scene kept, now or when the tries have been followed."""
        self._wanted, followed = wanted, self._followed
        if wanted is None or followed is None or self._stale:
            return
        if wanted.of(followed.key, followed.text):
            self._take(followed)

    # Following the text

    def wordpiece(self) -> OpenModel | None:
        """Return the active model if it is one of WordPiece."""
        opened = self._session.active
        return opened if opened is not None and opened.model.algorithm == "wordpiece" else None

    def _text_changed(self) -> None:
        self.top.text_line.show_text(self._session.text.string)
        self._stale = True
        if self.isVisible():
            self._pause.start()

    def forget(self) -> None:
        """Another model is active, or special strings are read otherwise."""
        self._stale = True
        if self.wordpiece() is None:
            self._session.jobs.cancel(JOB)
            if self._followed is not None:
                self._take(None)
        elif self.isVisible():
            self.follow()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self.follow()

    def follow(self) -> None:
        """Have the tries of the text followed in the background."""
        self._pause.stop()
        opened = self.wordpiece()
        if opened is None:
            return
        self._stale = False
        text, special = self._session.text, self._session.settings.special

        def work(_report: object) -> Followed:
            return _follow(opened, text, special)

        def failed(error: BaseException) -> None:
            self._take(None)
            self._session.failed.emit(error, self.tr("The longest pieces were not followed"))

        title = self.tr("Following the longest pieces")
        self._session.jobs.start(JOB, title, work, self._take, failed)

    def _take(self, followed: Followed | None) -> None:
        before, self._followed = self._followed, followed
        shown, self._word = self._word, None
        if followed is None:
            self._labels = None
            self.steps.set_trace(None, None)
            self.strip.set_trace(None, None, 0)
            self.rows.set_word(None, None, 0)
            self.head.clear()
            self.top.note.clear()
            self._report.set_parts(())
            self._player.set_trace(0)
            return
        trace = followed.trace
        self._labels = labels = Labels(trace)
        byte = -1
        if before is not None and shown is not None:
            byte = before.trace.prepared.span(*shown.span)[0]
        old = None if before is None else before.text
        pretoken, position = place_to_show(
            followed.text, trace.prepared, trace.step_cuts, old, byte
        )
        wanted, self._wanted = self._wanted, None
        count = len(trace.prepared.fixed)
        if count and wanted is not None and wanted.of(followed.key, followed.text):
            pretoken, position = wanted.within(count, len(trace))
        self.steps.set_trace(trace, labels)
        self.strip.set_trace(trace, labels, pretoken)
        names: tuple[str, ...] = ()
        if len(trace) <= LABELLED:
            names = tuple(labels.tried(k) for k in range(len(trace)))
        self._show_word(pretoken, position)
        title = labels.pretoken(pretoken) if self.word is not None else ""
        self._player.set_trace(len(trace), position, title, names)

    # The word and the position

    def _show_word(self, pretoken: int, position: int) -> None:
        followed = self._followed
        if followed is None or not len(followed.trace.prepared.fixed):
            self._word = None
            self.rows.set_word(None, None, 0)
            self.head.clear(self.tr("The text is empty"))
            self.top.note.clear()
            self._report.set_parts(())
            return
        self._word = word = TriedWord(followed.trace, pretoken)
        self.rows.set_word(word, self._labels, self._row(position))
        self.strip.set_current(pretoken)
        self._say(position)

    def _row(self, position: int) -> int:
        assert self._word is not None
        return min(max(position - self._word.steps.start, 0), len(self._word.steps))

    def _show_position(self, position: int) -> None:
        followed, word = self._followed, self._word
        if followed is None or word is None:
            return
        if not word.steps.start <= position <= word.steps.stop:
            forward = position > word.steps.stop
            pretoken = followed.trace.pretoken_of(position - 1 if forward else position)
            self._show_word(pretoken, position)
            self._player.title = self._labels.pretoken(pretoken) if self._labels else ""
        else:
            self.rows.set_row(self._row(position))
            self._say(position)
        self._select(step=position)

    def _select(self, **changes: Any) -> None:
        self._quiet = True
        self._session.select(**changes)
        self._quiet = False

    def _seek_row(self, row: int) -> None:
        if self._word is not None:
            self._player.seek(self._word.steps.start + row)

    def show_word(self, pretoken: int) -> None:
        """Show a word before its first try."""
        if self._followed is None:
            return
        start = self._followed.trace.steps_of(pretoken).start
        self._player.pause()
        self._show_word(pretoken, start)
        if self._labels is not None:
            self._player.title = self._labels.pretoken(pretoken)
        if self._player.position == start:
            self._player.position_changed.emit(start)
        else:
            self._player.seek(start)

    def _choose_word(self, pretoken: int) -> None:
        self.show_word(pretoken)
        if self._word is not None:
            span = self._word.trace.prepared.span(*self._word.span)
            self._select(span=span, piece=None, edge=None, path=None)

    def _show_selection(self) -> None:
        """Show the word that something selected elsewhere belongs to."""
        followed, span, word = self._followed, self._session.selection.span, self._word
        if self._quiet or followed is None or span is None or word is None:
            return
        if not self.isVisible():
            return
        if followed.text is not self._session.text or self._player.playing:
            return
        prepared = followed.trace.prepared
        here = prepared.span(*word.span)
        if not here[0] <= span[0] < max(here[1], here[0] + 1) and span[0] < followed.shown:
            self.show_word(pretoken_at(prepared, span[0]))

    # In words

    def _say(self, position: int) -> None:
        followed, word, labels = self._followed, self._word, self._labels
        assert followed is not None
        assert word is not None
        assert labels is not None
        row = self._row(position)
        tells = TryTeller(followed.trace, labels)
        opened = self._session.open_model(followed.key)
        ended = followed.trace.taken(word.pretoken, word.steps.stop)
        steps = counted(len(word.steps), "step")
        self.head.say(labels.pretoken(word.pretoken), steps, len(ended.piece), opened)
        words = len(followed.trace.prepared.fixed)
        self.top.place(word.pretoken, words, followed.shown, followed.text.n_bytes)
        self.head.story.tell(tells.sentence(word, row))
        self._report.set_parts(tells.parts(word, row))


def _follow(opened: OpenModel, text: Text, special: Special) -> Followed:
    """Trace the tries of a text, of a long one up to `LIMIT` bytes."""
    shown = text.head(LIMIT)
    return Followed(opened.model.longest(shown, special), opened.key, text, shown.n_bytes)


class TryTeller(QObject):
    """Says what a try does, in a sentence and for the inspector."""

    def __init__(self, trace: LongestTrace, labels: Labels) -> None:
        super().__init__()
        self._trace, self._labels = trace, labels

    def sentence(self, word: TriedWord, row: int) -> str:
        """Return what leads to a row; pieces stand as `code` marks them."""
        whole = code(in_short(self._labels.pretoken(word.pretoken)))
        if not len(word.steps):
            text = self.tr("{word} is an added token: it is cut out of the text beforehand.")
            return text.format(word=whole)
        if row == 0:
            return self.tr(
                "The whole word {word} is looked up first, then the word without its last letter, "
                "and so on: the longest piece that the vocabulary has becomes a token."
            ).format(word=whole)
        event = word.tried(row)
        if event.kind == TryKind.FAIL:
            return self._failure(word, event)
        if event.kind == TryKind.TOO_LONG:
            return self.tr(
                "{word} has more characters than this model looks at: without a try it is {token}."
            ).format(word=whole, token=self._unknown(event))
        tried = code(in_short(self._labels.looked_up(event.start, event.end, word.span[0])))
        if event.kind == TryKind.MISS:
            first, last = word.cells(event.start, event.end)
            if first == last:
                text = self.tr("{tried} isn't in the vocabulary, and no letter is left to drop.")
            else:
                text = self.tr("{tried} isn't in the vocabulary: one letter less is tried next.")
            return text.format(tried=tried)
        if event.end == word.span[1]:
            count = len(self._trace.taken(word.pretoken, event.step + 1).piece)
            text = self.tr("{tried} is in the vocabulary. It is the last of {tokens}.")
            return text.format(tried=tried, tokens=counted(count, "token"))
        rest = code(in_short(self._labels.looked_up(event.end, word.span[1], word.span[0])))
        mark = self._trace.model.vocabulary.mark
        text = self.tr("{tried} is in the vocabulary: a token. The search goes on with {rest}.")
        if mark:
            text = self.tr(
                "{tried} is in the vocabulary: a token. The search goes on with {rest}, where "
                "{mark} says that it is inside of a word."
            )
        return text.format(tried=tried, rest=rest, mark=code(mark))

    def _failure(self, word: TriedWord, event: Try) -> str:
        text = self.tr(
            "Nothing in the vocabulary goes on from here, so the word as a whole is {token}."
        ).format(token=self._unknown(event))
        before = self._trace.taken(word.pretoken, event.step)
        if len(before.piece):
            text += " " + self.tr("What was found before, {pieces}, is given up.").format(
                pieces=code(" ".join(self._written(word, before)))
            )
        return text

    def _unknown(self, event: Try) -> str:
        if event.piece < 0:
            return self.tr("left out")
        return code(self._labels.piece(event.piece)[0])

    def _written(self, word: TriedWord, taken: Taken) -> list[str]:
        return [
            self._labels.written(piece, inside=start > word.span[0])[0]
            for piece, start in zip(taken.piece.tolist(), taken.start.tolist(), strict=True)
        ]

    def parts(self, word: TriedWord, row: int) -> tuple[Part, ...]:
        """Return what the inspector says of a row."""
        labels = self._labels
        taken = self._trace.taken(word.pretoken, word.steps.start + row)
        lines = tuple(
            Line("", text, self.tr("id {id}").format(id=piece))
            for text, piece in zip(self._written(word, taken), taken.piece.tolist(), strict=True)
        )
        out: list[Part] = []
        if row == 0:
            shown = in_short(labels.pretoken(word.pretoken))
            out.append(Heading(shown, self.tr("Start"), pieces=True))
        else:
            event = word.tried(row)
            small = self.tr("Try {step} of {count}").format(
                step=f"{row:,}", count=f"{len(word.steps):,}"
            )
            result = ""
            if event.piece >= 0:
                inside = event.kind == TryKind.HIT and event.start > word.span[0]
                result = isolate(labels.written(event.piece, inside=inside)[0])
            looked_up = labels.looked_up(event.start, event.end, word.span[0])
            tried = isolate(in_short(looked_up))
            place = word.trace.prepared.span(event.start, event.end)
            spot = self.tr("bytes {a} to {b}").format(a=f"{place[0]:,}", b=f"{place[1]:,}")
            facts = [(self.tr("In the text"), spot)]
            if event.piece >= 0:
                facts.insert(0, (self.tr("Token id"), str(event.piece)))
            out += [Heading(tried, small, pieces=True, result=result), Facts(tuple(facts))]
        out += [Section(self.tr("What happens")), Sentence(self.sentence(word, row))]
        if lines:
            out += [Section(self.tr("Tokens so far")), Lines(lines)]
        return tuple(out)
