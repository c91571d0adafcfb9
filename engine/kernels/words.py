"""BERT's normalizer and pre-tokenizer, which look at one character at a time, over many lines.

What becomes of each character is a table that `engine.pipelines.words` asks of the library. Twin:
the `tokenizers` library itself.
"""

from __future__ import annotations

from engine.kernels.jit import kernel
from engine.kernels.trie import ZERO, Bytes, Int, Ints, Longs, u

NEW, KEPT, MOVING, ALONE, BREAK, DROPPED, SPELLED, BOUND = range(8)
"""What becomes of a character: not looked up yet; part of a word as it is; the same, but two of the
kind side by side may change places; a word of its own as it is; white space, which ends a word;
nothing; other characters; what depends on the characters beside it."""


@kernel
def split_words(
    data: Bytes,
    line_ends: Longs,
    table: Ints,
    spelled: Bytes,
    out: Bytes,
    ends: Longs,
    cuts: Longs,
) -> Int:
    """Write the bytes of all words end to end, and return the number of words.

    data: uint8, valid UTF-8, all lines end to end; line_ends: int64[lines]. table:
    int32[0x110000], the fate of each code point, and for SPELLED also a place in `spelled` << 3:
    there stands for each new character its fate << 3 | length, then its bytes, and 0 after the
    last. out, ends: uint8 and int64 of one length; ends gets where each word ends in `out`. cuts:
    int64[lines + 1], the first word of each line, and their number. Returns −1 for a character
    that is NEW, −2 where `out` is too short, −3 for one that is BOUND or two MOVING side by side.
    """
    room = out.size - 64
    count = ZERO
    write = ZERO
    word = ZERO
    at = ZERO
    moving = False
    cuts[u(0)] = 0
    for line in range(line_ends.size):
        end = line_ends[u(line)]
        while at < end:
            code = ZERO + data[u(at)]
            size = ZERO + 1
            if code >= 0x80:
                second = (ZERO + data[u(at + 1)]) & 0x3F
                if code < 0xE0:
                    code = (code & 0x1F) << 6 | second
                    size = ZERO + 2
                else:
                    third = (ZERO + data[u(at + 2)]) & 0x3F
                    if code < 0xF0:
                        code = (code & 0x0F) << 12 | second << 6 | third
                        size = ZERO + 3
                    else:
                        fourth = (ZERO + data[u(at + 3)]) & 0x3F
                        code = (code & 0x07) << 18 | second << 12 | third << 6 | fourth
                        size = ZERO + 4
            entry = ZERO + table[u(code)]
            fate = entry & 7
            if fate == NEW:
                return ZERO - 1
            if fate == BOUND or (fate == MOVING and moving):
                return ZERO - 3
            if fate != DROPPED:
                moving = fate == MOVING
            if fate <= ALONE:
                if write > room:
                    return ZERO - 2
                if fate == ALONE and write > word:
                    ends[u(count)] = write
                    count += 1
                for i in range(size):
                    out[u(write + i)] = data[u(at + i)]
                write += size
                if fate == ALONE:
                    ends[u(count)] = write
                    count += 1
                    word = write
            elif fate == BREAK:
                if write > word:
                    ends[u(count)] = write
                    count += 1
                    word = write
            elif fate == SPELLED:
                place = entry >> 3
                while spelled[u(place)] != 0:
                    if write > room:
                        return ZERO - 2
                    own, length = spelled[u(place)] >> 3, spelled[u(place)] & 7
                    if own != KEPT and write > word:
                        ends[u(count)] = write
                        count += 1
                        word = write
                    if own != BREAK:
                        for i in range(length):
                            out[u(write + i)] = spelled[u(place + 1 + i)]
                        write += length
                    if own == ALONE:
                        ends[u(count)] = write
                        count += 1
                        word = write
                    place += 1 + length
            at += size
        moving = False
        if write > word:
            ends[u(count)] = write
            count += 1
            word = write
        cuts[u(line + 1)] = count
    return count
