"""Model files that are text."""

from __future__ import annotations

from engine.formats.source import Source

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""U+FEFF in UTF-8, which some editors put before a text."""

LINE_END = b"\n"

MOST_LINES = 2_000_000
"""Lines that a model file may have: each takes memory, however short it is."""

LONGEST_LINE = 1 << 20
"""Bytes that a line may have: pieces have a few hundred at most."""


def decode(source: Source) -> str:
    """Return the file as text, a byte-order mark left out. Raises `ModelError` with the place."""
    try:
        return source.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        data = error.object  # what is behind a byte-order mark
        line = data.count(LINE_END, 0, error.start) + 1
        place = error.start - data.rfind(LINE_END, 0, error.start)
        if line == 1:
            place += len(source.data) - len(data)
        raise source.error(
            f"the file isn't valid UTF-8 (byte 0x{data[error.start]:02X})",
            f"line {line}, byte {place}",
            "the file is damaged: copy or download it again",
        ) from None


def check_lines(source: Source) -> None:
    """Raise `ModelError` for more lines than `MOST_LINES` or one over `LONGEST_LINE` bytes."""
    data = source.data
    count = data.count(LINE_END)
    if count > MOST_LINES:
        raise source.error(
            f"the file has {count:,} lines, more than a model can have", "", "open another file"
        )
    start = 0
    while len(data) - start > LONGEST_LINE:
        # From one line's start to the last one that is within reach.
        end = data.rfind(LINE_END, start, start + LONGEST_LINE + 1)
        if end < 0:
            stop = data.find(LINE_END, start)
            size = (stop if stop >= 0 else len(data)) - start
            raise source.error(
                f"a line has {size:,} bytes, more than a line of a model can have",
                f"line {data.count(LINE_END, 0, start) + 1}",
                "the file is damaged or no model: copy or download it again",
            )
        start = end + 1


def told_mark(source: Source, library: str) -> list[str]:
    """Return the warning of a byte-order mark that `decode` leaves out, none without one.

    library: what the format's own library makes of such a file.
    """
    if not source.data.startswith(BYTE_ORDER_MARK):
        return []
    return [f"{source.name} begins with a byte-order mark, which is left out; {library}"]


def lines_of(source: Source) -> list[str]:
    r"""Return the lines of a text file, which end at `\n` or `\r\n` and nowhere else.

    What follows the last `\n` is a line if it isn't empty. Raises `ModelError` as `decode` does,
    and `check_lines`.
    """
    check_lines(source)
    lines = decode(source).split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]
