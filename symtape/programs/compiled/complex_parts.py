"""A pass of back ends: complex numbers as real and imaginary parts, which loops compute with.

What has no quick and safe reading, as logarithms, is given complex numbers. Results are within
rounding the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.cartesian.lower import Whole, split_complex_nodes
from symtape.graph.cartesian.parts import Parts, parts
from symtape.graph.cartesian.products import multiply_parts_by
from symtape.graph.cartesian.slack import SLACK
from symtape.graph.graph import Graph, Node, has_complex_nodes
from symtape.primitives.comparison import EQUAL, NOT_EQUAL
from symtape.primitives.fourier import FFT, IRFFT, RFFT
from symtape.primitives.primitive import Array, Primitive, opaque
from symtape.primitives.steps import SIGN
from symtape.programs.compiled.complex_factors import join_factors
from symtape.programs.compiled.deciding import deciding_nodes
from symtape.programs.compiled.decompositions import EIGH_OF_PARTS, EIGVALSH_OF_PARTS
from symtape.programs.compiled.passes import optimise_graph
from symtape.programs.compiled.rewriting import Builder, applies_to, rewritten
from symtape.programs.compiled.transforms import (
    PARTS_TO_PARTS,
    PARTS_TO_REALS,
    REALS_TO_PARTS,
    is_for_loops,
    join_parts,
    split_parts,
)

JOIN: Final[Primitive] = opaque("complex", join_parts, 2)
"""Of programs alone, for NumPy has no function for it."""

SPLIT: Final[Primitive] = opaque("parts", split_parts, 1)
"""Real parts and imaginary ones, each as neighbours in memory, as loops and BLAS read them."""


def _divide(a: Array, b: Array, c: Array, d: Array) -> tuple[Any, Any]:
    """``(a + bi) / (c + di)`` by Smith's method, as NumPy does it."""
    first = np.abs(c) >= np.abs(d)
    large, small = np.where(first, c, d), np.where(first, d, c)
    ratio: Any = np.divide(small, large)
    scale = 1.0 / (large + small * ratio)
    along, across = np.where(first, a, b), np.where(first, b, a)
    turned = across - along * ratio
    return (along + across * ratio) * scale, np.where(first, turned, -turned) * scale


def _sign(a: Array, b: Array) -> tuple[Any, Any]:
    size = np.hypot(a, b)
    size = np.where(size == 0, 1.0, size)
    return a / size, b / size


def _root(a: Array, b: Array) -> tuple[Any, Any]:
    """The root with a real part of at least 0, without the difference of what is nearly equal."""
    size: Any = np.sqrt(0.5 * np.abs(a) + 0.5 * np.hypot(a, b))
    other = 0.5 * np.abs(b) / np.where(size == 0, 1.0, size)
    right = a >= 0
    return np.where(right, size, other), np.copysign(np.where(right, other, size), b)


def _row(name: str, evaluate: Callable[..., tuple[Any, Any]], part: int, inputs: str) -> Primitive:
    return Primitive(
        name=f"{name}_{'real' if part == 0 else 'imag'}",
        inputs=inputs,
        evaluate=lambda *parts: evaluate(*parts)[part],
        elementwise=True,
        vjp="missing",
    )


QUOTIENT: Final = [_row("quotient", _divide, part, "a b c d") for part in range(2)]
"""Two rows, which share most of what they compute."""

_ROOT: Final = [_row("root", _root, part, "a b") for part in range(2)]
_SIGN: Final = [_row("sign", _sign, part, "a b") for part in range(2)]


def _reading(rows: Sequence[Primitive]) -> Callable[..., Parts]:
    """Of complex numbers, what rows compute of their real and imaginary parts."""

    def read(*numbers: Any) -> Parts:
        given = [_as_floats(part) for z in map(parts, numbers) for part in (z.real, z.imag)]
        return Parts(*(row(*given) for row in rows))

    return read


def _as_floats(x: Any) -> Any:
    """Whole numbers that are known, in the precision in which NumPy computes with them."""
    if isinstance(x, int):
        return float(x)
    is_known = isinstance(x, np.ndarray | np.generic)
    return x.astype(np.float64) if is_known and x.dtype.kind in "iub" else x


def _read_transform(of_parts: Primitive) -> Callable[..., Any]:
    """A transform of parts, where these are small."""

    def read(x: Any, **params: Any) -> Any:
        z = parts(x)
        if not is_for_loops(z.real.shape, params):
            return NotImplemented
        given = (z.real,) if of_parts is REALS_TO_PARTS else (z.real, z.imag)
        found = of_parts(*given, **params)
        return Parts(*found) if isinstance(found, tuple) else found

    return read


def _read_eigenvectors(of_parts: Primitive) -> Callable[..., Any]:
    """Eigenvalues, and vectors where they are asked for, of the parts of one Hermitian matrix."""

    def read(a: Any, **params: Any) -> Any:
        z = parts(a)
        if len(np.shape(z.real)) != 2:
            return NotImplemented
        found = of_parts(z.real, z.imag, **params)
        return (found[0], Parts(*found[1:])) if isinstance(found, tuple) else found

    return read


_AS_ELSEWHERE: Final = (
    *(
        "absolute",
        "add",
        "angle",
        "astype",
        "conjugate",
        "cos",
        "cosh",
        "equal",
        "exp",
        "imag",
        "isfinite",
    ),
    *("mean", "multiply", "negative", "not_equal", "one", "ones_like", "positive", "real", "sin"),
    *("sinh", "square", "subtract", "sum", "where", "zeros_like"),
)
"""Rows whose readings keep NumPy's values at zeros and in the whole range of floats."""

_WHOLE: Final = Whole(
    JOIN,
    SPLIT,
    {
        **dict.fromkeys(_AS_ELSEWHERE),
        "divide": _reading(QUOTIENT),
        "eigh": _read_eigenvectors(EIGH_OF_PARTS),
        "eigvalsh": _read_eigenvectors(EIGVALSH_OF_PARTS),
        FFT.name: _read_transform(PARTS_TO_PARTS),
        RFFT.name: _read_transform(REALS_TO_PARTS),
        IRFFT.name: _read_transform(PARTS_TO_REALS),
        "matmul": lambda a, b: multiply_parts_by(np.matmul, parts(a), parts(b)),
        "sign": _reading(_SIGN),
        "sqrt": _reading(_ROOT),
    },
)


def compute_by_parts(graph: Graph) -> Graph:
    """`graph` with complex numbers taken apart; as it is, where it decides by one.

    Examples
    --------
    >>> import symtape
    >>> graph = symtape.record(lambda x: np.abs(np.log(x * 1j) + 2) ** 2, [0.5, 2.0])
    >>> [node.name for node in compute_by_parts(graph).nodes if node.dtype.kind == "c"]
    ['complex', 'log']
    """
    if not has_complex_nodes(graph) or any(node.dtype.char in "FG" for node in graph.nodes):
        return graph
    graph = rewritten(graph, [join_factors])
    nodes = graph.nodes
    of_zero = frozenset(at for at in range(len(graph)) if _asks_for_zero(graph, nodes[at]))
    if any(nodes[at].dtype.kind == "c" for at in deciding_nodes(graph, of_zero)):
        return graph
    try:
        found = split_complex_nodes(graph, _WHOLE)
    except Unsupported:
        return graph
    return optimise_graph(rewritten(found, [_drop_slack]))


def _asks_for_zero(graph: Graph, node: Node) -> bool:
    """Whether rounding has a part in what it decides at zeros alone, which parts have as well."""
    given = [graph.nodes[at] for at in node.inputs]
    if node.primitive is SIGN:
        return given[0].dtype.kind == "c"
    is_equality = node.primitive is EQUAL or node.primitive is NOT_EQUAL
    return is_equality and any(x.constant is not None and not np.any(x.constant) for x in given)


@applies_to(SLACK)
def _drop_slack(build: Builder, node: Node) -> int | None:
    return node.inputs[0]
