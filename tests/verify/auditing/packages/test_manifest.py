"""Manifests: every mistake is refused with the place of its key."""

import pytest

from verify.auditing import NotPosed
from verify.auditing.packages.conventions.declared import CONVENTION
from verify.auditing.packages.declared_region import declared_region
from verify.auditing.packages.manifest import load, read
from verify.errors import UsageError

GOOD = {"function": "numpy:sin", "claim": "numpy:cos"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"pairs": []}, "audit.toml: unknown key 'pairs'; did you mean 'pair'?"),
        ({"package": 3}, "audit.toml: package = 3; expected a text"),
        ({"pair": [{"claim": "a:b"}]}, "audit.toml: pair[0] lacks function; expected function"),
        ({"pair": [GOOD, {**GOOD, "id": "b", "foo": 1}]}, "audit.toml: pair[1]: unknown key 'foo'"),
        ({"pair": [GOOD, GOOD]}, "audit.toml: pair[1]: there are two pairs 'numpy:cos'"),
        ({"pair": [{**GOOD, "claim": "cos"}]}, "audit.toml: pair[0]: claim = 'cos'; expected"),
        ({"pair": [{**GOOD, "quantity": "slope"}]}, "pair[0]: quantity = 'slope'; expected one of"),
        ({"pair": [{**GOOD, "element": True}]}, "pair[0]: element = True; expected a whole number"),
        ({"pair": [{**GOOD, "by": []}]}, "pair[0]: by = []; expected the name of an argument"),
        ({"pair": [{**GOOD, "over": {"x": "[1, 0]"}}]}, "pair[0]: over: x = '[1, 0]': "),
        ({"pair": [{**GOOD, "over": "[0, 1]"}]}, "pair[0]: over = '[0, 1]'; expected a table"),
        ({"region": {"f": {"x": "box("}}}, "audit.toml: region.'f': x = 'box(': "),
        ({"exclude": [{"pair": "f"}]}, "audit.toml: exclude[0] lacks reason"),
        ({"exclude": ["f"]}, "audit.toml: exclude[0] is 'f'; expected a table with pair, reason"),
    ],
)
def test_a_mistake_is_refused_with_its_place(data, message):
    with pytest.raises(UsageError) as refused:
        read(data, "audit.toml")
    assert message in str(refused.value)


def test_what_is_no_toml_is_refused(tmp_path):
    file = tmp_path / "audit.toml"
    file.write_text("pair = [")
    with pytest.raises(UsageError, match="cannot read the manifest"):
        load(file)


@pytest.mark.parametrize(
    ("more", "by"),
    [
        ({"over": {"x": "[0, 1]"}, "by": "x"}, "by x"),
        (
            {"function": "math:lgamma", "claim": "scipy.special:psi", "over": {"x": "[1, 2]"}},
            "by x",
        ),
        ({"claim": "numpy:sin", "factor": -1, "function": "numpy:cos"}, "gradient of cos"),
    ],
)
def test_a_declared_pair_is_posed(more, by):
    (pair,) = read({"pair": [{**GOOD, **more}]}).pairs
    case = CONVENTION.pose(pair)
    assert by in case.title


@pytest.mark.parametrize(
    ("over", "message"),
    [
        ({"x": "[0, 1]"}, "has none for y"),
        (
            {"x": "[0, 1]", "y": "[0, 1]", "z": "[0, 1]"},
            "names the unknown z",
        ),
        ({"x": "[2, 3]", "y": "[0, 1]"}, "is outside of the function's domain"),
    ],
)
def test_a_region_that_does_not_fit_is_told(over, message):
    def function(x, y):
        return (1 - x - y) ** 0.5 if x < 2 else float("nan")

    with pytest.raises(NotPosed, match=message):
        declared_region(over, function, ["x", "y"])
