"""A recorded graph evaluated in mpmath, with what its operations on whole arrays mean.

What operations on whole arrays mean, on object arrays of mpmath's numbers. What moves, adds or
multiplies elements is NumPy's own function, which takes objects as well; what NumPy cannot do with
objects is written down from its definition.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from mpmath import mp

from symtape.graph.graph import Graph, Node
from symtape.primitives.primitive import Primitive
from verify.oracles.recheck.elementwise import ELEMENTWISE, round_to_even
from verify.oracles.recheck.factorisations import FACTORISATIONS


class NotRechecked(Exception):
    """Why there is no second opinion."""


def exactly(x: Any) -> Any:
    """An array's numbers as mpmath's, without rounding; whole numbers and truth values stay."""
    array = np.asarray(x)
    if array.dtype == object or array.dtype.kind not in "fc":
        return array if array.ndim else array[()]
    number = mp.mpc if array.dtype.kind == "c" else mp.mpf
    return map_elements(lambda v: number(v.item() if isinstance(v, np.generic) else v), array)


def find_stopped_values(graph: Graph, inputs: Sequence[Any]) -> list[Any]:
    """The values at which `graph` stops gradients."""
    found = list[Any]()

    def apply_and_collect(node: Node, args: list[Any]) -> Any:
        value = _apply_node(node, args)
        if node.stops:
            found.append(value)
        return value

    if any(node.stops for node in graph.nodes):
        graph.interpret(inputs, lambda node: exactly(node.constant), apply_and_collect)
    return found


def evaluate_outputs(graph: Graph, inputs: Sequence[Any], held: Sequence[Any] = ()) -> list[Any]:
    """The outputs of `graph` on object arrays, at mpmath's present precision.

    Parameters
    ----------
    graph : Graph
    inputs : sequence of object arrays
    held : sequence of object arrays, optional
        As of :func:`find_stopped_values`, for what is stopped not to move with the inputs.

    Raises
    ------
    NotRechecked
        An operation has no meaning here, or the inputs leave the recorded path.
    """
    stops = iter(held)

    def apply_or_hold(node: Node, args: list[Any]) -> Any:
        return next(stops) if held and node.stops else _apply_node(node, args)

    values = graph.interpret(inputs, lambda node: exactly(node.constant), apply_or_hold)
    for step in graph.path:
        if bool(np.all(values[step.node])) != step.outcome:
            raise NotRechecked("a neighbour of the point takes another branch of the code")
    return [values[at] for at in graph.outputs]


def _apply_node(node: Node, args: list[Any]) -> Any:
    row = node.row
    if row.name in ELEMENTWISE:
        return map_elements(functools.partial(ELEMENTWISE[row.name], **node.params), *args)
    meaning = find_array_function(row)
    if meaning is None:
        raise NotRechecked(f"{row.name} has no meaning in mpmath here")
    return meaning(*(_to_object_array(arg) for arg in args), **node.params)


def _to_object_array(arg: Any) -> Any:
    if isinstance(arg, np.ndarray | tuple | list):
        return arg
    return np.asarray(arg) if isinstance(arg, bool | int | np.generic) else np.array(arg, object)


MOVES: Final = frozenset(
    (
        *("all", "any", "argmax", "argmin", "argsort", "argwhere", "broadcast_to", "concatenate"),
        *("convolve", "correlate", "count_nonzero", "cross", "cumprod", "cumsum", "diagonal"),
        *("flip", "getitem", "getitem_by", "max", "min", "outer", "prod", "reshape", "roll"),
        *("scatter_by", "searchsorted", "sort", "stack", "sum", "transpose"),
    )
)
"""Operations whose own evaluation takes objects as it takes floats."""


def map_elements(function: Callable[..., Any], *arrays: Any) -> Any:
    """`function` of each element, broadcast; a plain object for arrays without axes."""
    return np.frompyfunc(function, len(arrays), 1)(*arrays)


def _total(x: Any, axis: Any, keepdims: bool) -> Any:
    return np.sum(np.asarray(x, dtype=object), axis=axis, keepdims=keepdims)


def _share(x: Any, axis: Any) -> int:
    """How many elements a reduction along `axis` takes into one."""
    return np.size(x) // max(np.size(_total(x, axis, True)), 1)


def _mean(x: Any, axis: Any, keepdims: bool) -> Any:
    return _total(x, axis, keepdims) / _share(x, axis)


def _var(x: Any, axis: Any, ddof: float, keepdims: bool) -> Any:
    away = x - _mean(x, axis, True)
    # Of Python's numbers, as in NumPy: the difference is rounded before anything is divided.
    return _total(away * away, axis, keepdims) / (_share(x, axis) - ddof)


def _logsumexp(a: Any, axis: Any, keepdims: bool) -> Any:
    return map_elements(mp.log, _total(map_elements(mp.exp, a), axis, keepdims))


def _softmax(a: Any, axis: Any) -> Any:
    shares = map_elements(mp.exp, a)
    return shares / _total(shares, axis, True)


def _euclidean(x: Any, axis: Any, keepdims: bool) -> Any:
    return map_elements(mp.sqrt, _total(map_elements(lambda v: abs(v) ** 2, x), axis, keepdims))


def _power_norm(a: Any, p: float, axis: Any, keepdims: bool) -> Any:
    order = mp.mpf(p)
    powers = map_elements(lambda v: mp.power(abs(v), order), a)
    return map_elements(lambda v: mp.power(v, 1 / order), _total(powers, axis, keepdims))


def _recurrence(a: Any, b: Any) -> Any:
    found = np.array(b, dtype=object)
    for i in range(1, found.shape[-1]):
        found[..., i] = a[..., i] * found[..., i - 1] + b[..., i]
    return found


def _einsum(*xs: Any, subscripts: str, optimize: Any) -> Any:
    return np.einsum(subscripts, *(np.asarray(x, dtype=object) for x in xs), optimize=False)


def _scatter(g: Any, index: Any, shape: tuple[int, ...]) -> Any:
    found = np.full(shape, mp.zero, dtype=object)
    np.add.at(found, index, g)
    return found


def _triangle(keep: Callable[..., Any]) -> Callable[..., Any]:
    def keep_triangle(x: Any, k: int) -> Any:
        mask = keep(np.ones(np.shape(x)[-2:], dtype=bool), k)
        return np.where(mask, x, mp.zero)

    return keep_triangle


def _diagonal_matrix(x: Any, offset: int, shape: tuple[int, ...]) -> Any:
    found = np.full(np.shape(x)[:-1] + tuple(shape)[-2:], mp.zero, dtype=object)
    steps = np.arange(np.shape(x)[-1])
    found[..., steps + max(-offset, 0), steps + max(offset, 0)] = x
    return found


def _round(x: Any, decimals: int) -> Any:
    scale = mp.mpf(10) ** decimals
    return map_elements(lambda v: round_to_even(v * scale) / scale, x)


def _fill_function(value: float) -> Callable[[Any], Any]:
    return lambda x: np.full(np.shape(x), mp.mpf(value), dtype=object)


def _astype(x: Any, dtype: Any) -> Any:
    kind = np.dtype(dtype).kind
    if kind in "fc":
        return x
    convert: Callable[[Any], Any] = bool if kind == "b" else int
    return map_elements(convert, x)


ARRAYS: Final[dict[str, Callable[..., Any]]] = {
    "astype": _astype,
    "astype_discrete": _astype,
    "diagonal_matrix": _diagonal_matrix,
    "einsum": _einsum,
    "euclidean_norm": _euclidean,
    "linear_recurrence": _recurrence,
    "log_softmax": lambda a, axis: a - _logsumexp(a, axis, True),
    "log_softmax_pull_back": lambda p, g, axis: g - p * _total(g, axis, True),
    "logsumexp": _logsumexp,
    "matmul": lambda a, b: np.matmul(np.asarray(a, dtype=object), np.asarray(b, dtype=object)),
    "mean": _mean,
    "ones_like": _fill_function(1.0),
    "power_norm": _power_norm,
    "round": _round,
    "scatter": _scatter,
    "softmax": _softmax,
    "softmax_pull_back": lambda p, g, axis: p * (g - _total(p * g, axis, True)),
    "std": lambda x, axis, ddof, keepdims: map_elements(mp.sqrt, _var(x, axis, ddof, keepdims)),
    "tril": _triangle(np.tril),
    "triu": _triangle(np.triu),
    "var": _var,
    "zeros_like": _fill_function(0.0),
    **FACTORISATIONS,
}
"""By name, with the parameters of the operation."""


def find_array_function(row: Primitive) -> Callable[..., Any] | None:
    """The meaning of an operation on whole arrays; None where there is none here."""
    return row.evaluate if row.name in MOVES else ARRAYS.get(row.name)
