"""A rule: complex numbers are multiplied by two constants at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.graph.graph import Node
from symtape.primitives.arithmetic import MULTIPLY
from symtape.programs.compiled.rewriting import Builder, applies_to


@applies_to(MULTIPLY, of=(MULTIPLY,))
def join_factors(build: Builder, node: Node) -> int | None:
    """One product of complex numbers for two, where both are by constants."""
    if node.dtype != np.complex128:
        return None
    for at, by in (node.inputs, node.inputs[::-1]):
        inner, factor = build.nodes[at], build.nodes[by].constant
        if factor is None or inner.primitive is not MULTIPLY:
            continue
        for x, other in (inner.inputs, inner.inputs[::-1]):
            joined = _multiply_constants(build.nodes[other].constant, factor)
            if joined is not None:
                return build.apply(MULTIPLY, (x, build.add_constant(joined)), {}, node)
    return None


def _multiply_constants(a: Any, b: Any) -> Any:
    """The product of two constants; None where it lies at an end of the range of floats."""
    if a is None or {np.asarray(x).dtype.kind for x in (a, b)} - {"f"}:
        return None
    with np.errstate(all="ignore"):
        found = np.multiply(a, b)
    sizes = np.abs(found)[(np.asarray(a) != 0) & (np.asarray(b) != 0)]
    is_moderate = np.all(np.isfinite(found)) and np.all(sizes > np.finfo(np.float64).tiny)
    return found if is_moderate else None
