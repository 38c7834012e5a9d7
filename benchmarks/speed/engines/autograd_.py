"""HIPS autograd."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from benchmarks.speed.engines.prepared import NotHad, Prepared
from benchmarks.speed.workload import SPECIAL, Workload

__all__ = ["prepare"]


def prepare(work: Workload, option: str) -> Prepared:
    """The derivative by the transform of the same name."""
    try:
        autograd, anp = (importlib.import_module(m) for m in ("autograd", "autograd.numpy"))
    except ImportError:
        raise NotHad("autograd is not installed") from None
    SPECIAL["autograd.numpy"] = importlib.import_module("autograd.scipy.special")
    function, args = work.bind(anp, lambda x: x)
    if work.transform == "grad":
        gradient = autograd.grad(function, work.argnums)
        return Prepared(lambda: gradient(*args))
    if work.transform == "batch_jacobian":
        summed = autograd.jacobian(lambda *given: anp.sum(function(*given), 0), work.argnums[0])

        def batched() -> Any:
            return np.swapaxes(summed(*args), 0, 1)

        return Prepared(batched)
    derivative = getattr(autograd, work.transform)(function, work.argnums[0])
    return Prepared(lambda: derivative(*args))
