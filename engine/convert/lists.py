"""Models as plain lists: BERT's `vocab.txt`, and subword-nmt's codes."""

from __future__ import annotations

from engine.bpe import Bpe
from engine.convert.patterns import WORDS
from engine.formats.bert import guess_casing
from engine.formats.subword_nmt import MARK
from engine.merge_list import merge_rows
from engine.model import Model
from engine.pipelines.huggingface import HuggingFacePipeline
from engine.train.writers.listing import Written, refusal
from engine.wordpiece import WordPiece

_KEEP = "keep the model as it is"
_NORMALIZER = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True}


def write_words(model: Model) -> Written:
    """Return a vocab.txt: the piece of each id in a line of its own.

    Raises `ParameterError` with what it can't hold.
    """
    segmenter, pipeline = model.segmenter, model.pipeline
    if not isinstance(segmenter, WordPiece) or not isinstance(pipeline, HuggingFacePipeline):
        raise refusal(f"a vocab.txt is of WordPiece, and this model is {model.algorithm}", _KEEP)
    parts, vocabulary = pipeline.components, model.vocabulary
    normalizer = dict(parts.normalizer or {})
    lower = normalizer.pop("lowercase", None)
    strips = normalizer.pop("strip_accents", None)
    # Accents go where text is lower-cased, unless the model says otherwise.
    as_bert = normalizer == _NORMALIZER and (strips is None or strips == lower)
    if not as_bert or parts.pre_tokenizer != {"type": "BertPreTokenizer"}:
        steps = ", ".join(filter(None, (pipeline.normalizer, pipeline.pre_tokenizer)))
        raise refusal(
            f"readers of a vocab.txt treat text as BERT does, and this model does {steps or 'not'}",
            _KEEP,
        )
    unknown = vocabulary.text(segmenter.unknown) if segmenter.unknown >= 0 else "none"
    for has, wanted, said in (
        (unknown, "[UNK]", "the unknown token"),
        (vocabulary.mark, "##", "the mark inside of words"),
        (segmenter.max_chars, 100, "the characters of the longest word"),
    ):
        if has != wanted:
            raise refusal(
                f"readers of a vocab.txt take {wanted} for {said}, and this model has {has}", _KEEP
            )
    special = {token.text for token in model.special_tokens}
    for token in parts.added:
        if not token.special or token.content not in special:
            raise refusal(
                f"the token {token.content!r} is looked for in plain text before the model sees "
                "it, which a vocab.txt can't say",
                _KEEP,
            )
    lines = []
    for number, text in enumerate(pipeline.tokens):
        if text is None:
            raise refusal(
                f"the id {number} has no piece, and the lines of a vocab.txt are ids", _KEEP
            )
        if text != text.strip() or "\n" in text or "\r" in text:
            raise refusal(
                f"the piece {text!r} holds white space at an end, which a vocab.txt loses", _KEEP
            )
        lines.append(text)
    casing = "uncased" if lower else "cased"
    notes = [f"a vocab.txt doesn't say whether text is lower-cased: tell its readers {casing}"]
    if guess_casing(lines) == casing:
        notes = [f"a vocab.txt doesn't say whether text is lower-cased: this is {casing}"]
    return Written(("".join(f"{line}\n" for line in lines).encode(),), tuple(notes))


def write_codes(model: Model) -> Written:
    """Return codes of version 0.2. Raises `ParameterError` with what they can't hold.

    Codes hold no ids; whether those that readers here give are the model's is for the caller to
    see.
    """
    bpe = model.bpe
    if bpe is None:
        raise refusal(f"codes are merges, and this is a {model.algorithm} model", _KEEP)
    if bpe.alphabet != "char":
        raise refusal("codes are of characters, and this model is of bytes", _KEEP)
    if bpe.suffix != MARK or bpe.prefix:
        has = f"the mark {bpe.suffix!r}" if bpe.suffix else "no mark"
        raise refusal(f"codes mark the end of a word with {MARK}, and this model has {has}", _KEEP)
    pipeline = model.pipeline
    if isinstance(pipeline, HuggingFacePipeline) and (
        pipeline.components.normalizer is not None
        or pipeline.components.pre_tokenizer != WORDS
        or pipeline.components.added
    ):
        raise refusal(
            "subword-nmt splits at spaces and line ends and does nothing else to a text, and this "
            f"model does {pipeline.pre_tokenizer or 'not'}",
            _KEEP,
        )
    rows = merge_rows(bpe)
    if not len(rows):
        raise refusal("codes are a list of merges, and this model has none", _KEEP)
    return Written((_codes(bpe, rows.tolist()).encode(),), ())


def _codes(bpe: Bpe, rows: list[int]) -> str:
    text = bpe.vocabulary.text
    lines = [f"{text(int(bpe.left[row]))} {text(int(bpe.right[row]))}" for row in rows]
    for number, line in enumerate(lines, start=1):
        if len(line.split(" ")) != 2 or "\n" in line or "\r" in line:
            raise refusal(f"merge {number} ({line!r}) holds white space, which codes can't", _KEEP)
    return "".join(f"{line}\n" for line in ("#version: 0.2", *lines))
