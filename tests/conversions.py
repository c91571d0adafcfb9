"""Convert real models to every format that can hold them, and compare with the formats' libraries.

    python tests/conversions.py [--models FOLDER] [--texts FOLDER] [--only NAME] [--languages N]

Each new file is opened by the library of its format, which must give the ids that the old model's
own library gives for the old file, on some lines in each of N languages. Prints a row for each
pair of model and format: lines compared and lines that differ, or why the format can't hold the
model. Exit code 0: nothing differs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from engine.convert import FORMATS, convert  # noqa: E402 - the script finds the project by itself
from engine.convert.patterns import pattern_of  # noqa: E402
from engine.encodings import PATTERNS  # noqa: E402
from engine.errors import ParameterError  # noqa: E402
from engine.kernels import warm_up  # noqa: E402
from engine.model import Model  # noqa: E402
from tests.conformance import find_models, open_model, read_texts  # noqa: E402
from tests.peers import PEERS  # noqa: E402

LINES = 8


def converted_ids(model: Model, name: str, folder: Path, texts: Sequence[str]) -> list[list[int]]:
    """Convert a model and return what the library of the new format makes of texts."""
    path = folder / ("vocab.json" if name == "gpt2" else f"new{''.join(FORMATS[name].endings[:1])}")
    if name == "bert":
        # The peer goes by the name.
        casing = "uncased" if "lowercase" in model.pipeline.normalizer else "cased"
        path = folder / f"{casing}_vocab.txt"
    convert(model, path, name)
    if name == "tiktoken":
        return _of_ranks(model, path, texts)
    return PEERS[name](path).encode(texts)


def _of_ranks(model: Model, path: Path, texts: Sequence[str]) -> list[list[int]]:
    from tiktoken import Encoding
    from tiktoken.load import load_tiktoken_bpe

    pattern = pattern_of(model, name := "tiktoken")
    encoding = Encoding(
        name,
        pat_str=PATTERNS.get(pattern, pattern) or r"(?s:.+)",
        mergeable_ranks=load_tiktoken_bpe(str(path)),
        special_tokens={},
    )
    return encoding.encode_ordinary_batch(list(texts))


def compare(path: Path, name: str, texts: Sequence[str]) -> int:
    """Convert one model to one format; return how many texts differ. Raises `ParameterError`."""
    model = open_model(path)
    with TemporaryDirectory() as folder:
        theirs = converted_ids(model, name, Path(folder), texts)
    ours = PEERS[model.format](path).encode(texts)
    if model.format == "subword-nmt":
        # The two unknown tokens of codes are one in other formats.
        ours = [[0 if i == 1 else i for i in row] for row in ours]
    return sum(one != two for one, two in zip(ours, theirs, strict=True))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 if anything differs."""
    shared = ROOT.parent / "shared" / "data"
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--models", type=Path, default=shared / "models")
    parser.add_argument("--texts", type=Path, default=shared / "corpora" / "udhr")
    parser.add_argument("--only", default="", help="part of the path of the models to convert")
    parser.add_argument("--languages", type=int, default=60, help="that many of the texts")
    chosen = parser.parse_args(arguments)
    lines = read_texts(chosen.texts, chosen.languages)
    texts = [line for language in lines.values() for line in language[4 : 4 + LINES]]
    different = pairs = 0
    for path in find_models(chosen.models):
        if chosen.only not in str(path):
            continue
        for name in FORMATS:
            row = f"{path.parent.name}/{path.name:<34} {name:<14}"
            try:
                found = compare(path, name, texts)
            except ParameterError as error:
                print(f"{row} {error.what}"[:200], flush=True)
                continue
            pairs += 1
            different += found
            print(f"{row} {len(texts):,} lines, {found} differ", flush=True)
    print(f"{pairs} conversions, {different} differences")
    return 1 if different or not pairs else 0


if __name__ == "__main__":
    warm_up()
    raise SystemExit(main())
