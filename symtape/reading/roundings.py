"""What a few ulps of the arguments cost: so much may another order of roundings cost as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.recording.structure import flatten
from symtape.recording.tensor import Tensor

_MOST: Final = 16
"""How much more than a few ulps of the arguments another order of roundings may cost."""


_TIMES: Final = 3
"""How often the arguments are moved: a result may be the same by chance."""


def nudge_value(x: Any, moves: np.random.Generator) -> Any:
    """The value of a tensor with every number a few ulps away; all else as it is.

    Each number goes its own way: a straight line that is scaled is a straight line still.
    """
    if not isinstance(x, Tensor):
        return x
    value = x._value
    if value.dtype.kind != "f":
        return value
    return value * (1 + np.finfo(value.dtype).eps * moves.uniform(-4, 4, value.shape))


def are_roundings(
    found: Any, computed: Any, call_nearby: Callable[[np.random.Generator], Any]
) -> bool:
    """Whether results differ by no more than those of arguments that are a few ulps apart.

    Of the residual of a fit no digit is the same in another order of the operations.
    """
    moves = np.random.default_rng(0)
    results = [found, computed, *(call_nearby(moves) for _ in range(_TIMES))]
    ours, theirs, *others = ([_array(x) for x in flatten(result)] for result in results)
    shapes = [x.shape for x in theirs]
    if any([x.shape for x in each] != shapes for each in (ours, *others)):
        return False
    return all(
        bool(np.all(np.abs(x - y) <= _MOST * max(_distance(z, y) for z in near)))
        for x, y, *near in zip(ours, theirs, *others, strict=True)
    )


def _distance(x: Any, y: Any) -> Any:
    return np.max(np.abs(x - y), initial=0.0)


def _array(x: Any) -> Any:
    return np.asarray(x._value if isinstance(x, Tensor) else x)
