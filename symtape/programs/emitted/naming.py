"""Names: of variables the user's where they are known, else ``t1, t2, ...``; of constant arrays."""

from __future__ import annotations

import itertools
import keyword
from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.freeze import hashable
from symtape.programs.notation.names import arrays_around

_MOST: Final = 4096
"""Numbers in one array that is written out."""


class Constants:
    """The constant arrays of a program.

    Parameters
    ----------
    function : callable
        Of the user; its globals and what it closes over have names.
    fresh : callable ``(name) -> name``
        A name that nothing else has.

    Attributes
    ----------
    named : list of (name, array)
        Those that were asked for, in order.
    """

    def __init__(self, function: Callable[..., Any], fresh: Callable[[str], str]) -> None:
        self.named: list[tuple[str, Any]] = []
        self._known: dict[Any, str] = {}
        self._fresh = fresh
        self._users = _arrays_around(function)

    def name(self, array: Any) -> str:
        """The name of an array.

        Raises
        ------
        Unsupported
            It has too many numbers to be written out.
        """
        array = np.asarray(array)
        key = hashable(array)
        if key not in self._known:
            users = self._users.get(_bytes(array))
            if array.size > _MOST:
                called = f" ({users})" if users else ""
                raise Unsupported(
                    f"an array{called} of {array.size} numbers is part of the function, too many "
                    "to be written out; give it to the function as an argument"
                )
            self._known[key] = self._fresh((users or "c").upper())
            self.named.append((self._known[key], array))
        return self._known[key]


def _bytes(array: Any) -> Any:
    return array.shape, array.tobytes(), array.dtype.kind


def _arrays_around(function: Callable[..., Any]) -> dict[Any, str]:
    return {
        _bytes(value): name.strip("_")
        for name, value in arrays_around(function).items()
        if isinstance(value, np.ndarray) and value.dtype.kind in "fiub" and name.strip("_")
    }


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
