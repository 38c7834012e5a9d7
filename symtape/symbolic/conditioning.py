"""What rounding costs any program for a value: the first-order effect of every statement.

One rounding in each input and each statement of the closed form, pulled back to the value asked
for, bounds what an honest float program may lose to the problem's own conditioning: a program
that is right for inputs off by one rounding is as good as can be asked. It needs no balls in
sequence, so it stays tight over long loops where those blow up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.first_order import cost
from symtape.process.precision import precision, refine_ball
from symtape.process.work import charge
from symtape.symbolic.arb_functions import BALLS
from symtape.symbolic.precise import run
from symtape.symbolic.program import Program
from symtape.symbolic.template import (
    ADD,
    DIVIDE,
    MULTIPLY,
    NEGATE,
    STOP,
    SUBTRACT,
    UNIT,
    Local,
    Template,
)

_ROUNDINGS: Final[dict[Template, int]] = {
    ADD: 1,
    SUBTRACT: 1,
    MULTIPLY: 1,
    DIVIDE: 1,
    NEGATE: 0,
    STOP: 0,
}
_FUNCTION: Final = 8
"""Roundings granted to each node of any other template: what SciPy's functions are measured at."""


def bound_rounding_errors(
    program: Program,
    ids: Any,
    inputs: Sequence[Any],
    unit: float,
    balls: list[Any] | None = None,
) -> Any:
    """First-order bound on what rounding costs each of the statements `ids`.

    Parameters
    ----------
    program : Program
    ids : int array
        Any shape.
    inputs : sequence of float arrays
        The point.
    unit : float
        Unit roundoff, 2**-53 for float64.
    balls : list, optional
        The ball of every statement needed at that point, if they are known.

    Returns
    -------
    float array
        Absolute, in the shape of `ids`; infinite where a partial is not finite.

    Source
    ------
    Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed. (2002), section 3.8, by
    the adjoint method of Linnainmaa, BIT 16 (1976).

    Examples
    --------
    >>> from symtape.symbolic.program import Program
    >>> program = Program()
    >>> x, y = program.input(), program.input()
    >>> difference = program.subtract(program.multiply(x, x), y)
    >>> bound = bound_rounding_errors(program, [difference], [1.0, 1.0], 2.0**-53)
    >>> float(bound[0]) == 4 * 2.0**-53
    True
    """
    ids = np.asarray(ids, dtype=np.int64)
    flat = ids.ravel().tolist()
    charge((max(flat, default=0) + 1) * (1.5 + 0.1 * len(flat)))
    if balls is None:
        with precision(64):
            balls = run(program, flat, [float(x) for part in inputs for x in np.ravel(part)])
    return unit * _bounds(program, _Floats(program, balls), flat).reshape(ids.shape)


def _bounds(program: Program, values: _Floats, wanted: list[int]) -> Any:
    """The bounds of some statements, in units of the unit roundoff."""
    errors: dict[int, float] = {}
    users: list[int] = []
    used: list[int] = []
    slopes: list[float] = []
    templates, arguments, highest = program.templates, program.arguments, program.highest
    reached = bytearray(max(wanted, default=-1) + 1)
    for at in wanted:
        reached[at] = True
    for at in range(len(reached) - 1, -1, -1):
        if not reached[at]:
            continue
        template, args = templates[at], arguments[at]
        if template is None:
            errors[at] = abs(values[at]) if highest[at] >= 0 else 0.0
            continue
        error = _roundings(template) * abs(values[at])
        library = template not in _ROUNDINGS
        for position, arg in enumerate(args if template is not STOP else ()):
            constant = templates[arg] is None and highest[arg] < 0
            if constant and not library:
                # A constant is exact.
                continue
            slope = _partial(program, template, position, args, values)
            if library:
                # A library function is right for an argument that is off by a few ulps.
                error += _FUNCTION * abs(slope * values[arg])
            if slope and not constant:
                users.append(at)
                used.append(arg)
                slopes.append(slope)
                reached[arg] = True
        errors[at] = error
    order = np.array(sorted(errors), dtype=np.int64)
    rows, columns, asked = (np.searchsorted(order, part) for part in (users, used, wanted))
    return cost([errors[at] for at in order.tolist()], rows, columns, slopes, asked)


class _Floats(dict[int, float]):
    """The balls of statements as floats, converted when they are first asked for."""

    def __init__(self, program: Program, balls: list[Any]) -> None:
        super().__init__()
        self.balls = balls
        self._program = program

    def __missing__(self, at: int) -> float:
        if self.balls[at] is None:
            self._fill(at)
            return self[at]
        found = self[at] = float(self.balls[at])
        return found

    def _fill(self, at: int) -> None:
        """What was only computed inside of a product of matrices: sums of products."""
        templates, arguments = self._program.templates, self._program.arguments
        inside: set[int] = set()
        waiting = [at]
        while waiting:
            one = waiting.pop()
            if self.balls[one] is None and one not in self:
                inside.add(one)
                waiting.extend(arguments[one])
        for one in sorted(inside):
            a, b = (self[arg] for arg in arguments[one])
            self[one] = a + b if templates[one] is ADD else a * b


def _partial(
    program: Program, template: Template, position: int, args: tuple[int, ...], values: _Floats
) -> float:
    """The slope of a statement by one of its arguments; 0 by a constant that has none."""
    try:
        partial = template.partial(position)
    except Unsupported:
        # Of an order, say, which SymPy does not derive by: a constant is exact.
        if program.highest[args[position]] < 0:
            return 0.0
        raise
    return _slope(partial, args, values)


def _roundings(template: Template) -> int:
    found = _ROUNDINGS.get(template)
    return _FUNCTION * template.size if found is None else found


def _slope(partial: Local, args: tuple[int, ...], values: _Floats) -> float:
    if partial.template is not None:
        function = BALLS.function(partial.template)
        chosen = [values.balls[args[k]] for k in partial.positions]
        return float(refine_ball(lambda: function(*chosen)))
    if partial.constant is not None:
        return 1.0 if partial.constant is UNIT else float(partial.constant)
    return values[args[partial.positions[0]]]
