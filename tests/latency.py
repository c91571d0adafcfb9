"""Print how long a person waits for the window: `python tests/latency.py [PART …]`.

The real window does what a person does, on a screen, under Xvfb or with QT_QPA_PLATFORM=offscreen.
Parts: `start`, `full` (a model of 262,000 pieces), `keys`, `paste` (1 MB), `pan` (the lattice of
20,000 characters). Models of the shared folder of data are looked for as the tests do; without
it the bundled ones serve. Each line gives median and 95th percentile in milliseconds, by the
clock and of the GUI thread's own work: on a busy machine the clock tells of others' work too. A
stall is a time that the event loop stood still.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.session import OpenModel
    from app.views.explore import ExploreWorkspace
    from app.window import Window
    from tests.watching import LoopWatch

PARTS = ("start", "full", "keys", "paste", "pan")
SENTENCE = (
    "The weather is lovely, so we went outside and watched 16 birds. "
    "今天天气不错,我们出去散步。 Погода сегодня хорошая. "
    "날씨가 좋네요 🌤️ و الطقس جميل اليوم. "
)
PATIENCE = 60.0


def models() -> list[Path]:
    """Return the model files to measure, smallest first."""
    named = os.environ.get("SEGSCOPE_SHARED")
    shared = (Path(named) if named else ROOT.parent / "shared") / "data" / "models"
    if not shared.is_dir():
        return sorted((ROOT / "resources" / "models").glob("*.*"))
    from engine.formats import recognised

    found = []
    for path in shared.rglob("*"):
        if path.is_file() and recognised(path.read_bytes()[: 1 << 16]):
            found.append(path)
    return sorted(found, key=lambda path: path.stat().st_size)


def text_of(size: int) -> str:
    """Return a text of so many characters in several scripts, no two lines alike."""
    lines = (f"{line}. {SENTENCE}\n" for line in range(size // len(SENTENCE) + 1))
    return "".join(lines)[:size]


class Lap(NamedTuple):
    """What something took: seconds by the clock, and of the GUI thread's CPU."""

    wall: float
    cpu: float


class Watch:
    """A stopwatch for `Lap`s."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.monotonic(), time.thread_time()

    def lap(self) -> Lap:
        """Return what went by since the watch was made."""
        return Lap(time.monotonic() - self._wall, time.thread_time() - self._cpu)


def figures(name: str, laps: Sequence[Lap], more: str = "") -> None:
    """Print median and 95th percentile of durations, by the clock and of the GUI thread's CPU."""
    columns = []
    for seconds in (sorted(lap.wall for lap in laps), sorted(lap.cpu for lap in laps)):
        for share in (0.5, 0.95):
            place = min(int(share * len(seconds)), len(seconds) - 1)
            columns.append(f"{1000 * seconds[place]:8.1f}" if seconds else "       –")
    print(f"{name:54}{''.join(columns)}  {more}", flush=True)


class Bench:
    """A window and what is done in it."""

    def __init__(self) -> None:
        from PySide6.QtCore import QSettings, QTimer

        from app.application import make_application
        from app.garbage import Collector
        from app.jobs import Jobs
        from app.session import Session
        from app.settings import Preferences
        from app.stylesheet import dress
        from app.theme import Theme
        from app.window import Window
        from tests.watching import LoopWatch

        sys.setswitchinterval(0.001)
        self.application: QApplication = make_application(["segscope"])
        theme = Theme("light")
        dress(self.application, theme)
        self.jobs, self.background = Jobs(), Jobs(workers=1)
        self.window: Window = Window(
            Session(self.jobs), theme, Preferences.read(QSettings()), self.background
        )
        self.session = self.window.session
        self.collector = Collector(self.application)
        self.session.models_changed.connect(self.collector.settle)
        self.background.changed.connect(self.collector.settle)
        self.watch: LoopWatch = LoopWatch()
        self.beat = QTimer(interval=20)  # `until` is never left waiting
        self.beat.start()
        self.window.show()
        self.window.activateWindow()

    def until(self, true: Callable[[], bool], patience: float = PATIENCE) -> float:
        """Run the event loop until something is true; return the seconds that it took.

        It sleeps between events as the real loop does: one that asks again and again would take
        the interpreter away from the threads that are waited for.
        """
        from PySide6.QtCore import QEventLoop

        begun = time.monotonic()
        while not true():
            self.application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
            if time.monotonic() - begun > patience:
                raise SystemExit("the window did not come to rest")
        return time.monotonic() - begun

    def quiet(self) -> bool:
        """Whether nothing is being computed or about to be painted."""
        return not self.session.busy

    def banded(self, opened: OpenModel) -> bool:
        """Whether the tokens of the current text stand on its axis."""
        shown = self.explore.placed
        axis = shown.viewport.axis
        return axis is not None and axis.text is self.session.text and opened.key in shown.bands

    def placed(self) -> bool:
        """Whether the lattice of the current text is placed."""
        analysis = self.explore.placed.analysis
        return analysis is not None and analysis.text is self.session.text

    @cached_property
    def explore(self) -> ExploreWorkspace:
        """The workspace of one text, in front."""
        from app.views.explore import ExploreWorkspace

        self.window.show_workspace("explore")
        workspace = self.window.workspace
        assert isinstance(workspace, ExploreWorkspace)
        return workspace

    def rest(self) -> None:
        """Let the window come to rest."""
        self.until(self.quiet)
        self.application.processEvents()

    def warm(self) -> None:
        """Make the kernels ready."""
        self.window.warm_up()
        self.until(lambda: not self.background.running, 300)

    def open(self, path: Path) -> OpenModel:
        """Open a model file alone in the window; return it once its first encoding is there."""
        for opened in self.session.models:
            self.session.close_model(opened.key)
        return self.add(path)

    def add(self, path: Path) -> OpenModel:
        """Open a model file beside what is open."""
        count = len(self.session.models)
        self.session.load_model(path)
        self.until(lambda: len(self.session.models) > count)
        opened = self.session.models[-1]
        self.until(lambda: self.session.encoding(opened.key) is not None)
        return opened

    def stalled(self) -> str:
        """Stop watching; return the worst stalls as words."""
        stalls = self.watch.stop()
        late = [stall for stall in stalls if stall.wall > 0.05]
        if not late:
            return "no stall over 50 ms"
        worst = max(late, key=lambda stall: stall.wall)
        where = " < ".join(worst.where[:3])
        return (
            f"{len(late)} stalls, longest {1000 * worst.wall:.0f} ms "
            f"({1000 * worst.cpu:.0f} ms its own work): {where}"
        )

    def close(self) -> None:
        """Close the window and end its threads."""
        self.window.close()
        self.jobs.shutdown()
        self.background.shutdown()
        self.collector.stop()


def measure_keys(bench: Bench, path: Path, count: int = 40) -> None:
    """Type into a text of 300 characters; measure until tokens, lattice and details are painted.

    First behind the text, as a person writes, then before it, where every place on the axis moves.
    """
    from PySide6.QtGui import QTextCursor

    opened = bench.open(path)
    field, move = bench.explore.text_bar.field, QTextCursor.MoveOperation
    for place, where in ((move.End, "end"), (move.Start, "start")):
        bench.session.set_text(text_of(300))
        bench.rest()
        field.setFocus()
        field.moveCursor(place)
        _type(bench, opened, f"{path.name}, at the {where}", count)


def _type(bench: Bench, opened: OpenModel, name: str, count: int) -> None:
    """Press keys one after the other and print how long each took to be seen."""
    from PySide6.QtTest import QTest

    field = bench.explore.text_bar.field
    bench.watch.start()
    tokens, everything = [], []
    for place in range(count):
        watch = Watch()
        QTest.keyClick(field, "etaoin shrdlu"[place % 13])
        bench.until(lambda: bench.banded(opened))
        bench.application.processEvents()
        tokens.append(watch.lap())
        bench.until(bench.placed)
        bench.application.processEvents()
        everything.append(watch.lap())
        bench.until(bench.quiet)
    stalls = bench.stalled()
    figures(f"key to tokens: {name}", tokens)
    figures(f"key to all: {name}", everything, stalls)


def measure_paste(bench: Bench, path: Path) -> None:
    """Paste a text of 1 MB; measure until the first screen of tokens, and until all are there."""
    from PySide6.QtCore import QMimeData

    opened = bench.open(path)
    session, field = bench.session, bench.explore.text_bar.field
    first, whole = [], []
    text = text_of(700_000)
    bench.watch.start()
    for turn in range(3):
        session.set_text("short")
        bench.rest()
        mime = QMimeData()
        mime.setText(f"{turn} {text}")
        watch = Watch()
        field.insertFromMimeData(mime)
        bench.until(lambda: bench.banded(opened))
        bench.application.processEvents()
        first.append(watch.lap())
        bench.until(lambda: session.encoding(opened.key) is not None)
        bench.application.processEvents()
        whole.append(watch.lap())
        bench.rest()
    stalls = bench.stalled()
    size = len(text.encode()) / 1e6
    figures(f"{size:.1f} MB pasted to first tokens: {path.name}", first)
    figures(f"{size:.1f} MB pasted to all tokens: {path.name}", whole, stalls)


def measure_pan(bench: Bench, path: Path, text: str, name: str) -> None:
    """Pan and zoom the lattice of 20,000 characters; measure each frame's work."""
    bench.open(path)
    session, viewport = bench.session, bench.explore.placed.viewport
    bench.watch.start()
    watch = Watch()
    session.set_text(text)
    bench.until(bench.placed)
    bench.application.processEvents()
    figures(f"lattice of {name}: {path.name}", [watch.lap()], bench.stalled())
    bench.rest()
    for zoom, title in ((1.0, "read"), (0.3, "arcs"), (0.05, "far"), (0.0, "fit")):
        viewport.fit()
        if zoom:
            viewport.restore(zoom, 1000.0)
        bench.application.processEvents()
        frames = []
        for step in range(30):
            watch = Watch()
            if zoom:
                viewport.pan(37.0 if step % 3 else -53.0)
            else:
                viewport.zoom_by(1.01 if step % 2 else 1 / 1.01, 600.0)
            bench.application.processEvents()
            frames.append(watch.lap())
        figures(f"  frame at {title}", frames)


def measure_full(bench: Bench, folder: Path) -> None:
    """Open a model of 262,000 pieces and 515,000 merges, cold and warm, and type meanwhile."""
    from PySide6.QtTest import QTest

    from tests import full_size

    path = full_size.write(folder / "full-size.json")
    session = bench.session
    session.set_text(text_of(300))
    for title in ("cold", "warm", "warm"):
        bench.watch.start()
        watch = Watch()
        bench.open(path)
        figures(f"full size, first encode done, {title}", [watch.lap()])
        print(f"{'':10}{bench.stalled()}", flush=True)
        bench.rest()
    opened = bench.open(ROOT / "resources" / "models" / "everyday-unigram.model")
    field = bench.explore.text_bar.field
    bench.rest()
    tokens = []
    bench.watch.start()
    session.load_model(path)
    while len(session.models) < 2:
        watch = Watch()
        QTest.keyClick(field, "etaoin shrdlu"[len(tokens) % 13])
        bench.until(lambda: bench.banded(opened))
        bench.application.processEvents()
        tokens.append(watch.lap())
    figures("key to tokens while it is opened beside", tokens, bench.stalled())
    bench.rest()


START = """
import sys, time
sys.path.insert(0, {root!r})
begun = float(sys.argv[1])
def tell(what):
    print(what, time.time() - begun, time.process_time(), flush=True)
from app import window
begin = window.Window.begin
def first(self, paths):
    tell("window")
    begin(self, paths)
    def encoded(key):
        tell("tokens")
        self.session.encoding_changed.disconnect(encoded)
        self.close()
    self.session.encoding_changed.connect(encoded)
window.Window.begin = first
from app.main import run_window
run_window([])
"""


BARE = """
import sys, time
begun = float(sys.argv[1])
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
application, window = QApplication([]), QMainWindow()
def painted():
    print("empty-window", time.time() - begun, time.process_time(), flush=True)
    application.quit()
window.show()
QTimer.singleShot(0, lambda: QTimer.singleShot(0, painted))
application.exec()
"""
"""An empty window: what no program in Python and Qt gets below."""


def measure_start(home: str) -> None:
    """Start the window in fresh processes, first with empty caches and settings, then again.

    Beside it an empty window of Qt is started, the floor of these figures. CPU is that of the
    process with all its threads. Python's bytecode is kept, as it is where a program is installed.
    """
    seen: dict[str, list[Lap]] = {}
    caches = {"XDG_CACHE_HOME": home, "PYTHONPYCACHEPREFIX": f"{home}/bytecode"}
    usual = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | caches

    def start(code: str, title: str) -> None:
        done = subprocess.run(
            [sys.executable, "-c", code, str(time.time())],
            env=usual, check=False, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(done.stderr)
        for line in done.stdout.splitlines():
            what, wall, cpu = line.split()
            seen.setdefault(f"start to {what}, {title}", []).append(Lap(float(wall), float(cpu)))

    for turn in range(6):
        title = "warm" if turn else "cold"
        start(START.format(root=str(ROOT)), title)
        start(BARE, title)
        if not turn:
            # The window was closed before its kernels were compiled.
            warm = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import engine.kernels as k"
            subprocess.run(
                [sys.executable, "-c", f"{warm}; k.warm_up()"],
                env=usual,
                check=True,
                timeout=600,
            )
    for name, seconds in seen.items():
        figures(name, seconds)


def speed_of_python() -> str:
    """Return how fast Python is now: figures of two runs compare only as far as this does."""
    watch, total = Watch(), 0
    for number in range(1_000_000):
        total += number
    return f"a million additions take {watch.lap().cpu * 1000:.0f} ms of the CPU"


def main() -> None:
    """Measure the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--model", default="", help="only models whose name holds this")
    parser.add_argument("--caches", help="a folder for caches; by default a new, empty one")
    given = parser.parse_args()
    parts = given.parts or list(PARTS)
    chosen = [path for path in models() if given.model in path.name]
    with tempfile.TemporaryDirectory() as name:
        for kind in ("CONFIG", "DATA", "STATE"):
            os.environ[f"XDG_{kind}_HOME"] = str(Path(name) / kind.lower())
        if given.caches:
            os.environ["XDG_CACHE_HOME"] = given.caches
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; {speed_of_python()}")
        print(f"{'milliseconds':54}{'median':>8}{'p95':>8}{'CPU':>8}{'p95':>8}")
        if "start" in parts:
            measure_start(str(Path(name) / "cache"))
        if parts != ["start"]:
            bench = Bench()
            bench.window.begin(restore=False)
            bench.until(lambda: bool(bench.session.models))
            bench.window.show_workspace("explore")
            bench.rest()
            bench.warm()
            if "full" in parts:
                measure_full(bench, Path(name))
            for path in chosen:
                if "keys" in parts:
                    measure_keys(bench, path)
                if "paste" in parts:
                    measure_paste(bench, path)
            if "pan" in parts:
                for path in chosen[-1:] if not given.model else chosen:
                    measure_pan(bench, path, text_of(20_000), "20,000 characters")
                    measure_pan(bench, path, "a" * 20_000, "a × 20,000")
            bench.close()
        print(f"load {os.getloadavg()[0]:.1f}; {speed_of_python()}", flush=True)


if __name__ == "__main__":
    main()
