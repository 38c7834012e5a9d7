"""Templates: what one kind of statement means, as a small formula of SymPy.

A template is interned, process-wide, and has one partial derivative for each argument; these are
templates again. A program of 10,000 statements has a dozen templates. SymPy made them all, and
those that are common are kept in a table: SymPy is loaded for others, and where one is printed.
What the reading of a row writes is noted before SymPy evaluates it: a row's ``symbolic`` is called
with a stand-in for SymPy that notes which functions are applied to what. The note determines the
template, so that it serves as its name.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, NamedTuple
from weakref import WeakValueDictionary

import numpy as np

from symtape.symbolic.known import find_partials, find_reading
from symtape.symbolic.trees import Tree, count_applications, is_rational, leaves


def write_down(
    symbolic: Callable[..., Any], arguments: Sequence[Any], static: Mapping[str, Any]
) -> Tree | None:
    """What `symbolic` applies; None where that depends on what SymPy says.

    Parameters
    ----------
    symbolic : callable ``(sp, *symbols, **static) -> expression``
    arguments : sequence of Fraction, float or None
        The value of each argument that is a constant.
    static : mapping

    Examples
    --------
    >>> write_down(lambda sp, x: sp.sin(x) / 2, [None], {})
    ('/', ('sin', 'a0'), 2)
    >>> write_down(lambda sp, x: x if x.is_positive else -x, [None], {}) is None
    True
    """
    given = [_Written(f"a{k}" if x is None else _tree(x)) for k, x in enumerate(arguments)]
    try:
        return _tree(symbolic(_NAMES, *given, **static))
    except (TypeError, AttributeError):
        return None


def _tree(value: Any) -> Tree:
    if isinstance(value, _Written):
        return value.tree
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return ("float", float(value))
    if isinstance(value, list | tuple):
        return ("list", *map(_tree, value))
    if isinstance(value, Fraction):
        return value
    raise TypeError(f"{value!r} is no part of a formula")


class _Names:
    """Stands for the module SymPy: every name in it can be called, and has parts."""

    def __getattr__(self, name: str) -> _Written:
        return _Written(name)


_NAMES = _Names()


def _operator(sign: str) -> tuple[Callable[..., _Written], Callable[..., _Written]]:
    """The methods of an operator, with the formula on the left and on the right."""
    return (
        lambda formula, other: _Written((sign, formula.tree, _tree(other))),
        lambda formula, other: _Written((sign, _tree(other), formula.tree)),
    )


class _Written:
    """Something written; like an expression of SymPy in arithmetic, and in nothing else."""

    __slots__ = ("tree",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def __call__(self, *arguments: Any, **options: bool) -> _Written:
        said = (("=", name, _tree(value)) for name, value in options.items())
        return _Written((self.tree, *map(_tree, arguments), *said))

    def __getattr__(self, name: str) -> _Written:
        if name.startswith("_"):
            raise AttributeError(name)
        return _Written((".", self.tree, name))

    def __int__(self) -> int:
        if isinstance(self.tree, int | Fraction):
            return int(self.tree)
        raise TypeError("a formula has no value")

    def __eq__(self, other: object) -> bool:
        raise TypeError("formulas are not compared before SymPy evaluates them")

    def __bool__(self) -> bool:
        raise TypeError("a formula has no truth value before SymPy evaluates it")

    def __neg__(self) -> _Written:
        return _Written(("neg", self.tree))

    __add__, __radd__ = _operator("+")
    __sub__, __rsub__ = _operator("-")
    __mul__, __rmul__ = _operator("*")
    __truediv__, __rtruediv__ = _operator("/")
    __pow__, __rpow__ = _operator("**")


Number = Fraction | float
"""A constant: a Fraction, or a float where the value is not finite."""

UNIT: Final = Fraction(1)
"""The constant of every local that is 1: known by identity."""

_NOT_FINITE: Final = {"nan": float("nan"), "oo": float("inf"), "-oo": float("-inf")}
_TEMPLATES: Final[WeakValueDictionary[Any, Template]] = WeakValueDictionary()
"""By tree; a template is one object for as long as anything uses it."""

KEPT: Final = 1 << 13
"""Most templates that are remembered for later programs, and as many compiled ones. A row has a
handful, and each constant exponent makes some of its own: hundreds in the largest suites."""


class Template:
    """A formula over placeholders ``a0 ..``, each of which it contains.

    Made by :func:`intern`, so that templates compare by identity.
    """

    def __init__(self, tree: Tree, arity: int) -> None:
        self.tree = tree
        self.arity = arity
        self._partials: dict[int, Local] = {}

    def partial(self, position: int) -> Local:
        """The derivative by argument `position`, taken by SymPy."""
        found = self._partials.get(position)
        if found is None:
            known = find_partials(self.tree)
            found = self._partials[position] = intern(
                *(_algebra().derivative(self.tree, position) if known is None else known[position])
            )
        return found

    @property
    def expression(self) -> Any:
        """As a SymPy expression over :func:`~symtape.symbolic.algebra.placeholder`."""
        return _algebra().to_expression(self.tree)

    @cached_property
    def readable(self) -> Any:
        """The expression as people read it: floats as their decimals, no functions of ours."""
        return _algebra().readable_expression(self.expression)

    @cached_property
    def occurrences(self) -> tuple[int, ...]:
        """How often each placeholder occurs."""
        found = list(leaves(self.tree))
        return tuple(found.count(f"a{k}") for k in range(self.arity))

    @cached_property
    def size(self) -> int:
        """The number of nodes of the formula, placeholders not counted."""
        nodes = count_applications(self.tree) + sum(1 for _ in leaves(self.tree))
        return nodes - sum(self.occurrences)

    def __repr__(self) -> str:
        return f"Template({self.expression})"


def _algebra() -> Any:
    from symtape.symbolic import algebra  # imports SymPy, which takes longer than a verdict

    return algebra


class Local(NamedTuple):
    """An expression over the arguments of a statement, in the least that says it.

    A constant; or, without `template`, the argument ``positions[0]`` itself; or `template`
    applied to the arguments at `positions`.
    """

    constant: Number | None
    template: Template | None
    positions: tuple[int, ...]


def local(expression: Any) -> Local:
    """Intern `expression`, a SymPy expression over placeholders.

    Examples
    --------
    >>> import sympy as sp
    >>> from symtape.symbolic.algebra import placeholder
    >>> a, b = placeholder(0), placeholder(1)
    >>> local(a + b).template is local(b + a).template
    True
    >>> local(sp.cos(b)).positions
    (1,)
    >>> local(sp.cos(b)).template is local(sp.cos(a)).template
    True
    """
    return intern(*_algebra().canonical(expression))


def read(symbolic: Callable[..., Any], arguments: Sequence[Number | None], **static: Any) -> Local:
    """What `symbolic`, a reading in SymPy, means.

    Parameters
    ----------
    symbolic : callable ``(sp, *symbols, **static) -> expression``
    arguments : sequence
        The value of each argument that is a constant, None of the others.
    **static
        What else it takes.
    """
    known = find_reading(write_down(symbolic, arguments, static))
    return intern(*(_algebra().evaluate(symbolic, arguments, static) if known is None else known))


def intern(tree: Tree, positions: tuple[int, ...]) -> Local:
    """The local of a formula over ``a0 ..``, which stand for the arguments at `positions`."""
    if is_rational(tree):
        return Local(UNIT if tree == 1 else Fraction(tree), None, ())
    if not positions and tree in _NOT_FINITE:
        return Local(_NOT_FINITE[tree], None, ())
    if tree == "a0":
        return Local(None, None, positions)
    return Local(None, _TEMPLATES.setdefault(tree, Template(tree, len(positions))), positions)


def _core(symbolic: Callable[..., Any], arity: int) -> Template:
    template = read(symbolic, [None] * arity).template
    assert template is not None
    return template


ADD: Final = _core(lambda sp, a, b: a + b, 2)
SUBTRACT: Final = _core(lambda sp, a, b: a - b, 2)
MULTIPLY: Final = _core(lambda sp, a, b: a * b, 2)
DIVIDE: Final = _core(lambda sp, a, b: a / b, 2)
NEGATE: Final = _core(lambda sp, a: -a, 1)
RECIPROCAL: Final = _core(lambda sp, a: 1 / a, 1)

STOP: Final = Template("a0", 1)
"""The identity, through which no derivative passes."""

ARITHMETIC: Final[dict[Template, Callable[..., Any]]] = {
    ADD: operator.add,
    SUBTRACT: operator.sub,
    MULTIPLY: operator.mul,
    DIVIDE: operator.truediv,
    NEGATE: operator.neg,
    STOP: operator.pos,
}
"""What these are of numbers of any kind."""
