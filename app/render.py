"""`segscope render`: a scene drawn into a file without a screen."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from engine.commands.common import new_command, print_json, print_lines
from engine.errors import ParameterError, SceneError, SegscopeError

if TYPE_CHECKING:
    import argparse

    from PySide6.QtWidgets import QApplication

    from app.scenes import Loaded
    from app.session import Session
    from app.theme import Theme
    from app.workspace import Workspace
    from engine.commands.common import Subparsers

SIZE = (1280, 800)
LARGEST = 16_384
PATIENCE = 600
"""Seconds after which a scene is given up."""
QUIET = 0.25
"""Seconds without work after which a scene counts as complete."""


def add(commands: Subparsers) -> None:
    """Add the command `render` to a parser."""
    parser = new_command(commands, "render", "draw a scene without a screen", render)
    parser.add_argument("scene", type=Path, metavar="SCENE")
    parser.add_argument("--output", type=Path, required=True, metavar="X.png|X.svg")
    parser.add_argument("--size", default="{}x{}".format(*SIZE), metavar="WxH")
    parser.add_argument("--scale", type=float, default=2.0, help="pixels of a PNG per unit of size")
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument("--step", type=int, help="the player's position instead of the scene's")


def render(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    width, height = parse_size(arguments.size)
    kind = arguments.output.suffix.lower()
    if kind not in (".png", ".svg"):
        raise ParameterError(
            f"no picture can be written as {kind or 'a file without an ending'}",
            str(arguments.output),
            "choose an output that ends in .png or .svg",
        )
    if not 0.25 <= arguments.scale <= 8:
        raise ParameterError("the scale is out of range", "--scale", "choose 0.25 to 8")
    if max(width, height) * arguments.scale > LARGEST:
        raise ParameterError(
            "the picture is too large", f"--size {arguments.size} × {arguments.scale:g}",
            f"stay under {LARGEST:,} pixels a side",
        )  # fmt: skip
    if sys.platform.startswith("linux"):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from app.application import make_application, translate
    from app.errors import log_qt

    log_qt()
    application = make_application(["segscope"])
    translators = translate(application)
    data, size = draw_scene(
        application, arguments.scene, kind, (width, height), arguments.scale, arguments.theme,
        arguments.step,
    )  # fmt: skip
    del translators
    from engine.files import write_atomic

    write_atomic(arguments.output, data)
    shown = {
        "path": str(arguments.output),
        "width": size[0],
        "height": size[1],
        "scene": str(arguments.scene),
    }
    if arguments.json:
        print_json(shown)
    else:
        print_lines(["{path}: {width} × {height}".format(**shown)])
    return 0


def parse_size(text: str) -> tuple[int, int]:
    """Read WIDTHxHEIGHT."""
    parts = text.lower().replace("×", "x").split("x")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() for part in parts):
        raise ParameterError(f"{text!r} is no size", "--size", "write it as 1280x800")
    width, height = int(parts[0]), int(parts[1])
    if min(width, height) < 100:
        raise ParameterError("the size is too small", f"--size {text}", "use at least 100x100")
    return width, height


def draw_scene(
    application: QApplication,
    path: Path,
    kind: str,
    size: tuple[int, int],
    scale: float,
    scheme: str,
    step: int | None,
) -> tuple[bytes, tuple[int, int]]:
    """Return the picture's bytes (`.png` or `.svg`) and its size in pixels."""
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QDockWidget, QStackedWidget

    from app.garbage import Collector
    from app.jobs import Jobs
    from app.scenes import Scenes, load_scene
    from app.session import Session
    from app.stylesheet import dress
    from app.theme import Theme
    from app.workspaces import Workspaces
    from engine.progress import silent
    from engine.scene import read_scene

    scene = read_scene(path)
    loaded = load_scene(scene, path, silent)
    fatal = [problem for problem in loaded.problems if problem in _failures(loaded)]
    if fatal:
        raise fatal[0]
    theme = Theme("dark" if scheme == "dark" else "light")
    theme.reduce_motion(True)
    dress(application, theme)
    jobs, collector = Jobs(), Collector()
    session = Session(jobs)
    stack = QStackedWidget()
    failures: list[BaseException] = []
    session.failed.connect(lambda error, _doing: failures.append(error))
    jobs.unhandled.connect(failures.append)
    try:
        workspaces = Workspaces(session, theme, {}, stack)
        scenes = Scenes(session, workspaces)
        workspace = workspaces.get(scene.workspace)
        for pane in workspace.panes():
            # The buttons that move and close a pane are no part of a picture.
            pane.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)
        workspace.resize(*size)
        stack.resize(*size)
        stack.setCurrentWidget(workspace)
        stack.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        stack.show()
        scenes.apply(loaded)
        workspace.activated()
        wait_until_quiet(application, session, failures)
        if step is not None:
            _go_to(workspace, step)
            wait_until_quiet(application, session, failures)
        write = _png if kind == ".png" else _svg
        return write(workspace, theme, size, scale)
    finally:
        jobs.shutdown()
        collector.stop()
        stack.close()
        stack.deleteLater()
        application.processEvents()


def _failures(loaded: Loaded) -> tuple[SegscopeError, ...]:
    """Return the problems that leave something of the scene out."""
    lost = any(model is None for model in loaded.models)
    lost = lost or (bool(loaded.scene.corpus) and loaded.corpus is None)
    return loaded.problems if lost else ()


def _go_to(workspace: Workspace, step: int) -> None:
    player = workspace.player
    if player is None:
        raise ParameterError(
            f"the workspace {workspace.name} has no player", f"--step {step}", "leave it out"
        )
    if not 0 <= step <= player.length:
        raise ParameterError(f"there is no step {step}", "--step", f"choose 0 to {player.length}")
    player.seek(step)


def wait_until_quiet(
    application: QApplication, session: Session, failures: list[BaseException]
) -> None:
    """Let the session work until it has had nothing to do for a while."""
    import time

    begun = quiet_since = time.monotonic()
    while time.monotonic() - quiet_since < QUIET:
        application.processEvents()
        if failures:
            raise failures[0]
        if session.busy:
            quiet_since = time.monotonic()
        if time.monotonic() - begun > PATIENCE:
            raise SceneError("the scene took too long", f"{PATIENCE} s", "use a shorter text")
        time.sleep(0.005)


def _png(
    workspace: Workspace, theme: Theme, size: tuple[int, int], scale: float
) -> tuple[bytes, tuple[int, int]]:
    from PySide6.QtCore import QBuffer, QIODevice
    from PySide6.QtGui import QImage, QImageWriter

    pixels = (round(size[0] * scale), round(size[1] * scale))
    image = QImage(*pixels, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    image.fill(theme.color("canvas"))
    workspace.render(image)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, b"png").write(image)
    return bytes(buffer.data().data()), pixels


def _svg(
    workspace: Workspace, theme: Theme, size: tuple[int, int], scale: float
) -> tuple[bytes, tuple[int, int]]:
    from PySide6.QtCore import QBuffer, QIODevice, QPoint, QRect, QSize
    from PySide6.QtGui import QPainter
    from PySide6.QtSvg import QSvgGenerator

    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(QSize(*size))
    generator.setViewBox(QRect(0, 0, *size))
    generator.setTitle("Segscope")
    painter = QPainter(generator)
    painter.fillRect(QRect(0, 0, *size), theme.color("canvas"))
    workspace.render(painter, QPoint())
    painter.end()
    return bytes(buffer.data().data()), size
