"""A trained BytePiece vocabulary as the library's `.model`.

Format: JSON of the form {base64(piece): [id, display, frequency]}; ids 0, 1 and 2 are padding,
begin and end without being in the file. Lines are as the library's own trainer writes them.
"""

from __future__ import annotations

import base64
import json

from engine.train.bytepiece import BytePieceSettings, TrainedBytePiece
from engine.train.writers.listing import Written


def write(trained: TrainedBytePiece) -> Written:
    """Return a model. `display` is the piece as text, without the bytes that are none."""
    first = len(trained.settings.specials)
    document = {
        base64.b64encode(piece).decode(): [number, piece.decode("utf-8", errors="ignore"), count]
        for number, (piece, count) in enumerate(
            zip(trained.pieces, trained.counts.tolist(), strict=True), start=first
        )
    }
    text = json.dumps(document, ensure_ascii=False, indent=1)
    notes = ["the file's ids begin at 3: 0, 1 and 2 are padding, begin and end"]
    if trained.settings.single_digits:
        notes.append("the file doesn't say that digits stand alone: its pieces do")
    return Written((text.encode() + b"\n",), tuple(notes))


def check(settings: BytePieceSettings) -> None:
    """Raise nothing: the format holds every BytePiece vocabulary."""
