"""Functions of Python as they are looked into: what they name and may reach; are they read."""

from __future__ import annotations

import functools
import itertools
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final, TypeVar

import numpy as np

from symtape.reading.origin import IMMUTABLE, is_class_in_python, is_steady
from symtape.recording.of_leaves import OfLeaves

Function = Callable[..., Any]
Result = TypeVar("Result")

KINDS: Final = frozenset((FunctionType, MethodType, functools.partial))
"""Kinds of functions that are equal to themselves alone, whatever users' code says of equality."""

CACHED: Final = type(functools.lru_cache(lambda: None))  # a type


def cached_by_code(compute: Callable[[CodeType], Result]) -> Callable[[CodeType], Result]:
    """Keep what is computed of code, as long as there is that code.

    It is found by identity: to hash code takes as long as to look through it.
    """
    kept: dict[int, tuple[weakref.ref[CodeType], Result]] = {}

    @functools.wraps(compute)
    def look_up(code: CodeType) -> Result:
        key = id(code)
        known = kept.get(key)
        if known is None or known[0]() is not code:
            found = compute(code)
            known = kept[key] = weakref.ref(code, functools.partial(kept.pop, key)), found
        return known[1]

    return look_up


@cached_by_code
def names(code: CodeType) -> frozenset[str]:
    """Every name in code, and in the functions inside it."""
    inner = [item for item in code.co_consts if isinstance(item, CodeType)]
    return frozenset(code.co_names).union(*map(names, inner))


def closed_over(function: FunctionType) -> list[Any]:
    """What is in the closure of a function, as far as it is filled."""
    # The empty cell is equal to empty ones alone.
    cells = [cell for cell in function.__closure__ or () if cell != CellType()]
    return [cell.cell_contents for cell in cells]


def root_function(function: Any) -> FunctionType | None:
    """The function of Python that runs, under partials and methods."""
    while not isinstance(function, FunctionType):
        if isinstance(function, functools.partial):
            function = function.func
        elif isinstance(function, OfLeaves):
            function = function.__wrapped__
        elif isinstance(function, MethodType):
            function = function.__func__
        else:
            call = getattr(type(function), "__call__", None)  # noqa: B004 -- what runs
            return call if isinstance(call, FunctionType) else None
    return function


def code_of(function: Any) -> CodeType | None:
    """The code of Python that runs, if there is any."""
    root = root_function(function)
    return None if root is None else root.__code__


def functions_of_attribute(x: Any) -> list[FunctionType]:
    """The functions that an attribute of a class runs."""
    if isinstance(x, property):
        found = (x.fget, x.fset)
    else:
        found = (getattr(x, "__func__", getattr(x, "func", x)), None)
    return [f for f in found if isinstance(f, FunctionType)]


def inner_function(value: Any) -> Function | None:
    """The function in Python that numba compiled, or that keeps results by its arguments."""
    if type(value) is CACHED:
        return value.__wrapped__
    return getattr(value, "py_func", None) if holds_function(type(value)) else None


def holds_function(kind: type) -> bool:
    """Whether what is of this type may have a function inside."""
    # A class may define it as a property of its objects.
    return kind is CACHED or str(kind.__module__).partition(".")[0] == "numba"


_MOST_VALUES: Final = 256
"""Values that are looked into for one function, the nearest first."""

_MOST_ITEMS: Final = 64
"""Items of a container that are looked into."""

_NOWHERE: Final = IMMUTABLE | {np.ndarray, np.ufunc, BuiltinFunctionType}


def iterate_reachable(function: Function) -> Iterator[Any]:
    """Everything in Python that a function may reach, itself first.

    Whatever is named, closed over, or held by a container, an object or a module that is named
    counts as reached; the code of packages that are taken for what they are is not looked into.

    Examples
    --------
    >>> def inner(x): return x
    >>> table = {"f": inner}
    >>> def outer(x): return table["f"](x)
    >>> outer.__globals__["__name__"] = "example"  # a module of a user's
    >>> [f.__name__ for f in iterate_reachable(outer) if callable(f)]
    ['outer', 'inner']
    """
    met: set[int] = set()
    waiting: deque[Any] = deque([function])
    while waiting and len(met) < _MOST_VALUES:
        value = waiting.popleft()
        if type(value) in _NOWHERE or id(value) in met:
            continue
        met.add(id(value))
        held = _referenced_values(value)
        if held is not None:
            yield value
            waiting.extend(held)


def is_alone(function: FunctionType) -> bool:
    """Whether a function can reach nothing else: it names nothing, holds and wraps nothing."""
    if function.__closure__ or function.__defaults__ or function.__kwdefaults__:
        return False
    return not function.__dict__ and not any(map(_leads_on, _named_values(function)))


def _leads_on(value: Any) -> bool:
    return type(value) not in _NOWHERE and _referenced_values(value) is not None


def _referenced_values(value: Any) -> Iterable[Any] | None:
    """What a value leads to; None of one that leads nowhere."""
    kind = type(value)
    look = _HELD.get(kind)
    if look is not None:
        return look(value)
    if (inner := inner_function(value)) is not None:
        return (inner,)
    if isinstance(value, type):
        if value is type:
            return ()
        return _functions_in(value) if _is_looked_into(value) else None
    attributes = itertools.islice(_attributes(value).values(), _MOST_ITEMS)
    return (kind, *attributes) if _is_looked_into(kind) else attributes


def _attributes(value: Any) -> dict[str, Any]:
    try:  # past what a class of users' may do where it is asked for an attribute
        return dict(object.__getattribute__(value, "__dict__"))
    except AttributeError:
        return {}


def _function_values(function: FunctionType) -> Iterable[Any]:
    # A decorator, of ours or of another, is beside what it decorates.
    wrapped = function.__dict__.get("__wrapped__")
    beside = () if wrapped is None else (wrapped,)
    if is_steady(function.__globals__.get("__name__")):
        return beside
    by_name = (function.__kwdefaults__ or {}).values()
    values = (*closed_over(function), *(function.__defaults__ or ()), *by_name)
    return *beside, *_expand_modules(values, names(function.__code__)), *_named_values(function)


def _named_values(function: FunctionType) -> Iterator[Any]:
    """What code names: globals, and of modules what it may take from them."""
    used = names(function.__code__)
    return _expand_modules((function.__globals__.get(name) for name in used), used)


def _expand_modules(values: Iterable[Any], used: frozenset[str]) -> Iterator[Any]:
    """Values, and in place of a module what code that uses these names may take from it."""
    for value in values:
        if type(value) is not ModuleType:
            if value is not None:
                yield value
        elif not is_steady(value.__name__):
            yield from (vars(value).get(name) for name in used)


_HELD: Final[dict[type, Callable[[Any], Iterable[Any] | None]]] = {
    FunctionType: _function_values,
    ModuleType: lambda module: None,
    MethodType: lambda method: (method.__func__, method.__self__),
    functools.partial: lambda of: (of.func, *of.args, *of.keywords.values()),
    OfLeaves: lambda of: (of.__wrapped__,),
    tuple: lambda items: itertools.islice(items, _MOST_ITEMS),
    list: lambda items: itertools.islice(items, _MOST_ITEMS),
    dict: lambda items: itertools.islice(items.values(), _MOST_ITEMS),
}


def _functions_in(kind: type) -> list[FunctionType]:
    followed = [one for one in kind.__mro__ if _is_looked_into(one)]
    return [f for one in followed for x in vars(one).values() for f in functions_of_attribute(x)]


def _is_looked_into(kind: type) -> bool:
    return is_class_in_python(kind) and not is_steady(kind.__module__)


SOLVERS: Final[dict[str, tuple[str, ...]]] = {
    "scipy.integrate": ("fixed_quad", "odeint", "quad", "quad_vec", "solve_ivp"),
    "scipy.optimize": (
        *("bisect", "brenth", "brentq", "ridder", "toms748", "newton", "root_scalar"),
        *("fixed_point", "fsolve", "root", "minimize", "minimize_scalar", "least_squares"),
        *("brent", "golden", "fmin", "fmin_bfgs", "fmin_cg", "fmin_ncg", "fmin_powell"),
        *(
            "fminbound",
            "leastsq",
            "curve_fit",
            "nnls",
            "lsq_linear",
            "linear_sum_assignment",
            "linprog",
        ),
    ),
}
"""Those of which code is known to use one before SciPy has been loaded."""


_NAMES: Final = frozenset(name for functions in SOLVERS.values() for name in functions)


def solves(function: FunctionType, names: Iterable[str]) -> bool:
    """Whether code that uses these `names` calls a solver of SciPy's by one of them.

    Iterations that are written in Python would be recorded as they are.
    """
    if _NAMES.isdisjoint(names):
        return False
    values = [function.__globals__.get(name) for name in names]
    return any(map(_is_of_scipy, [*values, *closed_over(function)]))


def _is_of_scipy(value: Any) -> bool:
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return isinstance(name, str) and name.partition(".")[0] == "scipy"


_READ_INSIDE: Final = frozenset(
    (
        *(f"symtape.transforms.{name}" for name in ("gradients", "products", "entrywise")),
        "verify.model.foreign",
    )
)
"""Modules whose functions read those of users' by themselves."""


_NEEDING: Final[weakref.WeakSet[Function]] = weakref.WeakSet()
"""Functions that a value left as they stood, and that ran as they were read.

It is no more than the order in which ways to run them are tried.
"""


def needs_reading(function: Function) -> bool:
    """Whether a function is read first, since a value left it as it stood or would."""
    if type(function) in KINDS and function in _NEEDING:
        return True
    return asks_types(function)


def keep(function: Function) -> None:
    """Keep that a function ran as it was read."""
    if type(function) in KINDS and not reads_inside(function):
        _NEEDING.add(function)


def reads_inside(function: Function) -> bool:
    """Whether it is one of ours, which reads the function that it is given by itself."""
    root = root_function(function)
    return root is not None and root.__globals__.get("__name__") in _READ_INSIDE


def asks_types(function: Function) -> bool:
    """Whether code of a user's is another one as it stands.

    It asks for the type of a value, which of a tensor is another one, or it calls a solver of
    SciPy's, whose iterations would be recorded in place of the solution.
    """
    return _reaches_code(function, _is_other)


def makes_indices(function: Function) -> bool:
    """Whether code of a user's makes whole numbers of values, which may be indices.

    By those NumPy takes elements of a plain array as if they were constants, and a recording
    would hold for no others.
    """
    return _reaches_code(function, _names_indices)


def _reaches_code(function: Function, is_such: Callable[[Any], bool]) -> bool:
    if isinstance(function, FunctionType) and is_alone(function):
        return is_such(function)
    if reads_inside(function):
        return False
    return any(map(is_such, iterate_reachable(function)))


_OF_INDICES: Final = frozenset(
    (
        *("astype", "searchsorted", "digitize", "argsort", "lexsort", "argpartition"),
        *("argmin", "argmax", "nanargmin", "nanargmax"),
    )
)


def _names_indices(value: Any) -> bool:
    if not isinstance(value, FunctionType) or _OF_INDICES.isdisjoint(names(value.__code__)):
        return False
    return not is_steady(value.__globals__.get("__name__"))


def _is_other(value: Any) -> bool:
    if not isinstance(value, FunctionType):
        return value is type
    used = names(value.__code__)
    asks = "type" in used and "type" not in value.__globals__
    users = not is_steady(value.__globals__.get("__name__"))
    return users and (asks or solves(value, used))
