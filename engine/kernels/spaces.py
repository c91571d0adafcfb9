"""What a SentencePiece normalizer without rewriting rules does to spaces, over many lines at once.

Twin: `engine.pipelines.sentencepiece.escape_plain`.
"""

from __future__ import annotations

import numpy as np

from engine.kernels.jit import kernel
from engine.kernels.trie import Bytes, Longs, u

SPACE, NEWLINE = np.uint8(0x20), np.uint8(0x0A)
ONE, TWO, THREE = u(1), u(2), u(3)


@kernel
def escape_spaces(raw: Bytes, remove: bool, prefix: bool, out: Bytes, bounds: Longs) -> bool:
    """Put ▁ (E2 96 81) for the spaces of lines that are joined by newlines.

    raw: uint8, UTF-8. remove: drop spaces at the ends of a line, and all but one of a run.
    prefix: put ▁ before each line of which something is left. out: uint8, three bytes for each
    of `raw` and three for each line. bounds: int64[lines + 1], filled with where each line starts
    in `out`, and the end. False where there are more lines, and where `remove` meets a ▁
    in the text, which the library may take for a space.
    """
    n, last = u(len(raw)), u(len(bounds) - 1)
    write = line = i = u(0)
    bounds[u(0)] = 0
    while line < last:
        while remove and i < n and raw[i] == SPACE:
            i += ONE
        if prefix and i < n and raw[i] != NEWLINE:
            out[write] = 0xE2
            out[write + ONE] = 0x96
            out[write + TWO] = 0x81
            write += THREE
        first = write
        while i < n:
            byte = raw[i]
            if byte == SPACE:
                out[write] = 0xE2
                out[write + ONE] = 0x96
                out[write + TWO] = 0x81
                write += THREE
                while remove and i + ONE < n and raw[i + ONE] == SPACE:
                    i += ONE
            elif byte == NEWLINE:
                break
            else:
                own = byte == 0x81 and i > ONE and raw[i - ONE] == 0x96 and raw[i - TWO] == 0xE2
                if remove and own:
                    return False
                out[write] = byte
                write += ONE
            i += ONE
        # The text has no ▁ of its own, so one at the end is a space.
        if remove and write > first + TWO:
            tail = out[write - TWO] == 0x96 and out[write - THREE] == 0xE2
            if tail and out[write - ONE] == 0x81:
                write -= THREE
        line += ONE
        bounds[line] = write
        i += ONE
    return bool(i > n)
