"""How pairs of functions are posed: names, arguments, regions, the reading of a claim; and lies."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pytest

from verify.auditing import Claim, Hint, NotPosed, Pair, pose, region_for
from verify.auditing.packages.annotations import annotated_hints
from verify.auditing.packages.arguments import arguments_of
from verify.auditing.packages.blocks import fill_zero_blocks
from verify.auditing.packages.held import fix_arguments
from verify.auditing.packages.likeness import likeness_of
from verify.auditing.packages.names import readings, variable
from verify.auditing.packages.reading import reading_of
from verify.judging.judge import verify_case
from verify.limits.limit import DEFAULT_BUDGET

PAIR = Pair("m:claim", "test", "m", "function", "claim")


@pytest.mark.parametrize(
    ("name", "function", "by"),
    [
        ("f_der", "f", ""),
        ("fprime", "f", ""),
        ("fprime2", "fprime", ""),
        ("err_fprime2", "err_fprime", ""),
        ("rosen_hess", "rosen", ""),
        ("grad_energy", "energy", ""),
        ("df", "f", ""),
        ("dAntoine_dT", "Antoine", "T"),
        ("d3X_dT3", "d2X_dT2", "T"),
        ("iapws97_dG_dpi_region1", "iapws97_G_region1", "pi"),
        ("d_r_dx", "r", "x"),
        ("d_damping_dt", "damping", "t"),
        ("d_r_dxy", "d_r_dx", "y"),
        ("consider_refactor", None, ""),
        ("ridder", None, ""),
        ("order", None, ""),
        ("add", None, ""),
    ],
)
def test_a_name_says_of_what_it_is_the_derivative(name, function, by):
    assert (next(readings(name), None), variable(name)) == (function, by)


def scalar(x, y):
    return x * y**2


def test_numbers_whole_numbers_flags_and_others_are_told_apart():
    def function(x, n, m, data: list[float], mode: str, *args, k=3, tol=1e-8, scaled=True, by=None):
        """Do it.

        Parameters
        ----------
        x : float
        k : float
        m : float
            Not whole, whatever it is called.
        first : float
            Behind the star.
        """

    found = {each.name: (each.kind, each.required) for each in arguments_of(function)}
    assert found == {
        "x": ("number", True),
        "n": ("whole", True),
        "m": ("number", True),
        "data": ("number", True),
        "mode": ("other", True),
        "k": ("number", False),
        "tol": ("number", False),
        "scaled": ("flag", False),
        "by": ("other", False),
        "first": ("number", True),
    }


@pytest.mark.parametrize(
    ("value", "answer", "arguments", "by", "expected"),
    [
        (1.0, np.ones(3), [np.ones(3)], (), ("gradient", (0,), "parts")),
        (1.0, [1.0, 1.0, 1.0], [np.ones(3)], (), ("gradient", (0,), "parts")),
        (1.0, (1.0, 2.0), [1.0, 1.0], (), ("gradient", (0, 1), "parts")),
        (1.0, np.ones(2), [1.0, 1.0], (), ("gradient", (0, 1), "stacked")),
        (1.0, 1.0, [1.0, 1.0], (1,), ("gradient", (1,), "parts")),
        (np.ones(3), np.ones(3), [np.ones(3)], (), ("jacobian", (0,), "diagonal")),
        (np.ones(2), np.ones((2, 3)), [np.ones(3)], (), ("jacobian", (0,), "parts")),
        (np.ones(2), np.ones((3, 2)), [np.ones(3)], (), ("jacobian", (0,), "transposed")),
    ],
)
def test_shapes_tell_what_a_claim_is(value, answer, arguments, by, expected):
    found = reading_of(value, answer, arguments, by)
    assert (found.quantity, found.by, found.form) == expected


@pytest.mark.parametrize("answer", [np.ones(4), np.ones((3, 3)), "text", [1.0, [2.0]]])
def test_shapes_that_fit_no_derivative_are_refused(answer):
    with pytest.raises(
        NotPosed, match="does not have the shape of a derivative of a value of shape"
    ):
        reading_of(1.0, answer, [np.ones(3)], ())


@pytest.mark.parametrize(
    ("function", "hints"),
    [
        (lambda x: np.sqrt(x - 3), {}),
        (lambda x: np.log(-x), {}),
        (lambda x, y: np.arccos(x / y), {}),
        (lambda x: np.linalg.det(x), {}),
        (lambda x: x[1] / x[0], {}),
        (lambda t: 1 / (t - 300.0), {"t": Hint(near=400.0)}),
        (lambda p: np.log(p / (1 - p)), {"p": Hint(0.0, 1.0)}),
    ],
)
def test_a_function_is_finite_all_over_the_region_that_is_found(function, hints):
    region = region_for(function, hints)
    random = np.random.default_rng(5)
    values = [function(*region.draw(random, "uniform")) for _ in range(40)]
    assert np.isfinite(values).all()
    assert region.describe() == region_for(function, hints).describe()


@dataclass(frozen=True)
class Bounds:
    """As annotated-types and pydantic have them: attributes, alone or within another's metadata."""

    gt: float | None = None
    ge: float | None = None
    lt: float | None = None
    le: float | None = None
    metadata: tuple[object, ...] = ()


class Matrix(np.ndarray):
    dim_str = "2 n=2"


class Anything(np.ndarray):
    dim_str = "... 2"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (Annotated[float, Bounds(ge=0.0, lt=1)], (0.0, 1.0, ())),
        (Annotated[float, Bounds(gt=0.0), Bounds(gt=2.0, le=4.0)], (2.0, 4.0, ())),
        (
            Annotated[np.ndarray, Bounds(metadata=(Bounds(ge=0.5), Bounds(le=2.0)))],
            (0.5, 2.0, None),
        ),
        (Annotated[float, "words", None, Bounds(ge=3.0, le=2.0)], (-np.inf, np.inf, ())),
        (Matrix, (-np.inf, np.inf, (2, 2))),
        (Anything, (-np.inf, np.inf, None)),
        (int | None, (-np.inf, np.inf, None)),
        ("NowhereToBeFound", (-np.inf, np.inf, None)),
    ],
)
def test_types_say_bounds_and_shapes(said, expected):
    def function(x):
        return x

    function.__annotations__ = {"x": said, "return": Matrix}
    found = annotated_hints(function)
    hint = found.get("x", Hint())
    assert (hint.lower, hint.upper, hint.shape) == expected
    assert "return" not in found


def test_the_region_of_a_case_is_within_what_the_types_say():
    def log_odds(p: Annotated[float, Bounds(gt=0.0)]) -> float:
        """Odds.

        Parameters
        ----------
        p : float
            Between (0.0, 1.0).
        """
        return np.log(p / (1 - p))

    case = pose(PAIR, Claim(log_odds, lambda p: 1 / p / (1 - p)))
    assert case.over.describe() == "p in [0.001, 0.999]"


def falling(t, end, weights):
    """Constant above `end`, where weights may be anything; below it they are an array."""
    return 0.0 if t >= end else (end - t) * np.sum(np.array(list(weights)) ** 2)


def falling_slope(t, end, weights):
    return 0.0 if t >= end else -np.sum(np.array(list(weights)) ** 2)


def test_a_region_is_looked_for_where_the_function_varies():
    region = region_for(falling, also=[falling_slope])
    random = np.random.default_rng(5)
    values = {float(falling(*region.draw(random, "uniform"))) for _ in range(40)}
    assert len(values) > 10


def test_a_claim_of_zero_for_a_constant_is_not_taken_for_right():
    with pytest.raises(NotPosed, match="constant, and the claim zero, wherever"):
        region_for(lambda t: 3.0, also=[lambda t: 0.0])
    assert region_for(lambda t: 3.0, also=[lambda t: 1.0]).describe().startswith("t in")


def test_that_a_function_raises_beside_a_point_is_no_variation():
    def function(t, end):
        if t < end:
            raise TypeError
        return 0.0

    with pytest.raises(NotPosed, match="constant, and the claim zero, wherever"):
        region_for(function, also=[function])


def test_where_no_region_is_found_it_is_said_what_was_tried():
    with pytest.raises(NotPosed, match=r"448 calls .* for x, in the shapes \(\); \(3,\).*nan"):
        region_for(lambda x: x * np.nan)


def slope_by_both(x, y):
    return y**2, 2 * x * y


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (slope_by_both, "CORRECT"),
        (lambda x, y: (y**2, 2 * x * y + (x > 1) * x), "WRONG"),
        (lambda x, y: {"x": y**2, "y": 2 * x * y}, "CORRECT"),
        (lambda x, y: {"x": y**2}, "WRONG"),
        (lambda x, y: (y**2, None), "WRONG"),
    ],
)
def test_a_pair_is_posed_and_a_lie_is_caught(claim, verdict):
    case = pose(PAIR, Claim(scalar, claim, by=("x", "y")))
    found = verify_case(case, DEFAULT_BUDGET, 0.05)
    assert found.verdict.value == verdict


def test_a_block_that_is_left_out_is_told_unless_it_is_declared():
    def function(x, y):
        return x**2 + 0 * y

    for zero, told in (((), True), (("y",), False)):
        claim = Claim(function, lambda x, y: (2 * x, None), by=("x", "y"), zero=zero)
        case = pose(PAIR, claim)
        words = "the block by y is undeclared and taken for zero"
        assert (words in case.title) is told
        assert verify_case(case, DEFAULT_BUDGET, 0.05).verdict.value == "CORRECT"
    given = fill_zero_blocks(lambda x, y: [2 * x], function, "xy", "xy", ["y"])(3.0, 1.0)
    assert given == (6.0, 0.0)


@pytest.mark.parametrize(
    ("function", "claim", "message"),
    [
        (lambda x: x, lambda x, y, z: 1.0, "the claim takes y, z, unlike the function"),
        (lambda x: x, lambda y, z: 1.0, "claim, y, z, do not fit those of the function, x"),
        (lambda: 1.0, lambda: 0.0, "no numeric argument"),
        (lambda x: x, lambda x: 1j, "complex numbers"),
        (lambda x: 1 / 0, lambda x: 1.0, "ZeroDivisionError"),
    ],
)
def test_what_cannot_be_posed_says_why(function, claim, message):
    with pytest.raises(NotPosed, match=message):
        pose(PAIR, Claim(function, claim))


def test_held_functions_keep_their_names_and_their_places():
    def line(x, a, b=0.0, *, c=1.0):
        return a * x + b + c

    made = fix_arguments(line, ["a", "c"], {"x": 3.0})
    assert (made(2.0, 5.0), made.argument_names, made.__name__) == (12.0, ("a", "c"), "line")


@pytest.mark.parametrize(("claim", "right"), [(np.cos, 12), (np.exp, 0)])
def test_a_claim_of_another_function_is_right_nowhere(claim, right):
    case = pose(PAIR, Claim(lambda x: np.sin(x), lambda x: claim(x)))
    found = likeness_of(case)
    assert (found.right, found.looked_at) == (right, 12)
    assert (found.words == "") == (right == 12)
