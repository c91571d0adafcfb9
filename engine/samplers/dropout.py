"""The dropout family as sampling methods; the laws are those of `engine.dropout`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from engine.bpe import Bpe
from engine.build import edges_of_tokens
from engine.dropout import DropRule, check_dropout
from engine.dropout.maxmatch import DroppingWordPiece, choice_lattice
from engine.dropout.segment import DroppingBpe
from engine.dropout.units import text_law
from engine.errors import ParameterError
from engine.lattice import Lattice, Path
from engine.model import segment_prepared
from engine.rng import key_of
from engine.sampler import DrawLines, Ints, PathLaw, SamplingSettings
from engine.samplers.gibbs import gibbs_law
from engine.segmenter import Segmented, Segmenter
from engine.wordpiece import WordPiece

if TYPE_CHECKING:
    from engine.model import Batch, Model


def draw_bpe(
    rule: DropRule, lattice: Lattice, settings: SamplingSettings, seed: int, draws: range
) -> list[Ints]:
    """Return the edges of each draw; coins are numbered in the order in which they are tossed."""
    bpe, p = _merging(lattice), check_dropout(settings.dropout)
    if p == 0.0:
        return [lattice.taken] * len(draws)
    return _drawn(lattice, DroppingBpe(bpe, rule, p), seed, draws)


def bpe_law(rule: DropRule, lattice: Lattice, settings: SamplingSettings) -> PathLaw:
    """Return the exact law; at p = 0 that of the model's own path alone."""
    bpe, p = _merging(lattice), check_dropout(settings.dropout)
    return own_path(lattice) if p == 0.0 else text_law(lattice, bpe, rule, p)


def bpe_lines(rule: DropRule, model: Model, settings: SamplingSettings) -> DrawLines:
    """Return what draws many lines."""
    bpe, p = model.bpe, check_dropout(settings.dropout)
    if bpe is None:
        raise _no_merges()

    def road(lines: Sequence[str], key: int) -> Batch:
        return replace(model, segmenter=DroppingBpe(bpe, rule, p, key)).encode_lines(lines)

    return road


def choosing(lattice: Lattice, settings: SamplingSettings) -> Lattice:
    """Return the lattice that MaxMatch-dropout draws from: scores are those of its law.

    At p = 0 that of the model, where only its own path can be drawn.
    """
    model, p = _wordpiece(lattice.segmenter), check_dropout(settings.dropout)
    return lattice if p == 0.0 else choice_lattice(lattice, model, p)


def draw_maxmatch(
    lattice: Lattice, settings: SamplingSettings, seed: int, draws: range
) -> list[Ints]:
    """Return the edges of each draw from the lattice that `choosing` gives."""
    model, p = _wordpiece(lattice.segmenter), check_dropout(settings.dropout)
    if p == 0.0:
        return [lattice.taken] * len(draws)
    return _drawn(lattice, DroppingWordPiece(model, p), seed, draws)


def maxmatch_law(lattice: Lattice, settings: SamplingSettings) -> PathLaw:
    """Return the exact law over the paths of the lattice that `choosing` gives."""
    _wordpiece(lattice.segmenter)
    if check_dropout(settings.dropout) == 0.0:
        return own_path(lattice)
    return gibbs_law(lattice, SamplingSettings(theta=1.0))


def maxmatch_lines(model: Model, settings: SamplingSettings) -> DrawLines:
    """Return what draws many lines."""
    segmenter, p = _wordpiece(model.segmenter), check_dropout(settings.dropout)

    def road(lines: Sequence[str], key: int) -> Batch:
        return replace(model, segmenter=DroppingWordPiece(segmenter, p, key)).encode_lines(lines)

    return road


def _drawn(
    lattice: Lattice, rule: DroppingBpe | DroppingWordPiece, seed: int, draws: range
) -> list[Ints]:
    """Return the edges of what `rule` cuts the text to in each draw."""
    prepared, size = lattice.prepared, len(lattice.prepared.data)
    keys = [key_of(seed, draw) for draw in draws]
    cuts = prepared.cuts.astype(np.int64)
    found: Iterable[Segmented]
    if (prepared.fixed >= 0).any():
        found = (segment_prepared(replace(rule, key=key), prepared) for key in keys)
    else:
        found = rule.segment_draws(prepared.data, cuts[:-1], cuts[1:], keys)
    known: dict[tuple[bytes, bytes], Ints] = {}
    drawn = []
    for cut in found:
        key = cut.ids.tobytes(), cut.starts.tobytes()
        if key not in known:
            known[key] = edges_of_tokens(lattice.edges, cut, size, lattice.spelling)
        drawn.append(known[key])
    return drawn


def own_path(lattice: Lattice) -> PathLaw:
    """Return the law of what drops nothing: the model's own path is certain."""
    own = lattice.taken.tobytes()
    path = Path(lattice, lattice.taken, probability=1.0)
    return PathLaw(lambda edges: float(edges.tobytes() == own), lambda: (path,))


def _merging(lattice: Lattice) -> Bpe:
    if lattice.bpe is None:
        raise _no_merges()
    return lattice.bpe


def _no_merges() -> ParameterError:
    return ParameterError(
        "BPE-dropout drops merges, and this model has none",
        "method",
        "open a BPE model, or choose a method for this one",
    )


def _wordpiece(segmenter: Segmenter | None) -> WordPiece:
    if not isinstance(segmenter, WordPiece):
        raise ParameterError(
            "MaxMatch-dropout is for WordPiece, and this is no WordPiece model",
            "method",
            "open a WordPiece model, or choose a method for this one",
        )
    return segmenter
