"""Severity: how much a failure matters, so that findings are told in the order of consequence.

An error of the derivative matters by what it does to a step: moving an input by its own size
changes the first-order prediction of the function by ``|error| * |x|``. Beside the size of the
function's value, or of the prediction itself, that is the consequence; what is below the last
digit of the value is a matter of principle more than of practice.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from verify.model.result import PointOutcome
from verify.model.verdict import Verdict

_BY_VERDICT: Final = {Verdict.WRONG: 1.0, Verdict.INACCURATE: 0.5}
"""A rule that is right in theory is the lesser fault of two with the same effect."""


def severity(outcome: PointOutcome, value: Any = 0.0) -> float:
    """How grave the failure at a point is, from 0 (none) to 1.

    The `value` is the function's, at the point.

    Returns
    -------
    float
        The relative error of the worst entry, at most 1, times how far its effect on a
        prediction of the value rises above the value's last digit: 1 where that effect is as
        large as the value.

    Examples
    --------
    >>> from verify.model.result import Entry
    >>> def failing(claimed, exact):
    ...     relative = abs(claimed / exact - 1)
    ...     worst = Entry(0, (), claimed, str(exact), str(exact), 9.0, 1.0, relative)
    ...     return PointOutcome.from_judgement((np.float64(2.0),), Verdict.WRONG, worst=worst)
    >>> severity(failing(-1.0, 1.0), 1.0)
    1.0
    >>> severity(failing(0.0, 1e-300), 1.0) < 1e-3
    True
    """
    weight = _BY_VERDICT.get(outcome.verdict, 0.0)
    if not weight or outcome.worst is None:
        return weight
    worst = outcome.worst
    exact = (float(worst.lower) + float(worst.upper)) / 2
    error = abs(worst.claimed - exact)
    if worst.exactly:
        # Of a rule in exact arithmetic, which floats may not be able to show.
        error = worst.relative * (abs(exact) or 1.0)
    if not math.isfinite(error):
        return weight
    relative = min(1.0, abs(worst.relative)) if math.isfinite(worst.relative) else 1.0
    return weight * relative * _prominence(error * _reach(outcome.x), exact, value)


def _reach(x: tuple[Any, ...]) -> float:
    """How far a step of the point's own size goes; at least 1 where that is the natural scale."""
    sizes = [float(np.max(np.abs(np.asarray(part, dtype=float)), initial=0.0)) for part in x]
    return max([1.0, *sizes])


def _prominence(effect: float, exact: float, value: Any) -> float:
    """How far `effect` rises above the last digit of the value, on a scale of logarithms."""
    sizes = np.abs(np.asarray(value, dtype=float))
    size = max(float(np.max(sizes, initial=0.0)), abs(exact))
    if not math.isfinite(size) or size == 0 or effect >= size:
        return 1.0
    if effect == 0:
        return 0.0
    digits = math.log2(size) - math.log2(effect)
    return max(1 - digits / 53, 2.0**-60 * max(0.0, 1 - digits / 2200))
