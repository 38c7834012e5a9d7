"""The derivative's own program as a witness of whether its rule is right, in exact arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symtape.graph.graph import Graph
from symtape.rigorous.enclose import enclose
from verify.witnesses.closed_form import Truth

__all__ = ["excluded"]


def excluded(program: Graph, point: Sequence[Any], truth: Truth) -> list[Any]:
    """Where the program's enclosure excludes the exact derivative: bool arrays, one a part.

    A True is a certainty, whatever the conditioning: two balls that do not meet.
    """
    balls = enclose(program, point, truth.precision)
    return [
        np.asarray(np.frompyfunc(_apart, 2, 1)(ball, exact), dtype=bool)
        for ball, exact in zip(balls, truth.parts, strict=True)
    ]


def _apart(ball: Any, exact: Any) -> bool:
    return bool(ball.is_finite() and exact.is_finite() and not ball.overlaps(exact))
