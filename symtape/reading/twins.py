"""Twins: functions compiled anew from their own source, rewritten, beside the originals."""

from __future__ import annotations
import __future__

import ast
import functools
import operator
from types import CellType, CodeType, FunctionType
from typing import Any, Final

from symtape.reading.functions import cached_by_code
from symtape.reading.rewriting import READER, Rewriter, names_written_into
from symtape.reading.source import FunctionNode, find_node

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
