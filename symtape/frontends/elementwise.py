"""Functions of elements that ATen and JAX call by the same names, as NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

ELEMENTWISE: Final[dict[str, Callable[..., Any]]] = {
    **{
        name: getattr(np, name)
        for name in (
            *("ceil", "cos", "cosh", "exp", "exp2", "expm1", "floor", "log", "log1p"),
            *("sign", "sin", "sinh", "sqrt", "tan", "tanh"),
        )
    },
    "abs": np.absolute,
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "ge": np.greater_equal,
    "gt": np.greater,
    "le": np.less_equal,
    "lt": np.less,
    "mul": np.multiply,
    "neg": np.negative,
    "rsqrt": lambda x: np.reciprocal(np.sqrt(x)),
}
