"""Slow work of the engine that must not hold up the window: loading models, compiling kernels."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import SegscopeError
from engine.progress import Report

if TYPE_CHECKING:
    from engine.model import Model

SMALL = 300_000
"""Bytes up to which a model file is read in the calling thread."""

AT_ONCE = max(1, (os.cpu_count() or 1) // 2)
"""Big files that are read at a time."""

WAIT = 0.02
"""Seconds between looks at whether it is the next one's turn."""

_reading: list[object] = []
"""Who reads a big file or waits for that, in the order of asking."""

FIRST_USE = "The weather is lovely 今天天气不错"


def load_model(path: Path, report: Report, **options: Any) -> Model:
    """Load a model as `engine.load` does.

    A big file is read in a process of its own, which leaves the parsed model in the cache; from
    there it comes next time, without a process.
    """
    try:
        size = path.stat().st_size if not path.is_dir() else SMALL + 1
    except (OSError, ValueError):
        size = 0
    if size <= SMALL:
        import engine

        return engine.load(path, report=report, **options)
    from app.apart import call_apart
    from engine.cache import cached_file, read_model

    kept = cached_file(path, options, report)
    model = None if kept is None else read_model(kept, path)
    if model is None:
        with _turn(report):
            model = call_apart(_load, path, options, kept, report=report)
        if model is None and kept is not None:
            model = read_model(kept, path)
        if model is None:  # what was kept is gone already
            model = call_apart(_load, path, options, None, report=report)
    _use(model)
    return model


@contextmanager
def _turn(report: Report) -> Iterator[None]:
    """Wait until few others read a file: of many the first is there first, not all at the end."""
    mine = object()
    _reading.append(mine)
    try:
        while mine not in _reading[:AT_ONCE]:
            report(0, 0)
            time.sleep(WAIT)
        yield
    finally:
        _reading.remove(mine)


def _load(path: Path, options: dict[str, Any], kept: Path | None, report: Report) -> Model | None:
    """Load a model; runs in the process. None: it is kept in the file `kept`."""
    import engine
    from engine.cache import cached_file, write_model

    # Millions of objects live here at once, none of them garbage: looking through them over and
    # over takes a third of the time. The process ends soon anyway.
    gc.disable()
    model = engine.load(path, report=report, **options)
    # The name again, in case the file was replaced between naming and reading.
    if kept is not None and kept == cached_file(path, options) and write_model(kept, model):
        return None
    _use(model)
    return model


def _use(model: Model) -> None:
    """Use a model for the first time, which builds what later uses need: here nobody waits."""
    # Whether the model can read this text (its pieces may not cover it, its split pattern may
    # fail on it) says nothing of the texts that it is opened for.
    with suppress(SegscopeError):
        model.encode(FIRST_USE)
        model.lattice(FIRST_USE)


def prepare_kernels(report: Report) -> None:
    """Make the compiled kernels ready.

    They are compiled in a process of its own, which fills the cache on disk; from there they are
    read into this one. Where no cache can be kept, the plain twins go on serving short texts, and
    a kernel is compiled when a long text asks for it.
    """
    from app.apart import call_apart
    from engine.kernels import warm_up
    from engine.kernels.folder import cache_folder

    if not cache_folder():
        return
    call_apart(_compile, report=report)
    warm_up(report)


def _compile(report: Report) -> None:
    from engine.kernels import warm_up

    warm_up(report)
