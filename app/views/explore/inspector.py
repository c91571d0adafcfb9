"""The inspector of Explore: what is selected, why it is so, and what can be done with it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QMenu,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.analysis import Analysis
from app.draw.arcs import NO_MARKS
from app.draw.edge_marks import edge_marks, with_sign
from app.icons import icon
from app.session import OpenModel, Session
from app.theme import SIZE_BODY, SIZE_DATA, SIZE_INSPECTOR, SIZE_PIECE, Theme
from app.views.explore import facts, sentences
from app.views.explore.brick_pair import BrickLine, BrickPair
from app.views.explore.constraining import KEYS, constrain_selected, words_for
from app.views.explore.copying import copy_lattice, copy_selected, selected_text
from app.views.explore.elsewhere import Elsewhere, stretches
from app.views.explore.placed import Placed
from app.widgets.keyvalue import Fact, KeyValue
from app.widgets.pane_title import PaneTitle
from engine.constrain import Action
from engine.display import visible
from engine.explain import Explanation, ScoreReason, explain_edge
from engine.lattice import Lattice
from engine.progress import Report

WIDTH = 300

WHOLE = 60
"""Milliseconds that a new text's tokens wait for its lattice: most come sooner, and together."""

LONG_PIECE = 14
BRICKS = 14
"""Pieces of a stretch that are drawn as bricks; a longer one is told by its score alone."""


class Inspector(QScrollArea):
    """Follows the session's selection. `show_piece` asks for the piece in Vocabulary."""

    show_piece = Signal()

    def __init__(self, placed: Placed, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._placed, self._theme = placed, theme
        self._session: Session = placed.session
        self._asked: tuple[Lattice, float, int] | None = None
        self._icons: dict[QPushButton, str] = {}
        self.reason: Explanation | None = None
        self.title = PaneTitle(theme)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumWidth(240)
        self.setAccessibleName(self.tr("Inspector"))
        self.body = QWidget()
        self._column = QVBoxLayout(self.body)
        self._column.setContentsMargins(12, 2, 16, 16)
        self._column.setSpacing(8)
        self.piece = self._label()
        self.state = self._label()
        self.values = KeyValue(theme)
        self.hint = self._label()
        self.hint.setProperty("role", "second")
        self._why_line = self._rule()
        self.why_title = self._section()
        self.why = self._label()
        self.bricks = BrickPair(theme)
        self.why_end = self._label()
        self._elsewhere_line = self._rule()
        self.elsewhere_title = self._section()
        self.elsewhere_title.setText(self.tr("The same stretch elsewhere"))
        self.elsewhere = Elsewhere(theme)
        self._action_line = self._rule()
        self.pin_button = self._action("pin", "")
        self.forbid_button = self._action("forbid", "")
        self.show_button = self._action("vocabulary", self.tr("Show in Vocabulary"))
        self.activate_button = self._action("explore", self.tr("Show this model's lattice"))
        self.copy_selected_button = self._action("copy", self.tr("Copy the selected characters"))
        self.copy_button = self._action("copy", self.tr("Copy the lattice as …"))
        menu = QMenu(self.copy_button)
        words = {"text": self.tr("Text"), "json": self.tr("JSON"), "svg": self.tr("SVG picture")}
        for kind, label in words.items():
            menu.addAction(label).triggered.connect(partial(self.copy, kind))
        self.copy_button.setMenu(menu)
        for widget in (
            self.piece, self.state, self.values, self.hint, self._why_line, self.why_title,
            self.why, self.bricks, self.why_end, self._elsewhere_line, self.elsewhere_title,
            self.elsewhere, self._action_line, self.pin_button, self.forbid_button,
            self.show_button, self.activate_button, self.copy_selected_button, self.copy_button,
        ):  # fmt: skip
            self._column.addWidget(widget)
        self._parts = (
            self.piece, self.state, self.hint, self._why_line, self.why_title, self.why,
            self.bricks, self.why_end, self._elsewhere_line, self.elsewhere_title,
            self.elsewhere, self.activate_button,
        )  # fmt: skip
        """What isn't shown for everything that can be selected."""
        self._wanted: set[QWidget] = set()
        self._seen: set[QWidget] = set(self._parts)
        self._column.addStretch()
        self.setWidget(self.body)
        self.pin_button.clicked.connect(partial(self._constrain, "pin"))
        self.forbid_button.clicked.connect(partial(self._constrain, "forbid"))
        self.show_button.clicked.connect(self.show_piece)
        self.copy_selected_button.clicked.connect(lambda: copy_selected(self._session))
        self.activate_button.clicked.connect(self._activate)
        self.elsewhere.chosen.connect(self._session.set_active)
        for signal in (
            self._session.selection_changed, self._session.settings_changed,
            self._session.models_changed, placed.shown_again, self._session.constraints.changed,
        ):  # fmt: skip
            signal.connect(self.refresh)
        self._later = QTimer(self, singleShot=True, interval=WHOLE)
        self._later.timeout.connect(self.refresh)
        placed.bands_changed.connect(self._part_changed)
        placed.lattice_changed.connect(self._part_changed)
        theme.changed.connect(self._dress)
        self._dress()

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 400)

    # Parts

    def _label(self) -> QLabel:
        label = QLabel()
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        return label

    def _section(self) -> QLabel:
        label = self._label()
        label.setProperty("role", "section")
        return label

    def _rule(self) -> QFrame:
        line = QFrame()
        line.setFixedHeight(1)
        line.setAutoFillBackground(True)
        line.setBackgroundRole(QPalette.ColorRole.Mid)
        return line

    def _action(self, name: str, words: str) -> QPushButton:
        button = QPushButton(words)
        button.setProperty("flat", True)
        self._icons[button] = name
        button.setStyleSheet("text-align: left; padding-left: 0px;")
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        return button

    # Filling

    def _dress(self) -> None:
        for button, name in self._icons.items():
            button.setIcon(icon(name, self._theme, size=18))
        for label in (self.why, self.why_end):
            label.setFont(self._theme.font(SIZE_BODY))
        self.state.setFont(self._theme.font(SIZE_DATA, bold=True))
        self.refresh()

    def _part_changed(self) -> None:
        """Follow a text when its lattice is there, or when that takes long."""
        if self._placed.analysis is not None and not self._placed.stale_text:
            self.refresh()
        elif not self._later.isActive():
            self._later.start()

    def refresh(self) -> None:
        """Show what is selected now; a hidden inspector catches up when it is shown."""
        self._later.stop()
        if self._placed.hidden:
            return
        selection, analysis = self._session.selection, self._placed.analysis
        mine = analysis is not None and selection.model == analysis.model_key
        self._reset()
        if analysis is not None and mine and selection.node is not None and self._fresh():
            if selection.node < analysis.lattice.n_nodes:
                self._show_node(analysis, selection.node)
        elif analysis is not None and mine and selection.edge is not None and self._fresh():
            if selection.edge < analysis.lattice.n_edges:
                self._show_edge(analysis, selection.edge)
        elif selection.span is not None and selection.span[1] <= self._session.text.n_bytes:
            self._show_stretch(selection.span)
        elif analysis is not None and selection.path is not None and self._fresh():
            self._show_path(analysis, selection.path)
        else:
            self._show_text(analysis)
        self.show_button.setVisible(selection.piece is not None)
        actions: tuple[tuple[QPushButton, Action], ...] = (
            (self.pin_button, "pin"),
            (self.forbid_button, "forbid"),
        )
        for button, action in actions:
            words = words_for(self._session, self._placed, action)
            button.setText(f"{words} ({KEYS[action]})")
            button.setVisible(bool(words))
        some = analysis is not None and analysis.lattice.n_edges > 0
        self.copy_button.setVisible(some)
        chosen = bool(selected_text(self._session))
        self.copy_selected_button.setVisible(chosen)
        self._action_line.setVisible(selection.piece is not None or some or chosen)
        # Only what changes: to hide and show again has the whole pane laid out anew.
        for part in self._wanted ^ self._seen:
            part.setVisible(part in self._wanted)
        self._seen = set(self._wanted)

    def _fresh(self) -> bool:
        return not self._placed.stale_text

    def _reset(self) -> None:
        self._wanted = set()
        self.reason = None
        self.title.end.setText("")

    def _show_piece(self, text: str) -> None:
        size = SIZE_INSPECTOR if len(text) <= LONG_PIECE else SIZE_PIECE
        self.piece.setFont(self._theme.piece_font(size if len(text) <= 60 else SIZE_BODY))
        self.piece.setText(text)
        self._wanted.add(self.piece)

    def _say(self, words: str, token: str) -> None:
        self._wanted.add(self.state)
        palette, color = self.state.palette(), self._theme.color(token)
        if palette.color(QPalette.ColorRole.WindowText) != color:
            palette.setColor(QPalette.ColorRole.WindowText, color)
            self.state.setPalette(palette)
        self.state.setText(words)

    def _show_edge(self, analysis: Analysis, edge: int) -> None:
        lattice, unit = analysis.lattice, self._session.settings.unit
        self.title.title.setText(self.tr("Edge"))
        span = lattice.source(edge)
        self.title.end.setText(facts.span_text(self._session.text, unit, span))
        piece = int(lattice.piece[edge])
        data = lattice.vocabulary.bytes(piece) if piece >= 0 else lattice.bytes(edge)
        self._show_piece(visible(data))
        self._say(*self._where(analysis, edge))
        self.values.set_facts(facts.edge_facts(analysis, self._placed.solution, edge, unit))
        self._ask_why(analysis, edge)
        self._show_elsewhere(span, analysis.model_key)

    def _show_node(self, analysis: Analysis, node: int) -> None:
        unit, text = self._session.settings.unit, self._session.text
        self.title.title.setText(self.tr("Boundary"))
        at = int(analysis.lattice.prepared.node_sources()[node])
        self.title.end.setText(f"{text.position(unit, at):,}")
        self._show_piece(facts.around(text, at))
        marks = self._placed.arcs.marks if self._placed.arcs is not None else NO_MARKS
        if node in marks.pinned_nodes:
            self._say(self.tr("Pinned: every segmentation cuts here"), "ink")
        elif node in marks.forbidden_nodes:
            self._say(self.tr("Forbidden: no segmentation cuts here"), "ink")
        elif (analysis.best.nodes == node).any() and len(analysis.best):
            words = self.tr("On the best path")
            if not analysis.lattice.has_law:
                words = self.tr("On the path taken")
            self._say(words, "best")
        else:
            words = self.tr("Not on the best path")
            if not analysis.lattice.has_law:
                words = self.tr("Not on the path taken")
            self._say(words, "ink2")
        solution = self._placed.solution
        self.values.set_facts(facts.node_facts(analysis, solution, node, unit))

    def _where(self, analysis: Analysis, edge: int) -> tuple[str, str]:
        """Return on which paths an edge is, and the colour to say it in."""
        marks = self._placed.arcs.marks if self._placed.arcs is not None else NO_MARKS
        if edge in marks.pinned:
            return self.tr("Pinned: every segmentation uses it"), "ink"
        if edge in marks.forbidden:
            return self.tr("Forbidden: no segmentation uses it"), "ink"
        if marks.allowed is not None and not marks.allowed[edge]:
            if edge in marks.former:
                return self.tr("On the former path, excluded by the constraints"), "ink2"
            return self.tr("Excluded by the constraints"), "ink2"
        if edge in marks.former and not analysis.lattice.has_law:
            return self.tr("On the path that the model takes without constraints"), "best"
        if not analysis.lattice.has_law:
            if (analysis.best.edges == edge).any():
                return self.tr("On the path taken"), "best"
            return self.tr("Matches, but is not on the path taken"), "ink2"
        if (analysis.best.edges == edge).any():
            return self.tr("On the best path"), "best"
        others = [
            str(place + 1)
            for place, path in enumerate(analysis.nbest)
            if place and (path.edges == edge).any()
        ]
        if not others:
            count = len(analysis.nbest)
            return self.tr("Not on the best {count} paths").format(count=count), "ink2"
        words = (
            self.tr("In alternative {paths}, not in the best path")
            if len(others) == 1
            else self.tr("In alternatives {paths}, not in the best path")
        )
        return words.format(paths=self._listed(others)), "alternative"

    def _listed(self, words: list[str]) -> str:
        """Return words as a list in a sentence: `2, 3 and 5`."""
        if len(words) < 2:
            return "".join(words)
        return self.tr("{first} and {last}").format(first=", ".join(words[:-1]), last=words[-1])

    def _show_stretch(self, span: tuple[int, int]) -> None:
        """Show tokens of a model, where not one edge of the lattice is meant."""
        selection, text = self._session.selection, self._session.text
        opened = self._session.open_model(selection.model) if selection.model else None
        unit = self._session.settings.unit
        self.title.end.setText(facts.span_text(text, unit, span))
        data = text.encoded[span[0] : span[1]]
        found = stretches(self._session, span, None)
        own = next((s for s in found if opened is not None and s.model is opened), None)
        count = len(own.ids) if own is not None else 0
        if count == 1:
            self.title.title.setText(self.tr("Token"))
        else:
            self.title.title.setText(self.tr("Stretch"))
        self._show_piece(visible(data) or "–")
        rows = facts.stretch_facts(text, data, span, unit)
        if own is not None and opened is not None:
            words = self.tr("1 token of {name}") if count == 1 else self.tr("{n} tokens of {name}")
            self._say(words.format(n=count, name=opened.name), "ink2")
            shown = " ".join(str(i) for i in own.ids[:24]) + (" …" if count > 24 else "")
            name = self.tr("Id") if count == 1 else self.tr("Ids")
            rows.insert(0, Fact(name, shown))
        self.values.set_facts(rows)
        active = self._session.active
        if opened is not None and opened is not active:
            self._wanted.add(self.activate_button)
        self._show_elsewhere(span, selection.model)

    def _show_path(self, analysis: Analysis, place: int) -> None:
        paths = analysis.nbest or (analysis.best,)
        if place >= len(paths):
            self._show_text(analysis)
            return
        self.title.title.setText(self.tr("Path {n}").format(n=place + 1))
        pieces = [visible(analysis.lattice.bytes(int(e))) for e in paths[place].edges[:40]]
        self._show_piece(" | ".join(pieces) + (" …" if len(paths[place].edges) > 40 else ""))
        self.values.set_facts(facts.path_facts(analysis, place))

    def _show_text(self, analysis: Analysis | None) -> None:
        self.title.title.setText(self.tr("Text"))
        opened: OpenModel | None = self._session.active
        if opened is not None:
            self._show_model(opened)
        solution = self._placed.solution
        self.values.set_facts(facts.text_facts(self._session, opened, analysis, solution))
        if opened is None:
            self.hint.setText(self.tr("Open a model to see how it cuts this text."))
        elif not self._session.text.n_bytes:
            self.hint.setText(self.tr("Type a text to see how the model cuts it."))
        else:
            self.hint.setText(
                self.tr(
                    "Click an arc or a token to see its score and why it is, or isn't, on the "
                    "path. In the lattice, arrow keys walk the edges (with Shift the boundaries) "
                    "and 1 to 9 choose a path. P pins what is selected, X forbids it."
                )
            )
        self._wanted.add(self.hint)

    def _show_model(self, opened: OpenModel) -> None:
        self._say(f"{opened.letter} · {opened.name} · {opened.model.summary}", "ink2")

    # Why

    def _ask_why(self, analysis: Analysis, edge: int) -> None:
        """Have the engine explain an edge; a result that is no longer wanted is dropped."""
        lattice, law, solution = analysis.lattice, analysis.law, self._placed.solution
        if solution is not None and (law is None or not solution.constrained.allowed[edge]):
            # Merges know nothing of constraints, and what is excluded is judged as it was before.
            lattice, law = solution.constrained.whole, solution.free.law
        best, before = analysis.best, lattice is not analysis.lattice
        if solution is not None and before:
            best = solution.free.best
        asked = (lattice, law.theta if law is not None else 1.0, edge)
        self._asked = asked

        def work(report: Report) -> Explanation:
            return explain_edge(lattice, law, edge)

        def done(reason: Explanation) -> None:
            if self._asked == asked and self._session.selection.edge == edge:
                self._show_why(reason, bool((best.edges == edge).any()))
                if before:
                    words = self.tr("Without constraints: {question}")
                    self.why_title.setText(words.format(question=self.why_title.text()))

        self._session.jobs.start("explain", self.tr("Explaining the edge"), work, done)

    def _show_why(self, reason: Explanation, on_path: bool) -> None:
        self.reason = reason
        self.why_title.setText(sentences.title(reason, on_path))
        self.why.setText(sentences.sentence(reason))
        lines = self._brick_lines(reason) if isinstance(reason, ScoreReason) else []
        self.bricks.set_lines(lines)
        end = sentences.consequence(reason)
        self.why_end.setText(end)
        self._seen |= {self._why_line, self.why_title, self.why}
        if lines:
            self._seen.add(self.bricks)
        if end:
            self._seen.add(self.why_end)
        for part in self._parts:
            part.setVisible(part in self._seen)

    def _brick_lines(self, reason: ScoreReason) -> list[BrickLine]:
        lattice = reason.lattice
        lines = []
        for edges, score, role in (
            (reason.best, reason.best_score, "best"),
            (reason.other, reason.other_score, "alternative"),
        ):
            if len(edges):
                shown = edges.tolist()
                marks = edge_marks(lattice, edges[:BRICKS]).tolist()
                pieces = [
                    with_sign(visible(lattice.bytes(edge)), mark)
                    for edge, mark in zip(shown[:BRICKS], marks, strict=True)
                ]
                sizes = [int(lattice.end[e] - lattice.start[e]) for e in shown[:BRICKS]]
                if len(shown) > BRICKS:
                    pieces[-1], sizes[-1] = "…", max(sizes[-1], 1)
                text = f"{score:.3f}".replace("-", "−")
                lines.append(BrickLine(tuple(pieces), tuple(sizes), text, role))
        return lines

    def _show_elsewhere(self, span: tuple[int, int], besides: int | None) -> None:
        found = stretches(self._session, span, besides)
        self.elsewhere.set_stretches(found)
        if found:
            self._wanted |= {self._elsewhere_line, self.elsewhere_title, self.elsewhere}

    # Doing

    def _constrain(self, action: Action) -> None:
        constrain_selected(self._session, self._placed, action)

    def copy(self, kind: str) -> None:
        """Put the lattice on the clipboard."""
        copy_lattice(self._session, kind, self._theme.scheme, self.tr("Copying the lattice"))

    def _activate(self) -> None:
        key = self._session.selection.model
        if key is not None:
            self._session.set_active(key)
