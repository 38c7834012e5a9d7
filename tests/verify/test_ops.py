"""``symtape ops``: what a row says, in words."""

import pytest
from click.testing import CliRunner

from symtape.primitives.primitive import PRIMITIVES
from symtape.primitives.vocabulary import vocabulary
from verify.cli import cli
from verify.errors import UsageError
from verify.reporting.ops import describe_row, ops

vocabulary()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PRIMITIVES))
def test_every_row_is_described(name):
    first, *lines = describe_row(PRIMITIVES[name]).splitlines()
    assert first.startswith(f"{name}(")
    labels = [line[2:19].strip() for line in lines]
    assert {"source", "on floats", "acts", "domain", "kinks", "rounding"} <= set(labels)
    assert len(set(labels)) == len(labels)
    assert all(line[20:].strip() for line in lines)


@pytest.mark.slow
@pytest.mark.usefixtures("proofs")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("divide", ["a/b", "as on floats", "(1 ± 3 u)", "rule by b", "proved, b != 0"]),
        ("maximum", ["takes the largest element", "1/2 to each at a tie", "on booleans       or"]),
        ("cholesky", ["exact for a matrix nearby, triangle", "proved at the tested shapes"]),
        ("sqrt", ["pieces there      symtape/primitives/exponential.py:", "fractional powers"]),
        ("absolute", ["ties              of its input with 0"]),
        ("matmul", ["in Python         @"]),
        ("stop_gradient", ["held constant"]),
        ("floor", ["None: not differentiable", "constant across a jump"]),
        ("matmul", ["sums of products", "(Higham 2002, section 3.1)"]),
    ],
)
def test_what_is_known_is_said(name, said):
    text = describe_row(PRIMITIVES[name])
    assert [words for words in said if words not in text] == []


def test_without_a_name_there_are_all():
    (names,) = ops()
    assert names.split() == sorted(PRIMITIVES)


def test_the_command():
    found = CliRunner().invoke(cli, ["ops", "exp", "sum"])
    assert found.exit_code == 0
    assert found.stdout.startswith("exp(x)\n")
    assert "\n\nsum(x)\n" in found.stdout


def test_a_name_that_is_none_is_refused_with_those_near():
    with pytest.raises(UsageError, match=r"no op 'expp'.*did you mean exp"):
        ops(["expp"])
