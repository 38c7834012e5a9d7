"""Differentiate plain NumPy code: tapes, transforms, closed forms.

Importing this loads NumPy alone; SymPy, SciPy and python-flint come when they are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symtape.derive import derive
from symtape.graph.freeze import differentiate
from symtape.graph.graph import Graph
from symtape.primitives.primitive import Primitive
from symtape.process.budget import Budget
from symtape.reading.checkpoint import checkpoint, recompute_grad, stop_recording
from symtape.reading.record import record
from symtape.recording.custom import custom_gradient, grad_pass_through, stop_gradient
from symtape.recording.registry import RegisterGradient, register_op
from symtape.recording.tape import GradientTape, UnconnectedGradients
from symtape.recording.tensor import Tensor, constant
from symtape.recording.variable import Variable
from symtape.recording.vectors import flatten
from symtape.transforms.entrywise import batch_jacobian, elementwise_grad
from symtape.transforms.gradients import grad, hessian, jacobian, value_and_grad
from symtape.version import __version__

if TYPE_CHECKING:
    from symtape import errors as errors
    from symtape import nn
    from symtape import scipy as scipy
    from symtape.frontends.aten.entry import from_torch
    from symtape.frontends.jaxpr.program import from_jax
    from symtape.programs.specialised.function import compile, jit  # noqa: A004
    from symtape.rigorous import jets as jets
    from symtape.rigorous.enclose import enclose
    from symtape.symbolic.derivation import Derivation
    from symtape.transforms.gauss_newton import make_ggnvp
    from symtape.transforms.products import hvp, jvp, linearize, vjp
    from symtape.transforms.sparse import (
        hessian_sparsity,
        jacobian_sparsity,
        sparse_hessian,
        sparse_jacobian,
    )
    from symtape.transforms.vmap import vmap

__all__ = [
    "Budget",
    "Derivation",
    "GradientTape",
    "Graph",
    "Primitive",
    "RegisterGradient",
    "Tensor",
    "UnconnectedGradients",
    "Variable",
    "__version__",
    "batch_jacobian",
    "checkpoint",
    "compile",
    "constant",
    "custom_gradient",
    "derive",
    "differentiate",
    "elementwise_grad",
    "enclose",
    "flatten",
    "from_jax",
    "from_torch",
    "grad",
    "grad_pass_through",
    "hessian",
    "hessian_sparsity",
    "hvp",
    "jacobian",
    "jacobian_sparsity",
    "jit",
    "jvp",
    "linearize",
    "make_ggnvp",
    "nn",
    "recompute_grad",
    "record",
    "register_op",
    "sparse_hessian",
    "sparse_jacobian",
    "stop_gradient",
    "stop_recording",
    "value_and_grad",
    "vjp",
    "vmap",
]

_MODULES = {
    "errors": "symtape.errors",
    "jets": "symtape.rigorous.jets",
    "nn": "symtape.nn",
    "scipy": "symtape.scipy",
}
"""What is reached as ``symtape.<name>`` without being imported by name."""

_LATE = {
    "compile": "symtape.programs.specialised.function",
    "Derivation": "symtape.symbolic.derivation",
    "enclose": "symtape.rigorous.enclose",
    "from_jax": "symtape.frontends.jaxpr.program",
    "from_torch": "symtape.frontends.aten.entry",
    "hessian_sparsity": "symtape.transforms.sparse",
    "hvp": "symtape.transforms.products",
    "jacobian_sparsity": "symtape.transforms.sparse",
    "jit": "symtape.programs.specialised.function",
    "jvp": "symtape.transforms.products",
    "linearize": "symtape.transforms.products",
    "make_ggnvp": "symtape.transforms.gauss_newton",
    "sparse_hessian": "symtape.transforms.sparse",
    "sparse_jacobian": "symtape.transforms.sparse",
    "vjp": "symtape.transforms.products",
    "vmap": "symtape.transforms.vmap",
}
"""Where that is which is costly, or seldom needed, and loaded when it is asked for."""


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES})


if not TYPE_CHECKING:  # for which there is no name but those that are imported above

    def __getattr__(name: str) -> Any:
        import importlib

        if name in _MODULES:
            found = importlib.import_module(_MODULES[name])
        elif name in _LATE:
            found = getattr(importlib.import_module(_LATE[name]), name)
        else:
            raise AttributeError(f"module 'symtape' has no attribute {name!r}")
        return globals().setdefault(name, found)
