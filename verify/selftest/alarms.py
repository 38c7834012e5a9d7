"""Right claims, at awkward points as well: none of them may be called wrong or inaccurate.

What counts as right is settled before the verifier is asked, by a reference that shares nothing
with it: difference quotients of the function itself in mpmath (:mod:`verify.oracles.recheck`). A
claim is taken where every entry of it is within 4 units in the last place of the reference, or
within what a perturbation of the arguments by as much would cost. Where it is not, or there is no
quotient, the pair is not taken, whatever the verdict would be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np
from mpmath import mp

import symtape
from symtape.graph.graph import Graph
from symtape.primitives.primitive import PRIMITIVES, Primitive
from symtape.primitives.vocabulary import examples, moving_inputs, vocabulary
from symtape.recording.structure import flatten
from verify.claimants.claim import claim_of, fresh
from verify.model.case import Case
from verify.model.quantity import Quantity
from verify.oracles.recheck.differences import BRIEF, QUICK, Functional, settle_quotient
from verify.oracles.recheck.opinion import is_slow
from verify.selftest.functions import FUNCTIONS
from verify.selftest.outcome import Pair
from verify.selftest.points import generator, is_differentiable_at, move_inputs, replace_input
from verify.suites.primitives import cases_at

_ULPS: Final = 4
_AWKWARD: Final = (
    *(1e-300, 1e-20, 1e-8, 0.1, 1 - 2.0**-53, 1 + 2.0**-52, 1.5, 3.0, 10.0, 19.0, 37.5, 88.0),
    *(300.0, 700.0, 1e8, 1e100),
)
"""Absolute values near 0, near where functions turn, and far out."""


def try_row(name: str, keep: Callable[[str], bool], seed: int) -> list[Pair]:
    """The tape's derivative of a row, at its examples, near them, and at awkward points."""
    vocabulary()
    row = PRIMITIVES[name]
    found = []
    for case in _row_cases(row, seed):
        dtype = np.result_type(*map(np.asarray, case.at[0])).name
        if keep(case.id):
            found.append(try_claim(case, f"tape on rows, {dtype}"))
    return found


def _row_cases(row: Primitive, seed: int) -> Iterator[Case]:
    draw = generator(seed, f"alarms {row.name}")
    for number, (inputs, params) in enumerate(examples(row), 1):
        stem = f"{row.name}.{number}"
        yield from cases_at(row, inputs, params, f"{stem} example")
        for dtype in (np.float32, np.float16):
            yield from _iterate_cases_in_dtype(
                row, inputs, params, dtype, f"{stem} {np.dtype(dtype).name}"
            )
        for k, scale in enumerate((0.02, 0.1, 0.3, 1.0)):
            moved = move_inputs(row, inputs, draw, scale)
            if is_differentiable_at(row, moved, params):
                yield from cases_at(row, moved, params, f"{stem} near {k}")
                yield from _iterate_cases_in_dtype(
                    row, moved, params, np.float32, f"{stem} float32 near {k}"
                )
        if row.elementwise:
            yield from _awkward(row, inputs, params, stem)


def _awkward(
    row: Primitive, inputs: tuple[Any, ...], params: dict[str, Any], stem: str
) -> Iterator[Case]:
    for place in moving_inputs(row, tuple(np.asarray(x) for x in inputs)):
        for value in (sign * size for size in _AWKWARD for sign in (1, -1)):
            moved = replace_input(inputs, place, _put(inputs[place], value))
            if is_differentiable_at(row, moved, params):
                name = f"{stem} {row.inputs[0 if row.variadic else place]}={value:.17g}"
                yield from cases_at(row, moved, params, name)


def _put(x: Any, value: float) -> Any:
    """`value` in the place of a number, or of the first element of an array."""
    if not np.ndim(x):
        return value
    array = np.array(x, dtype=np.float64)
    array.reshape(-1)[0] = value
    return array


def _iterate_cases_in_dtype(
    row: Primitive, inputs: tuple[Any, ...], params: dict[str, Any], dtype: Any, name: str
) -> Iterator[Case]:
    moving = moving_inputs(row, tuple(np.asarray(x) for x in inputs))
    cast = tuple(np.asarray(x, dtype)[()] if k in moving else x for k, x in enumerate(inputs))
    wide = tuple(np.asarray(x, float)[()] if k in moving else x for k, x in enumerate(cast))
    if is_differentiable_at(row, wide, params):
        yield from cases_at(row, cast, params, name)


_POINTS: Final = 8


def try_function(name: str, keep: Callable[[str], bool], seed: int) -> list[Pair]:
    """The derivative written by hand, and the tape's, at random points in two precisions."""
    problem = FUNCTIONS[name]
    found = []
    for number, point in enumerate(problem.points(generator(seed, f"alarms {name}"), _POINTS)):
        single = tuple(np.asarray(x, np.float32)[()] for x in point)
        for words, at in (("float64", point), ("float32", single)):
            for who, claim in (("by hand", problem.derivative), ("tape", None)):
                label = f"{name}, {who}, {words} #{number}"
                if keep(label):
                    case = problem.case([at], claim)
                    found.append(try_claim(case, f"{who}, {words}", label=label))
    return found


def try_claim(case: Case, group: str, *, label: str = "") -> Pair:
    """Verify one claim at one point, if it is right there."""
    from verify.judging.judge import verify_case

    label = label or case.id
    (point,) = case.at
    if doubt := doubtful(case, point):
        return Pair(label, group, "", doubt)
    try:
        outcome = verify_case(case).points[0]
    except Exception as error:  # noqa: BLE001
        # What stops the verifier on a right claim is counted, not lost.
        return Pair(label, group, "UNDECIDED", error=f"{type(error).__name__}: {error}")
    return Pair(label, group, outcome.verdict.value, outcome.message)


def doubtful(case: Case, point: tuple[Any, ...]) -> str:
    """Why a claim does not count as right at `point`; empty if difference quotients show it."""
    given = tuple(map(fresh, point))
    with np.errstate(all="ignore"):
        try:
            parts = _parts(case, given)
            spread = _spread(case, given, parts)
            graph = symtape.record(case.function, *given)
            near = all(
                _is_near(graph, case.claimed_quantity, given, argument, index, claimed, cost)
                for argument, (part, costs) in enumerate(zip(parts, spread, strict=True))
                for index, claimed, cost in _entries(part, costs)
            )
        except Exception as error:  # noqa: BLE001
            # A claim whose reference stops is not known to be right.
            return f"its reference stopped with {type(error).__name__}: {error}"
    return "" if near else "it is not within 4 units in the last place of its reference"


def _entries(part: Any, costs: Any) -> Iterator[tuple[tuple[int, ...], Any, float]]:
    spread = np.broadcast_to(costs, part.shape)
    for index in np.ndindex(part.shape):
        yield index, part[index], float(spread[index])


def _is_near(
    graph: Graph,
    quantity: Quantity,
    point: tuple[Any, ...],
    argument: int,
    index: tuple[int, ...],
    claimed: Any,
    cost: float,
) -> bool:
    if not np.isfinite(claimed):
        return False
    functional = Functional(graph, quantity, point, argument, index)
    found, digits = settle_quotient(functional, None, stages=BRIEF if is_slow(graph) else QUICK)
    with mp.workdps(digits):
        nearest = np.asarray(float(found.value), claimed.dtype)
        allowed = _ULPS * float(np.spacing(np.abs(nearest))) + cost
        return bool(abs(found.value - mp.mpf(float(claimed))) + found.error <= allowed)


def _parts(case: Case, point: tuple[Any, ...]) -> list[Any]:
    return [np.asarray(part) for part in flatten(claim_of(case).derivative(*point))]


def _spread(case: Case, point: tuple[Any, ...], parts: Sequence[Any]) -> list[Any]:
    """What moving each argument by a relative ``4 u`` would do to each entry, twice over."""
    unit = float(np.finfo(parts[0].dtype).eps) / 2
    relative = max(2.0**-20, 64 * unit)
    wide = tuple(np.asarray(x, np.float64)[()] for x in point)
    base = [np.asarray(part, np.float64) for part in _parts(case, wide)]
    total = [np.zeros(np.shape(part)) for part in base]
    for sign in (1, -1):
        for pattern in (1, -1):
            moved = tuple(x * (1 + sign * relative * _pattern(x, pattern)) for x in wide)
            for k, part in enumerate(_parts(case, moved)):
                total[k] = total[k] + np.abs(part - base[k])
    return [2 * _ULPS * t * unit / relative for t in total]


def _pattern(x: Any, pattern: int) -> Any:
    """1 everywhere, or of alternating signs."""
    size = int(np.size(x))
    signs = np.ones(size) if pattern == 1 else (-1.0) ** np.arange(size)
    return signs.reshape(np.shape(x))[()]
