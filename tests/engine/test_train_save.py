"""A trained BPE vocabulary is saved and opened again, here and in the formats' own libraries."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

import engine
from engine.encodings import PATTERNS
from engine.pipelines.scanning import SCANS
from engine.train.bpe import BpeSettings, TrainedBpe
from engine.train.merges import TIE_BREAKS, TieBreak
from engine.train.save import save
from engine.train.writers.huggingface import SPELLED
from tests.engine.trained import SPECIALS, counted_ids, lines, scrambled, train
from tests.peers import gpt2_peer, huggingface_peer, sentencepiece_peer, subword_nmt_peer

BYTES = 256 + 300
CHARACTERS = 1400

SETTINGS = {
    "bytes gpt2": BpeSettings(BYTES, "bytes", "gpt2", specials=SPECIALS),
    "bytes cl100k": BpeSettings(BYTES, "bytes", "cl100k"),
    "bytes o200k": BpeSettings(BYTES, "bytes", "o200k"),
    "bytes none": BpeSettings(BYTES, "bytes", "none"),
    "bytes whitespace": BpeSettings(BYTES, "bytes", "whitespace"),
    "bytes metaspace": BpeSettings(BYTES, "bytes", "metaspace"),
    "bytes own": BpeSettings(BYTES, "bytes", r"\p{L}+|\P{L}"),
    "words": BpeSettings(CHARACTERS, "characters", "whitespace", "</w>", SPECIALS),
    "words _": BpeSettings(CHARACTERS, "characters", "whitespace", "_", SPECIALS),
    "metaspace": BpeSettings(CHARACTERS, "characters", "metaspace", "", SPECIALS),
    "metaspace </w>": BpeSettings(CHARACTERS, "characters", "metaspace", "</w>", SPECIALS),
    "characters gpt2": BpeSettings(CHARACTERS, "characters", "gpt2", "", SPECIALS),
    "characters none": BpeSettings(CHARACTERS, "characters", "none", "</w>", SPECIALS),
}


@pytest.fixture(scope="module")
def udhr(shared: Path) -> Sequence[str]:
    """Some lines of the Universal Declaration of Human Rights in every language of the folder."""
    files = sorted((shared / "data" / "corpora" / "udhr").glob("*.txt"))[::6]
    found = [x for file in files for x in file.read_text(encoding="utf-8").splitlines()[4:8]]
    assert len(found) > 100
    return found


def own_ids(path: Path, texts: Sequence[str], **options: str) -> list[list[int]]:
    """Return what Segscope makes of texts with a file."""
    batch = engine.load(path, **options).encode_lines(texts)
    cuts = batch.offsets.tolist()
    return [batch.ids[a:b].tolist() for a, b in pairwise(cuts)]


def expected(trained: TrainedBpe, text: str) -> Counter[int]:
    """Return `counted_ids` with the id of `<unk>` for what is no piece."""
    found = counted_ids(trained, text)
    unknown = found.pop(-1, 0)
    if unknown:
        found[len(trained.merges.symbols)] = unknown
    return found


@pytest.mark.parametrize("name", SETTINGS)
def test_tokenizer_json_gives_the_ids_of_training(name: str, tmp_path: Path) -> None:
    trained, path = train(SETTINGS[name]), tmp_path / "own.json"
    assert len(trained.merges) > 30, "too few merges to tell anything"
    save(trained, path)
    texts = [*lines()[::4], *scrambled()]
    ids = huggingface_peer(path).encode(texts)
    for text, found in zip(texts, ids, strict=True):
        assert Counter(found) == expected(trained, text), text
    assert own_ids(path, texts) == ids


@pytest.mark.parametrize("name", SETTINGS)
def test_tokenizer_json_decodes_to_the_text(name: str, tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    notes = save(train(SETTINGS[name]), path)
    peer, model = huggingface_peer(path), engine.load(path)
    texts = lines()[::4]
    for text, ids in zip(texts, peer.encode(texts), strict=True):
        spaced = name != "bytes whitespace"
        assert peer.decode(ids).decode() == (text if spaced else text.replace(" ", ""))
        assert model.decode(ids) == peer.decode(ids)
    assert any("white space" in note for note in notes) == (name == "bytes whitespace")


@pytest.mark.parametrize("rule", TIE_BREAKS)
def test_each_tie_rule_is_recorded_and_its_vocabulary_kept(rule: TieBreak, tmp_path: Path) -> None:
    settings = BpeSettings(256 + 200, "bytes", "cl100k", tie_break=rule)
    trained, path = train(settings), tmp_path / "own.json"
    save(trained, path)
    model = engine.load(path)
    assert model.inspect()["tie_break"] == rule
    symbols = [model.vocabulary.bytes(i) for i in range(len(model.vocabulary))]
    assert symbols == list(trained.merges.symbols)
    bpe = model.bpe
    assert bpe is not None
    assert bpe.left.tolist() == trained.merges.left.tolist()
    assert bpe.right.tolist() == trained.merges.right.tolist()
    texts = scrambled()
    ids = huggingface_peer(path).encode(texts)
    assert [Counter(found) for found in ids] == [expected(trained, text) for text in texts]
    assert own_ids(path, texts) == ids


def test_the_tie_rules_give_different_files(tmp_path: Path) -> None:
    files = set()
    for rule in TIE_BREAKS:
        path = tmp_path / "own.tiktoken"
        save(train(BpeSettings(256 + 200, "bytes", "cl100k", tie_break=rule)), path)
        files.add(path.read_bytes())
    assert len(files) == len(TIE_BREAKS)


@pytest.mark.parametrize("pattern", SPELLED)
def test_published_patterns_are_spelled_as_a_kernel_knows_them(pattern: str) -> None:
    assert SPELLED[pattern] in SCANS


def test_special_tokens_are_added_tokens(tmp_path: Path) -> None:
    from tokenizers import Tokenizer

    trained, path = train(SETTINGS["bytes gpt2"]), tmp_path / "tokenizer.json"
    save(trained, path)
    tokenizer = Tokenizer.from_file(str(path))
    assert tokenizer.get_vocab_size() == trained.size
    ids = tokenizer.encode("a<|endoftext|>b").ids
    assert ids == [ord("a"), trained.size - 1, ord("b")]
    assert tokenizer.decode(ids) == "ab"
    model = engine.load(path)
    assert [(t.id, t.text) for t in model.special_tokens] == [
        (trained.size - 2, "<unk>"),
        (trained.size - 1, "<|endoftext|>"),
    ]
    assert model.warnings == ()


def test_an_unknown_character_is_unk_or_gone(tmp_path: Path) -> None:
    with_unk, without = tmp_path / "a.json", tmp_path / "b.json"
    assert save(train(SETTINGS["words"]), with_unk) == ()
    notes = save(train(BpeSettings(CHARACTERS, "characters", "whitespace", "</w>")), without)
    assert any("disappear" in note for note in notes)
    unknown = len(train(SETTINGS["words"]).merges.symbols)
    assert huggingface_peer(with_unk).encode(["\u0f40"]) == [[unknown]]
    assert huggingface_peer(without).encode(["\u0f40"]) == [[]]


# tiktoken


def tiktoken_ids(path: Path, pattern: str, texts: Sequence[str]) -> list[list[int]]:
    from tiktoken import Encoding

    ranks = {
        base64.b64decode(piece): int(rank)
        for piece, rank in (line.split() for line in path.read_bytes().splitlines())
    }
    encoding = Encoding("own", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return encoding.encode_ordinary_batch(list(texts))


@pytest.mark.parametrize("name", ["gpt2", "cl100k", "o200k"])
def test_ranks_give_the_ids_of_training(name: str, tmp_path: Path) -> None:
    trained = train(SETTINGS[f"bytes {name}"])
    ranks, tokenizer = tmp_path / "own.tiktoken", tmp_path / "own.json"
    notes = save(trained, ranks)
    save(trained, tokenizer)
    assert f"it is {name}" in " ".join(notes)
    texts = [*lines()[::4], *scrambled()]
    ids = tiktoken_ids(ranks, PATTERNS[name], texts)
    assert ids == huggingface_peer(tokenizer).encode(texts)
    assert own_ids(ranks, texts, pattern=name) == ids


def test_ranks_of_words_and_of_whole_texts(tmp_path: Path) -> None:
    path = tmp_path / "own.tiktoken"
    for name, pattern in (("whitespace", r"\S+"), ("none", r"[\s\S]+")):
        trained = train(SETTINGS[f"bytes {name}"])
        save(trained, path)
        texts = scrambled()
        ids = tiktoken_ids(path, pattern, texts)
        assert [Counter(found) for found in ids] == [expected(trained, text) for text in texts]


def test_ranks_say_which_special_tokens_they_leave_out(tmp_path: Path) -> None:
    trained = train(SETTINGS["bytes gpt2"])
    notes = save(trained, tmp_path / "own.tiktoken")
    said = next(note for note in notes if "special" in note)
    assert f"<|endoftext|> {trained.size - 1}" in said


# GPT-2's pair


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("", ("vocab.json", "merges.txt")),
        ("merges.txt", ("vocab.json", "merges.txt")),
        ("encoder.json", ("encoder.json", "vocab.bpe")),
        ("vocab.bpe", ("encoder.json", "vocab.bpe")),
    ],
)
def test_the_pair_gives_the_ids_of_training(
    given: str, made: tuple[str, str], tmp_path: Path
) -> None:
    trained = train(SETTINGS["bytes gpt2"])
    save(trained, tmp_path / given if given else tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == set(made)
    texts = [*lines()[::4], *scrambled()]
    ids = gpt2_peer(tmp_path / made[0]).encode(texts)
    assert [Counter(found) for found in ids] == [expected(trained, text) for text in texts]
    assert own_ids(tmp_path / made[1], texts) == ids
    assert own_ids(tmp_path, texts) == ids
    special = engine.load(tmp_path).special_tokens
    assert [(t.id, t.text) for t in special] == [
        (trained.size - 2, "<unk>"),
        (trained.size - 1, "<|endoftext|>"),
    ]


def test_a_folder_is_made_for_the_pair(tmp_path: Path) -> None:
    save(train(SETTINGS["bytes gpt2"]), tmp_path / "new", "gpt2")
    assert sorted(file.name for file in (tmp_path / "new").iterdir()) == [
        "merges.txt",
        "vocab.json",
    ]
    assert (tmp_path / "new" / "merges.txt").read_text().startswith("#version: 0.2\n")


# subword-nmt


def test_codes_give_the_pieces_of_training(tmp_path: Path) -> None:
    from subword_nmt.apply_bpe import BPE

    trained = train(SETTINGS["words"])
    symbols, path = trained.merges.symbols, tmp_path / "own.codes"
    notes = save(trained, path)
    assert any("<|endoftext|>" in note for note in notes)
    assert path.read_bytes().startswith(b"#version: 0.2\n")
    with path.open(encoding="utf-8") as stream:
        library = BPE(stream)
    # subword-nmt takes tabs and other white space for letters.
    texts = [*lines()[::4], *(" ".join(text.split()) for text in scrambled())]
    for text in texts:
        written = library.segment_tokens(text.split(" ")) if text else []
        pieces = (p.removesuffix("@@") if p.endswith("@@") else f"{p}</w>" for p in written)
        wanted = {symbols[n].decode(): c for n, c in counted_ids(trained, text).items() if n >= 0}
        # What is left are characters that training never met.
        assert {p: c for p, c in Counter(pieces).items() if p.encode() in symbols} == wanted
    assert engine.load(path).format == "subword-nmt"
    assert own_ids(path, texts) == subword_nmt_peer(path).encode(texts)


# SentencePiece


def test_a_sentencepiece_model_gives_the_pieces_of_training(tmp_path: Path) -> None:
    from sentencepiece import SentencePieceProcessor

    trained = train(SETTINGS["metaspace"])
    path = tmp_path / "own.model"
    notes = save(trained, path)
    processor = SentencePieceProcessor(model_file=str(path))
    assert processor.vocab_size() == trained.size + 2  # <s> and </s>; <unk> is there already
    assert [processor.id_to_piece(i) for i in range(4)] == ["<unk>", "<s>", "</s>", SPECIALS[1]]
    assert (processor.unk_id(), processor.bos_id(), processor.eos_id()) == (0, 1, 2)
    assert processor.pad_id() == -1
    first = trained.merges.symbols[len(trained.merges.base)]
    assert processor.id_to_piece(4) == first.decode()
    assert processor.get_score(5) == -1
    assert any("begin at 4" in note for note in notes)
    texts = [*lines(), *(" ".join(text.split()) for text in scrambled())]
    unknown = len(trained.merges.symbols)
    for text, pieces in zip(texts, processor.encode(texts, out_type=str), strict=True):
        wanted = {
            trained.merges.symbols[n].decode(): count
            for n, count in expected(trained, text).items()
            if n != unknown
        }
        known = {p: count for p, count in Counter(pieces).items() if p in wanted}
        assert known == wanted, text
    ids = sentencepiece_peer(path).encode(texts)
    assert own_ids(path, texts) == ids
    plain = [text for text in lines() if 0 not in processor.encode(text)]
    assert len(plain) > 100
    assert [processor.decode(processor.encode(text)) for text in plain] == plain


def test_a_pad_token_is_the_models_own(tmp_path: Path) -> None:
    from sentencepiece import SentencePieceProcessor

    path = tmp_path / "own.model"
    save(train(BpeSettings(CHARACTERS, "characters", "metaspace", "", ("<pad>", "<s>"))), path)
    processor = SentencePieceProcessor(model_file=str(path))
    assert processor.pad_id() == 3
    assert processor.is_control(3)
    assert engine.load(path).template == ((1,), (2,))


# Real texts


def test_every_format_gives_its_librarys_ids_on_the_declaration(
    udhr: Sequence[str], tmp_path: Path
) -> None:
    of_bytes = train(SETTINGS["bytes gpt2"])
    paths = [tmp_path / name for name in ("own.json", "own.tiktoken", "vocab.json")]
    for path in paths:
        save(of_bytes, path)
    ids = huggingface_peer(paths[0]).encode(udhr)
    assert ids == tiktoken_ids(paths[1], PATTERNS["gpt2"], udhr) == gpt2_peer(paths[2]).encode(udhr)
    for path in paths:
        options = {"pattern": "gpt2"} if path.suffix == ".tiktoken" else {}
        assert own_ids(path, udhr, **options) == ids
    codes, model = tmp_path / "own.codes", tmp_path / "own.model"
    save(train(SETTINGS["words"]), codes)
    assert own_ids(codes, udhr) == subword_nmt_peer(codes).encode(udhr)
    save(train(SETTINGS["metaspace"]), model)
    assert own_ids(model, udhr) == sentencepiece_peer(model).encode(udhr)


def test_saving_again_gives_the_same_bytes(tmp_path: Path) -> None:
    wanted = {"own.json": "words", "own.model": "metaspace", "own.codes": "words"}
    for name, settings in {**wanted, "own.tiktoken": "bytes gpt2"}.items():
        path = tmp_path / name
        save(train(SETTINGS[settings]), path)
        before = path.read_bytes()
        save(train(SETTINGS[settings]), path)
        assert path.read_bytes() == before


def test_the_file_says_merges_as_lists(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    trained = train(SETTINGS["characters none"])
    save(trained, path)
    model = json.loads(path.read_bytes())["model"]
    assert len(model["merges"]) == len(trained.merges)
    assert any(" " in part for pair in model["merges"] for part in pair)
    assert model["segscope"] == {"tie_break": "lexicographic-smallest"}
