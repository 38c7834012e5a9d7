"""Sizes, shapes, places and ways that values decide are conditions of a program and of slices."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import symtape
from symtape.errors import SymtapeError
from tests.symtape.programs.specialised.deciding import FUNCTIONS, POINTS

WAYS = {"value": lambda f: f, "gradient": symtape.grad}


@pytest.fixture(autouse=True)
def quiet():
    """Means of no numbers warn, and are nan in each way."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def near(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_program_is_the_function_at_each_point(name, way):
    plain = WAYS[way](FUNCTIONS[name])
    compiled, made = symtape.jit(plain), symtape.compile(plain, POINTS[0])
    for x in (*POINTS, *reversed(POINTS)):
        for program in (compiled, made):
            near(program(x), plain(x))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_slices_are_the_function_of_each(name, way):
    plain = WAYS[way](FUNCTIONS[name])
    near(symtape.vmap(plain)(np.stack(POINTS)), [plain(x) for x in POINTS])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_gradient_of_a_program_is_that_of_the_function(name):
    compiled, plain = symtape.jit(FUNCTIONS[name]), symtape.grad(FUNCTIONS[name])
    for x in POINTS[:3]:
        compiled(x)
    for x in POINTS:
        try:
            slope = symtape.grad(compiled)(x)
        except SymtapeError:
            # Where there is no program yet, the function itself runs, as it stands.
            assert not any(map(np.array_equal, POINTS[:3], [x] * 3))
        else:
            near(slope, plain(x))


def test_what_compiled_code_decides_is_refused():
    spatial = pytest.importorskip("scipy.spatial")

    def area(x):
        points = np.stack([np.append(x, 0.0), np.append(x[::-1] ** 2, 1.0)], axis=1)
        corners = points[spatial.ConvexHull(points).vertices]
        return np.sum(corners[:, 0] * np.roll(corners[:, 1], -1))

    for compiled in (symtape.jit(area), symtape.jit(symtape.grad(area))):
        with pytest.raises(SymtapeError, match="ConvexHull"):
            compiled(POINTS[0])
    near(symtape.vmap(area)(np.stack(POINTS)), [area(x) for x in POINTS])


def test_a_half_is_rounded_to_the_even_number():
    compiled = symtape.jit(lambda x: x * round(x))
    for x in (3.0, 2.5, 3.5, 2.0, 1.5, -0.5, 0.5, -1.5, -2.5, -3.0):
        assert compiled(x) == x * round(x)
