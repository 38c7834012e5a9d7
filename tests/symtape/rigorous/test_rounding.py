"""The model ball holds what NumPy returns: for every row, and for programs made at random."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

import symtape
from symtape.graph.freeze import record
from symtape.primitives.primitive import PRIMITIVES
from symtape.reading.record import readable
from symtape.rigorous.adjoint import adjoint_bound
from symtape.rigorous.enclose import enclose
from symtape.rigorous.rounding import model
from symtape.rigorous.scalar import contains

DTYPES = [np.float64, np.float32]


def holds(graph: Any, inputs: Any) -> None:
    """The model balls hold what NumPy makes of the graph."""
    with np.errstate(all="ignore"):
        values = graph.evaluate(*inputs)
    for balls, value in zip(model(graph, inputs), values, strict=True):
        for found, one in zip(balls.flat, np.ravel(value), strict=True):
            if isinstance(found, bool) or found is None:
                assert found is None or found == bool(one)
            else:
                assert contains(found, one)


def _examples() -> list[Any]:
    found = []
    for name, row in sorted(PRIMITIVES.items()):
        several = row.example if isinstance(row.example, list) else [row.example]
        for number, example in enumerate(several if row.example else []):
            params: dict[str, Any] = {}
            if len(example) == 2 and isinstance(example[1], dict):
                example, params = example
            elif len(example) == 1 and isinstance(example[0], tuple):
                (example,) = example
            arrays = [np.asarray(x) for x in example]
            if any(a.dtype.kind == "f" for a in arrays) and name != "frexp_exponent":
                found.append(pytest.param(row, arrays, params, id=f"{name}-{number}"))
    return found


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("row", "arrays", "params"), _examples())
def test_every_row_keeps_its_rounding_constants(
    row: Any, arrays: Any, params: Any, dtype: Any
) -> None:
    traced = [i for i, array in enumerate(arrays) if array.dtype.kind == "f"]

    def apply(*tensors: Any) -> Any:
        full = [a if a.ndim else a.item() for a in arrays]
        for i, tensor in zip(traced, tensors, strict=True):
            full[i] = tensor
        result = row(*full, **params)
        if not isinstance(result, tuple) and result.dtype.kind == "c":
            return [np.real(result), np.imag(result)]
        return list(result) if isinstance(result, tuple) else result

    rng = np.random.default_rng(0)
    start = [arrays[i].astype(dtype) for i in traced]
    graph = readable(record(apply, *start))
    for spread in (0, 0.01, 0.03, 0.05, 0.05, 0.05):
        inputs = [(x * (1 + spread * rng.uniform(-1, 1, x.shape))).astype(dtype) for x in start]
        full = [a.astype(dtype) if a.dtype.kind == "f" else a for a in arrays]
        for i, x in zip(traced, inputs, strict=True):
            full[i] = x
        if row.domain is None or np.all(row.domain(*full, **params)):
            holds(graph, inputs)


UNARY = [np.sin, np.cos, np.tanh, np.exp, np.arctan, np.abs, np.square, np.negative, np.sqrt,
         np.log, np.floor, np.expm1, np.log1p, np.arcsinh, np.cbrt]  # fmt: skip
BINARY = [np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum, np.hypot,
          np.logaddexp, np.arctan2, np.matmul, np.remainder, np.power]  # fmt: skip
WHOLE = [np.sum, np.mean, np.prod, np.var, np.std, np.max, np.cumsum, np.sort, np.linalg.norm,
         np.cumprod, np.median]  # fmt: skip


@st.composite
def programs(draw: Any) -> Any:
    """A function of two vectors of length 3, of up to eight operations."""
    steps = draw(
        st.lists(
            st.tuples(
                st.sampled_from([*UNARY, *BINARY, *WHOLE, "where", "scale"]),
                st.integers(0, 9),
                st.integers(0, 9),
            ),
            min_size=1,
            max_size=8,
        )
    )

    def function(x: Any, y: Any) -> Any:
        values = [x, y]
        for operation, i, j in steps:
            a, b = values[i % len(values)], values[j % len(values)]
            if operation == "where":
                values.append(np.where(a > b, a, b * 0.1))
            elif operation == "scale":
                values.append(a * 0.1 + 3)
            elif operation is np.matmul:
                values.append(x @ y)
            elif operation in UNARY:
                values.append(operation(a))
            elif operation in BINARY:
                values.append(operation(a, b))
            else:
                values.append(operation(a) if np.ndim(a) else a)
        return values[-1]

    return function


NUMBERS = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 0.5, 2.0, 1e-30, -1e30]), st.floats(-4, 4, width=32)
)


@pytest.mark.long
@pytest.mark.parametrize("dtype", DTYPES)
@given(function=programs(), numbers=st.lists(NUMBERS, min_size=6, max_size=6))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_random_programs_stay_inside(dtype: Any, function: Any, numbers: list[float]) -> None:
    inputs = [np.array(numbers[:3], dtype=dtype), np.array(numbers[3:], dtype=dtype)]
    with np.errstate(all="ignore"):
        graph = record(function, *inputs)
    holds(graph, inputs)


def test_the_model_is_no_wider_than_its_constants() -> None:
    graph = record(lambda x: np.exp(x) * 3 - x / 7, 0.3)
    [found] = model(graph, [0.3])
    [exact] = enclose(graph, [0.3], 200)
    assert found[()].contains(exact[()])
    assert found[()].rad() < 20 * abs(exact[()]) * 2.0**-53


@pytest.mark.parametrize("dtype", DTYPES)
def test_exact_results_are_not_inflated(dtype: Any) -> None:
    x = np.array([0.5, -3.0, 8.0], dtype)
    graph = record(lambda x: (x * 2 + 1) * x / 4, x)
    [found] = model(graph, [x])
    assert [float(b) for b in found] == ((x * 2 + 1) * x / 4).tolist()
    assert all(b.is_exact() for b in found)


@pytest.mark.parametrize("degree", [0, 2, 4])  # odd ones may vanish at 0, where nothing is relative
@pytest.mark.parametrize(
    ("polynomial", "parameters"), [(special.eval_gegenbauer, 1), (special.eval_jacobi, 2)]
)
def test_exact_results_of_many_roundings_need_not_be_returned(
    polynomial: Any, parameters: int, degree: int
) -> None:
    """SciPy's value at 0 of the Gegenbauer polynomial of degree 2 and 2.25 is one unit off."""
    for orders in itertools.product((0.5, 1.25, 2.25), repeat=parameters):
        for x in (0.0, 0.25, 0.5, 1.0, -1.0):
            graph = record(lambda x, orders=orders: polynomial(degree, *orders, x), x)
            holds(graph, [np.float64(x)])


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (np.exp, 800.0),
        (lambda x: x * x, 1e200),
        (lambda x: np.sum(np.stack([x, x, -x])), 1.5e308),
        (lambda x: np.prod(np.stack([x, x, 1 / x])), 1e200),
        (lambda x: np.std(np.stack([x, -x])), 1e200),
        (lambda x: np.log(x - x), 1.0),
    ],
)
def test_overflow_and_lost_domains_leave_nothing_known(function: Any, x: float) -> None:
    with np.errstate(all="ignore"):
        graph = record(function, x)
        holds(graph, [x])
    assert not model(graph, [x])[0][()].is_finite()


def test_underflow_is_allowed_for() -> None:
    for function in (lambda x: x * x, np.exp, lambda x: np.stack([x, x]) @ np.stack([x, x])):
        for x in (-743.3, 1e-160, 3e-162, -1e-200):
            graph = record(function, x)
            with np.errstate(all="ignore"):
                holds(graph, [x])


def test_python_scalars_are_rounded_to_float32_first() -> None:
    x = np.float32(1) + np.zeros(2, np.float32)
    graph = record(lambda x: x * 0.1 + 16777217, x)
    holds(graph, [x])


def test_the_working_precision_may_not_count() -> None:
    with pytest.raises(ValueError, match="at least 113"):
        model(record(np.exp, 1.0), [1.0], bits=53)


@given(seed=st.integers(0, 10**6), n=st.integers(2, 8), scale=st.sampled_from([1, 1e-3, 1e3]))
@settings(max_examples=20, deadline=None, derandomize=True)
def test_factorisations_stay_inside(seed: int, n: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((n, n)) * np.where(rng.uniform(size=(n, n)) < 0.4, 0, scale)
    a = a + np.eye(n) * (np.linalg.cond(a) > 1e6)
    b, definite = rng.standard_normal((n, 2)), a @ a.T + np.eye(n)
    for function, inputs in (
        (np.linalg.solve, (a, b)),
        (np.linalg.inv, (a,)),
        (np.linalg.det, (a,)),
        (np.linalg.cholesky, (definite,)),
        (lambda a: list(np.linalg.slogdet(a)), (a * 1e-3,)),
        (np.linalg.pinv, (a,)),
        (lambda a: list(np.linalg.qr(a)), (a,)),
        (lambda a: np.linalg.svd(a, compute_uv=False), (a,)),
        (np.linalg.eigvalsh, (definite,)),
    ):
        holds(record(function, *inputs), inputs)


def _gradient(function: Any) -> Any:
    def gradient(*xs: Any) -> Any:
        with symtape.GradientTape() as tape:
            tape.watch(list(xs))
            y = function(*xs)
        return tape.gradient(y, list(xs), unconnected_gradients="zero")

    return gradient


def _exceeds(graph: Any, inputs: Any) -> float:
    """The largest ratio of the error of floats to the adjoint bound."""
    worst = 0.0
    exact, values = enclose(graph, inputs, 2000), graph.evaluate(*inputs)
    for truths, floats, bounds in zip(exact, values, adjoint_bound(graph, inputs), strict=True):
        for truth, value, bound in zip(truths.flat, np.ravel(floats), bounds.flat, strict=True):
            error = float(abs(truth - float(value)).upper())
            worst = max(worst, error / bound if bound else math.copysign(math.inf, error or -1))
    return worst


def _logistic(steps: int) -> Any:
    def function(x: Any) -> Any:
        for _ in range(steps):
            x = 3.75 * x * (1 - x)
        return x

    return function


def _recurrent(x: Any, w: Any) -> Any:
    for _ in range(20):
        x = np.tanh(w @ x + 0.1)
    return np.sum(x * x)


SQUARE = np.array([[0.4, -0.3, 0.2], [0.1, 0.5, -0.6], [0.3, 0.2, 0.1]])

LOOPS = [
    (_logistic(40), (0.3,)),
    (_recurrent, (np.array([0.1, -0.5, 0.7]), SQUARE)),
    (lambda a, b: np.sum(np.linalg.solve(a, b) ** 2), (SQUARE + np.eye(3), np.ones(3))),
    (np.linalg.solve, (1 / (np.arange(6.0)[:, None] + np.arange(6.0) + 1), np.ones(6) / 3)),
    (np.linalg.inv, (1 / (np.arange(6.0)[:, None] + np.arange(6.0) + 1),)),
    (lambda x, y: np.sum(np.exp(x[:, None] * y) / (1 + y)), (np.arange(3.0), np.ones(2) / 3)),
]


@pytest.mark.parametrize(("function", "inputs"), LOOPS)
def test_errors_of_loops_stay_below_the_adjoint_bound(function: Any, inputs: Any) -> None:
    for graph in (record(function, *inputs), record(_gradient(function), *inputs)):
        assert _exceeds(graph, inputs) <= 1


def test_the_adjoint_bound_is_finite_where_balls_are_not() -> None:
    graph = record(_gradient(_logistic(60)), 0.3)
    assert not model(graph, [0.3])[0][()].rad() < abs(graph.evaluate(0.3)[0])
    [bound] = adjoint_bound(graph, [0.3])
    assert bound < abs(graph.evaluate(0.3)[0])


def test_many_outputs_are_swept_in_batches() -> None:
    def function(x: Any) -> Any:
        return np.sin(np.outer(x, x)) @ (x / 3)

    x = np.linspace(0.1, 1, 70)
    graph = record(function, x)
    [batched] = adjoint_bound(graph, [x])
    for k in (0, 35, 69):
        [alone] = adjoint_bound(record(lambda x, k=k: function(x)[k], x), [x])
        assert batched[k] == pytest.approx(alone, rel=1e-12, abs=0)


def test_broadcast_arguments_do_not_cancel() -> None:
    x = -math.log(2)

    def difference(x: Any) -> Any:
        return np.sum(np.logaddexp(x, np.full(2, -math.log(2))) * [1, -1])

    [bound] = adjoint_bound(record(difference, x), [x])
    [one] = adjoint_bound(record(lambda x: np.logaddexp(x, -math.log(2)), x), [x])
    assert bound == pytest.approx(2 * one, rel=1e-6, abs=0)


def test_arguments_of_functions_are_perturbed() -> None:
    x = 1e8
    [bound] = adjoint_bound(record(np.sin, x), [x])
    assert bound >= x * abs(np.cos(x)) * 2.0**-53


def test_float32_counts_in_its_own_units() -> None:
    x = np.float32(0.3)
    single = adjoint_bound(record(lambda x: np.exp(x) / 3, x), [x])[0]
    double = adjoint_bound(record(lambda x: np.exp(x) / 3, float(x)), [float(x)])[0]
    assert single == pytest.approx(double * 2.0**29, rel=1e-6, abs=0)


def test_outputs_that_do_not_depend_on_inputs_have_no_error() -> None:
    graph = record(lambda x: [x * 2, np.ones(3), x > 0], 1.0)
    found = adjoint_bound(graph, [1.0])
    assert [bound.tolist() for bound in found[1:]] == [[0, 0, 0], 0]


def test_an_output_that_no_operation_computes_costs_nothing():
    for function in (lambda x: x, lambda x: np.zeros(3)):
        graph = symtape.record(function, 3.0)
        [bound] = adjoint_bound(graph, [3.0])
        assert not np.any(bound)
