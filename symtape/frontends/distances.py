"""``scipy.spatial.distance`` of matrices of tensors, row by row, for the metrics of norms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.recording.in_place import joined


def _euclidean(d: Any) -> Any:
    return np.linalg.norm(d, axis=-1)


_METRICS: Final[dict[str, Callable[[Any], Any]]] = {
    "euclidean": _euclidean,
    "sqeuclidean": lambda d: np.sum(d**2, axis=-1),
    "cityblock": lambda d: np.sum(np.abs(d), axis=-1),
    "chebyshev": lambda d: np.max(np.abs(d), axis=-1),
}


def _metric(metric: Any, options: dict[str, Any]) -> Callable[[Any], Any]:
    found = _METRICS.get(metric) if isinstance(metric, str) and not options else None
    if found is None:
        raise Unsupported(
            f"a distance between tensors with metric={metric!r}; expected one of "
            f"{', '.join(_METRICS)}, without options"
        )
    return found


def cdist(XA: Any, XB: Any, metric: Any = "euclidean", **options: Any) -> Any:  # SciPy's names
    """As ``scipy.spatial.distance.cdist``."""
    a, b = joined(XA), joined(XB)
    return _metric(metric, options)(a[:, None, :] - b[None, :, :])


def pdist(X: Any, metric: Any = "euclidean", **options: Any) -> Any:  # SciPy's names
    """As ``scipy.spatial.distance.pdist``."""
    x = joined(X)
    rows, columns = np.triu_indices(len(x), 1)
    return _metric(metric, options)(x[rows] - x[columns])


def squareform(X: Any, force: str = "no", checks: bool = True) -> Any:  # SciPy's names
    """As ``scipy.spatial.distance.squareform``."""
    x = joined(X)
    if x.ndim == 2:
        return x[np.triu_indices(len(x), 1)]
    count = round((1 + (1 + 8 * len(x)) ** 0.5) / 2)
    places = np.zeros((count, count), dtype=int)
    places[np.triu_indices(count, 1)] = np.arange(1, len(x) + 1)
    return np.concatenate([np.zeros(1), x])[places + places.T]
