"""What computes derivatives: a table of engines, each prepared in a process of its own."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.speed.engines.prepared import NotHad, Prepared
from benchmarks.speed.workload import Workload

__all__ = ["ENGINES", "REFERENCE", "Engine", "NotHad", "Prepared"]


@dataclass(frozen=True)
class Engine:
    """A way to a derivative: a function of a module beside this one, and what it is told."""

    module: str
    option: str
    is_ours: bool = False

    def prepare(self, work: Workload) -> Prepared:
        """Its derivative of a workload, or :class:`NotHad`."""
        module = importlib.import_module(f"benchmarks.speed.engines.{self.module}")
        prepare: Callable[[Workload, str], Prepared] = module.prepare
        return prepare(work, self.option)


ours = functools.partial(Engine, "symtape_", is_ours=True)

ENGINES: dict[str, Engine] = {
    "eager": ours("eager"),
    "sparse": ours("sparse"),
    "auto": ours("auto"),
    "numpy": ours("numpy"),
    "llvm": ours("llvm"),
    "hand": Engine("hand", ""),
    "autograd": Engine("autograd_", ""),
    "torch": Engine("torch_", "eager"),
    "torch.func": Engine("torch_", "func"),
    "jax.jit": Engine("jax_", ""),
    "CasADi": Engine("casadi_", "machine"),
    "CasADi gcc": Engine("casadi_", "gcc"),
}

REFERENCE = "eager"
"""The engine whose results all others are held against."""
