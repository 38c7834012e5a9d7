"""The older names of SciPy's minimizers: ``fmin``, ``brent`` and their like.

They return the place of the minimum, followed by reports where these are asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from scipy import optimize

from symtape.errors import Unsupported
from symtape.recording.nested import join_nested
from symtape.scipy.captured import Function, call_outside, plain_value
from symtape.scipy.optima import optimum
from symtape.scipy.twins import append_arguments, derivatives, one_number, settle_value, twin

_DERIVATIVES: Final = ("fprime", "fhess", "fhess_p")
_EVERYWHERE: Final = (-np.inf, np.inf)


def _asked_for(given: dict[str, Any], found: tuple[Any, ...], x: Any, value: Any) -> Any:
    """What SciPy returns of the place, the value and its reports."""
    _, _, *reports = found
    if given["full_output"]:
        return (x, value, *reports)
    return (x, reports[-1]) if given.get("retall") else x


def _minimise(
    original: Function, given: dict[str, Any], cost: Function, ends: tuple[Any, Any]
) -> Any:
    """The result of `original`, of a function of arrays."""
    args = given.pop("args")
    first = derivatives(given, args, _DERIVATIVES)
    own = {name: settle_value(value) for name, value in given.items() if name != "full_output"}

    def run(g: Function, gradient: Function | None) -> tuple[Any, Any]:
        again = {"fprime": gradient} if "fprime" in first else {}
        more = first if gradient is None else again
        found = call_outside(original, lambda x: float(g(x)), **own, **more, full_output=True)
        return found, found[0]

    found, best, moves = optimum(original.__name__, cost, cost, ends, run)
    if not moves:
        return _asked_for(given, found, *found[:2])
    return _asked_for(given, found, np.reshape(best, np.shape(found[0])), cost(best))


def _make_array_minimiser(original: Function, name: str) -> Function:
    def minimise_array(given: dict[str, Any]) -> Any:
        whole = append_arguments(given.pop(name), given["args"])

        def f(x: Any) -> Any:
            return one_number(whole(x))

        given["x0"] = np.atleast_1d(plain_value(given["x0"])).astype(float)
        return _minimise(original, given, f, _EVERYWHERE)

    return twin(
        original, minimise_array, "a minimum of a function of an array; its reports are SciPy's."
    )


def _make_scalar_minimiser(
    original: Function, ends: Callable[[dict[str, Any]], tuple[Any, Any]]
) -> Function:
    def minimise_scalar(given: dict[str, Any]) -> Any:
        f = append_arguments(given.pop("func"), given["args"])
        return _minimise(original, given, lambda x: one_number(f(np.reshape(x, ()))), ends(given))

    return twin(
        original, minimise_scalar, "a minimum of a function of one number; its reports are SciPy's."
    )


fmin = _make_array_minimiser(optimize.fmin, "func")
fmin_powell = _make_array_minimiser(optimize.fmin_powell, "func")
fmin_bfgs = _make_array_minimiser(optimize.fmin_bfgs, "f")
fmin_cg = _make_array_minimiser(optimize.fmin_cg, "f")
fmin_ncg = _make_array_minimiser(optimize.fmin_ncg, "f")
brent = _make_scalar_minimiser(optimize.brent, lambda given: _EVERYWHERE)
golden = _make_scalar_minimiser(optimize.golden, lambda given: _EVERYWHERE)
fminbound = _make_scalar_minimiser(
    optimize.fminbound, lambda given: (join_nested(given["x1"]), join_nested(given["x2"]))
)


def _leastsq(given: dict[str, Any]) -> Any:
    args, full = given.pop("args"), given.pop("full_output")
    f = append_arguments(given.pop("func"), args)
    slopes = derivatives(given, args, ("Dfun",))
    own = {name: settle_value(value) for name, value in given.items()}

    def run(g: Function, gradient: Function | None) -> tuple[Any, Any]:
        more = slopes if gradient is None else {}
        found = call_outside(optimize.leastsq, g, **own, **more, full_output=True)
        return found, found[0]

    def residuals(x: Any) -> Any:
        return np.atleast_1d(join_nested(f(x)))

    def cost(x: Any) -> Any:
        return 0.5 * np.sum(residuals(x) ** 2)

    whole, best, moves = optimum("leastsq", residuals, cost, _EVERYWHERE, run)
    if moves and full:
        raise Unsupported(
            "leastsq(full_output=True): the derivatives of its reports are not known here; "
            "curve_fit returns the covariance as well"
        )
    found, *reports = whole
    return (found, *reports) if full else (best if moves else found, reports[-1])


leastsq = twin(optimize.leastsq, _leastsq, "a least sum of squares.")
