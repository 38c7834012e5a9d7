"""A function that is given directions behind its arguments, and does not look at them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

_SHORT = {"vjp": "g", "jvp": "t", "hvp": "v"}
_LONG = {"vjp": "cotangent", "jvp": "tangent", "hvp": "vector"}


def direction_names(quantity: str, names: Sequence[str], along: Sequence[str]) -> list[str]:
    """What directions are called: short names, that no argument has.

    Parameters
    ----------
    quantity : {"vjp", "jvp", "hvp"}
    names : sequence of str
        Of the arguments.
    along : sequence of str
        What each direction belongs to: an output by its number, or an argument by its name.

    Examples
    --------
    >>> direction_names("vjp", ["x"], ["0"]), direction_names("jvp", ["x", "y"], ["x", "y"])
    (['g'], ['t_x', 't_y'])
    >>> direction_names("vjp", ["g"], ["0"])
    ['cotangent']
    """
    for stem in (_SHORT[quantity], _LONG[quantity], f"the {_LONG[quantity]}"):
        joint = "" if quantity == "vjp" else "_"
        found = [stem] if len(along) == 1 else [f"{stem}{joint}{name}" for name in along]
        if not set(found) & set(names):
            break
    return found


def named_along(
    quantity: str, names: Sequence[str], wrt: Sequence[int] | None, number: int
) -> list[str]:
    """What the directions of a product by the arguments `wrt` are called."""
    rows = range(len(names)) if wrt is None else wrt
    along = list(map(str, range(number))) if quantity == "vjp" else [names[i] for i in rows]
    return direction_names(quantity, names, along)


class LiftedFunction:
    """`function`, of the first `count` of what it is given.

    Parameters
    ----------
    function : callable
    names : sequence of str
        Of its arguments.
    directions : sequence of str
        Of what comes behind these.
    """

    def __init__(
        self, function: Callable[..., Any], names: Sequence[str], directions: Sequence[str]
    ) -> None:
        self.__wrapped__ = function
        self.__name__ = str(getattr(function, "__name__", type(function).__name__))
        self.__qualname__ = str(getattr(function, "__qualname__", self.__name__))
        self.argument_names = (*names, *directions)
        self._count = len(names)

    @property
    def __signature__(self) -> inspect.Signature:
        kind = inspect.Parameter.POSITIONAL_ONLY
        names = enumerate(self.argument_names)
        named = (name if name.isidentifier() else f"_{k}" for k, name in names)
        return inspect.Signature([inspect.Parameter(name, kind) for name in named])

    def __call__(self, *xs: Any) -> Any:
        """The function of the arguments alone."""
        return self.__wrapped__(*xs[: self._count])
