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
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine import bundled
from engine.corpus import open_corpus
from engine.errors import CorpusError
from engine.formats import load
from engine.kernels import warm_up
from engine.model import Model
from engine.pieces import PieceKind
from engine.progress import Report, silent
from engine.rng import key_of
from engine.unigram import Unigram

ROUNDS = 5
DEFAULT_MODEL = "everyday-unigram"
DEFAULT_SIZE = 1 << 20
"""Bytes of text that the bundled corpus is repeated to."""

Job = Callable[[], Any]


@dataclass(frozen=True)
class Row:
    """One measurement beside another.

    seconds, peer_seconds: medians. ratio: how many times as fast as the peer.
    """

    name: str
    seconds: float
    peer: str
    peer_seconds: float
    ratio: float


def run(
    model: Model | None = None, text: str | Path | None = None, report: Report = silent
) -> dict[str, Any]:
    """Time `model` on the lines of a UTF-8 file; return plain data for `bench`.

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
        "bytes": sum(len(line.encode()) for line in lines),
        "machine": f"{platform.machine()}, {os.cpu_count()} CPUs",
        "python": platform.python_version(),
        "rows": [asdict(row) for row in rows],
    }


def bench(
    model: Model, lines: Sequence[str], report: Report = silent, rounds: int = ROUNDS
) -> list[Row]:
    """Return how fast `model` encodes lines beside its own library, and what its parts take.

    The first row compares with the library, where it is installed and has one for the format;
    the others with the engine's own encoding: the pipeline alone, the segmentation alone, and for
    a Unigram model perfect sampling at θ = 1 from lines to ids.
    """
    warm_up()
    segmenter, pipeline = model.segmenter, model.pipeline
    ready = pipeline.prepare_lines(lines)
    spans = (ready.data, ready.starts, ready.ends)
    encode, sampling = "encode", "perfect sampling"
    jobs: dict[str, Job] = {encode: lambda: model.encode_lines(lines)}
    peer = peer_of(model, lines)
    if peer is not None:
        jobs[peer[0]] = peer[1]
    jobs["normalize and pre-tokenize"] = lambda: pipeline.prepare_lines(lines)
    jobs["segment"] = lambda: segmenter.segment(*spans)
    if isinstance(segmenter, Unigram):
        unigram, key = segmenter, key_of(0)

        def sample() -> None:
            again = pipeline.prepare_lines(lines)
            unigram.sample_lines(again.data, again.starts, again.ends, 1.0, key)

        jobs[sampling] = sample
    seconds = measure(jobs, rounds, report)
    rows = []
    for name, own in seconds.items():
        if peer is not None and name == peer[0]:
            continue
        other = peer[0] if name == encode and peer is not None else encode
        if other != name:
            rows.append(Row(name, own, other, seconds[other], seconds[other] / own))
        else:
            rows.append(Row(name, own, "", float("nan"), float("nan")))
    return rows


def measure(jobs: dict[str, Job], rounds: int, report: Report = silent) -> dict[str, float]:
    """Return the median seconds of each job; they take turns, after one round that isn't timed."""
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
    return {name: statistics.median(values) for name, values in times.items()}


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
    return "tiktoken", lambda: peer.encode_ordinary_batch(lines, num_threads=1)


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
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise CorpusError(f"the file can't be read ({reason})", str(path), "check it") from None
    lines = text.split("\n")
    return lines[:-1] if not lines[-1] else lines


def bundled_text() -> list[str]:
    """Return the lines of the bundled corpus, again and again up to `DEFAULT_SIZE` bytes."""
    corpus = open_corpus(bundled.corpus_path())
    lines = [line for language in corpus.languages for line in corpus.lines(language)]
    size = sum(len(line.encode()) + 1 for line in lines)
    return lines * max(1, DEFAULT_SIZE // size)
