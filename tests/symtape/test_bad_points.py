"""What is no point: each error names the argument, shows the value and says what was expected."""

import numpy as np
import pytest

import symtape
import verify
from symtape.errors import SymtapeError
from verify.errors import UsageError

POINTS = {
    "None in a list": [None, 1.0],
    "None in a matrix": [[1.0, 2.0], [None, 3.0]],
    "text": "1.0",
    "texts": ["a", "b"],
    "ragged": [[1.0, 2.0], [3.0]],
    "objects": np.array([1.0, None], dtype=object),
    "a dict": {"a": 1.0},
    "None": None,
    "masked": np.ma.array([1.0, 2.0], mask=[0, 1]),
    "matrix": np.ndarray.view(np.array([[1.0, 2.0]]), np.matrix),
    "a large whole number": 10**400,
    "a large whole number in a list": [10**400, 1.0],
    "a set": {1.0},
    "complex": 1j,
    "dates": np.array(["2020-01-01"], dtype="datetime64[D]"),
    "records": np.zeros(2, dtype=[("a", float)]),
}


def f(x):
    return np.sum(x**2)


ASKED = {
    "grad": lambda x: symtape.grad(f)(x),
    "record": lambda x: symtape.record(f, x),
    "derive": lambda x: symtape.derive(f, x),
    "verify.gradient": lambda x: verify.gradient(f, claimed=lambda x: 2 * x, at=[x], effort=1),
}


def test_words_of_what_is_no_point(snapshot):
    lines = []
    for name, x in POINTS.items():
        lines.append(f"{name}\n")
        for asked, ask in ASKED.items():
            with pytest.raises((SymtapeError, UsageError)) as error:
                ask(x)
            lines.append(f"  {asked}: {error.value}\n")
    snapshot("bad_points", "".join(lines))


@pytest.mark.skipif(np.dtype(np.longdouble).itemsize == 8, reason="they are those of float64")
@pytest.mark.parametrize("asked", ASKED)
def test_longer_numbers_are_refused(asked):
    with pytest.raises((SymtapeError, UsageError), match="longdouble"):
        ASKED[asked](np.longdouble(1.5))


@pytest.mark.parametrize("x", [float("nan"), np.array([1.0, np.nan]), np.array([]), []])
def test_what_is_an_array_is_a_point(x):
    np.testing.assert_array_equal(symtape.grad(f)(x), 2 * np.asarray(x))


def test_errors_of_functions_of_trees_are_their_own():
    def g(p):
        return p["w"] * p["missing"]

    with pytest.raises(KeyError, match="missing"):
        symtape.grad(g)({"w": 2.0})
    with pytest.raises(IndexError):
        symtape.grad(lambda p: p[0] * p[5])([2.0, None])
