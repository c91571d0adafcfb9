"""BPE-dropout in its four meanings, and MaxMatch-dropout.

Under one name the libraries draw from different laws. In all of them p is the probability that a
merge (or a piece, for MaxMatch) is dropped where it would be taken; p = 0 is the model's own
encoding, p = 1 leaves the first symbols, which are characters or bytes.

- `bpe-dropout`: Provilkov, Emelianenko & Voita, "BPE-Dropout" (ACL 2020). At each step every place
  where a pair could merge is dropped or not, all anew; of those left the lowest rank merges,
  leftmost first, at that one place. The word is done when all are dropped.
- `bpe-dropout-subword-nmt`: the same, but of the pair that wins all places that weren't dropped
  merge in the step, from the left (subword-nmt).
- `bpe-dropout-huggingface`: a queue by rank and place. What is taken out is dropped with p; the
  dropped return after the next entry that isn't, even if that is stale, because a neighbour has
  taken one of its symbols (HuggingFace's tokenizers, YouTokenToMe).
- `bpe-dropout-sentencepiece`: a queue without the stale; a pair that is dropped is gone unless a
  neighbour's merge makes it anew (SentencePiece, which calls p alpha).
- `maxmatch-dropout`: Hiraoka, "MaxMatch-Dropout" (COLING 2022), for WordPiece: the longest piece
  first, each dropped with p, except those of one character.

Any of the four can be had with any BPE model. `ignore_merges` doesn't count above p = 0, as in
HuggingFace's library. At p = 0 all are the model's own encoding.
"""

from __future__ import annotations

import math
from enum import IntEnum

from engine.errors import ParameterError


class DropRule(IntEnum):
    """Which of the four laws of BPE-dropout; see the package."""

    PAPER = 0
    SUBWORD_NMT = 1
    HUGGINGFACE = 2
    SENTENCEPIECE = 3


BPE_DROPOUTS: dict[str, DropRule] = {
    "bpe-dropout": DropRule.PAPER,
    "bpe-dropout-subword-nmt": DropRule.SUBWORD_NMT,
    "bpe-dropout-huggingface": DropRule.HUGGINGFACE,
    "bpe-dropout-sentencepiece": DropRule.SENTENCEPIECE,
}
"""The methods for BPE models by name."""

MAXMATCH_DROPOUT = "maxmatch-dropout"
"""The method for WordPiece models."""


def check_dropout(p: float) -> float:
    """Return the drop probability as a float; `ParameterError` outside of 0 … 1 and for NaN."""
    p = float(p)
    if math.isnan(p) or not 0.0 <= p <= 1.0:
        raise ParameterError(
            f"the drop probability is {p:g}",
            "dropout",
            "give a probability from 0 (plain) to 1 (characters)",
        )
    return p
