"""Claim: a callable that is said to be the derivative of a function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import symtape
from symtape.graph.freeze import record
from symtape.graph.graph import Graph
from symtape.record.structure import flatten
from verify.cases import Case
from verify.errors import UsageError

__all__ = ["Claim", "claim_of"]

TAPE = "symtape tape"

_TRANSFORMS: dict[str, Callable[..., Any]] = {
    "gradient": symtape.grad,
    "jacobian": symtape.jacobian,
    "hessian": symtape.hessian,
}


@dataclass(frozen=True, slots=True)
class Claim:
    """What is claimed, in a form that can be asked for numbers and for its program.

    Attributes
    ----------
    function : callable
        What was differentiated.
    quantity : str
        ``gradient``, ``jacobian`` or ``hessian``.
    derivative : callable
        Takes the arguments of `function`; returns one array, or a tuple of one for each
        argument (for a Hessian a tuple of tuples).
    claimant : str
        Who claims it.
    ours : bool
        Whether it is symtape's tape.
    """

    function: Callable[..., Any]
    quantity: str
    derivative: Callable[..., Any]
    claimant: str
    ours: bool

    def values(self, point: tuple[Any, ...], shapes: list[tuple[int, ...]]) -> list[Any]:
        """The claimed arrays at `point`, checked against `shapes`.

        Raises
        ------
        UsageError
            The claim returned something that is not the arrays expected.
        """
        parts = flatten(self.derivative(*(_fresh(x) for x in point)))
        if len(shapes) == 1 and len(parts) != 1:
            parts = [parts]
        if len(parts) != len(shapes):
            raise UsageError(
                f"{self.claimant} returned {len(parts)} arrays, expected {len(shapes)}: one for "
                "each argument of the function"
            )
        return [self._array(part, shape) for part, shape in zip(parts, shapes, strict=True)]

    def _array(self, part: Any, shape: tuple[int, ...]) -> Any:
        try:
            array = np.asarray(part)
        except (TypeError, ValueError) as error:
            raise UsageError(f"{self.claimant} returned {part!r}, which is no array") from error
        if array.dtype.kind in "iub":
            array = array.astype(np.float64)
        if array.dtype.kind != "f":
            raise UsageError(
                f"{self.claimant} returned {part!r} of dtype {array.dtype}; expected real numbers"
            )
        if array.shape != shape:
            raise UsageError(
                f"{self.claimant} returned shape {array.shape}, but the {self.quantity} has shape "
                f"{shape}"
            )
        return array

    def program(self, point: tuple[Any, ...], budget: int) -> Graph:
        """The derivative as it is computed, recorded at `point`."""
        return record(lambda *xs: flatten(self.derivative(*xs)), *point, budget=budget)


    def reference(self, point: tuple[Any, ...], budget: int) -> Graph:
        """The same derivative as symtape's tape computes it, recorded at `point`."""
        return replace(self, derivative=_tape(self.function, self.quantity, len(point))).program(
            point, budget
        )


def _tape(function: Callable[..., Any], quantity: str, count: int) -> Callable[..., Any]:
    derivative: Callable[..., Any] = _TRANSFORMS[quantity](function, argnums=tuple(range(count)))
    return derivative


def _fresh(x: Any) -> Any:
    array = np.array(x, dtype=np.float64 if np.asarray(x).dtype.kind in "iub" else None)
    return array if array.ndim else array[()]


def claim_of(case: Case) -> Claim:
    """The claim of a case: of the tape where it names nobody else."""
    if case.claimed is not None:
        name = getattr(case.claimed, "__qualname__", type(case.claimed).__name__)
        return Claim(case.function, case.quantity, case.claimed, name, ours=False)
    derivative = _tape(case.function, case.quantity, len(case.at[0]))
    return Claim(case.function, case.quantity, derivative, TAPE, ours=True)
