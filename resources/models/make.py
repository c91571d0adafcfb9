"""Make the bundled models: `python resources/models/make.py [FOLDER]`.

- everyday-bpe.json: byte-level BPE (tokenizer.json), trained on the bundled corpus.
- everyday-unigram.model: SentencePiece Unigram with byte fallback, trained on the bundled corpus.
- everyday-wordpiece.json: WordPiece (tokenizer.json), trained on the bundled corpus.
- toy-abc.json: Unigram over a, b, c, ab, bc, abc by counts 3, 3, 3, 2, 2, 1: small enough for all
  laws over its four cuts of `abc` to be worked out by hand.
- toy-lower.json: BPE of letters with two merges, `e r` before `w e`.
- toy-there.json: BPE of letters that cuts `there` otherwise under each of the three rules of
  merging: by listed pair, by rank of the joined string, by what the vocabulary holds.
- toy-watching.json: Unigram with exactly three cuts of `watching`, equally likely. It has no
  unknown token, which would add edges for single letters; the `tokenizers` library refuses the
  word therefore, though the pieces cover it.
- toy-weather.model: byte-level Unigram in BytePiece's format, counted in the sentences below.

The trainers are those of the `tokenizers` and `sentencepiece` libraries. The same versions of
them (MADE_WITH) give the same files to the byte.
"""

from __future__ import annotations

import base64
import io
import json
import math
import sys
from collections import Counter
from pathlib import Path

MADE_WITH = {"tokenizers": "0.23.3", "sentencepiece": "0.2.3"}

HERE = Path(__file__).resolve().parent
CORPUS = HERE.parent / "corpora" / "everyday"

BPE_SIZE = 3000
UNIGRAM_SIZE = 4000
WORDPIECE_SIZE = 4000
WORDPIECE_SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
RARE = 2
"""WordPiece leaves characters rarer than this to its unknown token."""

WORDS_FOR_LOWER = "low lower lowest new newer newest wide wider widest"

ABC = (("a", 3), ("b", 3), ("c", 3), ("ab", 2), ("bc", 2), ("abc", 1))

# Scores chosen so that sums are exact: -6 = -4 - 2 = -3 - 3.
WATCHING = (("watching", -6.0), ("watch", -4.0), ("ing", -2.0), ("wat", -3.0), ("ching", -3.0))

WEATHER = """\
今天天气不错
今天天气很好
明天天气不错
今天天气怎么样
昨天天气不好
今天不错
天气不错就出门走走
今天气温不高
今天他不在家
他天天跑步
我们天天见面
天天向上
这几天天气都不错
今天的天气真不错
今天下雨
今天没有下雨
天气好的时候不要在家
味道不错
这本书不错
你没有错
他不怕错
错过了今天还有明天
天气预报说明天下雨
今天气得他不说话
"""
LONGEST, OFTEN = 2, 2
"""A piece of the weather model has at most so many characters and occurs at least so often."""


def corpus_lines() -> list[str]:
    """Return the lines of all languages, by code."""
    lines: list[str] = []
    for path in sorted(CORPUS.glob("*.txt")):
        lines.extend(path.read_text(encoding="utf-8").splitlines())
    return lines


def compact(text: str) -> bytes:
    """Return JSON without spaces, so that the files stay small."""
    content = json.loads(text)
    return (json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def make_bpe() -> bytes:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=BPE_SIZE,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        special_tokens=["<|endoftext|>"],
        show_progress=False,
    )
    tokenizer.train_from_iterator(corpus_lines(), trainer)
    return compact(tokenizer.to_str())


def make_unigram() -> bytes:
    import sentencepiece

    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus_lines()),
        model_writer=written,
        model_type="unigram",
        vocab_size=UNIGRAM_SIZE,
        character_coverage=0.9995,
        byte_fallback=True,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        num_threads=1,
        shuffle_input_sentence=False,
        minloglevel=2,
    )
    return written.getvalue()


def make_wordpiece() -> bytes:
    """Train WordPiece as BPE over words whose first character is marked.

    The WordPiece trainer of `tokenizers` also learns BPE merges and keeps their results, but
    numbers the characters in the order of a hash table, which decides ties: each run gives
    another vocabulary. A mark before each word in place of `##` after its start gives the same
    distinction, in an order that doesn't change.
    """
    from tokenizers import (
        Tokenizer,
        decoders,
        models,
        normalizers,
        pre_tokenizers,
        processors,
        trainers,
    )

    normalizer = normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=False, lowercase=False
    )
    cutter = pre_tokenizers.BertPreTokenizer()
    words = [
        word
        for line in corpus_lines()
        for word, _ in cutter.pre_tokenize_str(normalizer.normalize_str(line))
    ]
    # A character counts as a first one or as a following one, never as both.
    symbols = Counter(word[0] for word in words)
    symbols.update(f"##{char}" for word in words for char in word[1:])
    kept = sorted(symbol for symbol, times in symbols.items() if times >= RARE)

    mark = "▁"
    learner = Tokenizer(models.BPE())
    learner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(vocab_size=2 * WORDPIECE_SIZE, show_progress=False)
    learner.train_from_iterator([mark + word for word in words], trainer)
    learned = sorted(learner.get_vocab().items(), key=lambda entry: entry[1])
    pieces = [p[1:] if p.startswith(mark) else f"##{p}" for p, _ in learned if p != mark]
    # One-character pieces come from `kept`; longer ones follow in the order they were learned.
    longer = [p for p in pieces if len(p.removeprefix("##")) > 1]
    order = dict.fromkeys((*WORDPIECE_SPECIALS, *kept, *longer))
    vocab = {piece: i for i, piece in enumerate(list(order)[:WORDPIECE_SIZE])}

    tokenizer = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = cutter
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[(name, vocab[name]) for name in ("[CLS]", "[SEP]")],
    )
    tokenizer.add_special_tokens(list(WORDPIECE_SPECIALS))
    return compact(tokenizer.to_str())


def make_lower() -> bytes:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    letters = sorted(set(WORDS_FOR_LOWER.replace(" ", "")))
    vocab = {piece: i for i, piece in enumerate(["<unk>", *letters, "er", "we"])}
    model = models.BPE(vocab=vocab, merges=[("e", "r"), ("w", "e")], unk_token="<unk>")
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.decoder = decoders.Fuse()
    return compact(tokenizer.to_str())


def make_there() -> bytes:
    """List no pair that makes `er`, and only one of the two that make `the`."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    pieces = ["<unk>", "e", "h", "r", "t", "th", "he", "er", "the"]
    vocab = {piece: i for i, piece in enumerate(pieces)}
    merges = [("t", "h"), ("h", "e"), ("t", "he")]
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.decoder = decoders.Fuse()
    return compact(tokenizer.to_str())


def make_abc() -> bytes:
    """Give each piece the natural logarithm of its share of the counts."""
    from tokenizers import Tokenizer, decoders, models

    total = sum(count for _, count in ABC)
    scores = [(piece, math.log(count / total)) for piece, count in ABC]
    tokenizer = Tokenizer(models.Unigram(scores, unk_id=None, byte_fallback=False))
    tokenizer.decoder = decoders.Fuse()
    return compact(tokenizer.to_str())


def make_watching() -> bytes:
    from tokenizers import Tokenizer, decoders, models

    model = models.Unigram(list(WATCHING), unk_id=None, byte_fallback=False)
    tokenizer = Tokenizer(model)
    tokenizer.decoder = decoders.Fuse()
    return compact(tokenizer.to_str())


def make_weather() -> bytes:
    """Count substrings of the sentences; single bytes that are no character count once."""
    counts: Counter[bytes] = Counter()
    for line in WEATHER.splitlines():
        for size in range(1, LONGEST + 1):
            counts.update(line[i : i + size].encode() for i in range(len(line) - size + 1))
    pieces = {piece: times for piece, times in counts.items() if times >= OFTEN}
    pieces |= {bytes([byte]): 1 for byte in range(256)}
    order = sorted(pieces, key=lambda piece: (len(piece), piece))
    # Ids 0, 1 and 2 are pad, bos and eos without an entry.
    content = {
        base64.b64encode(piece).decode(): [i, piece.decode(errors="ignore"), pieces[piece]]
        for i, piece in enumerate(order, start=3)
    }
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()


MAKERS = {
    "everyday-bpe.json": make_bpe,
    "everyday-unigram.model": make_unigram,
    "everyday-wordpiece.json": make_wordpiece,
    "toy-abc.json": make_abc,
    "toy-lower.json": make_lower,
    "toy-there.json": make_there,
    "toy-watching.json": make_watching,
    "toy-weather.model": make_weather,
}


def main(arguments: list[str]) -> None:
    folder = Path(arguments[0]) if arguments else HERE
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in MAKERS.items():
        content = make()
        (folder / name).write_bytes(content)
        print(f"{name}: {len(content):,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
