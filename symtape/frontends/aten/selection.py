"""Readings: choosing between values by conditions and bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.frontends.aten.table import reads

__all__: list[str] = []


@reads("where")
def where(condition: Any, a: Any, b: Any) -> Any:
    """As ``np.where``."""
    dtype = _dtype(a, b)
    return np.where(condition, _cast_to(a, dtype), _cast_to(b, dtype))


def _dtype(a: Any, b: Any) -> Any:
    """What both are taken to: axes count before none, and arrays before numbers."""
    arrays = [x for x in (a, b) if hasattr(x, "dtype")]
    wide = [x for x in arrays if np.ndim(x)] or arrays
    dtypes = {x.dtype.kind: x.dtype for x in arrays}
    if "f" in dtypes and not any(x.dtype.kind == "f" for x in wide):
        wide = arrays
    return np.result_type(*(x.dtype for x in wide)) if wide else np.result_type(a, b)


def _cast_to(x: Any, dtype: Any) -> Any:
    if hasattr(x, "dtype"):
        return x if x.dtype == dtype else x.astype(dtype)
    return np.asarray(x, dtype)


@reads("clamp", promotes=True)
def clamp(x: Any, min: Any = None, max: Any = None) -> Any:  # noqa: A002 -- ATen's names
    """Between two bounds, of which one may be missing."""
    if min is not None:
        x = np.maximum(x, min)
    return x if max is None else np.minimum(x, max)
