"""Code that calls a solver of SciPy's."""

from __future__ import annotations

from collections.abc import Iterable
from types import FunctionType, ModuleType
from typing import Any, Final

from symtape.reading.functions import closed_over

SOLVERS: Final[dict[str, tuple[str, ...]]] = {
    "scipy.integrate": ("fixed_quad", "odeint", "quad", "quad_vec", "solve_ivp"),
    "scipy.optimize": (
        *("bisect", "brenth", "brentq", "ridder", "toms748", "newton", "root_scalar"),
        *("fixed_point", "fsolve", "root", "minimize", "minimize_scalar", "least_squares"),
        *("brent", "golden", "fmin", "fmin_bfgs", "fmin_cg", "fmin_ncg", "fmin_powell"),
        *(
            "fminbound",
            "leastsq",
            "curve_fit",
            "nnls",
            "lsq_linear",
            "linear_sum_assignment",
            "linprog",
        ),
    ),
}
"""Those of which code is known to use one before SciPy has been loaded."""


_NAMES: Final = frozenset(name for functions in SOLVERS.values() for name in functions)


def solves(function: FunctionType, names: Iterable[str]) -> bool:
    """Whether code that uses these `names` calls a solver of SciPy's by one of them.

    Iterations that are written in Python would be recorded as they are.
    """
    if _NAMES.isdisjoint(names):
        return False
    values = [function.__globals__.get(name) for name in names]
    return any(map(_is_of_scipy, [*values, *closed_over(function)]))


def _is_of_scipy(value: Any) -> bool:
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return isinstance(name, str) and name.partition(".")[0] == "scipy"
