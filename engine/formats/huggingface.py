"""HuggingFace `tokenizer.json`: BPE, Unigram, WordPiece and WordLevel models.

The model part is read here, its lists by `engine.formats.huggingface_lists`; normalizer,
pre-tokenizer and decoder become objects of the `tokenizers` library
(`engine.pipelines.huggingface`). Format: the `tokenizers` crate's serialization, versions 1.0 and
2.0 (which adds `model.byte_level` and `role_to_token`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from engine.bpe import Bpe
from engine.errors import ModelError
from engine.formats.fields import Fields
from engine.formats.huggingface_lists import (
    AGAIN,
    Reading,
    byte_names,
    find_byte_pieces,
    find_unknown,
    kinds_of,
    own_pieces,
    piece_bytes,
    read_added,
    read_ids,
    read_scored,
)
from engine.formats.huggingface_merges import read_merges
from engine.formats.jsonparts import Pairs, read_json
from engine.formats.source import Source
from engine.formats.textfile import BYTE_ORDER_MARK, decode, told_mark
from engine.lattice import Spelling
from engine.lookup import Lookup
from engine.matching import Alphabet
from engine.model import Model, SpecialToken
from engine.pieces import PieceKind, Vocabulary
from engine.pipelines.components import AddedToken, Components, byte_level
from engine.pipelines.huggingface import HuggingFacePipeline, LibraryError
from engine.segmenter import Segmenter
from engine.terminal import counted
from engine.unigram import Unigram
from engine.wordpiece import WordPiece

UNKNOWN_PENALTY = 10.0
"""An unknown character scores the lowest score of all pieces less this."""

_MODEL_FIELD = re.compile(rb'"model"\s*:\s*[^\s\d]')


def recognise(data: bytes) -> bool:
    """Return whether a file is a JSON object with a field `model` or `added_tokens`."""
    head = data[:64].removeprefix(BYTE_ORDER_MARK).lstrip()
    if not head.startswith(b"{"):
        return False
    return _MODEL_FIELD.search(data) is not None or b'"added_tokens":' in data


def read(source: Source) -> Model:
    """Read a tokenizer.json. Raises `ModelError` naming the field, merge or piece."""
    big = {("model", "vocab"), ("model", "merges")}
    model = build(source, *read_json(source, decode(source), big, source.part(50, 600)))
    told = told_mark(source, "the tokenizers library refuses such a file")
    return replace(model, warnings=(*told, *model.warnings)) if told else model


def build(source: Source, values: dict[str, Any], doubles: Sequence[str] = ()) -> Model:
    """Make the model that the content of a tokenizer.json describes.

    values: as `read_json` gives them, the vocabulary of ids as `Pairs`. doubles: keys that stand
    twice. Readers of formats that say less than a tokenizer.json bring theirs in its form.
    """
    reading = _open(source, values, doubles)
    if reading.kind == "Unigram":
        read_scored(reading)
    else:
        read_ids(reading)
    added = read_added(reading)
    pieces = piece_bytes(reading)
    source.report(850, 1000)
    components = Components.of(reading.top.values, added)
    pipeline = HuggingFacePipeline(components, tuple(reading.tokens), source.path)
    try:
        template = pipeline.template()
    except LibraryError as error:
        raise source.error(
            f"the tokenizers library refuses the normalizer, pre-tokenizer, post-processor, "
            f"decoder or added tokens ({error.reason})",
            "",
            "correct that part of the file",
        ) from None
    source.report(880, 1000)
    segmenter, vocabulary, spelling = _BUILD[reading.kind](reading, pieces, added)
    _note_settings(reading, pipeline)
    source.report(1000, 1000)
    return Model(
        name=source.name,
        path=source.path,
        format="huggingface",
        vocabulary=vocabulary,
        pipeline=pipeline,
        segmenter=segmenter,
        special_tokens=tuple(SpecialToken(t.id, t.content) for t in added if t.special),
        template=_inside(template, len(vocabulary), reading),
        spelling=spelling,
        byte_level=reading.byte_level,
        settings=reading.settings,
        warnings=tuple(reading.warnings),
    )


def _open(source: Source, values: dict[str, Any], doubles: Sequence[str]) -> Reading:
    """Find out which model the JSON holds."""
    top = Fields(source, values)
    if "model" not in values:
        raise source.error(
            "this JSON file holds no tokenizer: field model is missing",
            "",
            "open the tokenizer.json of the model",
        )
    version = values.get("version", "1.0")
    if version not in ("1.0", "2.0"):
        raise source.error(
            f"version {version!r} of tokenizer.json isn't known", "field version", "save it as 1.0"
        )
    model = top.object("model")
    kind = _kind(source, model)
    if version == "2.0":
        _bring_back(source, values, model)
    reading = Reading(source, top, model, kind, byte_level(values))
    for key in dict.fromkeys(doubles):
        reading.warnings.append(f"the JSON key {key!r} stands twice; the last one counts")
    if version == "2.0":
        reading.warnings.append(
            "version 2.0 of tokenizer.json, which the tokenizers library reads from 1.0 on: "
            "what 0.23 doesn't know of it is read by its description"
        )
        reading.settings["roles"] = _roles(top)
    return reading


def _bring_back(source: Source, values: dict[str, Any], model: Fields) -> None:
    """Write version 2.0 as 1.0: the model's flag `byte_level` as the last pre-tokenizer."""
    if not model.flag("byte_level") or byte_level(values):
        return
    if model.values.get("type", "BPE") != "BPE":
        raise source.error(
            "only a BPE model can be byte-level", "field model.byte_level", "set it to false"
        )
    step = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": False,
        "use_regex": False,
    }
    before = values.get("pre_tokenizer")
    steps = [step] if before is None else [before, step]
    values["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": steps}
    if values.get("decoder") is None:
        values["decoder"] = dict(step)


def _roles(top: Fields) -> dict[str, str]:
    """Return which token plays which role, version 2.0's `role_to_token`."""
    roles = top.values.get("role_to_token") or {}
    if not isinstance(roles, dict) or not all(isinstance(t, str) for t in roles.values()):
        raise top.wrong("role_to_token", "an object of roles and tokens")
    return dict(roles)


def _kind(source: Source, model: Fields) -> str:
    """Return the model's type; files of early versions don't say it."""
    values = model.values
    kind = values.get("type")
    if kind is None:
        if "merges" in values:
            kind = "BPE"
        elif isinstance(values.get("vocab"), list) and not isinstance(values["vocab"], Pairs):
            kind = "Unigram"
        elif "continuing_subword_prefix" in values or "max_input_chars_per_word" in values:
            kind = "WordPiece"
        else:
            kind = "WordLevel"
    if not isinstance(kind, str) or kind not in _BUILD:
        raise source.error(f"model type {kind!r} isn't known", "field model.type", AGAIN)
    return kind


def _build_bpe(
    reading: Reading, pieces: list[bytes], added: list[AddedToken]
) -> tuple[Segmenter, Vocabulary, Spelling]:
    model = reading.model
    prefix = model.text("continuing_subword_prefix", "")
    suffix = model.text("end_of_word_suffix", "")
    dropout = model.number("dropout", 0.0)
    if dropout:
        reading.warnings.append(
            f"the file asks for BPE dropout {dropout:g}; it isn't applied, so ids are repeatable"
        )
    unknown = find_unknown(reading, "unk_token")
    kind = kinds_of(reading, added, unknown)
    byte_pieces = find_byte_pieces(reading, pieces, kind)
    left, right, result, rank = read_merges(reading, len(prefix))
    ignore = model.flag("ignore_merges")
    reading.settings["ignore_merges"] = ignore
    if ignore:
        made = np.zeros(len(pieces), dtype=np.bool_)
        made[result] = True
        atoms = np.fromiter((len(t or "") <= 1 for t in reading.tokens), np.bool_, len(pieces))
        only = int(np.count_nonzero((kind == PieceKind.NORMAL) & ~made & ~atoms))
        reading.warnings.append(
            "ignore_merges is on: a pre-token that is itself a piece is never merged up to"
            + (f"; {counted(only, 'piece')} can be reached in no other way" if only else "")
        )
    own = model.values.get("segscope")
    if isinstance(own, dict) and isinstance(own.get("tie_break"), str):
        reading.settings["tie_break"] = own["tie_break"]
    fuse = model.flag("fuse_unk")
    matches = own_pieces(reading, kind)
    reached = np.ones(len(pieces), dtype=np.bool_)
    if not ignore:
        # A piece that is set apart is met in text only if it is a symbol or merging makes it.
        texts = (t or "" for t in reading.tokens)
        if prefix or suffix:
            texts = (t.removeprefix(prefix).removesuffix(suffix) for t in texts)
        reached = np.fromiter(map(len, texts), np.int64, len(pieces)) <= 1
        reached[result] = True
        matches &= reached | (kind == PieceKind.NORMAL)
    names = byte_names(byte_pieces, reached)
    vocabulary = Vocabulary.build(pieces, kind=kind, matches=matches, names=names)
    segmenter = Bpe(
        vocabulary,
        left,
        right,
        result,
        rank,
        alphabet="byte" if reading.byte_level else "char",
        unknown=unknown,
        fuse_unknown=fuse,
        byte_pieces=byte_pieces,
        ignore_merges=ignore,
        prefix=prefix,
        suffix=suffix,
        rule="pairs",
    )
    if not reading.byte_level and unknown < 0 and byte_pieces is None:
        _warn_dropped(reading)
    return segmenter, vocabulary, Spelling(unknown, byte_pieces, fuse)


def _warn_dropped(reading: Reading) -> None:
    reading.warnings.append(
        "there is no unknown token: characters outside the vocabulary disappear without a trace"
    )


def _build_unigram(
    reading: Reading, pieces: list[bytes], added: list[AddedToken]
) -> tuple[Segmenter, Vocabulary, Spelling]:
    model = reading.model
    listed = reading.scores
    if listed is None:
        raise ModelError("a Unigram model without scores")
    unknown = model.whole("unk_id", -1)
    if unknown >= reading.size:
        raise reading.source.error(
            f"unk_id is {unknown}, but there are only {reading.size} pieces",
            "field model.unk_id",
            "correct the id",
        )
    kind = kinds_of(reading, added, unknown)
    byte_pieces = find_byte_pieces(reading, pieces, kind)
    if unknown < 0:
        lacks = "" if byte_pieces is not None else "a text not covered has no segmentation, and "
        reading.warnings.append(
            f"there is no unknown token: {lacks}the tokenizers library refuses many texts with "
            "characters that are no piece by themselves"
        )
    matches = own_pieces(reading, kind)
    matches[reading.shadowed] = False
    scores = np.full(len(pieces), np.nan)
    scores[: reading.size] = listed
    names = byte_names(byte_pieces, np.ones(len(pieces), dtype=np.bool_))
    vocabulary = Vocabulary.build(pieces, score=scores, kind=kind, matches=matches, names=names)
    segmenter = Unigram(
        vocabulary,
        unknown=unknown,
        unknown_score=float(listed.min()) - UNKNOWN_PENALTY,
        single_precision=False,
        fuse_unknown=True,
        byte_pieces=byte_pieces,
        alphabet="byte" if reading.byte_level else "char",
    )
    return segmenter, vocabulary, Spelling(unknown, byte_pieces, True)


def _build_wordpiece(
    reading: Reading, pieces: list[bytes], added: list[AddedToken]
) -> tuple[Segmenter, Vocabulary, Spelling]:
    model = reading.model
    prefix = model.text("continuing_subword_prefix", "##")
    limit = model.whole("max_input_chars_per_word", 100)
    unknown = find_unknown(reading, "unk_token", "[UNK]")
    mark = prefix.encode()
    # The mark itself is an ordinary piece: as a continuation it would be empty.
    marked = (bool(mark) and p.startswith(mark) and len(p) > len(mark) for p in pieces)
    inside = np.fromiter(marked, np.bool_, len(pieces))
    stripped = [p[len(mark) :] if c else p for p, c in zip(pieces, inside.tolist(), strict=True)]
    kind = kinds_of(reading, added, unknown)
    vocabulary = Vocabulary.build(
        stripped,
        kind=kind,
        continuation=inside,
        matches=own_pieces(reading, kind),
        mark=prefix,
    )
    reading.settings["max_input_chars_per_word"] = limit
    alphabet: Alphabet = "byte" if reading.byte_level else "char"
    segmenter = WordPiece(vocabulary, unknown, limit, alphabet)
    return segmenter, vocabulary, Spelling(unknown, None, False)


def _build_wordlevel(
    reading: Reading, pieces: list[bytes], added: list[AddedToken]
) -> tuple[Segmenter, Vocabulary, Spelling]:
    unknown = find_unknown(reading, "unk_token", "<unk>")
    kind = kinds_of(reading, added, unknown)
    vocabulary = Vocabulary.build(pieces, kind=kind, matches=own_pieces(reading, kind))
    return Lookup(vocabulary, "pretoken", unknown), vocabulary, Spelling(unknown, None, False)


_BUILD = {
    "BPE": _build_bpe,
    "Unigram": _build_unigram,
    "WordPiece": _build_wordpiece,
    "WordLevel": _build_wordlevel,
}


def _inside(
    template: tuple[tuple[int, ...], tuple[int, ...]], size: int, reading: Reading
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Check that the ids of the post-processor's template exist."""
    for number in (*template[0], *template[1]):
        if number >= size or reading.tokens[number] is None:
            raise reading.source.error(
                f"the post-processor puts in the id {number}, which has no piece",
                "field post_processor",
                "correct the id",
            )
    return template


def _note_settings(reading: Reading, pipeline: HuggingFacePipeline) -> None:
    """Warn of what the file stores and the analyzer doesn't apply."""
    stored = [name for name in ("padding", "truncation") if reading.top.values.get(name)]
    if stored:
        reading.settings["not_applied"] = stored
        reading.warnings.append(
            f"the file switches on {' and '.join(stored)}; they are never applied here, "
            "so that counts are of the text"
        )
    if pipeline.cleans_up:
        reading.warnings.append(
            "the decoder cleans up: it removes spaces before punctuation, so decoding isn't exact"
        )
