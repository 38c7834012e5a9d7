"""Derivatives of functions, as functions: each takes plain code and returns plain arrays."""

from symtape.transforms.gradients import grad as grad
from symtape.transforms.gradients import hessian as hessian
from symtape.transforms.gradients import jacobian as jacobian
from symtape.transforms.gradients import value_and_grad as value_and_grad
