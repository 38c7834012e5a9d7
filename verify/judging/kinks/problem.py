"""A function at a point where it may have no classical derivative."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from symtape.graph.graph import Graph
from symtape.reading.record import record_readable
from symtape.symbolic.shadow import Shadow

_OPERATIONS: Final = 250_000
"""Most operations recorded of the function at a point nearby, where a loop may not end."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is asked there.

    Attributes
    ----------
    form : Shadow
        Of the graph of the function at `point`.
    point : sequence of arrays
    quantity : str
        ``gradient``, ``jacobian`` or ``hessian``.
    function : callable
    """

    form: Shadow
    point: Sequence[Any]
    quantity: str
    function: Callable[..., Any]

    @property
    def graph(self) -> Graph:
        """The function, recorded at the point."""
        return self.form.graph

    def record(self, near: Sequence[Any]) -> Graph:
        """What the function computes at a point nearby."""
        return record_readable(self.function, *near, budget=_OPERATIONS)

    @property
    def is_second(self) -> bool:
        """Whether second derivatives are asked for."""
        return self.quantity == "hessian"
