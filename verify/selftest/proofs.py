"""Faults planted in what proves claims over regions: a wrong claim that each lets through.

A claim is wrong in some part of its region, and nothing says more of it than it should. With the
fault, the prover says more. Points or the checker of certificates must then object: the fault
survives if the claim is CORRECT, proved or enclosed everywhere, and the checker accepts that
without an assumption.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
from scipy import special

from verify.certificates.checker import Rejected, check
from verify.certificates.writer import NotWritten, certify
from verify.claimants.claim import claim_of
from verify.claimants.posing import pose_case
from verify.model.case import Case
from verify.model.stated_accuracy import approximately
from verify.oracles.over_region.proof import prove_over
from verify.regions import box
from verify.selftest.outcome import Outcome
from verify.selftest.proof_faults import PLANTS, Plant

_OPERATOR: Final = "proofs over regions"


def try_proof(name: str, keep: Callable[[str], bool], seed: int = 0) -> list[Outcome]:
    """Plant a fault of :data:`PLANTS`, and verify the claim that it lets through."""
    plant, label = PLANTS[name], f"proof with {name}: {PLANTS[name].claim}"
    if not keep(label):
        return []
    case = pose_claim(plant.claim)
    before = _measure(case)
    if before[1] == before[2] == 1:
        return [Outcome(label, _OPERATOR, "survived", "it is proved without any fault")]
    with _planted(plant):
        if _measure(case) <= before:
            return [Outcome(label, _OPERATOR, "equivalent", "no more is proved with it")]
        passes, told = _judge(case)
    return [Outcome(label, _OPERATOR, "survived" if passes else "refuted", told)]


@contextlib.contextmanager
def _planted(plant: Plant) -> Iterator[None]:
    right = getattr(plant.owner, plant.name)
    setattr(plant.owner, plant.name, plant.wrong(right))
    try:
        yield
    finally:
        setattr(plant.owner, plant.name, right)


def _measure(case: Case) -> tuple[float, float, float, int]:
    """On how much a claim is covered, enclosed and proved, and to how many bits."""
    assert case.over is not None
    found = prove_over(claim_of(case), case.over)
    if found is None:
        return 0.0, 0.0, 0.0, 0
    return found.covered, found.enclosed, found.share, found.enclosed_bits


def _judge(case: Case) -> tuple[bool, str]:
    """Whether a claim passes as proved everywhere, its certificate too, and the words for that."""
    from verify.judging.judge import verify_case

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = verify_case(case, proved=True)
    if not result or result.coverage is None or result.coverage.covered < 1:
        return False, ""
    claim = claim_of(case)
    assert case.over is not None
    found = prove_over(claim, case.over)
    assert found is not None
    try:
        assumed = check(certify(case.id, claim, case.over, found)).assumptions
    except Rejected:
        return False, ""
    except NotWritten as error:
        return True, f"it is {result.verdict.value}, and there is no certificate: {error}"
    if assumed:
        return False, f"its certificate is accepted, assuming that {', '.join(assumed)}"
    return True, f"it is {result.verdict.value}, and its certificate is accepted"


Claim = tuple[Callable[..., Any], Callable[..., Any], Any]
"""A function, a wrong derivative of it, and over which region."""

_LINE: Final = box(-1, 1)
_SQUARE: Final = box(-1, 1, shape=(2,))


def _by_sides(x: Any) -> Any:
    e = x[0] + x[1]
    return np.stack([np.where(e > 0, 1.0, -1.0), np.where(e >= 0, 1.0, -1.0)])


def _asks_for_tensors(x: Any) -> Any:
    return np.cos(x) if hasattr(x, "_apply_primitive") else -np.cos(x)


def _matrix(x: Any) -> Any:
    return np.stack([np.stack([2 * x[0], np.cos(x[1])]), np.stack([x[1], x[0]])])


def _fold(x: Any) -> Any:
    """What grows too long where it is written out."""
    for _ in range(_FOLDS):
        x = 0.3 * (x + np.roll(x, 1)) ** 2
    return np.sum(x)


def _unfold(x: Any) -> Any:
    sums = []
    for _ in range(_FOLDS):
        sums.append(x + np.roll(x, 1))
        x = 0.3 * sums[-1] ** 2
    slopes = np.ones(3)
    for each in reversed(sums):
        slopes = 0.6 * slopes * each
        slopes = slopes + np.roll(slopes, -1)
    return slopes


_FOLDS: Final = 8

CLAIMS: Final[dict[str, Claim]] = {
    "one side": (
        lambda x: np.exp(np.maximum(x, 0)),
        lambda x: np.where(x > 0, np.exp(np.maximum(x, 0)), 0.5),
        _LINE,
    ),
    "sides that differ by entry": (lambda x: np.abs(x[0] + x[1]), _by_sides, _SQUARE),
    "a point": (
        lambda x: np.where(x**2 > 0, x, 1000 * x),
        lambda x: np.where(x**2 > 0, 1.0, 1000.0),
        _LINE,
    ),
    "a tie": (
        lambda x: x * np.abs(x),
        lambda x: np.where(x == 0, 1e3, 2 * np.abs(x)),
        _LINE,
    ),
    "the square of a step": (lambda x: 1.0 * x, lambda x: 1.0 * (x > 0) * (x > 0), _LINE),
    "a root of a square": (lambda x: 0.5 * x**2, lambda x: np.sqrt(x**2), _LINE),
    "a branch": (np.sin, lambda x: np.cos(x) if x > -0.5 else 2 * np.cos(x), _LINE),
    "a step of floor": (np.sin, lambda x: np.cos(x) + np.floor(x + 0.75), _LINE),
    "a mask": (
        lambda x: np.where(x > 0.1, x**2, 0.02 * x),
        lambda x: np.where(x < 0.1, 2 * x, 0.02),
        _LINE,
    ),
    "undefined beyond": (np.sin, lambda x: np.cos(x) + 0 * np.log(x - 0.5), _LINE),
    "undefined at poles": (np.sin, lambda x: np.cos(x) + 0 * np.tan(2 * x), _LINE),
    "a factor": (np.sin, lambda x: 2 * np.cos(x), _LINE),
    "a small term": (np.sin, lambda x: np.cos(x) + 1e-9 * np.exp(x), _LINE),
    "a small term of two": (
        lambda x: np.sin(x[0]) + x[1],
        lambda x: np.stack([np.cos(x[0]) + 1e-9 * np.exp(x[0]), 1 + 0 * x[1]]),
        _SQUARE,
    ),
    "a constant": (lambda x: 0.1 * x**3, lambda x: 0.3000001 * x**2, _LINE),
    "a steep constant": (
        lambda x: np.sin(1e11 * (0.3 * x)) / 1e11,
        lambda x: 0.3 * np.cos(1e11 * (0.30000000000000016 * x)),
        box(1, 2),
    ),
    "another entry": (
        lambda x: np.sum(np.sin(x)),
        lambda x: (2 * np.cos(x / 2) ** 2 - 1) * np.array([1.0, 1.001]),
        _SQUARE,
    ),
    "a transposed matrix": (
        lambda x: np.stack([x[0] ** 2 + np.sin(x[1]), x[0] * x[1]]),
        lambda x: _matrix(x).T,
        _SQUARE,
    ),
    "another size": (
        lambda x: np.sum(x**2),
        lambda x: 2 * x if x.size == 2 else 3 * x,
        box(-1, 1, shape=[(2,), (3,)]),
    ),
    "circular functions": (
        lambda x: 1.0 * x,
        lambda x: np.cos(x) ** 2 - np.sin(x) ** 2,
        _LINE,
    ),
    "left of zero": (
        lambda x: 0.5 * x**2,
        lambda x: x + special.gamma(x) - np.exp(special.gammaln(x)),
        box(-0.9, -0.1),
    ),
    "zero to the power of zero": (
        np.sin,
        lambda x: np.cos(x) - 1e-6 * 0.0 ** np.maximum(x + 0.4, 0),
        _LINE,
    ),
    "a point between branches": (
        np.sin,
        lambda x: np.cos(x) if x < 0 else np.cos(x) * 1.0 if x > 0 else 7.0,
        _LINE,
    ),
    "a needle beside a branch": (
        np.sin,
        lambda x: np.cos(x) if x < 0 else np.cos(x) + 1.0 * (x > 0.29) * (x < 0.31),
        _LINE,
    ),
    "code that asks for tensors": (np.sin, _asks_for_tensors, _LINE),
    "undefined beside an end": (
        np.log,
        lambda x: np.sqrt(x - 0.5) / (x * np.sqrt(x - 0.5)),
        _LINE,
    ),
    "undefined at a kink": (
        lambda x: np.sum(x**2) ** 1.5,
        lambda x: 3 * np.sum(x**2) * x / np.sqrt(np.sum(x**2)),
        _SQUARE,
    ),
    "a side that a branch not taken has not": (
        lambda x: np.where(x > -5, x**2, np.log(x)),
        lambda x: 2 * np.abs(x),
        _LINE,
    ),
    "a removable pole": (
        lambda x: special.sici(x)[0],
        lambda x: np.sin(x) / x,
        _LINE,
    ),
    "another factor on one side": (np.log, lambda x: np.where(x > 0.5, 2, 1) / x, _LINE),
    "a root of a square beside an end": (
        lambda x: 0.5 * (x + 0.99) ** 2,
        lambda x: np.sqrt((x + 0.99) ** 2),
        _LINE,
    ),
    "a factor of what is long": (_fold, lambda x: 1.001 * _unfold(x), box(-1, 1, shape=(3,))),
    "a root of a square in what is long": (
        _fold,
        lambda x: _unfold(x) + np.sqrt(x**2) - x,
        box(-2, -1, shape=(3,)),
    ),
    "a series that ends too soon": (
        np.sin,
        approximately(lambda x: 1 - x**2 / 2, rtol=1e-2),
        _LINE,
    ),
    "a term on one side": (np.sin, lambda x: np.cos(x) + 1e-3 * (x > 0.9), _LINE),
    "code that asks for tensors, beside a pole": (
        lambda x: 1 / x,
        lambda x: -1 / x**2 if hasattr(x, "_apply_primitive") else 1 / x**2,
        _LINE,
    ),
}


def pose_claim(name: str) -> Case:
    """A claim of :data:`CLAIMS` over its region."""
    function, claimed, over = CLAIMS[name]
    quantity = "jacobian" if name == "a transposed matrix" else "gradient"
    case = Case(name, name, function, (), quantity, claimed=claimed)
    return pose_case(case, over, None, None, "conjugate")
