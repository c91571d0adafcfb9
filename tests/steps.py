"""Compare where the step-by-step encode ends with what the models' own libraries give.

    python tests/steps.py [--models FOLDER] [--texts FOLDER] [--only NAME] [--languages N]

By default every line of every UDHR file with every BPE model. A line is made ready for the model;
each of its pre-tokens is traced merge by merge, as the Merges workspace shows it
(`engine.traces.merges`), equal pre-tokens once a model; and the pieces in the last states of a
line's traces are compared with the ids of the library.

Prints a row a model: lines compared, different pre-tokens traced, their steps, lines that differ,
and pre-tokens whose tokens a noted rule makes of the last state (`engine.trace.MergeNote`).
Exit code 0: nothing differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from engine.kernels import warm_up  # noqa: E402 - the script finds the project by itself
from engine.model import Model  # noqa: E402
from engine.pipeline import Prepared, source_of_identity  # noqa: E402
from engine.subword_nmt import SubwordNmt  # noqa: E402
from engine.text import Text  # noqa: E402
from engine.traces.merges import MergeTrace, trace_merges  # noqa: E402
from tests.conformance import find_models, open_model, read_texts  # noqa: E402
from tests.peers import PEERS, Peer  # noqa: E402

BATCH = 4000
"""Pre-tokens in one trace."""


@dataclass
class Ends:
    """Where the traces of a model's pre-tokens end: ids by the pre-token's bytes."""

    model: Model
    ids: dict[bytes, list[int]] = field(default_factory=dict)
    steps: int = 0
    notes: Counter[str] = field(default_factory=Counter)

    def of_lines(self, lines: Sequence[str]) -> list[list[int]]:
        """Return the ids in the last states of each line's traces."""
        ready = self.model.pipeline.prepare_lines(lines)
        data = ready.data.tobytes()
        spans = zip(ready.starts.tolist(), ready.ends.tolist(), strict=True)
        words = [data[start:end] for start, end in spans]
        fixed = ready.fixed.tolist()
        new = {w for w, piece in zip(words, fixed, strict=True) if piece < 0} - self.ids.keys()
        wanted = sorted(new)
        for at in range(0, len(wanted), BATCH):
            self._trace(wanted[at : at + BATCH])
        cuts = ready.line_cuts.tolist()
        found = []
        for first, last in pairwise(cuts):
            line: list[int] = []
            for word, piece in zip(words[first:last], fixed[first:last], strict=True):
                line += self.ids[word] if piece < 0 else [piece]
            found.append(line)
        return found

    def _trace(self, words: list[bytes]) -> None:
        # A trace wants to know where bytes come from; here they come from nowhere else.
        data = np.frombuffer(b"".join(words), dtype=np.uint8)
        cuts = np.cumsum([0, *map(len, words)]).astype(np.int32)
        source = source_of_identity(Text("?" * len(data)))
        fixed = np.full(len(words), -1, dtype=np.int32)
        trace = trace_merges(self.model, Prepared(Text(""), data, cuts, fixed, *source))
        self.steps += len(trace)
        last = trace.state(len(trace))
        places = np.searchsorted(last.start, cuts).tolist()
        pieces = last.piece.tolist()
        for i, word in enumerate(words):
            self.ids[word] = pieces[places[i] : places[i + 1]]
        self._apply_notes(trace, words)

    def _apply_notes(self, trace: MergeTrace, words: list[bytes]) -> None:
        segmenter = self.model.bpe
        if isinstance(segmenter, SubwordNmt):
            for word in words:
                ids = self.ids[word]
                if len(ids) > 1 and ids[-1] == segmenter.mark:
                    ids.pop()
                if ids:
                    ids[-1] = int(segmenter.final[ids[-1]])
        for note in trace.notes:
            self.notes[note.rule] += 1


@dataclass
class Result:
    """What came of one model."""

    model: str
    lines: int = 0
    tokens: int = 0
    words: int = 0
    steps: int = 0
    different: int = 0
    notes: Counter[str] = field(default_factory=Counter)
    first: str = ""
    seconds: float = 0.0


def compare(model: Model, peer: Peer, texts: dict[str, list[str]], name: str) -> Result:
    """Compare a model's traces with its library over the lines of all texts."""
    begun = time.perf_counter()
    result, ends = Result(name), Ends(model)
    for text, lines in texts.items():
        both = zip(ends.of_lines(lines), peer.encode(lines), strict=True)
        for number, (ours, theirs) in enumerate(both, start=1):
            result.lines += 1
            result.tokens += len(theirs)
            if ours != theirs:
                result.different += 1
                result.first = result.first or f"{text} line {number}: {ours[:8]}, {theirs[:8]}"
    result.words, result.steps, result.notes = len(ends.ids), ends.steps, ends.notes
    result.seconds = time.perf_counter() - begun
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
    paths = [path for path in find_models(chosen.models) if chosen.only in str(path)]
    print(f"{len(texts)} texts, {sum(map(len, texts.values())):,} lines")
    columns = ("lines", "tokens", "pre-tokens", "steps", "lines ≠", "s")
    print(f"{'model':<44}" + "".join(f"{name:>13}" for name in columns), flush=True)
    compared = different = 0
    for path in paths:
        model = open_model(path)
        if model.bpe is None:
            continue
        peer = PEERS[model.format](path)
        result = compare(model, peer, texts, f"{path.parent.name}/{path.name}")
        figures = (result.lines, result.tokens, result.words, result.steps, result.different)
        row = "".join(f"{n:>13,}" for n in (*figures, round(result.seconds)))
        print(f"{result.model:<44}{row}", flush=True)
        for rule, count in result.notes.items():
            print(f"    {count:,} pre-tokens with the note {rule!r}", flush=True)
        if result.first:
            print(f"    {result.first}", flush=True)
        compared, different = compared + result.lines, different + result.different
    if not compared:
        print("no BPE models or no texts found", file=sys.stderr)
        return 2
    print(f"{compared:,} lines compared, {different} differ")
    return 1 if different else 0


if __name__ == "__main__":
    warm_up()
    raise SystemExit(main())
