"""The one style sheet: radius, padding and lines of standard controls, in the theme's colours."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from app.theme import SIZE_DATA, SIZE_NOTE, Theme
from engine.bundled import folder

_RULES = """
QWidget { outline: none; }
Workspace, QDockWidget, QDialog { background: $panel; }
EmptyState { background: $canvas; }
QMainWindow::separator { background: $line; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: $line2; }
QToolTip { background: $panel; color: $ink; border: 1px solid $line2; padding: 4px 6px; }
QPushButton, QComboBox {
    background: $panel; color: $ink; border: 1px solid $line; border-radius: 4px;
    padding: 0 10px; min-height: 26px;
}
QPushButton:hover, QComboBox:hover { border-color: $line2; }
QPushButton:pressed { background: $hair; }
QPushButton:checked { background: $ink; color: $canvas; border-color: $ink; }
QPushButton:focus, QComboBox:focus { border: 2px solid $ink; padding: 0 9px; min-height: 24px; }
QPushButton:disabled, QComboBox:disabled { color: $ink3; border-color: $hair; }
QPushButton[primary="true"] { background: $ink; color: $canvas; border-color: $ink; }
QPushButton[primary="true"]:hover { background: $ink2; border-color: $ink2; }
QPushButton[primary="true"]:focus { border-color: $best; }
QPushButton[primary="true"]:disabled { background: $line; color: $ink3; border-color: $line; }
QPushButton[flat="true"] { background: transparent; border-color: transparent; }
QPushButton[flat="true"]:hover { background: $hair; }
QPushButton[flat="true"]:focus { border-color: $ink; }
QComboBox::drop-down { border: none; width: 22px; }
QComboBox::down-arrow { image: url("$arrow"); width: 12px; height: 12px; }
QComboBox QAbstractItemView {
    background: $panel; color: $ink; border: 1px solid $line2; padding: 4px;
    selection-background-color: $selection; selection-color: $ink;
}
QToolButton { border: 1px solid transparent; border-radius: 4px; padding: 3px; }
QToolButton:hover { background: $hair; }
QToolButton:pressed, QToolButton:checked { background: $line; }
QToolButton:focus { border-color: $ink; }
QToolButton::menu-indicator { image: none; }
QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QDoubleSpinBox {
    background: $field; color: $ink; border: 1px solid $line2; border-radius: 4px;
    selection-background-color: $selection; selection-color: $ink;
}
QLineEdit, QSpinBox, QDoubleSpinBox { padding: 0 8px; min-height: 26px; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus { border: 2px solid $ink; }
QLineEdit:focus { padding: 0 7px; min-height: 24px; }
QTextEdit[quiet="true"], QPlainTextEdit[quiet="true"], QLabel[quiet="true"] {
    background: transparent; border: none;
}
QLabel[role="note"] { color: $ink3; font-size: $notepx; }
QLabel[role="section"] { color: $ink2; font-size: $notepx; font-weight: 600; }
QLabel[role="second"] { color: $ink2; }
QLabel[role="title"] { font-weight: 600; }
QMenuBar { background: $chrome; color: $ink; border-bottom: 1px solid $line; padding: 0 4px; }
QMenuBar::item { padding: 4px 8px; background: transparent; border-radius: 4px; }
QMenuBar::item:selected { background: $line; }
QMenu { background: $panel; color: $ink; border: 1px solid $line2; padding: 4px 0; }
QMenu::item { padding: 5px 28px 5px 28px; }
QMenu::item:selected { background: $selection; color: $ink; }
QMenu::item:disabled { color: $ink3; }
QMenu::separator { height: 1px; background: $line; margin: 4px 8px; }
QMenu::icon { left: 6px; }
QHeaderView { background: $canvas; border: none; }
QHeaderView::section {
    background: $canvas; color: $ink2; border: none; border-bottom: 1px solid $line2;
    padding: 4px 8px; font-size: $datapx;
}
QTableView, QListView, QTreeView {
    background: $canvas; color: $ink; border: none; gridline-color: $hair;
    selection-background-color: $selection; selection-color: $ink;
    alternate-background-color: $panel;
}
QTableView:focus, QListView:focus, QTreeView:focus { border: 1px solid $line2; }
QListView#steps { padding: 10px 0; }
QListView#steps::item { padding: 7px 14px; }
QListView#steps::item:disabled { color: $ink3; }
QListView#steps::item:selected { background: $selection; color: $ink; }
QTableCornerButton::section { background: $canvas; border: none; }
QDockWidget { color: $ink2; }
QTableView::item { padding: 0 6px; }
QDockWidget::title { background: $panel; padding: 6px 12px; text-align: left; }
QTabBar::tab {
    background: transparent; color: $ink2; padding: 6px 12px; border: none;
    border-bottom: 2px solid transparent;
}
QTabBar::tab:selected { color: $ink; border-bottom-color: $ink; }
QTabBar::tab:focus { background: $hair; }
QTabWidget::pane { border: none; border-top: 1px solid $line; }
QScrollArea { border: none; background: transparent; }
QScrollArea > QWidget > QWidget { background: transparent; }
QScrollBar { background: transparent; border: none; }
QScrollBar:vertical { width: 10px; }
QScrollBar:horizontal { height: 10px; }
QScrollBar::handle { background: $line; border-radius: 4px; margin: 1px; }
QScrollBar::handle:hover { background: $line2; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QSlider::groove:horizontal { height: 2px; background: $line2; }
QSlider::handle:horizontal {
    width: 12px; height: 12px; margin: -6px 0; border-radius: 7px;
    background: $canvas; border: 2px solid $ink;
}
QSlider::handle:horizontal:focus { background: $ink; }
QSlider::handle:horizontal:disabled { border-color: $line; }
QLineEdit:disabled, QPlainTextEdit:disabled { color: $ink3; border-color: $line; }
QProgressBar { background: $line; border: none; border-radius: 1px; max-height: 3px; }
QProgressBar::chunk { background: $ink; }
"""


def style_sheet(theme: Theme) -> str:
    """Return the application's style sheet in the theme's present colours."""
    values = {
        name: theme.color(name).name()
        for name in (
            "canvas", "panel", "chrome", "field", "hair", "line", "line2",
            "ink", "ink2", "ink3", "selection", "best",
        )
    }  # fmt: skip
    values["arrow"] = str(folder() / "icons" / "arrow.svg").replace("\\", "/")
    values["notepx"], values["datapx"] = f"{SIZE_NOTE}px", f"{SIZE_DATA}px"
    rules = _RULES
    for name in sorted(values, key=len, reverse=True):
        rules = rules.replace(f"${name}", values[name])
    return rules


def dress(application: QApplication, theme: Theme) -> None:
    """Give an application the theme's style, font, palette and style sheet, and keep it so."""

    def renew() -> None:
        application.setPalette(theme.qt_palette())
        application.setStyleSheet(style_sheet(theme))

    application.setStyle("Fusion")
    application.setFont(theme.font())
    renew()
    theme.changed.connect(renew)
