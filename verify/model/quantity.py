"""Quantity: which derivative is asked for, by which of the arguments, and along what.

A point of a gradient, a Jacobian or a Hessian is the arguments of the function. A point of a
product has directions behind them: a cotangent for each output (``vjp``), or a tangent or vector
for each argument that is differentiated (``jvp``, ``hvp``). The function does not look at these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

QUANTITIES: Final = ("gradient", "jacobian", "hessian", "vjp", "jvp", "hvp")
"""What can be claimed."""

PRODUCTS: Final[dict[str, str]] = {"vjp": "cotangent", "jvp": "tangent", "hvp": "vector"}
"""What is taken along a direction, and what that is called."""

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A derivative of a function.

    Attributes
    ----------
    name : str
        One of :data:`QUANTITIES`.
    wrt : tuple, optional
        By which arguments: their indices; of a Hessian two such tuples, of its rows and of its
        columns. By all of them if None.
    directions : int
        How many directions stand behind the arguments at a point.

    Examples
    --------
    >>> Quantity("hessian", ((0,), (0, 1))).parts(2)
    [(0, 0), (0, 1)]
    >>> Quantity("vjp", (1,), directions=1).parts(3)
    [(1,)]
    """

    name: str
    wrt: Any = None
    directions: int = 0

    def rows(self, count: int) -> tuple[int, ...]:
        """The arguments that the derivative is by, of `count` that a point has in all."""
        if self.wrt is None:
            return tuple(range(count - self.directions))
        return tuple(self.wrt[0]) if self.name == "hessian" else tuple(self.wrt)

    def columns(self, count: int) -> tuple[int, ...]:
        """The arguments that a second derivative is by the second time."""
        paired = self.name == "hessian" and self.wrt is not None
        return tuple(self.wrt[1]) if paired else self.rows(count)

    def moving(self, count: int) -> tuple[int, ...]:
        """All arguments that it is by."""
        return tuple(sorted({*self.rows(count), *self.columns(count)}))

    def direction_places(self, count: int) -> tuple[int, ...]:
        """Where in a point the directions are."""
        return tuple(range(count - self.directions, count))

    def parts(self, count: int) -> list[tuple[int, ...]]:
        """What each part is by; that of a push-forward is by nothing in particular."""
        if self.name == "hessian":
            return [(i, j) for i in self.rows(count) for j in self.columns(count)]
        return [] if self.name == "jvp" else [(i,) for i in self.rows(count)]

    def shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> list[Shape]:
        """The shapes of the parts, of a function with these shapes."""
        if self.name == "jvp":
            return list(outputs)
        count = len(inputs)
        if self.name == "jacobian":
            return [outputs[0] + inputs[i] for (i,) in self.parts(count)]
        joined = (sum((inputs[i] for i in part), ()) for part in self.parts(count))
        return list(joined)

    @property
    def second(self) -> bool:
        """Whether it is a second derivative."""
        return self.name in ("hessian", "hvp")


def to_quantity(quantity: str | Quantity) -> Quantity:
    """A quantity by all arguments, if it is only named."""
    return quantity if isinstance(quantity, Quantity) else Quantity(quantity)
