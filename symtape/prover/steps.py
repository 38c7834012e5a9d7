"""Steps as kernels: numbers that are 0 or 1, for sums of many choices."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from symtape.prover.cases import Meeting
from symtape.prover.ring import Kernel, NotReadable, Quotient, Ring
from symtape.prover.values import Signs


@dataclass
class Steps:
    """The steps in a claim and in the truth.

    Of each number the claim may ask whether it is positive, and whether it is not negative; where
    it is 0 these differ. The truth has two sides there; it asks one question.

    Parameters
    ----------
    meeting : Meeting
    """

    meeting: Meeting
    _numbers: dict[int, tuple[Any, int]] = field(default_factory=dict)
    """By kernel: of which polynomial it is the step, and its value where that is 0."""
    _is_claim: bool = True

    def step(self, ring: Ring, polynomial: Any, at_zero: int) -> Quotient:
        """1 where `polynomial` is positive, 0 where it is negative, `at_zero` where it is 0."""
        leading = polynomial.leading_coefficient()
        if leading < 0:
            return ring.one - self.step(ring, -polynomial, 1 - at_zero)
        polynomial = polynomial / leading
        if not self._is_claim:
            at_zero = 0
        argument = ring.to_quotient(polynomial)
        made = ring.kernel(
            ("step", str(at_zero), argument.key),
            lambda: Kernel("step", (argument,), power=2, note=str(at_zero)),
        )
        self._numbers[ring.used(made.top)[0]] = polynomial, at_zero
        return made

    def end_claim(self, claim: Quotient, signs: Signs) -> None:
        """Note on which side of the truth the claim is where its steps turn; the truth is next.

        Raises
        ------
        NotReadable
        """
        ring = signs.ring
        asked: dict[str, dict[int, int]] = {}
        for at, (polynomial, at_zero) in self._numbers.items():
            asked.setdefault(str(polynomial), {})[at_zero] = at
        touching = []
        halfway = []
        for values in asked.values():
            at, side = next((at, 1 if at_zero else -1) for at_zero, at in values.items())
            if len(values) == 2:
                halfway.append((values[0], values[1]))
                side = 0
            touching.append((self._numbers[at][0], side))
        if halfway and not _is_halfway(ring, claim, halfway):
            raise NotReadable("it is not halfway between two sides where a condition turns")
        self.meeting.note(signs, touching)
        self._is_claim = False

    def difference(self, claim: Quotient, truth: Quotient) -> Quotient:
        """By how much they differ where no step turns."""
        ring = claim.ring
        replaced = list(ring.generators)
        for at, (polynomial, at_zero) in list(self._numbers.items()):
            if at_zero:
                other = self.step(ring, polynomial, 0)
                replaced[at] = other.top
        top, below = (
            part.compose(*replaced, ctx=ring.context) for part in (claim.top, claim.below)
        )
        return ring.quotient(top, below) - truth


def _is_halfway(ring: Ring, claim: Quotient, pairs: list[tuple[int, int]]) -> bool:
    """Whether a claim is affine in the sums of pairs of steps, and holds them nowhere else."""
    inside = {at for pair in pairs for at in pair}
    exchanged = list(ring.generators)
    for a, b in pairs:
        exchanged[a], exchanged[b] = exchanged[b], exchanged[a]
    if claim.top.compose(*exchanged, ctx=ring.context) != claim.top:
        return False
    if any(sum(exponents[at] for at in inside) > 1 for exponents in claim.top.to_dict()):
        return False
    others = [at for part in (claim.top, claim.below) for at in ring.used(part)]
    return inside.isdisjoint(ring.used(claim.below)) and inside.isdisjoint(
        _find_inner_kernels(ring, others)
    )


def _find_inner_kernels(ring: Ring, kernels: list[int]) -> set[int]:
    """The kernels that occur in what `kernels` are functions of."""
    found: set[int] = set()
    waiting = list(kernels)
    while waiting:
        kernel = ring.kernels[waiting.pop()]
        parts = [part for q in kernel.arguments for part in (q.top, q.below)]
        parts += [kernel.value] if kernel.name == "root" else []
        fresh = {at for part in parts for at in ring.used(part)} - found
        found |= fresh
        waiting.extend(fresh)
    return found
