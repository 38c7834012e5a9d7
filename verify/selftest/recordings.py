"""Faults planted in recordings: functions of which a value is lost on the way, as user code has it.

What is frozen has another derivative than the function. The derivative of the frozen function is
claimed, and must not pass; that of the function itself must not be called wrong.
"""

from __future__ import annotations

import ctypes
import functools
import json
import math
import pickle
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from verify.selftest.corners import Corner, confirm_right, refute_wrong
from verify.selftest.outcome import Outcome, Pair
from verify.selftest.points import generator

_POINTS: Final = 2


def _remembering_square() -> Callable[[Any], Any]:
    known: dict[float, Any] = {}

    def square(t: Any) -> Any:
        key = float(t)
        if key not in known:
            known[key] = key**2
        return known[key]

    return square


def _square_through_buffer(t: Any) -> Any:
    seen: Any = memoryview(np.asarray(t).data)
    return seen[()] ** 2


_cached_square = functools.lru_cache(maxsize=64)(lambda key: key**2)  # users keep values so

LOSSES: Final[dict[str, Callable[[Any], Any]]] = {
    "math.pow": lambda t: math.pow(t, 2),
    "math.exp": lambda t: math.exp(2 * math.log(t)),
    "math.hypot": lambda t: math.hypot(t, 0.0) ** 2,
    "math.fsum": lambda t: math.fsum([t * t, 0.0]),
    "float": lambda t: float(t) ** 2,
    "float of str": lambda t: float(str(t)) ** 2,
    "float of repr": lambda t: float(repr(float(t))) ** 2,
    "format": lambda t: float(f"{t:.17g}") ** 2,
    "item": lambda t: t.item() ** 2,
    "tolist": lambda t: np.asarray(t).tolist() ** 2,
    "np.frompyfunc of C code": lambda t: np.frompyfunc(math.sqrt, 1, 1)(t) ** 4,
    "np.vectorize of C code": lambda t: np.vectorize(math.sqrt)(t) ** 4,
    "objects": lambda t: np.asarray(t, dtype=object) ** 2,
    "bytes": lambda t: np.frombuffer(np.asarray(t).tobytes())[0] ** 2,
    "struct": lambda t: struct.unpack("d", struct.pack("d", t))[0] ** 2,
    "json": lambda t: json.loads(json.dumps(float(t))) ** 2,
    "pickle": lambda t: pickle.loads(pickle.dumps(t)) ** 2,
    "ctypes": lambda t: ctypes.c_double(t).value ** 2,
    "complex": lambda t: complex(t * (1 + 1j)).imag ** 2,
    "a cache by value": _remembering_square(),
    "functools.lru_cache": lambda t: _cached_square(float(t)),
    "type is ndarray": lambda t: t**2 if type(t).__module__ == "numpy" else t**2 * 0 + 2.25,
    "hasattr": lambda t: t**2 if hasattr(t, "setflags") else t * 0 + 2.25,
    "buffer": _square_through_buffer,
}
"""Squares of a positive number that a tape cannot follow, or takes for something else."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """A function of two numbers that squares the second; its derivative, and with that held."""

    function: Callable[[Any, Any, Callable[[Any], Any]], Any]
    derivative: Callable[[Any, Any], tuple[Any, Any]]
    frozen: Callable[[Any, Any], tuple[Any, Any]]


_SHAPES: Final[dict[str, _Shape]] = {
    "as a factor": _Shape(
        lambda a, b, square: a * square(b),
        lambda a, b: (b**2, 2 * a * b),
        lambda a, b: (b**2, 0 * a),
    ),
    "as a term": _Shape(
        lambda a, b, square: np.sin(a) * b + square(b),
        lambda a, b: (np.cos(a) * b, np.sin(a) + 2 * b),
        lambda a, b: (np.cos(a) * b, np.sin(a)),
    ),
    "inside of a function": _Shape(
        lambda a, b, square: np.exp(-a * square(b)),
        lambda a, b: (-(b**2) * np.exp(-a * b**2), -2 * a * b * np.exp(-a * b**2)),
        lambda a, b: (-(b**2) * np.exp(-a * b**2), 0 * a),
    ),
}


def _corners(name: str, seed: int) -> Iterator[tuple[str, Corner]]:
    """The functions, each claimed to have its own derivative and the frozen one."""
    draw = generator(seed, f"recording {name}")
    for words, shape in _SHAPES.items():
        at = tuple(
            np.array([round(draw.uniform(0.5, 1.5), 4), round(draw.uniform(1.6, 2.5), 4)])
            for _ in range(_POINTS)
        )

        def function(x: Any, shape: _Shape = shape) -> Any:
            return shape.function(x[0], x[1], LOSSES[name])

        def frozen(x: Any, shape: _Shape = shape) -> Any:
            return np.array(shape.frozen(x[0], x[1]))

        def right(x: Any, shape: _Shape = shape) -> Any:
            return np.array(shape.derivative(x[0], x[1]))

        stem = f"recording of {name}: {words}"
        yield stem, Corner("lost in recording", function, right, {"held": frozen}, at)


def try_recording(name: str, keep: Callable[[str], bool], seed: int) -> list[Outcome]:
    """Claim the derivatives of what would be frozen, and verify."""
    return [it for stem, corner in _corners(name, seed) for it in refute_wrong(corner, stem, keep)]


def claims_about(name: str, keep: Callable[[str], bool], seed: int) -> list[Pair]:
    """Claim the right derivatives of the same functions."""
    return [it for stem, corner in _corners(name, seed) for it in confirm_right(corner, stem, keep)]
