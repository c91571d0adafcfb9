"""Compare real models with the models' own libraries, line by line.

    python tests/conformance.py [--models FOLDER] [--texts FOLDER…] [--only NAME] [--languages N]

By default every line of every UDHR file, and every text of the edge folder both line by line and
whole. Of each text: the ids by both roads (`encode_lines` and `encode`), what the ids decode to,
and the spans of the tokens where the library gives them. Also, without a library, that every token
re-spells: the stretch of the normalized text that it covers is the bytes of its piece (unknown
tokens cover any stretch), and where that stretch isn't the text as given at its span, the given
text holds it once letter case, compatibility forms, marks and blanks are set aside, or a
replacement rule of the normalizer wrote it, or it is an added token or a fallback byte.

Prints a row a model: texts compared, differences in ids, decoded text, spans and spelling. What
differs by a known fault of the library is counted by the fault's name below the row and is no
difference. Exit code 0: nothing else differs.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from engine import formats  # noqa: E402 - the script finds the project by itself
from engine.encodings import published  # noqa: E402
from engine.kernels import warm_up  # noqa: E402
from engine.model import Encoding, Model, Token  # noqa: E402
from engine.pieces import PieceKind  # noqa: E402
from engine.unigram import Unigram  # noqa: E402
from tests.peers import PEERS, Peer, Span  # noqa: E402

VOICED = "\uff9e\uff9f"
"""Half-width marks of voicing, letters by their category."""

TIE = "an exact tie of scores, cut otherwise where sums are rounded to 32 bits"
PREFIX = "the library gives what a prefix put in the span of the text after it"
SHARED = "a character that owns several tokens is in the library's span of the last of them only"
MARKS = "the library's span leaves out marks, joiners or jamo that normalization took in"


@dataclass
class Result:
    """What the comparison of one model found: numbers of texts, and the first that differs."""

    model: str
    texts: int = 0
    tokens: int = 0
    ids: int = 0
    decoded: int = 0
    spans: int = 0
    spelled: int = 0
    explained: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    first: dict[str, str] = field(default_factory=dict)

    @property
    def different(self) -> int:
        """Differences that no known fault of the library explains."""
        return self.ids + self.decoded + self.spans + self.spelled

    def note(self, what: str, where: str, problem: str) -> None:
        """Count an unexplained difference."""
        setattr(self, what, getattr(self, what) + 1)
        self.first.setdefault(what, f"{where}: {problem}")


def open_model(path: Path) -> Model:
    """Open a model as its peer is opened."""
    pattern = None
    if path.suffix == ".tiktoken" and published(path.read_bytes()) is None:
        pattern = "cl100k"
    return formats.load(path, pattern=pattern)


def total_score(model: Model, ids: Sequence[int]) -> np.float32 | None:
    """Return the score of a segmentation as SentencePiece adds it: float32, from left to right.

    A character that is spelled in byte pieces has the score of an unknown one. None where an
    unknown token, which may stand for several characters, or a token of the user's is among them.
    """
    assert isinstance(model.segmenter, Unigram)
    vocabulary, total = model.vocabulary, np.float32(0)
    for piece in ids:
        kind, score = vocabulary.kind[piece], vocabulary.score[piece]
        if kind == PieceKind.BYTE:
            if vocabulary.bytes(piece)[0] & 0xC0 == 0x80:
                continue  # a later byte of the same character
            score = model.segmenter.unknown_score
        elif kind != PieceKind.NORMAL:
            return None
        total += np.float32(score)
    return total


def same_score(model: Model, ours: Sequence[int], theirs: Sequence[int]) -> bool:
    """Return whether two segmentations are an exact tie for SentencePiece's Unigram.

    It alone adds in float32: sums that differ may be equal there.
    """
    if (model.format, model.algorithm) != ("sentencepiece", "unigram"):
        return False
    total = total_score(model, ours)
    return total is not None and total == total_score(model, theirs)


def compare_texts(
    model: Model, peer: Peer, name: str, texts: Sequence[str], result: Result
) -> None:
    """Compare all that is compared of some texts."""
    batch, theirs = model.encode_lines(texts), peer.encode(texts)
    for number, (text, expected) in enumerate(zip(texts, theirs, strict=True), start=1):
        where = f"{name} line {number}"
        ids = batch[number - 1].tolist()
        result.texts += 1
        result.tokens += len(ids)
        encoding = model.encode(text)
        if encoding.ids.tolist() != ids:
            result.note("ids", where, "encode gives other ids than encode_lines")
        if ids != expected:
            if same_score(model, ids, expected):
                result.explained[TIE] += 1
            else:
                result.note("ids", where, _difference(ids, expected))
            continue
        ours, given = (d.decode(errors="replace") for d in (model.decode(ids), peer.decode(ids)))
        if ours != given:
            result.note("decoded", where, f"{ours[:80]!r} for {given[:80]!r}")
        if peer.spans is not None:
            _compare_spans(encoding, peer.spans(text), where, result)
        for problem in misspelled(model, encoding):
            result.note("spelled", where, problem)
            break


def _difference(ours: list[int], theirs: list[int]) -> str:
    at = 0
    while at < min(len(ours), len(theirs)) and ours[at] == theirs[at]:
        at += 1
    return f"from token {at} ours {ours[at : at + 6]}, theirs {theirs[at : at + 6]}"


def _compare_spans(encoding: Encoding, spans: Sequence[Span], where: str, result: Result) -> None:
    """Compare spans in code points with the library's."""
    bounds, text = encoding.text.char_bounds, encoding.text.string
    starts = np.searchsorted(bounds, encoding.start, side="right") - 1
    ends = np.searchsorted(bounds, encoding.end, side="left")
    ours = np.stack((starts, ends), axis=1)
    for i in np.flatnonzero((ours != np.array(spans).reshape(-1, 2)).any(axis=1)).tolist():
        shared = i + 1 < len(ours) and bool(starts[i + 1] < ends[i])
        fault = span_fault(encoding.token(i), *spans[i], text, shared)
        if not fault:
            result.note("spans", where, f"{encoding.token(i)} for {spans[i]}")
            return
        result.explained[fault] += 1


def span_fault(token: Token, start: int, end: int, text: str, shared: bool = False) -> str:
    """Return the library's known fault that a span of it shows, empty for none.

    shared: the token's last character belongs to the next token too.
    """
    if token.start_char == token.end_char == start:
        return PREFIX
    if shared and start == token.start_char and end == token.end_char - 1:
        return SHARED
    more = text[end : token.end_char]
    shorter = start == token.start_char and end < token.end_char
    if shorter and all(joins(char) for char in more):
        return MARKS
    return ""


def plainly_right(encoding: Encoding) -> NDArray[np.bool_]:
    """Return which tokens' bytes stand in the text, each in its place, bool[tokens]."""
    vocabulary, prepared, text = encoding.vocabulary, encoding.prepared, encoding.text
    own = prepared.source_end - prepared.source_start == 1
    own &= prepared.data == np.append(text.data, np.uint8(0))[prepared.source_start]
    wrong = np.append(0, np.cumsum(~own))
    starts, lengths = encoding.node_start, vocabulary.lengths[encoding.ids]
    right: NDArray[np.bool_] = encoding.node_end - starts == lengths
    right &= wrong[starts] == wrong[encoding.node_end]
    # Byte k of all the tokens that may be right, as the piece has it and as the text has it.
    kept, sizes = np.flatnonzero(right), lengths[right]
    inside = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    piece = vocabulary.data[np.repeat(vocabulary.offsets[encoding.ids[kept]], sizes) + inside]
    differs = piece != prepared.data[np.repeat(starts[kept], sizes) + inside]
    right[np.repeat(kept, sizes)[differs]] = False
    return right


def joins(char: str) -> bool:
    """Whether a character becomes a part of the one before it: marks, joiners, later jamo."""
    category = unicodedata.category(char)
    return category[0] == "M" or category == "Cf" or "\u1160" <= char <= "\u11ff" or char in VOICED


def misspelled(model: Model, encoding: Encoding) -> Iterator[str]:
    """Yield what is wrong with the spelling of tokens; see the head of this file."""
    data, given = encoding.prepared.data.tobytes(), encoding.text.encoded
    fixed = frozenset(encoding.prepared.fixed.tolist())
    odd = np.flatnonzero(~plainly_right(encoding))
    columns = (odd, encoding.ids[odd], encoding.node_start[odd], encoding.node_end[odd],
               encoding.start[odd], encoding.end[odd])  # fmt: skip
    for i, piece, start, end, first, last in zip(*(c.tolist() for c in columns), strict=True):
        case = (model, piece, data[start:end], given[first:last], piece in fixed)
        if problem := _fault_of_spelling(*case):
            yield f"{encoding.token(i)} {problem}"


@lru_cache(maxsize=1 << 17)
def _fault_of_spelling(model: Model, piece: int, stretch: bytes, given: bytes, fixed: bool) -> str:
    """Say what is wrong with a piece that covers `stretch` of the normalized text; empty: nothing.

    given: the text as given at the token's span. fixed: the piece was cut out as an added token.
    """
    vocabulary, kind = model.vocabulary, model.vocabulary.kind[piece]
    if kind == PieceKind.UNKNOWN or fixed or piece == model.spelling.unknown:
        return ""
    prefix, suffix = (getattr(model.segmenter, name, "").encode() for name in ("prefix", "suffix"))
    written = vocabulary.bytes(piece)
    forms = {written, vocabulary.mark.encode() + written}
    forms |= {form.removeprefix(prefix).removesuffix(suffix) for form in forms}
    if stretch not in forms:
        return f"covers {stretch!r} of the normalized text"
    replaced = json.dumps(stretch.decode(errors="replace"))[1:-1] in model.pipeline.normalizer
    if stretch == given or not given or kind == PieceKind.BYTE or replaced:
        return ""
    if plain(stretch) in plain(given):
        return ""
    return f"is {given!r} of the text, {stretch!r} when normalized"


def plain(data: bytes) -> str:
    """Return text without what normalizers change: case, compatibility forms, marks, blanks."""
    text = unicodedata.normalize("NFKD", data.decode(errors="ignore")).replace("▁", "")
    text = "".join(c for c in text if unicodedata.category(c)[0] not in "MCZ")
    return unicodedata.normalize("NFKD", text.casefold())


def find_models(folder: Path) -> list[Path]:
    """Return the model files below a folder; of GPT-2's pair the vocabulary."""
    patterns = (
        "*.tokenizer.json", "*.model", "*.tiktoken", "vocab.json", "encoder.json", "*vocab.txt",
        "bpe.ref",
    )  # fmt: skip
    return sorted(path for pattern in patterns for path in folder.rglob(pattern))


def read_texts(folder: Path, languages: int = 0) -> dict[str, list[str]]:
    """Return the lines of each text of a folder by its name, of `languages` spread over it."""
    paths = sorted(folder.glob("*.txt"))
    if languages:
        paths = paths[:: max(1, len(paths) // languages)][:languages]
    texts = {}
    for path in paths:
        try:
            text = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue
        texts[path.stem] = text.removesuffix("\n").split("\n")
    return texts


def whole_texts(folder: Path) -> dict[str, list[str]]:
    """Return each text of a folder whole, by its name; files that aren't UTF-8 are left out."""
    lines = read_texts(folder)
    paths = {path.stem: path for path in folder.glob("*.txt")}
    return {f"{name} (whole)": [paths[name].read_bytes().decode()] for name in lines}


def compare_model(path: Path, texts: dict[str, list[str]]) -> Result:
    """Compare one model with its library over all texts."""
    begin = time.perf_counter()
    result = Result(f"{path.parent.name}/{path.name}")
    model = open_model(path)
    peer = PEERS[model.format](path)
    for name, lines in texts.items():
        # The codes' library works on lines; a whole text is none.
        if model.format != "subword-nmt" or not name.endswith("(whole)"):
            compare_texts(model, peer, name, lines, result)
    result.seconds = time.perf_counter() - begin
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 if anything differs unexplained."""
    shared = ROOT.parent / "shared" / "data"
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--models", type=Path, default=shared / "models")
    parser.add_argument("--texts", type=Path, default=shared / "corpora" / "udhr")
    parser.add_argument("--edge", type=Path, default=shared / "edge", help="texts taken whole too")
    parser.add_argument("--only", default="", help="part of the path of the models to compare")
    parser.add_argument("--languages", type=int, default=0, help="that many of the texts")
    chosen = parser.parse_args(arguments)
    texts = read_texts(chosen.texts, chosen.languages)
    models = [path for path in find_models(chosen.models) if chosen.only in str(path)]
    if not models or not texts:
        print("no models or no texts found", file=sys.stderr)
        return 2
    texts |= read_texts(chosen.edge) | whole_texts(chosen.edge)
    print(f"{len(texts)} texts, {sum(map(len, texts.values())):,} lines and whole texts")
    columns = ("compared", "tokens", "ids ≠", "decoded ≠", "spans ≠", "spelled ≠", "explained", "s")
    print(f"{'model':<48}" + "".join(f"{name:>11}" for name in columns))
    results = []
    for path in models:
        result = compare_model(path, texts)
        results.append(result)
        print_result(result)
    unexplained = sum(result.different for result in results)
    compared = sum(result.texts for result in results)
    print(f"{compared:,} lines and whole texts compared, {unexplained} unexplained differences")
    return 1 if unexplained else 0


def print_result(result: Result) -> None:
    """Print a model's row, the first of its differences, and the faults that explain others."""
    figures = (
        result.texts, result.tokens, result.ids, result.decoded, result.spans, result.spelled,
        result.explained.total(), round(result.seconds),
    )  # fmt: skip
    print(f"{result.model:<48}" + "".join(f"{n:>11,}" for n in figures), flush=True)
    for fault, count in result.explained.most_common():
        print(f"    {count:,} × {fault}")
    for what, first in result.first.items():
        print(f"    {what} ≠ {first}"[:400], flush=True)


if __name__ == "__main__":
    warm_up()
    raise SystemExit(main())
