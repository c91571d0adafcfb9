"""The colours of both themes as plain data, by role; the window and the SVG share them.

Hues are those of Okabe and Ito's palette, darkened for the light theme and lightened for the dark
one so that text reaches a contrast of 4.5 on canvas, panel and chrome. Meaning never rests on a
colour alone: every role of the data has a second mark.
"""

from __future__ import annotations

from typing import TypedDict


class Palette(TypedDict):
    """Colours as `#RRGGBB`. bands: fills by position; identity: models and methods A to F."""

    canvas: str
    panel: str
    chrome: str
    field: str
    hair: str
    line: str
    line2: str
    ink: str
    ink2: str
    ink3: str
    selection: str
    best: str
    sampled: str
    alternative: str
    special: str
    warning: str
    warning_fill: str
    error: str
    fill_best: str
    fill_sampled: str
    fill_alternative: str
    bands: tuple[str, str, str, str]
    identity: tuple[str, str, str, str, str, str]


LIGHT: Palette = {
    "canvas": "#FFFFFF",
    "panel": "#F4F5F7",
    "chrome": "#E8EAED",
    "field": "#FFFFFF",
    "hair": "#E6E9ED",
    "line": "#D4D8DE",
    "line2": "#7A828D",
    "ink": "#15181C",
    "ink2": "#414953",
    "ink3": "#5C6570",
    "selection": "#FFF0B3",
    "best": "#0067A5",
    "sampled": "#B24700",
    "alternative": "#94407C",
    "special": "#00705A",
    "warning": "#8A5A00",
    "warning_fill": "#E69F00",
    "error": "#A3123A",
    "fill_best": "#D9E9F5",
    "fill_sampled": "#FBE4D3",
    "fill_alternative": "#F1DEEB",
    "bands": ("#D6E6F4", "#FBE3C0", "#D3ECDD", "#F1D9E8"),
    "identity": ("#0F6E6A", "#8A5200", "#5648BE", "#A8375C", "#5C6B12", "#4E5D74"),
}

DARK: Palette = {
    "canvas": "#101316",
    "panel": "#1B1F24",
    "chrome": "#15181C",
    "field": "#0C0F12",
    "hair": "#23282E",
    "line": "#30363E",
    "line2": "#78828E",
    "ink": "#E8EBEE",
    "ink2": "#B4BCC5",
    "ink3": "#929CA7",
    "selection": "#372F0A",
    "best": "#5DB7EC",
    "sampled": "#F78C40",
    "alternative": "#E29AC3",
    "special": "#35C79E",
    "warning": "#F0B63A",
    "warning_fill": "#E69F00",
    "error": "#FF8A9E",
    "fill_best": "#16354A",
    "fill_sampled": "#43260F",
    "fill_alternative": "#3D2434",
    "bands": ("#20394F", "#4A3818", "#1D4435", "#47293C"),
    "identity": ("#4FC3BC", "#E0A95A", "#A9A0F5", "#F08BA8", "#B7C85A", "#9FB0C8"),
}

PALETTES: dict[str, Palette] = {"light": LIGHT, "dark": DARK}
