"""Compression by language: every figure against its definition."""

from __future__ import annotations

import base64
import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import engine
from engine import bundled
from engine.corpus import open_corpus
from engine.errors import CorpusError, ParameterError
from engine.metrics import COLUMNS, check_columns, compare, count_graphemes, rebase
from engine.model import Model
from engine.progress import Cancelled
from tests.engine.documents import tokenizer, write_json


def folder_of(path: Path, **texts: str) -> Path:
    path.mkdir(exist_ok=True)
    for code, text in texts.items():
        (path / f"{code}.txt").write_bytes(text.encode())
    return path


def test_counts_are_by_line_and_summed(tmp_path: Path, lower: Model) -> None:
    folder = folder_of(tmp_path, en="lower\nnew er\n", fi="we we we\nnewer\n")
    table = compare(lower, folder, columns=COLUMNS)
    en, fi = table.rows
    # l o w er | n e w er; we we we | n e w er
    assert (en.tokens, fi.tokens) == (8, 7)
    assert (en.lines, en.chars, en.bytes, en.graphemes, en.words) == (2, 11, 11, 11, 3)
    assert (en.chars_per_token, en.tokens_per_word) == (11 / 8, 8 / 3)
    assert (en.premium, fi.premium) == (1.0, 7 / 8)
    assert table.base == "en"
    assert table.line_tokens("toy-lower.json", "fi").tolist() == [3, 4]
    # The spaces between pre-tokens aren't given back.
    assert (en.round_trip_failures, fi.round_trip_failures) == (1, 1)


def test_newlines_and_carriage_returns_are_not_counted(tmp_path: Path, bpe: Model) -> None:
    plain = compare(bpe, folder_of(tmp_path / "a", en="one two\nthree\n"))
    crlf = compare(bpe, folder_of(tmp_path / "b", en="one two\r\nthree\r\n"))
    last = compare(bpe, folder_of(tmp_path / "c", en="one two\nthree"))
    # As text, since the columns that weren't asked for are not equal to themselves.
    assert repr(plain.rows) == repr(crlf.rows) == repr(last.rows)
    assert plain.rows[0].bytes == 12
    assert any("CR" in warning for warning in crlf.warnings)


def test_characters_bytes_and_graphemes_differ(tmp_path: Path, bpe: Model) -> None:
    row = compare(bpe, folder_of(tmp_path, th="ที่นี่ 👨‍👩‍👧"), columns=COLUMNS).rows[0]
    assert (row.chars, row.graphemes, row.words) == (12, 4, 2)
    assert row.bytes == len("ที่นี่ 👨‍👩‍👧".encode())
    assert row.round_trip_failures == 0


def test_the_premium_rests_on_the_content_that_both_have(tmp_path: Path, lower: Model) -> None:
    folder = folder_of(tmp_path, en="new\nlower\n\n", xx="e\n \nlower\n", yy="e\n")
    table = compare(lower, folder)
    rows = {row.language: row for row in table.rows}
    # Only the first line is neither blank in xx nor in en: e against n e w.
    assert rows["xx"].premium == 1 / 3
    assert rows["en"].premium == 1.0
    assert math.isnan(rows["yy"].premium)
    assert any("yy" in w and "premium" in w for w in table.warnings)
    assert rows["yy"].tokens == 1


def test_a_list_of_files_has_no_premium_unless_asked(tmp_path: Path, lower: Model) -> None:
    folder = folder_of(tmp_path, en="new\n", xx="e\n")
    files = [folder / "en.txt", folder / "xx.txt"]
    assert all(math.isnan(row.premium) for row in compare(lower, files).rows)
    assert compare(lower, files, base="xx").rows[0].premium == 3.0


def test_what_was_not_asked_for_is_absent(tmp_path: Path, lower: Model) -> None:
    table = compare(lower, folder_of(tmp_path, en="new\n"), columns=["words"])
    row = table.rows[0]
    assert (row.tokens, row.chars, row.bytes, row.graphemes) == (None, None, None, None)
    assert row.words == 1
    assert math.isnan(row.chars_per_token)
    assert table.figures == ("lines", "words")
    with pytest.raises(ParameterError, match="tokens"):
        table.line_tokens("toy-lower.json", "en")


def test_an_empty_file_has_no_ratios(tmp_path: Path, lower: Model) -> None:
    row = compare(lower, folder_of(tmp_path, en=""), columns=COLUMNS).rows[0]
    assert (row.lines, row.tokens, row.chars) == (0, 0, 0)
    assert math.isnan(row.chars_per_token)
    assert math.isnan(row.premium)


def test_unknown_characters_are_counted(tmp_path: Path, lower: Model, wordpiece: Model) -> None:
    folder = folder_of(tmp_path, en="lower xyz\nnew\n", zz="☃ the ☃☃\n")
    rows = compare([lower, wordpiece], folder, columns=COLUMNS).rows
    # x, y and z; the three snowmen and the h of `the`.
    assert [row.unknown_chars for row in rows[:2]] == [3, 4]
    # In WordPiece the whole word is unknown, and x y z are known letters.
    assert [row.unknown_chars for row in rows[2:]] == [0, 3]


def test_byte_level_models_know_everything(tmp_path: Path, bpe: Model) -> None:
    folder = folder_of(tmp_path, en="\0 ☃ \u2028 ก\n")
    row = compare(bpe, folder, columns=COLUMNS).rows[0]
    assert (row.unknown_chars, row.round_trip_failures) == (0, 0)


def test_what_a_split_pattern_leaves_out_is_unknown(tmp_path: Path, bpe: Model) -> None:
    ranks = tmp_path / "bytes.tiktoken"
    lines = (f"{base64.b64encode(bytes([b])).decode()} {b}\n" for b in range(256))
    ranks.write_text("".join(lines))
    folder = folder_of(tmp_path / "corpus", en="xxabc\na b\nxyz\n")
    row = compare(engine.load(ranks, pattern="a|b"), folder, columns=COLUMNS).rows[0]
    # x, x and c of the first line; the third whole; white space is never missed.
    assert (row.tokens, row.unknown_chars, row.round_trip_failures) == (4, 6, 3)


def test_bytes_that_no_piece_has_are_unknown(tmp_path: Path) -> None:
    ranks = tmp_path / "few.tiktoken"
    ranks.write_text("YQ== 0\nYg== 1\nYWI= 2\n")
    folder = folder_of(tmp_path / "corpus", en="abxyz\n")
    row = compare(engine.load(ranks, pattern="none"), folder, columns=COLUMNS).rows[0]
    assert (row.tokens, row.unknown_chars) == (1, 3)


def test_rows_by_line_add_up(bpe: Model) -> None:
    table = compare(bpe, bundled.corpus_path(), columns=COLUMNS)
    whole = table.row("everyday-bpe.json", "ko")
    lines = table.by_line("everyday-bpe.json", "ko")
    assert len(lines) == whole.lines == 50
    for name in ("tokens", "chars", "bytes", "graphemes", "words", "unknown_chars"):
        assert sum(getattr(line, name) for line in lines) == getattr(whole, name)
    english = table.line_tokens("everyday-bpe.json", "en")
    assert lines[3].premium == lines[3].tokens / english[3]


def test_line_counts_are_those_of_encode(bpe: Model) -> None:
    corpus = open_corpus(bundled.corpus_path())
    table = compare(bpe, corpus)
    for code in ("en", "th", "ar", "zh-Hans"):
        counts = [len(bpe.encode(line)) for line in corpus.lines(code)]
        assert table.line_tokens("everyday-bpe.json", code).tolist() == counts


def test_the_bundled_note_is_passed_on(bpe: Model) -> None:
    table = compare(bpe, bundled.corpus_path())
    assert any("not reviewed by native speakers" in warning for warning in table.warnings)


def test_equal_names_are_told_apart(tmp_path: Path, lower: Model) -> None:
    table = compare([lower, lower], folder_of(tmp_path, en="new"))
    assert table.models == ("toy-lower.json", "toy-lower.json (2)")
    assert table.row("toy-lower.json (2)", "en").tokens == 3


def test_progress_cancel_and_threads(bpe: Model) -> None:
    corpus = open_corpus(bundled.corpus_path())
    seen: list[tuple[int, int]] = []
    table = compare(bpe, corpus, report=lambda *step: seen.append(step))
    assert seen == [(done, len(corpus)) for done in range(len(corpus) + 1)]
    with ThreadPoolExecutor(2) as executor:
        assert repr(compare(bpe, corpus, executor=executor).rows) == repr(table.rows)

    def stop(done: int, total: int) -> None:
        if done == 2:
            raise Cancelled

    for pool in (None, ThreadPoolExecutor(2)):
        with pytest.raises(Cancelled):
            compare(bpe, corpus, report=stop, executor=pool)
        if pool:
            pool.shutdown()


def test_bad_parameters_are_named(tmp_path: Path, lower: Model) -> None:
    folder = folder_of(tmp_path, en="new")
    with pytest.raises(ParameterError, match="no column 'tokenz'"):
        compare(lower, folder, columns=["tokenz"])
    with pytest.raises(CorpusError, match="no language 'fr'"):
        compare(lower, folder, base="fr")
    with pytest.raises(ParameterError, match="no model"):
        compare([], folder)


def test_names_of_columns() -> None:
    assert check_columns(["bytes", "chars", "tokens"]) == ("tokens", "characters", "bytes")
    assert check_columns(["round trip", "round_trip"]) == ("round-trip",)
    assert check_columns(["all"]) == COLUMNS


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("abc", 3), ("a\r\nb", 3), ("é", 1), ("🇩🇪🇫🇷", 2), ("각", 1)]
)
def test_graphemes(text: str, count: int) -> None:
    assert count_graphemes(text) == count


def test_gpt2_on_the_udhr(shared: Path) -> None:
    model = engine.load(shared / "data" / "models" / "huggingface" / "gpt2.tokenizer.json")
    folder = shared / "data" / "corpora" / "udhr"
    files = [folder / f"{code}.txt" for code in ("eng", "kor", "mya")]
    table = compare(model, files, base="eng", columns=COLUMNS)
    import tokenizers

    peer = tokenizers.Tokenizer.from_file(str(model.path))
    for row, file in zip(table.rows, files, strict=True):
        lines = file.read_text(encoding="utf-8").split("\n")[:-1]
        assert row.tokens == sum(len(e.ids) for e in peer.encode_batch(lines))
        assert (row.unknown_chars, row.round_trip_failures) == (0, 0)
    assert table.rows[2].premium > 9


def test_another_base_changes_the_premiums_only(tmp_path: Path, lower: Model) -> None:
    folder = folder_of(tmp_path, en="lower\nnew er\n", fi="we\n \n", de="e\nnewer\n", xx="e\n")
    table = compare(lower, folder, columns=COLUMNS)
    other = rebase(table, "fi")
    assert (table.base, other.base) == ("en", "fi")
    assert repr(other.rows) == repr(compare(lower, folder, base="fi", columns=COLUMNS).rows)
    # Only the first line has content in fi: we, against l o w er and e.
    premiums = {row.language: row.premium for row in other.rows}
    assert (premiums["en"], premiums["fi"], premiums["de"]) == (4.0, 1.0, 1.0)
    assert math.isnan(premiums["xx"])
    assert other.counts is table.counts
    assert any("no premium for xx" in warning for warning in other.warnings)
    assert all(math.isnan(row.premium) for row in rebase(table, "").rows)
    with pytest.raises(CorpusError, match="no language 'fr'"):
        rebase(table, "fr")


def test_a_base_of_which_a_model_makes_no_tokens_is_told(tmp_path: Path) -> None:
    document = tokenizer({"type": "BPE", "vocab": {"a": 0}, "merges": []})
    model = engine.load(write_json(tmp_path, document))
    folder = folder_of(tmp_path / "texts", en="xyz\n", fi="aa\n")
    table = compare(model, folder)
    assert [row.tokens for row in table.rows] == [0, 2]
    assert all(math.isnan(row.premium) for row in table.rows)
    said = "no premium under tokenizer.json: it makes no tokens of en, the base language"
    assert [warning for warning in table.warnings if "premium" in warning] == [said]
    assert not any("premium" in warning for warning in rebase(table, "fi").warnings)


def test_unknown_tokens_are_counted(tmp_path: Path, wordpiece: Model, bpe: Model) -> None:
    folder = folder_of(tmp_path, en="good \u16a0\u16a2 \u16a0\ngood\n\u16a0\n")
    unknown = wordpiece.spelling.unknown
    lines = ["good \u16a0\u16a2 \u16a0", "good", "\u16a0"]
    expected = [int((wordpiece.encode(line).ids == unknown).sum()) for line in lines]
    assert expected == [2, 0, 1]
    table = compare([wordpiece, bpe], folder)
    assert table.counts[table.models[0], "en"].unknown_tokens.tolist() == expected
    assert [row.unknown_tokens for row in table.rows] == [3, 0]
    assert [row.unknown_tokens for row in table.by_line(table.models[0], "en")] == expected
    assert compare(wordpiece, folder, columns=["characters"]).rows[0].unknown_tokens is None
