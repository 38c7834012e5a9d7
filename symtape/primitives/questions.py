"""Functions: what an array is, whatever its values; the answers are no operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.primitives.primitive import implements


def _kind(x: Any) -> str:
    kind: str = x.dtype.kind if hasattr(x, "dtype") else np.asarray(x).dtype.kind
    return kind


@implements(np.iscomplexobj)
def _is_complex(x: Any) -> bool:
    return _kind(x) == "c"


@implements(np.isrealobj)
def _is_real(x: Any) -> bool:
    return _kind(x) != "c"


@implements(np.may_share_memory, np.shares_memory)
def _may_share_memory(a: Any, b: Any, /, max_work: int | None = None) -> bool:
    # Nothing is written into a tensor, so that two of them are never of one memory.
    return a is b
