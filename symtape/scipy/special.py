"""``scipy.special``'s functions that are no ufuncs: log-sum-exp, softmax and their like."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from symtape.primitives.primitive import Array, is_stand_in
from symtape.primitives.softmax import LOG_SOFTMAX, LOGSUMEXP, SOFTMAX
from symtape.recording.custom import stop_gradient
from symtape.scipy.given import floats

__all__ = [
    "comb",
    "factorial",
    "log_softmax",
    "logsumexp",
    "multigammaln",
    "polygamma",
    "softmax",
]


def _axes(axis: Any, x: Array) -> tuple[int, ...]:
    if axis is None or (not x.ndim and axis in (0, -1)):
        return tuple(range(x.ndim))
    found: tuple[int, ...] = np.lib.array_utils.normalize_axis_tuple(axis, x.ndim)
    return found


def logsumexp(
    a: Any, axis: Any = None, b: Any = None, keepdims: bool = False, return_sign: bool = False
) -> Any:
    """The logarithm of the sum of (weighted) exponentials, without overflow.

    Parameters
    ----------
    a : array_like
        Any shape; -inf stands for a term that is 0, and has gradient 0.
    axis : None, int or tuple of int
        Over which to sum; all by default.
    b : array_like, optional
        Weights, broadcast against `a`; they may be negative or 0.
    keepdims : bool
        Keep the summed axes, with length 1.
    return_sign : bool
        Return a pair: the logarithm of the absolute value of the sum, and its sign. Without it,
        a sum that is negative has no logarithm: nan.

    Returns
    -------
    Tensor or array, or a pair of them

    Notes
    -----
    Blanchard, Higham and Higham 2021, "Accurately computing the log-sum-exp and softmax
    functions".

    Examples
    --------
    >>> import numpy as np, symtape
    >>> from symtape.scipy.special import logsumexp
    >>> x = symtape.constant([1000.0, 1000.0, -np.inf])
    >>> with symtape.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = logsumexp(x)
    >>> tape.gradient(y, x).numpy()
    array([0.5, 0.5, 0. ])
    """
    a = floats(a)
    if b is not None:
        return _weighted_logsumexp(a, floats(b), axis, keepdims, return_sign)
    result = LOGSUMEXP(a, axis=_axes(axis, a), keepdims=keepdims)
    return (result, np.ones_like(result)) if return_sign else result


def _weighted_logsumexp(a: Array, b: Array, axis: Any, keepdims: bool, return_sign: bool) -> Any:
    shape = np.broadcast_shapes(a.shape, b.shape)
    a, b = np.broadcast_to(a, shape), np.broadcast_to(b, shape)
    axes = _axes(axis, a)
    masked = np.where(b == 0, -np.inf, a)
    shift = np.max(masked, axis=axes, keepdims=True)
    shift = np.where(np.isfinite(shift), shift, 0).astype(a.dtype)
    if is_stand_in(shift):
        shift = stop_gradient(shift)
    # A weight that is a constant 0 also hides what would overflow; one that may move does not.
    terms = np.exp((a if is_stand_in(b) else masked) - shift)
    total = np.sum(b * terms, axis=axes, keepdims=True)
    sign = np.sign(total)
    result = np.log(np.abs(total) if return_sign else total) + shift
    if not keepdims:
        result, sign = np.squeeze(result, axes), np.squeeze(sign, axes)
    return (result, sign) if return_sign else result


def softmax(x: Any, axis: Any = None) -> Any:
    """Exponentials as shares of their sum.

    Parameters
    ----------
    x : array_like
        Any shape. -inf has the share 0; where every element is -inf all shares are 0.
    axis : None, int or tuple of int
        Over which the shares add up to 1; all by default.

    Returns
    -------
    Tensor or array
        Shape of `x`.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.special import softmax
    >>> softmax(np.array([0.0, 0.0, -np.inf]))
    array([0.5, 0.5, 0. ])
    """
    x = floats(x)
    return SOFTMAX(x, axis=_axes(axis, x))


def log_softmax(x: Any, axis: Any = None) -> Any:
    """The logarithm of :func:`softmax`, accurate where the share is next to 0 or to 1.

    Parameters
    ----------
    x : array_like
        Any shape.
    axis : None, int or tuple of int
        Over which the shares add up to 1; all by default.

    Returns
    -------
    Tensor or array
        Shape of `x`.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.special import log_softmax
    >>> log_softmax(np.array([0.0, -1000.0]))
    array([    0., -1000.])
    """
    x = floats(x)
    return LOG_SOFTMAX(x, axis=_axes(axis, x))


def multigammaln(a: Any, d: int) -> Any:
    """The logarithm of the multivariate gamma function of dimension `d`.

    Parameters
    ----------
    a : array_like
        Each element larger than ``(d - 1) / 2``.
    d : int
        Dimension, positive.

    Returns
    -------
    Tensor or array
        Shape of `a`.

    Raises
    ------
    ValueError
        `d` is not a positive integer.

    Notes
    -----
    DLMF 35.3.4.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.special import multigammaln
    >>> bool(np.isclose(multigammaln(np.array(2.0), 1), 0.0))
    True
    """
    from symtape.primitives.special import GAMMALN

    if int(d) != d or d < 1:
        raise ValueError(f"d={d!r} is no dimension; expected a positive integer")
    a = floats(a)
    terms = GAMMALN(np.expand_dims(a, -1) - np.arange(int(d)) / 2)
    return np.sum(terms, axis=-1) + d * (d - 1) / 4 * math.log(math.pi)


def polygamma(n: int, x: Any) -> Any:
    """The n-th derivative of the digamma function.

    Parameters
    ----------
    n : int
        Order, not negative; one number.
    x : array_like
        Any shape.

    Returns
    -------
    Tensor or array
        Shape of `x`.

    Raises
    ------
    ValueError
        `n` is not such a number.

    Notes
    -----
    DLMF 5.15.1.

    Examples
    --------
    >>> from symtape.scipy.special import polygamma
    >>> round(float(polygamma(1, 1.0)), 6)
    1.644934
    """
    from symtape.primitives.special.gamma import DIGAMMA, POLYGAMMA

    if np.ndim(n) or int(n) != n or n < 0:
        raise ValueError(f"n={n!r}; expected one order, an integer that is not negative")
    x = floats(x).astype(np.float64)
    return POLYGAMMA(int(n), x) if n else DIGAMMA(x)


def factorial(n: Any, exact: bool = False) -> Any:
    """The factorial, by the gamma function; 0 for what is negative.

    Parameters
    ----------
    n : array_like
        Any shape.
    exact : bool
        Must be false: exact factorials are integers.

    Returns
    -------
    Tensor or array
        Shape of `n`.

    Raises
    ------
    ValueError
        `exact` is true.

    Notes
    -----
    DLMF 5.4.1.

    Examples
    --------
    >>> from symtape.scipy.special import factorial
    >>> float(factorial(4.0))
    24.0
    """
    from symtape.primitives.special.gamma import GAMMA

    if exact:
        raise ValueError("exact=True gives integers, which have no derivative; leave it out")
    n = floats(n).astype(np.float64)
    below = np.less(n, 0)
    return np.where(below, 0, GAMMA(1 + np.where(below, 0, n)))


def comb(N: Any, k: Any, *, exact: bool = False, repetition: bool = False) -> Any:
    """The number of ways to choose `k` of `N`, by the gamma function.

    Parameters
    ----------
    N, k : array_like
        Broadcast against each other; 0 where ``k > N`` or one of them is negative.
    exact : bool
        Must be false: exact numbers are integers.
    repetition : bool
        What is chosen may be chosen again.

    Returns
    -------
    Tensor or array

    Raises
    ------
    ValueError
        `exact` is true.

    Notes
    -----
    DLMF 26.3.1 and 1.2.6.

    Examples
    --------
    >>> from symtape.scipy.special import comb
    >>> float(comb(5.0, 2.0))
    10.0
    """
    from symtape.primitives.special.gamma import BINOM

    if exact:
        raise ValueError("exact=True gives integers, which have no derivative; leave it out")
    N, k = floats(N), floats(k)
    if repetition:
        return comb(N + k - 1, k)
    possible = np.less_equal(k, N) & np.greater_equal(k, 0)
    return np.where(possible, BINOM(np.where(possible, N, 1), np.where(possible, k, 0)), 0)
