"""The identity, with roundings that an operation may make beyond those of its composition."""

from __future__ import annotations

from typing import Any, Final

from symtape.primitives.primitive import Primitive

SLACK: Final[Primitive] = Primitive(
    name="slack",
    inputs="x",
    evaluate=lambda x, units: x,
    vjp=[lambda g, units: SLACK(g, units=units)],
    elements=lambda x, units: x,
    rounding=lambda shapes, params: float(params["units"]),
    source="x; what is computed may be off by twice as many roundings as it says",
)


def slack(x: Any, units: int) -> Any:
    """`x`, of which floats may lose twice so many units of roundoff, also where they need not."""
    return SLACK(x, units=units) if hasattr(type(x), "_apply_primitive") else x
