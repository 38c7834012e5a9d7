"""The order of floats as whole numbers: how many floats lie between two of them.

The finite floats of a format, written down in increasing order, are numbered so that zero has the
number 0; both zeros do. Neighbours differ by one, so a distance of ordinals is one in ulps, and a
picture over ordinals shows the tails near 1e-300 and 1e300 as well as the middle.
(Bruce Dawson, *Comparing floating point numbers*, 2012.)
"""

from __future__ import annotations

import functools
import struct
from typing import Any, Final

import numpy as np

_WHOLE: Final = {
    np.dtype(np.float64): np.int64,
    np.dtype(np.float32): np.int32,
    np.dtype(np.float16): np.int16,
}


_INFINITE: Final = 0x7FF0_0000_0000_0000
"""The ordinal of infinity in float64."""


def ordinal(x: Any) -> Any:
    """The place of each float in the order of the floats of its dtype.

    Parameters
    ----------
    x : float or array of float64, float32 or float16
        Python's floats count as float64.

    Returns
    -------
    int, or int64 array of the shape of `x`
        Infinities have the numbers beyond those of the largest floats.

    Raises
    ------
    TypeError
        Any other dtype.
    ValueError
        A nan, which has no place in the order.

    Examples
    --------
    >>> ordinal(0.0), ordinal(-0.0), ordinal(5e-324), ordinal(-5e-324)
    (0, 0, 1, -1)
    >>> ordinal(np.array([1.0, np.nextafter(1.0, 2.0)], dtype=np.float64)) - ordinal(1.0)
    array([0, 1])
    """
    if type(x) is float and x == x:
        # Searches ask for one float at a time, very often.
        (bits,) = struct.unpack("<q", struct.pack("<d", abs(x)))
        return -bits if x < 0 else bits
    array = np.asarray(x)
    if np.isnan(array).any():
        raise ValueError(f"x={x!r} holds a nan, which has no place in the order of floats")
    magnitude = np.abs(array).view(_integer_type(array.dtype)).astype(np.int64)
    found = np.where(np.signbit(array), -magnitude, magnitude)
    return int(found) if found.ndim == 0 else found


def from_ordinal(k: Any, dtype: Any = np.float64) -> Any:
    """The float that has the number `k`; the inverse of :func:`ordinal`, but for -0.0.

    Parameters
    ----------
    k : int or array of ints
    dtype : float64, float32 or float16

    Returns
    -------
    scalar or array of `dtype`, the shape of `k`

    Raises
    ------
    ValueError
        A number beyond that of the infinities.

    Examples
    --------
    >>> float(from_ordinal(ordinal(0.1)))
    0.1
    >>> from_ordinal([-1, 0, 1], np.float16)
    array([-6.e-08,  0.e+00,  6.e-08], dtype=float16)
    """
    if type(k) is int and dtype is np.float64 and abs(k) <= _INFINITE:
        (size,) = struct.unpack("<d", struct.pack("<q", abs(k)))
        return np.float64(-size if k < 0 else size)
    dtype = np.dtype(dtype)
    whole = _integer_type(dtype)
    numbers = np.asarray(k, dtype=np.int64)
    last = largest(dtype) + 1
    if (numbers > last).any() or (numbers < -last).any():
        raise ValueError(f"k={k!r}; the ordinals of {dtype} end at {last}, that of infinity")
    magnitude = np.abs(numbers).astype(whole).view(dtype)
    return np.where(numbers < 0, -magnitude, magnitude)[()]


def largest(dtype: Any = np.float64) -> int:
    """The ordinal of the largest finite float of `dtype`.

    Examples
    --------
    >>> float(from_ordinal(largest(np.float16), np.float16))
    65504.0
    """
    return _largest(np.dtype(dtype))


@functools.cache  # of dtypes
def _largest(dtype: np.dtype[Any]) -> int:
    return int(ordinal(np.finfo(dtype).max))


def neighbour(x: Any, steps: Any = 1) -> Any:
    """The float `steps` floats above each entry of `x` (below, if negative), at most infinity.

    Examples
    --------
    >>> float(neighbour(1.0)), float(neighbour(0.0, -1))
    (1.0000000000000002, -5e-324)
    """
    dtype = np.asarray(x).dtype
    last = largest(dtype) + 1
    return from_ordinal(np.clip(np.asarray(ordinal(x)) + steps, -last, last), dtype)


def distance(x: Any, y: Any) -> Any:
    """How many floats one must step over to come from `x` to `y`, entry by entry.

    Both must be of one dtype. The distance of the two zeros is 0.

    Examples
    --------
    >>> distance(1.0, 1.0 + 2**-51), distance(-5e-324, 5e-324)
    (2, 2)
    """
    if np.asarray(x).dtype != np.asarray(y).dtype:
        raise TypeError(
            f"x is of {np.asarray(x).dtype} and y of {np.asarray(y).dtype}; "
            "a distance is between floats of one dtype"
        )
    first, second = np.broadcast_arrays(ordinal(x), ordinal(y))
    low, high = np.minimum(first, second), np.maximum(first, second)
    # Modulo 2^64, because up to 2^64 - 2^53 floats lie between, more than int64 can count.
    with np.errstate(over="ignore"):
        apart = high.astype(np.uint64) - low.astype(np.uint64)
    return int(apart) if apart.ndim == 0 else apart


def _integer_type(dtype: np.dtype[Any]) -> Any:
    try:
        return _WHOLE[dtype]
    except KeyError:
        raise TypeError(
            f"{dtype} has no ordinals here; expected float64, float32 or float16"
        ) from None
