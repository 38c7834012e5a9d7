"""NumPy's and JAX's spellings of each row are read as the same function."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import symtape
import symtape.primitives.special
from symtape.errors import Unsupported
from symtape.primitives.primitive import PRIMITIVES
from symtape.process.precision import precision
from symtape.rigorous.enclose import enclose
from tests.symtape.frontends.spellings import SPELLINGS, Absent, called

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    jax = pytest.importorskip("jax", reason="JAX's spellings need jax: pip install 'symtape[jax]'")

BITS = 300

ENOUGH = 200
"""Bits that both enclosures must know, so that their overlap says something."""

ROWS = sorted(name for name, row in PRIMITIVES.items() if row.source)
"""The rows of the library; what tests and examples register has no source."""


def cases():
    for row, spelling in SPELLINGS.items():
        each = spelling if isinstance(spelling, tuple) else (spelling,)
        for number, one in enumerate(each):
            yield pytest.param(row, one, id=f"{row}-{number}" if number else row)


def points(spelling):
    return [np.asarray(x, dtype=float) for x in spelling.at]


def spelled(framework):
    """The cases that a framework has a spelling for."""
    return [case for case in cases() if isinstance(getattr(case.values[1], framework), str)]


def balls(graph, xs):
    """Enclosures of all outputs; exact values where an operation has no reading in balls."""
    try:
        found = enclose(graph, xs, BITS)
    except Unsupported:
        found = graph.evaluate(*xs)
    return [np.asarray(part, dtype=object).ravel().tolist() for part in found]


def _is_zero(x):
    return x.is_exact() and x == 0


def agree(a, b):
    """Whether two enclosures are of one number, or two plain values equal."""
    if not hasattr(a, "overlaps") or not hasattr(b, "overlaps"):
        return bool(a == b)
    known = all(x.is_exact() or x.rel_accuracy_bits() >= ENOUGH for x in (a, b) if not _is_zero(x))
    return bool(a.overlaps(b)) and (known or all(abs(x) < 2.0**-ENOUGH for x in (a, b)))


def assert_one_function(first, second, xs):
    ours, theirs = balls(first, xs), balls(second, xs)
    assert [len(part) for part in ours] == [len(part) for part in theirs]
    for one, other in zip(ours, theirs, strict=True):
        for a, b in zip(one, other, strict=True):
            assert agree(a, b), f"{a} is not {b}"


def test_every_row_has_a_spelling_or_a_reason():
    assert sorted(SPELLINGS) == ROWS


def test_a_reason_says_something():
    for case in cases():
        spelling = case.values[1]
        for given in (spelling.numpy, spelling.jax, spelling.torch):
            assert not isinstance(given, Absent) or len(given.reason.split()) > 3


@pytest.mark.parametrize(("row", "spelling"), spelled("numpy"))
def test_the_spelling_of_numpy_records_the_row(row, spelling):
    graph = symtape.record(called("numpy", spelling.numpy), *points(spelling))
    assert row in {node.name for node in graph.nodes}


@pytest.mark.parametrize(("row", "spelling"), spelled("jax"))
def test_numpy_and_jax_spell_one_function(row, spelling):
    xs = points(spelling)
    ours = symtape.record(called("numpy", spelling.numpy), *xs)
    theirs = symtape.record(symtape.from_jax(called("jax", spelling.jax)), *xs)
    assert_one_function(ours, theirs, xs)


ROUNDED = {
    "betainc": "the logarithm of the beta function of its parameters",
    "gammainc": "the logarithm of gamma at its parameter",
    "gammaincc": "the logarithm of gamma at its parameter",
    "cbrt": "1/3",
    "erf": "2/sqrt(pi)",
    "erfc": "2/sqrt(pi)",
    "erfcinv": "sqrt(pi)/2",
    "erfcx": "2/sqrt(pi)",
    "erfinv": "sqrt(pi)/2",
    "exp2": "log(2)",
}
"""Rules of JAX that are not exact: the constant in each that is rounded."""

PARAMETERS = {"betainc": (0, 1), "gammainc": (0,), "gammaincc": (0,)}
"""Arguments by which neither has a formula for the derivative."""


def differentiable():
    """The cases of JAX whose result is a float."""
    found = []
    for case in spelled("jax"):
        graph = symtape.record(called("numpy", case.values[1].numpy), *points(case.values[1]))
        if graph.nodes[graph.outputs[0]].dtype.kind == "f":
            found.append(case)
    return found


def weights(spelling):
    """One for each element of the result, none of them alike."""
    xs = points(spelling)
    (whole,) = symtape.record(called("numpy", spelling.numpy), *xs).evaluate(*xs)
    return np.arange(1.0, 1.0 + np.size(whole)).reshape(np.shape(whole)).astype(whole.dtype)


def slopes(row, spelling):
    """The gradient of the weighed sum: by symtape's rules, and by JAX's as they are read."""
    xs, fixed = points(spelling), PARAMETERS.get(row, ())
    free = [place for place in range(len(xs)) if place not in fixed]
    weigh = weights(spelling)

    def scalar(function, library):
        def weighed(*given):
            moved = dict(zip(free, given, strict=True))
            every = [moved.get(place, x) for place, x in enumerate(xs)]
            return library.sum(function(*every) * weigh)

        return weighed

    ours = scalar(called("numpy", spelling.numpy), np)
    theirs = scalar(called("jax", spelling.jax), jax.numpy)
    at = [xs[place] for place in free]
    by_jax = symtape.from_jax(jax.grad(theirs, argnums=tuple(range(len(free)))))
    return symtape.differentiate(symtape.record(ours, *at)), symtape.record(by_jax, *at), at


BY_TRIANGLE = {"cholesky", "eigh", "eigvalsh"}


def by_both_triangles(graph, at):
    """The slopes by one matrix, each with that by the element across the diagonal."""
    (found,) = balls(graph, at)
    slopes = np.array(found, dtype=object).reshape(at[0].shape)
    with precision(BITS):
        return (slopes + np.swapaxes(slopes, -1, -2)).ravel().tolist()


@pytest.mark.parametrize(("row", "spelling"), differentiable())
def test_the_rule_of_jax_is_right_in_exact_arithmetic(row, spelling):
    exact, claimed, at = slopes(row, spelling)
    if row in BY_TRIANGLE:
        # JAX shares the slopes between both triangles of a symmetric matrix.
        for one, other in zip(
            by_both_triangles(exact, at), by_both_triangles(claimed, at), strict=True
        ):
            assert agree(one, other), f"{one} is not {other}"
        return
    if row not in ROUNDED:
        assert_one_function(exact, claimed, at)
        return
    with pytest.raises(AssertionError):
        assert_one_function(exact, claimed, at)
    for a, b in zip(balls(exact, at), balls(claimed, at), strict=True):
        np.testing.assert_allclose(
            [float(x.mid()) for x in a], [float(x.mid()) for x in b], rtol=1e-14
        )


def test_another_function_is_told_apart():
    xs = [np.array([0.75, -2.5])]
    ours = symtape.record(np.tanh, *xs)
    theirs = symtape.record(symtape.from_jax(lambda x: jax.numpy.tanh(x) * (1 + 1e-15)), *xs)
    with pytest.raises(AssertionError):
        assert_one_function(ours, theirs, xs)
