"""The rules between the parts: who may import whom, and what a bare import may cost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

WALK_WITHOUT_QT = """
import importlib, pkgutil, sys

BLOCKED = {"PySide6", "shiboken6", "pyqtgraph"}

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ImportError(f"{name} can't be imported in this test")

sys.meta_path.insert(0, Blocker())
sys.argv = ["segscope"]
import engine

def stop(name):
    raise

names = [module.name for module in pkgutil.walk_packages(engine.__path__, "engine.", stop)]
for name in names:
    importlib.import_module(name)
print(*names)
"""

IMPORT_EACH_FIRST = """
import importlib, pkgutil, sys, engine

names = [module.name for module in pkgutil.walk_packages(engine.__path__, "engine.")]
for name in names:
    for loaded in [m for m in sys.modules if m == "engine" or m.startswith("engine.")]:
        if not loaded.startswith("engine.kernels"):
            del sys.modules[loaded]
    importlib.import_module(name)
"""

PRINT_LOADED = """
import sys, {module}
heavy = {{"numba", "llvmlite", "pyqtgraph", "tokenizers", "sentencepiece"}}
print(*sorted(heavy & set(sys.modules)))
"""


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    """Run `code` in a fresh interpreter that sees the checkout."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_import_contracts_hold() -> None:
    pytest.importorskip("importlinter", reason="import-linter comes with the extra 'dev'")
    result = run_python(
        "import sys; from importlinter.cli import lint_imports;"
        "sys.exit(lint_imports(no_cache=True, no_logo=True))"
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_all_of_engine_imports_without_qt() -> None:
    result = run_python(WALK_WITHOUT_QT)
    assert result.returncode == 0, result.stderr
    files = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in (ROOT / "engine").rglob("*.py")
    }
    expected = {name.removesuffix(".__init__") for name in files} - {"engine"}
    assert set(result.stdout.split()) == expected


def test_any_module_of_engine_can_be_imported_first() -> None:
    # As a new process does that reads a pickled part of a model.
    result = run_python(IMPORT_EACH_FIRST)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("module", ["engine", "engine.__main__", "app.main"])
def test_heavy_libraries_wait_until_they_are_needed(module: str) -> None:
    result = run_python(PRINT_LOADED.format(module=module))
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == []


def test_the_first_window_waits_for_nothing_that_it_does_not_show() -> None:
    unwanted = ("engine.train", "app.training", "app.learning", "app.views.training")
    code = "import sys, app.window; print(*(m for m in sys.modules if m.startswith({})))"
    result = run_python(code.format(unwanted))
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == []


def test_pyside_keeps_its_references_to_none() -> None:
    """Fail early and clearly where PySide6 would abort the process after a while.

    PySide6 6.12.0 on CPython 3.10 and 3.11 loses one reference to None in nearly every call that
    returns None. After some thousand calls CPython stops with `none_dealloc`. From Python 3.12
    on None is immortal and its count stands still.
    """
    PySide6 = pytest.importorskip("PySide6", reason="PySide6 is not installed")
    from PySide6.QtGui import QPainterPath, QPen

    pen = QPen()
    path = QPainterPath()
    before = sys.getrefcount(None)
    for step in range(100):
        pen.setWidthF(1.0 + step)
        path.lineTo(step, step)
    lost = before - sys.getrefcount(None)
    assert lost < 20, (
        f"PySide6 {PySide6.__version__} loses references to None on Python "
        f"{sys.version.split()[0]} ({lost} in 200 calls): the window would abort after a few "
        "thousand calls. Install a PySide6-Essentials release in the range of pyproject.toml."
    )


def test_no_widget_overrides_event() -> None:
    """Below such an override an error in any handler ends the process; filters do the same work."""
    files = sorted((ROOT / "app").rglob("*.py"))
    assert files
    assert [f.name for f in files if "def event(self" in f.read_text(encoding="utf-8")] == []
