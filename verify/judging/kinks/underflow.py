"""Underflow and rounding: floats that are on a kink because the way there put them on it.

``np.sqrt(x * x)`` has the slope 1 at 1e-170, but its root is given 0.0; ``np.arccos(np.cos(x))``
has the slope 1 at 1e-9, but is given 1.0. What meets there in exact arithmetic says nothing of
what floats do, and the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Node
from symtape.symbolic.precise import enclose
from symtape.symbolic.shadow import Shadow
from verify.judging.kinks.boundaries import RoundedChoice
from verify.judging.kinks.search import Kink

_UNDERFLOWS: Final = float(np.finfo(float).smallest_normal)


def find_underflow(form: Shadow, kink: Kink) -> RoundedChoice | None:
    """Why the operation of a kink is not on it in exact arithmetic, if rounding put it there.

    The form is the one with the floats at the point.
    """
    for node in form.graph.nodes:
        if node.primitive is None or (node.name, node.origin) != (kink.op, kink.origin):
            continue
        for at in node.inputs:
            if form.graph.nodes[at].primitive is None:
                continue
            for value, exact in _iterate_rounded_kinks(form, node, at):
                why = "because it underflowed" if exact < _UNDERFLOWS else "by rounding"
                what = f"{value}" if value else f"a number that is 0.0 {why}"
                words = (
                    f"{node.name} is given {what}{' by rounding' if value else ''}; in exact "
                    "arithmetic the point is beside the kink that the floats are on"
                )
                return RoundedChoice(words, node.name, node.origin)
    return None


def _iterate_rounded_kinks(form: Shadow, node: Node, at: int) -> Iterator[tuple[float, float]]:
    """Floats at a kink of `node` that are other numbers in exact arithmetic, with their sizes.

    Of an operation that has its kinks at single numbers, one of one argument, at these; else at 0.
    """
    values, ids = np.asarray(form.values[at]), form.ids[at]
    if ids is None or values.dtype.kind != "f":
        return
    chosen = values == 0
    if (kinks := node.row.kinks) and node.row.elementwise and len(node.inputs) == 1:
        chosen = chosen | np.asarray(kinks(form.values[at], **node.params))
    if not np.any(chosen):
        return
    try:
        balls = enclose(form.program, ids[chosen], [form.values[k] for k in form.graph.inputs])
    except Unsupported:
        return
    for value, ball in zip(values[chosen].tolist(), np.ravel(balls).tolist(), strict=True):
        if ball.is_finite() and not ball.contains(value):
            yield value, abs(float(ball.mid()))
