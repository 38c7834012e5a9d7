"""What is asked of every name of SciPy: derivatives as by quotients, and a verdict in balls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import symtape
import verify

Function = Callable[[Any], Any]


class Call(NamedTuple):
    """A function of one array, and a point.

    Attributes
    ----------
    function : callable
    at : ndarray
    undecided : str
        Why no verdict is asked for; empty where it is CORRECT.
    """

    function: Function
    at: Any
    undecided: str = ""


def _leaves(y: Any) -> Iterator[Any]:
    if isinstance(y, tuple | list):
        for part in y:
            yield from _leaves(part)
    elif y is not None and np.result_type(y).kind == "f":
        yield y


def weighed(function: Function) -> Function:
    """A number of all that a function gives, in which each entry counts by another weight."""

    def total(x: Any) -> Any:
        sums = []
        for number, y in enumerate(_leaves(function(x))):
            weights = np.cos(1.0 + number + np.arange(np.size(y))).reshape(np.shape(y))
            sums.append(np.sum(y * weights) + 0.25 * np.sum(y * y * weights))
        return sum(sums[1:], start=sums[0])

    return total


def _quotients(function: Function, x: Any, step: float = 1e-6) -> Any:
    found = []
    for place in range(x.size):
        moved = np.zeros(x.size)
        moved[place] = step
        moved = moved.reshape(x.shape)
        found.append((np.asarray(function(x + moved)) - np.asarray(function(x - moved))) / 2 / step)
    return np.array(found)


_STEP = 1e-3
_WEIGHTS = {-2: 1 / 12, -1: -8 / 12, 1: 8 / 12, 2: -1 / 12}


def quotient(function: Function, x: Any, along: Any) -> Any:
    """The slope of a function along a direction, by differences of fourth order."""
    terms = [w * function(x + k * _STEP * along) for k, w in _WEIGHTS.items()]
    return sum(terms[1:], terms[0]) / _STEP


def check_derivatives(call: Call) -> None:
    """First, forward and second derivatives, beside quotients."""
    function = weighed(call.function)
    x = np.asarray(call.at, dtype=np.float64)
    gradient = symtape.grad(function)
    first, second = np.asarray(gradient(x)), np.asarray(symtape.hessian(function)(x))
    assert np.any(first != 0)
    expected = _quotients(function, x).reshape(x.shape)
    close(first, expected)
    along = np.sin(1.0 + np.arange(x.size)).reshape(x.shape)
    close(symtape.jvp(function, (x,), (along,))[1], np.sum(first * along))
    close(second.reshape(x.size, x.size), _quotients(gradient, x).reshape(x.size, x.size))


def close(found: Any, expected: Any) -> None:
    scale = np.max(np.abs(expected))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6 * scale)


def check_verdict(call: Call) -> None:
    """The tape's gradient is CORRECT, or it is said why that is not known."""
    result = verify.gradient(weighed(call.function), at=[np.asarray(call.at, dtype=np.float64)])
    if call.undecided:
        assert result.verdict.value == "UNDECIDED", f"it says {result.verdict.value} by now"
        assert call.undecided in str(result)
    else:
        assert result.verdict.value == "CORRECT", str(result)


def check_single(call: Call) -> None:
    """In single precision the gradient is one, as far as the numbers go."""
    function = weighed(call.function)
    x = np.asarray(call.at, dtype=np.float64)
    single = np.asarray(symtape.grad(function)(x.astype(np.float32)))
    assert single.dtype == np.float32
    expected = np.asarray(symtape.grad(function)(x))
    scale = max(np.max(np.abs(expected)), 1.0)
    np.testing.assert_allclose(single, expected, rtol=1e-2, atol=1e-2 * scale)
