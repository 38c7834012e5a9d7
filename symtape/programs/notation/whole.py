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

from symtape.programs.notation.algebra import contracted, distributed, power, scaled, times, total
from symtape.programs.notation.indexed import (
    SYMMETRIC,
    Base,
    Indices,
    NotReadable,
    Shape,
    Sum,
    whole,
)
from symtape.programs.notation.normal import each

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


def _of_reduction(slope: Callable[[Sum, Sum, Base], Sum]) -> Pull:
    """By the derivative by an element, of the argument and of the result along it."""

    def pull(cotangent: Sum, free: int, base: Base) -> Sum:
        first, inside, left = _places(free, base)
        argument = base.arguments[0]
        axes = reduced_axes(base)
        own = tuple(range(len(argument.shape)))
        kept = tuple(i for i in own if i not in axes)
        spread = contracted([whole(base), _ones(argument)], [kept, own], own)
        found = slope(argument, spread, base)
        return contracted([cotangent, found], [first + left, inside], first + inside)

    return pull


def _ones(like: Sum) -> Sum:
    return power(like, 0)


def _softmax(argument: Sum, base: Base) -> Sum:
    return whole(Base("whole", "softmax", argument.shape, (argument,), (reduced_axes(base),)))


def _of_variance(argument: Sum, value: Sum, base: Base) -> Sum:
    axes, ddof, count = base.params
    mean = whole(reduction("mean", argument, axes, count))
    own = tuple(range(len(argument.shape)))
    kept = tuple(i for i in own if i not in axes)
    spread = contracted([mean, _ones(argument)], [kept, own], own)
    deviation = total([argument, scaled(spread, -1)])
    below = count if not ddof else total([count, scaled(power(count, 0), -ddof)])
    over = contracted([power(below, -1), _ones(argument)], [(), own], own)
    return scaled(times(deviation, over), 2)


def _of_mean(argument: Sum, value: Sum, base: Base) -> Sum:
    own = tuple(range(len(argument.shape)))
    return contracted([power(base.params[1], -1), _ones(argument)], [(), own], own)


def _softmax_pull(cotangent: Sum, free: int, base: Base) -> Sum:
    first, inside, axes, summed_over = _along(free, base)
    y = whole(base)
    inner = contracted([cotangent, y], [first + summed_over, summed_over], first + axes)
    direct = contracted([cotangent, y], [first + inside, inside], first + inside)
    back = contracted([inner, y], [first + axes, inside], first + inside)
    return total([direct, scaled(back, -1)])


def _log_softmax_pull(cotangent: Sum, free: int, base: Base) -> Sum:
    first, inside, axes, summed_over = _along(free, base)
    inner = contracted([cotangent], [first + summed_over], first + axes)
    share = _softmax(base.arguments[0], base)
    back = contracted([inner, share], [first + axes, inside], first + inside)
    return total([cotangent, scaled(back, -1)])


def _along(free: int, base: Base) -> tuple[Indices, Indices, Indices, Indices]:
    """Indices of what is differentiated, of the result, of those left, and with others for sums."""
    rank = len(base.shape)
    first = tuple(range(free))
    inside = tuple(range(free, free + rank))
    axes = reduced_axes(base)
    left = tuple(i for k, i in enumerate(inside) if k not in axes)
    over = tuple(i + rank if k in axes else i for k, i in enumerate(inside))
    return first, inside, left, over


def _matrix_places(free: int, base: Base, count: int) -> tuple[Indices, Indices, list[int]]:
    batch = len(base.arguments[0].shape) - 2
    first = tuple(range(free))
    around = tuple(range(free, free + batch))
    return first, around, list(range(free + batch, free + batch + count))


def _inverse_pull(cotangent: Sum, free: int, base: Base) -> Sum:
    first, around, (i, j, a, b) = _matrix_places(free, base, 4)
    y = whole(base)
    arrays = [cotangent, y, y]

    def pulled(p: int, q: int) -> Sum:
        indices = [first + around + (i, j), (*around, i, p), (*around, q, j)]
        return contracted(arrays, indices, first + around + (a, b))

    if SYMMETRIC not in base.params:
        return scaled(pulled(a, b), -1)
    both = total([pulled(a, b), pulled(b, a)])
    return _of_lower(scaled(both, Fraction(-1, 2)), free, base)


def inverse(argument: Sum) -> Base:
    """The inverse of a matrix."""
    return Base("whole", "inv", argument.shape, (argument,))


def _log_determinant_pull(cotangent: Sum, free: int, base: Base) -> Sum:
    first, around, (a, b) = _matrix_places(free, base, 2)
    turned = whole(inverse(base.arguments[0]))
    return contracted(
        [cotangent, turned], [first + around, (*around, b, a)], first + around + (a, b)
    )


def _determinant_pull(cotangent: Sum, free: int, base: Base) -> Sum:
    first, around, (a, b) = _matrix_places(free, base, 2)
    turned = whole(inverse(base.arguments[0]))
    return contracted(
        [cotangent, whole(base), turned],
        [first + around, around, (*around, b, a)],
        first + around + (a, b),
    )


def _of_lower(pulled: Sum, free: int, base: Base) -> Sum:
    """The cotangent of the lower half of a matrix, of a symmetric one of the whole."""
    argument = base.arguments[0]
    own = tuple(range(len(argument.shape)))
    if distributed(argument, own, (*own[:-2], own[-1], own[-2])) == argument:
        return pulled
    mask = whole(Base("whole", "lower twice", argument.shape[-2:]))
    every = tuple(range(len(pulled.shape)))
    return contracted([pulled, mask], [every, every[-2:]], every)


def _cholesky_pull(cotangent: Sum, free: int, base: Base) -> Sum:
    """Of ``Z.T @ P @ Z`` the symmetric part: Z is inv(L), P the lower half of L.T @ cotangent."""
    if len(base.shape) != 2:
        raise NotReadable("the derivative of several Cholesky factors at once")
    first, _, (i, k, j, a, b) = _matrix_places(free, base, 5)
    lower = whole(base)
    turned = whole(inverse(lower))
    half = whole(Base("whole", "lower half", base.shape))
    inner = contracted([lower, cotangent, half], [(i, k), (*first, i, j), (k, j)], (*first, k, j))
    one, other = (
        contracted([inner, turned, turned], [(*first, k, j), (k, p), (j, q)], (*first, a, b))
        for p, q in ((a, b), (b, a))
    )
    return _of_lower(scaled(total([one, other]), Fraction(1, 2)), free, base)


def _eigenvalues_pull(cotangent: Sum, free: int, base: Base) -> Sum:
    first, around, (i, a, b) = _matrix_places(free, base, 3)
    vectors = whole(Base("whole", "eigenvectors", base.arguments[0].shape, base.arguments))
    pulled = contracted(
        [cotangent, vectors, vectors],
        [(*first, *around, i), (*around, a, i), (*around, b, i)],
        (*first, *around, a, b),
    )
    return _of_lower(pulled, free, base)


PULLS: Final[dict[str, Pull]] = {
    "max": _of_reduction(lambda x, y, base: each("equal", [x, y])),
    "min": _of_reduction(lambda x, y, base: each("equal", [x, y])),
    "norm": _of_reduction(lambda x, y, base: times(x, power(y, -1))),
    "logsumexp": _of_reduction(lambda x, y, base: _softmax(x, base)),
    "mean": _of_reduction(_of_mean),
    "var": _of_reduction(_of_variance),
    "std": _of_reduction(
        lambda x, y, base: scaled(times(_of_variance(x, y, base), power(y, -1)), Fraction(1, 2))
    ),
    "softmax": _softmax_pull,
    "log_softmax": _log_softmax_pull,
    "inv": _inverse_pull,
    "det": _determinant_pull,
    "logdet": _log_determinant_pull,
    "cholesky": _cholesky_pull,
    "eigenvalues": _eigenvalues_pull,
}
