"""``symtape.from_jax``: a function of jax.numpy as one of arrays and Tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.errors import NotOnTape, Unreadable
from symtape.frontends.jaxpr.library import jax, precision
from symtape.frontends.jaxpr.replay import Replay
from symtape.recording.tensor import Tensor

_KEPT: Final = 32
"""Of how many shapes and dtypes the program of one function is remembered."""


def from_jax(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function written in ``jax.numpy``, as one that symtape records and differentiates.

    The function is traced by JAX to its jaxpr, once for each shape and dtype of its arguments, and
    the jaxpr is replayed with NumPy. What it computes is read, and no rule of JAX's for its
    derivative: of a ``jax.custom_vjp`` the function itself. ``jax.grad(f)`` is a function like any
    other, so the program of a gradient can be read as well.

    ``lax.cond`` and ``lax.while_loop`` go the way that the values say, as ``if`` and ``while`` do
    in Python; ``lax.scan`` is unrolled, so what it costs grows with its length.

    Parameters
    ----------
    function : callable
        Takes arrays; lists, tuples and dicts of arrays are allowed. May be the result of
        ``jax.jit``, ``jax.vmap`` or ``jax.grad``.

    Returns
    -------
    callable
        Takes arrays or Tensors of the same shapes. float64 arguments are computed with in double
        precision, whether or not ``jax_enable_x64`` is set, float32 ones as JAX is configured.

    Raises
    ------
    MissingExtra
        JAX is not installed.
    Unreadable
        (When called.) The function uses an operation that cannot be read; names it, the line,
        and what can be done.

    Examples
    --------
    >>> import jax.numpy as jnp, symtape  # doctest: +SKIP
    >>> f = symtape.from_jax(lambda x: jnp.sum(jnp.tanh(x) ** 2))  # doctest: +SKIP
    >>> symtape.grad(f)(np.array([0.0, 1.0]))  # doctest: +SKIP
    array([0.        , 0.63970001])
    """
    jax()
    if not callable(function):
        raise TypeError(f"from_jax takes a function, got {function!r}")
    kept = functools.lru_cache(maxsize=_KEPT)  # shapes and dtypes
    traced = kept(functools.partial(_trace_function, function))

    def read(*args: Any) -> Any:
        found, structure = jax().tree_util.tree_flatten(args)
        leaves = [_leaf(leaf) for leaf in found]
        shapes = tuple((tuple(x.shape), x.dtype.str) for x in leaves)
        with precision(x.dtype for x in leaves):
            # JAX traces otherwise when its precision is another one.
            replay, build = traced(structure, shapes, bool(jax().config.jax_enable_x64))
            return build(replay(*leaves))

    _named_as(read, function)
    return read


def _named_as(read: Any, function: Callable[..., Any]) -> None:
    read.__wrapped__ = function
    for name in ("__name__", "__qualname__", "__doc__"):
        if (value := getattr(function, name, None)) is not None:
            setattr(read, name, value)


def _leaf(x: Any) -> Any:
    """An argument as a Tensor or an array of numbers."""
    if isinstance(x, Tensor):
        return x._read()
    try:
        array = np.asarray(x)
    except (TypeError, ValueError) as error:
        raise NotOnTape(f"{x!r} is not an array of numbers") from error
    if array.dtype.kind not in "fiub":
        raise NotOnTape(
            f"an argument has dtype {array.dtype}: {str(x)[:60]}; expected real numbers"
        )
    return array


def _trace_function(
    function: Callable[..., Any], structure: Any, shapes: Any, wide: bool
) -> tuple[Replay, Callable[..., Any]]:
    library = jax()
    leaves = [library.ShapeDtypeStruct(shape, np.dtype(dtype)) for shape, dtype in shapes]
    args = library.tree_util.tree_unflatten(structure, leaves)
    try:
        program, shape = library.make_jaxpr(function, return_shape=True)(*args)
    except Exception as error:  # users' code, traced: raised again in words
        raise _explain_error(function, error) from error
    answer = library.tree_util.tree_structure(shape)

    def build(outputs: list[Any]) -> Any:
        return library.tree_util.tree_unflatten(answer, outputs)

    return Replay(program), build


def _explain_error(function: Callable[..., Any], error: Exception) -> Exception:
    """What tracing raised, in words of what can be done; the function's own errors as they are."""
    name = getattr(function, "__name__", type(function).__name__)
    errors = jax().errors
    if isinstance(error, errors.TracerBoolConversionError):
        return Unreadable(
            f"{name} decides in Python by a value that JAX traces: {_first_line(error)} Use "
            "jnp.where or lax.cond, give the function in NumPy, or ask for evidence by values: "
            "evidence='sampled'"
        )
    if isinstance(error, errors.ConcretizationTypeError | errors.TracerArrayConversionError):
        return Unreadable(
            f"{name} takes a value out of JAX's trace: {_first_line(error)} Keep to jax.numpy, "
            "give the function in NumPy, or pass evidence='sampled'"
        )
    return error


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]
