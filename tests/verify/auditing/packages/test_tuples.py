"""Tuples of values and their derivatives: each derivative is judged, whatever stands around it."""

import pytest

from verify.model.verdict import Verdict

CELL = """
import numpy as np

def cell(v, load, leak, resistance, return_gradients=False):
    i = load - leak * np.expm1(v)
    u = v - i * resistance
    if not return_gradients:
        return i, u, i * u
    di = -leak * np.exp(v)
    du = 1 - di * resistance
    return i, u, i * u, {3}, {4}, di / du, u * di / du + i
"""
SURFACES = """
import numpy as np

def surfaces_and_derivatives(x, y):
    s, c = np.sin(x * y), np.cos(x * y)
    return s, x**2 * y**3, {2}, {3}, {4}, {5}, {6}, c - x * y * s, {8}
"""
ROWS = """
import numpy as np

def rows(x, jac=False):
    values = np.sum(np.sin(x)), np.sum(x**3)
    return (*values, {2}, {3}) if jac else values
"""
HILL = """
import numpy as np

def hill(x, derivs=False):
    value = np.sum(x**4)
    return (value, {1}, {2}) if derivs else value
"""
FLOW = """
import numpy as np

def flow_and_gradient(r, power, conductivity=2.0):
    slope = power * r ** (power - 1)
    return r**power, {1}, -conductivity * slope
"""
TUPLES = {
    "cell": (CELL, {3: "di", 4: "du"}),
    "surfaces_and_derivatives": (
        SURFACES,
        {
            2: "y * c",
            3: "x * c",
            4: "2 * x * y**3",
            5: "3 * x**2 * y**2",
            6: "-(y**2) * s",
            8: "-(x**2) * s",
        },
    ),
    "rows": (ROWS, {2: "np.cos(x)", 3: "3 * x**2"}),
    "hill": (HILL, {1: "4 * x**3", 2: "np.diag(12 * x**2)"}),
    "flow_and_gradient": (FLOW, {1: "slope"}),
}
"""Functions with the items that are derivatives; the others are none, though they look like it."""

FAULTS = (
    " * 1.5",
    " * -1",
    " * np.where(np.sum(value_of) > 0.3, 1, 1.01)",
    " + np.sin(9 * value_of)",
)


def judge_tuple(judge_pairs, name, spoiled=None, fault=""):
    """Verdicts by place, of one item spoiled."""
    source, items = TUPLES[name]
    of = "r" if name.startswith("flow") else "v" if name == "cell" else "x"
    words = {
        str(k): f"({text}){fault.replace('value_of', of)}" if k == spoiled else text
        for k, text in items.items()
    }
    places = {}
    for claim, told in judge_pairs(source, **words).items():
        if hasattr(told, "verdict"):  # That of a flag's name is behind one value.
            place = claim.rpartition("[")[2].rstrip("]")
            places[int(place) if place.isdigit() else 1] = told.verdict
    return places


@pytest.mark.long
@pytest.mark.parametrize("name", TUPLES)
def test_each_derivative_behind_several_values_is_judged(judge_pairs, name):
    _, items = TUPLES[name]
    assert judge_tuple(judge_pairs, name) == dict.fromkeys(items, Verdict.CORRECT)


@pytest.mark.long
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("name", "place"), [(it, k) for it in TUPLES for k in TUPLES[it][1]])
def test_a_wrong_one_is_refuted_and_no_other_is_accused(judge_pairs, name, place, fault):
    given = judge_tuple(judge_pairs, name, place, fault)
    wrong = {k for k, verdict in given.items() if verdict is Verdict.WRONG}
    # What has little to do with a derivative is not accused of being a wrong one.
    assert wrong == {place} or (fault == FAULTS[-1] and not wrong)


HIDDEN = """
import numpy as np

def well(x, depth, growth=0.0, offset=0.0, grad=False):
    a, b = depth * np.cosh(x) + growth * x**3, depth * np.sinh(2 * x)
    if not grad:
        return a, b
    return a, b, depth * np.sinh(x) + {three} * growth * x**2, 2 * depth * np.cosh(2 * x)
"""


@pytest.mark.long
@pytest.mark.parametrize(("three", "verdict"), [("3", "CORRECT"), ("2", "WRONG")])
def test_a_term_that_a_default_of_zero_hides_is_judged_too(judge_pairs, three, verdict):
    given = judge_pairs(HIDDEN, three=three)
    told = {claim: it.verdict.value for claim, it in given.items() if hasattr(it, "verdict")}
    assert told.pop("well[2][growth=0.5]") == verdict
    assert told == dict.fromkeys(("well[2]", "well[3]"), "CORRECT")


UNNAMED = """
import numpy as np

def motion(t, rate, damping):
    decay = np.exp(-damping * t)
    x, y = decay * np.cos(rate * t), decay * np.sin(rate * t)
    return x, y, -damping * x - rate * y, {3}

def elliptic(u, m):
    return np.exp(-m * u), np.sin(u), np.cos(u), np.sqrt(1 + (m * np.sin(u)) ** 2)

def statistics(x, y):
    return x * y, x + y, x / y, x**2 * y, np.exp(x) * y

def spread(x, y, deriv=False):
    return (x * y, x / y, -3 * y, y**2 * x) if deriv else (x * y, x / y)
"""


@pytest.mark.long
@pytest.mark.parametrize("three", ["rate * x - damping * y", "damping * y", "1.5 * rate * x"])
def test_what_no_name_calls_a_derivative_is_accused_of_nothing(judge_pairs, three):
    given = judge_pairs(UNNAMED, **{"3": three})
    told = {claim: it.verdict.value for claim, it in given.items() if hasattr(it, "verdict")}
    right = {"motion[2]", *(["motion[3]"] if three.startswith("rate") else [])}
    assert told == dict.fromkeys(right, "CORRECT")
