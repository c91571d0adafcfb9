"""Times on this machine: the engine beside the model's own library, on the same text in one run.

Everything is on one thread and takes the public road, from lines to ids. The functions take turns,
so that a busy moment of the machine meets all of them, and medians are compared. What counts are
the ratios; the seconds depend on the machine and what else it does.
"""

from __future__ import annotations

import gzip
import lzma
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import accumulate, takewhile
from pathlib import Path
from typing import Any

from engine import bundled
from engine.bulk import marginal_lines, nbest_lines
from engine.corpus import open_corpus
from engine.dropout import BPE_DROPOUTS
from engine.errors import CorpusError, cannot_read
from engine.formats import load
from engine.kernels import warm_up
from engine.model import Model
from engine.pieces import PieceKind
from engine.progress import Report, silent
from engine.sample_lines import sample_lines
from engine.sampler import SamplingSettings
from engine.unigram import Unigram

ROUNDS = 5
PATHS = 64
THETAS = (0.1, 1.0)
NBEST_SIZE = 100_000
DROPOUT = 0.1
DEFAULT_MODEL = "everyday-unigram"
DEFAULT_SIZE = 1 << 20
"""Bytes of text that the bundled corpus is repeated to."""

Job = Callable[[], Any]


@dataclass(frozen=True)
class Row:
    """One measurement beside another.

    seconds, peer_seconds: medians. ratio: how many times as fast as the peer, of the medians.
    lowest, highest: the same of the two in one round, the least and the most of all rounds.
    size: bytes of text.
    """

    name: str
    seconds: float
    peer: str
    peer_seconds: float
    ratio: float
    lowest: float
    highest: float
    size: int


def run(
    model: Model | None = None,
    text: str | Path | None = None,
    report: Report = silent,
    cold: bool = False,
) -> dict[str, Any]:
    """Time `model` on the lines of a UTF-8 file; return plain data for `bench`.

    cold: also time the compiling of all kernels (`cold_compile`), else that is None.

    Without a model the bundled Unigram model is used, without a text the bundled corpus. A file
    packed by xz or gzip is unpacked. Raises `CorpusError` for a text that can't be read.
    """
    if model is None:
        model = load(bundled.model_path(DEFAULT_MODEL))
    lines = read_text(Path(text)) if text is not None else bundled_text()
    rows = bench(model, lines, report)
    return {
        "model": model.name,
        "text": str(text) if text is not None else bundled.PREFIX + bundled.CORPUS,
        "lines": len(lines),
        "bytes": _size(lines),
        "machine": f"{platform.machine()}, {os.cpu_count()} CPUs",
        "python": platform.python_version(),
        "cold_compile_seconds": cold_compile() if cold else None,
        "rows": [asdict(row) for row in rows],
    }


def bench(
    model: Model, lines: Sequence[str], report: Report = silent, rounds: int = ROUNDS
) -> list[Row]:
    """Return how fast `model` encodes lines beside its own library, and what its parts take.

    The first row compares with the library, where it is installed and has one for the format;
    the next ones with the engine's own encoding: the pipeline alone, the segmentation alone, and
    for a Unigram model sampling from the exact law by either road. A BPE model's dropouts stand
    beside the library's encoding without dropout. For a Unigram model of
    SentencePiece that stands beside the library's own sampling too, the marginals, added up by
    piece, beside the library's encoding, and the `PATHS` best paths, and drawing one of them,
    beside the library's, on the first `NBEST_SIZE` bytes, as that takes it long. All go from lines
    to arrays; tables of weights are made anew each time.
    """
    warm_up()
    segmenter, pipeline = model.segmenter, model.pipeline
    ready = pipeline.prepare_lines(lines)
    spans = (ready.data, ready.starts, ready.ends)
    encode, size = "encode", _size(lines)
    jobs: dict[str, Job] = {encode: lambda: model.encode_lines(lines)}
    # The rows: which job beside which other, or beside none.
    pairs: list[tuple[str, str]] = []
    sizes: dict[str, int] = {}
    peer = peer_of(model, lines)
    if peer is not None:
        jobs[peer[0]] = peer[1]
    pairs.append((encode, peer[0] if peer is not None else ""))
    jobs["normalize and pre-tokenize"] = lambda: pipeline.prepare_lines(lines)
    jobs["segment"] = lambda: segmenter.segment(*spans)
    pairs += [("normalize and pre-tokenize", encode), ("segment", encode)]
    if model.bpe is not None:
        for method in BPE_DROPOUTS:
            name = f"{method}, p = {DROPOUT:g}"
            jobs[name] = _sampling(model, lines, method, 1.0)
            pairs.append((name, peer[0] if peer is not None else encode))
    if isinstance(segmenter, Unigram):
        with_library = peer is not None and peer[0] == "sentencepiece"
        whole = "sentencepiece, nbest_size −1, θ = {:g}"
        for method in ("perfect", "ffbs"):
            for theta in THETAS:
                name, other = f"{method} sampling, θ = {theta:g}", whole.format(theta)
                jobs[name] = _sampling(model, lines, method, theta)
                pairs.append((name, encode))
                if with_library:
                    jobs.setdefault(other, _drawn_by_peer(model, lines, -1, theta))
                    pairs.append((name, other))
        jobs["marginals"] = lambda: marginal_lines(model, lines, edges=False)
        pairs.append(("marginals", "sentencepiece" if with_library else encode))
        few = _first(lines, NBEST_SIZE)
        own, other = f"{PATHS} best paths", f"sentencepiece, {PATHS} best"
        drawn, by_peer = f"one of {PATHS} best, θ = 0.1", f"sentencepiece, nbest_size {PATHS}"
        jobs[own], sizes[own] = lambda: nbest_lines(model, few, PATHS), _size(few)
        jobs[drawn], sizes[drawn] = _sampling(model, few, "nbest", 0.1), _size(few)
        if with_library:
            jobs[other] = _sentencepiece_paths(model, few)
            jobs[by_peer] = _drawn_by_peer(model, few, PATHS, 0.1)
        pairs.append((own, other if with_library else ""))
        pairs.append((drawn, by_peer if with_library else ""))
    times = measure(jobs, rounds, report)
    return [_row(name, other, times, sizes.get(name, size)) for name, other in pairs]


def _row(name: str, other: str, times: dict[str, list[float]], size: int) -> Row:
    peers = times.get(other, [float("nan")])
    seconds, peer_seconds = statistics.median(times[name]), statistics.median(peers)
    ratios = [b / a for a, b in zip(times[name], peers, strict=False)]
    return Row(
        name, seconds, other, peer_seconds, peer_seconds / seconds, min(ratios), max(ratios), size
    )


def _sampling(model: Model, lines: Sequence[str], method: str, theta: float) -> Job:
    settings = SamplingSettings(theta, DROPOUT, PATHS)
    return lambda: list(sample_lines(model, lines, method, settings, 0))


def _size(lines: Sequence[str]) -> int:
    return sum(len(line.encode()) for line in lines)


def _first(lines: Sequence[str], size: int) -> list[str]:
    """Return the first lines, as many as have `size` bytes together; at least one."""
    ends = accumulate(len(line.encode()) for line in lines)
    return list(lines[: max(1, sum(1 for _ in takewhile(lambda end: end <= size, ends)))])


def cold_compile() -> float:
    """Return the seconds that a new process takes to compile all kernels, none being cached.

    numba itself and all that it needs are imported in that time.
    """
    root = str(Path(__file__).resolve().parent.parent)
    path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder, "PYTHONPATH": path}
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-c", "from engine.kernels import warm_up; warm_up()"],
            env=environment,
            check=True,
        )
        return time.perf_counter() - start


def measure(jobs: dict[str, Job], rounds: int, report: Report = silent) -> dict[str, list[float]]:
    """Return the seconds of each job by round; they take turns, and a first round isn't timed."""
    times: dict[str, list[float]] = {name: [] for name in jobs}
    total = (rounds + 1) * len(jobs)
    done = 0
    with one_thread():
        for turn in range(rounds + 1):
            for name, job in jobs.items():
                report(done, total)
                start = time.perf_counter()
                job()
                if turn:
                    times[name].append(time.perf_counter() - start)
                done += 1
    report(total, total)
    return times


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep the tokenizers library on one thread."""
    name = "TOKENIZERS_PARALLELISM"
    before = os.environ.get(name)
    os.environ[name] = "false"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def peer_of(model: Model, lines: Sequence[str]) -> tuple[str, Job] | None:
    """Return the name of the model's own library and what encodes the lines with it.

    None where there is no such library for the format, or it isn't installed.
    """
    make = {
        "sentencepiece": _sentencepiece,
        "huggingface": _tokenizers,
        "tiktoken": _tiktoken,
    }.get(model.format)
    if make is None:
        return None
    try:
        return make(model, list(lines))
    except ImportError:
        return None


def _sentencepiece(model: Model, lines: list[str]) -> tuple[str, Job]:
    from sentencepiece import SentencePieceProcessor

    peer = SentencePieceProcessor(model_proto=model.path.read_bytes())
    return "sentencepiece", lambda: peer.encode(lines, num_threads=1)


def _sentencepiece_paths(model: Model, lines: list[str]) -> Job:
    from sentencepiece import SentencePieceProcessor

    peer = SentencePieceProcessor(model_proto=model.path.read_bytes())
    return lambda: [peer.NBestEncodeAsIds(line, PATHS) for line in lines]


def _drawn_by_peer(model: Model, lines: Sequence[str], nbest_size: int, theta: float) -> Job:
    from sentencepiece import SentencePieceProcessor

    peer, texts = SentencePieceProcessor(model_proto=model.path.read_bytes()), list(lines)
    return lambda: peer.encode(
        texts, enable_sampling=True, nbest_size=nbest_size, alpha=theta, num_threads=1
    )


def _tokenizers(model: Model, lines: list[str]) -> tuple[str, Job]:
    from tokenizers import Tokenizer

    peer = Tokenizer.from_buffer(model.path.read_bytes())
    peer.no_padding()
    peer.no_truncation()
    peer.encode_special_tokens = True
    return "tokenizers", lambda: peer.encode_batch_fast(lines, add_special_tokens=False)


def _tiktoken(model: Model, lines: list[str]) -> tuple[str, Job]:
    from tiktoken import Encoding

    vocabulary = model.vocabulary
    usual = (vocabulary.kind == PieceKind.NORMAL).nonzero()[0].tolist()
    peer = Encoding(
        model.name,
        # Without a pattern the model doesn't split, and tiktoken has no word for that.
        pat_str=getattr(model.pipeline, "pattern", "") or r"[\s\S]+",
        mergeable_ranks={vocabulary.bytes(i): i for i in usual},
        special_tokens={},
    )

    def encode() -> list[list[int]]:
        # Not `encode_ordinary_batch`: handing each line to a thread takes it longer than the text.
        encode_ordinary = peer.encode_ordinary
        return [encode_ordinary(line) for line in lines]

    return "tiktoken", encode


def read_text(path: Path) -> list[str]:
    """Return the lines of a UTF-8 file, unpacked if xz or gzip packed it."""
    try:
        data = path.read_bytes()
        if data.startswith(b"\xfd7zXZ\x00"):
            data = lzma.decompress(data)
        elif data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CorpusError(
            "the text isn't UTF-8", f"{path}, byte {error.start}", "save it as UTF-8"
        ) from None
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise cannot_read(CorpusError, "file", path, error) from None
    lines = text.split("\n")
    return lines[:-1] if not lines[-1] else lines


def bundled_text() -> list[str]:
    """Return the lines of the bundled corpus, again and again up to `DEFAULT_SIZE` bytes."""
    corpus = open_corpus(bundled.corpus_path())
    lines = [line for language in corpus.languages for line in corpus.lines(language)]
    size = sum(len(line.encode()) + 1 for line in lines)
    return lines * max(1, DEFAULT_SIZE // size)
