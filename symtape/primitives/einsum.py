"""Row and meaning: Einstein summation.

Every way of writing the subscripts is first brought to one: explicit output, the ellipsis
spelt out in letters. Then the pull back of an operand is again an Einstein summation, of the
cotangent and the other operands.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from symtape.primitives.arguments import shape_of
from symtape.primitives.arithmetic import to_array
from symtape.primitives.primitive import Array, declare, implements, is_stand_in

Shapes = tuple[tuple[int, ...], ...]

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_LARGE = 4096
"""Number of products from which it pays to look for an order of contraction."""


class _PullBack(NamedTuple):
    """How an operand's cotangent is made.

    ``diagonals``: lengths of the unit matrices that put repeated indices back on a diagonal.
    ``shape``: of the result, with length 1 where the operand is summed over alone.
    """

    subscripts: str
    optimize: bool
    diagonals: tuple[int, ...]
    shape: tuple[int, ...]


@functools.lru_cache(maxsize=1024)  # calls in a program
def _pull_back_plan(subscripts: str, shapes: Shapes, argnum: int) -> _PullBack:
    *terms, output = subscripts.replace("->", ",").split(",")
    lengths = _lengths(terms, shapes)
    others = [term for i, term in enumerate(terms) if i != argnum]
    fresh = iter([letter for letter in _LETTERS if letter not in lengths])
    own, units = "", []
    for letter in terms[argnum]:
        if letter in own:
            units.append(letter + next(fresh))
            letter = units[-1][1]
            lengths[letter] = lengths[units[-1][0]]
        own += letter
    at_hand = _lengths(
        [output, *others, *units],
        (
            tuple(lengths[letter] for letter in output),
            *(shape for i, shape in enumerate(shapes) if i != argnum),
            *((lengths[unit[0]],) * 2 for unit in units),
        ),
    )
    kept = [
        letter in at_hand and length == lengths[letter]
        for letter, length in zip(own, shapes[argnum], strict=True)
    ]
    result = "".join(letter for letter, keep in zip(own, kept, strict=True) if keep)
    return _PullBack(
        f"{','.join([output, *others, *units])}->{result}",
        math.prod(lengths.values()) > _LARGE,
        tuple(lengths[unit[0]] for unit in units),
        tuple(at_hand[letter] if keep else 1 for letter, keep in zip(own, kept, strict=True)),
    )


def _lengths(terms: Sequence[str], shapes: Sequence[tuple[int, ...]]) -> dict[str, int]:
    """Length of each index, the longest where one of length 1 is broadcast."""
    found: dict[str, int] = {}
    for term, shape in zip(terms, shapes, strict=True):
        for letter, length in zip(term, shape, strict=True):
            if found.get(letter, 1) == 1:
                found[letter] = length
    return found


def _pull_back(g: Array, argnum: int, xs: tuple[Array, ...], subscripts: str) -> Array:
    shapes = tuple([shape_of(x) for x in xs])
    plan = _pull_back_plan(subscripts, shapes, argnum)
    units = [np.eye(length, dtype=g.dtype) for length in plan.diagonals]
    operands = [g, *xs[:argnum], *xs[argnum + 1 :], *units]
    result = EINSUM(*operands, subscripts=plan.subscripts, optimize=plan.optimize)
    shape = shapes[argnum]
    if result.shape == shape:
        return result
    return np.broadcast_to(result.reshape(plan.shape), shape)


def _batch(flags: Sequence[bool], args: Sequence[Array], params: Mapping[str, Any]) -> Array:
    *terms, output = params["subscripts"].replace("->", ",").split(",")
    axis = next(letter for letter in _LETTERS if letter not in params["subscripts"])
    terms = [axis + term if flag else term for term, flag in zip(terms, flags, strict=True)]
    lengths = _lengths(terms, [np.shape(arg) for arg in args])
    return EINSUM(
        *args,
        subscripts=f"{','.join(terms)}->{axis}{output}",
        optimize=params["optimize"] or math.prod(lengths.values()) > _LARGE,
    )


def _evaluate(*xs: Array, subscripts: str, optimize: Any) -> Array:
    if not isinstance(optimize, bool | str):
        return np.einsum(subscripts, *xs, optimize=optimize)
    shapes = tuple([shape_of(x) for x in xs])
    if len(xs) < 2 or not (optimize or count_products(subscripts, *shapes) > _LARGE):
        return np.einsum(subscripts, *xs)
    return contract_by_pairs(*xs, subscripts=subscripts, optimize=optimize)


def contract_by_pairs(*xs: Array, subscripts: str, optimize: Any) -> Array:
    """The contraction, two operands at a time."""
    if len(xs) <= 2:
        return _evaluate_pair(subscripts, *xs)
    order = optimize if isinstance(optimize, str) else True
    shapes = tuple([np.shape(x) for x in xs])
    return _contract_pairs(_pairs(subscripts, order, *shapes), xs, _evaluate_pair)


def _evaluate_pair(subscripts: str, *xs: Array) -> Array:
    """Two operands as matrices, or element by element: both are sooner than NumPy's loops.

    Of more, which nobody contracts sooner in another order, the first two come first.
    """
    if len(xs) > 2:
        first, second, *rest = subscripts.split(",")
        kept = "".join(x for x in dict.fromkeys(first + second) if x in "".join(rest))
        found = _evaluate_pair(f"{first},{second}->{kept}", *xs[:2])
        return _evaluate_pair(",".join([kept, *rest]), found, *xs[2:])
    shapes = tuple([shape_of(x) for x in xs])
    if len(xs) == 2:
        if (stacks := _matrices(subscripts, *shapes)) is not None:
            return _multiply_stacks(*xs, stacks)
        if (factors := _factors(subscripts, *shapes)) is not None:
            return _multiply_elements(*xs, factors)
    return np.einsum(subscripts, *xs)


class _Pair(NamedTuple):
    """Operands that are contracted next, by their places among those left; the result is last."""

    places: tuple[int, ...]
    subscripts: str


@functools.lru_cache(maxsize=1024)  # calls in a program
def _pairs(subscripts: str, optimize: bool | str, *shapes: tuple[int, ...]) -> list[_Pair]:
    """The order in which several operands are contracted."""
    *terms, output = subscripts.replace("->", ",").split(",")
    plain = [np.broadcast_to(0.0, shape) for shape in shapes]
    order, _ = np.einsum_path(subscripts, *plain, optimize=optimize)
    found = []
    for places in order[1:]:
        some = [terms.pop(place) for place in sorted(places, reverse=True)]
        needed = {*output, *"".join(terms)}
        joined = dict.fromkeys("".join(some))
        kept = "".join(letter for letter in joined if letter in needed) if terms else output
        found.append(_Pair(tuple(places), f"{','.join(some)}->{kept}"))
        terms.append(kept)
    return found


def _contract_pairs(
    pairs: Sequence[_Pair], xs: Sequence[Array], contract: Callable[..., Array]
) -> Array:
    left = list(xs)
    for places, subscripts in pairs:
        some = [left.pop(place) for place in sorted(places, reverse=True)]
        left.append(contract(subscripts, *some))
    (result,) = left
    return result


class _Factors(NamedTuple):
    """Two operands as factors of each element: the order of their axes, and their shapes then."""

    left: tuple[int, ...]
    left_shape: tuple[int, ...]
    right: tuple[int, ...]
    right_shape: tuple[int, ...]


@functools.lru_cache(maxsize=1024)  # calls in a program
def _factors(subscripts: str, *shapes: tuple[int, ...]) -> _Factors | None:
    """How two operands are multiplied element by element; None where something is summed."""
    terms, output = subscripts.partition("->")[0].split(","), subscripts.partition("->")[2]
    lengths = _lengths(terms, shapes)
    if not _are_plain(terms, shapes, lengths) or {*output} != {*terms[0], *terms[1]}:
        return None
    (left, left_shape), (right, right_shape) = [
        (
            tuple([term.index(x) for x in output if x in term]),
            tuple([lengths[x] if x in term else 1 for x in output]),
        )
        for term in terms
    ]
    return _Factors(left, left_shape, right, right_shape)


def _are_plain(
    terms: Sequence[str], shapes: Sequence[tuple[int, ...]], lengths: Mapping[str, int]
) -> bool:
    """Whether no index is twice in a term, and none is of another length in another."""
    return all(
        len({*term}) == len(term) and tuple([lengths[x] for x in term]) == shape
        for term, shape in zip(terms, shapes, strict=True)
    )


def _multiply_elements(a: Array, b: Array, to: _Factors) -> Array:
    left = _reshape(_transpose(a, to.left), to.left_shape)
    return left * _reshape(_transpose(b, to.right), to.right_shape)


class _Matrices(NamedTuple):
    """Two operands as stacks of matrices: the order of their axes, and their shapes then.

    ``shape`` is that of the product, and ``order`` that of its axes in the result. ``swapped`` says
    that the second operand is the left factor, so that the last axis of the result lies together.
    """

    swapped: bool
    left: tuple[int, ...]
    left_shape: tuple[int, ...]
    right: tuple[int, ...]
    right_shape: tuple[int, ...]
    shape: tuple[int, ...]
    order: tuple[int, ...]


def _multiply_stacks(a: Array, b: Array, to: _Matrices) -> Array:
    a, b = (b, a) if to.swapped else (a, b)
    left, right = _transpose(a, to.left), _transpose(b, to.right)
    product = np.matmul(_reshape(left, to.left_shape), _reshape(right, to.right_shape))
    return _transpose(_reshape(product, to.shape), to.order)


def _transpose(x: Array, order: tuple[int, ...]) -> Array:
    return x if list(order) == sorted(order) else x.transpose(order)


def _reshape(x: Array, shape: tuple[int, ...]) -> Array:
    return x if x.shape == shape else x.reshape(shape)


@functools.lru_cache(maxsize=1024)  # calls in a program
def _matrices(subscripts: str, *shapes: tuple[int, ...]) -> _Matrices | None:
    """How two operands are multiplied as stacks of matrices; None where that is not all."""
    terms, output = subscripts.partition("->")[0].split(","), subscripts.partition("->")[2]
    lengths = _lengths(terms, shapes)
    both = [letter for letter in terms[0] if letter in terms[1]]
    alone = {*terms[0]} ^ {*terms[1]}
    plain = _are_plain(terms, shapes, lengths)
    if not plain or not alone <= {*output} or not all(lengths.values()):
        return None
    stack = [letter for letter in output if letter in both]
    summed = [letter for letter in both if letter not in output]
    rows = [letter for letter in output if letter in terms[0] and letter not in both]
    columns = [letter for letter in output if letter in terms[1] and letter not in both]
    if not summed:
        return None
    swapped = output[-1:] in rows
    if swapped:
        rows, columns, terms = columns, rows, terms[::-1]
    sizes = [math.prod(lengths[x] for x in some) for some in (stack, rows, summed, columns)]
    front = (sizes[0],) if stack else ()
    made = [*stack, *rows, *columns]
    return _Matrices(
        swapped,
        tuple(terms[0].index(x) for x in (*stack, *rows, *summed)),
        (*front, sizes[1], sizes[2]),
        tuple(terms[1].index(x) for x in (*stack, *summed, *columns)),
        (*front, sizes[2], sizes[3]),
        tuple(lengths[x] for x in made),
        tuple(made.index(x) for x in output),
    )


@functools.lru_cache(maxsize=1024)  # calls in a program
def count_products(subscripts: str, *shapes: tuple[int, ...]) -> int:
    """How many products of elements are summed, in all places of the result.

    Examples
    --------
    >>> count_products("ij,jk->ik", (2, 3), (3, 4))
    24
    """
    terms = subscripts.partition("->")[0].split(",")
    return math.prod(_lengths(terms, shapes).values())


def _elements(*xs: Array, subscripts: str, optimize: Any) -> Array:
    """Contracted pair by pair; NumPy's own contraction takes an object of no axes for no array."""
    if len(xs) <= 2:
        return np.einsum(subscripts, *xs)

    def contract(subscripts: str, *some: Array) -> Array:
        return np.asarray(np.einsum(subscripts, *some), dtype=object)

    given = [np.asarray(x, dtype=object) for x in xs]
    return _contract_pairs(_pairs(subscripts, True, *[x.shape for x in given]), given, contract)


def _rounding(shapes: Shapes, params: Mapping[str, Any]) -> int:
    *terms, output = params["subscripts"].replace("->", ",").split(",")
    lengths = _lengths(terms, shapes)
    summed = math.prod(length for letter, length in lengths.items() if letter not in output)
    return summed + len(terms) - 1


EINSUM = declare(
    name="einsum",
    inputs="*xs",
    evaluate=_evaluate,
    vjp=_pull_back,
    elements=_elements,
    jvp="multilinear",
    batch=_batch,
    rounding=_rounding,
    structure="multilinear",
    complex="holomorphic",
    dependence="products",
    source="linear in each operand; the pull back swaps that operand with the output",
    example=[
        (
            ([[0.5, -1.25], [2.0, 0.75]], [[1.5, 0.25], [-0.75, 1.0]]),
            {"subscripts": "ij,kj->ki", "optimize": False},
        ),
        (([[0.5, -1.25], [2.0, 0.75]],), {"subscripts": "ii->i", "optimize": False}),
    ],
)


@implements(np.einsum)
def einsum(*operands: Any, optimize: Any = False, **unsupported: Any) -> Any:
    """As ``numpy.einsum``, in the string and in the sublist form."""
    for name, value in unsupported.items():
        if value is not None:
            raise TypeError(
                f"np.einsum on tensors takes no {name}={value!r}; only optimize= is supported"
            )
    if not isinstance(operands[0], str):
        operands = _parse_sublists(operands)
    subscripts, *arrays = operands
    arrays = [to_array(array) for array in arrays]
    ranks = tuple([len(shape_of(array)) for array in arrays])
    return EINSUM(*arrays, subscripts=_explicit(subscripts, ranks), optimize=optimize)


@implements(np.einsum_path)
def einsum_path(*operands: Any, optimize: Any = "greedy") -> Any:
    """As ``numpy.einsum_path``, which asks for shapes only."""
    plain = [np.broadcast_to(0.0, x.shape) if is_stand_in(x) else x for x in operands]
    return np.einsum_path(*plain, optimize=optimize)


def _parse_sublists(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """``(a, [0, 1], b, [1, 2], [0, 2])`` as ``("AB,BC->AC", a, b)``."""
    pairs = len(operands) // 2 * 2
    terms = [_spell_indices(indices) for indices in operands[1:pairs:2]]
    subscripts = ",".join(terms)
    if len(operands) > pairs:
        subscripts += "->" + _spell_indices(operands[-1])
    return (subscripts, *operands[:pairs:2])


def _spell_indices(indices: Sequence[Any]) -> str:
    return "".join("..." if index is Ellipsis else _LETTERS[index] for index in indices)


@functools.lru_cache(maxsize=1024)  # calls in a program
def _explicit(subscripts: str, ranks: tuple[int, ...]) -> str:
    """`subscripts` with its output written out and letters in place of ellipses."""
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if len(terms) != len(ranks):
        raise ValueError(
            f"einsum subscripts {subscripts!r} describe {len(terms)} operands, "
            f"but {len(ranks)} were given"
        )
    free = "".join(letter for letter in _LETTERS if letter not in subscripts)
    spans = [
        rank - len(term.replace("...", "")) if "..." in term else 0
        for term, rank in zip(terms, ranks, strict=True)
    ]
    for term, span, rank in zip(terms, spans, ranks, strict=True):
        if span < 0 or len(term.replace("...", "")) + span != rank:
            raise ValueError(
                f"einsum subscripts {term!r} do not fit an operand of {rank} axes; "
                "write one letter for each axis, or '...' for the rest"
            )
    widest = max(spans, default=0)
    names = free[:widest]
    terms = [
        term.replace("...", names[widest - span :]) for term, span in zip(terms, spans, strict=True)
    ]
    if not arrow:
        counts = Counter("".join(terms))
        once = [letter for letter in counts if counts[letter] == 1 and letter not in names]
        output = "..." + "".join(sorted(once))
    elif widest and "..." not in output:
        raise ValueError(
            f"einsum subscripts {subscripts!r} have '...' in an operand and not in the output; "
            "write it there too"
        )
    return f"{','.join(terms)}->{output.replace('...', names)}"
