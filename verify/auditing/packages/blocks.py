"""Blocks of a derivative that a claim leaves out, because they are zero."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

Function = Callable[..., Any]


def fill_zero_blocks(
    claim: Function,
    function: Function,
    names: Sequence[str],
    by: Sequence[str],
    zero: Sequence[str] = (),
) -> Function:
    """A claim that gives an array for each argument, where it gave a dict or ``None`` for some.

    Parameters
    ----------
    claim, function : callable
        Of the arguments called `names`.
    names, by : sequence of str
        All arguments, and those that the derivative is by.
    zero : sequence of str
        Those by which the derivative is said to be zero: the claim may leave them out.

    Examples
    --------
    >>> claim = fill_zero_blocks(lambda x, y: {"x": 2 * x}, lambda x, y: x * x, "xy", "xy", ["y"])
    >>> claim(3.0, 1.0)
    (6.0, array(0.))
    """

    def call(*arguments: Any) -> Any:
        answer = claim(*arguments)
        parts = blocks(answer, by, zero)
        if parts is None:
            return answer
        if all(part is not None for part in parts):
            return tuple(parts)
        out = np.shape(function(*arguments))
        shapes = dict(zip(names, map(np.shape, arguments), strict=True))
        return tuple(
            np.zeros(out + shapes[name]) if part is None else part
            for name, part in zip(by, parts, strict=True)
        )

    return call


def blocks(answer: Any, by: Sequence[str], zero: Sequence[str] = ()) -> list[Any] | None:
    """A block for each argument, ``None`` where it is left out; None if `answer` has no blocks.

    Examples
    --------
    >>> blocks((1.0, None), "xy"), blocks([1.0], "xy", ["y"]), blocks(1.0, "x")
    ([1.0, None], [1.0, None], None)
    """
    if isinstance(answer, Mapping):
        return [answer.get(name) for name in by]
    if not isinstance(answer, list | tuple):
        return None
    if zero and len(answer) == len(by) - len(zero):
        given = iter(answer)
        return [None if name in zero else next(given) for name in by]
    if len(answer) == len(by) and any(part is None for part in answer):
        return list(answer)
    return None


def find_undeclared_blocks(answer: Any, by: Sequence[str], zero: Sequence[str] = ()) -> list[str]:
    """The arguments whose blocks are left out, and were not said to be zero."""
    parts = blocks(answer, by, zero) or []
    return [
        name for name, part in zip(by, parts, strict=False) if part is None and name not in zero
    ]
