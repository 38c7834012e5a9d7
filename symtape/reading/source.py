"""The syntax tree of a function, by the lines that its code object names.

A whole file is parsed for lambdas alone, which stand in the middle of a statement.
"""

from __future__ import annotations

import ast
import copy
import functools
import linecache
from collections.abc import Iterator
from types import CodeType
from typing import Final

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_MORE_LINES: Final = 40
"""Lines behind the last instruction that may still belong to its statement."""


def find_node(code: CodeType) -> FunctionNode | None:
    """The syntax tree of the function with this code; None where there is no source.

    Examples
    --------
    >>> from symtape.reading.source import find_node
    >>> find_node(find_node.__code__).name
    'find_node'
    """
    lines = linecache.getlines(code.co_filename)
    if not 0 < code.co_firstlineno <= len(lines):
        return None
    try:
        if code.co_name == "<lambda>":
            return _find_lambda(tuple(lines), code)
        return _find_definition(lines, code)
    except (SyntaxError, ValueError):
        return None


def _find_definition(lines: list[str], code: CodeType) -> FunctionNode | None:
    first = code.co_firstlineno - 1
    last = max(spot[1] for spot in spots(code))
    # An indented definition needs something that it is indented in.
    head, before = ("if 1:\n", 1) if lines[first][:1].isspace() else ("", 0)
    for end in range(last, min(last + _MORE_LINES, len(lines)) + 1):
        try:
            tree = ast.parse(head + "".join(lines[first:end]))
        except SyntaxError:
            continue
        ast.increment_lineno(tree, first - before)
        body = tree.body[0].body if isinstance(tree.body[0], ast.If) and head else tree.body
        node = body[0]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == code.co_name:
            return node
        return None
    return None


def _find_lambda(lines: tuple[str, ...], code: CodeType) -> ast.Lambda | None:
    within = [spot for spot in spots(code) if spot[3]]
    found = [
        node
        for node in _lambdas(lines)
        if all(_contains(node.body, spot) for spot in within)
        and [arg.arg for arg in _arguments(node)] == [*code.co_varnames[: _count(code)]]
    ]
    # A copy: what is found is rewritten, and others are looked for in the same tree.
    return copy.deepcopy(min(found, key=_size, default=None))


@functools.lru_cache(maxsize=64)  # files
def _lambdas(lines: tuple[str, ...]) -> list[ast.Lambda]:
    return [node for node in ast.walk(ast.parse("".join(lines))) if isinstance(node, ast.Lambda)]


def _arguments(node: ast.Lambda) -> list[ast.arg]:
    given = node.args
    starred = [arg for arg in (given.vararg, given.kwarg) if arg is not None]
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *starred]


def _count(code: CodeType) -> int:
    starred = bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
    return code.co_argcount + code.co_kwonlyargcount + starred


def _size(node: ast.Lambda) -> tuple[int, int]:
    return (
        (node.end_lineno or 0) - node.lineno,
        (node.end_col_offset or 0) - node.col_offset,
    )


def _contains(node: ast.expr, spot: tuple[int, int, int, int]) -> bool:
    line, end_line, column, end_column = spot
    starts = (node.lineno, node.col_offset) <= (line, column)
    return starts and (end_line, end_column) <= (node.end_lineno or 0, node.end_col_offset or 0)


def spots(code: CodeType) -> Iterator[tuple[int, int, int, int]]:
    """Lines and columns, first and last, of the instructions of code and of the code inside it."""
    for line, end_line, column, end_column in code.co_positions():
        if line is not None:
            yield line, end_line or line, column or 0, end_column or 0
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from spots(constant)
