"""Comparing a converted model with the one that it was made of, before it takes its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import formats
from engine.convert.patterns import pattern_of
from engine.convert.spaces import by_grapheme
from engine.errors import ParameterError, SegscopeError
from engine.merge_list import difference
from engine.model import Model
from engine.pieces import PieceKind
from engine.pipelines.huggingface import HuggingFacePipeline
from engine.progress import Report, silent
from engine.train.save import places
from engine.train.writers.listing import refusal

MOST_PIECES = 4000
"""Pieces whose text is cut by both models."""

PROBES = (
    "", " ", "   ", "\n", "\t", "\r\n", "a", " a", "  a", "a ", "a  b", " a  b  ", "\ta\nb \n",
    "Hello, world!", "It's I'LL we've don’t", "12345 1,000.50 ²½ ٣", "foo_bar(x) != --y; // ok",
    "caf\u00e9 cafe\u0301 \u00c5 A\u030a", "\uac01\ub098 \u1100\u1161\u11a8\u1102\u1161",
    "ﬁ Ａ ① ½ ㍿", "今天天气不错。ひらがなカタカナ", "हिन्दी தமிழ் ภาษาไทย", "عَرَبِيَّة שלום \u200f",
    "👩\u200d👩\u200d👧 🇩🇪 👍🏽 ❤\ufe0f",
    "\u2581a \u2581 a\u2581\u2581", "a\u00a0b\u3000c\u2028d\u0085e\u200bf\ufeff",
    "\x01", "\u200b", "\0\x01\x7f\ufffd", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "^^^^^^ ------- ======= .......",
    "a" * 101, "ſt ǅ ʰ İ ı ß ẞ", "\U00020000 \U0001f980 \ue000 \U0010ffff", "\r a \r b \r",
    "x\n\n\ny  \n  z", "</w> a</w> @@ ## ##a", "<0x41> <unk> \u2047",
)  # fmt: skip
"""Texts that models treat in different ways."""


def compare(
    model: Model, name: str, files: Sequence[bytes], report: Report = silent
) -> tuple[str, ...]:
    """Raise `ParameterError` where a written model isn't the one that it was made of.

    Returns what is lost that doesn't change how a text is cut. Compared are the pieces by their
    ids, the merges, and what both make of `PROBES`, of the special tokens' texts and of texts that
    pieces spell; but for texts that a map of characters treats otherwise by grapheme.
    """
    with TemporaryDirectory(prefix="segscope-") as folder:
        path = Path(folder) if name == "gpt2" else Path(folder, "model")
        files_there = places(path, name)
        for target, data in zip(files_there, files, strict=True):
            target.write_bytes(data)
        try:
            other = formats.load(files_there[0], report, **_options(model, name))
        except SegscopeError as error:
            raise _differs(name, f"what is written can't be read again: {error.what}") from None
        _compare_pieces(model, other, name)
        if model.bpe is not None and other.bpe is not None:
            said = difference(model.bpe, other.bpe)
            if said:
                raise _differs(name, f"it would merge otherwise: {said}")
        _compare_texts(model, other, name)
    if any(model.template) and other.template != model.template:
        return ("the format doesn't say which tokens are put before and after a text",)
    return ()


def _differs(name: str, what: str) -> ParameterError:
    return refusal(f"the format {name} can't hold this model: {what}", "keep the model as it is")


def _compare_pieces(model: Model, other: Model, name: str) -> None:
    mine, theirs = _pieces(model), _pieces(other)
    longer = max(len(mine), len(theirs))
    for pieces in (mine, theirs):
        pieces += [None] * (longer - len(pieces))
    for number, (one, two) in enumerate(zip(mine, theirs, strict=True)):
        if one != two:
            raise _differs(name, f"the id {number} would be of {_shown(two)}, not of {_shown(one)}")


def _pieces(model: Model) -> list[tuple[bytes, bool] | None]:
    """Return bytes, and whether they are a fallback byte, of each piece that text can come to."""
    vocabulary = model.vocabulary
    kind = vocabulary.kind
    gone = np.isin(kind, (PieceKind.HOLE, PieceKind.UNUSED))
    gone |= (kind == PieceKind.NORMAL) & ~vocabulary.matchable
    fallback = (kind == PieceKind.BYTE).tolist()
    bounds = pairwise(vocabulary.offsets.tolist())
    marks = vocabulary.continuation
    inside = [False] * len(kind) if marks is None else marks.tolist()
    return [
        None if lost else ((b"##" if marked else b"") + vocabulary.joined[start:end], byte)
        for (start, end), lost, byte, marked in zip(
            bounds, gone.tolist(), fallback, inside, strict=True
        )
    ]


def _shown(piece: tuple[bytes, bool] | None) -> str:
    if piece is None:
        return "no piece"
    return repr(piece[0].decode("utf-8", errors="backslashreplace"))


def _compare_texts(model: Model, other: Model, name: str) -> None:
    texts = [*PROBES, *(f"a{token.text} b" for token in model.special_tokens[:20])]
    ids = np.flatnonzero(model.vocabulary.matchable)
    spelled = [
        model.vocabulary.bytes(i).decode("utf-8", errors="replace")
        for i in ids[:: max(1, len(ids) // MOST_PIECES)].tolist()
    ]
    texts += spelled + ["".join(spelled[k : k + 5]) for k in range(0, len(spelled), 5)]
    for text, mine, theirs in zip(texts, _ids(model, texts), _ids(other, texts), strict=True):
        if mine is not None and mine != theirs and not by_grapheme(model, other, text):
            raise _differs(name, f"the text {text[:60]!r} would be cut otherwise")


def _ids(model: Model, texts: Sequence[str]) -> list[list[int] | None]:
    """Return the ids of each text; None where the model refuses it."""
    try:
        batch, plain = model.encode_lines(texts), _same_unknown(model)
        return [plain(batch[i]) for i in range(len(batch))]
    except SegscopeError:
        if len(texts) == 1:
            return [None]
        half = len(texts) // 2
        return _ids(model, texts[:half]) + _ids(model, texts[half:])


def _same_unknown(model: Model) -> Callable[[NDArray[np.int32]], list[int] | None]:
    """Return what makes a list of ids.

    subword-nmt's two unknown tokens count as one: codes give no ids, and the library writes an
    unknown character as it is.
    """
    if model.format != "subword-nmt":
        return lambda ids: ids.tolist()
    return lambda ids: np.where(ids == 1, 0, ids).tolist()


def _options(model: Model, name: str) -> dict[str, Any]:
    """Return what the new file doesn't hold, as its reader is told."""
    if name in ("tiktoken", "gpt2"):
        given: dict[str, Any] = {"pattern": pattern_of(model, name) or "none"}
        if name == "tiktoken":
            given["specials"] = {token.text: token.id for token in model.special_tokens}
        return given
    if name == "bert":
        pipeline = model.pipeline
        assert isinstance(pipeline, HuggingFacePipeline)
        lower = pipeline.components.normalizer["lowercase"]
        return {"casing": "uncased" if lower else "cased"}
    return {}
