"""What a proof is about: what the functions that a row holds say, and what they call.

A function of the vocabulary is its source without comments, layout and docstring; any other one is
its bytecode. With each goes what it uses: names around it, cells, defaults, and the containers and
objects among them. A proof that comes with the package is bound to that alone, so that neither
an edit elsewhere in a file nor another version of Python makes it void.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np

import symtape
from symtape.primitives.primitive import Primitive
from verify.adapters.lookups import codes

PROVER: Final = 4
"""Raised when the prover itself changes what it accepts."""

Seen = dict[int, Any]
"""By id, with the object, so that no id comes again."""

_PACKAGE: Final = Path(symtape.__file__).parent
_VOCABULARY: Final = "symtape.primitives"
_PLAIN: Final = (int, float, complex, str, bytes, type(None), np.generic)
_KINDS: Final = (ast.FunctionDef, ast.Lambda)


def content_hash(rows: Iterable[Primitive]) -> str:
    """A hash of what `rows` of the package say, the same on every machine.

    Examples
    --------
    >>> from symtape.primitives.trigonometric import SIN, TANH
    >>> content_hash([TANH]) == content_hash([TANH]) != content_hash([SIN])
    True
    """
    seen: Seen = {}
    parts = [part for row in rows for part in _row_content(row, seen)]
    return _hash([str(PROVER), *parts])[:24]


def fingerprint(row: Primitive) -> str:
    """A hash of what any `row` does; it changes with the version of Python."""
    return _hash([str(PROVER), sys.version, *_row_content(row, {})])


def is_built_in(row: Primitive) -> bool:
    """Whether `row` is written in the package, or at least some of it."""
    functions = (each for each in _functions(row) if isinstance(each, FunctionType))
    return any(_is_of_package(function.__code__) for function in functions)


def _hash(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _row_content(row: Primitive, seen: Seen) -> list[str]:
    said = [row.name, row.over, _content(row.example, seen)]
    return [*said, *(_code_of(function, seen) for function in _functions(row))]


def _functions(row: Primitive) -> list[Any]:
    rules = [rule.function if rule else None for rule in row.rules]
    return [*rules, row.symbolic, row.elements, row.select, row.evaluate]


def _code_of(value: Any, seen: Seen) -> str:
    function: Any = getattr(value, "__func__", value)
    if isinstance(function, functools._lru_cache_wrapper):
        function = function.__wrapped__
    if isinstance(function, Primitive):
        return f"row {function.name}"
    if not isinstance(function, FunctionType):
        return _content(value, seen)
    code = function.__code__
    written = _is_as_written(code)
    outside = written and not function.__module__.startswith(_VOCABULARY)
    if id(function) in seen or (outside and function.__module__.startswith(_NAMED)):
        return f"{function.__module__}.{function.__qualname__}"
    seen[id(function)] = function
    says = [_source(code)] if written and _is_of_package(code) else _bytes(code)
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    used = [*cells, *_find_used_objects(function), *defaults]
    return " ".join([*says, *(_code_of(each, seen) for each in used)])


_NAMED: Final = ("symtape.", "numpy", "sympy", "scipy")
"""Packages of which a function is known by its name."""


def _find_used_objects(function: FunctionType) -> list[Any]:
    """What the names in a function stand for, in modules of the vocabulary as well."""
    names = _names(function.__code__)
    spaces: list[Mapping[str, Any]] = [function.__globals__]
    spaces += [
        vars(sys.modules[name]) for name in names if name in sys.modules and _is_in_vocabulary(name)
    ]
    found: list[Any] = []
    for space in spaces:
        for name in names:
            value = space.get(name)
            if isinstance(value, ModuleType) and _is_in_vocabulary(value.__name__):
                spaces += [vars(value)] if all(vars(value) is not it for it in spaces) else []
            elif value is not None:
                found.append(value)
    return found


def _is_in_vocabulary(module: str) -> bool:
    return module.startswith(_VOCABULARY)


def _content(value: Any, seen: Seen) -> str:
    """What is in a value that a function uses; of a container or an object, all that it holds."""
    if isinstance(value, _PLAIN):
        return repr(value)
    if isinstance(value, np.ndarray) and value.dtype != object:
        return f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    held = _list_parts(value)
    kind = f"{type(value).__name__} {getattr(value, '__name__', '')}"
    if held is None or id(value) in seen:
        return kind
    seen[id(value)] = value
    return " ".join([kind, *(_code_of(each, seen) for each in held)])


def _list_parts(value: Any) -> list[Any] | None:
    """The parts of a container or a class, or the attributes of an object; else None."""
    if isinstance(value, functools.partial):
        return [value.func, *value.args, *value.keywords, *value.keywords.values()]
    if isinstance(value, Mapping):
        return [*value, *value.values()]
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    if isinstance(value, np.ndarray):
        return value.ravel().tolist()
    if isinstance(value, type) and _is_in_vocabulary(value.__module__):
        methods = [each for each in vars(value).values() if isinstance(each, FunctionType)]
        written = [each for each in methods if _is_of_package(each.__code__)]
        return [*inspect.get_annotations(value), *written]
    named = isinstance(value, type | ModuleType) or type(value).__module__.startswith(_NAMED[1:])
    if named or not hasattr(value, "__dict__"):
        return None
    called = type(value).__call__ if callable(value) else None
    return [called, *vars(value), *vars(value).values()]


def _is_of_package(code: CodeType) -> bool:
    return Path(code.co_filename).is_relative_to(_PACKAGE)


def _is_as_written(code: CodeType) -> bool:
    """Whether the code of a function is what its file says, where that is one of the package.

    A rule that was compiled again, as by a tool that plants faults, keeps its file and its lines.
    """
    return not _is_of_package(code) or code in _codes(code.co_filename)


@functools.cache  # of files of the package
def _codes(file: str) -> frozenset[CodeType]:
    """All that is compiled of a file."""
    try:
        return frozenset(codes(compile(Path(file).read_bytes(), file, "exec", dont_inherit=True)))
    except (OSError, SyntaxError):
        return frozenset()


def _source(code: CodeType) -> str:
    """The source of a function of the package, as its syntax tree says it."""
    found = find_definition(code)
    # From 3.12 on, f-strings are written with other quotes.
    return ast.unparse(found).replace("'", '"') if found else " ".join(_bytes(code))


def find_definition(code: CodeType) -> ast.FunctionDef | ast.Lambda | None:
    """What a file says of a function, without its docstring; None where it says nothing."""
    try:
        written = _definitions(code.co_filename)
    except (OSError, SyntaxError):
        return None
    found = [it for it in written if _first_line(it) == code.co_firstlineno]
    if code.co_name != "<lambda>":
        return next((it for it in found if getattr(it, "name", "") == code.co_name), None)
    lambdas = [it for it in found if isinstance(it, ast.Lambda) and _spans(it.body, code)]
    return min(lambdas, key=lambda it: len(ast.unparse(it)), default=None)


@functools.cache  # of files of the package
def _definitions(file: str) -> list[ast.FunctionDef | ast.Lambda]:
    """The functions of a file, without their docstrings."""
    tree = ast.parse(Path(file).read_bytes())
    found = [node for node in ast.walk(tree) if isinstance(node, _KINDS)]
    for node in found:
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return found


def _first_line(node: ast.FunctionDef | ast.Lambda) -> int:
    decorators = getattr(node, "decorator_list", [])
    return decorators[0].lineno if decorators else node.lineno


def _spans(body: ast.expr, code: CodeType) -> bool:
    """Whether all that `code` does is written inside of `body`."""
    start, end = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
    return all(start <= it[:2] and it[2:] <= end for it in _positions(code))


def _positions(code: CodeType) -> Iterator[tuple[int, int, int, int]]:
    """Where instructions are written: first line and column, last line and column."""
    for line, last, start, end in code.co_positions():
        if line and last and start is not None and end:
            yield line, start, last, end


def _names(code: CodeType) -> list[str]:
    """The names in a function and in what is defined inside of it.

    Sorted, because versions of Python that inline comprehensions list them in another order.
    """
    return sorted({name for each in codes(code) for name in each.co_names})


def _bytes(code: CodeType) -> list[str]:
    parts = [code.co_code.hex(), " ".join(code.co_names)]
    for constant in code.co_consts:
        parts += _bytes(constant) if isinstance(constant, CodeType) else [repr(constant)]
    return parts
