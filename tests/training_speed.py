"""Print how fast a vocabulary is trained beside the fastest peer: `python tests/training_speed.py`.

    python tests/training_speed.py [--corpus FILE] [--size N] [--rounds N]

Byte-level BPE with the GPT-4 pattern on one thread. Both train on the same lines, in turn, each in
a process of its own, so that its peak memory is its own; kernels are compiled before. Whether both
learn the same tokens in the same order is told too.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*"
    r"|\s*[\r\n]|\s+(?!\S)|\s+"
)
"""cl100k's pattern in the spelling that the peer's engine reads."""


def lines_of(path: Path) -> list[str]:
    """Return the lines of a text, unpacked where it is packed, with their ends."""
    if path.suffix == ".xz":
        import lzma

        with lzma.open(path, "rt", encoding="utf-8", newline="\n") as file:
            return file.readlines()
    with path.open(encoding="utf-8", newline="\n") as file:
        return file.readlines()


def ours(lines: list[str], size: int) -> tuple[float, list[bytes]]:
    """Train here; return seconds and tokens."""
    from engine.train.bpe import BpeSettings, train_bpe

    settings = BpeSettings(size, tie_break="lowest-ids")
    train_bpe(lines[:20_000], BpeSettings(400, tie_break="lowest-ids"))  # compiles the kernels
    begun = time.perf_counter()
    trained = train_bpe(lines, settings)
    return time.perf_counter() - begun, list(trained.merges.symbols)


def rustbpes(lines: list[str], size: int) -> tuple[float, list[bytes]]:
    """Train in the peer; return seconds and tokens."""
    import rustbpe

    tokenizer = rustbpe.Tokenizer()
    begun = time.perf_counter()
    tokenizer.train_from_iterator(iter(lines), size, pattern=PATTERN)
    seconds = time.perf_counter() - begun
    ranks = sorted(tokenizer.get_mergeable_ranks(), key=lambda pair: pair[1])
    return seconds, [bytes(token) for token, _ in ranks]


def digest(tokens: Iterable[bytes]) -> str:
    """Return a name for a list of tokens."""
    found = hashlib.sha256()
    for token in tokens:
        found.update(len(token).to_bytes(4, "little") + token)
    return found.hexdigest()[:16]


def one(who: str, path: Path, size: int) -> None:
    """Train once and print what it took, for the process that asked."""
    lines = lines_of(path)
    seconds, tokens = (ours if who == "ours" else rustbpes)(lines, size)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    result = {"seconds": seconds, "mb": peak, "tokens": len(tokens), "digest": digest(tokens)}
    print(json.dumps(result))


def corpus_of(given: str) -> Path:
    """Return the corpus: the one given, else the shared one."""
    if given:
        return Path(given)
    named = os.environ.get("SEGSCOPE_SHARED")
    shared = Path(named) if named else ROOT.parent / "shared"
    return shared / "data" / "corpora" / "bench" / "train40.txt.xz"


def main() -> None:
    """Train in turn and print figures and ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", default="", help="a UTF-8 text; xz is unpacked")
    parser.add_argument("--size", type=int, default=32_000, help="pieces")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", choices=("ours", "rustbpe"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    path = corpus_of(given.corpus)
    if given.one:
        one(given.one, path, given.size)
        return
    if not path.is_file():
        raise SystemExit(f"there is no {path}: name a text with --corpus")
    found: dict[str, list[dict[str, float]]] = {"ours": [], "rustbpe": []}
    for _ in range(given.rounds):
        for who, runs in found.items():
            command = [sys.executable, __file__, "--one", who, "--corpus", str(path)]
            done = subprocess.run(
                [*command, "--size", str(given.size)],
                env={**os.environ, "RAYON_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"},
                check=True, capture_output=True, text=True,
            )  # fmt: skip
            runs.append(json.loads(done.stdout.splitlines()[-1]))
    for who, runs in found.items():
        seconds, peak = (statistics.median(run[name] for run in runs) for name in ("seconds", "mb"))
        print(f"{who:8} {seconds:7.2f} s {peak:7.0f} MB  {runs[0]['tokens']:,} tokens")
    ratios = [a["seconds"] / b["seconds"] for a, b in zip(*found.values(), strict=True)]
    memory = [a["mb"] / b["mb"] for a, b in zip(*found.values(), strict=True)]
    spread = f"{min(ratios):.2f}–{max(ratios):.2f}"
    print(
        f"time {statistics.median(ratios):.2f} of the peer's ({spread}), "
        f"memory {statistics.median(memory):.2f}"
    )
    same = {run["digest"] for runs in found.values() for run in runs}
    print("the same tokens in the same order" if len(same) == 1 else "the tokens differ")


if __name__ == "__main__":
    main()
