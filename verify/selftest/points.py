"""Points of a row at which its rule is tried: the examples, near them, side by side, far out."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

import symtape
from symtape.primitives.indexing import Slot
from symtape.primitives.primitive import Primitive
from symtape.primitives.vocabulary import examples, moving_inputs
from verify.selftest.outcome import Trial
from verify.suites.primitives import cases_at

FAR: Final = (600.0, 300.0, 100.0, 40.0, 20.0, 8.0, 3.0, 0.99, 0.9)
"""Absolute values at which a tail is looked for."""

_NOT_SO_FAR: Final = 20.0

_NEAR_COUNT: Final = 2
"""Random points near an example."""

_WIDE: Final = 3
"""Elements of the arrays that elementwise rows are given."""

Inputs = tuple[Any, ...]


def generator(seed: int, name: str) -> np.random.Generator:
    """A generator of its own for each name, so that tasks may run in any order."""
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


def trials_of(row: Primitive, seed: int) -> list[Trial]:
    """The trials of a row, those first that most often suffice."""
    draw = generator(seed, row.name)
    found: list[Trial] = []
    given = [*examples(row), *FURTHER.get(row.name, [])]
    for number, (inputs, params) in enumerate(given, 1):
        stem = f"primitives/{row.name}.{number}"
        own = list(_trials(row, inputs, params, stem))
        found += own
        found += [_scale_trial(trial) for trial in own]
        near = list(itertools.islice(nearby(row, inputs, params, draw), _NEAR_COUNT))
        for x in near:
            found += _trials(row, x, params, f"{stem} nearby")
        if row.elementwise:
            found += _wide(row, [inputs, *near], params, stem)
            found += _tails(row, inputs, params, stem)
    return found


def _trials(
    row: Primitive, inputs: Inputs, params: dict[str, Any], stem: str, far: int = -1
) -> Iterator[Trial]:
    for case in cases_at(row, inputs, params, stem):
        yield Trial(case, tuple(inputs), far=far)


def _scale_trial(trial: Trial) -> Trial:
    function = trial.case.function

    def scaled_function(*xs: Any) -> Any:
        return 3 * function(*xs)

    case = replace(trial.case, id=f"{trial.case.id} times 3", function=scaled_function)
    return replace(trial, case=case, scaled=True)


def nearby(
    row: Primitive, inputs: Inputs, params: dict[str, Any], draw: np.random.Generator
) -> Iterator[Inputs]:
    """Points around an example, in the domain of the row and off its kinks."""
    for _ in range(40):
        moved = move_inputs(row, inputs, draw, 0.3, digits=4)
        if is_differentiable_at(row, moved, params):
            yield moved


def move_inputs(
    row: Primitive, inputs: Inputs, draw: np.random.Generator, scale: float, digits: int = 17
) -> Inputs:
    """Inputs that move, each number changed by at most a share of itself."""
    moving = moving_inputs(row, tuple(np.asarray(x) for x in inputs))

    def shake(x: Any) -> Any:
        array = np.asarray(x, dtype=np.float64)
        return np.round(array * (1 + scale * draw.uniform(-1, 1, array.shape)), digits)[()]

    return tuple(shake(x) if k in moving else x for k, x in enumerate(inputs))


def is_differentiable_at(row: Primitive, inputs: Inputs, params: dict[str, Any]) -> bool:
    """Whether the row has a finite value there, and a classical derivative."""
    given = [np.asarray(x) for x in inputs]
    with np.errstate(all="ignore"):
        try:
            if row.domain is not None and not np.all(row.domain(*given, **params)):
                return False
            if row.kinks is not None and np.any(row.kinks(*given, **params)):
                return False
            value = row.evaluate(*inputs_of(given), **params)
        except (ValueError, ArithmeticError, np.linalg.LinAlgError):
            return False
        return all(bool(np.all(np.isfinite(v))) for v in _values(value))


def inputs_of(values: Sequence[Any]) -> list[Any]:
    """Values as arrays, numbers kept as they are."""
    return [x[()] if np.ndim(x) == 0 else x for x in values]


def _values(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, tuple) else (value,)


def _wide(
    row: Primitive, points: Sequence[Inputs], params: dict[str, Any], stem: str
) -> Iterator[Trial]:
    """The scalars of several points as arrays; of two inputs, the second also broadcast."""
    moving = moving_inputs(row, tuple(np.asarray(x) for x in points[0]))
    if any(np.ndim(x) for x in points[0]) or len(points) < 2:
        return
    chosen = list(itertools.islice(itertools.cycle(points), _WIDE))
    wide = tuple(
        np.array([p[k] for p in chosen]) if k in moving else x for k, x in enumerate(points[0])
    )
    together = [wide]
    if len(moving) == 2:
        first, second = moving
        together += [
            replace_input(wide, first, wide[first][:2, None]),
            replace_input(wide, second, wide[second][0]),
        ]
    for inputs in together:
        if is_differentiable_at(row, inputs, params):
            yield from _trials(row, inputs, params, f"{stem} wide")


def replace_input(inputs: Inputs, place: int, value: Any) -> Inputs:
    """The inputs, one of them another."""
    return tuple(value if k == place else x for k, x in enumerate(inputs))


def _tails(row: Primitive, inputs: Inputs, params: dict[str, Any], stem: str) -> Iterator[Trial]:
    """For each scalar input, far points at which there is a derivative to lose."""
    for place in moving_inputs(row, tuple(np.asarray(x) for x in inputs)):
        if np.ndim(inputs[place]):
            continue
        for values in (FAR, [far for far in FAR if far <= _NOT_SO_FAR]):
            yield from _farthest(row, inputs, params, stem, place, values)


def _farthest(
    row: Primitive,
    inputs: Inputs,
    params: dict[str, Any],
    stem: str,
    place: int,
    values: Sequence[float],
) -> list[Trial]:
    for value in (sign * far for far in values for sign in (1, -1)):
        far = replace_input(inputs, place, value)
        if abs(value) > abs(inputs[place]) and is_differentiable_at(row, far, params):
            trials = list(_trials(row, far, params, f"{stem} far", place))
            if trials and all(_slopes(trial) for trial in trials):
                return trials
    return []


def _slopes(trial: Trial) -> bool:
    """Whether the tape's derivative at a trial is a float that is neither 0 nor infinite."""
    case = trial.case
    arguments = tuple(range(len(case.at[0])))
    with np.errstate(all="ignore"):
        parts = symtape.jacobian(case.function, argnums=arguments)(*case.at[0])
    return all(bool(np.all(np.isfinite(p))) for p in parts) and any(np.any(p) for p in parts)


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
