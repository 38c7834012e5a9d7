"""Names of variables: the user's where they are known, else ``t1, t2, ...``."""

from __future__ import annotations

import itertools
import keyword
from collections.abc import Iterable


class Names:
    """Names that are taken, and free ones.

    Parameters
    ----------
    taken : iterable of str
    reserved : callable, optional
        Whether a name is a word of the language; by default of Python.

    Examples
    --------
    >>> names = Names(["x"])
    >>> names.fresh("x"), names.fresh("x"), names.fresh("lambda"), names.fresh(), names.fresh()
    ('x2', 'x3', 'lambda2', 't1', 't2')
    """

    def __init__(self, taken: Iterable[str], reserved: frozenset[str] = frozenset()) -> None:
        self._taken = {*taken, *reserved, *keyword.kwlist}
        self._numbers = itertools.count(1)

    def fresh(self, wanted: str = "") -> str:
        """A name that is free: `wanted`, or with a number."""
        if not wanted:
            return next(name for k in self._numbers if self._take(name := f"t{k}"))
        if self._take(wanted):
            return wanted
        return next(name for k in itertools.count(2) if self._take(name := f"{wanted}{k}"))

    def _take(self, name: str) -> bool:
        free = name not in self._taken
        self._taken.add(name)
        return free
