"""Assertions: what passes, what fails, and what a person reads then."""

from __future__ import annotations

import math
import pickle
import re
import textwrap

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import verify
from symtape.process.budget import Budget
from tests.faults.historical import broadcasting, tails
from verify.assertions import assert_derivative
from verify.campaign.importing import find_function
from verify.errors import UsageError
from verify.options import defaults
from verify.reporting import failure

SAMPLES = """
    import struct

    import numpy as np

    import symtape


    def energy(x):
        return np.sum(np.exp(x) * x)


    def by_hand(x):
        return np.exp(x) * (1 + x)


    def wrong_sign(x):
        return -by_hand(x)


    def lost_digits(x):
        return 1 - np.tanh(x) ** 2


    def saturating(x):
        return np.tanh(x)


    @symtape.custom_gradient
    def cube(x):
        def grad(upstream):
            return upstream * 3 * x
        return x**3, grad


    def through_cube(x):
        return np.sum(cube(2 * x))


    def product(scale, weights, x):
        return scale * np.sum(weights * x)


    def product_gradient(scale, weights, x):
        return np.sum(weights * x), scale * x, weights


    def logarithm(x):
        return np.log(x - 1)


    def escaping(x):
        return x * np.sin(struct.unpack("d", struct.pack("d", x))[0])


    def corner(x):
        return np.sum(np.maximum(x, 0.0))


    def flat(x):
        return np.zeros((*x.shape, *x.shape))


    def scaled(a, x):
        return a * np.sin(x)


    def pulled(a, x, g):
        return -np.sum(g * np.sin(x))


    def three(x):
        return np.stack([x[0] * x[1], x[0], x[1]])


    def turned(x):
        return np.array([[x[1], 1.0, 0.0], [x[0], 0.0, 1.0]])


    def raises(x):
        return by_hand(x)[500]
"""


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path / "home"))


@pytest.fixture
def samples(tmp_path, monkeypatch):
    """The sample functions, in a file of the present folder."""
    (tmp_path / "samples.py").write_text(textwrap.dedent(SAMPLES).lstrip())
    monkeypatch.chdir(tmp_path)

    class Samples:
        def __getattr__(self, name):
            return find_function(f"samples.py:{name}")

    return Samples()


def on_any_machine(text):
    """Without counts and last digits, which depend on the libraries of mathematics."""
    text = re.sub(r"(claimed +-?\d\.\d{12})\d+", r"\1", text)
    text = re.sub(r"; \S+ allowed", "; N allowed", text)
    text = re.sub(r"[\d,]+ points tried, [\d,]+ judged", "N points tried, N judged", text)
    text = re.sub(r"[\d,]+ (outside|undecided)\b", r"N \1", text)
    text = re.sub(r"\d+ more lines?", "N more lines", text)
    text = re.sub(r"± \S+\)", "± N)", text)
    text = re.sub(r"\d+ earlier counterexamples", "N earlier counterexamples", text)
    return re.sub(r"[\d,]+ (CORRECT|KINK|OUTSIDE|INACCURATE|WRONG|UNDECIDED)\b", r"N \1", text)


x = [0.5, -1.0]
box = verify.box(-2, 2, shape=(2,))

FAILING = {
    "a wrong sign, over a region": lambda s: verify.assert_gradient(
        s.energy, s.wrong_sign, over=box
    ),
    "a wrong sign, at a point": lambda s: verify.assert_gradient(s.energy, s.wrong_sign, at=[x]),
    "at several points, of which one fails": lambda s: verify.assert_gradient(
        s.saturating, s.lost_digits, at=[0.5, 19.0, 0.0]
    ),
    "lost digits, over a region": lambda s: verify.assert_gradient(
        s.saturating, s.lost_digits, over=[-60, 60]
    ),
    "a custom gradient": lambda s: verify.assert_gradient(s.through_cube, at=[x]),
    "a region with a seed": lambda s: verify.assert_gradient(
        s.energy, s.wrong_sign, over=box, seed=3
    ),
    "several arguments, in the wrong order": lambda s: verify.assert_gradient(
        s.product, s.product_gradient, at=[(2.0, [1.0, 2.0], [3.0, 5.0])]
    ),
    "arrays too large to show": lambda s: verify.assert_gradient(
        s.energy, s.wrong_sign, at=[np.linspace(0, 1, 100)]
    ),
    "another format": lambda s: verify.assert_gradient(
        s.energy, s.wrong_sign, at=[np.array(x, np.float32)]
    ),
    "a product, by one of its arguments": lambda s: verify.assert_vjp(
        s.scaled, s.pulled, at=[(2.0, [1.0, 2.0])], argnums=0
    ),
    "sampled": lambda s: verify.assert_gradient(
        s.escaping, s.by_hand, at=[0.5], evidence="sampled"
    ),
    "a shape": lambda s: verify.assert_jacobian(s.three, s.turned, at=[x]),
    "an error": lambda s: verify.assert_gradient(s.energy, s.raises, at=[x]),
    "undecided": lambda s: verify.assert_gradient(s.escaping, over=[0, 1]),
    "undecided, at a point": lambda s: verify.assert_gradient(s.escaping, at=[0.5]),
    "no point is in the domain": lambda s: verify.assert_gradient(s.logarithm, over=[-3, 1]),
    "the point is not in the domain": lambda s: verify.assert_gradient(s.logarithm, at=[0.5]),
    "a kink, where nobody knows": lambda s: verify.assert_hessian(
        s.corner, s.flat, at=[[0.0, 1.0], [0.5, 0.25]]
    ),
}


@pytest.mark.long
def test_a_failure_says_all_that_helps_on_less_than_a_screen(samples, snapshot):
    told = []
    for label, call in FAILING.items():
        with pytest.raises(verify.DerivativeError) as caught:
            call(samples)
        words = str(caught.value)
        assert len(words.splitlines()) <= 25
        assert max(map(len, words.splitlines())) <= 430
        told.append(f"### {label}\n{words}\n\n")
    snapshot("assertions", on_any_machine("".join(told)))


def test_it_carries_the_result(samples):
    with pytest.raises(verify.DerivativeError) as caught:
        verify.assert_gradient(samples.energy, samples.wrong_sign, at=[x])
    assert caught.value.result.verdict is verify.Verdict.WRONG
    assert isinstance(caught.value, AssertionError)
    assert str(pickle.loads(pickle.dumps(verify.DerivativeError("m")))) == "m"


def test_a_failure_that_nobody_reads_is_not_explained(samples, monkeypatch):
    explained = []
    monkeypatch.setattr(
        failure, "failure", lambda *words, **more: explained.append(words) or "told"
    )
    with pytest.raises(verify.DerivativeError) as caught:
        verify.assert_gradient(samples.energy, samples.wrong_sign, at=[x])
    assert explained == []
    assert [str(caught.value), str(caught.value)] == ["told", "told"]
    assert len(explained) == 1
    unread = verify.DerivativeError(*caught.value.args)
    assert pickle.loads(pickle.dumps(unread)).args == ("told",)


def test_a_right_claim_returns_the_result(samples):
    result = verify.assert_gradient(samples.energy, samples.by_hand, over=box)
    assert result.verdict is verify.Verdict.CORRECT
    assert result.coverage.judged > 20
    assert sum(count for _, count in result.coverage.counts) == result.coverage.judged


PASSING = {
    "an admissible value at a kink": lambda: verify.assert_gradient(np.abs, np.sign, at=[0.0]),
    "a kink that a search finds": lambda: verify.assert_gradient(np.abs, np.sign, over=[-1, 1]),
    "a kink of which nobody knows, among others": lambda: verify.assert_hessian(
        lambda x: np.maximum(x, 0.0) ** 2, lambda x: 2.0 * (x > 0), over=[-1, 1]
    ),
    "points outside, among others": lambda: verify.assert_gradient(
        np.log, lambda x: 1 / x, at=[-1.0, 2.0]
    ),
    "half a region outside": lambda: verify.assert_gradient(np.log, lambda x: 1 / x, over=[-1, 2]),
    "undecided, where that is allowed": lambda: verify.assert_gradient(
        lambda x: x * math.sin(x), over=[0, 1], allow_undecided=True
    ),
    "an unknown kink, where that is allowed": lambda: verify.assert_hessian(
        lambda x: np.maximum(x, 0.0) ** 2, at=[0.0], allow_undecided=True
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("call", PASSING.values(), ids=PASSING)
def test_what_passes(call):
    assert isinstance(call(), verify.Result)


FAULTS = {
    "wrong": (lambda: verify.assert_gradient(np.sin, np.sin, at=[0.5]), verify.DerivativeError),
    "wrong, though undecided is allowed": (
        lambda: verify.assert_gradient(np.sin, np.sin, at=[0.5], allow_undecided=True),
        verify.DerivativeError,
    ),
    "inadmissible": (
        lambda: verify.assert_gradient(np.abs, lambda x: 2.0 + 0 * x, at=[0.0]),
        verify.DerivativeError,
    ),
    "outside, though undecided is allowed": (
        lambda: verify.assert_gradient(np.log, at=[-1.0], allow_undecided=True),
        verify.UndecidedError,
    ),
}


@pytest.mark.parametrize(("call", "kind"), FAULTS.values(), ids=FAULTS)
def test_what_fails(call, kind):
    with pytest.raises(verify.DerivativeError) as caught:
        call()
    assert caught.type is kind


REFUSED = {
    "neither points nor a region": lambda: verify.assert_gradient(np.sin, np.cos),
    "a budget of nothing": lambda: verify.assert_gradient(np.sin, np.cos, at=[1.0], budget=0),
    "a budget in words": lambda: verify.assert_gradient(np.sin, np.cos, at=[1.0], budget="5"),
    "an effort of nothing": lambda: verify.assert_gradient(np.sin, np.cos, over=[0, 1], effort=0),
    "a seed below zero": lambda: verify.assert_gradient(np.sin, np.cos, over=[0, 1], seed=-1),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_bad_terms_are_refused(call):
    with pytest.raises(UsageError):
        call()


def test_terms_that_are_not_given_are_those_of_the_process():
    before = defaults.change(seed=5, seconds=7.0)
    try:
        assert verify.assert_gradient(np.sin, np.cos, over=[0, 1]).coverage.seed == 5
        assert verify.assert_gradient(np.sin, np.cos, over=[0, 1], seed=2).coverage.seed == 2
        with pytest.raises(verify.UndecidedError, match=r"did not return within 0\.025 s"):
            verify.assert_gradient(lambda x: [x for _ in iter(int, 1)], at=[0.0], budget=0.05)
    finally:
        defaults.restore(before)
    assert defaults.present() == before


def test_a_budget_may_be_an_object():
    limits = Budget(seconds=60, statements=5)
    with pytest.raises(verify.UndecidedError, match="5 statements"):
        verify.assert_gradient(lambda x: np.sum(np.exp(x) * x), at=[x], budget=limits)


@pytest.mark.parametrize("fault", [*tails.FAULTS, *broadcasting.FAULTS], ids=lambda it: it.name)
def test_no_failure_is_longer_than_a_screen(fault):
    claimed = getattr(verify, f"assert_{fault.quantity}")
    with pytest.raises(verify.DerivativeError) as caught:
        claimed(fault.function, fault.wrong, at=list(fault.at))
    lines = str(caught.value).splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 430


class Observer:
    """Keeps the verdicts that it is told of."""

    def __init__(self):
        self.verdicts = []

    def observe(self, result):
        self.verdicts.append(result.verdict.value)

    def replay(self, seed):
        return f"again {seed}"


def test_an_observer_is_told_of_every_verdict_and_says_how_to_replay():
    observer = Observer()
    before = defaults.change(observer=observer)
    try:
        verify.assert_gradient(np.sin, np.cos, at=[0.5])
        with pytest.raises(verify.DerivativeError, match="again None"):
            verify.assert_gradient(np.sin, np.sin, at=[0.5])
        with pytest.raises(verify.DerivativeError, match="again 0"):
            verify.assert_gradient(np.sin, np.sin, over=[0, 1])
        with pytest.raises(verify.DerivativeError, match="again None"):
            verify.assert_gradient(np.sin, np.sin, over=[0, 1], seed=0)
    finally:
        defaults.restore(before)
    verify.assert_gradient(np.sin, np.cos, at=[0.25])
    assert observer.verdicts == ["CORRECT", "WRONG", "WRONG", "WRONG"]


def test_a_failure_under_hypothesis_shrinks_to_the_edge(tmp_path):
    def slope(x):
        return np.cos(x) * (1 + (x > 41.7))

    @settings(
        max_examples=60, derandomize=True, database=None, phases=[Phase.generate, Phase.shrink]
    )
    @given(st.floats(-60, 60, allow_subnormal=False))
    def holds(point):
        verify.assert_gradient(np.sin, slope, at=[point])

    with pytest.raises(verify.DerivativeError, match=r"x = 42\.0"):
        holds()
    assert not (tmp_path / "home").exists(), "points that are given are not kept"


def _direction(x):
    return x / np.sqrt(x[0] ** 2 + x[1] ** 2)


@pytest.mark.parametrize(
    "asserted",
    [
        lambda **at: verify.assert_gradient(_length, _direction, **at),
        lambda **at: assert_derivative("gradient", _length, _direction, **at),
        lambda **at: verify.assert_optimize(_length, jac=_direction, **at),
    ],
)
def test_a_note_warns_at_the_line_of_the_caller(asserted):
    with pytest.warns(verify.NotedWarning) as caught:
        asserted(at=[[1e-200, 2e-200], [3.0, 4.0]])
    assert caught[0].filename == __file__


def _length(x):
    return np.hypot(x[0], x[1])
