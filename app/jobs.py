"""Work off the GUI thread: progress, cancel, and no stale result ever shown.

`Jobs.start(key, …)` runs a function in a thread. A second job with the same key supersedes the
first: that one is told to stop and its result is dropped, however late it comes. Results,
failures and progress arrive on the GUI thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from engine.progress import Cancelled, Report

Work = Callable[[Report], Any]


class Job(QObject):
    """One piece of work. `title` is what the status line calls it."""

    progressed = Signal(int, int)
    ended = Signal()

    _arrived = Signal(str, object)

    def __init__(self, key: str, title: str, work: Work, parent: QObject) -> None:
        super().__init__(parent)
        self.key = key
        self.title = title
        self.work = work
        self.done: Callable[[Any], object] | None = None
        self.failed: Callable[[BaseException], object] | None = None
        self._stop = threading.Event()
        self._over = False
        self._arrived.connect(self._deliver)

    def cancel(self) -> None:
        """Ask the work to stop; nothing of it is delivered any more."""
        self._stop.set()

    @property
    def cancelled(self) -> bool:
        return self._stop.is_set()

    def report(self, done: int, total: int) -> None:
        """The `Report` given to the work, called in its thread."""
        if self._stop.is_set():
            raise Cancelled
        self.progressed.emit(done, total)

    def run(self) -> None:
        """Do the work; called in a worker thread."""
        try:
            if self._stop.is_set():
                raise Cancelled
            result = self.work(self.report)
        except Cancelled:
            self._arrived.emit("cancelled", None)
        except BaseException as error:  # noqa: BLE001 - Rust panics are no Exception
            self._arrived.emit("failed", error)
        else:
            self._arrived.emit("done", result)

    @Slot(str, object)
    def _deliver(self, outcome: str, value: object) -> None:
        self._over = True
        try:
            if self._stop.is_set():
                return
            if outcome == "done" and self.done is not None:
                self.done(value)
            elif outcome == "failed" and self.failed is not None:
                assert isinstance(value, BaseException)
                self.failed(value)
        finally:
            self.ended.emit()


class Jobs(QObject):
    """Owns the worker threads and the running jobs. `unhandled` gets failures nobody else takes."""

    changed = Signal()
    unhandled = Signal(object)

    def __init__(self, parent: QObject | None = None, workers: int = 4) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="segscope-job")
        self._jobs: dict[str, Job] = {}
        self._futures: set[Future[None]] = set()
        self._closed = False

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
    ) -> Job:
        """Run `work(report)` in a thread, then `done(result)` or `failed(error)` here."""
        self.cancel(key)
        job = Job(key, title, work, self)
        job.done = done
        job.failed = failed or self.unhandled.emit
        if self._closed:  # a timer of a view that is about to go
            job.cancel()
            return job
        job.ended.connect(lambda: self._forget(job))
        self._jobs[key] = job
        future = self._pool.submit(job.run)
        self._futures.add(future)
        future.add_done_callback(self._futures.discard)
        self.changed.emit()
        return job

    def cancel(self, key: str) -> None:
        """Stop the job of this key, if there is one."""
        job = self._jobs.pop(key, None)
        if job is not None:
            job.cancel()
            self.changed.emit()

    def cancel_all(self) -> None:
        """Stop every job."""
        for key in list(self._jobs):
            self.cancel(key)

    def shutdown(self) -> None:
        """Cancel all, then wait for the threads: call before the application ends.

        Jobs started later are cancelled ones.
        """
        self._closed = True
        self.cancel_all()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _forget(self, job: Job) -> None:
        if self._jobs.get(job.key) is job:
            del self._jobs[job.key]
            self.changed.emit()
        job.deleteLater()
