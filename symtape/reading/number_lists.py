"""Lists of plain numbers as arguments: lists, unless the function takes them for arrays.

``(l + [1.0])[-1]`` joins lists, where of an array it would add to each entry. So a function is
given the list. Only where that is no recording, as in ``weights * l``, is it given an array, and
only if it computes the same of one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from symtape.reading.readings import same_values
from symtape.recording.structure import flatten, pack

_MOVED: Final = (0.0, 2.0**-5)
"""How far, relatively, the numbers are moved at which both are called."""


def alike_of_arrays(
    function: Callable[..., Any], given: dict[Any, Any], lists: Sequence[Any], count: int
) -> bool:
    """Whether a function computes of arrays what it computes of lists, if it takes these at all.

    Parameters
    ----------
    function : callable
    given : dict
        Its arguments by position, `count` of them, and by keyword.
    lists : sequence
        Which of them are lists of numbers.

    Examples
    --------
    >>> alike_of_arrays(np.sum, {0: [1.0, 2.0]}, [0], 1)
    True
    >>> alike_of_arrays(lambda l: np.sum(l + [1.0]), {0: [1.0, 2.0]}, [0], 1)
    False
    """
    for step in _MOVED:
        moved = given | {key: _move_numbers(given[key], step) for key in lists}
        found = _call_if_possible(function, moved, count)
        if found is None:
            continue
        other = _call_if_possible(
            function, moved | {key: np.asarray(moved[key]) for key in lists}, count
        )
        if other is None or not same_values(other[0], found[0]):
            return False
    return True


def _move_numbers(numbers: Any, step: float) -> Any:
    leaves = [float(x) for x in flatten(numbers)]
    return pack(numbers, iter([x + step * (1 + k) * (1 + abs(x)) for k, x in enumerate(leaves)]))


def _call_if_possible(
    function: Callable[..., Any], given: dict[Any, Any], count: int
) -> tuple[Any] | None:
    named = dict(given)
    positional = [named.pop(k) for k in range(count)]
    try:
        return (function(*positional, **named),)
    except Exception:  # noqa: BLE001  # users' code, asked whether it takes lists
        return None
