"""Any model as a `tokenizer.json`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.alphabet import CHARACTERS
from engine.bpe import Bpe
from engine.convert.patterns import BYTE_LEVEL, WORDS, pattern_of, split_of
from engine.convert.scores import lowest_elsewhere
from engine.convert.spaces import charsmap_of, decoder_of, normalizer_of
from engine.merge_list import merge_rows, undecided
from engine.model import Model
from engine.pieces import PieceKind
from engine.pipelines.huggingface import HuggingFacePipeline
from engine.pipelines.sentencepiece import SentencePiecePipeline
from engine.subword_nmt import SubwordNmt
from engine.terminal import counted
from engine.train.writers.huggingface import added_token, spelled_out
from engine.train.writers.listing import Written, refusal
from engine.unigram import Unigram
from engine.wordpiece import WordPiece

Part = dict[str, Any]

_ALPHABET = dict(enumerate(CHARACTERS))
_NEVER = -1e9
"""The score of a piece that no text is to meet."""

_KEEP = "keep the model as it is"


def write(model: Model) -> Written:
    """Return a tokenizer.json. Raises `ParameterError` with what it can't hold."""
    notes: list[str] = []
    document: Part = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [added_token(token.text, token.id) for token in model.special_tokens],
        "normalizer": None,
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": None,
        "model": None,
    }
    document |= _PARTS[model.format](model, notes)
    return Written((spelled_out(document).encode(),), tuple(notes))


def _of_ranks(model: Model, notes: list[str]) -> Part:
    """tiktoken's ranks, and GPT-2's pair."""
    bpe = _merging(model)
    if bpe.lacking:
        lacking = min(bpe.lacking)
        raise refusal(
            f"the byte 0x{lacking[0]:02X} has no rank, but stands in longer pieces; a "
            "tokenizer.json drops such bytes before anything merges",
            _KEEP,
        )
    vocabulary = model.vocabulary
    vocab = {
        vocabulary.bytes(i).decode("latin-1").translate(_ALPHABET): i
        for i in np.flatnonzero(vocabulary.matchable).tolist()
    }
    lost = np.flatnonzero((vocabulary.kind == PieceKind.NORMAL) & ~vocabulary.matchable)
    if len(lost) or (vocabulary.kind == PieceKind.UNUSED).any():
        notes.append("ids of pieces that are empty or listed twice stay empty: no text meets them")
    vocab |= _specials(model, vocab)
    split = split_of(pattern_of(model, "a tokenizer.json of ranks"))
    return {
        "pre_tokenizer": split,
        "decoder": BYTE_LEVEL,
        "model": _bpe(model, bpe, vocab, _mapped(model), notes),
    }


def _mapped(model: Model) -> list[str]:
    """Return the pieces in GPT-2's alphabet, by id."""
    piece = model.vocabulary.bytes
    return [piece(i).decode("latin-1").translate(_ALPHABET) for i in range(len(model.vocabulary))]


def _specials(model: Model, vocab: dict[str, int]) -> dict[str, int]:
    """Return special tokens for the vocabulary, which keeps ids that leave a gap before them."""
    found = {}
    for token in model.special_tokens:
        if vocab.get(token.text, token.id) != token.id:
            raise refusal(
                f"the special token {token.text!r} is written as the piece {vocab[token.text]:,} "
                "is, and a tokenizer.json holds each text once",
                _KEEP,
            )
        found[token.text] = token.id
    return found


def _merging(model: Model) -> Bpe:
    assert model.bpe is not None
    return model.bpe


def _bpe(model: Model, bpe: Bpe, vocab: dict[str, int], texts: list[str], notes: list[str]) -> Part:
    """Return the part `model` of merges."""
    rows = merge_rows(bpe)
    twins = undecided(bpe, rows)
    if twins is not None:
        one, other = (model.vocabulary.text(i) for i in twins)
        raise refusal(
            f"the pieces {one!r} and {other!r} have the same score, so the leftmost merges first; "
            "a list of merges always has one of them first",
            _KEEP,
        )
    left, right = bpe.left[rows].tolist(), bpe.right[rows].tolist()
    if bpe.rule != "pairs":
        notes.append(
            f"the file held no merges: the {counted(len(rows), 'pair')} listed are those that its "
            "pieces are made of"
        )
    unknown = model.vocabulary.text(bpe.unknown) if bpe.unknown >= 0 else None
    part: Part = {
        "type": "BPE",
        "dropout": None,
        "unk_token": unknown,
        "continuing_subword_prefix": bpe.prefix or None,
        "end_of_word_suffix": bpe.suffix or None,
        "fuse_unk": bpe.fuse_unknown,
        "byte_fallback": bpe.byte_pieces is not None,
        "ignore_merges": bpe.ignore_merges,
        "vocab": vocab,
        "merges": [[texts[a], texts[b]] for a, b in zip(left, right, strict=True)],
    }
    tie_break = model.settings.get("tie_break")
    return {**part, "segscope": {"tie_break": tie_break}} if tie_break else part


def _of_sentencepiece(model: Model, notes: list[str]) -> Part:
    pipeline, vocabulary = model.pipeline, model.vocabulary
    assert isinstance(pipeline, SentencePiecePipeline)
    rules = pipeline.rules
    if rules.space_as_suffix:
        raise refusal(
            "the model puts the mark for a space after the text, and no normalizer of a "
            "tokenizer.json does so",
            _KEEP,
        )
    for kind, said in ((PieceKind.USER_DEFINED, "user-defined"), (PieceKind.UNUSED, "unused")):
        ids = np.flatnonzero(vocabulary.kind == kind)
        if len(ids):
            raise refusal(
                f"the piece {vocabulary.text(int(ids[0]))!r} is {said}, which a tokenizer.json "
                "has no way to say",
                _KEEP,
            )
    fallback = model.byte_fallback
    texts = [vocabulary.text(i) for i in range(len(vocabulary))]
    if vocabulary.holes.size or len(set(texts)) < len(texts):
        raise refusal("two pieces are written alike, which a tokenizer.json can't hold", _KEEP)
    normalizer = normalizer_of(rules, charsmap_of(pipeline.proto))
    parts: Part = {"normalizer": normalizer, "decoder": decoder_of(rules, fallback)}
    if rules.has_charsmap:
        notes.append(
            f"the normalizer {rules.name or 'of its own'} is a map of characters, which the "
            "tokenizers library applies to one grapheme at a time, and of a short one it drops "
            "what follows the first match: decomposed Hangul and kana, letters with several marks "
            "and the like come out otherwise there"
        )
    if model.bpe is not None:
        if model.bpe.lacking:
            lacking = min(model.bpe.lacking).decode()
            raise refusal(
                f"the character {lacking!r} can't stand alone, but is a part of longer pieces; in "
                "a tokenizer.json it could merge no more",
                _KEEP,
            )
        vocab = {text: i for i, text in enumerate(texts)}
        return {**parts, "model": _bpe(model, model.bpe, vocab, texts, notes)}
    if not isinstance(model.segmenter, Unigram):
        raise refusal(
            f"a tokenizer.json has no {model.algorithm} model of SentencePiece's kind", _KEEP
        )
    return {**parts, "model": _unigram(model, model.segmenter, texts, notes)}


def _unigram(model: Model, unigram: Unigram, texts: list[str], notes: list[str]) -> Part:
    """Return the part `model` of scores.

    The library matches every piece in text, control and byte pieces by their names too. They get
    a score so low that any other cut of such a text is better.
    """
    vocabulary = model.vocabulary
    normal = vocabulary.kind == PieceKind.NORMAL
    odd = [text for text, kept in zip(texts, normal.tolist(), strict=True) if not kept]
    score = np.where(normal, vocabulary.score, lowest_elsewhere(unigram, odd))
    notes.append(
        "scores are added in 64-bit numbers there and in 32-bit ones here: cuts whose scores "
        "differ by less than that may come out otherwise"
    )
    return {
        "type": "Unigram",
        "unk_id": unigram.unknown if unigram.unknown >= 0 else None,
        "vocab": [[text, value] for text, value in zip(texts, score.tolist(), strict=True)],
        "byte_fallback": unigram.byte_pieces is not None,
    }


def _of_bytepiece(model: Model, notes: list[str]) -> Part:
    vocabulary = model.vocabulary
    assert isinstance(model.segmenter, Unigram)
    lacking = [i for i in range(256) if bytes((i,)) not in vocabulary.index]
    if lacking:
        raise refusal(
            f"the byte 0x{lacking[0]:02X} has no piece, and a tokenizer.json refuses texts that "
            "hold it in another way",
            _KEEP,
        )
    odd = np.flatnonzero(
        (vocabulary.kind == PieceKind.HOLE) | (vocabulary.kind == PieceKind.UNUSED)
    )
    if len(odd):
        raise refusal(
            f"the id {int(odd[0])} has no piece that is used, and a list of scores has no gaps",
            _KEEP,
        )
    control = vocabulary.kind == PieceKind.CONTROL
    texts = _mapped(model)
    if len(set(texts)) < len(texts):
        raise refusal("a piece is written as one of <pad>, <bos> and <eos> is", _KEEP)
    score = np.where(control, _NEVER, vocabulary.score)
    notes.append("frequencies are held as scores: the way back isn't possible")
    split = {
        "type": "Split",
        "pattern": {"Regex": r".*\n+|.+"},
        "behavior": "Isolated",
        "invert": False,
    }
    return {
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, BYTE_LEVEL]},
        "decoder": BYTE_LEVEL,
        "model": {
            "type": "Unigram",
            "unk_id": None,
            "vocab": [[text, value] for text, value in zip(texts, score.tolist(), strict=True)],
            "byte_fallback": False,
        },
    }


def _of_codes(model: Model, notes: list[str]) -> Part:
    bpe, vocabulary = model.bpe, model.vocabulary
    assert isinstance(bpe, SubwordNmt)
    if bpe.mark >= 0:
        raise refusal(
            "in codes of version 0.1 the end-of-word mark is a symbol of its own, and a "
            "tokenizer.json only knows it as a part of the last one",
            "learn the codes anew with version 0.2",
        )
    if bpe.kept is not None:
        raise refusal(
            "the vocabulary filter undoes merges, which a tokenizer.json can't",
            "open the codes without the filter (--vocabulary none)",
        )
    late = _late(bpe)
    if late:
        raise refusal(late, _KEEP)
    texts = [vocabulary.text(i) for i in range(len(vocabulary))]
    notes.append("codes give no ids: these are the ones that they have here")
    notes.append(f"characters that the codes don't hold are {texts[0]} at the end of a word too")
    part = _bpe(model, bpe, {text: i for i, text in enumerate(texts)}, texts, notes)
    return {
        "added_tokens": [],
        "pre_tokenizer": WORDS,
        "decoder": {"type": "BPEDecoder", "suffix": bpe.suffix},
        "model": part,
    }


def _late(bpe: Bpe) -> str:
    """Return which merge wants a symbol that a later one makes; empty where none does.

    Else all places of a pair merge before another's anyway, which is subword-nmt's rule.
    """
    rows = merge_rows(bpe)
    last = np.full(len(bpe.vocabulary), -1, dtype=np.int64)
    np.maximum.at(last, bpe.result[rows], bpe.rank[rows])
    for row in rows.tolist():
        for part in (int(bpe.left[row]), int(bpe.right[row])):
            if last[part] > bpe.rank[row]:
                return (
                    f"merge {int(bpe.rank[row]) + 1} joins {bpe.vocabulary.text(part)!r}, which "
                    f"merge {int(last[part]) + 1} makes: subword-nmt does all places of a merge "
                    "before it looks at another, the tokenizers library one place at a time"
                )
    return ""


def _of_words(model: Model, notes: list[str]) -> Part:
    """BERT's vocab.txt."""
    pipeline, segmenter = model.pipeline, model.segmenter
    assert isinstance(pipeline, HuggingFacePipeline)
    assert isinstance(segmenter, WordPiece)
    if model.settings.get("casing_guessed"):
        notes.append(
            f"the vocabulary is taken for {model.settings['casing']}, which is a guess: --casing "
            "says otherwise"
        )
    parts = pipeline.components
    return {
        "normalizer": parts.normalizer,
        "pre_tokenizer": parts.pre_tokenizer,
        "post_processor": parts.post_processor,
        "decoder": parts.decoder,
        "model": {
            "type": "WordPiece",
            "unk_token": model.vocabulary.text(segmenter.unknown),
            "continuing_subword_prefix": model.vocabulary.mark,
            "max_input_chars_per_word": segmenter.max_chars,
            "vocab": dict(_rows(pipeline)),
        },
    }


def _rows(pipeline: HuggingFacePipeline) -> Iterator[tuple[str, int]]:
    return ((text, i) for i, text in enumerate(pipeline.tokens) if text is not None)


_PARTS = {
    "tiktoken": _of_ranks,
    "gpt2": _of_ranks,
    "sentencepiece": _of_sentencepiece,
    "bytepiece": _of_bytepiece,
    "subword-nmt": _of_codes,
    "bert": _of_words,
}
