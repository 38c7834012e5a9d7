"""Reverse sweeps over wide programs in floats, many statements of a kind at a time.

Statements are put in levels: one more than the highest of what they take. All of one level and
one kind are a few operations on arrays.
"""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.symbolic.program import Program
from symtape.symbolic.sums import Sums
from symtape.symbolic.template import ADD, DIVIDE, MULTIPLY, NEGATE, STOP, SUBTRACT, Template

__all__ = ["WideSweep", "wide_sweep"]

_LEAST: Final = 512
_WIDE: Final = 16
"""From so many statements, and so many of a kind at a time, arrays are worth it."""

_MADE: Final[weakref.WeakKeyDictionary[Program, tuple[int, WideSweep | None]]] = (
    weakref.WeakKeyDictionary()
)

_CORE: Final = frozenset([SUBTRACT, MULTIPLY, DIVIDE, NEGATE, STOP])

Slopes = Callable[[int], list[float]]
"""Of a statement of a library function: by each of its arguments."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Statements of one kind in one level, ``args[k]`` being what the k-th takes.

    `template` is ADD for sums, of any number of terms.
    """

    template: Template
    ats: Any
    args: Any


def wide_sweep(program: Program) -> WideSweep | None:
    """The sweep over `program` as it is; None if arrays would not pay."""
    known = _MADE.get(program)
    if known is None or known[0] != len(program):
        made = WideSweep(program) if len(program) >= _LEAST else None
        if made is not None and len(program) < _WIDE * len(made.groups):
            made = None
        known = _MADE[program] = len(program), made
    return known[1]


class WideSweep:
    """First-order costs of roundings in all statements, as :mod:`~.conditioning` defines them.

    Parameters
    ----------
    program : Program

    Attributes
    ----------
    groups : list
        In the order of a reverse sweep.
    hidden : set of int
        Statements inside of sums, which no cost can be asked of.
    """

    def __init__(self, program: Program) -> None:
        order = list(range(len(program)))
        sums = Sums(program, order, ())
        self._program = weakref.ref(program)
        self.hidden: set[int] = set()
        members: dict[tuple[int, Template, int], list[int]] = defaultdict(list)
        levels = [0] * len(program)
        for at in order:
            template, args = program.templates[at], program.arguments[at]
            if template is None:
                continue
            if template is ADD:
                if at not in sums.terms:
                    self.hidden.add(at)
                    continue
                args = tuple(sums.terms[at])
            level = levels[at] = 1 + max([levels[a] for a in args])
            members[level, template, len(args)].append(at)
        self.groups = [
            self._group(program, sums, template, ats)
            for (_, template, _), ats in sorted(members.items(), key=lambda item: -item[0][0])
        ]
        self._inputs = np.array(program.inputs, dtype=np.int64)
        self._constants = np.full(len(program), np.nan)
        for at, value in program.constants.items():
            self._constants[at] = float(value)

    @staticmethod
    def _group(program: Program, sums: Sums, template: Template, ats: list[int]) -> _Group:
        args = [sums.terms[at] if template is ADD else program.arguments[at] for at in ats]
        return _Group(template, np.array(ats), np.array(args, dtype=np.int64))

    def values(self, balls: Sequence[Any]) -> Any:
        """Every statement in floats; what no ball is known of, from its arguments."""
        known = self._constants.copy()
        unknown = np.isnan(known)
        some = [at for at, ball in enumerate(balls) if ball is not None and unknown[at]]
        known[some] = [float(balls[at]) for at in some]
        unknown[some] = False
        for group in reversed(self.groups):
            if group.template is ADD and np.any(unknown[group.ats]):
                known[group.ats] = np.sum(known[group.args], axis=1)
            elif group.template is MULTIPLY and np.any(unknown[group.ats]):
                some = unknown[group.ats]
                known[group.ats[some]] = np.prod(known[group.args[some]], axis=1)
        return known

    def costs(self, wanted: int, values: Any, slopes: Slopes, granted: int) -> float:
        """What one rounding in each statement costs `wanted`, in units of roundoff.

        Parameters
        ----------
        wanted : int
            Not hidden.
        values : float array
            From :meth:`values`.
        slopes : callable
        granted : int
            Roundings of each node of a library function's template, and of its arguments.
        """
        bars = np.zeros(len(values))
        bars[wanted] = 1.0
        total = 0.0
        with np.errstate(all="ignore"):
            for group in self.groups:
                bar = bars[group.ats]
                reached = bar != 0
                if not np.any(reached):
                    continue
                total += self._spread(group, reached, bars, values, slopes, granted)
            total += float(_weighed(values[self._inputs], bars[self._inputs]))
        return total if total == total else np.inf

    def _spread(
        self, group: _Group, reached: Any, bars: Any, values: Any, slopes: Slopes, granted: int
    ) -> float:
        """The cost of the statements of a group, whose adjoints are passed on."""
        ats, args, template = group.ats[reached], group.args[reached], group.template
        bar = bars[ats]
        if template is ADD:
            np.add.at(bars, args.ravel(), np.repeat(bar, args.shape[1]))
            partial = np.cumsum(values[args], axis=1)[:, 1:]
            return float(_weighed(partial, bar[:, None]))
        if template is STOP:
            return 0.0
        given = values[args]
        if template in _CORE:
            found = _core_slopes(template, given, values[ats])
            cost = 0.0 if template is NEGATE else float(_weighed(values[ats], bar))
        else:
            found = np.array([slopes(at) for at in ats.tolist()])
            cost = granted * template.size * float(_weighed(values[ats], bar))
            cost += granted * float(_weighed(found * given, bar[:, None]))
        passed = np.where(found == 0, 0.0, found * bar[:, None])
        np.add.at(bars, args.ravel(), passed.ravel())
        return cost


def _weighed(values: Any, bars: Any) -> Any:
    return np.sum(np.abs(values * bars), where=np.broadcast_to(bars != 0, np.shape(values)))


def _core_slopes(template: Template, given: Any, values: Any) -> Any:
    if template is MULTIPLY:
        return given[:, ::-1]
    if template is DIVIDE:
        below = given[:, 1]
        return np.stack([1 / below, -values / below], axis=1)
    ones = np.ones_like(given)
    if template is NEGATE:
        return -ones
    ones[:, 1] = -1.0
    return ones
