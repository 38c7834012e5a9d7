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

from symtape.frontends import distances
from symtape.recording.in_place import holds_tensor, joined, lifted, lowered

Function = Callable[..., Any]

_BY_SYMTAPE: Final = {
    "scipy.special": ("logsumexp", "softmax", "log_softmax", "multigammaln", "polygamma"),
    "scipy.linalg": ("cholesky", "det", "expm", "inv", "solve", "solve_triangular"),
}

_OF_FUNCTIONS: Final[dict[str, tuple[str, ...]]] = {
    "scipy.integrate": ("odeint", "quad", "quad_vec", "solve_ivp"),
    "scipy.optimize": (
        *("bisect", "brenth", "brentq", "ridder", "toms748", "newton", "root_scalar"),
        *("fixed_point", "fsolve", "root", "minimize", "minimize_scalar", "least_squares"),
        *("curve_fit", "nnls", "lsq_linear", "linear_sum_assignment", "linprog"),
    ),
}
"""Those that are given functions, which may hold tensors."""


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
    return found | {
        original: _lowering(original, _of_symtape(f"symtape.{name}", original.__name__))
        for name, original in _given_functions()
    }


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


def _of_symtape(module: str, name: str) -> Function:
    def function(*args: Any, **keywords: Any) -> Any:
        return getattr(importlib.import_module(module), name)(*args, **keywords)

    return function
