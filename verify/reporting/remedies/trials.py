"""Remedies: the line that rules a degenerate point out, the one that fixes the code, the program.

Each is tried at the points that fail before it is told: what is printed works when it is followed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from verify.model.case import name_function
from verify.model.result import PointOutcome, Result
from verify.model.result import Remedy as Remedy
from verify.model.verdict import Verdict
from verify.regions import Region
from verify.regions.directions import RegionWithDirections
from verify.regions.written import Restriction, restrictions
from verify.reporting.remedies.programs import passes, program
from verify.reporting.remedies.rewriting import rewritings
from verify.reporting.remedies.scripts import script

_TRIED: Final = 4
"""Failing points at which a remedy is tried."""

_TRANSFORMS: Final = {"gradient": "grad", "jacobian": "jacobian", "hessian": "hessian"}
"""The tape's own, by the quantity."""


def remedies(result: Result) -> tuple[Remedy, ...]:
    """What to do about the points at which the claim fails; nothing where none of it helps.

    Examples
    --------
    >>> import numpy as np, verify
    >>> r = verify.gradient(np.abs, lambda x: x / np.abs(x), over=verify.box(-1, 1))
    >>> print(*remedies(r)[:2], sep="; ")
    over=verify.box(-1.0, 1.0).away_from(0.0); claimed=symtape.grad(absolute)
    >>> [remedy.kind for remedy in remedies(r)]
    ['rule out', 'fix', 'replace']
    """
    if not result.verdict.fails or result.case.claimed is None:
        return ()
    failing = result.failing
    degenerate = all(map(_is_degenerate, failing))
    ruled = _ruled_out(result, failing) if degenerate else None
    fixed = _find_fix(result, failing[:_TRIED]) if all(map(_is_slight, failing)) else None
    # A line that fixes the claim's own code says it shorter.
    worst = result.worst or failing[0]
    written = None if fixed and fixed.origin else program(result, worst)
    shown = script(result, worst)
    return tuple(remedy for remedy in (ruled, fixed, written, shown) if remedy is not None)


def _is_degenerate(point: PointOutcome) -> bool:
    """Whether there is no derivative, or the claim is no number there, or refuses."""
    worst = point.worst
    return point.kink is not None or worst is None or not math.isfinite(worst.claimed)


def _is_slight(point: PointOutcome) -> bool:
    """Whether the claim is one of the right quantity, with a formula that may well be right."""
    if point.worst is None:
        return point.kink is not None
    return _is_degenerate(point) or point.verdict is Verdict.INACCURATE


def _ruled_out(result: Result, failing: Sequence[PointOutcome]) -> Remedy | None:
    """The region without the failing points, and with as many of the others as can be."""
    region = result.case.over
    base: Region | None = region.base if isinstance(region, RegionWithDirections) else region
    if base is None:
        return None
    count = len(base.arguments)
    witness = failing[0]
    kept = [one for one in result.points if one.verdict in (Verdict.CORRECT, Verdict.KINK)]
    best: tuple[int, Restriction] | None = None
    for way in restrictions(base, witness.x[:count], witness.kink is not None):
        if any(_stays(way, one, count) for one in failing):
            continue
        lost = sum(not _stays(way, one, count) for one in kept)
        if best is None or lost < best[0]:
            best = lost, way
    if best is None:
        return None
    way = best[1]
    return Remedy("rule out", f"over={way.line}" if way.line else f"over=REGION{way.call}")


def _stays(way: Restriction, point: PointOutcome, count: int) -> bool:
    if way.imposed.condition.kinks:
        return point.kink is None
    return way.imposed.is_met(point.x[:count])


def _find_fix(result: Result, failing: Sequence[PointOutcome]) -> Remedy | None:
    """The first change of the claim after which it passes at the failing points."""
    claimed = result.case.claimed
    assert claimed is not None
    for changed in rewritings(claimed):
        if passes(result, changed.claimed, failing):
            return Remedy("fix", changed.line, changed.place)
    for written, tape in _iterate_tape_remedies(result):
        if passes(result, tape, failing):
            return Remedy("fix", f"claimed={written}")
    return None


def _iterate_tape_remedies(result: Result) -> Iterator[tuple[str, Callable[..., Any]]]:
    import symtape

    case = result.case
    name = _TRANSFORMS.get(case.quantity)
    function = name_function(case.function)
    if name is None or case.wrt is not None:
        return
    function = function if function.isidentifier() else "f"
    count = len(result.points[0].x)
    argnums = tuple(range(count)) if count > 1 else 0
    more = f", argnums={argnums}" if count > 1 else ""
    yield f"symtape.{name}({function}{more})", getattr(symtape, name)(case.function, argnums)
