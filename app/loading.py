"""Slow work of the engine that must not hold up the window: loading models, compiling kernels."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.apart import call_apart
from engine.errors import TextError
from engine.progress import Report

if TYPE_CHECKING:
    from engine.model import Model

SMALL = 300_000
"""Bytes up to which a model file is read in the calling thread."""

FIRST_USE = "The weather is lovely 今天天气不错"


def load_model(path: Path, report: Report, **options: Any) -> Model:
    """Load a model as `engine.load` does, in a process of its own when the file is big."""
    try:
        size = path.stat().st_size
    except (OSError, ValueError):
        size = 0
    if size <= SMALL:
        import engine

        return engine.load(path, report=report, **options)
    model: Model = call_apart(_load, path, options, report=report)
    return model


def _load(path: Path, options: dict[str, Any], report: Report) -> Model:
    import engine

    model = engine.load(path, report=report, **options)
    # The first use builds what later uses need; here nobody waits for it.
    with suppress(TextError):  # a model without an unknown token may be unable to write it
        model.encode(FIRST_USE)
        model.lattice(FIRST_USE)
    return model


def prepare_kernels(report: Report) -> None:
    """Make the compiled kernels ready.

    They are compiled in a process of its own, which fills the cache on disk; from there they are
    read into this one. Where no cache can be kept, the plain twins go on serving short texts, and
    a kernel is compiled when a long text asks for it.
    """
    from engine.kernels import warm_up
    from engine.kernels.jit import cache_folder

    if not cache_folder():
        return
    call_apart(_compile, report=report)
    warm_up(report)


def _compile(report: Report) -> None:
    from engine.kernels import warm_up

    warm_up(report)
