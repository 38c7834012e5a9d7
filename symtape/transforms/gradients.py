"""Derivatives of functions of plain arrays: functions in, functions out.

Every transform takes and returns plain ndarrays and NumPy scalars, and composes: inside an
outer transform or tape the arguments are tensors, the results are tensors too, and the
derivative is itself recorded.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, Literal, ParamSpec, Protocol, TypeVar, Unpack, overload

import numpy as np

from symtape.errors import NotTraceable
from symtape.numeric.batch import Batch, basis, unbatch
from symtape.primitives.power import ONE
from symtape.reading.running import run_of
from symtape.recording.complex_numbers import (
    CONJUGATE,
    Complex,
    Convention,
    check_convention,
    check_holomorphic,
    refuse_complex_target,
)
from symtape.recording.for_programs import are_finite
from symtape.recording.forward_tape import ForwardTape, forward_tape
from symtape.recording.run import Argnums, Run, checked_argnums
from symtape.recording.stack import STACK
from symtape.recording.tensor import Tensor

P = ParamSpec("P")
A = TypeVar("A")


class Transform(Protocol):
    """A transform; with `has_aux` it returns what a function returns beside its output, too."""

    @overload
    def __call__(
        self,
        function: Callable[P, tuple[Any, A]],
        argnums: Argnums = 0,
        *,
        has_aux: Literal[True],
        **how: Unpack[Complex],
    ) -> Callable[P, tuple[Any, A]]: ...
    @overload
    def __call__(
        self,
        function: Callable[P, Any],
        argnums: Argnums = 0,
        has_aux: bool = False,
        **how: Unpack[Complex],
    ) -> Callable[P, Any]: ...


def _type_transform(transform: Callable[..., Any]) -> Transform:
    """A function as a :class:`Transform`, which it stays at run time."""
    found: Transform = transform
    return found


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


@_type_transform
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
    argnums = checked_argnums(argnums, function)
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
    argnums = checked_argnums(argnums, function)
    check_convention(convention)

    @functools.wraps(function)
    def value_and_gradient(*args: P.args, **kwargs: P.kwargs) -> Any:
        run = run_of(function, args, kwargs, argnums, has_aux)
        _scalar_output(function, run)
        value = run.lower_result(run.output)
        result = run.lower(gradient_of(run, holomorphic, convention), argnums)
        return ((value, run.aux), result) if has_aux else (value, result)

    return value_and_gradient


@_type_transform
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
        function of real numbers. Of many outputs of few real inputs the columns are pushed forward,
        else the rows are pulled back.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> symtape.jacobian(lambda x: x * x[0])(np.array([1.0, 2.0]))
    array([[2., 0.],
           [2., 1.]])
    >>> symtape.jacobian(lambda t: np.exp(1j * t))(0.0)
    np.complex128(1j)
    """
    argnums = checked_argnums(argnums, function)
    check_convention(convention)

    @functools.wraps(function)
    def jacobian_of(*args: P.args, **kwargs: P.kwargs) -> Any:
        run = run_of(function, args, kwargs, argnums, has_aux, several=True, kind=ForwardTape)
        result = _jacobian_of(run, argnums, holomorphic, convention)
        return (result, run.aux) if has_aux else result

    return jacobian_of


def _jacobian_of(
    run: Run,
    argnums: Argnums,
    holomorphic: bool,
    convention: Convention,
    symmetric: bool = False,
) -> Any:
    from symtape.transforms.sparsity.blocks import compressed_blocks, may_pay

    symmetric = symmetric and len(run.sources) == len(run.outputs) == 1
    rows = []
    for output in run.outputs:
        blocks = None
        if not holomorphic and is_tall(run, output):
            blocks = columns_of(run, output)
        if blocks is None and not holomorphic and may_pay(run, output):
            blocks = compressed_blocks(run, output, symmetric)
        if blocks is None:
            blocks = blocks_of(run, output, holomorphic, convention)
        rows.append(run.lower(blocks, argnums))
    return run.pack_results(rows)


@_type_transform
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
    argnums = checked_argnums(argnums, function)
    gradient = grad(function, argnums, has_aux, holomorphic=holomorphic, convention=convention)

    @functools.wraps(function)
    def hessian_of(*args: P.args, **kwargs: P.kwargs) -> Any:
        run = run_of(gradient, args, kwargs, argnums, has_aux, several=True)
        result = _jacobian_of(run, argnums, holomorphic, convention, symmetric=True)
        return (result, run.aux) if has_aux else result

    return hessian_of


OUTPUTS: Final = 2
"""How many times as many outputs as inputs there are where tangents are pushed forward."""

ROWS: Final = 64
"""Fewer outputs are quickly asked all at once, unless one tangent alone is to be pushed."""


def gradient_of(run: Run, holomorphic: bool, convention: Convention) -> list[Any]:
    """The gradient of a scalar output by each source of a run; its derivative, if holomorphic."""
    if holomorphic:
        return blocks_of(run, run.output, holomorphic, convention)
    if run.output._value.dtype.kind == "c":
        refuse_complex_target(run.output, by_complex=False)
    return run.gradient(convention)


def blocks_of(run: Run, target: Tensor, holomorphic: bool, convention: Convention) -> list[Any]:
    """The Jacobian of an output by each source of a run, with zeros where there is no path."""
    if holomorphic:
        check_holomorphic(target, run.sources)
    parts = run.tape.blocks(target, run.sources, holomorphic=holomorphic, convention=convention)
    return [
        np.zeros(target.shape + source.shape, source.dtype)[()] if part is None else part
        for source, part in zip(run.sources, parts, strict=True)
    ]


def is_tall(run: Run, target: Tensor) -> bool:
    """Whether the Jacobian of an output has many more rows than columns, of real numbers."""
    if target._value.dtype.kind != "f" or any(x._value.dtype.kind != "f" for x in run.sources):
        return False
    columns, rows = sum([x.size for x in run.sources]), target.size
    return 0 < columns * OUTPUTS <= rows and (columns == 1 or rows >= ROWS)


def columns_of(run: Run, target: Tensor) -> list[Any] | None:
    """The Jacobian of an output by each source of a run, all columns in one forward sweep.

    None where an entry is not finite: a product by 0 says nothing then.
    """
    sizes = [source.size for source in run.sources]
    count, first = sum(sizes), 0
    if len(sizes) == count == 1:
        return _column(run, target)
    seeds = []
    for source, size in zip(run.sources, sizes, strict=True):
        unit = basis(source.shape, source.dtype)
        seed = np.zeros((count, *source.shape), source.dtype) if size < count else unit
        seed[first : first + size] = unit
        first += size
        seeds.append(Batch(seed * ONE(source) if STACK.recorders else seed))
    (found,) = forward_tape(run).push_forward([target], run.sources, seeds)
    if found is None or not are_finite({0: found}):
        return None
    columns = np.moveaxis(unbatch(found, count), 0, -1)
    parts = np.split(columns, np.cumsum(sizes)[:-1], axis=-1) if len(sizes) > 1 else [columns]
    return [
        part.reshape(target.shape + source.shape).astype(source.dtype, copy=False)
        for part, source in zip(parts, run.sources, strict=True)
    ]


def _column(run: Run, target: Tensor) -> list[Any] | None:
    """As :func:`columns_of`, by one number."""
    (source,) = run.sources
    one = ONE(source) if STACK.recorders else np.ones(source.shape, source.dtype)[()]
    (found,) = forward_tape(run).push_forward([target], [source], [one])
    if found is None or not are_finite({0: found}):
        return None
    return [found.reshape(target.shape + source.shape)]
