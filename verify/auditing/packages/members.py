"""The members of a module by name: what it defines, and what a qualified name means."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from verify.auditing.packages.convention import NotPosed


def classes_of(module: ModuleType) -> Iterator[type]:
    """The classes that `module` defines itself, in the order of their names.

    Examples
    --------
    >>> from verify.auditing.packages import pair
    >>> [found.__name__ for found in classes_of(pair)]
    ['Pair', 'Unpaired']
    """
    for name, found in sorted(vars(module).items()):
        own = inspect.isclass(found) and found.__module__ == module.__name__
        if own and found.__qualname__ == name:  # and not under a second name
            yield found


def member(module: str, name: str) -> Any:
    """What has a qualified name in a module, imported anew.

    Raises
    ------
    NotPosed
        The module cannot be imported, or has it no longer.

    Examples
    --------
    >>> member("fractions", "Fraction.limit_denominator").__name__
    'limit_denominator'
    """
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise NotPosed(f"{module}:{name} cannot be imported: {error}") from error
    return found


def has_methods(kind: type, *names: str) -> bool:
    """Whether all of `names` are methods of a class, its own or inherited ones.

    Examples
    --------
    >>> has_methods(dict, "get", "keys"), has_methods(dict, "deriv")
    (True, False)
    """
    return all(callable(getattr(kind, name, None)) for name in names)


def functions_of(module: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The functions that a module defines itself, by name.

    Examples
    --------
    >>> import statistics
    >>> "fmean" in dict(functions_of(statistics)), "sqrt" in dict(functions_of(statistics))
    (True, False)
    """
    for name, value in [*vars(module).items()]:
        if _is_function(value) and getattr(value, "__module__", None) == module.__name__:
            yield name, value


def _is_function(value: Any) -> bool:
    wraps = callable(value) and not inspect.isclass(value) and hasattr(value, "__wrapped__")
    return inspect.isroutine(value) or wraps
