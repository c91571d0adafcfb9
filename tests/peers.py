"""The models' own libraries, for comparisons: what each gives for a text, and what for ids.

BytePiece's library doesn't install everywhere; its rule is written out here in a few lines.
"""

from __future__ import annotations

import base64
import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from engine import formats
from engine.encodings import PATTERNS, published
from engine.formats.protobuf import VARINT, fields, varint

Span = tuple[int, int]


class Peer(NamedTuple):
    """A model's own library. `encode` takes lines and gives their ids; `spans`, where there is
    one, the code points of a line that each of its tokens covers."""

    encode: Callable[[Sequence[str]], list[list[int]]]
    decode: Callable[[list[int]], bytes]
    spans: Callable[[str], list[Span]] | None = None


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

    def spans(line: str) -> list[Span]:
        """Read begin and end, which 0.2.3 gives in bytes, of each piece of a SentencePieceText."""
        proto = processor.encode(line, return_type="serialized_proto")
        # Where a character begins in bytes: its number; inside of one, the next one's.
        sizes = (len(char.encode()) for char in line)
        char_at = [i for i, size in enumerate(sizes) for _ in range(size)] + [len(line)]
        found = []
        for number, _, start, stop in fields(proto, 0, len(proto)):
            if number == 2:
                at, values = start, {4: 0, 5: 0}
                while at < stop:
                    # A field's number and kind are in one byte: none here is above 15.
                    field, (value, at) = proto[at], varint(proto, at + 1, stop)
                    if field & 7 == VARINT:
                        values[field >> 3] = value
                    else:
                        at += value
                found.append((char_at[values[4]], char_at[values[5]]))
        return found

    return Peer(
        lambda lines: processor.encode(list(lines)),
        lambda ids: processor.decode(ids).encode(),
        spans,
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


def gpt2_peer(path: Path) -> Peer:
    """Give the `tokenizers` library, opened on the pair of files itself."""
    from tokenizers import Tokenizer, decoders
    from tokenizers.models import BPE
    from tokenizers.pre_tokenizers import ByteLevel

    merges = next(p for n in ("merges.txt", "vocab.bpe") if (p := path.with_name(n)).exists())
    tokenizer = Tokenizer(BPE.from_file(str(path), str(merges)))
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False, trim_offsets=False)
    tokenizer.decoder = decoders.ByteLevel()
    return _of_tokenizer(tokenizer)


def bert_peer(path: Path) -> Peer:
    """Give the `tokenizers` library, opened on the vocab.txt itself."""
    from tokenizers import Tokenizer, decoders
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer

    tokenizer = Tokenizer(WordPiece.from_file(str(path), unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer(lowercase="uncased" in path.name)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    return _of_tokenizer(tokenizer)


def _of_tokenizer(tokenizer: Any) -> Peer:
    """Give a tokenizer of the `tokenizers` library that puts nothing in."""

    def encode(lines: Sequence[str]) -> list[list[int]]:
        return [e.ids for e in tokenizer.encode_batch(list(lines), add_special_tokens=False)]

    def spans(line: str) -> list[Span]:
        offsets: list[Span] = tokenizer.encode(line, add_special_tokens=False).offsets
        return offsets

    return Peer(
        encode, lambda ids: tokenizer.decode(ids, skip_special_tokens=False).encode(), spans
    )


def subword_nmt_peer(path: Path) -> Peer:
    """Give the `subword_nmt` library, which knows no ids: its pieces, by the number we give them.

    A character that the codes don't hold is `<unk>` to us; the library writes it as it is.
    """
    from subword_nmt.apply_bpe import BPE

    with path.open(encoding="utf-8") as stream:
        codes = BPE(stream)
    model = formats.load(path)
    texts = [model.vocabulary.text(i) for i in range(len(model.vocabulary))]
    ids = {text.removesuffix("</w>") if text.endswith("</w>") else f"{text}@@": i
           for i, text in enumerate(texts)}  # fmt: skip

    def pieces(line: str) -> list[str]:
        found: list[str] = codes.segment_tokens(line.strip("\r\n ").split(" "))
        return found

    def number(piece: str) -> int:
        unknown = "<unk>@@" if len(piece) == 3 and piece.endswith("@@") else "<unk>"
        return ids[piece] if piece in ids else ids[unknown]

    def decode(numbers: list[int]) -> bytes:
        written = " ".join(
            texts[i].removesuffix("</w>") if texts[i].endswith("</w>") else f"{texts[i]}@@"
            for i in numbers
        )
        return written.replace("@@ ", "").encode()

    def spans(line: str) -> list[Span]:
        found, at = [], 0
        for piece in pieces(line):
            text = piece.removesuffix("@@") if len(piece) > 2 else piece
            at = line.index(text, at)
            found.append((at, at + len(text)))
            at += len(text)
        return found

    return Peer(lambda lines: [[number(p) for p in pieces(x)] for x in lines], decode, spans)


PEERS: dict[str, Callable[[Path], Peer]] = {
    "huggingface": huggingface_peer,
    "sentencepiece": sentencepiece_peer,
    "tiktoken": tiktoken_peer,
    "bytepiece": bytepiece_peer,
    "gpt2": gpt2_peer,
    "bert": bert_peer,
    "subword-nmt": subword_nmt_peer,
}
