"""How a kernel is compiled."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit
from numba.core import config as numba_config

from engine.kernels.folder import cache_folder

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True}
"""No kernel is called from C, and a wrapper for that takes time to compile."""


_FOLDER = cache_folder()

_settings_lock = threading.Lock()
"""Threads may import kernels at the same time, and numba's settings are one for all."""


def kernel(function: F) -> F:
    """Compile a function without the GIL, cached on disk where a folder for it can be written."""
    settings = vars(numba_config)
    with _settings_lock:
        kept = settings["CACHE_DIR"]
        settings["CACHE_DIR"] = _FOLDER
        try:
            return cast(F, njit(cache=True, **OPTIONS)(function))
        except RuntimeError:
            # No folder can be written: each process compiles anew.
            return cast(F, njit(**OPTIONS)(function))
        finally:
            settings["CACHE_DIR"] = kept
