"""What ``gradient`` is asked: targets, sources, weights, and what is not connected."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest

import symtape
from symtape import GradientTape, UnconnectedGradients, Variable

Pair = namedtuple("Pair", "w b")


def _values(structure):
    if isinstance(structure, dict):
        return {key: _values(item) for key, item in structure.items()}
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*map(_values, structure))
    if isinstance(structure, list | tuple):
        return type(structure)(map(_values, structure))
    return None if structure is None else structure.numpy().tolist()


@pytest.fixture
def recorded():
    """A persistent tape over x = [1, 2, 3]: y = x * x, s = sum(y), z = 2 x."""
    x = Variable([1.0, 2.0, 3.0], name="x")
    with GradientTape(persistent=True) as tape:
        y = x * x
        s = np.sum(y)
        z = 2 * x
    return tape, x, y, s, z


def test_the_result_has_the_structure_of_the_sources():
    w, b, unused = Variable([2.0]), Variable(3.0), Variable(0.0)
    structures = [
        (w, [3.0]),
        ([w, b], [[3.0], 2.0]),
        ((b, (w,)), (2.0, ([3.0],))),
        ({"b": b, "w": [w, unused]}, {"b": 2.0, "w": [[3.0], None]}),
        (Pair(w, b), Pair([3.0], 2.0)),
        ([], []),
        ({}, {}),
    ]
    with GradientTape(persistent=True) as tape:
        y = np.sum(w * b)
    for sources, expected in structures:
        found = _values(tape.gradient(y, sources))
        assert found == expected
        assert type(found) is type(expected)


def test_repeated_sources_are_each_answered(recorded):
    tape, x, _, s, _ = recorded
    assert _values(tape.gradient(s, [x, x])) == [[2.0, 4.0, 6.0]] * 2


def test_a_target_that_is_a_source_counts_one(recorded):
    tape, x, y, _, _ = recorded
    assert _values(tape.gradient(x, x)) == [1.0, 1.0, 1.0]
    assert _values(tape.gradient(y, [y, x])) == [[1.0] * 3, [2.0, 4.0, 6.0]]
    assert _values(tape.gradient([x, y], [x, y])) == [[3.0, 5.0, 7.0], [1.0] * 3]


def test_repeated_targets_add_up(recorded):
    tape, x, y, _, _ = recorded
    assert _values(tape.gradient([y, y, y], x)) == [6.0, 12.0, 18.0]


def test_intermediate_results_are_sources_too(recorded):
    tape, x, y, s, _ = recorded
    assert _values(tape.gradient(s, [y, x])) == [[1.0] * 3, [2.0, 4.0, 6.0]]


def test_an_intermediate_source_counts_every_path_through_it():
    x = Variable(2.0)
    with GradientTape(persistent=True) as tape:
        y = x * x
        z = y * y + x * y
    assert tape.gradient(z, y).numpy() == 2 * 4.0 + 2.0
    assert tape.gradient(z, x).numpy() == 4 * 2.0**3 + 3 * 2.0**2


def test_each_position_of_a_repeated_argument_counts():
    x = Variable(3.0)
    cases = [(x + x, 2.0), (x * x, 6.0), (x / x, 0.0), (x - x, 0.0)]
    for build in (lambda v: v + v, lambda v: v * v, lambda v: v / v, lambda v: v - v):
        with GradientTape() as tape:
            y = build(x)
        assert tape.gradient(y, x).numpy() == cases.pop(0)[1]
    with GradientTape() as tape:
        y = np.concatenate([np.reshape(x, (1,))] * 3)
    assert tape.gradient(y, x).numpy() == 3.0


WEIGHTS = {
    "array": ("y", np.array([1.0, 10.0, 100.0]), [2.0, 40.0, 600.0]),
    "nested list as an array": ("y", [1.0, 10.0, 100.0], [2.0, 40.0, 600.0]),
    "list of one, as in TensorFlow": ("y", [np.array([1.0, 10.0, 100.0])], [2.0, 40.0, 600.0]),
    "tensor": ("y", symtape.constant([1.0, 10.0, 100.0]), [2.0, 40.0, 600.0]),
    "scalar for all elements": ("y", 10.0, [20.0, 40.0, 60.0]),
    "integers": ("y", np.array([1, 0, 2]), [2.0, 0.0, 12.0]),
    "scalar of a scalar": ("s", 5.0, [10.0, 20.0, 30.0]),
    "scalar of a scalar, in a list": ("s", [5.0], [10.0, 20.0, 30.0]),
    "none": ("y", None, [2.0, 4.0, 6.0]),
    "none in a list": ("y", [None], [2.0, 4.0, 6.0]),
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_output_gradients_of_one_target(recorded, name):
    tape, x, y, s, _ = recorded
    target, weights, expected = WEIGHTS[name]
    found = tape.gradient({"y": y, "s": s}[target], x, output_gradients=weights)
    assert _values(found) == expected


def test_output_gradients_of_nested_targets(recorded):
    tape, x, y, s, z = recorded
    assert _values(tape.gradient([s, z], x, output_gradients=[2.0, None])) == [6.0, 10.0, 14.0]
    weights = {"z": [1.0, 0.0, 0.0], "rest": [None, 10.0]}
    found = tape.gradient({"rest": [s, y], "z": z}, x, output_gradients=weights)
    assert _values(found) == [2.0 + 20.0 + 2.0, 4.0 + 40.0, 6.0 + 60.0]
    flat = tape.gradient([[s, z], s], x, output_gradients=[1.0, None, 10.0])
    assert _values(flat) == [24.0, 46.0, 68.0]


@pytest.mark.parametrize(
    "weights", [np.ones(2), np.ones((3, 1)), [1.0, 2.0], np.ones((1, 3))], ids=repr
)
def test_output_gradients_of_a_wrong_shape(recorded, weights):
    tape, x, y, _, _ = recorded
    with pytest.raises(ValueError, match=r"output_gradients has shape .* target has shape \(3,\)"):
        tape.gradient(y, x, output_gradients=weights)


@pytest.mark.parametrize("weights", [[1.0], [1.0, 2.0, 3.0], {"a": 1.0}], ids=repr)
def test_output_gradients_of_a_wrong_number(recorded, weights):
    tape, x, y, s, _ = recorded
    with pytest.raises(ValueError, match="for 2 targets"):
        tape.gradient([y, s], x, output_gradients=weights)


@pytest.mark.parametrize("zero", ["zero", UnconnectedGradients.ZERO])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_zeros_for_what_is_not_connected(zero, dtype):
    x = Variable(np.ones((2, 3), dtype))
    v = Variable(1.0)
    with GradientTape(persistent=True) as tape:
        y = v * 2
    found = tape.gradient(y, [x, v], unconnected_gradients=zero)
    assert found[0].shape == (2, 3)
    assert found[0].dtype == dtype
    np.testing.assert_array_equal(found[0].numpy(), np.zeros((2, 3)))
    assert found[1].numpy() == 2.0
    for none in ("none", UnconnectedGradients.NONE):
        assert tape.gradient(y, x, unconnected_gradients=none) is None


def test_an_unknown_word_for_unconnected_gradients(recorded):
    tape, x, y, _, _ = recorded
    with pytest.raises(ValueError, match=r"^Unknown value for unconnected_gradients: 'nought'"):
        tape.gradient(y, x, unconnected_gradients="nought")


@pytest.mark.parametrize("wrong", [np.ones(3), 1.0, "y", None], ids=repr)
def test_targets_and_sources_must_be_tensors(recorded, wrong):
    tape, x, y, _, _ = recorded
    with pytest.raises(TypeError, match=r"target .*is not a tensor"):
        tape.gradient(wrong, x)
    with pytest.raises(TypeError, match=r"source .*is not a tensor"):
        tape.gradient(y, [x, wrong])


NOT_DIFFERENTIABLE = {
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
    "round": np.round,
    "sign": np.sign,
    "floor_divide": lambda x: x // 2,
    "comparison": lambda x: (x > 0) * 1.0,
    "argmax": lambda x: np.argmax(x) * 1.0,
    "cast to int": lambda x: x.astype(int) * 1.0,
    "stop_gradient": symtape.stop_gradient,
}


@pytest.mark.parametrize("name", NOT_DIFFERENTIABLE)
def test_operations_registered_as_not_differentiable_give_none(name):
    x = Variable([1.25, 2.5])
    with GradientTape() as tape:
        y = NOT_DIFFERENTIABLE[name](x)
    assert tape.gradient(y, x) is None


def test_a_cut_path_does_not_hide_another():
    x = Variable(2.5)
    with GradientTape() as tape:
        y = np.floor(x) * x
    assert tape.gradient(y, x).numpy() == 2.0


def test_an_operation_without_a_rule_works_forward_and_names_itself_when_asked():
    x = Variable([0.5, 1.0])
    with GradientTape(persistent=True) as tape:
        y = np.spacing(x)
        z = np.sum(x)
    np.testing.assert_array_equal(y.numpy(), np.spacing([0.5, 1.0]))
    assert tape.gradient(z, x) is not None
    words = r"^gradient registry has no entry for: spacing, applied at .*test_gradient"
    with pytest.raises(LookupError, match=words):
        tape.gradient(y, x)


def test_gradients_answer_in_the_dtype_and_shape_of_the_source():
    a = Variable(np.ones((3, 1), np.float32))
    b = Variable(np.ones(4))
    with GradientTape() as tape:
        y = a * b + np.float64(1)
    ga, gb = tape.gradient(y, [a, b])
    assert (ga.shape, ga.dtype) == ((3, 1), np.float32)
    assert (gb.shape, gb.dtype) == ((4,), np.float64)
    np.testing.assert_array_equal(ga.numpy(), np.full((3, 1), 4.0))
    np.testing.assert_array_equal(gb.numpy(), np.full(4, 3.0))


def test_an_array_written_into_after_its_use_does_not_change_the_gradient():
    x = Variable([1.0, 2.0, 3.0])
    factor, index = np.array([1.0, 10.0, 100.0]), np.array([0, 1, 2])
    with GradientTape() as tape:
        y = x[index] * factor + factor * x
    factor[:], index[:] = -1.0, 0
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [2.0, 20.0, 200.0])


def test_totals_that_are_added_up_in_place_are_nobody_elses():
    x, weights = Variable(np.arange(3.0)), np.array([0.5, -1.0, 2.0])
    with GradientTape(persistent=True) as tape:
        y = x * 1.0
        parts = [y * 2.0, y + 1.0, -y, y * y]
        z = parts[0] + parts[1] + parts[2] + parts[3]
    exact = weights + weights * (2.0 + 1.0 - 1.0 + 2.0 * np.arange(3.0))
    for _ in range(2):
        found = tape.gradient([y, z], [x, y, *parts], output_gradients=[weights, weights])
        for g in found[:2]:
            np.testing.assert_array_equal(g.numpy(), exact)
        for g in found[2:]:
            np.testing.assert_array_equal(g.numpy(), weights)
    assert weights.tolist() == [0.5, -1.0, 2.0]
