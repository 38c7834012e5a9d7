"""Regions as people give them, and what they are told when that is no region."""

import numpy as np
import pytest

import verify
from verify.errors import UsageError
from verify.model.case import region_of
from verify.regions import as_region, box, parse

WORDS = [
    ([-60, 60], "x in [-60, 60]"),
    (verify.box(-0.5, 1e6), "x in [-0.5, 1000000]"),
    (verify.box(-1, 1, shape=(2, 3)), "x in [-1, 1]^(2×3)"),
    (verify.box([0, 1], [1, 2]), "x in [0, 1] × [1, 2]"),
    (verify.box(list(range(9)), 10), "x entry by entry between 0 and 10, shape (9,)"),
    (verify.box(-1, 1, shape=[(3,), (0,), (1, 3)]), "x in [-1, 1], shape (3,), (0,) or (1, 3)"),
    (verify.box(-np.inf, np.inf), "x any finite float64"),
    (verify.box(-np.inf, np.inf, dtype="float32"), "x any finite float32"),
    (verify.box(0, np.inf), "x >= 0"),
    (verify.box(-np.inf, 2, shape=2), "x <= 2, shape (2,)"),
    (verify.box(0.1, 0.3, dtype=np.float32), "x in [0.1, 0.29999998] (float32)"),
    (verify.box(2, 2), "x = 2"),
    (verify.positive(3), "x > 0, shape (3,)"),
    (verify.positive(upper=10), "0 < x <= 10"),
    (verify.integers(0, 3), "x whole in [0, 3]"),
    (verify.simplex(4), "x: 4 numbers from 0 to 1 that add up to 1"),
    (verify.symmetric(3), "x symmetric 3×3, entries up to 10 in size"),
    (
        verify.positive_definite(2, condition=100),
        "x positive definite 2×2, condition up to 100, entries up to 10 in size",
    ),
]


@pytest.mark.parametrize(("over", "words"), WORDS, ids=lambda x: x if isinstance(x, str) else "")
def test_regions_are_described_in_few_words(over, words):
    assert as_region(over, ["x"]).describe() == words


@pytest.mark.parametrize(
    "made",
    [
        lambda: verify.box(0, 1, shape=(1_000_000_000,)),
        lambda: verify.box(0, 1, shape=[(3,), (1001, 1000)]),
        lambda: verify.box(np.zeros((2000, 1)), np.ones((1, 2000))),
        lambda: verify.integers(0, 1, shape=10**30),
        lambda: verify.positive(shape=(2**40, 2**40)),
        lambda: verify.simplex(100_000_000),
        lambda: verify.symmetric(1001),
        lambda: verify.positive_definite(100_000),
    ],
)
def test_a_region_of_too_many_entries_is_refused_at_once(made):
    with pytest.raises(UsageError, match="expected at most 1,000,000"):
        made()


def test_a_large_region_is_told_in_a_moment():
    # A point of it takes minutes: how many arguments a function has needs none.
    found = region_of(lambda x: x, verify.positive_definite(1000))
    assert found.describe().startswith("x positive definite 1000×1000")


@pytest.mark.parametrize("over", [over for over, _ in WORDS], ids=repr)
def test_repr_reads_back(over):
    again = parse(repr(over), ["x"])
    assert again.describe() == as_region(over, ["x"]).describe()
    assert repr(again.arguments[0]) == repr(as_region(over, ["x"]).arguments[0])


def test_float32_bounds_move_inwards():
    (space,) = as_region(box(0.1, 0.3, dtype=np.float32), ["x"]).arguments
    assert float(space.lower) >= 0.1
    assert float(space.upper) <= 0.3


WRONG = [
    (lambda: as_region([60, -60], ["x"]), ["argument x", "[60, -60] is empty", "[-60, 60]"]),
    (lambda: as_region([np.nan, 1], ["x"]), ["argument x", "nan"]),
    (lambda: as_region((-1, 1), ["x"]), ["over=[-1, 1]", "a tuple"]),
    (lambda: as_region([-1, 1], ["x", "y"]), ["is for 1 argument", "2, x, y", "dict by name"]),
    (lambda: as_region([], ["x"]), ["argument x", "[lower, upper]"]),
    (
        lambda: as_region([[0, 1], [2, 3]], ["x"]),
        ["argument x", "two numbers", "box(lower, upper)"],
    ),
    (lambda: as_region(["a", "b"], ["x"]), ["argument x", "'a'"]),
    (lambda: as_region([True, 2], ["x"]), ["argument x", "True"]),
    (lambda: as_region(3.0, ["x"]), ["argument x: 3.0", "[lower, upper]"]),
    (lambda: as_region("all", ["x"]), ["argument x: 'all'"]),
    (lambda: as_region(None, ["x"]), ["argument x: None"]),
    (lambda: as_region({"x": [0, 1], "z": [0, 1]}, ["x"]), ["'z'", "arguments are x"]),
    (lambda: as_region({"x": [0, 1]}, ["x", "y"]), ["nothing of y"]),
    (lambda: as_region({"x": 1, "y": [0, 1]}, ["x", "y"]), ["argument x: 1"]),
    (lambda: as_region(([0, 1], 5), ["x", "y"]), ["argument y: 5"]),
    (lambda: as_region(as_region([0, 1], ["x"]), ["x", "y"]), ["is for 1 argument"]),
    (lambda: as_region([np.inf, np.inf], ["x"]), ["argument x", "inf"]),
    (lambda: box(1, 0), ["box(1, 0) is empty", "lower is above upper"]),
    (lambda: box("a", 1), ["lower='a'", "a number"]),
    (lambda: box(0, 1j), ["upper=1j"]),
    (lambda: box([[1], [2, 3]], 4), ["lower=", "rectangular"]),
    (lambda: box([1, 2], [3, 4, 5]), ["(2,)", "(3,)", "broadcast"]),
    (lambda: box(np.nan, 1), ["lower=nan", "nan"]),
    (lambda: box([0, 1], 2, shape=3), ["(2,)", "shape=(3,)"]),
    (lambda: box(0, 1, shape=(-1,)), ["shape=(-1,)", "whole numbers"]),
    (lambda: box(0, 1, shape="3"), ["shape='3'"]),
    (lambda: box(0, 1, shape=[]), ["at least one shape"]),
    (lambda: box(0, 1, dtype=int), ["dtype=<class 'int'>", "float32"]),
    (lambda: box(0, 1, dtype="complex128"), ["complex128"]),
    (lambda: box(0, 1, dtype="nonsense"), ["nonsense"]),
    (lambda: box(0, 1e300, dtype="float32"), ["float32 holds no more than 3.40282e+38"]),
    (lambda: box(0, 1e5, dtype="float16"), ["float16 holds no more than 65504"]),
    (lambda: box(0.1, 0.10000000001, dtype="float32"), ["holds no float32"]),
    (lambda: box(np.inf, np.inf), ["holds no finite"]),
    (lambda: verify.integers(0, np.inf), ["2^53", "integers(-1000, 1000)"]),
    (lambda: verify.integers(-(2**60), 0), ["2^53"]),
    (lambda: verify.integers(0.2, 0.8), ["no whole number"]),
    (lambda: verify.integers([0, 1], [1, 2, 3]), ["broadcast"]),
    (lambda: verify.positive(upper=-1), ["upper=-1", "above 0"]),
    (lambda: verify.simplex(0), ["n=0", "from 1"]),
    (lambda: verify.simplex(2.5), ["n=2.5"]),
    (lambda: verify.symmetric(-1), ["n=-1"]),
    (lambda: verify.symmetric(2, scale=0), ["scale=0", "positive"]),
    (lambda: verify.symmetric(2, scale=1e300, dtype="float32"), ["scale=1e+300", "3.403e+38"]),
    (lambda: verify.symmetric(2, scale=np.inf), ["scale=inf"]),
    (lambda: verify.positive_definite(2, condition=0.5), ["condition=0.5", "from 1 to"]),
    (lambda: verify.positive_definite(2, condition=1e16), ["condition=1e+16", "singular"]),
    (lambda: verify.positive_definite(2, condition="big"), ["condition='big'"]),
    (lambda: verify.positive_definite(2, scale=1e-305), ["scale=1e-305", "underflow"]),
    (lambda: verify.broadcasting(), ["box(lower, upper)"]),
    (lambda: verify.broadcasting(box(0, 1), 3), ["3"]),
    (lambda: verify.broadcasting(box(0, 1), shapes=[]), ["shapes=[]"]),
    (lambda: verify.broadcasting(box(0, 1), box(0, 1), shapes=[((3,),)]), ["tuple of 2 shapes"]),
    (
        lambda: verify.broadcasting(box(0, 1), box(0, 1), shapes=[((3,), (2,))]),
        ["do not broadcast"],
    ),
    (
        lambda: as_region((verify.broadcasting(box(0, 1)), [0, 1]), ["x", "y"]),
        ["argument x", "give it alone"],
    ),
]


@pytest.mark.parametrize(("make", "words"), WRONG, ids=[words[0] for _, words in WRONG])
def test_what_is_no_region_is_told_in_words(make, words):
    with pytest.raises(UsageError) as caught:
        make()
    for word in words:
        assert word in str(caught.value)
    assert len(str(caught.value)) < 300


def test_names_are_matched_in_any_order():
    region = as_region({"y": [0, 1], "x": verify.positive()}, ["x", "y"])
    assert region.describe() == "x > 0, y in [0, 1]"
    assert region.names == ("x", "y")
