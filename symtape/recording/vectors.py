"""Trees as vectors of their numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from symtape.recording.structure import Tree, is_number
from symtape.recording.structure import flatten as leaves_of


def flatten(tree: Any) -> tuple[Any, Callable[[Any], Any]]:
    """The numbers of a tree as one vector, and the way back; both may be differentiated.

    Parameters
    ----------
    tree : object
        Numbers and arrays in nested dicts, lists, tuples, dataclasses and objects.

    Returns
    -------
    vector : array
    unflatten : callable ``(vector) -> tree``
        With the structure and shapes of `tree`, and everything in it that is not a number.

    Raises
    ------
    ValueError
        (By `unflatten`.) The vector has another length.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> vector, unflatten = symtape.flatten({"w": np.eye(2), "b": 3.0})
    >>> vector
    array([1., 0., 0., 1., 3.])
    >>> unflatten(2 * vector)["w"]
    array([[2., 0.],
           [0., 2.]])
    """
    leaves = leaves_of(tree)
    structure = Tree(tree, [is_number(leaf) for leaf in leaves])
    numbers = [leaf for leaf in leaves if is_number(leaf)]
    shapes = [np.shape(number) for number in numbers]
    ends = np.cumsum([0, *map(math.prod, shapes)], dtype=int)
    parts = [np.reshape(number, (-1,)) for number in numbers]
    vector = np.concatenate(parts) if parts else np.zeros(0)

    def unflatten(vector: Any) -> Any:
        if np.shape(vector) != (ends[-1],):
            raise ValueError(
                f"the vector has shape {np.shape(vector)}; expected {(int(ends[-1]),)}, one entry "
                "for each number of the tree"
            )
        pieces = zip(ends, ends[1:], shapes, strict=False)
        found = [np.reshape(vector[start:end], shape)[()] for start, end, shape in pieces]
        return structure.replace_numbers(iter(found))

    return vector, unflatten
