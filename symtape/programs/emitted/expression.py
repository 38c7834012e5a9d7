"""Expressions and numbers as text, in parentheses only where they have to be."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

import numpy as np

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


class Binding(IntEnum):
    """How tightly the outermost operator of a text binds; an atom needs no parentheses anywhere."""

    CHOICE = 0
    COMPARISON = 1
    SUM = 2
    MATRIX_PRODUCT = 3
    PRODUCT = 4
    SIGN = 5
    POWER = 6
    ATOM = 7


@dataclass(frozen=True, slots=True)
class Written:
    """An expression.

    Attributes
    ----------
    text : str
    binding : Binding
        Of its outermost operator.

    Examples
    --------
    >>> x = Written("a + b", Binding.SUM)
    >>> product("*", x, Written("c")).text, sum_of("-", Written("c"), x).text
    ('(a + b) * c', 'c - (a + b)')
    """

    text: str
    binding: Binding = Binding.ATOM

    def parenthesise(self, least: Binding) -> str:
        """The text, in parentheses where it binds less than `least`."""
        return self.text if self.binding >= least else f"({self.text})"


def sum_of(sign: str, a: Written, b: Written) -> Written:
    """``a + b`` or ``a - b``: floats are added from the left, so that the right one is grouped."""
    text = f"{a.parenthesise(Binding.SUM)} {sign} {b.parenthesise(Binding.MATRIX_PRODUCT)}"
    return Written(text, Binding.SUM)


def product(sign: str, a: Written, b: Written) -> Written:
    """``a * b`` or ``a / b``."""
    text = f"{a.parenthesise(Binding.PRODUCT)} {sign} {b.parenthesise(Binding.SIGN)}"
    return Written(text, Binding.PRODUCT)


def matrix_product(sign: str, a: Written, b: Written) -> Written:
    """``a @ b``; products of elements are grouped, which bind as tightly."""
    least = Binding.MATRIX_PRODUCT if a.binding is Binding.MATRIX_PRODUCT else Binding.SIGN
    return Written(
        f"{a.parenthesise(least)} {sign} {b.parenthesise(Binding.SIGN)}", Binding.MATRIX_PRODUCT
    )


def negative(x: Written) -> Written:
    """``-x``; of a product the first factor is negated, which gives every bit of the same."""
    if x.binding is Binding.PRODUCT and not x.text.startswith("-"):
        return Written(f"-{x.text}", Binding.PRODUCT)
    return Written(f"-{x.parenthesise(Binding.POWER)}", Binding.SIGN)


def power(a: Written, b: Written) -> Written:
    """``a**b``."""
    return Written(
        f"{a.parenthesise(Binding.ATOM)}**{b.parenthesise(Binding.POWER)}", Binding.POWER
    )


def comparison(sign: str, a: Written, b: Written) -> Written:
    """``a < b``, grouped among all else."""
    return Written(
        f"{a.parenthesise(Binding.SUM)} {sign} {b.parenthesise(Binding.SUM)}", Binding.COMPARISON
    )


def call(function: str, *arguments: Written | str, **named: str) -> Written:
    """A call; arguments are separated by commas, so that they need no parentheses."""
    given = [x if isinstance(x, str) else x.text for x in arguments]
    listed = [*given, *(f"{name}={text}" for name, text in named.items())]
    return Written(f"{function}({', '.join(listed)})")
