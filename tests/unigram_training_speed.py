"""Print how fast a Unigram vocabulary is trained beside SentencePiece, and how well it cuts.

    python tests/unigram_training_speed.py [--corpus FILE] [--held-out FILE] [--size N] [--rounds N]

Both train on the same lines by SentencePiece's defaults with byte fallback, on one thread, in turn,
each in a process of its own, so that its peak memory is its own; kernels are compiled before. Both
vocabularies are then read by SentencePiece, and cut a text that neither was trained on. On the
whole corpus the peer takes minutes: `--every 10` takes a tenth of its lines.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.training_speed import lines_of  # noqa: E402


def ours(lines: list[str], size: int, output: Path) -> tuple[float, float]:
    """Train here and save; return seconds, and those of the processor."""
    from engine.train.save import save
    from engine.train.unigram import UnigramSettings, train_unigram

    settings = UnigramSettings(size, byte_fallback=True)
    train_unigram(lines[:2_000], UnigramSettings(3_000, coverage=0.99))  # compiles the kernels
    begun = time.perf_counter(), time.process_time()
    save(train_unigram(lines, settings), output)
    return time.perf_counter() - begun[0], time.process_time() - begun[1]


def sentencepieces(lines: list[str], size: int, output: Path) -> tuple[float, float]:
    """Train in the peer and save; return seconds, and those of the processor."""
    import sentencepiece

    begun = time.perf_counter(), time.process_time()
    with output.open("wb") as file:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=(line.rstrip("\n") for line in lines),
            model_writer=file,
            model_type="unigram",
            vocab_size=size,
            byte_fallback=True,
            num_threads=1,
            max_sentence_length=1 << 24,  # else it leaves long lines out
            minloglevel=2,
        )
    return time.perf_counter() - begun[0], time.process_time() - begun[1]


def one(given: argparse.Namespace) -> None:
    """Train once and print what it took, for the process that asked."""
    lines = lines_of(given.corpus)[:: given.every]
    train = ours if given.one == "ours" else sentencepieces
    seconds, processor = train(lines, given.size, given.output)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "processor": processor, "mb": peak}))


def tokens_of(model: Path, lines: list[str]) -> int:
    """Return how many tokens SentencePiece cuts lines into with a model."""
    from sentencepiece import SentencePieceProcessor

    processor = SentencePieceProcessor(model_file=str(model))
    return sum(map(len, processor.encode([line.rstrip("\n") for line in lines])))


def main() -> None:
    """Train in turn and print figures and ratios."""
    named = os.environ.get("SEGSCOPE_SHARED")
    bench = (Path(named) if named else ROOT.parent / "shared") / "data" / "corpora" / "bench"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, default=bench / "train40.txt.xz")
    parser.add_argument("--held-out", type=Path, default=bench / "eval5.txt.xz")
    parser.add_argument("--size", type=int, default=32_000, help="pieces")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--every", type=int, default=1, help="take each n-th line of the corpus")
    parser.add_argument("--one", choices=("ours", "sentencepiece"), help=argparse.SUPPRESS)
    parser.add_argument("--output", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        one(given)
        return
    for path in (given.corpus, given.held_out):
        if not path.is_file():
            raise SystemExit(f"there is no {path}: name a text with --corpus and --held-out")
    found: dict[str, list[dict[str, float]]] = {"ours": [], "sentencepiece": []}
    held_out = lines_of(given.held_out)
    with tempfile.TemporaryDirectory() as folder:
        models = {who: Path(folder, f"{who}.model") for who in found}
        for _ in range(given.rounds):
            for who, runs in found.items():
                done = subprocess.run(
                    [
                        sys.executable, __file__, "--one", who, "--corpus", str(given.corpus),
                        "--size", str(given.size), "--every", str(given.every),
                        "--output", str(models[who]),
                    ],
                    env={**os.environ, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"},
                    check=True, capture_output=True, text=True,
                )  # fmt: skip
                runs.append(json.loads(done.stdout.splitlines()[-1]))
        tokens = {who: tokens_of(model, held_out) for who, model in models.items()}
    for who, runs in found.items():
        row = [statistics.median(run[key] for run in runs) for key in runs[0]]
        print(
            f"{who:14} {row[0]:7.2f} s ({row[1]:.2f} s of the processor) {row[2]:6.0f} MB  "
            f"{tokens[who]:,} tokens of the held-out text"
        )
    for key, name in (("seconds", "time"), ("processor", "processor"), ("mb", "memory")):
        ratios = [a[key] / b[key] for a, b in zip(*found.values(), strict=True)]
        spread = f" ({min(ratios):.3f}–{max(ratios):.3f})" if len(ratios) > 1 else ""
        print(f"{name:10} {statistics.median(ratios):.3f} of the peer's{spread}")
    print(f"{'tokens':10} {tokens['ours'] / tokens['sentencepiece']:.4f} of the peer's")


if __name__ == "__main__":
    main()
