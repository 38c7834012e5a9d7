"""Code without a reading in balls: nothing is known of its rule, only what it returned.

What is within rounding stands, and what is grossly off is refuted. In between an operation that
nobody can follow may itself be less exact than its arguments allow, and nothing is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from verify.comparison import LEAST_POWER
from verify.witnesses.closed_form import Truth
from verify.witnesses.float_value import Allowance

__all__ = ["grossly"]


def grossly(allowed: Allowance, claimed: Sequence[Any], truth: Truth) -> Allowance:
    """`allowed`, or a thousandth of the largest entry if that is more.

    Parameters
    ----------
    allowed : Allowance
        What rounding may cost.
    claimed : sequence of float arrays
    truth : Truth
        If all of it is 0 there is no measure, and everything is allowed.
    """
    exact = max((_largest(_middles(part)) for part in truth.parts), default=0.0)
    size = max([exact, *(_largest(part) for part in claimed)])
    least = LEAST_POWER * size if exact else np.inf
    return Allowance([np.maximum(part, least) for part in allowed.parts], allowed.conditioned)


def _middles(part: Any) -> Any:
    return np.asarray(np.frompyfunc(lambda ball: float(ball.mid()), 1, 1)(part), dtype=float)


def _largest(part: Any) -> float:
    sizes = np.abs(np.asarray(part, dtype=float))
    return float(np.max(sizes[np.isfinite(sizes)], initial=0.0))
