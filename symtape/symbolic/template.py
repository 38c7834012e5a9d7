"""Templates: what one kind of statement means, as a small formula of SymPy.

A template is interned, process-wide, and has one partial derivative for each argument; these are
templates again. A program of 10,000 statements has a dozen templates. SymPy made them all, and
those that are common are kept in a table: SymPy is loaded for others, and where one is printed.
Beside its formula a template is a Python function of numbers of a kind: balls, fractions, extended
floats.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, NamedTuple
from weakref import WeakValueDictionary

from symtape.errors import Unsupported
from symtape.symbolic.known import find_partials, find_reading, write_down
from symtape.symbolic.trees import Tree, count_applications, is_rational, leaves

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


@dataclass(frozen=True, eq=False)
class Arithmetic:
    """A kind of numbers, that have Python's operators.

    Attributes
    ----------
    refusal : str
        What is said of what they have not, with a place for it.
    exact : callable ``(int or Fraction) -> operand``
    number : callable ``(operand) -> number``
        At the precision in force.
    powers : mapping of str to callable
        ``square``, ``int_power``, ``power``, ``sqrt`` and ``rsqrt``, as far as there are such.
    functions : mapping
        By what SymPy calls them.
    constants : mapping
        By what SymPy calls them what makes them, at the precision in force.
    mixes : bool
        Whether integers of Python are operands, and quotients are quicker than inverse powers.
    most : int, optional
        The largest exponent.
    """

    refusal: str
    exact: Callable[[Any], Any]
    number: Callable[[Any], Any]
    powers: Mapping[str, Callable[..., Any]]
    functions: Mapping[Any, Callable[..., Any]] = field(default_factory=dict)
    constants: Mapping[Any, Callable[[], Any]] = field(default_factory=dict)
    mixes: bool = True
    most: float = float("inf")

    def function(self, template: Template) -> Callable[..., Any]:
        """What a template computes.

        Raises
        ------
        Unsupported
            There is no such function of these numbers; names it.
        """
        return ARITHMETIC.get(template) or _compile_template(self, template)


@functools.lru_cache(maxsize=3 * KEPT)  # templates, by three kinds of numbers
def _compile_template(arithmetic: Arithmetic, template: Template) -> Callable[..., Any]:
    """The function, from its source in Python."""
    names: dict[str, Any] = {"number": arithmetic.number, **arithmetic.powers}
    body = _Source(arithmetic, names).write(template.tree)
    arguments = ", ".join(f"a{k}" for k in range(template.arity))
    return eval(f"lambda {arguments}: {body}", names)  # type: ignore[no-any-return]


class _Source:
    """Writes formulas over placeholders as Python, and keeps what it names."""

    def __init__(self, arithmetic: Arithmetic, names: dict[str, Any]) -> None:
        self._arithmetic, self._names = arithmetic, names

    def write(self, tree: Tree) -> str:
        """A formula."""
        if is_rational(tree):
            return f"number({self._operand(tree)})"
        if tree in self._arithmetic.constants:
            return f"{self._name_value(self._arithmetic.constants[tree])}()"
        if not isinstance(tree, tuple):
            return self._argument(tree)
        kind, *parts = tree
        match kind:
            case "Add":
                return f"({' + '.join(map(self._operand, parts))})"
            case "Mul":
                return self._product(parts)
            case "Pow":
                return self._power(*parts)
            case "Tuple":
                return f"[{', '.join(map(self.write, parts))}]"
        return self._function(kind, parts)

    def _argument(self, tree: Tree) -> str:
        if isinstance(tree, str) and tree[1:].isdigit():
            return tree
        raise self._refusal(f"the number {tree}")

    def _operand(self, tree: Tree) -> str:
        if not is_rational(tree):
            return self.write(tree)
        if self._arithmetic.mixes and tree.denominator == 1:
            return f"({int(tree)})"
        return self._name_value(self._arithmetic.exact(tree))

    def _product(self, factors: list[Tree]) -> str:
        above, below = list[str](), list[str]()
        sign = "-" if factors[0] == -1 and not self._arithmetic.mixes else ""
        for factor in factors[len(sign) :]:
            if self._arithmetic.mixes and _is_below(factor):
                below.append(self._power(factor[1], -factor[2]))
            else:
                above.append(self._operand(factor))
        numerator = " * ".join(above) or "number(1)"
        quotient = f"{numerator} / ({' * '.join(below)})" if below else numerator
        return f"({sign}({quotient}))" if sign else f"({quotient})"

    def _power(self, base: Tree, exponent: Tree) -> str:
        x = self.write(base)
        if not is_rational(exponent):
            return self._call("power", x, self.write(exponent))
        if exponent == 1:
            return x
        if exponent == 2:
            return self._call("square", x)
        if exponent.denominator == 1 and abs(exponent) <= self._arithmetic.most:
            return self._call("int_power", x, str(int(exponent)))
        if abs(exponent) == Fraction(1, 2):
            return self._call("sqrt" if exponent > 0 else "rsqrt", x)
        return self._call("power", x, self.write(exponent))

    def _function(self, kind: Any, arguments: list[Tree]) -> str:
        found = self._arithmetic.functions.get(kind)
        if found is None:
            raise self._refusal(f"the function {kind}")
        return self._call(self._name_value(found), *map(self.write, arguments))

    def _call(self, name: str, *arguments: str) -> str:
        if name not in self._names:
            raise self._refusal(f"{name}({', '.join(arguments)})")
        return f"{name}({', '.join(arguments)})"

    def _refusal(self, what: str) -> Unsupported:
        return Unsupported(self._arithmetic.refusal.format(what))

    def _name_value(self, value: Any) -> str:
        name = f"k{len(self._names)}"
        self._names[name] = value
        return name


def _is_below(factor: Tree) -> bool:
    """Whether a factor is better divided by."""
    return (
        isinstance(factor, tuple)
        and factor[0] == "Pow"
        and is_rational(factor[2])
        and factor[2] < 0
    )
