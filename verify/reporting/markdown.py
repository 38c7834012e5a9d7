"""GitHub's Markdown in which nothing of the text is read as markup."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from verify.reporting.legible import legible, one_line
from verify.reporting.tables import Table

_BAR: Final = r"\|"
"""A bar that does not end a table's cell."""

_BLOCK: Final = 4_000


def code(text: str, limit: int = 120) -> str:
    """`text` as a code span.

    Examples
    --------
    >>> code("a | `b`")
    '`` a | `b` ``'
    """
    text = one_line(text, limit)
    if not text:
        return ""
    fence = "`" * (_longest_run(text) + 1)
    pad = " " if "`" in text else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def block(text: str) -> str:
    """`text` as a code block that nothing in it can close.

    Examples
    --------
    >>> print(block("1 < 2"))
    ```text
    1 < 2
    ```
    """
    text = legible(text)
    if len(text) > _BLOCK:
        text = f"{text[:_BLOCK]}\n… {len(text) - _BLOCK:,} more characters"
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}text\n{text}\n{fence}"


def table(cells: Table, of_words: Callable[[str], str] = str) -> str:
    r"""A table; the cells of columns that are not numbers go through `of_words`.

    Examples
    --------
    >>> print(table(Table(("a", "n"), (("|", "1"),), (False, True)), code))
    | a | n |
    |:-|-:|
    | `\|` | 1 |
    """
    rule = "|".join("-:" if number else ":-" for number in cells.numbers)
    lines = [table_row(cells.header), f"|{rule}|"]
    for row in cells.rows:
        pairs = zip(row, cells.numbers, strict=True)
        lines.append(table_row([cell if number else of_words(cell) for cell, number in pairs]))
    return "\n".join(lines)


def table_row(cells: Sequence[str]) -> str:
    """A row of a table, in which no bar ends a cell."""
    return f"| {' | '.join(one_line(cell).replace('|', _BAR) for cell in cells)} |"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
