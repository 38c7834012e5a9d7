"""Roots and fixed points of ``scipy.optimize``, by the implicit function theorem."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from scipy import optimize

from symtape.errors import Unsupported
from symtape.recording.in_place import join_nested
from symtape.scipy.captured import Function, Plain, call_outside, plain_value
from symtape.scipy.solutions import Equations, Problem
from symtape.scipy.twins import (
    append_arguments,
    derivatives,
    one_number,
    part_of,
    settle_value,
    shaped_as,
    twin,
)

OF_ROOTS: Final = 1e-10
"""What roots are off by at least, relatively."""


def _make_root_finder(original: Function) -> Function:
    def find_root(given: dict[str, Any]) -> Any:
        f = append_arguments(given.pop("f"), given.pop("args"))
        full = given.pop("full_output")
        given = {name: plain_value(value) for name, value in given.items()}

        def solve(g: Function, _: Any) -> tuple[Any, Any]:
            x, report = call_outside(original, g, **given, full_output=True)
            reports.append(report)
            return np.float64(x), np.float64(x)

        reports: list[Any] = []
        x, z = solve(Plain(f), None)
        found = Equations(Problem(original.__name__, f, lambda x: one_number(f(x)), solve), x, z)
        report = reports[0]
        root = found.solution(OF_ROOTS) if found.tensors else report.root
        return (root, report) if full else root

    return twin(original, find_root, "a root of a scalar function, between two numbers.")


bisect = _make_root_finder(optimize.bisect)
brentq = _make_root_finder(optimize.brentq)
brenth = _make_root_finder(optimize.brenth)
ridder = _make_root_finder(optimize.ridder)
toms748 = _make_root_finder(optimize.toms748)


def _newton(given: dict[str, Any]) -> Any:
    args, full = given.pop("args"), given.pop("full_output")
    f = append_arguments(given.pop("func"), args)
    first = derivatives(given, args, ("fprime", "fprime2"))
    given = {name: plain_value(value) for name, value in given.items()}
    reports: list[Any] = []

    def solve(g: Function, _: Any, **more: Any) -> tuple[Any, Any]:
        x, *rest = call_outside(optimize.newton, g, **given, **more, full_output=True)
        reports.append(rest)
        x = np.asarray(x, dtype=np.float64)[()]
        return x, x

    x, z = solve(Plain(f), None, **first)
    found = Equations(Problem("newton", f, shaped_as(f, x), solve), x, z)
    root = found.solution(OF_ROOTS) if found.tensors else x
    if not full:
        return root
    return (root, *reports[0])


newton = twin(
    optimize.newton, _newton, "a root close to where the search begins; by element of an array."
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
    given = {name: settle_value(value) for name, value in given.items() if name not in first}
    # Without the slopes, which hold tensors, the method may be another one.
    method = given.pop("method")
    reports: list[Any] = []

    def solve(g: Function, _: Any, **more: Any) -> tuple[Any, Any]:
        kind = method if more or not first else "secant"
        if kind == "secant" and first:
            more["x1"] = given.get("x1") or 1.0001 * given["x0"] + 1e-4
        found = call_outside(optimize.root_scalar, g, method=kind, **{**given, **more})
        reports.append(found)
        if not found.converged:
            raise Unsupported(f"root_scalar has not converged: {found.flag}")
        return np.float64(found.root), np.float64(found.root)

    x, z = solve(Plain(f), None, **first)
    found = Equations(Problem("root_scalar", f, lambda x: one_number(f(x)), solve), x, z)
    report = reports[0]
    if found.tensors:
        report.root = found.solution(OF_ROOTS)
    return report


root_scalar = twin(optimize.root_scalar, _root_scalar, "a root, with the report of the search.")


def _fixed_point(given: dict[str, Any]) -> Any:
    f = append_arguments(given.pop("func"), given.pop("args"))
    given = {name: plain_value(value) for name, value in given.items()}

    def solve(g: Function, _: Any) -> tuple[Any, Any]:
        x = np.asarray(call_outside(optimize.fixed_point, g, **given), dtype=np.float64)[()]
        return x, x

    x, z = solve(Plain(f), None)
    found = Equations(Problem("fixed_point", f, lambda x: join_nested(f(x)) - x, solve), x, z)
    return found.solution(OF_ROOTS) if found.tensors else x


fixed_point = twin(optimize.fixed_point, _fixed_point, "where a function returns its argument.")


def _root(given: dict[str, Any]) -> Any:
    args, x0 = given.pop("args"), plain_value(given.pop("x0"))
    f = whole = append_arguments(given.pop("fun"), args)
    if (jac := given.pop("jac")) is True:
        f, jac = part_of(whole, 0), part_of(whole, 1)
    elif callable(jac):
        jac = append_arguments(jac, args)
    results: list[Any] = []

    def solve(g: Function, _: Any, jac: Any = None) -> tuple[Any, Any]:
        found = call_outside(optimize.root, g, x0, jac=jac, **given)
        results.append(found)
        if not found.success:
            raise Unsupported(f"root has not converged: {found.message}")
        x = np.asarray(found.x, dtype=np.float64)
        return x, x

    x, z = solve(Plain(f), None, Plain(jac) if jac else jac)
    found = Equations(Problem("root", f, shaped_as(f, x), solve), x, z)
    result = results[0]
    if found.tensors:
        exact = given["method"] in ("hybr", "lm")
        result.x = found.solution(OF_ROOTS, 8.0 if exact else 1e4)
    return result


root = twin(optimize.root, _root, "a root of as many functions as there are unknowns.")


def _fsolve(given: dict[str, Any]) -> Any:
    args, x0 = given.pop("args"), plain_value(given.pop("x0"))
    f, full = append_arguments(given.pop("func"), args), given.pop("full_output")
    first = derivatives(given, args, ("fprime",))
    column = given.pop("col_deriv")
    results: list[Any] = []

    def solve(g: Function, _: Any, **more: Any) -> tuple[Any, Any]:
        more = {**more, "col_deriv": column} if more else {}
        found = call_outside(optimize.fsolve, g, x0, **given, **more, full_output=True)
        results.append(found)
        if found[2] != 1:
            raise Unsupported(f"fsolve has not converged: {found[3]}")
        return found[0], found[0]

    x, z = solve(Plain(f), None, **first)
    found = Equations(Problem("fsolve", f, shaped_as(f, x), solve), x, z)
    x = found.solution(OF_ROOTS) if found.tensors else x
    return (x, *results[0][1:]) if full else x


fsolve = twin(optimize.fsolve, _fsolve, "a root of as many functions as there are unknowns.")
