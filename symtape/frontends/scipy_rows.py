"""Functions as they stand, with rows for those of SciPy's functions that convert their arguments.

``scipy.special.logsumexp`` makes a plain array of what it is given. What means the same of tensors
is known, so that a function which calls it need not be read: while it runs, SciPy's name is bound
to a function that takes the row where it is given a tensor. NumPy is the same as ever, and so there
is nothing to compare with what plain arrays give.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final

from symtape.extras import loaded
from symtape.frontends import binding
from symtape.frontends.call_graph import reached
from symtape.frontends.dispatch import if_given, later
from symtape.frontends.namespaces import SCIPYS
from symtape.frontends.scipy_names import BY_SYMTAPE, RECORDED_FUNCTIONS

Function = Callable[..., Any]


def with_rows(function: Function) -> Function:
    """`function`, during which the names of SciPy's functions mean rows.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import special
    >>> from symtape.recording.tensor import constant
    >>> with_rows(lambda x: special.logsumexp(x))(constant(np.zeros(1)))
    <symtape.Tensor: shape=(), dtype=float64, numpy=0.0>
    """

    @functools.wraps(function)
    def way(*args: Any, **keywords: Any) -> Any:
        with _bound(function):
            return function(*args, **keywords)

    return way


@dataclass(slots=True)
class _Scope:
    """Names of a module that are bound anew while some functions run."""

    names: dict[str, Any]
    before: dict[str, Any]
    ours: dict[str, Any]
    running: int = 0


_SCOPES: Final[dict[int, _Scope]] = {}
_OURS: Final[dict[int, tuple[Any, Function]]] = {}
"""By the identity of a function of SciPy: itself, and what is called in place of it."""


@contextlib.contextmanager
def _bound(function: Function) -> Iterator[None]:
    modules = [*(vars(module) for name in BY_SYMTAPE if (module := loaded(name)))]
    globals_of = {id(f.__globals__): f.__globals__ for f in reached(function)}
    with binding.LOCK:
        last = binding.find()
        _add_functions()
        scopes = [scope for names in (*modules, *globals_of.values()) if (scope := _begun(names))]
    try:
        yield
    finally:
        with binding.LOCK:
            for scope in scopes:
                _end(scope)
            binding.forget_since(last)


def _add_functions() -> None:
    for module, ours in BY_SYMTAPE.items():
        if loaded(module) is None:
            continue
        for name in importlib.import_module(ours).__all__:
            original = getattr(loaded(module), name, None)
            inner = getattr(original, "__wrapped__", None)
            if id(inner) in SCIPYS or id(inner) in _OURS:  # another thread has bound it anew
                original = inner
            replaced = f"{module}.{name}" not in RECORDED_FUNCTIONS and id(original) not in _OURS
            if replaced and isinstance(original, FunctionType):
                _OURS[id(original)] = (original, if_given(original, later(ours, name)))


def _begun(names: dict[str, Any]) -> _Scope | None:
    scope = _SCOPES.get(id(names))
    if scope is None:
        before = binding.named(names, _OURS)
        if not before:
            return None
        ours = {name: _OURS[id(value)][1] for name, value in before.items()}
        scope = _SCOPES[id(names)] = _Scope(names, before, ours)
        binding.exchange(names, before, ours)
    scope.running += 1
    return scope


def _end(scope: _Scope) -> None:
    scope.running -= 1
    if not scope.running:
        del _SCOPES[id(scope.names)]
        binding.exchange(scope.names, scope.ours, scope.before)
        binding.take_over(scope.names, scope.before)
