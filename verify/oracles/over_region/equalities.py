"""Statements of a program that are equal all over a box, proved one by one from the inputs on.

A difference that is written out in the inputs grows beyond all bounds where a program is deep. Of
two statements it is enough to look at what is below both: what they share is a number of which an
interval is known, and if they are equal whatever that number is, they are equal. Those that are
proved equal are one from then on, so that the next two share more.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent
from symtape.process.precision import precision
from symtape.process.work import charge, meter_work
from symtape.prover import prove_equal
from symtape.prover.reader import Reader
from symtape.prover.ring import NotReadable, Quotient, Ring
from symtape.prover.statements import Statements
from symtape.symbolic.interval import Interval
from symtape.symbolic.precise import Plan
from symtape.symbolic.program import Program
from symtape.symbolic.template import ADD, DIVIDE, MULTIPLY, NEGATE, SUBTRACT, Template
from symtape.symbolic.trees import Tree, is_rational
from verify.oracles.over_region.bounds import Bounds

_MOST_WORK: Final = 500_000
"""Operations that it may take to go statement by statement."""

_OF_PAIR: Final = 100_000
"""Operations that one comparison may take."""

_RIVALS: Final = 2
"""Statements of equal value that one is compared with."""

_SHARED: Final = 150
"""Statements that two may share as numbers."""

_DIGITS: Final = 10
"""Of values that are compared; only what agrees so far is looked at."""

_POINTS: Final = 3
_BITS: Final = 128
_OF_STATEMENT: Final = 0.4
"""Operations for a ball."""

_KERNELS: Final = 64
"""Beside the inputs and what is shared."""


def values_at_points(plan: Plan, bounds: Sequence[tuple[float, float]]) -> list[list[Any]]:
    """The balls of the statements of a plan at some points between `bounds`."""
    shares = np.random.default_rng(0).random((_POINTS, len(bounds))).tolist()
    charge(_OF_STATEMENT * _POINTS * len(plan.order))
    with precision(_BITS):
        return [
            plan.run([low + (high - low) * x for x, (low, high) in zip(at, bounds, strict=True)])
            for at in shares
        ]


def may_agree(values: Sequence[Sequence[Any]], pairs: Sequence[tuple[int, int]]) -> bool:
    """Whether balls of both of each pair have a number in common, at every point."""
    return all(balls[one].overlaps(balls[other]) for balls in values for one, other in pairs)


def are_equal(
    bounds: Bounds,
    order: Sequence[int],
    values: Sequence[Sequence[Any]],
    pairs: Sequence[tuple[int, int]],
) -> bool:
    """Whether it is proved that pairs of statements are equal, with no more than so much work.

    Parameters
    ----------
    bounds, order, values
        As for :class:`Equalities`.
    pairs : sequence of tuples (int, int)
    """
    try:
        with meter_work(_MOST_WORK, "statement by statement"):
            found = Equalities(bounds, order, values)
            return all(found.are_equal(*pair) for pair in pairs)
    except BudgetSpent:
        return False


class Equalities:
    """Which statements are proved equal wherever bounds hold and all that they need is defined.

    Parameters
    ----------
    bounds : Bounds
        Of the program's statements all over a box.
    order : sequence of int
        The statements that may be asked for and all that they depend on, in order.
    values : sequence
        For each of some points in the box the ball of each statement, or None. They only say what
        is worth a proof.
    """

    def __init__(
        self,
        bounds: Bounds,
        order: Sequence[int],
        values: Sequence[Sequence[Any]],
    ) -> None:
        self._program, self._bounds = bounds.program, bounds
        self._ways = (
            self._is_polynomial,
            _find_inner(self._program, order, divides=False).__contains__,
            _find_inner(self._program, order, divides=True).__contains__,
        )
        self._one: dict[int, int] = {}
        self._below: dict[int, int] = {}
        self._by_form: dict[Any, int] = {}
        self._by_value: dict[Any, list[int]] = {}
        self._values = values
        for at in order:
            found = self._find_equal(at)
            self._one[at], self._below[at] = found, self._below[found]

    def are_equal(self, one: int, other: int) -> bool:
        """Whether two statements are proved equal."""
        one, other = self._one[one], self._one[other]
        return one == other or self._prove(one, other)

    def _find_equal(self, at: int) -> int:
        """The first statement that one is equal to, as far as is proved: itself if no other is."""
        charge(1)
        template, given = self._program.templates[at], self._arguments(at)
        below = (self._below[a] for a in given)
        self._below[at] = functools.reduce(int.__or__, below, 1 << at)
        if template is not None:
            form = template, tuple(sorted(given)) if template in (ADD, MULTIPLY) else given
            found = self._by_form.setdefault(form, at)
            if found != at:
                return self._one[found]
        balls = [values[at] for values in self._values]
        if any(ball is None or not ball.is_finite() for ball in balls):
            return at
        rivals = self._by_value.setdefault(tuple(map(_round, balls)), [])
        if template is not None:
            for rival in filter(functools.partial(self._may_equal, at), rivals[-_RIVALS:]):
                if self._prove(rival, at):
                    return rival
        rivals.append(at)
        return at

    def _may_equal(self, one: int, other: int) -> bool:
        rounded = self._bounds.meaning is not None
        return rounded or may_agree(self._values, [(one, other)])

    def _arguments(self, at: int) -> tuple[int, ...]:
        return tuple(self._one[a] for a in self._program.arguments[at])

    def _prove(self, one: int, other: int) -> bool:
        shared = self._below[one] & self._below[other] & ~(1 << one) & ~(1 << other)
        tried: list[frozenset[int]] = []
        for is_symbol in self._ways:
            symbols = self._find_symbols((one, other), shared, is_symbol)
            if symbols in tried or len(symbols) > _SHARED:
                continue
            tried.append(symbols)
            try:
                with meter_work(_OF_PAIR, "a comparison"):
                    if self._compare(one, other, symbols):
                        return True
            except BudgetSpent:
                continue
        return False

    def _is_polynomial(self, at: int) -> bool:
        template = self._program.templates[at]
        return template is not None and _is_rational(template, divides=False)

    def _find_symbols(
        self, ends: tuple[int, int], shared: int, is_symbol: Callable[[int], bool]
    ) -> frozenset[int]:
        """The inputs, and the shared statements, that are met first below two statements."""
        found: set[int] = set()
        seen: set[int] = set()
        waiting = list(ends)
        while waiting:
            at = waiting.pop()
            if at in seen:
                continue
            seen.add(at)
            if at in self._program.inputs or (shared >> at & 1 and is_symbol(at)):
                found.add(at)
            else:
                waiting.extend(self._arguments(at))
        charge(len(seen))
        return frozenset(found)

    def _compare(self, one: int, other: int, symbols: frozenset[int]) -> bool:
        """Whether two statements are equal whatever numbers of their intervals some others are."""
        names = {at: f"s{at}" for at in sorted(symbols)}

        def sides(reader: Reader) -> Any:
            read = Differences(self._program, self._arguments, reader, names, self._bounds.meaning)
            return [(lambda: read.subtract(one, other), lambda: reader.ring.zero)]

        proof = prove_equal(sides, self._box(names), _KERNELS + len(names), defined=True)
        return proof.proved and not (proof.where or proof.assuming)

    def _box(self, names: Mapping[int, str]) -> dict[str, Interval]:
        return {name: self._bounds.enclose(at) for at, name in names.items()}


def _find_inner(program: Program, order: Sequence[int], divides: bool) -> frozenset[int]:
    """The statements of which a function is taken that is no polynomial, or no quotient of any."""
    return frozenset(
        a
        for at in order
        if (template := program.templates[at]) is not None and not _is_rational(template, divides)
        for a in program.arguments[at]
        if program.templates[a] is not None
    )


@functools.lru_cache(maxsize=1024)  # templates in programs
def _is_rational(template: Template, divides: bool) -> bool:
    return _is_rational_tree(template.tree, divides)


def _is_rational_tree(tree: Tree, divides: bool) -> bool:
    if not isinstance(tree, tuple):
        return is_rational(tree) or isinstance(tree, str)
    name, *parts = tree
    if name == "Pow":
        whole = is_rational(parts[1]) and parts[1] == int(parts[1])
        return whole and (divides or parts[1] >= 0) and _is_rational_tree(parts[0], divides)
    return name in ("Add", "Mul") and all(_is_rational_tree(part, divides) for part in parts)


def _round(ball: Any) -> str:
    """What the balls of equal numbers have in common."""
    return "0" if ball.contains(0) else f"{float(ball.mid()):.{_DIGITS}e}"


_TERMS: Final = 2_000
"""Of one difference."""

_OF_DIVISOR: Final = 20
"""Operations for a common divisor of two denominators."""

_OF_TERM: Final = 20
_OF_MONOMIAL: Final = 0.1
"""Operations for adding one."""

_SUMS: Final = (ADD, SUBTRACT, NEGATE, MULTIPLY, DIVIDE)


class Differences:
    """Statements as quotients of a ring in which some of them are symbols.

    Parameters
    ----------
    program : Program
    arguments : callable
        The statements that one is applied to, each in the place of all that are equal to it.
    reader : Reader
    names : mapping
        The statements that are symbols, and their names.
    meaning : callable, optional
        The number that a constant stands for.
    """

    def __init__(
        self,
        program: Program,
        arguments: Callable[[int], tuple[int, ...]],
        reader: Reader,
        names: Mapping[int, str],
        meaning: Callable[[Fraction], Tree] | None,
    ) -> None:
        self._program, self._arguments, self._ring = program, arguments, reader.ring
        inputs = [f"x{k}" for k in range(len(program.inputs))]
        self._statements = Statements(program, reader, inputs, meaning)
        self._known = {at: reader.symbol(name) for at, name in names.items()}

    def subtract(self, one: int, other: int) -> Quotient:
        """One statement less another.

        Raises
        ------
        NotReadable
        """
        sums = _Sums(self._ring)
        waiting = [(one, self._ring.one), (other, -self._ring.one)]
        for _ in range(_TERMS):
            if not waiting:
                return sums.total()
            charge(_OF_TERM)
            at, factor = waiting.pop()
            terms = self._terms(at, factor)
            if terms is None:
                sums.add(factor * self._find_quotient(at))
            else:
                waiting += terms
        raise NotReadable("it has too many terms")

    def _terms(self, at: int, factor: Quotient) -> list[tuple[int, Quotient]] | None:
        """What a statement with a factor is the sum of; None of what is no sum."""
        if not self._is_sum(at):
            return None
        template, given = self._program.templates[at], self._arguments(at)
        if template is ADD:
            return [(a, factor) for a in given]
        if template is SUBTRACT:
            return [(given[0], factor), (given[1], -factor)]
        if template is NEGATE:
            return [(given[0], -factor)]
        if template is DIVIDE:
            return [(given[0], factor / self._find_quotient(given[1]))]
        outer, inner = sorted(given, key=self._is_sum)
        return [(inner, factor * self._find_quotient(outer))]

    def _is_sum(self, at: int) -> bool:
        return at not in self._known and self._program.templates[at] in _SUMS

    def _find_quotient(self, wanted: int) -> Quotient:
        waiting = [wanted]
        while waiting:
            at = waiting[-1]
            fresh = [] if at in self._known else self._arguments(at)
            fresh = [a for a in fresh if a not in self._known]
            if fresh:
                waiting.extend(fresh)
                continue
            waiting.pop()
            if at not in self._known:
                self._known[at] = self._read(at)
        return self._known[wanted]

    def _read(self, at: int) -> Quotient:
        template = self._program.templates[at]
        if template is None:
            return self._statements.read(self._program.constants[at], {})
        given = {f"a{k}": self._known[a] for k, a in enumerate(self._arguments(at))}
        return self._statements.read(template.tree, given)


class _Sums:
    """Terms, those brought over one denominator whose denominators have a factor in common."""

    def __init__(self, ring: Ring) -> None:
        self._whole, self._parts = ring.zero, list[Quotient]()

    def add(self, term: Quotient) -> None:
        """One more term."""
        charge(_OF_TERM + _OF_MONOMIAL * len(self._whole.top))
        while not term.below.is_constant():
            at = next((k for k, it in enumerate(self._parts) if _have_common(it, term)), None)
            if at is None:
                self._parts.append(term)
                return
            term = term + self._parts.pop(at)
        self._whole = self._whole + term

    def total(self) -> Quotient:
        """All terms together."""
        return sum(self._parts, self._whole)


def _have_common(one: Quotient, other: Quotient) -> bool:
    if one.below == other.below:
        return True
    charge(_OF_DIVISOR)
    divisor: Any = one.below.gcd(other.below)
    return not divisor.is_constant()
