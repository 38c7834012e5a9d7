"""Where entries are 0, equal or whole, derivatives are as anywhere: right, or said not to be known.

Code decides by such values: it leaves out what is 0, or takes another branch where two are equal.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import symtape
from symtape.errors import BranchWarning, SymtapeError
from tests.symtape.reading.idioms import IDIOMS, X
from tests.symtape.scipy import (
    interpolate_calls,
    linalg_calls,
    ndimage_calls,
    polynomial_calls,
    signal_calls,
    sparse_calls,
    spatial_calls,
)
from tests.symtape.scipy.checks import weighed

CALLS = {
    "interpolate": interpolate_calls.CALLS,
    "linalg": linalg_calls.CALLS,
    "ndimage": ndimage_calls.CALLS,
    "polynomial": polynomial_calls.CALLS,
    "signal": signal_calls.CALLS,
    "sparse": sparse_calls.CALLS,
    "distances": spatial_calls.DISTANCES,
    "rotations": spatial_calls.ROTATIONS,
}

FUNCTIONS = {
    **{f"idioms: {name}": (function, X) for name, function in IDIOMS.items()},
    **{
        f"{family}: {name}": (weighed(call[0]), np.asarray(call[1], dtype=float))
        for family, calls in CALLS.items()
        for name, call in calls.items()
    },
}

DIRECTIONS = 6
STEPS = (1e-5, 3e-6)


def special_points(at):
    """All of 0, one entry of 0, two that are equal, and whole numbers."""
    yield np.zeros_like(at)
    yield np.round(at)
    for place in {0, at.size // 2, at.size - 1}:
        changed = at.copy()
        changed.flat[place] = 0
        yield changed
        changed.flat[place] = at.flat[place - 1]
        yield changed


def slope_along(function, x, direction, step):
    """The slope to one side, by three values."""
    here, far, near = (float(function(x + s * direction)) for s in (0, step, step / 2))
    return (4 * near - far - 3 * here) / step


def slopes(function, x, seed=0):
    """Directions and slopes of a function that has a derivative at x, as far as they can tell."""
    drawn = np.random.default_rng(seed).normal(size=(DIRECTIONS, *x.shape))
    directions = np.concatenate([drawn, -drawn, drawn[:1] + drawn[1:2], drawn[2:3] - drawn[3:4]])
    found, again = (
        np.array([slope_along(function, x, v, step) for v in directions]) for step in STEPS
    )
    if not np.all(np.isfinite(found)):
        return None
    size = 1 + np.max(np.abs(found))
    apart = [
        found - again,
        found[:DIRECTIONS] + found[DIRECTIONS:-2],
        found[0] + found[1] - found[-2],
        found[2] - found[3] - found[-1],
    ]
    if any(np.max(np.abs(gap)) > 1e-5 * size for gap in apart):
        return None
    return directions, found, size


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore")
def test_a_derivative_at_special_values_is_that_of_differences(name):
    function, at = FUNCTIONS[name]
    with np.errstate(all="ignore"):
        for x in special_points(at):
            try:
                known = slopes(function, x)
            except (ArithmeticError, ValueError, LookupError, TypeError, RuntimeError):
                # Outside of the domain: LinAlgError is a ValueError, and SuperLU has RuntimeErrors.
                continue
            if known is None:
                continue
            directions, found, size = known
            with warnings.catch_warnings():
                warnings.simplefilter("error", BranchWarning)
                try:
                    gradient = np.asarray(symtape.grad(function)(x))
                except (SymtapeError, BranchWarning, np.linalg.LinAlgError):
                    continue
            if np.all(np.isfinite(gradient)):
                ours = [np.sum(gradient * v) for v in directions]
                np.testing.assert_allclose(ours, found, rtol=0, atol=1e-4 * size, err_msg=str(x))


def test_slopes_tell_kinks_from_what_is_smooth():
    x = np.array([0.0, 0.0])
    assert slopes(lambda x: np.abs(x[0]) + x[1], x) is None
    assert slopes(lambda x: np.hypot(x[0], x[1]), x) is None
    assert slopes(lambda x: np.exp(x[0]) * np.cos(x[1]) + x[0] ** 2, x) is not None


def test_a_branch_of_a_library_that_holds_at_one_value_is_warned_of():
    stats = pytest.importorskip("scipy.stats")

    def f(shape):
        return stats.genextreme.logpdf(1.0, shape)

    with pytest.warns(BranchWarning, match="_continuous_distns.py"):
        symtape.grad(f)(0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        symtape.grad(f)(0.125)
        symtape.grad(lambda x: x if x == 0 else -x)(0.0)  # of the user's own
