"""Expressions as text, in parentheses only where they have to be."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


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

    def within(self, least: Binding) -> str:
        """The text, in parentheses where it binds less than `least`."""
        return self.text if self.binding >= least else f"({self.text})"


def sum_of(sign: str, a: Written, b: Written) -> Written:
    """``a + b`` or ``a - b``: floats are added from the left, so that the right one is grouped."""
    text = f"{a.within(Binding.SUM)} {sign} {b.within(Binding.MATRIX_PRODUCT)}"
    return Written(text, Binding.SUM)


def product(sign: str, a: Written, b: Written) -> Written:
    """``a * b`` or ``a / b``."""
    text = f"{a.within(Binding.PRODUCT)} {sign} {b.within(Binding.SIGN)}"
    return Written(text, Binding.PRODUCT)


def matrix_product(sign: str, a: Written, b: Written) -> Written:
    """``a @ b``; products of elements are grouped, which bind as tightly."""
    least = Binding.MATRIX_PRODUCT if a.binding is Binding.MATRIX_PRODUCT else Binding.SIGN
    return Written(f"{a.within(least)} {sign} {b.within(Binding.SIGN)}", Binding.MATRIX_PRODUCT)


def negative(x: Written) -> Written:
    """``-x``; of a product the first factor is negated, which gives every bit of the same."""
    if x.binding is Binding.PRODUCT and not x.text.startswith("-"):
        return Written(f"-{x.text}", Binding.PRODUCT)
    return Written(f"-{x.within(Binding.POWER)}", Binding.SIGN)


def power(a: Written, b: Written) -> Written:
    """``a**b``."""
    return Written(f"{a.within(Binding.ATOM)}**{b.within(Binding.POWER)}", Binding.POWER)


def comparison(sign: str, a: Written, b: Written) -> Written:
    """``a < b``, grouped among all else."""
    return Written(f"{a.within(Binding.SUM)} {sign} {b.within(Binding.SUM)}", Binding.COMPARISON)


def call(function: str, *arguments: Written | str, **named: str) -> Written:
    """A call; arguments are separated by commas, so that they need no parentheses."""
    given = [x if isinstance(x, str) else x.text for x in arguments]
    listed = [*given, *(f"{name}={text}" for name, text in named.items())]
    return Written(f"{function}({', '.join(listed)})")
