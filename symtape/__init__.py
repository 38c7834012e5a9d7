"""Differentiate plain NumPy code: tapes, transforms, closed forms.

Names are loaded when they are asked for, so that importing this costs nothing. Tapes and transforms
load NumPy alone; SymPy, SciPy and python-flint come when they are needed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from symtape import errors as errors
    from symtape import nn as nn
    from symtape import scipy as scipy
    from symtape.deriving import derive as derive
    from symtape.frontends.aten.entry import from_torch as from_torch
    from symtape.frontends.jaxpr.program import from_jax as from_jax
    from symtape.graph.freeze import differentiate as differentiate
    from symtape.graph.graph import Graph as Graph
    from symtape.primitives.primitive import Primitive as Primitive
    from symtape.process.budget import Budget as Budget
    from symtape.programs.specialised.function import compile as compile  # noqa: A004
    from symtape.programs.specialised.function import jit as jit
    from symtape.reading.checkpoint import checkpoint as checkpoint
    from symtape.reading.checkpoint import recompute_grad as recompute_grad
    from symtape.reading.checkpoint import stop_recording as stop_recording
    from symtape.reading.record import record as record
    from symtape.recording.custom import custom_gradient as custom_gradient
    from symtape.recording.custom import grad_pass_through as grad_pass_through
    from symtape.recording.custom import stop_gradient as stop_gradient
    from symtape.recording.registry import RegisterGradient as RegisterGradient
    from symtape.recording.registry import register_op as register_op
    from symtape.recording.tape import GradientTape as GradientTape
    from symtape.recording.tape import UnconnectedGradients as UnconnectedGradients
    from symtape.recording.tensor import Tensor as Tensor
    from symtape.recording.tensor import constant as constant
    from symtape.recording.variable import Variable as Variable
    from symtape.recording.vectors import flatten as flatten
    from symtape.rigorous import jets as jets
    from symtape.rigorous.enclose import enclose as enclose
    from symtape.symbolic.derivation import Derivation as Derivation
    from symtape.transforms.entrywise import batch_jacobian as batch_jacobian
    from symtape.transforms.entrywise import elementwise_grad as elementwise_grad
    from symtape.transforms.gauss_newton import make_ggnvp as make_ggnvp
    from symtape.transforms.gradients import grad as grad
    from symtape.transforms.gradients import hessian as hessian
    from symtape.transforms.gradients import jacobian as jacobian
    from symtape.transforms.gradients import value_and_grad as value_and_grad
    from symtape.transforms.products import hvp as hvp
    from symtape.transforms.products import jvp as jvp
    from symtape.transforms.products import linearize as linearize
    from symtape.transforms.products import vjp as vjp
    from symtape.transforms.sparse import hessian_sparsity as hessian_sparsity
    from symtape.transforms.sparse import jacobian_sparsity as jacobian_sparsity
    from symtape.transforms.sparse import sparse_hessian as sparse_hessian
    from symtape.transforms.sparse import sparse_jacobian as sparse_jacobian
    from symtape.transforms.vmap import vmap as vmap
    from symtape.version import __version__ as __version__

_MODULES: Final = {
    "errors": "symtape.errors",
    "jets": "symtape.rigorous.jets",
    "nn": "symtape.nn",
    "scipy": "symtape.scipy",
}
"""What is reached as ``symtape.<name>`` without being imported by name."""

_HOMES: Final = {
    "symtape.deriving": "derive",
    "symtape.frontends.aten.entry": "from_torch",
    "symtape.frontends.jaxpr.program": "from_jax",
    "symtape.graph.freeze": "differentiate",
    "symtape.graph.graph": "Graph",
    "symtape.primitives.primitive": "Primitive",
    "symtape.process.budget": "Budget",
    "symtape.programs.specialised.function": "compile jit",
    "symtape.reading.checkpoint": "checkpoint recompute_grad stop_recording",
    "symtape.reading.record": "record",
    "symtape.recording.custom": "custom_gradient grad_pass_through stop_gradient",
    "symtape.recording.registry": "RegisterGradient register_op",
    "symtape.recording.tape": "GradientTape UnconnectedGradients",
    "symtape.recording.tensor": "Tensor constant",
    "symtape.recording.variable": "Variable",
    "symtape.recording.vectors": "flatten",
    "symtape.rigorous.enclose": "enclose",
    "symtape.symbolic.derivation": "Derivation",
    "symtape.transforms.entrywise": "batch_jacobian elementwise_grad",
    "symtape.transforms.gauss_newton": "make_ggnvp",
    "symtape.transforms.gradients": "grad hessian jacobian value_and_grad",
    "symtape.transforms.products": "hvp jvp linearize vjp",
    "symtape.transforms.sparse": "hessian_sparsity jacobian_sparsity sparse_hessian "
    "sparse_jacobian",
    "symtape.transforms.vmap": "vmap",
    "symtape.version": "__version__",
}
"""Where everything else is."""

__all__ = [name for names in _HOMES.values() for name in names.split()]


def __dir__() -> list[str]:
    return sorted([*__all__, *_MODULES])


if not TYPE_CHECKING:  # for which there is no name but those that are imported above

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            return globals().setdefault(name, importlib.import_module(_MODULES[name]))
        for home, names in _HOMES.items():
            if name in names.split():
                return globals().setdefault(name, getattr(importlib.import_module(home), name))
        raise AttributeError(f"module 'symtape' has no attribute {name!r}")
