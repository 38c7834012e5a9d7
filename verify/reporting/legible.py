"""Text from anywhere, made safe to show: nothing invisible, nothing that XML or UTF-8 lacks."""

from __future__ import annotations

import re
from typing import Final

_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # control characters, and so escape sequences
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # that reorder text
    "\u2028\u2029\ufeff\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"  # that XML or UTF-8 lacks
)


def legible(text: str) -> str:
    r"""`text` with what cannot be seen, or cannot be written, spelled out.

    Examples
    --------
    >>> legible("red: \x1b[31m, mirrored: \u202e")
    'red: \\x1b[31m, mirrored: \\u202e'
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _HIDDEN.sub(lambda match: _spell_character(match[0]), text)


def one_line(text: str, limit: int = 0) -> str:
    r"""`text`, legible, on one line, of at most `limit` characters if that is not 0.

    Examples
    --------
    >>> one_line("a\n  b" + "c" * 10, limit=8)
    'a bcccc…'
    """
    text = " ".join(legible(text).split())
    return text if not limit or len(text) <= limit else text[: limit - 1] + "…"


def _spell_character(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
