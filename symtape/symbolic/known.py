"""The table of what SymPy made of common templates: canonical forms and partial derivatives.

``known.json`` holds statements about SymPy alone, none about rows: "this, as it is written, is
that formula", "this formula has these derivatives". A row whose reading changes writes something
else, which the table knows or does not know; SymPy answers where it does not. ``python -m
symtape.symbolic`` makes the table, and a test has SymPy make every entry again.

What the reading of a row writes is noted before SymPy evaluates it: a row's ``symbolic`` is called
with a stand-in for SymPy that notes which functions are applied to what. The note determines the
template, so that it serves as its name.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from symtape.symbolic.trees import Tree, format_tree, parse_tree

FILE: Final = Path(__file__).with_name("known.json")

Form: TypeAlias = tuple[Tree, tuple[int, ...]]
"""A formula over ``a0 ..``, and the positions of the arguments that these stand for."""


def find_reading(written: Tree | None) -> Form | None:
    """The formula that SymPy makes of what a reading writes; None if it is not in the table."""
    found = _table()["readings"].get(format_tree(written))
    return None if found is None else _decode(found)


def find_partials(tree: Tree) -> list[Form] | None:
    """SymPy's derivatives of a formula, by each argument; None if they are not in the table."""
    found = _table()["partials"].get(format_tree(tree))
    return None if found is None else list(map(_decode, found))


@functools.cache
def _table() -> dict[str, dict[str, Any]]:
    """Both parts, with formulas as text."""
    try:
        table: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    except OSError:
        return {"readings": {}, "partials": {}}  # SymPy says the same
    return table


def format_table(readings: Mapping[Tree, Form], partials: Mapping[Tree, Sequence[Form]]) -> str:
    """What ``known.json`` holds: an entry a line, so that changes merge."""
    written = {format_tree(key): _encode(form) for key, form in readings.items()}
    derived = {format_tree(key): list(map(_encode, forms)) for key, forms in partials.items()}
    parts = []
    for name, entries in (("readings", written), ("partials", derived)):
        lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in entries.items()]
        parts.append(f'"{name}": {{\n' + ",\n".join(sorted(lines)) + "\n}")
    return "{" + ",\n".join(parts) + "}\n"


def _encode(form: Form) -> list[Any]:
    tree, positions = form
    return [format_tree(tree), *positions]


def _decode(form: list[Any]) -> Form:
    tree, *positions = form
    return parse_tree(tree), tuple(positions)


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
