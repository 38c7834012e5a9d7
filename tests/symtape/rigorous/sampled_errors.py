"""Rounding errors at samples of a box, exactly, beside the bound on them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from symtape.graph.graph import Graph
from symtape.rigorous.enclose import enclose
from symtape.rigorous.error_bound import bound_errors

BITS = 250


def samples(lower: Any, upper: Any, count: int, seed: int = 0) -> Any:
    """Corners of a box, and random floats of it."""
    random = np.random.default_rng(seed)
    for corner in itertools.islice(itertools.product((0.0, 1.0), repeat=len(lower)), 8):
        yield [a if at == 0 else b for a, b, at in zip(lower, upper, corner, strict=True)]
    for _ in range(count):
        inner = [random.random(np.shape(a)) for a in lower]
        yield [
            np.clip(a + (b - a) * at, a, b).astype(np.asarray(a).dtype)
            for a, b, at in zip(lower, upper, inner, strict=True)
        ]


def errors(graph: Graph, x: Any) -> list[Any]:
    """What floats are certainly off at a point, of each element of each output."""
    with np.errstate(all="ignore"):
        values = graph.evaluate(*x)
    return [
        [
            float(abs(ball - float(value)).lower()) if math.isfinite(value) else math.inf
            for ball, value in zip(balls.flat, np.ravel(value).tolist(), strict=True)
        ]
        for balls, value in zip(enclose(graph, x, BITS), values, strict=True)
    ]


def largest_share(graph: Graph, lower: Any, upper: Any, count: int = 30, most: int = 30) -> float:
    """The largest error at samples, as a share of the bound; nan without a bound."""
    bounds = bound_errors(graph, lower, upper, most=most)
    worst = math.nan
    for x in samples(lower, upper, count):
        if not graph.holds(*x):
            continue
        for found, known in zip(errors(graph, x), bounds, strict=True):
            for error, bound in zip(found, known, strict=True):
                if math.isfinite(bound.absolute):
                    share = (
                        error / bound.absolute
                        if bound.absolute
                        else error * math.inf
                        if error
                        else 0.0
                    )
                    worst = share if math.isnan(worst) else max(worst, share)
    return worst
