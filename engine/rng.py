"""Random numbers that are the same on every machine and can be read at any place.

SplitMix64 (Steele, Lea & Flood, OOPSLA 2014) in counter form: number i of stream `key` is a fixed
mix of key + (i + 1)·golden, so a trace reads the number of any step without drawing those before
it, and a kernel needs no state. Numbers are the upper 53 bits scaled to [0, 1).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

GOLDEN = 0x9E3779B97F4A7C15
MASK = 0xFFFFFFFFFFFFFFFF
INVERSE_2_53 = 1.0 / 9007199254740992.0

Seed = int | np.random.Generator


def seed_number(seed: Seed) -> int:
    """Return `seed` as an integer: a generator gives one of its raw numbers."""
    if isinstance(seed, np.random.Generator):
        return int(seed.bit_generator.random_raw())
    return int(seed)


def key_of(seed: Seed, stream: int = 0) -> int:
    """Return the 64-bit key of stream number `stream` (for example: draw number) of `seed`.

    `seed` is any integer, of any size and sign, or a `numpy.random.Generator`, of which one
    number is drawn. Streams are spread by a hash: neighbouring seeds have nothing in common.
    """
    digest = hashlib.blake2b(f"{seed_number(seed)}/{stream}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def mix(value: int) -> int:
    """Return SplitMix64's finalizer of a 64-bit integer."""
    value &= MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)


def uniform(key: int, index: int) -> float:
    """Return number `index` (from 0) of stream `key`, uniform in [0, 1)."""
    return (mix(key + (index + 1) * GOLDEN) >> 11) * INVERSE_2_53


def uniforms(key: int, first: int, count: int) -> NDArray[np.float64]:
    """Return numbers `first` … `first + count - 1` of stream `key` as float64[count]."""
    return uniform_rows([key], first, count).reshape(-1)


def uniform_rows(keys: Sequence[int], first: int, count: int) -> NDArray[np.float64]:
    """Return numbers `first` … `first + count - 1` of each stream, float64[len(keys), count]."""
    with np.errstate(over="ignore"):
        index = np.arange(first + 1, first + count + 1, dtype=np.uint64) * np.uint64(GOLDEN)
        value = np.array(keys, dtype=np.uint64)[:, None] + index
        value ^= value >> np.uint64(30)
        value *= np.uint64(0xBF58476D1CE4E5B9)
        value ^= value >> np.uint64(27)
        value *= np.uint64(0x94D049BB133111EB)
        value ^= value >> np.uint64(31)
    numbers: NDArray[np.float64] = (value >> np.uint64(11)).astype(np.float64)
    numbers *= INVERSE_2_53
    return numbers
