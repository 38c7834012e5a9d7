"""Right claims about programs with masks pass, wrong ones do not, and nothing ends as an error."""

import numpy as np
import pytest

import verify
from tests.verify.judging.kinks.masked_programs import PROGRAMS
from verify import Verdict

EFFORT = 0.05


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_right_gradient_passes(name):
    function, region, right, _ = PROGRAMS[name]
    result = verify.gradient(function, claimed=right, over=region, effort=EFFORT)
    assert result, str(result)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_wrong_gradient_is_wrong(name):
    function, region, _, wrong = PROGRAMS[name]
    result = verify.gradient(function, claimed=wrong, over=region, effort=EFFORT)
    assert result.verdict is Verdict.WRONG, str(result)


SMOOTH = ("stable sigmoid", "log sig loss", "huber", "softplus", "sigmoid2", "tri cdf")


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", SMOOTH)
def test_of_a_smooth_function_the_right_gradient_is_correct_where_masks_change(name):
    function, _, right, _ = PROGRAMS[name]
    at = [np.zeros((2, 3) if name == "sigmoid2" else 4)]
    assert verify.gradient(function, claimed=right, at=at).verdict is Verdict.CORRECT
    off = verify.gradient(function, claimed=lambda x: right(x) + 0.5, at=at)
    assert off.verdict is Verdict.WRONG


def mean_of_positive(x):
    chosen = x[x > 0]
    return np.sum(chosen**2) / (1 + len(chosen))


def leaky(x):
    y = x.copy()
    y[y < 0] *= 0.1
    return np.sum(y)


def excepted(x):
    y = np.zeros_like(x)
    y[x != 0] = x[x != 0]
    return np.sum(y)


@pytest.mark.parametrize("slope", [0.1, 1.0])
def test_the_derivative_of_either_side_is_admissible(slope):
    at = [np.zeros(10)]
    assert verify.gradient(leaky, claimed=lambda x: np.full(10, slope), at=at)


@pytest.mark.long
def test_at_many_ties_another_value_is_not_admitted():
    result = verify.gradient(leaky, claimed=lambda x: np.full(10, 12345.0), at=[np.zeros(10)])
    assert not result


def test_a_branch_of_the_tie_alone_is_not_admitted():
    right = verify.gradient(excepted, claimed=np.ones_like, at=[np.zeros(3)])
    wrong = verify.gradient(excepted, claimed=np.zeros_like, at=[np.zeros(3)])
    assert right.verdict is Verdict.CORRECT
    assert wrong.verdict is Verdict.WRONG


def test_where_the_function_jumps_the_derivative_of_a_piece_passes():
    def right(x):
        return 2 * x * (x > 0) / (1 + np.sum(x > 0))

    at = [np.array([2.0, 0.0, -1.0])]
    result = verify.gradient(mean_of_positive, claimed=right, at=at)
    assert result.verdict is Verdict.KINK
    assert result
    assert "jumps" in str(result)
    assert not verify.gradient(mean_of_positive, claimed=lambda x: right(x) + 1, at=at)


def test_where_exact_arithmetic_chooses_another_size_it_is_no_error():
    def tail(x):
        return np.mean(x[x >= np.quantile(x, 0.6)])

    def right(x):
        chosen = x >= np.quantile(x, 0.6)
        return chosen / np.sum(chosen)

    at = np.array([-2.3561944901923444, 1e-203, -2.356194490192345, -2.692441, -2.6256987])
    result = verify.gradient(tail, claimed=right, at=[at])
    assert "error inside" not in str(result)
    assert "differs between floats" in str(result)


KINKED = {
    "abs": (abs, -1.0, 1.0),
    "maximum": (lambda x: np.maximum(x, 0), 0.0, 1.0),
    "minimum": (lambda x: np.minimum(x, 2 * x), 2.0, 1.0),
    "clip": (lambda x: np.clip(x, 0, 1), 0.0, 1.0),
}
MASKS = {
    ">": (np.greater, 0, 1),
    ">=": (np.greater_equal, 0, 1),
    "<": (np.less, 1, 0),
    "<=": (np.less_equal, 1, 0),
}


@pytest.mark.parametrize("sign", MASKS)
@pytest.mark.parametrize("name", KINKED)
def test_a_kink_times_a_mask_that_turns_there_has_both_slopes(name, sign):
    """Whichever is computed first: the mask may be 0 at the point, and hide the kink."""
    kinked, before, after = KINKED[name]
    mask, left, right = MASKS[sign]
    slopes = (before * left, after * right)
    for function in (lambda x: kinked(x) * mask(x, 0), lambda x: mask(x, 0) * kinked(x)):
        for claim in slopes:
            result = verify.gradient(function, claimed=lambda x, claim=claim: claim, at=[0.0])
            assert result, str(result)
        if slopes[0] != slopes[1]:
            (slope,) = result.points[0].kink.slopes
            assert (slope.left, slope.right) == slopes
        beyond = max(abs(before), abs(after)) + 0.5
        wrong = verify.gradient(function, claimed=lambda x, beyond=beyond: beyond, at=[0.0])
        assert wrong.verdict is Verdict.WRONG, str(wrong)
