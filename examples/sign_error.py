"""A mistake and how it is found: ``symtape verify examples/sign_error.py`` exits with 1."""

from __future__ import annotations

from typing import Any

import numpy as np

import verify


def slope(x: Any) -> Any:
    """The derivative of :func:`damped`, with a sign lost."""
    return np.exp(-x) * (np.cos(x) + np.sin(x))


@verify.case(at=[0.5, 2.0], claimed=slope, title="a damped oscillation")
def damped(x: Any) -> Any:
    """A damped oscillation."""
    return np.exp(-x) * np.sin(x)
