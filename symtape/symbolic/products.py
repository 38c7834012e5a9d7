"""Products of a shadow's derivatives and directions, as more statements of its program.

One sweep each, in which the directions are statements like any other: inputs, or constants.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from symtape.recording.structure import separate_entries
from symtape.symbolic.derivative import pull_back, push_forward, separate_by_inputs
from symtape.symbolic.program import ONE, ZERO
from symtape.symbolic.shadow import Shadow


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
    >>> from symtape.symbolic.shadow import shadow
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
