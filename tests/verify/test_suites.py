"""The built-in suites: what they hold, and that their programs are what their names say."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

import symtape
from symtape.primitives.rule import Rule
from symtape.primitives.vocabulary import moving_inputs
from symtape.symbolic.boxes import lie_inside
from verify.campaign.load import Target
from verify.campaign.tasks import Task
from verify.judging.judge import verify_case
from verify.model.case import QUANTITIES
from verify.model.figures import HeatMap, Lines
from verify.model.verdict import Verdict
from verify.suites import SUITES, classics, primitives
from verify.suites.seeds import advanced, introduction, networks
from verify.suites.seeds.networks import arrange_patches

CASES = {case.id: case for make in SUITES.values() for case in make()}
PROGRAMS = {key: case for key, case in CASES.items() if case.suite != "primitives"}
PLOTTED = [case for case in PROGRAMS.values() if case.plots]

SEEDS = """
    square linear-layer dense-layer watched-variables watched-tensor watched-only intermediate
    persistent-fourth-power persistent-square target-square target-reciprocal two-targets
    vector-target sigmoid-curve branches while assigned-variable numpy-mean state contrast
    unconnected stop-recording reset stop-gradient clip-by-norm round clip-by-value log1pexp
    log1pexp-plain own-product two-tapes-first two-tapes-second cube nested-tapes scalar-source
    input-gradient layer-jacobian layer-gradient hessian newton-step hessian-vector full-jacobian
    batch-jacobian normalised-jacobian normalised-batch-jacobian
"""
CLASSICS = """
    rosenbrock rosenbrock-hessian helmholtz logistic-regression logistic-regression-hessian
    gaussian-mixture perceptron-hessian brusselator van-der-pol kepler softplus huber brackets
"""


def arrays(point):
    return [np.asarray(x) for x in point]


def of(tape_of, case, point):
    derivatives = tape_of(case.function, argnums=tuple(range(len(point))))(*arrays(point))
    return derivatives if isinstance(derivatives, tuple) else (derivatives,)


def test_the_suites_hold_what_they_promise():
    assert [key for key in CASES if key.startswith("seeds/")] == [
        f"seeds/{name}" for name in SEEDS.split()
    ]
    assert [key for key in CASES if key.startswith("classics/")] == [
        f"classics/{name}" for name in CLASSICS.split()
    ]


@pytest.mark.parametrize("name", SUITES)
def test_ids_are_unique_and_name_their_suite(name):
    cases = SUITES[name]()
    assert len({case.id for case in cases}) == len(cases) > 0
    for case in cases:
        assert case.id.startswith(f"{name}/")
        assert case.suite == name
        assert case.quantity in QUANTITIES
        assert case.at or case.over


@pytest.mark.parametrize("case", PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_is_a_documented_function_of_a_module(case):
    for function in filter(None, (case.function, case.claimed, case.plots)):
        module = importlib.import_module(function.__module__)
        assert getattr(module, function.__name__) is function
        assert inspect.getdoc(function)


@pytest.mark.parametrize("case", PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_records_at_its_points_and_gives_what_numpy_gives(case):
    for point in case.at:
        with np.errstate(over="ignore"):
            graph = symtape.record(case.function, *point)
            plain = case.function(*arrays(point))
            (recorded,) = graph.evaluate(*arrays(point))
        assert not graph.escapes
        assert case.quantity == "jacobian" or np.shape(plain) == ()
        np.testing.assert_allclose(recorded, plain, rtol=1e-15, atol=1e-15)


RIGHT = {Verdict.CORRECT, Verdict.KINK, Verdict.OUTSIDE}
SHORT = [key.removeprefix("primitives/") for key in CASES]
"""Ids of the cases; a row's begin with its name, by which ``tests.changed`` asks for them."""


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES.values(), ids=SHORT)
def test_every_case_is_right(case):
    assert verify_case(case, effort=case.effort or 1).verdict in RIGHT


CLAIMS = {key: case for key, case in PROGRAMS.items() if case.claimed}
TRANSFORMS = {
    "gradient": symtape.grad,
    "jacobian": symtape.jacobian,
    "hessian": symtape.hessian,
}


@pytest.mark.parametrize("case", CLAIMS.values(), ids=CLAIMS)
def test_a_use_of_the_tape_answers_what_its_function_promises(case):
    for point in case.at:
        claimed = case.claimed(*arrays(point))
        parts = claimed if isinstance(claimed, tuple) else (claimed,)
        if case.quantity == "hessian":
            expected = (symtape.hessian(case.function)(*arrays(point)),)
        else:
            expected = of(TRANSFORMS[case.quantity], case, point)
        for part, exact in zip(parts, expected, strict=True):
            assert part.shape == np.shape(exact)
            np.testing.assert_allclose(part, exact, rtol=1e-13, atol=1e-13)


PRINTED = [
    (introduction.square, (3.0,), (6.0,)),
    (introduction.square_by_intermediate, None, 18.0),
    (introduction.fourth_powers, ([1.0, 3.0],), ([4.0, 108.0],)),
    (introduction.squares, ([1.0, 3.0],), ([2.0, 6.0],)),
    (introduction.reciprocal, (2.0,), (-0.25,)),
    (introduction.square_plus_reciprocal, (2.0,), (3.75,)),
    (introduction.two_multiples, (2.0,), (7.0,)),
    (introduction.branches, (1.0, 2.0, 2.0), (0.0, 1.0, 0.0)),
    (introduction.branches, (-1.0, 2.0, 2.0), (0.0, 0.0, 4.0)),
    (introduction.mean_of_means, ([[1.0, 2.0], [3.0, 4.0]],), ([[0.5, 1.0], [1.5, 2.0]],)),
    (introduction.ignore_x, ([2.0, 2.0], 3.0), ([0.0, 0.0], 6.0)),
    (advanced.square_plus_frozen, (2.0, 3.0), (4.0, 0.0)),
    (advanced.half_square, (2.0,), (2.0,)),
    (advanced.product, (2.0, 3.0), (3.0, 2.0)),
    (advanced.sine_part, (0.0,), (1.0,)),
    (advanced.sigmoid_part, (0.0,), (0.25,)),
    (advanced.cube, (1.0,), (3.0,)),
]


@pytest.mark.parametrize(("function", "point", "printed"), PRINTED)
def test_the_gradients_are_those_that_the_guides_print(function, point, printed):
    if point is None:
        assert function(9.0) == printed
        return
    found = symtape.grad(function, argnums=tuple(range(len(point))))(*arrays(point))
    for mine, theirs in zip(found, printed, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_what_the_guides_print_to_seven_digits():
    np.testing.assert_allclose(introduction.sine_plus_softplus_watched(10.0), 0.9999546, rtol=1e-7)
    assert advanced.cube_twice(1.0) == 6.0
    assert advanced.log1pexp_stable(1e8) == 1.0


@pytest.mark.parametrize("case", PLOTTED, ids=lambda case: case.id)
def test_plots_are_finite_and_survive_a_worker(case):
    for plot in case.plots():
        assert pickle.loads(pickle.dumps(plot)) == plot
        values = plot.rows if isinstance(plot, HeatMap) else [s.y for s in plot.series]
        assert np.all(np.isfinite(np.asarray(values)))


def test_every_plot_of_the_guides_is_there():
    plots = [plot for case in PLOTTED for plot in case.plots()]
    assert [type(plot) for plot in plots] == [Lines, Lines, HeatMap, HeatMap, HeatMap, HeatMap]
    curves = [[series.name for series in plot.series] for plot in plots[:2]]
    assert curves == [["y", "dy/dx"]] * 2
    assert [np.shape(plot.rows) for plot in plots[2:]] == [(40, 40), (7, 7), (42, 35), (42, 35)]
    assert plots[5].x_label == "Don't use `batch_jacobian`"


def test_the_curves_are_the_sigmoid_and_its_derivative():
    for case in (CASES["seeds/sigmoid-curve"], CASES["seeds/scalar-source"]):
        (plot,) = case.plots()
        y, slope = (np.asarray(series.y) for series in plot.series)
        assert len(y) == 201
        np.testing.assert_allclose(slope, y * y[::-1], rtol=1e-3)
        assert slope.max() == slope[100] == 0.25


def test_the_hessian_is_symmetric_and_not_zero():
    (plot,) = networks.hessian_plot()
    matrix = np.asarray(plot.rows)
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-15)
    assert np.abs(matrix).max() > 0.01


def off_diagonal(plot):
    blocks = np.asarray(plot.rows).reshape(6, 7, 5, 7).transpose(0, 2, 1, 3)
    return blocks[..., ~np.eye(7, dtype=bool)]


def test_independent_rows_show_as_diagonals_and_normalised_ones_do_not():
    one, every = networks.independent_plots()
    assert not np.any(off_diagonal(every))
    np.testing.assert_array_equal(np.asarray(every.rows)[:7, :7], one.rows)
    assert np.all(np.diag(np.asarray(one.rows)))
    (normalised,) = networks.normalised_plot()
    assert np.all(off_diagonal(normalised))


def test_patches_hold_every_entry_where_it_belongs():
    full = np.arange(3 * 2 * 3 * 4.0).reshape(3, 2, 3, 4)
    rows = np.asarray(arrange_patches("t", full).rows)
    for b, o, c, i in np.ndindex(full.shape):
        assert rows[3 * o + b, 3 * i + c] == full[b, o, c, i]


@pytest.mark.parametrize("name", ["layer-jacobian", "layer-gradient", "input-gradient", "hessian"])
def test_no_network_is_near_a_kink(name):
    case = CASES[f"seeds/{name}"]
    graph = symtape.record(case.function, *case.at[0])
    compared = [
        value
        for node, value in zip(graph.nodes, graph.values(*arrays(case.at[0])), strict=True)
        if node.name in ("matmul", "add")
    ]
    assert compared
    pre_activations = np.concatenate([np.ravel(value) for value in compared])
    assert np.abs(pre_activations[pre_activations != 0]).min() > 0.01


def test_keplers_loop_depends_on_its_data():
    lengths = {
        len(symtape.record(classics.kepler, *point).path) for point in ((0.25, 1.0), (0.875, 0.3))
    }
    assert len(lengths) == 2
    e, anomaly = 0.875, classics.kepler(0.875, 2.0)
    assert abs(anomaly - e * np.sin(anomaly) - 2.0) < 1e-14


@pytest.mark.parametrize("row", primitives.vocabulary(), ids=lambda row: row.name)
def test_every_row_of_the_vocabulary_is_verified_at_an_example(row):
    assert primitives.examples(row), f"{row.name} has a rule and no example"


def test_rows_without_slopes_and_without_balls_are_left_out():
    names = {
        case.id.partition("/")[2].partition(".")[0].partition("[")[0] for case in primitives.cases()
    }
    assert {row.name for row in primitives.vocabulary()} <= names
    assert not names & {"stop_gradient", "logical_and", "zeros_like"}


def test_a_case_is_found_again_by_its_place():
    for key in ("classics/kepler", "seeds/hessian", "primitives/add"):
        task = pickle.loads(pickle.dumps(Task(Target(key.partition("/")[0]), key)))
        assert task.find().id == key


ROWS = {row.name: row for row in primitives.vocabulary()}


def test_rows_are_verified_over_a_region_but_for_few():
    over = {case.function.__name__ for case in primitives.cases() if case.over is not None}
    few = {"softmax_pull_back", "log_softmax_pull_back", "expm", "owens_t"}
    assert set(ROWS) - over == few


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_the_region_of_a_row_is_within_what_the_row_says(row):
    inputs, params = primitives.examples(row)[0]
    region = primitives.region_of_row(row, inputs, params)
    if region is None:
        return
    moving = moving_inputs(row, tuple(map(np.asarray, inputs)))
    assert region.smooth
    for x in islice(region.points(0), 24):
        values = list(inputs)
        for place, part in zip(moving, x, strict=True):
            assert np.shape(part) == np.shape(inputs[place])
            values[place] = part
        assert not row.over or np.all(lie_inside(row.over, row.inputs, values))


def changed(name, place, function):
    """A row that is right at its example, and wrong elsewhere."""
    row = copy.copy(ROWS[name])
    rules = list(row.rules)
    rules[place] = Rule(function, row.inputs, row.outputs)
    row.rules, row.cuts = tuple(rules), False
    return row


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "place", "rule"),
    [
        ("expm1", 0, lambda g, y: g * (y + 1)),
        ("remainder", 1, lambda g, a, b: -g * np.trunc(a / b)),
        ("absolute", 0, lambda g, x: -g),
        ("tanh", 0, lambda g, y: g * (1 - y * y)),
        ("maximum", 0, lambda g, a, b: g * (a >= 0)),
        ("cumsum", 0, lambda g, x, axis: g * (x != 0)),
    ],
)
def test_rules_that_are_wrong_off_the_example_alone_are_found(name, place, rule):
    row = changed(name, place, rule)
    inputs, params = primitives.examples(row)[0]
    [case] = primitives.cases_at(row, inputs, params, name)
    region = primitives.region_of_row(row, inputs, params)
    found = verify_case(replace(case, over=region), effort=primitives._EFFORT)
    assert found.verdict.fails, name
