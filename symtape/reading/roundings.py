"""What a few ulps of the arguments cost: so much may another order of roundings cost as well."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from symtape.recording.structure import flatten
from symtape.recording.tensor import Tensor

_MOST: Final = 16
"""How much more than a few ulps of the arguments another order of roundings may cost."""


def nudge_value(x: Any) -> Any:
    """The value of a tensor with every number a few ulps away; all else as it is."""
    if not isinstance(x, Tensor):
        return x
    value = x._value
    return value * (1 + 4 * np.finfo(value.dtype).eps) if value.dtype.kind == "f" else value


def are_roundings(found: Any, computed: Any, near: Any) -> bool:
    """Whether results differ by no more than those of arguments that are a few ulps apart.

    Of the residual of a fit no digit is the same in another order of the operations.
    """
    ours, theirs, others = (list(map(_array, flatten(x))) for x in (found, computed, near))
    if not [x.shape for x in ours] == [x.shape for x in theirs] == [x.shape for x in others]:
        return False
    return all(
        bool(np.all(np.abs(x - y) <= _MOST * np.max(np.abs(z - y), initial=0.0)))
        for x, y, z in zip(ours, theirs, others, strict=True)
    )


def _array(x: Any) -> Any:
    return np.asarray(x._value if isinstance(x, Tensor) else x)
