"""Functions of trees as functions of the numbers in them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from symtape.recording.misfits import is_array_like
from symtape.recording.structure import Tree, flatten, is_number, is_tree, paths

Function = Callable[..., Any]


def tree_of(arg: Any) -> Tree | None:
    """The structure of an argument; None of a number, an array, or lists that are an array.

    An empty list is none: nothing in it is a number.

    Examples
    --------
    >>> tree_of([[1.0, 2.0], [3.0, 4.0]])
    >>> tree_of({"w": 1.0, "n": 2}).moves
    [True, False]
    """
    leaves = flatten(arg)
    if not is_tree(arg) or (leaves and type(arg) in (list, tuple) and is_array_like(arg)):
        return None
    return Tree(arg, [is_number(leaf) for leaf in leaves])


class OfLeaves:
    """`function`, of the numbers in the arguments that it is given here.

    Parameters
    ----------
    function : callable
    args : sequence
        Positional arguments: numbers, arrays, or trees.
    kwargs : dict, optional
        Arguments by keyword; what is no number is handed on as it is.
    names : sequence of str, optional
        Of `args`.
    held : collection of int
        Positions of `args` that are handed on as they are.

    Attributes
    ----------
    counts : list of int
        How many numbers each argument has.
    numbers : list
        All of them.
    argument_names : list of str
        How each is reached: ``params['w'][0]``.

    Examples
    --------
    >>> f = OfLeaves(lambda p, x: p["w"] * x, [{"w": 2.0}, 3.0], names=["p", "x"])
    >>> f.argument_names, f.numbers, f(5.0, 7.0)
    (["p['w']", 'x'], [2.0, 3.0], 35.0)
    """

    def __init__(
        self,
        function: Function,
        args: Sequence[Any],
        kwargs: dict[str, Any] | None = None,
        names: Sequence[str] = (),
        held: Collection[int] = (),
    ) -> None:
        self.__wrapped__ = function
        self.__name__ = str(getattr(function, "__name__", type(function).__name__))
        self.__qualname__ = str(getattr(function, "__qualname__", self.__name__))
        kwargs = kwargs or {}
        self.given = dict(enumerate(args)) | kwargs
        self._positional = len(args)
        self._keywords = list(kwargs)
        called = [*(names or [f"x{k}" for k in range(len(args))]), *kwargs]
        trees = [Tree(arg, [False]) if k in held else tree_of(arg) for k, arg in enumerate(args)]
        # What is given by keyword may be an option.
        trees += [tree_of(arg) or Tree(arg, [is_number(arg)]) for arg in kwargs.values()]
        self.trees: list[Tree | None] = trees
        parts = [
            [arg] if tree is None else tree.take_parts(arg)
            for tree, arg in zip(trees, (*args, *kwargs.values()), strict=True)
        ]
        self.counts = [len(part) for part in parts]
        self.numbers = [number for part in parts for number in part]
        self.argument_names = [
            path
            for tree, name in zip(trees, called, strict=True)
            for path in ([name] if tree is None else _moving_paths(tree, name))
        ]

    @property
    def __signature__(self) -> inspect.Signature:
        kind = inspect.Parameter.POSITIONAL_ONLY
        return inspect.Signature([inspect.Parameter(n, kind) for n in self.identifiers])

    @property
    def identifiers(self) -> list[str]:
        """Names of the numbers that are names of Python's, no two alike."""
        found: list[str] = []
        for path in self.argument_names:
            name = re.sub(r"\W+", "_", path, flags=re.ASCII).strip("_") or "x"
            while name in found or not name.isidentifier():
                name = f"x_{name}" if not name.isidentifier() else f"{name}_"
            found.append(name)
        return found

    def __call__(self, *numbers: Any) -> Any:
        """The function of trees with these numbers in place of their own."""
        filled = self.fill(numbers)
        named = dict(zip(self._keywords, filled[self._positional :], strict=True))
        return self.__wrapped__(*filled[: self._positional], **named)

    def fill(self, numbers: Sequence[Any]) -> list[Any]:
        """The arguments with these numbers in place of their own."""
        given = iter(numbers)
        return [next(given) if tree is None else tree.replace_numbers(given) for tree in self.trees]


def _moving_paths(tree: Tree, name: str) -> Iterator[str]:
    pairs = zip(paths(tree.structure, name), tree.moves, strict=True)
    return (path for path, moves in pairs if moves)
