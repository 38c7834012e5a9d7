"""Claim: a callable that is said to be the derivative of a function."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from symtape.errors import (
    BranchWarning,
    BudgetSpent,
    EscapeWarning,
    NotOnTape,
    NotTraceable,
    SymtapeError,
)
from symtape.graph.graph import Graph
from symtape.process.causes import iterate_causes
from symtape.reading.record import record_readable
from symtape.recording.stack import FINISHED
from symtape.recording.structure import flatten
from verify.adapters.dense import dense
from verify.adapters.detection import refuses
from verify.claimants.stopped_gradients import remove_stops
from verify.claimants.tape import tape_derivative
from verify.errors import DidNotReturn, Misbehaviour, NotADerivative, Refused, UsageError
from verify.files import places
from verify.limits.limit import Calls
from verify.model.case import Case, argument_names, claimant, kind_of, name_function, part_names
from verify.model.foreign import Foreign, original_of, shorten_error
from verify.model.quantity import Quantity
from verify.model.stated_accuracy import StatedAccuracy

_TRANSFORMS: Final = {"gradient": "grad"}
"""What the tape's transforms are called, where that is not what their results are."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a claim returned at a point.

    Attributes
    ----------
    parts : list of float arrays
        One for each argument; for a Hessian one for each pair of them.
    """

    parts: list[Any]

    @property
    def finite(self) -> bool:
        """Whether all entries are."""
        return all(bool(np.all(np.isfinite(part))) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Claim:
    """What is claimed, in a form that can be asked for numbers and for its program.

    Attributes
    ----------
    function : callable
        What was differentiated; of a product it takes directions as well, and does not look at
        them.
    quantity : Quantity
        Which derivative.
    derivative : callable
        Takes the arguments of `function`; returns one array, or a tuple of one for each
        argument (for a Hessian a tuple of tuples).
    claimant : str
        Who claims it.
    ours : bool
        Whether it is symtape's tape.
    calls : Calls
        That were made of the function and of the derivative, each with a limit of its own.
    accuracy : StatedAccuracy, optional
        What it is held to, where it is not said to be exact.
    """

    function: Callable[..., Any]
    quantity: Quantity
    derivative: Callable[..., Any]
    claimant: str
    ours: bool
    calls: Calls = field(default_factory=Calls, compare=False)
    accuracy: StatedAccuracy | None = None

    @property
    def is_read(self) -> bool:
        """Whether its program is the one that its framework runs, and not a second run of it."""
        return hasattr(self.derivative, "framework")

    @property
    def uses_xla(self) -> bool:
        """Whether what is claimed is computed by XLA, whose arithmetic is not NumPy's."""
        return getattr(self.derivative, "framework", "") == "jax"

    @property
    def _shared_derivative(self) -> Callable[..., Any] | None:
        """What is called in place of `derivative` to see what it writes into its arguments."""
        # Not by attribute: what wraps a function has all of these, and is no such function.
        return self.derivative.shared if isinstance(self.derivative, Foreign) else None

    def answer(self, point: tuple[Any, ...], shapes: list[tuple[int, ...]]) -> Answer:
        """The claimed arrays at `point`, checked against `shapes`.

        Raises
        ------
        NotADerivative
            The claim raised, or returned something that is not the arrays expected.
        DidNotReturn
            It took longer than a call may take.
        SymtapeError, LookupError
            The tape has no derivative to give.
        """
        # Frameworks write into numbers as well, which arrays without axes show.
        given = [fresh(x) if self._shared_derivative is None else np.array(fresh(x)) for x in point]
        # What the tape made must not come back from a function that keeps it.
        with self.calls.limit_call(self.claimant, point, DidNotReturn), FINISHED.span():
            returned = self._call_derivative(given)
        parts = parts_of(returned, shapes)
        if len(parts) != len(shapes):
            raise NotADerivative(
                f"{self.claimant} returned {self._count(len(parts))}, expected "
                f"{self._count(len(shapes))}: "
                f"{self._one_each(point)}{_describe_value_pair(parts, shapes)}",
                Misbehaviour.WRONG_COUNT,
            )
        if all(map(_is_plain, parts, shapes)):
            arrays = list(map(np.asarray, parts))
        else:
            names = part_names(self.function, len(point), self.quantity)
            names = names if len(names) == len(shapes) else names * len(shapes)
            arrays = [
                self._array(part, shape, name)
                for part, shape, name in zip(parts, shapes, names, strict=True)
            ]
        if words := self._describe_mutation(point, given):
            raise NotADerivative(words, Misbehaviour.CHANGED_ITS_ARGUMENT)
        return Answer(arrays)

    def _call_derivative(self, given: list[Any]) -> Any:
        try:
            if self.ours:
                return self._call_tape(given)
            return (self._shared_derivative or self.derivative)(*given)
        except (Exception, SystemExit) as error:  # users' code: what it raises is what it claims
            # Too little memory says nothing of a derivative.
            if isinstance(error, BudgetSpent | UsageError | MemoryError | Refused) or (
                self.ours and isinstance(error, SymtapeError)
            ):
                raise
            if framework := refuses(error):
                raise Refused(
                    f"{self.claimant} returns no derivative here; {framework} says: "
                    f"{shorten_error(error)}"
                ) from error
            place = places.place_of_error(error)
            place = "" if places.is_library(place) else place
            raise NotADerivative(
                f"{self.claimant} raised {type(error).__name__}: {shorten_error(error)}"
                f"{f', at {place}' if place else ''}, where the derivative exists"
            ) from error

    def _call_tape(self, given: list[Any]) -> Any:
        """What the tape gives, unless it says itself that a value left it.

        Raises
        ------
        Refused
        """
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", EscapeWarning)
            warnings.simplefilter("ignore", BranchWarning)  # the verdict says what meets there
            try:
                returned = self.derivative(*given)
            except Exception as error:  # users' code, raised again
                if (cause := _refusal_by_tape(error)) is None:
                    raise
                raise self._tape_refusal(cause, places.place_of_error(cause)) from error
        for one in said:
            if issubclass(one.category, EscapeWarning):
                place = places.relative(f"{one.filename}:{one.lineno}")
                raise self._tape_refusal(one.message, place)
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        return returned

    def _tape_refusal(self, why: Any, place: str) -> Refused:
        transform = _TRANSFORMS.get(self.quantity.name, self.quantity.name)
        return Refused(
            f"symtape.{transform} returns no derivative here"
            f"{f', at {place}' if place else ''}: {why}"
        )

    def _one_each(self, point: tuple[Any, ...]) -> str:
        if self.quantity.name == "jvp":
            return "one for each output of the function"
        names, rows = self._names(point), self.quantity.rows(len(point))
        pair = "pair" if self.quantity.name == "hessian" else "argument"
        words = f"one for each {pair} of {', '.join(names[i] for i in rows)}"
        return f"{words}; pass argnums=0 if it is by {names[0]} alone" if len(rows) > 1 else words

    def _names(self, point: tuple[Any, ...]) -> list[str]:
        return argument_names(self.function, len(point))

    @staticmethod
    def _count(number: int) -> str:
        return "1 array" if number == 1 else f"{number} arrays"

    def _describe_mutation(self, point: tuple[Any, ...], given: list[Any]) -> str:
        for at, (x, after) in enumerate(zip(point, given, strict=True)):
            if not _are_identical(fresh(x), after):
                return (
                    f"{self.claimant} changed its argument {self._names(point)[at]} in place, "
                    "which changes it for the caller too; let it work on a copy"
                )
        return ""

    def _array(self, part: Any, shape: tuple[int, ...], name: str) -> Any:
        if _is_plain(part, shape):
            return np.asarray(part)
        what = f"{self.claimant} returned {_short(part)}"
        by = f"the {self.quantity.name}" + (f" with respect to {name}" if name else "")
        if part is None:
            raise NotADerivative(
                f"{what}, expected {by}, of shape {shape}; is a 'return' missing?",
                Misbehaviour.RETURNED_NOTHING,
            )
        try:
            array = np.asarray(dense(part))
        except (TypeError, ValueError) as error:
            raise NotADerivative(
                f"{what}, which is not an array; expected {by}", Misbehaviour.NO_ARRAY
            ) from error
        if array.dtype.kind in "iub":
            array = array.astype(np.float64)
        if array.dtype.kind != "f":
            kind = kind_of(array.dtype)
            raise NotADerivative(
                f"{what}, which holds {kind}; expected {by}, real numbers", Misbehaviour.NO_ARRAY
            )
        if array.shape != shape:
            raise NotADerivative(
                f"{self.claimant} returned an array of shape {array.shape}, but {by} has shape "
                f"{shape}",
                Misbehaviour.WRONG_SHAPE,
            )
        return array.astype(np.float64) if array.dtype.itemsize > 8 else array

    def returned(self, *point: Any) -> list[Any]:
        """The arrays that the claim returns, as they come."""
        with self.calls.limit_call(self.claimant, point, BudgetSpent):
            return flatten(self.derivative(*point))

    def program(self, point: tuple[Any, ...], budget: int) -> Graph:
        """The derivative as it is computed, recorded at `point`."""
        with self.calls.limit_call(self.claimant, point, BudgetSpent):
            program = record_readable(self.derivative, *point, budget=budget)
        # What a claim computes is its values, whatever it would let others differentiate.
        stops = any(node.stops for node in program.nodes)
        return remove_stops(program) if stops else program

    def record(self, point: tuple[Any, ...], budget: int) -> Graph:
        """The function, recorded at `point`.

        Raises
        ------
        BudgetSpent
            It takes more operations than `budget`, or longer than a call may take.
        """
        with self.calls.limit_call("the function", point, BudgetSpent):
            return record_readable(self.function, *point, budget=budget)

    def value(self, *args: Any) -> Any:
        """What the function returns on arrays.

        Raises
        ------
        BudgetSpent
            It took longer than a call may take.
        """
        with self.calls.limit_call("the function", args, BudgetSpent):
            return self.function(*args)

    def reference(self, point: tuple[Any, ...], budget: int, graph: Graph | None = None) -> Graph:
        """The same derivative as symtape's tape computes it, recorded at `point`.

        Of a `graph` of complex numbers it is that of real and imaginary parts.
        """
        if graph is not None and graph.by_parts:
            return replace(self, function=_replay(graph)).tape(len(point)).program(point, budget)
        return self.tape(len(point)).program(point, budget)

    def tape(self, count: int) -> Claim:
        """What symtape's tape claims of the same function of `count` arguments."""
        derivative = tape_derivative(self.function, self.quantity, count)
        return replace(self, derivative=derivative, ours=True, accuracy=None)


def _replay(graph: Graph) -> Callable[..., Any]:
    """A recording as a function of its arguments."""

    def replay_function(*point: Any) -> Any:
        outputs = graph.evaluate(*point)
        return outputs[0] if len(outputs) == 1 else outputs

    return replay_function


def parts_of(returned: Any, shapes: list[tuple[int, ...]]) -> list[Any]:
    """What a claim returned, one part for each shape as far as it fits.

    A list of numbers may be an array, or one number for each of several arguments.
    """
    parts = flatten(returned)
    if len(parts) == len(shapes) and all(map(_has_shape, parts, shapes)):
        return parts
    if isinstance(returned, list | tuple):
        rows = [row for row in returned if isinstance(row, list | tuple)]
        blocks = [block for row in rows for block in row]
        for given in ([returned], list(returned), blocks):
            if len(given) == len(shapes) and all(map(_has_shape, given, shapes)):
                return given
    whole = len(shapes) == 1 and len(parts) != 1 and not _several(returned)
    if whole and isinstance(returned, tuple) and not _has_shape(returned, shapes[0]):
        whole = len(parts) != 2
    return [returned] if whole else parts


def _describe_value_pair(parts: list[Any], shapes: list[tuple[int, ...]]) -> str:
    """What a pair looks like where one derivative was expected."""
    if len(shapes) != 1 or len(parts) != 2 or not _has_shape(parts[1], shapes[0]):
        return ""
    return "; is the pair the value and its derivative? return the second alone"


def _several(returned: Any) -> bool:
    """Whether a tuple is one of several arrays, rather than the entries of a single one."""
    if not isinstance(returned, tuple):
        return False
    return any(isinstance(part, np.ndarray) and part.ndim for part in returned)


def _has_shape(part: Any, shape: tuple[int, ...]) -> bool:
    if _is_plain(part, shape):
        return True
    try:
        return bool(np.shape(dense(part)) == shape)
    except (TypeError, ValueError):
        return False


def fresh(x: Any) -> Any:
    """A copy of an argument, of floats."""
    array = np.array(x, dtype=np.float64 if np.asarray(x).dtype.kind in "iub" else None)
    return array if array.ndim else array[()]


def _are_identical(before: Any, after: Any) -> bool:
    alike = (before.shape, before.dtype) == (after.shape, after.dtype)
    if alike and before.tobytes() == after.tobytes():
        return True
    return np.array_equal(before, after, equal_nan=True)


def _is_plain(part: Any, shape: tuple[int, ...]) -> bool:
    """Whether it is an array of floats of this shape, as nearly every answer is."""
    if not isinstance(part, np.ndarray | np.generic) or isinstance(part, np.matrix):
        return False
    return part.shape == shape and part.dtype.kind == "f" and part.dtype.itemsize <= 8


def _refusal_by_tape(error: BaseException | None) -> NotOnTape | NotTraceable | None:
    """The tape's refusal, also where NumPy has put an error of its own in front of it."""
    refusals = (one for one in iterate_causes(error) if isinstance(one, NotOnTape | NotTraceable))
    return next(refusals, None)


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else text[:77] + "..."


def claim_of(case: Case) -> Claim:
    """The claim of a case: of the tape where it names nobody else."""
    function = case.lifted
    if case.claimed is not None:
        who = claimant(case)
        return Claim(
            function, case.claimed_quantity, case.claimed, who, ours=False, accuracy=case.accuracy
        )
    written = case.function if isinstance(case.function, Foreign) else original_of(case.function)
    # What people call the tape with, and not what is made of it to be recorded.
    derivative = getattr(case.function, "by_the_tape", None)
    if derivative is None:
        derivative = tape_derivative(
            replace(case, function=written).lifted, case.claimed_quantity, case.count
        )
    return Claim(function, case.claimed_quantity, derivative, claimant(case), ours=True)


def modes_of(case: Case, claim: Claim) -> dict[str, Claim]:
    """The further claims of a case beside `claim`, each by the name of its mode."""
    return {
        mode: replace(
            claim,
            derivative=derivative,
            claimant=name_function(derivative),
            ours=False,
            accuracy=None,
        )
        for mode, derivative in case.modes.items()
    }
