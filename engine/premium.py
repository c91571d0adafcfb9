"""The premium: what a language pays over a base language for the same content.

Tokens of the language over those of the base, summed over the lines that neither of the two leaves
empty (Petrov et al., 2023). Where lines don't correspond there is none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.corpus import Corpus

if TYPE_CHECKING:
    from engine.metrics import Counts, LineCounts


def language_premium(
    counts: dict[tuple[str, str], LineCounts], corpus: Corpus, name: str, code: str, base: str
) -> float:
    """Return the premium of a language under a model, NaN where there is none."""
    if not base or not corpus.aligned(code, base):
        return math.nan
    own, others = counts[name, code], counts[name, base]
    return premium_of(own.tokens, others.tokens, own.content & others.content)


def premium_of(tokens: Counts | None, base: Counts | None, both: NDArray[np.bool_] | None) -> float:
    """Return tokens over the base's tokens, NaN over none.

    tokens, base: int64[lines]. both: bool[lines], the lines that count; None for all.
    """
    if tokens is None or base is None:
        return math.nan
    if both is not None:
        tokens, base = tokens[both], base[both]
    below = int(base.sum())
    return int(tokens.sum()) / below if below else math.nan


def without_premium(
    corpus: Corpus, base: str, counts: dict[tuple[str, str], LineCounts]
) -> Iterator[str]:
    """Say for which languages and models there is no premium, and why."""
    other = [x.code for x in corpus if not corpus.aligned(x, base)]
    if other:
        yield f"no premium for {', '.join(other)}: another number of lines than {base}"
    content = {language: found.content for (_, language), found in counts.items()}
    if not content[base].any():
        yield f"no premium: the base language, {base}, has no line with text in it"
        return
    aligned = [x.code for x in corpus if x.code not in other]
    apart = [code for code in aligned if not (content[code] & content[base]).any()]
    if apart:
        yield f"no premium for {', '.join(apart)}: no line with text where {base} has one"
    for (model, language), found in counts.items():
        if language != base or found.tokens is None:
            continue
        if not found.tokens[found.content].any():
            yield f"no premium under {model}: it makes no tokens of {base}, the base language"
