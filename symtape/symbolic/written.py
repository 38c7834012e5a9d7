"""What the reading of a row writes, before SymPy evaluates it.

A row's ``symbolic`` is called with a stand-in for SymPy that notes which functions are applied to
what. The note determines the template, so that it serves as its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from symtape.symbolic.trees import Tree


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
