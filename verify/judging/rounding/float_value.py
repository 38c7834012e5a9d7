"""What honest rounding may return: model balls of the derivative's own program, and conditioning.

A model ball encloses every value that a float evaluation of the recorded program may give.
Where balls widen too much to say anything (long loops, cancellation), the first-order effect
of one rounding in every input and every statement of the closed form takes over: it is what the
problem's own conditioning costs any program. Factorisations of matrices, which no program can do
element by element, add what their backward error costs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Graph
from symtape.process.work import suspend_collector
from symtape.rigorous.adjoint import adjoint_bound
from symtape.rigorous.backward_error import FLUSHED, backward_stable, is_xla
from symtape.rigorous.rounding import model
from symtape.symbolic.conditioning import bound_rounding_errors
from verify.judging.rounding.tolerances import FEW, LIMIT, LINEAR, NARROW, ORDERS, SEVERAL, TIGHT
from verify.oracles.closed_form import Truth

Allowance: TypeAlias = list[Any]
"""How far from the exact derivative honest floats may be: absolute, an array for each part."""


@suspend_collector
def allowance(
    program: Graph,
    point: Sequence[Any],
    truth: Truth,
    unit: float,
    tape: Callable[[], Graph] | None = None,
) -> Allowance:
    """What rounding may cost the derivative, by balls where they are narrow.

    Parameters
    ----------
    program : Graph
        The claim's own; for one that cannot be followed, that of symtape's tape.
    point : sequence of arrays
    truth : Truth
    unit : float
        Unit roundoff of the claim's dtype.
    tape : callable, optional
        The derivative of symtape's tape, for a program of somebody else's.
    """
    radii = _radii(program, point, truth)
    coarser = unit / unit_of(program)
    if coarser > 1:
        # Code that could not be followed computes in less precision than its stand-in here.
        costs = _costs(program, truth, point, unit)
        return [np.maximum(r * coarser, cost) for r, cost in zip(radii, costs, strict=True)]
    limit = max(NARROW, min(TIGHT * unit, LINEAR**2))
    narrow = [
        radius <= limit * _scales(part) for radius, part in zip(radii, truth.parts, strict=True)
    ]
    if all(np.all(flags) for flags in narrow):
        return radii
    wide = [~flags for flags in narrow]
    costs = _costs(program, truth, point, unit, wide)
    relative = _worst_relative(costs, truth.parts)
    costs = _add_curvature(costs, relative, truth.parts, radii)
    extra = _factorisations(program, point, truth)
    # What underflow may cost a result that is itself about to underflow.
    lost = _least_normal(unit) * (FLUSHED if is_xla() else 1.0)
    floor = [np.minimum(radius, lost) for radius in radii]
    chosen = [
        # A program may round a few times where the closed form does once, if its balls say so, and
        # lose of a stationary entry what the others lose: subtracting a mean does.
        np.where(
            flags,
            radius,
            np.maximum(
                np.maximum(cost + more, least),
                np.minimum(radius, np.maximum(ORDERS * cost, relative * _scales(part))),
            ),
        )
        for flags, radius, cost, more, least, part in zip(
            narrow, radii, costs, extra, floor, truth.parts, strict=True
        )
    ]
    zeros = _zero_allowances(tape or (lambda: program), point, truth, unit, costs)
    return [
        np.where(_zeros(part), np.maximum(bound, np.minimum(radius, zero)), bound)
        for part, bound, radius, zero in zip(truth.parts, chosen, radii, zeros, strict=True)
    ]


def _zero_allowances(
    tape: Callable[[], Graph],
    point: Sequence[Any],
    truth: Truth,
    unit: float,
    costs: Sequence[Any],
) -> Sequence[Any]:
    """What entries may cost that are zero: beside the largest, if there is one.

    Terms that cancel to zero in the closed form need not be the terms that cancel in floats. Where
    nothing at all is left of them, those of the tape say what zero is to be small beside.
    """
    scales = [float(np.max(_scales(part), initial=0.0)) for part in truth.parts]
    some = [float(np.max(cost, initial=0.0)) for cost in costs]
    least = unit * max(scales, default=0.0)
    if least or any(some):
        return [FEW * np.maximum(cost, least) for cost in costs]
    try:
        return [FEW * bound for bound in adjoint_bound(tape(), point)]
    except Unsupported:
        return costs


def widen_allowance(
    allowed: Allowance, program: Graph, point: Sequence[Any], truth: Truth, unit: float
) -> Allowance:
    """What any honest program may lose, whichever way it goes: the conditioning, a few roundings.

    Where that is large it excuses nothing: the stand-in has shown that there is a better way.
    """
    costs = _costs(program, truth, point, unit)
    scales = [_scales(exact) for exact in truth.parts]
    parts = [
        np.where(cost <= SEVERAL * unit * scale, np.maximum(part, cost), part)
        for part, cost, scale in zip(allowed, costs, scales, strict=True)
    ]
    few = min(2 * _steps(program), FEW) * unit
    return [np.maximum(part, few * scale) for part, scale in zip(parts, scales, strict=True)]


def margins(
    program: Graph, point: Sequence[Any], truth: Truth, unit: float
) -> list[tuple[Any, Any, Any]]:
    """What there is to measure errors by, for each part, before any tolerance multiplies it.

    Returns
    -------
    list of (radii, costs, roundings)
        The reach of the model balls of `program`, the conditioning of the closed form, and a
        rounding of each entry.
    """
    radii, costs = _radii(program, point, truth), _costs(program, truth, point, unit)
    roundings = [unit * _scales(part) for part in truth.parts]
    return list(zip(radii, costs, roundings, strict=True))


def _steps(program: Graph) -> int:
    """Operations that round, where nothing is known of them but how many there may be.

    In ``x * s * (1 - s)`` of a sigmoid that is nearly 1 the rounding of s counts x times, which
    neither a program without the subtraction nor the closed form shows.
    """
    return sum(node.primitive is not None and node.dtype.kind == "f" for node in program.nodes)


def bound_allowance(allowed: Allowance, truth: Truth, unit: float) -> Allowance:
    """`allowed`, with a few roundings where it is not known what rounding may cost."""
    return [
        np.where(np.isinf(part), np.maximum(FEW * unit * _scales(exact), floor), part)
        for part, exact, floor in zip(
            allowed, truth.parts, flush_allowance(truth, unit), strict=True
        )
    ]


def flush_allowance(truth: Truth, unit: float) -> list[Any]:
    """What entries may be off by that are themselves below the least normal number: all of it."""
    least = _least_normal(unit)
    return [np.where(_sizes(part) < least, least, 0.0) for part in truth.parts]


def _radii(program: Graph, point: Sequence[Any], truth: Truth) -> list[Any]:
    """How far the model balls reach; infinite where they cannot decide an order, as at a tie."""
    try:
        balls = model(program, point)
    except Unsupported:
        return [np.full(np.shape(part), np.inf) for part in truth.parts]
    return [distance(ball, exact) for ball, exact in zip(balls, truth.parts, strict=True)]


def unit_of(graph: Graph) -> float:
    """Unit roundoff of the least precise float type that a graph computes in; 0 of none."""
    dtypes = {node.dtype for node in graph.nodes if node.dtype.kind == "f"}
    return max((float(np.finfo(dtype).eps) for dtype in dtypes), default=0.0) / 2


def claimed_unit(graph: Graph, claimed: Sequence[Any]) -> float:
    """Unit roundoff of the least precise float type in the function or in what is claimed."""
    units = [float(np.finfo(part.dtype).eps) / 2 for part in claimed]
    return max(unit_of(graph), *units)


def _costs(
    program: Graph,
    truth: Truth,
    point: Sequence[Any],
    unit: float,
    only: Sequence[Any] | None = None,
) -> list[Any]:
    """The conditioning of the closed form; of the program itself where there is none.

    Of a limit half of the digits may be lost: the program is not defined at the point itself.
    """
    if truth.sizes is not None:
        return [unit**LIMIT * size for size in truth.sizes]
    if not truth.by_jets:
        return _conditioning_costs(truth, point, unit, only)
    try:
        coarser = max(unit / unit_of(program), 1.0)
        return [np.asarray(bound * coarser) for bound in adjoint_bound(program, point)]
    except Unsupported:
        return [np.full(part.shape, np.inf) for part in truth.parts]


def _conditioning_costs(
    truth: Truth, point: Sequence[Any], unit: float, only: Sequence[Any] | None = None
) -> list[Any]:
    """Of each part; where `only` (bool arrays) is False the cost is not asked for, and 0."""
    program, given = truth.shadow.program, truth.inputs(point)
    costs = []
    for number, ids in enumerate(truth.ids):
        wanted = np.ones(ids.shape, dtype=bool) if only is None else only[number]
        cost = np.zeros(ids.shape)
        if np.any(wanted):
            cost[wanted] = bound_rounding_errors(
                program, ids[wanted], given, unit, truth.statements or None
            )
            if truth.costs is not None:
                cost = np.where(wanted, np.maximum(cost, unit * truth.costs[number]), cost)
        costs.append(cost)
    return costs


def _worst_relative(costs: Sequence[Any], parts: Sequence[Any]) -> float:
    """What the costliest entry costs beside the largest."""
    largest = max((float(np.max(_scales(part), initial=0.0)) for part in parts), default=0.0)
    worst = max((float(np.max(cost, initial=0.0)) for cost in costs), default=0.0)
    return worst / largest if largest else 0.0


def _add_curvature(
    costs: list[Any], relative: float, parts: Sequence[Any], radii: Sequence[Any]
) -> list[Any]:
    """First-order costs, and what they leave out: an entry may be stationary, as the largest is.

    What rounding does to the others, relatively, it does to such an entry squared. Where all of
    them are lost in rounding, that says nothing, and only the model balls bound what is left out.
    """
    if relative > LINEAR:
        return [
            np.where(cost > 0, np.maximum(cost, radius), cost)
            for cost, radius in zip(costs, radii, strict=True)
        ]
    return [cost + relative**2 * _scales(part) for cost, part in zip(costs, parts, strict=True)]


def _least_normal(unit: float) -> float:
    limits = [np.finfo(dtype) for dtype in (np.float64, np.float32, np.float16)]
    return next(float(limit.smallest_normal) for limit in limits if limit.epsneg >= unit)


def _factorisations(program: Graph, point: Sequence[Any], truth: Truth) -> list[Any]:
    factorisations = backward_stable(program)
    if not factorisations:
        return [0.0] * len(truth.parts)
    try:
        return adjoint_bound(program, point, only=factorisations)
    except Unsupported:
        return [0.0] * len(truth.parts)


def distance(ball: Any, exact: Any) -> Any:
    """The farthest that a value in `ball` can be from `exact`, elementwise."""
    return np.asarray(np.frompyfunc(_farthest, 2, 1)(ball, exact), dtype=float)


def _farthest(ball: Any, exact: Any) -> float:
    gap = abs(ball - exact)
    return float(gap.upper()) if gap.is_finite() else float("inf")


def _sizes(part: Any) -> Any:
    return np.asarray(np.frompyfunc(_size, 1, 1)(part), dtype=float)


def _scales(part: Any) -> Any:
    """What errors are small beside: each entry itself; the largest, for one that may be zero."""
    sizes = _sizes(part)
    return np.where(sizes == 0, np.max(sizes, initial=0.0), sizes)


def _zeros(part: Any) -> Any:
    """Which entries are zero, as far as is known."""
    return np.asarray(np.frompyfunc(lambda ball: ball.contains(0), 1, 1)(part), dtype=bool)


def _size(ball: Any) -> float:
    return 0.0 if ball.contains(0) else abs(float(ball.mid()))
