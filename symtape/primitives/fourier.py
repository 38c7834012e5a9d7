"""Rows and meanings: discrete Fourier transforms.

All of them are three rows, along one axis. The matrix of the transform of complex numbers is
symmetric: its transpose, by which cotangents go back, is the transform itself. The transform of
real numbers leaves out the half of the result that is the conjugate of the other half. Its
transpose is the transform from such a half to real numbers, but for weights.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from symtape.primitives.arguments import refuse_out
from symtape.primitives.arithmetic import to_array
from symtape.primitives.axes import one_axis
from symtape.primitives.contraction import conjugate_complex
from symtape.primitives.primitive import Array, Primitive, declare, implements

OPPOSITE_NORMS: Final = {"backward": "forward", "forward": "backward", "ortho": "ortho"}
"""The norm of the other direction."""

FFT: Primitive = declare(
    name="fft",
    inputs="x",
    evaluate=lambda x, axis, inverse, norm: (np.fft.ifft if inverse else np.fft.fft)(
        x, axis=axis, norm=norm
    ),
    vjp=[
        lambda g, axis, inverse, norm: FFT(g, axis=axis, inverse=inverse, norm=norm),
    ],
    jvp="linear",
    # Each result is bounded by the sum of all sizes, which the error is a multiple of.
    rounding=lambda shapes, params: 4 * shapes[0][params["axis"]],
    structure="",
    complex="holomorphic",
    dependence="mixes",
    source="the matrix of the transform is symmetric; Higham 2002, theorem 24.2",
    example=[
        (([0.5, -1.25, 2.0],), {"axis": 0, "inverse": False, "norm": "backward"}),
        (([0.5, -1.25, 2.0, 0.75],), {"axis": 0, "inverse": True, "norm": "backward"}),
    ],
)

RFFT: Primitive = declare(
    name="rfft",
    inputs="x",
    evaluate=lambda x, axis, norm: np.fft.rfft(x, axis=axis, norm=norm),
    vjp=[
        lambda g, x_shape, axis, norm: IRFFT(
            np.conj(g) * (1 / weigh_halves(x_shape[axis], axis, g)),
            n=x_shape[axis],
            axis=axis,
            norm=OPPOSITE_NORMS[norm],
        ),
    ],
    jvp="linear",
    rounding=lambda shapes, params: 4 * shapes[0][params["axis"]],
    structure="",
    complex="holomorphic",
    dependence="mixes",
    source="the first rows of the matrix of FFT; Higham 2002, theorem 24.2",
    example=[
        (([0.5, -1.25, 2.0],), {"axis": 0, "norm": "backward"}),
        (([0.5, -1.25, 2.0, 0.75],), {"axis": 0, "norm": "ortho"}),
    ],
)
IRFFT: Primitive = declare(
    name="irfft",
    inputs="x",
    evaluate=lambda x, n, axis, norm: np.fft.irfft(x, n, axis=axis, norm=norm),
    vjp=[
        lambda g, x_dtype, n, axis, norm: _as_kind(
            x_dtype,
            np.conj(RFFT(g, axis=axis, norm=OPPOSITE_NORMS[norm])) * weigh_halves(n, axis, g),
        ),
    ],
    jvp="linear",
    # What is left out is as large as what is there.
    rounding=lambda shapes, params: 8 * params["n"],
    structure="",
    complex="holomorphic",
    by_parts=True,
    dependence="mixes",
    source="the transform of conjugates, which give the same real parts; Higham 2002, theorem 24.2",
    example=[
        (([0.5, -1.25],), {"n": 3, "axis": 0, "norm": "backward"}),
        (([0.5, -1.25, 2.0],), {"n": 4, "axis": 0, "norm": "ortho"}),
    ],
)


def _as_kind(dtype: np.dtype[Any], cotangent: Array) -> Array:
    return cotangent if dtype.kind == "c" else np.real(cotangent)


def weigh_halves(n: int, axis: int, like: Array) -> Array:
    """How often each number of a half occurs among all `n`, beside an array."""
    twice = np.full(n // 2 + 1, 2)
    twice[0] = 1
    if n % 2 == 0:
        twice[-1] = 1
    shape = (-1, *(1,) * (like.ndim - 1 - axis % like.ndim))
    return twice.reshape(shape).astype(np.zeros(0, like.dtype).real.dtype)


def fit_length(x: Array, n: int | None, axis: int) -> Array:
    """`x` cut, or filled up with zeros, to the length `n` along an axis."""
    length = x.shape[axis]
    if n is None or n == length:
        return x
    n = operator.index(n)
    if n < 1:
        raise ValueError(f"n={n}; expected the number of points of the transform, at least 1")
    if n < length:
        return x[(*(slice(None),) * axis, slice(0, n))]
    return np.pad(x, [(0, n - length if i == axis else 0) for i in range(x.ndim)])


def checked_norm(norm: Any) -> str:
    """The name of a norm; None is the usual one."""
    if norm is not None and norm not in OPPOSITE_NORMS:
        raise ValueError(f"norm={norm!r}; expected 'backward', 'ortho' or 'forward'")
    return norm or "backward"


def to_floating(a: Any) -> Array:
    """As an array of floats, real or complex."""
    x = to_array(a)
    return x if x.dtype.kind in "fc" else x.astype(float)


def transform_along(a: Any, n: int | None, axis: int, norm: Any, inverse: bool) -> Array:
    """The transform of complex numbers along an axis."""
    x = to_floating(a)
    axis = one_axis(axis, x.ndim)
    return FFT(fit_length(x, n, axis), axis=axis, inverse=inverse, norm=checked_norm(norm))


def _refuse_complex(name: str, x: Array) -> None:
    if np.iscomplexobj(x):
        raise TypeError(f"{name} transforms real numbers, and got {x.dtype}; take the complex one")


def transform_real(a: Any, n: int | None, axis: int, norm: Any, name: str = "rfft") -> Array:
    """The first half of the transform of real numbers."""
    x = to_floating(a)
    _refuse_complex(name, x)
    axis = one_axis(axis, x.ndim)
    return RFFT(fit_length(x, n, axis), axis=axis, norm=checked_norm(norm))


def transform_to_real(a: Any, n: int | None, axis: int, norm: Any) -> Array:
    """The real numbers whose transform begins with `a`."""
    x = to_floating(a)
    axis = one_axis(axis, x.ndim)
    n = 2 * (x.shape[axis] - 1) if n is None else operator.index(n)
    if n < 1:
        raise ValueError(f"{n} points; expected n=, the number of real numbers, at least 1")
    return IRFFT(fit_length(x, n // 2 + 1, axis), n=n, axis=axis, norm=checked_norm(norm))


def hermitian(a: Any, n: int | None, axis: int, norm: Any) -> Array:
    """The real transform of what begins with `a` and is conjugate behind the middle."""
    return transform_to_real(
        conjugate_complex(to_floating(a)), n, axis, OPPOSITE_NORMS[checked_norm(norm)]
    )


def transform_to_hermitian(a: Any, n: int | None, axis: int, norm: Any) -> Array:
    """The first half of what :func:`hermitian` transforms to the real numbers `a`."""
    return np.conj(transform_real(a, n, axis, OPPOSITE_NORMS[checked_norm(norm)], "ihfft"))


def axes_of(x: Array, s: Any, axes: Any) -> tuple[tuple[int | None, ...], tuple[int, ...]]:
    """How many points along which axes; None for as many as there are."""
    if axes is None:
        axes = range(x.ndim) if s is None else range(-len(s), 0)
    axes = (axes,) if isinstance(axes, int) else tuple(axes)
    places = tuple(one_axis(axis, x.ndim) for axis in axes)
    lengths = (None,) * len(places) if s is None else (s,) if isinstance(s, int) else tuple(s)
    if len(lengths) != len(places):
        raise ValueError(f"s={s} and axes={axes} must name equally many axes")
    return tuple(None if n is None or n == -1 else n for n in lengths), places


def transform_axes(a: Any, s: Any, axes: Any, norm: Any, inverse: bool) -> Array:
    """The transform along several axes."""
    x = to_floating(a)
    lengths, places = axes_of(x, s, axes)
    # In NumPy's order, which is from the last.
    for n, axis in reversed(list(zip(lengths, places, strict=True))):
        x = transform_along(x, n, axis, norm, inverse)
    return x


def transform_real_axes(a: Any, s: Any, axes: Any, norm: Any, name: str = "rfftn") -> Array:
    """The transform of real numbers along several axes, halved along the last."""
    x = to_floating(a)
    _refuse_complex(name, x)
    lengths, places = axes_of(x, s, axes)
    _check_some_axes(places)
    x = transform_real(x, lengths[-1], places[-1], norm, name)
    for n, axis in zip(lengths[-2::-1], places[-2::-1], strict=True):
        x = transform_along(x, n, axis, norm, inverse=False)
    return x


def transform_axes_to_real(a: Any, s: Any, axes: Any, norm: Any) -> Array:
    """The real numbers whose transform along several axes begins with `a`."""
    x = to_floating(a)
    lengths, places = axes_of(x, s, axes)
    _check_some_axes(places)
    for n, axis in zip(lengths[:-1], places[:-1], strict=True):
        x = transform_along(x, n, axis, norm, inverse=True)
    return transform_to_real(x, lengths[-1], places[-1], norm)


def hermitian_over_axes(a: Any, s: Any, axes: Any, norm: Any) -> Array:
    """As :func:`hermitian`, along several axes."""
    return transform_axes_to_real(
        conjugate_complex(to_floating(a)), s, axes, OPPOSITE_NORMS[checked_norm(norm)]
    )


def transform_axes_to_hermitian(a: Any, s: Any, axes: Any, norm: Any) -> Array:
    """As :func:`transform_to_hermitian`, along several axes."""
    return np.conj(transform_real_axes(a, s, axes, OPPOSITE_NORMS[checked_norm(norm)], "ihfftn"))


def _check_some_axes(places: Sequence[int]) -> None:
    if not places:
        raise ValueError("a real transform is along at least one axis; axes=() names none")


ALONG_AXIS: Final[dict[str, Callable[..., Array]]] = {
    "fft": functools.partial(transform_along, inverse=False),
    "ifft": functools.partial(transform_along, inverse=True),
    "rfft": transform_real,
    "irfft": transform_to_real,
    "hfft": hermitian,
    "ihfft": transform_to_hermitian,
}
"""By name, of an array, a number of points, an axis and a norm."""

ALONG_AXES: Final[dict[str, Callable[..., Array]]] = {
    "fft": functools.partial(transform_axes, inverse=False),
    "ifft": functools.partial(transform_axes, inverse=True),
    "rfft": transform_real_axes,
    "irfft": transform_axes_to_real,
    "hfft": hermitian_over_axes,
    "ihfft": transform_axes_to_hermitian,
}
"""As :data:`ALONG_AXIS`, along several axes."""


def _one(name: str) -> None:
    def meaning(
        a: Any, n: int | None = None, axis: int = -1, norm: Any = None, out: Any = None
    ) -> Array:
        refuse_out(f"fft.{name}", out)
        return ALONG_AXIS[name](a, n, axis, norm)

    implements(getattr(np.fft, name))(meaning)


def _many(kind: str, name: str, usual: Any) -> None:
    def meaning(
        a: Any, s: Any = None, axes: Any = usual, norm: Any = None, out: Any = None
    ) -> Array:
        refuse_out(f"fft.{name}", out)
        return ALONG_AXES[kind](a, s, axes, norm)

    implements(getattr(np.fft, name))(meaning)


for _name in ALONG_AXIS:
    _one(_name)
for _name in ("fft", "ifft", "rfft", "irfft"):
    _many(_name, f"{_name}2", (-2, -1))
    _many(_name, f"{_name}n", None)


def _roll_by_halves(x: Any, axes: Any, inverse: bool) -> Array:
    x = to_array(x)
    places = tuple(range(x.ndim)) if axes is None else normalize_axis_tuple(axes, x.ndim)
    halves = [x.shape[axis] // 2 for axis in places]
    return np.roll(x, [-half if inverse else half for half in halves], places)


@implements(np.fft.fftshift)
def fftshift(x: Any, axes: Any = None) -> Array:
    """As ``numpy.fft.fftshift``."""
    return _roll_by_halves(x, axes, inverse=False)


@implements(np.fft.ifftshift)
def ifftshift(x: Any, axes: Any = None) -> Array:
    """As ``numpy.fft.ifftshift``."""
    return _roll_by_halves(x, axes, inverse=True)
