"""Products of derivatives with vectors: functions and vectors in, vectors out.

As gradients they take and return plain ndarrays, and compose.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, overload

import numpy as np

from symtape.reading.running import run_of
from symtape.recording.complex_numbers import (
    CONJUGATE,
    Convention,
    check_convention,
    conjugate_cotangent,
    opposite_convention,
)
from symtape.recording.directions import check_sequences, tangent_leaves
from symtape.recording.forward_tape import ForwardTape, forward_tape
from symtape.recording.misfits import check_function
from symtape.recording.run import Argnums, Run, checked_argnums
from symtape.recording.structure import flatten, is_tree, pack
from symtape.recording.tensor import Tensor, tensor_of
from symtape.transforms.gradients import grad

A = TypeVar("A")

Pull = Callable[[Any], tuple[Any, ...]]
"""From a cotangent to those of the arguments."""


@overload
def vjp(
    function: Callable[..., tuple[Any, A]],
    *primals: Any,
    has_aux: Literal[True],
    convention: Convention = CONJUGATE,
) -> tuple[Any, Pull, A]: ...
@overload
def vjp(
    function: Callable[..., Any],
    *primals: Any,
    has_aux: Literal[False] = False,
    convention: Convention = CONJUGATE,
) -> tuple[Any, Pull]: ...
def vjp(
    function: Callable[..., Any],
    *primals: Any,
    has_aux: bool = False,
    convention: Convention = CONJUGATE,
) -> Any:
    """Value of a function and its vector-Jacobian product.

    Parameters
    ----------
    function : callable ``(*primals) -> array``
    *primals : array_like
        Where to differentiate.
    has_aux : bool
        `function` returns ``(output, aux)``.
    convention : {"conjugate", "transpose"}
        Of complex cotangents, given and returned: by the adjoint, or the transpose as in JAX.

    Returns
    -------
    value : array
    pull_back : callable ``(cotangent) -> tuple``
        Takes an array of the output's shape; returns one cotangent for each of `primals`.
        May be called again and again.
    aux
        Only with `has_aux`.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> value, pull_back = symtape.vjp(np.sin, np.array([0.0, 1.0]))
    >>> pull_back(np.array([1.0, 2.0]))
    (array([1.        , 1.08060461]),)
    """
    check_function(function)
    check_convention(convention)
    turned = opposite_convention(convention)
    argnums = tuple(range(len(primals)))
    # The function keeps its inputs, which must not change when their owner writes into them.
    own = [_copy_tree(x) for x in primals]
    run = run_of(function, tuple(own), {}, argnums, has_aux, several=True, lasting=True)
    run.tape._persistent = True

    def pull_back(cotangent: Any) -> Any:
        parts = [conjugate_cotangent(part, turned) for part in run.cotangents(cotangent)]
        found = run.tape.gradient(
            run.outputs, run.sources, output_gradients=parts, unconnected_gradients="zero"
        )
        found = [conjugate_cotangent(g, turned) for g in found]
        for part in parts:
            found = [_copy_if_shared(g, part) for g in found]
        return run.lower(found, argnums)

    value = run.lowered_outputs()
    return (value, pull_back, run.aux) if has_aux else (value, pull_back)


def _copy_tree(x: Any) -> Any:
    leaves = [leaf.copy() if _is_array(leaf) else leaf for leaf in flatten(x)]
    return pack(x, iter(leaves)) if is_tree(x) else leaves[0]


def _is_array(x: Any) -> bool:
    return isinstance(x, np.ndarray) and not isinstance(x, Tensor)


def _copy_if_shared(g: Tensor, cotangent: Any) -> Tensor:
    """`g`, a copy of it if it is the caller's own array."""
    value = g._value
    shared = _is_array(cotangent) and _is_array(value)
    return tensor_of(value.copy()) if shared and np.may_share_memory(value, cotangent) else g


@overload
def jvp(
    function: Callable[..., tuple[Any, A]],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    has_aux: Literal[True],
) -> tuple[Any, Any, A]: ...
@overload
def jvp(
    function: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    has_aux: Literal[False] = False,
) -> tuple[Any, Any]: ...
def jvp(
    function: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    has_aux: bool = False,
) -> Any:
    """Value of a function and its Jacobian-vector product.

    One forward sweep, whatever the number of outputs: each operation pushes the tangent on by its
    own rule, or by the transpose of its VJP rule.

    Parameters
    ----------
    function : callable ``(*primals) -> array``
    primals, tangents : sequences of array_like
        Where, and in which direction; shapes must agree.
    has_aux : bool
        `function` returns ``(output, aux)``.

    Returns
    -------
    value, tangent : array
        And aux with `has_aux`.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> symtape.jvp(lambda x: x**2, (3.0,), (1.0,))
    (np.float64(9.0), np.float64(6.0))
    """
    check_function(function)
    check_sequences(primals, tangents)
    argnums = tuple(range(len(primals)))
    run = run_of(function, tuple(primals), {}, argnums, has_aux, several=True, kind=ForwardTape)
    weights = tangent_leaves(run, tangents)
    if any(isinstance(weight, Tensor) for weight in weights):
        run.plain = False
    value = run.lowered_outputs()
    tangent = _push_tangents(run, weights)
    return (value, tangent, run.aux) if has_aux else (value, tangent)


def _push_tangents(run: Run, weights: Sequence[Any], plan: Any = None) -> Any:
    """The tangents of what a run returned, as the caller shall have them."""
    found = forward_tape(run).push_forward(run.outputs, run.sources, weights, plan)
    parts = [
        np.zeros(y.shape, y.dtype) if tangent is None else tangent
        for y, tangent in zip(run.outputs, found, strict=True)
    ]
    taken = {id(weight) for weight in weights}
    parts = [own_part(run.lower_result(part), taken) for part in parts]
    return run.pack_results(parts)


def own_part(part: Any, taken: set[int]) -> Any:
    """`part`, a copy of it if it is another's, or read-only; it is among what is taken then."""
    if type(part) is not np.ndarray:
        return part
    owned = part.flags.writeable and part.base is None and id(part) not in taken
    taken.add(id(part))
    return part if owned else part.copy()


def linearize(function: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """Value of a function and its derivative there, a linear map of tangents.

    The function runs once; each call of the map is one forward sweep.

    Parameters
    ----------
    function : callable ``(*primals) -> array``
    *primals : array_like
        Where to differentiate.

    Returns
    -------
    value : array
    push_forward : callable ``(*tangents) -> array``
        Takes one tangent of the shape of each of `primals`; returns that of the output. May be
        called again and again.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> value, push_forward = symtape.linearize(np.sin, np.array([0.0, 1.0]))
    >>> push_forward(np.array([1.0, 2.0]))
    array([1.        , 1.08060461])
    """
    check_function(function)
    argnums = tuple(range(len(primals)))
    own = tuple([_copy_tree(x) for x in primals])
    run = run_of(function, own, {}, argnums, several=True, lasting=True, kind=ForwardTape)
    plan = forward_tape(run).plan(run.outputs)
    plain = run.plain

    def push_forward(*tangents: Any) -> Any:
        if len(tangents) != len(primals):
            raise ValueError(
                f"{len(primals)} primals but {len(tangents)} tangents; give one for each"
            )
        weights = tangent_leaves(run, tangents)
        run.plain = plain and not any(isinstance(weight, Tensor) for weight in weights)
        return _push_tangents(run, weights, plan)

    return run.lowered_outputs(), push_forward


def hvp(function: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """The Hessian-vector product of a scalar function, without its Hessian.

    Parameters
    ----------
    function : callable ``(*args) -> ()``
    argnums : int or sequence of int
        By which argument; for a sequence the vector, and what is returned, are tuples.

    Returns
    -------
    callable ``(*args, v) -> array``
        The vector comes last: without further arguments that is how
        ``scipy.optimize.minimize(hessp=...)`` calls it.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> symtape.hvp(lambda x: np.sum(x**3))(np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([ 6., 12.])
    """
    argnums = checked_argnums(argnums, function)
    gradient = grad(function, argnums)

    @functools.wraps(function)
    def product(*args: Any, **kwargs: Any) -> Any:
        *primals, vector = args
        run = run_of(gradient, tuple(primals), kwargs, argnums, several=True)
        weights = run.cotangents(vector)
        for weight, output in zip(weights, run.outputs, strict=True):
            if np.shape(weight) != output.shape:
                raise ValueError(
                    f"the vector has shape {np.shape(weight)}, but argument {argnums} has shape "
                    f"{output.shape}; they must be equal"
                )
        found = run.tape.gradient(
            run.outputs, run.sources, output_gradients=weights, unconnected_gradients="zero"
        )
        return run.lower(found, argnums)

    return product
