"""Claims that state their accuracy are held to exactly that, and others are told how to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import verify
from verify.errors import UsageError
from verify.model.verdict import Verdict


def smooth_sign(x: Any) -> Any:
    return x / np.sqrt(x**2 + 1e-12)


def series(x: Any) -> Any:
    return x - x**3 / 6 + x**5 / 120 - x**7 / 5040


def fit(x: Any) -> Any:
    above = 1 + x / 2 + x**2 / 9 + x**3 / 72 + x**4 / 1008 + x**5 / 30240
    below = 1 - x / 2 + x**2 / 9 - x**3 / 72 + x**4 / 1008 - x**5 / 30240
    return above / below


def newton(a: Any) -> Any:
    root = 1.0 + 0 * a
    for _ in range(60):
        after = root - (root**3 - a) / (3 * root**2)
        if abs(after - root) < 1e-5 * abs(after):
            return 1 / (3 * after**2)
        root = after
    return np.nan


APPROXIMATIONS: Final[dict[str, tuple[Callable[..., Any], Callable[..., Any], Any, float]]] = {
    "an epsilon under a root": (np.abs, smooth_sign, [1, 5], 1e-12),
    "a series": (lambda x: -np.cos(x), series, [-0.1, 0.1], 1e-12),
    "a rational fit": (np.exp, fit, [-0.3, 0.3], 1e-14),
    "an iteration": (np.cbrt, newton, [0.5, 20], 1e-8),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", APPROXIMATIONS)
def test_an_approximation_is_right_as_what_it_says_it_is(name: str) -> None:
    function, claim, over, rtol = APPROXIMATIONS[name]
    result = verify.gradient(
        function, verify.approximately(claim, rtol=rtol), over=over, effort=0.2
    )
    assert result.verdict is Verdict.CORRECT, str(result)
    assert str(result.evidence).endswith(f"within rtol={rtol}")
    assert "within the accuracy that it states" in result.points[0].message


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", APPROXIMATIONS)
def test_what_is_told_to_be_stated_works(name: str) -> None:
    function, claim, over, _ = APPROXIMATIONS[name]
    result = verify.gradient(function, claim, over=over, effort=0.2, strict=True)
    assert result.verdict is Verdict.WRONG, str(result)
    assert "approximates the derivative to " in result.message
    said = result.message.rpartition("rtol=")[2].rstrip(")")
    stated = verify.approximately(claim, rtol=float(said))
    assert verify.gradient(function, stated, over=over, effort=0.2), result.message


@pytest.mark.slow
@pytest.mark.parametrize("name", APPROXIMATIONS)
def test_beyond_what_it_states_it_is_wrong(name: str) -> None:
    function, claim, over, rtol = APPROXIMATIONS[name]

    def worse(x: Any) -> Any:
        return claim(x) * (1 + 3 * rtol)

    result = verify.gradient(
        function, verify.approximately(worse, rtol=rtol), over=over, effort=0.3
    )
    assert result.verdict is Verdict.WRONG, str(result)
    assert "beyond the accuracy that it states" in result.message


@pytest.mark.parametrize(("off", "verdict"), [(0.99, Verdict.CORRECT), (1.01, Verdict.WRONG)])
@pytest.mark.parametrize("kind", ["rtol", "atol"])
def test_it_is_held_to_exactly_that(kind: str, off: float, verdict: Verdict) -> None:
    def claim(x: Any) -> Any:
        return 3 * x**2 + off * 1e-6 * (3 * x**2 if kind == "rtol" else 1)

    stated = verify.approximately(claim, **{kind: 1e-6})
    assert verify.gradient(lambda x: x**3, stated, at=[2.0]).verdict is verdict


@pytest.mark.long
def test_an_absolute_tolerance_is_for_entries_that_are_zero() -> None:
    def claim(x: Any) -> Any:
        return np.cos(x) + 1e-9

    for given, verdict in (({"rtol": 1e-6}, Verdict.WRONG), ({"atol": 1e-8}, Verdict.CORRECT)):
        stated = verify.approximately(claim, **given)
        found = verify.gradient(np.sin, stated, over=[0, 3], effort=0.2)
        assert found.verdict is verdict, str(found)


QUANTITIES: Final[dict[str, tuple[Callable[..., Any], Callable[..., Any]]]] = {
    "gradient": (lambda x: np.sum(np.sin(x)), lambda x: np.cos(x)),
    "jacobian": (np.sin, lambda x: np.diag(np.cos(x))),
    "hessian": (lambda x: np.sum(np.sin(x)), lambda x: np.diag(-np.sin(x))),
    "vjp": (np.sin, lambda x, g: g * np.cos(x)),
    "jvp": (np.sin, lambda x, t: t * np.cos(x)),
    "hvp": (lambda x: np.sum(np.sin(x)), lambda x, v: -v * np.sin(x)),
}


@pytest.mark.slow
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_every_quantity_may_be_stated(quantity: str) -> None:
    function, claim = QUANTITIES[quantity]
    for off, verdict in ((1e-9, Verdict.CORRECT), (1e-7, Verdict.WRONG)):

        def rough(*args: Any, off: float = off) -> Any:
            return claim(*args) * (1 + off)

        stated = verify.approximately(rough, rtol=1e-8)
        assert verify.derivative(quantity, function, stated, at=[[0.5, 1.0]]).verdict is verdict


@pytest.mark.parametrize("quantity", ["gradient", "hessian"])
def test_the_assertion_takes_it_and_says_how_to_run_it_again(quantity: str) -> None:
    function, claim = QUANTITIES[quantity]

    @verify.approximately(rtol=1e-9)
    def rough(x: Any) -> Any:
        return claim(x) * (1 + 1e-8)

    check = getattr(verify, f"assert_{quantity}")
    with pytest.raises(
        verify.DerivativeError, match=r"verify\.approximately\(.*rough.*, rtol=1e-09\)"
    ):
        check(function, rough, at=[[0.5, 1.0]])


def test_cases_take_it() -> None:
    @verify.case(at=[0.5], claimed=verify.approximately(series, rtol=1e-6))
    def function(x: Any) -> Any:
        return -np.cos(x)

    case = verify.Case(
        "f", "f", function, ((0.5,),), claimed=verify.approximately(series, rtol=1e-6)
    )
    assert case.claimed is series
    assert str(case.accuracy) == "rtol=1e-06"


def test_samples_hold_it_to_that_as_well() -> None:
    def rough(x: Any) -> Any:
        return np.cos(x) * (1 + 1e-4)

    verdicts = [
        verify.gradient(np.sin, claim, at=[0.5, 1.0], evidence="sampled").verdict
        for claim in (
            rough,
            verify.approximately(rough, rtol=1e-3),
            verify.approximately(rough, rtol=1e-5),
        )
    ]
    assert verdicts == [Verdict.WRONG, Verdict.CORRECT, Verdict.WRONG]


@pytest.mark.parametrize(
    ("slope", "passes"), [(0.0, True), (1 + 1e-10, True), (1.1, False), (2.0, False)]
)
def test_at_a_kink_it_is_admissible_to_its_accuracy(slope: float, passes: bool) -> None:
    stated = verify.approximately(lambda x: slope + 0 * x, atol=1e-9)
    assert bool(verify.gradient(np.abs, stated, at=[0.0])) is passes


def test_the_nearest_float_is_right_however_narrow_the_accuracy() -> None:
    stated = verify.approximately(lambda x: 1 / x, rtol=1e-30)
    assert verify.gradient(np.log, stated, at=[3.0]).verdict is Verdict.CORRECT


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "rtol=0 and atol=0; expected one of them above 0"),
        ({"rtol": -1}, "rtol=-1; expected a finite number from 0"),
        ({"rtol": "1e-9"}, "rtol='1e-9'; expected a finite number from 0"),
        ({"atol": np.inf}, "atol=inf; expected a finite number from 0"),
        ({"atol": np.nan}, "atol=nan; expected a finite number from 0"),
        ({"rtol": True}, "rtol=True; expected a finite number from 0"),
    ],
)
def test_bad_tolerances_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as caught:
        verify.approximately(np.cos, **given)
    assert str(caught.value).startswith(words)


def test_what_cannot_be_called_is_refused() -> None:
    with pytest.raises(UsageError, match=r"claimed=3; expected a function of the point"):
        verify.approximately(3, rtol=1e-9)


@pytest.mark.parametrize("fault", [2.0, 1.001])
def test_gross_faults_are_not_offered_an_accuracy(fault: float) -> None:
    result = verify.gradient(np.sin, lambda x: fault * np.cos(x), over=[-1, 1], effort=0.3)
    assert "approximat" not in result.message


def test_near_zeros_an_absolute_accuracy_is_offered() -> None:
    result = verify.gradient(np.sin, lambda x: np.cos(x) + 1e-10, over=[0, 3], effort=0.2)
    assert "atol=2e-10" in result.message
