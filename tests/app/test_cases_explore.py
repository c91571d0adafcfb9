"""Cases of what Explore shows: graphemes, scripts without spaces, special strings, long runs.

Each test is named by the number of its case.
"""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut

from app.analysis import LATTICE_LIMIT
from app.draw.looks import looks_of
from app.views.explore.legend import legend_text
from engine.display import visible
from engine.pieces import PieceKind
from tests.app.exploring import hover, open_explore, settle
from tests.engine.real_models import real

pytestmark = pytest.mark.screen

KEY, CTRL = Qt.Key, Qt.KeyboardModifier.ControlModifier
FAMILY = "👨\u200d👩\u200d👧"
SINHALA = "ශ්\u200dරී"


@pytest.fixture
def explore(qtbot, session, theme, shared):
    """Make the workspace with some real models open and a text in it."""

    def make(text, *names):
        return open_explore(qtbot, session, theme, [real(shared, name) for name in names], text)

    return make


def groups(workspace, row=0):
    """Return (characters, number of tokens, mark) of each band of a model."""
    session = workspace.placed.session
    bands = workspace.placed.bands[session.models[row].key]
    data = session.text.encoded
    marks = np.where(bands.unknown, "unknown", np.where(bands.fragment, "cut", ""))
    return [
        (
            data[int(bands.start[g]) : int(np.ceil(bands.end[g]))].decode(),
            int(bands.token[g + 1] - bands.token[g]),
            str(marks[g]),
        )
        for g in range(bands.n_groups)
    ]


def band_place(workspace, group, row=0):
    """Return a pixel in a band."""
    placed, view = workspace.placed, workspace.bands
    bands = placed.bands[placed.session.models[row].key]
    rectangle = int(np.flatnonzero(bands.rect_group == group)[0])
    centre = (bands.rect_left[rectangle] + bands.rect_right[rectangle]) / 2
    x = placed.viewport.screen(float(centre))
    return QPoint(round(x), round(view.row_rect(row).center().y()))


def test_c33_a_family_is_one_band_and_says_what_became_of_it(explore):
    workspace = explore(f"{FAMILY} {SINHALA}", "gpt2", "mistral", "xlnet")
    assert groups(workspace)[0] == (FAMILY, 10, "cut")
    # The dummy prefix stands before the text, the other 14 tokens in the family.
    assert groups(workspace, 1)[:2] == [("", 1, ""), (FAMILY, 14, "cut")]
    # nmt_nfkc: three people, the joiners spaces, and nobody of them known.
    assert groups(workspace, 2)[:2] == [("", 1, ""), (FAMILY, 5, "unknown")]
    opened = workspace.placed.session.models[2]
    kinds = opened.model.vocabulary.kind[workspace.placed.encoding(opened.key).ids]
    assert (kinds == PieceKind.UNKNOWN).sum() == 3 + 2
    shown = workspace.bands.describe(opened, 1).split("\n")
    assert [line.split()[0] for line in shown] == ["<unk>", "▁", "<unk>", "▁", "<unk>"]


def test_c37_a_script_without_spaces_is_one_word_and_the_lattice_keeps_to_a_part(
    qtbot, session, explore, shared
):
    lines = (shared / "data" / "corpora" / "udhr" / "tha.txt").read_text(encoding="utf-8")
    thai = next(line for line in lines.split("\n") if max(map(len, line.split(" "))) > 100)
    word = max(thai.split(" "), key=len)
    workspace = explore(word, "bert", "gpt2")
    # WordPiece gives up on a word of more than 100 characters.
    assert session.encoding(session.models[0].key).ids.tolist() == [100]
    assert groups(workspace) == [(word, 1, "unknown")]
    session.set_active(session.models[1].key)
    session.set_text(word * (40_000 // len(word.encode())))
    settle(qtbot, session)
    analysis = session.analysis
    assert LATTICE_LIMIT - 12 <= analysis.shown <= LATTICE_LIMIT < session.text.n_bytes
    note = workspace.lattice_title.note.text()
    assert note == f"of the first {analysis.shown:,} of {session.text.n_bytes:,} bytes"
    assert f"{analysis.shown:,} of" in workspace.bands.notes()[0]


def test_c43_several_tokens_in_a_character_light_together(qtbot, session, explore):
    workspace = explore("x⭢y", "gpt2")
    assert groups(workspace) == [("x", 1, ""), ("⭢", 3, "cut"), ("y", 1, "")]
    qtbot.mouseClick(workspace.bands, Qt.MouseButton.LeftButton, pos=band_place(workspace, 1))
    # All three tokens have the bytes of their character, none a part of x or y.
    assert session.selection.span == (1, 4)
    assert workspace.placed.lit() == (1, 4)
    assert session.selection.piece is None


def test_c43_a_dummy_prefix_takes_nothing_of_the_first_character(qtbot, session, explore):
    workspace = explore("中文", "mistral")
    assert groups(workspace) == [("", 1, ""), ("中", 1, ""), ("文", 1, "")]
    qtbot.mouseClick(workspace.bands, Qt.MouseButton.LeftButton, pos=band_place(workspace, 1))
    assert session.selection.span == (0, 3)
    assert session.models[0].model.vocabulary.text(session.selection.piece) == "中"


def test_c47_special_strings_have_three_readings_and_are_marked(qtbot, session, explore):
    workspace = explore("a<|endoftext|>", "gpt2")
    key = session.models[0].key
    assert session.encoding(key).ids.tolist() == [64, 27, 91, 437, 1659, 5239, 91, 29]
    bar = workspace.special_bar
    assert not bar.isHidden()
    qtbot.mouseClick(bar.choice.button("parse"), Qt.MouseButton.LeftButton)
    settle(qtbot, session)
    assert session.encoding(key).ids.tolist() == [64, 50256]
    assert workspace.placed.bands[key].special.tolist() == [False, True]
    qtbot.mouseClick(bar.choice.button("forbid"), Qt.MouseButton.LeftButton)
    settle(qtbot, session)
    assert session.encoding(key) is None
    assert [found.text for found in session.reading(key).found] == ["<|endoftext|>"]


def test_c47_control_pieces_of_sentencepiece_are_only_text(session, explore):
    workspace = explore("<s>x</s>", "mistral")
    pieces = [token.text for token in session.encoding(session.models[0].key).tokens]
    assert "".join(pieces) == "▁<s>x</s>"
    assert not workspace.placed.bands[session.models[0].key].special.any()


def test_c59_ranks_of_merges_are_not_summed_as_if_they_were_log_probabilities(session, explore):
    workspace = explore("r spl", "mistral")
    analysis = session.analysis
    assert analysis.law is None
    assert analysis.nbest == ()
    assert workspace.theta.isHidden()
    assert workspace.paths_title.title.text() == "The path taken"
    legend = legend_text(workspace.placed, workspace)
    assert "BPE ranks are an order of merging, not log-probabilities." in legend
    assert "Under an apex: the rank of the merge." in legend
    names = [row.name for row in workspace.inspector.values.facts]
    assert "Tokens" in names
    assert not {"Score", "Entropy", "Probability"} & set(names)


@pytest.mark.parametrize(("name", "tokens"), [("long_a_100k", 25_000), ("long_hat_100k", 25_000)])
def test_c65_a_long_run_of_one_character(session, explore, shared, name, tokens):
    text = (shared / "data" / "edge" / f"{name}.txt").read_text(encoding="utf-8").rstrip("\n")
    assert len(text) == 100_000
    workspace = explore(text, "gpt2")
    key = session.models[0].key
    assert len(session.encoding(key)) == tokens
    assert workspace.placed.bands[key].total == tokens
    assert session.analysis.shown == LATTICE_LIMIT
    assert workspace.lattice_title.note.text() == "of the first 20,000 of 100,000 bytes"


def test_c77_the_highlight_counts_code_points_not_utf_16_units(qtbot, session, explore):
    workspace = explore("a😀b", "gpt2")
    assert workspace.text_bar.counts.text() == "3 graphemes · 6 bytes"
    last = len(groups(workspace)) - 1
    assert groups(workspace)[last] == ("b", 1, "")
    place = band_place(workspace, last)
    hover(qtbot, workspace.bands, place, lambda: workspace.placed.hovered == (5, 6))
    assert workspace.placed.stretch(5, 6) == (
        float(workspace.placed.axis.left[2]), float(workspace.placed.axis.right[2]),
    )  # fmt: skip
    # In the field, which counts UTF-16 units, a paste lands where the cursor is.
    field = workspace.text_bar.field
    field.setFocus()
    qtbot.keyClick(field, KEY.Key_End)
    qtbot.keyClick(field, KEY.Key_Left)
    qtbot.keyClicks(field, "X")
    assert session.text.string == "a😀Xb"


BLANK = {
    " ": ("␣", "U+0020 SPACE"),
    "\t": ("→", "U+0009 TAB"),
    "\n": ("↵", "U+000A LINE FEED"),
    "\u00a0": ("U+00A0", "U+00A0 NO-BREAK SPACE"),
    "\u200b": ("U+200B", "U+200B ZERO WIDTH SPACE"),
    "\0": ("U+0000", "U+0000 NULL"),
}


@pytest.mark.parametrize("char", BLANK, ids=[name for _, name in BLANK.values()])
def test_c78_blank_tokens_are_seen_named_and_copied_as_they_are(qtbot, session, explore, char):
    workspace = explore(f"x{char}", "gpt2")
    opened = session.models[0]
    group = len(groups(workspace)) - 1
    assert groups(workspace)[group][0] == char
    mark, name = BLANK[char]
    assert visible(char.encode()) == mark
    lines = workspace.bands.describe(opened, group).split("\n")
    assert lines[0].split()[0] == mark
    assert lines[1].strip() == name
    workspace.bands.select_group(opened, group)
    assert workspace.inspector.piece.text() == mark
    QGuiApplication.clipboard().setText("something else")
    workspace.bands.setFocus()
    # Without a window manager no window is active, and a key would not reach the shortcut.
    (copy,) = workspace.bands.findChildren(QShortcut)
    assert copy.key() == QKeySequence(QKeySequence.StandardKey.Copy)
    copy.activated.emit()
    assert QGuiApplication.clipboard().text() == char
    QGuiApplication.clipboard().setText("something else")
    workspace.inspector.copy_selected_button.click()
    assert QGuiApplication.clipboard().text() == char


def look_of(workspace, word):
    """Return the colours and underlines of all bands that are a word."""
    session = workspace.placed.session
    bands = workspace.placed.bands[session.models[0].key]
    colors, lines = bands.looks
    return [
        (int(colors[i]), int(lines[i]))
        for i, (text, _, _) in enumerate(groups(workspace))
        if text == word
    ]


def test_c79_colours_by_identity_stay_when_something_is_typed_before_them(qtbot, session, explore):
    workspace = explore("x the cat saw the dog", "gpt2")
    assert session.settings.color == "position"
    assert workspace.bands.notes()[0] == "Colours in turn, by position."
    choice = workspace.bands.coloring.choice
    qtbot.mouseClick(choice.button("identity"), Qt.MouseButton.LeftButton)
    assert session.settings.color == "identity"
    assert workspace.bands.notes()[0].startswith("Same token: same colour and underline")
    before = look_of(workspace, " the")
    assert len(before) == 2
    assert before[0] == before[1]
    field = workspace.text_bar.field
    field.setFocus()
    qtbot.keyClick(field, KEY.Key_Home)
    qtbot.keyClicks(field, "y ")
    settle(qtbot, session)
    assert look_of(workspace, " the") == before
    # The id alone gives the colour.
    session.set_text("the the the the")
    settle(qtbot, session)
    alone = looks_of(session.encoding(session.models[0].key).ids[1:2].astype(np.int64))[0]
    looks = look_of(workspace, " the")
    assert {color for color, _ in looks} == {int(alone[0])}
    assert looks[0] != looks[1] != looks[2]
