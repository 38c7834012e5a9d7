"""Functions of whole arrays, and how cotangents are pulled back through them in array notation.

A rule takes the cotangent, of the indices of what is differentiated and then those of the result,
how many the first are, and the function; its answer is of the first indices and those of the
argument. Sources: M. Giles, "Collected matrix derivative results", 2008; K. B. Petersen and
M. S. Pedersen, "The Matrix Cookbook", 2012.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, TypeAlias

from symtape.programs.notation.algebra import (
    contract_sums,
    contract_terms,
    power,
    scale_sum,
    times,
    total,
)
from symtape.programs.notation.indexed import (
    SYMMETRIC,
    Base,
    Indices,
    NotReadable,
    Shape,
    Sum,
    array_as_sum,
)
from symtape.programs.notation.normal import apply_elementwise

MASKS: Final = {
    "lower half": (Fraction(1), Fraction(1, 2)),
    "lower twice": (Fraction(2), Fraction(1)),
}
"""Constant lower triangles: what they are below the diagonal, and on it."""

Pull: TypeAlias = Callable[[Sum, int, Base], Sum]


def reduced_axes(base: Base) -> tuple[int, ...]:
    """The axes of the argument that the result has not."""
    return tuple(base.params[0])


def reduction(name: str, argument: Sum, axes: tuple[int, ...], *more: Any) -> Base:
    """A function of the elements along some axes, by which these disappear."""
    left: Shape = tuple(n for k, n in enumerate(argument.shape) if k not in axes)
    return Base("whole", name, left, (argument,), (axes, *more))


def _places(free: int, base: Base) -> tuple[Indices, Indices, Indices]:
    """Indices of what is differentiated, of the argument, and of those that are left of it."""
    rank = len(base.arguments[0].shape)
    first = tuple(range(free))
    inside = tuple(range(free, free + rank))
    axes = reduced_axes(base)
    return first, inside, tuple(i for k, i in enumerate(inside) if k not in axes)


def _make_reduction_pull(slope: Callable[[Sum, Sum, Base], Sum]) -> Pull:
    """By the derivative by an element, of the argument and of the result along it."""

    def pull(cotangent: Sum, free: int, base: Base) -> Sum:
        first, inside, left = _places(free, base)
        argument = base.arguments[0]
        found = slope(argument, _spread(array_as_sum(base), argument, reduced_axes(base)), base)
        return contract_sums([cotangent, found], [first + left, inside], first + inside)

    return pull


def _spread(value: Sum, over: Sum, axes: Indices | None = None) -> Sum:
    """What has no longer some axes, all by default, in every place of them."""
    own = tuple(range(len(over.shape)))
    kept = [i for i in own if axes is not None and i not in axes]
    return contract_sums([value, power(over, 0)], [kept, own], own)


def _softmax(argument: Sum, base: Base) -> Sum:
    return array_as_sum(
        Base("whole", "softmax", argument.shape, (argument,), (reduced_axes(base),))
    )


def _variance_slope(argument: Sum, value: Sum, base: Base) -> Sum:
    axes, ddof, count = base.params
    mean = _spread(array_as_sum(reduction("mean", argument, axes, count)), argument, axes)
    deviation = total([argument, scale_sum(mean, -1)])
    below = count if not ddof else total([count, scale_sum(power(count, 0), -ddof)])
    return scale_sum(times(deviation, _spread(power(below, -1), argument)), 2)


def _mean_slope(argument: Sum, value: Sum, base: Base) -> Sum:
    return _spread(power(base.params[1], -1), argument)


def _softmax_pull(cotangent: Sum, free: int, base: Base) -> Sum:
    first, inside, axes, summed_over = _reduction_indices(free, base)
    y = array_as_sum(base)
    inner = contract_sums([cotangent, y], [first + summed_over, summed_over], first + axes)
    direct = contract_sums([cotangent, y], [first + inside, inside], first + inside)
    back = contract_sums([inner, y], [first + axes, inside], first + inside)
    return total([direct, scale_sum(back, -1)])


def _log_softmax_pull(cotangent: Sum, free: int, base: Base) -> Sum:
    first, inside, axes, summed_over = _reduction_indices(free, base)
    inner = contract_sums([cotangent], [first + summed_over], first + axes)
    share = _softmax(base.arguments[0], base)
    back = contract_sums([inner, share], [first + axes, inside], first + inside)
    return total([cotangent, scale_sum(back, -1)])


def _reduction_indices(free: int, base: Base) -> tuple[Indices, Indices, Indices, Indices]:
    """Indices of what is differentiated, of the result, of those left, and with others for sums."""
    first, inside, left = _places(free, base)
    over = tuple(i if i in left else i + len(inside) for i in inside)
    return first, inside, left, over


def _matrix_places(free: int, base: Base, count: int) -> tuple[Indices, Indices, list[int]]:
    batch = len(base.arguments[0].shape) - 2
    first = tuple(range(free))
    around = tuple(range(free, free + batch))
    return first, around, list(range(free + batch, free + batch + count))


def _inverse_pull(cotangent: Sum, free: int, base: Base) -> Sum:
    first, around, (i, j, a, b) = _matrix_places(free, base, 4)
    y = array_as_sum(base)
    arrays = [cotangent, y, y]

    def pull_entry(p: int, q: int) -> Sum:
        indices = [first + around + (i, j), (*around, i, p), (*around, q, j)]
        return contract_sums(arrays, indices, first + around + (a, b))

    if SYMMETRIC not in base.params:
        return scale_sum(pull_entry(a, b), -1)
    both = total([pull_entry(a, b), pull_entry(b, a)])
    return _fold_to_lower_half(scale_sum(both, Fraction(-1, 2)), free, base)


def inverse(argument: Sum) -> Base:
    """The inverse of a matrix."""
    return Base("whole", "inv", argument.shape, (argument,))


def _log_determinant_pull(cotangent: Sum, free: int, base: Base) -> Sum:
    first, around, (a, b) = _matrix_places(free, base, 2)
    turned = array_as_sum(inverse(base.arguments[0]))
    return contract_sums(
        [cotangent, turned], [first + around, (*around, b, a)], first + around + (a, b)
    )


def _determinant_pull(cotangent: Sum, free: int, base: Base) -> Sum:
    first, around, _ = _matrix_places(free, base, 0)
    indices = [first + around, around]
    by_value = contract_sums([cotangent, array_as_sum(base)], indices, first + around)
    return _log_determinant_pull(by_value, free, base)


def _fold_to_lower_half(pulled: Sum, free: int, base: Base) -> Sum:
    """The cotangent of the lower half of a matrix, of a symmetric one of the whole."""
    argument = base.arguments[0]
    own = tuple(range(len(argument.shape)))
    if contract_terms(argument, own, (*own[:-2], own[-1], own[-2])) == argument:
        return pulled
    mask = array_as_sum(Base("whole", "lower twice", argument.shape[-2:]))
    every = tuple(range(len(pulled.shape)))
    return contract_sums([pulled, mask], [every, every[-2:]], every)


def _cholesky_pull(cotangent: Sum, free: int, base: Base) -> Sum:
    """Of ``Z.T @ P @ Z`` the symmetric part: Z is inv(L), P the lower half of L.T @ cotangent."""
    if len(base.shape) != 2:
        raise NotReadable("the derivative of several Cholesky factors at once")
    first, _, (i, k, j, a, b) = _matrix_places(free, base, 5)
    lower = array_as_sum(base)
    turned = array_as_sum(inverse(lower))
    half = array_as_sum(Base("whole", "lower half", base.shape))
    inner = contract_sums(
        [lower, cotangent, half], [(i, k), (*first, i, j), (k, j)], (*first, k, j)
    )
    one, other = (
        contract_sums([inner, turned, turned], [(*first, k, j), (k, p), (j, q)], (*first, a, b))
        for p, q in ((a, b), (b, a))
    )
    return _fold_to_lower_half(scale_sum(total([one, other]), Fraction(1, 2)), free, base)


def _eigenvalues_pull(cotangent: Sum, free: int, base: Base) -> Sum:
    first, around, (i, a, b) = _matrix_places(free, base, 3)
    vectors = array_as_sum(Base("whole", "eigenvectors", base.arguments[0].shape, base.arguments))
    pulled = contract_sums(
        [cotangent, vectors, vectors],
        [(*first, *around, i), (*around, a, i), (*around, b, i)],
        (*first, *around, a, b),
    )
    return _fold_to_lower_half(pulled, free, base)


PULLS: Final[dict[str, Pull]] = {
    "max": _make_reduction_pull(lambda x, y, base: apply_elementwise("equal", [x, y])),
    "min": _make_reduction_pull(lambda x, y, base: apply_elementwise("equal", [x, y])),
    "norm": _make_reduction_pull(lambda x, y, base: times(x, power(y, -1))),
    "logsumexp": _make_reduction_pull(lambda x, y, base: _softmax(x, base)),
    "mean": _make_reduction_pull(_mean_slope),
    "var": _make_reduction_pull(_variance_slope),
    "std": _make_reduction_pull(
        lambda x, y, base: scale_sum(
            times(_variance_slope(x, y, base), power(y, -1)), Fraction(1, 2)
        )
    ),
    "softmax": _softmax_pull,
    "log_softmax": _log_softmax_pull,
    "inv": _inverse_pull,
    "det": _determinant_pull,
    "logdet": _log_determinant_pull,
    "cholesky": _cholesky_pull,
    "eigenvalues": _eigenvalues_pull,
}
