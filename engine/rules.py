"""Which rule a model follows where the tokenizer libraries disagree with each other.

Each rule is a topic and a sentence. What the sentences say of the libraries was measured with
tokenizers 0.23.3, sentencepiece 0.2.3, tiktoken 0.14.0, subword-nmt 0.3.8 and bytepiece 0.6.3.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.bpe import Bpe
from engine.encodings import pattern_of
from engine.model import Model
from engine.pieces import PieceKind
from engine.subword_nmt import SubwordNmt
from engine.unigram import Unigram

Rule = tuple[str, str]


def rules(model: Model) -> list[Rule]:
    """Return (topic, sentence) of each rule that applies to this model, in a fixed order."""
    return [*_of_algorithm(model), *_of_text(model)]


def _of_algorithm(model: Model) -> Iterator[Rule]:
    segmenter = model.segmenter
    if model.bpe is not None:
        yield from _of_merging(model, model.bpe)
    if isinstance(segmenter, Unigram):
        yield from _of_scores(model, segmenter)


def _of_merging(model: Model, segmenter: Bpe) -> Iterator[Rule]:
    tie_break = model.settings.get("tie_break")
    if tie_break:
        yield (
            "training ties",
            (
                f"Pairs of equal counts were merged by the rule {tie_break}, as the file says; the "
                "trainers of other libraries choose otherwise."
            ),
        )
    yield (
        "merging",
        {
            "pairs": "Two symbols merge only where the file lists them as a pair; the pair listed "
            "first merges first, and of equal ones the leftmost.",
            "ranks": "Any two neighbours merge whose joined bytes have a rank, the lowest rank "
            "first, and of equal ones the leftmost; no list of pairs is needed.",
            "concatenation": "Any two neighbours merge whose joined text is a piece, the highest "
            "score first, and of equal ones the leftmost; user-defined pieces never merge.",
            "passes": "Two symbols merge only where the codes list them as a pair; all places of "
            "the pair listed first merge, from the left, before the next pair is looked for.",
        }["passes" if isinstance(segmenter, SubwordNmt) else segmenter.rule],
    )
    if segmenter.rule == "concatenation":
        yield (
            "scores",
            (
                "The scores of the file are merge ranks with a minus sign, not log-probabilities: "
                "they aren't added up, and there are no marginals."
            ),
        )
    yield (
        "dropout",
        (
            "Dropout is the probability that a merge is passed over: 0 is plain BPE, 1 leaves the "
            "first symbols. SentencePiece calls it alpha."
        ),
    )


def _of_scores(model: Model, segmenter: Unigram) -> Iterator[Rule]:
    width = "32" if segmenter.single_precision else "64"
    names = {
        "sentencepiece": "SentencePiece",
        "huggingface": "the tokenizers library",
        "bytepiece": "BytePiece",
    }
    library = names.get(model.format, "the library")
    yield (
        "ties",
        (
            f"Scores are added in {width}-bit numbers, as in {library}, and of equal sums "
            "the edge that starts first stays; a library with another width may cut an exact tie "
            "the other way, with the same score."
        ),
    )
    yield (
        "temperature",
        "θ multiplies the scores: 0 is uniform over the segmentations, 1 the model's own law, a "
        "large value the best path. "
        + {
            "sentencepiece": "SentencePiece calls it alpha, with 0 uniform too.",
            "huggingface": "In the tokenizers library alpha 0 switches sampling off instead.",
            "bytepiece": "BytePiece calls it alpha; below 0 it takes the best path, and it never "
            "returns for infinity.",
        }.get(model.format, ""),
    )
    if model.format == "sentencepiece" and (model.vocabulary.kind == PieceKind.USER_DEFINED).any():
        yield (
            "user-defined pieces",
            (
                "A user-defined piece scores 0.1 for each of its bytes but the first, as "
                "SentencePiece 0.2.3 does when it encodes; its n-best lists count characters, and "
                "other versions score otherwise."
            ),
        )
    yield (
        "seed",
        "A seed repeats a draw here in any process. "
        + {
            "sentencepiece": "SentencePiece repeats one only within a process, so samplers are "
            "compared by their distribution.",
            "bytepiece": "BytePiece has other draws for the same seed, so samplers are compared "
            "by their distribution.",
        }.get(model.format, "The tokenizers library can't be seeded from Python."),
    )


def _of_text(model: Model) -> Iterator[Rule]:
    if model.byte_level:
        shown = (
            " The tokenizers library shows one character for each byte (Ġ is a space)."
            if model.format in ("huggingface", "gpt2")
            else ""
        )
        yield (
            "units",
            (
                "Tokens are bytes and may hold a part of a character; here they are shown and "
                f"counted as real bytes.{shown}"
            ),
        )
    else:
        where = (
            " SentencePiece's own offsets count bytes of UTF-8."
            if model.format == "sentencepiece"
            else ""
        )
        yield "units", f"Tokens are characters of the normalized text; spans are in bytes.{where}"
    yield from _of_splitting(model)
    yield from _of_strings(model)
    stored = model.settings.get("not_applied")
    if stored:
        yield (
            "padding",
            (
                f"The file switches on {' and '.join(stored)}, which the tokenizers library "
                "applies to every text; here they never are, so that counts are of the text."
            ),
        )
    if model.pipeline.normalizer:
        yield (
            "alignment",
            (
                "The normalizer changes the text, so spans are unions: a character may own several "
                "tokens, and several characters one token."
            ),
        )


def _of_splitting(model: Model) -> Iterator[Rule]:
    """Say where the split pattern comes from, in formats whose files hold none."""
    pattern = model.settings.get("split_pattern")
    if pattern is None:
        return
    encoding = model.settings.get("encoding")
    if model.settings["split_pattern_guessed"]:
        said = {
            "gpt2": "The two files don't say how text is split, so GPT-2's pattern is taken. That "
            "is a guess: models with files of the same form use other patterns.",
        }.get(
            model.format,
            "The file doesn't say how text is split and isn't one of a published encoding, so text "
            "isn't split at all. That is a guess: most such models have a pattern.",
        )
    elif encoding is not None and pattern == pattern_of(str(encoding)):
        said = (
            f"The file holds no split pattern; it has the content of {encoding}, whose pattern "
            "is taken."
        )
    else:
        said = "The split pattern isn't in the file; it is the one that was chosen on opening."
    yield "split pattern", said


def _of_strings(model: Model) -> Iterator[Rule]:
    if model.special_tokens:
        yield (
            "special strings",
            "A string that spells a special token is read as text unless asked otherwise; "
            + {
                "huggingface": "the tokenizers library reads it as the token by default.",
                "tiktoken": "tiktoken refuses such a text by default.",
                "sentencepiece": "SentencePiece always does so.",
                "bytepiece": "BytePiece always does so.",
            }.get(model.format, "libraries differ in this."),
        )
    if (model.vocabulary.kind == PieceKind.ADDED).any() and model.format == "huggingface":
        yield (
            "added tokens",
            (
                "Added tokens keep the ids that the file declares; the tokenizers library "
                "renumbers an id that leaves a gap."
            ),
        )
