"""The reader: whom a twin asks for each call, attribute and item.

A function of the tables is answered by what means the same of tensors; what is written in Python
is read in turn; all else is called as it is.
"""

from __future__ import annotations

import functools
import itertools
import sys
import weakref
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MethodType,
    ModuleType,
)
from typing import Any, Final

import numpy as np

from symtape.primitives.taking import ZEROS_STAY
from symtape.reading.answers import ANSWERS, add_loaded
from symtape.reading.arrays import MAKERS, call_vectorized, item_by, joined_by
from symtape.reading.compared import note_kept
from symtape.reading.functions import CACHED
from symtape.reading.numpy_calls import (
    CALLABLES,
    NUMPY_FUNCTION,
    target_of_numpy,
    target_of_ufunc,
)
from symtape.reading.origin import IMMUTABLE, is_class_in_python, is_steady, root_package
from symtape.reading.packages import is_read
from symtape.reading.protocols import CONSUMERS, ONE_METHOD, PLAIN, Protocols
from symtape.reading.rewriting import READER as READER_NAME
from symtape.reading.tracebacks import drop_frames
from symtape.reading.twins import is_twin, make_twin, rewritten_text
from symtape.reading.unsourced import copy_with_answers
from symtape.recording.in_place import Buffer, lift_tensors, to_buffer
from symtape.recording.inside import READS
from symtape.recording.nested import holds_tensor, join_nested
from symtape.recording.tensor import Tensor

_ARRAY_OF: Final = Tensor.__array__
_CALLERS: Final = frozenset(
    (map, filter, sorted, min, max, functools.reduce, itertools.starmap, itertools.accumulate)
)
"""Builtins that call what they are given, types as well."""

_NAMES: Final = IMMUTABLE | {type, ModuleType}
"""Types of values in which there is no tensor, and that nobody writes into."""

_AS_THEY_ARE: Final = frozenset((isinstance, issubclass, hasattr, callable, id, hash))
"""Builtins that are given nothing to call, and ask nothing of what they are given."""

_HOLDERS: Final = frozenset((str, bytes, list, dict, set))
"""Types whose methods call nothing that they are given, but for ``list.sort``."""

_ASKING: Final = frozenset(map(id, (*ONE_METHOD, *CONSUMERS)))
_STARTS_THREADS: Final = frozenset(("threading", "concurrent", "asyncio"))
_OF_PLAIN_MATRICES: Final = "scipy.sparse._"
"""Where compiled code writes into arrays that SciPy's code in Python has made."""

_WORKSPACES: Final[ContextVar[dict[int, tuple[Any, Buffer]] | None]] = ContextVar(
    "arrays from around what is read", default=None
)


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is called in place of a function, and what that was made from."""

    of: weakref.ref[FunctionType]
    code: CodeType
    defaults: Any
    by_name: Any
    twin: FunctionType
    target: Callable[..., Any]

    def is_of(self, function: FunctionType) -> bool:
        """Whether it was made from a function as it is now."""
        return (
            self.of() is function
            and function.__code__ is self.code
            and function.__defaults__ is self.defaults
            and function.__kwdefaults__ is self.by_name
        )


_TWINS: Final[dict[int, _Kept]] = {}
"""By the identity of a function."""


class Reader(Protocols):
    """Whom twins ask.

    Parameters
    ----------
    answers : dict
        By the identity of a function: itself, and what is called in place of it.
    is_read : callable
        Whether a function is written in Python and read in turn.
    """

    slice = slice

    def __init__(
        self, answers: dict[int, tuple[Any, Callable[..., Any]]], is_read: Callable[[Any], bool]
    ) -> None:
        super().__init__(is_read)
        self._answers = answers
        self._targets: dict[int, tuple[Any, Any]] = {}

    def call(self, function: Any, /, *args: Any, **keywords: Any) -> Any:
        """``function(*args, **keywords)``."""
        __tracebackhide__ = True
        return self.target(function)(*args, **keywords)

    def target_in(self, of: Any, name: str) -> Any:
        """What is called in place of ``of.name``."""
        __tracebackhide__ = True
        function = getattr(of, name) if type(of) in PLAIN else self.attribute(of, name)
        known = self._targets.get(id(function))
        if known is not None and known[0] is function:
            return known[1]
        return self._find_target(function)

    def target(self, function: Any) -> Any:
        """What is called in place of a function."""
        known = self._targets.get(id(function))
        if known is not None and known[0] is function:
            return known[1]
        return self._find_target(function)

    def _find_target(self, function: Any) -> Any:
        kind = type(function)
        if kind is MethodType:
            return self._target_of_method(function)
        answered = self.is_answered(function)
        if answered:
            found = self._target_of_answered(function)
        elif kind is FunctionType:
            found = self._target_in_python(function)
        elif kind is BuiltinFunctionType:
            found = self._target_of_builtin(function)
        elif isinstance(function, type):
            found = self._target_of_class(function)
        elif kind is np.ufunc:
            found = target_of_ufunc(function, self.hand_over)
        elif kind is NUMPY_FUNCTION:
            found = target_of_numpy(function, self.hand_over)
        elif kind is functools.partial:
            found = functools.partial(self._call_partial, function)
        elif kind is CACHED:
            found = functools.partial(self._call_cached, function)
        else:
            found = functools.partial(self._call_object, function)
        if id(function) in _ASKING:
            found = functools.partial(self._ask, function, found)
        if answered or _is_lasting(function):
            self._targets[id(function)] = function, found
        return found

    def _target_of_answered(self, function: Any) -> Any:
        kept = self._answers[id(function)][1]
        # What SciPy has may be given functions.
        takes = root_package(getattr(function, "__module__", "")) == "scipy"
        return functools.partial(self._call_as_it_is, kept) if takes else kept

    def _ask(self, function: Any, otherwise: Any, /, *args: Any, **keywords: Any) -> Any:
        """Call a builtin that calls methods of what it is given."""
        __tracebackhide__ = True
        if not PLAIN.issuperset(map(type, args)):
            name = ONE_METHOD.get(function)
            if name and (method := self.method(args[0], name)):
                return self.call(method, *args, **keywords)
            if function in CONSUMERS:
                args = tuple(map(self.iterate, args))
        return otherwise(*args, **keywords)

    def _call_as_it_is(self, function: Any, /, *args: Any, **keywords: Any) -> Any:
        """Call what is not read."""
        __tracebackhide__ = True
        if CALLABLES.isdisjoint(map(type, (*args, *keywords.values()))):
            return function(*args, **keywords)
        return self._hand(function, args, keywords)

    def attribute(self, of: Any, name: str) -> Any:
        """``of.name``."""
        __tracebackhide__ = True
        kind = type(of)
        if kind in PLAIN:
            return getattr(of, name)
        for base in kind.__mro__:
            if name in base.__dict__:
                found = base.__dict__[name]
                if type(found) is property and self._is_read(found.fget):
                    return self.call(found.fget, of)
                if type(found) is functools.cached_property and name not in vars(of):
                    vars(of)[name] = self.call(found.func, of)
                return getattr(of, name)
        lookup = getattr(kind, "__getattr__", None)
        if self._is_read(lookup) and name not in getattr(of, "__dict__", ()):
            return self.call(lookup, of, name)
        return getattr(of, name)

    def item(self, of: Any, key: Any) -> Any:
        """``of[key]``."""
        __tracebackhide__ = True
        kind = type(of)
        if kind in PLAIN:
            by_tensor = kind is np.ndarray and holds_tensor(key)
            return item_by(of, key) if by_tensor else of[key]
        if (of is np.r_ or of is np.c_) and holds_tensor(key):
            return joined_by(of, key)
        if self.is_answered(of):  # compiled code for several types, of which this is one
            return self._answers[id(of)][1]
        getter = getattr(kind, "__getitem__", None)
        return self.call(getter, of, key) if self._is_read(getter) else of[key]

    def workspace(self, x: Any) -> Any:
        """An array from around the function, which it writes into: one that takes tensors."""
        if type(x) is not np.ndarray or x.dtype.kind not in "fc" or not x.flags.writeable:
            return x
        known = _WORKSPACES.get()
        if known is None:
            return x
        note_kept(x)
        return known.setdefault(id(x), (x, Buffer(x)))[1]

    def holder(self, x: Any) -> Any:
        """What the function writes an attribute or an item of, or binds names in."""
        if type(x) is not Buffer and type(x) is not np.ndarray:
            note_kept(x)
        return x

    def own(self, x: Any) -> Any:
        """What the function binds a name to and writes into: an array of its own takes tensors."""
        alone = type(x) is np.ndarray and x.flags.writeable
        alone = alone and sys.getrefcount(x) <= self._count_references(np.zeros(1))
        if alone and x.base is not None:
            most = self._count_base_references(np.zeros(2)[1:])
            alone = type(x.base) is np.ndarray and sys.getrefcount(x.base) <= most
        return to_buffer(x) if alone else x

    def _count_references(self, x: Any) -> int:
        """Of what only this call has: more where a debugger looks on, or PyTorch compiles."""
        return sys.getrefcount(x)

    def _count_base_references(self, x: Any) -> int:
        return sys.getrefcount(x.base)

    def hand_over(self, x: Any) -> Any:
        """What is handed to code that is not read, and that may call it."""
        kind = type(x)
        if kind not in CALLABLES:
            return x
        if kind in (FunctionType, BuiltinFunctionType) and self.is_answered(x):
            return _Given(self, x)
        if kind is FunctionType:
            return self.twin(x)
        if kind is MethodType and type(x.__func__) is FunctionType:
            return MethodType(self.twin(x.__func__), x.__self__)
        if kind is functools.partial or kind is CACHED:
            return _Given(self, x)
        return x

    def _give(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Arguments as they are handed on; among most there is no function."""
        return args if CALLABLES.isdisjoint(map(type, args)) else tuple(map(self.hand_over, args))

    def twin(self, function: FunctionType) -> FunctionType:
        """The twin of a function, or itself where it is not read."""
        if is_twin(function) or not self._is_read(function):
            return function
        known = _TWINS.get(id(function))
        return known.twin if known and known.is_of(function) else self._keep(function).twin

    def _target_in_python(self, function: FunctionType) -> Any:
        known = _TWINS.get(id(function))
        if known is None or not known.is_of(function):
            known = self._keep(function)
        return known.target

    def _keep(self, function: FunctionType) -> _Kept:
        """Make the twin of a function, and keep it as long as there is that function."""
        key, twin = id(function), function
        target: Callable[..., Any] = function
        if is_twin(function):
            pass
        elif self._is_read(function):
            target = twin = (
                make_twin(function, self) or copy_with_answers(function, self) or function
            )
            if str(function.__module__).startswith(_OF_PLAIN_MATRICES):
                target = functools.partial(self._read_if_given, function, twin)
        else:
            target = self._target_of_unread(function)
        # Not by a function in Python, in which an interrupt would be lost.
        of = weakref.ref(function, functools.partial(_TWINS.pop, key))
        made = _Kept(
            of, function.__code__, function.__defaults__, function.__kwdefaults__, twin, target
        )
        # A closure may hold the function itself, which would then be kept for good.
        if function.__closure__ is None:
            _TWINS[key] = made
        return made

    def is_answered(self, x: Any) -> bool:
        """Whether something means the same of tensors as `x` of arrays."""
        known = self._answers.get(id(x))
        return known is not None and known[0] is x

    def _hand_over_callable(self, x: Any) -> Any:
        """What is handed to code that calls it: a type as well."""
        known = isinstance(x, type) and self.is_answered(x)
        return _Given(self, x) if known else self.hand_over(x)

    def _hand(
        self, function: Any, args: Any, keywords: Any, how: Callable[[Any], Any] | None = None
    ) -> Any:
        """Call what is not read."""
        __tracebackhide__ = True
        args = tuple(map(how, args)) if how else self._give(args)
        if not keywords:
            return function(*args)
        how = how or self.hand_over
        return function(*args, **{name: how(x) for name, x in keywords.items()})

    def _read_if_given(self, function: Any, twin: Any, /, *args: Any, **keywords: Any) -> Any:
        """Read a method of a plain sparse matrix, if it is given a tensor."""
        __tracebackhide__ = True
        given = holds_tensor((*args, *keywords.values()))
        return (twin if given else function)(*args, **keywords)

    def _target_of_unread(self, function: FunctionType) -> Any:
        """Of a function in Python of a package whose code is not read."""
        root = root_package(function.__globals__.get("__name__"))
        if root == "symtape":
            return functools.partial(self._call_ours, function)
        threads = root in _STARTS_THREADS
        how = self._call_with_context if threads else self._call_as_it_is
        return functools.partial(how, function)

    def _call_ours(self, function: FunctionType, /, *args: Any, **keywords: Any) -> Any:
        __tracebackhide__ = True
        return _to_arrays(self._hand(function, args, keywords))

    def _call_with_context(self, function: Any, /, *args: Any, **keywords: Any) -> Any:
        __tracebackhide__ = True
        return self._hand(function, args, keywords, self._bind_context)

    def _call_cached(self, function: Any, /, *args: Any, **keywords: Any) -> Any:
        """Of plain values the cache answers, as it answers the code: what it holds may be old."""
        __tracebackhide__ = True
        inner = function.__wrapped__
        given = *args, *keywords.values()
        if getattr(inner, "__closure__", None) is None and _NAMES.issuperset(map(type, given)):
            found = function(*args, **keywords)
            if type(found) in _NAMES:
                return found
        found = self.call(inner, *args, **keywords)
        return found if holds_tensor((found, *given)) else function(*args, **keywords)

    def _target_of_method(self, method: MethodType) -> Any:
        of, function = method.__self__, method.__func__
        if function is _ARRAY_OF:
            return functools.partial(MAKERS["asarray"], of)
        return method if type(of) is Buffer else MethodType(self.target(function), of)

    def _call_partial(self, function: Any, /, *args: Any, **keywords: Any) -> Any:
        __tracebackhide__ = True
        return self.call(function.func, *function.args, *args, **function.keywords | keywords)

    def _target_of_builtin(self, function: Any) -> Any:
        owner = function.__self__
        kind = type(owner)
        if function in _AS_THEY_ARE or (kind in _HOLDERS and function.__name__ != "sort"):
            return function
        if function is getattr:
            return self._getattr
        if function is eval:
            return self._eval
        if function in _CALLERS:
            return functools.partial(self._call_caller, function)
        if kind is np.ufunc:
            return target_of_numpy(function, self.hand_over)
        if kind is np.ndarray:
            return functools.partial(self._call_of_array, function)
        return functools.partial(self._call_as_it_is, function)

    def _call_caller(self, function: Any, /, *args: Any, **keywords: Any) -> Any:
        __tracebackhide__ = True
        return self._hand(function, args, keywords, self._hand_over_callable)

    def _call_of_array(self, function: Any, /, *args: Any, **keywords: Any) -> Any:
        """A method of a plain array; given tensors, compiled code would take their values."""
        __tracebackhide__ = True
        if not holds_tensor(args):
            return self._hand(function, args, keywords)
        array, name = function.__self__, function.__name__
        if name == "dot":
            return np.dot(array, *map(join_nested, args[:1]), *args[1:], **keywords)
        if name == "take":
            return self.call(np.take, array, *args, **keywords)
        return function(*args, **keywords)

    def _eval(self, text: Any, /, *scopes: Any, **keywords: Any) -> Any:
        __tracebackhide__ = True
        if not isinstance(text, str) or keywords:
            return eval(text, *scopes, **keywords)
        scope, *names = scopes
        return eval(rewritten_text(text), {**scope, READER_NAME: self}, *names)

    def _getattr(self, of: Any, name: Any, /, *default: Any) -> Any:
        __tracebackhide__ = True
        try:
            return self.attribute(of, name)
        except AttributeError:
            if not default:
                raise
            return default[0]

    def _target_of_class(self, kind: type) -> Any:
        if kind in _CALLERS:
            return functools.partial(self._call_caller, kind)
        root = root_package(kind.__module__)
        if root in _STARTS_THREADS:
            return functools.partial(self._call_with_context, kind)
        plain = root == "builtins" and not is_class_in_python(kind)
        return kind if plain else functools.partial(self._construct, kind)

    def _construct(self, kind: type, /, *args: Any, **keywords: Any) -> Any:
        """An object of a class, whose methods that make it are read."""
        __tracebackhide__ = True
        init: Any = _initialiser(kind)
        new: Any = kind.__new__
        make = type(kind).__call__
        if self._is_read(make):
            return self.call(make, kind, *args, **keywords)
        if make is not type.__call__ or not (self._is_read(init) or self._is_read(new)):
            return self._hand(kind, args, keywords)
        plain = new is object.__new__
        made = object.__new__(kind) if plain else self.call(new, kind, *args, **keywords)
        if isinstance(made, kind):
            self.call(_initialiser(type(made)), made, *args, **keywords)
        return made

    def _call_object(self, function: Any, /, *args: Any, **keywords: Any) -> Any:
        __tracebackhide__ = True
        if isinstance(function, np.vectorize) and holds_tensor((*args, *keywords.values())):
            made = np.vectorize(self.hand_over(function.pyfunc), signature=function.signature)
            made.otypes, made.excluded = function.otypes, function.excluded
            return call_vectorized(made, *args, **keywords)
        inner = getattr(function, "py_func", None)
        if type(inner) is FunctionType:  # numba compiled it
            return self.call(inner, *args, **keywords)
        call = getattr(type(function), "__call__", None)  # noqa: B004 -- what runs
        if self._is_read(call):
            return self.call(call, function, *args, **keywords)
        return self._hand(function, args, keywords)

    def _bind_context(self, x: Any) -> Any:
        """A function as another thread runs it, which records for whoever started it."""
        function = self._hand_over_callable(x)
        if not isinstance(function, FunctionType | MethodType | _Given):
            return function
        context = copy_context()
        return lambda *args, **keywords: context.copy().run(function, *args, **keywords)


def _initialiser(kind: Any) -> Any:
    return kind.__init__


def _to_arrays(found: Any) -> Any:
    """What a function of ours returned, as arrays that can be written into."""
    if type(found) in (tuple, list):
        return type(found)(map(_to_arrays, found))
    if type(found) is dict:
        return {key: _to_arrays(x) for key, x in found.items()}
    return lift_tensors(found) if isinstance(found, Tensor) else found


def _is_lasting(function: Any) -> bool:
    """Whether a function is there as long as its module is, and is called in one way."""
    kind = type(function)
    if kind is FunctionType:
        return is_steady(function.__module__) and "<locals>" not in function.__qualname__
    if kind is BuiltinFunctionType:
        return type(function.__self__) is ModuleType
    if kind is CACHED:
        return _is_lasting(function.__wrapped__)
    if isinstance(function, type):
        return not is_class_in_python(function)
    return kind is NUMPY_FUNCTION or kind is np.ufunc


class _Given:
    """A function that is handed to code that is not read: whoever calls it asks the reader."""

    def __init__(self, reader: Reader, function: Any) -> None:
        self._reader, self._function = reader, function

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        __tracebackhide__ = True
        return self._reader.call(self._function, *args, **keywords)


READER: Final = Reader(ANSWERS, is_read)


def read(function: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
    """Run a function as it is read.

    Examples
    --------
    >>> import math
    >>> from symtape.recording.in_place import lift_tensors
    >>> from symtape.recording.tensor import constant
    >>> read(lambda t: math.exp(t), lift_tensors(constant(0.0)))
    <symtape.Tensor: shape=(), dtype=float64, numpy=1.0>
    """
    add_loaded()
    workspaces, reads = _WORKSPACES.set({}), READS.set(READER.call)
    zeros = ZEROS_STAY.set(True)
    try:
        return READER.call(function, *args, **keywords)
    except Exception as error:  # of users' code, raised again
        drop_frames(error.__traceback__)
        raise
    finally:
        ZEROS_STAY.reset(zeros)
        READS.reset(reads)
        _WORKSPACES.reset(workspaces)
