"""Convolutions and correlations as ``scipy.signal`` has them, as the sums that they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from symtape.primitives.primitive import Array
from symtape.scipy.given import floats
from symtape.scipy.windows import EXTENSIONS, OUTSIDE_PLACE, convolve_last_axes, places

_MODES: Final = ("full", "same", "valid")


def _pair(in1: Any, in2: Any, mode: str) -> tuple[Array, Array]:
    a, b = floats(in1), floats(in2)
    if a.ndim != b.ndim:
        raise ValueError(f"in1 and in2 have {a.ndim} and {b.ndim} axes; expected as many of each")
    if mode not in _MODES:
        raise ValueError(f"mode={mode!r}; expected 'full', 'same' or 'valid'")
    return a, b


def _part(whole: Array, a: Sequence[int], b: Sequence[int], mode: str, even: int = 0) -> Array:
    """Of a whole convolution over the last axes, of those lengths, the part that is asked for.

    Of windows of even length the middle is the place before it, or behind it if `even` is 1.
    """
    if mode == "full":
        return whole
    if mode == "same":
        starts = [(m - 1 + even) // 2 for m in b]
        cuts = [slice(start, start + n) for start, n in zip(starts, a, strict=True)]
    else:
        if any(n < m for n, m in zip(a, b, strict=True)):
            a, b = b, a
        if any(n < m for n, m in zip(a, b, strict=True)):
            raise ValueError(
                f"mode='valid' of shapes {tuple(a)} and {tuple(b)}; expected one of them to be at "
                "least as large as the other in every axis"
            )
        cuts = [slice(m - 1, n) for n, m in zip(a, b, strict=True)]
    return whole[(..., *cuts)]


def convolve(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    """The convolution of two arrays of as many axes, as ``scipy.signal.convolve``.

    Parameters
    ----------
    in1, in2 : array_like
    mode : {"full", "same", "valid"}
        All of it, its middle in the shape of `in1`, or where the two overlap wholly.
    method : {"auto", "direct", "fft"}
        For SciPy's signature: sums are taken as they stand, whatever it is.

    Returns
    -------
    Tensor or array

    Examples
    --------
    >>> import numpy as np, symtape
    >>> from symtape.scipy import signal
    >>> symtape.grad(lambda x: np.sum(signal.convolve(x, [1.0, 2.0]) ** 2))(np.ones(3))
    array([14., 18., 14.])
    """
    if method not in ("auto", "direct", "fft"):
        raise ValueError(f"method={method!r}; expected 'auto', 'direct' or 'fft'")
    a, b = _pair(in1, in2, mode)
    if not a.ndim:
        return a * b
    return _part(convolve_last_axes(a, b, a.ndim), a.shape, b.shape, mode)


def fftconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    """As :func:`convolve`, over some axes; the others broadcast, as in ``scipy.signal``."""
    a, b = _pair(in1, in2, mode)
    if not a.ndim:
        return a * b
    axes = range(a.ndim) if axes is None else np.atleast_1d(axes)
    chosen = [int(axis) % a.ndim for axis in axes]
    last = list(range(-len(chosen), 0))
    a, b = np.moveaxis(a, chosen, last), np.moveaxis(b, chosen, last)
    lengths, sizes = a.shape[-len(chosen) :], b.shape[-len(chosen) :]
    found = _part(convolve_last_axes(a, b, len(chosen)), lengths, sizes, mode)
    return np.moveaxis(found, last, chosen)


def oaconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    """As :func:`fftconvolve`."""
    return fftconvolve(in1, in2, mode, axes)


def correlate(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    """The cross-correlation of two arrays, as ``scipy.signal.correlate``.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> from symtape.scipy import signal
    >>> f = lambda x: signal.correlate(x, [1.0, 2.0], mode="valid")[0]
    >>> symtape.grad(f)(np.ones(3))
    array([1., 2., 0.])
    """
    a, b = _pair(in1, in2, mode)
    return convolve(a, np.flip(b), mode, method)


def _extend_boundary(in1: Array, sizes: Sequence[int], boundary: str, fillvalue: Any) -> Array:
    """`in1` with what lies around it, as far as a kernel of those sizes reaches."""
    names = {"fill": "constant", "wrap": "wrap", "symm": "reflect"}
    if boundary not in names:
        raise ValueError(f"boundary={boundary!r}; expected 'fill', 'wrap' or 'symm'")
    for axis, (length, size) in enumerate(zip(in1.shape, sizes, strict=True)):
        at = np.arange(1 - size, length + size - 1)
        found = places(at, length, EXTENSIONS[names[boundary]])
        inside = np.reshape(found != OUTSIDE_PLACE, (-1,) + (1,) * (1 - axis))
        in1 = np.take(in1, np.where(found == OUTSIDE_PLACE, 0, found), axis)
        in1 = in1 if np.all(inside) else np.where(inside, in1, fillvalue)
    return in1


def convolve2d(
    in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0
) -> Any:
    """The convolution of two matrices, as ``scipy.signal.convolve2d``."""
    return _convolve_matrices(*_matrices(in1, in2, mode), mode, boundary, fillvalue)


def correlate2d(
    in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0
) -> Any:
    """The cross-correlation of two matrices, as ``scipy.signal.correlate2d``."""
    a, b = _matrices(in1, in2, mode)
    if mode == "valid" and any(n < m for n, m in zip(a.shape, b.shape, strict=True)):
        return np.flip(_convolve_matrices(b, np.flip(a), mode, boundary, fillvalue))
    return _convolve_matrices(a, np.flip(b), mode, boundary, fillvalue, 1)


def _matrices(in1: Any, in2: Any, mode: str) -> tuple[Array, Array]:
    a, b = _pair(in1, in2, mode)
    if a.ndim != 2:
        raise ValueError(f"in1 has {a.ndim} axes; expected a matrix")
    return a, b


def _convolve_matrices(
    a: Array, b: Array, mode: str, boundary: str, fillvalue: Any, even: int = 0
) -> Array:
    if mode == "valid" and any(n < m for n, m in zip(a.shape, b.shape, strict=True)):
        a, b = b, a
    around = _extend_boundary(a, b.shape, boundary, fillvalue)
    whole = convolve_last_axes(around, b, 2)
    inner = tuple(slice(m - 1, m - 1 + n + m - 1) for n, m in zip(a.shape, b.shape, strict=True))
    return _part(whole[inner], a.shape, b.shape, mode, even)
