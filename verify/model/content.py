"""Content: what the answer for a function depends on, as a hash that is the same on every machine.

Of a function its bytecode, constants, defaults, captured values and attributes, and the same of
the functions, classes and values of its module that it names, and so on, through all modules of
the user; of a module of the user that is used by its name (``helpers.f``) the whole file. Of what
is installed only the name, since the version of its distribution is part of the address of an
answer; what is reached through attributes of objects is not followed. Lines are no part of it: a
function that has only moved in its file is the same.
"""

from __future__ import annotations

import builtins
import dataclasses
import functools
import hashlib
import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MappingProxyType,
    MethodType,
    ModuleType,
)
from typing import Any, Final

import numpy as np

from verify.files import places
from verify.files.digest import digest_of_file
from verify.model.marks import MARK

_PLAIN: Final = (
    *(bool, int, float, complex, str, bytes, type(None), type(...), range),
    *(Enum, Fraction, PurePath, np.generic, np.dtype, re.Pattern),
)
_MOST: Final = 50_000
"""Values that are looked at; a hash of so many is told from another by the first of them."""

_OURS: Final = ("symtape", "verify")
_ADDRESS: Final = re.compile(r" at 0x[0-9a-fA-F]+")
_OF_CLASSES: Final = frozenset(
    ("__dict__", "__weakref__", "__doc__", "__module__", "__firstlineno__", "__static_attributes__")
)


@dataclasses.dataclass(frozen=True, slots=True)
class Content:
    """What was found.

    Attributes
    ----------
    digest : str
    modules : tuple of str
        The installed top-level modules that it uses.
    files : tuple of str
        The user's files that it comes from.
    """

    digest: str
    modules: tuple[str, ...]
    files: tuple[str, ...]


def content_of(*values: Any) -> Content:
    """The content of functions, and of values of any kind.

    Examples
    --------
    >>> def half(x):
    ...     return x / 2
    >>> content_of(half) == content_of(half)
    True
    >>> content_of(half) == content_of(lambda x: x / 3)
    False
    """
    walk = ContentWalk(values)
    return Content(walk.digest(), tuple(sorted(walk.modules)), tuple(sorted(walk.files)))


def codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and those of the functions and comprehensions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


class ContentWalk:
    """Through values and what they hold, each once, in an order that is always the same."""

    def __init__(self, values: Iterable[Any]) -> None:
        self.hash = hashlib.sha256()
        self.modules: set[str] = set()
        self.files: set[str] = set()
        self._waiting = [*values][::-1]
        self._seen: dict[int, tuple[int, Any]] = {}  # with the object, so that no id comes again

    def digest(self) -> str:
        """The hash of all of it."""
        while self._waiting and len(self._seen) < _MOST:
            self._meet(self._waiting.pop())
        return self.hash.hexdigest()

    def _meet(self, value: Any) -> None:
        if isinstance(value, _PLAIN):
            self.say(type(value).__qualname__, repr(value))
            return
        if id(value) in self._seen:
            self.say("again", self._seen[id(value)][0])
            return
        self._seen[id(value)] = len(self._seen), value
        held = self.list_parts(value)
        self._waiting += [*held][::-1]

    def say(self, *words: Any) -> None:
        """Take words into the hash."""
        self.hash.update("\0".join(map(str, words)).encode("utf-8", "surrogatepass") + b"\1")

    def list_parts(self, value: Any) -> Iterable[Any]:
        """Say what a value is, and give what is in it."""
        if isinstance(value, FunctionType):
            return self.list_used(value)
        if isinstance(value, CodeType):
            return self._code(value)
        if isinstance(value, ModuleType):
            return self._module(value)
        if isinstance(value, type):
            return self.list_members(value)
        if isinstance(value, MethodType):
            return value.__func__, value.__self__
        if isinstance(value, functools.partial):
            return value.func, value.args, value.keywords
        if isinstance(value, np.ndarray) and value.dtype != object:
            self.say("array", value.dtype, value.shape)
            self.hash.update(np.ascontiguousarray(value).tobytes())
            return ()
        return self._container(value)

    def _container(self, value: Any) -> Iterable[Any]:
        if isinstance(value, dict | MappingProxyType):
            self.say(type(value).__qualname__, len(value))
            return [each for item in list(value.items()) for each in item]
        if isinstance(value, set | frozenset):
            self.say(type(value).__qualname__, len(value))
            return sorted(_ADDRESS.sub("", repr(each)) for each in value)
        if isinstance(value, list | tuple):
            self.say(type(value).__qualname__, len(value))
            return list(value)
        if isinstance(value, np.ndarray):
            self.say("objects", value.shape)
            return value.ravel().tolist()
        return self._object(value)

    def list_used(self, function: FunctionType) -> Iterable[Any]:
        """Say which function it is, and give what it says and uses."""
        cells = [contents_of(cell) for cell in function.__closure__ or ()]
        defaults = [function.__defaults__, function.__kwdefaults__]
        attributes = {k: v for k, v in vars(function).items() if k != MARK}
        if self._is_installed(function.__module__, function.__code__.co_filename):
            self.say("function", function.__module__, function.__qualname__)
            return [*cells, *defaults, attributes]
        self.say("function", function.__qualname__)
        self._add_file(function.__code__.co_filename)
        names = dict.fromkeys(name for code in codes(function.__code__) for name in code.co_names)
        known = [function.__globals__[name] for name in names if name in function.__globals__]
        return [function.__code__, *cells, *defaults, attributes, *known]

    def _code(self, code: CodeType) -> Iterable[Any]:
        self.say("code", code.co_code.hex(), code.co_flags, *code.co_names, *code.co_varnames)
        return code.co_consts

    def _module(self, module: ModuleType) -> Iterable[Any]:
        file = getattr(module, "__file__", None) or ""
        self.say("module", module.__name__.rpartition(".")[2] if file else module.__name__)
        if file and not self._is_installed(module.__name__, file):
            self._add_file(file)
            return (digest_of_file(file),)
        return ()

    def list_members(self, kind: type) -> Iterable[Any]:
        """Say which class it is, and give what is in it."""
        self.say("class", kind.__qualname__)
        file = _home(kind)
        if kind.__module__ == builtins.__name__ or self._is_installed(kind.__module__, file):
            self.say(kind.__module__)
            return ()
        self._add_file(file)
        own = {k: v for k, v in vars(kind).items() if k not in _OF_CLASSES}
        return [*kind.__bases__, own]

    def _object(self, value: Any) -> Iterable[Any]:
        """Any other: its class, and its attributes; in words where it has none."""
        if isinstance(value, BuiltinFunctionType | np.ufunc):
            self.say("built in", getattr(value, "__module__", ""), value.__name__)
            self._is_installed(getattr(value, "__module__", "") or "", "")
            return ()
        kind = type(value)
        state = {name: held for name, held in _attributes(value) if not _is_cache(kind, name, held)}
        if not state and self._is_installed(kind.__module__, _home(kind)):
            self.say(_ADDRESS.sub("", _words(value)))
        return kind, state

    def _add_file(self, file: str) -> None:
        if file and not file.startswith("<"):
            self.files.add(file)

    def _is_installed(self, module: str | None, file: str) -> bool:
        """Whether code is of Python, of a package, or ours; takes down which package it is."""
        top = (module or "").partition(".")[0]
        if top in _OURS or top in sys.stdlib_module_names:
            return True
        if file and not places.is_library(file):
            return False
        if top:
            self.modules.add(top)
        return bool(top)


def _home(kind: type) -> str:
    """The file of a class; empty where it is of none."""
    return getattr(sys.modules.get(kind.__module__), "__file__", None) or ""


def contents_of(cell: Any) -> Any:
    """What a function captured; None of a cell that is not filled yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _attributes(value: Any) -> Iterator[tuple[str, Any]]:
    """Without running any code of the object's, as a property would be."""
    yield from (getattr(value, "__dict__", None) or {}).items()
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            held = inspect.getattr_static(kind, name, None)
            if inspect.ismemberdescriptor(held) and hasattr(value, name):
                yield name, getattr(value, name)
    for name in ("__wrapped__", "fget", "__func__"):
        if hasattr(type(value), name) and (inner := getattr(value, name, None)) is not None:
            yield name, inner


def _is_cache(kind: type, name: str, held: Any) -> bool:
    """Whether an attribute holds what follows from the others, once it was asked for."""
    ours = kind.__module__.startswith(tuple(f"{name}." for name in _OURS))
    if ours and name.startswith("_") and isinstance(held, dict):
        return True
    return isinstance(inspect.getattr_static(kind, name, None), functools.cached_property)


def _words(value: Any) -> str:
    try:
        return repr(value)
    except Exception:  # noqa: BLE001  # whatever the code of a user does
        return ""
