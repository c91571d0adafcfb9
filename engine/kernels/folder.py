"""Where compiled kernels are kept.

numba looks only at a kernel's own file when it asks whether a cached kernel is stale, though code
of other files is compiled into it. So the cache is a folder named after the content of all files
here: a change in any of them starts a new one.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from engine.files import user_caches


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
