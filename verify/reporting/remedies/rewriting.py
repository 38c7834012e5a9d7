"""Claims rewritten: denominators that may be 0 made safe, roots of squares made ``np.hypot``."""

from __future__ import annotations

import ast
import copy
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np

from verify.files import places
from verify.model.foreign import original_of

_MOST: Final = 6
"""Divisions that are tried one by one."""


@dataclass(frozen=True)
class Rewritten:
    """A claim with one statement changed.

    Attributes
    ----------
    claimed : callable
    line : str
        The statement, as it reads now.
    place : str
        Where it is written, ``file:line``.
    """

    claimed: Callable[..., Any]
    line: str
    place: str


def rewritings(claimed: Callable[..., Any]) -> Iterator[Rewritten]:
    """The claim with a denominator made safe, one after the other, and with ``np.hypot``.

    Nothing where its source is not to be had as one function, or needs names that are not known.

    Examples
    --------
    >>> from verify.judging.diagnosis import stated
    >>> list(rewritings(len)), list(rewritings(stated.severity))
    ([], [])
    """
    claimed = original_of(claimed)
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(claimed)))
        known = inspect.getclosurevars(claimed)
    except (OSError, TypeError, SyntaxError, ValueError):
        return
    (written,) = tree.body[:1] or (None,)
    if not isinstance(written, ast.FunctionDef) or written.name != claimed.__name__:
        return
    names = {**known.builtins, **claimed.__globals__, **known.nonlocals}
    numpy = next((name for name, value in names.items() if value is np), "")
    if not numpy:
        return
    written.decorator_list = []
    # As they are evaluated: what is inside of another comes before it.
    nodes = [(at, node) for at, node in enumerate(ast.walk(written)) if hasattr(node, "lineno")]
    nodes.sort(key=lambda it: _end_of(it[1]))
    for change in (_make_denominator_safe, _take_hypot):
        changed = [(at, new) for at, node in nodes if (new := change(node, numpy)) is not None]
        for at, new in changed[:_MOST]:
            yield from _rewritten(claimed, written, at, new, names)


def _end_of(node: Any) -> tuple[int, ...]:
    return node.end_lineno, node.end_col_offset, -node.lineno, -node.col_offset


def _rewritten(
    claimed: Callable[..., Any], written: ast.FunctionDef, at: int, new: ast.AST, names: Any
) -> Iterator[Rewritten]:
    nodes: list[Any] = list(ast.walk(written))
    around = [k for k, it in enumerate(nodes) if isinstance(it, ast.stmt) and _holds(it, nodes[at])]
    line = nodes[around[-1]].lineno - written.lineno
    tree = replace_node(written, at, new)
    space = dict(names)
    try:
        exec(compile(ast.Module([tree], []), "<rewritten>", "exec"), space)
    except (SyntaxError, NameError):
        return
    file, _, first = places.place_of_function(claimed).rpartition(":")
    place = places.relative(f"{file}:{int(first) + line}") if file and first.isdigit() else ""
    statement = list(ast.walk(tree))[around[-1]]
    yield Rewritten(space[written.name], ast.unparse(statement), place)


def _holds(statement: ast.stmt, node: ast.AST) -> bool:
    return any(part is node for part in ast.walk(statement))


T = TypeVar("T", bound=ast.AST)


def replace_node(
    tree: T, at: int, new: ast.AST | None, walk: Callable[[T], Iterable[ast.AST]] = ast.walk
) -> T:
    """A copy of a tree in which the node of a number is another; None takes it out of a list."""
    tree = copy.deepcopy(tree)
    old = list(walk(tree))[at]
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, name, new)
            elif isinstance(value, list) and any(item is old for item in value):
                kept = [item for item in value if item is not old or new is not None]
                setattr(parent, name, [new if item is old else item for item in kept])
    return ast.fix_missing_locations(tree)


def _call(numpy: str, function: Callable[..., Any], *args: ast.expr) -> ast.expr:
    called = ast.Attribute(ast.Name(numpy, ast.Load()), function.__name__, ast.Load())
    return ast.Call(called, list(args), [])


def _make_denominator_safe(node: ast.AST, numpy: str) -> ast.AST | None:
    """``a / b`` becomes ``a / np.where(b == 0, 1.0, b)``: 0 where `a` is, and no nan."""
    if not isinstance(node, ast.BinOp | ast.AugAssign) or not isinstance(node.op, ast.Div):
        return None
    below = node.right if isinstance(node, ast.BinOp) else node.value
    if isinstance(below, ast.Constant):
        return None
    zero = ast.Compare(below, [ast.Eq()], [ast.Constant(0)])
    safe = _call(numpy, np.where, zero, ast.Constant(1.0), below)
    if isinstance(node, ast.BinOp):
        return ast.BinOp(node.left, node.op, safe)
    return ast.AugAssign(node.target, node.op, safe)


def _take_hypot(node: ast.AST, numpy: str) -> ast.AST | None:
    """``np.sqrt(a**2 + b**2)`` becomes ``np.hypot(a, b)``, which neither over- nor underflows."""
    match node:
        case ast.Call(
            func=ast.Attribute(attr=called),
            args=[
                ast.BinOp(
                    left=ast.BinOp(left=a, op=ast.Pow(), right=ast.Constant(2)),
                    op=ast.Add(),
                    right=ast.BinOp(left=b, op=ast.Pow(), right=ast.Constant(2)),
                )
            ],
        ) if called == np.sqrt.__name__:
            return _call(numpy, np.hypot, a, b)
    return None
