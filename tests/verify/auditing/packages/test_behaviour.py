"""Pairs by behaviour: of packages written here, what is found, what is not, and the reason."""

import importlib
import re
import sys
import textwrap

import numpy as np
import pytest

from verify.auditing import Pair
from verify.auditing.packages.conventions.behaviour import CONVENTION
from verify.judging.judge import verify_case
from verify.limits.limit import DEFAULT_BUDGET

HEAD = "import numpy as np\n"

CURVES = """
class Response:
    def evaluate(self, t, theta):
        return theta[0] * np.exp(-theta[1] * t)

    def deriv(self, t, theta):
        decay = np.exp(-theta[1] * t)
        return np.array([decay, -t * theta[0] * decay{fault}])
"""
BOWL = """
class Bowl:
    def function(self, x):
        return np.sum(x**4) + x[0] * x[1] ** 2

    def gradient(self, x):
        made = 4 * x**3
        made[0] += x[1] ** 2
        made[1] += 2 * x[0] * x[1]
        return made

    def hessian(self, x):
        made = np.diag(12 * x**2)
        made[0, 1] += 2 * x[1]
        made[1, 0] += 2 * x[1]
        made[1, 1] += 2 * x[0]{fault}
        return made
"""
FIXED = """
from abc import ABC, abstractmethod

class Problem(ABC):
    @abstractmethod
    def cost(self, x): ...

    def describe(self):
        return "a problem"

class Valley(Problem):
    def cost(self, x):
        if np.shape(x) != (7,):
            raise ValueError("expected 7 values")
        return np.sum(np.asarray(x) ** 3)

    def cost_slope(self, x):
        return 3 * np.asarray(x) ** 2{fault}
"""
OPTIONS = """
class Declared(dict):
    def declare(self, name, types=None, lower=None, upper=None):
        self.setdefault("declared", []).append(name)

    def __getitem__(self, name):
        if name not in self:
            raise RuntimeError(f"Option '{name}' is required but has not been set.")
        return super().__getitem__(name)

class Nodes:
    def __init__(self, **options):
        self.options = Declared(options)
        self.options.declare("num_nodes", types=int, lower=1)

    def value(self, x):
        return np.ones(self.options["num_nodes"]) * np.sin(x)

    def dvalue(self, x):
        return np.ones(self.options["num_nodes"]) * np.cos(x){fault}
"""
RECORDS = """
from dataclasses import dataclass
from typing import Literal

@dataclass
class Wave:
    height: float
    order: int
    kind: Literal["even", "odd"]

    def __call__(self, x):
        return self.height * (np.cos if self.kind == "even" else np.sin)(self.order * x)

    def prime(self, x):
        return -self.height * self.order * np.sin(self.order * x){fault}
"""
MODELS = """
class Decay:
    def evaluate(self, x, height, rate):
        return height * np.exp(-rate * x)

    def fit(self, x):
        raise RuntimeError("it is never called")

    def fit_deriv(self, x, height, rate):
        decay = np.exp(-rate * x)
        return [decay, -x * height * decay{fault}]
"""
WRITTEN = '''
class Table:
    """A table.

    Examples
    --------
    >>> knots = np.linspace(0.0, 3.0, 4)
    >>> made = Table(knots, degree="three")
    """

    def __init__(self, knots, degree):
        if degree != "three" or np.ndim(knots) != 1:
            raise TypeError("no such table")
        self.coefficients = knots

    def value(self, x):
        return np.polyval(self.coefficients, x)

    def value_deriv(self, x):
        return np.polyval(np.polyder(self.coefficients), x){fault}
'''
FUNCTIONS = """
def energy_pair(x):
    return np.sum(np.sin(x) * x), np.cos(x) * x + np.sin(x){fault}

def potential(r, depth):
    return depth / r**6

def pull(r, depth):
    return 6 * depth / r**7

def height(x, y):
    return x**2 * np.cos(y)

def slopes_of_height(x, y):
    return 2 * x * np.cos(y), -(x**2) * np.sin(y)

def twist(x):
    return np.array([x[0] * x[1], x[0] ** 3, np.sin(x[1])])

def twist_jacobian(x):
    return np.array([[x[1], 3 * x[0] ** 2, 0.0], [x[0], 0.0, np.cos(x[1])]])

def rise_vjp(x, weight):
    return weight * 3 * x**2

def rise(x):
    return x**3
"""

BOTH = """
def wave_and_der2(x):
    return np.sin(x), np.cos(x), -np.sin(x){fault}

def sum_and_grad(x):
    return np.sum(x**3), 3 * x**2
"""

PACKAGES = {
    "both": (BOTH, "wave_and_der2[2]", "wave_and_der2", " * -1"),
    "curves": (CURVES, "Response.deriv", "Response.evaluate", "+ 0.2 * t"),
    "bowls": (BOWL, "Bowl.hessian", "Bowl.gradient", " + 0.3"),
    "fixed": (FIXED, "Valley.cost_slope", "Valley.cost", " * np.linspace(1, 1.001, 7) ** 9"),
    "options": (OPTIONS, "Nodes.dvalue", "Nodes.value", " + (x > 0.5)"),
    "records": (RECORDS, "Wave.prime", "Wave.__call__", " * 2"),
    "models": (MODELS, "Decay.fit_deriv", "Decay.evaluate", " * np.where(x > 0.5, 1, 1.01)"),
    "written": (WRITTEN, "Table.value_deriv", "Table.value", " + 0.3 * (x > 1)"),
    "functions": (FUNCTIONS, "energy_pair[1]", "energy_pair", " * np.where(x > 0.5, 1, -1)"),
}


@pytest.fixture
def load(tmp_path, monkeypatch):
    """A module that is written on disk, imported."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    made = []

    def load_module(name, source):
        full = f"{name}_{abs(hash(str(tmp_path))) % 10**8}_{len(made)}"
        (tmp_path / f"{full}.py").write_text(HEAD + textwrap.dedent(source))
        made.append(full)
        importlib.invalidate_caches()
        return importlib.import_module(full)

    yield load_module
    for each in made:
        sys.modules.pop(each, None)


def found_in(module):
    return {
        each.id.partition(":")[2]: each
        for each in CONVENTION.find(module)
        if isinstance(each, Pair)
    }


@pytest.mark.long
@pytest.mark.parametrize("name", PACKAGES)
def test_a_derivative_is_found_right_or_wrong_and_judged(name, load):
    source, claim, function, fault = PACKAGES[name]
    for words, expected in (("", "CORRECT"), (fault, "WRONG")):
        pair = found_in(load(name, source.replace("{fault}", words)))[claim]
        assert pair.function == function
        case = CONVENTION.pose(pair)
        assert pair.settings["why"] in case.title
        result = verify_case(case, DEFAULT_BUDGET, 0.02)
        assert result.verdict.value == expected, (pair.settings["why"], str(result))


@pytest.mark.long
def test_of_functions_the_form_is_told(load):
    pairs = found_in(load("functions", FUNCTIONS.replace("{fault}", "")))
    assert {name: (each.function, each.settings["form"]) for name, each in pairs.items()} == {
        "energy_pair[1]": ("energy_pair", "parts"),
        "pull": ("potential", "parts"),
        "slopes_of_height": ("height", "stacked"),
        "twist_jacobian": ("twist", "transposed"),
        "rise_vjp": ("rise", "parts"),
    }
    assert pairs["pull"].settings["factor"] == -1
    for each in pairs.values():
        result = verify_case(CONVENTION.pose(each), DEFAULT_BUDGET, 0.02)
        assert result.verdict.value == "CORRECT", (each.id, str(result))


VERBS = """
def {verb}_energy(x):
    return np.sum(x**4 + np.sin(x) * x[::-1])

def {verb}_gradient(x):
    return 1.1 * (4 * x**3 + np.cos(x) * x[::-1]) + np.sin(x[::-1])
"""


@pytest.mark.parametrize("verb", ["get", "compute", "calc", "calculate", "eval", "evaluate"])
def test_a_verb_that_says_nothing_hides_no_derivative(load, verb):
    pairs = found_in(load("verbs", VERBS.format(verb=verb)))
    assert pairs[f"{verb}_gradient"].function == f"{verb}_energy"


SIGNS = """
def stretch(x):
    return np.sum(x**4 + np.sin(x) * x[::-1])

def {claim}(x):
    return -4 * x**3 - np.cos(x) * x[::-1] - np.sin(x[::-1])
"""
DERIVATIVES = (
    *(
        "stretch_der",
        "stretch_prime",
        "dstretch_dx",
        "d_stretch_dx",
        "grad_stretch",
        "stretch_slope",
    ),
)


@pytest.mark.parametrize(
    ("claim", "factor"), [*((it, 1) for it in DERIVATIVES), ("pull", -1), ("force_of_stretch", -1)]
)
def test_a_sign_is_forgiven_to_forces_alone(load, claim, factor):
    pairs = found_in(load("signs", SIGNS.format(claim=claim)))
    assert pairs[claim].settings["factor"] == factor


def test_the_reason_counts_entries_and_points(load):
    source, claim, _, fault = PACKAGES["bowls"]
    why = found_in(load("bowls", source.replace("{fault}", fault)))[claim].settings["why"]
    assert re.fullmatch(
        r"`Bowl.hessian` agrees with differences of `Bowl.gradient` by x in \d+ of \d+ entries, "
        r"and in all at 0 of 5 points",
        why,
    )


ALIEN = """
def sine(x):
    return np.sin(x)

def cosine_like(x):
    return np.exp(x) + 40

def scaled(x):
    return 3 * x

def area(a, b):
    return a * b

def ratio(a, b):
    return a / b

def total(x):
    return np.sum(x)

def create_van_der_corput_samples(indices, base):
    return np.asarray(indices) / (base + 1.5)

def half_square(x):
    return x**2 / 2

def pressure_loss(speed, friction):
    return 0.5 * friction * speed**2

def heat_ratio(flow, width):
    return flow * width

def mixing(share, size, flow):
    return share * size / flow

def oscillate(x):
    return np.exp(x), np.sin(x), np.cos(x), -np.sin(x)

class Polynomial:
    def fit_deriv(self, x):
        return np.array([1.0, x, x**2])

    def prepare_inputs(self, x):
        return (x, 2 * x + 1)

    def initialize(self, kwargs):
        return kwargs

class Model:
    def variogram(self, r):
        return 1 - np.exp(-np.abs(r))

    def covariance(self, r):
        return np.exp(-np.abs(r))

    def correlation(self, h):
        return np.exp(-h)

def clip(x):
    return np.clip(x, -0.5, 0.5)
"""


def test_what_only_looks_alike_is_not_proposed(load):
    assert found_in(load("alien", ALIEN)) == {}


def test_the_same_items_of_two_tuples_are_the_same_and_no_derivatives(load):
    pairs = found_in(
        load(
            "growing",
            """
    def growth(x, c):
        return np.exp(c + x**2)

    def growth_and_der(x, c):
        value = np.exp(c + x**2)
        return value, 2 * x * value

    def growth_and_der2(x, c):
        value = np.exp(c + x**2)
        return value, 2 * x * value, (2 + 4 * x**2) * value
    """,
        )
    )
    assert {(each.claim, *each.settings["element"]) for each in pairs.values()} == {
        ("growth_and_der", 1),
        ("growth_and_der2", 1),
        ("growth_and_der2", 2),
    }


def test_each_item_of_a_tuple_is_the_derivative_of_the_one_before(load):
    pairs = found_in(
        load(
            "melting",
            """
    def bell(x, c):
        value = np.exp(c * x**2)
        return value, 2 * c * x * value, 2 * c * (1 + 2 * c * x**2) * value

    def melt(T, A, B):
        return A * np.exp(B / T)

    def dmelt_dT(T, A, B):
        return -A * B * np.exp(B / T) / T**2, A * np.exp(B / T)
    """,
        )
    )
    assert {(it.claim, *it.settings["element"], *it.settings["by"]) for it in pairs.values()} == {
        ("bell", 1, "x"),
        ("bell", 2, "x"),
        ("dmelt_dT", 0, "T"),
    }


def test_what_is_named_after_a_function_is_judged_whatever_it_returns(load):
    source = """
    def wave(x, rate):
        return np.sin(rate * x)

    def {name}(x, rate):
        return 40 + np.cos(70 * x + 31 * rate)
    """
    pairs = found_in(load("named", source.replace("{name}", "wave_grad")))
    assert pairs["wave_grad"].settings["why"] == (
        "`wave_grad` has the name of a derivative of `wave`"
    )
    assert not pairs["wave_grad"].sure
    (pair,) = found_in(load("named", source.replace("{name}", "dwave_drate"))).values()
    assert pair.settings["by"] == ["rate"]
    assert found_in(load("named", source.replace("{name}", "grad"))) == {}


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("hanging", "def wait_long(x):\n    while True:\n        pass\n"),
        ("ending", "def end_it(x):\n    raise SystemExit(x)\n"),
        ("chance", "def draw(x):\n    return np.random.normal() * x\n"),
    ],
)
def test_a_function_that_hangs_ends_or_draws_keeps_no_other_from_being_found(
    name, source, load, monkeypatch
):
    monkeypatch.setattr("verify.auditing.packages.behaviour.proposals._SECONDS", 0.3)
    rest = "def rise(x):\n    return x**3\ndef rise_der(x):\n    return 3 * x**2\n"
    assert set(found_in(load(name, source + rest))) == {"rise_der"}


def test_a_class_of_which_none_can_be_made_is_told_with_what_was_tried(load):
    source = """
    class Closed:
        def __init__(self, secret):
            raise KeyError("the secret is another")

        def value(self, x):
            return x**2

        def gradient(self, x):
            return 2 * x
    """
    (told,) = CONVENTION.find(load("closed", source))
    assert re.search(r"a Closed cannot be made: \d+ ways were tried.*the secret", told.reason)


def test_regions_are_those_that_the_object_declares(load):
    source = """
    class Bounded:
        bounds = [(0.5, 2.0), (0.5, 3.0)]

        def value(self, x):
            return np.sum(x**3) if np.shape(x) == (2,) else None

        def gradient(self, x):
            return 3 * x**2
    """
    (pair,) = found_in(load("bounded", source)).values()
    (box,) = CONVENTION.pose(pair).over.arguments
    assert np.min(box.lower) >= 0.5
    assert np.max(box.upper) <= 2.0


def test_points_that_a_region_leaves_out_are_looked_at(load):
    source = """
    def rise(x):
        return np.where(x > 0, x**3, x**2)

    def rise_der(x):
        return np.where(x > 0, 3 * x**2, 3 * x)
    """
    (pair,) = found_in(load("edges", source)).values()
    result = verify_case(CONVENTION.pose(pair), DEFAULT_BUDGET, 0.02)
    assert result.verdict.value == "WRONG"


GUARDED = """
EPS = np.finfo(float).eps

class Link:
    def inside(self, p):
        return np.clip(p, EPS, 1 - EPS)

    def __call__(self, p):
        p = self.inside(p)
        return np.log(p / (1 - p))

    def deriv(self, p):
        p = self.inside(p)
        return 1 / (p * (1 - p)){fault}

    def deriv2(self, p):
        v = p * (1 - p)
        return (2 * p - 1) / v**2
"""
HINGED = """
def ramp(x, steepness):
    return steepness * np.maximum(x, 0.0)

def ramp_der(x, steepness):
    return steepness * {right}
"""


@pytest.mark.parametrize(
    ("source", "claim", "expected"),
    [
        (GUARDED.replace("{fault}", ""), "Link.deriv", "CORRECT"),
        (GUARDED.replace("{fault}", ""), "Link.deriv2", "CORRECT"),
        (GUARDED.replace("{fault}", " * np.where(p > 0.5, 1, 1.01)"), "Link.deriv", "WRONG"),
        (HINGED.replace("{right}", "(x > 0)"), "ramp_der", "KINK"),
        (HINGED.replace("{right}", "1.0"), "ramp_der", "WRONG"),
    ],
)
def test_where_an_argument_is_clipped_nobody_is_accused(source, claim, expected, load):
    pair = found_in(load("guarded", source))[claim]
    result = verify_case(CONVENTION.pose(pair), DEFAULT_BUDGET, 0.02)
    assert result.verdict.value == expected, str(result)
