"""WordPiece vocabularies: what is learnt, saved, and encoded by the `tokenizers` library."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache
from itertools import pairwise

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.trainers import WordPieceTrainer

import engine
from engine.errors import ParameterError, TrainingError
from engine.formats.bert import SPECIALS
from engine.progress import Cancelled
from engine.train import wordpiece_record
from engine.train.save import save, write_record
from engine.train.ties import ties_at
from engine.train.wordpiece import WordPieceSettings, train_wordpiece
from engine.train.wordpiece_words import Cleaning, components
from tests.engine.trained import lines, scrambled

HARD = ("##a ##b [UNK] [MASK] ####", "Don't stop—ﬁne Ünïcode 𝔘 東京tower", "a" * 101, "\u0301 x")


def texts():
    return [*(line + "\n" for line in lines()), *scrambled(60), *HARD]


@cache
def trained(settings):
    return train_wordpiece(texts(), settings)


KINDS = [
    WordPieceSettings(2_600),
    WordPieceSettings(2_300, cleaning=Cleaning(True), select="frequency"),
    WordPieceSettings(2_600, cleaning=Cleaning(True, False, False), tie_break="lowest-ids"),
    WordPieceSettings(2_600, "whitespace", least=3, longest=4),
    WordPieceSettings(1_000, "whitespace", longest_word=12, alphabet=300, select="frequency"),
]


def ids_of(tokenizer, given):
    tokenizer.encode_special_tokens = True
    return [e.ids for e in tokenizer.encode_batch(list(given), add_special_tokens=False)]


@pytest.mark.parametrize("settings", KINDS, ids=str)
def test_saved_vocabularies_give_the_ids_of_the_library(settings, tmp_path):
    found, given = trained(settings), texts()
    assert len(set(found.pieces)) == found.size <= settings.size
    assert found.pieces[:5] == SPECIALS
    path = tmp_path / "tokenizer.json"
    save(found, path)
    peer = Tokenizer.from_file(str(path))
    assert peer.get_vocab() == {piece: i for i, piece in enumerate(found.pieces)}
    theirs = ids_of(peer, given)
    model = engine.load(path)
    assert [model.encode(text).ids.tolist() for text in given] == theirs
    assert sum(map(len, theirs)) == found.n_tokens
    if settings.longest_word != 100:
        with pytest.raises(ParameterError, match="more than 100 characters"):
            save(found, tmp_path / "vocab.txt")
        return
    save(found, tmp_path / "vocab.txt")
    listed = Tokenizer(WordPiece.from_file(str(tmp_path / "vocab.txt"), unk_token="[UNK]"))
    normalizer, pre_tokenizer = components(settings.pre_tokenizer, settings.cleaning)
    if normalizer is not None:
        listed.normalizer = normalizer
    listed.pre_tokenizer = pre_tokenizer
    assert ids_of(listed, given) == theirs
    assert engine.load(tmp_path / "vocab.txt").format == "bert"


def test_a_text_is_framed_as_berts_own_files_do(tmp_path):
    found = trained(KINDS[0])
    save(found, tmp_path / "tokenizer.json")
    peer = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    cls, sep = found.pieces.index("[CLS]"), found.pieces.index("[SEP]")
    one, other = (peer.encode(text, add_special_tokens=False).ids for text in ("low", "newest"))
    alone, both = peer.encode("low"), peer.encode("low", "newest")
    assert alone.ids == [cls, *one, sep]
    assert both.ids == [cls, *one, sep, *other, sep]
    assert both.type_ids == [0] * (len(one) + 2) + [1] * (len(other) + 1)
    # Without one of the two there is no frame.
    save(train_wordpiece(["ab ab"], WordPieceSettings(20, specials=("[UNK]", "[CLS]"))),
         tmp_path / "bare.json")  # fmt: skip
    assert len(Tokenizer.from_file(str(tmp_path / "bare.json")).encode("ab")) == 1


def by_frequency(words, merges):
    """Learn merges of marked strings by count, ties by the smallest texts without the mark."""
    rows = [([word[0], *("##" + c for c in word[1:])], n) for word, n in words]
    pieces = []
    while len(pieces) < merges:
        found = {}
        for row, times in rows:
            for pair in pairwise(row):
                found[pair] = found.get(pair, 0) + times
        best = max(found.values(), default=0)
        if best < 2:
            break

        def order(pair):
            left, right = pair
            return left.removeprefix("##"), right.removeprefix("##"), left.startswith("##")

        left, right = min((pair for pair in found if found[pair] == best), key=order)
        pieces.append(left + right.removeprefix("##"))
        for row, _ in rows:
            i = 0
            while i + 1 < len(row):
                if (row[i], row[i + 1]) == (left, right):
                    row[i : i + 2] = [pieces[-1]]
                i += 1
    return pieces


def test_frequency_against_a_reference_of_strings():
    rng = random.Random("wordpiece")
    for _ in range(40):
        words = {"".join(rng.choice("abc") for _ in range(rng.randint(1, 6))): rng.randint(1, 4)
                 for _ in range(6)}  # fmt: skip
        text = " ".join(word for word, n in words.items() for _ in range(n))
        found = train_wordpiece([text], WordPieceSettings(40, "whitespace", select="frequency"))
        base = found.size - len(found.merges)
        assert list(found.pieces[base:]) == by_frequency(words.items(), 40 - base)


def test_frequency_compresses_as_the_library_s_own_trainer():
    cleaning, size = Cleaning(True), 1_200
    given = [line + "\n" for line in lines()]
    found = train_wordpiece(given, WordPieceSettings(size, cleaning=cleaning, select="frequency"))
    peer = Tokenizer(WordPiece(unk_token="[UNK]"))
    peer.normalizer, peer.pre_tokenizer = components("bert", cleaning)
    trainer = WordPieceTrainer(
        vocab_size=size, special_tokens=list(SPECIALS), show_progress=False, min_frequency=2
    )
    peer.train_from_iterator(given, trainer)
    assert found.size == peer.get_vocab_size() == size
    # Characters are the same; of merges of equal counts, others may be among the last.
    assert len(set(found.pieces) & set(peer.get_vocab())) > 0.97 * size
    assert found.n_tokens <= 1.005 * sum(map(len, ids_of(peer, given)))


def test_the_order_of_lines_changes_nothing():
    given = list(lines())
    random.Random(7).shuffle(given)
    for select in ("likelihood", "frequency"):
        settings = WordPieceSettings(2_200, select=select)
        one, other = train_wordpiece(lines(), settings), train_wordpiece(given, settings)
        assert one.pieces == other.pieces
        assert one.merges.count.tolist() == other.merges.count.tolist()


def test_the_record_tells_what_each_merge_was_chosen_from(tmp_path):
    found = trained(KINDS[0])
    rows = wordpiece_record.record_of(found).rows
    assert len(rows) == len(found.merges)
    for k in (0, 1, len(rows) // 2, len(rows) - 1):
        row = rows[k]
        assert row["id"] == found.pieces.index(row["piece"])
        assert row["piece"] == row["left"] + row["right"].removeprefix("##")
        quotient = Fraction(row["count"], row["left_count"] * row["right_count"])
        assert row["score"] == pytest.approx(float(quotient), rel=1e-15)
        assert row["rival_score"] is None or row["rival_score"] <= row["score"]
        tied = ties_at(found.symbols.units, found.merges, k, "likelihood", 2)
        assert len(tied) == row["ties"]
        assert (int(found.merges.left[k]), int(found.merges.right[k])) in tied
    assert rows[-1]["vocab_size"] == found.size
    write_record(found, tmp_path / "log.csv")
    head, first = (tmp_path / "log.csv").read_text(encoding="utf-8").splitlines()[:2]
    assert head.split(",") == list(wordpiece_record.FIELDS)
    assert first.startswith(f"1,{rows[0]['id']},{rows[0]['left']},")


def test_characters_that_are_left_out():
    text = "aa aa aa bb bb c\n"
    found = train_wordpiece([text], WordPieceSettings(30, "whitespace", alphabet=2))
    assert found.symbols.left_out == 1
    assert set(found.pieces[5:]) == {"a", "b", "##a", "##b", "aa", "bb"}
    assert found.n_tokens == 6  # c is unknown
    short = train_wordpiece(["ab abc abc"], WordPieceSettings(30, "whitespace", longest_word=2))
    assert short.symbols.left_out == 2
    assert set(short.pieces[5:]) == {"a", "b", "##b"}


def test_no_piece_is_written_as_another_is():
    text = "##ab ##ab ##ab xab xab [UNK] [UNK]\n" * 3
    found = train_wordpiece([text], WordPieceSettings(60, "whitespace", least=1))
    assert len(set(found.pieces)) == found.size
    assert not any(
        piece.startswith("##") and not inside and len(piece) > 2
        for piece, inside in zip(found.pieces[5:], found.continues.tolist(), strict=True)
    )


def test_bad_input_is_refused_and_said():
    def refused(text, *given, **settings):
        with pytest.raises((ParameterError, TrainingError)) as caught:
            train_wordpiece([text], WordPieceSettings(*given, **settings))
        return str(caught.value)

    assert "no word, 1 line" in refused("", 100)
    assert "no word" in refused("\n\n \n", 100)
    assert "smaller than its 5 characters" in refused("abc", 6)
    assert "at least 10" in refused("abc", 6)
    assert "no word of the corpus has at most 100 characters" in refused("a" * 1_000_000, 100)
    assert "[UNK]" in refused("a", 100, specials=("<s>",))
    assert "is a base symbol too" in refused("a", 100, specials=("[UNK]", "a"))
    assert "named twice" in refused("a", 100, specials=("[UNK]", "[UNK]"))
    assert "no pre-tokenizer 'cl100k'" in refused("a", 100, "cl100k")
    assert "takes text as it is" in refused("a", 100, "whitespace", Cleaning(True))
    assert "first-seen" in refused("a", 100, tie_break="first-seen")
    assert "alphabet of 0" in refused("a", 100, alphabet=0)
    # A tokenizer.json with a larger number couldn't be loaded.
    assert "give 1 to 1,073,741,824" in refused("a", 100, longest_word=1 << 70)


def test_a_size_that_the_corpus_cannot_give():
    found = train_wordpiece(["ab ab ab"], WordPieceSettings(5_000))
    assert found.size == 9
    assert found.merges.ended == "count"


def test_nul_goes_with_bert_and_stays_with_white_space(tmp_path):
    assert "\0" not in "".join(train_wordpiece(["a\0b a\0b"], WordPieceSettings(50)).pieces)
    found = train_wordpiece(["a\0b a\0b"], WordPieceSettings(50, "whitespace"))
    assert "a\0b" in found.pieces
    save(found, tmp_path / "t.json")
    peer = Tokenizer.from_file(str(tmp_path / "t.json"))
    assert peer.encode("a\0b", add_special_tokens=False).ids == [found.pieces.index("a\0b")]
    with pytest.raises(ParameterError, match="NUL"):
        save(found, tmp_path / "vocab.txt")


def test_cancelling_through_the_report():
    def report(done, total):
        if total:
            raise Cancelled

    with pytest.raises(Cancelled):
        train_wordpiece(lines(), WordPieceSettings(2_300), report)
