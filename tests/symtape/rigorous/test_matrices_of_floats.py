"""Floats as balls, exactly; constants are kept, and never get mixed up."""

import numpy as np
import pytest
from flint import arb, arb_mat

from symtape.rigorous import matrices
from symtape.rigorous.matrices import float_balls, kept_balls, kept_size, only_balls, to_matrix


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_every_float_is_exact(dtype):
    array = np.array([[0.1, -0.0, 1e-7], [3.0, 2.5, 6e4]], dtype=dtype)
    balls = float_balls(array)
    assert balls.shape == array.shape
    assert all(ball == arb(float(x)) for ball, x in zip(balls.flat, array.flat, strict=True))
    assert all(ball.is_exact() for ball in balls.flat)


def test_what_is_kept_is_not_written_to():
    balls = kept_balls(np.arange(100.0))
    assert balls is kept_balls(np.arange(100.0))
    with pytest.raises(ValueError, match="read-only"):
        balls[0] = arb(1)


@pytest.mark.parametrize("other", [np.arange(100.0) + 1, np.arange(100.0).astype(np.float32)])
def test_other_constants_are_others(other):
    assert kept_balls(np.arange(100.0)) is not kept_balls(other)
    assert kept_balls(other)[3] == float(other[3])


def test_matrices_of_parts_are_those_of_the_parts():
    array = np.random.default_rng(0).normal(size=(10, 12))
    balls = kept_balls(array)
    for part in (balls, balls.T, balls[2:5], balls[:, ::2], balls[::-1], balls.copy()):
        for _ in range(2):
            assert to_matrix(part) == arb_mat(*part.shape, part.ravel().tolist())
    assert kept_size(balls.T) == np.max(np.abs(array))
    assert kept_size(balls.copy()) is None


def test_only_so_many_are_kept(monkeypatch):
    monkeypatch.setattr(matrices, "_MOST_KEPT", 250)
    first = kept_balls(np.full(100, 7.0))
    kept_balls(np.full(100, 8.0))
    kept_balls(np.full(100, 9.0))
    again = kept_balls(np.full(100, 7.0))
    assert again is not first
    assert all(ball == 7 for ball in again)
    assert to_matrix(first.reshape(10, 10)) == to_matrix(again.reshape(10, 10))


def test_nothing_is_known_by_the_id_of_what_is_gone(monkeypatch):
    monkeypatch.setattr(matrices, "_MOST_KEPT", 250)
    for number in range(50):
        size = number + 1.0
        assert kept_size(kept_balls(np.full(100, size))) == size
        assert set(matrices._KNOWN) == {id(balls.base) for balls in matrices._KEPT.values()}


def test_only_so_many_matrices_are_kept_of_an_array():
    balls = kept_balls(np.arange(400.0).reshape(20, 20))
    for at in range(20):
        for end in range(at + 1, 20):
            assert to_matrix(balls[at:end])[0, 1] == 20 * at + 1
    assert len(matrices._KNOWN[id(balls.base)].matrices) <= matrices._MOST_MATRICES


def test_balls_are_told_from_what_else_arrays_hold():
    assert only_balls(float_balls(np.arange(3.0)))
    assert only_balls(kept_balls(np.arange(100.0)))
    assert not only_balls(np.array([arb(1), 2], dtype=object))


def test_parts_that_begin_at_one_place_are_told_apart():
    balls = kept_balls(np.arange(400.0).reshape(20, 20))
    parts = [balls[:end, :width] for end in (1, 2, 20) for width in (1, 3, 20)]
    parts += [part.T for part in parts] + [balls.reshape(10, 40), balls[:1].reshape(4, 5)]
    for part in (*parts, *parts[::-1]):
        assert to_matrix(part) == arb_mat(*part.shape, part.ravel().tolist())
