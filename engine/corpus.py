"""Corpora: text files, one a language, read as lines.

A folder is a parallel corpus: one file a language, the file's stem is the language's code, and
line i of every file says the same. Names, directions and scripts come from a `manifest.json` in
the folder, else from a table beside it (`NAME_index.tsv` or, inside, `index.tsv`), else from the
code where it is a BCP 47 or ISO 639-3 one; any other code is its own name.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from engine.errors import CorpusError, TextError, cannot_read
from engine.files import DEVICE, FILE, in_words, kind_of, unusable
from engine.jsonfile import read_json
from engine.progress import Report, silent
from engine.terminal import agreed, counted
from engine.text import Text

Direction = Literal["ltr", "rtl"]

BOM = b"\xef\xbb\xbf"
# Endings of files that lie beside texts without being texts of the corpus.
OTHER_ENDINGS = {".json", ".tsv", ".csv", ".md", ".rst", ".html", ".xml", ".py", ".sha256"}
PACKED = {b"\xfd7zXZ\x00": "xz", b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"PK\x03\x04": "zip"}
MANIFEST, INDEX = "manifest.json", "index.tsv"
LINES_FOR_DIRECTION = 20
MEND = "mend it or remove it"


@dataclass(frozen=True)
class Language:
    """One file of a corpus. script: ISO 15924 code such as `Hang`, empty where unknown."""

    code: str
    name: str
    path: Path
    direction: Direction = "ltr"
    script: str = ""


@dataclass(frozen=True, eq=False)
class Corpus:
    """Texts by language; see `open_corpus`.

    parallel: the languages come from one folder, so that lines correspond. note: what a person
    should know where figures rest on these texts (the manifest's provenance). notes: what was
    left out on reading (byte order marks, carriage returns). standard: code of the language that
    others are compared with unless told otherwise; empty where there is none.
    """

    name: str
    path: Path
    languages: tuple[Language, ...]
    parallel: bool
    texts: dict[str, list[str]] = field(repr=False)
    title: str = ""
    note: str = ""
    notes: tuple[str, ...] = ()
    standard: str = ""

    def __len__(self) -> int:
        return len(self.languages)

    def __iter__(self) -> Iterator[Language]:
        return iter(self.languages)

    def language(self, code: str) -> Language:
        """Return the language of a code; `CorpusError` where the corpus has none."""
        for language in self.languages:
            if language.code == code:
                return language
        codes = [language.code for language in self.languages]
        shown = ", ".join(codes[:12]) + (", …" if len(codes) > 12 else "")
        raise CorpusError(f"no language {code!r}", str(self.path), f"choose one of {shown}")

    def lines(self, language: Language | str) -> list[str]:
        r"""Return the lines of a language, without their ends.

        Only `\n` ends a line; a `\r` right before it goes with it.
        """
        code = language if isinstance(language, str) else language.code
        if code not in self.texts:
            self.language(code)
        return self.texts[code]

    @cached_property
    def base(self) -> Language | None:
        """The language that others are compared with unless told otherwise."""
        return self.language(self.standard) if self.standard else None

    @cached_property
    def usual_lines(self) -> int:
        """The number of lines that most files have; of equal ones the base language's."""
        counts = Counter(len(lines) for lines in self.texts.values())
        most = max(counts.values())
        if self.standard and counts[len(self.texts[self.standard])] == most:
            return len(self.texts[self.standard])
        return next(n for n, times in counts.items() if times == most)

    @cached_property
    def problems(self) -> tuple[str, ...]:
        """What keeps lines from corresponding: files of another length. Empty if not parallel."""
        if not self.parallel:
            return ()
        against = self.texts[self.standard] if self.standard else None
        expected = self.usual_lines if against is None else len(against)
        name = f"{self.standard} has" if against is not None else "most files have"
        return tuple(
            f"{language.path.name} has {counted(len(self.texts[language.code]), 'line')} where "
            f"{name} {expected:,}: its lines don't correspond"
            for language in self.languages
            if len(self.texts[language.code]) != expected
        )

    def aligned(self, language: Language | str, base: Language | str) -> bool:
        """Whether the lines of two languages correspond, as far as their number tells."""
        return len(self.lines(language)) == len(self.lines(base))

    def __repr__(self) -> str:
        kind = "parallel, " if self.parallel else ""
        return f"<Corpus {self.name}: {kind}{len(self)} languages>"


def open_corpus(
    paths: str | Path | Iterable[str | Path], report: Report = silent, invalid: Invalid = "refuse"
) -> Corpus:
    """Read a folder (a parallel corpus), a file or several files.

    All files are read and checked now, so that what opens can be used; `report` counts files.
    invalid: what becomes of bytes that aren't UTF-8, see `read_lines`. Raises `CorpusError` for a
    missing, undecodable or empty place. Files of different length are no error: `Corpus.problems`
    names them.
    """
    given = [Path(paths)] if isinstance(paths, str | Path) else [Path(path) for path in paths]
    if not given:
        raise CorpusError("no corpus was given", "", "name a folder or files")
    notes: list[str] = []
    files = list(dict.fromkeys(file for path in given for file in _files_of(path, notes)))
    parallel = len(given) == 1 and given[0].is_dir()
    facts = _facts_of(given[0]) if parallel else _Facts()
    codes = _codes_of(files)
    texts: dict[str, list[str]] = {}
    languages: list[Language] = []
    for done, (file, code) in enumerate(zip(files, codes, strict=True)):
        report(done, len(files))
        lines, found = read_lines(file, invalid)
        texts[code] = lines
        notes.extend(f"{file.name}: {note}" for note in found)
        languages.append(_language_of(code, file, facts, lines))
    report(len(files), len(files))
    standard = facts.base if facts.base in texts else ""
    if parallel and not standard:
        standard = next((code for code in ("en", "eng") if code in texts), "")
    where = given[0] if len(given) == 1 else Path()
    name = where.name or where.resolve().name if len(given) == 1 else f"{len(files)} files"
    return Corpus(
        name, where, tuple(languages), parallel, texts, facts.title, facts.note, tuple(notes),
        standard,
    )  # fmt: skip


Invalid = Literal["refuse", "skip", "replace", "bytes"]
"""What becomes of lines that aren't valid UTF-8: an error, left out, with U+FFFD in place of what
is wrong, or with U+DC80 … U+DCFF for the bytes that are wrong (Python's `surrogateescape`)."""


def read_lines(path: Path, invalid: Invalid = "refuse") -> tuple[list[str], list[str]]:
    r"""Read a UTF-8 file as lines without their ends, and notes on what was left out.

    Only `\n` ends a line. A byte order mark at the start and a `\r` right before a `\n` are left
    out and noted; nothing else is, but lines with undecodable bytes for `skip`, after which lines
    of parallel files no longer correspond. Raises
    `CorpusError` for undecodable bytes, with the line and the byte of the line, both from 1, unless
    `invalid` says otherwise.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise cannot_read(CorpusError, "file", path, error) from None
    notes: list[str] = []
    skipped = 0
    if data.startswith(BOM):
        data, skipped = data[len(BOM) :], len(BOM)
        notes.append("the byte order mark at its start is left out")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        fault = _undecodable(path, data, error, skipped)
        if invalid == "refuse" or fault.remedy != REMEDY:
            raise fault from None
        text, count = _mended(data, invalid)
        done = _DONE[invalid]
        notes.append(f"{counted(count, 'line')} not valid UTF-8, {done}; the first: {fault.where}")
    ended = text.count("\r\n")
    if ended:
        text = text.replace("\r\n", "\n")
        notes.append(
            f"{counted(ended, 'line')} {agreed(ended, 'end')} in CR LF; the CR is left out"
        )
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines, notes


REMEDY = "save it as UTF-8"

_DONE = {
    "skip": "left out",
    "replace": "read with U+FFFD for what is wrong",
    "bytes": "read as the bytes that they are",
}


def _mended(data: bytes, invalid: Invalid) -> tuple[str, int]:
    """Return a file's text without its undecodable lines, or with them mended, and their number."""
    kept: list[str] = []
    count = 0
    for line in data.split(b"\n"):
        try:
            kept.append(line.decode("utf-8"))
        except UnicodeDecodeError:
            count += 1
            if invalid != "skip":
                how = "replace" if invalid == "replace" else "surrogateescape"
                kept.append(line.decode("utf-8", errors=how))
    return "\n".join(kept), count


def _undecodable(path: Path, data: bytes, error: UnicodeDecodeError, skipped: int) -> CorpusError:
    for magic, name in PACKED.items():
        if data.startswith(magic):
            return CorpusError(f"the file is packed ({name})", str(path), "unpack it first")
    line = data.count(b"\n", 0, error.start) + 1
    place = error.start - data.rfind(b"\n", 0, error.start) + (skipped if line == 1 else 0)
    remedy = REMEDY
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        remedy = "it looks like UTF-16: save it as UTF-8"
    return CorpusError(
        "the file isn't valid UTF-8",
        f"{path}: line {line}, byte {place} (0x{data[error.start]:02X})",
        remedy,
    )


def _files_of(path: Path, notes: list[str]) -> list[Path]:
    """Return a file itself, or the texts of a folder sorted by name.

    notes: gets the entries that are named as texts and are no files.
    """
    if not path.exists():
        raise CorpusError("there is no such file or folder", str(path), "check the path")
    if not path.is_dir():
        if kind_of(path) == DEVICE:
            # Some have no end.
            raise CorpusError("it is a device", str(path), "name a file or a folder")
        return [path]
    try:
        inside = sorted(entry for entry in path.iterdir() if not entry.name.startswith("."))
    except OSError as error:
        raise cannot_read(CorpusError, "folder", path, error) from None
    files = [entry for entry in inside if kind_of(entry) == FILE]
    lost = unusable(inside)
    texts = [file for file in files if file.suffix.lower() == ".txt"]
    # Collections such as FLORES end all their files in the same other way: `eng_Latn.devtest`.
    others = [file for file in files if file.suffix.lower() not in OTHER_ENDINGS and file.suffix]
    if not texts and len({file.suffix for file in others}) == 1:
        texts = others
    if not texts:
        raise CorpusError(
            "the folder holds no text files" + (f"; left out: {in_words(lost)}" if lost else ""),
            str(path),
            "give one file a language, named CODE.txt",
        )
    ending = texts[0].suffix.lower()
    lost = [
        (entry, kind)
        for entry, kind in lost
        if entry.suffix.lower() == ending or entry.name in (MANIFEST, INDEX)
    ]
    if lost:
        notes.append(f"left out of the folder {path.resolve().name}: {in_words(lost)}")
    return texts


def _codes_of(files: Sequence[Path]) -> list[str]:
    """Return the stem of each file, with its folder in front where stems repeat."""
    times = Counter(file.stem for file in files)
    codes = [f.stem if times[f.stem] == 1 else f"{f.parent.name}/{f.stem}" for f in files]
    again = Counter(codes)
    return [code if again[code] == 1 else str(f) for code, f in zip(codes, files, strict=True)]


@dataclass(frozen=True)
class _Facts:
    """What a manifest or an index says: languages by code, each with name, direction, script."""

    title: str = ""
    note: str = ""
    base: str = ""
    languages: dict[str, dict[str, str]] = field(default_factory=dict)


def _facts_of(folder: Path) -> _Facts:
    manifest = folder / MANIFEST
    if manifest.is_file():
        return _read_manifest(manifest)
    name = folder.resolve().name
    for index in (folder / INDEX, folder.resolve().parent / f"{name}_index.tsv"):
        if index.is_file():
            return _Facts(languages=_read_index(index))
    return _Facts()


def _read_manifest(path: Path) -> _Facts:
    r"""Read `manifest.json`: title, provenance (or note), base, languages.

    `languages` is a list of objects with code, name, script, direction; what is absent or null is
    worked out as without a manifest.
    """
    content: Any = read_json(path, CorpusError, "the manifest", MEND)
    listed = content.get("languages", []) if isinstance(content, dict) else None
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        raise CorpusError(
            "the manifest isn't an object with a list of languages",
            f"{path}: field languages",
            MEND,
        )

    def said(entry: dict[str, Any], key: str, inside: str = "") -> str:
        value = entry.get(key)
        if value is None:
            return ""
        with suppress(TextError):
            if isinstance(value, str):
                return Text(value).string
        place = f"{path}: field {inside}{key}"
        raise CorpusError("the manifest's field isn't a text", place, MEND)

    languages: dict[str, dict[str, str]] = {}
    for i, entry in enumerate(listed):
        facts = {
            key: said(entry, key, f"languages[{i}].")
            for key in ("code", "name", "script", "direction")
        }
        if facts["code"]:
            languages[facts["code"]] = facts
    note = said(content, "provenance") or said(content, "note")
    return _Facts(said(content, "title"), note, said(content, "base"), languages)


def _read_index(path: Path) -> dict[str, dict[str, str]]:
    """Read a table with a heading line and tabs between columns: code, name, dir and others."""
    lines, _ = read_lines(path)
    rows = [(number, line.split("\t")) for number, line in enumerate(lines, 1) if line]
    if not rows or "code" not in rows[0][1]:
        return {}
    heading = rows[0][1]
    languages: dict[str, dict[str, str]] = {}
    for number, row in rows[1:]:
        entry = dict(zip(heading, row, strict=False))
        if not entry.get("code"):
            raise CorpusError("the row has no language code", f"{path}: line {number}", MEND)
        languages[entry["code"]] = {**entry, "direction": entry.get("dir", "")}
    return languages


def _language_of(code: str, path: Path, facts: _Facts, lines: list[str]) -> Language:
    known = facts.languages.get(code, {})
    name, script = known.get("name", ""), known.get("script", "")
    if not name:
        name, guessed = describe_code(code)
        script = script or guessed
    told = known.get("direction", "")
    direction: Direction = "rtl" if told == "rtl" else "ltr"
    if told not in ("ltr", "rtl"):
        direction = text_direction(lines)
    return Language(code, name, path, direction, script)


def describe_code(code: str) -> tuple[str, str]:
    """Return the English name and the usual script of a BCP 47 or ISO 639-3 code.

    Any other code is its own name, without a script.
    """
    import langcodes

    if not langcodes.tag_is_valid(code):
        return code, ""
    language = langcodes.Language.get(code)
    name = language.display_name()
    if name.startswith("Unknown language"):
        return code, ""
    return name, language.maximize().script or ""


def text_direction(lines: Iterable[str]) -> Direction:
    """Return the direction of most strong characters in the first lines that have any."""
    left = right = 0
    for line in islice((line for line in lines if line), LINES_FOR_DIRECTION):
        for char in line:
            kind = unicodedata.bidirectional(char)
            left += kind == "L"
            right += kind in ("R", "AL")
    return "rtl" if right > left else "ltr"
