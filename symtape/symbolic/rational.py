"""Statements of a program evaluated exactly, where they are rational."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
from flint import fmpq

from symtape.errors import BudgetSpent, Unsupported
from symtape.process.work import Work
from symtape.symbolic.program import Program
from symtape.symbolic.template import Arithmetic

_MOST_BITS: Final = 10_000
"""Numerators and denominators are not worked with if they are longer."""

_MOST_EXPONENT: Final = 64

_OVERHEAD: Final = 64
"""A statement of short numbers costs as much as one of longer ones."""


def exact_values(
    program: Program, ids: Sequence[Any], inputs: Sequence[Any], work: Work | None = None
) -> list[Any]:
    """The values of statements at exactly the floats `inputs`.

    Parameters
    ----------
    program : Program
    ids : sequence of int arrays
        Statements.
    inputs : sequence of array_like
        The program's inputs, as the arrays of which they are the elements.
    work : Work, optional
        Bits of the numbers that may be worked with, over all statements; any by default.

    Returns
    -------
    list of object arrays
        Of ``flint.fmpq``, in the shapes of `ids`.

    Raises
    ------
    Unsupported
        A statement leaves the rationals.
    BudgetSpent
        There is more work than that, or the numbers grow too long.
    """
    work = work or Work(math.inf, "exact arithmetic")
    flat = [x for array in inputs for x in np.ravel(array).tolist()]
    values = {
        at: fmpq(*float(x).as_integer_ratio()) for at, x in zip(program.inputs, flat, strict=True)
    }
    order = program.list_needed([i for part in ids for i in np.ravel(part).tolist()])
    for at in order:
        if at not in values:
            values[at] = _statement(program, at, values)
            work.spend(_OVERHEAD + values[at].height_bits())
    return [_shape_values(part, values) for part in ids]


def _shape_values(ids: Any, values: Mapping[int, Any]) -> Any:
    array = np.asarray(ids)
    flat = [values[at] for at in array.ravel().tolist()]
    return np.fromiter(flat, dtype=object, count=array.size).reshape(array.shape)


def _statement(program: Program, at: int, values: Mapping[int, Any]) -> Any:
    template = program.templates[at]
    if template is None:
        constant = program.constants[at]
        if not isinstance(constant, Fraction):
            raise Unsupported(f"the constant {constant} is no rational number")
        return fmpq(constant.numerator, constant.denominator)
    try:
        value = _RATIONALS.function(template)(*[values[a] for a in program.arguments[at]])
    except ZeroDivisionError as error:
        raise Unsupported("a division by 0, over the rationals") from error
    if value.height_bits() > _MOST_BITS:
        raise BudgetSpent("the numbers of exact arithmetic grow too long")
    return value


_RATIONALS: Final = Arithmetic(
    refusal="{} is not rational",
    exact=lambda x: fmpq(x.numerator, x.denominator),
    number=fmpq,
    powers={"square": lambda x: x * x, "int_power": operator.pow},
    most=_MOST_EXPONENT,
)
