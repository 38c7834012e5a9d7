"""The hot path of a tape, in C where it was built.

``accelerated.c`` repeats functions of :mod:`symtape.recording.tensor`,
:mod:`symtape.recording.edges` and :mod:`symtape.numeric.reverse` on float64, and calls them for the
rest. Where there was no compiler when symtape was installed, or where ``SYMTAPE_PURE_PYTHON`` is
set, they run alone, with the same results bit for bit.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.numeric import reverse
from symtape.numeric.batch import add_to
from symtape.primitives.rule import Rule
from symtape.recording.stack import NO_PARAMS, STACK, next_id

accelerated: Any = None
if not os.environ.get("SYMTAPE_PURE_PYTHON"):
    try:
        from symtape.recording import accelerated
    except ImportError:
        accelerated = None

IS_ACCELERATED: Final = accelerated is not None
"""Whether the C functions run."""

sweep = reverse.sweep if accelerated is None else accelerated.sweep

_REALS: Final = tuple(map(np.dtype, (np.bool_, np.int64)))
"""Beside float64, the dtypes of inputs that are no concern of a derivative."""


def accelerate_method(
    name: str, row: Any, method: Callable[..., Any], *, reflected: bool = False
) -> Callable[..., Any]:
    """A method of tensors in C that calls `method` for what it does not do, or `method`.

    Parameters
    ----------
    name : str
        Which of ``METHODS`` in ``accelerated.c``.
    row : Primitive or dict
        What it applies; of ``__array_ufunc__`` the rows by their ufuncs.
    method : callable
        The same in Python.
    reflected : bool
        Whether the tensor is the second operand.
    """
    if accelerated is None:
        return method
    made: Callable[..., Any] = accelerated.Method(name, row, method, reflected)
    return made


def bind_classes(
    tensor: type,
    recorder: type,
    operand: Callable[[Any, Any], Any],
    record_output: Callable[..., Any],
) -> None:
    """Hand to the C functions the classes and functions in Python that they use.

    Raises
    ------
    ImportError
        They were compiled from an older version of these sources.
    """
    if accelerated is None:
        return
    try:
        accelerated.bind(
            tensor,
            recorder,
            Rule,
            (np.ndarray, np.float64, np.generic),
            (np.dtype(np.float64), _REALS, np.dtype(object)),
            NO_PARAMS,
            STACK,
            next_id,
            (operand, record_output, reverse.bring_back, reverse.gather, reverse.bare, add_to),
        )
    except TypeError as error:
        raise ImportError(
            f"{accelerated.__file__} was compiled from another version of symtape; install this "
            "one again, as with pip install -e ."
        ) from error
