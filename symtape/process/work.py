"""Work: elementary steps, counted where they are done, so that limits hold alike on every machine.

Engines charge what a step costs, in operations: about a microsecond's worth on a machine of 2020,
by the sizes of graphs and programs and never by a clock. Who limits the work of a call says what
is to be told when it is spent. Python's collector of cycles stands aside of the largest work.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import math
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import ParamSpec, TypeVar

from symtape.errors import BudgetSpent

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Work:
    """An amount of work, spent in parts.

    Parameters
    ----------
    most : float
        How much may be done, in the unit of whoever spends it.
    task : str
        What it is for, in the error's words.

    Attributes
    ----------
    spent : float
        How much was done so far.

    Examples
    --------
    >>> work = Work(1000, "exact arithmetic")
    >>> work.spend(600)
    >>> work.left
    400
    >>> work.spend(600)
    Traceback (most recent call last):
        ...
    symtape.errors.BudgetSpent: exact arithmetic takes more than its 1,000 units of work
    """

    __slots__ = ("most", "spent", "task")

    def __init__(self, most: float, task: str) -> None:
        self.most = most
        self.task = task
        self.spent: float = 0

    @property
    def left(self) -> float:
        """How much may still be done; below 0 where more was asked for."""
        return self.most - self.spent

    def spend(self, amount: float) -> None:
        """Do so much more.

        Raises
        ------
        BudgetSpent
            There is not so much left.
        """
        self.spent += amount
        if self.spent > self.most:
            raise BudgetSpent(f"{self.task} takes more than its {self.most:,.0f} units of work")


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
        More than the limit allows.
    """
    work = _CURRENT.get()
    if work is not None:
        work.spend(operations)


@contextlib.contextmanager
def meter_work(most: float = math.inf, task: str = "this step") -> Iterator[Work]:
    """Count the work inside, and let no more than `most` operations be done.

    Limits nest: what is done inside counts outside as well, and an inner limit never allows more
    than the outer one has left.

    Parameters
    ----------
    most : float
        Operations.
    task : str
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
    >>> with meter_work(100, "the example") as work:
    ...     charge(40)
    >>> work.spent, work.left
    (40, 60)
    """
    outer = _CURRENT.get()
    inner = Work(most, task)
    if outer is not None and outer.left < most:
        inner = Work(max(outer.left, 0), outer.task)
    token = _CURRENT.set(inner)
    try:
        yield inner
    finally:
        _CURRENT.reset(token)
        if outer is not None:
            outer.spent += inner.spent


@contextlib.contextmanager
def suspend_meter() -> Iterator[None]:
    """Count no work inside: what is kept for the process costs one caller, and others nothing.

    Examples
    --------
    >>> with meter_work(100, "the example") as work, suspend_meter():
    ...     charge(400)
    >>> work.spent
    0
    """
    token = _CURRENT.set(None)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def suspend_collector(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Let `function` run without a look for cycles.

    Statements are tuples that hold no cycles, and balls are no containers; the collector would
    walk through all of them again and again as they become more, which costs as much as making
    them.

    Examples
    --------
    >>> suspend_collector(gc.isenabled)(), gc.isenabled()
    (False, True)
    """

    @functools.wraps(function)
    def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        enabled = gc.isenabled()
        gc.disable()
        try:
            return function(*args, **kwargs)
        finally:
            if enabled:
                gc.enable()

    return call
