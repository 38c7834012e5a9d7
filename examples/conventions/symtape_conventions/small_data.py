"""Small data sets for statistical models, of each kind of response; the same on every machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

_X: Final = np.array(
    [
        [1.0, 0.06, -0.31],
        [1.0, -0.43, 0.21],
        [1.0, 0.62, 0.38],
        [1.0, 0.29, -0.57],
        [1.0, -0.16, 0.11],
        [1.0, 0.45, 0.68],
        [1.0, -0.7, -0.14],
        [1.0, 0.22, 0.03],
    ]
)
"""Small beside the constant: a linear predictor is positive, as some links require."""

_GROUPS: Final = np.array([0, 0, 1, 1, 1, 2, 2, 2])


@dataclass(frozen=True, slots=True)
class Data:
    """A response and what it is to be explained by.

    Attributes
    ----------
    kind : str
        What the response is.
    response, regressors : array
    more : dict
        Arguments by keyword that models of this kind require.
    """

    kind: str
    response: Any
    regressors: Any
    more: dict[str, Any]


_RESPONSES: Final[dict[str, Callable[[], Any]]] = {
    "counts": lambda: np.array([2.0, 0.0, 5.0, 1.0, 0.0, 3.0, 1.0, 4.0]),
    "zeros and ones": lambda: np.array([1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0]),
    "classes": lambda: np.array([0.0, 1.0, 2.0, 1.0, 0.0, 2.0, 1.0, 2.0]),
    "positive numbers": lambda: np.array([1.7, 0.4, 3.1, 0.9, 0.6, 2.2, 1.1, 2.6]),
    "shares": lambda: np.array([0.31, 0.72, 0.15, 0.55, 0.83, 0.42, 0.64, 0.27]),
    "positive counts": lambda: np.array([2.0, 1.0, 5.0, 1.0, 3.0, 3.0, 1.0, 4.0]),
}


def data_sets() -> Iterator[Data]:
    """Data of each kind of response; with and without a constant, with and without groups.

    Examples
    --------
    >>> next(data_sets()).kind
    'counts'
    """
    for kind, response in _RESPONSES.items():
        yield Data(kind, response(), _X.copy(), {})
        yield Data(kind, response(), _X[:, 1:].copy(), {})
        for regressors in (_X, _X[:, 1:]):  # Models of each group alone take no constant.
            yield Data(kind, response(), regressors.copy(), {"groups": _GROUPS.copy()})
