"""An exact oracle for first and second derivatives: hyper-dual numbers.

The function under test runs on object arrays of ``a + b e1 + c e2 + d e1 e2`` with
``e1**2 = e2**2 = 0``; d is a second derivative without any error of a step (Fike and Alonso
2011). The arithmetic below is all that it takes, and shares nothing with symtape.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symtape


class HyperDual:
    """``a + b e1 + c e2 + d e1 e2``."""

    __slots__ = ("parts",)

    def __init__(self, *parts: float) -> None:
        self.parts = parts

    def _with(self, other: Any) -> tuple[float, ...]:
        other = other.item() if isinstance(other, np.ndarray) else other
        return other.parts if isinstance(other, HyperDual) else (float(other), 0.0, 0.0, 0.0)

    def __add__(self, other: Any) -> HyperDual:
        return HyperDual(*(x + y for x, y in zip(self.parts, self._with(other), strict=True)))

    __radd__ = __add__

    def __neg__(self) -> HyperDual:
        return HyperDual(*(-x for x in self.parts))

    def __sub__(self, other: Any) -> HyperDual:
        return self + -HyperDual(*self._with(other))

    def __rsub__(self, other: Any) -> HyperDual:
        return -self + other

    def __mul__(self, other: Any) -> HyperDual:
        (a, b, c, d), (p, q, r, s) = self.parts, self._with(other)
        return HyperDual(a * p, a * q + b * p, a * r + c * p, a * s + b * r + c * q + d * p)

    __rmul__ = __mul__

    def _apply(self, value: float, first: float, second: float) -> HyperDual:
        _, b, c, d = self.parts
        return HyperDual(value, first * b, first * c, first * d + second * b * c)

    def __truediv__(self, other: Any) -> HyperDual:
        p = self._with(other)[0]
        return self * HyperDual(*self._with(other))._apply(1 / p, -1 / p**2, 2 / p**3)

    def __rtruediv__(self, other: Any) -> HyperDual:
        return HyperDual(*self._with(other)) / self

    def sqrt(self) -> HyperDual:
        root = math.sqrt(self.parts[0])
        return self._apply(root, 0.5 / root, -0.25 / root**3)

    def exp(self) -> HyperDual:
        return self._apply(*(math.exp(self.parts[0]),) * 3)

    def log(self) -> HyperDual:
        a = self.parts[0]
        return self._apply(math.log(a), 1 / a, -1 / a**2)

    def conjugate(self) -> HyperDual:
        return self


def _lifted(arrays: list[Any], first: int, second: int) -> list[Any]:
    lifted, offset = [], 0
    for array in arrays:
        entries = [
            HyperDual(float(x), float(k == first), float(k == second), 0.0)
            for k, x in enumerate(array.ravel(), start=offset)
        ]
        offset += array.size
        objects = np.empty(array.size, dtype=object)
        objects[:] = entries
        lifted.append(objects.reshape(array.shape))
    return lifted


def _parts(result: Any, which: int) -> Any:
    entries = np.asarray(result, dtype=object)
    found = [x.parts[which] if isinstance(x, HyperDual) else 0.0 for x in entries.ravel()]
    return np.array(found).reshape(entries.shape)


def _tape_jacobians(function: Callable[..., Any], arrays: list[Any], batched: bool) -> list[Any]:
    sources = [symtape.constant(array) for array in arrays]
    with symtape.GradientTape() as tape:
        tape.watch(sources)
        y = function(*sources)
    found = tape.jacobian(y, sources, unconnected_gradients="zero", experimental_use_pfor=batched)
    return [np.asarray(part.numpy()) for part in found]


def _tape_hessian(function: Callable[..., Any], arrays: list[Any], weights: Any) -> Any:
    sources = [symtape.constant(array) for array in arrays]
    with symtape.GradientTape(persistent=True) as outer:
        outer.watch(sources)
        with symtape.GradientTape() as inner:
            inner.watch(sources)
            y = function(*sources)
        gradients = inner.gradient(
            y, sources, output_gradients=weights, unconnected_gradients="zero"
        )
    rows = []
    for gradient, array in zip(gradients, arrays, strict=True):
        blocks = outer.jacobian(gradient, sources, unconnected_gradients="zero")
        rows.append(
            [
                block.numpy().reshape(array.size, x.size)
                for block, x in zip(blocks, arrays, strict=True)
            ]
        )
    return np.block(rows)


def _check(
    function: Callable[..., Any],
    *inputs: Any,
    reference: Callable[..., Any] | None = None,
    rtol: float = 1e-12,
    second: bool = True,
) -> None:
    arrays = [np.array(x, dtype=np.float64) for x in inputs]
    reference = reference or function
    value = function(*arrays)
    shape = np.shape(value)
    tensor = function(*[symtape.constant(array) for array in arrays])
    np.testing.assert_allclose(tensor.numpy(), value, rtol=1e-13, atol=1e-14)
    size = sum(array.size for array in arrays)
    runs = [reference(*_lifted(arrays, k, k)) for k in range(size)]
    np.testing.assert_allclose(_parts(runs[0], 0), value, rtol=rtol, atol=rtol)
    exact = np.stack([_parts(run, 1) for run in runs], axis=-1)
    scale = rtol * max(1.0, np.abs(exact).max(initial=0))
    for batched in (True, False):
        found = _tape_jacobians(function, arrays, batched)
        for part, array in zip(found, arrays, strict=True):
            assert part.shape == shape + array.shape
        flat = [part.reshape((*shape, x.size)) for part, x in zip(found, arrays, strict=True)]
        joined = np.concatenate(flat, axis=-1)
        np.testing.assert_allclose(joined, exact, rtol=rtol, atol=scale)
    if second:
        weights = np.cos(np.arange(np.size(value), dtype=np.float64) + 1).reshape(shape)
        hessian = np.empty((size, size))
        for i in range(size):
            for j in range(i + 1):
                run = runs[i] if i == j else reference(*_lifted(arrays, i, j))
                hessian[i, j] = hessian[j, i] = np.sum(weights * _parts(run, 3))
        scale = rtol * max(1.0, np.abs(hessian).max(initial=0))
        np.testing.assert_allclose(
            _tape_hessian(function, arrays, weights), hessian, rtol=rtol, atol=scale
        )


@pytest.fixture(scope="session")
def check_derivatives() -> Callable[..., None]:
    """Value, Jacobian (batched and looped) and Hessian of the tape against hyper-duals.

    ``check(function, *inputs, reference=None, rtol=1e-12, second=True)``; `reference` is the
    function in plain arithmetic, where NumPy's own does not take object arrays.
    """
    return _check
