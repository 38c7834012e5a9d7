"""One derivative in all directions: smooth points at which more paths meet than can be followed.

``max(x)`` of Python's at equal entries takes another path for each order of the entries, and none
of the pieces is known by itself. But in a direction in which nothing is tied the germ of the
function is known, and says the derivative along it. If one linear map, or for second derivatives
one quadratic form besides, explains the germs of many directions, on both sides, then it is the
derivative that all pieces have in common. Directions are drawn, so a piece on a cone that is too
thin to be met is not seen; its derivative would have to differ from that of all the others.

Of one number there are two directions, and nothing is left to chance: a function that is continuous
and has equal one-sided derivatives has that derivative, as ``np.where(x == 0, 1, np.sin(x) / x)``
has at 0, of which one piece is not defined there.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from flint import arb, arb_mat

from symtape.errors import Unsupported
from symtape.graph.graph import Graph
from symtape.process.precision import precision
from symtape.process.work import charge
from symtape.recording.structure import separate_entries
from symtape.rigorous.enclose import enclose
from verify.judging.kinks.alternatives import Problem
from verify.judging.kinks.germs import BITS, GOOD, common, germ_in_direction, graph_in_direction
from verify.oracles.closed_form import Truth, good_bits

_MOST_UNKNOWNS: Final = 64
"""Entries of a derivative that are solved for."""

_MOST_ELEMENTS: Final = 100_000
"""Elements of a graph, over all directions."""

_COST: Final = 4
"""Operations that an element in a direction counts for."""

_MORE: Final = 8
"""So many more directions than entries are asked, each both ways."""

_STEPS: Final = 64
"""Directions have entries of so many steps to either side of 0: exact, and not tied."""


def find_common_derivative(problem: Problem) -> Truth | None:
    """The derivative of a function of a few numbers, if all directions have it in common.

    None where they differ, or where it is not known that they do not.
    """
    graph, point = problem.graph, problem.point
    order = 2 if problem.is_second else 1
    size = sum(np.size(x) for x in point)
    unknowns = math.comb(size + order - 1, order)
    # Of one number there are no more directions than two.
    count = unknowns + _MORE if size > 1 else 1
    read = 2 * count * graph.elements
    if not size or unknowns > _MOST_UNKNOWNS or read > _MOST_ELEMENTS:
        return None
    charge(_COST * read)
    germs = list(_germs(problem, count))
    if any(germ is None for germ in germs):
        return None
    found = _Directional(graph, [germ for germ in germs if germ is not None], order)
    try:
        parts = found.enclose(point, BITS)
    except (Unsupported, ZeroDivisionError):
        return None
    balls = [ball for part in parts for ball in part.flat]
    good = min((good_bits(ball, BITS) for ball in balls), default=BITS)
    if not all(ball.is_finite() for ball in balls):
        return None
    # Of one number it may be a limit, to which the value that vanishes belongs as well.
    largest = max(float(abs(ball).mid()) for ball in (balls if size > 1 else found.coefficients))
    sizes = [np.full(part.shape, largest) for part in parts]
    return Truth(parts, [], problem.form, good, BITS, found, [], by_jets=True, sizes=sizes)


@dataclass(frozen=True, slots=True)
class _Germ:
    """What the function computes in a direction."""

    graph: Graph
    direction: Any
    line: list[Any]


def _germs(problem: Problem, count: int) -> Iterator[_Germ | None]:
    """In directions that are drawn, and their opposites, until one is not known."""
    random = np.random.default_rng(count)
    shapes = [np.shape(x) for x in problem.point]
    size = sum(map(math.prod, shapes))
    for _ in range(count):
        drawn = (2 * random.integers(-_STEPS // 2, _STEPS // 2, size) + 1) / _STEPS
        drawn = drawn * (1 + random.permutation(len(drawn)) / 1024)
        for direction in (drawn, -drawn) if size > 1 else np.array([[1.0], [-1.0]]):
            line = separate_entries(direction, shapes)
            near = graph_in_direction(problem, line)
            yield None if near is None else _Germ(near, direction, line)
            if near is None:
                return


@dataclass(slots=True)
class _Directional:
    """A derivative that explains the germs in all directions, as far as there is one."""

    graph: Graph
    germs: list[_Germ]
    power: int
    order: Any = ()
    known: dict[int, list[Any]] = field(default_factory=dict)
    coefficients: list[Any] = field(default_factory=list)

    def enclose(self, point: Sequence[Any], bits: int) -> list[Any]:
        """The derivative at the point of the germs; not finite where they contradict each other."""
        if bits not in self.known:
            self.known[bits] = self._enclose_coefficients(point, bits)
        return self.known[bits]

    def _enclose_coefficients(self, point: Sequence[Any], bits: int) -> list[Any]:
        series = [germ_in_direction(germ.graph, point, germ.line, bits) for germ in self.germs]
        value = enclose(self.graph, point, bits)[0]
        with precision(bits):
            solved = [[common(here, *there)] for here, *there in _iterate_outputs(value, series, 0)]
            known = solved[:]
            for degree in range(1, self.power + 1):
                rows = [_monomials(germ.direction, degree) for germ in self.germs]
                solved = [
                    _solve_form(rows, column)
                    for _, *column in _iterate_outputs(value, series, degree)
                ]
                known += solved
            balls = self.coefficients = [ball for column in known for ball in column]
            scale = max((abs(x).mid() for x in balls if x.is_finite()), default=arb(0))
            if any(good_bits(ball + 2 * scale, bits) < GOOD for ball in balls):
                return self._parts(point, [[arb("nan")] * len(column) for column in solved])
            return self._parts(point, [[_or_zero(x, scale) for x in column] for column in solved])

    def _parts(self, point: Sequence[Any], solved: list[list[Any]]) -> list[Any]:
        """The entries that were solved for, as the parts of the derivative."""
        output = self.graph.nodes[self.graph.outputs[0]].shape
        ends = np.cumsum([np.size(x) for x in point])[:-1]
        whole = np.array(solved, dtype=object)
        if self.power == 1:
            split = np.split(whole, ends, axis=1)
            return [a.reshape(output + np.shape(x)) for a, x in zip(split, point, strict=True)]
        size = sum(np.size(x) for x in point)
        square = np.empty((size, size), dtype=object)
        for (i, j), entry in zip(_pairs(size), whole[0], strict=True):
            square[i, j] = square[j, i] = entry * 2 if i == j else entry
        return [
            block.reshape(np.shape(x) + np.shape(y))
            for rows, x in zip(np.split(square, ends), point, strict=True)
            for block, y in zip(np.split(rows, ends, axis=1), point, strict=True)
        ]


def _or_zero(ball: Any, scale: Any) -> Any:
    """An entry that agrees with 0 to as many bits, beside the largest, as pieces have to agree."""
    return arb(0) if ball.contains(0) and ball.rad() <= scale * arb(2) ** -GOOD else ball


def _iterate_outputs(value: Any, series: list[Any], power: int) -> Iterator[list[Any]]:
    """For each output, its value and a coefficient of every germ."""
    for index in np.ndindex(value.shape):
        yield [value[index], *(one[index][power] for one in series)]


def _pairs(size: int) -> list[tuple[int, int]]:
    return list(itertools.combinations_with_replacement(range(size), 2))


def _monomials(direction: Any, degree: int) -> list[Any]:
    """What the coefficients of a form are multiplied by along a direction."""
    exact = [arb(x) for x in direction.tolist()]
    if degree == 1:
        return exact
    return [exact[i] * exact[j] for i, j in _pairs(len(exact))]


def _solve_form(rows: list[list[Any]], column: list[Any]) -> list[Any]:
    """The form that explains all rows; not finite if there is none."""
    count = len(rows[0])
    # Of opposite directions one is enough to solve by.
    some = list(range(0, 2 * count, 2))
    solution = arb_mat([rows[k] for k in some]).solve(arb_mat([[column[k]] for k in some]))
    form = [solution[k, 0] for k in range(count)]
    for row, seen in zip(rows, column, strict=True):
        expected = sum((a * b for a, b in zip(row, form, strict=True)), arb(0))
        if not (expected.is_finite() and seen.is_finite() and expected.overlaps(seen)):
            return [arb("nan")] * count
    return form
