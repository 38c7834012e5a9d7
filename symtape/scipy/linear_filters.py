"""Recursive and multirate linear filters as ``scipy.signal`` has them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.primitive import Array, is_stand_in
from symtape.primitives.recursive_filter import RECURSIVE_FILTER
from symtape.scipy.given import floats
from symtape.scipy.windows import EXTENSIONS, OUTSIDE_PLACE, places


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
        if held.ndim != x.ndim or held.shape[-1] != order:
            raise ValueError(
                f"zi has shape {np.shape(zi)}; expected that of x with {order} elements along the "
                "axis"
            )
        held = np.broadcast_to(held, (*moved.shape[:-1], order))
    u = _weighted_past(b, moved)
    if held is not None:
        u = u + _fit_length(held, moved.shape[-1])
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


def _fit_length(x: Array, length: int) -> Array:
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
    b, a, y = (np.atleast_1d(floats(given)) for given in (b, a, y))
    past = np.atleast_1d(floats(np.zeros(1) if x is None else x))
    held = np.zeros(max(a.shape[0], b.shape[0]) - 1)
    return _left_over(b / a[0], a / a[0], np.flip(past), np.flip(y), held)


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
    found = places(
        (at // up)[:, None] - np.arange(taps.shape[1]), length, EXTENSIONS[_PADDING[mode]]
    )
    elements = moved[..., np.where(found == OUTSIDE_PLACE, 0, found)]
    elements = np.where(found != OUTSIDE_PLACE, elements, cval)
    weights = np.where(taps < size, h[np.minimum(taps, size - 1)], 0.0)
    return np.moveaxis(np.sum(elements * weights, axis=-1), -1, axis)
