"""Which framework a callable belongs to, read off its type and code, and what frameworks refuse.

What is nearest decides. A compiled function is its compiler's, whatever it compiles; a function
that names ``jnp.sin`` is JAX's; only of one that names no framework at all are the functions that
it calls looked at, and those that they call.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import BuiltinMethodType, FunctionType, MethodType, ModuleType
from typing import Any, Final

import numpy as np

from symtape.process.extras import find_loaded
from verify.adapters.lookups import ATTRIBUTES, Use, read_steps, uses
from verify.model.foreign import AdaptedCallable, framework_of_module, function_of_python

_DEPTH: Final = 3
"""How many functions away from the one in question a framework is looked for."""

_NUMPY: Final = frozenset({"numpy", "scipy", "symtape", "verify"}) | sys.stdlib_module_names
"""Packages in which nothing is looked for: they know no framework, or all of them."""

_LEAVES: Final = frozenset({"numpy", "tolist", "item"})
"""Methods through which values pass from a framework to NumPy."""

_ENTERS: Final = frozenset({"from_numpy", "device_get"})
"""Functions of frameworks through which values pass from NumPy, and to it."""

_TAKES: Final = frozenset({"array", "asarray", "asanyarray", "ascontiguousarray"})
"""NumPy's functions through which values pass to it."""

_BOUND: Final = MethodType | BuiltinMethodType
"""Methods of Python's and of C, as which PyTorch has had ``Function.apply`` at different times."""


@dataclass(frozen=True)
class Detection:
    """A framework, and what of it was found.

    Attributes
    ----------
    framework : str
        ``"jax"``.
    by : str
        What the user wrote that belongs to it: ``"jnp.sin"``.
    """

    framework: str
    by: str


def find_frameworks(function: Callable[..., Any]) -> list[Detection]:
    """The frameworks that `function` belongs to; more than one if its code names several.

    Parameters
    ----------
    function : callable

    Returns
    -------
    list of Found
        One for each framework, of the nearest level at which there is any.

    Examples
    --------
    >>> import numpy as np
    >>> find_frameworks(lambda x: np.sin(x))
    []
    """
    level, seen = [function], dict[int, Any]()  # with what is seen, so that no id comes again
    for _ in range(_DEPTH):
        hits: dict[str, Detection] = {}
        following: list[Any] = []
        for item in level:
            if id(item) in seen or (item is not function and converts(item)):
                continue
            seen[id(item)] = item
            for hit, calls in _looked_at(item):
                if hit is not None:
                    hits.setdefault(hit.framework, hit)
                following.extend(calls)
        if hits:
            return list(hits.values())
        level = following
    return _detect_by_methods(function)


_ARRAYS: Final = {"jax": "Array", "torch": "Tensor", "tensorflow": "Tensor"}
"""What the arrays of a framework are called in it."""


def _detect_by_methods(function: Callable[..., Any]) -> list[Detection]:
    """The framework of which an argument, or a term, has an attribute that no array has."""
    code = function_of_python(function)
    if code is None or isinstance(function, MethodType) or code is not function:
        return []
    arguments = code.__code__.co_varnames[: code.__code__.co_argcount]
    names = dir(np.ndarray)
    hits: dict[str, Detection] = {}
    for step, following in itertools.pairwise(read_steps(code.__code__)):
        of_argument = step.opname.startswith("LOAD_FAST") and step.argval in arguments
        if not of_argument and not step.opname.startswith(("BINARY_OP", "UNARY_NEG")):
            continue
        if following.opname in ATTRIBUTES and following.argval not in names:
            for framework, kind in _ARRAYS.items():
                array = getattr(find_loaded(framework), kind, None)
                if hasattr(array, following.argval):
                    by = f"{step.argval if of_argument else '(...)'}.{following.argval}"
                    hits.setdefault(framework, Detection(framework, by))
    return list(hits.values())


def converts(function: Callable[..., Any]) -> bool:
    """Whether the code of `function` passes values between a framework and NumPy by itself.

    Such a function takes NumPy's arrays as it stands, as ``lambda x: np.asarray(g(x))`` does.

    Examples
    --------
    >>> import numpy as np
    >>> converts(lambda x: np.asarray(x)), converts(lambda x: np.sin(x))
    (True, False)
    """
    code = function_of_python(function)
    if code is None or framework_of_module(code.__globals__.get("__name__")):
        return False
    return any(_crosses(use) for use in uses(code))


def _crosses(use: Use) -> bool:
    """Whether a value passes between a framework and NumPy where a name is used."""
    if use.owner is None:
        return use.name in _LEAVES
    if use.owner.__name__.partition(".")[0] == "numpy":
        return use.name in _TAKES and use.of_variable
    return use.name in _ENTERS


def raised_in(error: BaseException) -> str:
    """The framework whose code was running last when an error was raised; empty if of none."""
    *_, last = ["", *filter(None, map(framework_of_module, _iterate_modules(error)))]
    return last


def _looked_at(item: Any) -> Iterator[tuple[Detection | None, list[Any]]]:
    """What one object shows of frameworks, and the objects that it calls."""
    owner = item.__self__ if isinstance(item, _BOUND) else item
    if isinstance(item, AdaptedCallable):
        return
    if not isinstance(item, FunctionType) and (
        hit := _detect_class(owner, item) or _detect_module(item)
    ):
        yield hit, []
    elif isinstance(item, functools.partial):
        yield from _looked_at(item.func)
    elif not isinstance(item, type) and not inspect.isbuiltin(item):
        function = function_of_python(item)
        if function is not None and not _is_known(function):
            yield from _looked_at_function(function, owner)
        elif hasattr(item, "__wrapped__"):
            yield None, [item.__wrapped__]


def _detect_class(owner: Any, item: Any) -> Detection | None:
    """The framework that made the class of an object, or one that it inherits from."""
    framework = _framework_of_class(owner if isinstance(owner, type) else type(owner))
    return Detection(framework, _name(item)) if framework else None


def _framework_of_class(kind: type) -> str:
    return next(
        (found for base in kind.__mro__ if (found := framework_of_module(base.__module__))), ""
    )


def _detect_module(item: Any) -> Detection | None:
    """The framework that something without Python code says it is from."""
    home = getattr(item, "__objclass__", item)
    framework = framework_of_module(_text(getattr(home, "__module__", None)))
    return Detection(framework, _name(item)) if framework else None


def _looked_at_function(
    function: FunctionType, owner: Any = None
) -> Iterator[tuple[Detection | None, list[Any]]]:
    """What the code of a function names: frameworks, and functions of the user's own."""
    if framework := framework_of_module(function.__globals__.get("__name__")):
        yield Detection(framework, _name(function)), []
        return
    if hasattr(function, "__wrapped__"):
        yield None, [function.__wrapped__]
    calls: list[Any] = []
    for value, words in _iterate_references(function, owner):
        if framework := _framework_of(value):
            yield Detection(framework, words), []
        elif callable(value) and not _is_known(value):
            calls.append(value)
    yield None, calls


def _framework_of(value: Any) -> str:
    """The framework of something that code names: a module, a function, an object, an array."""
    if isinstance(value, ModuleType):
        return framework_of_module(value.__name__)
    if isinstance(value, FunctionType):
        return framework_of_module(value.__globals__.get("__name__"))
    if isinstance(value, _BOUND) and not isinstance(value.__self__, ModuleType):
        value = value.__self__
    if isinstance(value, type):
        return _framework_of_class(value)
    return _framework_of_class(type(value)) or framework_of_module(
        _text(getattr(value, "__module__", None))
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _is_known(value: Any) -> bool:
    """Whether something callable is of a package in which nothing is looked for."""
    if isinstance(value, FunctionType):
        # What is typed in at a prompt, or stands in a doctest, is a user's.
        typed = value.__code__.co_filename.startswith("<")
        module = "" if typed else value.__globals__.get("__name__")
    else:
        module = _text(getattr(value, "__module__", None)) or type(value).__module__
    return (module or "").partition(".")[0] in _NUMPY


def _iterate_references(function: FunctionType, owner: Any) -> Iterator[tuple[Any, str]]:
    """The objects that code names and their spellings, imports in its body among them."""
    for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        if callable(value):
            yield value, _name(value)
    of_instance = _members(owner)
    for use in uses(function):
        if use.value is not None:
            yield use.value, use.name if use.owner is None else f"{use.owner.__name__}.{use.name}"
        elif use.name in of_instance:
            yield _bind_value(of_instance[use.name], owner), f"self.{use.name}"


def _bind_value(value: Any, owner: Any) -> Any:
    """What a name of an object's or a class's gives, which is not looked up lest it runs code."""
    if isinstance(value, staticmethod | classmethod):
        value = value.__func__
    return MethodType(value, owner) if isinstance(value, FunctionType) else value


def _members(owner: Any) -> dict[str, Any]:
    """What an object and its class keep under names; nothing of a function."""
    if owner is None or isinstance(owner, FunctionType):
        return {}
    kind = owner if isinstance(owner, type) else type(owner)
    inherited = {name: value for base in kind.__mro__[-2::-1] for name, value in vars(base).items()}
    return inherited | (getattr(owner, "__dict__", {}) if owner is not kind else {})


def _name(item: Any) -> str:
    """What a person calls an object: by its own name, or its class's."""
    return str(getattr(item, "__qualname__", None) or type(item).__qualname__)


_WORDS: Final = {
    "jax": (
        "differentiation does not work for",
        "gradients are only implemented",
        "can't apply forward-mode autodiff",
        "differentiation rule for",
        "transpose rule",
        "jvp rule for",
        "is not differentiable",
    ),
    "torch": (
        "must override the setup_context",
        "trying to use forward ad with",
        "does not support it because it has not been implemented",
        "you must implement the jvp",
        "must implement the jvp",
        "you must override the vmap",
        "is not implemented for",
        "derivative for",
    ),
}
"""What a framework's own errors say of what it cannot differentiate, in lower case."""

_NOT_THERE: Final = ("not implemented", "not supported", "does not support", "not work")


def refuses(error: BaseException) -> str:
    """The framework that raised because it does not differentiate something; empty otherwise.

    Of a framework are only errors that its own code raised, not the user's code under it.

    Parameters
    ----------
    error : exception
        Raised by a claim.

    Examples
    --------
    >>> refuses(NotImplementedError("the Hessian of it is to be done"))
    ''
    """
    framework = _raised_by(error)
    words = str(error).lower()
    known = any(said in words for said in _WORDS.get(framework, ()))
    if not known and isinstance(error, NotImplementedError):
        known = framework in _WORDS and any(said in words for said in _NOT_THERE)
    return framework if known else ""


def _raised_by(error: BaseException) -> str:
    """The framework in whose code an error was raised; JAX leaves its own frames out."""
    *_, last = ["", *_iterate_modules(error)]
    adapter = last.removeprefix("verify.adapters.")
    return adapter if adapter in _WORDS else last.partition(".")[0]


def _iterate_modules(error: BaseException) -> Iterator[str]:
    """The modules whose code was running when an error was raised, the innermost last."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        yield str(frame.f_globals.get("__name__") or "")
