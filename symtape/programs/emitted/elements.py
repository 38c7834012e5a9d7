"""Operations on elements, as languages with operators write them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from symtape.programs.emitted.expression import (
    Binding,
    Written,
    comparison,
    negative,
    power,
    product,
    sum_of,
)

Operator = Callable[..., Written]

COMPARISONS: Final[Mapping[str, str]] = {
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "equal": "==",
    "not_equal": "!=",
}

_TWO: Final = Written("2")


def _make_comparison(sign: str) -> Operator:
    return lambda a, b: comparison(sign, a, b)


OPERATORS: Final[Mapping[str, Operator]] = {
    "add": lambda a, b: product("*", _TWO, a) if a == b else sum_of("+", a, b),
    "subtract": lambda a, b: sum_of("-", a, b),
    "multiply": lambda a, b: power(a, _TWO) if a == b else product("*", a, b),
    "divide": lambda a, b: product("/", a, b),
    "negative": negative,
    "positive": lambda x: x,
    "power": power,
    "square": lambda x: power(x, _TWO),
    **{name: _make_comparison(sign) for name, sign in COMPARISONS.items()},
}
"""The rows that are operators, as Python writes them."""


def logic(signs: Mapping[str, str], inverse: str) -> dict[str, Operator]:
    """The rows on truth values; what they join is grouped, for languages differ in what binds."""
    table: dict[str, Operator] = {}
    for word, sign in signs.items():
        table[f"logical_{word}"] = table[f"bitwise_{word}"] = _make_logical_operator(sign)
    for name in ("logical_not", "invert"):
        table[name] = lambda x: Written(inverse + x.within(Binding.ATOM), Binding.SIGN)
    return table


def _make_logical_operator(sign: str) -> Operator:
    def write_operator(a: Written, b: Written) -> Written:
        text = f"{a.within(Binding.ATOM)} {sign} {b.within(Binding.ATOM)}"
        return Written(text, Binding.CHOICE)

    return write_operator


PYTHON: Final[Mapping[str, Operator]] = {
    **OPERATORS,
    **logic({"and": "&", "or": "|", "xor": "^"}, "~"),
}
"""Rows of elements that are operators of Python, for arrays."""


def is_same_twice(name: str, inputs: Sequence[int]) -> bool:
    """Whether an argument that is given twice is written once: ``2 * x``, ``x**2``."""
    return name in ("add", "multiply") and len(set(inputs)) == 1
