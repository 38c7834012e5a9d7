"""``scipy.signal``'s convolutions and filters that are compiled, with SciPy's names.

All else of ``scipy.signal`` that is written in Python is recorded as it is, wherever a function
is differentiated: ``savgol_filter``, ``filtfilt``, ``resample_poly``, windows and waveforms.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from symtape.primitives.primitive import Array
from symtape.scipy.convolutions import (
    convolve,
    convolve2d,
    correlate,
    correlate2d,
    fftconvolve,
    oaconvolve,
)
from symtape.scipy.given import floats
from symtape.scipy.linear_filters import lfilter, lfilter_zi, lfiltic, sosfilt, upfirdn
from symtape.scipy.windows import EXTENSIONS, box_windows

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
    parts = [_subtract_line(moved[..., i:j]) for i, j in itertools.pairwise(ends)]
    return np.moveaxis(np.concatenate(parts, axis=-1), -1, axis)


def _subtract_line(x: Array) -> Array:
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
    return _rank_filter(a, domain, int(rank))


def _rank_filter(x: Array, footprint: Any, rank: int) -> Array:
    windows = box_windows(x, footprint, (0,) * x.ndim, EXTENSIONS["constant"])
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
    return _rank_filter(volume, box, box.size // 2)


def medfilt2d(input: Any, kernel_size: Any = 3) -> Any:  # noqa: A002 -- SciPy's name
    """As :func:`medfilt`, of a matrix."""
    return medfilt(input, kernel_size)
