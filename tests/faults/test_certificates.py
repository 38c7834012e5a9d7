"""Certificates that somebody has changed are rejected, or are right of what they say now."""

import copy
import functools
import re
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import verify
from symtape.errors import Unsupported
from verify.certificates.checker import Rejected, check, digest
from verify.certificates.writer import NotWritten, certify
from verify.claimants.claim import claim_of
from verify.claimants.posing import pose_case
from verify.model.case import Case
from verify.oracles.over_region.proof import prove_over


def softplus(x):
    return np.log1p(np.exp(x))


def distance(x):
    return np.sqrt(1 + np.sum(x**2))


def wave(x):
    return np.sin(x[0]) * np.exp(x[1]) / (2 + np.cos(x[0]))


def wave_slopes(x):
    below = 2 + np.cos(x[0])
    slope = np.cos(x[0]) / below + np.sin(x[0]) ** 2 / below**2
    return np.exp(x[1]) * np.stack([slope, np.sin(x[0]) / below])


def bend(x):
    if x > 0:
        return x**2
    return np.sin(x)


def bend_slope(x):
    if x > 0:
        return 2 * x
    return np.cos(x)


square = verify.box(-2, 2, shape=(2,))
CLAIMS = {
    "softplus": ("gradient", softplus, lambda x: 1 / (1 + np.exp(-x)), [-3, 3]),
    "distance": ("gradient", distance, lambda x: x / distance(x), square),
    "wave": ("gradient", wave, wave_slopes, square),
    "branches": ("gradient", bend, bend_slope, [-1, 2]),
    "pieces": (
        "gradient",
        lambda x: np.sum(np.maximum(0.1 * x, x)),
        lambda x: np.where(x > 0, 1, 0.1),
        square,
    ),
    "constants": ("gradient", lambda x: 0.1 * x**3, lambda x: 0.3 * x**2, [-1, 1]),
    "matrix": ("jacobian", lambda x: x**3, lambda x: np.diag(3 * x**2), square),
    "second": ("hessian", lambda x: x[0] ** 2 * x[1], lambda x: hessian(x), square),
}


def hessian(x):
    return np.array([[2 * x[1], 2 * x[0]], [2 * x[0], 0.0]])


@functools.cache
def certificate(name):
    quantity, function, claimed, over = CLAIMS[name]
    case = Case(name, name, function, (), quantity, claimed=claimed)
    case = pose_case(case, over, None, None, "conjugate")
    claim = claim_of(case)
    return certify(name, claim, case.over, prove_over(claim, case.over))


def places_in(value, path=()):
    """The paths to all numbers and texts in a value of JSON."""
    if not isinstance(value, dict | list):
        return [path]
    items = value.items() if isinstance(value, dict) else enumerate(value)
    return [place for key, part in items for place in places_in(part, (*path, key))]


OPERATIONS = ["exp", "log", "sin", "cos", "atan", "asin", "erf", "add", "mul", "step", "power"]


def other_values(value):
    """What may stand in the place of a number or a text."""
    if isinstance(value, int):
        return st.integers(0, 12)
    if value is None or not re.fullmatch(r"-?\d+(/\d+)?", value):
        return st.sampled_from([*OPERATIONS, "vjp", "hessian", "other"])
    number = Fraction(value)
    small = st.integers(-8, 8).map(lambda k: Fraction(k, 4))
    near = st.sampled_from([-1, 0, 2, Fraction(1, 2), 1 + Fraction(1, 10**9)])
    return st.one_of(small, near.map(lambda factor: number * factor)).map(str)


@st.composite
def changed(draw, name):
    """A certificate in which one thing is another."""
    made = copy.deepcopy(certificate(name))
    del made["digest"]
    path = draw(st.sampled_from(places_in(made)))
    holder = functools.reduce(lambda part, key: part[key], path[:-1], made)
    holder[path[-1]] = draw(other_values(holder[path[-1]]))
    return made


names = st.sampled_from(sorted(CLAIMS))


@pytest.mark.parametrize("name", CLAIMS)
def test_what_nobody_has_changed_is_accepted(name):
    assert check(certificate(name)).share > 0.99


CHOOSING = {
    "floor": np.floor,
    "round": np.round,
    "floor_divide": lambda x: x // 1,
    "trunc": np.trunc,
    "all": lambda x: 1.0 * np.all(x > 0.25),
    "searchsorted": lambda x: 1.0 * np.searchsorted(np.array([0.25, 0.5]), x),
    "index": lambda x: np.array([1.0, 2.0])[np.int64(x > 0.25)],
}


@pytest.mark.parametrize("name", CHOOSING)
def test_no_choice_is_lost(name):
    """What chooses by other than conditions, which a certificate would hold, has none."""
    choose = CHOOSING[name]
    case = Case(
        "a", "a", lambda x: x * choose(x), (), "gradient", claimed=lambda x: choose(x) + 0 * x
    )
    case = pose_case(case, [0, 1], None, None, "conjugate")
    claim = claim_of(case)
    proof = prove_over(claim, case.over)
    assert proof is not None
    with pytest.raises((NotWritten, Unsupported)):
        certify("a", claim, case.over, proof)


@settings(max_examples=100)
@given(names.flatmap(changed), names)
def test_what_is_changed_is_rejected(made, name):
    original = certificate(made["claim"]["case"]) if made["claim"]["case"] in CLAIMS else None
    assume(original is None or {**made, "digest": original["digest"]} != original)
    with pytest.raises(Rejected, match="its digest is that of something else"):
        check({**made, "digest": certificate(name)["digest"]})


@pytest.mark.long
@settings(max_examples=300)
@given(names.flatmap(changed))
def test_what_is_changed_and_sealed_again_is_rejected_or_right(made):
    try:
        check({**made, "digest": digest(made)})
    except Rejected:
        return
    assert is_right(made)


OF_NUMBERS = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "power": lambda a, n: a ** (mpmath.mpf(n.numerator) / n.denominator),
    "exp": mpmath.exp,
    "log": mpmath.log,
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "atan": mpmath.atan,
    "asin": mpmath.asin,
    "erf": mpmath.erf,
    "step": lambda a: mpmath.mpf(a > 0),
    "rounded": lambda a, value: a,
    "pi": lambda: +mpmath.pi,
}


def run(program, wanted, x):
    """The values of rows at a point, by the definitions of their operations."""
    values = []
    for name, *arguments in program:
        if name == "input":
            values.append(x[arguments[0]])
        elif name == "number":
            values.append(to_float(arguments[0]))
        else:
            numbers = arguments[:1] if name == "step" else arguments
            given = [values[a] if type(a) is int else Fraction(a) for a in numbers]
            values.append(OF_NUMBERS[name](*given))
    return [values[at] for at in wanted]


def to_float(text):
    number = Fraction(text)
    return mpmath.mpf(number.numerator) / number.denominator


def is_right(made):
    """Whether difference quotients agree with what is claimed, at points of all boxes."""
    by, quantity = made["claim"]["by"], made["claim"]["quantity"]
    random = np.random.default_rng(0)
    for part in made["parts"]:
        for box in part["boxes"]:
            low, high = np.array([[float(Fraction(end)) for end in ends] for ends in box]).T
            for _ in range(3):
                x = [mpmath.mpf(each) for each in low + random.random(low.size) * (high - low)]
                with mpmath.workdps(60):
                    claimed = run(part["program"], part["claimed"], x)
                    exact = quotients(part["program"], part["function"], x, by, quantity)
                    scale = 1 + max(map(abs, exact))
                    pairs = zip(claimed, exact, strict=True)
                    if not all(abs(a - b) < scale * mpmath.mpf("1e-12") for a, b in pairs):
                        return False
    return True


def quotients(program, outputs, x, by, quantity):
    """The derivatives of a program at a point, as symmetric quotients of differences."""
    step = mpmath.mpf("1e-20")

    def slopes(function, point):
        """For each input in `by` the derivatives of all that a function returns."""
        columns = []
        for k in by:
            sides = [[e + s * step * (j == k) for j, e in enumerate(point)] for s in (1, -1)]
            above, below = map(function, sides)
            columns.append([(a - b) / (2 * step) for a, b in zip(above, below, strict=True)])
        return columns

    def gradient(point):
        return [entry for [entry] in slopes(lambda x: run(program, outputs, x), point)]

    columns = slopes(gradient if quantity == "hessian" else lambda x: run(program, outputs, x), x)
    return [entry for row in zip(*columns, strict=True) for entry in row]


def test_the_judge_of_these_tests_tells_right_from_wrong():
    made = copy.deepcopy(certificate("wave"))
    assert is_right(made)
    part = made["parts"][0]
    part["claimed"] = part["claimed"][::-1]
    assert not is_right(made)
