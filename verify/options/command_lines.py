"""Command lines: options and their values as they are written and read.

The options of the pytest plugin are read here, so nothing is imported that a start would feel.
"""

from __future__ import annotations

import math
import reprlib
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Final

EFFORTS: Final = {"quick": 0.05, "normal": 1.0, "thorough": 5.0}
"""Efforts by name: for a test-suite of hundreds, for one claim, and for the last word on it."""

_MOST_SECONDS: Final = 1e9
"""Beyond which clocks of the system overflow."""

EXPECTED_EFFORT: Final = (
    "a number above 0, where 1 is the usual search, or one of "
    f"{', '.join(repr(name) for name in EFFORTS)}"
)


def command_line(words: list[str], options: Mapping[str, Any]) -> str:
    """A shell line of words and options; those with a value that is None, 0 or empty are left out.

    Examples
    --------
    >>> given = {"--at": ["[1.0, 2.0]", "3"], "--effort": 0.2, "--strict": True, "--seed": 0}
    >>> command_line(["symtape", "verify"], given)
    "symtape verify --at '[1.0, 2.0]' --at 3 --effort 0.2 --strict"
    """
    return shlex.join([*words, *(word for pair in option_words(options) for word in pair)])


def option_words(options: Mapping[str, Any]) -> Iterator[list[str]]:
    """Each option as it is written: its name and its value, as often as there are values."""
    for name, given in options.items():
        for value in given if isinstance(given, list | tuple) else [given]:
            if value is True:
                yield [name]
            elif value:
                yield [name, f"{value:g}" if isinstance(value, float) else str(value)]


def effort_from(text: str) -> float:
    """An effort as it is written on a command line.

    Raises
    ------
    ValueError
        Says what was expected.

    Examples
    --------
    >>> effort_from("thorough") == EFFORTS["thorough"], effort_from("0.2")
    (True, 0.2)
    """
    return EFFORTS[text] if text in EFFORTS else _parse_positive(text, math.inf, EXPECTED_EFFORT)


def seconds_from(text: str) -> float:
    """The seconds of a budget as they are written on a command line.

    Raises
    ------
    ValueError
        Says what was expected.

    Examples
    --------
    >>> seconds_from("2.5")
    2.5
    """
    return _parse_positive(text, _MOST_SECONDS, "a number above 0 and below 1e9")


def _parse_positive(text: str, most: float, expected: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < most:
        raise ValueError(f"{reprlib.repr(text)}: expected {expected}")
    return number


def seed_from(text: str) -> int:
    """A seed as it is written on a command line.

    Raises
    ------
    ValueError
        Says what was expected.

    Examples
    --------
    >>> seed_from("7")
    7
    """
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise ValueError(f"{reprlib.repr(text)}: expected a whole number from 0")
    return number
