"""An operation on floats, of which programs of machine numbers are made."""

from __future__ import annotations

from typing import Any, Final, NamedTuple


class Operation(NamedTuple):
    """One operation on floats.

    Attributes
    ----------
    code : str
        ``fadd`` and the like, ``and`` and the like of truth values; ``fcmp``, ``call`` or ``test``
        with what follows; ``input``, ``constant``, ``select``, ``uitofp``, ``guard`` or ``store``.
    inputs : tuple of int
        Operations.
    static : tuple
        Of an input and a store the array and the place in it, of a constant its value, of a guard
        the outcome.
    """

    code: str
    inputs: tuple[int, ...] = ()
    static: tuple[Any, ...] = ()


make_tuple: Final = tuple.__new__
"""What makes an operation in half of the time that the constructor of its class takes."""
