"""Tangents pushed forward: each row beside its VJP, in every way that a sweep runs."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special  # noqa: F401  # whose rows wait for it

import symtape
import symtape.primitives.special
from symtape.primitives.primitive import PRIMITIVES, Primitive
from symtape.recording.structure import flatten
from symtape.transforms import gradients


def _examples() -> list[tuple[Primitive, tuple, dict]]:
    found = []
    for row in PRIMITIVES.values():
        if row.cuts or row.missing:
            continue
        for example in row.example if isinstance(row.example, list) else [row.example]:
            if not example:
                continue
            args, params = example, {}
            if len(example) == 2 and isinstance(example[1], dict):
                args, params = example
            found.append((row, args, params))
    return found


EXAMPLES = _examples()
IDS = [f"{row.name} {number}" for number, (row, _, _) in enumerate(EXAMPLES)]


def _moving(row: Primitive, args: tuple) -> list[int]:
    """Which arguments can be differentiated by."""
    return [
        place
        for place, arg in enumerate(args)
        if row.rule(place) is not None
        and not row.rule(place).missing
        and np.asarray(arg).dtype.kind in "if"
        and not (row.decision == "index" and place)
        and not (row.name == "scatter_by" and place)
    ]


def _numbers(shape, seed: int):
    return np.random.default_rng(seed).normal(size=shape)


def _of(row: Primitive, args: tuple, params: dict):
    moving = _moving(row, args)

    def function(*xs):
        whole = [np.asarray(arg) for arg in args]
        for place, x in zip(moving, xs, strict=True):
            whole[place] = x
        found = row(*whole, **params)
        return list(found) if isinstance(found, tuple) else found

    return function, tuple([np.asarray(args[place], float) for place in moving])


@pytest.mark.parametrize(("row", "args", "params"), EXAMPLES, ids=IDS)
def test_a_rows_push_is_the_transpose_of_its_pull(row, args, params):
    function, xs = _of(row, args, params)
    tangents = tuple([_numbers(x.shape, 7 + k) for k, x in enumerate(xs)])
    value, pushed = symtape.jvp(function, xs, tangents)
    _, pull_back = symtape.vjp(function, *xs)
    pushed, value = flatten(pushed), flatten(value)
    for part, y in zip(pushed, value, strict=True):
        assert np.shape(part) == np.shape(y)
        assert part.dtype == y.dtype
    cotangents = [_numbers(np.shape(y), 70 + k) for k, y in enumerate(value)]
    pulled = pull_back(cotangents if isinstance(value, list) and len(value) > 1 else cotangents[0])
    # Cotangents of complex outputs act by the real part.
    forward = sum(np.vdot(g, t).real for g, t in zip(cotangents, pushed, strict=True))
    backward = sum(np.vdot(c, t).real for c, t in zip(pulled, tangents, strict=True))
    scale = sum(np.sum(np.abs(g * t)) for g, t in zip(cotangents, pushed, strict=True))
    least = max(np.finfo(part.dtype).eps for part in pushed)
    assert abs(forward - backward) <= 1e4 * least * max(scale, abs(backward))


TIMES = np.linspace(0.0, 2.0, 100)


def _curve(p):
    return p[0] * np.exp(-p[1] * TIMES) + np.where(TIMES > 1, p[2] * np.sin(p[0] * TIMES), 0.0)


def test_a_tall_jacobian_is_pushed_forward_and_is_that_of_rows(monkeypatch):
    p = np.array([1.5, 0.5, -0.75])
    found = symtape.jacobian(_curve)(p)
    monkeypatch.setattr(gradients, "OUTPUTS", 10**9)
    np.testing.assert_allclose(found, symtape.jacobian(_curve)(p), rtol=1e-13, atol=1e-15)
    monkeypatch.undo()
    monkeypatch.setattr("symtape.transforms.gradients.columns_of", None)
    with pytest.raises(TypeError, match="not callable"):
        symtape.jacobian(_curve)(p)


def test_of_several_arguments_each_has_its_columns():
    def f(a, b):
        return np.outer(TIMES, a).ravel() * b

    a, b = np.array([1.5, -0.5]), 2.0
    by_a, by_b = symtape.jacobian(f, (0, 1))(a, b)
    np.testing.assert_allclose(by_a, np.kron(TIMES[:, None], np.eye(2)) * b, rtol=1e-14)
    np.testing.assert_allclose(by_b, np.outer(TIMES, a).ravel(), rtol=1e-14)


def test_by_one_number_it_is_one_tangent():
    found = symtape.jacobian(lambda w: np.sin(w * TIMES))(1.5)
    assert found.shape == (100,)
    np.testing.assert_allclose(found, TIMES * np.cos(1.5 * TIMES), rtol=1e-14)
    assert symtape.jacobian(lambda w: np.sin(w[0] * TIMES))(np.ones(1)).shape == (100, 1)


def test_where_a_column_is_not_finite_the_rows_are_asked():
    x = np.array([0.0, 1.0])
    with np.errstate(all="ignore"):
        found = symtape.jacobian(lambda x: np.tile(np.sqrt(x), 40))(x)
        row = symtape.jacobian(np.sqrt)(x)
    np.testing.assert_array_equal(found, np.tile(row, (40, 1)))


def test_perturbations_are_not_confused():
    # d/dx (x * d/dy (x + y)) is 1, not 2.
    def outer(x):
        return x * symtape.jvp(lambda y: x + y, (1.0,), (1.0,))[1]

    assert symtape.jvp(outer, (1.0,), (1.0,))[1] == 1.0
    assert symtape.grad(outer)(1.0) == 1.0


def test_the_ways_to_a_second_derivative_agree():
    def f(x):
        return np.sum(np.exp(x) * np.sin(x[::-1]))

    x, v = np.array([0.5, -1.0, 2.0]), np.array([1.0, 2.0, -1.0])
    expected = symtape.hessian(f)(x) @ v
    over_reverse = symtape.jvp(symtape.grad(f), (x,), (v,))[1]
    over_forward = symtape.grad(lambda x: symtape.jvp(f, (x,), (v,))[1])(x)
    _, linear = symtape.linearize(symtape.grad(f), x)
    for found in (over_reverse, over_forward, linear(v), symtape.hvp(f)(x, v)):
        np.testing.assert_allclose(found, expected, rtol=1e-13)
    tall = symtape.jacobian(symtape.jacobian(_curve))(np.ones(3))
    assert tall.shape == (100, 3, 3)
    np.testing.assert_allclose(tall, np.swapaxes(tall, 1, 2), atol=1e-14)


def test_linearize_runs_the_function_once_and_keeps_what_it_saw():
    calls = []

    def f(x):
        calls.append(1)
        return np.sin(x) * x[0]

    x = np.array([0.5, 2.0])
    value, push = symtape.linearize(f, x)
    at = x.copy()
    x[:] = 100.0
    np.testing.assert_array_equal(value, np.sin(at) * at[0])
    for v in np.eye(2):
        np.testing.assert_allclose(push(v), symtape.jacobian(f)(at) @ v, rtol=1e-14)
    assert len(calls) == 3
    with pytest.raises(ValueError, match="1 primals but 2 tangents"):
        push(at, at)
    with pytest.raises(ValueError, match="must be equal"):
        push(np.ones(3))


def test_a_wrong_rule_is_seen(monkeypatch):
    row = PRIMITIVES["inv"]
    (rule,) = row.jvp
    monkeypatch.setattr(rule, "function", lambda t, y: y @ t @ y)
    with pytest.raises(AssertionError):
        test_a_rows_push_is_the_transpose_of_its_pull(row, ([[2.0, 0.5], [-0.75, 1.5]],), {})


def test_an_unknown_word_for_a_push_is_refused():
    with pytest.raises(ValueError, match=r"jvp='sideways'; expected one of"):
        Primitive(name="f", inputs="x", evaluate=np.sin, vjp=[lambda g: g], jvp="sideways")
