"""What SymPy does for templates: canonical forms, partial derivatives, formulas to print."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import sympy as sp

from symtape.errors import Unsupported
from symtape.symbolic import functions
from symtape.symbolic.decimals import decimal_rational
from symtape.symbolic.trees import Tree, is_rational

KEPT: Final = 1 << 13
"""Most forms that are remembered."""

_STEPS: Final = (sp.floor, sp.ceiling, sp.sign, sp.Heaviside)
_INFINITE: Final = {sp.oo: "oo", -sp.oo: "-oo", sp.nan: "nan", sp.zoo: "nan"}
_PLACEHOLDERS: Final[list[Any]] = []
_POSITIONS: Final[dict[Any, int]] = {}


def placeholder(position: int) -> Any:
    """The real symbol that stands for argument `position` in every template."""
    while position >= len(_PLACEHOLDERS):
        symbol = sp.Dummy(f"a{len(_PLACEHOLDERS)}", real=True)
        _POSITIONS[symbol] = len(_PLACEHOLDERS)
        _PLACEHOLDERS.append(symbol)
    return _PLACEHOLDERS[position]


def rational(value: Fraction | float) -> Any:
    """`value` as a SymPy number, exactly."""
    if isinstance(value, int | Fraction):
        return sp.Rational(value.numerator, value.denominator)
    return sp.nan if value != value else sp.oo if value > 0 else -sp.oo


def to_tree(expression: Any) -> Tree:
    """A SymPy expression as a tree.

    Examples
    --------
    >>> to_tree(sp.sin(placeholder(0)) / 2)
    ('Mul', Fraction(1, 2), ('sin', 'a0'))
    """
    if expression in _POSITIONS:
        return f"a{_POSITIONS[expression]}"
    if expression.is_Rational:
        above, below = int(expression.p), int(expression.q)
        return above if below == 1 else Fraction(above, below)
    is_tuple = isinstance(expression, sp.Tuple)
    if expression.args or is_tuple:
        kind = sp.Tuple if is_tuple else expression.func
        name = kind.__name__ if _named(kind.__name__) is kind else kind
        return (name, *map(to_tree, expression.args))
    name = str(expression)
    return name if _named(name) is expression else expression


def _named(name: str) -> Any:
    return getattr(functions, name, None) or getattr(sp, name, None)


def to_expression(tree: Tree) -> Any:
    """A tree as a SymPy expression over placeholders.

    Examples
    --------
    >>> to_expression(("Mul", Fraction(1, 2), ("sin", "pi")))
    sin(pi)/2
    """
    if isinstance(tree, tuple):
        kind = _named(tree[0]) if isinstance(tree[0], str) else tree[0]
        parts = list(map(to_expression, tree[1:]))
        try:
            return kind(*parts, evaluate=False)
        except TypeError:  # as hyper, which never evaluates
            return kind(*parts)
    if is_rational(tree):
        return sp.Rational(tree.numerator, tree.denominator)
    if not isinstance(tree, str):
        return tree
    return placeholder(int(tree[1:])) if tree[1:].isdigit() else _named(tree)


def evaluate(
    symbolic: Callable[..., Any],
    arguments: Sequence[Fraction | float | None],
    static: Mapping[str, Any],
) -> tuple[Tree, tuple[int, ...]]:
    """What SymPy makes of the reading of a row; None stands for an argument that varies."""
    given = [placeholder(k) if x is None else rational(x) for k, x in enumerate(arguments)]
    return canonical(symbolic(sp, *given, **static))


@functools.lru_cache(maxsize=KEPT)  # expressions
def canonical(expression: Any) -> tuple[Tree, tuple[int, ...]]:
    """An expression over placeholders as a tree over ``a0 ..``, and which those are.

    Raises
    ------
    ValueError
        It has other symbols.
    """
    expression = sp.sympify(expression)
    floats = expression.atoms(sp.Float)
    exact = expression.xreplace({f: sp.Rational(f) for f in floats}) if floats else expression
    if exact in _INFINITE:
        return _INFINITE[exact], ()
    used = _used_placeholders(exact)
    renamed = exact.xreplace(
        {placeholder(old): placeholder(new) for new, old in enumerate(used)}
    ).replace(sp.sinc, lambda u: functions.SincDerivative(0, u))
    return to_tree(renamed.replace(sp.LambertW, _lambert)), used


def _lambert(*args: Any) -> Any:
    return functions.WithLambert(*args) if len(args) == 1 else sp.LambertW(*args)


def _used_placeholders(expression: Any) -> tuple[int, ...]:
    free = expression.free_symbols
    used = tuple(k for k, symbol in enumerate(_PLACEHOLDERS) if symbol in free)
    if len(used) != len(free):
        raise ValueError(
            f"a symbolic reading gave {expression}, with symbols that are none of its arguments"
        )
    return used


def derivative(tree: Tree, position: int) -> tuple[Tree, tuple[int, ...]]:
    """SymPy's derivative; steps (floor, sign, ...) are constant away from their jumps."""
    expression = to_expression(tree)
    expression = expression.replace(sp.Mod, lambda a, b: a - b * sp.floor(a / b))
    # Stand-ins sort by the order in which they are made, which no order of a set may decide.
    steps = sorted(expression.atoms(*_STEPS), key=sp.default_sort_key)
    held = {step: sp.Dummy(real=True) for step in steps}
    result = sp.diff(expression.xreplace(held), placeholder(position))
    result = result.xreplace({dummy: step for step, dummy in held.items()})
    if result.has(sp.Derivative, sp.Subs, sp.Integral, sp.DiracDelta):
        raise Unsupported(f"SymPy has no closed form for the derivative of {expression}")
    return canonical(result)


def readable_expression(expression: Any) -> Any:
    """An expression as people read it: floats as their decimals, no functions of ours."""
    constants = {q: decimal_rational(q) for q in expression.atoms(sp.Rational)}
    return functions.to_sympy(expression.xreplace(constants))
