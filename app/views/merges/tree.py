"""The pane of trees: what the tokens of the word, or the selected piece, were merged from."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from app.draw.isolate import isolate
from app.draw.merge_labels import Labels
from app.draw.merge_tree import Tree, make_tree, paint_tree
from app.draw.word import Word
from app.session import Session
from app.theme import SIZE_DATA, Theme
from app.views.merges.follow import Followed
from app.widgets.elided import ElidedLabel
from app.widgets.segmented import SegmentedControl
from app.widgets.tips import Tips
from engine.merge_tree import Forest, forest_of_word, tree_of_piece

LARGEST = 400
"""First symbols of a word up to which its trees are drawn."""


class TreeView(QWidget):
    """A forest; a click or an arrow key chooses a node."""

    chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tree: Tree | None = None
        self._note = ""
        self._selected = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Trees of merges"))
        Tips(self, self.tip_at)
        theme.changed.connect(self.update)

    @property
    def tree(self) -> Tree | None:
        """The forest on show."""
        return self._tree

    @property
    def selected(self) -> int:
        """The node that is chosen, −1 for none."""
        return self._selected

    def set_tree(self, tree: Tree | None, note: str = "") -> None:
        """Show another forest, or say why there is none."""
        self._tree, self._note, self._selected = tree, note, -1
        wide, high = tree.size if tree is not None else (0.0, 0.0)
        self.setMinimumSize(round(wide), round(high))
        self.setAccessibleDescription(note)
        self.update()

    def select(self, node: int) -> None:
        """Mark a node with all that it is made of."""
        self._selected = node
        self.setAccessibleDescription(self.describe(node) if node >= 0 else self._note)
        self.update()

    def describe(self, node: int) -> str:
        """Say what a node is and what it is made of."""
        assert self._tree is not None
        forest, texts = self._tree.forest, self._tree.texts
        text = isolate(texts[node][0])
        if forest.left[node] < 0:
            return self.tr("{text}: a first symbol").format(text=text)
        return self.tr("{text}: {left} and {right}, joined by rank {rank}").format(
            text=text,
            left=isolate(texts[int(forest.left[node])][0]),
            right=isolate(texts[int(forest.right[node])][0]),
            rank=f"{int(forest.rank[node]):,}",
        )

    def tip_at(self, place: QPointF) -> str:
        """Return what the tip at a pixel says."""
        node = -1 if self._tree is None else self._tree.node_at(place)
        return self.describe(node) if node >= 0 else ""

    def sizeHint(self) -> QSize:
        return self.minimumSize().expandedTo(QSize(300, 120))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), self._theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), theme.color("canvas"))
        if self._tree is not None:
            paint_tree(painter, self._tree, theme, self._selected, QRectF(event.rect()))
        else:
            painter.setFont(theme.font(SIZE_DATA))
            painter.setPen(theme.color("ink2"))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._note)
        if self.hasFocus():
            painter.setPen(theme.color("line2"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._tree is not None and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(self._tree.node_at(event.position()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._tree is None or not self._go(Qt.Key(event.key())):
            super().keyPressEvent(event)

    def _go(self, key: Qt.Key) -> bool:
        """Move in the trees: ↑ to what a node is part of, ↓ to its left half, ← → to the side."""
        assert self._tree is not None
        forest, here = self._tree.forest, self._selected
        if key not in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right):
            return False
        if here < 0:
            target = int(forest.roots[0])
        elif key == Qt.Key.Key_Up:
            over = ((forest.left == here) | (forest.right == here)).nonzero()[0]
            target = int(over[0]) if len(over) else here
        elif key == Qt.Key.Key_Down:
            target = int(forest.left[here]) if forest.left[here] >= 0 else here
        else:
            away = forest.last[here] + 1 if key == Qt.Key.Key_Right else forest.first[here] - 1
            end = forest.first if key == Qt.Key.Key_Right else forest.last
            beside = (end == away).nonzero()[0]
            target = int(beside[-1]) if len(beside) else here
        self.chosen.emit(target)
        return True

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.update()


class TreePane(QWidget):
    """The forest of the word, or the tree of the piece that is selected anywhere in the window."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._theme = session, theme
        self._followed: Followed | None = None
        self._labels: Labels | None = None
        self._word: Word | None = None
        self._seen, self._stale = False, True
        self._piece: int | None = None
        self.what = SegmentedControl(
            (("word", self.tr("This word")), ("piece", self.tr("Selected piece"))), theme, 22
        )
        self.said = ElidedLabel(theme, token="ink2")
        self.view = TreeView(theme)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(self.view)
        self._scroll = scroll
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(scroll)
        self.what.changed.connect(self.refresh)
        self.view.chosen.connect(self._choose)
        session.selection_changed.connect(self._selection_changed)
        theme.changed.connect(self.refresh)

    def set_word(self, followed: Followed | None, labels: Labels | None, word: Word | None) -> None:
        """Show another word."""
        self._followed, self._labels, self._word = followed, labels, word
        self.refresh()

    def set_seen(self, seen: bool) -> None:
        """Work only while the pane is in front; Qt hides no pane behind another."""
        self._seen = seen
        if seen and self._stale:
            self.refresh()

    def refresh(self) -> None:
        """Draw the trees anew, if they can be seen."""
        self._stale = not self._seen
        if self._stale:
            return
        followed, labels, word = self._followed, self._labels, self._word
        self.said.setText("")
        if followed is None or labels is None or word is None:
            self.view.set_tree(None, self.tr("There is no word that merges"))
        elif self.what.value() == "piece":
            self._show_piece(followed, labels)
        elif word.symbols > LARGEST:
            note = self.tr("A word of more than {n} symbols isn't drawn as trees")
            self.view.set_tree(None, note.format(n=f"{LARGEST:,}"))
        else:
            self._show_word(labels, word)

    def _show_word(self, labels: Labels, word: Word) -> None:
        forest = forest_of_word(word.trace, word.pretoken)
        row = word.row(0)
        spans = list(zip(row.start.tolist(), row.end.tolist(), strict=True))

        def label(node: int) -> tuple[str, bool]:
            start, end = spans[int(forest.first[node])][0], spans[int(forest.last[node])][1]
            return labels.symbol(int(forest.piece[node]), start, end)

        self.view.set_tree(make_tree(forest, label, self._theme))
        self.said.setText(self._height(forest))

    def _show_piece(self, followed: Followed, labels: Labels) -> None:
        piece, bpe = self._session.selection.piece, followed.own.model.bpe
        self._piece = piece
        if piece is None or bpe is None or not 0 <= piece < len(bpe.vocabulary):
            note = self.tr("Choose a piece here, in Explore or in Vocabulary")
            self.view.set_tree(None, note)
            return
        forest = tree_of_piece(bpe, piece)
        tree = make_tree(forest, lambda node: labels.piece(int(forest.piece[node])), self._theme)
        self.view.set_tree(tree)
        if len(forest.piece) == 1:
            self.said.setText(self.tr("No merge makes this piece"))
        else:
            self.said.setText(self._height(forest))

    def _height(self, forest: Forest) -> str:
        height = int(forest.height.max(initial=0))
        return self.tr("Merges over each other: {n}. Under a node: the rank of its merge").format(
            n=f"{height:,}"
        )

    def _choose(self, node: int) -> None:
        self.view.select(node)
        tree = self.view.tree
        if node < 0 or tree is None:
            return
        box = tree.box(node)
        self._scroll.ensureVisible(round(box.center().x()), round(box.center().y()))

    def _selection_changed(self) -> None:
        # The player's steps are a part of the selection: only another piece has another tree.
        if self.what.value() == "piece" and self._session.selection.piece != self._piece:
            self.refresh()
