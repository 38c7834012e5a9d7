"""Whether function and claim answer the same to the same, asked twice at a few of the points."""

from __future__ import annotations

from typing import Any, Final

from symtape.errors import BudgetSpent
from verify.claimants.claim import Claim
from verify.claimants.determinism import unsteady, written_argument
from verify.errors import NotAFunction

_FIRST: Final = 2
"""Points at which both are asked twice in any case."""

_FAILING: Final = 4
"""Failing points at which they are asked twice besides."""

_ON_A_COPY: Final = (
    "the function changes its argument {0} in place, for its caller as well; it was judged by what "
    "it returns when it works on a copy, as {0} = {0}.copy() gives it"
)


class Repeatability:
    """Counts the points at which function and claim were asked twice.

    Parameters
    ----------
    claim : Claim
    operations : int
        Most to record of the function.
    """

    def __init__(self, claim: Claim, operations: int) -> None:
        self._claim = claim
        self._operations = operations
        self._first = self._failing = 0

    def is_due(self) -> bool:
        """Whether to ask twice at the next point, as one of the first."""
        self._first += 1
        return self._first <= _FIRST

    def is_due_where_it_fails(self) -> bool:
        """Whether to ask twice at the next point that fails."""
        self._failing += 1
        return self._failing <= _FAILING

    def check_function(self, x: tuple[Any, ...]) -> str:
        """Refuse a function without a single value at `x`; words if it writes into it.

        Raises
        ------
        NotAFunction
        """
        with self._claim.calls.limit_call("the function", x, BudgetSpent):
            words = unsteady(self._claim.function, x, self._operations)
            written = "" if words else written_argument(self._claim.function, x)
        if words:
            raise NotAFunction(words, x)
        return _ON_A_COPY.format(written) if written else ""
