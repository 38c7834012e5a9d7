"""Proofs that expressions are identically zero, and bounds of what does not vanish on a box."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from flint import arb

from symtape.process.precision import precision
from symtape.process.work import charge
from symtape.prover.cases import Cases, ImpossibleCase, Meeting
from symtape.prover.reader import Reader
from symtape.prover.ring import Kernel, NeedsFinerKernel, NotReadable, Quotient
from symtape.prover.steps import Steps
from symtape.prover.values import Signs
from symtape.symbolic.interval import Interval

_OF_TERM: Final = 2


class Magnitudes:
    """Bounds of the absolute values of quotients, term by term.

    Parameters
    ----------
    signs : Signs
        Whose box they hold on.
    """

    def __init__(self, signs: Signs) -> None:
        self.signs, self.ring = signs, signs.ring
        self._sizes: dict[int, Any] = {}

    def quotient(self, x: Quotient) -> Any:
        """At most so large; an Arb number.

        Raises
        ------
        NotReadable
            Nothing bounds it.
        """
        found = self._largest(x.top) / self._least(x.below)
        if not found.is_finite():
            raise NotReadable("nothing bounds the difference")
        return found.upper()

    def _largest(self, polynomial: Any) -> Any:
        total = arb(0)
        for exponents, coefficient in polynomial.to_dict().items():
            used = [(at, int(power)) for at, power in enumerate(exponents) if power]
            charge(_OF_TERM * (1 + len(used)))
            sizes = [self._size(at) ** power for at, power in used]
            total += functools.reduce(operator.mul, sizes, abs(arb(coefficient)))
        return total.upper()

    def _least(self, polynomial: Any) -> Any:
        terms = polynomial.to_dict()
        if len(terms) == 1:
            [(exponents, coefficient)] = terms.items()
            if all(not power or self._is_on_circle(at) for at, power in enumerate(exponents)):
                return abs(arb(coefficient)).lower()
        if not self.ring.is_real(polynomial):
            raise NotReadable("nothing bounds the difference")
        return self.signs.enclose(polynomial, self.signs.box).size().low.lower()

    def _size(self, at: int) -> Any:
        if at not in self._sizes:
            if self._is_on_circle(at):
                self._sizes[at] = arb(1)
            elif not self.ring.kernels[at].real:
                raise NotReadable("nothing bounds a complex number")
            else:
                generator = self.ring.generators[at]
                self._sizes[at] = self.signs.enclose(generator, self.signs.box).size().high.upper()
        return self._sizes[at]

    def _is_on_circle(self, at: int) -> bool:
        """Whether it is i, or the exponential of an imaginary number."""
        kernel = self.ring.kernels[at]
        return kernel.name == "i" or (kernel.name == "exp" and self._is_imaginary(kernel))

    def _is_imaginary(self, kernel: Kernel) -> bool:
        [argument] = kernel.arguments
        real = self.ring.i * argument
        return not self.ring.is_real(argument.top) and all(
            self.ring.is_real(part) for part in (real.top, real.below)
        )


_ATTEMPTS: Final = 60
_BITS: Final = 128
_CASES: Final = 64
"""Of one pair of formulas."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What became of an attempt.

    Attributes
    ----------
    proved : bool
    where : tuple of str
        Conditions, not proven over the box, under which both sides are defined at all.
    assuming : tuple of str
        Conditions, not proven over the box, under which only the claimed side is defined, or by
        which a root or a logarithm was split.
    reason : str
        Why not.
    """

    proved: bool
    where: tuple[str, ...] = ()
    assuming: tuple[str, ...] = ()
    reason: str = ""


Sides = Callable[[Reader], "list[tuple[Callable[[], Quotient], Callable[[], Quotient]]]"]
"""From a reader to pairs of what is claimed and what is true, each read when it is called."""


def prove_zero(expression: Any, box: Mapping[str, Interval] | None = None) -> Proof:
    """Whether a SymPy expression in real symbols is zero all over `box`.

    Parameters
    ----------
    expression : sympy expression
    box : mapping, optional
        An interval for each bounded symbol, by its name.

    Returns
    -------
    Proof
        Not proved means that nothing is known.

    Examples
    --------
    >>> import sympy as sp
    >>> from symtape.symbolic.boxes import boxes
    >>> x = sp.Symbol("x", real=True)
    >>> prove_zero(sp.tanh(x) - 1 + 2 * sp.exp(-2 * x) / (1 + sp.exp(-2 * x))).proved
    True
    >>> prove_zero(sp.log(x**2) - 2 * sp.log(x), boxes("x > 0")[0])
    Proof(proved=True, where=(), assuming=(), reason='')
    >>> y = sp.Symbol("y", real=True)
    >>> prove_zero(sp.log(x * y) - sp.log(x) - sp.log(y)).assuming
    ('x > 0', 'y > 0', 'x*y > 0')
    """
    from symtape.symbolic.algebra import to_tree

    tree = to_tree(expression)

    def sides(reader: Reader) -> Any:
        return [(lambda: reader.read(tree, {}), lambda: reader.ring.zero)]

    return prove_equal(sides, box or {}, capacity=32 + len(expression.free_symbols))


def prove_equal(
    sides: Sides,
    box: Mapping[str, Interval],
    capacity: int = 64,
    one_side: bool = False,
    defined: bool = False,
) -> Proof:
    """Whether each pair of `sides` is equal all over `box`; exponentials of sums split or not.

    Where it is known that both sides are `defined` all over the box, that is not proved again.
    """
    with precision(_BITS):
        compare = functools.partial(_compare_sides, sides)
        make = functools.partial(Reader, box, capacity, one_side=one_side, defined=defined)
        first = _attempt(compare, functools.partial(make, atomic=False))
        if first.proved and not first.assuming:
            return first
        second = _attempt(compare, functools.partial(make, atomic=True))
    return second if second.proved and not (first.proved and second.assuming) else first


def prove_by_cases(
    sides: Sides,
    count: int,
    box: Mapping[str, Interval],
    capacity: int = 64,
    defined: bool = False,
) -> Proof:
    """Whether each of `count` pairs is equal all over `box`, whatever the signs that it asks for.

    Steps and signs that the box leaves open are taken case by case, for each pair by itself.
    Where a number is 0, the claim has to be one of the sides of the truth that meet there, or
    halfway between them, and all pairs the same.
    """
    meeting = Meeting()
    with precision(_BITS):
        for number in range(count):
            for way in (_prove_in_steps, _prove_pair):
                for atomic in (False, True):
                    trial = Meeting(dict(meeting.sides))
                    fresh = functools.partial(Reader, box, capacity, atomic=atomic, defined=defined)
                    proof = way(functools.partial(_pick, sides, number), fresh, trial)
                    if proof.proved:
                        break
                if proof.proved:
                    meeting = trial
                    break
            if not proof.proved or proof.where:
                return proof
    return Proof(True)


def bound_differences(
    sides: Sides,
    count: int,
    box: Mapping[str, Interval],
    capacity: int,
) -> list[Any] | None:
    """By how much the sides of each of `count` pairs may differ in `box`; None if nothing says.

    They are known to be defined all over the box, and that is not proved again.

    Returns
    -------
    list of flint.arb
        Exact upper bounds; 0 of what is equal.
    """
    meeting = Meeting()
    found: list[Any] = []

    def fresh(units: dict[Any, Any]) -> Reader:
        return Reader(box, capacity, units, defined=True, steps=Steps(meeting))

    def bound(pair: Sides, reader: Reader) -> Proof:
        difference = _difference_in_steps(pair, reader)
        if reader.needs.conditions or reader.needs.assumed:
            return Proof(False, reason="its conditions are not proven")
        found.append(Magnitudes(reader.signs).quotient(difference))
        return Proof(True)

    with precision(_BITS):
        for number in range(count):
            pair = functools.partial(_pick, sides, number)
            if not _attempt(functools.partial(bound, pair), fresh).proved:
                return None
    return found


def _pick(sides: Sides, number: int, reader: Reader) -> Any:
    """One pair alone."""
    return [sides(reader)[number]]


_SIDES: Final = ((1,), (-1,), (1, -1))
"""Of the truth, that a claim may be the mean of where a number is 0."""


def _prove_in_steps(sides: Sides, make: Callable[..., Reader], meeting: Meeting) -> Proof:
    """With steps as kernels, that are 0 or 1."""

    def fresh(units: dict[Any, Any]) -> Reader:
        return make(units, steps=Steps(meeting))

    return _attempt(functools.partial(_compare_in_steps, sides), fresh)


def _prove_pair(sides: Sides, make: Callable[..., Reader], meeting: Meeting) -> Proof:
    cases = Cases(_CASES, meeting)
    units: dict[Any, Any] = {}

    def fresh(units: dict[Any, Any]) -> Reader:
        cases.restart()
        return make(units, cases=cases)

    while True:
        for taken in _SIDES:
            cases.taken = taken
            proof = _attempt(functools.partial(_compare_case, sides, cases), fresh, units)
            if proof.proved or not cases.is_at_zero:
                break
        try:
            if not proof.proved or proof.where or not cases.advance():
                return proof
        except NotReadable as error:
            return Proof(False, reason=str(error))


def _attempt(
    compare: Callable[[Reader], Proof],
    fresh: Callable[[dict[Any, Any]], Reader],
    units: dict[Any, Any] | None = None,
) -> Proof:
    units = {} if units is None else units
    for _ in range(_ATTEMPTS):
        reader = fresh(units)
        try:
            return compare(reader)
        except NeedsFinerKernel:
            continue
        except NotReadable as error:
            return Proof(False, reason=str(error))
    return Proof(False, reason="its exponents have no common unit")


def _compare_in_steps(sides: Sides, reader: Reader) -> Proof:
    if not _difference_in_steps(sides, reader).is_zero:
        return Proof(False, reason="the difference does not vanish in normal form")
    return Proof(True, (*reader.needs.conditions, *reader.needs.assumed))


def _difference_in_steps(sides: Sides, reader: Reader) -> Quotient:
    """By how much a claim and the truth differ where no step turns."""
    assert reader.steps is not None
    [(claimed, exact)] = sides(reader)
    answer = claimed()
    reader.steps.end_claim(answer, reader.signs)
    return reader.steps.difference(answer, exact())


def _compare_case(sides: Sides, cases: Cases, reader: Reader) -> Proof:
    """The claim in one case beside the sides of the truth that the case takes."""
    [(claimed, exact)] = sides(reader)
    try:
        answer = claimed()
        total = reader.ring.zero
        for side in cases.taken:
            cases.truth_side = side
            total = total + answer - exact()
        if not total.is_zero:
            return Proof(False, reason="the difference does not vanish in normal form")
        cases.note_sides(reader.signs)
    except ImpossibleCase:
        return Proof(True)
    return Proof(True, (*reader.needs.conditions, *reader.needs.assumed))


def _compare_sides(sides: Sides, reader: Reader) -> Proof:
    needs = reader.needs
    where: dict[str, None] = {}
    assuming: dict[str, None] = {}
    for claimed, exact in sides(reader):
        needs.conditions.clear()
        truth = exact()
        where |= needs.conditions
        needs.conditions.clear()
        answer = claimed()
        assuming |= needs.conditions
        difference = answer - truth
        if not difference.is_zero:
            return Proof(False, reason="the difference does not vanish in normal form")
    extra = [words for words in (*assuming, *needs.assumed) if words not in where]
    return Proof(True, tuple(where), tuple(dict.fromkeys(extra)))
