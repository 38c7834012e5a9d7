"""``scipy.interpolate``'s functions that make B-splines and evaluate them, with SciPy's names.

Its classes need no other name: ``CubicSpline(x, y)(t)`` and its like are recorded as they are,
wherever a function is differentiated, by data, by abscissas and by what they are evaluated at.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.primitive import Array
from symtape.recording.inside import call_inside
from symtape.scipy import piecewise
from symtape.scipy.given import floats

__all__ = ["make_interp_spline", "make_lsq_spline", "splev", "splint", "splrep"]

_ENDS: Final = {"natural": 2, "clamped": 1}

Conditions = list[tuple[int, Any]]


def _conditions(side: Any) -> Conditions:
    """Orders and values of the derivatives that are given at one end."""
    if side is None or (isinstance(side, str) and side == "not-a-knot"):
        return []
    if isinstance(side, str):
        if side not in _ENDS:
            raise ValueError(
                f"bc_type={side!r}; expected 'natural', 'clamped', 'not-a-knot' or derivatives"
            )
        return [(_ENDS[side], 0.0)]
    return [(int(order), value) for order, value in side]


def _knots(x: Array, k: int, augmented: bool) -> tuple[Array, Any]:
    """The knots that SciPy takes for abscissas, and between which of them each abscissa is."""
    count, places = x.shape[0], np.arange(x.shape[0])
    if augmented:
        inner, between = x[1:-1], places
    elif k % 2:
        cut = (k + 1) // 2
        inner, between = x[cut : count - cut], places - cut + 1
    else:
        middles = (x[1:] + x[:-1]) / 2
        inner, between = middles[k // 2 : count - 1 - k // 2], places - k // 2
    ends = np.zeros(k + 1, dtype=int)
    t = np.concatenate([x[ends], inner, x[ends + count - 1]])
    last = inner.shape[0] if not augmented else max(inner.shape[0], 0)
    return t, k + np.clip(between, 0, last)


def make_interp_spline(
    x: Any,
    y: Any,
    k: int = 3,
    t: Any = None,
    bc_type: Any = None,
    axis: int = 0,
    check_finite: bool = True,
) -> Any:
    """The B-spline of degree `k` through points, as ``scipy.interpolate.make_interp_spline``.

    Parameters
    ----------
    x, y : array_like
        Abscissas, which increase, and values along `axis`.
    k : int
    t : array_like, optional
        Knots; by default not-a-knot, or all abscissas if derivatives are given at the ends.
    bc_type : optional
        ``"natural"``, ``"clamped"``, ``"not-a-knot"``, or for each end pairs of an order and the
        value of the derivative.
    axis : int
    check_finite : bool

    Returns
    -------
    scipy.interpolate.BSpline

    Raises
    ------
    Unsupported
        For ``bc_type="periodic"``.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> from symtape.scipy.interpolate import make_interp_spline
    >>> x = np.arange(5.0)
    >>> f = lambda y: make_interp_spline(x, y)(1.5)
    >>> symtape.grad(f)(np.ones(5))
    array([-0.046875,  0.5     ,  0.65625 , -0.125   ,  0.015625])
    """
    from scipy.interpolate import BSpline

    spline: Any = BSpline
    if isinstance(bc_type, str) and bc_type == "periodic":
        raise Unsupported(
            "scipy.interpolate.make_interp_spline of tensors with bc_type='periodic'; CubicSpline "
            "takes it"
        )
    x, y = floats(x), np.moveaxis(floats(y), axis, 0)
    axis = int(axis) % y.ndim
    if x.ndim != 1 or x.shape[0] != y.shape[0] or not np.all(x[1:] > x[:-1]):
        raise ValueError(
            f"x has shape {x.shape} and y has {y.shape[0]} values; expected as many abscissas, "
            "which increase"
        )
    whole = bc_type is None or isinstance(bc_type, str)
    left, right = map(_conditions, (bc_type, bc_type) if whole else bc_type)
    if k < 2 and t is None:
        if left or right:
            raise ValueError(f"bc_type={bc_type!r} with k={k}; expected None")
        ends = [x[:1]] * k + [x] + [x[-1:]] * max(k, 1 - k)
        return call_inside(spline.construct_fast, np.concatenate(ends), y, k, axis=axis)
    which: Any = None
    if t is None:
        t, which = _knots(x, k, bool(left or right))
    t = floats(t)
    if t.shape[0] - k - 1 != x.shape[0] + len(left) + len(right):
        raise ValueError(
            f"{t.shape[0]} knots for {x.shape[0]} values and {len(left) + len(right)} derivatives "
            f"with k={k}; expected {x.shape[0] + len(left) + len(right) + k + 1}"
        )
    c = _solve_coefficients(x, y, t, k, which, left, right)
    return call_inside(spline.construct_fast, t, c, k, axis=axis)


def _solve_coefficients(
    x: Array, y: Array, t: Array, k: int, which: Any, left: Conditions, right: Conditions
) -> Array:
    first, last = (None, None) if which is None else (which[:1], which[-1:])
    rows = [piecewise.design(t, k, x[:1], order, first) for order, _ in left]
    rows.append(piecewise.design(t, k, x, 0, which))
    rows += [piecewise.design(t, k, x[-1:], order, last) for order, _ in right]
    given = [_row(value, y) for _, value in left]
    values = [*given, np.reshape(y, (y.shape[0], -1)), *[_row(value, y) for _, value in right]]
    solved = np.linalg.solve(np.concatenate(rows), np.concatenate(values))
    return np.reshape(solved, (-1, *y.shape[1:]))


def _row(value: Any, y: Array) -> Array:
    return np.reshape(np.broadcast_to(floats(value), y.shape[1:]), (1, -1))


def make_lsq_spline(
    x: Any,
    y: Any,
    t: Any,
    k: int = 3,
    w: Any = None,
    axis: int = 0,
    check_finite: bool = True,
    *,
    method: str = "qr",
) -> Any:
    """The B-spline of least squares on knots, as ``scipy.interpolate.make_lsq_spline``.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> from symtape.scipy.interpolate import make_lsq_spline
    >>> x, knots = np.arange(5.0), np.array([0.0, 0.0, 4.0, 4.0])
    >>> symtape.grad(lambda y: make_lsq_spline(x, y, knots, k=1)(2.0))(np.ones(5)).round(12)
    array([0.2, 0.2, 0.2, 0.2, 0.2])
    """
    from scipy.interpolate import BSpline

    spline: Any = BSpline
    x, y, t = floats(x), np.moveaxis(floats(y), axis, 0), floats(t)
    weights = np.ones(x.shape[0]) if w is None else floats(w)
    matrix = piecewise.design(t, k, x) * weights[:, None]
    right = np.reshape(y, (x.shape[0], -1)) * weights[:, None]
    c = np.linalg.solve(matrix.T @ matrix, matrix.T @ right)
    return call_inside(
        spline.construct_fast, t, np.reshape(c, (-1, *y.shape[1:])), k, axis=axis % y.ndim
    )


def splev(x: Any, tck: Sequence[Any], der: int = 0, ext: int = 0) -> Any:
    """A B-spline or its derivative at places, as ``scipy.interpolate.splev``.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> from symtape.scipy.interpolate import splev
    >>> tck = np.array([0.0, 0.0, 1.0, 2.0, 2.0]), np.array([1.0, 3.0, 2.0]), 1
    >>> symtape.grad(lambda x: splev(x, tck))(0.25)
    np.float64(2.0)
    """
    t, c, k = tck
    if isinstance(c, list | tuple) and np.ndim(c[0]):
        return [splev(x, (t, part, k), der, ext) for part in c]
    t, c, x = floats(t), floats(c), floats(x)
    if c.ndim > 1:
        return [splev(x, (t, part, k), der, ext) for part in c]
    if not 0 <= der <= k:
        raise ValueError(f"der={der}; expected an order from 0 to {k}, the degree")
    first, last = t[k], t[t.shape[0] - k - 1]
    outside = (x < first) | (x > last)
    if ext == 2 and np.any(outside):
        raise ValueError("x is outside of the knots, and ext=2 allows no such place")
    at = np.reshape(np.clip(x, first, last) if ext == 3 else x, (-1,))
    found = piecewise.splines(t, c[: t.shape[0] - k - 1], k, at, der, True)
    found = np.reshape(found, np.shape(x))
    return np.where(outside, 0.0, found) if ext == 1 else found


def splint(a: Any, b: Any, tck: Sequence[Any], full_output: int = 0) -> Any:
    """The integral of a B-spline, as ``scipy.interpolate.splint``.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> from symtape.scipy.interpolate import splint
    >>> tck = np.array([0.0, 0.0, 1.0, 2.0, 2.0]), np.array([1.0, 3.0, 2.0]), 1
    >>> symtape.grad(lambda b: splint(0.0, b, tck))(1.0)
    np.float64(3.0)
    """
    if full_output:
        raise Unsupported("scipy.interpolate.splint of tensors with full_output=1; leave it out")
    t, c, k = tck
    t, c = floats(t), floats(c)
    count = t.shape[0] - k - 1
    ends = [np.clip(np.reshape(floats(end), (1,)), t[k], t[count]) for end in (a, b)]
    steps = np.cumsum(c[:count] * (t[k + 1 : k + 1 + count] - t[:count])) / (k + 1)
    c = np.concatenate([np.zeros(1), steps])
    longer = np.concatenate([t[:1], t, t[-1:]])
    low, high = (piecewise.splines(longer, c, k + 1, end, 0, True)[0] for end in ends)
    return high - low


def splrep(
    x: Any,
    y: Any,
    w: Any = None,
    xb: Any = None,
    xe: Any = None,
    k: int = 3,
    task: int = 0,
    s: Any = None,
    t: Any = None,
    full_output: int = 0,
    per: int = 0,
    quiet: int = 1,
) -> Any:
    """Knots, coefficients and degree of the B-spline through points, as ``splrep`` of SciPy.

    Raises
    ------
    Unsupported
        For a spline that smooths: the knots that FITPACK chooses are a search.
    """
    smooths = bool(s) if s is not None else w is not None
    given = [z is not None for z in (xb, xe, t)]
    if smooths or any(given) or task or full_output or per:
        raise Unsupported(
            "scipy.interpolate.splrep of tensors interpolates (s=0, and no task, t, xb, xe, per or "
            "full_output); for least squares on knots that are given use make_lsq_spline"
        )
    spline = make_interp_spline(x, y, k)
    t, c = (call_inside(getattr, spline, name) for name in "tc")
    return t, np.concatenate([c, np.zeros(k + 1)]), k
