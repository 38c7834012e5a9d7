"""Guards: clipped arguments, beyond which a function is constant outside of its domain."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any, Final

import numpy as np

from verify.auditing.packages.arguments import parse_source
from verify.auditing.packages.silence import silence
from verify.model.case import argument_names

_STEP: Final = 0.01
"""How far beyond a point it is seen whether a function varies, of its size."""

_BESIDE: Final = 1e-2
"""How far from a whole number a guard may lie; one at 0 or 1 itself is a branch of the function."""

_TINY: Final = 1e-308
"""Next to zero, and no more rounded to it by a factor."""

_HALVINGS: Final = 60

_CLIPPING: Final = frozenset({"clip", "max", "maximum", "min", "minimum"})

Function = Callable[..., Any]
Point = Sequence[Any]


def answer_at(function: Function, point: Point) -> Any:
    """What a function returns, or the error that it raises."""
    try:
        with silence():
            return function(*(np.array(x)[()] for x in point))
    except (Exception, SystemExit) as error:  # noqa: BLE001  # whatever a package raises
        return error


def value_at(function: Function, point: Point) -> Any:
    """The value of a function; None where it has none."""
    found = answer_at(function, point)
    return None if isinstance(found, BaseException) else found


def is_beyond_guard(function: Function, inside: Point, point: Point) -> bool:
    """Whether a number of `point` is clipped, by a guard that it has not reached `inside`.

    Beyond a guard the function is constant, from beside a whole number on; or from anywhere on,
    where its source sets the argument to an end of its range.

    Examples
    --------
    >>> def log(p):
    ...     return np.log(np.clip(p, 1e-10, None))
    >>> is_beyond_guard(log, [0.5], [-0.5]), is_beyond_guard(log, [0.5], [2.0])
    (True, False)
    >>> is_beyond_guard(lambda x: np.maximum(x, 0.0), [0.5], [-0.5])
    False
    """
    here = value_at(function, point)
    called = inspect.unwrap(function)
    clamped = _clamped_names(getattr(called, "__code__", None))
    names = argument_names(function, len(point))
    for k, (start, end) in enumerate(zip(inside, point, strict=True)):
        for place in np.ndindex(np.shape(end)):

            def is_same(x: float, k: int = k, place: tuple[int, ...] = place) -> bool:
                moved = np.array(point[k], dtype=np.float64)
                moved[place] = x
                found = value_at(function, [*point[:k], moved, *point[k + 1 :]])
                return here is not None and found is not None and np.array_equal(found, here)

            ends = float(np.asarray(start)[place]), float(np.asarray(end)[place])
            if _is_clipped(is_same, *ends, anywhere=names[k] in clamped):
                return True
    return False


@functools.lru_cache(maxsize=256)  # codes of functions
def _clamped_names(code: CodeType | None) -> frozenset[str]:
    """The parameters that a function sets to an end of a range, as its source says."""
    found = set()
    for node in ast.walk(parse_source(code)):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Compare):
            compared = {it.id for it in ast.walk(node.test) if isinstance(it, ast.Name)}
            found |= compared & set(map(_name_set_by, node.body))
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            clips = ast.unparse(node.value.func).rpartition(".")[2] in _CLIPPING
            given = {it.id for it in ast.walk(node.value) if isinstance(it, ast.Name)}
            found |= given & {_name_set_by(node)} if clips else set()
    return frozenset(found)


def _name_set_by(node: ast.stmt) -> str:
    return ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) else ""


def _is_clipped(is_same: Callable[[float], bool], near: float, far: float, anywhere: bool) -> bool:
    """Whether values are the same from `far` to a guard, and another at `near`."""
    if far == near or not is_same(far + _STEP * abs(far) * np.sign(far - near)) or is_same(near):
        return False
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        near, far = (near, middle) if is_same(middle) else (middle, far)
    whole = float(np.round(far))
    next_to_it = np.nextafter(whole, near) if whole else np.copysign(_TINY, near - far)
    beside = abs(far - whole) <= _BESIDE
    return (anywhere and not (beside and abs(whole) <= 1)) or (
        beside and is_same(float(next_to_it))
    )
