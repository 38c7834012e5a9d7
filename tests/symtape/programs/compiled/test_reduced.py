"""Rows that reduce, or run, along axes by machine code: within their roundings, NaNs and all."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
import verify
from symtape.primitives.cumulative import CUMPROD, CUMSUM
from symtape.primitives.extrema import MAX, MIN
from symtape.programs.compiled import fusing, scans
from symtape.programs.compiled.fused_source import FusedSource
from symtape.programs.compiled.passes import optimise_graph
from symtape.programs.compiled.scans import Scan
from verify import Verdict

pytest.importorskip("llvmlite")

DRAW = np.random.default_rng(0)
HARD = (0.0, 1.5, -2.0, np.inf, -np.inf, np.nan, 5e-324, 1e308, -1e200)

REDUCTIONS = {
    "max": (np.max, 0),
    "min": (np.min, 0),
    "prod": (np.prod, 64),
    "norm": (np.linalg.norm, 64),
    "sum": (np.sum, 0),
}
"""Functions of an array and an axis, and how many roundings apart results may be."""

SHAPES = [
    *[((n,), 0) for n in (2, 7, 8, 16, 17, 64, 129, 300)],
    *[((9, n), axis) for n in (2, 3, 8, 16, 33, 200) for axis in (0, 1)],
    *[((5, 6, 7), axis) for axis in (0, 1, 2)],
]


def fused(function, *args):
    with np.errstate(all="ignore"):
        graph = optimise_graph(symtape.record(function, *args))
        return FusedSource(graph, "f", exact=False)


def check(function, roundings, *args):
    """Against the function itself, twice, for the second finds what the first left in buffers."""
    program = fused(function, *args)
    with np.errstate(all="ignore"):
        wanted = function(*args)
        for _ in range(2):
            (found,) = program(*args)
            assert np.shape(found) == np.shape(wanted)
            near = roundings * np.finfo(float).eps
            np.testing.assert_allclose(found, wanted, rtol=near, atol=0)
    return program


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize(("shape", "axis"), SHAPES, ids=str)
def test_an_axis_is_reduced(name, shape, axis):
    function, roundings = REDUCTIONS[name]
    x = DRAW.normal(size=shape) * 10.0 ** DRAW.integers(-3, 3, shape)
    check(lambda x: function(x, axis=axis), roundings, x)
    # A difference of what is reduced could cancel, which roundings do not tell.
    check(lambda x: function(x * 2.0, axis=axis), roundings, x)


@pytest.mark.parametrize("name", ["max", "min", "norm"])
def test_hard_numbers_are_reduced(name):
    function, _ = REDUCTIONS[name]
    x = DRAW.choice(HARD, (200, 24))
    check(lambda x: function(x, axis=1), 8, x)
    check(lambda x: function(x, axis=0), 8, x)


@pytest.mark.parametrize("name", ["max", "min", "prod", "norm"])
def test_slopes_of_reductions(name):
    function, _ = REDUCTIONS[name]
    x = DRAW.uniform(0.5, 2.0, (40, 24))
    x[:, 3] = x[:, 7] = 2.5  # which tie
    check(symtape.grad(lambda x: np.sum(function(x, axis=1) ** 2)), 200, x)


SCANS = {
    "cumsum": lambda x, axis: np.cumsum(x, axis),
    "cumprod": lambda x, axis: np.cumprod(x, axis),
    "cumsum of what is reversed": lambda x, axis: np.cumsum(x[::-1], axis),
    "slopes of cumprod": lambda x, axis: symtape.grad(lambda x: np.sum(np.cumprod(x, axis) ** 2))(
        x
    ),
}


@pytest.mark.parametrize("name", SCANS)
@pytest.mark.parametrize(
    ("shape", "axis"), [((7,), 0), ((9, 5), 0), ((9, 5), 1), ((3, 4, 5), 1), ((4, 1), 1)], ids=str
)
def test_an_axis_is_run_along(name, shape, axis):
    """Every bit is NumPy's, in its order; sums over the results may have another."""
    x = DRAW.normal(size=shape) * 2.0
    program = check(lambda x: SCANS[name](x, axis), 64 if "slopes" in name else 0, x)
    steps = [one.kernel for loop in program.loops for one in getattr(loop, "steps", ())]
    assert any(isinstance(loop, Scan) for loop in (*program.loops, *steps))


def hazard(x):
    """Largest of running products of norms."""
    return np.max(np.cumprod(np.linalg.norm(x, axis=1))) * np.prod(np.min(x, axis=0))


def extreme_of_the_other_kind(monkeypatch):
    monkeypatch.setitem(fusing.REDUCED, MIN, fusing.REDUCED[MAX])


def sum_for_product(monkeypatch):
    monkeypatch.setitem(scans._STEPS, CUMPROD, scans._STEPS[CUMSUM])


@pytest.mark.parametrize("plant", [None, extreme_of_the_other_kind, sum_for_product])
def test_a_planted_miscompile_is_wrong(plant, monkeypatch):
    x = DRAW.uniform(0.5, 1.5, (6, 16))
    if plant:
        plant(monkeypatch)
    program = fused(symtape.grad(hazard), x)
    result = verify.gradient(hazard, claimed=lambda x: program(x)[0], at=[x])
    assert result.verdict is (Verdict.WRONG if plant else Verdict.CORRECT), str(result)
