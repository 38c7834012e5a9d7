"""The difference of two statements, in numbers that they share, its sums term by term."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

from symtape.process.work import charge
from symtape.prover.reader import Reader
from symtape.prover.ring import NotReadable, Quotient, Ring
from symtape.prover.statements import Statements
from symtape.symbolic.program import Program
from symtape.symbolic.template import ADD, DIVIDE, MULTIPLY, NEGATE, SUBTRACT
from symtape.symbolic.trees import Tree

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
