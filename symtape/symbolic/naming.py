"""What inputs and their elements are called."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def argument_names(function: Callable[..., Any], count: int) -> list[str]:
    """The names of the first `count` arguments of `function`; ``x0, x1, ...`` if it has none.

    Examples
    --------
    >>> argument_names(lambda x, y: x * y, 2)
    ['x', 'y']
    >>> argument_names(lambda *xs: sum(xs), 2)
    ['xs0', 'xs1']
    """
    import inspect

    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return [f"x{k}" for k in range(count)]
    names: list[str] = []
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            names += [f"{parameter.name}{k}" for k in range(count - len(names))]
        elif parameter.kind is not parameter.KEYWORD_ONLY:
            names.append(parameter.name)
    names = names[:count]
    return names if len(names) == count else [f"x{k}" for k in range(count)]


def check_names(names: Sequence[str], count: int) -> list[str]:
    """`names` if they can name `count` inputs.

    Raises
    ------
    ValueError
        A wrong number of names, one that is no identifier, or two alike.
    """
    found = [names] if isinstance(names, str) else list(names)
    if len(found) != count:
        raise ValueError(f"names={names!r}: expected {count} names, one for each argument")
    for name in found:
        if not (isinstance(name, str) and name.isascii() and name.isidentifier()):
            raise ValueError(f"names={names!r}: {name!r} is no name; use letters, digits and _")
        if keyword.iskeyword(name):
            raise ValueError(f"names={names!r}: {name!r} is a word of Python; choose another")
    if len(set(found)) != count:
        raise ValueError(f"names={names!r}: two arguments have the same name")
    return found


def element_names(name: str, shape: tuple[int, ...]) -> list[str]:
    """The elements of an input, in C order, as Python writes them.

    Examples
    --------
    >>> element_names("x", ()), element_names("w", (1, 2))
    (['x'], ['w[0, 0]', 'w[0, 1]'])
    """
    if not shape:
        return [name]
    return [f"{name}[{', '.join(map(str, index))}]" for index in np.ndindex(*shape)]


def fresh_prefix(names: Sequence[str]) -> str:
    """A letter for intermediate values, with which no input's name is confused.

    Examples
    --------
    >>> fresh_prefix(["x", "y"]), fresh_prefix(["v1"])
    ('v', 't')
    """
    for prefix in ("v", "t", "w", "u", "s"):
        if not any(n == prefix or (n[0] == prefix and n[1:].isdigit()) for n in names):
            return prefix
    return "tmp_"
