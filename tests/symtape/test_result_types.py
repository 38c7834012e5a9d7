"""The format of a recorded result is NumPy's and SciPy's."""

from typing import Any

import numpy as np
import pytest
from scipy import special

import symtape
import symtape.scipy.special

X = np.array([1.5, 2.5], np.float32)
A = np.array([[2.0, 0.5], [1.0, 3.0]], np.float32)

FUNCTIONS: dict[str, Any] = {
    "vander": lambda x: np.vander(x, 3),
    "increasing vander": lambda x: np.vander(x, 3, increasing=True),
    "geomspace": lambda x: np.geomspace(x[0], x[1], 4),
    "linspace": lambda x: np.linspace(x[0], x[1], 4),
    "logspace": lambda x: np.logspace(x[0], x[1], 4),
    "expn": lambda x: special.expn(2, x),
    "jv": lambda x: special.jv(2, x),
    "interp": lambda x: np.interp(x, [0, 1, 3], [0, 1, 2]),
    "det": lambda x: np.linalg.det(x * A),
    "mean": np.mean,
    "polyval": lambda x: np.polyval([1.0, 2.0], x),
    "float_power": lambda x: np.float_power(x, 2),
    "quantile": lambda x: np.quantile(x, 0.3),
    "cov": lambda x: np.cov(x * A),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_recorded_result_has_the_type_of_the_plain_one(name: str) -> None:
    graph = symtape.record(FUNCTIONS[name], X)
    (output,) = (graph.nodes[at] for at in graph.outputs)
    assert output.dtype == np.asarray(FUNCTIONS[name](X)).dtype


@pytest.mark.parametrize(
    "name", ["factorial", "polygamma", "comb", "perm", "multigammaln", "gamma"]
)
def test_functions_of_scipy_have_the_type_of_scipys(name: str) -> None:
    args = {"polygamma": (1,), "comb": (5,)}.get(name, ())
    more = {"perm": (2.0,), "multigammaln": (1,)}.get(name, ())
    ours, theirs = (getattr(module, name, None) for module in (symtape.scipy.special, special))
    if ours is None:
        pytest.skip(f"symtape.scipy.special has no {name}")
    assert ours(*args, symtape.constant(X), *more).dtype == theirs(*args, X, *more).dtype


@pytest.mark.parametrize("dtype", [np.float32, np.float64, float])
def test_steps_of_a_given_format_depend_on_their_ends(dtype: Any) -> None:
    for function in (np.linspace, np.geomspace):
        gradient = symtape.grad(lambda x, of=function: np.sum(of(x, 3.0, 4, dtype=dtype)))(0.5)
        assert gradient != 0
