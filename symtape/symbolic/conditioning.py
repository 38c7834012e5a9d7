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
from symtape.precision import precision
from symtape.symbolic.precise import compiled, run
from symtape.symbolic.program import Program
from symtape.symbolic.template import ADD, DIVIDE, MULTIPLY, NEGATE, STOP, SUBTRACT, Local, Template

__all__ = ["conditioning"]

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

_CHUNK: Final = 256


def conditioning(program: Program, ids: Any, inputs: Sequence[Any], unit: float) -> Any:
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
    >>> bound = conditioning(program, [difference], [1.0, 1.0], 2.0**-53)
    >>> float(bound[0]) == 4 * 2.0**-53
    True
    """
    ids = np.asarray(ids, dtype=np.int64)
    flat = ids.ravel().tolist()
    with precision(64):
        balls = run(program, flat, [float(x) for part in inputs for x in np.ravel(part)])
    bounds = [
        bound
        for start in range(0, len(flat), _CHUNK)
        for bound in _bounds(program, balls, flat[start : start + _CHUNK])
    ]
    return unit * np.array(bounds, dtype=float).reshape(ids.shape)


def _bounds(program: Program, balls: list[Any], wanted: list[int]) -> Any:
    """The bounds of some statements, in units of the unit roundoff, by one reverse sweep."""
    order = program.needed(wanted)
    bars: dict[int, Any] = {}
    for column, at in enumerate(wanted):
        bars.setdefault(at, np.zeros(len(wanted)))[column] += 1.0
    total = np.zeros(len(wanted))
    for at in reversed(order):
        template, bar = program.templates[at], bars.pop(at, None)
        if bar is None:
            continue
        if template is None:
            if program.highest[at] >= 0:
                total += abs(float(balls[at])) * np.abs(bar)
            continue
        total += _roundings(template) * abs(float(balls[at])) * np.abs(bar)
        args = program.arguments[at]
        if template is STOP:
            continue
        for position, arg in enumerate(args):
            try:
                partial = template.partial(position)
            except Unsupported:
                # Of an order, say, which SymPy does not derive by: a constant is exact.
                if program.highest[arg] < 0:
                    continue
                raise
            slope = _slope(partial, args, balls)
            if slope:
                before = bars.get(arg)
                bars[arg] = slope * bar if before is None else before + slope * bar
            if template not in _ROUNDINGS:
                # A library function is right for an argument that is off by a few ulps.
                total += _FUNCTION * abs(slope * float(balls[arg])) * np.abs(bar)
    return np.where(np.isnan(total), np.inf, total)


def _roundings(template: Template) -> int:
    found = _ROUNDINGS.get(template)
    return _FUNCTION * template.size if found is None else found


def _slope(partial: Local, args: tuple[int, ...], balls: list[Any]) -> float:
    if partial.template is not None:
        chosen = [balls[args[k]] for k in partial.positions]
        return float(compiled(partial.template)(*chosen))
    if partial.constant is not None:
        return float(partial.constant)
    return float(balls[args[partial.positions[0]]])
