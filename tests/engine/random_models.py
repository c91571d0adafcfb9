"""Random small models of each format for the property tests, and texts that suit them."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from engine.alphabet import CHARACTERS
from engine.formats.protobuf import write_bytes
from tests.engine.documents import BYTES, number, piece, tokenizer

LETTERS = "abcé中▁"
OTHERS = " xÉ😀\n<\u0301"

short = st.text(LETTERS, min_size=1, max_size=4)
texts = st.lists(st.text(LETTERS + OTHERS, max_size=14), min_size=3, max_size=6)
half_steps = st.integers(-24, -1).map(lambda n: n / 2)

METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": False,
    "use_regex": True,
}
NORMALIZERS: list[Any] = [
    None,
    {"type": "NFC"},
    {"type": "Lowercase"},
    {"type": "Strip", "strip_left": True, "strip_right": False},
    {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
    {"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}]},
]
PRE_TOKENIZERS: list[Any] = [
    None,
    {"type": "Whitespace"},
    {"type": "WhitespaceSplit"},
    METASPACE,
    {**METASPACE, "prepend_scheme": "first", "split": False},
    {"type": "Split", "pattern": {"Regex": "a|\\s+"}, "behavior": "Isolated", "invert": False},
    {"type": "Split", "pattern": {"String": "b"}, "behavior": "MergedWithNext", "invert": False},
]


@st.composite
def around(draw: st.DrawFn, vocab: Iterable[str], holes: bool = False) -> dict[str, Any]:
    """Draw a normalizer, a pre-tokenizer and added tokens for a vocabulary.

    holes: ids lack in it; then there are no added tokens, which the library would renumber.
    """
    known = list(vocab)
    contents = draw(st.lists(st.sampled_from(["<x>", "ab", "a b", "É"]), max_size=2, unique=True))
    contents = [] if holes else [text for text in contents if text not in known]
    flags = ("special", "normalized", "lstrip", "rstrip", "single_word")
    return {
        "normalizer": draw(st.sampled_from(NORMALIZERS)),
        "pre_tokenizer": draw(st.sampled_from(PRE_TOKENIZERS)),
        "added_tokens": [
            {"id": len(known) + i, "content": text, **{flag: draw(st.booleans()) for flag in flags}}
            for i, text in enumerate(contents)
        ],
    }


def _numbered(pieces: list[str], gap: int = 0) -> dict[str, int]:
    return {text: i + (gap if i > len(pieces) // 2 else 0) for i, text in enumerate(pieces)}


@st.composite
def bpe_models(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a tokenizer.json with a BPE model of characters or, byte-level, of bytes."""
    byte_level = draw(st.booleans())
    prefix = "" if byte_level else draw(st.sampled_from(["", "", "##", "é"]))
    suffix = "" if byte_level else draw(st.sampled_from(["", "", "</w>"]))
    if byte_level:
        pieces = list(CHARACTERS)
        usual = list("abÃ©Ġ")
    else:
        letters = draw(st.lists(st.sampled_from(LETTERS), min_size=1, unique=True))
        forms = {(prefix if inner else "") + c + (suffix if last else "")
                 for c in letters for inner in (False, True) for last in (False, True)}  # fmt: skip
        pieces = usual = sorted(forms)
    fallback = not (byte_level or prefix or suffix) and draw(st.booleans())
    unknown = None if byte_level else draw(st.sampled_from([None, "<unk>", "a"]))
    if unknown and unknown not in pieces:
        pieces = [unknown, *pieces]
    merges: list[list[str]] = []
    known = list(usual)
    for _ in range(draw(st.integers(0, 8))):
        left, right = draw(st.sampled_from(known)), draw(st.sampled_from(known))
        if [left, right] in merges or (suffix and left.endswith(suffix)):
            continue
        if bool(prefix) != right.startswith(prefix or "\0") and prefix:
            continue
        merges.append([left, right])
        made = left + right[len(prefix) :]
        known.append(made)
        if made not in pieces:
            pieces = [*pieces, made]
    # Pieces that no merge makes, which `ignore_merges` reaches.
    pieces += [p for p in draw(st.lists(short, max_size=3, unique=True)) if p not in pieces]
    if fallback:
        pieces += [f"<0x{byte:02X}>" for byte in range(256)]
    vocab = _numbered(pieces, draw(st.sampled_from([0, 3])))
    model = {
        "type": "BPE",
        "vocab": vocab,
        "merges": draw(st.sampled_from([merges, [" ".join(pair) for pair in merges]])),
        "unk_token": unknown,
        "fuse_unk": draw(st.booleans()),
        "byte_fallback": fallback,
        "ignore_merges": draw(st.booleans()),
        "continuing_subword_prefix": prefix or None,
        "end_of_word_suffix": suffix or None,
        "dropout": None,
    }
    parts = draw(around(vocab, max(vocab.values()) >= len(vocab)))
    if byte_level:
        parts |= {"pre_tokenizer": BYTE_LEVEL, "decoder": BYTE_LEVEL}
    return tokenizer(model, **parts)


@st.composite
def unigram_models(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a tokenizer.json with a Unigram model; scores are halves, so that ties are exact."""
    pieces = draw(st.lists(short, min_size=1, max_size=12, unique=True))
    vocab = [["<unk>", 0.0], *([text, draw(half_steps)] for text in pieces)]
    fallback = draw(st.booleans())
    if fallback:
        vocab += [[f"<0x{byte:02X}>", draw(st.sampled_from([0.0, -5.0]))] for byte in range(256)]
    model = {"type": "Unigram", "unk_id": draw(st.sampled_from([0, 0, len(pieces)])),
             "vocab": vocab, "byte_fallback": fallback}  # fmt: skip
    return tokenizer(model, **draw(around(text for text, _ in vocab)))


@st.composite
def wordpiece_models(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a tokenizer.json with a WordPiece model."""
    mark = draw(st.sampled_from(["##", "##", "a", ""]))
    pieces = ["[UNK]"]
    for text in draw(st.lists(short, min_size=1, max_size=12, unique=True)):
        made = draw(st.sampled_from([text, mark + text]))
        if made not in pieces:
            pieces.append(made)
    gap = draw(st.sampled_from([0, 2]))
    model = {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": mark,
        "max_input_chars_per_word": draw(st.sampled_from([100, 3])),
        "vocab": _numbered(pieces, gap),
    }
    parts = draw(around(pieces, bool(gap)))
    if draw(st.booleans()):
        parts |= {"pre_tokenizer": BYTE_LEVEL, "decoder": BYTE_LEVEL}
    return tokenizer(model, **parts)


@st.composite
def wordlevel_models(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a tokenizer.json with a WordLevel model."""
    pieces = ["<unk>", *draw(st.lists(short, min_size=1, max_size=12, unique=True))]
    gap = draw(st.sampled_from([0, 2]))
    model = {
        "type": "WordLevel",
        "unk_token": draw(st.sampled_from(["<unk>", pieces[-1]])),
        "vocab": _numbered(pieces, gap),
    }
    return tokenizer(model, **draw(around(pieces, bool(gap))))


@st.composite
def sentencepiece_models(draw: st.DrawFn, model_type: int) -> bytes:
    """Draw a SentencePiece model of a type: 1 Unigram, 2 BPE, 3 word, 4 char."""
    names = draw(st.lists(short, min_size=1, max_size=12, unique=True))
    kinds = st.sampled_from([1, 1, 1, 1, 4, 5, 3])
    scores = half_steps if model_type == 1 else st.integers(-9, 0).map(float)
    pieces = [piece("<unk>", 0.0, 2), piece(draw(short.filter(lambda n: n not in names)), -1.0)]
    pieces += [piece(name, draw(scores), draw(kinds)) for name in names]
    fallback = draw(st.booleans())
    trainer = number(3, model_type) + number(35, int(fallback))
    trainer += number(24, int(draw(st.booleans())))
    normalizer = write_bytes(1, b"identity")
    for field in (3, 4, 5):
        normalizer += number(field, int(draw(st.booleans())))
    listed = b"".join(pieces) + (BYTES if fallback else b"")
    return listed + write_bytes(2, trainer) + write_bytes(3, normalizer)


@st.composite
def rank_files(draw: st.DrawFn) -> bytes:
    """Draw a tiktoken rank file with gaps, all bytes of `LETTERS` and `OTHERS` in it."""
    singles = [bytes([byte]) for byte in sorted(set((LETTERS + OTHERS).encode()))]
    longer = st.text(LETTERS + " ", min_size=1, max_size=4).map(str.encode)
    cut = st.tuples(longer, st.integers(0, 3)).map(lambda pair: pair[0][pair[1] :])
    pieces = draw(st.lists(cut.filter(lambda p: len(p) > 1), max_size=14, unique=True))
    rank, lines = 0, []
    for data in draw(st.permutations([*singles, *pieces])):
        lines.append(base64.b64encode(data) + b" %d\n" % rank)
        rank += draw(st.sampled_from([1, 1, 1, 4]))
    return b"".join(lines)


@st.composite
def frequencies(draw: st.DrawFn) -> dict[bytes, float]:
    """Draw the pieces of a BytePiece model beside the single bytes, and their frequencies."""
    cut = st.tuples(short.map(str.encode), st.integers(0, 2)).map(lambda pair: pair[0][pair[1] :])
    pieces = draw(st.lists(cut.filter(lambda p: len(p) > 1), max_size=14, unique=True))
    return {data: float(draw(st.integers(1, 9)) ** 3) for data in pieces}
