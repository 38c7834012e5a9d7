"""Regions written as text: read without running anything."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verify
from verify.errors import UsageError
from verify.model.case import region_of
from verify.regions import as_region, box, parse

READ = [
    ("[-60, 60]", "x", "x in [-60, 60]"),
    (" [ -1e-3 , +2 ] ", "x", "x in [-0.001, 2]"),
    ("[0, inf]", "x", "x >= 0"),
    ("[-np.inf, math.inf]", "x", "x any finite float64"),
    ("[-pi, pi]", "x", "x in [-3.141592653589793, 3.141592653589793]"),
    ("box(-1, 1, shape=(3,)), positive()", "xy", "x in [-1, 1]^3, y > 0"),
    ("verify.box(-1, 1, shape=[(3,), (0,)])", "x", "x in [-1, 1], shape (3,) or (0,)"),
    ("([0, 1], [2, 3])", "xy", "x in [0, 1], y in [2, 3]"),
    ("[0, 1],", "x", "x in [0, 1]"),
    ("[-1, 1]^3", "x", "x in [-1, 1]^3"),
    ("[-1, 1]**(2, 3), [0, 1]", "xy", "x in [-1, 1]^(2×3), y in [0, 1]"),
    ("x in [0, 2]", "x", "x in [0, 2]"),
    ("{'y': [0, 1], x: integers(0, 3)}", "xy", "x whole in [0, 3], y in [0, 1]"),
    ("box([0, 0], [1, 2], dtype='float32')", "x", "x in [0, 1] × [0, 2] (float32)"),
    ("symmetric(2, scale=3)", "x", "x symmetric 2×2, entries up to 3 in size"),
    (
        "broadcasting(box(0, 1), box(0, 1), shapes=[((2,), (1,))])",
        "xy",
        "x in [0, 1]^2, y in [0, 1]^1",
    ),
]


@pytest.mark.parametrize(("text", "names", "words"), READ, ids=[text for text, *_ in READ])
def test_text_is_read(text, names, words):
    assert parse(text, list(names)).describe() == words


REFUSED = [
    ("", "cannot be read"),
    ("[-60, 60", "cannot be read"),
    ("[1, 2] [3, 4]", "not understood"),
    ("x = [0, 1]", "cannot be read"),
    ("__import__('os').system('true')", "not understood"),
    ("open('f')", "not understood"),
    ("box.__class__", "not understood"),
    ("box(*[0, 1])", "not understood"),
    ("box(**{'lower': 0})", "not understood"),
    ("[x for x in (1, 2)]", "not understood"),
    ("[1, 2][0]", "not understood"),
    ("[1, 2]^-1", "shape"),
    ("[1, 2]^[3, 4]^5", "not understood"),
    ("[1, 2, 3]^2", "not understood"),
    ("z in [0, 1]", "has an entry for 'z'"),
    ("0 < x", "not understood"),
    ("[2**3, 9**9**9]", "not understood"),
    ("lambda: 0", "not understood"),
    ("f'{1}'", "not understood"),
    ("[0, 1j]", "not understood"),
    ("-[0, 1]", "a sign is for numbers"),
    ("{1: [0, 1]}", "names of arguments"),
    ("{**{}}", "not understood"),
    ("box(1)", "upper"),
    ("box(0, 1, shap=3)", "shap"),
    ("box(1, 0)", "is empty"),
    ("[1, 0]", "argument x"),
    ("[0, 1], [2, 3]", "is for 2 arguments"),
    ("(" * 3000 + ")" * 3000, "over="),
    ("-" * 5000 + "1", "over="),
    ("[0, " + "9" * 9000 + "]", "over"),
    ("1" * 20000, "20000 characters"),
    ("[0, 1]\0", "cannot be read"),
]


@pytest.mark.parametrize(("text", "words"), REFUSED, ids=[text[:30] for text, _ in REFUSED])
def test_what_cannot_be_read_is_told_in_words(text, words):
    with pytest.raises(UsageError) as caught:
        parse(text, ["x"])
    assert words in str(caught.value)
    assert len(str(caught.value)) < 400


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


@given(
    st.lists(
        st.tuples(
            st.integers(-9, 0), st.integers(1, 9), st.sampled_from([(), (3,), (2, 3), (1, 2, 2)])
        ),
        min_size=1,
        max_size=3,
    )
)
def test_a_description_of_boxes_reads_back(boxes):
    names = list("xyz")[: len(boxes)]
    region = as_region(tuple(box(low, high, shape=shape) for low, high, shape in boxes), names)
    for over in (region.describe(), parse(region.describe(), names)):
        assert as_region(over, names).describe() == region.describe()
    texts = tuple(f"[{low}, {high}]^{shape}" for low, high, shape in boxes)
    assert as_region(texts, names).describe() == region.describe()


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
    (lambda: as_region("all", ["x"]), ["all is not understood"]),
    (lambda: as_region(None, ["x"]), ["argument x: None"]),
    (lambda: as_region({"x": [0, 1], "z": [0, 1]}, ["x"]), ["'z'", "arguments are x"]),
    (lambda: as_region({"x": [0, 1]}, ["x", "y"]), ["no region for y"]),
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
