"""Derivatives of functions of plain arrays: functions in, functions out.

Every transform takes and returns plain ndarrays and NumPy scalars, and composes: inside an
outer transform or tape the arguments are tensors, the results are tensors too, and the
derivative is itself recorded.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symtape.errors import NotOnTape, NotTraceable
from symtape.primitives.arithmetic import POSITIVE
from symtape.record.structure import flatten, pack
from symtape.record.tape import GradientTape, ones_of
from symtape.record.tensor import Tensor, apply, tensor_of

__all__ = [
    "batch_jacobian",
    "grad",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "value_and_grad",
    "vjp",
]

Argnums = int | Sequence[int]

_PLAIN_LEAVES = frozenset((np.ndarray, np.float64, float))


def _has_tensor(args: Any) -> bool:
    for arg in args:
        if type(arg) in _PLAIN_LEAVES:
            continue
        if isinstance(arg, Tensor):
            return True
        if isinstance(arg, list | tuple | dict):
            return any(isinstance(leaf, Tensor) for leaf in flatten(arg))
    return False


class _Run:
    """One run of a function on a tape of its own."""

    __slots__ = ("args", "aux", "output", "plain", "positions", "sources", "structure", "tape")

    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        argnums: Argnums,
        has_aux: bool,
    ) -> None:
        self.positions = _positions(function, argnums, len(args))
        self.plain = not _has_tensor(args)
        self.args = list(args)
        self.sources: list[Tensor] = []
        self.structure: list[Any] = []
        for position in self.positions:
            self._lift(position)
        self.tape = tape = GradientTape(False, False)
        tape._ids.update([source._id for source in self.sources])
        with tape:
            output = function(*self.args, **kwargs)
        self.aux: Any = None
        if has_aux:
            output, self.aux = _split_aux(function, output)
        self.output = output if type(output) is Tensor else _as_output(function, output)

    def _lift(self, position: int) -> None:
        arg = self.args[position]
        if type(arg) in _PLAIN_LEAVES or _is_leaf(arg):
            source = _source(arg, position)
            self.sources.append(source)
            self.structure.append(None)
            self.args[position] = source
        else:
            leaves = [_source(leaf, position) for leaf in flatten(arg)]
            self.sources.extend(leaves)
            self.structure.append(arg)
            self.args[position] = pack(arg, iter(leaves))

    def gradient(self) -> list[Any]:
        """One reverse sweep from the output; a cotangent for each source."""
        return self.tape.pull_back(self.output, ones_of(self.output), self.sources)

    def lower(self, results: list[Any], argnums: Argnums) -> Any:
        """One result for each source, in the structure of the arguments."""
        if self.plain:
            results = [_plain(result) for result in results]
        if not any(self.structure):
            return results[0] if isinstance(argnums, int) else tuple(results)
        leaves = iter(results)
        packed = [next(leaves) if s is None else pack(s, leaves) for s in self.structure]
        return packed[0] if isinstance(argnums, int) else tuple(packed)


def _positions(function: Callable[..., Any], argnums: Argnums, count: int) -> list[int]:
    wanted = (argnums,) if isinstance(argnums, int) else argnums
    for position in wanted:
        if not -count <= position < count:
            raise TypeError(
                f"argnums={argnums!r}, but {_name(function)} was called with {count} positional "
                "arguments; arguments to differentiate by must be given by position"
            )
    return [position % count for position in wanted]


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _is_leaf(arg: Any) -> bool:
    if isinstance(arg, Tensor | np.ndarray | np.generic | float | int | complex):
        return True
    if isinstance(arg, list | tuple):
        return not any(isinstance(leaf, Tensor | np.ndarray) for leaf in flatten(arg))
    return not isinstance(arg, dict)


def _source(arg: Any, position: int) -> Tensor:
    if isinstance(arg, Tensor):
        # An identity of its own: f(x, x) has to tell its arguments apart.
        own: Tensor = apply(POSITIVE, (arg,), {})
        _check_floating(own._value, position)
        return own
    if type(arg) is np.float64:
        return tensor_of(arg)
    value = arg if type(arg) is np.ndarray else np.asarray(arg)
    if value.dtype.kind != "f":
        _check_floating(value, position)
    return tensor_of(value)


def _check_floating(value: Any, position: int) -> None:
    if value.dtype.kind != "f":
        raise NotOnTape(
            f"argument {position} has dtype {value.dtype}: {str(value)[:60]}; derivatives are "
            "taken by real floating-point inputs, pass 3.0 rather than 3, or x.astype(float)"
        )


def _split_aux(function: Callable[..., Any], output: Any) -> tuple[Any, Any]:
    if not (isinstance(output, tuple) and len(output) == 2):
        raise NotTraceable(
            f"has_aux=True, but {_name(function)} returned {type(output).__name__}; expected a "
            "pair (output, aux)"
        )
    return output


def _as_output(function: Callable[..., Any], output: Any) -> Tensor:
    if isinstance(output, Tensor):
        return output._read()
    if isinstance(output, np.ndarray | np.generic | float | int) and not isinstance(output, bool):
        array = np.asarray(output)
        if array.dtype.kind in "fiu":
            return tensor_of(array.astype(float) if array.dtype.kind != "f" else array)
    hint = "; is a 'return' missing?" if output is None else ""
    if isinstance(output, list | tuple):
        hint = "; join several outputs with np.stack or np.concatenate"
    raise NotTraceable(
        f"{_name(function)} returned {output!r} ({type(output).__name__}); "
        f"expected a number or an array{hint}"
    )


def _plain(result: Any) -> Any:
    return result._value if isinstance(result, Tensor) else result


def _scalar_output(function: Callable[..., Any], run: _Run) -> None:
    if run.output._value.ndim:
        raise NotTraceable(
            f"{_name(function)} returned an array of shape {run.output.shape}; the gradient is "
            "of a function with a scalar output. Sum it, or use symtape.jacobian"
        )


def grad(
    function: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """The gradient of a scalar function, as a function of the same arguments.

    Parameters
    ----------
    function : callable ``(*args) -> ()``
        Plain NumPy code with a scalar result.
    argnums : int or sequence of int
        By which positional arguments; a tuple of gradients for a sequence.
    has_aux : bool
        `function` returns ``(output, aux)``; the result is ``(gradient, aux)``.

    Returns
    -------
    callable
        Returns ndarrays of the shape and dtype of the arguments. Arguments may be nested
        lists, tuples and dicts of arrays.

    Raises
    ------
    TypeError
        (When called.) The output is not a scalar, or an argument is not of floats.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> symtape.grad(lambda x: np.sum(x**3))(np.array([1.0, 2.0]))
    array([ 3., 12.])
    """
    both = value_and_grad(function, argnums, has_aux)

    @functools.wraps(function)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        value, result = both(*args, **kwargs)
        return (result, value[1]) if has_aux else result

    return gradient


def value_and_grad(
    function: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """As :func:`grad`, returning ``(value, gradient)``; with `has_aux`, ``((value, aux), gradient)``.

    Examples
    --------
    >>> import symtape
    >>> symtape.value_and_grad(lambda x: x**2)(3.0)
    (np.float64(9.0), np.float64(6.0))
    """

    @functools.wraps(function)
    def value_and_gradient(*args: Any, **kwargs: Any) -> Any:
        run = _Run(function, args, kwargs, argnums, has_aux)
        _scalar_output(function, run)
        found = run.gradient()
        value = run.output._value if run.plain else run.output
        result = run.lower(found, argnums)
        return ((value, run.aux), result) if has_aux else (value, result)

    return value_and_gradient


def jacobian(
    function: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """The Jacobian of a function, as a function of the same arguments.

    Parameters
    ----------
    function : callable ``(*args) -> array``
        Plain NumPy code; any shape of output.
    argnums, has_aux
        As in :func:`grad`.

    Returns
    -------
    callable
        Returns arrays of shape ``output.shape + argument.shape``.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> symtape.jacobian(lambda x: x * x[0])(np.array([1.0, 2.0]))
    array([[2., 0.],
           [2., 1.]])
    """

    @functools.wraps(function)
    def jacobian_of(*args: Any, **kwargs: Any) -> Any:
        run = _Run(function, args, kwargs, argnums, has_aux)
        found = run.tape.jacobian(run.output, run.sources, unconnected_gradients="zero")
        result = run.lower(found, argnums)
        return (result, run.aux) if has_aux else result

    return jacobian_of


def hessian(
    function: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """The Hessian of a scalar function: the Jacobian of its gradient.

    Parameters
    ----------
    function, argnums, has_aux
        As in :func:`grad`. For a sequence of `argnums` the result is a tuple of tuples.

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
    return jacobian(grad(function, argnums, has_aux), argnums, has_aux) if isinstance(
        argnums, int
    ) else _block_hessian(function, argnums, has_aux)


def _block_hessian(
    function: Callable[..., Any], argnums: Sequence[int], has_aux: bool
) -> Callable[..., Any]:
    @functools.wraps(function)
    def hessian_of(*args: Any, **kwargs: Any) -> Any:
        rows, aux = [], None
        for argnum in argnums:
            row = jacobian(grad(function, argnum, has_aux), argnums, has_aux)(*args, **kwargs)
            if has_aux:
                row, aux = row
            rows.append(row)
        return (tuple(rows), aux) if has_aux else tuple(rows)

    return hessian_of


def vjp(function: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Value of a function and its vector-Jacobian product.

    Parameters
    ----------
    function : callable ``(*primals) -> array``
    *primals : array_like
        Where to differentiate.
    has_aux : bool
        `function` returns ``(output, aux)``.

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
    argnums = tuple(range(len(primals)))
    run = _Run(function, primals, {}, argnums, has_aux)
    run.tape._persistent = True

    def pull_back(cotangent: Any) -> Any:
        found = run.tape.gradient(
            run.output, run.sources, output_gradients=cotangent, unconnected_gradients="zero"
        )
        if run.plain and isinstance(cotangent, Tensor):
            return tuple(found)
        return run.lower(found, argnums)

    value = run.output._value if run.plain else run.output
    return (value, pull_back, run.aux) if has_aux else (value, pull_back)


def jvp(
    function: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    has_aux: bool = False,
) -> Any:
    """Value of a function and its Jacobian-vector product.

    The product is the transpose of the VJP, which is linear in its cotangent: two reverse
    sweeps, whatever the number of outputs.

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
    _check_tangents(primals, tangents)
    argnums = tuple(range(len(primals)))
    dummy = GradientTape(watch_accessed_variables=False)
    with dummy:
        run = _Run(function, tuple(primals), {}, argnums, has_aux)
        cotangent = tensor_of(np.zeros(run.output.shape, run.output.dtype))
        dummy._ids.add(cotangent._id)
        pulled = run.tape.gradient(
            run.output, run.sources, output_gradients=cotangent, unconnected_gradients="zero"
        )
    weights = [_like_source(t, s) for t, s in zip(tangents, run.sources, strict=True)]
    out = dummy.gradient(
        pulled, cotangent, output_gradients=weights, unconnected_gradients="zero"
    )
    plain = run.plain and not any(isinstance(t, Tensor) for t in tangents)
    value, tangent = (_plain(run.output), _plain(out)) if plain else (run.output, out)
    return (value, tangent, run.aux) if has_aux else (value, tangent)


def _like_source(tangent: Any, source: Tensor) -> Any:
    return tangent if isinstance(tangent, Tensor) else np.asarray(tangent, source.dtype)


def _check_tangents(primals: Sequence[Any], tangents: Sequence[Any]) -> None:
    if not isinstance(primals, list | tuple) or not isinstance(tangents, list | tuple):
        raise TypeError(
            "primals and tangents must be tuples or lists, one entry for each argument of the "
            f"function; got {type(primals).__name__} and {type(tangents).__name__}"
        )
    if len(primals) != len(tangents):
        raise ValueError(f"{len(primals)} primals but {len(tangents)} tangents; give one for each")
    for number, (x, t) in enumerate(zip(primals, tangents, strict=True)):
        if np.shape(x) != np.shape(t):
            raise ValueError(
                f"tangents[{number}] has shape {np.shape(t)}, but primals[{number}] has shape "
                f"{np.shape(x)}; they must be equal"
            )


def hvp(function: Callable[..., Any], argnums: int = 0) -> Callable[..., Any]:
    """The Hessian-vector product of a scalar function, without its Hessian.

    Parameters
    ----------
    function : callable ``(*args) -> ()``
    argnums : int
        By which argument.

    Returns
    -------
    callable ``(*args, v) -> array``
        The vector comes last, as ``scipy.optimize.minimize(hessp=...)`` calls it.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> symtape.hvp(lambda x: np.sum(x**3))(np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([ 6., 12.])
    """
    gradient = grad(function, argnums)

    @functools.wraps(function)
    def product(*args: Any, **kwargs: Any) -> Any:
        *primals, vector = args
        run = _Run(gradient, tuple(primals), kwargs, argnums, False)
        if np.shape(vector) != run.output.shape:
            raise ValueError(
                f"the vector has shape {np.shape(vector)}, but argument {argnums} has shape "
                f"{run.output.shape}; they must be equal"
            )
        found = run.tape.gradient(
            run.output, run.sources, output_gradients=vector, unconnected_gradients="zero"
        )
        return run.lower(found, argnums)

    return product


def batch_jacobian(function: Callable[..., Any], argnums: int = 0) -> Callable[..., Any]:
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

    @functools.wraps(function)
    def batch_jacobian_of(*args: Any, **kwargs: Any) -> Any:
        run = _Run(function, args, kwargs, argnums, False)
        found = run.tape.batch_jacobian(
            run.output, run.sources[0], unconnected_gradients="zero"
        )
        return run.lower([found], argnums)

    return batch_jacobian_of
