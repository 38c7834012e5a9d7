"""Jets: derivatives of graphs as truncated Taylor series in balls."""

from symtape.rigorous.jets.directional import gradient as gradient
from symtape.rigorous.jets.directional import hessian as hessian
from symtape.rigorous.jets.directional import jacobian as jacobian
from symtape.rigorous.jets.directional import jvp as jvp
from symtape.rigorous.jets.directional import mixed_derivative as mixed_derivative
from symtape.rigorous.jets.directional import polarise as polarise
from symtape.rigorous.jets.directional import taylor as taylor

__all__ = ["gradient", "hessian", "jacobian", "jvp", "mixed_derivative", "polarise", "taylor"]
