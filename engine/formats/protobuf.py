"""The protocol-buffer wire format, as much of it as model files use.

Encoding: https://protobuf.dev/programming-guides/encoding/. A message is a run of fields; a field
is a number, a wire type and a value.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

_FLOAT = struct.Struct("<f")


class WireError(ValueError):
    """Bytes that aren't a message; `at` is the offset of the first wrong one."""

    def __init__(self, what: str, at: int) -> None:
        self.what = what
        self.at = at
        super().__init__(what)


def varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """Return the variable-length whole number at `at` and the offset after it."""
    value = shift = 0
    for i in range(at, min(at + 10, end)):
        byte = data[i]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, i + 1
        shift += 7
    raise WireError("a number has no end", at)


def fields(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield (number, wire type, start, stop) of the fields of the message `data[at:end]`.

    `data[start:stop]` is the value; for a VARINT `start` is the value itself and `stop` is 0.
    Raises `WireError` where a field doesn't fit.
    """
    while at < end:
        begin = at
        key, at = varint(data, at, end)
        number, wire = key >> 3, key & 7
        if number == 0:
            raise WireError("a field has the number 0", begin)
        if wire == VARINT:
            value, at = varint(data, at, end)
            yield number, wire, value, 0
            continue
        if wire == BYTES:
            size, at = varint(data, at, end)
        elif wire == FIXED32:
            size = 4
        elif wire == FIXED64:
            size = 8
        else:
            raise WireError(f"wire type {wire} isn't known", begin)
        if at + size > end:
            raise WireError("a field runs over the end", begin)
        yield number, wire, at, at + size
        at += size


def float32(data: bytes, at: int) -> float:
    """Return the 32-bit number at `at`."""
    value: float = _FLOAT.unpack_from(data, at)[0]
    return value


def write_bytes(number: int, value: bytes) -> bytes:
    """Return a BYTES field."""
    return write_varint(number << 3 | BYTES) + write_varint(len(value)) + value


def write_varint(value: int) -> bytes:
    """Return a whole number from 0 on the wire."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
