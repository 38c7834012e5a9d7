"""What formulas, and boxes of arguments, need: conditions on real numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from symtape.prover.ring import Quotient
from symtape.symbolic.interval import Interval
from symtape.symbolic.trees import Tree, is_rational

_TOTAL: Final = (
    *("Abs", "Add", "Mul", "exp", "sign", "sin", "cos", "sinh", "cosh", "tanh", "sech"),
    *("atan", "asinh", "erf", "erfc", "erfi", "sinc", "SincDerivative"),
    *("Si", "Shi", "fresnels", "fresnelc", "Tuple"),
)
"""Functions that are defined at every real number, and what holds parameters of one."""

_WITH_POLES: Final = {
    "tan": "cos",
    "sec": "cos",
    "cot": "sin",
    "csc": "sin",
}
"""Circular functions, and the one that they are divided by."""

_GAMMA: Final = ("gamma", "loggamma", "polygamma", "digamma")

_BETWEEN: Final[dict[str, tuple[int | None, int | None]]] = {
    "asin": (-1, 1),
    "acos": (-1, 1),
    "atanh": (-1, 1),
    "erfinv": (-1, 1),
    "erfcinv": (0, 2),
    "acosh": (1, None),
    "elliptic_k": (None, 1),
    "elliptic_e": (None, 1),
    "Ci": (0, None),
    "Chi": (0, None),
}
"""Functions of one number, and between which numbers they are smooth."""

_LAST_BETWEEN: Final[dict[str, tuple[int | None, int | None]]] = {
    "bessely": (0, None),
    "besselk": (0, None),
    "expint": (0, None),
    "polylog": (None, 1),
}
"""Functions of an order and a number, and between which numbers they are smooth in that."""


class Undefined(Exception):
    """It is not known to be defined, and why."""


@dataclass(frozen=True, slots=True)
class Need:
    """A condition on a quotient: that it is ``positive``, ``nonzero``, or ``off poles``."""

    kind: str
    of: Quotient
    words: str


def positive(x: Quotient, words: str = "") -> Need:
    """That `x` is above 0."""
    return Need("positive", x, words or f"{x} > 0")


def nonzero(x: Quotient, words: str = "") -> Need:
    """That `x` is not 0."""
    return Need("nonzero", x, words or f"{x} != 0")


def _need_no_pole(x: Quotient) -> Need:
    return Need("off poles", x, f"{x} is not one of 0, -1, -2, ...")


def needs_of_function(
    name: str, parts: Sequence[Tree], read: Callable[[Tree], Quotient]
) -> Iterator[Need]:
    """What a function, with these parts, needs to be defined and smooth.

    Parameters
    ----------
    name : str
        Of SymPy.
    parts : sequence of trees
        Its arguments.
    read : callable
        The quotient of a tree.

    Raises
    ------
    Undefined
        That is not known.
    """
    if name in _TOTAL:
        return
    if name == "Pow":
        yield from _needs_of_power(parts[0], parts[1], read)
    elif name == "log" and len(parts) == 1:
        yield positive(read(parts[0]))
    elif name in _BETWEEN and len(parts) == 1:
        yield from needs_between(read(parts[0]), *_BETWEEN[name])
    elif name in _LAST_BETWEEN and len(parts) == 2:
        yield from needs_between(read(parts[1]), *_LAST_BETWEEN[name])
    elif name in ("besselj", "besseli"):
        if not _is_integer(parts[0]):
            yield positive(read(parts[1]))
    elif name in _WITH_POLES:
        below = (_WITH_POLES[name], parts[0])
        yield nonzero(read(below), f"{below[0]}({read(parts[0])}) != 0")
    elif name in ("coth", "csch", "Ei"):
        yield nonzero(read(parts[0]))
    elif name in _GAMMA:
        if len(parts) == 2 and not _is_natural(parts[0]):
            raise Undefined(f"the domain of {name} is not known")
        yield _need_no_pole(read(parts[-1]))
    elif name == "hyper" and len(parts[0]) <= len(parts[1]) + 1:
        yield from map(_need_no_pole, map(read, parts[1][1:]))
        if len(parts[0]) > len(parts[1]):
            yield from needs_between(read(parts[2]), None, 1)
    else:
        raise Undefined(f"the domain of {name} is not known")


def _needs_of_power(base: Tree, exponent: Tree, read: Callable[[Tree], Quotient]) -> Iterator[Need]:
    if base == "E":
        return
    if not _is_integer(exponent):
        yield positive(read(base))
    elif exponent < 0:
        yield nonzero(read(base))


def needs_between(
    x: Quotient, low: Fraction | int | None, high: Fraction | int | None
) -> Iterator[Need]:
    """That `x` lies between two numbers; None is no bound."""
    ring = x.ring
    if low is not None:
        yield positive(x - ring.rational(low), f"{x} > {low}")
    if high is not None:
        yield positive(ring.rational(high) - x, f"{x} < {high}")


def needs_of_box(box: Mapping[str, Interval], given: Mapping[str, Quotient]) -> Iterator[Need]:
    """That arguments lie in a box of a row."""
    for name, interval in box.items():
        more, _, less = name.partition(" - ")
        x = given[more] - given[less] if less else given[more]
        ends = (interval.low, interval.high)
        yield from needs_between(
            x, *(to_fraction(end) if end.is_finite() else None for end in ends)
        )


def find_zero(x: Quotient) -> tuple[int, Fraction] | None:
    """Which input `x` depends on, and where it is 0, if it is linear in that alone."""
    ring = x.ring
    used = ring.used(x.top)
    if len(used) != 1 or ring.kernels[used[0]].name != "symbol" or not x.below.is_constant():
        return None
    lead = x.top.leading_coefficient()
    rest = ring.to_quotient(x.top / lead - ring.generators[used[0]]).constant
    return None if rest is None else (int(ring.kernels[used[0]].note[1:]), -rest)


def to_fraction(end: Any) -> Fraction:
    """The end of an interval, which is exact."""
    exact = end.fmpq()
    return Fraction(int(exact.p), int(exact.q))


def is_total(tree: Tree) -> bool:
    """Whether a formula is defined for all numbers."""
    if not isinstance(tree, tuple):
        return True
    name, *parts = tree
    if name == "Pow" and (parts[0] == "E" or _is_natural(parts[1])):
        return all(map(is_total, parts))
    return name in _TOTAL and all(map(is_total, parts))


def is_without_roots(tree: Tree) -> bool:
    """Whether a formula that is defined has no roots, which are read as positive numbers."""
    if not isinstance(tree, tuple):
        return True
    name, *parts = tree
    if name == "Pow" and parts[0] != "E":
        return _is_integer(parts[1]) and is_without_roots(parts[0])
    return (name in _TOTAL or name == "Pow") and all(map(is_without_roots, parts))


def has_poles(tree: Tree) -> bool:
    """Whether a formula is one function with poles, of an argument."""
    if not isinstance(tree, tuple) or tree[0] not in (*_WITH_POLES, *_GAMMA):
        return False
    return all(part == "a0" or _is_natural(part) for part in tree[1:])


def is_root(tree: Tree) -> bool:
    """Whether a formula is a root of its argument."""
    if not (isinstance(tree, tuple) and tree[:2] == ("Pow", "a0") and is_rational(tree[2])):
        return False
    return bool(tree[2] > 0)


def _is_integer(tree: Tree) -> bool:
    return is_rational(tree) and tree == int(tree)


def _is_natural(tree: Tree) -> bool:
    return _is_integer(tree) and tree >= 0
