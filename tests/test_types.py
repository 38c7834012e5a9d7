"""What type checkers know of the public names: mypy reads this file along with the sources.

Each ``type: ignore`` stands where a checker has to complain; one that it does not need is an error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, assert_type

import numpy as np
import pytest

import symtape
import verify


def area(a: float, b: float) -> float:
    return a * b


def sine(x: float) -> tuple[float, str]:
    return float(0) + np.sin(x), "aux"


def test_a_derivative_takes_what_the_function_takes() -> None:
    slopes: list[Callable[[float, float], Any]] = [
        symtape.grad(area),
        symtape.jacobian(area),
        symtape.batch_jacobian(area),
        symtape.hessian(area),
    ]
    assert slopes[0](2.0, 3.0) == slopes[1](2.0, 3.0) == 3.0
    assert_type(symtape.value_and_grad(area)(2.0, 3.0), tuple[Any, Any])
    with pytest.raises(TypeError):
        symtape.grad(area)("two", 3.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        symtape.hessian(area)(2.0)  # type: ignore[call-arg]


def test_what_comes_beside_a_derivative_keeps_its_type() -> None:
    assert_type(symtape.grad(sine, has_aux=True)(0.5), tuple[Any, str])
    assert_type(symtape.jacobian(sine, has_aux=True)(0.5), tuple[Any, str])
    assert_type(symtape.hessian(sine, has_aux=True)(0.5), tuple[Any, str])
    assert_type(symtape.value_and_grad(sine, has_aux=True)(0.5), tuple[tuple[Any, str], Any])
    assert_type(symtape.jvp(sine, (0.5,), (1.0,), has_aux=True), tuple[Any, Any, str])
    _, pull, aux = symtape.vjp(sine, 0.5, has_aux=True)
    assert_type(aux, str)
    assert_type(pull(1.0), tuple[Any, ...])
    assert np.isclose(pull(1.0)[0], np.cos(0.5))


def test_decorators_keep_the_signature() -> None:
    @symtape.custom_gradient
    def cube(x: float) -> tuple[float, Callable[[float], float]]:
        return x**3, lambda upstream: 3 * x**2 * upstream

    @symtape.register_op("TypedDouble")
    def double(x: float) -> float:
        return 2 * x

    @verify.case(at=[0.5])
    def square(x: float) -> float:
        return x**2

    assert_type(cube(2.0), float)
    assert_type(double(2.0), float)
    assert_type(square(2.0), float)


def test_what_is_loaded_late_has_its_type() -> None:
    graph = symtape.record(area, 2.0, 3.0)
    assert_type(graph, symtape.Graph)
    assert_type(symtape.derive(area, 2.0, 3.0), symtape.Derivation)
    assert_type(symtape.Budget(seconds=3).seconds, float)
    assert symtape.enclose(graph, [2.0, 3.0], bits=100)[0][()] == 6
    assert callable(symtape.jets.gradient)
    assert issubclass(verify.errors.UsageError, symtape.errors.SymtapeError)


def test_results_have_types() -> None:
    result = verify.gradient(area, at=[(2.0, 3.0)], effort="quick", evidence="certified")
    assert_type(result, verify.Result)
    assert_type(result.verdict, verify.Verdict)
    assert_type(result.evidence, verify.Evidence)
    assert_type(verify.assert_hessian(area, at=[(2.0, 3.0)]), verify.Result)
    assert_type(
        verify.assert_optimize(np.sum, jac=np.ones_like, at=[[2.0, 3.0]]), list[verify.Result]
    )
    with pytest.raises(TypeError):
        verify.gradient(area, points=[1.0])  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        verify.assert_gradient(area, at=[(2.0, 3.0)], directions=[1.0])  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        verify.assert_ivp(area, area, at=[(2.0, 3.0)], points=1)  # type: ignore[call-arg]
    with pytest.raises(verify.errors.UsageError):
        verify.assert_vjp(area, at=[(2.0, 3.0)], budget="5")  # type: ignore[arg-type]
    with pytest.raises(verify.errors.UsageError):
        verify.gradient(area, at=[(2.0, 3.0)], evidence="felt")  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        verify.gradeint  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError):
        symtape.gradeint  # type: ignore[attr-defined]  # noqa: B018
