"""Claims rewritten: denominators that may be 0 made safe, roots of squares made ``np.hypot``."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

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
    for change in (_SafeDenominator, _Hypot):
        for number in range(min(change(numpy).count(written), _MOST)):
            yield from _rewritten(claimed, written, change(numpy, number), names)


def _rewritten(
    claimed: Callable[..., Any], written: ast.FunctionDef, change: _Change, names: dict[str, Any]
) -> Iterator[Rewritten]:
    copy = ast.parse(ast.unparse(written)).body[0]
    lines = [one.lineno for one in ast.walk(written) if isinstance(one, ast.stmt)]
    fixed = ast.fix_missing_locations(change.visit(copy))
    if change.changed is None:
        return
    at = [one for one in ast.walk(fixed) if isinstance(one, ast.stmt)].index(change.changed)
    space = dict(names)
    try:
        code = compile(ast.Module([fixed], []), "<rewritten>", "exec")
        exec(code, space)
    except (SyntaxError, NameError):
        return
    file, _, first = places.place_of_function(claimed).rpartition(":")
    line = int(first) + lines[at] - written.lineno if first.isdigit() else 0
    place = places.relative(f"{file}:{line}") if file else ""
    yield Rewritten(space[written.name], ast.unparse(change.changed), place)


class _Change(ast.NodeTransformer):
    """Changes the expression of one number, among those that it knows how to change.

    Parameters
    ----------
    numpy : str
        What NumPy is called.
    number : int
        -1 changes none.
    """

    def __init__(self, numpy: str, number: int = -1) -> None:
        self.numpy, self.left = numpy, number
        self.changed: ast.stmt | None = None
        self._seen = 0
        self._statement: ast.stmt | None = None

    def count(self, tree: ast.AST) -> int:
        """How many expressions there are."""
        self.visit(ast.parse(ast.unparse(tree)))
        return self._seen

    def visit(self, node: ast.AST) -> Any:
        """A node, with the statement that it is in kept in mind."""
        if not isinstance(node, ast.stmt):
            return super().visit(node)
        outer, self._statement = self._statement, node
        result = super().visit(node)
        self._statement = outer
        return result

    def is_next(self) -> bool:
        """Whether the expression at hand is the one to change."""
        self._seen += 1
        if self._seen - 1 != self.left:
            return False
        self.changed = self._statement
        return True

    def call(self, function: Callable[..., Any], *args: ast.expr) -> ast.expr:
        """A call of a function of NumPy."""
        numpy = ast.Name(self.numpy, ast.Load())
        return ast.Call(ast.Attribute(numpy, function.__name__, ast.Load()), list(args), [])


class _SafeDenominator(_Change):
    """``a / b`` becomes ``a / np.where(b == 0, 1.0, b)``: 0 where `a` is, and no nan."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Div) and not isinstance(node.right, ast.Constant):
            node.right = self._safe(node.right) if self.is_next() else node.right
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Div) and not isinstance(node.value, ast.Constant):
            node.value = self._safe(node.value) if self.is_next() else node.value
        return node

    def _safe(self, below: ast.expr) -> ast.expr:
        zero = ast.Compare(below, [ast.Eq()], [ast.Constant(0)])
        return self.call(np.where, zero, ast.Constant(1.0), below)


class _Hypot(_Change):
    """``np.sqrt(a**2 + b**2)`` becomes ``np.hypot(a, b)``, which neither over- nor underflows."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
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
            ) if called == np.sqrt.__name__ and self.is_next():
                return self.call(np.hypot, a, b)
        return node
