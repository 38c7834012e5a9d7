"""PyTorch, not compiled: its tape, and ``torch.func``."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from benchmarks.speed.engines.prepared import NotHad, Prepared
from benchmarks.speed.trees import leaves, map_leaves
from benchmarks.speed.workload import SPECIAL, Workload

__all__ = ["prepare"]


def prepare(work: Workload, option: str) -> Prepared:
    """The derivative by leaves and sweeps, or by transforms of functions."""
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        raise NotHad("torch is not installed") from None
    torch.set_num_threads(1)
    SPECIAL["torch"] = torch.special
    torch.set_default_dtype(torch.float64)
    function, args = work.bind(torch, torch.tensor)
    way = by_sweeps if option == "eager" else by_transforms
    return Prepared(way(torch, work, function, args))


def by_transforms(torch: Any, work: Workload, function: Any, args: Any) -> Callable[[], Any]:
    first = work.argnums[0]
    if work.transform == "batch_jacobian":
        rest = [None] * (len(args) - 1)
        one = torch.func.vmap(torch.func.jacrev(function), (0, *rest))
        return lambda: one(*args)
    if work.transform == "grad":
        gradient = torch.func.grad(function, work.argnums)
        return lambda: gradient(*args)
    jacobian = torch.func.jacfwd if work.is_tall else torch.func.jacrev
    by = (torch.func.hessian if work.transform == "hessian" else jacobian)(function, first)
    return lambda: by(*args)


def by_sweeps(torch: Any, work: Workload, function: Any, args: Any) -> Callable[[], Any]:
    rest = args[1:]
    functional = torch.autograd.functional
    if work.transform == "hessian":
        return lambda: functional.hessian(lambda x: function(x, *rest), args[0])
    if work.transform == "jacobian":
        return lambda: functional.jacobian(lambda x: function(x, *rest), args[0])
    if work.transform == "batch_jacobian":

        def batched() -> Any:
            rows = functional.jacobian(lambda x: function(x, *rest).sum(0), args[0])
            return rows.swapaxes(0, 1)

        return batched

    def gradient() -> Any:
        given = [
            map_leaves(lambda t: t.detach().requires_grad_(), x) if k in work.argnums else x
            for k, x in enumerate(args)
        ]
        return torch.autograd.grad(function(*given), leaves([given[k] for k in work.argnums]))

    return gradient
