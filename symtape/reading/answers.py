"""What a reader calls in place of functions that would take the value of a tensor.

Each row is a function of NumPy, of Python's own modules or of SciPy, and what means the same of
tensors; ``float``, ``complex`` and ``type`` are among them. What SciPy has is added when its
modules have been loaded.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.primitives.taking import cut_zeros, take
from symtape.process.extras import find_loaded
from symtape.reading.arrays import (
    MAKERS,
    STRIDED,
    WINDOWS,
    entries,
    entry_by_entry,
    polynomial,
    records,
    scalar_of,
    tuples_of_entries,
)
from symtape.reading.dispatch import if_given, lower_and_lift
from symtape.reading.masked import KEPT_MASKED, MASKED_ARRAY
from symtape.reading.scalars import KEPT_SCALARS, to_complex, to_float
from symtape.recording.in_place import lift_tensors
from symtape.recording.nested import lower_buffers
from symtape.recording.tensor import Tensor


def _float(*args: Any) -> Any:
    if len(args) == 1 and isinstance(args[0], Tensor):
        return lift_tensors(to_float(lower_buffers(args[0])))
    return float(*args)


def _complex(*args: Any) -> Any:
    if not any(isinstance(x, Tensor) for x in args):
        return complex(*args)
    real, *rest = [lower_buffers(x) for x in args]
    found = to_complex(real) if isinstance(real, Tensor) else real
    for imaginary in rest:
        found = found + (to_complex(imaginary) if isinstance(imaginary, Tensor) else imaginary) * 1j
    return lift_tensors(found)


def _type(*args: Any, **keywords: Any) -> Any:
    if len(args) == 1 and isinstance(args[0], Tensor):
        return args[0].__class__
    return type(*args, **keywords)


CONVERSIONS: Final = {float: _float, complex: _complex, type: _type}


Function = Callable[..., Any]

_OF_NUMPY: Final[dict[Any, Function]] = {
    **{getattr(np, name): function for name, function in MAKERS.items()},
    **KEPT_SCALARS,
    **STRIDED,
    **WINDOWS,
    **KEPT_MASKED,
    **{
        kind: scalar_of(kind)
        for kind in (np.float64, np.float32, np.float16, np.complex128, np.complex64)
    },
    **CONVERSIONS,
    np.ndenumerate: entries,
    np.nditer: entry_by_entry,
    np.broadcast: tuples_of_entries,
    np.poly1d: polynomial,
    # NumPy asks only the array that elements are taken from.
    np.take: if_given(np.take, lower_and_lift(np.take, take)),
    np.trim_zeros: if_given(np.trim_zeros, lower_and_lift(np.trim_zeros, cut_zeros)),
    np.recarray: records,
    np.ma.MaskedArray: MASKED_ARRAY,
}

ANSWERS: Final[dict[int, tuple[Any, Function]]] = {
    id(original): (original, function) for original, function in _OF_NUMPY.items()
}
"""By the identity of a function: itself, and what is called in place of it."""

_LOADED: Final = [0]


def add_loaded() -> None:
    """Add the rows of SciPy's modules that have been loaded since."""
    if len(sys.modules) == _LOADED[0]:
        return
    _LOADED[0] = len(sys.modules)
    if find_loaded("scipy") is not None:
        _add_scipy()
    if (trims := getattr(find_loaded("numpy.polynomial.polyutils"), "trimseq", None)) is not None:
        # NumPy drops coefficients that are 0; a tensor's stay, for they have derivatives.
        ANSWERS.setdefault(id(trims), (trims, if_given(trims, lambda seq: seq)))


def _add_scipy() -> None:
    from symtape.reading import scipy_names, sparse_names  # as large as all the others

    for family in (scipy_names.kept_of_scipy(), sparse_names.methods()):
        for original, kept in family.items():
            ANSWERS.setdefault(id(original), (original, kept))


def answer_to(function: Any) -> Any:
    """What is called in place of a function; itself, where no table has it.

    Examples
    --------
    >>> answer_to(len) is len, answer_to(float) is float
    (True, False)
    """
    add_loaded()
    known = ANSWERS.get(id(function))
    return function if known is None else known[1]
