"""Numbers and indices as text."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.programs.emitted.expression import Binding, Written, product

_LONG: Final = 9
"""Letters, above which a quotient of whole numbers is shorter."""

_MOST: Final = 1_000_000


def number(value: Any, infinity: str, nan: str) -> Written:
    """A real number, with every digit that it needs, or as ``1.0 / 3.0``.

    Examples
    --------
    >>> [number(x, "inf", "nan").text for x in (0.1, -2, -2.0, 1 / 3, -math.inf, True)]
    ['0.1', '-2', '-2.0', '1.0 / 3.0', '-inf', 'True']
    """
    if isinstance(value, bool | np.bool_):
        return Written(str(bool(value)))
    if isinstance(value, int):
        return Written(str(value), Binding.SIGN if value < 0 else Binding.ATOM)
    x = float(value)
    if not math.isfinite(x):
        text = nan if math.isnan(x) else infinity
        return Written(f"-{text}", Binding.SIGN) if x < 0 else Written(text)
    if math.copysign(1.0, x) < 0:
        inside = number(-x, infinity, nan)
        least = Binding.PRODUCT if inside.binding is Binding.PRODUCT else Binding.SIGN
        return Written(f"-{inside.text}", least)
    text = repr(x)
    if len(text) > _LONG and isinstance(value, float) and not isinstance(value, np.float32):
        below = round(1 / x) if 1e-6 < x < 1 else 0
        if 1 < below < _MOST and 1 / below == x:
            return product("/", Written("1.0"), Written(f"{below}.0"))
    return Written(text)


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape, as functions that make arrays take it.

    Examples
    --------
    >>> shape_text((3,)), shape_text((3, 2))
    ('3', '(3, 2)')
    """
    return repr(shape[0]) if len(shape) == 1 else repr(shape)


def format_nested(value: Any, written: Callable[[Any], str]) -> str:
    """An array as nested lists.

    Examples
    --------
    >>> format_nested(np.eye(2), repr)
    '[[1.0, 0.0], [0.0, 1.0]]'
    """
    if isinstance(value, np.ndarray):
        return (
            f"[{', '.join(format_nested(row, written) for row in value)}]"
            if value.ndim
            else format_nested(value.tolist(), written)
        )
    return written(value.item() if isinstance(value, np.generic) else value)


def wrap_line(line: str, width: int) -> list[str]:
    """A line as several, broken behind commas.

    Examples
    --------
    >>> wrap_line("c = [1.0, 2.0, 3.0]", 14)
    ['c = [1.0, 2.0,', '    3.0]']
    """
    if len(line) <= width:
        return [line]
    return textwrap.wrap(
        line, width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
