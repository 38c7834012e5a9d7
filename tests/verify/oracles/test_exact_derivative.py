"""The value gate: all readings of a row are of one function, at points of every size."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings

import symtape
import verify
from symtape.errors import Unsupported
from symtape.primitives.primitive import PRIMITIVES, Primitive
from symtape.primitives.vocabulary import examples, vocabulary
from symtape.process.budget import Budget
from symtape.symbolic.walk import shadow
from verify import Verdict
from verify.model.verdict import Confirmation, ConfirmationStatus, Evidence, Rung, unconfirmed_by
from verify.oracles.closed_form import ClosedForms
from verify.oracles.exact_derivative import confirm_values
from verify.strategies.programs import programs

vocabulary()
ROWS = [row.name for row in PRIMITIVES.values() if row.elementwise and examples(row)]


def sizes(random):
    """Numbers of many sizes, halves, and neighbours of 1."""
    signs = random.choice([-1, 1], 24)
    return random.permutation(
        np.concatenate(
            [
                random.uniform(-3, 3, 8),
                random.uniform(-60, 60, 4),
                np.exp(random.uniform(-600, 600, 4)) * signs[:4],
                np.exp(random.uniform(-40, 7, 4)) * signs[4:8],
                random.integers(-20, 20, 2) / 2.0,
                1 + np.exp(random.uniform(-35, -1, 2)) * signs[8:10],
            ]
        )
    )


def readings(row, inputs, params, x):
    moving = [k for k, value in enumerate(inputs) if np.asarray(value).dtype.kind == "f"]

    def apply(*xs):
        args = [np.ravel(value)[0].item() for value in inputs]
        for k, value in zip(moving, xs, strict=True):
            args[k] = value
        return row(*args, **params)

    given = x[: len(moving)]
    graph = symtape.record(apply, *given)
    values = graph.values(*given)
    (at,) = graph.outputs
    node = graph.nodes[at]
    arguments = [values[i] for i in node.inputs]
    defined = row.domain is None or np.all(row.domain(*arguments, **params))
    if node.dtype.kind != "f" or not np.isfinite(values[at]) or not defined:
        return []
    truth = ClosedForms("jacobian").evaluate(graph, given, Budget(statements=10_000))
    return confirm_values(graph, given, truth, values)


@pytest.mark.slow
@pytest.mark.parametrize("name", ROWS)
def test_template_balls_and_floats_of_a_row_are_one_function(name):
    row = PRIMITIVES[name]
    random = np.random.default_rng([7, *name.encode()])
    for inputs, params in examples(row):
        for dtype in (np.float64, np.float32):
            with np.errstate(all="ignore"):
                columns = [sizes(random).astype(dtype) for _ in inputs]
            for x in zip(*columns, strict=True):
                if not np.all(np.isfinite(x)):
                    continue
                with np.errstate(all="ignore"):
                    try:
                        found = readings(row, inputs, params, x)
                    except Unsupported:
                        continue
                assert not [
                    str(one) for one in found if one.status is ConfirmationStatus.CONFLICT
                ], x


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("entries", ["kink_safe", "ties", "dyadic"])
def test_programs_have_values_that_agree(entries):
    @seed(9)
    @settings(max_examples=8, database=None, suppress_health_check=list(HealthCheck))
    @given(programs(entries=entries, size=4))
    def agree(program):
        for scale in (1.0, 1e-9, 700.0):
            x = tuple(np.asarray(arg) * scale for arg in program.point)
            for point in verify.gradient(program.function, at=[x]).points:
                assert not point.conflict, point.message

    agree()


STEPS = {
    **{f"round to {d}": (lambda x, d=d: np.round(x, d)) for d in range(-3, 7)},
    "around": lambda x: np.around(300 * x, 2),
    "the method": lambda x: x.round(3),
    "round()": lambda x: np.stack([round(t, 2) for t in x]),
    "of a product": lambda x: np.round(np.outer(x, x), 1) @ x,
    "of floats near a tie": lambda x: np.round(x + 0.05, 1),
    "in an exponent": lambda x: np.abs(x) ** np.round(x, 1),
    "sorted": lambda x: np.sort(np.round(x, 1)),
    "compared": lambda x: np.where(np.round(x, 1) > 0.3, x, 0.1),
    "quantized": lambda x: np.round(x / 0.05) * 0.05,
    "fix": lambda x: np.fix(10 * x) / 10,
    "trunc": lambda x: np.trunc(x / 0.1) * 0.1,
    "rint": lambda x: np.rint(10 * x) / 10,
    "floor": lambda x: np.floor(3 * x) / 3,
    "ceil": lambda x: np.ceil(x / 0.3) * 0.3,
    "floor_divide": lambda x: x // 0.1,
    "floor_divide below 0": lambda x: np.floor_divide(x, -0.3),
    "floor_divide of a large quotient": lambda x: np.floor_divide(x, 1e-30),
    "floor_divide by x": lambda x: np.floor_divide(7.3, x),
    "mod": lambda x: x % 0.1,
    "mod below 0": lambda x: np.mod(x, -0.3),
    "mod by x": lambda x: np.remainder(-7.3, x),
    "fmod": lambda x: np.fmod(x, 0.3),
    "fmod below 0": lambda x: np.fmod(-x, -0.3),
    "divmod": lambda x: np.divmod(x, -0.3)[1] + np.divmod(x, 0.7)[0],
    "modf": lambda x: np.modf(x)[0] + np.modf(x)[1] / 3,
    "frexp": lambda x: np.frexp(x)[0] + np.frexp(x)[1],
    "ldexp": lambda x: np.ldexp(x, -3),
    "digitize": lambda x: np.digitize(x, [-1.0, 0.0, 0.5, 2.0]) / 3,
    "digitize downwards": lambda x: np.digitize(x, [2.0, 0.5, 0.0, -1.0], right=True),
    "searchsorted": lambda x: np.searchsorted([-1.0, 0.0, 0.5, 2.0], x) / 7,
    "a share of a count": lambda x: np.count_nonzero(x > 0) / 3,
    "a mean of truths": lambda x: np.mean(x > 0),
    "a mean of integers": lambda x: np.mean(np.argsort(x) + 0),
    "heaviside": lambda x: np.heaviside(x, 0.3),
    "unwrap": lambda x: np.unwrap(7 * x),
    "sign": lambda x: np.sign(x) / 3,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", STEPS)
def test_steps_are_the_same_to_all_readings(name):
    for number in range(4):
        x = np.random.default_rng(number).uniform(-2, 2, 3)
        result = verify.gradient(lambda x: np.sum(x * STEPS[name](x)), at=[x])
        assert result.verdict is Verdict.CORRECT, str(result)


def test_a_closed_form_holds_the_decimal_and_not_its_float():
    x = np.array([0.53, 1.27])
    made = shadow(symtape.record(lambda x: np.sum(x * np.round(x, 1)), x), [x])
    assert {Fraction(1, 2), Fraction(13, 10)} <= set(made.program.constants.values())


def silent_ball():
    return Primitive(
        name="cube_without_balls",
        inputs="x",
        evaluate=lambda x: x * x * x,
        vjp=[lambda g, x: g * (3 * x**2)],
        elementwise=True,
        symbolic=lambda sp, x: x**3,
        rounding=(1, 2),
    )


def test_silence_is_said_with_the_evidence():
    row = silent_ball()
    result = verify.gradient(lambda x: row(x), lambda x: 3 * x * x, at=[1.3, 0.7])
    assert result.verdict is Verdict.CORRECT, str(result)
    said = str(result.evidence)
    assert said.startswith("certified at 2 points")
    assert "not confirmed by balls: cube_without_balls at " in said
    assert "not confirmed by Taylor series: cube_without_balls at " in said
    assert "not confirmed by balls" in str(result)


def test_what_jets_alone_say_is_not_confirmed_by_the_closed_form():
    x = np.array([[2.0, 0.5, 0.25], [0.5, 3.0, 0.125], [0.25, 0.125, 5.0]])
    result = verify.gradient(lambda a: np.linalg.eigvalsh(a)[1], at=[x])
    assert result.verdict is Verdict.CORRECT, str(result)
    assert "not confirmed by the closed form: " in str(result.evidence)


def test_values_that_overflow_in_floats_confirm_nothing_and_disagree_with_nothing():
    result = verify.gradient(lambda x: 1 / (1 + np.exp(x)), at=[800.0])
    assert not result.points[0].conflict


def test_silence_is_counted():
    silent = Confirmation("Taylor series", ConfirmationStatus.SILENT, "it has none")
    assert unconfirmed_by([]) == unconfirmed_by([[], []]) == ""
    assert (
        unconfirmed_by([[silent], []])
        == "not confirmed by Taylor series at 1 of 2 points: it has none"
    )
    evidence = Evidence(Rung.CERTIFIED, 2, 300, unconfirmed=unconfirmed_by([[silent], [silent]]))
    assert str(evidence) == (
        "certified at 2 points to 2⁻³⁰⁰; not confirmed by Taylor series: it has none"
    )
