"""Claim: a callable that is said to be the derivative of a function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import symtape
from symtape.errors import BudgetSpent, SymtapeError
from symtape.graph.freeze import record
from symtape.graph.graph import Graph
from symtape.recording.structure import flatten
from verify import places
from verify.cases import Case, argument_names, claimant, kind_of, part_names
from verify.errors import NotADerivative

__all__ = ["Answer", "Claim", "claim_of"]

_TRANSFORMS: dict[str, Callable[..., Any]] = {
    "gradient": symtape.grad,
    "jacobian": symtape.jacobian,
    "hessian": symtape.hessian,
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a claim returned at a point.

    Attributes
    ----------
    parts : list of float arrays
        One for each argument; for a Hessian one for each pair of them.
    """

    parts: list[Any]


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

    def answer(self, point: tuple[Any, ...], shapes: list[tuple[int, ...]]) -> Answer:
        """The claimed arrays at `point`, checked against `shapes`.

        Raises
        ------
        NotADerivative
            The claim raised, or returned something that is not the arrays expected.
        SymtapeError, LookupError
            The tape has no derivative to give.
        """
        given = [_fresh(x) for x in point]
        returned = self._called(given)
        parts = flatten(returned)
        if len(shapes) == 1 and len(parts) != 1:
            parts = [returned]
        if len(parts) != len(shapes):
            raise NotADerivative(
                f"{self.claimant} returned {self._count(len(parts))}, expected "
                f"{self._count(len(shapes))}: "
                f"one for each {'pair' if self.quantity == 'hessian' else 'argument'} of "
                f"{', '.join(self._names(point))}"
            )
        names = part_names(self.function, len(point), self.quantity)
        arrays = [
            self._array(part, shape, name)
            for part, shape, name in zip(parts, shapes, names, strict=True)
        ]
        if words := self._changed(point, given):
            raise NotADerivative(words)
        return Answer(arrays)

    def _called(self, given: list[Any]) -> Any:
        try:
            return self.derivative(*given)
        except (Exception, SystemExit) as error:
            if isinstance(error, BudgetSpent) or (self.ours and _has_no_rule(error)):
                raise
            place = places.of_error(error)
            raise NotADerivative(
                f"{self.claimant} raised {type(error).__name__}: {error}"
                f"{f', at {place}' if place else ''}, where the derivative exists"
            ) from error

    def _names(self, point: tuple[Any, ...]) -> list[str]:
        return argument_names(self.function, len(point))

    @staticmethod
    def _count(number: int) -> str:
        return "1 array" if number == 1 else f"{number} arrays"

    def _changed(self, point: tuple[Any, ...], given: list[Any]) -> str:
        for name, x, after in zip(self._names(point), point, given, strict=True):
            if not np.array_equal(_fresh(x), after, equal_nan=True):
                return (
                    f"{self.claimant} changed its argument {name} in place, which its callers "
                    "do not expect; let it work on a copy"
                )
        return ""

    def _array(self, part: Any, shape: tuple[int, ...], name: str) -> Any:
        if _is_plain(part) and part.shape == shape:
            return np.asarray(part)
        what = f"{self.claimant} returned {_short(part)}"
        by = f"the {self.quantity} with respect to {name}"
        if part is None:
            raise NotADerivative(f"{what}, expected {by}, of shape {shape}; is a 'return' missing?")
        try:
            array = np.asarray(part)
        except (TypeError, ValueError) as error:
            raise NotADerivative(f"{what}, which is no array; expected {by}") from error
        if array.dtype.kind in "iub":
            array = array.astype(np.float64)
        if array.dtype.kind != "f":
            kind = kind_of(array.dtype)
            raise NotADerivative(f"{what}, which holds {kind}; expected {by}, real numbers")
        if array.shape != shape:
            raise NotADerivative(
                f"{self.claimant} returned an array of shape {array.shape}, but {by} has shape "
                f"{shape}{self._hint(array.shape, shape)}"
            )
        return array.astype(np.float64) if array.dtype.itemsize > 8 else array

    def _hint(self, given: tuple[int, ...], shape: tuple[int, ...]) -> str:
        """What a wrong shape looks like."""
        if len(shape) > 1 and given == shape[::-1]:
            return "; is it transposed?"
        if self.quantity == "jacobian" and given and shape[-len(given) :] == given:
            return "; is it the gradient of the sum of the outputs, instead of the Jacobian?"
        if self.quantity == "jacobian" and given + given == shape:
            return "; is it the diagonal alone?"
        if self.quantity == "gradient" and _broadcasts(shape, given):
            return "; is the sum over the axes missing along which the argument was broadcast?"
        return ""

    def program(self, point: tuple[Any, ...], budget: int) -> Graph:
        """The derivative as it is computed, recorded at `point`."""
        return record(lambda *xs: flatten(self.derivative(*xs)), *point, budget=budget)

    def reference(self, point: tuple[Any, ...], budget: int) -> Graph:
        """The same derivative as symtape's tape computes it, recorded at `point`."""
        return self.tape(len(point)).program(point, budget)

    def tape(self, count: int) -> Claim:
        """What symtape's tape claims of the same function of `count` arguments."""
        derivative = _tape(self.function, self.quantity, count)
        return replace(self, derivative=derivative, ours=True)


def _tape(function: Callable[..., Any], quantity: str, count: int) -> Callable[..., Any]:
    derivative: Callable[..., Any] = _TRANSFORMS[quantity](function, argnums=tuple(range(count)))
    return derivative


def _fresh(x: Any) -> Any:
    array = np.array(x, dtype=np.float64 if np.asarray(x).dtype.kind in "iub" else None)
    return array if array.ndim else array[()]


def _is_plain(part: Any) -> bool:
    if not isinstance(part, np.ndarray | np.generic):
        return False
    return part.dtype.kind == "f" and part.dtype.itemsize <= 8


def _broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, to) == to
    except ValueError:
        return False


def _has_no_rule(error: BaseException) -> bool:
    return isinstance(error, SymtapeError) or type(error) is LookupError


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else text[:77] + "..."


def claim_of(case: Case) -> Claim:
    """The claim of a case: of the tape where it names nobody else."""
    if case.claimed is not None:
        name = claimant(case)
        return Claim(case.function, case.quantity, case.claimed, name, ours=False)
    count = len(case.at[0]) if case.at or case.over is None else len(case.over.arguments)
    derivative = _tape(case.function, case.quantity, count)
    return Claim(case.function, case.quantity, derivative, claimant(case), ours=True)
