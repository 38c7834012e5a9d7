"""Roots and fixed points of ``scipy.optimize``, by the implicit function theorem."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from scipy import optimize

from symtape.errors import Unsupported
from symtape.recording.nested import join_nested
from symtape.scipy.captured import Function, Plain, call_outside, plain_value
from symtape.scipy.solutions import Equations, Problem
from symtape.scipy.twins import append_arguments, derivatives, part_of, settle_value, twin

OF_ROOTS: Final = 1e-10
"""What roots are off by at least, relatively."""


def _solve(
    what: str,
    f: Function,
    run: Callable[[Function, bool], tuple[Any, Any]],
    residual: Function | None = None,
    slack: float = 8.0,
) -> tuple[Any, Any]:
    """A root, as a tensor where one moves it, and all that SciPy returns with it.

    Parameters
    ----------
    what : str
        The name of the solver.
    f : callable
        What it is given.
    run : callable ``(function, first) -> (root, all)``
        The search for a function of floats; not the first one knows no slopes.
    residual : callable, optional
        What is to be 0, if it is not `f`.
    slack : float
        See :meth:`Equations.solution`.
    """
    root, found = run(Plain(f), True)

    def equations(z: Any) -> Any:
        value = join_nested((residual or f)(z))
        return value if np.shape(value) == np.shape(root) else np.reshape(value, np.shape(root))

    def solve_again(g: Function, _: Any) -> Any:
        return _to_floats(run(g, False)[0])

    known = Equations(Problem(what, f, equations, solve_again), _to_floats(root))
    return known.solution(OF_ROOTS, slack) if known.tensors else root, found


def _to_floats(x: Any) -> Any:
    return np.asarray(x, dtype=np.float64)[()]


def _settle_values(given: dict[str, Any]) -> dict[str, Any]:
    return {name: settle_value(value) for name, value in given.items()}


def _make_root_finder(
    original: Function,
    words: str,
    name: str = "func",
    slopes: tuple[str, ...] = (),
    check: Callable[[Any], None] = lambda found: None,
) -> Function:
    """One that returns a root, followed by reports where these are asked for."""

    def find_root(given: dict[str, Any]) -> Any:
        args, full = given.pop("args"), given.pop("full_output")
        f = append_arguments(given.pop(name), args)
        first = derivatives(given, args, slopes)
        given = _settle_values(given)

        def run(g: Function, is_first: bool) -> tuple[Any, Any]:
            more = first if is_first else {}
            found = call_outside(original, g, **given, **more, full_output=True)
            check(found)
            return found[0], found

        root, found = _solve(original.__name__, f, run)
        return (root, *found[1:]) if full else root

    return twin(original, find_root, words)


def _check_convergence(found: Any) -> None:
    if found[2] != 1:
        raise Unsupported(f"fsolve has not converged: {found[3]}")


_BETWEEN: Final = "a root of a scalar function, between two numbers."
bisect = _make_root_finder(optimize.bisect, _BETWEEN, "f")
brentq = _make_root_finder(optimize.brentq, _BETWEEN, "f")
brenth = _make_root_finder(optimize.brenth, _BETWEEN, "f")
ridder = _make_root_finder(optimize.ridder, _BETWEEN, "f")
toms748 = _make_root_finder(optimize.toms748, _BETWEEN, "f")
newton = _make_root_finder(
    optimize.newton,
    "a root close to where the search begins; by element of an array.",
    slopes=("fprime", "fprime2"),
)
fsolve = _make_root_finder(
    optimize.fsolve,
    "a root of as many functions as there are unknowns.",
    slopes=("fprime",),
    check=_check_convergence,
)


def _root_scalar(given: dict[str, Any]) -> Any:
    args = given.pop("args")
    f = whole = append_arguments(given.pop("f"), args)
    first: dict[str, Any] = {}
    several = [name for name in ("fprime", "fprime2") if given.get(name) is True]
    if several:
        f = part_of(whole, 0)
        for number, name in enumerate(several, 1):
            given[name] = None
            first[name] = Plain(part_of(whole, number))
    first |= derivatives(given, args, ("fprime", "fprime2"))
    given = _settle_values({name: value for name, value in given.items() if name not in first})
    # Without the slopes, which hold tensors, the method may be another one.
    method = given.pop("method")

    def run(g: Function, is_first: bool) -> tuple[Any, Any]:
        more = first if is_first else {}
        kind = method if more or not first else "secant"
        if kind == "secant" and first:
            more = {**more, "x1": given.get("x1") or 1.0001 * given["x0"] + 1e-4}
        found = call_outside(optimize.root_scalar, g, method=kind, **{**given, **more})
        if not found.converged:
            raise Unsupported(f"root_scalar has not converged: {found.flag}")
        return found.root, found

    root, report = _solve("root_scalar", f, run)
    report.root = root
    return report


root_scalar = twin(optimize.root_scalar, _root_scalar, "a root, with the report of the search.")


def _fixed_point(given: dict[str, Any]) -> Any:
    f = append_arguments(given.pop("func"), given.pop("args"))
    given = _settle_values(given)

    def run(g: Function, _: bool) -> tuple[Any, Any]:
        return call_outside(optimize.fixed_point, g, **given), None

    return _solve("fixed_point", f, run, lambda x: join_nested(f(x)) - x)[0]


fixed_point = twin(optimize.fixed_point, _fixed_point, "where a function returns its argument.")


def _root(given: dict[str, Any]) -> Any:
    args, x0 = given.pop("args"), plain_value(given.pop("x0"))
    f = whole = append_arguments(given.pop("fun"), args)
    if (jac := given.pop("jac")) is True:
        f, jac = part_of(whole, 0), part_of(whole, 1)
    elif callable(jac):
        jac = append_arguments(jac, args)

    def run(g: Function, is_first: bool) -> tuple[Any, Any]:
        slopes = (Plain(jac) if jac else jac) if is_first else None
        found = call_outside(optimize.root, g, x0, jac=slopes, **given)
        if not found.success:
            raise Unsupported(f"root has not converged: {found.message}")
        return found.x, found

    is_exact = given["method"] in ("hybr", "lm")
    root, result = _solve("root", f, run, slack=8.0 if is_exact else 1e4)
    result.x = root
    return result


root = twin(optimize.root, _root, "a root of as many functions as there are unknowns.")
