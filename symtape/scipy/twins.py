"""Functions with SciPy's names and signatures that keep tensors."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from symtape.recording.nested import holds_tensor, join_nested
from symtape.recording.stack import STACK
from symtape.scipy.captured import Function, Plain, plain_value


def name_arguments(original: Function, args: Any, keywords: Any) -> dict[str, Any]:
    """The arguments of a call by the names that SciPy gives them."""
    signature = inspect.signature(original)
    bound = signature.bind(*args, **keywords)
    bound.apply_defaults()
    more: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            more = bound.arguments.pop(name)
    found = {**bound.arguments, **more}
    # By a bare object SciPy knows that an argument was left out.
    return {name: value for name, value in found.items() if type(value) is not object}


def nothing_records() -> bool:
    """Whether no tensor is followed by anyone."""
    return not any(True for _ in STACK.recorders)


def twin(original: Function, kept: Callable[[dict[str, Any]], Any], words: str) -> Function:
    """A function with SciPy's signature that keeps tensors."""

    def function(*args: Any, **keywords: Any) -> Any:
        if nothing_records():
            return original(*args, **keywords)
        return kept(name_arguments(original, args, keywords))

    function.__name__ = function.__qualname__ = original.__name__
    package = ".".join(original.__module__.split(".")[:2])
    function.__doc__ = f"As ``{package}.{original.__name__}``: {words}"
    function.__signature__ = inspect.signature(original)  # type: ignore[attr-defined]
    return function


def append_arguments(function: Function, args: Any) -> Function:
    """A function with the further arguments that SciPy hands on."""
    args = args if isinstance(args, tuple) else (args,)
    return (lambda *xs: function(*xs, *args)) if args else function


def part_of(function: Function, number: int) -> Function:
    """One of the results of a function."""
    return lambda x: function(x)[number]


def one_number(x: Any) -> Any:
    """A result of one number, as one."""
    value = join_nested(x)
    return value if not np.ndim(value) else np.reshape(value, ())


def settle_value(x: Any) -> Any:
    """Tensors as their values; anything else as it is."""
    return plain_value(x) if holds_tensor(x) else x


def derivatives(given: dict[str, Any], args: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Callables among the arguments as SciPy calls them; the rest as it is."""
    found = {}
    for name in names:
        if callable(function := given.pop(name, None)):
            found[name] = Plain(append_arguments(function, args))
    return found
