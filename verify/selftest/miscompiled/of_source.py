"""Small wrong changes of the NumPy source of a program: one place of it at a time."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Final

from verify.reporting.remedies.rewriting import replace_node
from verify.selftest.rewriting import format_node

Change = tuple[str, str, str]
"""The kind of fault, the old code and the new, and the whole source with it."""

COMMUTATIVE: Final = frozenset(("add", "multiply"))
"""Operations of two arguments in any order."""

_OPPOSITE: Final = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}


def changes_of_source(source: str) -> Iterator[Change]:
    """Every change of a program that this module knows.

    Parameters
    ----------
    source : str
        A function, as a back end generated it.

    Examples
    --------
    >>> for operator, words, _ in changes_of_source("def program(x0): return (x0 - 1, )"):
    ...     print(operator, words)
    sign of a term x0 - 1 → x0 + 1
    dropped term x0 - 1 → x0
    operands exchanged x0 - 1 → 1 - x0
    """
    tree = ast.parse(source)
    for at, node in enumerate(ast.walk(tree)):
        for operator, new in _changes(node):
            words = f"{format_node(node)} → {format_node(new) if new else 'nothing'}"
            yield operator, words, ast.unparse(replace_node(tree, at, new))
    yield from _other_values(tree)


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST | None]]:
    if isinstance(node, ast.BinOp):
        yield from _mutate_operator(node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        if not isinstance(node.operand, ast.Constant):
            yield "dropped sign", node.operand
    elif isinstance(node, ast.If):
        yield "stale guard", None
        yield "guard turned", ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, [])
    elif isinstance(node, ast.Call):
        yield from _mutate_call(node)
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield from _mutate_index(node)
    elif isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
        elements = node.value.elts
        if len(elements) > 1:
            yield "results exchanged", ast.Return(ast.Tuple(elements[::-1], ast.Load()))
    elif isinstance(node, ast.Assign) and not isinstance(node.value, ast.Subscript):
        single = ast.Call(_attribute("np", "float32"), [node.value], [])
        # And back: a claim of another dtype is judged as that dtype promises.
        double = ast.Call(_attribute("np", "float64"), [single], [])
        yield "cast to float32", ast.copy_location(ast.Assign(node.targets, double), node)
        scaled = ast.BinOp(node.value, ast.Mult(), ast.Constant(1 + 2.0**-30))
        yield "constant off", ast.copy_location(ast.Assign(node.targets, scaled), node)


def _attribute(name: str, attribute: str) -> ast.Attribute:
    return ast.Attribute(ast.Name(name, ast.Load()), attribute, ast.Load())


def _mutate_operator(node: ast.BinOp) -> Iterator[tuple[str, ast.AST]]:
    opposite = _OPPOSITE.get(type(node.op))
    if opposite is not None:
        yield "sign of a term", ast.BinOp(node.left, opposite(), node.right)
    if isinstance(node.op, ast.Add | ast.Sub | ast.Mult):
        yield "dropped term", node.left
    if isinstance(node.op, ast.Sub | ast.Div | ast.MatMult):
        yield "operands exchanged", ast.BinOp(node.right, node.op, node.left)


def _mutate_call(node: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if name == "range" and node.args:
        # Of one bound, or of two: the last is where it ends.
        at = 0 if len(node.args) == 1 else 1
        ends = [*node.args]
        ends[at] = ast.BinOp(ends[at], ast.Sub(), ast.Constant(1))
        yield "a loop one short", ast.Call(node.func, ends, [])
        return
    if name == "transpose" and isinstance(node.func, ast.Attribute):
        yield "transposed", node.func.value
    two = len(node.args) == 2 and all(isinstance(x, ast.Name) for x in node.args)
    if two and name not in COMMUTATIVE:
        yield "operands exchanged", ast.Call(node.func, node.args[::-1], node.keywords)
    if two and not node.keywords:
        first = ast.Attribute(node.args[0], "T", ast.Load())
        yield "transposed", ast.Call(node.func, [first, node.args[1]], [])
    if len(node.args) == 2 and isinstance(node.args[1], ast.Constant | ast.Tuple):
        yield from _mutate_axes(node)


def _mutate_axes(node: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    """The second argument of a reduction, where it is a number or some."""
    axes = node.args[1]
    given = axes.elts if isinstance(axes, ast.Tuple) else [axes]
    numbers = [x.value for x in given if isinstance(x, ast.Constant) and type(x.value) is int]
    if len(numbers) == 1:
        other = ast.Tuple([ast.Constant(1 - numbers[0])], ast.Load())
        yield "wrong axis", ast.Call(node.func, [node.args[0], other], node.keywords)


def _mutate_index(node: ast.Subscript) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node.value, ast.Name) and node.value.id == "buffers":
        return
    for at, part in enumerate(ast.walk(node.slice)):
        if isinstance(part, ast.Constant) and type(part.value) is int:
            for step in (1, -1):
                moved = copy.deepcopy(node)
                found = list(ast.walk(moved.slice))[at]
                assert isinstance(found, ast.Constant)
                found.value = part.value + step
                yield "slice moved", moved


def _other_values(tree: ast.Module) -> Iterator[Change]:
    """Reads of another value, and writes into another buffer, than the plan says."""
    for operator, letter in (("wrong value read", "v"), ("wrong buffer", "b")):
        found = [(at, node) for at, node in enumerate(ast.walk(tree)) if isinstance(node, ast.Name)]
        numbered = [(at, node) for at, node in found if _is_numbered(node.id, letter)]
        known = list(dict.fromkeys(node.id for _, node in numbered))
        for at, node in numbered:
            other = known[known.index(node.id) - 1]
            if other != node.id and isinstance(node.ctx, ast.Load):
                new = ast.Name(other, ast.Load())
                yield (
                    operator,
                    f"{node.id} → {other}, #{at}",
                    ast.unparse(replace_node(tree, at, new)),
                )


def _is_numbered(name: str, letter: str) -> bool:
    return name[:1] == letter and name[1:].isdigit()
