"""Differentiate plain NumPy code: tapes, transforms, closed forms.

Importing this loads NumPy alone; SymPy, SciPy and python-flint come when they are asked for.
"""

from __future__ import annotations

from typing import Any

from symtape.derive import derive
from symtape.graph.freeze import differentiate
from symtape.graph.graph import Graph
from symtape.record import record
from symtape.recording.custom import custom_gradient, stop_gradient
from symtape.recording.registry import RegisterGradient, register_op
from symtape.recording.tape import GradientTape, UnconnectedGradients
from symtape.recording.tensor import Tensor, constant
from symtape.recording.variable import Variable
from symtape.transforms import (
    batch_jacobian,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    value_and_grad,
    vjp,
)
from symtape.version import __version__

__all__ = [
    "GradientTape",
    "Graph",
    "RegisterGradient",
    "Tensor",
    "UnconnectedGradients",
    "Variable",
    "__version__",
    "batch_jacobian",
    "constant",
    "custom_gradient",
    "derive",
    "differentiate",
    "from_jax",
    "from_torch",
    "grad",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "nn",
    "record",
    "register_op",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]


_ROOMS = ("nn", "scipy")
"""Packages that are reached as ``symtape.<name>`` without being imported by name."""

_READERS = {
    "from_jax": "symtape.frontends.jaxpr.program",
    "from_torch": "symtape.frontends.aten.entry",
}


def __dir__() -> list[str]:
    return sorted({*__all__, *_ROOMS})


def __getattr__(name: str) -> Any:
    """Load what is costly, or seldom needed, when it is asked for."""
    import importlib

    if name in _ROOMS:
        return importlib.import_module(f"symtape.{name}")
    if name in _READERS:
        return getattr(importlib.import_module(_READERS[name]), name)
    raise AttributeError(f"module 'symtape' has no attribute {name!r}")
