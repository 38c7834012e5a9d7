"""A function at a point where it may have no classical derivative."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from symtape.graph.graph import Graph
from symtape.symbolic.shadow import Shadow


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

    @property
    def is_second(self) -> bool:
        """Whether second derivatives are asked for."""
        return self.quantity == "hessian"
