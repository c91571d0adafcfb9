"""How strings in a text that spell a special token may be read."""

from __future__ import annotations

from typing import Literal, get_args

Special = Literal["literal", "parse", "forbid"]
"""How strings that spell a special token are read: as text, as the token, or not at all."""

READINGS: tuple[Special, ...] = get_args(Special)
