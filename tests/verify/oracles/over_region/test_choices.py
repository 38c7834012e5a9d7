"""What a recording chooses over a box: told only where it is the same all over."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb

import symtape
from symtape.errors import Unsupported
from symtape.rigorous.deciding import UndecidedOrder
from verify.oracles.over_region.choices import choices_over, is_readable
from verify.oracles.over_region.recordings import record_all

CHOOSING = {
    "absolute": (np.abs, 0.0),
    "branch": (lambda x: x * x if x > 0.5 else x, 0.5),
    "mask": (lambda x: np.where(x > 0.5, x, x * x), 0.5),
    "larger": (lambda x: np.maximum(x, 0.5), 0.5),
    "smaller of two that vary": (lambda x: np.minimum(x, x * x + 0.24), 0.4),
    "clipped": (lambda x: np.clip(x, -9, 0.5), 0.5),
    "floor": (lambda x: x * np.floor(x + 0.25), 0.75),
    "rounded": (lambda x: x * np.rint(x), 0.5),
    "sign": (lambda x: x * np.sign(x - 0.5), 0.5),
    "remainder": (lambda x: np.mod(x, 0.5), 0.5),
    "angle": (lambda x: np.arctan2(x - 0.5, -1 + 0 * x), 0.5),
    "place in a table": (lambda x: np.array([1.0, 2.0, 4.0])[int(x + 1.5)] * x, 0.5),
    "interpolated": (lambda x: np.interp(x, [-2.0, 0.5, 2.0], [0.0, 1.0, 3.0]), 0.5),
    "largest of an array": (lambda x: np.max(np.stack([x + 1, 2.5 - 2 * x])), 0.5),
    "in order": (lambda x: np.sort(np.stack([x + 1, 2.5 - 2 * x]))[0], 0.5),
    "root": (lambda x: np.sqrt(x - 0.5 + 0 * x), 0.5),
    "logarithm": (lambda x: np.log(x - 0.5), 0.5),
    "pole": (lambda x: 1 / (x - 0.5), 0.5),
}


def chosen(function, low, high):
    """What is chosen between `low` and `high`, as recorded in their middle."""
    middle = np.float64((low + high) / 2)
    graph = record_all(function, (middle,))
    assert is_readable(graph)
    box = arb(low).union(arb(high))
    with np.errstate(all="ignore"):
        found, doubtful = choices_over(graph, [box], graph.values(middle))
    if doubtful:
        raise UndecidedOrder("it may be undefined, or have a kink")
    return found


@pytest.mark.parametrize("name", CHOOSING)
def test_a_box_that_holds_a_boundary_is_undecided(name):
    function, place = CHOOSING[name]
    for low, high in ((place - 0.05, place + 0.15), (place - 2**-30, place + 2**-20)):
        with pytest.raises(UndecidedOrder):
            chosen(function, low, high)


@pytest.mark.parametrize("name", sorted({*CHOOSING} - {"remainder"}))
def test_beside_the_boundary_it_is_decided(name):
    function, place = CHOOSING[name]
    near, next_to_it = ((place + 0.02 + k, place + 0.021 + k) for k in (0, 0.001))
    assert chosen(function, *near) == chosen(function, *next_to_it)


def test_beside_jumps_without_words_for_where_they_are_nothing_is_decided():
    function, place = CHOOSING["remainder"]
    with pytest.raises(UndecidedOrder):
        chosen(function, place + 0.02, place + 0.03)


def test_what_is_chosen_otherwise_reads_otherwise():
    function, place = CHOOSING["larger"]
    assert chosen(function, place - 0.1, place - 0.05) != chosen(
        function, place + 0.05, place + 0.1
    )


def test_code_that_stops_gradients_is_not_readable():
    assert not is_readable(symtape.record(lambda x: symtape.stop_gradient(x) * x, 0.5))


def test_a_value_that_leaves_is_not_forgotten_where_it_makes_no_difference():
    def from_table(x):
        return np.array([1.0, 2.0, 4.0])[np.int64(x + 1.5)] * x

    assert symtape.record(from_table, 0.75).escapes == ()
    with pytest.raises(Unsupported):
        record_all(from_table, (np.float64(0.75),))
