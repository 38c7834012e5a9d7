"""What a proof is about: what the functions that a row holds say, and what they call.

A function of the vocabulary is its source without comments, layout and docstring; any other one is
its bytecode. With each goes what it uses: names around it, cells, defaults, and the containers and
objects among them. A proof that comes with the package is bound to that alone, so that neither
an edit elsewhere in a file nor another version of Python makes it void.
"""

from __future__ import annotations

import ast
import functools
import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np

import symtape
from symtape.primitives.primitive import FUNCTIONS, PRIMITIVES, STAND_INS, UFUNCS, Primitive
from verify.model.content import ContentWalk, codes, contents_of

PROVER: Final = 4
"""Raised when the prover itself changes what it accepts."""

_PACKAGE: Final = Path(symtape.__file__).parent
_VOCABULARY: Final = "symtape.primitives"
_KINDS: Final = (ast.FunctionDef, ast.Lambda)


def content_hash(rows: Iterable[Primitive]) -> str:
    """A hash of what `rows` of the package say, the same on every machine.

    Examples
    --------
    >>> from symtape.primitives.trigonometric import SIN, TANH
    >>> content_hash([TANH]) == content_hash([TANH]) != content_hash([SIN])
    True
    """
    return _RowWalk([PROVER, *(part for row in rows for part in _parts(row))]).digest()[:24]


def fingerprint(row: Primitive) -> str:
    """A hash of what any `row` does; it changes with the version of Python."""
    return _RowWalk([PROVER, sys.version, *_parts(row)]).digest()


def is_built_in(row: Primitive) -> bool:
    """Whether `row` is written in the package, or at least some of it."""
    functions = (each for each in _functions(row) if isinstance(each, FunctionType))
    return any(_is_of_package(function.__code__) for function in functions)


def _parts(row: Primitive) -> list[Any]:
    return [row.name, row.over, row.example, *_functions(row)]


def _functions(row: Primitive) -> list[Any]:
    rules = [rule.function if rule else None for rule in row.rules]
    return [*rules, row.symbolic, row.elements, row.select, row.evaluate]


_NAMED: Final = ("symtape.", "numpy", "sympy", "scipy")
"""Packages of which a function is known by its name."""

_REGISTRIES: Final = (FUNCTIONS, PRIMITIVES, STAND_INS, UFUNCS)
"""What later imports add to, so that what is in them is no part of what a row says."""


class _RowWalk(ContentWalk):
    """Through rows, to what is theirs: other rows and what is of packages have names alone."""

    def list_parts(self, value: Any) -> Iterable[Any]:
        """Say what a value is, and give what is in it."""
        if isinstance(value, functools._lru_cache_wrapper):
            return (value.__wrapped__,)
        if any(value is registry for registry in _REGISTRIES):
            return ()
        named = isinstance(value, Primitive | ModuleType | BuiltinFunctionType)
        of_library = type(value).__module__.startswith(_NAMED[1:])
        if named or (of_library and not isinstance(value, np.ndarray)):
            name = value.name if isinstance(value, Primitive) else getattr(value, "__name__", "")
            self.say(type(value).__name__, name)
            return ()
        return super().list_parts(value)

    def list_used(self, function: FunctionType) -> Iterable[Any]:
        """Say what a function says, and give what it uses."""
        code = function.__code__
        written = _is_as_written(code)
        outside = written and not _is_in_vocabulary(function.__module__)
        if outside and function.__module__.startswith(_NAMED):
            self.say(function.__module__, function.__qualname__)
            return ()
        says: Any = _source(code) if written and _is_of_package(code) else code
        cells = [contents_of(cell) for cell in function.__closure__ or ()]
        defaults = [function.__defaults__, function.__kwdefaults__]
        return [says, *cells, *_find_used_objects(function), *defaults]

    def list_members(self, kind: type) -> Iterable[Any]:
        """Say which class it is, and give what is written in it, if it is of the vocabulary."""
        self.say("class", kind.__name__)
        if not _is_in_vocabulary(kind.__module__):
            return ()
        methods = [each for each in vars(kind).values() if isinstance(each, FunctionType)]
        written = [each for each in methods if _is_of_package(each.__code__)]
        return [[*inspect.get_annotations(kind)], *written]


def _find_used_objects(function: FunctionType) -> list[Any]:
    """What the names in a function stand for, in modules of the vocabulary as well.

    Sorted, because versions of Python that inline comprehensions list names in another order.
    """
    names = sorted({name for each in codes(function.__code__) for name in each.co_names})
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


def _source(code: CodeType) -> str | CodeType:
    """The source of a function of the package, as its syntax tree says it."""
    found = find_definition(code)
    # From 3.12 on, f-strings are written with other quotes.
    return ast.unparse(found).replace("'", '"') if found else code


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
