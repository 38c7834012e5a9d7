"""Functions with some of their arguments held: what is left are those that a region is over."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from verify.auditing.packages.spelling import spell_call, spell_value
from verify.model.source import Spelling

F = TypeVar("F", bound=Callable[..., Any])


def fix_arguments(
    function: Callable[..., Any],
    names: Sequence[str],
    constants: Mapping[str, Any] | None = None,
    *,
    shown: Callable[..., Any] | None = None,
    packed: Sequence[str] = (),
) -> Callable[..., Any]:
    """`function` of the arguments called `names`, in that order; the others as `constants` say.

    Parameters
    ----------
    function : callable
    names : sequence of str
        Of its parameters; where it takes ``*args``, any names, given in their order.
    constants : mapping, optional
        Values of others of its parameters.
    shown : callable, optional
        Whose name and source stand in reports; by default those of `function`.
    packed : sequence of str
        Those of `names` that it takes as a list of numbers and not as an array.

    Examples
    --------
    >>> def line(x, a, b=0.0):
    ...     return a * x + b
    >>> by_slope = fix_arguments(line, ["a"], {"x": 3.0, "b": 1.0})
    >>> by_slope(2.0), by_slope.argument_names
    (7.0, ('a',))
    """
    order = positional(function)
    behind = [name for name in names if name not in order]
    fixed = dict(constants or {})

    def call(*arguments: Any) -> Any:
        given = dict(zip(names, arguments, strict=True))
        for name in packed:
            given[name] = list(given[name])
        rest = [given.pop(name) for name in behind]
        given |= fixed
        leading = _leading_names(order, given)
        return function(*(given.pop(name) for name in leading), *rest, **given)

    def spell() -> Spelling | None:
        texts = {name: f"{{{k}}}" for k, name in enumerate(names)}
        texts |= {name: f"list({texts[name]})" for name in packed}
        rest = [texts.pop(name) for name in behind]
        held = {name: spell_value(value) for name, value in fixed.items()}
        texts |= {name: text for name, text in held.items() if text and not {*"{}"} & {*text}}
        known = len(texts) + len(rest) == len(names) + len(fixed)
        return spell_call(function, _leading_names(order, texts), texts, rest) if known else None

    original = shown or function
    call.spelled = spell  # type: ignore[attr-defined]
    call.__wrapped__ = original  # type: ignore[attr-defined]
    call.__module__ = str(getattr(original, "__module__", ""))
    call.__name__ = str(getattr(original, "__name__", type(original).__name__))
    call.__qualname__ = str(getattr(original, "__qualname__", call.__name__))
    return name_arguments(call, names)


def name_arguments(function: F, names: Sequence[str]) -> F:
    """A function of arguments given by their places, with their names."""
    function.argument_names = tuple(names)  # type: ignore[attr-defined]
    parameters = [_parameter(k, name) for k, name in enumerate(names)]
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return function


def function_of_x(function: Callable[[Any], Any], module: str, name: str) -> Callable[[Any], Any]:
    """What is called with one argument, under the name of what is judged."""

    def call(x: Any) -> Any:
        return function(x)

    call.__module__, call.__name__, call.__qualname__ = module, name.rpartition(".")[2], name
    return call


def name_after(original: Callable[..., Any], function: F) -> F:
    """`function` under the name, with the source and the arguments of another."""
    function.__dict__.update(vars(original))
    function.__module__, function.__name__ = original.__module__, original.__name__
    function.__qualname__ = original.__qualname__
    return function


def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters of a function; none where its signature cannot be read."""
    try:
        return [*inspect.signature(function).parameters.values()]
    except (TypeError, ValueError):
        return []


def _parameter(place: int, name: str) -> inspect.Parameter:
    shown = name if name.isidentifier() else f"x{place}"
    return inspect.Parameter(shown, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def positional(function: Callable[..., Any]) -> list[str]:
    """The parameters that may be given by their place, or all of them by keyword."""
    if names := getattr(function, "argument_names", None):
        return list(names)
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [each.name for each in parameters_of(function) if each.kind in kinds]


def _leading_names(order: Sequence[str], given: Mapping[str, Any]) -> list[str]:
    """Those that are given by their place: all up to the first that is left to its default."""
    leading = []
    for name in order:
        if name not in given:
            break
        leading.append(name)
    return leading
