"""How much a symbolic step may cost."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from symtape.errors import BudgetSpent


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


class Meter:
    """Watches a budget; `check` is called now and then with the present size."""

    __slots__ = ("_deadline", "_step", "budget")

    _EVERY = 512

    def __init__(self, budget: Budget | None) -> None:
        self.budget = budget or Budget()
        self.restart("the symbolic step")

    def restart(self, step: str) -> None:
        """Begin a step with the whole of its time."""
        self._step = step
        self._deadline = time.monotonic() + self.budget.seconds

    def check(self, size: int) -> int:
        """Raise if the budget is spent; otherwise the size at which to ask again."""
        limit = self.budget.statements
        if limit is not None and size >= limit:
            raise BudgetSpent(
                f"{self._step} has reached its budget of {limit} statements; raise "
                "Budget(statements=...), or take a smaller computation"
            )
        if time.monotonic() > self._deadline:
            raise BudgetSpent(
                f"{self._step} has used up its budget of {self.budget.seconds:g} seconds at "
                f"{size} statements; raise Budget(seconds=...), or take a smaller computation"
            )
        following = size + self._EVERY
        return following if limit is None else min(following, limit)
