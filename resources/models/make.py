"""Make the bundled models: `python -m resources.models.make [FOLDER]`.

The everyday models are trained on the bundled corpus, by these commands (COMMANDS):

- everyday-bpe.json: byte-level BPE with GPT-2's pre-tokenizer.
- everyday-unigram.model: Unigram with byte fallback, of text as it is.
- everyday-wordpiece.json: WordPiece over the 1,300 most frequent characters; words with others are
  unknown.

The toys are put together here:

- toy-abc.json: Unigram over a, b, c, ab, bc, abc by counts 3, 3, 3, 2, 2, 1: small enough for all
  laws over its four cuts of `abc` to be worked out by hand.
- toy-lower.json: BPE of letters with two merges, `e r` before `w e`.
- toy-there.json: BPE of letters that cuts `there` otherwise under each of the three rules of
  merging: by listed pair, by rank of the joined string, by what the vocabulary holds.
- toy-watching.json: Unigram with exactly three cuts of `watching`, equally likely. It has no
  unknown token, which would add edges for single letters; the `tokenizers` library refuses the
  word therefore, though the pieces cover it.
- toy-weather.model: byte-level Unigram in BytePiece's format, counted in the sentences below.

The commands give the same files to the byte on every run. What the `tokenizers` library writes of
the toys is so with the same version of it (MADE_WITH).
"""

from __future__ import annotations

import base64
import json
import math
import shlex
import sys
from collections import Counter
from pathlib import Path

COMMANDS = """\
segscope train bpe bundled:everyday --vocab-size 3000 --byte-level --pre-tokenizer gpt2 \\
    --tie-break lowest-ids --special '<|endoftext|>' --output everyday-bpe.json
segscope train unigram bundled:everyday --vocab-size 4000 --normalizer identity --keep-spaces \\
    --byte-fallback --output everyday-unigram.model
segscope train wordpiece bundled:everyday --vocab-size 4000 --select frequency \\
    --tie-break lowest-ids --alphabet 1300 --output everyday-wordpiece.json
"""

MADE_WITH = {"tokenizers": "0.23.3"}

HERE = Path(__file__).resolve().parent

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


def train(folder: Path) -> None:
    """Run the commands, their files in a folder."""
    from engine.cli import main as segscope

    for command in COMMANDS.replace("\\\n", "").splitlines():
        _, *arguments, name = shlex.split(command)
        if code := segscope([*arguments, str(folder / name)]):
            raise SystemExit(code)


def compact(text: str) -> bytes:
    """Return JSON without spaces, so that the files stay small."""
    content = json.loads(text)
    return (json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


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


TOYS = {
    "toy-abc.json": make_abc,
    "toy-lower.json": make_lower,
    "toy-there.json": make_there,
    "toy-watching.json": make_watching,
    "toy-weather.model": make_weather,
}


def main(arguments: list[str]) -> None:
    folder = Path(arguments[0]) if arguments else HERE
    folder.mkdir(parents=True, exist_ok=True)
    train(folder)
    for name, make in TOYS.items():
        content = make()
        (folder / name).write_bytes(content)
        print(f"{name}: {len(content):,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
