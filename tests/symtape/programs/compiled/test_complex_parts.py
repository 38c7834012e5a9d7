"""Programs compute complex numbers by parts, and return what the tape does."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
from symtape.graph.graph import has_complex_nodes
from symtape.programs.compiled.complex_parts import compute_by_parts
from symtape.programs.specialised.recording import Call, record_stable
from symtape.recording.structure import flatten

pytest.importorskip("llvmlite")
DRAW = np.random.default_rng(3)
Z = DRAW.normal(size=6) + 1j * DRAW.normal(size=6)
X = DRAW.normal(size=6)
STACK = DRAW.normal(size=(3, 4, 4)) + 1j * DRAW.normal(size=(3, 4, 4))
SPIN = np.kron([[0, -1j], [1j, 0]], np.eye(2))


def layers(x, frequencies):
    impedance = np.sqrt(1j * frequencies * np.exp(x[-1]))
    for one in np.exp(x[:-1]):
        ratio = np.exp(-2 * np.sqrt(1j * frequencies / one))
        impedance = one * (1 - ratio * impedance) / (1 + ratio * impedance)
    return np.sum(np.log10(np.abs(impedance))) + np.sum(np.angle(impedance))


FUNCTIONS = {
    "layers": (layers, X, np.abs(X)),
    "powers": (lambda x: np.sum(np.abs((x + 1j) ** 3 / (2 - 1j * x)) ** 2), X),
    "a transform": (lambda x, z: np.sum(np.abs(np.fft.fft(x * z)) ** 4), X, Z),
    "of real numbers": (lambda x, z: np.sum(np.abs(np.fft.irfft(np.fft.rfft(x) * z[:4]))), X, Z),
    "a product": (lambda x, z: np.sum(np.abs(np.outer(z, z) @ (x * z)) ** 2), X, Z),
    "small products": (lambda x, z: np.sum(np.abs(STACK @ (x[:4] * STACK) @ SPIN) ** 2), X, Z),
    "by known numbers": (lambda x, z: np.sum(np.abs(x * z / (2.5 + 0j) / 3.0) ** 2), X, Z),
    "an inverse": (lambda x, z: np.sum(np.abs(1 / (x + z) + 2 / z * x) ** 2), X, Z),
    "a running sum": (lambda x, z: np.sum(np.abs(np.cumsum(x * z)) ** 2), X, Z),
    "a system": (lambda x, z: np.abs(np.linalg.solve(np.eye(6) + np.outer(z, x), z)[2]), X, Z),
    "picked": (lambda x, z: np.real((x * z)[[2, 0, 2]] @ np.conj(z[:3])), X, Z),
    "by a complex argument": (lambda z: np.sum(np.abs(np.exp(z)) ** 2), Z),
    "at zero": (lambda x, z: np.sum(np.abs(x * z)), 0 * X, Z),
    "through a decision": (lambda x, z: np.sum(np.where(np.abs(x * z) > 1, x, x**2)), X, Z),
    "complex64": (lambda x, z: np.sum(np.abs(x * z)), X.astype("f"), Z.astype("F")),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("transform", [symtape.grad, symtape.value_and_grad])
def test_programs_by_parts_agree_with_the_tape(name, transform):
    function, *args = FUNCTIONS[name]
    eager = transform(function)
    compiled = symtape.compile(eager, *args)
    for scale in (1.0, 0.5):
        found, wanted = (f(*[scale * x for x in args]) for f in (compiled, eager))
        for a, b in zip(flatten(found), flatten(wanted), strict=True):
            assert np.asarray(a).dtype == np.asarray(b).dtype
            rtol = 1e-5 if a.dtype.char in "fF" else 1e-12
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * np.max(np.abs(b)))


@pytest.mark.parametrize("name", ["layers", "picked"])
def test_what_mixes_no_elements_has_no_complex_numbers(name):
    function, x, *rest = FUNCTIONS[name]
    graph = symtape.record(symtape.grad(lambda x: function(x, *rest)), x)
    assert has_complex_nodes(graph)
    assert not has_complex_nodes(compute_by_parts(graph))


def test_quotients_of_whole_numbers_are_loops():
    """An integer is a float to the rows of the quotient."""
    gradient = symtape.jit(symtape.grad(lambda x: np.sum(np.abs(1 / (1 + 2j * x)) ** 2)))
    gradient(X)
    assert "quotient" not in gradient.sources[0]


NUMBERS = (0.0, -0.0, 1.0, -1.0, 0.3, -2.5, 1e-300, 1e-170, -1e160, 1e308, 700.0, 1e-9, 1e5)
SPECIAL = np.array([complex(a, b) for a in NUMBERS for b in NUMBERS])
OTHERS = DRAW.permutation(SPECIAL)
EACH = {
    "absolute": np.abs,
    "angle": np.angle,
    "exp": np.exp,
    "sqrt": np.sqrt,
    "square": np.square,
    "sin": np.sin,
    "cosh": np.cosh,
    "sign": np.sign,
    "log": np.log,
    "tanh": np.tanh,
    "reciprocal": lambda z: 1 / z,
    "power": lambda z: z**1.5,
    "product": lambda z: z * OTHERS,
    "quotient": lambda z: z / OTHERS,
}


@pytest.mark.parametrize("name", EACH)
def test_values_by_parts_are_those_of_numpy_in_the_whole_range(name):
    function = EACH[name]
    with np.errstate(all="ignore"):
        graph = record_stable(Call(function, name, (SPECIAL,), {}), "numpy")[1].graph
        (found,) = compute_by_parts(graph).evaluate(SPECIAL)
        wanted = function(SPECIAL)
        regular = np.isfinite(wanted)
        assert np.array_equal(regular, np.isfinite(found))
        gap = np.abs(found - wanted)[regular]
        size = np.abs(wanted[regular])
    # Smith's method loses digits where a product is next to the smallest float.
    assert np.all(gap <= 8 * np.finfo(float).eps * size + 1e-300)


def test_a_function_that_decides_by_complex_numbers_stays_as_it_is():
    function, x, z = FUNCTIONS["through a decision"]
    graph = symtape.record(lambda x: function(x, z), x)
    assert str(compute_by_parts(graph)) == str(graph)
