"""A recorded computation through every pass and back end, against enclosures in balls."""

from __future__ import annotations

import dataclasses

import numpy as np

from symtape.errors import SymtapeError, Unsupported
from symtape.programs.compiled.passes import PASSES, optimise_graph
from symtape.programs.compiled.program import BACKENDS, Program
from symtape.programs.compiled.rewriting import rewritten
from symtape.rigorous.enclose import enclose
from symtape.rigorous.rounding import model

BITS = 200
CLOSE = 1e-11


def faults(graph, point, backends=tuple(BACKENDS)):
    """The passes and back ends after which `graph` is another function at `point`, in words."""
    exact = _read(enclose, graph, point, BITS)
    found = []
    for one in PASSES:
        made = rewritten(graph, [one.rule])
        if not _is_same(exact, graph, made, point):
            found.append(f"pass {one.name!r} moves a ball")
    if not _is_same(exact, graph, optimise_graph(graph, PASSES), point):
        found.append("all passes together move a ball")
    for backend in backends:
        found += _faults_of(backend, graph, point)
    return found


def _faults_of(backend, graph, point):
    """Two calls, so that buffers of the first are those of the second."""
    try:
        run = Program(graph, "program", backend).run
    except Unsupported:
        return []
    given = [np.ascontiguousarray(x) if np.ndim(x) else np.float64(x) for x in point]
    with np.errstate(all="ignore"):
        wanted = graph.evaluate(*point)
        calls = [run(*given) for _ in range(2)]
    if None in calls:
        at_an_edge = is_near_another_path(graph, point)
        return [] if at_an_edge else [f"{backend}: off the path on which it was recorded"]
    found = []
    for k, right in enumerate(wanted):
        first, second = (np.asarray(values[k]) for values in calls)
        if not np.array_equal(first, second, equal_nan=True):
            found.append(f"{backend}: output {k} differs from one call to the next")
        if first.shape != np.shape(right) or first.dtype != np.asarray(right).dtype:
            found.append(f"{backend}: output {k} is of {first.dtype}{first.shape}")
        elif not _may_be(first, right, graph, point, k):
            found.append(f"{backend}: output {k} is {first!r}, not {right!r}")
    return found


def _may_be(found, wanted, graph, point, k):
    """Whether floats agree; where terms cancel, whether honest rounding may give them."""
    if np.allclose(found, wanted, rtol=CLOSE, atol=0.0, equal_nan=True):
        return True
    try:
        ball = model(graph, point)[k]
    except SymtapeError:
        scale = np.nanmax(np.abs(wanted), initial=0.0)
        return np.allclose(found, wanted, rtol=1e-6, atol=1e-6 * scale, equal_nan=True)
    near = np.isclose(found, wanted, rtol=CLOSE, atol=0.0, equal_nan=True)
    return all(
        not ball[index].is_finite() or ball[index].contains(float(found[index]))
        for index in np.ndindex(found.shape)
        if not near[index]
    )


def is_near_another_path(graph, point):
    """Whether a decision depends on how its values are rounded."""
    decisions = tuple(step.node for step in graph.path)
    asked = dataclasses.replace(graph, outputs=decisions, path=())
    try:
        return None in [value.item() for value in model(asked, point)]
    except SymtapeError:
        return True


def _is_same(exact, graph, made, point):
    """Whether balls overlap; where constants were rounded, those of what rounding explains."""
    other = _read(enclose, made, point, BITS)
    return _overlap(exact, other) or _overlap(_read(model, graph, point), other)


def _read(reading, graph, *args):
    """None where an operation has no ball."""
    try:
        return reading(graph, *args)
    except SymtapeError:
        return None


def _overlap(ones, others):
    if ones is None or others is None:
        return True
    pairs = [
        pair
        for one, other in zip(ones, others, strict=True)
        for pair in zip(np.ravel(one), np.ravel(other), strict=True)
    ]
    return all(
        a == b if isinstance(a, bool | None) or isinstance(b, bool | None) else a.overlaps(b)
        for a, b in pairs
    )
