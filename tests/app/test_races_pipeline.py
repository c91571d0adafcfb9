"""Results that come too late: of stages and of constraints, when text or model is another."""

from __future__ import annotations

import pytest

from engine.constrain import edge_constraint


@pytest.fixture
def settle(qtbot, session):
    """Wait until nothing is computed any more."""

    def wait():
        qtbot.wait(30)
        qtbot.waitUntil(lambda: not session.busy)

    return wait


def finish(session, key):
    """Let the thread of a job come to its end; its result isn't delivered yet."""
    job = next(job for job in session.jobs.running if job.key == key)
    assert job.task.over.wait(60)
    return job


def forbid_all_ways(session):
    """Ask for what no segmentation obeys, of the active model."""
    lattice = session.analysis.lattice
    first = [edge for edge in range(lattice.n_edges) if lattice.start[edge] == 0]
    asked = tuple(edge_constraint(lattice, edge, "forbid") for edge in first)
    session.constraints.restore(session.active.key, asked)
    return asked


# Constraints


def test_a_refusal_reaches_no_other_model(session, models, settle):
    a = session.add_model(models["everyday-unigram"])
    b = session.add_model(models["everyday-wordpiece"])
    session.set_text("The weather is lovely")
    settle()
    kept = edge_constraint(session.analysis.lattice, 0, "pin")
    session.constraints.toggle(kept)
    settle()
    session.set_active(a.key)
    settle()
    asked = forbid_all_ways(session)
    assert finish(session, "constraints").task.outcome == "failed"
    session.set_active(b.key)
    settle()
    assert session.constraints.of(b.key) == (kept,)
    assert session.constraints.refused is None
    assert session.constraints.of(a.key) == asked
    session.set_active(a.key)
    settle()
    assert session.constraints.of(a.key) == ()
    assert session.constraints.refused is not None


def test_a_refusal_that_is_still_delivered_is_the_models_own(session, models, settle):
    a = session.add_model(models["everyday-unigram"])
    b = session.add_model(models["everyday-wordpiece"])
    session.set_active(a.key)
    session.set_text("The weather is lovely")
    settle()
    forbid_all_ways(session)
    job = finish(session, "constraints")
    session.set_active(b.key)
    assert job.cancelled
    job.task.stop.clear()  # as if nobody had cancelled it
    before = session.constraints.of(a.key)
    settle()
    assert session.constraints.of(a.key) == before
    assert session.constraints.of(b.key) == ()
    assert session.constraints.refused is None


def test_a_refusal_of_the_text_before_is_dropped(session, models, settle):
    session.add_model(models["everyday-unigram"])
    session.set_text("The weather is lovely")
    settle()
    forbid_all_ways(session)
    assert finish(session, "constraints").task.outcome == "failed"
    session.set_text("Other")
    settle()
    assert session.constraints.refused is None
    assert session.constraints.dropped.text == "The weather is lovely"
