"""Local slopes, by jets, moved indices, bases and perturbations, beside the tape's rules."""

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symtape
from symtape.graph.freeze import record
from symtape.primitives.primitive import PRIMITIVES
from symtape.primitives.vocabulary import examples, moving_inputs, vocabulary
from symtape.rigorous import adjoint, matrix_slopes, slopes
from symtape.rigorous.error_bound import bound_errors

vocabulary()


def differentiable() -> list[str]:
    """Rows with rules; those that are written out before any engine reads them have no slopes."""
    return sorted(
        name
        for name, row in PRIMITIVES.items()
        if not row.cuts and not row.missing and not row.by_parts
    )


@pytest.mark.parametrize("name", differentiable())
def test_slopes_are_those_of_the_tape(name: str) -> None:
    row = PRIMITIVES[name]
    for inputs, params in examples(row):
        args = [np.asarray(x)[()] for x in inputs]
        place = min(moving_inputs(row, tuple(map(np.asarray, args))))
        result = row.evaluate(*args, **params)
        outputs = result if isinstance(result, tuple | list) else (result,)
        if np.asarray(outputs[0]).dtype.kind != "f":
            continue

        def whole(x: Any, at: int = place, args: Any = args, params: Any = params) -> Any:
            found = row(*(x if k == at else arg for k, arg in enumerate(args)), **params)
            parts = found if isinstance(found, tuple | list) else (found,)
            return np.concatenate([np.reshape(part, (-1,)) for part in parts])

        node = next(node for node in record(whole, args[place]).nodes if node.primitive is row)
        shapes = [np.shape(part) for part in outputs]
        found = slopes.slopes(node, args, shapes, [k == place for k in range(len(args))])[place]
        size = sum(int(np.prod(shape)) for shape in shapes)
        expected = np.reshape(symtape.jacobian(whole)(args[place]), (size, -1))
        np.testing.assert_allclose(_dense(found, expected.shape), expected, rtol=1e-9, atol=1e-12)


def _dense(found: slopes.Slopes | None, shape: tuple[int, int]) -> Any:
    matrix = np.zeros(shape)
    if found is not None:
        matrix[found.rows, found.columns] = found.values
    return matrix


def test_the_bound_looks_at_no_rule_of_the_tape() -> None:
    for module in (adjoint, slopes, matrix_slopes):
        tree = ast.parse(Path(str(module.__file__)).read_text())
        imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert not {name for name in imported if name and "recording" in name}
        assert "vjp" not in Path(str(module.__file__)).read_text()


def test_what_is_stopped_is_rounded_all_the_same() -> None:
    """A constant to any derivative, and a float like any other: at a point and over a box."""
    stopped, plain = (
        record(f, 3.0) for f in (lambda x: symtape.stop_gradient(x**3), lambda x: x**3)
    )
    assert adjoint.adjoint_bound(stopped, [3.0]) == adjoint.adjoint_bound(plain, [3.0])
    ends = [np.float64(1.0)], [np.float64(9.0)]
    assert bound_errors(stopped, *ends, most=8) == bound_errors(plain, *ends, most=8)
    assert bound_errors(stopped, *ends, most=8)[0][0].ulps > 0


def test_a_wrong_rule_does_not_widen_what_rounding_may_cost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = record(lambda x: np.sum(np.tanh(x) * x), np.array([0.3, -1.2]))
    before = adjoint.adjoint_bound(graph, [np.array([0.3, -1.2])])[0]
    rule = PRIMITIVES["tanh"].rules[0]
    assert rule is not None
    monkeypatch.setattr(rule, "function", lambda g, y: g * 1e9)
    assert adjoint.adjoint_bound(graph, [np.array([0.3, -1.2])])[0] == before


def test_a_quotient_by_a_constant_zero_has_no_bound() -> None:
    with np.errstate(divide="ignore"):
        graph = record(lambda x: x / False, 0.5)
    assert adjoint.adjoint_bound(graph, [0.5])[0] == np.inf
