"""How a derivative is written down for another process, which makes it again by its transform."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from symtape.transforms import gradients


@dataclass(frozen=True, slots=True)
class Remaker:
    """A derivative as the transform, and what it was given.

    Examples
    --------
    >>> import symtape, math
    >>> made = remaker(symtape.grad(abs))
    >>> made.transform, made.function, made.remake()(2.0)
    ('grad', <built-in function abs>, np.float64(1.0))
    """

    transform: str
    function: Any
    options: tuple[tuple[str, Any], ...]

    def remake(self) -> Callable[..., Any]:
        """The derivative."""
        function = self.function
        inner = function.remake() if isinstance(function, Remaker) else function
        made: Callable[..., Any] = getattr(gradients, self.transform)(inner, **dict(self.options))
        return made


def remaker(function: Any) -> Any:
    """What makes a derivative again; any other function as it is."""
    if not isinstance(function, FunctionType):
        return function
    if function.__globals__.get("__name__") != gradients.__name__:
        return function
    name = function.__code__.co_qualname.partition(".")[0]
    known = inspect.signature(getattr(gradients, name)).parameters
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    options = tuple(
        (key, cell.cell_contents) for key, cell in cells if key in known and key != "function"
    )
    return Remaker(name, remaker(function.__wrapped__), options)  # type: ignore[attr-defined]


def is_global(value: Any) -> bool:
    """Whether `value` is what its module has under its name, as of a decorated function."""
    found: Any = sys.modules.get(value.__module__)
    for name in value.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is value
