"""Orders of families of functions, as the rigorous readings get them: balls of one integer."""

from __future__ import annotations

from typing import Any

from symtape.errors import Unsupported


def whole_order(order: Any) -> int:
    """The integer that a ball is.

    Raises
    ------
    Unsupported
        It is none, or one of several.
    """
    whole = order.unique_fmpz()
    if whole is None:
        raise Unsupported(f"the order {order} is no integer, or undecided between several")
    return int(whole)
