"""Rules of frameworks that are planted wrong are refuted with a witness, right ones are proved."""

from __future__ import annotations

import importlib
import re
import warnings

import numpy as np
import pytest
from scipy import linalg

from symtape.prover import Proof
from verify.auditing.libraries.claimants import claimant
from verify.auditing.libraries.functions import FUNCTIONS
from verify.auditing.libraries.spelling import compile_formula, function_of
from verify.auditing.rules import ruling
from verify.auditing.rules.domains import domain_of
from verify.auditing.rules.linear_algebra import ARRAY_FUNCTIONS
from verify.auditing.rules.ruling import judge_rule
from verify.auditing.rules.work import add_cotangents, pose
from verify.claimants.claim import claim_of
from verify.model.verdict import Verdict

TANH = FUNCTIONS["tanh"]


def module(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name)


def jax_function(value, slope):
    """A function of JAX with a rule of its own."""
    jax = module("jax")
    function = jax.custom_jvp(lambda x: value(jax.numpy, x))
    function.defjvp(lambda xs, ts: (function(*xs), slope(jax.numpy, *xs) * ts[0]))
    return lambda x: function(x)


def torch_function(value, slope):
    torch = module("torch")

    class Planted(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return value(torch, x)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * slope(torch, x)

    return lambda x: Planted.apply(x)


def autograd_function(value, slope):
    numpy, extend = module("autograd.numpy"), module("autograd.extend")
    function = extend.primitive(lambda x: value(numpy, x))
    extend.defvjp(function, lambda ans, x: lambda g: g * slope(numpy, x))
    return lambda x: function(x)


MADE = {"jax": jax_function, "torch": torch_function, "autograd": autograd_function}


def judged(library, row, slope, value=lambda np, x: np.tanh(x)):
    """What is said of a rule for a function of one number."""
    formula, domain = compile_formula(row.formula, row.arguments), domain_of(row)
    theirs = MADE[library](value, slope)
    return judge_rule(claim_of(pose(library, formula, theirs, domain, "gradient")), domain)


RIGHT = {
    "as it is written": lambda np, x: 1 - np.tanh(x) ** 2,
    "by the hyperbolic cosine": lambda np, x: 1 / np.cosh(x) ** 2,
    "by exponentials": lambda np, x: 4 / (np.exp(x) + np.exp(-x)) ** 2,
    "in pieces": lambda np, x: np.where(
        x > 0, 1 - np.tanh(x) ** 2, (1 - np.tanh(x)) * (1 + np.tanh(x))
    ),
}
WRONG = {
    "off by a factor": lambda np, x: 2 * (1 - np.tanh(x) ** 2),
    "the sign": lambda np, x: np.tanh(x) ** 2 - 1,
    "a power": lambda np, x: 1 - np.tanh(x),
    "of another function": lambda np, x: np.cosh(x) ** -3,
    "on one side alone": lambda np, x: np.where(x < 0, 1.0, 1 - np.tanh(x) ** 2),
    "without a value at 0": lambda np, x: (1 - np.tanh(x) ** 2) * x / x,
    "at 0 alone": lambda np, x: np.where(x == 0, 0.5, 1 - np.tanh(x) ** 2),
}


@pytest.mark.parametrize("library", MADE)
@pytest.mark.parametrize("how", RIGHT)
def test_a_right_rule_is_proved(library, how):
    found = judged(library, TANH, RIGHT[how])
    assert found.verdict is Verdict.CORRECT, found.message
    assert found.message.startswith("proved")
    assert found.witness is None


@pytest.mark.parametrize("library", MADE)
@pytest.mark.parametrize("how", WRONG)
def test_a_wrong_rule_is_refuted_with_a_witness(library, how):
    found = judged(library, TANH, WRONG[how])
    assert found.verdict is Verdict.WRONG, found.message
    [x] = found.witness.x
    exact = float(found.witness.enclosure.lower)
    np.testing.assert_allclose(exact, 1 - np.tanh(x) ** 2, rtol=1e-9)
    claimed = float(found.witness.claimed.decimal)
    assert np.isnan(claimed) or abs(claimed - exact) > 1e-6 * abs(exact)
    assert ("at 0" in how) == (x == 0 and "elsewhere proved" in found.message)


@pytest.mark.parametrize("library", MADE)
def test_an_approximation_is_no_gross_fault_and_no_proof(library):
    found = judged(library, TANH, lambda np, x: (1 + 1e-9) * (1 - np.tanh(x) ** 2))
    assert found.verdict is Verdict.INACCURATE
    assert "off by 1e-09" in found.message


def test_a_rule_with_rounded_constants_is_proved_for_what_they_stand_for():
    row = FUNCTIONS["exp2"]
    found = judged(
        "torch", row, lambda np, x: np.exp2(x) * 0.6931471805599453, lambda np, x: np.exp2(x)
    )
    assert found.verdict is Verdict.CORRECT
    assert found.message == "proved, up to the rounding of constants"


def test_a_rule_that_leaves_the_program_is_undecided():
    torch = module("torch")
    found = judged("torch", TANH, lambda np, x: 1 - torch.tensor(np.tanh(x).numpy()) ** 2)
    assert found.verdict is Verdict.UNDECIDED
    assert found.witness is None


def test_what_is_not_proved_says_at_how_many_points_it_is_right():
    erf, inverse = (getattr(module("torch").special, name) for name in ("erf", "erfinv"))
    found = judged("torch", TANH, lambda np, x: 1 - np.tanh(x) ** 2 + inverse(erf(x)) - x)
    assert found.verdict is Verdict.UNDECIDED
    assert int(re.search(r"it is right at (\d+) points", found.message)[1]) >= 6
    assert found.witness is None


def test_a_proof_that_a_point_contradicts_is_a_conflict(monkeypatch):
    monkeypatch.setattr(ruling, "_prove_over", lambda claim, domain: (Proof(True), True))
    found = judged("torch", TANH, WRONG["at 0 alone"])
    assert found.verdict is Verdict.UNDECIDED
    assert "oracle conflict" in found.message


def torch_determinant(transposed):
    torch = module("torch")

    class Determinant(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return torch.linalg.det(a)

        @staticmethod
        def backward(ctx, g):
            (a,) = ctx.saved_tensors
            inverse = torch.linalg.inv(a)
            return g * torch.linalg.det(a) * (inverse.T if transposed else inverse)

    return lambda a: Determinant.apply(a)


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("right", [True, False])
def test_rules_of_matrices(size, right):
    row = ARRAY_FUNCTIONS["det"]
    domain = add_cotangents(np.linalg.det, row.points(size))
    case = pose("torch", np.linalg.det, torch_determinant(right), domain, "vjp")
    found = judge_rule(claim_of(case), domain)
    assert found.verdict is (Verdict.CORRECT if right else Verdict.WRONG), found.message
    if right:
        assert "where a[" in found.message  # not all matrices have an inverse
    else:
        matrix, g = found.witness.x
        exact = g * np.linalg.det(matrix) * np.linalg.inv(matrix).T
        at = found.witness.entry
        np.testing.assert_allclose(float(found.witness.enclosure.lower), exact[at], rtol=1e-9)


def test_points_lie_in_their_boxes_and_off_kinks():
    for row in FUNCTIONS.values():
        domain = domain_of(row)
        ranges = (row.over, row.second)
        points = [point for part in (domain.whole, *domain.parts) for point in part.points]
        for point in [*points, *domain.plain]:
            assert all(low < x < high for x, (low, high) in zip(point, ranges, strict=False)), row
            assert point[0] not in row.kinks, row
        for part in domain.parts:
            for point in part.points:
                for k, x in enumerate(point):
                    box = part.box.get(f"x{k}")
                    assert box is None or (box.low < x and x < box.high), (row.name, point)


@pytest.mark.parametrize("library", MADE)
def test_the_table_of_matrices_means_the_same_everywhere(library):
    module(library)
    names = dict(claimant(library)._names)
    names["jsl"] = importlib.import_module("jax.scipy.linalg") if library == "jax" else None
    names["asl"] = (
        importlib.import_module("autograd.scipy.linalg") if library == "autograd" else None
    )
    for row in ARRAY_FUNCTIONS.values():
        if not (spelling := row.spell_for(library)):
            continue
        [point, *_] = row.points(3)
        ours = function_of(row.formula, row.arguments, {"np": np, "linalg": linalg})(*point)
        given = [names["torch"].tensor(x) for x in point] if library == "torch" else point
        theirs = np.asarray(function_of(spelling, row.arguments, names)(*given))
        np.testing.assert_allclose(theirs, ours, rtol=1e-4, err_msg=row.name)
