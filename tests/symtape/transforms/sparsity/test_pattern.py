"""A pattern holds every entry that can be other than 0; of what is known well, no others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import symtape
from symtape.primitives.row_parts import DEPENDENCES
from symtape.primitives.vocabulary import examples, moving_inputs, vocabulary
from symtape.reading.running import run_of
from symtape.recording.tensor import apply
from symtape.transforms.sparsity import index_sets, probing, tables
from symtape.transforms.sparsity.pattern import pattern_of
from tests.symtape.transforms.sparsity.dense import dense_hessian, dense_jacobian, pattern_mask
from verify.strategies import programs

ROWS = [row for row in vocabulary() if row.outputs == 1]
X = np.linspace(0.3, 2.1, 6)
BANDED = np.eye(6) + np.eye(6, k=1)


def of_one(row, inputs, params, at):
    """The row as a function of one of its inputs, its results made float."""

    def function(x):
        args = [x if k == at else np.asarray(other) for k, other in enumerate(inputs)]
        return apply(row, tuple(args), params) * 1.0

    return function


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_pattern_of_a_row_holds_its_jacobian_and_its_hessian(row):
    for inputs, params in examples(row):
        for at in moving_inputs(row, inputs):
            function, x = of_one(row, inputs, params, at), np.asarray(inputs[at], float)
            y = np.asarray(function(symtape.constant(x)).numpy())
            if y.dtype.kind != "f" or not np.isfinite(y).all():
                continue
            weights = np.cos(np.arange(y.size)).reshape(y.shape)
            scalar = lambda x, f=function, w=weights: np.sum(np.sin(f(x)) * w)  # noqa: E731
            mask = pattern_mask(function, x)
            assert not np.any(dense_jacobian(function, x)[~mask])
            try:
                hessian = dense_hessian(scalar, x)
            except symtape.errors.NoGradient:
                continue
            assert not np.any(hessian[~pattern_mask(symtape.grad(scalar), x)])


SHARP = {
    "elementwise": lambda x: np.sin(x) * x + np.exp(x),
    "broadcast": lambda x: x[0] * x[1:] + x[2],
    "slices": lambda x: x[1:] - x[:-1] ** 2,
    "steps": lambda x: x[::-2] * 3,
    "gather": lambda x: x[np.array([2, 0, 2, 5])],
    "mask": lambda x: x[np.array([True, False, True, True, False, False])],
    "sum": lambda x: np.sum(x.reshape(2, 3) ** 2, axis=1),
    "mean": lambda x: np.mean(x.reshape(2, 3), axis=0),
    "maximum": lambda x: np.max(x.reshape(2, 3), axis=1),
    "product": lambda x: np.prod(x.reshape(2, 3), axis=0),
    "cumulative": lambda x: np.cumsum(x),
    "concatenation": lambda x: np.concatenate([x[3:] ** 2, x[:3]]),
    "stack": lambda x: np.stack([x[:3], x[3:]], axis=1),
    "roll": lambda x: np.roll(x, 2) * x,
    "flip": lambda x: np.flip(x) * x,
    "transpose": lambda x: x.reshape(2, 3).T ** 2,
    "triangle": lambda x: np.tril(x.reshape(2, 3)),
    "constant matrix": lambda x: np.exp(BANDED @ x),
    "from the right": lambda x: np.exp(x @ BANDED),
    "einsum": lambda x: np.einsum("ij,j->i", BANDED, x**2),
    "products of both": lambda x: x.reshape(2, 3) @ x.reshape(2, 3).T,
    "convolution": lambda x: np.convolve(x, np.array([1.0, 0.0, -1.0]), "valid"),
    "where": lambda x: np.where(x > 1, x**2, np.sin(x)),
    "norm": lambda x: np.linalg.norm(x.reshape(2, 3), axis=1),
    "steps are constant": lambda x: np.floor(x) + x[0] * 0 + x,
    "cross products": lambda x: np.cross(x.reshape(2, 3) + 1, np.array([1.0, 2.0, 4.0])),
    "nothing": lambda x: np.ones(3),
}


@pytest.mark.parametrize("name", SHARP)
def test_of_common_operations_the_pattern_is_that_of_the_jacobian(name):
    function = SHARP[name]
    found = dense_jacobian(function, X) if name != "nothing" else np.zeros((3, 6))
    expected = found != 0
    if name == "maximum":  # Another element may be the largest in another call.
        expected = np.kron(np.eye(2), np.ones(3)) != 0
    if name == "cross products":  # A row of results is taken to depend on the same row, as a whole.
        expected = np.kron(np.eye(2), np.ones((3, 3))) != 0
    if name == "steps are constant":
        expected[:, 0] = True
    assert np.array_equal(pattern_mask(function, X), expected)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sort(x),
        lambda x: np.linalg.solve(np.diag(x) + 1, x),
        lambda x: np.linalg.inv(x.reshape(2, 3)[:, :2]),
        lambda x: np.fft.rfft(x).real,
        lambda x: np.fft.irfft(x * 1j, 7),
        lambda x: np.linalg.slogdet(x.reshape(2, 3)[:, :2])[1] * x,
        lambda x: x / np.sum(np.exp(x)),
        lambda x: np.cross(x[:3], x.reshape(2, 3)),
    ],
    ids=["sort", "solve", "inv", "rfft", "irfft", "slogdet", "normalised", "cross"],
)
def test_what_mixes_all_is_dense_or_at_least_not_too_small(function):
    found = dense_jacobian(function, X)
    assert not np.any(found[~pattern_mask(function, X)])


def test_a_value_that_happens_to_be_0_may_be_another_number_in_another_call():
    matrix = np.array([[0.0, 1.0], [1.0, 0.0]])
    mask = pattern_mask(lambda x: x.reshape(2, 2) @ np.array([0.0, 1.0]), matrix.ravel())
    assert mask.sum() == 2
    both = pattern_mask(lambda x: x[:4].reshape(2, 2) @ x[4:], np.zeros(6))
    assert both.sum() == 8
    assert pattern_mask(lambda x: x * x, np.zeros(3)).sum() == 3


@pytest.mark.parametrize("shape", [(0,), (3, 0)])
def test_there_may_be_nothing(shape):
    assert pattern_mask(lambda x: x * 2, np.zeros(shape)).shape == (0, 0)


@pytest.mark.parametrize("name", SHARP)
def test_lists_and_probed_groups_say_what_bits_say(name, monkeypatch):
    function = SHARP[name]
    whole = pattern_mask(function, X)
    monkeypatch.setattr(tables, "_MOST_WORDS", 0)
    monkeypatch.setattr(probing, "_FIRST", 0)
    monkeypatch.setattr(probing, "_AT_ONCE", 13)
    assert np.array_equal(pattern_mask(function, X), whole)


@pytest.mark.parametrize("name", SHARP)
def test_where_there_is_no_room_a_pattern_is_larger_and_no_smaller(name, monkeypatch):
    function = SHARP[name]
    whole = pattern_mask(function, X)
    monkeypatch.setattr(tables, "_MOST_WORDS", 0)
    monkeypatch.setattr(index_sets, "MOST", 7)
    monkeypatch.setattr(probing, "_FIRST", 1)
    monkeypatch.setattr(probing, "_MOST", 7)
    assert not np.any(whole & ~pattern_mask(function, X))


def test_the_pattern_of_many_results_takes_work_like_its_size():
    def function(x):
        inner = np.concatenate([x[:1], np.convolve(x, np.array([1.0, 0.0, 2.0]), "valid"), x[-1:]])
        blocks = np.matmul(x.reshape(-1, 2, 2), np.array([[1.0, 2.0], [0.0, 1.0]]))
        return inner * np.roll(x, 1) + blocks.ravel()

    run = run_of(function, (np.linspace(1, 2, 40_000),), {}, 0)
    pattern = pattern_of(run.tape, run.output, run.sources)
    # On itself and on both sides; of the first and the last on one other.
    assert len(pattern) == 3 * 40_000 - 2


def holds(program):
    (x,) = program.point
    with np.errstate(all="ignore"):
        found = dense_jacobian(program.function, x)
        mask = pattern_mask(program.function, x)
    assert not np.any(found[~mask & np.isfinite(found)])


PROGRAMS = programs(arguments=[(4,)], size=5, scalar=False)
SETTINGS = {"deadline": None, "suppress_health_check": list(HealthCheck), "database": None}


@pytest.mark.long
@settings(max_examples=200, **SETTINGS)
@given(PROGRAMS)
def test_patterns_of_random_programs(program):
    holds(program)


@pytest.mark.campaign
@settings(max_examples=20_000, **SETTINGS)
@given(PROGRAMS)
def test_patterns_of_many_random_programs(program):
    holds(program)


def test_there_is_a_reading_of_each_dependence_and_rows_of_each():
    assert index_sets._READINGS.keys() == DEPENDENCES.keys()
    assert {row.dependence for row in vocabulary()} == {*DEPENDENCES}


@pytest.mark.parametrize("name", ["reduces", "puts", "products"])
def test_a_reading_that_drops_sets_is_found(name, monkeypatch):
    def dropping(primitive, args, params):
        found = whole(primitive, args, params)
        return found.none(found.shape)

    whole = index_sets._READINGS[name]
    monkeypatch.setitem(index_sets._READINGS, name, dropping)
    lost = 0
    for function in (
        SHARP[key] for key in ("broadcast", "gather", "cumulative", "constant matrix", "slices")
    ):
        lost += np.any(dense_jacobian(function, X)[~pattern_mask(function, X)])
    assert lost


def test_the_sets_are_no_arrays():
    sets = index_sets.IndexSets.units((2, 3), 6)
    assert (sets.shape, sets.ndim, sets.size, repr(sets)) == (
        (2, 3), 2, 6, "IndexSets(shape=(2, 3))"
    )  # fmt: skip
    with pytest.raises(TypeError, match="no plain value"):
        np.asarray(sets)


@pytest.mark.parametrize("factor", [0.0, 1.0, np.float64(0), np.zeros(()), np.ones(())])
@pytest.mark.parametrize(
    "function",
    [lambda x, c: x * c, lambda x, c: c * np.sin(x), lambda x, c: (x * c)[::-1]],
    ids=["x c", "c sin x", "reversed"],
)
def test_a_number_that_happens_to_be_0_takes_nothing_from_a_pattern(function, factor):
    found = pattern_mask(lambda x: function(x, factor), X)
    assert np.array_equal(found, pattern_mask(lambda x: function(x, 2.5), X))
    scaled = pattern_mask(lambda x: function(x, x[0] - x[0] + factor), X)
    assert np.all(scaled[:, 0])
