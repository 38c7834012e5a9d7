"""Jets: derivatives of graphs as truncated Taylor series in balls."""

from symtape.rigorous.jets.directional import (
    gradient,
    hessian,
    jacobian,
    jvp,
    mixed_derivative,
)
from symtape.rigorous.jets.reading import polarise, taylor

__all__ = ["gradient", "hessian", "jacobian", "jvp", "mixed_derivative", "polarise", "taylor"]
