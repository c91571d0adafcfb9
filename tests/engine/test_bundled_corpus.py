"""The bundled parallel corpus: its files are clean, aligned and in the script they declare."""

import json
import unicodedata
from collections import Counter
from importlib.resources import files
from itertools import combinations

import pytest
import regex

CORPUS = files("resources") / "corpora" / "everyday"
MANIFEST = json.loads((CORPUS / "manifest.json").read_text(encoding="utf-8"))
LANGUAGES: dict[str, dict[str, str]] = {row["code"]: row for row in MANIFEST["languages"]}

# ISO 15924 names some mixtures of Unicode scripts; every other code is a Unicode script itself.
MIXTURES = {
    "Hans": r"\p{Script=Han}",
    "Hant": r"\p{Script=Han}",
    "Jpan": r"[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]",
    "Kore": r"[\p{Script=Hangul}\p{Script=Han}]",
}
SEVERAL_SCRIPTS = regex.compile(r"[\p{Script=Common}\p{Script=Inherited}]")
# What every language leaves as it is: code, JSON, tags, addresses, the file name and units.
SHARED_BITS = regex.compile(r"`[^`]*`|\{[^}]*\}|</?b>|\S+@\S+|https?://\S+|report_2024\.txt|°C|MB")


def lines_of(code: str) -> list[str]:
    text = (CORPUS / LANGUAGES[code]["file"]).read_bytes().decode("utf-8")
    assert text.endswith("\n")
    return text[:-1].split("\n")


def digits_of(line: str) -> Counter[int]:
    """How often each digit other than 0 stands in the line, whatever the script of the digits."""
    return Counter(unicodedata.decimal(c) for c in line if c.isdecimal()) - Counter({0: len(line)})


def test_manifest_is_complete_and_sorted() -> None:
    assert MANIFEST["provenance"] == (
        "sample sentences for demonstration, not reviewed by native speakers"
    )
    assert MANIFEST["licence"] == "Apache-2.0"
    assert MANIFEST["base"] in LANGUAGES
    codes = [row["code"] for row in MANIFEST["languages"]]
    assert codes == sorted(set(codes))
    keys = {"code", "name", "own_name", "script", "direction", "file"}
    for row in MANIFEST["languages"]:
        assert set(row) == keys
        assert all(row.values())
        assert row["file"] == row["code"] + ".txt"


def test_files_and_manifest_agree_one_to_one() -> None:
    on_disk = {entry.name for entry in CORPUS.iterdir()} - {"manifest.json"}
    assert on_disk == {row["file"] for row in MANIFEST["languages"]}


def test_breadth() -> None:
    assert len(LANGUAGES) >= 28
    assert len({row["script"] for row in MANIFEST["languages"]} - {"Hant"}) >= 12


@pytest.mark.parametrize("code", LANGUAGES)
def test_file_is_clean_and_aligned(code: str) -> None:
    raw = (CORPUS / LANGUAGES[code]["file"]).read_bytes()
    text = raw.decode("utf-8")
    assert unicodedata.is_normalized("NFC", text)
    assert not regex.search(r"[\uFEFF\uFFFD\u2028\u2029\r\t\x00]", text)
    lines = lines_of(code)
    assert len(lines) == len(lines_of(MANIFEST["base"])) >= 48
    for line in lines:
        assert line
        assert line == line.strip()
        assert "  " not in line
    assert len(set(lines)) == len(lines)


@pytest.mark.parametrize("code", LANGUAGES)
def test_letters_belong_to_the_declared_script(code: str) -> None:
    script = LANGUAGES[code]["script"]
    letter = regex.compile(MIXTURES.get(script, rf"\p{{Script={script}}}"))
    for number, line in enumerate(lines_of(code), 1):
        letters = regex.findall(r"\p{Alphabetic}", SHARED_BITS.sub("", line))
        # Some marks serve several scripts: the kana sound mark (Common), harakat (Inherited).
        strays = [c for c in letters if not (letter.match(c) or SEVERAL_SCRIPTS.match(c))]
        assert not strays, f"{code} line {number}: {strays}"


@pytest.mark.parametrize("code", LANGUAGES)
def test_direction_is_that_of_the_letters(code: str) -> None:
    text = SHARED_BITS.sub("", " ".join(lines_of(code)))
    kinds = [unicodedata.bidirectional(c) for c in text]
    rtl = sum(kind in ("R", "AL") for kind in kinds)
    ltr = kinds.count("L")
    assert LANGUAGES[code]["direction"] == ("rtl" if rtl > ltr else "ltr")


@pytest.mark.parametrize("code", LANGUAGES)
def test_line_carries_what_its_base_line_carries(code: str) -> None:
    """A shifted line shows: numbers, markup, code, addresses and emoji must come back in place."""
    for number, (base, line) in enumerate(
        zip(lines_of(MANIFEST["base"]), lines_of(code), strict=True), 1
    ):
        place = f"{code} line {number}"
        marks = r"`[^`]*`|\{[^}]*\}|</?b>|\*\*|help@example\.org|https://example\.org/timetable"
        kept = rf"{marks}|report_2024\.txt|\p{{Extended_Pictographic}}"
        assert regex.findall(kept, line) == regex.findall(kept, base), place
        # A language may write more numbers in digits ("3 o'clock") but none fewer; zeros are
        # left out because Japanese counts 1,250,000 as 125 times ten thousand.
        assert digits_of(base) <= digits_of(line), place


def test_languages_do_not_share_sentences() -> None:
    sets = {code: set(lines_of(code)) for code in LANGUAGES}
    for one, other in combinations(sets, 2):
        assert len(sets[one] & sets[other]) <= 5, (one, other)


def test_sentences_vary_in_length() -> None:
    words = [len(line.split()) for line in lines_of(MANIFEST["base"])]
    assert min(words) <= 3
    assert max(words) >= 40
