"""Cases whose points hold trees, as cases of the numbers in them.

What is judged are functions of numbers and arrays. The function and its claim are called with the
trees that people wrote; what the claim returns, in the structure of its arguments, is taken apart.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from symtape.recording.of_leaves import OfLeaves, tree_of
from symtape.recording.structure import Tree, flatten
from verify.errors import UsageError
from verify.model.case import Case, argument_names
from verify.model.quantity import PRODUCTS

Point = tuple[Any, ...]


def flatten_case(
    case: Case, argnums: Any, required: int, held: Collection[int] = ()
) -> tuple[Case, Any]:
    """`case` and `argnums`, of the numbers in its trees.

    Parameters
    ----------
    case : Case
        As it is posed: with trees in its points, and without region or directions.
    argnums : int, str, or sequence of them, optional
        By which arguments.
    required : int
        How many arguments the function needs; 0 if it is not known.
    held : collection of int
        Arguments that are not among the numbers: the same at all points.

    Raises
    ------
    UsageError
        Points of several structures.

    Examples
    --------
    >>> posed = Case("", "", lambda p: p["w"] ** 2, (({"w": 2.0},),))
    >>> flatten_case(posed, None, 1)[0].at
    ((2.0,),)
    """
    count = required if case.quantity in PRODUCTS and required else len(case.at[0])
    names = argument_names(case.function, count)
    function = OfLeaves(case.function, case.at[0][:count], names=names, held=held)
    wanted = _arguments(argnums, names)
    along = _Directions(case, function, wanted)
    at = tuple(_flatten_point(point, function, along, count) for point in case.at)
    starts = np.cumsum([0, *function.counts])
    leaves = None if argnums is None else [n for i in wanted for n in range(*starts[i : i + 2])]

    def claim(derivative: Callable[..., Any]) -> Callable[..., Any]:
        return _Claim(derivative, case.quantity, function, wanted, along)

    made = replace(
        case,
        function=function,
        at=at,
        claimed=None if case.claimed is None else claim(case.claimed),
        modes={mode: claim(derivative) for mode, derivative in case.modes.items()},
    )
    return made, None if leaves is None else tuple(map(int, leaves))


def _arguments(argnums: Any, names: Sequence[str]) -> list[int]:
    """Positions of arguments, of those that `argnums` means."""
    if argnums is None:
        return list(range(len(names)))
    given = argnums if isinstance(argnums, list | tuple) else [argnums]
    try:
        return [range(len(names))[find_argument(at, names)] for at in given]
    except (TypeError, IndexError, ValueError):
        raise UsageError(
            f"argnums={argnums!r}; expected indices or names of the arguments, {', '.join(names)}"
        ) from None


def find_argument(at: Any, names: Sequence[str]) -> Any:
    """The index of an argument that is given by its name; anything else as it is.

    Examples
    --------
    >>> find_argument("y", ["x", "y"]), find_argument(0, ["x", "y"]), find_argument("z", ["x"])
    (1, 0, 'z')
    """
    return names.index(at) if isinstance(at, str) and at in names else at


def _flatten_point(point: Point, function: OfLeaves, along: _Directions, count: int) -> Point:
    numbers: list[Any] = []
    for x, tree in zip(point[:count], function.trees, strict=False):
        if tree is None:
            numbers.append(x)
            continue
        try:
            numbers += tree.take_parts(x)
        except ValueError as error:
            raise UsageError(f"the points have different structures: {error}") from None
        if not _same_beside(tree, x):
            raise UsageError(
                "the points have different options beside their numbers; verify them one by one"
            )
    return (*numbers, *along.flatten_directions(point, point[count:]))


def _same_beside(tree: Tree, x: Any) -> bool:
    """Whether what is no number in `x` is what it is in `tree`."""
    others = (flatten(structure) for structure in (tree.structure, x))
    triples = zip(*others, tree.moves, strict=True)
    return all(moves or a is b or bool(np.all(a == b)) for a, b, moves in triples)


class _Directions:
    """The trees of the directions of a product.

    Of tangents and vectors they are those of the arguments, of a cotangent that of the output.
    """

    def __init__(self, case: Case, function: OfLeaves, wanted: Sequence[int]) -> None:
        self._quantity, self._function = case.quantity, case.function
        self._trees: list[Tree | None] | None = [function.trees[i] for i in wanted]
        if case.quantity not in PRODUCTS:
            self._trees = []
        elif case.quantity == "vjp":
            self._trees = None

    def flatten_directions(self, point: Point, given: Sequence[Any]) -> list[Any]:
        """The numbers of the directions behind the arguments of a point."""
        if not given:
            return []
        if self._trees is None:
            output = self._function(*point[: len(point) - len(given)])
            parts = output if isinstance(output, tuple) and len(given) > 1 else (output,)
            self._trees = [tree_of(part) for part in parts]
        if len(self._trees) != len(given):
            raise UsageError(
                f"the point {point!r} has {len(given)} directions; expected {len(self._trees)}"
            )
        pairs = zip(self._trees, given, strict=True)
        return [
            x for tree, part in pairs for x in ([part] if tree is None else tree.take_parts(part))
        ]

    def fill(self, numbers: Sequence[Any]) -> list[Any]:
        """Directions as trees again."""
        given = iter(numbers)
        if self._trees is None:
            return list(given)
        return [next(given) if tree is None else tree.fill(given) for tree in self._trees]


class _Claim:
    """A claimed derivative of a function of trees, as one of the numbers in them."""

    def __init__(
        self,
        derivative: Callable[..., Any],
        quantity: str,
        function: OfLeaves,
        wanted: Sequence[int],
        along: _Directions,
    ) -> None:
        self.__wrapped__ = derivative
        self.__name__ = str(getattr(derivative, "__name__", type(derivative).__name__))
        self.__qualname__ = str(getattr(derivative, "__qualname__", self.__name__))
        self._quantity, self._function, self._along = quantity, function, along
        self._trees = [function.trees[i] for i in wanted]

    def __call__(self, *numbers: Any) -> Any:
        """The parts of the derivative, one for each number."""
        count = len(self._function.numbers)
        arguments = self._function.fill(numbers[:count])
        returned = self.__wrapped__(*arguments, *self._along.fill(numbers[count:]))
        if self._quantity == "jvp":
            return returned
        parts = self._take_parts(returned)
        if self._quantity == "hessian":
            parts = [part for row in parts for part in self._take_parts(row)]
        return parts[0] if len(parts) == 1 else tuple(parts)

    def _take_parts(self, returned: Any) -> list[Any]:
        """One part for each number of the arguments; as it comes, if it is structured otherwise."""
        trees = self._trees
        alone = len(trees) == 1 and not (type(returned) is tuple and len(returned) == 1)
        whole = [returned] if alone else returned
        if not isinstance(whole, list | tuple) or len(whole) != len(trees):
            return flatten(returned)
        try:
            pairs = zip(trees, whole, strict=True)
            return [
                x
                for tree, part in pairs
                for x in ([part] if tree is None else tree.take_parts(part))
            ]
        except ValueError:
            return flatten(returned)
