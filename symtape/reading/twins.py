"""Twins: functions compiled anew from their own source, rewritten, beside the originals.

The syntax tree of a function is found by the lines that its code object names. A whole file is
parsed for lambdas alone, which stand in the middle of a statement.
"""

from __future__ import annotations
import __future__

import ast
import copy
import functools
import linecache
import operator
from collections.abc import Iterator
from types import CellType, CodeType, FunctionType
from typing import Any, Final

from symtape.reading.functions import cached_by_code
from symtape.reading.rewriting import READER, Rewriter, names_written_into

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_MORE_LINES: Final = 40
"""Lines behind the last instruction that may still belong to its statement."""


def find_node(code: CodeType) -> FunctionNode | None:
    """The syntax tree of the function with this code; None where there is no source.

    Examples
    --------
    >>> from symtape.reading.twins import find_node
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


_FACTORY: Final = "__make_twin__"
_FUNCTION: Final = "__twin__"
_MOST_KEPT: Final = 8192
_FUTURE: Final = functools.reduce(
    operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)


def is_twin(function: FunctionType) -> bool:
    """Whether the calls of a function already ask a reader."""
    return READER in function.__code__.co_freevars


def make_twin(function: FunctionType, reader: Any) -> FunctionType | None:
    """The twin of a function, whose calls ask `reader`; None where there is no source of it.

    Examples
    --------
    >>> class Reader:
    ...     def target(self, function):
    ...         return lambda *args: -function(*args)
    >>> def f(x):
    ...     return abs(x)
    >>> f(3.0), make_twin(f, Reader())(3.0)
    (3.0, -3.0)
    """
    code = rewritten_code(function.__code__)
    if code is None:
        return None
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells[READER] = CellType(reader)
    closure = tuple(cells[name] for name in code.co_freevars)
    twin = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    twin.__kwdefaults__ = function.__kwdefaults__
    twin.__qualname__, twin.__doc__ = function.__qualname__, function.__doc__
    twin.__dict__.update(function.__dict__)
    return twin


@cached_by_code
def rewritten_code(code: CodeType) -> CodeType | None:
    """Code compiled from the source of `code`, in which a reader is asked."""
    node = find_node(code)
    if node is None:
        return None
    free = list(dict.fromkeys((*code.co_freevars, READER)))
    _strip(node)
    if not _is_source_of(_compile_in_factory(node, free, code), code):
        return None
    local = {*code.co_varnames, *code.co_cellvars}
    written = names_written_into(node, local)
    rewriter = Rewriter(_owner(code), written - local, written & local)
    if isinstance(node, ast.Lambda):
        node.body = rewriter.visit(node.body)
    else:
        node.body = [rewriter.visit(statement) for statement in node.body]
    made = _compile_in_factory(node, free, code)
    if made is not None:
        return made.replace(co_name=code.co_name, co_qualname=code.co_qualname)
    return None


@functools.lru_cache(maxsize=_MOST_KEPT)  # texts
def rewritten_text(text: str) -> CodeType:
    """Code of an expression, in which a reader is asked."""
    tree = Rewriter("").visit(ast.parse(text.strip(), mode="eval"))
    return compile(ast.fix_missing_locations(tree), "<string>", "eval")


def _strip(node: FunctionNode) -> None:
    """Leave out what was evaluated when the function was defined."""
    given = node.args
    given.defaults = [ast.Constant(None) for _ in given.defaults]
    given.kw_defaults = [each and ast.Constant(None) for each in given.kw_defaults]
    if isinstance(node, ast.Lambda):
        return
    node.decorator_list, node.returns = [], None
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    for argument in every:
        if argument is not None:
            argument.annotation = None
    if hasattr(node, "type_params"):
        node.type_params = []


def _compile_in_factory(node: FunctionNode, free: list[str], code: CodeType) -> CodeType | None:
    """The code of a function in a factory that has its free names for parameters."""
    if isinstance(node, ast.Lambda):
        inner: ast.stmt = ast.Return(node)
    else:
        node.name = _FUNCTION  # a function that names itself means the global one
        inner = node
    arguments = ast.arguments([], [ast.arg(name) for name in free], None, [], [], None, [])
    factory = ast.FunctionDef(_FACTORY, arguments, [inner], [], None, None)
    factory.type_params = []  # type: ignore[attr-defined]
    module = ast.fix_missing_locations(ast.Module([factory], []))
    flags = code.co_flags & _FUTURE
    compiled = compile(module, code.co_filename, "exec", flags, dont_inherit=True)
    made = next(x for x in compiled.co_consts if isinstance(x, CodeType))
    return next((x for x in made.co_consts if isinstance(x, CodeType)), None)


def _is_source_of(found: CodeType | None, code: CodeType) -> bool:
    """Whether a tree is that of `code`, and the file has not changed since."""
    if found is None or not _plain(found) <= _plain(code):
        return False
    names = {*found.co_names, *found.co_varnames, *found.co_freevars}
    known = {*code.co_names, *code.co_varnames, *code.co_freevars, *code.co_cellvars}
    private = {name for name in names if name.startswith("__")}
    return names - private <= known and found.co_argcount == code.co_argcount


def _plain(code: CodeType) -> set[Any]:
    """Numbers and texts in code."""
    return {(type(x), x) for x in code.co_consts if isinstance(x, int | float | complex | str)}


def _owner(code: CodeType) -> str:
    """The class that a method was defined in, or empty."""
    around = code.co_qualname.split(".")[:-1]
    return around[-1] if around and around[-1] != "<locals>" else ""
