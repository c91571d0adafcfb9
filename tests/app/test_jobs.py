"""Jobs: results on the GUI thread, progress, cancel, and nothing stale."""

from __future__ import annotations

import threading
import time

import app.jobs
from engine.errors import ModelError
from engine.progress import Cancelled


def test_the_result_arrives_on_the_gui_thread(qtbot, jobs):
    seen = []
    worker = []

    def work(report):
        worker.append(threading.get_ident())
        return 41 + 1

    jobs.start("sum", "Adding", work, lambda value: seen.append((value, threading.get_ident())))
    qtbot.waitUntil(lambda: bool(seen))
    assert seen == [(42, threading.get_ident())]
    assert worker[0] != threading.get_ident()
    qtbot.waitUntil(lambda: not jobs.running)


def test_a_newer_job_of_the_same_key_drops_the_older_result(qtbot, jobs):
    release, seen = threading.Event(), []

    def slow(report):
        release.wait(5)
        return "old"

    jobs.start("text", "Old", slow, seen.append)
    jobs.start("text", "New", lambda report: "new", seen.append)
    qtbot.waitUntil(lambda: seen == ["new"])
    release.set()
    done = []
    jobs.start("other", "After", lambda report: None, done.append)
    qtbot.waitUntil(lambda: bool(done))
    assert seen == ["new"]


def test_cancel_stops_the_work_at_its_next_report(qtbot, jobs):
    begun, ended, seen = threading.Event(), threading.Event(), []

    def work(report):
        begun.set()
        try:
            while True:
                report(0, 0)
        except Cancelled:
            ended.set()
            raise

    jobs.start("long", "Working", work, seen.append, seen.append)
    assert begun.wait(5)
    jobs.cancel("long")
    assert ended.wait(5)
    assert jobs.running == ()
    qtbot.wait(10)
    assert seen == []


def test_what_has_settled_is_not_cancelled_any_more(qtbot, jobs):
    settled, release, seen = threading.Event(), threading.Event(), []

    def work(report, settle):
        settle()
        settled.set()
        assert release.wait(5)
        report(1, 1)
        return "written"

    job = jobs.start("write", "Writing", work, seen.append, settles=True)
    assert settled.wait(5)
    assert job.settled
    assert not jobs.cancel("write")
    jobs.cancel_all()
    assert jobs.running == (job,)
    # One that takes its place drops nothing of it: it has happened.
    jobs.start("write", "Writing", lambda report: "again", seen.append)
    release.set()
    qtbot.waitUntil(lambda: len(seen) == 2)
    assert set(seen) == {"written", "again"}


def test_what_is_cancelled_does_not_settle(qtbot, jobs):
    begun, release, seen, done = threading.Event(), threading.Event(), [], []

    def work(report, settle):
        begun.set()
        assert release.wait(5)
        settle()
        done.append("written")

    job = jobs.start("write", "Writing", work, seen.append, seen.append, settles=True)
    assert begun.wait(5)
    assert not job.settled
    assert jobs.cancel("write")
    with qtbot.waitSignal(job.ended):
        release.set()
    assert seen == done == []


def test_progress_is_told(qtbot, jobs):
    told, done, seen = [], [], threading.Event()

    def work(report):
        for step in range(3):
            seen.clear()
            report(step, 3)
            assert seen.wait(5)

    def tell(at, total):
        told.append((at, total))
        seen.set()

    job = jobs.start("steps", "Stepping", work, done.append)
    job.progressed.connect(tell)
    qtbot.waitUntil(lambda: done == [None])
    assert told == [(0, 3), (1, 3), (2, 3)]


def test_a_flood_of_progress_is_told_by_its_newest(qtbot, jobs):
    told, done = [], []

    def work(report):
        for step in range(200_000):
            report(step, 200_000)

    job = jobs.start("flood", "Flooding", work, done.append)
    job.progressed.connect(lambda at, total: told.append(at))
    qtbot.waitUntil(lambda: done == [None], timeout=20_000)
    assert told == sorted(told)
    assert told[-1] == 199_999
    assert len(told) < 20_000


def test_what_the_work_refers_to_is_let_go_on_the_gui_thread(qtbot, jobs):
    freed = []

    class Held:
        def __del__(self):
            freed.append(threading.get_ident())

    held, done = Held(), []
    jobs.start("hold", "Holding", lambda report, held=held: repr(held), done.append)
    del held
    qtbot.waitUntil(lambda: bool(done))
    qtbot.waitUntil(lambda: bool(freed))
    assert freed == [threading.get_ident()]


def test_a_failure_goes_to_its_handler_or_to_unhandled(qtbot, jobs):
    fault = ModelError("broken")

    def work(report):
        raise fault

    seen = []
    jobs.start("a", "A", work, seen.append, lambda error: seen.append(("mine", error)))
    qtbot.waitUntil(lambda: bool(seen))
    assert seen == [("mine", fault)]
    with qtbot.waitSignal(jobs.unhandled) as signal:
        jobs.start("b", "B", work, seen.append)
    assert signal.args == [fault]


def test_shutdown_ends_the_threads(qtbot):
    from app.jobs import Jobs

    jobs = Jobs(workers=1)
    begun = threading.Event()

    def work(report):
        begun.set()
        while True:
            report(0, 0)

    jobs.start("long", "Working", work, print)
    jobs.start("next", "Waiting", lambda report: None, print)
    assert begun.wait(5)
    jobs.shutdown()
    assert not [t for t in threading.enumerate() if t.name.startswith("segscope-job")]


def test_a_job_after_shutdown_is_cancelled_at_once(qtbot):
    from app.jobs import Jobs

    jobs = Jobs(workers=1)
    jobs.shutdown()
    job = jobs.start("late", "Late", lambda report: None, print)
    assert job.cancelled
    assert jobs.running == ()


def test_parts_arrive_in_order_here_and_before_the_result(qtbot, jobs):
    seen = []

    def work(report, give):
        for part in range(5):
            give(part)
        return "end"

    here = threading.get_ident()
    jobs.start(
        "k", "t", work, lambda value: seen.append((value, threading.get_ident())),
        part=lambda part: seen.append((part, threading.get_ident())),
    )  # fmt: skip
    qtbot.waitUntil(lambda: len(seen) == 6)
    assert seen == [(part, here) for part in (0, 1, 2, 3, 4, "end")]


def test_parts_that_take_long_are_handed_over_in_turns(qtbot, jobs):
    seen = []

    def work(report, give):
        for part in range(4):
            give(part)
        return "end"

    def slow(part):
        seen.append(part)
        time.sleep(1.5 * app.jobs.TURN)

    job = jobs.start("k", "t", work, seen.append, part=slow)
    assert job.task.over.wait(10)
    lengths = []
    while "end" not in seen:
        jobs._look()
        lengths.append(len(seen))
    # One part a turn, and the result in one of its own.
    assert lengths == [1, 2, 3, 4, 5]
    assert seen == [0, 1, 2, 3, "end"]


def test_parts_of_a_cancelled_job_are_not_handed_over(qtbot, jobs):
    seen, given, go = [], threading.Event(), threading.Event()

    def work(report, give):
        give("early")
        given.set()
        go.wait(10)
        give("late")

    job = jobs.start("k", "t", work, seen.append, part=seen.append)
    assert given.wait(10)
    jobs.cancel("k")
    with qtbot.waitSignal(job.ended):
        go.set()
    assert seen == []


def test_long_work_takes_no_thread_from_what_answers_a_key(qtbot):
    from app.jobs import Jobs

    jobs, gate, seen = Jobs(workers=1), threading.Event(), []
    try:
        for name in ("one", "two", "three"):
            jobs.start(name, name, lambda report: gate.wait(20), lambda _: None, long=True)
        jobs.start("key", "key", lambda report: "tokens", seen.append)
        qtbot.waitUntil(lambda: seen == ["tokens"])
        assert [job.key for job in jobs.running] == ["one", "two", "three"]
    finally:
        gate.set()
        jobs.shutdown()
