"""How a kernel is compiled, and where the result is kept.

numba looks only at a kernel's own file when it asks whether a cached kernel is stale, though code
of other files is compiled into it. So the cache is a folder named after the content of all files
here: a change in any of them starts a new one.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit
from numba.core import config as numba_config

from engine.files import user_caches

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True}
"""No kernel is called from C, and a wrapper for that takes time to compile."""


def _cache_root() -> Path | None:
    """Return the folder for caches of this user, None where there is no home."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named:
        return Path(named)
    return user_caches()


def cache_folder() -> str:
    """Return the folder that compiled kernels of this very code are kept in; empty for none."""
    root = _cache_root()
    if root is None:
        return ""
    digest = hashlib.blake2b(digest_size=8)
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return str(root / f"kernels-{digest.hexdigest()}")


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
