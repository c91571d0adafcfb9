"""Print how fast WordPiece and BytePiece vocabularies are trained beside their libraries.

    python tests/piece_training_speed.py [wordpiece|bytepiece|both] [--corpus FILE]
        [--held-out FILE] [--part N] [--size N] [--rounds N] [--bytepiece-python PATH]

All train on the same lines, every Nth of the corpus, in turn, each in a process of its own with one
thread; kernels are compiled before. The time is that of the CPU. Each vocabulary is then used to
cut every fifth line of the held-out text: fewer tokens are better compression. BytePiece's library
doesn't install everywhere: name a Python that has it.
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
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

HELD_OUT_PART = 5
SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
SETTINGS: dict[str, dict[str, Any]] = {
    "likelihood": {},
    "likelihood 100": {"least": 100},
    "frequency": {"select": "frequency"},
}
"""WordPiece's rules that are timed: the default, a higher lowest count, and the library's."""


def lines_of(path: Path, part: int) -> list[str]:
    """Return every so many-th line of a text, unpacked where it is packed, with its end."""
    if path.suffix == ".xz":
        import lzma

        with lzma.open(path, "rt", encoding="utf-8", newline="\n") as file:
            return file.readlines()[::part]
    with path.open(encoding="utf-8", newline="\n") as file:
        return file.readlines()[::part]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU's seconds and the result of some work."""
    begun = time.process_time()
    result = work()
    return time.process_time() - begun, result


def bert(tokenizer: Any) -> Any:
    """Return a tokenizer of the library with BERT's two steps, cased."""
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer

    tokenizer.normalizer = BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    return tokenizer


def wordpiece(rule: str, lines: list[str], size: int, out: Path) -> float:
    """Train a WordPiece vocabulary here; return seconds."""
    sys.path.insert(0, str(ROOT))
    from engine.train.save import save
    from engine.train.wordpiece import WordPieceSettings, train_wordpiece

    settings = WordPieceSettings(size, **SETTINGS[rule])
    least = WordPieceSettings(100_000, **SETTINGS[rule])
    train_wordpiece(lines[:2_000], least)  # compiles the kernels
    seconds, trained = timed(lambda: train_wordpiece(lines, settings))
    save(trained, out, "huggingface")
    return seconds


def tokenizers(lines: list[str], size: int, out: Path) -> float:
    """Train one by the `tokenizers` library; return seconds."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.trainers import WordPieceTrainer

    tokenizer = bert(Tokenizer(WordPiece(unk_token="[UNK]")))
    trainer = WordPieceTrainer(vocab_size=size, special_tokens=list(SPECIALS), show_progress=False)
    seconds, _ = timed(lambda: tokenizer.train_from_iterator(lines, trainer))
    tokenizer.save(str(out))
    return seconds


def bytepiece(lines: list[str], size: int, out: Path) -> float:
    """Train a BytePiece vocabulary here; return seconds."""
    sys.path.insert(0, str(ROOT))
    from engine.train.bytepiece import BytePieceSettings, train_bytepiece
    from engine.train.save import save

    train_bytepiece(lines[:300], BytePieceSettings(600))  # compiles the kernels
    seconds, trained = timed(lambda: train_bytepiece(lines, BytePieceSettings(size)))
    save(trained, out, "bytepiece")
    return seconds


def library(lines: list[str], size: int, out: Path) -> float:
    """Train one by the `bytepiece` library; return seconds."""
    from bytepiece import Trainer

    class Texts:
        def __iter__(self) -> Any:
            return iter(lines)

    def train() -> None:
        trainer = Trainer(order=6, max_vocab_size=size, min_count=2, ensure_unicode=True)
        trainer.train(Texts(), workers=1, batch_size=1000)
        trainer.save(str(out))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds, _ = timed(train)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds + after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def one(who: str, corpus: Path, part: int, size: int, out: Path) -> None:
    """Train once and print what it took, for the process that asked."""
    lines = lines_of(corpus, part)
    if who in SETTINGS:
        seconds = wordpiece(who, lines, size, out)
    else:
        seconds = {"tokenizers": tokenizers, "ours": bytepiece, "bytepiece": library}[who](
            lines, size, out
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "mb": peak}))


def cut(path: Path, lines: list[str]) -> tuple[int, int, int]:
    """Return pieces of a vocabulary, tokens of the lines, and how many of these are unknown."""
    sys.path.insert(0, str(ROOT))
    import engine

    model = engine.load(path)
    ids = model.encode_lines(lines).ids
    unknown = getattr(model.segmenter, "unknown", -1)
    return len(model.vocabulary), len(ids), int((ids == unknown).sum())


def compare(who: list[str], peer: str, given: argparse.Namespace, pythons: dict[str, str]) -> None:
    """Train in turn and print figures and ratios to the peer."""
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in (*who, peer)}
    held_out = lines_of(given.held_out, HELD_OUT_PART)
    with tempfile.TemporaryDirectory() as folder:
        out = {name: Path(folder) / f"{name}.model" for name in runs}
        for _ in range(given.rounds):
            for name, found in runs.items():
                done = subprocess.run(
                    [pythons.get(name, sys.executable), __file__, "--one", name, "--corpus",
                     str(given.corpus), "--part", str(given.part), "--size", str(given.size),
                     "--out", str(out[name])],
                    env={**os.environ, "RAYON_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"},
                    check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                )  # fmt: skip
                found.append(json.loads(done.stdout.splitlines()[-1]))
        cuts = {name: cut(out[name], held_out) for name in runs}
    for name, found in runs.items():
        seconds, peak = (statistics.median(run[key] for run in found) for key in ("seconds", "mb"))
        pieces, tokens, unknown = cuts[name]
        ratio = statistics.median(
            run["seconds"] / theirs["seconds"]
            for run, theirs in zip(found, runs[peer], strict=True)
        )
        print(
            f"{name:15} {seconds:7.2f} s ({ratio:.2f}) {peak:6.0f} MB {pieces:7,} pieces, held out "
            f"{tokens:9,} tokens ({tokens / cuts[peer][1]:.4f}), {unknown:,} unknown"
        )


def corpus_of(name: str) -> Path:
    """Return a corpus of the shared ones."""
    named = os.environ.get("SEGSCOPE_SHARED")
    shared = Path(named) if named else ROOT.parent / "shared"
    return shared / "data" / "corpora" / "bench" / name


def main() -> None:
    """Compare what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "what", nargs="?", choices=("wordpiece", "bytepiece", "both"), default="both"
    )
    parser.add_argument("--corpus", type=Path, default=corpus_of("train40.txt.xz"))
    parser.add_argument("--held-out", type=Path, default=corpus_of("eval5.txt.xz"))
    parser.add_argument("--part", type=int, default=5, help="every Nth line of the corpus")
    parser.add_argument("--size", type=int, default=32_000, help="pieces")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--bytepiece-python", default="", help="a Python that has bytepiece")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        one(given.one, given.corpus, given.part, given.size, given.out)
        return
    for path in (given.corpus, given.held_out):
        if not path.is_file():
            raise SystemExit(f"there is no {path}: name a text with --corpus or --held-out")
    if given.what != "bytepiece":
        compare(list(SETTINGS), "tokenizers", given, {})
    if given.what != "wordpiece":
        if not given.bytepiece_python:
            raise SystemExit("name a Python that has bytepiece with --bytepiece-python")
        compare(["ours"], "bytepiece", given, {"bytepiece": given.bytepiece_python})


if __name__ == "__main__":
    main()
