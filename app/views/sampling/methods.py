"""The sampling methods as the window shows them: names, marks, and which fit a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication

from app.draw.method_mark import SIGNS, Shape
from engine.dropout import BPE_DROPOUTS, MAXMATCH_DROPOUT
from engine.model import Model
from engine.sampler import SamplingSettings

MOST = 4
"""Methods that are shown at once."""

LANES = ("viterbi", "viterbi-v1", "perfect", "ffbs")
"""The methods whose pass over the lattice has a lane."""

WITHOUT_REPLACEMENT = "without-replacement"
"""The method whose draws are sets."""

OF_A_LAW = (*LANES, "viterbi-v1.5", "nbest", "uniform", WITHOUT_REPLACEMENT)
"""The methods for models with a law over segmentations."""


@dataclass(frozen=True)
class Settings(SamplingSettings):
    """The parameters of all methods on show. set_size: k, paths in a set of distinct ones."""

    set_size: int = 2


translate = QCoreApplication.translate


@dataclass(frozen=True)
class Look:
    """How a method is marked: a shape, and the number of an identity colour."""

    shape: Shape
    identity: int

    @property
    def sign(self) -> str:
        """The mark as a character."""
        return SIGNS[self.shape]


LOOKS: dict[str, Look] = {
    "viterbi": Look("square", 5),
    "viterbi-v1": Look("diamond", 3),
    "perfect": Look("ring", 0),
    "ffbs": Look("triangle", 2),
    "viterbi-v1.5": Look("hollow diamond", 1),
    "nbest": Look("wedge", 1),
    "uniform": Look("frame", 4),
    "bpe-dropout": Look("ring", 0),
    "bpe-dropout-subword-nmt": Look("diamond", 3),
    "bpe-dropout-huggingface": Look("triangle", 2),
    "bpe-dropout-sentencepiece": Look("square", 1),
    MAXMATCH_DROPOUT: Look("bar", 0),
    WITHOUT_REPLACEMENT: Look("bar", 4),
}


def fitting(model: Model) -> tuple[str, ...]:
    """Return the methods that can draw from a model, the usual ones first."""
    if not model.segmenter.law:
        return OF_A_LAW
    if model.bpe is not None:
        return (*BPE_DROPOUTS, "uniform")
    if model.algorithm == "wordpiece":
        return (MAXMATCH_DROPOUT,)
    return ()


def usual(model: Model) -> tuple[str, ...]:
    """Return the methods that a model begins with."""
    if not model.segmenter.law:
        return ("viterbi-v1", "perfect")
    return fitting(model)[:1]


def kind_of(model: Model) -> str:
    """Return the kind of model that a choice of methods is kept for: `law`, `bpe`, `wordpiece`."""
    if not model.segmenter.law:
        return "law"
    return "bpe" if model.bpe is not None else model.algorithm


class Choices:
    """The methods that a person has chosen for each kind of model."""

    def __init__(self) -> None:
        self._of: dict[str, tuple[str, ...]] = {}

    def of(self, model: Model) -> tuple[str, ...]:
        """Return the methods for a model, at most `MOST`; the usual ones before any are chosen."""
        wanted = self._of.get(kind_of(model), ())
        return tuple(kind for kind in fitting(model) if kind in wanted)[:MOST] or usual(model)

    def choose(self, model: Model, methods: tuple[str, ...]) -> None:
        """Take methods for all models of this kind."""
        self._of[kind_of(model)] = methods

    def kept(self) -> dict[str, list[str]]:
        """Return what a scene keeps: the methods by kind of model."""
        return {kind: list(methods) for kind, methods in self._of.items()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take the methods that the state of a scene holds.

        `chosen` has those of each kind of model, `methods` those shown, which fit the model of the
        scene. Older scenes have `methods` alone, or name lanes.
        """
        lanes = {"both": ["viterbi", "perfect"], "perfect": ["perfect"], "viterbi": ["viterbi"]}
        shown = _known(state.get("methods", lanes.get(str(state.get("lanes")))))
        chosen = state.get("chosen")
        by_kind = chosen if isinstance(chosen, dict) else {}
        self._of = {
            kind: _known(by_kind.get(kind)) or shown for kind in ("law", "bpe", "wordpiece")
        }


def _known(given: object) -> tuple[str, ...]:
    """Return the methods that a list names; nothing else is taken."""
    wanted = given if isinstance(given, list) else []
    return tuple(kind for kind in LOOKS if kind in wanted)


def method_name(kind: str) -> str:
    """Return the short name of a method."""
    names = {
        "viterbi": translate("Methods", "Viterbi"),
        "viterbi-v1": translate("Methods", "v1"),
        "viterbi-v1.5": translate("Methods", "v1.5"),
        "perfect": translate("Methods", "perfect"),
        "ffbs": translate("Methods", "ffbs"),
        "nbest": translate("Methods", "n-best"),
        "uniform": translate("Methods", "uniform"),
        "bpe-dropout": translate("Methods", "paper"),
        "bpe-dropout-subword-nmt": translate("Methods", "subword-nmt"),
        "bpe-dropout-huggingface": translate("Methods", "HuggingFace"),
        "bpe-dropout-sentencepiece": translate("Methods", "SentencePiece"),
        MAXMATCH_DROPOUT: translate("Methods", "MaxMatch"),
        WITHOUT_REPLACEMENT: translate("Methods", "distinct"),
    }
    return names[kind]


def method_title(kind: str) -> str:
    """Return a method's name with what it does: the title of its lane, its line in the menu."""
    titles = {
        "viterbi": translate("Methods", "Viterbi: keep the better score"),
        "viterbi-v1": translate("Methods", "v1: compare with the held path"),
        "viterbi-v1.5": translate("Methods", "v1.5: the held path against the sum so far"),
        "perfect": translate("Methods", "Perfect: compare with the sum so far"),
        "ffbs": translate("Methods", "ffbs: sum forward, choose backward"),
        "nbest": translate("Methods", "n-best: one of the ℓ best paths"),
        "uniform": translate("Methods", "Uniform: every segmentation alike"),
        "bpe-dropout": translate("Methods", "BPE-dropout of the paper"),
        "bpe-dropout-subword-nmt": translate("Methods", "BPE-dropout of subword-nmt"),
        "bpe-dropout-huggingface": translate(
            "Methods", "BPE-dropout of HuggingFace and YouTokenToMe"
        ),
        "bpe-dropout-sentencepiece": translate("Methods", "BPE-dropout of SentencePiece"),
        MAXMATCH_DROPOUT: translate("Methods", "MaxMatch-dropout: the longest piece, or not"),
        WITHOUT_REPLACEMENT: translate("Methods", "Without replacement: no segmentation twice"),
    }
    return titles[kind]


def method_note(kind: str) -> str:
    """Return the line under the title of a lane."""
    notes = {
        "viterbi": translate("Methods", "each newcomer against the best so far"),
        "viterbi-v1": translate("Methods", "each newcomer against one sampled prefix"),
        "perfect": translate("Methods", "a reservoir: n equal edges have the chances 1, 1/2 … 1/n"),
        "ffbs": translate("Methods", "one random number for each token, on the way back"),
    }
    return notes.get(kind, "")


def settings_of(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Return which of `SamplingSettings` some of the methods read."""
    from engine.sample import SAMPLERS

    read = {name for kind in kinds for name in SAMPLERS[kind].settings}
    return tuple(name for name in ("theta", "dropout", "nbest_size") if name in read)


def library_note(kinds: tuple[str, ...], settings: SamplingSettings) -> str:
    """Say what the libraries call these settings: `alpha` means opposite things in them."""
    theta, p, size = (
        f"{settings.theta:g}", f"{settings.dropout:.2f}", f"{settings.nbest_size:,}"
    )  # fmt: skip
    parts = []
    read = settings_of(kinds)
    if "theta" in read:
        text = translate(
            "Methods",
            "θ = {theta}: alpha = {theta} in SentencePiece (Unigram) and BytePiece; larger means "
            "nearer to Viterbi.",
        )
        parts.append(text.format(theta=theta))
    if "nbest_size" in read:
        text = translate(
            "Methods", "ℓ = {size}: nbest_size = {size} in SentencePiece; there −1 means all paths."
        )
        parts.append(text.format(size=size))
    if "dropout" in read and MAXMATCH_DROPOUT not in kinds:
        text = translate(
            "Methods",
            "p = {p}: alpha = {p} in SentencePiece (BPE), dropout = {p} in HuggingFace and "
            "subword-nmt, dropout_prob = {p} in YouTokenToMe; larger means more random.",
        )
        parts.append(text.format(p=p))
    elif "dropout" in read:
        text = translate("Methods", "p = {p}: the dropout rate of the MaxMatch-dropout paper.")
        parts.append(text.format(p=p))
    return " ".join(parts)
