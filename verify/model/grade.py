"""Grades: which findings fail a test, and which are only noted.

A finding fails where it would matter to somebody: at ordinary points, and at kinks and degenerate
points with a wrong value or none where the function is finite. It is noted where only the fringe
is concerned:

- *range*: every number of the point but zeros, or the number that the entry is by, or, of a claim
  that is finite, the exact entry is beyond ``1e±100`` (in float32 ``1e±30``, in float16 subnormal);
  where that is tiny or 0, the claimed one must be tiny as well. Of a right rule whose floats over-
  or underflow, and of a claim that is no number, also where an operation of the function is;
- *last digit*: a step as long as the point is large, by the error of the entry, moves the
  function's value by less than half a unit in its last place;
- *tie*: each entry of the claim alone is its one-sided derivative, only all of them together are
  no mean of the slopes that meet;
- *approximation*: a claim by somebody else, as what is solved or integrated numerically, is off by
  less than a thousand roundings of what it computes with.

Where a claim was found right nowhere, nothing else than the fringe was asked for, and what fails
there fails. Whoever asks ``strict=True`` has notes fail everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cached_property
from typing import Any, Final

import numpy as np

from symtape.errors import SymtapeError
from symtape.graph.graph import Graph, Node
from symtape.process.precision import precision
from symtape.rigorous.enclose import Reading
from verify.model.quantity import Quantity
from verify.model.result import Entry, PointOutcome, Result
from verify.model.verdict import Verdict

_ORDINARY: Final = {"float64": (1e-100, 1e100), "float32": (1e-30, 1e30)}
"""Between these magnitudes lies what people compute with; squares and ratios still have room."""

_TIE: Final = "each entry alone is a one-sided derivative, the convention at a tie"
_LAST_DIGIT: Final = "below the last digit of the value"
_APPROXIMATES: Final = (
    "approximates the derivative to {}, less than 1,000 roundings of what it computes with"
)
_ROUNDINGS: Final = 1000
_BITS: Final = 64


def grade_outcome(
    outcome: PointOutcome,
    quantity: Quantity,
    graph: Graph | None = None,
    approximates: bool = False,
) -> PointOutcome:
    """The outcome with the reason why it is only noted, if it fails at the fringe alone.

    Parameters
    ----------
    outcome : PointOutcome
        What fails.
    quantity : Quantity
        Which derivative.
    graph : Graph, optional
        Of the function, where it was recorded.
    approximates : bool
        Whether the claim may be an approximation, as no derivative of symtape's tape is.

    Examples
    --------
    >>> entry = Entry(0, (), 0.0, "2e-320", "2e-320", 4048.0, 1.0, 1.0)
    >>> x = (np.float64(1e-320),)
    >>> failing = PointOutcome.from_judgement(x, Verdict.INACCURATE, worst=entry)
    >>> grade_outcome(failing, Quantity("gradient")).note
    'the point contains 1.00e-320, outside the ordinary range of 1e-100 to 1e+100'
    """
    return replace(outcome, note=_Grading(outcome, quantity, graph, approximates).note(outcome))


def gravest(
    outcome: PointOutcome,
    entries: Iterable[Entry],
    quantity: Quantity,
    graph: Graph | None,
    approximates: bool,
) -> Entry | None:
    """The entry to show of a failure: the first that fails where it would matter to somebody.

    Parameters
    ----------
    outcome : PointOutcome
        What fails.
    entries : iterable of Entry
        All that are beyond what is allowed, the one to show first where none matters.
    quantity, graph, approximates
        As of :func:`grade_outcome`.
    """
    grading, first = _Grading(outcome, quantity, graph, approximates), None
    for entry in entries:
        first = first or entry
        if is_extreme(outcome.x) or not grading.note(outcome.show_entry(entry)):
            return entry
    return first


class _Grading:
    """What the grades of all entries at one point have in common."""

    def __init__(
        self, outcome: PointOutcome, quantity: Quantity, graph: Graph | None, approximates: bool
    ) -> None:
        self.x, self.quantity, self.graph = outcome.x, quantity, graph
        self.approximates = approximates

    def note(self, outcome: PointOutcome) -> str:
        """Why a failure is only noted; empty where it fails."""
        return (
            _describe_range(outcome, self.quantity)
            or self._describe_intermediates(outcome)
            or self._describe_last_digit(outcome)
            or (_TIE if outcome.kink is not None and outcome.kink.one_sided else "")
            or (_describe_approximation(outcome) if self.approximates else "")
        )

    def _describe_intermediates(self, outcome: PointOutcome) -> str:
        """Words for the first operation out of the ordinary, where floats alone may fail."""
        worst = outcome.worst
        finite = worst is None or math.isfinite(worst.claimed)
        return "" if outcome.verdict is Verdict.WRONG and finite else self._intermediates

    @cached_property
    def _intermediates(self) -> str:
        if self.graph is None:
            return ""
        try:
            with precision(_BITS):
                sizes = _Sizes(self.graph, self.x)
                sizes.outputs()
        except (SymtapeError, LookupError, ValueError, ArithmeticError):
            return ""
        return sizes.words

    def _describe_last_digit(self, outcome: PointOutcome) -> str:
        """Words, if the error of the entry is not to be seen in the function's value."""
        worst = outcome.worst
        if worst is None or self.graph is None or outcome.kink is not None:
            return ""
        scale = _scale(outcome, worst, self.quantity, self._values)
        if not scale:
            return ""
        error = max(abs(worst.claimed - float(end)) for end in (worst.lower, worst.upper))
        dtype = np.result_type(*(y.dtype for y in self._values))
        half_unit = float(np.spacing(dtype.type(scale))) / 2
        return _LAST_DIGIT if error * _reach(outcome, self.quantity) <= half_unit else ""

    @cached_property
    def _values(self) -> list[Any]:
        if self.graph is None:
            return []
        return [np.asarray(y) for y in self.graph.evaluate(*self.x)]


def _describe_approximation(outcome: PointOutcome) -> str:
    """Words, if the error is one of methods that stop within a thousand roundings."""
    worst = outcome.worst
    wrong = outcome.verdict is Verdict.WRONG and outcome.kink is None
    if not wrong or worst is None or worst.beside or not 2 * worst.ulps < _ROUNDINGS:
        return ""
    return _APPROXIMATES.format(f"{worst.relative:.2g}")


def is_extreme(x: Sequence[Any]) -> bool:
    """Whether all numbers of a point but zeros are beyond what people compute with.

    Examples
    --------
    >>> is_extreme((np.array([0.0, 1e-200]),)), is_extreme((np.array([1.0, 1e-200]),))
    (True, False)
    """
    found = [_extremes(arg) for arg in x]
    return all(every for every, _ in found) and any(some is not None for _, some in found)


def _extremes(x: Any) -> tuple[bool, float | None]:
    """Whether all numbers but zeros are extreme, and one of them that is."""
    array = np.asarray(x)
    if array.dtype.kind != "f":
        return not np.any(array), None
    flags = _is_extraordinary(array, array.dtype)
    extreme = np.abs(array[flags])
    return bool(np.all(flags | (array == 0))), float(extreme.flat[0]) if extreme.size else None


def _is_extraordinary(array: Any, dtype: Any) -> Any:
    """Which numbers are neither zero nor of ordinary size."""
    low, high = _ordinary_range(dtype)
    size = np.abs(np.asarray(array, dtype=np.float64))
    return np.asarray((size != 0) & ~((low <= size) & (size <= high)))


def _ordinary_range(dtype: Any) -> tuple[float, float]:
    limits = np.finfo(dtype)
    return _ORDINARY.get(limits.dtype.name, (limits.smallest_normal, limits.max))


def _describe_range(outcome: PointOutcome, quantity: Quantity) -> str:
    """Words for a point, or for an entry, that is out of the ordinary."""
    dtype = np.result_type(*(np.asarray(x).dtype for x in outcome.x))
    if is_extreme(outcome.x):
        extreme = next(some for _, some in map(_extremes, outcome.x) if some is not None)
        return _describe_size("the point contains", f"{extreme:.2e}", dtype)
    worst = outcome.worst
    if worst is None:
        return ""
    if (own := _own_number(outcome, worst, quantity)) is not None and _is_extraordinary(
        own, own.dtype
    ):
        return _describe_size("the input of the entry is", f"{own:.2e}", own.dtype)
    if not math.isfinite(worst.claimed):
        return ""
    if _is_far(worst, dtype):
        return _describe_size("the exact entry is", f"{Decimal(worst.lower):.2e}", dtype)
    return ""


def _describe_size(subject: str, size: str, dtype: Any) -> str:
    low, high = _ordinary_range(dtype)
    return f"{subject} {size}, outside the ordinary range of {low:.0e} to {high:.0e}"


def _is_far(worst: Entry, dtype: Any) -> bool:
    """Whether an exact value is out of the ordinary; a tiny one, if what is claimed is tiny, too.

    What is claimed excuses nothing: 1e-200 for an exact 1 is as wrong as 1 for an exact 1e-200.
    """
    sizes = np.abs([float(worst.lower), float(worst.upper)])
    ordinary = 1.0
    if np.all(sizes < ordinary):
        sizes = np.maximum(sizes, abs(worst.claimed))
        # Bounds in decimals need not be floats.
        return bool(
            np.all(_is_extraordinary(sizes, dtype) | (sizes == 0)) and np.all(sizes < ordinary)
        )
    return bool(np.all(_is_extraordinary(sizes, dtype)))


def _own_number(outcome: PointOutcome, worst: Entry, quantity: Quantity) -> Any:
    """The number of the point by which the entry is; of a gradient and of a Jacobian."""
    if quantity.name not in ("gradient", "jacobian"):
        return None
    if worst.argument >= len(outcome.x):
        return None
    x = np.asarray(outcome.x[worst.argument])
    index = worst.index[len(worst.index) - x.ndim :]
    return x[index] if len(index) == x.ndim and x.dtype.kind == "f" else None


class _Sizes(Reading):
    """An evaluation in balls, which neither over- nor underflow, that looks at sizes."""

    words = ""

    def apply(self, node: Node, args: list[Any]) -> Any:
        """The meaning of an operation."""
        meaning = super().apply(node, args)
        if not self.words and node.dtype.kind == "f" and type(meaning) is not tuple:
            balls = meaning.ravel() if isinstance(meaning, np.ndarray) else [meaning]
            if (size := _first_far(balls, node.dtype)) is not None:
                self.words = _describe_size(f"{node.name} is", size, node.dtype)
        return meaning


def _first_far(balls: Iterable[Any], dtype: Any) -> str | None:
    for ball in balls:
        if not hasattr(ball, "is_finite") or not ball.is_finite() or ball.contains(0):
            continue
        size = float(abs(ball).mid())
        if size == 0 or _is_extraordinary(size, dtype):
            return str(ball.str(3, radius=False))
    return None


def _scale(outcome: PointOutcome, worst: Entry, quantity: Quantity, values: Sequence[Any]) -> float:
    """How large the value is that the entry is of: of a Jacobian, that of its own output."""
    if not values or any(y.dtype.kind != "f" for y in values):
        return 0.0
    if quantity.name in ("jacobian", "jvp") and len(values) == 1:
        size = abs(float(values[0][worst.index[: values[0].ndim]]))
    else:
        size = _largest(values)
    if quantity.name == "vjp":
        size *= _largest(outcome.x[-quantity.directions :])
    return size if math.isfinite(size) else 0.0


def _reach(outcome: PointOutcome, quantity: Quantity) -> float:
    """How far a step of the point's own size goes, in units of the entry; 1 at least.

    Of a second derivative the step counts twice. A product along a direction is by that much of
    the direction as makes such a step.
    """
    count = len(outcome.x) - quantity.directions
    step = max(1.0, _largest(outcome.x[:count]))
    along = _largest(outcome.x[count:]) or 1.0
    second = step * step  # which overflows to infinity, where a power would raise
    return {"hessian": second, "jvp": step / along, "hvp": second / along}.get(quantity.name, step)


def _largest(arrays: Sequence[Any]) -> float:
    sizes = [np.max(np.abs(np.asarray(x, dtype=float)), initial=0.0) for x in arrays]
    return float(max(sizes, default=0.0))


def keep_domain(result: Result) -> Result:
    """The result without the points outside the domain, unless there are no others."""
    points = tuple(point for point in result.points if point.verdict is not Verdict.OUTSIDE)
    return replace(result, points=points) if points else result


def is_undecided(result: Result) -> bool:
    """Whether a verdict is missing that a test must not pass without.

    That is UNDECIDED, and a kink of which it is not known what may be claimed: of a point that
    was given. One that a search came across is, like what it leaves undecided now and then, no
    matter if other points were found correct.
    """
    if result.verdict is Verdict.UNDECIDED:
        return True
    given = result.points[: len(result.case.at)]
    certain = any(point.verdict is Verdict.CORRECT for point in result.points)
    return any(_is_unknown(point) for point in (given if certain else result.points))


def lacks_verdict(point: PointOutcome) -> bool:
    """Whether a point has no verdict, or is a kink of which it is not known what may be claimed."""
    return point.verdict is Verdict.UNDECIDED or (
        point.kink is not None and point.kink.admissible is None and _is_unknown(point)
    )


def _is_unknown(point: PointOutcome) -> bool:
    admissible = point.kink is not None and point.kink.admissible
    return point.verdict is Verdict.KINK and not admissible
