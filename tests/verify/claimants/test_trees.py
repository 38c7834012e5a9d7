"""Trees as points of what is verified, for the function and for the claim alike."""

from __future__ import annotations

import dataclasses
import types

import numpy as np
import pytest

import symtape
import verify
from verify.claimants.of_trees import find_argument
from verify.errors import UsageError
from verify.model.verdict import Verdict

W, B, X = np.array([0.5, 1.0]), 0.25, np.array([1.0, 2.0])


@dataclasses.dataclass
class Data:
    weights: list
    b: float
    power: int = 2


def dict_loss(p, x):
    return np.sum(np.tanh(p["weights"][0] * x + p["b"]) ** p["power"])


def object_loss(p, x):
    return dict_loss({"weights": p.weights, "b": p.b, "power": p.power}, x)


def as_dict():
    return {"weights": [W], "b": B, "power": 2, "name": "dense"}


KINDS = {
    "dict": (dict_loss, as_dict()),
    "dataclass": (object_loss, Data([W], B)),
    "namespace": (object_loss, types.SimpleNamespace(weights=[W], b=B, power=2)),
}

QUANTITIES = {
    "gradient": lambda f: symtape.grad(f, (0, 1)),
    "jacobian": lambda f: symtape.jacobian(f, (0, 1)),
    "hessian": lambda f: symtape.hessian(f, (0, 1)),
    "vjp": lambda f: lambda p, x, g: symtape.vjp(f, p, x)[1](g),
    "jvp": lambda f: lambda p, x, tp, tx: symtape.jvp(f, (p, x), (tp, tx))[1],
    "hvp": lambda f: lambda p, x, vp, vx: symtape.hvp(f, (0, 1))(p, x, (vp, vx)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_the_tape_and_claims_are_judged_of_trees(kind, quantity):
    function, p = KINDS[kind]
    check = getattr(verify, quantity)
    assert check(function, at=[(p, X)]).verdict is Verdict.CORRECT
    claim = QUANTITIES[quantity](function)
    assert check(function, claim, at=[(p, X)]).verdict is Verdict.CORRECT


@pytest.mark.parametrize("quantity", ["gradient", "hessian"])
def test_claims_by_one_argument(quantity):
    transform = {"gradient": symtape.grad, "hessian": symtape.hessian}[quantity]
    for argnums in (0, "p", ("p",), (0,)):
        by = argnums if isinstance(argnums, int | str) else argnums[0]
        claim = transform(dict_loss, by)
        found = getattr(verify, quantity)(dict_loss, claim, at=[(as_dict(), X)], argnums=argnums)
        assert found.verdict is Verdict.CORRECT
    by_x = transform(dict_loss, 1)
    found = getattr(verify, quantity)(dict_loss, by_x, at=[(as_dict(), X)], argnums="x")
    assert found.verdict is Verdict.CORRECT


def test_names_of_arguments_of_arrays():
    def area(a, b):
        return np.sum(a * b)

    assert verify.gradient(area, lambda a, b: a, at=[(2.0, 3.0)], argnums="b").verdict.value == (
        "CORRECT"
    )
    wrong = verify.gradient(area, lambda a, b: a, at=[(2.0, 3.0)], argnums=("a",))
    assert wrong.verdict is Verdict.WRONG
    with pytest.raises(UsageError, match=r"argnums='c'; expected indices of the arguments, a, b"):
        verify.gradient(area, at=[(2.0, 3.0)], argnums="c")
    assert find_argument("b", ["a", "b"]) == 1


LABELS = np.array([0, 2, 2, 1])
SCORES = np.array([0.5, -1.5, 2.0])


def of_labels(scores, labels):
    return np.sum(scores[labels] ** 2)


def by_labels(scores, labels):
    return 2 * scores * np.bincount(labels, minlength=len(scores))


def off_by_a_thousandth(scores, labels):
    return 1.001 * by_labels(scores, labels)


@pytest.mark.parametrize("argnums", [0, "scores", (0,), -2])
def test_integers_that_a_derivative_is_not_by_stay_integers(argnums):
    at = [(SCORES, LABELS), (2 * SCORES, LABELS)]
    found = verify.gradient(of_labels, by_labels, at=at, argnums=argnums)
    assert found.verdict is Verdict.CORRECT
    wrong = verify.gradient(of_labels, off_by_a_thousandth, at=at, argnums=argnums)
    assert wrong.verdict is Verdict.WRONG
    found = verify.hessian(of_labels, at=at, argnums=argnums)
    assert found.verdict is Verdict.CORRECT


def test_integers_that_differ_from_point_to_point_or_that_it_is_by_are_floats():
    at = [(SCORES, np.array([1, 2, 3])), (SCORES, np.array([3, 4, 5]))]
    for argnums in (None, 0, 1):
        assert verify.gradient(np.dot, at=at, argnums=argnums).verdict is Verdict.CORRECT


def _claimed(p, x):
    """Right, but for the leaf of the weights; with the keys in another order."""
    g = symtape.grad(dict_loss)(p, x)
    return {"name": None, "power": None, "b": g["b"], "weights": [1.5 * g["weights"][0]]}


def test_a_report_names_the_leaf_that_is_wrong():
    found = verify.gradient(dict_loss, _claimed, at=[(as_dict(), X)], argnums=0)
    assert found.verdict is Verdict.WRONG
    text = str(found)
    assert "with respect to p['weights'][0]" in text
    assert "1.5 times too large" in text
    assert "p['b'] = 0.25" in text


def test_results_that_are_trees_have_cotangents_of_their_structure():
    def parts(p):
        return {"u": p["a"] * p["b"], "v": p["a"] ** 2}

    def pulled(p, g):
        return {"a": g["u"] * p["b"] + 2 * g["v"] * p["a"], "b": np.sum(g["u"] * p["a"])}

    p, g = {"a": X, "b": 2.0}, {"v": np.array([1.0, -1.0]), "u": np.array([2.0, 3.0])}
    assert verify.vjp(parts, pulled, at=[(p, g)]).verdict is Verdict.CORRECT
    swapped = lambda p, g: pulled(p, {"u": g["v"], "v": g["u"]})  # noqa: E731
    assert verify.vjp(parts, swapped, at=[(p, g)]).verdict is Verdict.WRONG


def test_directions_of_trees():
    def cubic(p):
        return np.sum(p["a"] ** 3 * p["b"])

    def times(p, v):
        a, b = p["a"], p["b"]
        return {
            "b": np.sum(3 * a**2 * v["a"]),
            "a": 6 * a * b * v["a"] + 3 * a**2 * v["b"],
        }

    p, v = {"a": X, "b": 2.0}, {"b": -1.0, "a": np.ones(2)}
    assert verify.hvp(cubic, times, at=[(p, v), (p,)]).verdict is Verdict.CORRECT
    pushed = lambda p, t: np.sum(3 * p["a"] ** 2 * p["b"] * t["a"])  # noqa: E731
    assert verify.jvp(cubic, pushed, at=[(p, v)]).verdict is Verdict.WRONG


def test_points_have_one_structure_and_one_set_of_options():
    other = as_dict() | {"power": 3}
    with pytest.raises(UsageError, match="different options"):
        verify.gradient(dict_loss, at=[(as_dict(), X), (other, X)])
    with pytest.raises(UsageError, match="different structures: expected a dict with the keys"):
        verify.gradient(dict_loss, at=[(as_dict(), X), ({"b": 1.0}, X)])
    more = as_dict() | {"b": 0.75}
    assert verify.gradient(dict_loss, at=[(as_dict(), X), (more, X)]).verdict is Verdict.CORRECT


def test_mappings_without_numbers_are_refused():
    with pytest.raises(UsageError, match="holds objects; expected"):
        verify.gradient(dict_loss, at=[({"name": "x"}, X)])


def test_record_and_derive_take_trees_and_keywords():
    def f(params, x, *, k=2.0, mode="sum"):
        assert mode == "plain"
        return params["w"] * x**2 + params["b"][0] * k

    params = {"w": 2.0, "b": [1.0], "name": "text"}
    derived = symtape.derive(f, params, 3.0, k=1.5, mode="plain")
    assert str(derived.value) == "k*params_b_0 + params_w*x**2"
    graph = symtape.record(f, params, 3.0, k=1.5, mode="plain")
    assert graph.evaluate(2.0, 1.0, 3.0, 1.5) == (19.5,)
    assert symtape.derive(lambda a, b: a * b, 2.0, b=3.0).value.lambdify()(2.0, 5.0) == 10.0


def test_a_tree_is_read_where_a_value_leaves():
    def f(p):
        buffer = np.zeros(2)
        buffer[0], buffer[1] = float(p["a"]) ** 2, p["b"][0]
        return buffer.sum()

    p = {"a": 3.0, "b": [2.0]}
    assert str(symtape.derive(f, p).value) == "p_a**2 + p_b_0"
    assert symtape.grad(f)(p) == {"a": 6.0, "b": [1.0]}
    assert verify.gradient(f, at=[p]).verdict is Verdict.CORRECT
