"""The shadow's straight-line program: statements in plain lists, each value once.

A statement applies a template to earlier statements. Constants are exact rationals. No SymPy
object is made for a statement, so a program grows by a microsecond or two a statement.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
import time
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent
from symtape.process.budget import Budget
from symtape.symbolic.template import (
    ADD,
    DIVIDE,
    KEPT,
    MULTIPLY,
    NEGATE,
    RECIPROCAL,
    STOP,
    SUBTRACT,
    Local,
    Number,
    Template,
    read,
)

ZERO: Final = 0
ONE: Final = 1
MINUS_ONE: Final = 2
_SHORT: Final = 2**31
_REMEMBERED: Final = 4
"""How many answers on what statements depend on are kept."""


class Meter:
    """Watches a budget; `check` is called now and then with the present size."""

    __slots__ = ("_deadline", "_step", "budget")

    _EVERY = 512

    def __init__(self, budget: Budget | None) -> None:
        self.budget = budget or Budget()
        self.restart("the symbolic step")

    def restart(self, step: str) -> None:
        """Begin a step with the whole of its time."""
        self._step = step
        self._deadline = time.monotonic() + self.budget.seconds

    def check(self, size: int) -> int:
        """Raise if the budget is spent; otherwise the size at which to ask again."""
        limit = self.budget.statements
        if limit is not None and size >= limit:
            raise BudgetSpent(
                f"{self._step} has reached its budget of {limit} statements; raise "
                "Budget(statements=...), or take a smaller computation"
            )
        if time.monotonic() > self._deadline:
            raise BudgetSpent(
                f"{self._step} has used up its budget of {self.budget.seconds:g} seconds at "
                f"{size} statements; raise Budget(seconds=...), or take a smaller computation"
            )
        following = size + self._EVERY
        return following if limit is None else min(following, limit)


class Program:
    """Straight-line program over real numbers, hash-consed.

    Attributes
    ----------
    templates : list of Template or None
        What each statement applies; None for an input or a constant.
    arguments : list of tuple of int
        To which statements.
    constants : dict
        The value of each constant, a Fraction (a float if it is not finite).
    inputs : list of int
        The statements that are inputs, in order.
    highest : list of int
        The highest ordinal of an input that a statement depends on differentiably; -1 if none.

    Examples
    --------
    >>> program = Program()
    >>> x = program.input()
    >>> program.multiply(x, ONE) == x, program.add(x, x) == program.add(x, x)
    (True, True)
    """

    def __init__(self, budget: Budget | None = None) -> None:
        self.templates: list[Template | None] = []
        self.arguments: list[tuple[int, ...]] = []
        self.constants: dict[int, Number] = {}
        self.inputs: list[int] = []
        self.highest: list[int] = []
        self.meter = Meter(budget)
        self._known: dict[Template, dict[tuple[int, ...], int]] = {}
        self._sums = self._known[ADD] = {}
        self._products = self._known[MULTIPLY] = {}
        self._by_value: dict[float | tuple[int, int], int] = {}
        self._next_check = 0
        self._needed: dict[tuple[int, ...], list[int]] = {}
        for value in (0, 1, -1):
            self.constant(value)

    def __len__(self) -> int:
        return len(self.templates)

    def input(self) -> int:
        """A new independent variable."""
        at = self._append(None, (), len(self.inputs))
        self.inputs.append(at)
        return at

    def constant(self, value: Any) -> int:
        """The statement of an exact constant: an int, float, Fraction or NumPy real."""
        key = _key(value)
        found = self._by_value.get(key)
        if found is None:
            found = self._by_value[key] = self._append(None, (), -1)
            if isinstance(key, tuple):
                self.constants[found] = Fraction(*key)
            else:
                self.constants[found] = Fraction(key) if math.isfinite(key) else key
        return found

    def place(self, reading: Local, args: Sequence[int]) -> int:
        """The statement that `reading` is on the arguments `args`."""
        if reading.template is not None:
            return self.apply(reading.template, tuple([args[k] for k in reading.positions]))
        if reading.constant is not None:
            return self.constant(reading.constant)
        return args[reading.positions[0]]

    def placer(self, reading: Local, arity: int) -> Callable[..., int]:
        """As :meth:`place` for many statements, ``(*args) -> int``; short cuts where it can."""
        template = reading.template
        if template in _CORE and reading.positions == tuple(range(arity)):
            return functools.partial(_CORE[template], self)
        return lambda *args: self.place(reading, args)

    def apply(self, template: Template, args: tuple[int, ...]) -> int:
        """`template` of `args`, simplified if that is immediate."""
        core = _CORE.get(template)
        if core is not None:
            return core(self, *args)
        return self._intern(template, args)

    def stop(self, a: int) -> int:
        """`a`, held constant."""
        return a if self.highest[a] < 0 else self._intern(STOP, (a,), -1)

    def add(self, a: int, b: int) -> int:
        """``a + b``."""
        args = (a, b) if a < b else (b, a)
        found = self._sums.get(args)
        if found is not None:
            return found
        if args[0] == ZERO:
            return args[1]
        folded = self._fold(a, b, operator.add)
        return self._new(self._sums, ADD, args) if folded is None else folded

    def subtract(self, a: int, b: int) -> int:
        """``a - b``."""
        if b == ZERO:
            return a
        if a == b:
            return ZERO
        if a == ZERO:
            return self.negate(b)
        folded = self._fold(a, b, operator.sub)
        return self._intern(SUBTRACT, (a, b)) if folded is None else folded

    def multiply(self, a: int, b: int) -> int:
        """``a * b``."""
        args = (a, b) if a < b else (b, a)
        found = self._products.get(args)
        if found is not None:
            return found
        first, second = args
        if first == ZERO:
            return ZERO
        if first == ONE:
            return second
        if first == MINUS_ONE:
            return self.negate(second)
        folded = self._fold(a, b, operator.mul)
        return self._new(self._products, MULTIPLY, args) if folded is None else folded

    def divide(self, a: int, b: int) -> int:
        """``a / b``."""
        if b == ONE:
            return a
        if b == MINUS_ONE:
            return self.negate(a)
        if b == ZERO:
            return self._intern(DIVIDE, (a, b))
        if a == ZERO:
            return ZERO
        folded = self._fold(a, b, operator.truediv)
        return self._intern(DIVIDE, (a, b)) if folded is None else folded

    def negate(self, a: int) -> int:
        """``-a``."""
        if self.templates[a] is NEGATE:
            return self.arguments[a][0]
        value = self.constants.get(a)
        return self._intern(NEGATE, (a,)) if value is None else self.constant(-value)

    def reciprocal(self, a: int) -> int:
        """``1 / a``."""
        return self.divide(ONE, a) if a in self.constants else self._intern(RECIPROCAL, (a,))

    def power(self, a: int, b: int) -> int:
        """``a ** b``; a constant exponent is part of the template, whose partial is simple."""
        exponent, base = self.constants.get(b), self.constants.get(a)
        if isinstance(exponent, Fraction):
            return self.place(_read_power(None, exponent), (a, b))
        if isinstance(base, Fraction) and base > 0:
            return self.place(_read_power(base, None), (a, b))
        return self.place(_read_power(None, None), (a, b))

    def function(self, name: str, a: int) -> int:
        """The function that SymPy calls `name`, of `a`."""
        return self.place(_read_function(name), (a,))

    def sqrt(self, a: int) -> int:
        """The square root."""
        return self.place(_read_power(None, Fraction(1, 2)), (a,))

    def list_needed(self, ids: Iterable[int]) -> list[int]:
        """The statements that `ids` depend on, themselves included, in order."""
        wanted = tuple(ids)
        found = self._needed.get(wanted)
        if found is None:
            seen = bytearray(len(self))
            waiting = list(dict.fromkeys(wanted))
            for at in waiting:
                seen[at] = True
            arguments = self.arguments
            while waiting:
                for at in arguments[waiting.pop()]:
                    if not seen[at]:
                        seen[at] = True
                        waiting.append(at)
            found = list(itertools.compress(range(len(self)), seen))
            if len(self._needed) < _REMEMBERED:
                self._needed[wanted] = found
        return found

    def _fold(self, a: int, b: int, operation: Callable[[Any, Any], Any]) -> int | None:
        """Constants in one, as long as that stays short; long ones would only grow."""
        known = self.constants
        if a not in known or b not in known:
            return None
        x, y = known[a], known[b]
        if type(x) is not Fraction or type(y) is not Fraction:
            return None
        if max(abs(x.numerator), x.denominator, abs(y.numerator), y.denominator) >= _SHORT:
            return None
        return self.constant(operation(x, y))

    def _intern(self, template: Template, args: tuple[int, ...], highest: int | None = None) -> int:
        known = self._known.setdefault(template, {})
        found = known.get(args)
        return self._new(known, template, args, highest) if found is None else found

    def _new(
        self,
        known: dict[tuple[int, ...], int],
        template: Template,
        args: tuple[int, ...],
        highest: int | None = None,
    ) -> int:
        if highest is None:
            below = self.highest
            if len(args) == 2:
                first, second = below[args[0]], below[args[1]]
                highest = first if first > second else second
            else:
                highest = max([below[a] for a in args], default=-1)
        found = known[args] = self._append(template, args, highest)
        return found

    def _append(self, template: Template | None, args: tuple[int, ...], highest: int) -> int:
        at = len(self.templates)
        if at >= self._next_check:
            self._next_check = self.meter.check(at)
        self.templates.append(template)
        self.arguments.append(args)
        self.highest.append(highest)
        return at


def _key(value: Any) -> float | tuple[int, int]:
    """What a constant is known by: a float where it is one, else its terms; one for all nans."""
    if isinstance(value, float | np.floating):
        return float(value) if value == value else math.nan
    exact = value.as_integer_ratio() if type(value) is Fraction else (int(value), 1)
    try:
        near = exact[0] / exact[1]
    except OverflowError:
        return exact
    return near if near.as_integer_ratio() == exact else exact


@functools.lru_cache(maxsize=KEPT)  # exponents
def _read_power(base: Fraction | None, exponent: Fraction | None) -> Local:
    return read(lambda sp, x, y: x**y, (base, exponent))


@functools.lru_cache(maxsize=KEPT)  # functions
def _read_function(name: str) -> Local:
    return read(lambda sp, x: getattr(sp, name)(x), (None,))


_CORE: Final[dict[Any, Callable[..., int]]] = {
    ADD: Program.add,
    SUBTRACT: Program.subtract,
    MULTIPLY: Program.multiply,
    DIVIDE: Program.divide,
    NEGATE: Program.negate,
    RECIPROCAL: Program.reciprocal,
}
