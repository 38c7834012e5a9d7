"""Derivatives of functions of plain arrays: functions in, functions out.

Every transform takes and returns plain ndarrays and NumPy scalars, and composes: inside an
outer transform or tape the arguments are tensors, the results are tensors too, and the
derivative is itself recorded.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Literal, ParamSpec, TypeVar, Unpack, overload

import numpy as np

from symtape.errors import NotTraceable
from symtape.frontends.running import run_of
from symtape.recording.asked import blocks_of, gradient_of
from symtape.recording.complex_numbers import (
    CONJUGATE,
    Complex,
    Convention,
    check_convention,
    conjugated,
    other,
)
from symtape.recording.directions import check_sequences, tangent_leaves
from symtape.recording.run import Argnums, Run, checked_argnums
from symtape.recording.structure import flatten, is_tree, pack
from symtape.recording.tape import GradientTape
from symtape.recording.tensor import Tensor, tensor_of

__all__ = [
    "batch_jacobian",
    "elementwise_grad",
    "grad",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "value_and_grad",
    "vjp",
]

P = ParamSpec("P")
A = TypeVar("A")

Pull = Callable[[Any], tuple[Any, ...]]
"""From a cotangent to those of the arguments."""


def _scalar_output(function: Callable[..., Any], run: Run) -> None:
    if run.output._value.ndim:
        name = getattr(function, "__name__", type(function).__name__)
        alone = run.output.size == 1
        taken = f"y[{', '.join('0' * run.output.ndim)}]"
        remedy = f"Return its one entry, {taken}" if alone else "Sum it"
        raise NotTraceable(
            f"{name} returned an array of shape {run.output.shape}; the gradient is of a function "
            f"with a scalar output. {remedy}, or use symtape.jacobian"
        )


@overload
def grad(
    function: Callable[P, tuple[Any, A]],
    argnums: Argnums = 0,
    *,
    has_aux: Literal[True],
    **how: Unpack[Complex],
) -> Callable[P, tuple[Any, A]]: ...
@overload
def grad(
    function: Callable[P, Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    **how: Unpack[Complex],
) -> Callable[P, Any]: ...
def grad(
    function: Callable[P, Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    holomorphic: bool = False,
    convention: Convention = CONJUGATE,
) -> Callable[P, Any]:
    """The gradient of a scalar function, as a function of the same arguments.

    Parameters
    ----------
    function : callable ``(*args) -> ()``
        Plain NumPy code with a scalar result.
    argnums : int or sequence of int
        By which positional arguments; a tuple of gradients for a sequence.
    has_aux : bool
        `function` returns ``(output, aux)``; the result is ``(gradient, aux)``.
    holomorphic : bool
        `function` takes complex numbers, has a complex result, and a derivative, which is the
        result then, whatever the convention.
    convention : {"conjugate", "transpose"}
        Of gradients by complex numbers: the direction of steepest ascent, ``df/dx + i df/dy``, as
        in PyTorch and TensorFlow; or its conjugate, as in JAX.

    Returns
    -------
    callable
        Returns ndarrays of the shape and dtype of the arguments. Arguments may be nested
        lists, tuples and dicts of arrays.

    Raises
    ------
    TypeError
        (When called.) The output is not a scalar, or not real, or an argument is not of floats;
        or `function` is not holomorphic at the point.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> symtape.grad(lambda x: np.sum(x**3))(np.array([1.0, 2.0]))
    array([ 3., 12.])
    >>> symtape.grad(lambda z: abs(z) ** 2)(1 + 2j)
    np.complex128(2+4j)
    >>> symtape.grad(lambda z: z**2, holomorphic=True)(1 + 2j)
    np.complex128(2+4j)
    """
    argnums = checked_argnums(argnums)
    check_convention(convention)

    @functools.wraps(function)
    def gradient(*args: P.args, **kwargs: P.kwargs) -> Any:
        run = run_of(function, args, kwargs, argnums, has_aux)
        _scalar_output(function, run)
        result = run.lower(gradient_of(run, holomorphic, convention), argnums)
        return (result, run.aux) if has_aux else result

    return gradient


@overload
def value_and_grad(
    function: Callable[P, tuple[Any, A]],
    argnums: Argnums = 0,
    *,
    has_aux: Literal[True],
    **how: Unpack[Complex],
) -> Callable[P, tuple[tuple[Any, A], Any]]: ...
@overload
def value_and_grad(
    function: Callable[P, Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    **how: Unpack[Complex],
) -> Callable[P, tuple[Any, Any]]: ...
def value_and_grad(
    function: Callable[P, Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    holomorphic: bool = False,
    convention: Convention = CONJUGATE,
) -> Callable[P, Any]:
    """As :func:`grad`, returning ``(value, gradient)``.

    With `has_aux` it is ``((value, aux), gradient)``.

    Examples
    --------
    >>> import symtape
    >>> symtape.value_and_grad(lambda x: x**2)(3.0)
    (np.float64(9.0), np.float64(6.0))
    """
    argnums = checked_argnums(argnums)
    check_convention(convention)

    @functools.wraps(function)
    def value_and_gradient(*args: P.args, **kwargs: P.kwargs) -> Any:
        run = run_of(function, args, kwargs, argnums, has_aux)
        _scalar_output(function, run)
        value = run.lowered(run.output)
        result = run.lower(gradient_of(run, holomorphic, convention), argnums)
        return ((value, run.aux), result) if has_aux else (value, result)

    return value_and_gradient


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
    argnums = checked_argnums(argnums)

    @functools.wraps(function)
    def elementwise(*args: P.args, **kwargs: P.kwargs) -> Any:
        run = run_of(function, args, kwargs, argnums)
        return run.lower(run.gradient(), argnums)

    return elementwise


@overload
def jacobian(
    function: Callable[P, tuple[Any, A]],
    argnums: Argnums = 0,
    *,
    has_aux: Literal[True],
    **how: Unpack[Complex],
) -> Callable[P, tuple[Any, A]]: ...
@overload
def jacobian(
    function: Callable[P, Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    **how: Unpack[Complex],
) -> Callable[P, Any]: ...
def jacobian(
    function: Callable[P, Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    holomorphic: bool = False,
    convention: Convention = CONJUGATE,
) -> Callable[P, Any]:
    """The Jacobian of a function, as a function of the same arguments.

    Parameters
    ----------
    function : callable ``(*args) -> array``
        Plain NumPy code; any shape of output.
    argnums, has_aux
        As in :func:`grad`.
    holomorphic, convention
        As in :func:`grad`; the convention is of the rows of a real function.

    Returns
    -------
    callable
        Returns arrays of shape ``output.shape + argument.shape``; complex ones of a complex
        function of real numbers.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> symtape.jacobian(lambda x: x * x[0])(np.array([1.0, 2.0]))
    array([[2., 0.],
           [2., 1.]])
    >>> symtape.jacobian(lambda t: np.exp(1j * t))(0.0)
    np.complex128(1j)
    """
    argnums = checked_argnums(argnums)
    check_convention(convention)

    @functools.wraps(function)
    def jacobian_of(*args: P.args, **kwargs: P.kwargs) -> Any:
        run = run_of(function, args, kwargs, argnums, has_aux, several=True)
        result = _jacobian_of(run, argnums, holomorphic, convention)
        return (result, run.aux) if has_aux else result

    return jacobian_of


def _jacobian_of(run: Run, argnums: Argnums, holomorphic: bool, convention: Convention) -> Any:
    rows = [
        run.lower(blocks_of(run, output, holomorphic, convention), argnums)
        for output in run.outputs
    ]
    return run.packed(rows)


@overload
def hessian(
    function: Callable[P, tuple[Any, A]],
    argnums: Argnums = 0,
    *,
    has_aux: Literal[True],
    **how: Unpack[Complex],
) -> Callable[P, tuple[Any, A]]: ...
@overload
def hessian(
    function: Callable[P, Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    **how: Unpack[Complex],
) -> Callable[P, Any]: ...
def hessian(
    function: Callable[P, Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    holomorphic: bool = False,
    convention: Convention = CONJUGATE,
) -> Callable[P, Any]:
    """The Hessian of a scalar function: the Jacobian of its gradient.

    Parameters
    ----------
    function, argnums, has_aux
        As in :func:`grad`. For a sequence of `argnums` the result is a tuple of tuples.
    holomorphic, convention
        As in :func:`grad`. Of a function that is not holomorphic take :func:`hvp`.

    Returns
    -------
    callable
        Returns arrays of shape ``argument.shape + argument.shape``.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> symtape.hessian(lambda x: x[0] ** 2 * x[1])(np.array([1.0, 2.0]))
    array([[4., 2.],
           [2., 0.]])
    """
    argnums = checked_argnums(argnums)
    gradient = grad(function, argnums, has_aux, holomorphic=holomorphic, convention=convention)

    @functools.wraps(function)
    def hessian_of(*args: P.args, **kwargs: P.kwargs) -> Any:
        run = run_of(gradient, args, kwargs, argnums, has_aux, several=True)
        result = _jacobian_of(run, argnums, holomorphic, convention)
        return (result, run.aux) if has_aux else result

    return hessian_of


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
    check_convention(convention)
    turned = other(convention)
    argnums = tuple(range(len(primals)))
    # The function keeps its inputs, which must not change when their owner writes into them.
    own = [_copied(x) for x in primals]
    run = run_of(function, tuple(own), {}, argnums, has_aux, several=True, lasting=True)
    run.tape._persistent = True

    def pull_back(cotangent: Any) -> Any:
        parts = [conjugated(part, turned) for part in run.cotangents(cotangent)]
        found = run.tape.gradient(
            run.outputs, run.sources, output_gradients=parts, unconnected_gradients="zero"
        )
        found = [conjugated(g, turned) for g in found]
        for part in parts:
            found = [_apart(g, part) for g in found]
        return run.lower(found, argnums)

    value = run.lowered_outputs()
    return (value, pull_back, run.aux) if has_aux else (value, pull_back)


def _copied(x: Any) -> Any:
    leaves = [leaf.copy() if _is_array(leaf) else leaf for leaf in flatten(x)]
    return pack(x, iter(leaves)) if is_tree(x) else leaves[0]


def _is_array(x: Any) -> bool:
    return isinstance(x, np.ndarray) and not isinstance(x, Tensor)


def _apart(g: Tensor, cotangent: Any) -> Tensor:
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

    The product is the transpose of the VJP, which is linear in its cotangent: two reverse
    sweeps, for any number of outputs.

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

    Source
    ------
    J. Townsend, "A new trick for calculating Jacobian vector products" (2017).

    Examples
    --------
    >>> import numpy as np, symtape
    >>> symtape.jvp(lambda x: x**2, (3.0,), (1.0,))
    (np.float64(9.0), np.float64(6.0))
    """
    check_sequences(primals, tangents)
    argnums = tuple(range(len(primals)))
    dummy = GradientTape(watch_accessed_variables=False)
    with dummy:
        run = run_of(function, tuple(primals), {}, argnums, has_aux, several=True)
        weights = tangent_leaves(run, tangents)
        cotangents = [tensor_of(np.zeros(y.shape, y.dtype)) for y in run.outputs]
        dummy._ids.update(cotangent._id for cotangent in cotangents)
        pulled = run.tape.gradient(
            run.outputs, run.sources, output_gradients=cotangents, unconnected_gradients="zero"
        )
    out = dummy.gradient(pulled, cotangents, output_gradients=weights, unconnected_gradients="zero")
    if any(isinstance(weight, Tensor) for weight in weights):
        run.plain = False
    value = run.lowered_outputs()
    tangent = run.packed([run.lowered(part) for part in out])
    return (value, tangent, run.aux) if has_aux else (value, tangent)


def hvp(function: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """The Hessian-vector product of a scalar function, without its Hessian.

    Parameters
    ----------
    function : callable ``(*args) -> ()``
    argnums : int
        By which argument.

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
    argnums = checked_argnums(argnums)
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
    argnums = checked_argnums(argnums)

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
