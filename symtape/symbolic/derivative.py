"""Derivatives of a shadow: the chain rule on its program, as more statements of it.

The partials of a statement are those of its template, by SymPy; the sweeps only multiply and
add. Nothing here knows the tape's rules. The directions of a product are statements like any other:
inputs, or constants.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from symtape.process.work import charge
from symtape.recording.structure import separate_entries
from symtape.symbolic.program import ONE, ZERO, Program
from symtape.symbolic.shadow import Shadow
from symtape.symbolic.template import STOP, UNIT, Local


def gradient(shadow: Shadow) -> list[Any]:
    """The gradient of the sum of the first output.

    Returns
    -------
    list of int arrays
        Statements, in the shape of each input.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> from symtape.symbolic.walk import shadow
    >>> made = shadow(symtape.record(np.exp, 1.0), [1.0])
    >>> gradient(made)[0] == made.outputs[0]  # exp is its own derivative, and the same statement
    np.True_
    """
    program = shadow.program
    program.meter.restart("the gradient")
    return separate_by_inputs(shadow, _adjoints(shadow))


def jacobian(shadow: Shadow) -> list[Any]:
    """The Jacobian of the first output.

    By rows, or by columns if there are fewer inputs than outputs.

    Returns
    -------
    list of int arrays
        Statements, of shape ``output.shape + input.shape`` for each input.
    """
    program = shadow.program
    program.meter.restart("the Jacobian")
    output = shadow.outputs[0]
    targets = output.ravel().tolist()
    if len(program.inputs) < len(targets):
        columns = [push_forward(program, {x: ONE}, targets) for x in program.inputs]
        table = np.array(columns, dtype=np.int64).reshape(len(columns), len(targets)).T
    else:
        rows = [_row(program, pull_back(program, {y: ONE})) for y in targets]
        table = np.array(rows, dtype=np.int64).reshape(len(rows), len(program.inputs))
    return [
        part.reshape(output.shape + x.shape)
        for part, x in zip(_columns(shadow, table), shadow.inputs, strict=True)
    ]


def hessian(shadow: Shadow) -> list[list[Any]]:
    """The Hessian of the first output, which must be of one element.

    Only the upper triangle is derived; the lower is the same statements.

    Returns
    -------
    nested list of int arrays
        At ``[i][j]``, statements of shape ``input_i.shape + input_j.shape``.

    Raises
    ------
    ValueError
        The output has more than one element.
    """
    program = shadow.program
    if shadow.outputs[0].size != 1:
        raise ValueError(
            f"the Hessian is that of a scalar function, and the output has shape "
            f"{shadow.outputs[0].shape}; sum it, or take the Jacobian of its gradient"
        )
    program.meter.restart("the Hessian")
    first = _row(program, _adjoints(shadow))
    count = len(first)
    table = np.zeros((count, count), dtype=np.int64)
    for i, statement in enumerate(first):
        row = _row(program, pull_back(program, {statement: ONE}, least=i))
        table[i, i:] = table[i:, i] = row[i:]
    blocks = np.split(table, _bounds(shadow), axis=0)
    return [
        [
            part.reshape(a.shape + b.shape)
            for part, b in zip(_columns(shadow, block), shadow.inputs, strict=True)
        ]
        for block, a in zip(blocks, shadow.inputs, strict=True)
    ]


def pull_back(program: Program, seeds: Mapping[int, int], least: int = 0) -> dict[int, int]:
    """Reverse sweep: the adjoints of the inputs.

    Parameters
    ----------
    program : Program
        Gets the statements of the derivative.
    seeds : mapping
        The adjoint, a statement, of each statement to start from.
    least : int
        Only inputs of at least this ordinal are wanted.

    Returns
    -------
    dict
        The adjoint of every input that it reached.
    """
    bars = dict(seeds)
    found: dict[int, int] = {}
    waiting = [-at for at in bars]
    heapq.heapify(waiting)
    templates, arguments, highest = program.templates, program.arguments, program.highest
    swept = 0
    while waiting:
        swept += 1
        at = -heapq.heappop(waiting)
        bar = bars.pop(at)
        template = templates[at]
        if bar == ZERO or template is STOP:
            continue
        if template is None:
            if highest[at] >= 0:
                found[at] = bar
            continue
        args = arguments[at]
        for position, arg in enumerate(args):
            if highest[arg] < least:
                continue
            term = _multiply_partial(program, template.partial(position), args, bar)
            if arg in bars:
                bars[arg] = program.add(bars[arg], term)
            else:
                bars[arg] = term
                heapq.heappush(waiting, -arg)
    charge(6 * swept)
    return found


def push_forward(program: Program, seeds: Mapping[int, int], targets: Sequence[int]) -> list[int]:
    """Forward sweep: the tangent of each of `targets`, where inputs have those in `seeds`."""
    tangents = dict(seeds)
    templates, arguments = program.templates, program.arguments
    needed = program.list_needed(targets)
    charge(6 * len(needed))
    for at in needed:
        template = templates[at]
        if template is None or program.highest[at] < 0:
            continue
        args = arguments[at]
        total = ZERO
        for position, arg in enumerate(args):
            tangent = tangents.get(arg)
            if tangent is not None:
                term = _multiply_partial(program, template.partial(position), args, tangent)
                total = program.add(total, term)
        if total != ZERO:
            tangents[at] = total
    return [tangents.get(target, ZERO) for target in targets]


def _multiply_partial(program: Program, partial: Local, args: tuple[int, ...], bar: int) -> int:
    """``partial * bar``."""
    constant = partial.constant
    if constant is UNIT:
        return bar
    if partial.template is None and constant is None:
        return program.multiply(bar, args[partial.positions[0]])
    return program.multiply(bar, program.place(partial, args))


def _adjoints(shadow: Shadow) -> dict[int, int]:
    program = shadow.program
    seeds: dict[int, int] = {}
    for at in shadow.outputs[0].ravel().tolist():
        seeds[at] = program.add(seeds.get(at, ZERO), ONE)
    return pull_back(program, seeds)


def _row(program: Program, adjoints: Mapping[int, int]) -> list[int]:
    return [adjoints.get(x, ZERO) for x in program.inputs]


def _bounds(shadow: Shadow) -> list[int]:
    return list(itertools.accumulate(x.size for x in shadow.inputs[:-1]))


def _columns(shadow: Shadow, table: Any) -> list[Any]:
    return list(np.split(table, _bounds(shadow), axis=1))


def separate_by_inputs(shadow: Shadow, adjoints: Mapping[int, int]) -> list[Any]:
    """Adjoints of inputs, in the shape of each input."""
    flat = np.array(_row(shadow.program, adjoints), dtype=np.int64)
    return separate_entries(flat, map(np.shape, shadow.inputs))


def pulled_back(shadow: Shadow, cotangents: Sequence[Any]) -> list[Any]:
    """The transposed Jacobian times cotangents.

    Parameters
    ----------
    shadow : Shadow
    cotangents : sequence of int arrays
        Statements, one array for each output and of its shape.

    Returns
    -------
    list of int arrays
        Statements, in the shape of each input.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> from symtape.symbolic.walk import shadow
    >>> made = shadow(symtape.record(lambda x, g: np.exp(x), 1.0, 2.0), [1.0, 2.0])
    >>> by_x, by_g = pulled_back(made, [made.inputs[1]])
    >>> by_g == ZERO
    np.True_
    """
    program = shadow.program
    program.meter.restart("the vector-Jacobian product")
    seeds: dict[int, int] = {}
    for output, cotangent in zip(shadow.outputs, cotangents, strict=True):
        for at, bar in zip(output.ravel().tolist(), np.ravel(cotangent).tolist(), strict=True):
            seeds[at] = program.add(seeds.get(at, ZERO), bar)
    return separate_by_inputs(shadow, pull_back(program, seeds))


def pushed_forward(shadow: Shadow, tangents: Mapping[int, Any]) -> list[Any]:
    """The Jacobian times tangents: statements, in the shape of each output.

    Parameters
    ----------
    shadow : Shadow
    tangents : mapping of int to int array
        Statements, by the ordinal of the input; of inputs that are not named they are zero.
    """
    program = shadow.program
    program.meter.restart("the Jacobian-vector product")
    seeds = {
        x: t
        for number, tangent in tangents.items()
        for x, t in zip(_flat(shadow.inputs[number]), _flat(tangent), strict=True)
    }
    targets = [at for output in shadow.outputs for at in output.ravel().tolist()]
    flat = np.array(push_forward(program, seeds, targets), dtype=np.int64)
    return separate_entries(flat, map(np.shape, shadow.outputs))


def hessian_times(shadow: Shadow, vectors: Mapping[int, Any]) -> list[Any]:
    """The Hessian of a scalar function times vectors: statements, in the shape of each input.

    Parameters
    ----------
    shadow : Shadow
    vectors : mapping of int to int array
        As the tangents of :func:`pushed_forward`.
    """
    program = shadow.program
    program.meter.restart("the Hessian-vector product")
    first = pull_back(program, {int(shadow.outputs[0].ravel()[0]): ONE})
    slope = ZERO
    for number, vector in vectors.items():
        for x, v in zip(_flat(shadow.inputs[number]), _flat(vector), strict=True):
            slope = program.add(slope, program.multiply(first.get(x, ZERO), v))
    # Of what the slope is along, the vectors are not differentiated.
    return separate_by_inputs(shadow, pull_back(program, {slope: ONE}))


def _flat(statements: Any) -> list[int]:
    return [int(at) for at in np.ravel(statements)]
