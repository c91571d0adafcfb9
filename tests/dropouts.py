"""Compare our laws of BPE-dropout with samples of the libraries, on random small models.

    python tests/dropouts.py [--models N] [--draws N] [--seed S]

For each peer and model: how well the library's samples fit our exact law (χ²), and prints for each
peer the number of models, the smallest p-value and the same corrected for their number. Exit code
0: no corrected p-value is below 0.001.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from engine import load  # noqa: E402 - the script finds the project by itself
from engine.goodness import chi_square  # noqa: E402
from engine.sample import sample  # noqa: E402
from tests.engine.cutting import sentencepiece_model  # noqa: E402
from tests.engine.documents import tokenizer, write_json  # noqa: E402
from tests.engine.dropping import Rules, random_merges  # noqa: E402

Draw = Iterator[tuple[str, ...]]


def write_huggingface(merges: Rules, folder: Path) -> Path:
    """Write a tokenizer.json with these merges."""
    names = list(dict.fromkeys(["a", "b", "c", "d", *(a + b for a, b in merges)]))
    vocab = {name: i for i, name in enumerate(names)}
    content = {"type": "BPE", "vocab": vocab, "merges": [list(pair) for pair in merges]}
    return write_json(folder, tokenizer(content))


def draw_huggingface(path: Path, word: str, p: float, draws: int, _seed: int) -> Draw:
    """Draw with the tokenizers library, whose random numbers have no seed."""
    from tokenizers import Tokenizer

    peer = Tokenizer.from_file(str(path))
    peer.model.dropout = p
    for _ in range(draws):
        yield tuple(peer.encode(word).tokens)


def write_sentencepiece(merges: Rules, folder: Path) -> Path:
    """Write a SentencePiece model; it merges whatever joins to a piece."""
    texts = list(dict.fromkeys(a + b for a, b in merges))
    pieces = [("<unk>", 0.0, 2), *((text, -float(i), 1) for i, text in enumerate(texts, 1))]
    pieces += [(letter, -100.0, 1) for letter in "abcd"]
    path = folder / "own.model"
    path.write_bytes(sentencepiece_model(pieces, 2))
    return path


def draw_sentencepiece(path: Path, word: str, p: float, draws: int, seed: int) -> Draw:
    """Draw with the sentencepiece library, where the drop probability is called alpha."""
    import sentencepiece

    sentencepiece.set_random_generator_seed(seed)
    peer = sentencepiece.SentencePieceProcessor(model_file=str(path))
    for _ in range(draws):
        yield tuple(peer.encode(word, out_type=str, enable_sampling=True, alpha=p))


def write_subword_nmt(merges: Rules, folder: Path) -> Path:
    """Write codes; at the end of a word symbols have the mark, so each merge gets a twin."""
    lines = ["#version: 0.2"]
    for a, b in merges:
        lines += [f"{a} {b}", f"{a} {b}</w>"]
    path = folder / "own.codes"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def draw_subword_nmt(path: Path, word: str, p: float, draws: int, seed: int) -> Draw:
    """Draw with the subword-nmt library."""
    from subword_nmt.apply_bpe import BPE

    random.seed(seed)
    peer = BPE(StringIO(path.read_text(encoding="utf-8")))
    for _ in range(draws):
        yield tuple(piece.removesuffix("@@") for piece in peer.segment_tokens([word], dropout=p))


@dataclass(frozen=True)
class Peer:
    """A library: its module, the method that is its law, how to write a model and to draw."""

    module: str
    method: str
    write: Callable[[Rules, Path], Path]
    draw: Callable[[Path, str, float, int, int], Draw]


PEERS = {
    "huggingface": Peer(
        "tokenizers", "bpe-dropout-huggingface", write_huggingface, draw_huggingface
    ),
    "sentencepiece": Peer(
        "sentencepiece", "bpe-dropout-sentencepiece", write_sentencepiece, draw_sentencepiece
    ),
    "subword-nmt": Peer(
        "subword_nmt", "bpe-dropout-subword-nmt", write_subword_nmt, draw_subword_nmt
    ),
}


def compare(
    peer: str,
    merges: Rules,
    word: str,
    p: float,
    draws: int,
    folder: Path,
    method: str = "",
    seed: int = 1,
) -> float:
    """Return the p-value of the library's samples under our law; 0 where it gives what we don't.

    method: of another law than the peer's own. 1 where there is but one way to cut the word.
    """
    library = PEERS[peer]
    path = library.write(merges, folder)
    lattice = load(path).lattice(word)
    exact = sample(lattice, method or library.method, dropout=p).exact
    if exact is None:
        raise ValueError(f"the law of {word!r} has too many segmentations")
    law = {tuple(piece.removesuffix("</w>") for piece in path.pieces): path for path in exact}
    counts = Counter(library.draw(path, word, p, draws, seed))
    if not counts.keys() <= law.keys():
        return 0.0
    observed = np.array([counts[cut] for cut in law])
    test = chi_square(observed, np.array([path.probability for path in law.values()]))
    return 1.0 if test is None else test.p_value


def main() -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(description="Compare laws of BPE-dropout with the libraries.")
    parser.add_argument("--models", type=int, default=100)
    parser.add_argument("--draws", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    worst = 1.0
    for name in PEERS:
        rng = random.Random(arguments.seed)
        values = []
        with tempfile.TemporaryDirectory() as folder:
            for i in range(arguments.models):
                merges = random_merges(rng, "abc", 10)
                word = "".join(rng.choice("abc") for _ in range(rng.randint(2, 6)))
                p = rng.choice([0.1, 0.3, 0.5, 0.8])
                at = Path(folder)
                values.append(
                    compare(name, merges, word, p, arguments.draws, at, seed=arguments.seed + i)
                )
        lowest = min(values)
        corrected = min(1.0, lowest * len(values))
        worst = min(worst, corrected)
        print(f"{name}: {len(values)} models, smallest p {lowest:.3g}, corrected {corrected:.3g}")
    return 0 if worst >= 0.001 else 1


if __name__ == "__main__":
    sys.exit(main())
