"""Proposals: which answers are meant for the derivative of which function, and why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from verify.auditing.packages.behaviour.agreement import (
    ALIKE_IN_NAME,
    LEAST,
    Agreement,
    Target,
    compare,
    fits,
    targets_of,
)
from verify.auditing.packages.behaviour.candidates import Candidate, Family, fit
from verify.auditing.packages.behaviour.numbers import Layout, Path, are_alike
from verify.auditing.packages.behaviour.proposal import Proposal, drop_repetitions
from verify.auditing.packages.behaviour.sampling import Calls, Sample, TooSlow, samples_of
from verify.auditing.packages.examples import example_calls
from verify.auditing.packages.names import (
    is_data,
    is_derivative_named,
    kinship,
    says_second,
    share_of_words,
    variable,
)
from verify.limits.limit import limit_time

_SECONDS: Final = 10.0
"""For the samples of one function; what takes longer is given up."""

_CALLS: Final = 4_000
"""For each candidate of a family."""

_ALIKE: Final = 0.95

_NAMED: Final = 0.1
"""How sure a pair is of which only the names agree; judging tells what they have in common."""

_MANY: Final = 12
"""Entries that agree by no accident, where no name says so."""


@dataclass(frozen=True, slots=True)
class _Answers:
    """What a claim returns at the points of a sample: a row for each point."""

    claim: Candidate
    values: np.ndarray
    items: Layout
    is_affine: bool


def proposals_of(family: Family) -> list[Proposal]:
    r"""The best proposal for each item that a candidate of a family returns.

    Examples
    --------
    >>> import types
    >>> from verify.auditing.packages.behaviour.candidates import families_of
    >>> made = types.ModuleType("made")
    >>> exec("def wave(x, a): return x**3 * a**2\ndef tilt(x, a): return 3 * x**2 * a**2",
    ...      made.__dict__)
    >>> [each.why for each in proposals_of(next(families_of(made)))]
    ['`tilt` agrees with differences of `wave` by x at 5 of 5 points']
    """
    calls = Calls(_CALLS * len(family.candidates))
    best: dict[tuple[Any, ...], Proposal] = {}
    sampled = _sample_candidates(family.candidates, calls)
    candidates = [each for each, _ in sampled]
    for function, samples in sampled:
        for sample in samples:
            for each in _propose_for_sample(function, sample, candidates, calls):
                place = each.claim, each.element, *each.is_own * (each.item, each.by, each.second)
                if place not in best or each.score > best[place].score:
                    best[place] = each
    return drop_repetitions(best.values())


def _sample_candidates(
    candidates: Sequence[Candidate], calls: Calls
) -> list[tuple[Candidate, list[Sample]]]:
    """The candidates with their samples, less those that take too long."""
    found = []
    for each in candidates:
        next(example_calls(each.function), None)  # Reads the tests of a package, once.
        try:
            with limit_time(_SECONDS, lambda _: TooSlow()):
                found.append((each, samples_of(each, calls)))
        except TooSlow:
            continue
    return found


def _propose_for_sample(
    function: Candidate, sample: Sample, candidates: Sequence[Candidate], calls: Calls
) -> Iterator[Proposal]:
    answers = [found for each in candidates if (found := _answers(each, sample, calls)) is not None]
    if not answers:
        return
    yield from _matches(function, sample, list(targets_of(sample, calls)), answers, calls)
    few = sample.values.shape[1] <= 3
    later = [it for it in answers if it.claim == function or (few and says_second(it.claim.name))]
    if later and max(map(np.size, sample.points[0])) <= 6:
        targets = list(targets_of(sample, calls, second=True))
        yield from _matches(function, sample, targets, later, calls)


def _answers(claim: Candidate, sample: Sample, calls: Calls) -> _Answers | None:
    try:
        with limit_time(_SECONDS, lambda _: TooSlow()):
            return _answers_in_time(claim, sample, calls)
    except TooSlow:
        return None


def _answers_in_time(claim: Candidate, sample: Sample, calls: Calls) -> _Answers | None:
    for fitted in fit(claim, sample.names, sample.constants):
        rows = []
        for point in sample.points:
            found = calls.value(fitted, point)
            if found is None:
                break
            rows.append(found)
        else:
            if all(are_alike(rows[0][1], layout) for _, layout in rows):
                values = np.stack([row for row, _ in rows])
                middle = tuple((x + y) / 2 for x, y in zip(*sample.points[:2], strict=True))
                between = calls.value(fitted, middle)
                mean = (values[0] + values[1]) / 2
                is_affine = (
                    between is None
                    or between[0].shape != mean.shape
                    or np.allclose(between[0], mean, rtol=1e-9)
                )
                return _Answers(claim, values, rows[0][1], is_affine)
    return None


def _matches(
    function: Candidate,
    sample: Sample,
    targets: Sequence[Target],
    answers: Sequence[_Answers],
    calls: Calls,
) -> Iterator[Proposal]:
    by_size: dict[int, list[Target]] = defaultdict(list)
    for target in targets:
        by_size[target.slopes.shape[1]].append(target)
    for given in answers:
        own = given.claim.name == function.name
        says_both = 2 * (is_derivative_named(function.name) or sample.leading > 0)
        kin = says_both if own else kinship(function.name, given.claim.name)
        for element, places in given.items.items():
            answer = given.values[:, places].reshape(len(given.values), -1)
            if element and not own and any(_is_value(answer, sample, it) for it in ((), element)):
                continue  # `f_and_der2` returns what `f_and_der` does, and `f`.
            for target in by_size[answer.shape[1]]:
                if not fits(target, places.shape) or (kin == 3 and _is_exchanged(target)):
                    continue
                match = _Match(function, sample, target, given, element, places.shape, kin, calls)
                agreement = compare(target, answer, sample, kin)
                repeats = _is_value(answer, sample, target.item) and not (own and target.second)
                if agreement is None or (repeats and not agreement.is_exact):
                    continue
                if score := match.score(agreement):
                    yield _propose(match, agreement, score)


def _is_value(answer: np.ndarray, sample: Sample, item: Path) -> bool:
    """Whether it is an item that the function returns, of one that returns value and derivative."""
    places = sample.layout.get(item, np.zeros(0, dtype=int))
    return np.array_equal(answer, sample.values[:, places.ravel()])


def _is_exchanged(target: Target) -> bool:
    """Whether axes are exchanged that no shape tells apart: a mistake of a claim that is named."""
    return target.form == "transposed" and len(set(target.shape)) == 1


@dataclass(frozen=True, slots=True)
class _Match:
    """An answer beside the differences that it may be meant for."""

    function: Candidate
    sample: Sample
    target: Target
    given: _Answers
    element: Path
    shape: tuple[int, ...]
    kin: int
    calls: Calls

    @property
    def is_own(self) -> bool:
        """Whether one function returns both."""
        return self.given.claim.name == self.function.name

    def score(self, agreement: Agreement) -> float:
        """How sure a proposal is; 0 for none."""
        named = _NAMED if self.kin == 3 and self._is_whole() else 0.0
        return max(self._score_answer(agreement), named)

    def _score_answer(self, agreement: Agreement) -> float:
        if self.is_own and not self._is_behind():
            return 0.0
        if agreement.is_exact:
            return 1.0 if self._is_no_accident(agreement) else 0.0
        names = self.sample.names
        if self.target.form == "summed" or not agreement.varies or not self._is_as_said():
            return 0.0
        if is_data(names[self.target.by[0]], names):
            return 0.0
        if agreement.share >= LEAST:
            enough = agreement.right >= (_MANY if self.kin == 0 else 2)
            meant = self.is_own or is_derivative_named(self.given.claim.name)
            if enough and (self.kin or (meant and not agreement.plain)):
                return agreement.share
        if agreement.factor and agreement.entries >= 4:
            is_force = agreement.factor == -1 and not self.is_own
            known = self.kin >= 2 or (is_force and self._is_no_accident(agreement))
            return 0.5 if known else 0.0
        alike = agreement.correlation >= (ALIKE_IN_NAME if self.kin == 3 else _ALIKE)
        return 0.4 * agreement.correlation if alike and self.kin >= 2 and self._is_whole() else 0.0

    def _is_behind(self) -> bool:
        """Whether it stands behind a value, of a function that returns both."""
        one, other = self.target.item, self.element
        first = (self.sample.leading,) if self.sample.leading else other
        return len(one) == len(other) == 1 and one < first <= other

    def _is_as_said(self) -> bool:
        """Whether it is by the argument that the claim's name says, if it says one."""
        said, names = variable(self.given.claim.name.rpartition(".")[2]), self.sample.names
        return said not in names or [names[k] for k in self.target.by] == [said]

    def _is_no_accident(self, agreement: Agreement) -> bool:
        """Whether so much agrees, and of a kind, that it is meant."""
        if self.kin == 3 or (self.kin == 2 and (agreement.varies or not self.element)):
            return True
        if not agreement.varies or (self.kin == 0 and agreement.plain) or agreement.entries < 3:
            return False
        if self.kin:
            return True
        if not self.is_own and "." not in self.function.name and (self.element or self.target.item):
            return False
        if not {*self.given.claim.varied} <= {*self.sample.names}:
            return False  # What h * L / k is given by place says nothing.
        if all(self.sample.is_linear(self.calls, k) for k in self.target.by):
            return False
        single = agreement.entries == agreement.points or self.target.form == "diagonal"
        one_number = single and len(self.sample.names) == 1
        related = self.is_own or "." in self.function.name
        if one_number and not related:
            return share_of_words(self.function.name, self.given.claim.name) >= 0.5
        return agreement.entries >= 4 and not self.given.is_affine

    def _is_whole(self) -> bool:
        """Whether all that is returned is compared, in its own shape, and as its name says."""
        claim, function = self.given.claim.name, self.function.name
        above = self.target.second or is_derivative_named(function)
        fits_order = self.kin == 3 or says_second(claim) == above
        is_all = self.element == () and self.shape == self.target.shape
        return is_all and fits_order and self._is_as_said()


def _propose(match: _Match, agreement: Agreement, score: float) -> Proposal:
    sample, target, kin = match.sample, match.target, match.kin
    names = tuple(sample.names[k] for k in target.by)
    size, sizes = np.size(sample.points[0][target.by[0]]), [*map(np.size, sample.points[0])]
    out = len(sample.layout[target.item].shape)
    plainness = (target.form in ("parts", "stacked")) - (target.form == "summed")
    claim = match.given.claim.name
    is_derivative = kin > 0 or is_derivative_named(claim)
    is_force = not is_derivative or "force" in claim.lower()
    return Proposal(
        function=match.function.name,
        claim=claim,
        item=target.item,
        element=match.element,
        by=names,
        second=target.second,
        form=target.form,
        shape=_shape(target, sample),
        factor=-1.0 if is_force and agreement.factor == -1 else 1.0,
        constants=dict(sample.constants),
        points=tuple(tuple(np.asarray(x).tolist() for x in point) for point in sample.points),
        why=_words(match, names, agreement),
        sure=score,
        is_meant=kin > 0,
        score=(
            *(
                -sample.is_too_wide,
                score + 0.2 * kin,
                -target.second,
                share_of_words(match.function.name, claim),
            ),
            len({*sample.names} & {each.name for each in match.given.claim.arguments}),
            *(plainness, -out, -len(target.item)),
            *(size - sum(sizes), size, -len(match.element)),
        ),
    )


def _shape(target: Target, sample: Sample) -> tuple[int, ...]:
    out = sample.layout[target.item].shape if target.form != "summed" else ()
    if target.form == "stacked":
        return (len(target.by), *out)
    return out + np.shape(sample.points[0][target.by[0]]) * (1 + target.second)


def _words(match: _Match, by: Sequence[str], agreement: Agreement) -> str:
    target = match.target
    forms = {
        "transposed": ", transposed,",
        "diagonal": ", entry by entry,",
        "summed": ", as the sum,",
    }
    what = f"`{_name(match.given.claim, match.element)}`{forms.get(target.form, '')}"
    order = "second " * target.second
    of = f"{order}differences of `{_name(match.function, target.item)}` by {', '.join(by)}"
    said = agreement.describe(what, of)
    return said or f"{what} has the name of a derivative of `{match.function.name}`"


def _name(candidate: Candidate, path: Path) -> str:
    return candidate.name + "".join(f"[{k}]" for k in path)
