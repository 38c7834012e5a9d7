"""Command lines: options and their values as they are written."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any


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
