"""What a program is specialised to: how arguments are built, and what in them are numbers."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from symtape.errors import NotOnTape, Unsupported
from symtape.recording.for_programs import MADE, UnmadeOutput
from symtape.recording.of_leaves import OfLeaves
from symtape.recording.stack import STACK
from symtape.recording.structure import Tree, flatten, is_number, layout, pack, paths
from symtape.recording.tensor import Tensor
from symtape.symbolic.naming import argument_names

_NUMBER = "number"
"""In a key: a float of Python, or a float64 of NumPy."""


class _Value(tuple[Any, ...]):
    """In a key: what is no number, by its value, with its type first."""


def plain_key(args: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The key of positional arguments that are arrays and floats, quickly; None of others."""
    key: list[Any] = []
    for x in args:
        kind = type(x)
        if kind is np.ndarray:
            dtype = x.dtype
            if dtype.kind != "f":
                return None
            key.append((x.shape, dtype))
        elif kind is np.float64 or kind is float:
            key.append(_NUMBER)
        else:
            return None
    return tuple(key)


def taken_apart(
    args: tuple[Any, ...], kwargs: dict[str, Any], of_tensors: bool = False
) -> tuple[Hashable, list[Any]]:
    """The key of any arguments, and the numbers and arrays of floats in them.

    A tensor has the key of its value.

    Raises
    ------
    TypeError
        Something in them is neither, and cannot be told from another of its kind.
    """
    if not kwargs and of_tensors:
        plain = plain_key(tuple(map(_to_value, args)))
        if plain is not None:
            return plain, list(args)
    numbers: list[Any] = []
    key: list[Any] = [tuple(kwargs)]
    for name, arg in itertools.chain(enumerate(args), kwargs.items()):
        key.append(layout(arg, _static))
        for leaf in flatten(arg):
            if is_number(leaf):
                numbers.append(leaf)
                key.append(_number_key(_to_value(leaf)))
            else:
                key.append(_Value(_static(leaf, name)))
    return tuple(key), numbers


def without_values(key: Any) -> Hashable:
    """What the keys of arguments have in common that differ in what is no number.

    Examples
    --------
    >>> keys = [taken_apart((1.5, power), {})[0] for power in (2, 3)]
    >>> keys[0] == keys[1], without_values(keys[0]) == without_values(keys[1])
    (False, True)
    """
    return tuple([each[0] if type(each) is _Value else each for each in key])


def _to_value(leaf: Any) -> Any:
    """What a tensor stands for, a number without axes; anything else as it is."""
    return leaf._value[()] if issubclass(type(leaf), Tensor) else leaf


def _number_key(leaf: Any) -> Hashable:
    kind = type(leaf)
    if issubclass(kind, float):
        return _NUMBER
    if issubclass(kind, np.ndarray) and kind not in (np.ndarray, np.memmap):
        raise NotOnTape(
            f"an argument: a {kind.__name__} computes by rules of its own, which no program "
            "knows; pass a plain array, as np.asarray(x) gives"
        )
    return kind.__name__, np.shape(leaf), np.asarray(leaf).dtype


def _static(leaf: Any, name: Any = None) -> tuple[Any, ...]:
    """What is no number, by its value: a program holds for that alone."""
    if leaf is None or isinstance(leaf, bool | int | str | bytes | type):
        return type(leaf).__name__, leaf
    # How an array lies can be asked too, and is lost where it is pickled.
    lies = leaf.strides if isinstance(leaf, np.ndarray) else None
    try:
        return type(leaf).__qualname__, lies, pickle.dumps(leaf)
    except Exception as error:  # of users' classes: whatever it is, it cannot be compared
        if callable(leaf) and isinstance(leaf, Hashable):
            return "by identity", leaf
        where = f"argument {name!r}" if name is not None else "an argument"
        raise TypeError(
            f"{where} holds {type(leaf).__name__} {str(leaf)[:60]}, of which a compiled function "
            f"cannot tell whether it has changed ({error}); pass the numbers in it"
        ) from error


def to_contiguous(leaf: Any) -> Any:
    """A number or an array as programs take it: contiguous, in an array of NumPy's own class."""
    if type(leaf) is np.ndarray and leaf.flags.c_contiguous and leaf.ndim:
        return leaf
    if isinstance(leaf, float):
        return np.float64(leaf)
    return np.ascontiguousarray(np.asarray(leaf)) if np.ndim(leaf) else np.asarray(leaf)[()]


class TracedFunction(OfLeaves):
    """`function` of the numbers in its arguments, which returns the numbers in what it returns.

    Attributes
    ----------
    returned : callable or None
        Once it was called: what it returned, of the numbers in that.
    """

    def __init__(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        names = argument_names(function, len(args))
        super().__init__(function, args, kwargs, names)
        every = (*args, *kwargs.values())
        # Lists of numbers are lists to the function, as they are to the transforms.
        self.trees = [Tree(arg, [is_number(leaf) for leaf in flatten(arg)]) for arg in every]
        parts = [tree.take_parts(arg) for tree, arg in zip(self.trees, every, strict=True) if tree]
        self.counts = [len(part) for part in parts]
        self.numbers = [number for part in parts for number in part]
        self.argument_names = [
            path
            for arg, name in zip(every, (*names, *kwargs), strict=True)
            for path, leaf in zip(paths(arg, name), flatten(arg), strict=True)
            if is_number(leaf)
        ]
        self.returned: ReturnedStructure | None = None

    def __call__(self, *numbers: Any) -> Any:
        """The numbers in what the function returns.

        Raises
        ------
        Unsupported
            In a plain run it returns a sparse derivative, which may have fewer entries than that of
            a program, whose numbers are not known: there is nothing to compare.
        """
        made: list[Any] = []
        before = MADE.set(made)
        try:
            found = super().__call__(*numbers)
        finally:
            MADE.reset(before)
        if any(leaf is each for each in made for leaf in flatten(found)):
            raise Unsupported("a sparse derivative has other entries in a program")
        returned = ReturnedStructure(found)
        # Others who run it may be told of fewer values than the recording that becomes a program.
        if self.returned is None or any(recorder.decides for recorder in STACK.recorders):
            self.returned = returned
        if not any(returned.moves):
            return found  # for a recording to refuse
        moving = [x for x, moves in zip(flatten(found), returned.moves, strict=True) if moves]
        return [leaf.numbers if type(leaf) is UnmadeOutput else leaf for leaf in moving]


class ReturnedStructure:
    """What a function returns, of the numbers in that.

    Examples
    --------
    >>> ReturnedStructure({"w": 1.0, "kind": "text"}).fill((2.0,))
    {'w': 2.0, 'kind': 'text'}
    """

    def __init__(self, found: Any) -> None:
        leaves = flatten(found)
        self.moves = [_is_returned(leaf) for leaf in leaves]
        self._makers = [leaf.make if type(leaf) is UnmadeOutput else None for leaf in leaves]
        self._keeps, self._makes = not all(self.moves), any(self._makers)
        # Numbers in place of tensors, which would keep alive what they were computed from.
        kept = [0.0 if moves else x for x, moves in zip(leaves, self.moves, strict=True)]
        self._like = pack(found, iter(kept))
        self._kept = kept
        is_plain = not (self._keeps or self._makes)
        self._is_number = is_plain and len(leaves) == 1 and _is_returned(found)
        is_tuple = is_plain and type(found) is tuple and len(found) == len(leaves)
        self._is_tuple = is_tuple and all(map(_is_returned, found))

    def fill(self, numbers: tuple[Any, ...]) -> Any:
        """The same with other numbers."""
        if self._is_number:
            return numbers[0]
        if self._is_tuple:
            return numbers
        filled: Sequence[Any] = numbers
        if self._keeps:
            given = iter(numbers)
            filled = [next(given) if m else x for x, m in zip(self._kept, self.moves, strict=True)]
        if self._makes:
            filled = [x if m is None else m(x) for x, m in zip(filled, self._makers, strict=True)]
        return pack(self._like, iter(filled))


def _is_returned(leaf: Any) -> bool:
    of_numbers = Tensor | np.ndarray | np.generic | int | float | complex | UnmadeOutput
    return isinstance(leaf, of_numbers) and not (isinstance(leaf, bool))
