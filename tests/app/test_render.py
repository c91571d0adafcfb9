"""`segscope render`: pictures of scenes without a screen, and faults in one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtSvg import QSvgRenderer

from app.main import main
from app.render import parse_size
from engine import bundled
from engine.errors import ParameterError

pytestmark = pytest.mark.screen


def scene_path(name):
    return next(scene.path for scene in bundled.scenes() if scene.name == name)


def render(*arguments):
    environment = {**os.environ, "PYTHONPATH": str(bundled.folder().parent)}
    environment.pop("DISPLAY", None)
    environment.pop("QT_QPA_PLATFORM", None)
    return subprocess.run(
        [sys.executable, "-m", "app", "render", *map(str, arguments)],
        capture_output=True, text=True, check=False, env=environment, encoding="utf-8",
        cwd=bundled.folder().parent,
    )  # fmt: skip


def colors(image):
    return {image.pixelColor(x, y).name() for x in range(0, image.width(), 3)
            for y in range(0, image.height(), 3)}  # fmt: skip


def test_a_png_has_the_size_asked_for_and_the_theme(tmp_path):
    path = tmp_path / "picture.png"
    done = render(
        scene_path("weather"), "--output", path, "--size", "900x600", "--scale", "1",
        "--theme", "dark", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert json.loads(done.stdout) == {
        "path": str(path), "width": 900, "height": 600, "scene": str(scene_path("weather")),
    }  # fmt: skip
    image = QImage(str(path))
    assert (image.width(), image.height()) == (900, 600)
    seen = colors(image)
    assert "#101316" in seen  # the dark canvas
    assert len(seen) > 20


def test_an_svg_is_drawn_with_its_text(tmp_path):
    path = tmp_path / "picture.svg"
    done = render(scene_path("order-of-merges"), "--output", path, "--size", "1000x700")
    assert done.returncode == 0, done.stderr
    assert f"{path}: 1000 × 700" in done.stdout
    assert QSvgRenderer(str(path)).isValid()
    source = path.read_text("utf-8")
    assert ">er<" in source.replace(" ", "")
    assert 'viewBox="0 0 1000 700"' in source


def test_a_step_can_be_chosen(tmp_path):
    pictures = []
    for step in (0, 1):
        path = tmp_path / f"{step}.png"
        done = render(
            scene_path("order-of-merges"), "--output", path, "--step", step, "--scale", "1"
        )
        assert done.returncode == 0, done.stderr
        pictures.append(path.read_bytes())
    assert pictures[0] != pictures[1]
    again = tmp_path / "again.png"
    render(scene_path("order-of-merges"), "--output", again, "--step", 1, "--scale", "1")
    assert again.read_bytes() == pictures[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--output", "x.gif"], "no picture can be written as .gif"),
        (["--output", "x.png", "--size", "wide"], "'wide' is no size"),
        (["--output", "x.png", "--size", "9000x9000", "--scale", "8"], "too large"),
        (["--output", "x.png", "--step", "99"], "there is no step 99"),
        (["--output", "absent/x.png"], "can't be written"),
        (["--out", "x.png"], "--output"),
    ],
)
def test_what_cannot_be_drawn_is_said_in_one_line(tmp_path, arguments, words):
    arguments = [str(tmp_path / a) if a.startswith(("x.", "absent")) else a for a in arguments]
    done = render(scene_path("order-of-merges"), *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("segscope: error: ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "can't be read"),
        ("{", "isn't valid JSON"),
        ('{"segscope": 1, "models": ["gone.json"]}', "gone.json"),
        ('{"segscope": 1, "models": ["bundled:toy-lower"], "corpus": "nowhere"}', "nowhere"),
    ],
)
def test_a_scene_with_a_fault_is_not_half_drawn(tmp_path, content, words):
    scene, output = tmp_path / "scene.json", tmp_path / "out.png"
    if content is not None:
        scene.write_text(content, encoding="utf-8")
    output.write_bytes(b"before")
    done = render(scene, "--output", output)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert output.read_bytes() == b"before"


def test_a_fault_shows_its_traceback_where_asked(tmp_path):
    done = render(tmp_path / "gone.json", "--output", tmp_path / "x.png", "--debug")
    assert done.returncode == 2
    assert done.stderr.startswith("Traceback")
    assert done.stderr.splitlines()[-1].startswith("segscope: error: the scene can't be read")


def test_open_takes_the_options_of_all_commands(monkeypatch, capsys):
    opened = []
    monkeypatch.setattr("app.main.run_window", lambda paths: opened.append(paths) or 0)
    assert main(["open", "--debug", "a.json", "b.txt"]) == 0
    assert main(["./a.json", "--debug"]) == 0
    assert opened == [[Path("a.json"), Path("b.txt")], [Path("a.json")]]
    assert main(["open", "--deb"]) == 2
    assert main(["open", "--json"]) == 2  # it has nothing to print
    assert len(opened) == 2
    assert capsys.readouterr().err.count("segscope: error: ") == 2


def test_sizes_are_read():
    assert parse_size("1280x800") == (1280, 800)
    assert parse_size("640X480") == (640, 480)
    for wrong in ("", "12", "axb", "10x10", "-5x300", "1x2x3"):
        with pytest.raises(ParameterError):
            parse_size(wrong)
