"""Faults planted where rounding, symmetry, sizes and ties have hidden them: one claim at a time.

The claim is wrong in an entry that is small beside others, in what lies across the diagonal, in
how many elements are chosen, on both sides of a tie. At one of its points it must not
pass; the right claim passes at each, and counts as undecided where it does not.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import symtape
from symtape.errors import SymtapeError
from verify.model.case import Case
from verify.model.verdict import Verdict
from verify.selftest.outcome import Outcome, Pair

Function = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Corner:
    """A function, its gradient, wrong ones by what was changed, and where they are claimed."""

    operator: str
    function: Function
    right: Function
    wrong: dict[str, Function]
    at: tuple[Any, ...]


_CONSTANTS: Final = np.array([2.998e8, 6.674e-11])
_STAMPS: Final = np.array([[1.6e18, 0.3], [1.7e18, -0.4], [1.8e18, 0.5]])
_WEIGHTS: Final = np.array([[0.5, 2.0], [-1.0, 0.25]])
_MATRIX: Final = np.array([[2.0, 0.5], [0.5, 1.25]])
_SIGNS: Final = (np.array([1.0, -2.0, 3.0, 0.5]), np.array([-1.0, 2.0, -3.0, 0.25]))
_LIMIT: Final = 0.9999


def _entry(right: Function, factor: float) -> Function:
    """A gradient with its last entry multiplied."""
    return lambda x: right(x) * np.where(np.arange(np.size(x)) == np.size(x) - 1, factor, 1.0)


def _entries(right: Function) -> dict[str, Function]:
    factors = {"times 10": 10.0, "times 1.001": 1.001, "negated": -1.0, "zero": 0.0}
    return {f"last entry {words}": _entry(right, by) for words, by in factors.items()}


def _units() -> Iterator[tuple[str, Corner]]:
    def squares(x: Any) -> Any:
        return np.sum(_CONSTANTS * x**2)

    def residuals(x: Any) -> Any:
        return 0.5 * np.sum((_STAMPS @ x - 1) ** 2)

    def slopes(x: Any) -> Any:
        return 2 * _CONSTANTS * x

    def normal(x: Any) -> Any:
        return _STAMPS.T @ (_STAMPS @ x - 1)

    at = np.array([0.75, 1.25])
    wrong = {"last residual negated": lambda x: _STAMPS.T @ ((_STAMPS @ x - 1) * [1, 1, -1])}
    yield "constants", Corner("mixed units", squares, slopes, _entries(slopes), (at,))
    small = (np.array([1e-18, 1.25]),)
    yield "a column of time stamps", Corner("mixed units", residuals, normal, wrong, small)


def _twins() -> Iterator[tuple[str, Corner]]:
    def penalised_logdet(weights: Any) -> Function:
        return lambda a: 2 * np.sum(np.log(np.diag(np.linalg.cholesky(a)))) + np.sum(weights * a)

    def spectral(weights: Any) -> Function:
        return lambda a: np.linalg.eigvalsh(a)[0] + np.sum(weights * a)

    for words, made in (("cholesky", penalised_logdet), ("eigvalsh", spectral)):
        function = made(_WEIGHTS)
        wrong = {
            "weights transposed": symtape.grad(made(_WEIGHTS.T)),
        }
        right = symtape.grad(function)
        yield words, Corner("symmetric twins", function, right, wrong, (_MATRIX,))


def _sizes() -> Iterator[tuple[str, Corner]]:
    def mean(x: Any) -> Any:
        return np.sum(x[x > 0]) / len(x[x > 0])

    def spread(x: Any) -> Any:
        return np.var(x[x > 0])

    def leaky(x: Any) -> Any:
        y = x * 1.0
        y[y < 0] *= 0.1
        return np.sum(y)

    def slope(x: Any) -> Any:
        return np.where(x < 0, 0.1, 1.0)

    def shares(x: Any) -> Any:
        return (x > 0) / np.sum(x > 0)

    def slope_around(x: Any) -> Any:
        count = np.sum(x > 0)
        return 2 * (x > 0) * (x - np.sum(x * (x > 0)) / count) / count

    def wrong_slope(right: Function) -> Function:
        return lambda x: right(x) * np.sum(x > 0) / 3

    for words, function, right in (("mean", mean, shares), ("var", spread, slope_around)):
        wrong = {"the first point's number of elements": wrong_slope(right)}
        yield words, Corner("sizes as constants", function, right, wrong, _SIGNS)
    first = {"the first point's mask": lambda x: slope(_SIGNS[0])}
    yield "leaky", Corner("sizes as constants", leaky, slope, first, _SIGNS)


def _ties() -> Iterator[tuple[str, Corner]]:
    def root(x: Any) -> Any:
        return np.sqrt(x[0] ** 2 + x[1] ** 2)

    def radial_slope(x: Any) -> Any:
        return x / root(x)

    def wrong_slope(x: Any) -> Any:
        return np.where(root(x) < _LIMIT, radial_slope(x), 0 * x)

    at = tuple(
        np.array([a, b])
        for a in np.arange(0.1, 0.9, 0.1)
        for b in (np.sqrt(_LIMIT**2 - a * a),)
        if np.sqrt(a**2 + b**2) == _LIMIT
    )
    wrong = {
        "twice the slope of one side": lambda x: 2 * radial_slope(x),
        "the negative of it": lambda x: -radial_slope(x),
    }
    for words, function in (
        ("minimum", lambda x: np.minimum(root(x), _LIMIT)),
        ("clip", lambda x: np.clip(root(x), 0.0, _LIMIT)),
        ("where", lambda x: np.where(root(x) < _LIMIT, root(x), _LIMIT)),
    ):
        yield words, Corner("sides of a tie", function, wrong_slope, wrong, at[:3])


CORNERS: Final = {
    f"{corner.operator}, {words}": corner
    for made in (_units, _twins, _sizes, _ties)
    for words, corner in made()
}
"""The functions, by the kind of fault and what they are."""


def try_corner(name: str, keep: Callable[[str], bool], seed: int = 0) -> list[Outcome]:
    """Claim the wrong gradients of a function of :data:`CORNERS` that `keep` says by their ids."""
    return refute_wrong(CORNERS[name], f"corner of {name}", keep)


def claims_about(name: str, keep: Callable[[str], bool], seed: int = 0) -> list[Pair]:
    """Claim the right gradient of the same function, at each of its points."""
    return confirm_right(CORNERS[name], f"corner of {name}", keep)


def refute_wrong(corner: Corner, stem: str, keep: Callable[[str], bool]) -> list[Outcome]:
    """What becomes of wrong gradients, which survive if they pass at each point."""
    found = []
    for words, wrong in corner.wrong.items():
        label = f"{stem}: {words}"
        if not keep(label):
            continue
        judged = [_judge_claim(corner, label, x, wrong) for x in corner.at]
        passes = all(passed for _, passed in judged)
        tally = ", ".join(sorted({verdict.value for verdict, _ in judged}))
        told = f"the claim passes (verdicts {tally})" if passes else ""
        fate = "survived" if passes else "refuted"
        found.append(Outcome(label, corner.operator, fate, told))
    return found


def confirm_right(corner: Corner, stem: str, keep: Callable[[str], bool]) -> list[Pair]:
    """What is said of the right gradient at each of the points."""
    found = []
    for number, x in enumerate(corner.at):
        if keep(label := f"{stem}: right #{number}"):
            verdict, passes = _judge_claim(corner, label, x, corner.right)
            said = verdict if passes or verdict.fails else Verdict.UNDECIDED
            found.append(Pair(label, corner.operator, said.value, verdict.value))
    return found


def _judge_claim(corner: Corner, label: str, x: Any, claim: Function) -> tuple[Verdict, bool]:
    """As a user is told; a refusal decides nothing."""
    from verify.judging.judge import verify_case

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = verify_case(Case(label, label, corner.function, ((x,),), claimed=claim))
        except SymtapeError:
            return Verdict.UNDECIDED, False
    return found.verdict, bool(found)
