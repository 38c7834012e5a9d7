"""From a program to SymPy expressions: expanded where small, in lets where not.

The size of an expanded form is computed on the program, without expanding: two-fold sharing
over 14 steps is 16,000 nodes, over 200 steps it is 10^60.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import sympy as sp

from symtape.symbolic.algebra import placeholder, rational
from symtape.symbolic.decimals import decimal_rational
from symtape.symbolic.program import Program
from symtape.symbolic.template import NEGATE, Template

LIMIT: Final = 5000
"""Largest tree, in nodes, that is written as one expression."""

_CAP: Final = 10**18
_INLINED: Final = 30
_RAW: Final = 3000
_TINY: Final = 60

Leaf = Callable[[int], Any]


def tree_size(program: Program, ids: Iterable[int]) -> int:
    """The number of nodes of statements `ids` if they were written without sharing.

    Examples
    --------
    >>> program = Program()
    >>> x = program.input()
    >>> for _ in range(100):
    ...     x = program.add(x, program.sqrt(x))
    >>> tree_size(program, [x]) > 2**100 or tree_size(program, [x]) == 10**18
    True
    """
    wanted = list(ids)
    sizes: dict[int, int] = {}
    for at in program.list_needed(wanted):
        template = program.templates[at]
        if template is None:
            sizes[at] = 1
            continue
        inside = zip(program.arguments[at], template.occurrences, strict=True)
        sizes[at] = min(_CAP, template.size + sum(sizes[a] * n for a, n in inside))
    return min(_CAP, sum(sizes[at] for at in wanted))


def expand(program: Program, ids: Sequence[int], leaf: Leaf) -> list[Any]:
    """Statements `ids` as SymPy expressions; ``leaf(input statement)`` is an input's symbol.

    Only for small ones: see :func:`tree_size`. Float constants appear as the decimals that
    stand for them.
    """
    known: dict[int, Any] = {}
    for at in program.list_needed(ids):
        known[at] = _expression(program, at, known, leaf)
    return [known[at] for at in ids]


def _expression(program: Program, at: int, known: dict[int, Any], leaf: Leaf) -> Any:
    template = program.templates[at]
    if template is None:
        return constant_expression(program, at) if at in program.constants else leaf(at)
    return apply_template(template, [known[a] for a in program.arguments[at]])


def constant_expression(program: Program, at: int) -> Any:
    """A constant statement as a SymPy number."""
    exact = rational(program.constants[at])
    return decimal_rational(exact) if exact.is_Rational else exact


def apply_template(template: Template, args: Sequence[Any]) -> Any:
    """`template` with SymPy expressions for its placeholders."""
    return template.readable.xreplace({placeholder(k): arg for k, arg in enumerate(args)})


def lightly_simplified(expression: Any) -> Any:
    """The shortest of `expression` and a cheap rewriting or two of it, if it is tiny.

    Examples
    --------
    >>> x = sp.Symbol("x", real=True)
    >>> lightly_simplified(3 * sp.exp(x) * x + 3 * sp.exp(x))
    3*(x + 1)*exp(x)
    """
    if _nodes(expression, _TINY) >= _TINY:
        return expression
    candidates = [expression, sp.factor_terms(expression)]
    if expression.is_polynomial():
        candidates.append(sp.expand_mul(expression))
    return min(candidates, key=lambda e: _nodes(e, 10 * _TINY))


def _nodes(expression: Any, limit: int) -> int:
    count = 0
    for _ in sp.preorder_traversal(expression):
        count += 1
        if count >= limit:
            break
    return count


@dataclass(frozen=True)
class Lets:
    """A straight-line form: statements that have a name, and those that are written in place.

    Attributes
    ----------
    named : list of int
        The statements with a name, in order.
    inlined : set of int
        Those written where they are used.
    """

    program: Program
    named: list[int]
    inlined: set[int]

    @property
    def raw(self) -> bool:
        """Whether nothing is written in place."""
        return not self.inlined

    def expressions(
        self, ids: Sequence[int], leaf: Leaf, name: Leaf
    ) -> tuple[list[Any], list[Any]]:
        """What the named statements are, and what `ids` are, as SymPy expressions."""
        program = self.program
        known: dict[int, Any] = {}
        said: list[Any] = []
        named = set(self.named)
        for at in program.list_needed(ids):
            expression = _expression(program, at, known, leaf)
            if at in named:
                said.append(expression)
                expression = name(at)
            known[at] = expression
        return said, [known[at] for at in ids]


def split_into_lets(program: Program, ids: Sequence[int]) -> Lets:
    """Name what is used twice or is long; write the rest in place.

    Of a program of thousands of statements each has a name.
    """
    needed = program.list_needed(ids)
    inline = len(needed) <= _RAW
    uses = Counter(ids)
    for at in needed:
        template = program.templates[at]
        if template is not None:
            for a, n in zip(program.arguments[at], template.occurrences, strict=True):
                uses[a] += n
    sizes: dict[int, int] = {}
    named, inlined = [], set()
    for at in needed:
        template = program.templates[at]
        sizes[at] = 1
        if template is None:
            continue
        inside = zip(program.arguments[at], template.occurrences, strict=True)
        size = template.size + sum(sizes[a] * n for a, n in inside)
        turned = template is NEGATE and sizes[program.arguments[at][0]] == 1
        if inline and ((uses[at] == 1 and size <= _INLINED) or turned):
            inlined.add(at)
            sizes[at] = size
        else:
            named.append(at)
    return Lets(program, named, inlined)
