"""What a function reads from around it: whether that is still what was recorded."""

from __future__ import annotations

import builtins
import dis
import functools
import gc
import os
import sys
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from types import (
    CellType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, Final

import numpy as np

from symtape.errors import NotTraceable
from symtape.primitives.arguments import is_stand_in
from symtape.reading.functions import closed_over, functions_of_attribute, names
from symtape.reading.origin import whose
from symtape.specialised.outside import leads_out, may_meet
from symtape.specialised.unchanged import (
    PLAIN,
    Check,
    is_opaque,
    of_array,
    of_memory,
    of_parts,
    of_written,
    parts,
    written,
)

_DEPTH: Final = 64
_UNREADABLE: Final = ("eval", "exec", "globals")
"""Builtins by which code reads what its text does not name."""

_ERROR_STATES: Final = frozenset(("errstate", "seterr", "seterrcall"))
_RAISING: Final = frozenset(("raise", "call"))
_ENVIRONMENT: Final = frozenset(("environ", "environb", "getenv"))
_STEADY: Final = sys.stdlib_module_names | {
    *("numpy", "scipy", "sympy", "mpmath", "jax", "jaxlib", "torch", "autograd", "numba"),
}
"""Packages that are taken for what they are when a function is recorded."""

_FIXED: Final = (np.generic, GetSetDescriptorType, MemberDescriptorType)
_ABSENT: Final = object()


class Surroundings:
    """The globals, closures, defaults and partial arguments that a function of users' reads.

    Found are those that names in its code lead to, and in the code of functions that it names; of
    classes of users', all attributes.

    Attributes
    ----------
    holds_tensors : bool
        Whether there are tensors or variables among them, which a tape may follow.
    leads_out : bool
        Whether the function may do more than to compute, by what it names.

    Raises
    ------
    NotTraceable
        It calls ``eval``, ``exec`` or ``globals``, so that what it reads cannot be known.

    Examples
    --------
    >>> __name__ = "example"  # a module of users'
    >>> scale = [2.0]
    >>> around = Surroundings(lambda x: scale[0] * x)
    >>> around.same()
    True
    >>> scale[0] = 3.0
    >>> around.same()
    False
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._seen: dict[int, Any] = {}
        self.holds_tensors = self.leads_out = False
        self._words: set[str] = set()
        self._modules: list[ModuleType] = []
        self._named: list[tuple[Mapping[str, Any], str, Any]] = []
        self._held: list[tuple[CellType, Any]] = []
        self._sizes: list[tuple[Mapping[str, Any], int]] = []
        self._functions: list[tuple[FunctionType, CodeType, Any, Any]] = []
        self._checks = [*self._of(function, _DEPTH), *self._of_modules(), *self._of_environment()]
        self.leads_out |= may_meet(self._words)

    def same(self) -> bool:
        """Whether all of it is what it was."""
        for around, name, value in self._named:
            if around.get(name, _ABSENT) is not value:
                return False
        for around, size in self._sizes:
            if len(around) != size:
                return False
        for function, code, defaults, by_name in self._functions:
            if function.__code__ is not code:
                return False
            if function.__defaults__ is not defaults:
                return False
            if function.__kwdefaults__ is not by_name:
                return False
        try:
            for cell, value in self._held:
                if cell.cell_contents is not value:
                    return False
        except ValueError:  # it holds nothing any more
            return False
        for check in self._checks:  # noqa: SIM110 -- at each call, and half as fast by all()
            if not check():
                return False
        return True

    def _of(self, value: Any, depth: int) -> Iterator[Check]:
        """Checks of what is inside of `value`, which itself has not been exchanged."""
        if id(value) in self._seen or depth == 0:
            return
        self._seen[id(value)] = value
        self.leads_out |= leads_out(value)
        if isinstance(value, functools.partial):
            yield from self._of(value.func, depth)
            yield from self._of_each(value.args, depth)
            yield from self._of_attributes(value.keywords, depth)
        elif isinstance(value, MethodType):
            yield from self._of(value.__func__, depth)
            yield from self._of(value.__self__, depth)
        elif isinstance(value, np.ufunc):
            # One that np.frompyfunc made refers to the function that it calls.
            yield from self._of_each(gc.get_referents(value), depth)
        elif isinstance(value, functools._lru_cache_wrapper):
            yield of_memory(value)
            yield from self._of(value.__wrapped__, depth)
        elif isinstance(value, FunctionType):
            yield from self._of_function(value, depth)
        elif isinstance(value, ModuleType):
            self._modules.append(value)
        elif isinstance(value, type):
            yield from self._of_class(value, depth)
        elif isinstance(value, property | staticmethod | classmethod):
            yield from self._of_each(functions_of_attribute(value), depth)
        elif isinstance(value, np.ndarray | memoryview):
            yield from of_array(np.asarray(value))
            yield from self._of_attributes(getattr(value, "__dict__", {}), depth)
        elif is_stand_in(value):
            self.holds_tensors = True
            held = value._value
            yield lambda: value._value is held
        elif type(value) not in PLAIN and not isinstance(value, _FIXED):
            yield from self._of_object(value, depth)
            yield from self._of(type(value), depth)

    def _of_each(self, values: Any, depth: int) -> Iterator[Check]:
        for value in values:
            yield from self._of(value, depth - 1)

    def _of_object(self, value: Any, depth: int) -> Iterator[Check]:
        """Whether it would be written down alike; part by part, where it cannot be."""
        if isinstance(value, weakref.ref | ContextVar):
            read = functools.partial(value.get, None) if isinstance(value, ContextVar) else value
            inside = read()
            yield lambda: read() is inside
            yield from self._of(inside, depth - 1)
            return
        known = written(value)
        if known is not None:
            yield of_written(value)
            yield from self._of_each(known, depth)
        elif is_opaque(value):
            yield lambda: False
        else:
            held = parts(value)
            yield of_parts(value, held)
            yield from self._of_each(held.values(), depth)

    def _of_attributes(self, around: Mapping[str, Any], depth: int) -> Iterator[Check]:
        """All that is in a namespace, in which nothing may be exchanged."""
        self._sizes.append((around, len(around)))
        for name, value in list(around.items()):
            self._named.append((around, name, value))
            yield from self._of(value, depth - 1)

    def _of_class(self, kind: type, depth: int) -> Iterator[Check]:
        """What objects of a class of users' read from it, and from those that it inherits from."""
        for one in kind.__mro__:
            module = sys.modules.get(one.__module__)
            scope = {"__name__": one.__module__, "__file__": getattr(module, "__file__", None)}
            if _is_watched(scope):
                yield from self._of_attributes(vars(one), depth)
        if type(kind) is not type:
            yield from self._of(type(kind), depth - 1)

    def _of_function(self, function: FunctionType, depth: int) -> Iterator[Check]:
        wrapped = getattr(function, "__wrapped__", None)
        if wrapped is not None:
            yield from self._of(wrapped, depth)
        code, around = function.__code__, function.__globals__
        owner = whose(around)
        if not _is_watched(around):
            # What wraps a function of users' may hold more of theirs, as of functools.
            if owner == "library":
                yield from self._of_each(closed_over(function), depth)
            return
        if owner == "user":
            _check_readable(function)
        self._functions.append((function, code, function.__defaults__, function.__kwdefaults__))
        for cell in function.__closure__ or ():
            if cell != CellType():
                held = cell.cell_contents
                self._held.append((cell, held))
                yield from self._of(held, depth - 1)
        found = names(code)
        self._words |= found | _texts(code)
        for name in sorted(found & (around.keys() | vars(builtins).keys())):
            value = around.get(name, _ABSENT)  # of a builtin, nothing that stands before it
            self._named.append((around, name, value))
            if value is not _ABSENT:
                yield from self._of(value, depth - 1)
        yield from self._of_each(function.__defaults__ or (), depth)
        yield from self._of_attributes(vars(function), depth)
        if function.__kwdefaults__:
            yield from self._of_attributes(function.__kwdefaults__, depth)

    def _of_modules(self) -> Iterator[Check]:
        """What functions may read from modules of users', by the names in their code."""
        watched: set[tuple[int, str]] = set()
        while found := set(self._names_in_modules()) - watched:
            watched |= found
            for place, name in sorted(found):
                around = vars(self._modules[place])
                self._named.append((around, name, around[name]))
                yield from self._of(around[name], _DEPTH)

    def _names_in_modules(self) -> Iterator[tuple[int, str]]:
        for place, module in enumerate(self._modules):
            if _is_watched(vars(module)):
                yield from ((place, name) for name in self._words & vars(module).keys())

    def _of_environment(self) -> Iterator[Check]:
        if self._words & _ENVIRONMENT:
            before = dict(os.environ)
            yield lambda: dict(os.environ) == before


def _is_watched(scope: dict[str, Any]) -> bool:
    """Whether what a module's code reads may change: of what only computes it does not."""
    name = str(scope.get("__name__", ""))
    owner = whose(scope)
    return owner == "user" or (owner == "library" and name.partition(".")[0] not in _STEADY)


def _texts(code: CodeType) -> set[str]:
    """Texts in code that may be names, as for ``getattr``."""
    inner = (_texts(item) for item in code.co_consts if isinstance(item, CodeType))
    return {item for item in code.co_consts if isinstance(item, str)}.union(*inner)


def _check_readable(function: FunctionType) -> None:
    """Refuse a function of which nobody can say what it reads, or where it goes on."""
    code = function.__code__
    if names(code) & _ERROR_STATES and _texts(code) & _RAISING:
        raise NotTraceable(
            f"{function.__qualname__} ({code.co_filename}:{code.co_firstlineno}) has NumPy raise "
            "floating-point errors, which a program does not; decide by a comparison, as "
            "np.all(x > 0), before the operation"
        )
    for step in dis.get_instructions(function.__code__):
        name = step.argval
        if step.opname not in ("LOAD_GLOBAL", "LOAD_NAME") or name not in _UNREADABLE:
            continue
        if name not in function.__globals__:
            raise NotTraceable(
                f"{function.__qualname__} ({function.__code__.co_filename}:"
                f"{function.__code__.co_firstlineno}) calls {name}, by which it may read what no "
                "program can watch for changes; name what it reads, or give it as an argument"
            )
