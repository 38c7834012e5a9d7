"""Gradients of torch, a black box here, over [-60, 60] alone."""

import numpy as np
import pytest
import scipy.special

from verify.judging.judge import verify_case
from verify.model.case import Case, region_of
from verify.model.verdict import Verdict

torch = pytest.importorskip("torch", reason="torch is an optional extra")

LITTLE = 0.3


def softplus(x):
    return np.logaddexp(0.0, x)


def backward(function):
    def claimed(x):
        tensor = torch.tensor(x, dtype=torch.float64, requires_grad=True)
        return torch.autograd.grad(function(tensor).sum(), tensor)[0].numpy()

    claimed.__qualname__ = f"torch.{function.__name__}"
    return claimed


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def searched(function, theirs):
    over = region_of(function, [-60, 60])
    case = Case("torch", "torch", function, (), "gradient", backward(theirs), over=over)
    return verify_case(case, effort=LITTLE)


@pytest.mark.parametrize(
    ("function", "theirs", "zeros"),
    [
        (np.tanh, torch.tanh, 2730),
        (np.expm1, torch.expm1, 776),
        (scipy.special.expit, torch.sigmoid, 776),
    ],
)
def test_zero_tails_are_found_and_named(function, theirs, zeros):
    result = searched(function, theirs)
    assert result.verdict.fails
    assert result.witness.worst.claimed == 0
    assert float(result.witness.worst.lower) > 2.3e-308
    survey = result.survey
    even = np.abs(survey.coordinates[:, 0]) > 1e-3
    lost = (survey.claimed == 0) & (np.abs(survey.exact) > 2.3e-308)
    assert np.mean(lost[even]) == pytest.approx(zeros / 4001, abs=0.08)


def test_the_shortcut_of_softplus_is_found():
    result = searched(softplus, torch.nn.functional.softplus)
    assert result.verdict.fails
    assert 20 < result.witness.x[0] < 36
    assert 1e6 < np.max(result.survey.ulps) < 1.9e7


@pytest.mark.parametrize(
    ("function", "theirs", "ulps"),
    [
        (scipy.special.log_expit, torch.nn.functional.logsigmoid, 3),
        (np.sin, torch.sin, 2),
        (scipy.special.erf, torch.erf, 500),
    ],
)
def test_what_rounding_explains_stands(function, theirs, ulps):
    result = searched(function, theirs)
    assert result.verdict is Verdict.CORRECT
    assert np.max(result.survey.ulps) < ulps
