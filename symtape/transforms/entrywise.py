"""Derivatives of functions that work entry by entry, or row by row."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec

from symtape.reading.running import run_of
from symtape.recording.complex_numbers import CONJUGATE
from symtape.recording.run import Argnums, checked_argnums
from symtape.transforms.gradients import gradient_of

P = ParamSpec("P")


def elementwise_grad(function: Callable[P, Any], argnums: Argnums = 0) -> Callable[P, Any]:
    """The derivative of each entry of the output by the entry of the argument that it is of.

    Of a function whose entries depend on one another as well it is the gradient of their sum.

    Parameters
    ----------
    function : callable ``(*args) -> array``
    argnums
        As in :func:`grad`.

    Returns
    -------
    callable
        Returns arrays of the shape of the arguments.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> symtape.elementwise_grad(np.square)(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    argnums = checked_argnums(argnums, function)

    @functools.wraps(function)
    def elementwise(*args: P.args, **kwargs: P.kwargs) -> Any:
        run = run_of(function, args, kwargs, argnums)
        return run.lower(gradient_of(run, False, CONJUGATE), argnums)

    return elementwise


def batch_jacobian(function: Callable[P, Any], argnums: Argnums = 0) -> Callable[P, Any]:
    """The Jacobian of each row of the output by the same row of an argument.

    Parameters
    ----------
    function : callable ``(*args) -> (b, ...)``
        Whose row i depends on row i of the argument alone; that is not checked.
    argnums : int
        By which argument, of shape ``(b, ...)``.

    Returns
    -------
    callable
        Returns an array of shape ``(b, *output.shape[1:], *argument.shape[1:])``.

    Raises
    ------
    ValueError
        (When called.) The first dimensions differ.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> symtape.batch_jacobian(lambda x: x**2)(np.array([[1.0], [2.0]]))
    array([[[2.]],
    <BLANKLINE>
           [[4.]]])
    """
    argnums = checked_argnums(argnums, function)

    @functools.wraps(function)
    def batch_jacobian_of(*args: P.args, **kwargs: P.kwargs) -> Any:
        run = run_of(function, args, kwargs, argnums)
        run.tape._persistent = len(run.sources) > 1
        found = [
            run.tape.batch_jacobian(run.output, source, unconnected_gradients="zero")
            for source in run.sources
        ]
        return run.lower(found, argnums)

    return batch_jacobian_of
