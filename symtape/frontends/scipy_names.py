"""Functions of SciPy that convert their arguments in compiled code, as they keep tensors.

Most of SciPy's Python code is recorded as it is; these are by :mod:`symtape.scipy`, by NumPy's
function that means the same, or row by row.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import sys
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from symtape.frontends import distributions, rotations, sparse_names
from symtape.frontends.compiled_filters import COMPILED_FILTERS, PEAKS
from symtape.frontends.compiled_splines import SPLINES, WRITING_SPLINES
from symtape.recording.in_place import holds_tensor, joined, lifted, lowered
from symtape.scipy import interpolate, signal

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

_KINDS: Final = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")

NAMES_OF_TRANSFORMS: Final = (
    *(f"{kind}{suffix}" for kind in _KINDS for suffix in ("", "2", "n")),
    *(f"{kind}{suffix}" for kind in ("dct", "idct", "dst", "idst") for suffix in ("", "n")),
    *("fftshift", "ifftshift"),
)
"""Those of ``scipy.fft``."""

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
    "scipy.linalg": _OF_LINALG,
    "scipy.signal": signal.__all__,
    "scipy.signal._signaltools": signal.__all__,
    "scipy.signal._upfirdn": ("upfirdn",),
    "scipy.interpolate": interpolate.__all__,
    "scipy.interpolate._bsplines": ("make_interp_spline", "make_lsq_spline"),
    "scipy.interpolate._fitpack_impl": ("splev", "splint", "splrep"),
    "scipy.fft": NAMES_OF_TRANSFORMS,
}

_OF_FUNCTIONS: Final[dict[str, tuple[str, ...]]] = {
    "scipy.integrate": ("odeint", "quad", "quad_vec", "solve_ivp"),
    "scipy.optimize": (
        *("bisect", "brenth", "brentq", "ridder", "toms748", "newton", "root_scalar"),
        *("fixed_point", "fsolve", "root", "minimize", "minimize_scalar", "least_squares"),
        *(
            "brent",
            "golden",
            "fmin",
            "fmin_bfgs",
            "fmin_cg",
            "fmin_ncg",
            "fmin_powell",
            "fminbound",
        ),
        *("leastsq", "curve_fit", "nnls", "lsq_linear", "linear_sum_assignment", "linprog"),
    ),
}
"""Those that are given functions, which may hold tensors."""

RECORDED_FUNCTIONS: Final = (
    *(f"scipy.special.{name}" for name in ("zeta", "lambertw", "jvp", "yvp", "ivp", "kvp")),
    "scipy.integrate.trapezoid",
)
"""Functions whose Python code is recorded as SciPy has it."""


def _later(module: str, name: str) -> Function:
    def function(*args: Any, **keywords: Any) -> Any:
        return getattr(importlib.import_module(module), name)(*args, **keywords)

    return function


_PAIRS: Final = ("cdist", "pdist", "squareform", "cosine", "correlation")

_OWN: Final[dict[str, dict[str, Function]]] = {
    "scipy.linalg": {
        "norm": lambda a, *how, check_finite=True, **more: np.linalg.norm(joined(a), *how, **more),
    },
    "scipy.stats._continuous_distns": {"_log_gauss_mass": distributions.log_gauss_mass},
    "scipy.stats._stats": {
        name: getattr(distributions, name)
        for name in ("von_mises_cdf", "gaussian_kernel_estimate", "gaussian_kernel_estimate_log")
    },
    "scipy.spatial.distance": {name: _later("symtape.scipy.distance", name) for name in _PAIRS},
    **SPLINES,
    **PEAKS,
}


def _if_held(original: Function, kept: Function) -> Function:
    """`kept` where a tensor is among the arguments, which it writes into as they are."""

    @functools.wraps(original)
    def function(*args: Any, **keywords: Any) -> Any:
        held = holds_tensor(args) or holds_tensor(list(keywords.values()))
        return (kept if held else original)(*args, **keywords)

    return function


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
        public = ".".join(part for part in name.split(".") if not part.startswith("_"))
        for function in _BY_SYMTAPE.get(name, ()):
            own[function] = _later(f"symtape.{public}", function)
        for function, kept in own.items():
            if (original := getattr(module, function, None)) is not None:
                found[original] = _if_tensors(original, kept)
    for name, functions in {**COMPILED_FILTERS, **WRITING_SPLINES}.items():
        for function, kept in functions.items():
            if (original := getattr(sys.modules.get(name), function, None)) is not None:
                found[original] = _if_held(original, kept)
    return found | {
        original: _lowering(original, _later(f"symtape.{name}", original.__name__))
        for name, original in _given_functions()
    }


def names_of_scipy() -> list[tuple[str, str]]:
    """Each module and function of SciPy that is bound anew while its code is recorded."""
    tables: tuple[dict[str, Any], ...] = (_BY_SYMTAPE, _OWN, _OF_FUNCTIONS)
    return [(module, name) for table in tables for module in table for name in table[module]]


def _given_functions() -> Iterator[tuple[str, Function]]:
    for name, functions in _OF_FUNCTIONS.items():
        if (module := sys.modules.get(name)) is not None:
            for function in functions:
                yield name, getattr(module, function)


def _lowering(original: Function, kept: Function) -> Function:
    @functools.wraps(original)
    def function(*args: Any, **keywords: Any) -> Any:
        return lifted(kept(*lowered(args), **lowered(keywords)))

    return function


def solves(function: FunctionType, names: Iterable[str]) -> bool:
    """Whether code that uses these `names` calls a solver of SciPy's by one of them.

    Iterations that are written in Python would be recorded as they are.
    """
    solvers = {name for functions in _OF_FUNCTIONS.values() for name in functions}
    if solvers.isdisjoint(names):
        return False
    values = [function.__globals__.get(name) for name in names]
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # Nobody has filled it yet.
            values.append(cell.cell_contents)
    return any(map(_is_of_scipy, values))


def _is_of_scipy(value: Any) -> bool:
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return isinstance(name, str) and name.partition(".")[0] == "scipy"
