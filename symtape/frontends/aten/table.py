"""The table: what each ATen operation means in NumPy.

A reading takes what the operation takes, in the order and by the names of its ATen schema, with
arrays or Tensors for its tensors and NumPy dtypes for its dtypes, and returns what it returns. It
is found by the name of the operation, ``"sum"``, or of one overload, ``"max.dim"``; an operation
that works in place, ``add_``, is read as the one that does not. An operation without a reading is
read as torch decomposes it, if it does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from symtape.errors import Unreadable


@dataclass(frozen=True, slots=True)
class Reading:
    """What an operation means.

    Attributes
    ----------
    function : callable
    promotes : bool
        Its array arguments are taken to one dtype, that of the result, as ATen does.
    sees : bool
        It is given, as ``seen``, what torch has computed.
    takes_withheld : bool
        It knows what to do with results that are withheld.
    """

    function: Callable[..., Any]
    promotes: bool = False
    sees: bool = False
    takes_withheld: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """What torch has computed, for readings that follow its choices.

    Attributes
    ----------
    contiguous : bool
        Whether the first argument lies in memory row by row.
    results : tuple of arrays
    """

    contiguous: bool
    results: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class WithheldResult:
    """A result that is seldom needed, as the LU factors of a matrix, and made when it is.

    Attributes
    ----------
    words : str
        What it is.
    of : Any
        What it was made from.
    make : callable, optional
        Makes it; without one it cannot be used.
    """

    words: str
    of: Any = None
    make: Callable[[], Any] | None = None

    def result(self) -> Any:
        """The result itself."""
        if self.make is None:
            raise NotImplementedError(f"{self.words} cannot be followed")
        return self.make()


READINGS: Final[dict[str, Reading]] = {}
"""Every reading, by the name of its operation or overload."""

REFUSED: Final[dict[str, str]] = {}
"""Operations that are known and not read, with the reason."""


def reads(
    *names: str, promotes: bool = False, sees: bool = False, takes_withheld: bool = False
) -> Callable[[Callable[..., Any]], Any]:
    """Declare that a function is the reading of the operations `names`; a decorator."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            _add(name, Reading(function, promotes, sees, takes_withheld))
        return function

    return declare


def elementwise(rows: Mapping[str, Callable[..., Any]]) -> None:
    """Declare readings that act on each element alone."""
    for name, function in rows.items():
        _add(name, Reading(function, promotes=True))


def declare_elementwise(module: Any, *names: str) -> None:
    """Declare that operations act on each element as the functions of their names in `module`."""
    elementwise({name: getattr(module, name.removeprefix("special_")) for name in names})


def refuse(reason: str, *names: str) -> None:
    """Declare that the operations `names` are not read, and why."""
    for name in names:
        REFUSED[name] = reason


def _add(name: str, reading: Reading) -> None:
    if name in READINGS:
        raise ValueError(f"ATen operation read twice: {name}")
    READINGS[name] = reading


def unreadable(name: str, place: str, reason: str = "") -> Unreadable:
    """The error that says what cannot be read, where, and what still can be done."""
    why = f": {reason}" if reason else " has no reading in symtape"
    return Unreadable(
        f"torch's operation {name}{f' at {place}' if place else ''}{why}; give the function "
        "in NumPy, or pass evidence='sampled'"
    )
