"""``jax.jit``, on one core and without a queue, which is its fastest on arrays of this size."""

from __future__ import annotations

import importlib
import os

from benchmarks.speed.engines.prepared import NotHad, Prepared
from benchmarks.speed.workload import LOOPS, SPECIAL, Workload

__all__ = ["prepare"]


def prepare(work: Workload, option: str) -> Prepared:
    """The compiled derivative of arrays that are JAX's before the clock starts."""
    try:
        jax = importlib.import_module("jax")
    except ImportError:
        raise NotHad("jax is not installed") from None
    keep_to_one_core()
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_cpu_enable_async_dispatch", False)
    jnp = importlib.import_module("jax.numpy")
    LOOPS["jax.numpy"] = jax.lax.fori_loop
    SPECIAL["jax.numpy"] = importlib.import_module("jax.scipy.special")
    function, args = work.bind(jnp, jnp.asarray)
    if work.transform == "batch_jacobian":
        axes = (0, *[None] * (len(args) - 1))
        derivative = jax.vmap(jax.jacrev(function), axes)
    else:
        jacobian = jax.jacfwd if work.is_tall else jax.jacrev
        by = {"grad": jax.grad, "hessian": jax.hessian, "jacobian": jacobian}[work.transform]
        derivative = by(function, work.argnums if len(work.argnums) > 1 else work.argnums[0])
    compiled = jax.jit(derivative)
    return Prepared(lambda: jax.block_until_ready(compiled(*args)))


def keep_to_one_core() -> None:
    """XLA has no option of 0.10 that holds it to one thread."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
