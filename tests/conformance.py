"""Compare the ids of real models with those of the models' own libraries, line by line.

    python tests/conformance.py [--models FOLDER] [--texts FOLDER] [--only NAME] [--languages N]

Prints a row a model: lines compared, lines with equal ids, lines with other ids of an equal score
(exact ties of a Unigram model), lines that differ, and the first of them. Also compared, on every
tenth line: what the ids decode to, and the spans of the tokens where the library gives them.
BytePiece's library doesn't install everywhere; its rule is written out here in a few lines.
"""

from __future__ import annotations

import argparse
import base64
import json
import math
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from engine import formats  # noqa: E402 - the script finds the project by itself
from engine.encodings import PATTERNS, published  # noqa: E402
from engine.model import Model  # noqa: E402

DECODE_EVERY = 10
Span = tuple[int, int]


class Peer(NamedTuple):
    """A model's own library. `encode` takes lines and gives their ids; `spans`, where there is
    one, the code points of a line that each of its tokens covers."""

    encode: Callable[[Sequence[str]], list[list[int]]]
    decode: Callable[[list[int]], bytes]
    spans: Callable[[str], list[Span]] | None = None


@dataclass
class Result:
    """What the comparison of one model found."""

    model: str
    lines: int = 0
    equal: int = 0
    equal_score: int = 0
    different: int = 0
    decoded: int = 0
    decoded_otherwise: int = 0
    spans: int = 0
    spans_otherwise: int = 0
    seconds: float = 0.0
    first: str = ""
    first_decoded: str = ""
    first_span: str = ""
    languages: set[str] = field(default_factory=set)

    @property
    def clean(self) -> bool:
        """Whether nothing differs."""
        return not (self.different or self.decoded_otherwise or self.spans_otherwise)


# The libraries


def huggingface_peer(path: Path) -> Peer:
    """Give the `tokenizers` library: special strings are text, nothing is padded or put in."""
    from tokenizers import Tokenizer

    values = json.loads(path.read_text(encoding="utf-8"))
    # The post-processor may trim offsets; it puts in nothing that is compared here.
    values["post_processor"] = values["padding"] = values["truncation"] = None
    tokenizer = Tokenizer.from_str(json.dumps(values))
    tokenizer.encode_special_tokens = True

    def encode(lines: Sequence[str]) -> list[list[int]]:
        return [e.ids for e in tokenizer.encode_batch(list(lines), add_special_tokens=False)]

    def decode(ids: list[int]) -> bytes:
        text: str = tokenizer.decode(ids, skip_special_tokens=False)
        return text.encode()

    def spans(line: str) -> list[Span]:
        offsets: list[Span] = tokenizer.encode(line, add_special_tokens=False).offsets
        return offsets

    return Peer(encode, decode, spans)


def sentencepiece_peer(path: Path) -> Peer:
    """Give the `sentencepiece` library."""
    from sentencepiece import SentencePieceProcessor

    processor = SentencePieceProcessor(model_file=str(path))
    return Peer(
        lambda lines: processor.encode(list(lines)), lambda ids: processor.decode(ids).encode()
    )


def tiktoken_peer(path: Path) -> Peer:
    """Give the `tiktoken` library; files that aren't published encodings split as `cl100k`."""
    from tiktoken import Encoding

    data = path.read_bytes()
    known = published(data)
    ranks = {
        base64.b64decode(piece): int(rank)
        for piece, rank in (line.split() for line in data.splitlines() if line)
    }
    encoding = Encoding(
        path.stem,
        pat_str=PATTERNS[known.pattern if known else "cl100k"],
        mergeable_ranks=ranks,
        special_tokens=known.specials if known else {},
    )
    return Peer(lambda lines: encoding.encode_ordinary_batch(list(lines)), encoding.decode_bytes)


def bytepiece_peer(path: Path) -> Peer:
    """Write BytePiece's rule out: NFC, chunks, and the best sum of scores over bytes.

    Pieces that end at a byte are tried longest first, and only a better sum replaces one.
    """
    import re

    values = json.loads(path.read_text(encoding="utf-8"))
    total = sum(row[2] for row in values.values())
    pieces = {
        base64.b64decode(key): (row[0], math.log(row[2]) - math.log(total))
        for key, row in values.items()
    }
    longest = max(map(len, pieces))
    texts = {row[0]: base64.b64decode(key) for key, row in values.items()}

    def chunk_ids(data: bytes) -> Iterator[int]:
        best, back = [0.0], [(0, 0)]
        for end in range(1, len(data) + 1):
            score, held = -math.inf, (0, 0)
            for start in range(max(0, end - longest), end):
                piece = pieces.get(data[start:end])
                if piece is not None and best[start] + piece[1] > score:
                    score, held = best[start] + piece[1], (start, piece[0])
            best.append(score)
            back.append(held)
        path, end = [], len(data)
        while end:
            end, number = back[end]
            path.append(number)
        return reversed(path)

    def encode(lines: Sequence[str]) -> list[list[int]]:
        chunks = [re.findall(r".*\n+|.+", unicodedata.normalize("NFC", line)) for line in lines]
        return [[i for chunk in found for i in chunk_ids(chunk.encode())] for found in chunks]

    return Peer(encode, lambda ids: b"".join(texts[i] for i in ids))


PEERS: dict[str, Callable[[Path], Peer]] = {
    "huggingface": huggingface_peer,
    "sentencepiece": sentencepiece_peer,
    "tiktoken": tiktoken_peer,
    "bytepiece": bytepiece_peer,
}


# The comparison


def open_model(path: Path) -> Model:
    """Open a model as its peer is opened."""
    pattern = None
    if path.suffix == ".tiktoken" and published(path.read_bytes()) is None:
        pattern = "cl100k"
    return formats.load(path, pattern=pattern)


def total_score(model: Model, ids: Sequence[int]) -> tuple[float, int]:
    """Return the sum of the scores of the ids that have one, and how many have none."""
    score = model.vocabulary.score[list(ids)]
    plain = model.vocabulary.matchable[list(ids)]
    return float(score[plain].sum()), int((~plain).sum())


def same_score(model: Model, ours: Sequence[int], theirs: Sequence[int]) -> bool:
    """Return whether two segmentations of a Unigram model are an exact tie.

    SentencePiece adds in float32, so sums that it can't tell apart are equal.
    """
    if model.algorithm != "unigram":
        return False
    (a, odd_a), (b, odd_b) = total_score(model, ours), total_score(model, theirs)
    return odd_a == odd_b and math.isclose(a, b, rel_tol=1e-6)


def compare_lines(
    model: Model, peer: Peer, language: str, lines: Sequence[str], result: Result
) -> None:
    """Compare the ids of the lines of a text, and a part of them further."""
    batch, theirs = model.encode_lines(lines), peer.encode(lines)
    result.languages.add(language)
    for number, (line, expected) in enumerate(zip(lines, theirs, strict=True)):
        ids = batch[number].tolist()
        result.lines += 1
        if ids == expected:
            result.equal += 1
        elif same_score(model, ids, expected):
            result.equal_score += 1
        else:
            result.different += 1
            if not result.first:
                result.first = f"{language} line {number + 1}: {_difference(ids, expected)}"
        if number % DECODE_EVERY == 0 and ids == expected:
            where = f"{language} line {number + 1}"
            _compare_decoded(model, peer, where, ids, result)
            _compare_spans(model, peer, where, line, ids, result)


def _difference(ours: list[int], theirs: list[int]) -> str:
    at = 0
    while at < min(len(ours), len(theirs)) and ours[at] == theirs[at]:
        at += 1
    return f"from token {at} ours {ours[at : at + 6]}, theirs {theirs[at : at + 6]}"


def _compare_decoded(model: Model, peer: Peer, where: str, ids: list[int], result: Result) -> None:
    ours = model.decode(ids).decode("utf-8", errors="replace")
    theirs = peer.decode(ids).decode("utf-8", errors="replace")
    result.decoded += 1
    if ours != theirs:
        result.decoded_otherwise += 1
        result.first_decoded = result.first_decoded or f"{where}: {ours!r} for {theirs!r}"


def _compare_spans(
    model: Model, peer: Peer, where: str, line: str, ids: list[int], result: Result
) -> None:
    """Compare `encode` with `encode_lines`, and its spans with the library's.

    Ours hold theirs: they also take in marks and joiners that normalization composed or dropped,
    and leave out the text that a dummy prefix stands beside.
    """
    encoding = model.encode(line)
    result.spans += 1
    problem = ""
    if encoding.ids.tolist() != ids:
        problem = "encode gives other ids than encode_lines"
    elif peer.spans is not None:
        for token, (start, end) in zip(encoding.tokens, peer.spans(line), strict=True):
            more = line[end : token.end_char]
            wider = start == token.start_char and all(
                unicodedata.category(char) in ("Mn", "Mc", "Me", "Cf") for char in more
            )
            prefix = token.start_char == token.end_char == start
            if (token.start_char, token.end_char) != (start, end) and not wider and not prefix:
                problem = f"{token} for {(start, end)}"
                break
    if problem:
        result.spans_otherwise += 1
        result.first_span = result.first_span or f"{where}: {problem}"


def find_models(folder: Path) -> list[Path]:
    """Return the model files of the four formats below a folder."""
    patterns = ("*.tokenizer.json", "*.model", "*.tiktoken")
    return sorted(path for pattern in patterns for path in folder.rglob(pattern))


def read_texts(folder: Path, languages: int = 0) -> dict[str, list[str]]:
    """Return the lines of each text of a folder by its name, of `languages` spread over it."""
    paths = sorted(folder.glob("*.txt"))
    if languages:
        paths = paths[:: max(1, len(paths) // languages)][:languages]
    texts = {}
    for path in paths:
        text = path.read_bytes().decode("utf-8")
        texts[path.stem] = text.removesuffix("\n").split("\n")
    return texts


def compare_model(path: Path, texts: dict[str, list[str]]) -> Result:
    """Compare one model with its library over all texts."""
    begin = time.perf_counter()
    result = Result(f"{path.parent.name}/{path.name}")
    model = open_model(path)
    peer = PEERS[model.format](path)
    for language, lines in texts.items():
        compare_lines(model, peer, language, lines, result)
    result.seconds = time.perf_counter() - begin
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 if anything differs."""
    shared = ROOT.parent / "shared" / "data"
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--models", type=Path, default=shared / "models")
    parser.add_argument("--texts", type=Path, default=shared / "corpora" / "udhr")
    parser.add_argument("--only", default="", help="part of the path of the models to compare")
    parser.add_argument("--languages", type=int, default=0, help="that many of the texts")
    chosen = parser.parse_args(arguments)
    texts = read_texts(chosen.texts, chosen.languages)
    models = [path for path in find_models(chosen.models) if chosen.only in str(path)]
    if not models or not texts:
        print("no models or no texts found", file=sys.stderr)
        return 2
    columns = ("lines", "equal", "equal score", "different", "decoded ≠", "spans ≠", "seconds")
    print(f"{len(texts)} texts, {sum(map(len, texts.values())):,} lines")
    print(f"{'model':<48}" + "".join(f"{name:>12}" for name in columns))
    results = []
    for path in models:
        result = compare_model(path, texts)
        results.append(result)
        figures: list[Any] = [result.lines, result.equal, result.equal_score, result.different]
        figures.append(f"{result.decoded_otherwise}/{result.decoded}")
        figures.append(f"{result.spans_otherwise}/{result.spans}")
        figures.append(f"{result.seconds:.1f}")
        print(f"{result.model:<48}" + "".join(f"{figure:>12}" for figure in figures), flush=True)
        for first in (result.first, result.first_decoded, result.first_span):
            if first:
                print(f"    {first}"[:300])
    return 0 if all(result.clean for result in results) else 1


if __name__ == "__main__":
    raise SystemExit(main())
