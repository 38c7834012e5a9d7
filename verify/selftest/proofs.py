"""Faults planted in what proves claims over regions: a wrong claim that each lets through.

A claim is wrong in some part of its region, and nothing says more of it than it should. With the
fault, the prover says more. Points or the checker of certificates must then object: the fault
survives if the claim is CORRECT, proved or enclosed everywhere, and the checker accepts that
without an assumption.
"""

from __future__ import annotations

import contextlib
import dataclasses
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
from flint import arb
from scipy import special

from symtape.prover import cases, needs, powers, prove, ring, steps, values
from symtape.symbolic.interval import Interval
from symtape.symbolic.walk import GraphWalk
from verify.certificates.checker import Rejected, check
from verify.certificates.writer import NotWritten, certify
from verify.claimants.claim import claim_of
from verify.claimants.posing import pose_case
from verify.model.case import Case
from verify.model.stated_accuracy import StatedAccuracy, approximately
from verify.oracles.over_region import (
    attempt,
    bounds,
    choices,
    cuts,
    definedness,
    domain,
    enclosure,
    equalities,
    path,
    pieces,
    proof,
    recordings,
    row_domains,
    series,
    settled,
)
from verify.oracles.over_region.part import Part
from verify.regions import box
from verify.selftest.outcome import Outcome

_OPERATOR: Final = "proofs over regions"
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


@dataclass(frozen=True, slots=True)
class Plant:
    """An attribute of a piece, what stands in its place, and the claim that this lets through."""

    owner: Any
    name: str
    wrong: Callable[[Any], Any]
    claim: str


def _always(value: Any) -> Callable[[Any], Any]:
    return lambda right: lambda *args, **terms: value


def _take_one_half(right: Any) -> Any:
    def halves(part: Any, widths: Any) -> Any:
        _, above = right(part, widths)
        return above, Part(above.lower, above.upper, above.faces, above.share)

    return halves


def _keep_parity(right: Any) -> Any:
    def reduced(self: Any, polynomial: Any, at: int) -> Any:
        terms = polynomial.to_dict().items()
        return self.context.from_dict({(*e[:at], e[at] % 2, *e[at + 1 :]): c for e, c in terms})

    return reduced


def _square_to_one(right: Any) -> Any:
    def begin(self: Any) -> None:
        right(self)
        self.kernels[0].value = self.unit

    return begin


def _forget_branches(right: Any) -> Any:
    def choose(graph: Any, *given: Any) -> Any:
        return right(dataclasses.replace(graph, path=()), *given)

    return choose


def _forget_conditions(right: Any) -> Any:
    def compare(*args: Any, **terms: Any) -> Any:
        return dataclasses.replace(right(*args, **terms), where=(), assuming=())

    return compare


def _assume_all(right: Any) -> Any:
    return lambda self, made, doubtful, assumes: right(self, made, doubtful, True)


def _take_all_gaps(right: Any) -> Any:
    def gaps(row: Any) -> Any:
        hull = row_domains.find_hull(row.over)
        return hull.gaps if hull else right(row)

    return gaps


def _forget_where(right: Any) -> Any:
    return lambda *args: dataclasses.replace(right(*args), conditions=())


def _prove_once(right: Any) -> Any:
    def prove_formula(self: Any, *args: Any) -> Any:
        return path.Found.PROVED if self._proved else right(self, *args)

    return prove_formula


def _compare_first(right: Any) -> Any:
    def begin(self: Any, *args: Any) -> None:
        right(self, *args)
        self.pairs = self.pairs[:1]

    return begin


def _transpose(right: Any) -> Any:
    def statements(*args: Any) -> Any:
        return [part.T for part in right(*args)]

    return statements


def _take_first_shape(right: Any) -> Any:
    def spaces(region: Any) -> Any:
        return [space.pick_shape(space.shapes[0]) for space in region.arguments]

    return spaces


def _take_for_positive(right: Any) -> Any:
    def box_of(*args: Any) -> Any:
        return dict.fromkeys(right(*args), Interval(arb(0), arb("inf"), True, True))

    return box_of


def _enlarge_derivative(right: Any) -> Any:
    return lambda *args: right(*args)._replace(least=arb(2) ** 40)


def _leave_out_errors(right: Any) -> Any:
    return lambda *args: right(*args)._replace(near=arb(0), rest=arb(0))


def _fix_choices(right: Any) -> Any:
    def constants(self: Any) -> Any:
        return [
            {
                id(node): np.asarray(made.values[at])[()]
                for at, node in enumerate(made.graph.nodes)
                if node.primitive is not None and choices.is_constant(node)
            }
            for made in self.shadows
        ]

    return property(constants)


def _round(value: Any) -> Fraction:
    return Fraction(value).limit_denominator(1000)


PLANTS: Final[dict[str, Plant]] = {
    "a case that is lost": Plant(cases.Cases, "advance", _always(False), "one side"),
    "a boundary taken for empty": Plant(
        cases.Meeting, "note", _always(None), "sides that differ by entry"
    ),
    "halves of zero taken for sides": Plant(cases.Meeting, "note", _always(None), "a point"),
    "a tie taken for a mean": Plant(steps, "_is_halfway", _always(True), "a tie"),
    "a relation of steps": Plant(ring.Ring, "_drop_powers", _keep_parity, "the square of a step"),
    "a relation of i": Plant(ring.Ring, "__post_init__", _square_to_one, "circular functions"),
    "an assumption that is dropped": Plant(
        needs.Needs,
        "assume",
        lambda right: lambda self, factor, sign: self.signs.note(factor, sign),
        "a root of a square beside an end",
    ),
    "a sign at one point": Plant(
        values.Signs, "_prove_sign", lambda right: values.Signs.guess, "a root of a square"
    ),
    "conditions that are dropped": Plant(
        path.Path, "compare", _forget_conditions, "a root of a square beside an end"
    ),
    "an identity beyond where it holds": Plant(
        needs.Needs, "positive", _always(None), "left of zero"
    ),
    "a box that is skipped": Plant(Part, "halves", _take_one_half, "a branch"),
    "a path that is lost": Plant(attempt.Attempt, "_prove_formula", _prove_once, "a branch"),
    "a branch that is not asked": Plant(attempt, "choices_over", _forget_branches, "a branch"),
    "a choice at one point": Plant(
        choices, "_check_common_choice", _always(None), "a step of floor"
    ),
    "a path taken for another": Plant(
        attempt,
        "choices_over",
        lambda right: lambda *given: (b"", right(*given)[1]),
        "a step of floor",
    ),
    "a face that no part has": Plant(
        cuts._Line,
        "look_at",
        _always(np.zeros((2, 2), dtype=bool)),
        "a point between branches",
    ),
    "a choice that intervals leave open": Plant(
        settled, "_is_element_settled", _always(True), "a needle beside a branch"
    ),
    "a mask that is flipped": Plant(
        pieces, "_CHOICES", lambda right: {**right, "<": right[">"]}, "a mask"
    ),
    "a value of one point": Plant(
        pieces._PiecewiseWalk,
        "_specialise_powers",
        lambda right: GraphWalk._specialise_powers,
        "zero to the power of zero",
    ),
    "a domain that is not looked at": Plant(
        definedness.Definedness, "is_defined", _always(True), "undefined beyond"
    ),
    "what has no bound taken for finite": Plant(
        bounds.Bounds, "is_bounded", _always(True), "undefined at poles"
    ),
    "a bound that is too small": Plant(prove.Magnitudes, "quotient", _always(arb(0)), "a factor"),
    "a derivative that is measured too large": Plant(
        enclosure, "_sizes", lambda right: lambda *args: [arb(2) ** 40], "a small term of two"
    ),
    "a constant whose error costs nothing": Plant(
        bounds.Bounds, "deviation", _always(arb(0)), "a steep constant"
    ),
    "constants taken for others": Plant(path, "number_meant", lambda right: _round, "a constant"),
    "an entry that is not compared": Plant(path.Path, "__init__", _compare_first, "another entry"),
    "statements taken for equal": Plant(
        equalities.Equalities, "_compare", _always(True), "a factor of what is long"
    ),
    "what is shared taken for positive": Plant(
        equalities.Equalities, "_box", _take_for_positive, "a root of a square in what is long"
    ),
    "an accuracy that is not asked for": Plant(
        StatedAccuracy, "allows", _always(True), "a series that ends too soon"
    ),
    "a derivative that is taken for larger": Plant(
        series, "_sum_series", _enlarge_derivative, "a series that ends too soon"
    ),
    "a series that is not summed": Plant(series, "_sum_series", _leave_out_errors, "a factor"),
    "a choice that is taken for one in all pieces": Plant(
        path.Path, "constants", _fix_choices, "a term on one side"
    ),
    "entries in another order": Plant(
        path, "derivative_statements", _transpose, "a transposed matrix"
    ),
    "a size taken for all": Plant(proof, "boxes_of", _take_first_shape, "another size"),
    "a recording that is not compared": Plant(
        recordings.Recordings, "check", _always(None), "code that asks for tensors"
    ),
    "a claim taken for defined": Plant(
        domain._Search, "visit", _assume_all, "undefined beside an end"
    ),
    "a pole taken for a gap of a formula": Plant(
        domain, "removable_gaps", _take_all_gaps, "a removable pole"
    ),
    "a comparison that no condition decides": Plant(
        domain._Search, "_decides", _always(True), "another factor on one side"
    ),
    "a condition that is not told": Plant(
        definedness, "find_domain", _forget_where, "undefined at a kink"
    ),
    "a domain of what is not needed": Plant(
        domain._Search,
        "_are_needed",
        _always(True),
        "a side that a branch not taken has not",
    ),
    "a recording that is not compared where it is defined": Plant(
        recordings.Recordings,
        "check",
        _always(None),
        "code that asks for tensors, beside a pole",
    ),
    "a logarithm of anything": Plant(
        powers.Powers,
        "_settle_signs",
        lambda right: lambda self, unknown, sign: unknown,
        "a root of a square beside an end",
    ),
}
"""By what is wrong with them."""


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


def pose_claim(name: str) -> Case:
    """A claim of :data:`CLAIMS` over its region."""
    function, claimed, over = CLAIMS[name]
    quantity = "jacobian" if name == "a transposed matrix" else "gradient"
    case = Case(name, name, function, (), quantity, claimed=claimed)
    return pose_case(case, over, None, None, "conjugate")


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
    found = proof.prove_over(claim_of(case), case.over)
    if found is None:
        return 0.0, 0.0, 0.0, 0
    return found.covered, found.enclosed, found.share, found.bits


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
    found = proof.prove_over(claim, case.over)
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
