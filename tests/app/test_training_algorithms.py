"""WordPiece and Unigram runs in the training window: what is seen, told and saved."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

import engine
from app.counts import counted
from app.learning import Request, learn
from app.models.training import PIECE
from app.models.training_rounds import NAME, OBJECTIVE, PIECES, RATIO, TOKENS, round_names
from app.widgets.report import Facts, Heading, Line, Lines, Sentence
from engine.train.bytepiece import BytePieceSettings, train_bytepiece
from engine.train.replay import Span
from engine.train.round_cuts import cut_by, prepared
from engine.train.save import write_record
from engine.train.unigram import UnigramSettings, train_unigram
from engine.train.wordpiece import WordPieceSettings, train_wordpiece
from tests.app.training_window import open_training

TEXT = "low low low low low\nlower lower\nnewest newest newest newest newest newest\nwidest\n"
LINES = [line + "\n" for line in TEXT.splitlines()]


@pytest.fixture
def window(qtbot, session, theme, monkeypatch):
    """The window, with runs in a thread."""
    monkeypatch.setattr("app.training.learn_apart", learn)
    monkeypatch.setattr("engine.train.merges.compiled", lambda size: False)
    session.set_text("lowest")
    return open_training(qtbot, session, theme)


def run(qtbot, window, settings):
    sample = window.run.sample_field.text()
    window.trainer.start(Request(settings, text=TEXT, sample=sample))
    qtbot.waitUntil(lambda: not window.trainer.busy)
    assert window.trainer.state == "done", window.trainer.error
    return window.run


def cell(model, row, column):
    return model.index(row, column).data(Qt.ItemDataRole.DisplayRole)


def plain(text):
    return text.replace("\u2068", "").replace("\u2069", "")


def formats(window):
    box = window.results.format
    return [box.itemData(row) for row in range(box.count())]


def test_a_wordpiece_run_is_a_trace_of_merges(qtbot, window, tmp_path):
    settings = WordPieceSettings(40, tie_break="lexicographic-smallest")
    view = run(qtbot, window, settings)
    trained = train_wordpiece(LINES, settings)
    pieces = list(trained.pieces[len(settings.specials) + len(trained.merges.base) :])
    assert [plain(cell(view.rows, k, PIECE)) for k in range(view.rows.rowCount())] == pieces
    assert any(piece.startswith("##") for piece in pieces)
    assert view.player.length == len(pieces)
    # The curve is the record's, also where words are left out.
    assert view._recording.curve.ratio.tolist() == trained.bytes_per_token.tolist()
    assert view._recording.curve.size[-1] == trained.size
    # At the start a word is its characters, those inside it with the mark.
    view.player.seek(0)
    assert [plain(text) for text in view.sample.pieces()] == ["l", *(f"##{c}" for c in "owest")]
    view.player.seek(view.player.length)
    joined = [plain(text) for text in view.sample.pieces()]
    assert set(joined) <= set(trained.pieces)
    assert "".join(text.removeprefix("##") for text in joined) == "lowest"
    view.player.seek(1)
    told = [part.text for part in view.report.parts if isinstance(part, Sentence)]
    assert "by the quotient of the counts" in told[0].lower()
    assert window.head.text().endswith(f"5 special tokens = {trained.size} pieces")
    # It is saved as what holds it, and opens.
    assert formats(window) == ["huggingface", "bert"]
    with qtbot.waitSignal(window.results.saved):
        window.results.save_to(tmp_path / "vocab.txt", "bert")
    assert len(engine.load(tmp_path / "vocab.txt").vocabulary) == trained.size


def test_the_tied_pairs_of_wordpiece_are_written_with_the_mark(qtbot, window, monkeypatch):
    from app import learning

    monkeypatch.setattr("app.views.training.run.ties_apart", learning._ties)
    view = run(qtbot, window, WordPieceSettings(40))
    merges = window.trainer.outcome.trained.merges
    k = int((merges.ties > 1).argmax()) + 1
    view.player.seek(k)
    view.report.followed.emit("ties")
    qtbot.waitUntil(lambda: view._ties is not None)
    lines = [part for part in view.report.parts if isinstance(part, Lines)][-1].lines
    assert len(lines) == merges.ties[k - 1]
    assert all(isinstance(line, Line) and " + ##" in plain(line.text) for line in lines)


def test_a_unigram_run_is_a_trace_of_rounds(qtbot, window, tmp_path):
    settings = UnigramSettings(20)
    view = run(qtbot, window, settings)
    vocabularies = []
    trained = train_unigram(LINES, settings, watch=vocabularies.append)
    vocabularies.append(trained)
    rounds = trained.rounds
    assert view.round_table.isVisible()
    assert not view.table.isVisible()
    assert view.player.length == view.player.position == len(rounds)
    assert [cell(view.rounds, k, PIECES) for k in range(len(rounds))] == [
        f"{row.pieces:,}" for row in rounds
    ]
    ratios = trained.bytes_per_token.tolist()
    assert [cell(view.rounds, k, RATIO) for k in range(len(rounds))] == [
        f"{ratio:.3f}" for ratio in ratios
    ]
    for k in range(len(rounds)):
        view.player.seek(k + 1)
        heading, *_, facts = view.report.parts
        assert isinstance(heading, Heading)
        assert isinstance(facts, Facts)
        assert heading.text == f"Round {k + 1}"
        assert dict(facts.rows)["Objective"] == f"{rounds[k].objective:.4f} nats a word"
        assert view.round_table.currentIndex().row() == k
        assert f"round {k + 1} · {rounds[k].pieces:,} pieces" in view.curve.marked_text()
        # The sample is cut by the pieces of that round.
        tokens = len(cut_by(vocabularies[k], prepared("lowest", settings)))
        assert view.sample_note.text() == counted(tokens, "token")
        assert len(view.sample.pieces()) == tokens
        assert plain("".join(view.sample.pieces())) == "▁lowest"
    marks = view.player.marks.tolist()
    assert marks[0] == 1
    view.sample.select(Span(0, 1, 1))
    assert set(view.player.marks.tolist()) <= set(marks)
    view.sample_field.setText("newest")
    assert view.sample.pieces() == []
    assert "train again" in view.sample.accessibleDescription()
    assert view.sample_note.text() == ""
    view.sample_field.setText("lowest")
    assert plain("".join(view.sample.pieces())) == "▁lowest"
    view.round_table.selectRow(0)
    assert view.player.position == 1
    view.player.seek(0)
    assert view.sample_note.text() == "not cut yet"
    assert view.curve.step == -1
    assert not view.round_table.selectionModel().hasSelection()
    assert window.head.text().endswith(f"= {trained.size} pieces")
    assert formats(window) == ["sentencepiece", "huggingface"]
    with qtbot.waitSignal(window.results.saved):
        window.results.save_to(tmp_path / "mine.model", "sentencepiece")
    assert len(engine.load(tmp_path / "mine.model").vocabulary) == trained.size
    with qtbot.waitSignal(window.results.exported):
        window.results.export_to(tmp_path / "rounds.csv")
    write_record(trained, tmp_path / "wanted.csv")
    assert (tmp_path / "rounds.csv").read_bytes() == (tmp_path / "wanted.csv").read_bytes()


def test_a_bytepiece_run_is_a_trace_of_rounds(qtbot, window, tmp_path):
    settings = BytePieceSettings(300, least=1)
    view = run(qtbot, window, settings)
    trained = train_bytepiece(LINES, settings)
    rounds = trained.rounds
    shown = [[cell(view.rounds, k, c) for c in (NAME, PIECES, TOKENS)] for k in range(len(rounds))]
    assert shown == [
        [round_names()[row.step], f"{row.pieces + 3:,}", f"{row.tokens:,}"] for row in rounds
    ]
    assert shown[-1][1] == f"{trained.size:,}"
    assert view.round_table.isColumnHidden(OBJECTIVE)
    assert not view.round_table.isColumnHidden(NAME)
    told = set()
    for k in range(len(rounds)):
        view.player.seek(k + 1)
        # What the language model cuts has no pieces with probabilities yet.
        not_yet = rounds[k].step == "cut"
        assert (view.sample_note.text() == "not cut yet") == not_yet
        assert plain("".join(view.sample.pieces())) == "lowest"
        told.add([part.text for part in view.report.parts if isinstance(part, Sentence)][-1])
    assert len(told) == len({row.step for row in rounds})
    assert window.head.text().startswith("3 special tokens + 256 bytes + ")
    assert window.head.text().endswith(f"= {trained.size} pieces")
    assert formats(window) == ["bytepiece"]
    with qtbot.waitSignal(window.results.saved):
        window.results.save_to(tmp_path / "mine.model", "bytepiece")
    assert len(engine.load(tmp_path / "mine.model").vocabulary) == trained.size


def test_one_algorithm_after_the_other(qtbot, window):
    run(qtbot, window, UnigramSettings(20))
    view = run(qtbot, window, WordPieceSettings(40))
    assert view.table.isVisible()
    assert view.sample.isVisible()
    assert not view.round_table.isVisible()
    assert view.player.position == view.player.length
    assert formats(window) == ["huggingface", "bert"]
