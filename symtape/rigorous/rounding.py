"""Model balls: what honest float code may answer.

Every operation encloses not the exact result but every value that a float implementation may
return under the rounding constants of its row: ``fl f(x) = f(x (1 ± k_in u)) (1 ± k_out u)``
plus the least subnormal number, for elementwise rows. Of XLA's arithmetic it is the least normal
one. A sum of products in n roundings is exact for one factor perturbed by n u, in whatever order it
is added up; a factorisation for a matrix nearby (:mod:`symtape.rigorous.backward_error`).
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.graph.graph import Graph, Node
from symtape.primitives.backward_error import BackwardError
from symtape.primitives.primitive import Primitive
from symtape.process.precision import precision
from symtape.rigorous.adjoint import adjoint_bound as adjoint_bound
from symtape.rigorous.backward_error import (
    error_of_logs,
    error_of_vectors,
    has_steady_signs,
    is_xla,
    perturbation,
    roundings,
)
from symtape.rigorous.enclose import Reading
from symtape.rigorous.matrices import kept_size, midpoints, objects
from symtape.rigorous.narrowing import narrow_value
from symtape.rigorous.scalar import UNKNOWN, Ball, hull, to_ball

_LEAST_BITS: Final = 113

_NEARLY: Final = 1 - arb(2) ** -20
"""For a quick look at what a ball holds, whose radius has 30 bits."""

LIBRARY: Final = 8
"""Roundings from which a row is a function of SciPy's, which may return 0 for what would be
subnormal: erfc, ndtr, expit, jv, iv and gammainc do (measured, SciPy 1.17)."""

MANY: Final = 64
"""Roundings from which a row need not return an exact value that floats can hold: of the polynomial
4.5 x² - 2.25 SciPy makes -2.2500000000000004 at 0."""


def model(graph: Graph, inputs: Sequence[Any], bits: int = _LEAST_BITS) -> list[Any]:
    """Enclose what float code that runs `graph` may return.

    Parameters
    ----------
    graph : Graph
        A recorded computation; the dtype of each node says how it was rounded.
    inputs : sequence of array_like
        One for each input of the graph, of its shape.
    bits : int
        Working precision, at least 113.

    Returns
    -------
    list of object arrays
        As :func:`symtape.rigorous.enclose.enclose`. A ball is not finite where the computation
        may have overflowed or left the domain of an operation.

    Raises
    ------
    Unsupported
        As :func:`symtape.rigorous.enclose.enclose`.
    ValueError
        Fewer bits than 113: the balls' own rounding would count.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> graph = symtape.record(lambda x: (x + 0.1) * 3, 0.2)
    >>> [value] = model(graph, [0.2])
    >>> bool(value[()].contains(float((0.2 + 0.1) * 3)))
    True
    """
    if bits < _LEAST_BITS:
        raise ValueError(f"model(..., bits={bits}): expected at least {_LEAST_BITS}")
    with precision(bits):
        return FloatReading(graph, inputs).outputs()


def model_nodes(graph: Graph, inputs: Sequence[Any]) -> list[Any]:
    """As :func:`model`, of every node: a ball or an array of balls for each that is of floats."""
    with precision(_LEAST_BITS):
        return FloatReading(graph, inputs).nodes()


class Rounding:
    """The rounding of one dtype; with subnormal numbers, or with 0 for each of them."""

    def __init__(self, dtype: np.dtype[Any], flushed: bool = False) -> None:
        limits = np.finfo(dtype)
        self.flushed = flushed
        self.u = float(limits.epsneg)
        self.digits = limits.nmant + 1
        self.least_exponent = math.frexp(float(limits.smallest_subnormal))[1] - 1
        self.largest = arb(float(limits.max))
        self.least_normal = arb(float(limits.smallest_normal))
        least = self.least_normal if flushed else arb(float(limits.smallest_subnormal))
        self.least = arb(0, least)
        self.largest_root = arb(float(np.sqrt(float(limits.max)))) / 2**16
        self.least_root = arb(np.sqrt(float(least))) * 2**10
        # A little less than all of the range, for a quick look; radii have 30 bits.
        self.range = arb(0, self.largest * (1 - arb(2) ** -20))

    @functools.lru_cache(maxsize=256)  # noqa: B019  # units live as long as the process
    def factor(self, k: float) -> Ball:
        """``1 ± k u``."""
        return arb(1, arb(k) * arb(self.u))

    def represents(self, x: Ball) -> bool:
        """Whether an exact ball is a number of the dtype."""
        if x.bits() > self.digits or (self.flushed and 0 < abs(x) < self.least_normal):
            return False
        if self.range.contains(x) and (abs(x) >= self.least_normal or x.is_zero()):
            return True
        mantissa, exponent = x.man_exp()
        fits = int(mantissa).bit_length() <= self.digits and int(exponent) >= self.least_exponent
        return bool(fits and abs(x) <= self.largest)

    @functools.lru_cache(maxsize=256)  # noqa: B019  # as above
    def make_rounding(self, k: float) -> Callable[[Ball], Ball]:
        """What a ball may be after a rounding of k units; unknown if it may overflow."""
        factor = self.factor(k)
        slack = self.least * k if k > 1 else self.least
        if k >= LIBRARY:
            slack = arb(0, self.least_normal)
        represents, inside, largest = self.represents, self.range.contains, self.largest

        def round_once(x: Ball) -> Ball:
            if x.is_exact() and x.is_finite() and represents(x) and (k < MANY or x.is_zero()):
                return x
            result = x * factor + slack
            if inside(result):
                return result
            return result if x.is_finite() and -largest <= result <= largest else UNKNOWN

        return round_once

    def add_underflow(self, x: Ball, n: float) -> Ball:
        """A sum of n products, each of which may have lost half a subnormal number."""
        if not x.is_finite() or not -self.largest <= x <= self.largest:
            return UNKNOWN
        return x if x.is_exact() and self.represents(x) else x + self.least * n

    def spread_of_squares(self, x: Ball) -> Ball:
        """A root of a sum of squares, which overflow and underflow early."""
        if not x <= self.largest_root:
            return UNKNOWN
        return x if x.is_zero() or x > self.least_root * 2**30 else x + arb(0, self.least_root)

    def product_limit(self, n: float, factors: int) -> Ball:
        """What factors may be at most for no sum of n of their products to overflow."""
        return (self.largest / (4 * n + 4)).root(max(factors, 1)).lower()

    @functools.lru_cache(maxsize=256)  # noqa: B019  # as above
    def make_perturbation(self, k: float) -> Callable[[Ball], Ball]:
        """``x (1 ± k u)``."""
        factor = self.factor(k)
        return lambda x: x if x.is_zero() else x * factor


def rounding_of(dtype: np.dtype[Any]) -> Rounding:
    """How floats of `dtype` round."""
    return _rounding(dtype, is_xla())


@functools.cache  # of dtypes
def _rounding(dtype: np.dtype[Any], flushed: bool) -> Rounding:
    return Rounding(dtype, flushed)


class FloatReading(Reading):
    """A graph in balls that hold what floats would make of it."""

    unit = staticmethod(rounding_of)
    """How floats of a dtype round."""

    def read_input(self, x: Any) -> Any:
        """The meaning of an input; of a subnormal one, what is left of it."""
        value = super().read_input(x)
        if not is_xla() or x.dtype.kind != "f":
            return value
        least = rounding_of(x.dtype).least_normal
        return _map_balls(value, lambda ball: hull(ball, arb(0)) if abs(ball) < least else ball)

    def apply(self, node: Node, args: list[Any]) -> Any:
        """The meaning of an operation whose arguments and results are rounded."""
        row = node.row
        if node.dtype.kind != "f":
            return super().apply(node, args)
        unit = self.unit(node.dtype)
        if row.backward is not None:
            return self._factorise(node, row.backward, self._cast_scalars(node, args), unit)
        args, k_in, k_out = self.take(node, args)
        if not k_in and not k_out:
            return super().apply(node, args)
        if row.structure == "multilinear":
            return self._multilinear(node, args, unit, k_in)
        if row.structure == "products" and _leaves_range(args[0], unit):
            return _map_balls(super().apply(node, args), lambda x: UNKNOWN)
        value = super().apply(node, args)
        if row.elementwise and row.ball is not None and k_out >= LIBRARY:
            function = functools.partial(narrow_value, functools.partial(row.ball, **node.params))
            value = _apply_to_balls(function, value, *args)
        value = _map_balls(value, unit.make_rounding(k_out))
        return _map_balls(value, unit.spread_of_squares) if row.structure == "squares" else value

    def take(self, node: Node, args: list[Any]) -> tuple[list[Any], float, float]:
        """The arguments as an operation takes them, and the roundings of arguments and results."""
        args = self._cast_scalars(node, args)
        k_in, k_out = self._constants(node, node.row, args)
        if not k_in or node.row.structure == "multilinear":
            return args, k_in, k_out
        around = rounding_of(node.dtype).make_perturbation(k_in)
        taken = [
            _map_balls(arg, around) if self._is_computed(at) else arg
            for at, arg in zip(node.inputs, args, strict=True)
        ]
        return taken, k_in, k_out

    def _factorise(self, node: Node, known: BackwardError, args: list[Any], unit: Rounding) -> Any:
        whole = _to_objects(args[0])
        if known.matrix is not None:
            whole = objects(known.matrix(whole, **node.params))
            node = dataclasses.replace(node, primitive=known.row, params={})
        middles = midpoints(whole)
        nearby = _widen_balls(whole, perturbation(known, middles, unit.u))
        result = super().apply(node, [nearby, *args[1:]])
        if known.logs:
            errors = error_of_logs(middles, unit.u)
            return tuple(
                _widen_balls(_to_objects(part), errors)[()] if number in known.logs else part
                for number, part in enumerate(result)
            )
        if known.orthogonal:
            slack = arb(0, error_of_vectors(middles.shape, unit.u))
            slack = slack if has_steady_signs(known, middles) else UNKNOWN
            result = tuple(
                _map_balls(part, lambda x: x + slack) if number in known.orthogonal else part
                for number, part in enumerate(result)
            )
        if known.determinant:
            relative = float(np.max(error_of_logs(middles, unit.u), initial=0)) / unit.u
            result = _map_balls(result, unit.make_perturbation(relative))
        lost = 4 * middles.shape[-1]
        return _map_balls(result, lambda x: x if x.is_exact() else unit.add_underflow(x, lost))

    def _constants(self, node: Node, row: Primitive, args: list[Any]) -> tuple[float, float]:
        shapes = () if row.elementwise else tuple(np.shape(arg) for arg in args)
        return roundings(row, shapes, node.params)

    def _is_computed(self, position: int) -> bool:
        """Whether a node is a float that is not a constant."""
        node = self.graph.nodes[position]
        return node.dtype.kind == "f" and node.constant is None

    def _cast_scalars(self, node: Node, args: list[Any]) -> list[Any]:
        """Python scalars take the dtype of the arrays beside them, so they are rounded first."""
        if node.dtype.itemsize >= 8:
            return args
        cast = list(args)
        for number, at in enumerate(node.inputs):
            exact = self.graph.nodes[at].constant
            if type(exact) in (int, float):
                near = float(node.dtype.type(exact))
                cast[number] = hull(to_ball(exact), to_ball(near))
        return cast

    def _multilinear(self, node: Node, args: list[Any], unit: Rounding, n: float) -> Any:
        operands = [arg for arg in args if _is_of_balls(arg)]
        if not all(_stays_below(arg, unit.product_limit(n, len(operands))) for arg in operands):
            return _map_balls(super().apply(node, args), lambda x: UNKNOWN)
        if not operands:
            # Sums over no entries at all: zeros, and exact.
            return super().apply(node, args)
        # Any one factor of each product may be the one that is off; the fewer, the cheaper.
        least = min(
            (number for number, arg in enumerate(args) if _is_of_balls(arg)),
            key=lambda number: np.size(args[number]),
        )
        perturbed = list(args)
        perturbed[least] = _map_balls(args[least], unit.make_perturbation(n))
        value = super().apply(node, perturbed)
        return _map_balls(value, functools.partial(unit.add_underflow, n=n))


def _map_balls(value: Any, function: Callable[[Ball], Ball]) -> Any:
    """Apply `function` to every ball of a meaning; what is no ball stays."""
    if type(value) is arb:
        return function(value)
    if type(value) is tuple:
        return tuple(_map_balls(part, function) for part in value)
    if _is_of_balls(value):
        return np.frompyfunc(function, 1, 1)(value)
    return value


def _apply_to_balls(function: Callable[..., Ball], *balls: Any) -> Any:
    """Apply `function` to balls, or to each of arrays of them."""
    if all(type(x) is arb for x in balls):
        return function(*balls)
    return np.frompyfunc(function, len(balls), 1)(*map(objects, balls))


def _is_of_balls(value: Any) -> bool:
    if type(value) is arb:
        return True
    whole = isinstance(value, np.ndarray) and value.dtype == object and value.size
    return bool(whole) and type(value.flat[0]) is arb


def _balls(value: Any) -> list[Ball]:
    return list(value.ravel().tolist()) if isinstance(value, np.ndarray) else [value]


def _stays_below(value: Any, limit: Ball) -> bool:
    known = kept_size(value) if isinstance(value, np.ndarray) else None
    if known is not None and known <= limit:
        return True
    balls = _balls(value)
    if all(map(arb(0, limit * _NEARLY).contains, balls)):
        return True
    return all(-limit <= x <= limit for x in balls)


def _leaves_range(value: Any, unit: Rounding) -> bool:
    """Whether products of some of the factors may leave the range of normal numbers."""
    largest = least = arb(1)
    for x in _balls(value):
        size = abs(x)
        largest = largest * size.max(arb(1)).upper()
        if not x.is_zero():
            least = least * size.min(arb(1)).lower()
    return not (largest <= unit.largest and least >= unit.least_normal)


def _to_objects(value: Any) -> Any:
    return value if isinstance(value, np.ndarray) and _is_of_balls(value) else objects(value)


def _widen_balls(balls: Any, by: Any) -> Any:
    """An object array of balls with radii added to theirs."""
    widened = np.empty(balls.shape, dtype=object)
    for index in np.ndindex(balls.shape):
        radius = float(by[index])
        widened[index] = balls[index] + arb(0, radius) if np.isfinite(radius) else UNKNOWN
    return widened
