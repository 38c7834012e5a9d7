"""A plan that is kept is used again only where its pattern holds: at many points, one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import symtape
from symtape.transforms.sparsity import blocks, plan
from symtape.transforms.sparsity.pattern import Pattern
from verify.strategies import programs

SIZE = 12
TABLE = np.arange(20.0)
RNG = np.random.default_rng(0)


def in_a_loop(x):
    y = x * 1.0
    for i in range(1, SIZE):
        if x[i] > 0:
            y[i] = y[i] + 0.5 * y[i - 1]
        else:
            y[i] *= x[-i]
    return y


def by_masks(x):
    y = x**2
    y[x > 0] = 0
    y[x < -1] *= x[0]
    return y


def added(x):
    y = x * 0.0
    y[np.argsort(x)] += x**2
    y[:3] += x[-3:]
    return y


def by_random_numbers(x):
    return (RNG.random((SIZE, SIZE)) > 0.7) * 1.0 @ x


def plain(x):
    return np.asarray(symtape.stop_gradient(x))


def square(x):
    return x.reshape(3, 4)


BY_VALUES = {
    "twice": lambda x: x * x + x[::-1] * x,
    "repeated": lambda x: x[np.array([0, 0, 1, 3, 3, 2])] ** 2,
    "where": lambda x: np.where(x > 0, x**2, x[::-1]),
    "where of one": lambda x: np.where(x[0] > 0, x, np.roll(x, 2)),
    "where of numbers": lambda x: np.where(np.floor(x), x, x[::-1]),
    "choose": lambda x: np.choose((x > 0).astype(int), [x, x[::-1]]),
    "select": lambda x: np.select([x > 1, x > 0], [x, x[::-1] ** 2], np.roll(x, 1)),
    "mask": lambda x: x[x > -9] * x[np.argmax(x)],
    "sort": lambda x: np.sort(square(x), axis=-2),
    "partition": lambda x: np.partition(x, 4),
    "median": lambda x: np.median(square(x), axis=1),
    "max": lambda x: np.max(square(x), axis=-1, keepdims=True) * square(x),
    "maximum": lambda x: np.maximum(x, x[::-1]),
    "running maximum": lambda x: np.maximum.accumulate(x),
    "argmax": lambda x: x[np.argmax(x)] * x,
    "argsort": lambda x: x[np.argsort(x)],
    "take": lambda x: np.take(square(x), np.argsort(x)[:5] % 4, axis=1),
    "take along": lambda x: np.take_along_axis(square(x), np.argsort(square(x), 1), axis=1),
    "int": lambda x: x * x[int(abs(x[0]) * 3) % SIZE],
    "table": lambda x: TABLE[abs(plain(x)).astype(int) % 20] * np.roll(x, int(x[1] > 0)),
    "searched": lambda x: x[np.searchsorted(np.linspace(-2, 2, SIZE - 1), x)] * x,
    "interp": lambda x: np.interp(x, np.linspace(-2, 2, SIZE), x**2),
    "zeros of a followed matrix": lambda x: np.maximum(x, 0).reshape(3, 4) @ x[:4],
    "zeros of floor": lambda x: np.floor(square(x)) @ x[:4],
    "matrix of comparisons": lambda x: (x[:, None] > x) * 1.0 @ x,
    "matrix that is stopped": lambda x: np.maximum(plain(x), 0).reshape(3, 4) @ x[:4],
    "kernel": lambda x: np.convolve(x, np.maximum(plain(x)[:4], 0)),
    "einsum by values": lambda x: np.einsum("ij,j->i", (square(plain(x)) > 0) * 1.0, x[:4]),
    "einsum of a diagonal": lambda x: np.einsum("ii,i->i", x[:9].reshape(3, 3), x[:3]),
    "sum where": lambda x: np.sum(square(x), axis=1, where=square(plain(x)) > 0),
    "product with zeros": lambda x: np.prod(np.maximum(square(x), 0), axis=0),
    "cumulative": lambda x: np.cumsum(square(x), axis=-2) + np.cumprod(square(x), axis=0),
    "stopped": lambda x: symtape.stop_gradient(x) * np.roll(x, 1),
    "complex": lambda x: np.real(np.conj(np.exp(1j * x)) * (1j * x[::-1])),
    "complex magnitude": lambda x: abs(x[:6] + 1j * x[6:]),
    "transform": lambda x: np.fft.irfft(np.fft.rfft(x) * np.arange(7)),
    "powers": lambda x: np.floor(abs(x)) ** 2 * abs(x[::-1]) ** np.floor(abs(x)),
    "in a loop": in_a_loop,
    "by masks": by_masks,
    "added": added,
    "random numbers": by_random_numbers,
}

CASES = {
    "true and one": [lambda x, k=k: x.reshape(1, 12)[k] ** 2 for k in (0, False, True, 0)],
    "rolls": [lambda x, k=k: np.roll(x, k) * x for k in (1, -1, 2, 1)],
    "axes": [lambda x, k=k: np.cumsum(x.reshape(3, 2, 2), axis=k) for k in (0, -1, 1, -2, 2)],
    "reductions": [
        lambda x, k=k: np.sum(x.reshape(2, 2, 3)[:, :, :2], axis=k) for k in (0, -1, 1, (0,))
    ],
    "steps": [lambda x, k=k: x[k] ** 2 for k in (slice(4), slice(4, 8), slice(8, 4, -1))],
    "ellipses": [
        lambda x, k=k: x.reshape(2, 3, 2)[k] ** 2 for k in ((..., 0), (0,), (slice(None), 0), -1)
    ],
    "masks as numbers": [
        lambda x, k=k: x[:2][np.array(k)] ** 2 for k in ([True, True], [1, 1], [0, 1], [1, 0])
    ],
    "dtypes": [
        lambda x, k=k: x[np.array([1, 0], k)] for k in (np.int64, np.int32, np.uint8, np.int64)
    ],
    "broadcasting": [lambda x, k=k: x[:k, None] * x[:12 // k] for k in (3, 4, 1, 12)],
    "nothing": [lambda x, k=k: x[k:] * 2 for k in (12, 0, 12)],
    "triangles": [lambda x, k=k: np.tril(square(x), k) for k in (0, 1, -1)],
    "changed matrix": [lambda x, k=k: np.eye(12, k=k) @ x for k in (0, 1, -3)],
}  # fmt: skip


def points(dtype):
    rng = np.random.default_rng(1)
    found = [rng.normal(size=SIZE) * 1.5 for _ in range(3)]
    found += [abs(found[0]), -abs(found[0]), np.round(found[1]), np.ones(SIZE), found[0]]
    return [x.astype(dtype) for x in found]


@pytest.fixture(autouse=True)
def _always_compressed(monkeypatch):
    for name in ("ENTRIES", "ROWS", "GAIN"):
        monkeypatch.setattr(blocks, name, 0)
    plan._plans.clear()


def row_by_row(derivative, x):
    """As it is where nothing is compressed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "may_pay", lambda run, target: False)
        return derivative(x)


def differs(derivative, x):
    """Whether few products give another answer; of random numbers both have the same."""
    global RNG
    with np.errstate(all="ignore"):
        RNG = np.random.default_rng(int(abs(x).sum() * 1000))
        expected = row_by_row(derivative, x)
        RNG = np.random.default_rng(int(abs(x).sum() * 1000))
        found = derivative(x)
    finite = np.isfinite(expected)
    tolerance = 1e3 * np.finfo(x.dtype).eps * max(1, abs(expected[finite]).max(initial=0))
    return (
        found.shape != expected.shape
        or not np.array_equal(np.isfinite(found), finite)
        or np.any(abs(found[finite] - expected[finite]) > tolerance)
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", BY_VALUES)
def test_other_values_of_an_argument(name, dtype):
    jacobian = symtape.jacobian(BY_VALUES[name])
    assert not [k for k, x in enumerate(points(dtype)) if differs(jacobian, x)]


@pytest.mark.parametrize("name", sorted(BY_VALUES.keys() - {"argsort", "random numbers"}))
def test_other_values_of_an_argument_of_a_hessian(name):
    function = BY_VALUES[name]

    def scalar(x):
        y = np.sin(function(x))
        return np.sum(y * np.cos(np.arange(float(y.size))).reshape(y.shape))

    hessian = symtape.hessian(scalar)
    assert not [k for k, x in enumerate(points(np.float64)[::2]) if differs(hessian, x)]


@pytest.mark.parametrize("name", CASES)
def test_other_parameters_of_an_operation(name):
    (x, *_) = points(np.float64)
    assert not [k for k, each in enumerate(CASES[name]) if differs(symtape.jacobian(each), x)]


def test_a_pattern_that_is_too_small_is_found(monkeypatch):
    def too_small(*args):
        found = whole(*args)
        return Pattern(found.rows[1:], found.columns[1:], found.shape)

    whole = plan.pattern_of
    monkeypatch.setattr(plan, "pattern_of", too_small)
    x = points(np.float64)[0]
    assert differs(symtape.jacobian(BY_VALUES["twice"]), x)


def test_a_plan_kept_by_less_than_the_path_is_found(monkeypatch):
    monkeypatch.setattr(plan, "trace_key", lambda tape, target, sources: target.shape)
    jacobian = symtape.jacobian(BY_VALUES["argsort"])
    assert any(differs(jacobian, x) for x in points(np.float64))


def holds(program):
    jacobian = symtape.jacobian(program.function)
    (x,) = program.point
    for point in (x, -x, np.roll(x, 1), x):
        try:
            assert not differs(jacobian, point)
        except symtape.errors.SymtapeError:
            continue


SETTINGS = {"deadline": None, "suppress_health_check": list(HealthCheck), "database": None}
PROGRAMS = programs(arguments=[(4,)], size=5, scalar=False)


@pytest.mark.long
@settings(max_examples=60, **SETTINGS)
@given(PROGRAMS)
def test_random_programs(program):
    holds(program)


@pytest.mark.campaign
@settings(max_examples=5_000, **SETTINGS)
@given(PROGRAMS)
def test_many_random_programs(program):
    holds(program)
