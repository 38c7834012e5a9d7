"""Work, counted: what is computed, and what is said, follows from it and from no clock."""

from __future__ import annotations

from symtape.errors import BudgetSpent

__all__ = ["Work"]


class Work:
    """An amount of work, spent in parts.

    Parameters
    ----------
    most : float
        How much there is, in the unit of whoever spends it.
    task : str
        What it is for.

    Examples
    --------
    >>> work = Work(1000, "exact arithmetic")
    >>> work.spend(600)
    >>> work.left
    400
    >>> work.spend(600)
    Traceback (most recent call last):
        ...
    symtape.errors.BudgetSpent: exact arithmetic takes more than its 1000 units of work
    """

    __slots__ = ("left", "most", "task")

    def __init__(self, most: float, task: str) -> None:
        self.most = most
        self.left = most
        self.task = task

    def spend(self, amount: int) -> None:
        """Take `amount` of what is left.

        Raises
        ------
        BudgetSpent
            There is not so much left.
        """
        self.left -= amount
        if self.left < 0:
            raise BudgetSpent(f"{self.task} takes more than its {self.most:.15g} units of work")
