"""What the operations of a graph mean as sums of products, by the names of their rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final, TypeAlias

from symtape.graph.graph import Node
from symtape.programs.notation.algebra import (
    broadcast_sum,
    contract_sums,
    contract_terms,
    power,
    scale_sum,
    times,
    total,
)
from symtape.programs.notation.indexed import Base, NotReadable, Sum, array_as_sum, number
from symtape.programs.notation.normal import apply_elementwise
from symtape.programs.notation.whole import inverse, reduction


@dataclass
class Notes:
    """What is noticed while a graph is read.

    Attributes
    ----------
    sizes : dict
        The sizes that have a name, as ``X.shape[0]``, and how much they are.
    halves : set of Base
        The arguments of which only the lower half is read.
    """

    sizes: dict[str, int] = field(default_factory=dict)
    halves: set[Base] = field(default_factory=set)


Read: TypeAlias = Callable[[Notes, Node, "list[Sum]"], "Sum | None"]


def _spread(node: Node, args: Sequence[Sum]) -> list[Sum]:
    return [broadcast_sum(a, node.shape) for a in args]


def _power(notes: Notes, node: Node, args: list[Sum]) -> Sum:
    base, exponent = _spread(node, args)
    value = exponent.constant
    if value is not None:
        return power(base, value)
    return apply_elementwise("power", [base, exponent])


def _matmul(notes: Notes, node: Node, args: list[Sum]) -> Sum:
    rows, columns = (len(x.shape) > 1 for x in args)
    batch = node.shape[: len(node.shape) - rows - columns]
    stacks = [broadcast_sum(x, batch + x.shape[-2:]) if len(x.shape) > 1 else x for x in args]
    around = tuple(range(len(batch)))
    i, j, k = range(len(batch), len(batch) + 3)
    left = (*around, i, j) if rows else (j,)
    right = (*around, j, k) if columns else (j,)
    return contract_sums(stacks, [left, right], [*around, *[i] * rows, *[k] * columns])


def _einsum(notes: Notes, node: Node, args: list[Sum]) -> Sum:
    inputs, _, output = node.params["subscripts"].partition("->")
    letters = {c: k for k, c in enumerate(dict.fromkeys(inputs + output)) if c.isalpha()}
    if "." in inputs:
        raise NotReadable("einsum with an ellipsis")
    indices = [[letters[c] for c in part.strip()] for part in inputs.split(",")]
    for k, (part, a) in enumerate(zip(indices, args, strict=True)):
        if any(n == 1 for n in a.shape):
            raise NotReadable("einsum that broadcasts")
        if len(set(part)) != len(part) and a.single is None:
            args[k] = times(a, number(1, a.shape))
    return contract_sums(args, indices, [letters[c] for c in output.strip()])


def _axes(node: Node, argument: Sum) -> tuple[int, ...]:
    axis = node.params.get("axis")
    rank = len(argument.shape)
    if axis is None:
        return tuple(range(rank))
    given = axis if isinstance(axis, tuple | list) else (axis,)
    return tuple(sorted(k % rank for k in given)) if rank else ()


def _keep_reduced_axes(node: Node, left: Sum, argument: Sum, axes: tuple[int, ...]) -> Sum:
    """The result of a reduction with axes of extent 1 in place of those that it has no more."""
    if not node.params.get("keepdims"):
        return left
    kept = [k for k in range(len(argument.shape)) if k not in axes]
    ones = number(1, node.shape)
    return contract_sums([left, ones], [kept, range(len(node.shape))], range(len(node.shape)))


def _sum(notes: Notes, node: Node, args: list[Sum]) -> Sum:
    (a,) = args
    axes = _axes(node, a)
    own = range(len(a.shape))
    left = contract_terms(a, own, [k for k in own if k not in axes])
    if a.single is None and left.terms:
        # Terms that all depend on what is summed over stay together: sum(a + b).
        together = all(set(axes) <= _used_indices(a, k) for k in range(len(a.terms)))
        if together:
            left = contract_sums([a], [own], [k for k in own if k not in axes])
    return _keep_reduced_axes(node, left, a, axes)


def _used_indices(inside: Sum, at: int) -> set[int]:
    return {i for f in inside.terms[at].factors for i in f.indices}


def _mean(notes: Notes, node: Node, args: list[Sum]) -> Sum:
    (a,) = args
    axes = _axes(node, a)
    if not axes:
        return a
    count = _count(notes, a, axes)
    kept = [k for k in range(len(a.shape)) if k not in axes]
    own = range(len(a.shape))
    summed = contract_sums([a], [own], kept)
    over = contract_sums([power(count, -1), summed], [(), range(len(kept))], range(len(kept)))
    return _keep_reduced_axes(node, over, a, axes)


def _count(notes: Notes, a: Sum, axes: tuple[int, ...]) -> Sum:
    """How many elements there are along some axes, by a name for each size that has one."""
    parts = []
    for axis in axes:
        label = _label(a, axis)
        extent = a.shape[axis]
        if label is None or extent <= 1:
            parts.append(number(extent))
        else:
            notes.sizes[label] = extent
            parts.append(array_as_sum(Base("size", label, (), (), (extent,))))
    return times(*parts)


def _label(inside: Sum, axis: int) -> str | None:
    """The argument and its axis along which an index of a sum goes."""
    for term in inside.terms:
        for factor in term.factors:
            for place, index in enumerate(factor.indices):
                if index != axis:
                    continue
                if factor.base.kind == "leaf":
                    return f"{factor.base.name}.shape[{place}]"
                found = _label_within(factor.base, place)
                if found is not None:
                    return found
    return None


def _label_within(base: Base, place: int) -> str | None:
    if base.kind in ("each", "group"):
        for argument in base.arguments:
            if (found := _label(argument, place)) is not None:
                return found
    if base.kind == "whole" and base.params and isinstance(base.params[0], tuple):
        argument = base.arguments[0]
        if base.shape == argument.shape:
            return _label(argument, place)
        left = [k for k in range(len(argument.shape)) if k not in base.params[0]]
        return _label(argument, left[place])
    return None


def _reduction(notes: Notes, node: Node, args: list[Sum]) -> Sum:
    (a,) = args
    axes, more = _axes(node, a), tuple[Any, ...]()
    if node.name == "euclidean_norm" and 1 < len(axes) < len(a.shape):
        raise NotReadable("norms of matrices in a stack")
    if "ddof" in node.params:
        if not isinstance(node.params["ddof"], int):
            raise NotReadable("a variance with a fraction for ddof")
        more = (node.params["ddof"], _count(notes, a, axes))
    name = "norm" if node.name == "euclidean_norm" else node.name
    found = array_as_sum(reduction(name, a, axes, *more))
    return _keep_reduced_axes(node, found, a, axes)


def _shares(notes: Notes, node: Node, args: list[Sum]) -> Sum:
    (a,) = args
    return array_as_sum(Base("whole", node.name, a.shape, (a,), (_axes(node, a),)))


def _reshape(notes: Notes, node: Node, args: list[Sum]) -> Sum:
    """Axes of extent 1 put in or taken out."""
    (a,) = args
    if [n for n in a.shape if n != 1] != [n for n in node.shape if n != 1]:
        raise NotReadable("an array in another shape")
    long = [k for k, n in enumerate(node.shape) if n != 1]
    places = iter(long)
    products_of: list[int] = []
    extra = len(node.shape)
    for n in a.shape:
        products_of.append(next(places) if n != 1 else extra)
        extra += n == 1
    ones = number(1, node.shape)
    return _align_with_ones(a, products_of, ones)


def _align_with_ones(a: Sum, places: Sequence[int], ones: Sum) -> Sum:
    """`a` with its axes at `places` among those of `ones`; what is beyond is summed over."""
    own = tuple(range(len(ones.shape)))
    if a.single is not None or not a.terms:
        return contract_sums([a, ones], [places, own], own)
    return total([contract_sums([Sum(a.shape, (t,)), ones], [places, own], own) for t in a.terms])


def _getitem(notes: Notes, node: Node, args: list[Sum]) -> Sum:
    """New axes, and axes as they are."""
    a = args[0]
    index = node.params.get("index")
    if len(args) != 1 or "index" not in node.params:
        raise NotReadable("elements by an index that is computed")
    entries = index if isinstance(index, tuple) else (index,)
    taken = sum(e is not None and e is not Ellipsis for e in entries)
    rest = [slice(None)] * (len(a.shape) - taken)
    if Ellipsis in entries:
        at = entries.index(Ellipsis)
        full = [*entries[:at], *rest, *entries[at + 1 :]]
    else:
        full = [*entries, *rest]
    if any(e is not None and e != slice(None) for e in full):
        raise NotReadable("a part of an array")
    places = [k for k, e in enumerate(full) if e is not None]
    return _align_with_ones(a, places, number(1, node.shape))


def _diagonal(notes: Notes, node: Node, args: list[Sum]) -> Sum:
    (a,) = args
    if node.params["offset"] != 0 or a.shape[-1] != a.shape[-2]:
        raise NotReadable("a diagonal beside the main one")
    around = tuple(range(len(a.shape) - 2))
    last = len(around)
    return contract_terms(a, (*around, last, last), (*around, last))


def _diagonal_matrix(notes: Notes, node: Node, args: list[Sum]) -> Sum:
    (a,) = args
    if node.params["offset"] != 0 or len(a.shape) != 1 or node.shape != a.shape * 2:
        raise NotReadable("a diagonal beside the main one")
    unit = array_as_sum(Base("delta", "eye", node.shape))
    return contract_sums([a, unit], [(0,), (0, 1)], (0, 1))


def _outer(notes: Notes, node: Node, args: list[Sum]) -> Sum:
    a, b = args
    if len(a.shape) != 1 or len(b.shape) != 1:
        raise NotReadable("an outer product of matrices")
    return contract_sums(args, [(0,), (1,)], (0, 1))


def _apply_to_matrix(name: str, node: Node, args: list[Sum]) -> Sum:
    return array_as_sum(Base("whole", name, node.shape, (args[0],)))


def _slogdet(notes: Notes, node: Node, args: list[Sum]) -> Sum | None:
    return _apply_to_matrix("logdet", node, args) if node.part == 1 else None


def _apply_to_lower_half(name: str, notes: Notes, node: Node, args: list[Sum]) -> Sum:
    """A function of a symmetric matrix, which reads its lower half."""
    if node.params.get("UPLO", "L") != "L":
        raise NotReadable("a function of the upper half of a matrix")
    only = args[0].single
    if only is not None and len(only.factors) == 1:
        notes.halves.add(only.factors[0].base)
    return _apply_to_matrix(name, node, args)


def _eigh(notes: Notes, node: Node, args: list[Sum]) -> Sum:
    name = "eigenvectors" if node.part == 1 else "eigenvalues"
    return _apply_to_lower_half(name, notes, node, args)


def _cholesky(notes: Notes, node: Node, args: list[Sum]) -> Sum:
    lower = _apply_to_lower_half("cholesky", notes, node, args)
    if not node.params["upper"]:
        return lower
    if len(node.shape) != 2:
        raise NotReadable("upper factors of several matrices")
    return contract_terms(lower, (0, 1), (1, 0))


def _solve(notes: Notes, node: Node, args: list[Sum]) -> Sum:
    a, b = args
    if len(a.shape) != 2 or len(b.shape) > 2:
        raise NotReadable("several systems at once")
    right = [1, 2][: len(b.shape)]
    return contract_sums(
        [array_as_sum(inverse(a)), b], [(0, 1), right], [i for i in (0, *right) if i != 1]
    )


def _solve_triangular(notes: Notes, node: Node, args: list[Sum]) -> Sum:
    a, b = args
    only = a.single
    lower = node.params["lower"]
    if node.params["unit_diagonal"] or only is None or len(only.factors) != 1:
        raise NotReadable("a half of a matrix")
    (factor,) = only.factors
    if factor.base.name != "cholesky" or factor.indices != ((0, 1) if lower else (1, 0)):
        raise NotReadable("a half of a matrix")
    turned = array_as_sum(inverse(array_as_sum(factor.base)))
    left = (0, 1) if lower == (not node.params["trans"]) else (1, 0)
    right = [1, 2][: len(b.shape)]
    return contract_sums([turned, b], [left, right], [i for i in (0, *right) if i != 1])


def _difference(notes: Notes, node: Node, args: list[Sum]) -> Sum:
    a, b = _spread(node, args)
    return total([a, scale_sum(b, -1)])


def _quotient(notes: Notes, node: Node, args: list[Sum]) -> Sum | None:
    a, b = _spread(node, args)
    return times(a, power(b, -1)) if b.terms else None


MEANINGS: Final[dict[str, Read]] = {
    "add": lambda notes, node, args: total(_spread(node, args)),
    "subtract": _difference,
    "multiply": lambda notes, node, args: times(*_spread(node, args)),
    "divide": _quotient,
    "negative": lambda notes, node, args: scale_sum(args[0], -1),
    "positive": lambda notes, node, args: args[0],
    "astype": lambda notes, node, args: args[0],
    "square": lambda notes, node, args: power(args[0], 2),
    "reciprocal": lambda notes, node, args: power(args[0], -1),
    "sqrt": lambda notes, node, args: power(args[0], Fraction(1, 2)),
    "power": _power,
    "float_power": _power,
    "matmul": _matmul,
    "einsum": _einsum,
    "outer": _outer,
    "sum": _sum,
    "mean": _mean,
    **dict.fromkeys(("max", "min", "euclidean_norm", "logsumexp", "var", "std"), _reduction),
    **dict.fromkeys(("softmax", "log_softmax"), _shares),
    "transpose": lambda notes, node, args: contract_terms(
        args[0], range(len(args[0].shape)), node.params["axes"]
    ),
    "reshape": _reshape,
    "getitem": _getitem,
    "broadcast_to": lambda notes, node, args: broadcast_sum(args[0], node.shape),
    "ones_like": lambda notes, node, args: number(1, node.shape),
    "zeros_like": lambda notes, node, args: number(0, node.shape),
    "diagonal": _diagonal,
    "diagonal_matrix": _diagonal_matrix,
    "inv": lambda notes, node, args: array_as_sum(inverse(args[0])),
    "det": lambda notes, node, args: _apply_to_matrix("det", node, args),
    "slogdet": _slogdet,
    "cholesky": _cholesky,
    "eigh": _eigh,
    "eigvalsh": _eigh,
    "solve": _solve,
    "solve_triangular": _solve_triangular,
}
