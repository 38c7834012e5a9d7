"""Rules: Fourier transforms of real numbers compute the half of them that is not redundant."""

from __future__ import annotations

import functools
import importlib
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Node
from symtape.primitives.arithmetic import MULTIPLY
from symtape.primitives.elementwise import REAL
from symtape.primitives.fourier import FFT, OPPOSITE_NORMS
from symtape.primitives.indexing import GETITEM, SCATTER
from symtape.primitives.primitive import opaque
from symtape.primitives.shape import CAST
from symtape.programs.compiled.rewriting import Builder, applies_to


def _transform_reals(x: Any, axis: int, inverse: bool, norm: Any) -> Any:
    """The first half of the transform of real numbers."""
    if inverse:
        return np.conj(_fft().rfft(x, axis=axis, norm=OPPOSITE_NORMS[norm]))
    return _fft().rfft(x, axis=axis, norm=norm)


def _transform_to_reals(half: Any, n: int, axis: int, inverse: bool, norm: Any) -> Any:
    """The transform of numbers whose second half are the conjugates of the first."""
    if inverse:
        return _fft().irfft(half, n, axis=axis, norm=norm)
    return _fft().irfft(np.conj(half), n, axis=axis, norm=OPPOSITE_NORMS[norm])


@functools.cache
def _fft() -> Any:
    """SciPy's transforms, which take less time than NumPy's to be called."""
    return importlib.import_module("scipy.fft")


def _weights(half: int, n: int, axis: int, ndim: int) -> Any:
    """Of a half whose conjugates are transformed as well, though the second half is 0."""
    found = np.full(half, 0.5)
    found[0] = 1.0
    if n % 2 == 0:
        found[-1] = 1.0
    return found.reshape([-1 if k == axis else 1 for k in range(ndim)])


REALS_TO_HALF: Final = opaque("transform_reals", _transform_reals, 1)
HALF_TO_REALS: Final = opaque("transform_to_reals", _transform_to_reals, 1)


@applies_to(GETITEM, of=(FFT,))
def transform_half(build: Builder, node: Node) -> int | None:
    """The first half of a transform of real numbers, for all of it and then that half."""
    whole = build.nodes[node.inputs[0]]
    if whole.primitive is not FFT or not _is_half(node.params["index"], whole):
        return None
    (at,) = whole.inputs
    source = build.nodes[at]
    if source.primitive is CAST:
        (at,) = source.inputs
    if build.nodes[at].dtype != np.float64:
        return None
    return build.apply(REALS_TO_HALF, (at,), whole.params, node)


@applies_to(REAL, of=(FFT,))
def transform_half_back(build: Builder, node: Node) -> int | None:
    """The real part of a transform of a half spectrum, without the zeros behind it."""
    whole = build.nodes[node.inputs[0]]
    if whole.primitive is not FFT or node.dtype != np.float64:
        return None
    filled = build.nodes[whole.inputs[0]]
    if filled.primitive is not SCATTER or not _is_half(filled.params["index"], whole):
        return None
    axis = whole.params["axis"] % len(whole.shape)
    params = {**whole.params, "n": whole.shape[axis]}
    half = build.nodes[filled.inputs[0]]
    weights = _weights(half.shape[axis], whole.shape[axis], axis, len(whole.shape))
    given = filled.inputs[0], build.add_constant(weights)
    return build.apply(HALF_TO_REALS, (build.apply(MULTIPLY, given, {}, half),), params, node)


@applies_to(MULTIPLY, of=(MULTIPLY,))
def join_factors(build: Builder, node: Node) -> int | None:
    """One product of complex numbers for two, where both are by constants."""
    if node.dtype != np.complex128:
        return None
    for at, by in (node.inputs, node.inputs[::-1]):
        inner, factor = build.nodes[at], build.nodes[by].constant
        if factor is None or inner.primitive is not MULTIPLY:
            continue
        for x, other in (inner.inputs, inner.inputs[::-1]):
            joined = _join_constants(build.nodes[other].constant, factor)
            if joined is not None:
                return build.apply(MULTIPLY, (x, build.add_constant(joined)), {}, node)
    return None


def _join_constants(a: Any, b: Any) -> Any:
    """The product of two constants; None where it lies at an end of the range of floats."""
    if a is None or {np.asarray(x).dtype.kind for x in (a, b)} - {"f"}:
        return None
    with np.errstate(all="ignore"):
        found = np.multiply(a, b)
    sizes = np.abs(found)[(np.asarray(a) != 0) & (np.asarray(b) != 0)]
    is_moderate = np.all(np.isfinite(found)) and np.all(sizes > np.finfo(np.float64).tiny)
    return found if is_moderate else None


def _is_half(index: Any, whole: Node) -> bool:
    """Whether an index takes all that a transform of real numbers does not repeat."""
    items = index if isinstance(index, tuple) else (index,)
    axis = whole.params["axis"] % len(whole.shape)
    if not all(isinstance(item, slice) for item in items) or axis >= len(items):
        return False
    wanted = [range(n // 2 + 1 if k == axis else n) for k, n in enumerate(whole.shape)]
    return all(
        range(n)[item] == kept for n, item, kept in zip(whole.shape, items, wanted, strict=False)
    )


HALVES: Final = (transform_half, transform_half_back, join_factors)
"""The rules, whose results are within rounding the same."""
