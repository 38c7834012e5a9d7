"""Every differentiable elementwise row against its own SymPy template, in 90 digits."""

import functools
import itertools
import math
import warnings

import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from symtape.primitives import (
    arithmetic,
    division,
    elementwise,
    exponential,
    planar,
    power,
    sinc,
    steps,
    trigonometric,
)
from symtape.primitives.primitive import Primitive
from symtape.primitives.special import (
    bessel,
    box_cox,
    entropy,
    error,
    exponential_integral,
    gamma,
    gaussian,
    half_turns,
    logistic,
    mills,
)
from symtape.rigorous.enclose import enclose

MODULES = (
    *(arithmetic, division, elementwise, exponential, planar, power, sinc, steps, trigonometric),
    *(bessel, box_cox, entropy, error, exponential_integral, gamma, gaussian, half_turns),
    *(logistic, mills),
)
ROWS = {
    row.name: row
    for module in MODULES
    for row in vars(module).values()
    if isinstance(row, Primitive) and row.symbolic is not None
}
DIFFERENTIABLE = {name: row for name, row in ROWS.items() if any(row.rules)}
UNIT = 2.0**-53
# The roundings of a rule in units of those of its row: a rule is a handful of operations.
OPERATIONS = 6
# Differences of inexact functions: the error is relative to the terms, not to the difference.
CANCELLING = {"digamma_difference": 1e6, "mills_slope": 1e3, "exprel_kernel": 30}
each_row = pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
each_differentiable = pytest.mark.parametrize("row", DIFFERENTIABLE.values(), ids=DIFFERENTIABLE)


def examples(row: Primitive):
    """The scalar argument tuples among the row's examples."""
    listed = row.example if isinstance(row.example, list) else [row.example]
    for example in listed:
        if any(isinstance(x, list) for x in example):
            yield from zip(*example, strict=True)
        else:
            yield example


def is_static(row: Primitive, k: int, x) -> bool:
    """Whether an input only chooses the function: an integer power, the order of a Bessel."""
    return type(x) is int or row.inputs[k] in ("order", "v")


def drop_jumps(expression):
    """Off its jumps a step function is constant; SymPy leaves the derivative or a delta."""

    def is_jump(part):
        if isinstance(part, sp.DiracDelta):
            return True
        return isinstance(part, sp.Derivative | sp.Subs) and part.has(sp.floor, sp.sign)

    return expression.replace(is_jump, lambda part: sp.Integer(0))


@functools.cache
def derivative(name: str, static: tuple, orders: tuple[int, ...]):
    """The template's derivative as an mpmath function of its inputs that are not static."""
    symbols = [sp.Symbol(f"x{i}", real=True) for i in range(len(static))]
    given_ = [s if n is None else sp.Rational(n) for s, n in zip(symbols, static, strict=True)]
    expression = ROWS[name].symbolic(sp, *given_)
    for symbol, order in zip(symbols, orders, strict=True):
        for _ in range(order):
            expression = drop_jumps(sp.diff(expression, symbol))
    free = [s for s, n in zip(symbols, static, strict=True) if n is None]
    missing = {"erfcinv": lambda x: mpmath.erfinv(1 - x)}
    return sp.lambdify(free, expression, [missing, "mpmath"])


def exact(row: Primitive, args: tuple, orders: tuple[int, ...]):
    """The derivative in 90 digits; at a removable singularity, its limit."""
    static = tuple(x if is_static(row, k, x) else None for k, x in enumerate(args))
    function = derivative(row.name, static, orders)
    free = [float(x) for k, x in enumerate(args) if not is_static(row, k, x)]
    with mpmath.workdps(90):
        try:
            value = function(*map(mpmath.mpf, free))
            if mpmath.isfinite(value):
                return mpmath.re(value * 1)
        except (ZeroDivisionError, ValueError):
            pass
    with mpmath.workdps(400):
        near = [mpmath.mpf(x) + mpmath.mpf(10) ** -40 for x in free]
        return mpmath.re(function(*near) * 1)


def taped(row: Primitive, args: tuple, orders: tuple[int, ...], dtype=np.float64):
    """The same derivative by nested tapes."""
    values = [
        x if is_static(row, k, x) else symtape.constant(np.asarray(x, dtype))
        for k, x in enumerate(args)
    ]
    steps = [k for k, order in enumerate(orders) for _ in range(order)]

    def descend(depth: int):
        if depth == len(steps):
            return row(*values)
        with symtape.GradientTape() as tape:
            tape.watch(values[steps[depth]])
            y = descend(depth + 1)
        return tape.gradient(y, values[steps[depth]], unconnected_gradients="zero")

    with np.errstate(all="ignore"):
        return descend(0).numpy()


def unit(count: int, place: int, order: int = 1) -> tuple[int, ...]:
    return tuple(order if k == place else 0 for k in range(count))


def inputs_with_rule(row: Primitive, args: tuple):
    return [k for k, x in enumerate(args) if row.rules[k] and not is_static(row, k, x)]


def slack(row: Primitive, args: tuple, orders: tuple[int, ...]):
    """What relative changes of the inputs by one unit do to the derivative, in two terms."""
    value = abs(exact(row, args, orders))
    moved = mpmath.mpf(0)
    for k in range(len(args)):
        if not is_static(row, k, args[k]):
            more = tuple(o + (j == k) for j, o in enumerate(orders))
            moved += abs(float(args[k]) * exact(row, args, more))
    return value, moved


@st.composite
def points(draw, row: Primitive):
    """Arguments in the domain and off the kinks, from 2**-12 to 2**5 in size."""
    like = draw(st.sampled_from(list(examples(row))))
    numbers = [
        x
        if is_static(row, k, x)
        else draw(st.integers(64, 127)) / 64 * 2.0 ** draw(st.integers(-12, 4))
        for k, x in enumerate(like)
    ]
    signs = draw(st.permutations(list(itertools.product((1, -1), repeat=len(like)))))
    for inverted in (1, -1):
        for sign in signs:
            args = tuple(
                x if is_static(row, k, x) else s * x**inverted
                for k, (x, s) in enumerate(zip(numbers, sign, strict=True))
            )
            if is_regular(row, args):
                return args
    return like


def is_regular(row: Primitive, args: tuple) -> bool:
    if row.inputs == ("a", "b") and row.name.endswith("power") and args[0] < 0:
        return type(args[1]) is int  # elsewhere it has no derivative by the exponent
    with np.errstate(all="ignore"):
        inside = row.domain is None or bool(row.domain(*map(np.float64, args)))
        kink = row.kinks is not None and bool(row.kinks(*map(np.float64, args)))
        if not inside or kink:
            return False
        size = abs(float(row.evaluate(*args)))
    return math.isfinite(size) and (size == 0 or size > 1e-250)


@each_row
@settings(max_examples=10, deadline=None, derandomize=True)
@given(data=st.data())
def test_value_is_the_templates_within_the_declared_rounding(row, data):
    args = data.draw(points(row))
    value, moved = slack(row, args, (0,) * len(args))
    k_in, k_out = row.rounding
    allowed = UNIT * (k_in * moved + k_out * value) + 1e-300
    error = abs(mpmath.mpf(float(row.evaluate(*args))) - exact(row, args, (0,) * len(args)))
    assert error <= allowed, f"{float(error / (UNIT * (value + moved)))} units at {args}"


@each_differentiable
@settings(max_examples=10, deadline=None, derandomize=True)
@given(data=st.data())
def test_rule_is_the_templates_derivative_in_units_of_its_conditioning(row, data):
    args = data.draw(points(row))
    for k in inputs_with_rule(row, args):
        orders = unit(len(args), k)
        value, moved = slack(row, args, orders)
        if not 1e-290 < value < 1e300:
            continue
        k_in, k_out = (max(k, 2) for k in row.rounding)
        allowed = OPERATIONS * UNIT * (k_in * moved + k_out * value) * CANCELLING.get(row.name, 1)
        error = abs(mpmath.mpf(float(taped(row, args, orders))) - exact(row, args, orders))
        assert error <= allowed, f"{float(error / (UNIT * (value + moved)))} units at {args}"


@each_differentiable
def test_second_and_third_derivatives_at_the_examples_and_at_zero(row):
    places = list(examples(row))
    zero = tuple(x if is_static(row, k, x) else 0.0 for k, x in enumerate(places[0]))
    places += [zero] if len(zero) == 1 and is_regular(row, zero) else []
    for args in places:
        for k in inputs_with_rule(row, args):
            for order in (1, 2, 3):
                orders = unit(len(args), k, order)
                expected = float(exact(row, args, orders))
                found = float(taped(row, args, orders))
                assert found == pytest.approx(expected, rel=1e-11, abs=1e-13), (args, orders)


@each_differentiable
def test_mixed_derivatives_at_the_examples(row):
    for args in examples(row):
        for i, j in itertools.combinations(inputs_with_rule(row, args), 2):
            for order in (1, 2):
                orders = tuple(order * (k == i) + (k == j) for k in range(len(args)))
                expected = float(exact(row, args, orders))
                found = float(taped(row, args, orders))
                assert found == pytest.approx(expected, rel=1e-11, abs=1e-13), (args, orders)


def recorded_slope(row: Primitive, args: tuple, place: int, order: int):
    """The derivative program of one input, all others constant, as a graph of (x, weight)."""

    def slope(x, weight):
        def descend(depth):
            if not depth:
                return row(*(x if k == place else y for k, y in enumerate(args)))
            with symtape.GradientTape() as tape:
                tape.watch(x)
                y = descend(depth - 1)
            return tape.gradient(
                y,
                x,
                output_gradients=weight if depth == order else None,
                unconnected_gradients="zero",
            )

        return descend(order)

    return symtape.record(slope, args[place], 1.0)


@each_differentiable
def test_rules_hold_no_rounded_constants(row):
    """What a rule computes is judged in exact arithmetic, with the other inputs constant, too."""
    for args in examples(row):
        for k in inputs_with_rule(row, args):
            for order in (1, 2):
                expected = exact(row, args, unit(len(args), k, order))
                graph = recorded_slope(row, args, k, order)
                ball = enclose(graph, [np.float64(args[k]), np.float64(1.0)], 300)[0].item()
                with mpmath.workdps(90):
                    error = abs(mpmath.mpf(ball.mid().str(85, radius=False)) - expected)
                    assert error <= mpmath.mpf(10) ** -60 * (1 + abs(expected)), (args, k, order)


@each_differentiable
def test_float32_stays_float32(row):
    for args in examples(row):
        narrow = [x if is_static(row, k, x) else np.float32(x) for k, x in enumerate(args)]
        wide = row.evaluate(*args)
        value = np.asarray(row.evaluate(*narrow))
        expected = np.float64 if row.name in ("expn", "float_power") else np.float32
        assert value.dtype == expected
        assert float(value) == pytest.approx(float(wide), rel=2e-5)
        for k in inputs_with_rule(row, args):
            for order in (1, 2):
                orders = unit(len(args), k, order)
                found = taped(row, args, orders, np.float32)
                assert found.dtype == np.float32
                assert float(found) == pytest.approx(
                    float(exact(row, args, orders)), rel=1e-3, abs=1e-4
                )


@each_differentiable
def test_jacobian_is_the_gradients_one_by_one(row):
    args = next(iter(examples(row)))
    shapes = [(2, 1), (3,)]
    values = [
        x
        if is_static(row, k, x)
        else symtape.constant(x * (1 + np.arange(np.prod(s)) / 8).reshape(s))
        for k, (x, s) in enumerate(zip(args, shapes, strict=False))
    ]
    for k in inputs_with_rule(row, args):
        with symtape.GradientTape(persistent=True) as tape:
            tape.watch(values[k])
            y = row(*values)
            flat = [y[place] for place in np.ndindex(y.shape)]
        jacobian = tape.jacobian(y, values[k]).numpy()
        rows = [tape.gradient(element, values[k]).numpy() for element in flat]
        np.testing.assert_allclose(
            jacobian, np.reshape(rows, jacobian.shape), rtol=1e-14, atol=1e-300
        )


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (np.radians, (0.75,)),
        (np.degrees, (0.75,)),
        (np.sinc, ([0.75, 0.0],)),
        (np.i0, (0.75,)),
        (np.real, (0.75,)),
        (np.imag, (0.75,)),
        (np.nan_to_num, ([0.75, np.nan, np.inf, -np.inf],)),
        (lambda x: np.divmod(x, 2.0), (7.25,)),
        (np.modf, (-7.25,)),
        (np.frexp, (7.25,)),
        (lambda x: np.round(x, 1), (1.26,)),
        (np.round, (1.26,)),
        (np.fix, (-1.26,)),
        (lambda x: x // 2.0, (7.25,)),
        (lambda x: x % 2.0, (-7.25,)),
        (lambda x: 2.0**x, (0.75,)),
        (lambda x: abs(-x), (0.75,)),
    ],
)
def test_on_tensors_as_on_arrays(function, args):
    arrays = [np.asarray(x) for x in args]
    expected, found = function(*arrays), function(*map(symtape.constant, arrays))
    if not isinstance(expected, tuple):
        expected, found = (expected,), (found,)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-15)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: np.divmod(x, 2.0)[1], 1.0),
        (lambda x: np.modf(x)[0], 1.0),
        (lambda x: np.frexp(x)[0], 0.125),
        (lambda x: np.nan_to_num(x), 1.0),
        (np.floor, None),
        (np.round, None),
        (np.sign, None),
        (lambda x: x // 2.0, None),
        (lambda x: np.fmod(-20.0, x), 2.0),
        (lambda x: np.remainder(-20.0, x), 3.0),
    ],
)
def test_gradient_of_what_is_made_of_steps(function, expected):
    x = symtape.Variable(7.25)
    with symtape.GradientTape() as tape:
        y = function(x)
    found = tape.gradient(y, x)
    assert (found if found is None else found.numpy()) == expected


# Its next derivatives oscillate, or are quotients of what is infinite.
NOT_KNOWN_AT_INFINITY = {"ellipk", "ellipkm1", "sine_integral"}
LEVELLING = sorted(
    (name, end)
    for name, row in DIFFERENTIABLE.items()
    for end in (-np.inf, np.inf)
    if len(row.inputs) == 1 and name not in NOT_KNOWN_AT_INFINITY
)


@pytest.mark.parametrize(("name", "end"), LEVELLING)
def test_what_levels_off_at_infinity_has_no_derivative_of_any_order_there(name, end):
    row, x = ROWS[name], np.array([end, 0.75])
    with np.errstate(all="ignore"):
        value, slope = row.evaluate(x[:1]), symtape.grad(lambda x: np.sum(row(x)))(x[:1])
    if not np.isfinite(value) or slope != 0:
        pytest.skip("it does not level off")

    def sum_of(x):
        return np.sum(row(x)[:1])

    def slope_of(x):
        return np.sum(symtape.grad(sum_of)(x))

    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        assert np.all(symtape.hessian(sum_of)(x) == 0)
        assert np.all(symtape.hessian(slope_of)(x) == 0)
        assert np.all(symtape.jit(symtape.hessian(sum_of))(x) == 0)
