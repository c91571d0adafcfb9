"""The small lab in the window: led through step by step, with a text and a word of one's own."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

import engine
from app import lab as lessons
from app.views.lab import LabWindow
from app.views.lab_pages import LONGEST_CORPUS
from engine.lab import TEXT, corpus_lines, run_lab
from engine.train.merge_record import rows_of

pytestmark = pytest.mark.screen

CORPUS = "low low low low low\nlower lower\nnewest newest newest newest newest newest\nwidest\n"


@pytest.fixture(scope="module")
def lab():
    return run_lab(lines=corpus_lines())


@pytest.fixture
def window(qtbot, jobs, theme, tmp_path):
    window = LabWindow(jobs, theme, tmp_path / "data")
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    return window


def train(qtbot, window, text=None):
    if text is not None:
        window.train_page.corpus.setPlainText(text)
    qtbot.mouseClick(window.train_page.train_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(window.train_page.train_button.isEnabled)


def test_it_leads_through_the_lesson(qtbot, window, lab):
    steps = window.steps
    assert not window.next_button.isEnabled()
    assert not any(steps.item(row).flags() & Qt.ItemFlag.ItemIsEnabled for row in range(1, 6))
    qtbot.keyClick(window, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert window.step == lessons.TRAIN
    train(qtbot, window)
    facts = window.train_page.facts
    assert facts.value("Vocabulary") == "376 pieces = 256 bytes + 120 merges"
    assert facts.value("Text") == "50 lines · 2,993 bytes · different words: 407"
    # The merges, each with its reason.
    qtbot.keyClick(window, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert window.step == lessons.READ
    page, rows = window.merges_page, rows_of(lab.trained)
    assert page.rows.rowCount() == 120
    assert page.report.parts[0].small == "Step 1"
    page.table.selectRow(11)
    assert page.report.parts[0].result == rows[11]["piece"]
    assert f"{rows[0]['count']} times" in window.notice.text()
    # Encoded, decoded, checked, measured.
    window.next_button.click()
    ids = lab.encoding.ids.tolist()
    assert window.encode_page.facts.value("Ids") == " ".join(map(str, ids))
    assert f"{len(TEXT.encode())} bytes became {len(ids)} tokens" in window.notice.text()
    assert window.encode_page.bricks.n_tokens == len(ids)
    window.next_button.click()
    table = window.decode_page.rows
    shown = [[table.item(row, column).text() for column in (0, 1)] for row in range(len(ids))]
    assert [int(number) for number, _ in shown] == ids
    assert b"".join(bytes.fromhex(data) for _, data in shown) == TEXT.encode()
    window.next_button.click()
    assert window.check_page.facts.value("Decoded") == TEXT
    assert window.check_page.facts.value("Round trip").startswith("✓")
    window.next_button.click()
    ratio = f"{len(TEXT.encode()) / len(ids):.2f} bytes a token"
    assert window.ratio_page.facts.value("Your text").endswith(ratio)
    assert "compresses less" in window.notice.text()
    assert not window.next_button.isVisible()
    qtbot.keyClick(window, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert window.step == lessons.RATIO
    qtbot.keyClick(window, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert window.step == lessons.CHECK


def test_a_text_and_a_word_of_ones_own(qtbot, window):
    train(qtbot, window, CORPUS)
    assert "no further pair" in window.notice.text()
    merges = len(window.lab.trained.merges)
    assert 0 < merges < 120
    window.steps.setCurrentRow(lessons.ENCODE)
    page = window.encode_page
    page.field.setText("lowest")
    qtbot.waitUntil(lambda: window.lab.text == "lowest")
    tokens = [token.bytes.decode() for token in window.lab.encoding.tokens]
    assert page.facts.value("Tokens") == " | ".join(tokens)
    assert page.bricks.pieces() == tokens  # the bricks show what the model does
    # Played from the start: each step that touches the word joins two bricks.
    page.player.seek(0)
    assert page.bricks.pieces() == list("lowest")
    assert len(page.player.marks) == 6 - len(tokens)
    # Another text to train on: what was learnt is given up, and the steps behind are closed.
    window.steps.setCurrentRow(lessons.TRAIN)
    window.train_page.corpus.setPlainText(CORPUS + "more\n")
    assert window.lab is None
    assert page.facts.facts == ()
    assert not window.next_button.isEnabled()
    window.train_page.restore_button.click()
    assert window.train_page.corpus.toPlainText().splitlines() == corpus_lines()


def test_the_player_pauses_where_nobody_sees_it(qtbot, window):
    train(qtbot, window, CORPUS)
    player = window.encode_page.player
    player.set_looping(True)
    leave = (
        lambda: window.steps.setCurrentRow(lessons.READ),
        window.next_button.click,
        window.close,
    )
    for go in leave:
        window.steps.setCurrentRow(lessons.ENCODE)
        player.seek(0)
        player.play()
        assert player.playing
        go()
        assert not player.playing


def test_a_text_without_words_or_too_long_is_told(qtbot, window):
    for nothing in ("", "\n\n\n"):
        train(qtbot, window, nothing)
        assert window.lab is None
        assert not window.next_button.isEnabled()
        (banner,) = window.banners.banners
        assert banner.message.what == "Nothing was trained: the corpus holds no word"
    train(qtbot, window, "abc")
    assert window.notice.text().startswith("Notice: Only 0 merges")
    assert window.banners.banners == []
    window.steps.setCurrentRow(lessons.READ)
    assert "no merge to read" in window.notice.text()
    assert window.merges_page.report.parts == ()
    train(qtbot, window, "a " * LONGEST_CORPUS)
    assert window.lab is None
    (banner,) = window.banners.banners
    assert banner.message.severity == "error"
    assert "100,000" in banner.message.remedy


def test_the_model_is_kept_and_opened(qtbot, window):
    train(qtbot, window, CORPUS)
    window.steps.setCurrentRow(lessons.RATIO)
    with qtbot.waitSignal(window.open_wanted) as first:
        window.open_button.click()
    (path,) = first.args
    model = engine.load(path)
    assert model.encode(TEXT).ids.tolist() == window.lab.encoding.ids.tolist()
    # The same vocabulary has the same file; another one never takes its place.
    before = path.read_bytes()
    train(qtbot, window, CORPUS + "lower wider\n")
    with qtbot.waitSignal(window.open_wanted) as second:
        window.open_model()
    assert second.args[0] != path
    assert path.read_bytes() == before


def test_it_is_an_action_of_the_help_menu(qtbot, make_window):
    window = make_window(begin=False)
    texts = [action.text() for action in window.menus.menus["help"].actions()]
    assert "A s&mall lab…" in texts
    window.table.actions["lab"].trigger()
    shown = window.files.lab()
    assert shown.isVisible()
    assert window.files.lab() is shown
