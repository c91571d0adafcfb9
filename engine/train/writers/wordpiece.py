"""A trained WordPiece vocabulary as `tokenizer.json`, and as BERT's `vocab.txt`.

Formats: the `tokenizers` crate's serialization, version 1.0; one piece a line, the number of the
line being the id.
"""

from __future__ import annotations

from engine.errors import ParameterError
from engine.formats.bert import UNKNOWN, guess_casing
from engine.terminal import counted
from engine.train.wordpiece import MARK, TrainedWordPiece, WordPieceSettings
from engine.train.writers.huggingface import Part, added_token, spelled_out
from engine.train.writers.listing import Written, refusal

CLASS, SEPARATOR = "[CLS]", "[SEP]"

LONGEST_WORD = 100
"""Characters of the longest word that readers of a vocab.txt cut."""


def write(trained: TrainedWordPiece) -> Written:
    """Return a tokenizer.json, with how the vocabulary was trained in `model.segscope`."""
    settings = trained.settings
    cleaning = settings.cleaning
    whitespace = settings.pre_tokenizer == "whitespace"
    document: Part = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [added_token(text, i) for i, text in enumerate(settings.specials)],
        "normalizer": None
        if whitespace
        else {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": cleaning.spaced_cjk,
            "strip_accents": cleaning.strip_accents,
            "lowercase": cleaning.lower_case,
        },
        "pre_tokenizer": {"type": "WhitespaceSplit" if whitespace else "BertPreTokenizer"},
        "post_processor": _frame(settings.specials),
        "decoder": {"type": "WordPiece", "prefix": MARK, "cleanup": False},
        "model": {
            "type": "WordPiece",
            "unk_token": UNKNOWN,
            "continuing_subword_prefix": MARK,
            "max_input_chars_per_word": settings.longest_word,
            "vocab": {piece: i for i, piece in enumerate(trained.pieces)},
            "segscope": {"select": settings.select, "tie_break": settings.tie_break},
        },
    }
    return Written((spelled_out(document).encode(),), tuple(_left_out(trained)))


def _frame(specials: tuple[str, ...]) -> Part | None:
    """Return what puts special tokens round a text and between two, as BERT's own files do.

    Devlin et al., BERT (NAACL 2019), section 3: `[CLS] A [SEP]`, `[CLS] A [SEP] B [SEP]`. None
    where one of the two isn't among the special tokens.
    """
    if CLASS not in specials or SEPARATOR not in specials:
        return None

    def special(text: str, kind: int = 0) -> Part:
        return {"SpecialToken": {"id": text, "type_id": kind}}

    def sequence(name: str, kind: int) -> Part:
        return {"Sequence": {"id": name, "type_id": kind}}

    first = [special(CLASS), sequence("A", 0), special(SEPARATOR)]
    return {
        "type": "TemplateProcessing",
        "single": first,
        "pair": [*first, sequence("B", 1), special(SEPARATOR, 1)],
        "special_tokens": {
            text: {"id": text, "ids": [specials.index(text)], "tokens": [text]}
            for text in (CLASS, SEPARATOR)
        },
    }


def check(settings: WordPieceSettings) -> None:
    """Raise nothing: a tokenizer.json holds every WordPiece vocabulary."""


def write_list(trained: TrainedWordPiece) -> Written:
    """Return a vocab.txt. Raises `ParameterError` as `check_list` does."""
    settings = trained.settings
    check_list(settings)
    if b"\0" in trained.merges.base:
        raise refusal(
            "the character NUL is a piece, and a vocab.txt is text",
            "remove it from the corpus, or save it as tokenizer.json",
        )
    notes = [*_left_out(trained), "a vocab.txt doesn't hold the tie rule"]
    if settings.pre_tokenizer == "whitespace":
        notes.append(
            "a vocab.txt doesn't say how text is split: readers split around punctuation too, "
            "training split at white space alone"
        )
    else:
        notes.append(f"a vocab.txt doesn't say how text is cleaned: {_told(settings)}")
        casing = guess_casing(list(trained.pieces))
        lower = settings.cleaning.lower_case
        if casing != ("uncased" if lower else "cased"):
            notes.append(f"by its pieces it will be taken for {casing}: choose the casing yourself")
    lines = "".join(f"{piece}\n" for piece in trained.pieces)
    return Written((lines.encode(),), tuple(notes))


def check_list(settings: WordPieceSettings) -> None:
    """Raise `ParameterError` for another longest word than readers of the format have."""
    if settings.longest_word != LONGEST_WORD:
        raise refusal(
            f"readers of a vocab.txt take words of more than {LONGEST_WORD} characters for "
            f"unknown, and this vocabulary has {settings.longest_word:,}",
            "save it as tokenizer.json",
        )
    for text in settings.specials:
        if text != text.rstrip():
            raise ParameterError(
                f"the special token {text!r} ends in white space, which readers of a vocab.txt "
                "leave out",
                "",
                "save it as tokenizer.json",
            )


def _told(settings: WordPieceSettings) -> str:
    cleaning = settings.cleaning
    strips = cleaning.lower_case if cleaning.strip_accents is None else cleaning.strip_accents
    return ", ".join(
        (
            "text is lower-cased" if cleaning.lower_case else "upper case is kept",
            "accents go" if strips else "accents are kept",
            "Chinese characters are words" if cleaning.spaced_cjk else "Chinese words are kept",
        )
    )


def _left_out(trained: TrainedWordPiece) -> list[str]:
    """Return a note of the words that weren't learnt from."""
    left = trained.symbols.left_out
    if not left:
        return []
    settings = trained.settings
    why = f"longer than {counted(settings.longest_word, 'character')}"
    if settings.alphabet is not None:
        why += " or with a character outside the alphabet"
    return [f"not learnt from: {counted(left, 'word')} {why}"]
