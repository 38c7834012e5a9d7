"""Operations on elements, as languages with operators write them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from symtape.emitted.expression import (
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


def _added(dot: str, a: Written, b: Written) -> Written:
    return product(f"{dot}*", _TWO, a) if a == b else sum_of(f"{dot}+", a, b)


def operators(dot: str = "", to_the: str = "**") -> dict[str, Operator]:
    """The rows that are operators.

    Parameters
    ----------
    dot : str
        What stands before an operator on elements.
    to_the : str
        The operator of powers.

    Examples
    --------
    >>> operators()["add"](Written("x"), Written("-y", Binding.SIGN)).text
    'x + -y'
    >>> operators(".", ".^")["square"](Written("x - y", Binding.SUM)).text
    '(x - y) .^ 2'
    """
    table: dict[str, Operator] = {
        "add": lambda a, b: _added(dot, a, b),
        "subtract": lambda a, b: sum_of(f"{dot}-", a, b),
        "multiply": lambda a, b: (
            power(to_the, a, Written("2")) if a == b else product(f"{dot}*", a, b)
        ),
        "divide": lambda a, b: product(f"{dot}/", a, b),
        "negative": negative,
        "positive": lambda x: x,
        "power": lambda a, b: power(to_the, a, b),
        "square": lambda x: power(to_the, x, Written("2")),
    }
    for name, sign in COMPARISONS.items():
        table[name] = _compared(dot + sign)
    return table


def _compared(sign: str) -> Operator:
    return lambda a, b: comparison(sign, a, b)


def logic(signs: Mapping[str, str], inverse: str) -> dict[str, Operator]:
    """The rows on truth values; what they join is grouped, for languages differ in what binds."""
    table: dict[str, Operator] = {}
    for names, sign in (
        (("logical_and", "bitwise_and"), signs["and"]),
        (("logical_or", "bitwise_or"), signs["or"]),
        (("logical_xor", "bitwise_xor"), signs["xor"]),
    ):
        for name in names:
            table[name] = _joined(sign)
    for name in ("logical_not", "invert"):
        table[name] = lambda x: Written(inverse + x.within(Binding.ATOM), Binding.SIGN)
    return table


def _joined(sign: str) -> Operator:
    def joined(a: Written, b: Written) -> Written:
        text = f"{a.within(Binding.ATOM)} {sign} {b.within(Binding.ATOM)}"
        return Written(text, Binding.CHOICE)

    return joined


def is_same_twice(name: str, inputs: Sequence[int]) -> bool:
    """Whether an argument that is given twice is written once: ``2 * x``, ``x**2``."""
    return name in ("add", "multiply") and len(set(inputs)) == 1
