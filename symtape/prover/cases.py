"""Signs that a box leaves open, taken one case after the other."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any, Final

from flint import fmpq_mat

from symtape.process.work import charge
from symtape.prover.ring import NotReadable, Ring
from symtape.prover.values import Signs

Signed = frozenset[int]
"""Which of -1, 0 and 1 the sign of a number may be."""

_ANY: Final = frozenset({-1, 0, 1})
_STRICT: Final = frozenset({-1, 1})
_ZERO: Final = frozenset({0})


class ImpossibleCase(Exception):  # a signal that nothing is left to prove, not an error
    """No point has the signs of the case."""


@dataclass
class Cases:
    """All assignments of signs that a pair of formulas asks for, one after the other.

    The claim is read first. A case of it says which signs its numbers may have, 0 among them, for
    it has to be right by its own formula where a number is 0. The truth has two sides there, and
    takes the one that the case has points of.

    Parameters
    ----------
    most : int
        Cases that are tried; more are too many.
    meeting : Meeting

    Attributes
    ----------
    taken : tuple of int
        The sides of the truth that a claim is the mean of where the case is a number's being 0.
    truth_side : int
        The one that is read now; 0 while the claim is.
    """

    most: int
    meeting: Meeting
    taken: tuple[int, ...] = (1,)
    truth_side: int = 0
    _script: list[tuple[str, Signed, Signed]] = field(default_factory=list)
    _asked: int = 0
    _open: dict[str, tuple[Any, Signed]] = field(default_factory=dict)
    _count: int = 1

    def restart(self) -> None:
        """Read the same case again."""
        self._asked = 0
        self._open = {}
        self.truth_side = 0

    def advance(self) -> bool:
        """Whether there is another case; it is read next.

        Raises
        ------
        NotReadable
            There are too many.
        """
        del self._script[self._asked :]
        while self._script and not self._script[-1][2]:
            self._script.pop()
        if not self._script:
            return False
        self._count += 1
        if self._count > self.most:
            raise NotReadable(f"it takes more than {self.most} cases")
        words, _, other = self._script.pop()
        self._script.append((words, other, frozenset()))
        return True

    def holds(self, polynomial: Any, signs: Signs, accepted: Signed) -> bool:
        """Whether the sign of `polynomial` is one of `accepted`, in this case.

        Raises
        ------
        NotReadable
            The case was another one when it was read before.
        ImpossibleCase
        """
        leading = polynomial.leading_coefficient()
        if leading < 0:
            polynomial, accepted = -polynomial, frozenset(-sign for sign in accepted)
        polynomial = polynomial / abs(leading)
        possible = self._possible(polynomial, signs)
        if possible <= accepted:
            return True
        if not possible & accepted:
            return False
        return self._choose(polynomial, signs, possible & accepted, possible - accepted)

    def _possible(self, polynomial: Any, signs: Signs) -> Signed:
        possible = signs.possible(polynomial)
        for other, its in self._open.values():
            possible &= _follow(polynomial, other, its, signs)
        if not possible:
            raise ImpossibleCase
        if not self.truth_side:
            return possible
        if possible == _ZERO and str(polynomial) not in self._open:
            raise NotReadable("it is not known which side of the truth has points")
        return possible & _STRICT or frozenset({self.truth_side})

    def _choose(self, polynomial: Any, signs: Signs, first: Signed, second: Signed) -> bool:
        if self.truth_side and self.is_at_zero:
            raise NotReadable("the truth has more pieces than the claim where both meet")
        words = signs.ring.write(polynomial)
        if self._asked == len(self._script):
            self._script.append((words, first, second))
        asked, chosen, other = self._script[self._asked]
        if asked != words or chosen not in (first, second) or other - first - second:
            raise NotReadable("its cases differ from one reading to the next")
        self._asked += 1
        self._open[str(polynomial)] = polynomial, chosen
        signs.suppose(polynomial, chosen)
        return chosen == first

    @property
    def is_at_zero(self) -> bool:
        """Whether in this case some number is 0."""
        return any(its == _ZERO for _, its in self._open.values())

    def note_sides(self, signs: Signs) -> None:
        """Which sides meet where numbers of this case are 0.

        Raises
        ------
        NotReadable
        """
        touching = [
            (polynomial, its)
            for polynomial, its in self._open.values()
            if 0 in its and 0 in signs.enclose(polynomial, signs.box).signs()
        ]
        sides = [sum(its & _STRICT) if its != _ZERO else sum(self.taken) for _, its in touching]
        polynomials = [polynomial for polynomial, _ in touching]
        self.meeting.note(signs, list(zip(polynomials, sides, strict=True)))


@dataclass
class Meeting:
    """Which sides of the truth a claim is where numbers are 0, the same in all its parts.

    Attributes
    ----------
    sides : dict
        1 or -1 for each number, in words; 0 for halfway between both.
    """

    sides: dict[str, int] = field(default_factory=dict)

    def note(self, signs: Signs, touching: list[tuple[Any, int]]) -> None:
        """Numbers that may be 0 together, and the side that a part of the claim is there.

        The sides have points there where the gradients of these numbers are independent, for their
        signs are free then.

        Raises
        ------
        NotReadable
            Nothing says so, or another part is on another side.
        """
        polynomials = [polynomial for polynomial, _ in touching]
        if not _are_independent(polynomials, signs) and not _are_private(polynomials, signs):
            raise NotReadable("it is not known which pieces meet where its conditions turn")
        for polynomial, side in touching:
            words = signs.ring.write(polynomial)
            factors = signs.ring.factors(polynomial)[1]
            simple = len(factors) == 1 and factors[0][1] == 1 and "(#" not in words
            if not simple or self.sides.setdefault(words, side) != side:
                raise NotReadable("its parts take different sides where a condition turns")


_TOGETHER: Final = 10
"""Numbers that may be 0 at one point."""


def _are_independent(polynomials: list[Any], signs: Signs) -> bool:
    """Whether polynomials are affine, and those that are 0 at one point have independent slopes."""
    if len(polynomials) > _TOGETHER:
        return False
    found = [_affine_row(polynomial, signs.ring) for polynomial in polynomials]
    rows = [row for row in found if row is not None]
    if len(rows) < len(found):
        return False
    for count in range(1, len(rows) + 1):
        for some in itertools.combinations(rows, count):
            charge(10 * count)
            slopes = fmpq_mat([row[:-1] for row in some]).rank()
            if slopes < count and slopes == fmpq_mat(list(some)).rank():
                return False
    return True


def _affine_row(polynomial: Any, ring: Ring) -> list[Any] | None:
    """The coefficients of an affine polynomial in symbols, its constant the last."""
    row = [0] * (len(ring.kernels) + 1)
    for exponents, coefficient in polynomial.to_dict().items():
        used = [(at, int(power)) for at, power in enumerate(exponents) if power]
        if len(used) > 1 or (
            used and (used[0][1] > 1 or ring.kernels[used[0][0]].name != "symbol")
        ):
            return None
        row[used[0][0] if used else -1] = coefficient
    return row


def _are_private(polynomials: list[Any], signs: Signs) -> bool:
    """Whether each polynomial is monotone in a variable that no other one depends on."""
    names = [set(signs.symbols(polynomial)) for polynomial in polynomials]
    for k, polynomial in enumerate(polynomials):
        own = names[k].difference(*names[:k], *names[k + 1 :])
        if not any(_is_monotone(polynomial, name, signs) for name in sorted(own)):
            return False
    return True


def _is_monotone(polynomial: Any, name: str, signs: Signs) -> bool:
    ring = signs.ring
    for at in ring.used(polynomial):
        kernel = ring.kernels[at]
        if kernel.name == "symbol" and kernel.note == name:
            variable = at
        elif kernel.name != "symbol" and name in signs.symbols(ring.generators[at]):
            return False
    return bool(signs.find_sign(polynomial.derivative(variable)))


def _follow(polynomial: Any, other: Any, its: Signed, signs: Signs) -> Signed:
    """The signs that `polynomial` may have where `other` has one of `its`."""
    for turn in (1, -1):
        rest = polynomial - turn * other
        if rest == 0:
            return frozenset(turn * sign for sign in its)
        beyond = signs.find_sign(rest) if len(rest) < max(len(polynomial), 2) else None
        if beyond is not None and all(turn * sign * beyond >= 0 for sign in its):
            return frozenset({beyond}) if beyond else frozenset(turn * sign for sign in its)
    return _ANY
