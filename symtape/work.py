"""Work: elementary steps, counted where they are done, so that limits hold alike on every machine.

Engines charge what a step costs, in operations: about a microsecond's worth on a machine of 2020,
by the sizes of graphs and programs and never by a clock. Who limits the work of a call says what
is to be told when it is spent.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from contextvars import ContextVar

from symtape.errors import BudgetSpent

__all__ = ["Work", "charge", "limited"]


class Work:
    """Operations done under one limit.

    Parameters
    ----------
    limit : float
        Most operations.
    what : str
        What does them, for the error's words.

    Attributes
    ----------
    spent : float
        Operations done so far.
    """

    __slots__ = ("limit", "spent", "what")

    def __init__(self, limit: float, what: str) -> None:
        self.limit = limit
        self.what = what
        self.spent = 0.0

    @property
    def left(self) -> float:
        """Operations that may still be done."""
        return self.limit - self.spent


_CURRENT: ContextVar[Work | None] = ContextVar("work", default=None)


def charge(operations: float) -> None:
    """Count operations against the limit in force; without one this does nothing.

    Parameters
    ----------
    operations : float
        About microseconds, from sizes.

    Raises
    ------
    BudgetSpent
        More than the limit allows; says what was done and how many operations it was given.
    """
    work = _CURRENT.get()
    if work is None:
        return
    work.spent += operations
    if work.spent > work.limit:
        raise BudgetSpent(f"{work.what} takes more than {work.limit:,.0f} operations")


@contextlib.contextmanager
def limited(limit: float = math.inf, what: str = "this step") -> Iterator[Work]:
    """Count the work inside, and let no more than `limit` operations be done.

    Limits nest: what is done inside counts outside as well, and an inner limit never allows more
    than the outer one has left.

    Parameters
    ----------
    limit : float
        Most operations.
    what : str
        What does them: "judging this point".

    Yields
    ------
    Work

    Raises
    ------
    BudgetSpent
        From :func:`charge`.

    Examples
    --------
    >>> with limited(100, "the example") as work:
    ...     charge(40)
    >>> work.spent, work.left
    (40.0, 60.0)
    >>> with limited(100, "the example"):
    ...     charge(140)
    Traceback (most recent call last):
    ...
    symtape.errors.BudgetSpent: the example takes more than 100 operations
    """
    outer = _CURRENT.get()
    inner = Work(limit, what)
    if outer is not None and outer.left < limit:
        inner.limit, inner.what = max(outer.left, 0.0), outer.what
    token = _CURRENT.set(inner)
    try:
        yield inner
    finally:
        _CURRENT.reset(token)
        if outer is not None:
            outer.spent += inner.spent
