"""A Unigram vocabulary trained from texts: always the same, as good as the peer's, its record."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from engine.errors import ParameterError, TextError, TrainingError
from engine.pieces import PieceKind
from engine.progress import Cancelled
from engine.train import em, seeds, stretches
from engine.train.unigram import UnigramSettings, train_unigram
from tests.engine.trained import EVERYDAY

ROOT = Path(__file__).resolve().parents[2]
SIZE = 3_000
SMALL = UnigramSettings(60, seeds=500)
WORDS = ["lower", "lowest", "newer", "newest", "wider", "widest", "new", "low", "wide", "slower"]


@cache
def corpus() -> tuple[str, ...]:
    """Return the lines of the bundled corpus in all its languages."""
    files = sorted(EVERYDAY.glob("*.txt"))
    return tuple(x for file in files for x in file.read_text(encoding="utf-8").splitlines())


@cache
def english() -> tuple[str, ...]:
    """Return the English lines of the bundled corpus."""
    return tuple((EVERYDAY / "en.txt").read_text(encoding="utf-8").splitlines())


def small_texts(seed: int = 0) -> list[str]:
    """Return some lines of a few words, their common beginnings and ends."""
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(1, 6))) for _ in range(60)]


def serve(monkeypatch: pytest.MonkeyPatch, compiled: bool) -> None:
    """Have all loops served by kernels, or by their twins."""
    for module in (em, seeds, stretches):
        monkeypatch.setattr(module, "compiled", lambda size: compiled)


@pytest.fixture(scope="module")
def everyday():
    return train_unigram(corpus(), UnigramSettings(SIZE))


def test_the_vocabulary_has_its_size_and_each_character(everyday):
    assert everyday.size == SIZE == len(set(everyday.pieces))
    assert everyday.ended == "size"
    assert everyday.pieces[:3] == (b"<unk>", b"<s>", b"</s>")
    assert everyday.kinds[:3].tolist() == [2, 3, 3]
    assert set(everyday.kinds[3:].tolist()) == {PieceKind.NORMAL}
    scores = everyday.scores[3:]
    assert np.all(scores < 0)
    assert np.all(np.diff(scores) <= 0)
    assert np.exp(scores).sum() <= 1.0
    from sentencepiece import SentencePieceNormalizer

    normal = "".join(SentencePieceNormalizer(rule_name="nmt_nfkc").normalize(list(corpus())))
    most = sorted(set(normal), key=lambda c: (-normal.count(c), c))
    covered = np.cumsum([normal.count(c) for c in most])
    number = int(np.searchsorted(covered, 0.9995 * covered[-1])) + 1
    single = {text.decode() for text in everyday.pieces if len(text.decode()) == 1}
    assert single == set(most[:number])
    assert everyday.left_out == int(covered[-1] - covered[number - 1])


def test_pieces_are_what_the_corpus_repeats(everyday):
    texts = {text.decode() for text in everyday.pieces}
    assert {"▁the", "ing", "▁de"} <= texts
    assert max(map(len, texts)) <= 16
    assert not any("▁" in text[1:] for text in texts)


def test_each_round_has_fewer_pieces_and_more_tokens(everyday):
    pieces = [row.pieces for row in everyday.rounds]
    tokens = [row.tokens for row in everyday.rounds]
    objective = [row.objective for row in everyday.rounds]
    assert pieces == sorted(pieces, reverse=True)
    assert pieces[-1] == SIZE
    assert len(pieces) > 3
    assert tokens == sorted(tokens)
    assert tokens[-1] == everyday.n_tokens
    assert objective == sorted(objective)
    # Pruning takes a quarter, EM steps may drop a few more; it ends at 1.1 times the size.
    for one, other in pairwise(pieces[:-2]):
        assert 0.7 < other / one <= 0.751
    assert 0.75 * pieces[-2] <= 1.1 * SIZE
    size = sum(len(line.encode()) for line in corpus())
    assert everyday.bytes_per_token.tolist() == [size / count for count in tokens]


def test_a_held_out_text_has_about_as_few_tokens_as_with_the_peers_vocabulary(tmp_path):
    import io

    from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

    from engine.train.writers.unigram_sentencepiece import write

    known = [line for i, line in enumerate(corpus()) if i % 4]
    held_out = [line for i, line in enumerate(corpus()) if not i % 4]
    data = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(known), model_writer=data, model_type="unigram", vocab_size=2_500,
        byte_fallback=True, num_threads=1, minloglevel=2,
    )  # fmt: skip
    ours = write(train_unigram(known, UnigramSettings(2_500, byte_fallback=True))).files[0]
    tokens = [
        sum(map(len, SentencePieceProcessor(model_proto=proto).encode(held_out)))
        for proto in (data.getvalue(), ours)
    ]
    assert tokens[1] <= 1.005 * tokens[0]


def test_the_order_of_lines_changes_nothing(monkeypatch):
    texts = small_texts()
    first = train_unigram(texts, SMALL)
    for compiled in (False, True):
        serve(monkeypatch, compiled)
        random.Random(1).shuffle(texts)
        again = train_unigram(texts, SMALL)
        assert again.pieces == first.pieces
        assert again.scores.tobytes() == first.scores.tobytes()
        assert again.rounds == first.rounds


def test_kernels_and_their_twins_train_the_same_vocabulary(monkeypatch):
    draw = random.Random(5)
    for round_ in range(8):
        letters = "abcde ▁é中"[: draw.randint(2, 9)]
        texts = ["".join(draw.choices(letters, k=draw.randint(0, 40))) for _ in range(40)]
        settings = UnigramSettings(40, longest=draw.randint(1, 12), seeds=draw.choice([0, 20, 400]))
        found = []
        for compiled in (False, True):
            serve(monkeypatch, compiled)
            found.append(train_unigram(texts, settings))
        assert found[0].pieces == found[1].pieces, round_
        assert found[0].scores.tobytes() == found[1].scores.tobytes()
        assert [r.tokens for r in found[0].rounds] == [r.tokens for r in found[1].rounds]
        assert [r.objective for r in found[0].rounds] == pytest.approx(
            [r.objective for r in found[1].rounds], rel=1e-12
        )


def test_another_process_trains_the_same_vocabulary():
    """The corpus of a report that a trainer differs from run to run (case C05)."""
    script = (
        "from engine.train.unigram import UnigramSettings, train_unigram\n"
        "t = train_unigram(['nale len ane lane nela aln'] * 3, UnigramSettings(14))\n"
        "print(t.pieces, t.scores.tobytes().hex())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, text=True,
        env={**os.environ, "PYTHONHASHSEED": "1"},
    )  # fmt: skip
    here = train_unigram(["nale len ane lane nela aln"] * 3, UnigramSettings(14))
    assert done.stdout == f"{here.pieces} {here.scores.tobytes().hex()}\n"
    assert "▁lane".encode() in here.pieces


def test_a_watcher_sees_each_round_but_the_last():
    seen = []
    trained = train_unigram(english(), UnigramSettings(120), watch=seen.append)
    assert [row.ended for row in seen] == ["under way"] * (len(trained.rounds) - 1)
    assert [row.size for row in seen] == [row.pieces for row in trained.rounds[:-1]]
    assert [len(row.rounds) for row in seen] == list(range(1, len(trained.rounds)))


def test_progress_counts_rounds_and_a_report_can_cancel():
    said: list[tuple[int, int]] = []
    size = sum(map(len, english()))
    trained = train_unigram(
        english(), UnigramSettings(120), lambda done, total: said.append((done, total))
    )
    rounds = said[said.index((size, size)) + 1 :]
    rounds = [row for row in rounds if row != (size, 0)]
    assert rounds[-1] == (len(trained.rounds), len(trained.rounds))
    assert {done for done, _ in rounds} == set(range(len(trained.rounds) + 1))
    assert rounds == sorted(rounds, key=lambda row: row[0])
    # Rounds still to come are told from the second on, two at most too many or too few.
    assert all(abs(total - len(trained.rounds)) <= 2 for done, total in rounds if done)

    def cancel(done: int, total: int) -> None:
        if (done, total) == rounds[len(rounds) // 2]:
            raise Cancelled

    with pytest.raises(Cancelled):
        train_unigram(english(), UnigramSettings(120), cancel)


# What bad input gets


@pytest.mark.parametrize("texts", [[], [""], ["\n", "\n"], ["   \n", "\t"], ["\0\0\n"]])
def test_a_corpus_without_a_word(texts):
    with pytest.raises(TrainingError, match="the corpus holds no word"):
        train_unigram(texts, UnigramSettings(100))


def test_sizes_that_are_too_small_and_too_large():
    """`hello world` with 4 and with 5,000 pieces (case C69)."""
    with pytest.raises(TrainingError, match=r"4 pieces .* \(11\), ask for at least 11"):
        train_unigram(["hello world"], UnigramSettings(4))
    trained = train_unigram(["hello world"], UnigramSettings(5_000))
    assert trained.ended == "corpus"
    assert sorted(text.decode() for text in trained.pieces[3:]) == sorted("▁dehlorw")
    with pytest.raises(TrainingError, match="at least 260"):
        train_unigram([], UnigramSettings(259, byte_fallback=True))
    least = train_unigram(["hello world"], UnigramSettings(11))
    assert (least.size, least.ended) == (11, "size")


def test_a_corpus_with_more_symbols_than_can_be_numbered(monkeypatch):
    monkeypatch.setattr(stretches, "MOST_SYMBOLS", 7)
    train_unigram(["abc abc de"], UnigramSettings(20))
    with pytest.raises(TrainingError, match=r"8 characters in different words, .* at most 7"):
        train_unigram(["abc abc def"], UnigramSettings(20))


def test_a_nul_is_left_out_and_the_rest_of_its_line_is_not():
    """Case C23."""
    trained = train_unigram(["ab\0ab ab", "ab"] * 5, UnigramSettings(8))
    texts = [text.decode() for text in trained.pieces[3:]]
    assert sorted(texts) == ["a", "ab", "b", "▁", "▁ab"]
    # ▁ab ? ab ▁ab, and ▁ab: the normalizer may drop the NUL by itself.
    assert trained.left_out in (0, 5)


def test_a_very_long_word_keeps_its_digits():
    """Sums over a long line leave the range of floats unless they are scaled (case C67)."""
    draw = random.Random(3)
    word = "".join(draw.choices("abcdefgh", k=20_000))
    trained = train_unigram([word, "abc abd"], UnigramSettings(300))
    assert trained.size == 300
    assert np.all(np.isfinite(trained.scores))
    assert all(np.isfinite(row.objective) for row in trained.rounds)
    assert trained.n_tokens < 20_000


def test_a_lone_surrogate_is_named():
    with pytest.raises(TextError, match="surrogate"):
        train_unigram(["fine", "a\ud800"], UnigramSettings(100))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"normalizer": "nfd"}, "no normalizer 'nfd'"),
        ({"specials": ("<a>", "<a>")}, "named twice"),
        ({"specials": ("",)}, "empty"),
        ({"specials": ("\ud800",)}, "isn't Unicode text"),
        ({"specials": ("a\0b",)}, "holds a NUL"),
        ({"specials": ("<0x41>",), "byte_fallback": True}, "'<0x41>' is the name of a byte piece"),
        ({"coverage": 0.0}, "coverage of 0.0"),
        ({"coverage": float("nan")}, "coverage of nan"),
        ({"longest": 0}, "longest piece of 0"),
        ({"longest": 33}, "give 1 to 32"),
        ({"seeds": -1}, "-1 seed pieces"),
        ({"shrink": 1.0}, "factor of 1.0"),
        ({"steps": 0}, "0 EM steps"),
    ],
)
def test_settings_that_cant_be(changes, said):
    with pytest.raises(ParameterError, match=said):
        train_unigram(["text"], UnigramSettings(100, **changes))


def test_special_tokens_are_no_pieces_a_second_time():
    texts = ["<sep> <sep>x <sep> low lower"] * 9
    settings = UnigramSettings(40, specials=("<sep>", "<pad>"), normalizer="identity")
    across = settings.constraints._replace(by_script=False)
    trained = train_unigram(texts, UnigramSettings(40, specials=("<sep>",), constraints=across))
    assert trained.pieces.count(b"<sep>") == 1 == trained.pieces[:4].count(b"<sep>")
    assert train_unigram(texts, settings).pieces[3:5] == (b"<sep>", b"<pad>")
    with pytest.raises(TrainingError, match="'l' is a character of the corpus too"):
        train_unigram(texts, UnigramSettings(40, specials=("l",)))
