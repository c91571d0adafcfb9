"""Work off the GUI thread: progress, cancel, and no stale result ever shown.

`Jobs.start(key, …)` runs a function in a thread. A second job with the same key supersedes the
first: that one is told to stop and its result is dropped, however late it comes. Results,
failures and progress arrive on the GUI thread.

Threads touch no Qt object: they leave what they have to say in plain records, and a timer, which
runs only while there is work, looks there. A signal sent from a thread would have to keep both
its sender and its arguments alive across threads, which Python's bindings get wrong under load.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from engine.progress import Cancelled

Work = Callable[..., Any]
"""Called with `report`, then `give` where its job takes parts and `settle` where it settles."""

LOOK, SOON = 5, 1
"""Milliseconds between looks at what the threads have to say, while any works, and at first: most
of what a key asks for is there in a moment."""

LONG_ONES = 8
"""Threads for long work; most of them wait."""

TURN = 0.004
"""Seconds after which parts are left for the next look: the window has other things to do."""

AT_FIRST = 30
"""Looks after the start of a job that come soon."""


class _Task:
    """What a worker thread knows of a job: plain data."""

    def __init__(self, work: Work, *, parts: bool, settles: bool) -> None:
        self.work: Work | None = work
        self.settles, self.settled = settles, False
        self._lock = threading.Lock()
        self.parts: deque[Any] | None = deque() if parts else None
        self.stop = threading.Event()
        self.progress: tuple[int, int] | None = None
        self.outcome = ""
        self.value: Any = None
        self.over = threading.Event()

    def report(self, done: int, total: int) -> None:
        """Note progress, the newest only; leave the work where it isn't wanted any more."""
        if self.stop.is_set():
            raise Cancelled
        self.progress = (done, total)

    def settle(self) -> None:
        """Go on to what can't be taken back; leave the work where it isn't wanted any more."""
        with self._lock:
            if self.stop.is_set():
                raise Cancelled
            self.settled = True

    def cancel(self) -> bool:
        """Ask the work to stop; False where it has settled."""
        with self._lock:
            if not self.settled:
                self.stop.set()
            return not self.settled

    def run(self) -> None:
        """Do the work and note how it ended."""
        try:
            if self.stop.is_set() or self.work is None:
                raise Cancelled
            more: list[Any] = [] if self.parts is None else [self.parts.append]
            if self.settles:
                more.append(self.settle)
            self.value = self.work(self.report, *more)
            self.outcome = "done"
        except Cancelled:
            self.outcome = "cancelled"
        except BaseException as error:  # noqa: BLE001 - Rust panics are no Exception
            self.value, self.outcome = error, "failed"
        finally:
            self.over.set()


class Job(QObject):
    """One piece of work, as the GUI thread sees it. `title` is what the status line calls it.

    begun: `time.monotonic` at its start. progress: the newest (done, total), None before any.
    """

    progressed = Signal(int, int)
    ended = Signal()

    def __init__(
        self,
        key: str,
        title: str,
        work: Work,
        done: Callable[[Any], object],
        failed: Callable[[BaseException], object],
        part: Callable[[Any], object] | None,
        parent: QObject,
        *,
        settles: bool,
    ) -> None:
        super().__init__(parent)
        self.key = key
        self.title = title
        self.begun = time.monotonic()
        self.progress: tuple[int, int] | None = None
        self.task = _Task(work, parts=part is not None, settles=settles)
        self._done, self._failed, self._part = done, failed, part

    def cancel(self) -> bool:
        """Ask the work to stop; nothing of it is delivered any more. False where it has settled."""
        return self.task.cancel()

    @property
    def settled(self) -> bool:
        """Whether it does what can't be taken back: it isn't cancelled any more."""
        return self.task.settled

    @property
    def cancelled(self) -> bool:
        return self.task.stop.is_set()

    def look(self) -> bool:
        """Deliver what the thread has to say; return whether that was all and it is at its end.

        The result never comes in the same turn as a part.
        """
        task = self.task
        over = task.over.is_set()
        progress, task.progress = task.progress, None
        if progress is not None and not self.cancelled:
            self.progress = progress
            self.progressed.emit(*progress)
        # Only so many as lie there now: a quick worker must not keep the GUI thread here.
        until, handed = time.monotonic() + TURN, False
        for _ in range(len(task.parts or ())):
            value = task.parts.popleft() if task.parts else None
            if self._part is not None and not self.cancelled:
                self._part(value)
                handed = True
                if time.monotonic() > until:
                    break
        return over and not handed

    def deliver(self) -> None:
        """Hand over the result or the failure, unless it isn't wanted any more."""
        task = self.task
        # Dropped here: what the work refers to must not be destroyed in its thread.
        value, task.value, task.work = task.value, None, None
        try:
            if self.cancelled:
                return
            if task.outcome == "done":
                self._done(value)
            elif task.outcome == "failed":
                self._failed(value)
        finally:
            self.ended.emit()


class Jobs(QObject):
    """Owns the worker threads and the running jobs. `unhandled` gets failures nobody else takes."""

    changed = Signal()
    unhandled = Signal(object)

    def __init__(self, parent: QObject | None = None, workers: int = 4) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="segscope-job")
        self._long = ThreadPoolExecutor(LONG_ONES, thread_name_prefix="segscope-long")
        self._jobs: dict[str, Job] = {}
        self._under_way: list[Job] = []
        self._closed = False
        self._timer = QTimer(self, interval=SOON, timerType=Qt.TimerType.PreciseTimer)
        self._soon = 0
        self._timer.timeout.connect(self._look)

    @property
    def running(self) -> tuple[Job, ...]:
        """The jobs whose result is still wanted, oldest first."""
        return tuple(self._jobs.values())

    def start(
        self,
        key: str,
        title: str,
        work: Work,
        done: Callable[[Any], object],
        failed: Callable[[BaseException], object] | None = None,
        part: Callable[[Any], object] | None = None,
        *,
        long: bool = False,
        settles: bool = False,
    ) -> Job:
        """Run `work(report)` in a thread, then `done(result)` or `failed(error)` here.

        long: it may take seconds or wait for its turn, so it takes none of the threads that answer
        a key.
        part: takes what comes before the end, here and in order; the work is then
        `work(report, give)`, and each thing it gives is handed over before the result.
        settles: it ends with what can't be taken back, such as writing a file, and calls
        `settle()`, its last argument, before that. Where it was cancelled, that raises `Cancelled`;
        afterwards it can't be cancelled, and its result is delivered in any case.
        """
        self.cancel(key)
        job = Job(
            key, title, work, done, failed or self.unhandled.emit, part, self, settles=settles
        )
        if self._closed:  # a timer of a view that is about to go
            job.cancel()
            return job
        self._jobs[key] = job
        self._under_way.append(job)
        (self._long if long else self._pool).submit(job.task.run)
        self._soon = AT_FIRST
        self._timer.start(SOON)
        self.changed.emit()
        return job

    def cancel(self, key: str) -> bool:
        """Stop the job of this key; False where there is none or it has settled."""
        job = self._jobs.get(key)
        if job is None or not job.cancel():
            return False
        del self._jobs[key]
        self.changed.emit()
        return True

    def cancel_all(self) -> None:
        """Stop every job but those that have settled."""
        for key in list(self._jobs):
            self.cancel(key)

    def shutdown(self) -> None:
        """Cancel all, then wait for the threads: call before the application ends.

        Jobs started later are cancelled ones.
        """
        self._closed = True
        self.cancel_all()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._long.shutdown(wait=True, cancel_futures=True)
        self._timer.stop()
        for job in self._under_way:
            job.task.work = None
        self._under_way.clear()

    def _look(self) -> None:
        self._soon -= 1
        if not self._soon:
            self._timer.setInterval(LOOK)
        for job in list(self._under_way):
            if not job.look():
                continue
            self._under_way.remove(job)
            wanted = self._jobs.get(job.key) is job
            if wanted:
                del self._jobs[job.key]
            try:
                job.deliver()
            finally:
                job.deleteLater()
                if wanted:
                    self.changed.emit()
        if not self._under_way:
            self._timer.stop()
