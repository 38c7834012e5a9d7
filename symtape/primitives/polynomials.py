"""Rows and meanings: convolution, and polynomials by their coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symtape.primitives.arithmetic import to_array
from symtape.primitives.contraction import conjugate_complex
from symtape.primitives.primitive import Array, Primitive, declare, implements


def _rounding(shapes: Sequence[tuple[int, ...]], params: Any) -> int:
    return min(shapes[0][0], shapes[1][0])


def _convolve_batch(flags: Sequence[bool], args: Sequence[Array], params: Any) -> Array:
    """As products of one argument with windows of the other, of which there are fewer numbers."""
    lengths = [np.shape(x)[-1] for x in args]
    stacks = [np.shape(x)[0] if flag else 1 for x, flag in zip(args, flags, strict=True)]
    k = min((0, 1), key=lambda k: stacks[k] * lengths[1 - k])
    count, width = sum(lengths) - 1, lengths[1 - k]
    padding = ((0, 0),) * flags[k] + ((width - 1, width - 1),)
    places = np.add.outer(np.arange(count), np.arange(width))
    windows = np.take(np.pad(args[k], padding), places, axis=-1)
    weights = np.flip(args[1 - k], -1)
    if not flags[k]:
        return np.matmul(weights, windows.T)
    return np.matmul(windows, np.expand_dims(weights, -1)).reshape((-1, count))


def _correlate_batch(flags: Sequence[bool], args: Sequence[Array], params: Any) -> Array:
    (a, v), (left, right) = args, flags
    n, m = np.shape(a)[-1], np.shape(v)[-1]
    windows = np.take(a, np.add.outer(np.arange(n - m + 1), np.arange(m)), axis=-1)
    if not right:
        return np.matmul(windows, v)
    if not left:
        return np.matmul(v, windows.T)
    return np.matmul(windows, np.expand_dims(v, -1)).reshape((-1, n - m + 1))


CONVOLVE: Primitive = declare(
    inputs="a v",
    evaluate=np.convolve,
    vjp=[
        lambda g, v: CORRELATE(g, v),
        lambda g, a: CORRELATE(g, a),
    ],
    elements=np.convolve,
    batch=_convolve_batch,
    rounding=_rounding,
    structure="multilinear",
    complex="holomorphic",
    dependence="products",
    source="convolution is linear in each argument; its transpose is correlation",
    example=([0.5, -1.25, 2.0], [1.5, 0.25]),
)

# Only windows that lie wholly in `a`, which is at least as long as `v`.
# NumPy conjugates `v`, and the transpose of convolution does not.
CORRELATE: Primitive = declare(
    name="correlate",
    inputs="a v",
    evaluate=lambda a, v: np.correlate(a, np.conj(v)),
    vjp=[
        lambda g, v: CONVOLVE(g, v),
        lambda g, a: CORRELATE(a, g),
    ],
    elements=np.correlate,
    batch=_correlate_batch,
    rounding=_rounding,
    structure="multilinear",
    complex="holomorphic",
    dependence="products",
    source="correlation is linear in each argument; its transpose is convolution",
    example=([0.5, -1.25, 2.0], [1.5, 0.25]),
)


@implements(np.convolve)
def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """As ``numpy.convolve``."""
    a, v = np.atleast_1d(to_array(a)), np.atleast_1d(to_array(v))
    if a.ndim != 1 or v.ndim != 1 or not a.size or not v.size:
        raise ValueError(
            f"convolve takes two vectors that are not empty; got shapes {a.shape} and {v.shape}"
        )
    longer, shorter = max(a.size, v.size), min(a.size, v.size)
    starts = {
        "full": (0, longer + shorter - 1),
        "same": (shorter - 1 - shorter // 2, longer),
    }
    if mode not in (*starts, "valid"):
        raise ValueError(f"mode={mode!r}; expected 'full', 'same' or 'valid'")
    if mode == "valid":
        return CORRELATE(a, np.flip(v)) if a.size >= v.size else CORRELATE(v, np.flip(a))
    start, length = starts[mode]
    whole = CONVOLVE(a, v)
    return whole if mode == "full" else whole[start : start + length]


@implements(np.correlate)
def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """As ``numpy.correlate``."""
    a, v = np.atleast_1d(to_array(a)), conjugate_complex(np.atleast_1d(to_array(v)))
    if mode == "same" and v.size > a.size:
        return np.flip(convolve(v, np.flip(a), mode))
    return convolve(a, np.flip(v), mode)


@implements(np.polyval)
def polyval(p: Any, x: Any) -> Any:
    """As ``numpy.polyval``: Horner's scheme, highest power first."""
    p, x = to_array(p), to_array(x)
    value: Any = np.zeros_like(x)
    for k in range(len(p)):
        value = value * x + p[k]
    return value


@implements(np.vander)
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """As ``numpy.vander``."""
    x = to_array(x)
    # NumPy makes room for whole powers, which single precision cannot hold.
    x = x.astype(np.promote_types(x.dtype, int))
    count = x.shape[0] if N is None else N
    powers: list[Any] = [np.ones_like(x)]
    for _ in range(1, count):
        powers.append(powers[-1] * x)
    chosen = powers[:count] if increasing else powers[:count][::-1]
    return np.stack(chosen, axis=-1)
