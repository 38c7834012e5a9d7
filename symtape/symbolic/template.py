"""Templates: what one kind of statement means, as a small SymPy expression.

A template is interned, process-wide, and differentiated by SymPy once for each argument; the
partial derivatives are templates again. A program of 10,000 statements has a dozen templates.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, NamedTuple
from weakref import WeakValueDictionary

import sympy as sp

from symtape.errors import Unsupported
from symtape.symbolic.decimals import decimal_rational
from symtape.symbolic.functions import SincDerivative, WithLambert, to_sympy

Number = Fraction | float
"""A constant: a Fraction, or a float where the value is not finite."""

UNIT: Final = Fraction(1)
"""The constant of every local that is 1: known by identity."""

_STEPS: Final = (sp.floor, sp.ceiling, sp.sign, sp.Heaviside)
_PLACEHOLDERS: Final[list[Any]] = []
_TEMPLATES: Final[WeakValueDictionary[Any, Template]] = WeakValueDictionary()
"""By expression; a template is one object for as long as anything uses it."""

KEPT: Final = 1 << 13
"""Most templates that are remembered for later programs, and as many compiled ones. A row has a
handful, and each constant exponent makes some of its own: hundreds in the largest suites."""


def placeholder(position: int) -> Any:
    """The real symbol that stands for argument `position` in every template."""
    while position >= len(_PLACEHOLDERS):
        _PLACEHOLDERS.append(sp.Dummy(f"a{len(_PLACEHOLDERS)}", real=True))
    return _PLACEHOLDERS[position]


def rational(value: Number) -> Any:
    """`value` as a SymPy number, exactly."""
    if isinstance(value, Fraction):
        return sp.Rational(value.numerator, value.denominator)
    return sp.nan if value != value else sp.oo if value > 0 else -sp.oo


class Template:
    """A SymPy expression over placeholders ``0 .. arity - 1``, each of which it contains.

    Made by :func:`local`, which interns, so that templates compare by identity.
    """

    def __init__(self, expression: Any, arity: int) -> None:
        self.expression = expression
        self.arity = arity
        self._partials: dict[int, Local] = {}

    def partial(self, position: int) -> Local:
        """The derivative by argument `position`, taken by SymPy the first time."""
        found = self._partials.get(position)
        if found is None:
            found = local(_derivative(self.expression, placeholder(position)))
            self._partials[position] = found
        return found

    @cached_property
    def shown(self) -> Any:
        """The expression as people read it: floats as their decimals, no functions of ours."""
        constants = {q: decimal_rational(q) for q in self.expression.atoms(sp.Rational)}
        return to_sympy(self.expression.xreplace(constants))

    @cached_property
    def occurrences(self) -> tuple[int, ...]:
        """How often each placeholder occurs."""
        leaves = [leaf for leaf in sp.preorder_traversal(self.expression) if leaf.is_Symbol]
        return tuple(leaves.count(placeholder(k)) for k in range(self.arity))

    @cached_property
    def size(self) -> int:
        """The number of nodes of the expression, placeholders not counted."""
        nodes = sum(1 for _ in sp.preorder_traversal(self.expression))
        return nodes - sum(self.occurrences)

    def __repr__(self) -> str:
        return f"Template({self.expression})"


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
    >>> a, b = placeholder(0), placeholder(1)
    >>> local(a + b).template is local(b + a).template
    True
    >>> local(sp.cos(b)).positions
    (1,)
    >>> local(sp.cos(b)).template is local(sp.cos(a)).template
    True
    """
    return _normalise(sp.sympify(expression))


@functools.lru_cache(maxsize=KEPT)  # expressions
def _normalise(expression: Any) -> Local:
    floats = expression.atoms(sp.Float)
    exact = expression.xreplace({f: sp.Rational(f) for f in floats}) if floats else expression
    if exact is sp.S.One:
        return Local(UNIT, None, ())
    if exact.is_Rational:
        return Local(Fraction(int(exact.p), int(exact.q)), None, ())
    if exact in (sp.nan, sp.zoo):
        return Local(float("nan"), None, ())
    if exact in (sp.oo, -sp.oo):
        return Local(float(exact), None, ())
    used = _used_placeholders(exact)
    if exact in _PLACEHOLDERS:
        return Local(None, None, used)
    renamed = exact.xreplace(
        {placeholder(old): placeholder(new) for new, old in enumerate(used)}
    ).replace(sp.sinc, lambda u: SincDerivative(0, u))
    renamed = renamed.replace(sp.LambertW, _lambert)
    template = _TEMPLATES.setdefault(renamed, Template(renamed, len(used)))
    return Local(None, template, used)


def _lambert(*args: Any) -> Any:
    return WithLambert(*args) if len(args) == 1 else sp.LambertW(*args)


def _used_placeholders(expression: Any) -> tuple[int, ...]:
    free = expression.free_symbols
    used = tuple(k for k, symbol in enumerate(_PLACEHOLDERS) if symbol in free)
    if len(used) != len(free):
        raise ValueError(
            f"a symbolic reading gave {expression}, with symbols that are none of its arguments"
        )
    return used


def _derivative(expression: Any, symbol: Any) -> Any:
    """SymPy's derivative; steps (floor, sign, ...) are constant away from their jumps."""
    expression = expression.replace(sp.Mod, lambda a, b: a - b * sp.floor(a / b))
    # Stand-ins sort by the order in which they are made, which no order of a set may decide.
    steps = sorted(expression.atoms(*_STEPS), key=sp.default_sort_key)
    held = {step: sp.Dummy(real=True) for step in steps}
    result = sp.diff(expression.xreplace(held), symbol)
    result = result.xreplace({dummy: step for step, dummy in held.items()})
    if result.has(sp.Derivative, sp.Subs, sp.Integral, sp.DiracDelta):
        raise Unsupported(f"SymPy has no closed form for the derivative of {expression}")
    return result


def _core(expression: Any) -> Template:
    template = local(expression).template
    assert template is not None
    return template


def _core_templates() -> Sequence[Template]:
    a, b = placeholder(0), placeholder(1)
    return [_core(expression) for expression in (a + b, a - b, a * b, a / b, -a, 1 / a)]


ADD, SUBTRACT, MULTIPLY, DIVIDE, NEGATE, RECIPROCAL = _core_templates()

STOP: Final = Template(placeholder(0), 1)
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
