"""Right claims, at awkward points as well: none of them may be called wrong or inaccurate.

What counts as right is settled before the verifier is asked, by a reference that shares nothing
with it: the difference quotient ``(f(x + t) - f(x - t)) / 2 t`` of the function itself in balls
of 700 bits, with ``t`` about ``2**-120 min(x, 1)``. A claim is taken where every entry of it is
within 4 units in the last place of the reference, or within what a perturbation of the arguments
by as much would cost. Where it is not, or the quotient has no enclosure, the pair is not taken,
whatever the verdict would be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np
from flint import arb

import symtape
from symtape.precision import precision
from symtape.primitives.primitive import PRIMITIVES, Primitive
from symtape.recording.structure import flatten
from symtape.rigorous.enclose import enclose
from verify.cases import Case
from verify.claim import claim_of
from verify.selftest.functions import FUNCTIONS
from verify.selftest.outcome import Pair
from verify.selftest.points import defined, generator
from verify.suites.primitives import cases_at, examples, moving_inputs, vocabulary

__all__ = ["doubtful", "of_function", "of_row", "tried"]

_BITS: Final = 700
_STEP: Final = 2.0**-120
_ULPS: Final = 4
_AWKWARD: Final = (
    *(1e-300, 1e-20, 1e-8, 0.1, 1 - 2.0**-53, 1 + 2.0**-52, 1.5, 3.0, 10.0, 19.0, 37.5, 88.0),
    *(300.0, 700.0, 1e8, 1e100),
)
"""Absolute values near 0, near where functions turn, and far out."""


def of_row(name: str, keep: Callable[[str], bool], seed: int) -> list[Pair]:
    """The tape's derivative of a row, at its examples, near them, and at awkward points."""
    vocabulary()
    row = PRIMITIVES[name]
    found = []
    for case in _row_cases(row, seed):
        dtype = np.result_type(*map(np.asarray, case.at[0])).name
        if keep(case.id):
            found.append(tried(case, f"tape on rows, {dtype}", ours=True))
    return found


def _row_cases(row: Primitive, seed: int) -> Iterator[Case]:
    draw = generator(seed, f"alarms {row.name}")
    for number, (inputs, params) in enumerate(examples(row), 1):
        stem = f"{row.name}.{number}"
        yield from cases_at(row, inputs, params, f"{stem} example")
        for dtype in (np.float32, np.float16):
            yield from _in_dtype(row, inputs, params, dtype, f"{stem} {np.dtype(dtype).name}")
        for k, scale in enumerate((0.02, 0.1, 0.3, 1.0)):
            moved = _moved(row, inputs, draw, scale)
            if defined(row, moved, params):
                yield from cases_at(row, moved, params, f"{stem} near {k}")
                yield from _in_dtype(row, moved, params, np.float32, f"{stem} float32 near {k}")
        if row.elementwise:
            yield from _awkward(row, inputs, params, stem)


def _moved(row: Primitive, inputs: tuple[Any, ...], draw: Any, scale: float) -> tuple[Any, ...]:
    moving = moving_inputs(row, tuple(np.asarray(x) for x in inputs))
    return tuple(_shaken(x, draw, scale) if k in moving else x for k, x in enumerate(inputs))


def _shaken(x: Any, draw: Any, scale: float) -> Any:
    array = np.asarray(x, dtype=np.float64)
    return (array * (1 + scale * draw.uniform(-1, 1, array.shape)))[()]


def _awkward(
    row: Primitive, inputs: tuple[Any, ...], params: dict[str, Any], stem: str
) -> Iterator[Case]:
    for place in moving_inputs(row, tuple(np.asarray(x) for x in inputs)):
        for value in (sign * size for size in _AWKWARD for sign in (1, -1)):
            moved = tuple(_put(x, value) if k == place else x for k, x in enumerate(inputs))
            if defined(row, moved, params):
                name = f"{stem} {row.inputs[0 if row.variadic else place]}={value:.17g}"
                yield from cases_at(row, moved, params, name)


def _put(x: Any, value: float) -> Any:
    """`value` in the place of a number, or of the first element of an array."""
    if not np.ndim(x):
        return value
    array = np.array(x, dtype=np.float64)
    array.reshape(-1)[0] = value
    return array


def _in_dtype(
    row: Primitive, inputs: tuple[Any, ...], params: dict[str, Any], dtype: Any, name: str
) -> Iterator[Case]:
    moving = moving_inputs(row, tuple(np.asarray(x) for x in inputs))
    cast = tuple(np.asarray(x, dtype)[()] if k in moving else x for k, x in enumerate(inputs))
    wide = tuple(np.asarray(x, float)[()] if k in moving else x for k, x in enumerate(cast))
    if defined(row, wide, params):
        yield from cases_at(row, cast, params, name)


_POINTS: Final = 8


def of_function(name: str, keep: Callable[[str], bool], seed: int) -> list[Pair]:
    """The derivative written by hand, and the tape's, at random points in two precisions."""
    claimed = FUNCTIONS[name]
    found = []
    for number, point in enumerate(claimed.points(generator(seed, f"alarms {name}"), _POINTS)):
        single = tuple(np.asarray(x, np.float32)[()] for x in point)
        for words, at in (("float64", point), ("float32", single)):
            for who, claim in (("by hand", claimed.derivative), ("tape", None)):
                label = f"{name}, {who}, {words} #{number}"
                if keep(label):
                    case = claimed.case([at], claim)
                    found.append(tried(case, f"{who}, {words}", ours=claim is None, label=label))
    return found


def tried(case: Case, group: str, *, ours: bool, label: str = "") -> Pair:
    """Verify one claim at one point, if it is right there."""
    from verify.judge import verify_case

    label = label or case.id
    (point,) = case.at
    if doubt := doubtful(case, point):
        return Pair(label, group, "", doubt)
    try:
        outcome = verify_case(case).points[0]
    except Exception as error:
        return Pair(label, group, "UNDECIDED", error=f"{type(error).__name__}: {error}")
    return Pair(label, group, outcome.verdict.value, outcome.message)


def doubtful(case: Case, point: tuple[Any, ...]) -> str:
    """Why a claim does not count as right at `point`; empty if the difference quotient shows it."""
    given = tuple(np.asarray(x)[()] if _floating(x) else np.asarray(x, float)[()] for x in point)
    with np.errstate(all="ignore"):
        try:
            parts = _parts(case, given)
            spread = _spread(case, given, parts)
            near = all(
                _near(claimed, exact, cost)
                for claimed, exact, cost in zip(parts, reference(case, given), spread, strict=True)
            )
        except Exception as error:
            return f"its reference stopped with {type(error).__name__}: {error}"
    return "" if near else "it is not within 4 units in the last place of its reference"


def _floating(x: Any) -> bool:
    return np.asarray(x).dtype.kind == "f"


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


def _near(claimed: Any, exact: Any, cost: Any) -> bool:
    if claimed.shape != exact.shape:
        return False
    with precision(_BITS):
        for value, ball, extra in zip(claimed.ravel(), exact.ravel(), np.ravel(cost), strict=True):
            if not np.isfinite(value) or not ball.is_finite():
                return False
            nearest = np.asarray(float(ball.mid()), claimed.dtype)
            allowed = _ULPS * float(np.spacing(np.abs(nearest))) + float(extra)
            if not abs(ball - arb(float(value))).upper() <= allowed:
                return False
    return True


def reference(case: Case, point: tuple[Any, ...]) -> list[Any]:
    """The derivative by difference quotients in balls; one object array for each part."""
    if case.quantity == "hessian":
        return [_second(case.function, point)]
    return [_slopes(case.function, point, k) for k in range(len(point))]


def _slopes(function: Callable[..., Any], point: tuple[Any, ...], place: int) -> Any:
    x = np.asarray(point[place])
    found = []
    for index in np.ndindex(x.shape):
        along = _direction(x, index)

        def moved(t: Any, along: Any = along) -> Any:
            return function(*(a + t * along if k == place else a for k, a in enumerate(point)))

        found.append(_quotient(moved, _step(x[index])))
    columns = np.stack(found, axis=-1) if x.shape else found[0]
    return columns.reshape(columns.shape[:-1] + x.shape) if x.shape else columns


def _direction(x: Any, index: tuple[int, ...]) -> Any:
    along = np.zeros(x.shape, np.float64)
    along[index] = 1
    return along[()]


def _step(x: Any) -> float:
    """A power of 2 that is small beside `x`, and beside what functions turn by."""
    exponent = int(np.frexp(float(x))[1]) if x else 0
    return float(np.ldexp(_STEP, min(max(exponent, -900), 0)))


def _quotient(function: Callable[[Any], Any], step: float) -> Any:
    graph = symtape.record(function, np.float64(0.0))
    (above,), (below,) = enclose(graph, [step], _BITS), enclose(graph, [-step], _BITS)
    with precision(_BITS):
        return np.asarray((above - below) / arb(2 * step), dtype=object)


def _second(function: Callable[..., Any], point: tuple[Any, ...]) -> Any:
    (x,) = (np.asarray(a) for a in point)
    size = len(x)
    found = np.empty((size, size), dtype=object)
    step = arb(_STEP)
    for i in range(size):
        for j in range(size):
            a, b = _direction(x, (i,)), _direction(x, (j,))

            def moved(s: Any, t: Any, a: Any = a, b: Any = b) -> Any:
                return function(x + s * a + t * b)

            graph = symtape.record(moved, np.float64(0.0), np.float64(0.0))
            with precision(_BITS):
                corners = [
                    enclose(graph, [s * _STEP, t * _STEP], _BITS)[0][()] * (s * t)
                    for s in (1, -1)
                    for t in (1, -1)
                ]
                found[i, j] = sum(corners[1:], corners[0]) / (4 * step * step)
    return found
