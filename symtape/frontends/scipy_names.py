"""Functions of SciPy that convert their arguments in compiled code, as they keep tensors.

Most of SciPy's Python code is recorded as it is; these are by :mod:`symtape.scipy`, by NumPy's
function that means the same, or row by row.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.frontends import distances, distributions
from symtape.recording.in_place import holds_tensor, joined, lifted, lowered

Function = Callable[..., Any]

_BY_SYMTAPE: Final = {
    "scipy.special": (
        "logsumexp",
        "softmax",
        "log_softmax",
        "multigammaln",
        "polygamma",
        "factorial",
        "comb",
    ),
    "scipy.linalg": ("cholesky", "det", "expm", "inv", "solve", "solve_triangular"),
}


RECORDED_FUNCTIONS: Final = (
    *(f"scipy.special.{name}" for name in ("zeta", "lambertw", "jvp", "yvp", "ivp", "kvp")),
    "scipy.integrate.trapezoid",
)
"""Functions whose Python code is recorded as SciPy has it."""


def _cholesky(a: Any, lower: bool) -> Any:
    found = np.linalg.cholesky(joined(a))
    return found if lower else np.swapaxes(found, -1, -2)


def _cho_solve(c_and_lower: tuple[Any, bool], b: Any) -> Any:
    c, lower = c_and_lower
    factor = joined(c) if lower else np.swapaxes(joined(c), -1, -2)
    factor = np.tril(factor)
    return np.linalg.solve(factor @ np.swapaxes(factor, -1, -2), joined(b))


_OWN: Final[dict[str, dict[str, Function]]] = {
    "scipy.linalg": {
        "norm": lambda a, *how, check_finite=True, **more: np.linalg.norm(joined(a), *how, **more),
        "cho_factor": lambda a, lower=False, **_: (_cholesky(a, lower), lower),
        "cho_solve": lambda c_and_lower, b, **_: _cho_solve(c_and_lower, b),
    },
    "scipy.stats._continuous_distns": {"_log_gauss_mass": distributions.log_gauss_mass},
    "scipy.stats._stats": {
        name: getattr(distributions, name)
        for name in ("von_mises_cdf", "gaussian_kernel_estimate", "gaussian_kernel_estimate_log")
    },
    "scipy.spatial.distance": {
        name: getattr(distances, name) for name in ("cdist", "pdist", "squareform")
    },
}


def _if_tensors(original: Function, kept: Function) -> Function:
    @functools.wraps(original)
    def function(*args: Any, **keywords: Any) -> Any:
        if not holds_tensor(args) and not holds_tensor(list(keywords.values())):
            return original(*args, **keywords)
        return lifted(kept(*lowered(args), **lowered(keywords)))

    return function


def kept_of_scipy() -> dict[Function, Function]:
    """By the function of SciPy, as far as its modules are loaded."""
    found: dict[Function, Function] = {}
    for name in dict.fromkeys((*_BY_SYMTAPE, *_OWN)):
        if (module := sys.modules.get(name)) is None:
            continue
        own = dict(_OWN.get(name, {}))
        for function in _BY_SYMTAPE.get(name, ()):
            own[function] = _of_symtape(f"symtape.{name}", function)
        for function, kept in own.items():
            if (original := getattr(module, function, None)) is not None:
                found[original] = _if_tensors(original, kept)
    return found


def names_of_scipy() -> list[tuple[str, str]]:
    """Each module and function of SciPy that is bound anew while its code is recorded."""
    tables: tuple[dict[str, Any], ...] = (_BY_SYMTAPE, _OWN)
    return [(module, name) for table in tables for module in table for name in table[module]]


def _of_symtape(module: str, name: str) -> Function:
    def function(*args: Any, **keywords: Any) -> Any:
        return getattr(importlib.import_module(module), name)(*args, **keywords)

    return function
