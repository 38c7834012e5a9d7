"""Arguments of rows that work on whole arrays, for the shapes that their examples leave out."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from symtape.primitives.indexing import Slot


def _grid(*shape: int, step: float = 0.37, start: float = 0.3) -> Any:
    """An array of different numbers, of both signs, in no order."""
    count = int(np.prod(shape))
    values = np.round(np.sin(start + step * 7 * np.arange(count)) + 0.01 * np.arange(count), 3)
    return values.reshape(shape)


_PLANE: Final = _grid(2, 3)
_CUBE: Final = _grid(2, 2, 3)
_SQUARE: Final = _grid(2, 2) + 2 * np.eye(2)
_STACK: Final = np.stack([_SQUARE, _SQUARE.T + 0.5])

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def _axis_reductions(array: Any, **others: Any) -> list[Arguments]:
    """Reductions along each axis, with and without its place kept."""
    return [
        ((array,), {"axis": (axis,), "keepdims": keep, **others})
        for axis in (0, 1)
        for keep in (False, True)
    ]


_DEEP: Final = np.stack([_SQUARE, _SQUARE.T + 0.5, _SQUARE + np.eye(2)])[None]
"""A stack of stacks, which takes apart axes that count from either end."""

_POSITIVE: Final = _DEEP @ np.swapaxes(_DEEP, -1, -2)

_ORDERED: Final[list[Arguments]] = [
    ((np.array([1.5, -2.0]), np.array([0.5, -1.0])), {}),
    ((np.array([0.5, 2.0]), np.array([1.5, 1.0])), {}),
]

# 0 and 1 are where rules ask for special values.
_POWERS: Final[list[Arguments]] = [
    ((1.0, 2.5), {}),
    ((2.5, 1.0), {}),
    ((1.0, 1.0), {}),
    ((1.5, 2.0), {}),
    ((2.5, 0.0), {}),
]

FURTHER: Final[dict[str, list[Arguments]]] = {
    "matmul": [
        ((_grid(2), _PLANE), {}),
        ((_PLANE, _grid(3)), {}),
        ((_CUBE, _grid(3)), {}),
        ((_CUBE, _grid(3, 2)), {}),
        ((_PLANE, _grid(2, 3, 2)), {}),
        ((_CUBE, _grid(2, 3, 2, start=0.7)), {}),
        ((_grid(2, 1, 2, 3), _grid(2, 3, 2)), {}),
    ],
    "maximum": _ORDERED,
    "minimum": _ORDERED,
    "fmax": _ORDERED,
    "fmin": _ORDERED,
    "where": [
        ((np.array([False, True]), np.array([0.5, 1.5]), np.array([2.0, -1.0])), {}),
        ((np.array([True, False]), np.array([0.5, 1.5]), np.array([2.0, -1.0])), {}),
    ],
    "triu": [((_SQUARE,), {"k": 0})],
    "diagonal": [((_CUBE,), {"offset": 0})],
    "heaviside": [((1.0, 0.5), {})],
    "kl_div": [((0.5, 1.0), {}), ((1.0, 0.5), {})],
    "power": _POWERS,
    "float_power": _POWERS,
    "cholesky": [((_POSITIVE,), {"upper": False})],
    "qr": [((_DEEP,), {})],
    "svd": [((_grid(2, 3, 2),), {}), ((_grid(2, 2, 3),), {})],
    "getitem_by": [((_grid(3), np.array([2, 0])), {"template": (Slot(0, boolean=False),)})],
    "expm": [((_DEEP,), {})],
    "solve": [
        ((_STACK, _grid(2)), {}),
        ((_DEEP, _grid(1, 3, 2, 1)), {}),
        ((_STACK, _grid(2, 3)), {}),
        ((_SQUARE, _grid(2, 2, 3)), {}),
    ],
    "cofactor": [((_STACK,), {}), ((_grid(2, 3, 3),), {})],
    "cross": [
        ((_grid(3), _PLANE), {}),
        ((_PLANE, _grid(3)), {}),
        ((_grid(2, 3, start=0.9), _PLANE), {}),
    ],
    "sum": _axis_reductions(_PLANE),
    "mean": [*_axis_reductions(_PLANE), ((_grid(1, 3),), {"axis": (0,), "keepdims": False})],
    "prod": _axis_reductions(_PLANE),
    "var": _axis_reductions(_PLANE, ddof=1),
    "std": [
        *_axis_reductions(_PLANE, ddof=1),
        ((np.array([-1.0, 1.0]),), {"axis": (0,), "ddof": 0, "keepdims": False}),
    ],
    "max": _axis_reductions(_PLANE),
    "min": [
        *_axis_reductions(_PLANE),
        ((np.array([[3.0, 1.0], [2.0, 0.5]]),), {"axis": None, "keepdims": False}),
    ],
    "logsumexp": _axis_reductions(_PLANE),
    "power_norm": [
        *_axis_reductions(np.abs(_PLANE), p=2.5),
        ((np.abs(_grid(3)) + 0.5,), {"p": 0.5, "axis": None, "keepdims": False}),
        ((np.array([1.0, 1e-9, 1e-9]),), {"p": 3.0, "axis": None, "keepdims": False}),
    ],
    "euclidean_norm": [
        *_axis_reductions(_PLANE),
        ((np.array([1.0, 0.0, 0.0]),), {"axis": (0,), "keepdims": False}),
    ],
}
