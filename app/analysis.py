"""What the engine says of a text under a model: lattice, best paths and law, at some settings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.lattice import Lattice, Path
    from engine.law import Law
    from engine.model import Encoding, Model
    from engine.readings import Special
    from engine.scene import Coloring
    from engine.text import Text, Unit

COUNTED = 4_000
"""Edges up to which segmentations are counted."""

LATTICE_LIMIT = 20_000
"""Bytes of text up to which the lattice is drawn whole; a longer text is drawn from its start."""


@dataclass(frozen=True)
class Settings:
    """What an analysis and its pictures depend on beside text and model.

    special: how strings in the text that spell a special token are read. color: what the colours
    of tokens in Explore follow.
    """

    theta: float = 1.0
    nbest: int = 6
    unit: Unit = "grapheme"
    seed: int = 7
    method: str = "perfect"
    metric: str = "chars_per_token"
    base: str = ""
    special: Special = "literal"
    color: Coloring = "position"


@dataclass(frozen=True, eq=False)
class Analysis:
    """What the engine says of the current text under the active model.

    best: the path of the highest score, or the one the model takes where there is no law.
    nbest: the best paths with probabilities; empty without a law. law: None without one.
    shown: bytes of the text that the lattice covers, from the start.
    """

    model_key: int
    text: Text
    shown: int
    settings: Settings
    lattice: Lattice
    best: Path
    nbest: tuple[Path, ...]
    law: Law | None


def analyse(
    key: int, model: Model, text: Text, settings: Settings, known: Encoding | None = None
) -> Analysis | None:
    """Build lattice, best paths and law of a text; a long text is cut at a grapheme.

    None where special strings are forbidden and the text holds some. known: how the model encodes
    the text, special strings read as the settings say, if that was found out: it isn't prepared
    twice then.
    """
    from engine.build import build_lattice

    if settings.special == "forbid" and model.find_special(text):
        return None
    shown = text.head(LATTICE_LIMIT)
    if known is not None and known.prepared.text is shown:
        lattice = build_lattice(model, known.prepared)
    else:
        lattice = model.lattice(shown, settings.special)
    # What the window's thread will ask for, and would have to wait for.
    _ = lattice.prepared.text.grapheme_bounds
    _ = lattice.canonical_edges
    _ = lattice.paths if lattice.n_edges <= COUNTED else 0
    bare = Analysis(key, text, shown.n_bytes, settings, lattice, lattice.path, (), None)
    return with_law(bare, settings)


def with_law(analysis: Analysis, settings: Settings) -> Analysis:
    """Return the analysis at other settings, over the same lattice."""
    lattice = analysis.lattice
    if not lattice.has_law or lattice.n_edges == 0:
        return replace(analysis, settings=settings)
    nbest = tuple(lattice.nbest(settings.nbest, settings.theta))
    law = lattice.law(settings.theta)
    return replace(analysis, settings=settings, nbest=nbest, law=law, best=nbest[0])
