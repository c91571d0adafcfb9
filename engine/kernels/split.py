"""Cutting text into pre-tokens as the split patterns of byte-level BPE do, character by character.

One kernel serves GPT-2's pattern and its heirs up to cl100k, one o200k's. Both read UTF-8 and a
table of character classes; `engine.pipelines.scanning` makes that table and knows which pattern is
which. Twin: the `regex` library, in `engine.pipelines.splitting.Splitter`.
"""

from __future__ import annotations

import numpy as np

from engine.kernels.jit import kernel
from engine.kernels.trie import ZERO, Bytes, Int, Longs, u

NEW, UPPER, LOWER, LETTER, MARK, NUMBER, OTHER, SPACE, NEWLINE = (np.int64(i) for i in range(9))
"""Classes: not looked up yet, Lu and Lt, Ll, Lm and Lo, M, N, none of these, \\s, CR and LF.

Letters are UPPER … LETTER, white space is SPACE and NEWLINE. Not literals: of those numba would
compile versions of their own."""

Flag = bool | np.bool_
YES, NO = np.bool_(True), np.bool_(False)

QUOTE, SLASH, BLANK = 0x27, 0x2F, 0x20


@kernel
def class_at(data: Bytes, at: Int, classes: Bytes) -> Int:
    """Return class << 3 | length in bytes of the character at a place of valid UTF-8."""
    first = np.int64(data[u(at)])
    if first < 0x80:
        return np.int64(classes[u(first)]) << 3 | 1
    second = np.int64(data[u(at + 1)]) & 0x3F
    if first < 0xE0:
        return np.int64(classes[u((first & 0x1F) << 6 | second)]) << 3 | 2
    third = np.int64(data[u(at + 2)]) & 0x3F
    if first < 0xF0:
        return np.int64(classes[u((first & 0x0F) << 12 | second << 6 | third)]) << 3 | 3
    code = (first & 0x07) << 18 | second << 12 | third << 6 | (np.int64(data[u(at + 3)]) & 0x3F)
    return np.int64(classes[u(code)]) << 3 | 4


@kernel
def run_end(data: Bytes, at: Int, end: Int, classes: Bytes, low: Int, high: Int) -> Int:
    """Return where the characters of the classes low … high from `at` on end."""
    while at < end:
        found = class_at(data, at, classes)
        if found >> 3 < low or found >> 3 > high:
            break
        at += found & 7
    return at


@kernel
def contraction_end(data: Bytes, at: Int, end: Int, fold: Flag) -> Int:
    """Return the end of 's 't 'm 'd 're 've 'll at a place, `at` where there is none.

    fold: capitals count too, and with them ſ, which is an s to a pattern that ignores case.
    """
    if at + 1 >= end or data[u(at)] != QUOTE:
        return at
    case = 0x20 if fold else 0
    first = data[u(at + 1)] | case
    if first == 0x73 or first == 0x74 or first == 0x6D or first == 0x64:
        return at + 2
    if at + 2 >= end:
        return at
    if fold and data[u(at + 1)] == 0xC5 and data[u(at + 2)] == 0xBF:
        return at + 3
    second = data[u(at + 2)] | case
    if (first == 0x72 or first == 0x76) and second == 0x65:
        return at + 3
    if first == 0x6C and second == 0x6C:
        return at + 3
    return at


@kernel
def space_end(data: Bytes, at: Int, end: Int, classes: Bytes, lines: Flag, whole_tail: Flag) -> Int:
    """Return the end of the pre-token of white space that starts at a place.

    lines: it reaches to the last line break of the run, if there is one. whole_tail: not where
    the run ends the text, which is then one pre-token. A run before other text leaves its last
    character to it, unless it is the only one.
    """
    before, after_break = at, at
    stop = at
    while stop < end:
        found = class_at(data, stop, classes)
        if found >> 3 < SPACE:
            break
        before = stop
        stop += found & 7
        if found >> 3 == NEWLINE:
            after_break = stop
    if whole_tail and stop == end:
        return stop
    if lines and after_break > at:
        return after_break
    return before if stop < end and before > at else stop


@kernel
def split_plain(
    data: Bytes,
    line_ends: Longs,
    classes: Bytes,
    fold: bool,
    heirs: bool,
    digits: int,
    whole_tail: bool,
    ends: Longs,
    cuts: Longs,
) -> Int:
    """Split by GPT-2's pattern or an heir of it; return the number of pre-tokens.

    data: uint8, valid UTF-8, all lines end to end; line_ends: int64[lines]. fold: contractions
    ignore case. heirs: any character but a line break, a letter or a number may lead letters
    (else a blank may lead letters, numbers and others), others take line breaks after them, and
    white space ends at line breaks. digits: numbers of one pre-token at most. whole_tail: see
    `space_end`. ends: int64, room for one a byte: where each pre-token ends; the first starts at 0
    and each other where the one before ends. cuts: int64[lines + 1], the first pre-token of each
    line, and their number. Returns −1 where a character's class is `NEW`: every run stops there,
    so it is met at the start of a pre-token.
    """
    count = ZERO
    at = ZERO
    cuts[u(0)] = 0
    for line in range(line_ends.size):
        end = line_ends[u(line)]
        while at < end:
            stop = contraction_end(data, at, end, fold)
            if stop > at:
                at = stop
                ends[u(count)] = at
                count += 1
                continue
            found = class_at(data, at, classes)
            kind, stop = found >> 3, at + (found & 7)
            lead = kind
            leads = kind != NEWLINE if heirs else data[u(at)] == BLANK
            if kind >= MARK and kind != NUMBER and leads and stop < end:
                found = class_at(data, stop, classes)
                ahead = found >> 3
                led = ahead < MARK or (data[u(at)] == BLANK and ahead < SPACE)
                if led and not (heirs and ahead == NUMBER):
                    kind = ahead
            if kind == NEW:
                return ZERO - 1
            if kind < MARK:
                at = run_end(data, stop, end, classes, UPPER, LETTER)
            elif kind == NUMBER:
                left = digits - (1 if lead == NUMBER else 0)
                while left > 0 and stop < end:
                    found = class_at(data, stop, classes)
                    if found >> 3 != NUMBER:
                        break
                    stop += found & 7
                    left -= 1
                at = stop
            elif kind < SPACE:
                at = stop
                while at < end:
                    found = class_at(data, at, classes)
                    if found >> 3 != OTHER and found >> 3 != MARK:
                        break
                    at += found & 7
                if heirs:
                    at = run_end(data, at, end, classes, NEWLINE, NEWLINE)
            else:
                at = space_end(data, at, end, classes, heirs, whole_tail)
            ends[u(count)] = at
            count += 1
        cuts[u(line + 1)] = count
    return count


@kernel
def word_end(data: Bytes, at: Int, end: Int, classes: Bytes) -> Int:
    """Return the end of capitals, then small letters, as o200k takes them; `at` for none.

    Letters without case and marks count as both. Without a small letter at the end the word
    reaches to the last that counts as one, or holds capitals only.
    """
    both = at
    stop = at
    while stop < end:
        found = class_at(data, stop, classes)
        kind = found >> 3
        if kind != UPPER and kind != LETTER and kind != MARK:
            break
        stop += found & 7
        if kind != UPPER:
            both = stop
    small = stop
    while small < end:
        found = class_at(data, small, classes)
        if found >> 3 < LOWER or found >> 3 > MARK:
            break
        small += found & 7
    if small > stop:
        return small
    return both if both > at else stop


@kernel
def split_cased(data: Bytes, line_ends: Longs, classes: Bytes, ends: Longs, cuts: Longs) -> Int:
    """Split by o200k's pattern, which parts words at capitals; see `split_plain`."""
    count = ZERO
    at = ZERO
    cuts[u(0)] = 0
    for line in range(line_ends.size):
        end = line_ends[u(line)]
        while at < end:
            found = class_at(data, at, classes)
            kind, stop = found >> 3, at + (found & 7)
            if kind == NEW:
                return ZERO - 1
            word = at
            if kind < MARK:
                word = word_end(data, at, end, classes)
            elif kind != NUMBER and kind != NEWLINE:
                word = word_end(data, stop, end, classes)
                if kind == MARK and word == run_end(data, stop, end, classes, UPPER, UPPER):
                    # At most capitals after a mark: the mark alone is a word.
                    word = stop
                elif word == stop:
                    word = at
            if word > at:
                at = contraction_end(data, word, end, YES)
            elif kind == NUMBER:
                left = 2
                while left > 0 and stop < end:
                    found = class_at(data, stop, classes)
                    if found >> 3 != NUMBER:
                        break
                    stop += found & 7
                    left -= 1
                at = stop
            else:
                ahead = kind
                if data[u(at)] == BLANK and stop < end:
                    ahead = class_at(data, stop, classes) >> 3
                if kind == OTHER or ahead == OTHER:
                    at = stop
                    while at < end:
                        found = class_at(data, at, classes)
                        if found >> 3 != OTHER and found >> 3 != MARK:
                            break
                        at += found & 7
                    while at < end and (
                        data[u(at)] == SLASH or class_at(data, at, classes) >> 3 == NEWLINE
                    ):
                        at += 1
                else:
                    at = space_end(data, at, end, classes, YES, NO)
            ends[u(count)] = at
            count += 1
        cuts[u(line + 1)] = count
    return count
