"""The template that an elementwise row means, with what is constant written into it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from symtape.graph.graph import Node
from symtape.primitives.primitive import Primitive
from symtape.symbolic.template import KEPT, Local, Number, read

_READINGS: Final[dict[Any, Local]] = {}


def is_specialised(row: Primitive) -> bool:
    """Whether constant inputs of `row` go into its template.

    Those of powers, where the partial is simpler; those a row is not differentiable by, such
    as the order of a Bessel function.
    """
    return row.power or row.vanishing or (len(row.rules) > 1 and None in row.rules)


def select_template_constants(
    row: Primitive, known: Sequence[Number | None]
) -> tuple[Number | None, ...]:
    """Of the constant inputs `known`, those that go into the template; None for the others."""
    if row.vanishing:
        return tuple(Fraction(0) if value == 0 else None for value in known)
    if not row.power:
        return tuple(
            value if rule is None else None for value, rule in zip(known, row.rules, strict=True)
        )
    base, exponent = known
    return (base if exponent is not None or (base is not None and base > 0) else None, exponent)


def constant_power(row: Primitive, known: Sequence[Number | None]) -> bool:
    """Whether it is 0 to a varying power: constant next to where it is defined."""
    return row.power and known[0] == 0 and known[1] is None


def reading(row: Primitive, node: Node, known: tuple[Number | None, ...] | None = None) -> Local:
    """The template of elementwise `row` with the parameters of `node` and constants `known`."""
    params = node.params
    key = (row, known, tuple(sorted((name, str(value)) for name, value in params.items())))
    found = _READINGS.get(key)
    if found is None:
        if len(_READINGS) >= KEPT:
            _READINGS.clear()
        found = _READINGS[key] = read_row(row, known or [None] * len(node.inputs), params)
    return found


def read_row(row: Primitive, known: Sequence[Number | None], params: Mapping[str, Any]) -> Local:
    """As :func:`reading`, of every call anew."""
    return read(row.symbolic, known, **select_static(row, params))


def select_static(row: Primitive, params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that the template of `row` depends on."""
    accepted = inspect.signature(row.symbolic).parameters
    return {name: value for name, value in params.items() if name in accepted}
