"""Spellings: expressions of ``x`` and ``y`` as functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import special

from symtape.scipy.special import polygamma
from symtape.transforms.gradients import grad

NUMPY: Mapping[str, Any] = {"np": np, "special": special, "polygamma": polygamma}
"""What a formula may call."""


@functools.cache  # of a table
def compile_formula(formula: str, arguments: tuple[str, ...]) -> Callable[..., Any]:
    """A formula as a function of arrays and Tensors.

    Examples
    --------
    >>> float(compile_formula("np.tanh(x) * y", ("x", "y"))(0.0, 1.0))
    0.0
    """
    return function_of(formula, arguments, NUMPY)


def differentiate_elementwise(
    function: Callable[..., Any], wrt: Sequence[int]
) -> Callable[..., Any]:
    """The derivative of a function of numbers, by symtape's tape and for many of them at once."""
    for place in wrt:
        function = grad(_sum_function(function), argnums=place)
    return function


def _sum_function(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *xs: np.sum(function(*xs))


def function_of(
    expression: str, arguments: tuple[str, ...], names: Mapping[str, Any]
) -> Callable[..., Any]:
    """An expression as a function, in which `names` mean what they mean.

    The expressions are those of the table in :mod:`verify.auditing.libraries.functions`, or of a
    test; nothing that a user types comes here.
    """
    found: Callable[..., Any] = eval(f"lambda {', '.join(arguments)}: {expression}", dict(names))
    return found
