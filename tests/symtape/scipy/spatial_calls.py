"""Calls of ``scipy.spatial`` by its own names."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import scipy.spatial
import scipy.spatial.distance as sd
from scipy.spatial.transform import Rotation

from tests.symtape.scipy.checks import Call

X: Final = np.array(
    [[0.3, 1.25, 0.7], [0.9, 0.2, 1.5], [2.0, 0.55, 0.1], [0.6, 1.9, 0.4], [1.1, 0.8, 2.2]]
)
Y: Final = np.array([[1.0, 0.4, 0.35], [0.2, 0.75, 1.15]])
WEIGHTS: Final = np.array([0.5, 1.0, 2.0])
METRIC: Final = np.array([[2.0, 0.25, 0.0], [0.25, 1.0, 0.5], [0.0, 0.5, 1.5]])
U, V = X[0], Y[1]

PLAIN: Final = (
    *("braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "euclidean"),
    *("jensenshannon", "sqeuclidean"),
)
MATRIX: Final = (*PLAIN, "mahalanobis", "minkowski", "seuclidean")
WEIGHED: Final = ("braycurtis", "canberra", "cityblock", "correlation", "cosine", "euclidean")


def _between(metric: str, **options: Any) -> Call:
    return Call(lambda x: sd.cdist(x, Y, metric, **options), X)


def _among(metric: str) -> Call:
    return Call(lambda x: sd.pdist(x, metric), X)


def _single(metric: str, *more: Any) -> Call:
    return Call(lambda u: getattr(sd, metric)(u, V, *more), U)


DISTANCES: Final = {
    **{f"cdist by {metric}": _between(metric) for metric in MATRIX},
    **{f"cdist by weighted {metric}": _between(metric, w=WEIGHTS) for metric in WEIGHED},
    **{f"pdist by {metric}": _among(metric) for metric in MATRIX},
    **{metric: _single(metric) for metric in PLAIN},
    "minkowski": _single("minkowski", 3),
    "mahalanobis": _single("mahalanobis", METRIC),
    "seuclidean": _single("seuclidean", WEIGHTS),
    "pdist of an order, with weights": Call(lambda x: sd.pdist(x, "minkowski", p=3, w=WEIGHTS), X),
    "cdist by VI": Call(lambda y: sd.cdist(X, y, "mahalanobis", VI=METRIC), Y),
    "cdist by V": Call(lambda y: sd.cdist(X, y, "seuclidean", V=WEIGHTS), Y),
    "jensenshannon to the base 2": _single("jensenshannon", 2),
    "pdist by a function": Call(lambda x: sd.pdist(x, lambda u, v: np.sum((u - v) ** 4)), X),
    "squareform": Call(lambda x: sd.squareform(sd.pdist(x)) @ X, X),
}

VECTOR: Final = np.array([0.25, -0.5, 0.75])
UNIT: Final = V / np.linalg.norm(V)
FIXED: Final = Rotation.from_euler("xyz", [0.125, 0.25, 0.375])

ROTATIONS: Final = {
    "from_rotvec": Call(lambda x: Rotation.from_rotvec(x).as_matrix(), VECTOR),
    "from_rotvec of many": Call(lambda x: Rotation.from_rotvec(x).as_matrix(), X / 4),
    "from_quat": Call(lambda q: Rotation.from_quat(q).as_matrix(), np.append(VECTOR, 0.5)),
    "from_euler": Call(lambda x: Rotation.from_euler("zyx", x).as_matrix(), VECTOR),
    "from_euler in degrees": Call(
        lambda x: Rotation.from_euler("z", 40 * x[0], degrees=True).apply(X), VECTOR
    ),
    "from_mrp": Call(lambda x: Rotation.from_mrp(x).as_mrp(), VECTOR),
    "from_matrix": Call(
        lambda x: Rotation.from_matrix(Rotation.from_rotvec(x).as_matrix()).as_rotvec(), VECTOR
    ),
    "as_euler": Call(lambda x: Rotation.from_rotvec(x).inv().as_euler("xyz"), VECTOR),
    "apply": Call(lambda x: Rotation.from_rotvec(x).apply(X), VECTOR),
    "apply to a tensor": Call(lambda x: FIXED.apply(x), VECTOR),
    "apply the inverse": Call(lambda x: FIXED.apply(x, inverse=True), X),
    "product": Call(lambda x: (FIXED * Rotation.from_rotvec(x)).as_quat(), VECTOR),
    "power": Call(lambda x: (Rotation.from_rotvec(x) ** 0.5).as_matrix(), VECTOR),
    "magnitude": Call(lambda x: Rotation.from_rotvec(x).magnitude(), VECTOR),
}

OTHERS: Final = {
    "geometric_slerp": Call(
        lambda x: scipy.spatial.geometric_slerp(x / np.linalg.norm(x), UNIT, [0.25, 0.5]), U
    ),
    "procrustes": Call(lambda x: scipy.spatial.procrustes(x, X[:, :2] ** 2), X[:, 1:].copy()),
}
