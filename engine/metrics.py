r"""Compression by language: how many characters, bytes and tokens the same lines take.

Counts are taken line by line, without the line's end, and summed over the lines; ratios are
ratios of sums. Definitions:

- chars: code points of the lines as given, not normalized. bytes: their UTF-8 bytes. graphemes:
  extended grapheme clusters of UAX 29. words: maximal runs without white space, `\S+`; where a
  script doesn't put spaces between words this is not a count of words.
- tokens: ids of all lines, each encoded on its own, special strings read as text and no special
  tokens added.
- chars_per_token, bytes_per_token, graphemes_per_token: the compression ratio. Bytes per token
  flatters scripts whose characters take three bytes; the other two are more even.
- tokens_per_word: fertility (Rust et al., 2021), with the words above.
- premium: tokens of a language over tokens of the base language on the same content (Petrov et
  al., 2023): the sum over the lines that neither of the two leaves empty. Where no line is empty
  these are all lines. Undefined where the files have different numbers of lines.
- unknown_tokens: tokens that are the model's unknown token. Where there are many, a compression
  ratio says nothing: what can't be written costs little.
- unknown_chars: code points that the model writes as its unknown token or leaves out.
- round_trip_failures: lines that aren't what the decoded ids give, compared byte by byte.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.corpus import Corpus, Language, open_corpus
from engine.errors import CorpusError, CoverageError, ParameterError
from engine.model import Batch, Encoding, Model
from engine.premium import language_premium, premium_of, without_premium
from engine.progress import Report, silent
from engine.text import Text

COLUMNS = ("tokens", "characters", "bytes", "graphemes", "words", "unknown", "round-trip")
DEFAULT_COLUMNS = ("tokens", "characters", "bytes")

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Row:
    """The figures of one model on one language.

    What wasn't asked for is None (counts) or NaN (ratios); a ratio over nothing is NaN.
    """

    model: str
    language: str
    lines: int
    chars: int | None
    bytes: int | None
    graphemes: int | None
    words: int | None
    tokens: int | None
    chars_per_token: float
    bytes_per_token: float
    graphemes_per_token: float
    tokens_per_word: float
    premium: float
    unknown_tokens: int | None
    unknown_chars: int | None
    round_trip_failures: int | None


@dataclass(frozen=True, eq=False)
class LineCounts:
    """Counts of each line, int64[lines]; None for what wasn't asked for.

    content: bool[lines], False for lines that are empty or blank.
    """

    content: NDArray[np.bool_]
    chars: Counts | None = None
    bytes: Counts | None = None
    graphemes: Counts | None = None
    words: Counts | None = None
    tokens: Counts | None = None
    unknown_tokens: Counts | None = None
    unknown: Counts | None = None
    failed: Counts | None = None


@dataclass(frozen=True, eq=False)
class Comparison:
    """What `compare` found: rows by model, then by language, in the order given.

    models: names, told apart by a number where two are equal. base: code of the language that
    premiums rest on, empty for none. warnings: what a reader of the figures should know.
    """

    models: tuple[str, ...]
    corpus: Corpus
    base: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    warnings: tuple[str, ...]
    counts: dict[tuple[str, str], LineCounts]

    def row(self, model: str, language: str) -> Row:
        """Return the row of a model's name and a language's code."""
        codes = [one.code for one in self.corpus]
        return self.rows[self.models.index(model) * len(codes) + codes.index(language)]

    @property
    def figures(self) -> tuple[str, ...]:
        """Names of the fields of `Row` that hold a figure anywhere, in their order."""
        names = [name for name in Row.__dataclass_fields__ if name not in ("model", "language")]
        values = {name: [getattr(row, name) for row in self.rows] for name in names}
        return tuple(n for n in names if any(v is not None and v == v for v in values[n]))

    def line_tokens(self, model: str, language: str) -> Counts:
        """Return the tokens of each line, int64[lines]."""
        tokens = self.counts[model, language].tokens
        if tokens is None:
            raise ParameterError("tokens weren't counted", "columns", "add tokens to the columns")
        return tokens

    def by_line(self, model: str, language: str) -> tuple[Row, ...]:
        """Return a row for each line of a language, with the definitions of a whole file's."""
        counts = self.counts[model, language]
        base = self.counts[model, self.base].tokens if self.base else None
        aligned = bool(self.base) and self.corpus.aligned(language, self.base)
        return tuple(
            _row(
                model,
                language,
                1,
                _line(counts, i),
                premium_of(_part(counts.tokens, i), _part(base, i), None) if aligned else math.nan,
            )
            for i in range(len(self.corpus.lines(language)))
        )

    def _repr_html_(self) -> str:
        from engine.notebook import comparison_html

        return comparison_html(self)


def compare(
    models: Model | Sequence[Model],
    corpus: Corpus | str | Path | Iterable[str | Path],
    base: str | None = None,
    columns: Sequence[str] = DEFAULT_COLUMNS,
    report: Report = silent,
    executor: Executor | None = None,
) -> Comparison:
    """Count what each language of a corpus takes in each model; definitions at the module's top.

    base: the language's code that premiums rest on; by default the corpus's own base (its
    manifest's, else English in a parallel folder), if it has one. columns: what to compute, of
    `COLUMNS`. report: counts files, once per model. executor: runs the files in parallel where
    given. Raises `ParameterError` for an unknown column, `CorpusError` for an unknown base.
    """
    given = [models] if isinstance(models, Model) else list(models)
    if not given:
        raise ParameterError("no model to compare", "", "give one or more")
    wanted = check_columns(columns)
    if not isinstance(corpus, Corpus):
        corpus = open_corpus(corpus)
    if base:
        base = corpus.language(base).code
    else:
        base = corpus.standard
    names = _names(given)
    work = _work(given, names, corpus, wanted)
    counts = _in_parallel(work, executor, report) if executor else _one_by_one(work, report)
    return _comparison(names, corpus, base, wanted, counts)


def rebase(comparison: Comparison, base: str) -> Comparison:
    """Return the comparison with premiums over another base language; nothing is counted again."""
    corpus, counts = comparison.corpus, comparison.counts
    code = corpus.language(base).code if base else ""
    rows = tuple(
        replace(row, premium=language_premium(counts, corpus, row.model, row.language, code))
        for row in comparison.rows
    )
    return replace(comparison, base=code, rows=rows, warnings=_warnings(corpus, code, counts))


def _comparison(
    names: tuple[str, ...],
    corpus: Corpus,
    base: str,
    columns: tuple[str, ...],
    counts: dict[tuple[str, str], LineCounts],
) -> Comparison:
    rows: list[Row] = []
    for name in names:
        for language in corpus:
            premium = language_premium(counts, corpus, name, language.code, base)
            total = _total(counts[name, language.code])
            size = len(corpus.lines(language))
            rows.append(_row(name, language.code, size, total, premium))
    warnings = _warnings(corpus, base, counts)
    return Comparison(names, corpus, base, columns, tuple(rows), warnings, counts)


def check_columns(columns: Iterable[str]) -> tuple[str, ...]:
    """Return the columns asked for in the order of `COLUMNS`; `all` stands for every one."""
    alias = {"chars": "characters", "round_trip": "round-trip", "round trip": "round-trip"}
    wanted = {alias.get(column, column) for column in columns}
    if "all" in wanted:
        return COLUMNS
    unknown = sorted(wanted.difference(COLUMNS))
    if unknown:
        raise ParameterError(
            f"there is no column {unknown[0]!r}", "columns", f"choose of {', '.join(COLUMNS)}"
        )
    return tuple(column for column in COLUMNS if column in wanted)


def count_text(lines: Sequence[str], columns: Sequence[str]) -> LineCounts:
    """Return the counts of lines that no model is needed for."""
    return LineCounts(
        content=np.fromiter((bool(line.strip()) for line in lines), np.bool_, len(lines)),
        chars=_each(len, lines) if "characters" in columns else None,
        bytes=_each(lambda line: len(line.encode()), lines) if "bytes" in columns else None,
        graphemes=_each(count_graphemes, lines) if "graphemes" in columns else None,
        words=_each(lambda line: len(line.split()), lines) if "words" in columns else None,
    )


def count_graphemes(line: str) -> int:
    """Return the number of extended grapheme clusters of a string."""
    if line.isascii() and "\r" not in line:
        return len(line)
    import regex

    return len(regex.findall(r"\X", line))


def count_unknown_tokens(model: Model, batch: Batch) -> Counts:
    """Return how many tokens of each text are the unknown token, int64[texts]."""
    before = np.concatenate(([0], np.cumsum(batch.ids == model.spelling.unknown)))
    if model.spelling.unknown < 0:
        before[:] = 0
    return np.diff(before[batch.offsets])


def count_unknown(model: Model, lines: Sequence[str], ids: Sequence[NDArray[np.int32]]) -> Counts:
    """Return how many code points of each line the model can't write, int64[lines].

    ids: the ids of each line. Looks closely only at lines where something can be unknown.
    """
    unknown = model.spelling.unknown
    lengths = model.vocabulary.lengths
    found = np.zeros(len(lines), dtype=np.int64)
    for i, line in enumerate(lines):
        if unknown >= 0:
            doubtful = bool((ids[i] == unknown).any())
        else:
            # Where nothing stands for what is unknown, it shows by what the pieces don't spell.
            doubtful = int(lengths[ids[i]].sum()) != len(line.encode())
        if doubtful:
            found[i] = np.count_nonzero(unwritten(model, model.encode(line)))
    return found


def unwritten(model: Model, encoding: Encoding) -> NDArray[np.bool_]:
    """Return which code points of a text its tokens don't write, bool[n_chars].

    These are written as the unknown token, or no token covers them: the pieces lack them, or the
    split pattern leaves them out. White space that a pre-tokenizer drops, and what a normalizer
    removes, doesn't count: the model was never meant to see it.
    """
    prepared = encoding.prepared
    text = prepared.text
    if not text.n_bytes:
        return np.zeros(0, dtype=np.bool_)
    lost = np.ones(len(prepared.data), dtype=np.bool_)
    known = encoding.ids != model.spelling.unknown
    for start, end in zip(
        encoding.node_start[known].tolist(), encoding.node_end[known].tolist(), strict=True
    ):
        lost[start:end] = False
    first, last = prepared.source_start, prepared.source_end
    chars = _touched(text, first[lost], last[lost])
    if not model.pipeline.normalizer:
        chars |= ~(_touched(text, first, last) | _white_space(text))
    return chars


def _touched(text: Text, start: NDArray[np.int32], end: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return which code points the byte spans touch, bool[n_chars]."""
    steps = np.zeros(text.n_bytes + 1, dtype=np.int64)
    np.add.at(steps, start, 1)
    np.add.at(steps, end, -1)
    inside = np.cumsum(steps)[:-1] > 0
    return np.logical_or.reduceat(inside, text.char_bounds[:-1])


def _white_space(text: Text) -> NDArray[np.bool_]:
    return np.array([char.isspace() for char in text.string], dtype=np.bool_)


def count_failures(model: Model, lines: Sequence[str], ids: Sequence[NDArray[np.int32]]) -> Counts:
    """Return 1 for each line that its decoded ids don't give back, else 0, int64[lines]."""
    failed = [
        model.decode(line_ids.tolist()) != line.encode()
        for line, line_ids in zip(lines, ids, strict=True)
    ]
    return np.array(failed, dtype=np.int64)


Job = tuple[tuple[str, str], Callable[[], LineCounts]]


def _work(
    models: Sequence[Model], names: Sequence[str], corpus: Corpus, columns: tuple[str, ...]
) -> list[Job]:
    """Return one job for each model and language."""
    texts: dict[str, LineCounts] = {}

    def text_counts(language: Language) -> LineCounts:
        # The text's own counts are the same for all models.
        if language.code not in texts:
            texts[language.code] = count_text(corpus.lines(language), columns)
        return texts[language.code]

    def job(model: Model, language: Language) -> Callable[[], LineCounts]:
        def run() -> LineCounts:
            try:
                return _count(model, corpus.lines(language), columns, text_counts(language))
            except CoverageError as error:
                raise uncovered_line(error, model, language, error.line) from None

        return run

    return [
        ((name, language.code), job(model, language))
        for model, name in zip(models, names, strict=True)
        for language in corpus
    ]


def _count(
    model: Model, lines: Sequence[str], columns: tuple[str, ...], text: LineCounts
) -> LineCounts:
    if not {"tokens", "unknown", "round-trip"}.intersection(columns):
        return text
    batch = model.encode_lines(lines)
    ids = [batch[i] for i in range(len(batch))]
    return LineCounts(
        text.content,
        text.chars,
        text.bytes,
        text.graphemes,
        text.words,
        batch.counts if "tokens" in columns else None,
        count_unknown_tokens(model, batch) if "tokens" in columns else None,
        count_unknown(model, lines, ids) if "unknown" in columns else None,
        count_failures(model, lines, ids) if "round-trip" in columns else None,
    )


def uncovered_line(
    error: CoverageError, model: Model, language: Language, line: int
) -> CorpusError:
    """Return the error of a line of a corpus that `model` can't write, with its file."""
    return CorpusError(
        f"{model.name} can't write a line: {error.what}",
        f"{language.path}: line {line + 1}, {error.place}",
        error.remedy,
    )


def _one_by_one(work: Sequence[Job], report: Report) -> dict[tuple[str, str], LineCounts]:
    counts: dict[tuple[str, str], LineCounts] = {}
    for done, (key, run) in enumerate(work):
        report(done, len(work))
        counts[key] = run()
    report(len(work), len(work))
    return counts


def _in_parallel(
    work: Sequence[Job], executor: Executor, report: Report
) -> dict[tuple[str, str], LineCounts]:
    futures: list[Future[LineCounts]] = [executor.submit(run) for _, run in work]
    counts: dict[tuple[str, str], LineCounts] = {}
    try:
        for done, ((key, _), future) in enumerate(zip(work, futures, strict=True)):
            report(done, len(work))
            counts[key] = future.result()
        report(len(work), len(work))
    finally:
        for future in futures:
            future.cancel()
    return counts


def _names(models: Sequence[Model]) -> tuple[str, ...]:
    names: list[str] = []
    for model in models:
        times = sum(other.name == model.name for other in models[: len(names)])
        names.append(f"{model.name} ({times + 1})" if times else model.name)
    return tuple(names)


def _warnings(
    corpus: Corpus, base: str, counts: dict[tuple[str, str], LineCounts]
) -> tuple[str, ...]:
    warnings = [*corpus.problems]
    if corpus.note:
        warnings.append(f"{corpus.title or corpus.name}: {corpus.note}")
    if base:
        warnings += without_premium(corpus, base, counts)
    return (*warnings, *corpus.notes)


def _row(model: str, language: str, lines: int, sums: dict[str, int | None], premium: float) -> Row:
    tokens = sums["tokens"]
    return Row(
        model=model,
        language=language,
        lines=lines,
        chars=sums["chars"],
        bytes=sums["bytes"],
        graphemes=sums["graphemes"],
        words=sums["words"],
        tokens=tokens,
        chars_per_token=_ratio(sums["chars"], tokens),
        bytes_per_token=_ratio(sums["bytes"], tokens),
        graphemes_per_token=_ratio(sums["graphemes"], tokens),
        tokens_per_word=_ratio(tokens, sums["words"]),
        premium=premium,
        unknown_tokens=sums["unknown_tokens"],
        unknown_chars=sums["unknown"],
        round_trip_failures=sums["failed"],
    )


def _fields(counts: LineCounts) -> dict[str, Any]:
    names = (
        "chars",
        "bytes",
        "graphemes",
        "words",
        "tokens",
        "unknown_tokens",
        "unknown",
        "failed",
    )
    return {name: getattr(counts, name) for name in names}


def _total(counts: LineCounts) -> dict[str, int | None]:
    return {k: None if v is None else int(v.sum()) for k, v in _fields(counts).items()}


def _line(counts: LineCounts, i: int) -> dict[str, int | None]:
    return {k: None if v is None else int(v[i]) for k, v in _fields(counts).items()}


def _part(counts: Counts | None, i: int) -> Counts | None:
    return None if counts is None else counts[i : i + 1]


def _ratio(a: int | None, b: int | None) -> float:
    return math.nan if a is None or not b else a / b


def _each(count: Callable[[str], int], lines: Sequence[str]) -> Counts:
    return np.fromiter((count(line) for line in lines), dtype=np.int64, count=len(lines))
