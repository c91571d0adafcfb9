"""Letters, chips and the active model follow the order of asking, not that of loading."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from app.session import Session
from engine.errors import ModelError
from engine.model import Model


@pytest.fixture
def gates(monkeypatch: pytest.MonkeyPatch, models: dict[str, Model]) -> dict[str, Any]:
    """A gate for each file name: its model is loaded when the gate opens."""
    gates = {name: threading.Event() for name in ("first", "second", "third")}

    def load(path: Path, _report: object, **options: Any) -> Model:
        assert gates[path.name].wait(30)
        if options.get("pattern") == "broken":
            raise ModelError("it is broken", path.name, "mend it")
        return models["toy-watching" if path.name != "second" else "toy-lower"]

    monkeypatch.setattr("app.session.load_model", load)
    return gates


def shown(session: Session) -> list[tuple[str, str]]:
    return [(opened.letter, opened.name) for opened in session.models]


def open_gate(qtbot: Any, session: Session, gate: threading.Event, models: int) -> None:
    gate.set()
    qtbot.waitUntil(lambda: len(session.models) == models)


def test_letters_are_in_the_order_of_asking(
    qtbot: Any, session: Session, gates: dict[str, Any]
) -> None:
    for name in ("first", "second", "third"):
        session.load_model(Path(name))
    open_gate(qtbot, session, gates["second"], 1)
    assert shown(session) == [("B", "toy-lower")]
    open_gate(qtbot, session, gates["third"], 2)
    last = session.active
    open_gate(qtbot, session, gates["first"], 3)
    assert [opened.letter for opened in session.models] == ["A", "B", "C"]
    assert session.models[1].name == "toy-lower"
    # The one that was asked for last stays in front, whichever came last.
    assert last is session.models[2]
    assert session.active is last
    qtbot.waitUntil(lambda: not session.busy)


def test_a_place_is_free_again_when_its_model_fails(
    qtbot: Any, session: Session, gates: dict[str, Any]
) -> None:
    session.load_model(Path("first"), pattern="broken")
    session.load_model(Path("second"))
    with qtbot.waitSignal(session.failed):
        gates["first"].set()
    qtbot.waitUntil(lambda: not any(job.key == "load first" for job in session.jobs.running))
    session.load_model(Path("third"))
    open_gate(qtbot, session, gates["third"], 1)
    open_gate(qtbot, session, gates["second"], 2)
    assert shown(session) == [("B", "toy-lower"), ("A", "toy-watching")]
    qtbot.waitUntil(lambda: not session.busy)


def test_asking_twice_for_one_file_takes_one_letter(
    qtbot: Any, session: Session, gates: dict[str, Any]
) -> None:
    session.load_model(Path("first"))
    session.load_model(Path("first"))
    session.load_model(Path("second"))
    open_gate(qtbot, session, gates["second"], 1)
    open_gate(qtbot, session, gates["first"], 2)
    assert shown(session) == [("A", "toy-watching"), ("B", "toy-lower")]
    qtbot.waitUntil(lambda: not session.busy)


def test_a_replaced_model_keeps_its_place_beside_one_that_comes_late(
    qtbot: Any, session: Session, gates: dict[str, Any], models: dict[str, Model]
) -> None:
    early = session.add_model(models["toy-watching"])
    session.load_model(Path("first"))
    session.load_model(Path("second"), replaces=early.key)
    open_gate(qtbot, session, gates["second"], 1)
    qtbot.waitUntil(lambda: session.models[0].key != early.key)
    open_gate(qtbot, session, gates["first"], 2)
    assert shown(session) == [("A", "toy-lower"), ("B", "toy-watching")]
    qtbot.waitUntil(lambda: not session.busy)
