"""Compiled forms: a line a statement and a loop over statements say what the tape says."""

import numpy as np
import pytest
from scipy import special

import symtape
from symtape.symbolic import compile as compiling
from verify.suites import SUITES

POINT = np.array([0.5, -0.75, 1.25])
W = np.array([[0.1, 0.2, 0.3], [0.3, 0.4, -0.2]])
WAYS = {"lines": compiling.LINES, "loop": 0}
CASES = {case.id: case for suite in ("classics", "seeds") for case in SUITES[suite]() if case.at}


def chain(x, length=20):
    for _ in range(length):
        x = np.sin(x) + x / 3
    return x


FUNCTIONS = {
    "arithmetic": (lambda x, y: (x - y) * -x / (y + 2.0), (2.0, 3.0)),
    "constants": (lambda x: (0.1 + x * 1e300) / 1e300 - 3 / x, (0.7,)),
    "powers": (lambda x: x**3 + x**0.5 + 2.0**x + x**x, (0.7,)),
    "chain": (chain, (0.5,)),
    "network": (lambda x, w: np.sum(np.tanh(w @ x) ** 2), (POINT, W)),
    "path": (lambda x: np.sum(np.where(x > 0, np.sqrt(np.abs(x)), x * x)), (POINT,)),
    "extremes": (lambda x: np.max(x) * np.prod(np.exp(-x)), (POINT,)),
    "three arguments": (lambda x: special.betainc(1.5, 2.5, x) + np.clip(x, 0, 1), (0.3,)),
    "scipy": (lambda x: special.erfinv(x) * special.digamma(x) + special.gammaln(x), (0.3,)),
    "constant": (lambda x: x * 0 + 1, (2.0,)),
    "empty": (lambda x: np.sum(x), (np.zeros(0),)),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_both_ways_say_what_the_tape_says(name, way, monkeypatch):
    function, point = FUNCTIONS[name]
    monkeypatch.setattr(compiling, "LINES", WAYS[way])
    derivation = symtape.derive(function, *point)
    everywhere = tuple(range(len(point)))
    for moved in (point, [np.multiply(x, 1.0625) for x in point]):
        np.testing.assert_allclose(derivation.value.lambdify()(*moved), function(*moved), 1e-12)
        wanted = symtape.grad(function, everywhere)(*moved)
        answer = derivation.gradient.lambdify()(*moved)
        for got, want in zip(_tuple(answer), wanted, strict=True):
            np.testing.assert_allclose(got, want, 1e-10)
            assert np.asarray(got).dtype == np.float64
            assert np.shape(got) == np.shape(want)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_of_a_suite_both_ways_say_the_same_to_the_bit(case, monkeypatch):
    point = [np.asarray(x, dtype=np.float64) for x in case.at[0]]
    derivation = symtape.derive(case.function, *point, notation="entries")
    for form in (derivation.value, derivation.gradient):
        answers = []
        for longest in WAYS.values():
            monkeypatch.setattr(compiling, "LINES", longest)
            answers.append(np.hstack([np.ravel(x) for x in _tuple(form.lambdify()(*point))]))
        assert answers[0].tobytes() == answers[1].tobytes()
        if form.title == "value":
            np.testing.assert_allclose(answers[0], np.ravel(case.function(*point)), 1e-11, 1e-13)


def _tuple(answer):
    return answer if isinstance(answer, tuple) else (answer,)


@pytest.mark.parametrize("way", WAYS)
def test_a_step_outside_of_its_domain_is_no_error(way, monkeypatch):
    monkeypatch.setattr(compiling, "LINES", WAYS[way])
    value = symtape.derive(lambda x: 1 / x + np.log(x), 2.0).value.lambdify()
    assert np.isnan(value(0.0))
    assert value(-0.0) == -np.inf
    assert np.isnan(value(-1.0))


@pytest.mark.long
def test_of_a_long_chain_only_templates_are_compiled(monkeypatch):
    sources = []
    plain = compiling._define_flat
    monkeypatch.setattr(compiling, "_define_flat", lambda *a: (sources.append(a[0]), plain(*a))[1])
    derivation = symtape.derive(lambda x: chain(x, 10_000), 0.5)
    assert derivation.value.lambdify()(0.25) == pytest.approx(chain(0.25, 10_000), rel=1e-12)
    gradient = derivation.gradient.lambdify()(0.25)
    wanted = symtape.grad(lambda x: chain(x, 10_000))(0.25)
    assert gradient == pytest.approx(wanted, rel=1e-10)
    assert sum(map(len, sources)) < 1000


@pytest.mark.parametrize("what", ["value", "gradient"])
def test_steps_are_linear_in_the_length(what):
    def steps(length):
        form = getattr(symtape.derive(lambda x: chain(x, length), 0.5), what)
        return len(compiling._steps(form.shadow.program, form.tree.ravel().tolist()).places)

    once, twice = steps(500), steps(1000)
    assert 1000 < once < 5000
    assert abs(twice - 2 * once) < 10
