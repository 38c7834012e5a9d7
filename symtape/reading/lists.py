"""NumPy's functions of lists with tensors in them: ``np.sum([t**2 for t in x])``.

NumPy asks a tensor what a function means, and asks nobody when it is given a list. Here the list
is stacked first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.recording.in_place import holds_tensor, join_nested, lift_tensors

_OF_ARRAYS: Final = frozenset(
    ("concatenate", "stack", "hstack", "vstack", "dstack", "column_stack")
)
"""Functions to which a list is one of arrays."""

_OF_OTHERS: Final = frozenset(
    (
        *("block", "select", "piecewise", "choose", "multi_dot"),
        *("ix_", "lexsort", "shape", "ndim", "size", "unravel_index"),
    )
)
"""Functions to which a list is something else."""


class TakingLists:
    """A function of NumPy, or a method of one, that takes lists of tensors for arrays."""

    __slots__ = ("_of",)

    def __init__(self, of: Any) -> None:
        self._of = of

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """What the function gives of arrays in place of the lists."""
        if getattr(self._of, "__name__", "") in _OF_ARRAYS and isinstance(args[0], list | tuple):
            args = ([_array(item) for item in args[0]], *args[1:])
            return self._of(*args, **keywords)
        return self._of(*map(_array, args), **{key: _array(x) for key, x in keywords.items()})

    def __getattr__(self, name: str) -> Any:
        return TakingLists(getattr(self._of, name))


def _array(x: Any) -> Any:
    return lift_tensors(join_nested(x)) if isinstance(x, list | tuple) and holds_tensor(x) else x


def takes_lists(value: Any) -> Any:
    """`value` as it takes lists of tensors, if it is a function of NumPy that takes arrays."""
    if isinstance(value, type) or getattr(value, "__name__", "") in _OF_OTHERS:
        return value
    if isinstance(value, np.ufunc):
        return TakingLists(value)
    of_numpy = str(getattr(value, "__module__", "")).partition(".")[0] == "numpy"
    return TakingLists(value) if of_numpy and isinstance(value, Callable) else value  # type: ignore[arg-type]
