"""Where points stand, and the verdicts on right code: never WRONG, never CORRECT by chance."""

from __future__ import annotations

import array
import math
import struct
import threading
import time

import numpy as np
import pytest

import symtape
import verify
from symtape import nn
from symtape.primitives.primitive import Primitive
from symtape.process.budget import Budget
from symtape.recording.tensor import apply
from tests.packing import left
from verify import Verdict

ROW = [0.1, 0.25, 0.5]


def if_positive(x):
    if x > 0:
        return 2 * x
    return 3 * x


def if_all_positive(x):
    return np.sum(x) if np.all(x > 0) else np.sum(2 * x)


def if_truthy(x):
    return x if x else 2 * x


def while_above(x):
    while x > 1:
        x = x / 2
    return x


def unrolled(x):
    y = x
    for _ in range(3):
        y = y * x if y > 10 else y + x
    return y


KINKS = {
    "abs": (np.abs, 0.0, "absolute"),
    "maximum of a tie": (lambda x: np.maximum(x[0], x[1]), [1.0, 1.0], "maximum"),
    "max of a tie": (np.max, [1.0, 2.0, 2.0], "max"),
    "clip at its end": (lambda x: np.clip(x, 0, 1), 1.0, "minimum"),
    "relu of the guides": (lambda x: np.sum(nn.relu(x)), [0.5, 0.0], "less_equal"),
    "relu by maximum": (lambda x: np.sum(np.maximum(x, 0)), [0.5, 0.0], "maximum"),
    "relu by where": (lambda x: np.where(x > 0, x, 0), 0.0, "greater"),
    "relu by a mask": (lambda x: np.sum((x > 0) * x), [0.0, 1.0], "greater"),
    "relu by indexing": (lambda x: np.sum(x[x > 0]), [0.0, 1.0], "greater"),
    "sqrt": (np.sqrt, 0.0, "sqrt"),
    "cbrt": (np.cbrt, 0.0, "cbrt"),
    "arcsin": (np.arcsin, 1.0, "arcsin"),
    "a broken power": (lambda x: x**0.5, 0.0, "power"),
    "norm": (np.linalg.norm, [0.0, 0.0], "euclidean_norm"),
    "standard deviation": (np.std, [2.0, 2.0], "std"),
    "sort": (lambda x: np.sort(x)[0], [1.0, 1.0], "sort"),
    "argsort": (lambda x: x[np.argsort(x)][0], [1.0, 1.0], "argsort"),
    "median": (lambda x: np.partition(x, 1)[1], [1.0, 1.0, 0.0], "argpartition"),
    "argmax": (lambda x: x[np.argmax(x)] ** 2, [1.0, 1.0], "argmax"),
    "searchsorted": (lambda x: x * np.searchsorted(np.array([0.0, 1.0]), x), 1.0, "searchsorted"),
    "floor": (lambda x: np.floor(x) * x, 2.0, "floor"),
    "floor, folded into a constant": (lambda x: (np.floor(x) + 1) * x, 2.0, "floor"),
    "floor, alone": (np.floor, 2.0, "floor"),
    "floor as a step of an if": (lambda x: x if np.floor(x) > 1 else 2 * x, 2.0, "floor"),
    "round": (lambda x: np.round(x) * x, 0.5, "rint"),
    "sign": (lambda x: np.sign(x) * x, 0.0, "sign"),
    "remainder": (lambda x: x % 1.0, 3.0, "remainder"),
    "if": (if_positive, 0.0, "greater"),
    "if all": (if_all_positive, [0.0, 1.0], "greater"),
    "if x": (if_truthy, 0.0, "bool"),
    "while": (while_above, 4.0, "greater"),
    "both conditions on the boundary": (
        lambda x: np.where((x > 0) & (x > -1), x, 2 * x), 0.0, "greater",
    ),
    "a jump": (lambda x: np.where(x >= 1, x + 1, x), 1.0, "greater_equal"),
    "equality": (lambda x: np.where(x == 0, 1.0, np.sin(np.abs(x)) / x), 0.0, "equal"),
    "a kink beyond": (lambda x: np.where(x >= 0, 0 * x, np.abs(x)), 0.0, "greater_equal"),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINKS)
def test_without_a_classical_derivative_it_is_a_kink_that_names_the_operation(kind):
    function, x, op = KINKS[kind]
    result = verify.gradient(function, at=[x])
    assert result.verdict is Verdict.KINK, str(result)
    assert bool(result) is (result.witness.kink.admissible is True)
    assert result.witness.op == op
    if getattr(function, "__module__", None) == __name__:
        assert result.witness.origin.startswith(f"{__file__}:")


SMOOTH = {
    "abs beside 0": (np.abs, 1e-300),
    "relu beside 0": (lambda x: np.sum(nn.relu(x)), [5e-324, -5e-324]),
    "a tie that nothing uses": (lambda x: x[0] * (np.maximum(x[0], x[1]) * 0 + 1), [2.0, 1.0]),
    "a branch that nothing uses": (lambda x: np.where(x > 0, x**2, 1.0) * 0 + x, 0.0),
    "sides that agree to first order": (lambda x: np.where(x > 0, x**2, 0), 0.0),
    "elu": (lambda x: np.sum(nn.elu(x)), [0.0, 1.0]),
    "the same on both sides": (lambda x: np.where(x > 0, np.sin(x), np.sin(x)), 0.0),
    "decided by the other condition": (lambda x: np.where((x > 0) & (x > 1), x, 2 * x), 0.0),
    "a step away from its jump": (lambda x: (np.floor(x) + 1) * x, 2.5),
    "a kink of a constant": (lambda x: np.abs(np.floor(x)) + x, 0.5),
    "a maximum of constants": (lambda x: np.maximum(np.floor(x), 0.0) + x, 0.5),
    "a comparison of constants": (lambda x: np.where(np.floor(x) >= 0, x, 2 * x), 0.5),
    "a loop that counts": (unrolled, 2.0),
    "if far from its boundary": (if_positive, 1.0),
    "near equality in floats": (lambda x: np.where(x * 3 > 0.1 * 3, x, 2 * x), 0.1),
    "square root of a square": (lambda x: np.sqrt(x * x), -3.0),
    "product with zeros": (np.prod, [0.0, 0.0, 2.0]),
    "0 ** 3": (lambda x: x**3, 0.0),
    "a masked logarithm": (lambda x: np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), 0.0), -1.0),
    "a constant": (lambda x: 3.0, 1.0),
    "no elements": (np.sum, np.zeros((0, 3))),
    "an integer point": (lambda x: x**2, 3),
    "a 0-d array": (lambda x: x**2, np.array(3.0)),
    "a NumPy scalar": (lambda x: x**2, np.float64(3.0)),
    "a gradient that is 0 by cancellation": (lambda x: np.sum(np.exp(x) * x), [0.5, -1.0]),
    "underflow": (lambda x: np.exp(-(x**2)), 30.0),
}


@pytest.mark.parametrize("kind", SMOOTH)
def test_right_code_at_a_smooth_point_is_correct_and_certified(kind):
    function, x = SMOOTH[kind]
    result = verify.gradient(function, at=[x])
    assert result.verdict is Verdict.CORRECT, str(result)
    assert "certified at 1 point to 2⁻" in str(result.evidence)


def test_sides_that_agree_to_first_order_only_have_no_hessian():
    assert verify.hessian(lambda x: np.where(x > 0, x**2, 0), at=[0.0]).verdict is Verdict.KINK
    assert verify.hessian(lambda x: np.where(x > 0, x**3, 0), at=[0.0])
    assert verify.hessian(lambda x: np.where(x > 0, x**3, x**3), at=[0.0])


@pytest.mark.long
def test_many_boundaries_at_once_are_never_passed_over():
    ones = np.zeros(50)
    assert verify.gradient(lambda x: np.sum(nn.relu(x)), at=[ones]).verdict is Verdict.KINK


def test_of_a_branch_that_rounding_decides_either_side_is_admissible():
    def f(x):
        return np.where(x * 3 >= 0.1 * 3, x, 2 * x)

    for slope in (1, 2):
        assert verify.gradient(f, lambda x, slope=slope: slope + 0 * x, at=[0.1])
    result = verify.gradient(f, at=[0.1])
    assert result.verdict is Verdict.KINK
    assert "rounding picks the branch here" in result.witness.message
    assert result.witness.origin == f"{__file__}:{f.__code__.co_firstlineno + 1}"


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(np.where(x > 0, np.sqrt(x), 0.0)),
        lambda x: np.sum(np.where(x > 1, np.sqrt(np.abs(x) + x), x)),
        lambda x: np.sum(np.where(x > 0, 1 / np.maximum(x, 0), x)),
    ],
)
def test_a_nan_from_a_branch_that_is_not_taken_is_wrong_and_the_tape_gives_none(function):
    def trapped(x):
        return np.where(x < 0, np.nan, symtape.grad(function)(x))

    point = [[-1.0, 4.0]]
    assert verify.gradient(function, at=point).verdict is Verdict.CORRECT
    result = verify.gradient(function, claimed=trapped, at=point)
    assert result.verdict is Verdict.WRONG
    assert "1 of 2 entries is not finite" in result.witness.message


OUTSIDE = {
    "log": (np.log, -1.0, "log of -1.0 is nan", "log"),
    "log of 0": (np.log, 0.0, "log of 0.0 is -inf", "log"),
    "division": (lambda x: 1 / x, 0.0, "divide of 1, 0.0 is inf", "divide"),
    "overflow": (np.exp, 1000.0, "exp of 1000.0 is inf", "exp"),
    "overflow in float32": (np.exp, np.float32(100.0), "is inf in float32", "exp"),
    "the first operation": (lambda x: np.sqrt(np.log(x) * 2), -1.0, "log of -1.0", "log"),
    "one element": (lambda x: np.sum(np.arccosh(x)), [2.0, 0.5], "arccosh of [2. 0.5]", "arccosh"),
    "nan in": (lambda x: x, math.nan, "the argument x is nan", None),
    "inf in": (lambda x: np.sum(x), [0.0, -math.inf], "the argument x holds -inf at [1]", None),
    "a singular matrix": (
        lambda x: np.linalg.inv(np.ones((2, 2)) * x)[0, 0], 1.0, "LinAlgError: Singular", None,
    ),
    "division of Python": (lambda x: x / (0 * 1) if False else 1 / 0, 1.0, "ZeroDivision", None),
}  # fmt: skip


@pytest.mark.parametrize("kind", OUTSIDE)
def test_where_the_function_is_not_finite_it_is_outside(kind):
    function, x, words, op = OUTSIDE[kind]
    result = verify.gradient(function, at=[x])
    assert result.verdict is Verdict.OUTSIDE, str(result)
    assert words in result.witness.message
    assert result.witness.op == op
    if op and function.__module__ == __name__:
        assert result.witness.origin.startswith(f"{__file__}:")


ESCAPES = {
    "array": lambda x: x * array.array("d", [x])[0],
    "struct": lambda x: x * struct.unpack("d", struct.pack("d", x))[0],
    "numpy": lambda x: x * x.numpy(),
    "bytes": lambda x: x * np.frombuffer(x.tobytes())[0],
}


@pytest.mark.parametrize("way", ESCAPES)
def test_an_escape_is_undecided_and_names_the_line(way):
    function = ESCAPES[way]
    result = verify.gradient(function, at=[0.5])
    assert result.verdict is Verdict.UNDECIDED
    assert "a value left the tape by" in result.witness.message
    assert f"test_judge.py:{function.__code__.co_firstlineno}" in result.witness.message
    assert result.escapes


def test_a_value_that_left_and_only_steers_is_undecided_where_it_turns():
    def f(x):
        return x if left(x) > 0 else -x

    assert verify.gradient(f, at=[0.5]).verdict is Verdict.CORRECT
    assert verify.gradient(f, at=[0.0]).verdict is Verdict.UNDECIDED


@symtape.register_op("JudgeOpaque")
def opaque(x):
    return x * x


@symtape.register_op("JudgeWithGradient")
def with_gradient(x):
    return x * x


@symtape.RegisterGradient("JudgeWithGradient")
def _with_gradient(op, g):
    (x,) = op.inputs
    return 2 * x * g


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda x: np.sum(opaque(x)), "JudgeOpaque"),
        (lambda x: np.sum(with_gradient(x)), "JudgeWithGradient"),
        (lambda x: np.sum(pytest.importorskip("scipy.special").mathieu_a(2, x)), "mathieu_a"),
    ],
)
def test_an_opaque_operation_is_undecided_and_named(function, name):
    result = verify.gradient(function, at=[ROW])
    assert result.verdict is Verdict.UNDECIDED
    assert name in result.witness.message
    assert f"test_judge.py:{function.__code__.co_firstlineno}" in result.witness.message


SHAPES = {
    "gradient of two": ("gradient", lambda x, y: np.sum(x * y), ([1.0, 2.0], [3.0, 4.0])),
    "gradient of scalars": ("gradient", lambda x, y: np.sin(x * y) + x / y, (0.5, 2.0)),
    "gradient of a matrix": ("gradient", np.linalg.det, [[1.0, 2.0], [3.0, 5.0]]),
    "jacobian of a matrix output": ("jacobian", lambda x: np.outer(x, np.tanh(x)), ROW),
    "jacobian of two": ("jacobian", lambda a, x: a @ x, ([[1.0, 2.0], [0.5, 4.0]], [3.0, 0.1])),
    "jacobian of an empty array": ("jacobian", np.sin, np.zeros((0,))),
    "hessian of two": ("hessian", lambda x, y: np.sum(x * y**2) * x[0], ([1.0, 2.0], [3.0, 4.0])),
    "hessian of three": ("hessian", lambda x, y, z: np.exp(x * y) * z, (0.5, 0.1, 2.0)),
}


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_arguments_and_outputs_of_any_shape(kind, dtype):
    quantity, function, point = SHAPES[kind]
    point = point if isinstance(point, tuple) else (point,)
    given = tuple(np.asarray(x, dtype)[()] for x in point)
    result = verify.derivative(quantity, function, at=[given])
    assert result.verdict is Verdict.CORRECT, str(result)
    (outcome,) = result.points
    assert [np.asarray(x).dtype for x in outcome.x] == [dtype] * len(given)
    if outcome.worst is not None:
        assert outcome.worst.ulps <= max(outcome.worst.allowed, 1.0) < 1e5


def test_errors_of_a_float32_point_are_in_float32_ulps():
    def off(x):
        exact = 1 / np.cosh(np.float64(0.5)) ** 2
        return np.float32(exact) * (1 + np.float32(2.0**-15))

    result = verify.gradient(np.tanh, claimed=off, at=[np.float32(0.5)])
    assert result.verdict is Verdict.WRONG
    assert 128 < result.witness.worst.ulps < 1040


def test_several_points_have_an_outcome_each_and_the_gravest_counts():
    result = verify.gradient(lambda x: np.abs(x) * np.log(x), at=[2.0, 0.5, -1.0])
    assert [p.verdict.value for p in result.points] == ["CORRECT", "CORRECT", "OUTSIDE"]
    assert result.verdict is Verdict.OUTSIDE
    assert result.witness is result.points[2]
    both = verify.gradient(np.abs, at=[1.0, 0.0])
    assert [p.verdict.value for p in both.points] == ["CORRECT", "KINK"]


def forever(x):
    while True:
        pass


def growing(x):
    while x > 0:
        x = x + 1
    return x


def swallowing(x):
    while True:
        try:
            time.sleep(0.01)
            if x is None:
                return x
        except ValueError:
            pass


@pytest.mark.slow
@pytest.mark.parametrize("function", [forever, growing, swallowing])
def test_a_function_that_never_ends_is_undecided_and_the_line_is_named(function):
    result = verify.gradient(function, at=[1.0, 2.0], budget=Budget(seconds=4.0))
    assert [p.verdict for p in result.points] == [Verdict.UNDECIDED] * 2
    for point in result.points:
        place = f"s at x = {point.x[0]}, tests/verify/judging/test_judge.py:"
        assert "the function did not return within " in point.message
        assert place.replace(".0,", ".,") in point.message


def test_a_claim_that_never_ends_is_undecided():
    result = verify.gradient(np.sin, claimed=forever, at=[1.0], budget=Budget(seconds=0.5))
    assert result.verdict is Verdict.UNDECIDED
    words = "forever did not return within 0.25 s at x = 1., tests/verify/judging/test_judge.py:"
    assert words in result.witness.message


@pytest.mark.parametrize("reading", [lambda sp, x: time.sleep(60), lambda sp, x: forever(x)])
def test_a_symbolic_reading_that_hangs_is_undecided(reading):
    row = Primitive(
        name="hanging", inputs="x", evaluate=np.sin, vjp=[lambda g, x: g * np.cos(x)],
        elementwise=True, symbolic=reading,
    )  # fmt: skip
    result = verify.gradient(lambda x: apply(row, (x,), {}), at=[1.0], budget=Budget(seconds=0.5))
    assert result.verdict is Verdict.UNDECIDED
    assert "the time budget of 0.5 s ran out, at tests/verify/judging/test_judge.py:" in str(result)


def test_a_program_too_large_is_undecided_and_names_the_budget():
    def f(x):
        return np.sum(np.sin(x) @ np.cos(x))

    result = verify.gradient(f, at=[np.ones((9, 9)) / 7], budget=Budget(60, statements=500))
    assert result.verdict is Verdict.UNDECIDED
    assert "budget of 500 statements" in result.witness.message


def test_outside_the_main_thread_the_verdict_is_the_same():
    found = []
    thread = threading.Thread(target=lambda: found.append(verify.gradient(np.exp, at=[1.0])))
    thread.start()
    thread.join()
    assert [bool(result) for result in found] == [True]
