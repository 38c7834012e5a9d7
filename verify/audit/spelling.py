"""Spellings: expressions of ``x`` and ``y`` as functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import special

from symtape.scipy.special import polygamma

NUMPY: Mapping[str, Any] = {"np": np, "special": special, "polygamma": polygamma}
"""What a formula may call."""


@functools.cache  # of a table
def compiled(formula: str, arguments: tuple[str, ...]) -> Callable[..., Any]:
    """A formula as a function of arrays and Tensors.

    Examples
    --------
    >>> float(compiled("np.tanh(x) * y", ("x", "y"))(0.0, 1.0))
    0.0
    """
    return function_of(formula, arguments, NUMPY)


def function_of(
    expression: str, arguments: tuple[str, ...], names: Mapping[str, Any]
) -> Callable[..., Any]:
    """An expression as a function, in which `names` mean what they mean.

    The expressions are those of the table in :mod:`verify.audit.functions`, or of a test; nothing
    that a user types comes here.
    """
    found: Callable[..., Any] = eval(f"lambda {', '.join(arguments)}: {expression}", dict(names))
    return found
