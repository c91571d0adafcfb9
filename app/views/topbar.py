"""The top bar: menu, open models, corpus, search, theme."""

from __future__ import annotations

import math

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QMenu, QSizePolicy, QWidget

from app.counts import counted
from app.icons import paint_icon
from app.session import OpenModel, Session
from app.theme import SIZE_BODY, SIZE_DATA, Theme
from app.views.rail import WIDTH as RAIL_WIDTH
from app.views.search import SearchField
from app.widgets.icon_button import IconButton

HEIGHT = 44
GAP = 8

REST = 64
"""Pixels kept for the button of the models without room."""

NAME, LEAST_NAME = 190, 120
"""Pixels of a model's name: the most that a chip asks for, and what it has in a narrow window."""

BEFORE, AFTER = 32, 34
"""Pixels of a chip before the words, for the letter, and after them, for its button."""


class TopBar(QWidget):
    """Wires nothing: it says what was asked for by its signals."""

    about_wanted = Signal(int)
    close_wanted = Signal(int)

    def __init__(
        self,
        session: Session,
        theme: Theme,
        menu: QMenu,
        plus_menu: QMenu,
        corpus_menu: QMenu,
        search: SearchField,
        parent: QWidget | None = None,
    ) -> None:
        """Take the menus of the menu button, of + and of the corpus button."""
        super().__init__(parent)
        self._session, self._theme = session, theme
        self.setFixedHeight(HEIGHT)
        self.setAccessibleName(self.tr("Top bar"))
        self.menu_button = IconButton("menu", self.tr("Menu (Alt)"), theme)
        self.menu_button.setMenu(menu)
        self.menu_button.setPopupMode(IconButton.ToolButtonPopupMode.InstantPopup)
        self.chips = ChipRow(session, theme)
        self.chips.about_wanted.connect(self.about_wanted)
        self.chips.close_wanted.connect(self.close_wanted)
        self.plus = IconButton("plus", self.tr("Open a model, a text or a corpus"), theme)
        self.plus.setMenu(plus_menu)
        self.plus.setPopupMode(IconButton.ToolButtonPopupMode.InstantPopup)
        self.corpus_button = TextButton("corpus", theme)
        self.corpus_button.menu = corpus_menu
        self.search = search
        self.theme_button = IconButton("moon", self.tr("Light or dark (Ctrl+L)"), theme)
        row = QHBoxLayout(self)
        row.setContentsMargins(RAIL_WIDTH + 6, 0, 12, 1)
        row.setSpacing(GAP)
        row.addWidget(self.menu_button)
        row.addWidget(self.chips, 100)
        row.addWidget(self.plus)
        row.addWidget(_Line(theme))
        row.addWidget(self.corpus_button)
        row.addStretch(1)
        row.addWidget(search)
        row.addWidget(self.theme_button)
        session.corpus_changed.connect(self._show_corpus)
        theme.changed.connect(self._restyle)
        self._show_corpus()
        self._restyle()

    def _show_corpus(self) -> None:
        corpus = self._session.corpus
        if corpus is None:
            self.corpus_button.set_text(self.tr("No corpus"), self.tr("Corpus: none is open"))
            return
        text = f"{corpus.title or corpus.name}, {counted(len(corpus), 'language')}"
        self.corpus_button.set_text(text, self.tr("Corpus: {name}").format(name=text))

    def _restyle(self) -> None:
        self.theme_button.set_icon("sun" if self._theme.dark else "moon")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme.color("chrome"))
        painter.fillRect(0, HEIGHT - 1, self.width(), 1, theme.color("line"))
        paint_icon(painter, "logo", QRectF(20, 6, 32, 32), theme.color("ink"))


class ChipRow(QWidget):
    """One chip for each open model, as many as have room; the others are in a menu."""

    about_wanted = Signal(int)
    close_wanted = Signal(int)

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__()
        self._session, self._theme = session, theme
        self._chips: list[ModelChip] = []
        self.more = TextButton("", theme)
        self.more.setParent(self)
        self._rest = QMenu(self)
        self._rest.aboutToShow.connect(self._fill_more)
        self.more.menu = self._rest
        self._hidden: list[OpenModel] = []
        self.setAccessibleName(self.tr("Open models"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(HEIGHT - 1)
        session.models_changed.connect(self._rebuild)
        session.active_changed.connect(self._place)
        self._rebuild()

    @property
    def chips(self) -> tuple[ModelChip, ...]:
        return tuple(self._chips)

    def sizeHint(self) -> QSize:
        width = sum(chip.sizeHint().width() + GAP for chip in self._chips)
        return QSize(max(width - GAP, 0), HEIGHT - 1)

    def minimumSizeHint(self) -> QSize:
        """Return room for any one model's name, and for the button of the others."""
        wide = max((chip.minimumSizeHint().width() for chip in self._chips), default=0)
        if len(self._chips) > 1:
            wide += REST
        return QSize(min(wide, self.sizeHint().width()), HEIGHT - 1)

    def _rebuild(self) -> None:
        for chip in self._chips:
            chip.hide()
            chip.deleteLater()
        self._chips = []
        previous: QWidget = self
        for opened in self._session.models:
            chip = ModelChip(opened, self._theme, self)
            chip.clicked.connect(lambda _on=False, key=opened.key: self._session.set_active(key))
            chip.about_wanted.connect(self.about_wanted)
            chip.close_wanted.connect(self.close_wanted)
            self._chips.append(chip)
            if previous is not self:
                QWidget.setTabOrder(previous, chip)
            QWidget.setTabOrder(chip, chip.about)
            previous = chip.about
        self.setMaximumWidth(max(self.sizeHint().width(), 1))
        self.updateGeometry()
        self._place()

    def _place(self) -> None:
        active = self._session.active
        for chip in self._chips:
            chip.set_active(active is not None and chip.opened.key == active.key)
        total = self.sizeHint().width()
        room = self.width()
        shown = list(self._chips)
        if total > room:
            room -= REST
            order = sorted(self._chips, key=lambda chip: not chip.isChecked())
            shown, used = [], 0
            for chip in order:
                width = chip.sizeHint().width()
                if used + width <= room or not shown:
                    shown.append(chip)
                    used += width + GAP
        x = 0
        self._hidden = []
        for chip in self._chips:
            if chip in shown:
                least = chip.minimumSizeHint().width()
                width = min(chip.sizeHint().width(), max(room - x, least))
                chip.setGeometry(x, 8, width, HEIGHT - 16)
                x += width + GAP
                chip.show()
            else:
                self._hidden.append(chip.opened)
                chip.hide()
        self.more.setVisible(bool(self._hidden))
        if self._hidden:
            count = self.tr("+{count}").format(count=len(self._hidden))
            self.more.set_text(
                count, self.tr("More: {models}").format(models=counted(len(self._hidden), "model"))
            )
            self.more.setGeometry(x, 8, self.more.sizeHint().width(), HEIGHT - 16)

    def _fill_more(self) -> None:
        self._rest.clear()
        for opened in self._hidden:
            text = f"{opened.letter}  {opened.name}   {opened.model.summary}"
            action = self._rest.addAction(text.replace("&", "&&"))
            action.triggered.connect(lambda _=False, key=opened.key: self._session.set_active(key))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place()


class ModelChip(QAbstractButton):
    """Letter, name, kind and size of a model; a button in it tells all about the model."""

    about_wanted = Signal(int)
    close_wanted = Signal(int)

    def __init__(self, opened: OpenModel, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.opened, self._theme = opened, theme
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        model = opened.model
        self.setToolTip(f"{opened.name}\n{model.summary}\n{model.path}")
        words = self.tr("About model {letter}, {name}")
        if model.warnings:
            words = self.tr("About model {letter}, {name}: {warnings}")
        warnings = counted(len(model.warnings), "warning")
        words = words.format(letter=opened.letter, name=opened.name, warnings=warnings)
        sign, token = ("warning", "warning") if model.warnings else ("info", "ink3")
        self.about = IconButton(sign, words, theme, 16, token, self)
        self.about.setFixedSize(22, 22)
        self.about.clicked.connect(lambda: self.about_wanted.emit(opened.key))
        self.set_active(False)

    def set_active(self, active: bool) -> None:
        self.setChecked(active)
        words = self.tr("Model {letter}, {name}, {summary}")
        if active:
            words = self.tr("Model {letter}, {name}, {summary}, active")
        model = self.opened.model
        self.setAccessibleName(
            words.format(letter=self.opened.letter, name=self.opened.name, summary=model.summary)
        )
        self.update()

    def nextCheckState(self) -> None:
        """Stay as it is: the session decides which model is active."""

    def sizeHint(self) -> QSize:
        kind = QFontMetricsF(self._theme.font(SIZE_DATA))
        wide = self._name_width(NAME) + 6 + kind.horizontalAdvance(self.opened.model.summary)
        return QSize(math.ceil(wide) + BEFORE + AFTER, HEIGHT - 16)

    def minimumSizeHint(self) -> QSize:
        """Return room for the name, or for so much of it that it can be told."""
        return QSize(math.ceil(self._name_width(LEAST_NAME)) + BEFORE + AFTER, HEIGHT - 16)

    def _name_width(self, most: float) -> float:
        metrics = QFontMetricsF(self._theme.font(SIZE_BODY, bold=True))
        return min(metrics.horizontalAdvance(self.opened.name), most)

    def words(self) -> tuple[str, str]:
        """Return name and kind as there is room for them: the name goes first."""
        name, kind = self.opened.name, self.opened.model.summary
        kind_width = QFontMetricsF(self._theme.font(SIZE_DATA)).horizontalAdvance(kind)
        room: float = self.width() - BEFORE - AFTER
        beside = room - kind_width - 6
        if beside < self._name_width(NAME):
            kind = ""
        else:
            room = beside
        metrics = QFontMetricsF(self._theme.font(SIZE_BODY, bold=self.isChecked()))
        # A width that is the name's own, computed twice, may differ in its last digit.
        return metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, room + 0.5), kind

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.about.move(self.width() - 25, (self.height() - 22) // 2)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.MiddleButton and self.rect().contains(event.pos()):
            self.close_wanted.emit(self.opened.key)
            return
        super().mouseReleaseEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        key = self.opened.key
        menu.addAction(self.tr("About this model"), lambda: self.about_wanted.emit(key))
        menu.addAction(self.tr("Close model"), lambda: self.close_wanted.emit(key))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter, on = self._theme, QPainter(self), self.isChecked()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = 2.0 if on else 1.0
        rect = QRectF(self.rect()).adjusted(line / 2, line / 2, -line / 2, -line / 2)
        painter.setBrush(theme.color("hair" if self.underMouse() and not on else "panel"))
        painter.setPen(QPen(theme.color("ink" if on else "line"), line))
        painter.drawRoundedRect(rect, 4, 4)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("ink"), 1))
            painter.drawRoundedRect(rect.adjusted(2.5, 2.5, -2.5, -2.5), 2, 2)
        draw_letter(painter, theme, self.opened, QRectF(8, self.height() / 2 - 8.5, 17, 17))
        (name, kind), font = self.words(), theme.font(SIZE_BODY, bold=on)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        right = self.width() - AFTER + 2
        painter.setFont(font)
        painter.setPen(theme.color("ink"))
        painter.drawText(QRectF(BEFORE, 0, right - BEFORE, self.height()), middle, name)
        x = BEFORE + QFontMetricsF(font).horizontalAdvance(name) + 6
        painter.setFont(theme.font(SIZE_DATA))
        painter.setPen(theme.color("ink3"))
        painter.drawText(QRectF(x, 0, right - x, self.height()), middle, kind)


def draw_letter(painter: QPainter, theme: Theme, opened: OpenModel, rect: QRectF) -> None:
    """Draw a model's letter on its identity colour."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.identity(opened.color_index))
    painter.drawRoundedRect(rect, 3, 3)
    painter.setPen(theme.on_identity())
    painter.setFont(theme.font(SIZE_DATA, bold=True))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, opened.letter)


class TextButton(QAbstractButton):
    """An icon, words and a chevron; a press opens its menu."""

    def __init__(self, icon: str, theme: Theme) -> None:
        super().__init__()
        self._icon, self._theme = icon, theme
        self.menu: QMenu | None = None
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._open)
        theme.changed.connect(self.update)

    def set_text(self, text: str, accessible: str) -> None:
        self.setText(text)
        self.setAccessibleName(accessible)
        self.setToolTip(accessible)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        wide = QFontMetricsF(self._theme.font(SIZE_BODY)).horizontalAdvance(self.text())
        return QSize(round(min(wide, 240)) + (28 if self._icon else 8) + 26, HEIGHT - 16)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, HEIGHT - 16)

    def _open(self) -> None:
        if self.menu is not None:
            self.menu.popup(self.mapToGlobal(QPoint(0, self.height() + 2)))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        if self.underMouse() or self.hasFocus():
            painter.setBrush(theme.color("hair"))
            painter.setPen(theme.color("ink" if self.hasFocus() else "hair"))
            painter.drawRoundedRect(rect, 4, 4)
        x, middle = 8.0, self.height() / 2
        if self._icon:
            paint_icon(painter, self._icon, QRectF(6, middle - 9, 18, 18), theme.color("ink2"))
            x = 30
        font = theme.font(SIZE_BODY)
        room = self.width() - x - 24
        elide = Qt.TextElideMode.ElideRight
        words = QFontMetricsF(font).elidedText(self.text(), elide, room + 1)
        painter.setFont(font)
        painter.setPen(theme.color("ink"))
        place = QRectF(x, 0, room + 2, self.height())
        align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(place, align, words)
        arrow = QRectF(self.width() - 21, middle - 7, 14, 14)
        paint_icon(painter, "chevron-down", arrow, theme.color("ink2"))


class _Line(QWidget):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setFixedSize(9, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(4, 0, 1, self.height(), self._theme.color("line"))
