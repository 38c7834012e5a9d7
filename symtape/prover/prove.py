"""Proofs that expressions are identically zero."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from symtape.process.precision import precision
from symtape.prover.reader import Reader
from symtape.prover.ring import NeedsFinerKernel, NotReadable, Quotient
from symtape.symbolic.interval import Interval

_ATTEMPTS: Final = 60
_BITS: Final = 128


@dataclass(frozen=True, slots=True)
class Proof:
    """What became of an attempt.

    Attributes
    ----------
    proved : bool
    where : tuple of str
        Conditions, not proven over the box, under which both sides are defined at all.
    assuming : tuple of str
        Conditions, not proven over the box, under which only the claimed side is defined, or by
        which a root or a logarithm was split.
    reason : str
        Why not.
    """

    proved: bool
    where: tuple[str, ...] = ()
    assuming: tuple[str, ...] = ()
    reason: str = ""


Sides = Callable[[Reader], "list[tuple[Callable[[], Quotient], Callable[[], Quotient]]]"]
"""From a reader to pairs of what is claimed and what is true, each read when it is called."""


def prove_zero(expression: Any, box: Mapping[str, Interval] | None = None) -> Proof:
    """Whether a SymPy expression in real symbols is zero all over `box`.

    Parameters
    ----------
    expression : sympy expression
    box : mapping, optional
        An interval for each bounded symbol, by its name.

    Returns
    -------
    Proof
        Not proved means that nothing is known.

    Examples
    --------
    >>> import sympy as sp
    >>> from symtape.symbolic.boxes import boxes
    >>> x = sp.Symbol("x", real=True)
    >>> prove_zero(sp.tanh(x) - 1 + 2 * sp.exp(-2 * x) / (1 + sp.exp(-2 * x))).proved
    True
    >>> prove_zero(sp.log(x**2) - 2 * sp.log(x), boxes("x > 0")[0])
    Proof(proved=True, where=(), assuming=(), reason='')
    >>> y = sp.Symbol("y", real=True)
    >>> prove_zero(sp.log(x * y) - sp.log(x) - sp.log(y)).assuming
    ('x > 0', 'y > 0', 'x*y > 0')
    """
    from symtape.symbolic.algebra import to_tree

    tree = to_tree(expression)

    def sides(reader: Reader) -> Any:
        return [(lambda: reader.read(tree, {}), lambda: reader.ring.zero)]

    return prove_equal(sides, box or {}, capacity=32 + len(expression.free_symbols))


def prove_equal(
    sides: Sides, box: Mapping[str, Interval], capacity: int = 64, one_side: bool = False
) -> Proof:
    """Whether each pair of `sides` is equal all over `box`; exponentials of sums split or not."""
    with precision(_BITS):
        first = _attempt(sides, lambda units: Reader(box, capacity, units, False, one_side))
        if first.proved and not first.assuming:
            return first
        second = _attempt(sides, lambda units: Reader(box, capacity, units, True, one_side))
    return second if second.proved and not (first.proved and second.assuming) else first


def _attempt(sides: Sides, fresh: Callable[[dict[Any, Any]], Reader]) -> Proof:
    units: dict[Any, Any] = {}
    for _ in range(_ATTEMPTS):
        reader = fresh(units)
        try:
            return _compare_sides(sides, reader)
        except NeedsFinerKernel:
            continue
        except NotReadable as error:
            return Proof(False, reason=str(error))
    return Proof(False, reason="its exponents have no common unit")


def _compare_sides(sides: Sides, reader: Reader) -> Proof:
    needs = reader.needs
    where: dict[str, None] = {}
    assuming: dict[str, None] = {}
    for claimed, exact in sides(reader):
        needs.conditions.clear()
        truth = exact()
        where |= needs.conditions
        needs.conditions.clear()
        answer = claimed()
        assuming |= needs.conditions
        difference = answer - truth
        if not difference.is_zero:
            return Proof(False, reason="the difference does not vanish in normal form")
    extra = [words for words in (*assuming, *needs.assumed) if words not in where]
    return Proof(True, tuple(where), tuple(dict.fromkeys(extra)))
