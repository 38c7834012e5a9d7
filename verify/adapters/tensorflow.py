"""TensorFlow: derivatives by ``tf.GradientTape``, judged by their values against NumPy code.

A function in TensorFlow runs, but its program is not read. So a claim is judged against the
function written in NumPy, which is the same names for the most part, or against itself with
``evidence="sampled"``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, NoReturn

import numpy as np

from symtape.errors import Unreadable
from symtape.process.extras import load
from verify.errors import UsageError
from verify.model.foreign import (
    Foreign,
    check_positional,
    halves,
    leaves_mapped,
    one_or_all,
    original_of,
    wrap_transform,
)

_NEEDED_BY: Final = "verify.adapters.tensorflow"

Function = Callable[..., Any]


def adapt(function: Function) -> Foreign:
    """A function of TensorFlow's tensors as one of arrays, ``tf.function`` or not.

    Parameters
    ----------
    function : callable
        Takes tensors of the dtypes of the points; returns a tensor, or a tuple of them.

    Raises
    ------
    MissingExtra
        TensorFlow is not installed.
    UsageError
        It needs arguments by keyword; when it is called, what is no dense tensor of numbers.
    """
    load("tensorflow", _NEEDED_BY)
    check_positional(function)
    name = str(getattr(function, "__name__", type(function).__name__))
    return Foreign(
        framework="tensorflow",
        original=function,
        run=functools.partial(_run, function, name),
        read=functools.partial(_refuse, name),
    )


def _run(function: Function, name: str, *arrays: Any) -> Any:
    tf = _tf()
    answer = function(*[tf.constant(x) for x in arrays])
    return leaves_mapped(answer, functools.partial(_array, tf, name), name)


def _array(tf: Any, name: str, tensor: Any) -> Any:
    """A tensor as an array of the nearest dtype that NumPy has."""
    if isinstance(tensor, tf.IndexedSlices):
        # The gradient of a gather: rows, and where they belong.
        tensor = tf.convert_to_tensor(tensor)
    if isinstance(tensor, tf.SparseTensor | tf.RaggedTensor):
        raise UsageError(
            f"{name} returned a {type(tensor).__name__}; expected a dense tensor, as "
            "tf.sparse.to_dense(...) or .to_tensor() gives"
        )
    array = tensor.numpy() if hasattr(tensor, "numpy") else np.asarray(tensor)
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def _refuse(name: str, *tensors: Any) -> NoReturn:
    raise Unreadable(
        f"{name} is a function of TensorFlow, whose programs are not read; give the function in "
        "NumPy, or pass evidence='sampled'"
    )


def derivatives(function: Function, quantity: str) -> dict[str, Foreign]:
    """The derivatives that ``tf.GradientTape`` takes of `function`, reverse mode first.

    Parameters
    ----------
    function : callable
        Of TensorFlow, or what :func:`adapt` made of it.
    quantity : str
        ``gradient``, ``jacobian``, ``hessian``, ``vjp``, ``jvp`` or ``hvp``.

    Returns
    -------
    dict
        By the name of the mode; each takes what a claim of that quantity takes.
    """
    original = original_of(function)
    return {
        mode: adapt(wrap_transform(take, original, "tf.GradientTape"))
        for mode, take in _MODES[quantity].items()
    }


def _tf() -> Any:
    return load("tensorflow", _NEEDED_BY)


def _call_watched(function: Function, xs: tuple[Any, ...]) -> tuple[Any, Any]:
    tf = _tf()
    with tf.GradientTape(persistent=True) as tape:
        for x in xs:
            tape.watch(x)
        y = function(*xs)
    return tape, y


def _pull_cotangent(function: Function, xs: tuple[Any, ...], cotangent: Any = None) -> list[Any]:
    tape, y = _call_watched(function, xs)
    zero = _tf().UnconnectedGradients.ZERO
    pulled: list[Any] = tape.gradient(y, list(xs), cotangent, unconnected_gradients=zero)
    return pulled


def _gradient(function: Function, *xs: Any) -> Any:
    return one_or_all(_pull_cotangent(function, xs))


def _jacobian(function: Function, *xs: Any) -> Any:
    tape, y = _call_watched(function, xs)
    zero = _tf().UnconnectedGradients.ZERO
    return one_or_all(tape.jacobian(y, list(xs), unconnected_gradients=zero))


def _hessian(function: Function, *xs: Any) -> Any:
    rows = [
        _jacobian(lambda *inner, k=k: _pull_cotangent(function, inner)[k], *xs)
        for k in range(len(xs))
    ]
    return one_or_all(rows)


def _vjp(function: Function, *xs_and_cotangent: Any) -> Any:
    *xs, cotangent = xs_and_cotangent
    return one_or_all(_pull_cotangent(function, tuple(xs), cotangent))


def _jvp(function: Function, *xs_and_tangents: Any) -> Any:
    tf = _tf()
    xs, tangents = halves(xs_and_tangents)
    with tf.autodiff.ForwardAccumulator(list(xs), list(tangents)) as forward:
        y = function(*xs)
    return forward.jvp(y, unconnected_gradients=tf.UnconnectedGradients.ZERO)


def _hvp(function: Function, *xs_and_vectors: Any) -> Any:
    tf = _tf()
    xs, vectors = halves(xs_and_vectors)

    def slope_along(*inner: Any) -> Any:
        slopes = _pull_cotangent(function, inner)
        return tf.add_n([tf.reduce_sum(s * v) for s, v in zip(slopes, vectors, strict=True)])

    return one_or_all(_pull_cotangent(slope_along, xs))


def _hvp_forward(function: Function, *xs_and_vectors: Any) -> Any:
    xs, _ = halves(xs_and_vectors)
    parts = [
        _jvp(lambda *inner, k=k: _pull_cotangent(function, inner)[k], *xs_and_vectors)
        for k in range(len(xs))
    ]
    return one_or_all(parts)


_MODES: Final[dict[str, dict[str, Function]]] = {
    "gradient": {"reverse": _gradient},
    "jacobian": {"reverse": _jacobian},
    "hessian": {"reverse": _hessian},
    "vjp": {"reverse": _vjp},
    "jvp": {"forward": _jvp},
    "hvp": {"reverse": _hvp, "forward over reverse": _hvp_forward},
}
