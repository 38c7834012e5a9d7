"""``scipy.signal``'s convolutions and filters that are compiled, with SciPy's names.

All else of ``scipy.signal`` that is written in Python is recorded as it is, wherever a function
is differentiated: ``savgol_filter``, ``filtfilt``, ``resample_poly``, windows and waveforms.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.arguments import is_stand_in
from symtape.primitives.primitive import Array
from symtape.primitives.recursive_filter import RECURSIVE_FILTER
from symtape.scipy.arguments import floats
from symtape.scipy.windows import EXTENSIONS, OUTSIDE, convolved, of_box, places

__all__ = [
    "convolve",
    "convolve2d",
    "correlate",
    "correlate2d",
    "detrend",
    "fftconvolve",
    "lfilter",
    "lfilter_zi",
    "lfiltic",
    "medfilt",
    "medfilt2d",
    "oaconvolve",
    "order_filter",
    "sosfilt",
    "upfirdn",
]

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
    return _part(convolved(a, b, a.ndim), a.shape, b.shape, mode)


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
    found = _part(convolved(a, b, len(chosen)), lengths, sizes, mode)
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


def _extended(in1: Array, sizes: Sequence[int], boundary: str, fillvalue: Any) -> Array:
    """`in1` with what lies around it, as far as a kernel of those sizes reaches."""
    names = {"fill": "constant", "wrap": "wrap", "symm": "reflect"}
    if boundary not in names:
        raise ValueError(f"boundary={boundary!r}; expected 'fill', 'wrap' or 'symm'")
    for axis, (length, size) in enumerate(zip(in1.shape, sizes, strict=True)):
        at = np.arange(1 - size, length + size - 1)
        found = places(at, length, EXTENSIONS[names[boundary]])
        inside = np.reshape(found != OUTSIDE, (-1,) + (1,) * (1 - axis))
        in1 = np.take(in1, np.where(found == OUTSIDE, 0, found), axis)
        in1 = in1 if np.all(inside) else np.where(inside, in1, fillvalue)
    return in1


def convolve2d(
    in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0
) -> Any:
    """The convolution of two matrices, as ``scipy.signal.convolve2d``."""
    return _over_matrices(*_matrices(in1, in2, mode), mode, boundary, fillvalue)


def correlate2d(
    in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0
) -> Any:
    """The cross-correlation of two matrices, as ``scipy.signal.correlate2d``."""
    a, b = _matrices(in1, in2, mode)
    if mode == "valid" and any(n < m for n, m in zip(a.shape, b.shape, strict=True)):
        return np.flip(_over_matrices(b, np.flip(a), mode, boundary, fillvalue))
    return _over_matrices(a, np.flip(b), mode, boundary, fillvalue, 1)


def _matrices(in1: Any, in2: Any, mode: str) -> tuple[Array, Array]:
    a, b = _pair(in1, in2, mode)
    if a.ndim != 2:
        raise ValueError(f"in1 has {a.ndim} axes; expected a matrix")
    return a, b


def _over_matrices(
    a: Array, b: Array, mode: str, boundary: str, fillvalue: Any, even: int = 0
) -> Array:
    if mode == "valid" and any(n < m for n, m in zip(a.shape, b.shape, strict=True)):
        a, b = b, a
    around = _extended(a, b.shape, boundary, fillvalue)
    whole = convolved(around, b, 2)
    inner = tuple(slice(m - 1, m - 1 + n + m - 1) for n, m in zip(a.shape, b.shape, strict=True))
    return _part(whole[inner], a.shape, b.shape, mode, even)


def lfilter(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """A linear filter along an axis, as ``scipy.signal.lfilter``; differentiable by all it takes.

    Parameters
    ----------
    b, a : array_like
        Coefficients of the numerator and of the denominator.
    x : array_like
    axis : int
    zi : array_like, optional
        What the delays hold at first.

    Returns
    -------
    Tensor or array; with `zi` a pair, of which the second is what the delays hold at last

    Notes
    -----
    The recursion is one operation, whatever the length of `x`; its adjoint runs backwards.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> from symtape.scipy import signal
    >>> last = lambda a: signal.lfilter([1.0], a, [1.0, 0.0, 0.0])[-1]
    >>> symtape.grad(last)(np.array([1.0, -0.5]))
    array([-0.75, -1.  ])
    """
    b, a, x = np.atleast_1d(floats(b)), np.atleast_1d(floats(a)), floats(x)
    for name, value in (("b", b), ("a", a)):
        if value.ndim != 1 or not value.size:
            raise ValueError(f"{name} has shape {value.shape}; expected coefficients in a vector")
    order = max(a.size, b.size) - 1
    b, a = b / a[0], a / a[0]
    moved = np.moveaxis(x, axis, -1)
    held = None
    if zi is not None:
        held = np.moveaxis(floats(zi), axis, -1)
        held = np.broadcast_to(held, (*moved.shape[:-1], order))
    u = _weighted_past(b, moved)
    if held is not None:
        u = u + _fitted(held, moved.shape[-1])
    y = RECURSIVE_FILTER(-a[1:], u) if a.size > 1 else u
    found = np.moveaxis(y, -1, axis)
    if held is None:
        return found
    return found, np.moveaxis(_left_over(b, a, moved, y, held), -1, axis)


def _weighted_past(b: Array, x: Array) -> Array:
    """b[0] x[i] + b[1] x[i - 1] + ... along the last axis."""
    length, size = x.shape[-1], b.shape[0]
    if x.ndim == 1 and x.size:
        return np.convolve(b, x)[:length]
    padded = np.pad(x, ((0, 0),) * (x.ndim - 1) + ((size - 1, 0),))
    at = np.arange(length)[:, None] + np.arange(size)
    return padded[..., at] @ np.flip(b)


def _fitted(x: Array, length: int) -> Array:
    missing = length - x.shape[-1]
    return np.pad(x, ((0, 0),) * (x.ndim - 1) + ((0, missing),)) if missing > 0 else x[..., :length]


def _left_over(b: Array, a: Array, x: Array, y: Array, held: Array) -> Array:
    """What the delays hold at the end."""
    order, length = held.shape[-1], x.shape[-1]
    ahead = ((0, 0),) * (x.ndim - 1) + ((order, 0),)
    x, y = np.pad(x, ahead), np.pad(y, ahead)
    left = []
    for k in range(order):
        total: Any = held[..., k + length] if k + length < order else 0.0
        for j in range(k + 1, order + 1):
            back = k - j
            total = total + (b[j] * x[..., back] if j < b.shape[0] else 0.0)
            total = total - (a[j] * y[..., back] if j < a.shape[0] else 0.0)
        left.append(total + np.zeros(x.shape[:-1], x.dtype))
    return np.stack(left, axis=-1) if left else held


def lfilter_zi(b: Any, a: Any) -> Any:
    """The state of :func:`lfilter` in which a step stays a step, as ``scipy.signal.lfilter_zi``."""
    b, a = np.atleast_1d(floats(b)), np.atleast_1d(floats(a))
    b, a = b / a[0], a / a[0]
    order = max(a.size, b.size)
    a = np.pad(a, (0, order - a.shape[0]))
    b = np.pad(b, (0, order - b.shape[0]))
    first = np.sum(b[1:] - a[1:] * b[0]) / (1 + np.sum(a[1:]))
    rest = [first]
    for k in range(1, order - 1):
        rest.append((1 + np.sum(a[1 : k + 1])) * first - np.sum(b[1 : k + 1] - a[1 : k + 1] * b[0]))
    return np.stack(rest) if order > 1 else b[:0]


def lfiltic(b: Any, a: Any, y: Any, x: Any = None) -> Any:
    """The state of :func:`lfilter` after `y` and `x`, as ``scipy.signal.lfiltic``."""
    b, a, y = np.atleast_1d(floats(b)), np.atleast_1d(floats(a)), np.atleast_1d(floats(y))
    order = max(a.shape[0], b.shape[0]) - 1
    past = np.atleast_1d(floats(np.zeros(1) if x is None else x))
    past, y = _fitted(past, order), _fitted(y, order)
    state = []
    for m in range(order):
        total: Any = 0.0
        if (size := b.shape[0] - 1 - m) > 0:
            total = total + np.sum(b[m + 1 :] * past[:size])
        if (size := a.shape[0] - 1 - m) > 0:
            total = total - np.sum(a[m + 1 :] * y[:size])
        state.append(total / a[0])
    return np.stack(state) if state else y[:0]


def sosfilt(sos: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """A filter in second-order sections, as ``scipy.signal.sosfilt``.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> from symtape.scipy import signal
    >>> sos = np.array([[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]])
    >>> symtape.grad(lambda x: signal.sosfilt(sos, x)[-1])(np.ones(3))
    array([0.25, 0.5 , 1.  ])
    """
    sos, x = floats(sos), floats(x)
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise ValueError(f"sos has shape {sos.shape}; expected rows of six coefficients")
    if not is_stand_in(sos) and not np.all(sos[:, 3] == 1):
        raise ValueError("sos[:, 3], the first coefficients of the denominators, should be 1")
    states = None if zi is None else floats(zi)
    left = []
    for k in range(sos.shape[0]):
        # The first coefficient of a denominator is 1, and SciPy does not read it.
        a = np.concatenate([np.ones(1, sos.dtype), sos[k, 4:]])
        if states is None:
            x = lfilter(sos[k, :3], a, x, axis)
        else:
            x, state = lfilter(sos[k, :3], a, x, axis, states[k])
            left.append(state)
    return x if states is None else (x, np.stack(left))


def detrend(
    data: Any,
    axis: int = -1,
    type: str = "linear",  # noqa: A002 -- SciPy's name
    bp: Any = 0,
    overwrite_data: bool = False,
) -> Any:
    """`data` less its mean or its straight lines, as ``scipy.signal.detrend``.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> from symtape.scipy import signal
    >>> f = lambda x: np.sum(signal.detrend(x, type="constant") ** 2)
    >>> symtape.grad(f)(np.array([1.0, 2.0, 6.0]))
    array([-4., -2.,  6.])
    """
    data = floats(data)
    if type in ("constant", "c"):
        return data - np.mean(data, axis, keepdims=True)
    if type not in ("linear", "l"):
        raise ValueError(f"type={type!r}; expected 'linear' or 'constant'")
    moved = np.moveaxis(data, axis, -1)
    length = moved.shape[-1]
    ends = np.unique(np.concatenate([[0], np.atleast_1d(bp), [length]])).astype(int)
    if ends[-1] > length:
        raise ValueError(f"bp={bp!r}; expected places along an axis of {length} elements")
    parts = [_off_line(moved[..., i:j]) for i, j in itertools.pairwise(ends)]
    return np.moveaxis(np.concatenate(parts, axis=-1), -1, axis)


def _off_line(x: Array) -> Array:
    centred = x - np.mean(x, -1, keepdims=True)
    if x.shape[-1] < 2:
        return centred
    t = (np.arange(x.shape[-1]) - (x.shape[-1] - 1) / 2).astype(x.dtype)
    slope = np.sum(centred * t, axis=-1, keepdims=True) / np.sum(t * t)
    return centred - slope * t


def order_filter(a: Any, domain: Any, rank: int) -> Any:
    """The element of that rank in each window, as ``scipy.signal.order_filter``."""
    a, domain = floats(a), np.asarray(domain)
    if any(size % 2 != 1 for size in domain.shape):
        raise ValueError(f"domain has shape {domain.shape}; expected odd lengths")
    return _ranked(a, domain, int(rank))


def _ranked(x: Array, footprint: Any, rank: int) -> Array:
    windows = of_box(x, footprint, (0,) * x.ndim, EXTENSIONS["constant"])
    return np.sort(windows, axis=-1)[..., rank]


def medfilt(volume: Any, kernel_size: Any = None) -> Any:
    """The median of each window, as ``scipy.signal.medfilt``.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> from symtape.scipy import signal
    >>> symtape.grad(lambda x: np.sum(signal.medfilt(x, 3)))(np.array([1.0, 3.0, 2.0]))
    array([1., 0., 2.])
    """
    volume = np.atleast_1d(floats(volume))
    sizes = np.broadcast_to(3 if kernel_size is None else kernel_size, (volume.ndim,))
    if any(size % 2 != 1 for size in sizes):
        raise ValueError(f"kernel_size={kernel_size!r}; expected odd numbers")
    box = np.ones([int(size) for size in sizes])
    return _ranked(volume, box, box.size // 2)


def medfilt2d(input: Any, kernel_size: Any = 3) -> Any:  # noqa: A002 -- SciPy's name
    """As :func:`medfilt`, of a matrix."""
    return medfilt(input, kernel_size)


_PADDING: Final = {
    "symmetric": "reflect",
    "reflect": "mirror",
    "edge": "nearest",
    "wrap": "wrap",
    "constant": "constant",
}


def upfirdn(
    h: Any,
    x: Any,
    up: int = 1,
    down: int = 1,
    axis: int = -1,
    mode: str = "constant",
    cval: Any = 0,
) -> Any:
    """Zeros put in, a filter, elements left out, as ``scipy.signal.upfirdn``.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> from symtape.scipy import signal
    >>> symtape.jacobian(lambda x: signal.upfirdn([1.0, 0.5], x, 2))(np.ones(2))
    array([[1. , 0. ],
           [0.5, 0. ],
           [0. , 1. ],
           [0. , 0.5]])
    """
    h, x = floats(h), floats(x)
    if mode not in _PADDING:
        raise Unsupported(
            f"scipy.signal.upfirdn of tensors with mode={mode!r}; expected one of "
            f"{', '.join(_PADDING)}"
        )
    moved = np.moveaxis(x, axis, -1)
    size, length = h.shape[0], moved.shape[-1]
    count = ((length - 1) * up + size - 1) // down + 1
    at = np.arange(count) * down
    taps = (at % up)[:, None] + up * np.arange(-(-size // up))
    found = places((at // up)[:, None] - np.arange(taps.shape[1]), length, _extension(mode))
    elements = moved[..., np.where(found == OUTSIDE, 0, found)]
    elements = np.where(found != OUTSIDE, elements, cval)
    weights = np.where(taps < size, h[np.minimum(taps, size - 1)], 0.0)
    return np.moveaxis(np.sum(elements * weights, axis=-1), -1, axis)


def _extension(mode: str) -> int:
    return EXTENSIONS[_PADDING[mode]]
