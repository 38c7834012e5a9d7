"""Jacobians of a tape: all outputs in one sweep, or one at a time, with the same answer."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import symtape
from symtape import GradientTape, Variable

WAYS = [{}, {"experimental_use_pfor": False}, {"parallel_iterations": 3}]


def _looped(target, source, tape):
    """The Jacobian by one gradient for each output."""
    rows = []
    for position in range(target.size):
        weights = np.zeros(target.size)
        weights[position] = 1
        g = tape.gradient(
            target,
            source,
            output_gradients=weights.reshape(target.shape),
            unconnected_gradients="zero",
        )
        rows.append(g.numpy())
    return np.array(rows).reshape(target.shape + source.shape)


W = np.arange(6.0).reshape(2, 3) / 4 - 0.5

PROGRAMS = {
    "elementwise": lambda x: np.sin(x) * x,
    "broadcast": lambda x: x[:, None] * x + 1.0,
    "sum": np.sum,
    "constant factor first": lambda x: W @ x,
    "matmul": lambda x: np.outer(x, x) @ np.outer(x, np.ones(3)),
    "vector last": lambda x: np.exp(np.outer(x, x)) @ x,
    "reduction": lambda x: np.outer(x, x).sum(axis=1, keepdims=True),
    "mean": lambda x: np.mean(np.outer(x, x), axis=0),
    "max": lambda x: np.max(np.outer(x, x + 3), axis=0),
    "norm": lambda x: np.linalg.norm(np.outer(x, x), axis=0),
    "cumsum": lambda x: np.cumsum(x * x),
    "prod": lambda x: np.prod(np.outer(x, x), axis=1),
    "indexing": lambda x: x[[2, 0, 2]] * x[0],
    "boolean index": lambda x: x[np.array([True, False, True])] ** 2,
    "where": lambda x: np.where(x > 0, x, x * x),
    "concatenate": lambda x: np.concatenate([x, x[:1] * x, np.ones(1)]),
    "stack": lambda x: np.stack([x, x * x], axis=1),
    "transpose": lambda x: np.outer(x, x * x).T,
    "reshape": lambda x: np.reshape(np.outer(x, x), (9, 1)),
    "pad": lambda x: np.pad(x * x, 1),
    "sort": lambda x: np.sort(x * x),
    "solve": lambda x: np.linalg.solve(np.outer(x, x) + 3 * np.eye(3), x),
    "inv": lambda x: np.linalg.inv(np.outer(x, x) + 3 * np.eye(3)),
    "det": lambda x: np.linalg.det(np.outer(x, x) + 3 * np.eye(3)),
    "cholesky": lambda x: np.linalg.cholesky(np.outer(x, x) + 3 * np.eye(3)),
    "einsum": lambda x: np.einsum("i,j,ij->i", x, x, np.outer(x, x)),
    "diag": lambda x: np.diag(x * x),
    "power": lambda x: np.abs(x) ** x,
    "maximum": lambda x: np.maximum(x, x * x),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_jacobian_is_its_rows(name):
    x = Variable([0.5, -1.25, 2.0])
    with GradientTape(persistent=True) as tape:
        y = PROGRAMS[name](x)
    rows = _looped(y, x, tape)
    for way in WAYS:
        found = tape.jacobian(y, x, **way)
        assert found.shape == y.shape + x.shape
        np.testing.assert_allclose(found.numpy(), rows, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("size", [1, 20])
def test_several_sweeps_give_what_one_gives(name, size, monkeypatch):
    x = np.array([0.5, -1.25, 2.0])
    first = symtape.jacobian(PROGRAMS[name])
    once = first(x), symtape.jacobian(first)(x)
    for limit, most in (("_AT_ONCE", size), ("_RECORDED_AT_ONCE", size), ("_FEW", 1)):
        monkeypatch.setattr(f"symtape.recording.tape.{limit}", most)
    several = first(x), symtape.jacobian(first)(x)
    for one, other in zip(once, several, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-13, atol=1e-14)


def test_the_memory_of_a_jacobian_is_not_that_of_all_rows_at_once():
    def potential(x):
        return np.exp(-((x[:, None] - x) ** 2)) @ x

    x = np.linspace(0.0, 1.0, 200)
    tracemalloc.start()
    symtape.jacobian(potential)(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < x.itemsize * x.size**3 / 2


@pytest.mark.parametrize("name", PROGRAMS)
def test_second_derivatives_through_a_jacobian_are_symmetric(name):
    x = symtape.constant([0.5, -1.25, 2.0])
    with GradientTape(persistent=True) as outer:
        outer.watch(x)
        with GradientTape() as inner:
            inner.watch(x)
            y = PROGRAMS[name](x)
        j = inner.jacobian(y, x, unconnected_gradients="zero")
    h = outer.jacobian(j, x, unconnected_gradients="zero").numpy()
    scale = 1e-12 * max(1.0, np.abs(h).max())
    np.testing.assert_allclose(h, np.swapaxes(h, -1, -2), rtol=1e-11, atol=scale)
    rows = _looped(j, x, outer) if name != "sum" else np.zeros((3, 3))
    np.testing.assert_allclose(h, rows, rtol=1e-12, atol=scale)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_structure_of_sources_and_what_is_not_connected(way):
    x, unused = Variable([1.0, 2.0]), Variable(np.ones((2, 2)))
    with GradientTape(persistent=True) as tape:
        y = x * x
    found = tape.jacobian(y, {"x": x, "rest": [unused]}, **way)
    np.testing.assert_array_equal(found["x"].numpy(), np.diag([2.0, 4.0]))
    assert found["rest"] == [None]
    zeros = tape.jacobian(y, unused, unconnected_gradients="zero", **way)
    assert zeros.shape == (2, 2, 2)
    assert not zeros.numpy().any()


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_empty_targets_and_sources(way):
    x = Variable([1.0, 2.0])
    none = Variable(np.zeros((0, 3)))
    with GradientTape(persistent=True) as tape:
        y = (x * x)[:0]
        z = np.sum(none) + x
        unconnected = none * 2
    assert tape.jacobian(y, x, **way).shape == (0, 2)
    assert tape.jacobian(z, none, **way).shape == (2, 0, 3)
    assert tape.jacobian(unconnected, x, **way) is None
    assert tape.gradient(y, x).numpy().tolist() == [0.0, 0.0]


@pytest.mark.parametrize("wrong", [[], (), {}, np.ones(2), None, 1.0], ids=repr)
def test_the_target_must_be_a_single_tensor(wrong):
    x = Variable([1.0, 2.0])
    with GradientTape(persistent=True) as tape:
        y = x * x
    with pytest.raises(TypeError, match="not a single tensor"):
        tape.jacobian([y] if isinstance(wrong, list) else wrong, x)
    with pytest.raises(TypeError, match="not a single tensor"):
        tape.batch_jacobian([y] if isinstance(wrong, list) else wrong, x)
    with pytest.raises(TypeError, match="not a single tensor"):
        tape.batch_jacobian(y, wrong)


def test_jacobian_inside_the_block_is_recorded():
    x = Variable([1.0, 2.0])
    with GradientTape(persistent=True) as tape:
        y = x**3
        j = tape.jacobian(y, x)
        trace = np.trace(j)
    np.testing.assert_array_equal(tape.gradient(trace, x).numpy(), [6.0, 12.0])


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize(
    ("shape", "program"),
    [
        ((4, 3), lambda x: x**2),
        ((4, 3), lambda x: np.sin(x) @ np.array([[1.0, 2.0], [0.5, 0.0], [1.0, -1.0]])),
        ((4,), np.exp),
        ((2, 3, 2), lambda x: np.sum(x * x, axis=2)),
        ((2, 3), lambda x: x[:, :, None] * x[:, None, :]),
        ((0, 3), lambda x: x**2),
        ((4, 0), lambda x: x * 2),
    ],
)
def test_a_batch_jacobian_is_the_diagonal_of_the_jacobian(way, shape, program):
    x = Variable(np.linspace(0.5, 1.5, int(np.prod(shape))).reshape(shape))
    with GradientTape(persistent=True) as tape:
        y = program(x)
    found = tape.batch_jacobian(y, x, **way).numpy()
    whole = tape.jacobian(y, x, **way).numpy()
    assert found.shape == y.shape + x.shape[1:]
    for row in range(shape[0]):
        index = (row, *(slice(None),) * (y.ndim - 1), row)
        np.testing.assert_allclose(found[row], whole[index], rtol=1e-13)


def test_a_batch_jacobian_of_what_is_not_connected():
    x, y = Variable(np.ones((2, 3))), Variable(np.ones((2, 2)))
    with GradientTape(persistent=True) as tape:
        z = y * 2
    for unconnected in ("none", "zero"):
        found = tape.batch_jacobian(z, x, unconnected_gradients=unconnected)
        np.testing.assert_array_equal(found.numpy(), np.zeros((2, 2, 3)))


@pytest.mark.parametrize(
    ("target", "source"),
    [((3, 2), (2, 2)), ((), (2,)), ((2,), ()), ((), ()), ((0, 1), (2, 1))],
)
def test_a_batch_jacobian_checks_the_first_dimensions(target, source):
    x, y = Variable(np.ones(source)), Variable(np.ones(target))
    with GradientTape() as tape:
        z = y * 1
    with pytest.raises(ValueError, match=r"^Need first dimension of target") as caught:
        tape.batch_jacobian(z, x)
    assert str(target) in str(caught.value)
    assert str(source) in str(caught.value)


def test_integer_targets_warn_and_give_none():
    x = Variable([1.0, 2.0])
    with GradientTape(persistent=True) as tape:
        n = np.argsort(x)
    for question in (tape.jacobian, tape.batch_jacobian):
        with pytest.warns(UserWarning, match="target tensor must be floating"):
            assert question(n, x) is None
