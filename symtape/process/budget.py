"""How much a symbolic step may cost."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """What a derivation, or a claim that is verified, may cost.

    Parameters
    ----------
    seconds : float
        The time limit for each symbolic step (shadow, gradient, Jacobian, Hessian), and for the
        verification of one claim.
    statements : int, optional
        Most statements in the program, all steps together; None for any number.

    Examples
    --------
    >>> Budget(seconds=5, statements=100_000)
    Budget(seconds=5, statements=100000)
    """

    seconds: float = math.inf
    statements: int | None = None
