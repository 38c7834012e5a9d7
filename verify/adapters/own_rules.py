"""Rules of users' own, as a framework applies them: each by itself, with what it was given."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.recording.origin import Origin
from verify.model.foreign import AdaptedCallable, Foreign

_MODULES: Final = {
    "jax": "verify.adapters.jax_rules",
    "torch": "verify.adapters.torch_rules",
}

_EACH: Final = 2
"""How many applications of a rule, to arrays of the same shapes, are given."""

_MOST: Final = 8


@dataclass(frozen=True, slots=True)
class Application:
    """One call of a function that has a rule, as its framework made it.

    Attributes
    ----------
    name : str
        Of the function.
    function : callable
        Of the framework; takes those of its arguments that are real numbers and that depend on
        the point, and returns a number, a weighted sum of all that the function returns.
    point : tuple of arrays
        What it was given.
    place : Origin or None
        Where the rule begins.
    """

    name: str
    function: Callable[..., Any]
    point: tuple[Any, ...]
    place: Origin | None


@dataclass(frozen=True, slots=True)
class OwnRule:
    """A function with a rule, and its gradient by that rule, at a point.

    Attributes
    ----------
    name : str
    function, gradient : Foreign
    point : tuple of arrays
    place : Origin or None
        Where the rule begins.
    """

    name: str
    function: Foreign
    gradient: Foreign
    point: tuple[Any, ...]
    place: Origin | None


def own_rules(function: Callable[..., Any], xs: Sequence[Any]) -> Iterator[OwnRule]:
    """What has a rule of somebody's own, of all that `function` calls at a point.

    Parameters
    ----------
    function : callable
        Of another framework, as it was adapted; any other has none.
    xs : sequence of arrays
        Its arguments, perhaps with directions behind them.
    """
    while not isinstance(function, AdaptedCallable) and hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    if not isinstance(function, Foreign) or function.framework not in _MODULES:
        return
    applications = importlib.import_module(_MODULES[function.framework]).applications
    adapter = importlib.import_module(f"verify.adapters.{function.framework}")
    seen: dict[Any, int] = {}
    arguments = xs[: _count(function, len(xs))]
    for one in applications(function.original, arguments):
        key = (one.name, *(np.shape(x) for x in one.point))
        seen[key] = seen.get(key, 0) + 1
        if sum(seen.values()) > _MOST:
            return
        if seen[key] <= _EACH and one.point:
            gradient = adapter.derivatives(one.function, "gradient")["reverse"]
            yield OwnRule(one.name, adapter.adapt(one.function), gradient, one.point, one.place)


def _count(function: Callable[..., Any], most: int) -> int:
    """How many arguments a function takes, where that can be told."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return most
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return most
    return min(
        most, sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    )


def set_signature(function: Any, name: str, arguments: Sequence[str]) -> Callable[..., Any]:
    """`function` under a name, with names for its arguments as far as they can be used."""
    function.__name__ = function.__qualname__ = name
    if all(map(str.isidentifier, arguments)) and len(set(arguments)) == len(arguments):
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        function.__signature__ = inspect.Signature(
            [inspect.Parameter(argument, kind) for argument in arguments]
        )
    return function  # type: ignore[no-any-return]


def weights(shape: tuple[int, ...], which: int) -> Any:
    """Weights of the entries of an output; 1 for a single number.

    Examples
    --------
    >>> weights((3,), 0)
    array([1., 3., 5.])
    """
    if shape == () and which == 0:
        return np.array(1.0)
    size = int(np.prod(shape))
    return (np.arange(which, which + size) * 7919 % 13 + 1.0).reshape(shape)
