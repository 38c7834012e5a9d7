"""What a proof is about: the sources it was made from, and the functions that a row holds."""

from __future__ import annotations

import functools
import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np

import symtape
from symtape.primitives.primitive import Primitive

PROVER: Final = 2
"""Raised when the prover itself changes what it accepts."""

Seen = dict[int, Any]
"""By id, with the object, so that no id comes again."""

_PACKAGE: Final = Path(symtape.__file__).parent
_PLAIN: Final = (int, float, complex, str, bytes, type(None), np.generic)
_IMPORT: Final = re.compile(r"^\s*from (symtape\.primitives[.\w]*) import ([^(\n]+)", re.MULTILINE)


@functools.cache  # of files of the package
def file_hash(name: str) -> str:
    """A hash of a source file of the package; empty where it cannot be read."""
    try:
        text = (_PACKAGE / name).read_bytes().replace(b"\r\n", b"\n")
    except OSError:
        return ""
    return hashlib.sha256(text).hexdigest()[:24]


def sources(rows: Iterable[Primitive]) -> dict[str, str]:
    """The files of the vocabulary that `rows` are written in, with their hashes.

    With those that they import, since a rule calls what is written there.
    """
    waiting = {_file_of(row) for row in rows} - {""}
    found: dict[str, str] = {}
    while waiting:
        name = waiting.pop()
        found[name] = file_hash(name)
        waiting |= _imported(name) - found.keys()
    return dict(sorted(found.items()))


def is_built_in(row: Primitive) -> bool:
    """Whether `row` is written in the package, or at least some of it."""
    return bool(_file_of(row))


def _file_of(row: Primitive) -> str:
    for function in _functions(row):
        if isinstance(function, FunctionType):
            file = Path(function.__code__.co_filename)
            if file.is_relative_to(_PACKAGE):
                return file.relative_to(_PACKAGE).as_posix()
    return ""


@functools.cache  # of files of the package
def _imported(name: str) -> frozenset[str]:
    """The files of the vocabulary that one of them imports."""
    text = (_PACKAGE / name).read_text(encoding="utf-8")
    found = set()
    for module, names in _IMPORT.findall(text):
        parts = module.split(".")[1:]
        for each in [parts, *([*parts, n.strip()] for n in names.split(","))]:
            file = f"{'/'.join(each)}.py"
            if (_PACKAGE / file).is_file():
                found.add(file)
    return frozenset(found)


def _functions(row: Primitive) -> list[Any]:
    rules = [rule.function if rule else None for rule in row.rules]
    return [*rules, row.symbolic, row.elements, row.select, row.evaluate]


def places(row: Primitive) -> list[str]:
    """Where the functions that a proof of `row` reads are written, inside the package.

    With the hashes of the files these say what the functions are: one that was put in their place
    later is written elsewhere.
    """
    return [*map(_place, _functions(row)), row.over]


def _place(function: Any) -> str:
    """A function by its file and where in it the function ends; others by name."""
    if function is None:
        return ""
    function = getattr(function, "__func__", function)
    if not isinstance(function, FunctionType):
        return f"{type(function).__name__} {getattr(function, '__name__', '')}"
    code = function.__code__
    file = Path(code.co_filename)
    inside = file.relative_to(_PACKAGE).as_posix() if file.is_relative_to(_PACKAGE) else str(file)
    cells = [_captured(cell.cell_contents) for cell in function.__closure__ or ()]
    end = _end(code) if _is_as_written(code) else "replaced"
    return " ".join([f"{inside}:{end}", *cells])


def _is_as_written(code: CodeType) -> bool:
    """Whether the code of a function is what its file says, where that is one of the package.

    A rule that was compiled again, as by a tool that plants faults, keeps its file and its lines.
    """
    file = Path(code.co_filename)
    return not file.is_relative_to(_PACKAGE) or code in _codes(file)


@functools.cache  # of files of the package
def _codes(file: Path) -> frozenset[CodeType]:
    """All that is compiled of a file."""
    try:
        return frozenset(_within(compile(file.read_bytes(), str(file), "exec", dont_inherit=True)))
    except (OSError, SyntaxError):
        return frozenset()


def _within(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _within(constant)


def _captured(value: Any) -> str:
    if callable(value):
        return _place(value)
    return repr(value) if isinstance(value, int | float | str | bool) else type(value).__name__


def _end(code: CodeType) -> str:
    """Where the body of a function ends: line and column."""
    ends = [(line, column) for _, line, _, column in code.co_positions() if line and column]
    line, column = max(ends, default=(code.co_firstlineno, 0))
    return f"{line}.{column}"


def fingerprint(row: Primitive) -> str:
    """A hash of what the functions of any `row` do: their bytecode, and that of what they call.

    For rows that are not of the package; it changes with the version of Python.
    """
    seen: Seen = {}
    parts = [_code_of(function, seen) for function in _functions(row)]
    built_in = sorted(_PACKAGE.joinpath("primitives").rglob("*.py"))
    hashes = [file_hash(file.relative_to(_PACKAGE).as_posix()) for file in built_in]
    about = [str(PROVER), sys.version, row.name, row.over, repr(row.example)]
    return hashlib.sha256("\n".join([*about, *hashes, *parts]).encode()).hexdigest()


def _code_of(value: Any, seen: Seen) -> str:
    function: Any = getattr(value, "__func__", value)
    if isinstance(function, Primitive):
        return f"row {function.name}"
    if not isinstance(function, FunctionType):
        return _content(value, seen)
    code = function.__code__
    known = function.__module__.startswith(("symtape.", "numpy", "sympy"))
    if id(function) in seen or (known and _is_as_written(code)):
        return _place(function)
    seen[id(function)] = function
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    used = [function.__globals__.get(name) for name in _names(code)]
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    inner = [_code_of(each, seen) for each in (*cells, *used, *defaults)]
    return " ".join([*_bytes(code), *inner])


def _content(value: Any, seen: Seen) -> str:
    """What is in a value that a function uses; of a container or an object, all that it holds."""
    if isinstance(value, _PLAIN):
        return repr(value)
    if isinstance(value, np.ndarray) and value.dtype != object:
        return f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    held = _held(value)
    if held is None or id(value) in seen:
        return _place(value)
    seen[id(value)] = value
    return " ".join([_place(value), *(_code_of(each, seen) for each in held)])


def _held(value: Any) -> list[Any] | None:
    """The parts of a container, of an object its attributes and what is called; None of others."""
    if isinstance(value, functools.partial):
        return [value.func, *value.args, *value.keywords, *value.keywords.values()]
    if isinstance(value, Mapping):
        return [*value, *value.values()]
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, np.ndarray):
        return value.ravel().tolist()
    if isinstance(value, type | ModuleType) or not hasattr(value, "__dict__"):
        return None
    called = type(value).__call__ if callable(value) else None
    return [called, *vars(value), *vars(value).values()]


def _names(code: CodeType) -> list[str]:
    found = list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found += _names(constant)
    return found


def _bytes(code: CodeType) -> list[str]:
    parts = [code.co_code.hex(), " ".join(code.co_names)]
    for constant in code.co_consts:
        parts += _bytes(constant) if isinstance(constant, CodeType) else [repr(constant)]
    return parts
