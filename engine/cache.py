"""Parsed models kept on disk, so that a big file is taken apart once only.

A model is found again by the content of its file. What is kept is plain data, arrays and JSON:
reading it runs no code of the file's, and makes objects of the classes named here and no others.
A file that is damaged, cut short or of another version of the engine is as good as none.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import SegscopeError
from engine.files import replacing, user_caches
from engine.model import Model
from engine.pieces import PieceKind
from engine.progress import Report, silent

VERSION = 1
"""Of the layout of the files."""

LIMIT = 512 << 20
"""Bytes that all files together may take; the ones unused for the longest time go first."""

LARGEST = LIMIT // 4
"""Bytes that one file may take."""

ABANDONED = 3600.0
"""Seconds after which an unfinished file is one of a process that died."""

TURN, REST = 1024, 0.0002
"""Texts read between two rests, and the seconds of one: other threads, a window's too, wait for
Python's global lock meanwhile, and again each time that they let go of it."""

WHOLE_FILES = frozenset(("huggingface", "sentencepiece", "tiktoken", "bytepiece"))
"""Formats whose models are in one file: for others the content of one file tells too little."""

PACKAGES = ("segscope", "numpy", "tokenizers", "sentencepiece", "regex")
"""What a parsed model depends on beside the engine's code."""

ENDING = ".parsed"
MAGIC = b"segscope parsed model\n"
ALIGNED = 64
DIGEST = 32
MANY = 1000
"""Entries from which on a sequence of texts is kept as bytes and lengths."""

DTYPES = frozenset(("|b1", "|u1", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"))

BLOCK = 1 << 22


_FAULTS = (
    ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, SegscopeError,
    TypeError, ValueError,
)  # fmt: skip
"""What reading a file that nobody of ours wrote may raise."""


class UnkeptError(Exception):
    """A model holds something that isn't kept."""


@cache
def _classes() -> dict[str, type]:
    """Return the classes that a model consists of, by name."""
    from engine.bpe import Bpe
    from engine.lattice import Spelling
    from engine.lookup import Lookup
    from engine.model import SpecialToken
    from engine.pieces import Vocabulary
    from engine.pipelines.bytepiece import BytePiecePipeline
    from engine.pipelines.components import AddedToken, Components
    from engine.pipelines.huggingface import HuggingFacePipeline
    from engine.pipelines.sentencepiece import Normalization, SentencePiecePipeline
    from engine.pipelines.tiktoken import TiktokenPipeline
    from engine.unigram import Unigram
    from engine.wordpiece import WordPiece

    classes = (
        AddedToken, Bpe, BytePiecePipeline, Components, HuggingFacePipeline, Lookup, Model,
        Normalization, SentencePiecePipeline, SpecialToken, Spelling, TiktokenPipeline, Unigram,
        Vocabulary, WordPiece,
    )  # fmt: skip
    return {kind.__name__: kind for kind in classes}


@cache
def code_digest() -> str:
    """Return a digest of the engine's code and of the versions of what it reads files with.

    Another version may read the same file otherwise. Empty where the code isn't found as files: it
    then can't be told from another.
    """
    digest = hashlib.blake2b(digest_size=8)
    folder = Path(__file__).parent
    files = sorted(folder.rglob("*.py"))
    try:
        for file in files:
            digest.update(str(file.relative_to(folder)).encode() + b"\0" + file.read_bytes())
    except OSError:
        return ""
    for name in PACKAGES:
        digest.update(f"{name} {_version(name)}\n".encode())
    return digest.hexdigest() if files else ""


def _version(package: str) -> str:
    """Return the version of a package, empty where it isn't installed as one."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def cached_file(path: Path, options: Mapping[str, Any], report: Report = silent) -> Path | None:
    """Return where the parsed model of a file is kept, whether it is there or not.

    None where it can't be: no folder for caches, no source of the engine, or `path` can't be read.
    options: what `engine.load` is given beside the path.
    """
    folder, code = user_caches(), code_digest()
    if folder is None or not code:
        return None
    digest = hashlib.blake2b(digest_size=DIGEST)
    try:
        size = path.stat().st_size
        with path.open("rb") as stream:
            done = 0
            while block := stream.read(BLOCK):
                digest.update(block)
                done += len(block)
                report(done, 20 * max(size, done))
    except (OSError, ValueError):
        return None
    digest.update(repr(sorted(options.items())).encode("utf-8", "surrogatepass"))
    name = f"{VERSION}-{code}-{digest.hexdigest()}{ENDING}"
    return folder / "models" / name


def write_model(file: Path, model: Model) -> bool:
    """Keep a parsed model in `file`; return whether it could be kept.

    The file appears only when it is complete, so readers and other writers are never in the way.
    """
    if model.format not in WHOLE_FILES:
        return False
    try:
        packed = _Packer()
        tree = json.dumps(packed.pack(model)).encode()
        parts: list[bytes | memoryview] = [MAGIC, len(tree).to_bytes(8, "little"), tree]
        size = sum(map(len, parts))
        for array in packed.arrays:
            gap = -size % ALIGNED
            parts += [bytes(gap), array]
            size += gap + len(array)
        if size > LARGEST:
            return False
        digest = hashlib.blake2b(digest_size=DIGEST)
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(file) as stream:
            for part in parts:
                digest.update(part)
                stream.write(part)
            stream.write(digest.digest())
        _make_room(file)
    except (OSError, SegscopeError, UnkeptError):
        return False
    return True


def read_model(file: Path, path: Path) -> Model | None:
    """Return the model that is kept in `file`, under the name of the model file `path`.

    None where there is none; a damaged file is removed.
    """
    try:
        size = file.stat().st_size
        if size > LARGEST + DIGEST:
            raise ValueError("too large")
        data = bytearray(size)
        with file.open("rb") as stream:
            if stream.readinto(data) != size:
                raise ValueError("cut short")
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        _forget(file)
        return None
    body = memoryview(data)[: max(size - DIGEST, 0)]
    if hashlib.blake2b(body, digest_size=DIGEST).digest() != data[len(body) :]:
        _forget(file)
        return None
    try:
        model = _unpacked(body)
    except _FAULTS:
        _forget(file)
        return None
    with suppress(OSError):
        os.utime(file)
    pipeline: Any = model.pipeline
    if hasattr(pipeline, "file"):
        pipeline = replace(pipeline, file=path)
    return replace(model, name=path.name, path=path, pipeline=pipeline)


def _forget(file: Path) -> None:
    with suppress(OSError):
        file.unlink()


def _make_room(newest: Path) -> None:
    """Remove the files used longest ago until all fit, and what dead processes left."""
    kept = []
    for file in newest.parent.iterdir():
        with suppress(OSError):
            state = file.stat()
            if file.suffix == ENDING:
                kept.append((state.st_mtime, state.st_size, file))
            elif file.suffix == ".part" and time.time() - state.st_mtime > ABANDONED:
                file.unlink()
    room = LIMIT - newest.stat().st_size
    for _, size, file in sorted(kept, reverse=True):
        if file == newest:
            continue
        room -= size
        if room < 0:
            _forget(file)


class _Packer:
    """Makes plain data of a model: a tree for JSON, and the arrays that it refers to."""

    def __init__(self) -> None:
        self.arrays: list[bytes | memoryview] = []
        self._at = 0
        self._seen: dict[int, int] = {}
        self._alive: list[Any] = []

    def pack(self, value: Any) -> Any:
        """Return what stands for a value in the tree."""
        if value is None or type(value) in (bool, int, float, str):
            return value
        if isinstance(value, np.generic):
            return self.pack(value.item())
        if isinstance(value, np.ndarray):
            if value.dtype.str not in DTYPES or value.ndim != 1:
                raise UnkeptError(f"an array of {value.dtype}")
            raw = np.ascontiguousarray(value).view(np.uint8).data
            return {"array": [value.dtype.str, *self._blob(raw)]}
        if isinstance(value, bytes):
            return {"bytes": self._blob(value)}
        if isinstance(value, Path):
            return {"path": ""}
        if isinstance(value, Mapping):
            return {"dict": [[self.pack(key), self.pack(item)] for key, item in value.items()]}
        if isinstance(value, tuple | list):
            return self._sequence(value)
        return self._record(value)

    def _blob(self, raw: bytes | memoryview) -> list[int]:
        self.arrays.append(raw)
        return [len(self.arrays) - 1, len(raw)]

    def _sequence(self, value: tuple[Any, ...] | list[Any]) -> dict[str, Any]:
        kind = "tuple" if isinstance(value, tuple) else "list"
        if len(value) < MANY or any(type(item) not in (str, type(None)) for item in value):
            return {kind: [self.pack(item) for item in value]}
        lengths = np.array([-1 if item is None else len(item) for item in value], dtype=np.int64)
        text = "".join(item for item in value if item).encode("utf-8", "surrogatepass")
        return {"texts": [kind, self.pack(lengths), self.pack(text)]}

    def _record(self, value: Any) -> dict[str, Any]:
        if id(value) in self._seen:
            return {"same": self._seen[id(value)]}
        name = type(value).__name__
        if _classes().get(name) is not type(value) or not is_dataclass(value):
            raise UnkeptError(f"a value of type {name}")
        self._alive.append(value)  # an id is one object's only while that lives
        packed = {
            part.name: self.pack(getattr(value, part.name))
            for part in fields(value)
            if not part.name.startswith("_")
        }
        self._seen[id(value)] = len(self._seen)
        return {"record": [name, packed]}


def _unpacked(body: memoryview) -> Model:
    """Make the model of a file's content; any fault is one of `_FAULTS`."""
    start = len(MAGIC) + 8
    if bytes(body[: len(MAGIC)]) != MAGIC:
        raise ValueError("not a parsed model")
    size = int.from_bytes(body[len(MAGIC) : start], "little")
    tree = json.loads(bytes(body[start : start + size]))
    model = _Unpacker(body, start + size).unpack(tree)
    if not isinstance(model, Model):
        raise TypeError("not a model")
    _check(model)
    return model


def _check(model: Model) -> None:
    """Raise `ValueError` where arrays don't fit each other or ids lie outside the vocabulary.

    Compiled code reads by them without looking. Other faults of a model's parts are of `_FAULTS`.
    """
    vocabulary = model.vocabulary
    n = len(vocabulary)
    offsets = vocabulary.offsets
    dtypes = [a.dtype.str for a in (vocabulary.data, offsets, vocabulary.score, vocabulary.kind)]
    if dtypes != ["|u1", "<i8", "<f8", "|u1"]:
        raise TypeError("an array of another kind")
    if len(offsets) != n + 1 or len(vocabulary.score) != n:
        raise ValueError("arrays of other lengths")
    if offsets[0] != 0 or offsets[-1] != len(vocabulary.data) or (np.diff(offsets) < 0).any():
        raise ValueError("offsets don't ascend from 0 to the size")
    for marks in (vocabulary.continuation, vocabulary.matches):
        if marks is not None and (marks.dtype.str != "|b1" or len(marks) != n):
            raise ValueError("marks of other lengths")
    if (vocabulary.lengths[vocabulary.kind == PieceKind.BYTE] != 1).any():
        raise ValueError("a byte piece that isn't one byte")
    segmenter: Any = model.segmenter
    pipeline: Any = model.pipeline
    for part in (segmenter, pipeline):
        if getattr(part, "vocabulary", vocabulary) is not vocabulary:
            raise ValueError("a part with a vocabulary of its own")
    for columns in (getattr(segmenter, name, None) for name in ("left", "right", "result", "rank")):
        # What they hold is checked by `Bpe` itself.
        if columns is not None and columns.dtype.str != "<i4":
            raise TypeError("merges of another kind")
    ids = [
        *vocabulary.names.values(),
        *(token.id for token in model.special_tokens),
        *model.template[0],
        *model.template[1],
        *getattr(pipeline, "specials", {}).values(),
        *(token.id for token in getattr(getattr(pipeline, "components", None), "added", ())),
    ]
    maybe = [model.spelling.unknown, segmenter.unknown]
    for table in (model.spelling.byte_pieces, getattr(segmenter, "byte_pieces", None)):
        if table is not None:
            if table.dtype.str != "<i4" or len(table) != 256:
                raise ValueError("not a table of bytes")
            maybe += table.tolist()
    if not all(0 <= i < n for i in ids) or not all(-1 <= i < n for i in maybe):
        raise ValueError("an id outside the vocabulary")


class _Unpacker:
    """Takes back what `_Packer` made. Arrays stay where they were read."""

    def __init__(self, body: memoryview, end: int) -> None:
        self._body, self._end = body, end
        self._count = 0
        self._seen: list[Any] = []
        self._take: dict[str, Callable[[Any], Any]] = {
            "array": self._array,
            "bytes": lambda place: bytes(self._blob(*place)),
            "dict": lambda rows: {self.unpack(key): self.unpack(item) for key, item in rows},
            "list": lambda items: [self.unpack(item) for item in items],
            "tuple": lambda items: tuple(self.unpack(item) for item in items),
            "texts": self._texts,
            "path": lambda _: Path(),
            "same": lambda number: self._seen[number],
            "record": self._record,
        }

    def unpack(self, value: Any) -> Any:
        """Return the value that stands in the tree."""
        if not isinstance(value, dict):
            return value
        ((kind, content),) = value.items()
        return self._take[kind](content)

    def _blob(self, number: int, size: int) -> memoryview:
        # In the order of packing, so a place needs no table.
        if number != self._count or size < 0:
            raise ValueError("out of order")
        start = self._end + -self._end % ALIGNED
        if start + size > len(self._body):
            raise ValueError("cut short")
        self._count, self._end = number + 1, start + size
        return self._body[start : start + size]

    def _array(self, place: list[Any]) -> NDArray[Any]:
        dtype, number, size = place
        if dtype not in DTYPES:
            raise ValueError("an array of another kind")
        return np.frombuffer(self._blob(number, size), dtype=np.dtype(dtype))

    def _texts(self, content: list[Any]) -> Any:
        kind, lengths, encoded = content
        sizes = self.unpack(lengths)
        text = self.unpack(encoded).decode("utf-8", "surrogatepass")
        ends = np.cumsum(np.maximum(sizes, 0)).tolist()
        found: list[str | None] = []
        start = 0
        for place, (size, end) in enumerate(zip(sizes.tolist(), ends, strict=True)):
            found.append(None if size < 0 else text[start:end])
            start = end
            if place % TURN == TURN - 1:
                time.sleep(REST)
        return tuple(found) if kind == "tuple" else found

    def _record(self, content: list[Any]) -> Any:
        name, packed = content
        made = _classes()[name](**{key: self.unpack(item) for key, item in packed.items()})
        self._seen.append(made)
        return made
