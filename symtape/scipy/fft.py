"""``scipy.fft``'s transforms on tensors, under SciPy's names.

``workers`` and ``overwrite_x`` have no effect: nothing is overwritten.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives import fourier
from symtape.primitives.axes import one_axis
from symtape.primitives.primitive import Array, Primitive
from symtape.primitives.trigonometric_transforms import DCT, DST, scaled_ends
from symtape.scipy.given import as_in

__all__ = [
    "dct",
    "dctn",
    "dst",
    "dstn",
    "fft",
    "fft2",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "idct",
    "idctn",
    "idst",
    "idstn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftn",
]

_INVERSE_TYPES: Final = {1: 1, 2: 3, 3: 2, 4: 4}

fftshift = fourier.fftshift
ifftshift = fourier.ifftshift


def _check_plan(name: str, plan: Any) -> None:
    if plan is not None:
        raise Unsupported(
            f"scipy.fft.{name}(plan={plan!r}); SciPy knows no plans yet, leave it out"
        )


def _make_axis_transform(name: str, what: str) -> Callable[..., Array]:
    @as_in("scipy.fft")
    def transform(
        x: Any, n: int | None = None, axis: int = -1, norm: str | None = None, plan: Any = None
    ) -> Array:
        _check_plan(name, plan)
        return fourier.ALONG_AXIS[name](x, n, axis, norm)

    return _name_function(transform, name, f"{what}, along one axis")


def _make_axes_transform(name: str, what: str, usual: Any) -> Callable[..., Array]:
    @as_in("scipy.fft")
    def transform(
        x: Any, s: Any = None, axes: Any = usual, norm: str | None = None, plan: Any = None
    ) -> Array:
        _check_plan(name, plan)
        return fourier.ALONG_AXES[name.rstrip("2n")](x, s, axes, norm)

    axes = "all axes, or those that are named" if usual is None else "two axes"
    return _name_function(transform, name, f"{what}, along {axes}")


def _name_function(function: Callable[..., Array], name: str, what: str) -> Callable[..., Array]:
    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = f"As ``scipy.fft.{name}``: {what}."
    return function


def _transforms(name: str, what: str) -> tuple[Callable[..., Array], ...]:
    """A transform along one axis, two axes, and as many as are named."""
    return (
        _make_axis_transform(name, what),
        _make_axes_transform(f"{name}2", what, (-2, -1)),
        _make_axes_transform(f"{name}n", what, None),
    )


fft, fft2, fftn = _transforms("fft", "the discrete Fourier transform")
ifft, ifft2, ifftn = _transforms("ifft", "the inverse of the discrete Fourier transform")
rfft, rfft2, rfftn = _transforms("rfft", "the first half of the transform of real numbers")
irfft, irfft2, irfftn = _transforms("irfft", "the real numbers whose transform begins so")
hfft, hfft2, hfftn = _transforms(
    "hfft", "the real transform of numbers that are conjugate behind the middle"
)
ihfft, ihfft2, ihfftn = _transforms(
    "ihfft", "the first half of the numbers whose transform is real and is this"
)


def _points(row: Primitive, kind: int, length: int) -> int:
    """Of what period the transform of so many numbers is."""
    if kind != 1:
        return 2 * length
    return 2 * (length - 1) if row is DCT else 2 * (length + 1)


def _ends(row: Primitive, kind: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """By what the ends are multiplied, before and behind, so that the matrix is orthogonal."""
    root = math.sqrt(2)
    if kind == 1 and row is DCT:
        return (root, root), (1 / root, 1 / root)
    if kind == 2:
        return (1, 1), ((1 / root, 1) if row is DCT else (1, 1 / root))
    if kind == 3:
        return ((root, 1) if row is DCT else (1, root)), (1, 1)
    return (1, 1), (1, 1)


def _checked_type(kind: Any) -> int:
    if kind not in _INVERSE_TYPES:
        raise ValueError(f"type={kind!r}; expected 1, 2, 3 or 4")
    return int(kind)


def _transform_axis(
    row: Primitive, x: Array, kind: int, n: int | None, axis: int, norm: str, orthogonalize: bool
) -> Array:
    x = fourier.fit_length(x, n, axis)
    length = x.shape[axis]
    if kind == 1 and row is DCT and length < 2:
        raise ValueError(f"a DCT of type 1 is of at least 2 points; got {length}")
    before, behind = _ends(row, kind) if orthogonalize else ((1, 1), (1, 1))
    y = row(scaled_ends(x, axis, *before), type=kind, axis=axis)
    y = scaled_ends(y, axis, *behind)
    points = _points(row, kind, length)
    return y if norm == "backward" else y / (points if norm == "forward" else math.sqrt(points))


def _trigonometric(
    row: Primitive,
    inverse: bool,
    x: Any,
    kind: Any,
    lengths: Sequence[int | None],
    axes: Sequence[int],
    norm: Any,
    orthogonalize: bool | None,
) -> Array:
    norm, kind = fourier.checked_norm(norm), _checked_type(kind)
    # SciPy does not hand it on with complex numbers.
    if orthogonalize is None or np.iscomplexobj(x):
        orthogonalize = norm == "ortho"
    if inverse:
        norm, kind = fourier.OPPOSITE_NORMS[norm], _INVERSE_TYPES[kind]
    for n, axis in zip(lengths, axes, strict=True):
        x = _transform_axis(row, x, kind, n, axis, norm, orthogonalize)
    return x


def _family(row: Primitive, inverse: bool, what: str) -> tuple[Callable[..., Array], ...]:
    name = f"{'i' if inverse else ''}{row.name}"

    @as_in("scipy.fft")
    def transform_one_axis(
        x: Any,
        type: int = 2,  # noqa: A002 -- SciPy's name
        n: int | None = None,
        axis: int = -1,
        norm: str | None = None,
        orthogonalize: bool | None = None,
    ) -> Array:
        x = fourier.to_floating(x)
        place = one_axis(axis, x.ndim)
        return _trigonometric(row, inverse, x, type, [n], [place], norm, orthogonalize)

    @as_in("scipy.fft")
    def transform_axes(
        x: Any,
        type: int = 2,  # noqa: A002
        s: Any = None,
        axes: Any = None,
        norm: str | None = None,
        orthogonalize: bool | None = None,
    ) -> Array:
        x = fourier.to_floating(x)
        lengths, places = fourier.axes_of(x, s, axes)
        return _trigonometric(row, inverse, x, type, lengths, places, norm, orthogonalize)

    whole = "all axes, or those that are named"
    return (
        _name_function(transform_one_axis, name, f"{what}, of types 1 to 4, along one axis"),
        _name_function(transform_axes, f"{name}n", f"{what}, of types 1 to 4, along {whole}"),
    )


dct, dctn = _family(DCT, False, "the discrete cosine transform")
idct, idctn = _family(DCT, True, "the inverse of the discrete cosine transform")
dst, dstn = _family(DST, False, "the discrete sine transform")
idst, idstn = _family(DST, True, "the inverse of the discrete sine transform")
