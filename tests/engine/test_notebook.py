"""Pictures and tables made of text: SVG, DOT, TikZ, HTML, and the cells below a lattice."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest

from engine.cells import lay_out
from engine.dot import lattice_dot, lattice_tikz
from engine.errors import ParameterError
from engine.metrics import compare
from engine.model import Model
from engine.palette import DARK, LIGHT
from engine.svg import lattice_svg
from engine.terminal import aligned, counted, fits, number, width

SVG = "{http://www.w3.org/2000/svg}"
NASTY = "a<b>&\"'`\0\x1b\u2028\ufeff\r\n\t}{\\%$#_^~ e\u0301 \u05d0\u202e"


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


# SVG


def test_svg_shows_pieces_probabilities_and_paths(watching: Model) -> None:
    svg = lattice_svg(watching.lattice("watching"))
    assert svg == lattice_svg(watching.lattice("watching"))
    said = texts(svg)
    assert said[0] == "5 of 5 edges · 3 segmentations · entropy 1.099 nats at θ = 1"
    # Above its arc and in the bricks of path 1.
    assert said.count("watching") == 2
    assert said.count(".333") == 5
    assert {"2·wat", "2·ching", "3·watch", "3·ing"} <= set(said)
    assert [t for t in said if t.startswith(("1  ", "2  ", "3  "))] == [
        "1  0.3333", "2  0.3333", "3  0.3333",
    ]  # fmt: skip
    root = ET.fromstring(svg)
    described = root.find(f"{SVG}desc")
    assert described is not None
    assert described.text == "Path: watching"


def test_svg_without_a_law_shows_ranks(lower: Model) -> None:
    said = texts(lattice_svg(lower.lattice("lower")))
    assert any(text.startswith("no probabilities: ") for text in said)
    assert "the model's path" in said
    assert "1" in said  # the rank of w e
    assert not any(text.startswith("Cut here") for text in said)


def test_svg_counts_the_tokens_of_one_character(bpe: Model) -> None:
    encoding = bpe.encode("욁")
    assert len(encoding) > 1
    assert str(len(encoding)) in texts(lattice_svg(bpe.lattice("욁")))


def test_svg_has_two_themes(weather: Model) -> None:
    lattice = weather.lattice("今天")
    light, dark = lattice_svg(lattice), lattice_svg(lattice, theme="dark")
    assert LIGHT["best"] in light
    assert DARK["best"] in dark
    assert LIGHT["best"] not in dark
    with pytest.raises(ParameterError, match="no theme 'blue'"):
        lattice_svg(lattice, theme="blue")


@pytest.mark.parametrize("text", ["", " ", NASTY, "שלום עולם", "a" * 300])
def test_svg_is_well_formed(bpe: Model, unigram: Model, text: str) -> None:
    for model in (bpe, unigram):
        for unit in ("byte", "char", "grapheme"):
            root = ET.fromstring(lattice_svg(model.lattice(text), unit=unit))
            numbers = re.findall(r"nan|inf", ET.tostring(root, encoding="unicode"))
            assert not numbers


def test_svg_of_a_long_text(unigram: Model) -> None:
    lattice = unigram.lattice("The weather is lovely today. " * 20)
    said = texts(lattice_svg(lattice))
    assert re.search(r"\d\.\d{3}e\d\d segmentations", said[0])
    assert "hidden" in said[0]


def test_a_lattice_shows_itself(watching: Model) -> None:
    lattice = watching.lattice("watching")
    assert lattice._repr_svg_() == lattice_svg(lattice)


# Cells


def test_cells_are_graphemes_wide_ones_double(weather: Model) -> None:
    cells = lay_out(weather.lattice("a今\u200b"))
    assert cells.labels == ("a", "今", "U+200B")
    assert cells.left.tolist() == [0, 1, 3]
    assert cells.total == 9
    # Inside 今 the three bytes share its cell.
    assert cells.x[:5].tolist() == pytest.approx([0, 1, 1 + 2 / 3, 1 + 4 / 3, 3])


def test_bytes_and_code_points_as_cells(weather: Model) -> None:
    lattice = weather.lattice("é今")
    assert lay_out(lattice, "byte").labels == ("C3", "A9", "E4", "BB", "8A")
    decomposed = weather.lattice("e\u0301")
    assert len(lay_out(decomposed, "grapheme").labels) == 1
    assert lay_out(decomposed, "char").labels[1].startswith("◌")


def test_a_dummy_prefix_stands_before_the_text(unigram: Model) -> None:
    cells = lay_out(unigram.lattice("ab"))
    # ▁ has three bytes.
    assert cells.x.tolist() == pytest.approx([-1, -2 / 3, -1 / 3, 0, 1, 2])
    assert not cells.mirrored


def test_right_to_left_text_runs_left(weather: Model) -> None:
    cells = lay_out(weather.lattice("שלום"))
    assert cells.mirrored
    assert cells.left.tolist() == [3, 2, 1, 0]
    assert (cells.x[0], cells.x[-1]) == (4, 0)


def test_arabic_letters_keep_their_joined_shapes(weather: Model) -> None:
    # The first letter of باب joins to the left only, alef to the right only, the last stands alone.
    assert lay_out(weather.lattice("باب")).labels == ("ب\u200d", "\u200dا", "ب")


# DOT and TikZ


def test_dot(watching: Model, lower: Model) -> None:
    dot = lattice_dot(watching.lattice("watching"))
    assert '  0 -> 5 [label="watch\\n0.333"];' in dot
    assert f'  0 -> 8 [label="watching\\n0.333", color="{LIGHT["best"]}", penwidth=2.6];' in dot
    assert "5 of 5 edges, 3 segmentations" in dot
    assert '[label="we\\n1"]' in lattice_dot(lower.lattice("lower"))
    assert '\\"' in lattice_dot(lower.lattice('lo"er'))


def test_tikz_escapes(bpe: Model) -> None:
    tikz = lattice_tikz(bpe.lattice("a%\\{}_^~$#& \n"))
    body = tikz[tikz.index("\\strut") :]
    for escaped in ("\\%", "\\textbackslash{}", "\\{", "\\}", "\\_", "\\#", "\\&", "\\$"):
        assert escaped in body
    assert "\\textvisiblespace{}" in body
    assert not re.search(r"(?<!\\)%", body)
    assert tikz.endswith("\\end{tikzpicture}\n")


@pytest.mark.parametrize("text", ["", NASTY, "今天 안녕"])
def test_every_text_can_be_written(bpe: Model, unigram: Model, text: str) -> None:
    for model in (bpe, unigram):
        lattice = model.lattice(text)
        for picture in (lattice_dot(lattice), lattice_tikz(lattice)):
            assert "\0" not in picture
            assert "\x1b" not in picture


# HTML


class Checker(HTMLParser):
    """Collects tags and text; fails on a tag that isn't ours."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.said: list[str] = []
        self.titles: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ("div", "span", "wbr", "table", "tr", "th", "td")
        if tag != "wbr":
            self.open.append(tag)
        self.titles += [value or "" for name, value in attrs if name == "title"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.said.append(data)


def parsed(html: str) -> Checker:
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert checker.open == []
    return checker


def test_encoding_html(bpe: Model) -> None:
    html = bpe.encode("a b\n")._repr_html_()
    seen = parsed(html)
    assert seen.said == [
        "a",
        "␣b",
        "↵",
        "3 tokens · 4 graphemes · 4 characters · 4 bytes · 1.33 characters per token",
    ]
    assert seen.titles[1].endswith("bytes 1–3 of the text · 20 62")


def test_encoding_html_is_escaped(bpe: Model, lower: Model) -> None:
    for model in (bpe, lower):
        seen = parsed(model.encode("<script>&\"'" + NASTY)._repr_html_())
        assert "\0" not in "".join(seen.said + seen.titles)
    unknown = parsed(lower.encode("l<")._repr_html_())
    assert "?<unk>" in unknown.said
    assert unknown.titles[1].endswith("unknown: <")


def test_encoding_html_of_much_and_of_nothing(bpe: Model) -> None:
    long = bpe.encode("q\n" * 1000)
    assert len(long) == 2000
    assert " … 1,000 more tokens" in parsed(long._repr_html_()).said
    assert parsed(bpe.encode("")._repr_html_()).said == [
        "0 tokens · 0 graphemes · 0 characters · 0 bytes"
    ]


def test_comparison_html(lower: Model, tmp_path: Path) -> None:
    (tmp_path / "en.txt").write_text("lower\n")
    (tmp_path / "x<y.txt").write_text("we\nwe\n")
    seen = parsed(compare(lower, tmp_path)._repr_html_())
    assert "x<y" in seen.said
    assert "chars per token" in seen.said
    assert "1.250" in seen.said
    assert any("premium: tokens over those of English" in said for said in seen.said)


# Terminal


def test_columns_are_aligned_by_width() -> None:
    assert aligned(["a", "n"], [["今", "1"], ["bcd", "10"]], "<>") == [
        "a     n",
        "今    1",
        "bcd  10",
    ]
    assert aligned([], []) == []
    assert width("e\u0301한\u200b") == 3


def test_numbers_for_people() -> None:
    assert [number(v) for v in (None, float("nan"), 1234, 1.5)] == ["–", "–", "1,234", "1.500"]
    assert [fits(v) for v in (0.0, 0.25, 1e-9, 1.0)] == ["0.0000", "0.2500", "1.0e-09", "1.0000"]
    assert [counted(n, "token") for n in (0, 1, 2000)] == ["0 tokens", "1 token", "2,000 tokens"]
