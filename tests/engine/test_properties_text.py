"""Random small models in the text formats, read by us and by their libraries: the same tokens."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.alphabet import CHARACTERS
from engine.errors import SegscopeError
from engine.formats import load
from engine.formats.subword_nmt import MARK
from engine.model import Encoding, Model

CALM = settings(max_examples=80, deadline=None)

Pair = tuple[str, str]


@contextmanager
def folder_of(files: dict[str, str]) -> Iterator[Path]:
    """Write files into a folder that lasts as long as the block."""
    with tempfile.TemporaryDirectory() as name:
        for file, content in files.items():
            Path(name, file).write_bytes(content.encode())
        yield Path(name)


def check_spans(model: Model, encoding: Encoding) -> None:
    """Check that bulk and single encoding agree and that the lattice holds the path."""
    text = encoding.text.string
    assert model.encode_lines([text, "", text])[2].tolist() == encoding.ids.tolist()
    starts = encoding.start.tolist()
    assert starts == sorted(starts)
    if encoding.text.n_bytes:
        lattice = model.lattice(text)
        # Characters that are left out have an edge but no token.
        path = [int(lattice.piece[edge]) for edge in lattice.taken]
        assert len([piece for piece in path if piece >= 0]) == len(encoding)


# GPT-2's pair

SYMBOLS = [*"ab#", "\u0120", CHARACTERS[0xC3], CHARACTERS[0xA9], "'"]
GPT2_TEXT = st.text(alphabet="ab#é'st \n1", max_size=14)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[dict[str, int], list[Pair]]:
    """Draw a vocabulary and merges in any order, some listed twice, some bytes without a piece."""
    known, merges = list(SYMBOLS), []
    for _ in range(draw(st.integers(0, 10))):
        left, right = draw(st.sampled_from(known)), draw(st.sampled_from(known))
        merges.append((left, right))
        if left + right not in known:
            known.append(left + right)
    merges = draw(st.permutations(merges))
    if merges and draw(st.booleans()):
        merges.append(draw(st.sampled_from(merges)))
    lacking = draw(st.sampled_from(["", "\u0120", "1", "\u010a"]))
    needed = {part for pair in merges for part in (*pair, "".join(pair))}
    atoms = [char for char in CHARACTERS if char not in lacking or char in needed]
    pieces = list(dict.fromkeys([*atoms, *known]))
    step = draw(st.sampled_from([1, 1, 3]))
    order = draw(st.randoms(use_true_random=False))
    order.shuffle(pieces)
    if lacking in pieces and lacking not in needed and lacking:
        pieces.remove(lacking)
    return {piece: 5 + i * step for i, piece in enumerate(pieces)}, merges


@given(pairs(), st.lists(GPT2_TEXT, min_size=1, max_size=3), st.booleans(), st.booleans())
@CALM
def test_a_pair_gives_the_ids_of_the_tokenizers_library(
    pair: tuple[dict[str, int], list[Pair]], texts: list[str], header: bool, crlf: bool
) -> None:
    from tokenizers import Tokenizer
    from tokenizers.models import BPE
    from tokenizers.pre_tokenizers import ByteLevel

    vocabulary, merges = pair
    end = "\r\n" if crlf else "\n"
    lines = [*(["#version: 0.2"] if header else []), *(f"{a} {b}" for a, b in merges)]
    files = {
        "vocab.json": json.dumps(vocabulary),
        "merges.txt": "".join(line + end for line in lines),
    }
    assume(files["merges.txt"])
    with folder_of(files) as folder:
        model = load(folder / "vocab.json")
        again = load(folder / "merges.txt") if merges or header else model
        peer = Tokenizer(BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt")))
    peer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    for text in texts:
        expected = peer.encode(text)
        encoding = model.encode(text)
        assert encoding.ids.tolist() == expected.ids
        assert again.encode(text).ids.tolist() == expected.ids
        check_spans(model, encoding)


# BERT's vocab.txt

BERT_TEXT = st.text(alphabet="abAéÉ中 .\t\u0301\ufffd", max_size=16)
WORDS = st.text(alphabet="abéA", min_size=1, max_size=3)


@st.composite
def vocabularies(draw: st.DrawFn) -> list[str]:
    """Draw the lines of a vocab.txt: doubles, blank lines and spaces at ends among them."""
    entry = st.one_of(
        WORDS,
        WORDS.map(lambda word: f"##{word}"),
        st.sampled_from(["", "中", ".", "##", "a ", "##b\u3000", "\u2028", "e", "##\u0301"]),
    )
    lines = draw(st.lists(entry, min_size=1, max_size=14))
    lines.insert(draw(st.integers(0, len(lines))), "[UNK]")
    return lines


@given(
    vocabularies(),
    st.lists(BERT_TEXT, min_size=1, max_size=3),
    st.sampled_from(["cased", "uncased"]),
    st.booleans(),
)
@CALM
def test_a_vocab_txt_gives_the_ids_of_the_tokenizers_library(
    lines: list[str], texts: list[str], casing: str, crlf: bool
) -> None:
    from tokenizers import Tokenizer, decoders
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer

    end = "\r\n" if crlf else "\n"
    with folder_of({"vocab.txt": "".join(line + end for line in lines)}) as folder:
        model = load(folder / "vocab.txt", casing=casing)
        peer = Tokenizer(WordPiece.from_file(str(folder / "vocab.txt"), unk_token="[UNK]"))
    peer.normalizer = BertNormalizer(lowercase=casing == "uncased")
    peer.pre_tokenizer = BertPreTokenizer()
    peer.decoder = decoders.WordPiece()
    assert model.inspect()["vocab_size"] == peer.get_vocab_size()
    for text in texts:
        expected = peer.encode(text)
        encoding = model.encode(text)
        assert encoding.ids.tolist() == expected.ids
        check_spans(model, encoding)
        # The library leaves special tokens out only if told so; [UNK] is none to it here.
        decoded = peer.decode(expected.ids, skip_special_tokens=False)
        assert model.decode(encoding.ids.tolist()).decode() == decoded


# subword-nmt


@st.composite
def codes(draw: st.DrawFn) -> tuple[str, list[Pair], list[str]]:
    """Draw a version (empty for none), merges in any order, and all their parts and results."""
    version = draw(st.sampled_from(["0.1", "0.2", ""]))
    open_ones = list("abé")
    merges: list[Pair] = []
    for _ in range(draw(st.integers(1, 12))):
        left, right = draw(st.sampled_from(open_ones)), draw(st.sampled_from(open_ones))
        kind = draw(st.integers(0, 2))
        if kind == 0:
            merges.append((left, right))
            open_ones.append(left + right)
        elif kind == 1 or version == "0.2":
            merges.append((left, right + MARK))
        else:
            merges.append((left, MARK))
    if draw(st.booleans()):
        merges = draw(st.permutations(merges))
    if draw(st.booleans()):
        merges.append(draw(st.sampled_from(merges)))
    return version, merges, open_ones


def peer_pieces(peer: Any, text: str) -> list[str]:
    """Cut a text as the library does, line by line.

    It writes an empty piece where its filter undoes the mark of version 0.1 alone.
    """
    out: list[str] = []
    for line in text.split("\n"):
        for piece in peer.segment_tokens(line.strip("\r\n ").split(" ")):
            if piece:
                out.append(piece)
            else:
                out[-1] = out[-1].removesuffix("@@")
    return out


def our_pieces(encoding: Encoding) -> list[str]:
    data = encoding.text.encoded
    return [
        data[token.start_byte : token.end_byte].decode()
        + ("" if token.text.endswith(MARK) else "@@")
        for token in encoding.tokens
    ]


@given(
    codes(),
    st.lists(st.text(alphabet="aabbéx \n\r\t", max_size=24), min_size=1, max_size=3),
    st.data(),
)
@CALM
def test_codes_give_the_pieces_of_subword_nmt(
    drawn: tuple[str, list[Pair], list[str]], texts: list[str], data: st.DataObject
) -> None:
    from subword_nmt.apply_bpe import BPE

    version, merges, parts = drawn
    content = f"#version: {version}\n" if version else ""
    content += "".join(f"{left} {right}\n" for left, right in merges)
    words = sorted({word for part in parts for word in (part, f"{part}@@")})
    chosen = data.draw(st.none() | st.sets(st.sampled_from(words), min_size=1))
    files = {"codes": content}
    if chosen:
        files["codes.vocab"] = "".join(f"{word} 2\n" for word in sorted(chosen))
    with folder_of(files) as folder:
        model = load(folder / "codes")
    peer = BPE(io.StringIO(content), vocab=chosen)
    assert model.settings["version"] == (version or "0.1")
    for text in texts:
        encoding = model.encode(text)
        assert our_pieces(encoding) == peer_pieces(peer, text)
        check_spans(model, encoding)
        if not chosen:
            # Merging leads to the tokens, and in version 0.1 to marks that merge with nothing.
            steps = model.merges(text)
            last = steps.state(len(steps)).piece.tolist()
            assert len(last) == len(steps.state(0).piece) - len(steps)
            assert len([i for i in last if model.vocabulary.text(i) != MARK]) == len(encoding)


# Damaged files

SOUND = {
    "vocab.json": json.dumps({char: i for i, char in enumerate(CHARACTERS)} | {"ab": 256}),
    "merges.txt": "#version: 0.2\na b\n",
    "vocab.txt": "[UNK]\na\n##b\nab\n\n[CLS]\n[SEP]\n",
    "codes": "#version: 0.2\na b\nab c</w>\n",
    "old": "a b\nab c\nc </w>\n",
    "codes.vocab": "ab@@ 3\nc 1\n",
}


@given(st.sampled_from(sorted(SOUND)), st.data())
@CALM
def test_a_damaged_file_is_a_model_or_an_error(name: str, data: st.DataObject) -> None:
    damaged = bytearray(SOUND[name].encode())
    for _ in range(data.draw(st.integers(1, 3))):
        at, size = data.draw(st.integers(0, len(damaged))), data.draw(st.integers(0, 4))
        damaged[at : at + size] = data.draw(st.binary(max_size=3))
    opened = {"codes.vocab": "codes", "vocab.json": "merges.txt"}.get(name, name)
    with folder_of(SOUND) as folder:
        (folder / name).write_bytes(bytes(damaged))
        said = None
        try:
            model = load(folder / opened)
            encoding = model.encode("ab abc é\n")
            model.decode(encoding.ids.tolist())
            model.inspect()
            check_spans(model, encoding)
        except SegscopeError as error:
            said = error
    assert said is None or (said.what and (str(folder) in said.where or said.remedy))
