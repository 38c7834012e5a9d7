"""What one run of a function read from around it, and whether all of it is still so."""

from __future__ import annotations

import builtins
import dis
import functools
import gc
import sys
import weakref
from collections.abc import Callable, Hashable, Mapping
from contextvars import ContextVar
from importlib.util import resolve_name
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, Final

import numpy as np

from symtape.errors import NotTraceable
from symtape.primitives.primitive import is_stand_in
from symtape.programs.specialised.contents import (
    CONTAINERS,
    Check,
    check_array,
    check_items,
    check_memory,
    check_parts,
    check_pickled,
    is_opaque,
    items,
    list_pickled,
    memory_of,
)
from symtape.reading.functions import CACHED, functions_of_attribute, names
from symtape.reading.origin import IMMUTABLE, STEADY, is_class_in_python, root_package, whose
from symtape.reading.reader import Reader
from symtape.reading.readings import Reading

ABSENT: Final = object()
"""What is noted where a name or an attribute was asked for and is none."""

_UNREADABLE: Final = frozenset(("eval", "exec", "globals"))
"""Builtins by which code reads what its text does not name."""

_LOOKING: Final = frozenset(("vars", "dir", "locals"))
"""Builtins that show all of an object, or of a frame."""

_ERROR_STATES: Final = frozenset(("errstate", "seterr", "seterrcall"))
_RAISING: Final = frozenset(("raise", "call"))

_SILENT: Final = (
    *("__bool__", "__len__", "__format__", "__str__", "__index__", "__hash__", "__missing__"),
)
"""Methods that Python calls where nothing in the source asks for them."""

_VIEWS: Final[tuple[type, ...]] = (type({}.keys()), type({}.values()), type({}.items()))
_NAMING: Final = ("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL")


def is_seen(function: Any) -> bool:
    """Whether it is a function in Python whose reads are observed when it is called."""
    if type(function) is not FunctionType:
        return False
    root = root_package(function.__globals__.get("__name__"))
    return root not in STEADY or function.__code__.co_filename.startswith("<doctest")


def is_followed(kind: type) -> bool:
    """Whether what is read of objects of a class is seen: its attributes, by its methods."""
    return is_class_in_python(kind) and root_package(kind.__module__) not in STEADY


class Reads:
    """What one run of a function read from around it.

    Attributes
    ----------
    holds_tensors : bool
        Whether there are tensors or variables among it, which a tape may follow.
    outside : str
        The first call by which the run met a clock, a file, chance or the like, with its line.
    refused : NotTraceable or None
        Why nobody can say what the function reads.
    failed : Exception or None
        What the run raised.

    Examples
    --------
    >>> scope = {"scale": [2.0]}
    >>> exec("def f(x): return scale[0] * x", scope)
    >>> reads = Reads()
    >>> reads.enter(scope["f"])
    >>> reads.is_unchanged()
    True
    >>> scope["scale"][0] = 3.0
    >>> reads.is_unchanged()
    False
    """

    def __init__(self) -> None:
        self.holds_tensors = False
        self.outside = ""
        self.refused: NotTraceable | None = None
        self.failed: Exception | None = None
        self._met: dict[int, tuple[Any, bool]] = {}
        self._entered: dict[int, bool] = {}
        self._named: dict[tuple[int, str], tuple[Mapping[str, Any], str, Any]] = {}
        self._held: list[tuple[CellType, Any]] = []
        self._functions: list[tuple[FunctionType, CodeType, Any, Any]] = []
        self._checks: list[Check] = []
        self._watched: set[Hashable] = set()

    def is_unchanged(self) -> bool:
        """Whether all of it is what it was."""
        for around, name, value in self._named.values():
            if around.get(name, ABSENT) is not value:
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

    def knows(self, value: Any) -> bool:
        """Whether a value is known to come from around the function."""
        known = self._met.get(id(value))
        return known is not None and known[0] is value

    def note_name(self, around: Mapping[str, Any], name: str, value: Any) -> None:
        """A name of a namespace was asked for, and this is what it was bound to."""
        self._named.setdefault((id(around), name), (around, name, value))

    def note_check(self, check: Check, about: Hashable = None) -> None:
        """Something else was read, of which this says whether it is what it was.

        What it is about, if that is told, is noted as it was when it was read first.
        """
        if about is None or about not in self._watched:
            self._watched.add(about)
            self._checks.append(check)

    def enter(self, function: FunctionType, unseen: bool = False) -> None:
        """A function was called, or may be called by code that is not `seen`."""
        before = self._entered.get(id(function))
        if before is not None and (before or not unseen):
            return
        code, around = function.__code__, function.__globals__
        if whose(around) == "user":
            self._check_readable(function)
        used = names(code)
        unseen = unseen or not used.isdisjoint(_LOOKING) or _matches_classes(code)
        self._entered[id(function)] = unseen
        self._functions.append((function, code, function.__defaults__, function.__kwdefaults__))
        for name in _globals_of(code):
            self._enter_name(around, name, unseen)
        for module, name in _imports_of(code, str(around.get("__package__") or "")):
            self._enter_import(module, name, unseen)
        for cell in function.__closure__ or ():
            if cell != CellType():
                self._held.append((cell, cell.cell_contents))
                self.meet(cell.cell_contents, unseen)
        for value in function.__defaults__ or ():
            self.meet(value, unseen)
        if function.__kwdefaults__:
            self.meet(function.__kwdefaults__, unseen)

    def _enter_name(self, around: dict[str, Any], name: str, unseen: bool) -> None:
        value = around.get(name, ABSENT)
        self.note_name(around, name, value)
        if value is ABSENT and hasattr(builtins, name):
            value = getattr(builtins, name)
            if getattr(value, "__module__", None) != "builtins":
                self.note_name(vars(builtins), name, value)
        if value is not ABSENT:
            self.meet(value, unseen)

    def _enter_import(self, module: str, name: str, unseen: bool) -> None:
        found = sys.modules.get(module, ABSENT)
        self.note_name(sys.modules, module, found)
        if name and isinstance(found, ModuleType):
            value = vars(found).get(name, ABSENT)
            self.note_name(vars(found), name, value)
            self.meet(value, unseen)

    def _check_readable(self, function: FunctionType) -> None:
        """Refuse a function of which nobody can say what it reads, or where it goes on."""
        code = function.__code__
        where = f"{function.__qualname__} ({code.co_filename}:{code.co_firstlineno})"
        if names(code) & _ERROR_STATES and _texts(code) & _RAISING:
            self.refused = self.refused or NotTraceable(
                f"{where} has NumPy raise floating-point errors, which a program does not; decide "
                "by a comparison, as np.all(x > 0), before the operation"
            )
        for name in _globals_of(code) & _UNREADABLE - function.__globals__.keys():
            self.refused = self.refused or NotTraceable(
                f"{where} calls {name}, by which it may read what no program can watch for "
                "changes; name what it reads, or give it as an argument"
            )

    def meet(self, value: Any, unseen: bool = False) -> None:
        """A value from around the function was loaded, and may be looked into without a word.

        Parameters
        ----------
        value : object
        unseen : bool
            Whether code that is not seen has it: all that it holds may be read, and all that it
            leads to be called.
        """
        if type(value) in IMMUTABLE or value is ABSENT:
            return
        before = self._met.get(id(value))
        if before is not None and (before[1] or not unseen):
            return
        self._met[id(value)] = value, unseen
        kind = type(value)
        note = next((note for kinds, note in _NOTES if issubclass(kind, kinds)), None)
        if note is not None:
            note(self, value, unseen)
        elif kind in CONTAINERS:
            self._meet_container(value, unseen)
        elif isinstance(value, np.ndarray | memoryview):
            self._meet_array(value, unseen)
        elif is_stand_in(value):
            self._meet_tensor(value)
        elif is_followed(kind):
            self._meet_object(value, unseen)
        else:
            self._meet_contents(value)

    def meet_part(self, whole: Any, part: Any) -> None:
        """What a value from around the function gave when it was asked for something.

        An array gives a view of what is compared already, or an array that is the function's own.
        """
        if not type(whole) is type(part) is np.ndarray or whole.dtype.hasobject:
            self.meet(part)
        elif np.may_share_memory(whole, part):
            self._met.setdefault(id(part), (part, False))

    def _watch(self, value: Any, check_of: Callable[[Any], Check]) -> None:
        """Note what is in a value that is known already, as it was when it was met first."""
        if id(value) not in self._watched:
            self.note_check(check_of(value), id(value))

    def _meet_each(self, values: Any, unseen: bool) -> None:
        for value in values:
            self.meet(value, unseen)

    def _meet_tensor(self, value: Any) -> None:
        self.holds_tensors = True
        held = value._value
        self._checks.append(lambda: value._value is held)

    def _meet_object(self, value: Any, unseen: bool) -> None:
        """An object of a class in Python, of which reads are seen one by one."""
        kind, order = type(value), type(value).__mro__
        self._checks.append(lambda: type(value) is kind and kind.__mro__ is order)
        silent: list[Any] = [f for name in _SILENT if is_seen(f := getattr(kind, name, None))]
        for found in silent:
            self.enter(found, unseen=True)
        if unseen:
            self._meet_class(kind)
        if unseen or silent or not all(map(is_class_in_python, order[:-1])):
            self._meet_contents(value)

    def _meet_class(self, kind: type) -> None:
        """All that unseen code may read of a class."""
        for one in kind.__mro__:
            if is_followed(one):
                known = _own_names(one)
                self._checks.append(functools.partial(_has_names, one, known))
                for name in known:
                    value = vars(one)[name]
                    self.note_name(vars(one), name, value)
                    self.meet(value, unseen=True)

    def _meet_contents(self, value: Any) -> None:
        """An object of compiled code, or of a package whose code runs unseen."""
        known = list_pickled(value)
        if known is not None:
            self._watch(value, check_pickled)
            self._meet_each(known, unseen=True)
        elif is_opaque(value):
            self._watch(value, lambda _: lambda: False)
        elif (memory := memory_of(value)) is not None:
            self._watch(value, lambda _: check_array(memory))
        else:
            self._watch(value, check_parts)
            self._meet_each(gc.get_referents(value), unseen=True)

    def _meet_function(self, value: FunctionType, unseen: bool) -> None:
        wrapped = value.__dict__.get("__wrapped__")
        if wrapped is not None:
            self.meet(wrapped, unseen)
        if unseen and is_seen(value):
            self.enter(value, unseen=True)
        elif unseen:  # it may hold functions of users'
            self._met[id(value)] = value, True
            for cell in value.__closure__ or ():
                if cell != CellType() and callable(cell.cell_contents):
                    self.meet(cell.cell_contents, unseen=True)

    def _meet_method(self, value: Any, unseen: bool) -> None:
        self.meet(value.__func__, unseen)
        self.meet(value.__self__, unseen)

    def _meet_builtin(self, value: Any, unseen: bool) -> None:
        if not isinstance(value.__self__, ModuleType | type | None):
            self.meet(value.__self__, unseen)

    def _meet_partial(self, value: Any, unseen: bool) -> None:
        self._meet_each((value.func, *value.args, value.keywords), unseen)

    def _meet_reading(self, value: Any, unseen: bool) -> None:
        """A function as a transform reads it, which nobody changes."""
        self.meet(value.function, unseen)

    def _meet_cached(self, value: Any, unseen: bool) -> None:
        self._watch(value, check_memory)
        self.meet(value.__wrapped__, unseen)

    def _meet_ufunc(self, value: Any, unseen: bool) -> None:
        # One that np.frompyfunc made refers to the function that it calls.
        called = [x for x in gc.get_referents(value) if isinstance(x, FunctionType)]
        self._meet_each(called, unseen=True)

    def _meet_type(self, value: type, unseen: bool) -> None:
        if unseen and is_followed(value):
            self._meet_class(value)

    def _meet_descriptor(self, value: Any, unseen: bool) -> None:
        self._meet_each(functions_of_attribute(value), unseen)

    def _meet_array(self, value: Any, unseen: bool) -> None:
        self._watch(value, check_array)
        if unseen:
            self._meet_each(getattr(value, "__dict__", {}).values(), unseen)

    def _meet_reference(self, value: Any, unseen: bool) -> None:
        read = functools.partial(value.get, None) if isinstance(value, ContextVar) else value
        inside = read()
        if type(inside) is MethodType:  # made anew for whoever asks
            self._checks.append(lambda: read() == inside)
        else:
            self._checks.append(lambda: read() is inside)
        self.meet(inside, unseen)

    def _meet_container(self, value: Any, unseen: bool) -> None:
        if value is not sys.modules:
            if type(value) not in (tuple, frozenset):
                self._watch(value, check_items)
            self._meet_each(items(value), unseen)

    def _meet_view(self, value: Any, unseen: bool) -> None:
        # Each view has a proxy of its own, which refers to the dict that all of them show.
        self._meet_each(gc.get_referents(value.mapping), unseen)

    def _meet_nothing(self, value: Any, unseen: bool) -> None:
        """Nothing in it changes, or it is looked at where it is asked for an attribute."""


_NOTES: Final[tuple[tuple[tuple[type, ...], Callable[[Reads, Any, bool], None]], ...]] = (
    ((ModuleType, np.generic, type(np.sum), Reader, Reads), Reads._meet_nothing),
    ((GetSetDescriptorType, MemberDescriptorType), Reads._meet_nothing),
    ((MethodDescriptorType, WrapperDescriptorType), Reads._meet_nothing),
    ((Reading,), Reads._meet_reading),
    ((FunctionType,), Reads._meet_function),
    ((MethodType,), Reads._meet_method),
    ((BuiltinFunctionType,), Reads._meet_builtin),
    ((functools.partial,), Reads._meet_partial),
    ((CACHED,), Reads._meet_cached),
    ((np.ufunc,), Reads._meet_ufunc),
    ((type,), Reads._meet_type),
    ((property, staticmethod, classmethod), Reads._meet_descriptor),
    ((weakref.ref, ContextVar), Reads._meet_reference),
    ((*_VIEWS,), Reads._meet_view),
)
"""How values of some types are noted; containers and arrays of exactly these types are besides."""


def _own_names(kind: type) -> list[str]:
    """The names in a class, but for those that Python itself adds in time."""
    return [name for name in vars(kind) if name not in ("_abc_impl", "__slotnames__")]


def _has_names(kind: type, known: list[str]) -> bool:
    return _own_names(kind) == known


@functools.lru_cache(maxsize=4096)  # code
def _globals_of(code: CodeType) -> frozenset[str]:
    """The global names that code loads, stores or deletes, and that of functions inside it."""
    own = {step.argval for step in dis.get_instructions(code) if step.opname in _NAMING}
    return frozenset(own).union(*map(_globals_of, _inner(code)))


@functools.lru_cache(maxsize=4096)  # code
def _imports_of(code: CodeType, package: str) -> frozenset[tuple[str, str]]:
    """Modules that code imports, and names that it takes from them; no name for a module alone."""
    found, module, level = set(), "", 0
    steps = [*dis.get_instructions(code)]
    for k, step in enumerate(steps):
        if step.opname == "IMPORT_NAME":
            level = steps[k - 2].argval or 0
            given = str(step.argval)
            module = resolve_name("." * level + given, package) if level else given
            found.add((module, ""))
        elif step.opname == "IMPORT_FROM":
            found.add((module, str(step.argval)))
    return frozenset(found).union(*(_imports_of(one, package) for one in _inner(code)))


@functools.lru_cache(maxsize=4096)  # code
def _matches_classes(code: CodeType) -> bool:
    """Whether code reads attributes by a pattern."""
    own = any(step.opname == "MATCH_CLASS" for step in dis.get_instructions(code))
    return own or any(map(_matches_classes, _inner(code)))


def _inner(code: CodeType) -> list[CodeType]:
    return [item for item in code.co_consts if isinstance(item, CodeType)]


def _texts(code: CodeType) -> set[str]:
    """Texts in code."""
    return {x for x in code.co_consts if isinstance(x, str)}.union(*map(_texts, _inner(code)))
