"""Regions written as text: read without running anything."""

import pytest

from verify.errors import UsageError
from verify.regions import parse

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
