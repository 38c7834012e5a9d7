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

from symtape.frontends import rotations, sparse_names
from symtape.recording.in_place import holds_tensor, joined, lifted, lowered

Function = Callable[..., Any]

_OF_LINALG: Final = (
    *("cholesky", "det", "expm", "inv", "solve", "solve_triangular", "cho_factor", "cho_solve"),
    *("cho_solve_banded", "cholesky_banded", "solve_banded", "solveh_banded", "lu", "lu_factor"),
    *("lu_solve", "ldl", "lstsq", "pinv", "pinvh", "qr", "qr_multiply", "rq", "svd", "svdvals"),
    *("eigh", "eigvalsh", "eigh_tridiagonal", "eigvalsh_tridiagonal", "eig_banded"),
    *("eigvals_banded", "subspace_angles", "sqrtm", "logm", "cosm", "sinm", "tanm", "coshm"),
    *("sinhm", "tanhm", "signm", "fractional_matrix_power", "expm_frechet", "expm_cond", "polar"),
    *("solve_sylvester", "solve_continuous_lyapunov", "solve_discrete_lyapunov"),
    *("solve_lyapunov", "orthogonal_procrustes", "eig", "eigvals", "funm", "schur", "hessenberg"),
    *("rsf2csf", "solve_toeplitz", "solve_circulant", "matmul_toeplitz"),
)

_BY_SYMTAPE: Final = {
    "scipy.special": ("logsumexp", "softmax", "log_softmax", "multigammaln", "polygamma"),
    "scipy.linalg": _OF_LINALG,
}


def _later(module: str, name: str) -> Function:
    def function(*args: Any, **keywords: Any) -> Any:
        return getattr(importlib.import_module(module), name)(*args, **keywords)

    return function


_PAIRS: Final = ("cdist", "pdist", "squareform", "cosine", "correlation")

_OWN: Final[dict[str, dict[str, Function]]] = {
    "scipy.linalg": {
        "norm": lambda a, *how, check_finite=True, **more: np.linalg.norm(joined(a), *how, **more),
    },
    "scipy.spatial.distance": {name: _later("symtape.scipy.distance", name) for name in _PAIRS},
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
    found: dict[Function, Function] = sparse_names.functions() | rotations.functions()
    for name in dict.fromkeys((*_BY_SYMTAPE, *_OWN)):
        if (module := sys.modules.get(name)) is None:
            continue
        own = dict(_OWN.get(name, {}))
        for function in _BY_SYMTAPE.get(name, ()):
            own[function] = _later(f"symtape.{name}", function)
        for function, kept in own.items():
            if (original := getattr(module, function, None)) is not None:
                found[original] = _if_tensors(original, kept)
    return found
