"""Products of constant matrices and computed vectors, found in a program.

Code that writes a program has no matrices any more: each of their entries is a factor of a
statement of its own, in a long sum, which is a chain of additions. Arb multiplies a matrix by a
vector ten times faster than entry by entry.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from flint import arb_mat

from symtape.symbolic.program import Program
from symtape.symbolic.template import ADD, MULTIPLY


def uses(program: Program, order: Iterable[int]) -> list[int]:
    """How often each statement is an argument of one of those in `order`."""
    counts = [0] * len(program)
    for args in map(program.arguments.__getitem__, order):
        for arg in args:
            counts[arg] += 1
    return counts


class Sums:
    """The sums among some statements of a program, each of all its terms.

    A statement that is only part of one longer sum, and not asked for itself, is part of that.

    Parameters
    ----------
    program : Program
    order : list of int
        Statements, ascending, with all that they depend on.
    wanted : container of int
        What is asked for itself.

    Attributes
    ----------
    terms : dict
        The terms of each sum that stands for itself, in the order in which they are added.
    uses : list of int
        As :func:`uses`.

    Examples
    --------
    >>> program = Program()
    >>> a, b, c = (program.input() for _ in range(3))
    >>> total = program.add(program.add(a, b), c)
    >>> Sums(program, program.list_needed([total]), {total}).terms == {total: [a, b, c]}
    True
    """

    def __init__(self, program: Program, order: list[int], wanted: Container[int]) -> None:
        self.uses = uses(program, order)
        self.terms: dict[int, list[int]] = {}
        templates, arguments, counts, terms = (
            program.templates,
            program.arguments,
            self.uses,
            self.terms,
        )
        for at in order:
            if templates[at] is not ADD:
                continue
            a, b = arguments[at]
            if a in terms and counts[a] == 1 and a not in wanted:
                found = terms.pop(a)
                found.append(b)
            elif b in terms and counts[b] == 1 and b not in wanted:
                found = terms.pop(b)
                found.append(a)
            else:
                found = [a, b]
            terms[at] = found


_SHORTEST: Final = 8
_FEWEST: Final = 4
_LARGE_PRODUCT: Final = 64
"""From so many entries on, a product is worth converting to ``arb_mat`` for."""


@dataclass(frozen=True)
class MatrixProduct:
    """Sums that are rows of a constant matrix times one vector, and perhaps a few terms more.

    Attributes
    ----------
    rows : dict
        The terms to be added to each, by the statement of the sum.
    columns : tuple of int
        The statements of the vector.
    matrix : arb_mat
    inside : set of int
        The statements that need not be computed for themselves.
    """

    rows: dict[int, list[int]]
    columns: tuple[int, ...]
    matrix: Any
    inside: set[int]

    @property
    def first(self) -> int:
        """The first of the sums, before which all of the vector is known."""
        return min(self.rows)

    def fill(self, balls: list[Any]) -> None:
        """Put the products in their places; the other terms are still to be added."""
        vector = arb_mat(len(self.columns), 1, [balls[at] for at in self.columns])
        for at, ball in zip(self.rows, (self.matrix * vector).entries(), strict=True):
            balls[at] = ball


@dataclass(slots=True)
class _Row:
    """A sum: constants by what they multiply, with the statement of the product, and the rest."""

    products: dict[int, tuple[int, int]] = field(default_factory=dict)
    rest: list[int] = field(default_factory=list)


def matrix_products(
    program: Program, order: list[int], wanted: Container[int], exact: Mapping[int, Any]
) -> list[MatrixProduct]:
    """The products of matrices and vectors among the statements in `order`.

    Parameters
    ----------
    program : Program
    order : list of int
        Ascending, with all that they depend on.
    wanted : container of int
        Statements that have to be computed for themselves.
    exact : mapping
        The balls of constants, exact at any precision.
    """
    sums = Sums(program, order, wanted)
    rows = {
        at: _row(program, sums, terms, wanted, exact)
        for at, terms in sums.terms.items()
        if len(terms) >= _SHORTEST
    }
    shared = Counter(factor for row in rows.values() for factor in row.products)
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for at, row in rows.items():
        groups[tuple(sorted(f for f in row.products if shared[f] >= _FEWEST))].append(at)
    return [
        _product(program, sums, {at: rows[at] for at in ats}, columns, exact)
        for columns, ats in groups.items()
        if len(columns) * len(ats) >= _LARGE_PRODUCT
    ]


def _row(
    program: Program,
    sums: Sums,
    terms: list[int],
    wanted: Container[int],
    exact: Mapping[int, Any],
) -> _Row:
    row = _Row()
    for term in terms:
        if program.templates[term] is MULTIPLY and sums.uses[term] == 1 and term not in wanted:
            a, b = program.arguments[term]
            constant, factor = (a, b) if a in exact else (b, a)
            if constant in exact and factor not in exact and factor not in row.products:
                row.products[factor] = constant, term
                continue
        row.rest.append(term)
    return row


def _product(
    program: Program,
    sums: Sums,
    rows: dict[int, _Row],
    columns: tuple[int, ...],
    exact: Mapping[int, Any],
) -> MatrixProduct:
    used = set(columns)
    chosen = [row.products[factor] for row in rows.values() for factor in columns]
    entries = [exact[constant] for constant, _ in chosen]
    rest = {
        at: row.rest + [term for f, (_, term) in row.products.items() if f not in used]
        for at, row in rows.items()
    }
    inside = {term for _, term in chosen}
    for at in rows:
        waiting = [at]
        while waiting:
            for arg in program.arguments[waiting.pop()]:
                if program.templates[arg] is ADD and sums.uses[arg] == 1 and arg not in sums.terms:
                    inside.add(arg)
                    waiting.append(arg)
    return MatrixProduct(rest, columns, arb_mat(len(rows), len(columns), entries), inside)
