"""Whether a claim differentiates numerically, so that nobody has written a derivative by hand."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from itertools import combinations, islice
from types import CodeType, FrameType
from typing import Any, Final

_NAMES: Final = re.compile(
    r"approx_?(fprime|hess|deriv|jac)|numdiff|numerical_?(deriv|diff|grad|jac|hess)"
    r"|\bd\w*_d\w+_numerical\b|(?<!set_)finite_diff"
)
_AROUND: Final = 0.1
"""How far apart two points may lie about one, of its size, to be steps from it."""

_MOST: Final = 12
"""Calls of one function that are set against each other."""


def differentiating_numerically(
    claim: Callable[..., Any], point: Sequence[Any] = ()
) -> tuple[Any, str]:
    """What a claim returns, and the function that it differentiates with numerically, if any.

    That is one of such a name, or one that it calls on both sides of a number of its point.

    Examples
    --------
    >>> from scipy.optimize import approx_fprime
    >>> differentiating_numerically(lambda: float(approx_fprime([1.0], lambda x: 3.0)[0]))
    (0.0, 'approx_fprime')
    >>> def square(x):
    ...     return x * x
    >>> differentiating_numerically(lambda x: (square(x + 0.5) - square(x - 0.5)) / 1.0, [64.0])
    (128.0, 'square')
    """
    found: list[str] = []
    calls: dict[CodeType, dict[tuple[float, ...], None]] = defaultdict(dict)

    def watch(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and _NAMES.search(code.co_name):
            found.append(code.co_name)
        elif event == "call":
            given = [frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount]]
            calls[code][tuple(float(x) for x in given if isinstance(x, float | int))] = None

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        value = claim(*point)
    finally:
        sys.setprofile(before)
    numbers = [float(x) for x in point if isinstance(x, float | int)]
    found += [code.co_name for code, each in calls.items() if _is_stepped(each, numbers)]
    return value, found[0] if found else ""


def _is_stepped(calls: Collection[tuple[float, ...]], numbers: Sequence[float]) -> bool:
    """Whether two calls differ in one argument, and lie on both sides of a number."""
    for one, other in combinations(islice(calls, _MOST), 2):
        moved = [(a, b) for a, b in zip(one, other, strict=False) if a != b]
        if len(one) == len(other) and len(moved) == 1:
            ((a, b),) = moved
            middle = (a + b) / 2
            near = abs(a - b) <= _AROUND * abs(middle)
            if near and any(abs(middle - x) <= 1e-12 * abs(x) for x in numbers):
                return True
    return False
