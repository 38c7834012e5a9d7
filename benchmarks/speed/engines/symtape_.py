"""Symtape's tape, and its compiled programs."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import symtape
from benchmarks.speed.engines.prepared import NotHad, Prepared, as_arrays
from benchmarks.speed.workload import Workload

__all__ = ["prepare"]


def dense(result: Any) -> list[Any]:
    """A sparse matrix in full."""
    return as_arrays(result.toarray())


def prepare(work: Workload, option: str) -> Prepared:
    """The derivative by the tape; ``option`` is a back end where it is to be compiled."""
    function, args = work.bind(np, lambda x: np.float64(x) if np.ndim(x) == 0 else x)
    argnums = work.argnums if len(work.argnums) > 1 else work.argnums[0]
    if option == "sparse":
        if work.transform not in ("jacobian", "hessian"):
            raise NotHad("not a Jacobian")
        call = getattr(symtape, f"sparse_{work.transform}")(function, argnums)
        return Prepared(functools.partial(call, *args), dense)
    derivative = getattr(symtape, work.transform)(function, argnums)
    if option == "eager":
        return Prepared(functools.partial(derivative, *args))
    compiled = symtape.jit(derivative, backend=None if option == "auto" else option)
    try:
        compiled(*args)
    except (symtape.errors.MissingExtra, symtape.errors.Unsupported) as error:
        raise NotHad(str(error).partition(";")[0]) from None
    return Prepared(functools.partial(compiled, *args))
