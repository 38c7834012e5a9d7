"""``scipy.spatial.distance`` of rows of tensors, for the metrics that have derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from scipy.special import rel_entr

from symtape.errors import Unsupported
from symtape.primitives.arithmetic import to_array

__all__ = ["cdist", "correlation", "cosine", "pdist", "squareform"]


def _weight_vector(x: Any, w: Any) -> Any:
    return x if w is None else x * w


def _minkowski(u: Any, v: Any, p: Any = 2, w: Any = None) -> Any:
    if w is None and isinstance(p, int | float) and p == 2:
        return np.linalg.norm(u - v, axis=-1)
    return np.sum(_weight_vector(np.abs(u - v) ** p, w), axis=-1) ** (1 / p)


def _mahalanobis(u: Any, v: Any, VI: Any) -> Any:
    difference = u - v
    return np.sqrt(np.sum((difference @ to_array(VI)) * difference, axis=-1))


def _cosine(u: Any, v: Any, w: Any = None) -> Any:
    total = np.sum(_weight_vector(u * v, w), axis=-1)
    sizes = np.sum(_weight_vector(u * u, w), axis=-1) * np.sum(_weight_vector(v * v, w), axis=-1)
    return 1 - total / np.sqrt(sizes)


def _correlation(u: Any, v: Any, w: Any = None) -> Any:
    weights = None if w is None else w / np.sum(w)

    def centre_vector(x: Any) -> Any:
        if weights is None:
            return x - np.mean(x, axis=-1, keepdims=True)
        return x - np.sum(x * weights, axis=-1, keepdims=True)

    return _cosine(centre_vector(u), centre_vector(v), w)


def _braycurtis(u: Any, v: Any, w: Any = None) -> Any:
    above, below = _weight_vector(np.abs(u - v), w), _weight_vector(np.abs(u + v), w)
    return np.sum(above, axis=-1) / np.sum(below, axis=-1)


def _canberra(u: Any, v: Any, w: Any = None) -> Any:
    sizes = np.abs(u) + np.abs(v)
    nothing = sizes == 0
    terms = np.where(nothing, 0, np.abs(u - v) / np.where(nothing, 1, sizes))
    return np.sum(_weight_vector(terms, w), axis=-1)


def _jensenshannon(u: Any, v: Any) -> Any:
    p, q = (x / np.sum(x, axis=-1, keepdims=True) for x in (u, v))
    middle = (p + q) / 2
    found = np.sum(rel_entr(p, middle), axis=-1) + np.sum(rel_entr(q, middle), axis=-1)
    return np.sqrt(found / 2)


_METRICS: Final[dict[str, Callable[..., Any]]] = {
    "braycurtis": _braycurtis,
    "canberra": _canberra,
    "chebyshev": lambda u, v: np.max(np.abs(u - v), axis=-1),
    "cityblock": lambda u, v, w=None: np.sum(_weight_vector(np.abs(u - v), w), axis=-1),
    "correlation": _correlation,
    "cosine": _cosine,
    "euclidean": lambda u, v, w=None: _minkowski(u, v, 2, w),
    "jensenshannon": _jensenshannon,
    "mahalanobis": _mahalanobis,
    "minkowski": _minkowski,
    "seuclidean": lambda u, v, V: np.sqrt(np.sum((u - v) ** 2 / to_array(V), axis=-1)),
    "sqeuclidean": lambda u, v, w=None: np.sum(_weight_vector((u - v) ** 2, w), axis=-1),
}
_OPTIONS: Final = {
    "chebyshev": (),
    "jensenshannon": (),
    "mahalanobis": ("VI",),
    "minkowski": ("p", "w"),
    "seuclidean": ("V",),
}
"""The options of metrics that take others than weights."""


def _metric(metric: Any, options: dict[str, Any], rows: Any) -> Callable[[Any, Any], Any]:
    """The metric with its options; where they are of all rows, by these."""
    if callable(metric):
        return lambda u, v: _apply_by_pairs(lambda a, b: metric(a, b, **options), u, v)
    name = _ALIASES.get(metric, metric)
    found = _METRICS.get(name)
    if found is None:
        raise Unsupported(
            f"a distance between tensors with metric={metric!r}; expected one of "
            f"{', '.join(_METRICS)}, or a function"
        )
    if unknown := set(options) - set(_OPTIONS.get(name, ("w",))):
        raise Unsupported(f"a distance between tensors with metric={metric!r} and {min(unknown)}")
    if name == "seuclidean" and options.get("V") is None:
        options = {"V": np.var(rows, axis=0, ddof=1)}
    if name == "mahalanobis" and options.get("VI") is None:
        options = {"VI": np.linalg.inv(np.cov(rows.T))}
    given = {key: x if key == "p" else to_array(x) for key, x in options.items() if x is not None}
    return lambda u, v: found(u, v, **given)


_ALIASES: Final = {
    **dict.fromkeys(("l2", "e", "eu", "euclid"), "euclidean"),
    **dict.fromkeys(("l1", "cb", "cblock", "manhattan"), "cityblock"),
    **dict.fromkeys(("sqe", "sqeuclid"), "sqeuclidean"),
    **dict.fromkeys(("ch", "cheb", "cheby", "linf", "chebychev"), "chebyshev"),
    **dict.fromkeys(("mi", "m", "pnorm"), "minkowski"),
    **dict.fromkeys(("cos",), "cosine"),
    **dict.fromkeys(("co",), "correlation"),
    **dict.fromkeys(("js",), "jensenshannon"),
    **dict.fromkeys(("mahal", "mah"), "mahalanobis"),
    **dict.fromkeys(("se", "s"), "seuclidean"),
}


def _apply_by_pairs(function: Callable[[Any, Any], Any], u: Any, v: Any) -> Any:
    shape = np.broadcast_shapes(u.shape, v.shape)
    first = np.reshape(np.broadcast_to(u, shape), (-1, shape[-1]))
    second = np.reshape(np.broadcast_to(v, shape), (-1, shape[-1]))
    found = [to_array(function(a, b)) for a, b in zip(first, second, strict=True)]
    return np.reshape(np.stack(found), shape[:-1])


def cdist(
    XA: Any,  # SciPy's names
    XB: Any,
    metric: Any = "euclidean",
    *,
    out: Any = None,
    **options: Any,
) -> Any:
    """The distances between the rows of two matrices.

    Raises
    ------
    Unsupported
        The metric counts, as "hamming" and "jaccard" do, or has no such option here.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.distance import cdist
    >>> cdist(np.zeros((1, 2)), np.array([[3.0, 4.0], [0.0, 2.0]]))
    array([[5., 2.]])
    """
    a, b = to_array(XA), to_array(XB)
    of = _metric(metric, options, np.concatenate([a, b]))
    return of(a[:, None, :], b[None, :, :])


def pdist(
    X: Any,  # SciPy's name
    metric: Any = "euclidean",
    *,
    out: Any = None,
    **options: Any,
) -> Any:
    """The distances between the rows of a matrix, those of each pair once."""
    x = to_array(X)
    rows, columns = np.triu_indices(len(x), 1)
    return _metric(metric, options, x)(x[rows], x[columns])


def cosine(u: Any, v: Any, w: Any = None) -> Any:
    """As ``scipy.spatial.distance.cosine``."""
    return _cosine(to_array(u), to_array(v), w)


def correlation(u: Any, v: Any, w: Any = None, centered: bool = True) -> Any:
    """As ``scipy.spatial.distance.correlation``."""
    return (_correlation if centered else _cosine)(to_array(u), to_array(v), w)


def squareform(X: Any, force: str = "no", checks: bool = True) -> Any:  # SciPy's names
    """As ``scipy.spatial.distance.squareform``."""
    x = to_array(X)
    if x.ndim == 2:
        return x[np.triu_indices(len(x), 1)]
    count = round((1 + (1 + 8 * len(x)) ** 0.5) / 2)
    places = np.zeros((count, count), dtype=int)
    places[np.triu_indices(count, 1)] = np.arange(1, len(x) + 1)
    return np.concatenate([np.zeros(1, x.dtype), x])[places + places.T]
