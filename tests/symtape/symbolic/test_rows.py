"""Every row that says where to verify it: its formula against its floats, and against the tape."""

import numpy as np
import pytest

import symtape
import symtape.primitives.special
from symtape.primitives.primitive import PRIMITIVES
from symtape.symbolic.derivative import gradient, hessian
from symtape.symbolic.precise import enclose
from symtape.symbolic.walk import shadow


def examples(row):
    given = row.example if isinstance(row.example, list) else [row.example]
    for example in given:
        if len(example) == 2 and isinstance(example[1], dict):
            yield example
        elif example:
            yield example, {}


CASES = [
    pytest.param(row, args, params, id=f"{name}-{k}")
    for name, row in sorted(PRIMITIVES.items())
    for k, (args, params) in enumerate(examples(row))
]


def differentiable(row, argnum):
    """Whether the row has a rule by this input, and not one that only refuses."""
    rule = row.rule(argnum)
    return rule is None or not rule.missing


def weighed(row, args, params):
    """The row as a scalar function of its float inputs, and those inputs."""
    arrays = [np.asarray(a)[()] for a in args]
    free = [k for k, a in enumerate(arrays) if a.dtype.kind == "f" and differentiable(row, k)]

    def function(*xs):
        full = list(arrays)
        for k, x in zip(free, xs, strict=True):
            full[k] = x
        result = row(*full, **params)
        total = 0.0
        for part in result if isinstance(result, tuple) else (result,):
            if part.dtype.kind == "f":
                weights = np.arange(1.0, 1 + part.size).reshape(part.shape)
                total = total + np.sum(part * weights)
        return total

    return function, [arrays[k] for k in free]


def floats(balls):
    return np.array([float(b) for b in balls.ravel()]).reshape(balls.shape)


@pytest.mark.parametrize(("row", "args", "params"), CASES)
def test_formula_agrees_with_floats_and_tape(row, args, params):
    function, point = weighed(row, args, params)
    if not point or isinstance(function(*map(symtape.constant, point)), float):
        assert row.example  # nothing to differentiate: no float in, or none out
        return
    graph = symtape.record(function, *point)
    made = shadow(graph, point)
    exact = floats(enclose(made.program, made.outputs[0], point, 200))
    np.testing.assert_allclose(graph.evaluate(*point)[0], exact, rtol=1e-12, atol=1e-15)
    with symtape.GradientTape() as tape:
        tensors = [symtape.constant(x) for x in point]
        tape.watch(tensors)
        target = function(*tensors)
    taped = tape.gradient(target, tensors, unconnected_gradients="zero")
    for ids, got in zip(gradient(made), taped, strict=True):
        exact = floats(enclose(made.program, ids, point, 200))
        np.testing.assert_allclose(got.numpy(), exact, rtol=1e-10, atol=1e-13)
    blocks = hessian(made)
    assert [b.shape for b in blocks[0]] == [np.shape(point[0]) + np.shape(x) for x in point]
