"""What is printed shows the verdict: errors beyond what is allowed, or within it, in one unit."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from scipy import special

import symtape
import verify
from verify import Verdict
from verify.errors import UsageError
from verify.judging.judge import verify_case
from verify.selftest.functions import FUNCTIONS
from verify.selftest.points import generator
from verify.strategies import programs
from verify.suites import SUITES

SETTINGS = settings(
    derandomize=True,
    phases=[Phase.generate, Phase.shrink],
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)

PLAIN = 2.0**64
"""More ulps than this are no number that anybody can read beside CORRECT."""


def check(result):
    """The laws, of every point of a result that shows an error and what is allowed."""
    for point in result.points:
        worst = point.worst
        if worst is None or point.kink is not None:
            continue
        assert not math.isinf(worst.allowed), point
        if point.verdict.fails:
            assert worst.ulps > worst.allowed, point
        elif point.verdict is Verdict.CORRECT:
            assert worst.ulps <= worst.allowed * (1 + 1e-9), point
            assert worst.ulps < PLAIN, point
        if worst.exactly:
            assert point.verdict is Verdict.WRONG
            assert worst.allowed == 0.5


def off(change):
    return lambda right: lambda *xs: _mapped(change, right(*xs), xs)


def _mapped(change, answer, xs):
    if isinstance(answer, tuple):
        return tuple(_mapped(change, part, xs) for part in answer)
    return change(answer, xs[0])


CHANGES = {
    "right": off(lambda g, x: g),
    "sign": off(lambda g, x: -g),
    "a trifle": off(lambda g, x: g + 1e-40 * g),
    "a few units": off(lambda g, x: g + 1e-15 * g),
    "many units": off(lambda g, x: g + 1e-12 * g),
    "a term": off(lambda g, x: g + 1e-13 * np.sum(x)),
    "zero": off(lambda g, x: 0 * g),
    "not a number": off(lambda g, x: g * np.nan),
    "infinite": off(lambda g, x: g / 0.0),
    "digits lost": off(lambda g, x: (g + 1e10) - 1e10),
    "all digits lost": off(lambda g, x: (g + 1e300) - 1e300),
    "by another exponential": off(lambda g, x: g * np.exp(np.sum(x)) / np.exp(np.sum(x))),
}


def unread(rule):
    """The same in values that no tape follows."""

    def claimed(*xs):
        with np.errstate(all="ignore"):
            answer = rule(*[np.array(np.asarray(x).tolist()) for x in xs])
        parts = answer if isinstance(answer, tuple) else (answer,)
        plain = tuple(np.array(np.asarray(part).tolist()) for part in parts)
        return plain if isinstance(answer, tuple) else plain[0]

    return claimed


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.campaign)])
@pytest.mark.parametrize("suite", ["seeds", "classics"])
def test_the_built_in_suites_keep_the_laws(suite, every):
    for case in list(SUITES[suite]())[::every]:
        if case.at:
            check(verify_case(case))


WAYS = [(change, followed) for change in CHANGES for followed in (True, False)]


@pytest.mark.slow
@pytest.mark.parametrize("way", range(len(WAYS)), ids=lambda way: "-".join(map(str, WAYS[way])))
def test_claims_that_are_off_keep_the_laws(way):
    """Each of some functions, and of others than the next: all have their turn."""
    change, followed = WAYS[way]
    for name in list(FUNCTIONS)[way % 8 :: 8]:
        claimed = FUNCTIONS[name]
        rule = CHANGES[change](claimed.derivative)
        points = claimed.points(generator(3, name), 2)
        check(verify_case(claimed.case(points, rule if followed else unread(rule))))


ELEMENTARY = {
    "tanh": (np.tanh, lambda x: 1 - np.tanh(x) ** 2),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), lambda x: np.exp(-x) / (1 + np.exp(-x)) ** 2),
    "bose": (lambda x: 1 / np.expm1(x), lambda x: -np.exp(x) / np.expm1(x) ** 2),
    "bell": (lambda x: np.exp(-x * x), lambda x: -2 * x * np.exp(-x * x)),
    "hill": (lambda x: x**4 / (1 + x**4), lambda x: 4 * x**3 / (1 + x**4) ** 2),
    "angle": (lambda x: np.arctan2(x, 3 * x + 1e-170), lambda x: 1e-170 / (10 * x * x)),
    "Lennard-Jones": (lambda r: r**-12.0 - r**-6.0, lambda r: -12 * r**-13.0 + 6 * r**-7.0),
    "cosine": (
        lambda x: (1 - np.cos(x)) / x**2,
        lambda x: np.sin(x) / x**2 - 2 * (1 - np.cos(x)) / x**3,
    ),
    "near a minimum": (lambda x: np.exp(-((3 * x - 0.3) ** 2)), lambda x: -6 * (3 * x - 0.3)),
    "Bessel": (special.j0, lambda x: -special.j1(x)),
    "normal": (special.ndtr, lambda x: np.exp(-x * x / 2) / np.sqrt(2 * np.pi)),
    "square": (lambda x: x * x, lambda x: 2 * x),
    "entropy": (lambda x: special.xlogy(x, x), lambda x: np.log(x) + 1),
}

AWKWARD = st.one_of(
    st.floats(-800, 800, allow_subnormal=False),
    st.sampled_from(
        [0.1, 1e-4, 1e-8, 1e-20, 1e-162, 1e-283, 1e-300, 19.0, 28.0, 37.5, 88.0, 709.9, 745.2, 1e8]
    ),
    st.floats(-1e100, 1e100, allow_subnormal=True),
)


@pytest.mark.long
@settings(SETTINGS, max_examples=100)
@given(
    name=st.sampled_from(sorted(ELEMENTARY)),
    change=st.sampled_from(sorted(CHANGES)),
    followed=st.booleans(),
    x=AWKWARD,
)
def test_claims_at_awkward_points_keep_the_laws(name, change, followed, x):
    function, right = ELEMENTARY[name]
    rule = CHANGES[change](right)
    check(verify.gradient(function, rule if followed else unread(rule), at=[x]))
    check(verify.gradient(function, at=[x]))


@pytest.mark.long
@settings(SETTINGS, max_examples=25)
@given(program=programs(size=4), change=st.sampled_from(sorted(CHANGES)), followed=st.booleans())
def test_random_programs_keep_the_laws(program, change, followed):
    gradient = symtape.grad(program.function, argnums=tuple(range(len(program.point))))
    rule = CHANGES[change](gradient)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            check(verify.gradient(program.function, at=[program.point]))
            claim = rule if followed else unread(rule)
            check(verify.gradient(program.function, claim, at=[program.point]))
        except UsageError:
            return
