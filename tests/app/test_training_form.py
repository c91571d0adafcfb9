"""The settings of a training run: what the controls say, the sum, and what can't go together."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

import app.learning as learning
from app.views.training.bpe_options import PATTERN
from app.views.training.form import TrainingForm
from app.views.training.form_rows import FormRows
from app.views.training.sentences import sum_line, tie_sentences, time_left
from app.widgets.integer_field import IntegerField
from engine import bundled
from engine.corpus import open_corpus
from engine.train.bpe import BpeSettings
from engine.train.bytepiece import BytePieceSettings
from engine.train.merges import LONGEST, TIE_BREAKS
from engine.train.scripts import Constraints
from engine.train.unigram import UnigramSettings
from engine.train.veto import PatternVeto
from engine.train.wordpiece import WordPieceSettings
from engine.train.wordpiece_words import Cleaning


@pytest.fixture
def form(qtbot, session, theme):
    form = TrainingForm(session, theme)
    qtbot.addWidget(form)
    form.show()
    return form


def choose(box, value):
    """Choose as a person does, who makes `activated` come too."""
    place = box.findData(value)
    box.setCurrentIndex(place)
    box.activated.emit(place)


def said_at(form, control) -> str:
    """What is said to be wrong beside a control, "" for nothing."""
    columns = (form, *form.findChildren(FormRows))
    labels = [rows._faults[control] for rows in columns if control in rows._faults]
    return "".join(label.text() for label in labels if not label.isHidden())


@pytest.fixture
def here(monkeypatch):
    """Files are read in a thread, not in a process."""
    monkeypatch.setattr("app.views.training.given.count_given_apart", learning._count_given)


def enter(field: IntegerField, text: str) -> None:
    field.setText(text)
    field.editingFinished.emit()


def test_what_stands_there_at_first(form):
    assert form.settings() == BpeSettings(2000, "bytes", "cl100k")
    assert form.request().paths == (bundled.corpus_path(),)
    assert not form.bpe.mark.isEnabled()
    assert not form.bpe.pattern.isVisible()
    assert form.problem() == ""


def test_every_control_is_in_the_settings(form):
    form.bpe.style_choice.button("characters").click()
    choose(form.bpe.pre_tokenizer, PATTERN)
    form.bpe.pattern.setText(r"\S+")
    form.bpe.mark.setText("</w>")
    enter(form.size_field, "1,234")
    form.bpe.tie.setCurrentIndex(TIE_BREAKS.index("lowest-ids"))
    enter(form.bpe.least, "3")
    enter(form.bpe.longest, "12")
    form.specials.setPlainText("<unk>\n\n<pad>")
    assert form.settings() == BpeSettings(
        1234, "characters", r"\S+", "</w>", ("<unk>", "<pad>"), "lowest-ids", 3, 12
    )
    enter(form.bpe.longest, "0")
    assert form.settings().longest == LONGEST
    form.bpe.veto.setText("[0-9]")
    assert form.settings().veto == PatternVeto("[0-9]")


def test_texts_that_are_gone_for_a_moment_stay_chosen(form, session):
    session.set_text("low lower")
    choose(form.corpus, "text")
    session.set_text("")
    assert form.corpus.currentData() == "text"
    assert "The text in the window is empty" in form.problem()
    form.tell_faults()
    assert "The text in the window is empty" in said_at(form, form.corpus)
    session.set_text("widest")
    assert form.problem() == ""
    assert form.request() == learning.Request(form.settings(), text="widest")
    # A corpus likewise.
    session.set_corpus(open_corpus(bundled.corpus_path()))
    choose(form.corpus, "corpus")
    session.set_corpus(None)
    assert form.corpus.currentData() == "corpus"
    assert "No corpus is open" in form.problem()
    choose(form.corpus, "bundled")
    assert form.problem() == ""
    session.set_text("low")  # nobody wants it any more
    session.set_text("")
    assert form.corpus.findData("text") == form.corpus.findData("corpus") == -1


def test_options_that_few_need_are_behind_a_button(qtbot, form):
    for name in ("bpe", "wordpiece", "unigram"):
        form.algorithm.button(name).click()
        options = form.options[name]
        hidden = options.more.rows
        assert not hidden.isVisible()
        options.more.button.setFocus()
        qtbot.keyClick(options.more.button, Qt.Key.Key_Space)
        assert hidden.isVisible()


def test_merges_to_begin_with_come_from_a_file(qtbot, form, tmp_path, here):
    merges = tmp_path / "merges.txt"
    merges.write_text("l o\nlo w\n", encoding="utf-8")
    form.bpe.given.choose(merges)
    qtbot.waitUntil(lambda: form.bpe.given.count == 2)
    assert form.bpe.given.note.text() == "merges.txt: 2 merges"
    assert form.request().given == merges
    assert "1,744 merges (2 given)" in sum_line(form.settings(), form.n_given)
    # Of another kind of base symbols it is read again.
    (tmp_path / "bad.txt").write_text("▁ a\n", encoding="utf-8")
    form.bpe.given.choose(tmp_path / "bad.txt")
    qtbot.waitUntil(lambda: form.bpe.given.fault != "")
    form.tell_faults()
    assert "byte alphabet" in said_at(form, form.bpe.given)
    form.bpe.style_choice.button("characters").click()
    qtbot.waitUntil(lambda: form.bpe.given.count == 1)
    assert form.problem() == ""
    # There must be room for them, and other algorithms take none.
    form.bpe.given.choose(merges)
    qtbot.waitUntil(lambda: form.bpe.given.count == 2)
    enter(form.size_field, "2")
    assert "ask for at least 3 pieces" in form.problem()
    form.algorithm.button("unigram").click()
    assert form.request().given is None
    form.algorithm.button("bpe").click()
    form.bpe.given.clear_button.click()
    assert (form.request().given, form.n_given) == (None, 0)


def test_what_is_wrong_is_said_at_its_control(form):
    form.bpe.veto.setText("(")
    form.specials.setPlainText("<a>\n<a>")
    form.tell_faults()
    assert "isn't a regular expression" in said_at(form, form.bpe.veto)
    assert "named twice" in said_at(form, form.specials)
    assert form.bpe.more.rows.isVisible()  # what is wrong is never hidden
    form.bpe.veto.setText("")
    form.specials.setPlainText("")
    form.tell_faults()
    assert (said_at(form, form.bpe.veto), said_at(form, form.specials)) == ("", "")
    choose(form.bpe.pre_tokenizer, PATTERN)
    form.bpe.pattern.setText("(")
    enter(form.size_field, "255")
    form.tell_faults()
    assert "pieces already" in said_at(form, form.size_field)
    enter(form.size_field, "300")
    form.tell_faults()
    assert "is no pattern" in said_at(form, form.bpe.pattern)


def test_wrong_bytes_are_taken_as_bytes_only_by_bytes(form):
    choose(form.invalid, "bytes")
    assert form.problem() == ""
    assert form.request().invalid == "bytes"
    form.bpe.style_choice.button("characters").click()
    form.tell_faults()
    assert "BPE on bytes" in said_at(form, form.invalid)
    form.bpe.style_choice.button("bytes").click()
    form.algorithm.button("unigram").click()
    assert "BPE on bytes" in form.problem()
    choose(form.invalid, "replace")
    assert form.problem() == ""


def test_the_pre_tokenizer_goes_with_the_symbols_until_one_is_chosen(form):
    form.bpe.style_choice.button("characters").click()
    assert form.settings().pre_tokenizer == "whitespace"
    choose(form.bpe.pre_tokenizer, "metaspace")
    form.bpe.style_choice.button("bytes").click()
    assert form.settings().pre_tokenizer == "metaspace"


def test_a_mark_is_for_characters_only(form):
    form.bpe.style_choice.button("characters").click()
    form.bpe.mark.setText("</w>")
    form.bpe.style_choice.button("bytes").click()
    assert not form.bpe.mark.isEnabled()
    assert form.settings().end_of_word == ""
    assert form.problem() == ""
    form.bpe.style_choice.button("characters").click()
    assert form.settings().end_of_word == "</w>"


def test_the_sum_is_spelled_out():
    assert sum_line(BpeSettings(600)) == "256 bytes + 344 merges + 0 special tokens = 600 pieces"
    assert (
        sum_line(BpeSettings(600, specials=("<unk>",)))
        == "256 bytes + 343 merges + 1 special token = 600 pieces"
    )
    assert (
        sum_line(BpeSettings(600, "characters"))
        == "The characters of the corpus + merges + 0 special tokens = 600 pieces"
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda form: enter(form.size_field, "255"), "256 pieces already"),
        (lambda form: form.specials.setPlainText("<a>\n<a>"), "named twice"),
        (
            lambda form: (choose(form.bpe.pre_tokenizer, PATTERN), form.bpe.pattern.setText("(")),
            "is no pattern",
        ),
        (
            lambda form: (choose(form.bpe.pre_tokenizer, PATTERN), form.bpe.pattern.setText("")),
            "pattern is empty",
        ),
    ],
)
def test_what_cant_be_is_said_at_once(form, change, told):
    change(form)
    assert told in form.problem()


def test_256_pieces_are_enough_for_bytes_without_merges(form):
    enter(form.size_field, "256")
    assert form.problem() == ""
    form.specials.setPlainText("<unk>")
    assert "257 pieces already" in form.problem()


def test_what_is_open_can_be_learnt_from(form, session, tmp_path):
    for code, text in (("en", "one\n"), ("de", "eins\n")):
        (tmp_path / f"{code}.txt").write_text(text, encoding="utf-8")
    session.set_corpus(open_corpus(tmp_path))
    session.set_text("a b\nc")
    choose(form.corpus, "corpus")
    assert {path.name for path in form.request().paths} == {"en.txt", "de.txt"}
    choose(form.corpus, "text")
    request = form.request()
    assert (request.paths, request.text) == ((), "a b\nc")
    assert form.corpus_note.text() == "5 bytes"
    session.set_corpus(None)
    assert form.corpus.findData("corpus") < 0
    assert form.corpus.currentData() == "text"  # another choice stays


def test_files_are_chosen_and_wrong_bytes_dealt_with(form, monkeypatch):
    monkeypatch.setattr(
        "app.views.training.form.QFileDialog.getOpenFileNames",
        lambda *_: (["/texts/a.txt", "/texts/b.txt"], ""),
    )
    form.files_button.click()
    choose(form.invalid, "skip")
    request = form.request()
    assert request.paths == (Path("/texts/a.txt"), Path("/texts/b.txt"))
    assert request.invalid == "skip"
    assert form.corpus_note.text() == "a.txt, b.txt"


def test_each_tie_rule_says_what_it_does_and_whose_it_is(form):
    assert set(tie_sentences()) == set(TIE_BREAKS)
    form.bpe.tie.setCurrentIndex(TIE_BREAKS.index("shortest-then-smallest"))
    assert "SentencePiece" in form.bpe.tie_note.text()
    form.bpe.tie.setCurrentIndex(TIE_BREAKS.index("lexicographic-largest"))
    assert "subword-nmt" in form.bpe.tie_note.text()


def test_each_control_has_a_name_and_a_tip(form):
    controls = (
        form.corpus, form.invalid, form.bpe.style_choice, form.bpe.pre_tokenizer,
        form.bpe.pattern, form.bpe.mark, form.size_field, form.bpe.tie, form.bpe.least,
        form.bpe.longest, form.bpe.given, form.bpe.veto, form.specials,
    )  # fmt: skip
    names = [control.accessibleName() for control in controls]
    assert all(names)
    assert len(set(names)) == len(names)
    assert all(control.toolTip() for control in controls)


def test_the_time_left():
    assert time_left(None) == ""
    assert time_left(0.2) == "about 1 s left"
    assert time_left(89) == "about 89 s left"
    assert time_left(400) == "about 7 min left"


def test_an_empty_text_is_no_corpus(form, session):
    assert not session.text.string
    assert form.corpus.findData("text") < 0


def test_wordpiece_has_options_of_its_own(form):
    form.algorithm.button("wordpiece").click()
    assert form.wordpiece.isVisible()
    assert not form.bpe.isVisible()
    assert "##" in form.algorithm_note.text()
    assert form.settings() == WordPieceSettings(2000)
    enter(form.size_field, "900")
    form.wordpiece.lower_case.click()
    choose(form.wordpiece.select, "frequency")
    choose(form.wordpiece.tie, "lowest-ids")
    enter(form.wordpiece.least, "3")
    enter(form.wordpiece.longest, "9")
    form.specials.setPlainText("[UNK]\n[NEW]")
    specials = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[NEW]")
    assert form.settings() == WordPieceSettings(
        900, "bert", Cleaning(lower_case=True), specials, "frequency", "lowest-ids", 3, 9
    )
    enter(form.wordpiece.longest_word, "40")
    enter(form.wordpiece.alphabet, "70")
    choose(form.wordpiece.accents, False)
    form.wordpiece.spaced_chinese.click()
    settings = form.settings()
    assert (settings.longest_word, settings.alphabet) == (40, 70)
    assert settings.cleaning == Cleaning(True, False, False)
    # Split at white space, texts stay as they are.
    choose(form.wordpiece.pre_tokenizer, "whitespace")
    assert not form.wordpiece.lower_case.isEnabled()
    assert form.settings().cleaning == Cleaning()
    assert form.problem() == ""
    assert "6 special tokens = 900 pieces" in sum_line(form.settings())


def test_unigram_has_options_of_its_own(form):
    form.algorithm.button("unigram").click()
    assert form.unigram.isVisible()
    assert form.settings() == UnigramSettings(2000)
    choose(form.unigram.normalizer, "identity")
    form.unigram.prefix.click()
    for text in ("0.98", "2", "much"):  # what is no share is put back
        form.unigram.coverage.setText(text)
        form.unigram.coverage.editingFinished.emit()
        assert form.unigram.coverage.text() == "0.98"
    form.unigram.fallback.click()
    enter(form.unigram.longest, "8")
    form.unigram.by_script.click()
    form.unigram.single_digits.click()
    form.unigram.keep_spaces.click()
    enter(form.unigram.seeds, "5,000")
    form.unigram.shrink.setText("0.5")
    form.unigram.shrink.editingFinished.emit()
    enter(form.unigram.steps, "3")
    assert form.settings() == UnigramSettings(
        2000, "identity", prefix=False, single_spaces=False, coverage=0.98, byte_fallback=True,
        longest=8, constraints=Constraints(True, False, True, True), seeds=5_000, shrink=0.5,
        steps=3,
    )  # fmt: skip
    assert sum_line(form.settings()) == (
        "3 special tokens + 256 bytes + characters + longer pieces = 2,000 pieces"
    )
    enter(form.size_field, "100")
    assert "smaller than its characters and special tokens (260)" in form.problem()


def test_bytepiece_has_options_of_its_own(form):
    form.algorithm.button("bytepiece").click()
    assert form.settings() == BytePieceSettings(2000)
    assert not form.specials.isEnabled()
    enter(form.bytepiece.least, "5")
    enter(form.bytepiece.longest, "12")
    form.bytepiece.whole_characters.click()
    form.bytepiece.single_digits.click()
    assert form.settings() == BytePieceSettings(2000, 5, 12, False, True)
    assert (
        sum_line(form.settings())
        == "3 special tokens + 256 bytes + pieces learnt = 2,000 pieces at most"
    )
    enter(form.size_field, "258")
    assert "smaller than the 256 bytes and 3 special tokens" in form.problem()
    form.algorithm.button("bpe").click()
    assert form.specials.isEnabled()
