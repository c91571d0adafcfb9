"""What arrives late, or not at all, in the session and on the axis of Explore."""

from __future__ import annotations

from typing import Any

import pytest

from app.analysis import Settings, analyse
from app.views.explore.placed import Placed
from engine.errors import CoverageError
from engine.model import Model
from engine.readings import Special
from engine.text import Text

SPECIAL = "<|endoftext|>"


@pytest.fixture
def placed(session: Any, theme: Any) -> Placed:
    return Placed(session, theme)


def settle(qtbot: Any, session: Any) -> None:
    qtbot.waitUntil(lambda: not session.busy)


def test_turning_the_unit_there_and_back_leaves_the_axis_of_the_text(
    qtbot: Any, session: Any, placed: Placed, models: dict[str, Model]
) -> None:
    session.add_model(models["everyday-unigram"])
    session.set_text("short")
    settle(qtbot, session)
    session.set_text("word " * 1200)
    session.change_settings(unit="byte")
    session.change_settings(unit="grapheme")
    settle(qtbot, session)
    assert placed.axis.text is session.text
    assert placed.axis.unit == "grapheme"
    assert placed.bands


def test_arcs_stay_on_their_axis_until_they_are_placed_anew(
    qtbot: Any, session: Any, placed: Placed, models: dict[str, Model]
) -> None:
    session.add_model(models["everyday-unigram"])
    session.set_text("the weather is lovely, höre ich. " * 100)
    settle(qtbot, session)
    before = placed.arcs
    session.change_settings(unit="byte")
    assert placed.lattice_viewport.axis is not None
    assert (placed.arcs is before) == (placed.lattice_viewport.axis.unit == "grapheme")
    settle(qtbot, session)
    assert placed.arcs is not before
    assert placed.lattice_viewport.axis.unit == "byte"


def test_a_text_that_cannot_be_encoded_shows_no_older_tokens(
    qtbot: Any, session: Any, placed: Placed, models: dict[str, Model]
) -> None:
    opened = session.add_model(models["toy-watching"])
    session.set_text("watching")
    settle(qtbot, session)
    assert placed.bands
    session.set_text("watching x")
    settle(qtbot, session)
    assert isinstance(session.reading(opened.key).error, CoverageError)
    assert session.encoding(opened.key) is None
    assert not placed.bands


def test_a_special_string_far_behind_forbids_the_lattice_too(models: dict[str, Model]) -> None:
    text = Text("word " * 5000 + SPECIAL)
    settings = Settings(special="forbid")
    assert models["everyday-bpe"].find_special(text)
    assert analyse(1, models["everyday-bpe"], text, settings) is None


@pytest.mark.parametrize("special", ["literal", "parse"])
def test_a_lattice_is_built_on_what_was_prepared_already(
    models: dict[str, Model], special: Special
) -> None:
    model, text = models["everyday-bpe"], Text(f"lovely {SPECIAL} weather")
    known = model.encode(text, special)
    settings = Settings(special=special)
    bare, found = (analyse(1, model, text, settings, own) for own in (None, known))
    assert bare is not None
    assert found is not None
    assert found.lattice.prepared is known.prepared
    assert found.lattice.start.tolist() == bare.lattice.start.tolist()
    assert found.lattice.piece.tolist() == bare.lattice.piece.tolist()
    assert found.best.ids == bare.best.ids == known.ids.tolist()


def test_of_a_long_text_only_what_is_drawn_is_prepared_again(models: dict[str, Model]) -> None:
    model, text = models["everyday-bpe"], Text("lovely weather " * 2000)
    found = analyse(1, model, text, Settings(), model.encode(text))
    assert found is not None
    assert found.shown == found.lattice.prepared.text.n_bytes < text.n_bytes


def test_a_long_text_after_a_short_one_gets_its_tokens_first(
    qtbot: Any, session: Any, models: dict[str, Model]
) -> None:
    session.add_model(models["everyday-unigram"])
    session.set_text("short and quick")
    session.set_text("word " * 30_000)
    assert [job.key for job in session.jobs.running if job.key == "analysis"] == []
    seen: list[str] = []
    session.encoding_changed.connect(lambda _: seen.append("tokens"))
    session.analysis_changed.connect(lambda: seen.append("lattice"))
    settle(qtbot, session)
    assert seen[0] == "tokens"
    assert "lattice" in seen


def test_a_refusal_of_the_text_before_takes_no_lattice_away(
    qtbot: Any, session: Any, models: dict[str, Model]
) -> None:
    session.add_model(models["everyday-bpe"])
    session.change_settings(special="forbid")
    session.set_text("plain")
    settle(qtbot, session)
    assert session.analysis is not None
    changes: list[object] = []
    session.analysis_changed.connect(lambda: changes.append(session.analysis))
    session.set_text(f"a {SPECIAL}")
    session.set_text("plain again")
    settle(qtbot, session)
    assert None not in changes
    assert session.analysis.text.string == "plain again"
