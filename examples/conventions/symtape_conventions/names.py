"""Names that say of what they are the derivative, and by what: ``d2GE_dT2``, ``dV_dP``."""

from __future__ import annotations

import re
from typing import Final

_FIRST: Final = re.compile(r"d(?P<of>[A-Za-z]\w*?)_d(?P<by>T|P|V|rho|xs)")
_AGAIN: Final = re.compile(r"d(?P<order>[23])(?P<of>[A-Za-z]\w*?)_d(?P<by>T|P|V|rho)(?P=order)")
_MIXED: Final = re.compile(r"d2(?P<of>[A-Za-z]\w*?)_d(?P<first>T|P|V|rho)d(?P<by>T|P|V|rho|xs)")
_FRACTIONS: Final = {"d2{}_dxixjs": "d{}_dxs", "d3{}_dxixjxks": "d2{}_dxixjs"}


def derivative_named(name: str) -> tuple[str, str] | None:
    """What a name says that it is the derivative of, and by what; None if it says nothing.

    Examples
    --------
    >>> derivative_named("dGE_dT"), derivative_named("d3GE_dT3")
    (('GE', 'T'), ('d2GE_dT2', 'T'))
    >>> derivative_named("d2V_dPdT"), derivative_named("d2GE_dxixjs")
    (('dV_dP', 'T'), ('dGE_dxs', 'xs'))
    >>> derivative_named("density")
    """
    if found := _FIRST.fullmatch(name):
        return found["of"], found["by"]
    if found := _AGAIN.fullmatch(name):
        order, of, by = int(found["order"]), found["of"], found["by"]
        return (f"d{of}_d{by}" if order == 2 else f"d2{of}_d{by}2"), by
    if found := _MIXED.fullmatch(name):
        return f"d{found['of']}_d{found['first']}", found["by"]
    for pattern, before in _FRACTIONS.items():
        head, tail = pattern.split("{}")
        if name.startswith(head) and name.endswith(tail):
            return before.format(name.removeprefix(head).removesuffix(tail)), "xs"
    return None
