"""Programs whose graphs several tests look at."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import symtape


def _newton(a):
    x = a * 1.0
    for _ in range(50):
        step = (x * x - a) / (2 * x)
        x = x - step
        if np.abs(step) < 1e-12:
            break
    return x


def _branch(x):
    if x[0] > 0:
        return x[0] * x[1]
    return x[0] + x[1]


def _several(x):
    sign, logarithm = np.linalg.slogdet(np.outer(x, x) + 3 * np.eye(2))
    values, vectors = np.linalg.eigh(np.outer(x, x) + np.diag(np.array([1.0, 4.0])))
    return sign * logarithm + np.sum(values) * vectors[0, 0] ** 2


_weight = symtape.Variable([[1.0, 2.0], [0.5, -1.0]])


def _layer(x):
    return np.tanh(_weight @ x)


PROGRAMS: dict[str, tuple[Callable, tuple]] = {
    "scalar": (lambda x, y: np.sin(x * y) + np.exp(x) / y, (1.25, 0.75)),
    "vector": (lambda x: np.sum(x * x) * x, (np.array([1.0, -2.0]),)),
    "identity": (lambda x: x, (np.array([1.0, -2.0]),)),
    "constant": (lambda x: np.array([1.0, 2.0]), (1.0,)),
    "unused argument": (lambda x, y: x + 1, (1.0, np.ones(2))),
    "shared": (lambda x: np.sin(x) * np.sin(x) + np.sin(x), (0.5,)),
    "several outputs of a function": (lambda x: [x, {"y": x * 2, "z": (x + 1, 3.0)}], (0.5,)),
    "several outputs of an operation": (_several, (np.array([1.0, 2.0]),)),
    "branch": (_branch, (np.array([1.0, 2.0]),)),
    "other branch": (_branch, (np.array([-1.0, 2.0]),)),
    "newton": (_newton, (2.0,)),
    "selection": (
        lambda x: np.sort(x)[::-1] * np.maximum(x, 0) + x[np.argmax(x)],
        (np.array([3.0, 1.0, 2.0]),),
    ),
    "mask": (lambda x: x[x > 1.5] * 2, (np.array([3.0, 1.0, 2.0]),)),
    "matrices": (
        lambda a, b: np.linalg.solve(a @ a.T + np.eye(2), b),
        (
            np.array([[1.0, 2.0], [0.0, 1.0]]),
            np.array([1.0, -1.0]),
        ),
    ),
    "einsum": (lambda a: np.einsum("ij,jk->ik", a, a).reshape(-1), (np.eye(2) * 2,)),
    "variables": (_layer, (np.array([0.5, 0.25]),)),
    "float32": (lambda x: x * 2 + np.float32(1), (np.float32([1.0, 2.0]),)),
    "without a rule": (lambda x: np.spacing(x), (np.array([1.0, 2.0]),)),
    "gradient": (symtape.grad(lambda x: np.sum(np.sin(x) * x)), (np.array([1.0, 2.0]),)),
    "hessian": (symtape.hessian(lambda x: np.prod(x) ** 2), (np.array([1.0, 2.0]),)),
    "custom": (symtape.custom_gradient(lambda x: (x * x, lambda dy: dy * x)), (3.0,)),
}


@pytest.fixture(params=PROGRAMS)
def program(request):
    """A function and the arguments to record it on."""
    return PROGRAMS[request.param]
