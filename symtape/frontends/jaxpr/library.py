"""The installed JAX, imported when a program is read and never before."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from symtape.process.extras import load


def jax() -> Any:
    """The module.

    Raises
    ------
    MissingExtra
        It is not installed; says how to install it.
    """
    return load("jax", "symtape.from_jax")


def precision(dtypes: Iterable[np.dtype[Any]]) -> contextlib.AbstractContextManager[Any]:
    """JAX's double precision, where one of `dtypes` asks for it; else as the user has set it."""
    if not any(dtype.itemsize == 8 and dtype.kind == "f" for dtype in dtypes):
        return contextlib.nullcontext()
    library = jax()
    if library.config.jax_enable_x64:
        return contextlib.nullcontext()
    wide = getattr(library, "enable_x64", None)
    if wide is None:
        wide = importlib.import_module("jax.experimental").enable_x64
    return wide(True)  # type: ignore[no-any-return]
