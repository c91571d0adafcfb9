"""Results that come too late: of stages and of constraints, when text or model is another."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEventLoop, QTimer

import engine
from app.views.explore import ExploreWorkspace
from app.views.explore.pipeline_words import not_applied_words
from engine.constrain import edge_constraint

pytestmark = pytest.mark.screen


@pytest.fixture
def settle(qtbot, session):
    """Wait until nothing is computed any more."""

    def wait():
        qtbot.wait(30)
        qtbot.waitUntil(lambda: not session.busy)

    return wait


@pytest.fixture
def explore(qtbot, session, theme, settle):
    """Make the workspace with models open, the first active, and the Pipeline pane in front."""

    def make(text, *models):
        for model in models:
            session.add_model(model)
        session.set_active(session.models[0].key)
        workspace = ExploreWorkspace(session, theme)
        qtbot.addWidget(workspace)
        workspace.resize(1370, 820)
        with qtbot.waitExposed(workspace):
            workspace.show()
        session.set_text(text)
        workspace.pane("pipeline").raise_()
        settle()
        return workspace

    return make


def finish(session, key):
    """Let the thread of a job come to its end; its result isn't delivered yet."""
    job = next(job for job in session.jobs.running if job.key == key)
    assert job.task.over.wait(60)
    return job


def finish_next(session, key):
    """Wait for a job to begin, then do what `finish` does: it may be delivered a moment later."""
    loop, jobs = QEventLoop(), session.jobs

    def begun():
        return any(job.key == key for job in jobs.running)

    def look():
        if begun():
            loop.quit()

    jobs.changed.connect(look)
    QTimer.singleShot(60_000, loop.quit)
    if not begun():
        loop.exec()
    jobs.changed.disconnect(look)
    assert begun()
    return finish(session, key)


def forbid_all_ways(session):
    """Ask for what no segmentation obeys, of the active model."""
    lattice = session.analysis.lattice
    first = [edge for edge in range(lattice.n_edges) if lattice.start[edge] == 0]
    asked = tuple(edge_constraint(lattice, edge, "forbid") for edge in first)
    session.constraints.restore(session.active.key, asked)
    return asked


def deliver_late(job):
    """Have a result delivered as if nobody had cancelled its job."""
    assert job.cancelled
    job.task.stop.clear()


def whole(picture):
    """Whether every cell of a picture stands for pieces that there are."""
    pairs = zip(picture.staged.stages.all, picture.cells, strict=True)
    sizes = [(len(stage), int(cells.last[-1]) if len(cells) else 0) for stage, cells in pairs]
    same = picture.axis.text is picture.staged.text
    return same and all(pieces == placed for pieces, placed in sizes)


# Stages

LONG = "a quite long text with many words in it, so that there are cells"


def test_stages_of_the_text_before_are_dropped(qtbot, session, models, explore, settle):
    workspace = explore(LONG, models["everyday-unigram"])
    work = workspace.pipeline.work
    before = work.picture
    assert len(work.cells[2]) > 3
    session.set_text("ab")
    job = finish_next(session, "stages")
    session.set_text("abc")  # a key, while the result waits
    deliver_late(job)
    session.jobs._look()
    assert work.picture is before
    assert work.stale
    assert whole(work.picture)
    with qtbot.captureExceptions() as raised:
        workspace.pipeline.view.grab()
    assert not raised
    settle()
    assert work.staged.text.string == "abc"
    assert not work.stale
    assert whole(work.picture)


def test_stages_of_another_model_are_dropped(qtbot, session, models, explore, settle):
    workspace = explore(LONG, models["everyday-unigram"], models["everyday-wordpiece"])
    work, (a, b) = workspace.pipeline.work, session.models
    session.set_active(b.key)
    job, shown = finish(session, "stages"), []
    work.changed.connect(lambda: shown.append(work.staged.key))
    session.set_active(a.key)
    deliver_late(job)
    settle()
    assert set(shown) == {a.key}
    assert work.staged.stages.model is a.model
    assert not work.stale


def test_stages_of_another_reading_are_dropped(qtbot, session, shared, explore, settle):
    model = engine.load(shared / "data" / "models" / "huggingface" / "gpt2.tokenizer.json")
    workspace = explore("a<|endoftext|>", model)
    work = workspace.pipeline.work
    session.change_settings(special="parse")
    job = finish_next(session, "stages")
    assert job.task.value.stages.special == "parse"
    session.change_settings(special="literal")
    session.jobs._look()
    assert work.staged.stages.special == "literal"
    settle()
    assert work.staged.stages.special == "literal"
    assert not work.stale


def test_stages_wait_for_the_axis_of_their_text(session, models, explore, settle):
    workspace = explore(LONG, models["everyday-unigram"])
    work, before = workspace.pipeline.work, workspace.placed.axis
    session.set_text("ab")
    settle()
    newest, shown = work.staged, work.picture
    session.set_text("abcd")
    workspace.placed._axis, axis = before, workspace.placed.axis  # as if still being measured
    settle()
    assert work.staged is newest
    assert work.picture is shown
    workspace.placed._axis = axis
    workspace.placed.axis_changed.emit()
    assert work.staged.text.string == "abcd"
    assert whole(work.picture)


def test_another_unit_places_the_same_stages_anew(session, models, explore, settle):
    workspace = explore("höre ich", models["everyday-unigram"])
    work = workspace.pipeline.work
    staged = work.staged
    session.change_settings(unit="byte")
    settle()
    assert work.staged is staged
    assert work.picture.axis.unit == "byte"
    assert work.viewport.axis is work.picture.axis
    assert whole(work.picture)


def test_a_text_that_the_pieces_do_not_cover_is_told_in_the_pane(session, models, explore, settle):
    workspace = explore("watching", models["toy-watching"])
    work, view = workspace.pipeline.work, workspace.pipeline.view
    assert work.problem == ""
    session.set_text("watching 今")
    settle()
    assert work.picture is None
    assert work.problem == str(session.reading(session.active.key).error)
    assert work.problem.startswith("the model has no unknown token")
    assert view._nothing() == work.problem
    assert view.accessibleDescription() == work.problem
    view.grab()
    session.set_text("watch")
    settle()
    assert (work.staged.text.string, work.problem) == ("watch", "")


def test_settings_that_are_not_applied_are_whole_sentences():
    assert not_applied_words(["padding"]) == "Not applied, though the file has it: padding"
    assert not_applied_words(["truncation"]) == "Not applied, though the file has it: truncation"
    assert not_applied_words(["padding", "truncation"]) == (
        "Not applied, though the file has them: padding and truncation"
    )


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
