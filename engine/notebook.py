"""How results show themselves in a notebook: HTML with inline styles, everything escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.display import hexadecimal, visible
from engine.palette import LIGHT
from engine.pieces import PieceKind
from engine.terminal import counted

if TYPE_CHECKING:
    from engine.metrics import Comparison
    from engine.model import Encoding

SHOWN_TOKENS = 1000
SHOWN_ROWS = 200

_BOX = "font-family:monospace;font-size:14px;line-height:1.9;color:{ink};overflow-wrap:anywhere"
_NOTE = "font-family:sans-serif;font-size:12px;opacity:.8"
_CHIP = (
    "unicode-bidi:isolate;color:{ink};background:{fill};border-radius:2px;padding:2px 3px;"
    "margin-right:2px;white-space:nowrap"
)
_CELL = "padding:2px 10px;font-variant-numeric:tabular-nums;text-align:{side}"


def encoding_html(encoding: Encoding) -> str:
    """Return the tokens of a text as bands, white space visible, ids and bytes on hovering."""
    shown = min(len(encoding), SHOWN_TOKENS)
    chips = "<wbr>".join(_chip(encoding, i) for i in range(shown))
    more = len(encoding) - shown
    if more:
        chips += f" … {more:,} more tokens"
    text = encoding.text
    counts = [
        counted(len(encoding), "token"),
        counted(text.n_graphemes, "grapheme"),
        counted(text.n_chars, "character"),
        counted(text.n_bytes, "byte"),
    ]
    if len(encoding):
        counts.append(f"{text.n_chars / len(encoding):.2f} characters per token")
    note = " · ".join(counts)
    box = _BOX.format(ink="inherit")
    return (
        f'<div><div dir="auto" style="{box}">{chips}</div><div style="{_NOTE}">{note}</div></div>'
    )


def _chip(encoding: Encoding, i: int) -> str:
    piece = int(encoding.ids[i])
    vocabulary = encoding.vocabulary
    fill = LIGHT["bands"][i % len(LIGHT["bands"])]
    start, end = int(encoding.start[i]), int(encoding.end[i])
    label = visible(vocabulary.bytes(piece)) or visible(vocabulary.text(piece).encode())
    style = _CHIP.format(ink=LIGHT["ink"], fill=fill)
    what = f"id {piece} · bytes {start}–{end} of the text"
    if vocabulary.kind[piece] == PieceKind.UNKNOWN:
        style = _CHIP.format(ink=LIGHT["canvas"], fill=LIGHT["ink"])
        covered = visible(encoding.text.encoded[start:end])
        what += f" · unknown: {covered}"
        label = f"?{label}"
    elif vocabulary.kind[piece] in (PieceKind.CONTROL, PieceKind.ADDED):
        label = f"⟨{visible(vocabulary.text(piece).encode())}⟩"
    else:
        what += f" · {hexadecimal(vocabulary.bytes(piece))}"
    return f'<span title="{escape(what)}" style="{style}">{escape(label)}</span>'


def comparison_html(comparison: Comparison) -> str:
    """Return the figures of a comparison as a table, a row for each model and language."""
    figures = comparison.figures
    names = {language.code: language.name for language in comparison.corpus}
    head = ["model", "code", "language", *(name.replace("_", " ") for name in figures)]
    rows = [
        [row.model, row.language, names[row.language], *(_figure(getattr(row, f)) for f in figures)]
        for row in comparison.rows[:SHOWN_ROWS]
    ]
    lines = [_row("th", head)]
    lines += [_row("td", row) for row in rows]
    notes = list(comparison.warnings)
    if comparison.base and "premium" in figures:
        notes.insert(0, f"premium: tokens over those of {names[comparison.base]}, same lines")
    if len(comparison.rows) > SHOWN_ROWS:
        notes.insert(0, f"{len(comparison.rows) - SHOWN_ROWS:,} more rows")
    said = "".join(f'<div style="{_NOTE}">{escape(note)}</div>' for note in notes)
    return f'<div><table style="border-collapse:collapse">{"".join(lines)}</table>{said}</div>'


def _row(tag: str, cells: list[str]) -> str:
    made = []
    for i, cell in enumerate(cells):
        style = _CELL.format(side="left" if i < 3 else "right")
        made.append(f'<{tag} dir="auto" style="{style}">{escape(cell)}</{tag}>')
    return f"<tr>{''.join(made)}</tr>"


def _figure(value: Any) -> str:
    if value is None or np.isnan(value):
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3f}"
