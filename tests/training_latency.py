"""Print how the window keeps up while a vocabulary is trained: `python tests/training_latency.py`.

The real training window does a run in a process of its own. Meanwhile its trace is scrubbed at
every frame, at least 300 of them with something to see, and then played with a sample text.
Printed are the frames, the times that the event loop stood still for more than 50 ms (by the
clock, and by the CPU of the window's own thread), and whether a look at the run was dropped: each
must begin where the one before ended, and the last must be the whole record.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.latency import Bench, Watch, figures, speed_of_python  # noqa: E402

if TYPE_CHECKING:
    from app.recording import Look
    from app.views.training import TrainingWindow

FRAMES = 300
FRAME = 1 / 60
"""Seconds."""

STALL = 0.05
"""Seconds."""

SAMPLE = "The weather is lovely, the lowest in the newest 今天 날씨 🌤️ الطقس"


def stalled(bench: Bench) -> str:
    """Stop watching; return how often the loop stood still, and what of that was its own work.

    By the clock a busy machine makes stalls of its own; the GUI thread's CPU tells them apart.
    """
    stalls = bench.watch.stop()
    late = sum(stall.wall > STALL for stall in stalls)
    own = [stall for stall in stalls if stall.cpu > STALL]
    worst = f"{1000 * stalls[0].cpu:.0f} ms: {' < '.join(stalls[0].where)}" if stalls else "none"
    return (
        f"{late} stalls over 50 ms by the clock, {len(own)} of them with so much work of the "
        f"window's own; its longest {worst}"
    )


def scrub(bench: Bench, window: TrainingWindow) -> None:
    """Train while each frame shows another step, and print how that went."""
    trainer, view = window._trainer, window.run
    looks: list[Look] = []
    trainer.moved.connect(lambda: looks.append(trainer.look))
    bench.watch.start()
    window.train()
    frames, scrubbed, recording = [], 0, None
    begun = time.monotonic()
    while trainer.busy or scrubbed < FRAMES:
        watch, after = Watch(), time.monotonic() + FRAME
        length = view.player.length
        scrubbed += length > 0
        # Back and forth over all there is, and to the end now and then, where it follows the run.
        view.player.seek(round(length * abs(math.sin(len(frames) / 23))))
        bench.application.processEvents()
        frames.append(watch.lap())
        recording = trainer.recording or recording
        bench.until(lambda after=after: time.monotonic() >= after)
    took = time.monotonic() - begun
    stalls = stalled(bench)
    if trainer.outcome is None:
        raise SystemExit(f"the run ended otherwise: {trainer.state} {trainer.error}")
    new = [look for k, look in enumerate(looks) if look and (not k or look is not looks[k - 1])]
    record = trainer.outcome.trained.merges
    ends = [0, *(look.done for look in new)]
    whole = all(look.first == end for look, end in zip(new, ends, strict=False))
    whole = whole and ends[-1] == len(record) == view.player.length
    whole = whole and recording is not None and recording.symbols == list(record.symbols)
    figures(f"a frame while training, {len(frames):,} frames in {took:.1f} s", frames)
    print(f"{len(new):,} looks, {len(record):,} merges, none dropped: {whole}")
    print(stalls, flush=True)


def play(bench: Bench, window: TrainingWindow) -> None:
    """Play the steps that touch the sample, and print what a frame of a move takes."""
    player, sample = window.run.player, window.run.sample
    bench.watch.start()
    steps, moves = [], []
    player.seek(0)
    while player.next_mark() is not None and len(steps) < 60:
        watch = Watch()
        player.to_mark(1)
        bench.application.processEvents()
        steps.append(watch.lap())
        while sample.progress < 1:
            watch, after = Watch(), time.monotonic() + FRAME
            bench.application.processEvents()
            moves.append(watch.lap())
            bench.until(lambda after=after: time.monotonic() >= after)
    stalls = stalled(bench)
    figures("a step of the sample", steps)
    figures("a frame of its move", moves, stalls)


def main() -> None:
    """Measure one run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", nargs="*", type=Path, help="texts; by default the bundled ones")
    parser.add_argument("--size", type=int, default=8000, help="pieces of the vocabulary")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for kind in ("CONFIG", "DATA", "STATE"):
            os.environ[f"XDG_{kind}_HOME"] = str(Path(name) / kind.lower())
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; {speed_of_python()}")
        print(f"{'milliseconds':54}{'median':>8}{'p95':>8}{'CPU':>8}{'p95':>8}")
        bench = Bench()
        bench.window.begin(restore=False)
        bench.until(lambda: bool(bench.session.models))
        bench.rest()
        bench.warm()
        window = bench.window.files.train()
        window.run.sample_field.setText(SAMPLE)
        if given.corpus:
            window.form.choose(given.corpus)
        window.form.size_field.set_value(given.size)
        window.form.changed.emit()
        scrub(bench, window)
        play(bench, window)
        bench.close()


if __name__ == "__main__":
    main()
