"""Trees: nested containers and objects of tensors, taken apart and put together again.

Nodes are lists, tuples and named tuples, dicts, dataclasses, types registered with
``jax.tree_util`` (where JAX is loaded), and instances of users' classes: of an object those fields
with numbers in them are its parts, and the others are kept. Everything else is a leaf.
"""

from __future__ import annotations

import copy
import dataclasses
import enum
import functools
import math
import sys
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from symtape.process.extras import find_loaded

_LIBRARIES: Final = ("site-packages", "dist-packages")
_NOT_USERS: Final = sys.stdlib_module_names - {"__main__"} | {"numpy", "symtape", "verify"}
_NAMESPACES: Final = frozenset(("types", "argparse"))
"""Modules of Python whose objects are nothing but their fields."""

_LEAVES: Final = (float, int, complex, str, bytes, type(None), type, enum.Enum, BaseException)

EnclosingIds = tuple[int, ...]
"""The identities of the objects around a part, which may refer back to them."""


class _Node(NamedTuple):
    """One level of a tree: how each part is reached, the parts, and how to build it of others.

    An object is built as a copy, whose fields are set.
    """

    steps: list[str]
    parts: list[Any]
    build: Callable[[list[Any]], Any] | None
    inside: EnclosingIds


def _node(x: Any, inside: EnclosingIds, objects: bool) -> _Node | None:
    """`x` taken apart by one level; None for a leaf."""
    if isinstance(x, _LEAVES) or hasattr(type(x), "__array__"):
        return None
    if isinstance(x, dict | types.MappingProxyType):
        built = functools.partial(_fill_mapping, x)
        return _Node([f"[{key!r}]" for key in x], list(x.values()), built, inside)
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        names = [f".{name}" for name in x._fields]
        return _Node(names, list(x), lambda parts: type(x)(*parts), inside)
    if isinstance(x, list | tuple | deque):
        steps = [f"[{k}]" for k in range(len(x))]
        return _Node(steps, list(x), functools.partial(_sequence, x), inside)
    if not objects:
        return None
    return _find_registered_node(x, inside) or _object(x, inside)


def _fill_mapping(like: Any, parts: list[Any]) -> Any:
    pairs = zip(like, parts, strict=True)
    if type(like) in (dict, types.MappingProxyType):
        return type(like)(dict(pairs))
    made = copy.copy(like)
    for key, part in pairs:
        made[key] = part
    return made


def _sequence(like: Any, parts: list[Any]) -> Any:
    return deque(parts, like.maxlen) if isinstance(like, deque) else type(like)(parts)


def _find_registered_node(x: Any, inside: EnclosingIds) -> _Node | None:
    """A node of a type that is registered with JAX, which is never loaded for it."""
    trees = find_loaded("jax.tree_util")
    if trees is None or isinstance(x, Iterator):  # which JAX warns of, and nobody may use up
        return None
    found, definition = trees.tree_flatten_with_path(x, is_leaf=lambda part: part is not x)
    if len(found) == 1 and found[0][1] is x:
        return None
    steps = [trees.keystr(path) for path, _ in found]
    return _Node(steps, [part for _, part in found], definition.unflatten, inside)


def _object(x: Any, inside: EnclosingIds) -> _Node | None:
    """A dataclass, or an instance of a user's class, if there are numbers in its fields."""
    if not (dataclasses.is_dataclass(x) or _is_users(x.__class__)):
        return None
    inside = (*inside, id(x))
    fields = {name: getattr(x, name) for name in _fields(x)}
    moving = {name: part for name, part in fields.items() if _matters(part, inside)}
    if not moving:
        return None
    return _Node([f".{name}" for name in moving], list(moving.values()), None, inside)


def _matters(x: Any, inside: EnclosingIds) -> bool:
    """Whether there are numbers in a field, or a reference back to an object around it."""
    if _refers_back(x, inside):
        return True
    node = _node(x, inside, True)
    return is_number(x) if node is None else any(_matters(y, node.inside) for y in node.parts)


def _refers_back(x: Any, inside: EnclosingIds) -> bool:
    return bool(inside) and id(_owner(x)) in inside


def _owner(leaf: Any) -> Any:
    """The object that a leaf refers back to, by itself or by a method of it."""
    return leaf.__self__ if isinstance(leaf, types.MethodType) else leaf


def _link_back(leaf: Any, copies: dict[int, Any]) -> Any:
    """What refers back to an object around it, as it refers to the copy of that."""
    made = copies[id(_owner(leaf))]
    return types.MethodType(leaf.__func__, made) if isinstance(leaf, types.MethodType) else made


def _fields(x: Any) -> list[str]:
    """The names of the fields of an object; what it keeps of computations is none of them."""
    if dataclasses.is_dataclass(x):
        names = [field.name for field in dataclasses.fields(x)]
    else:
        slots = [vars(kind).get("__slots__", ()) for kind in type(x).__mro__]
        flat = [n for names in slots for n in ([names] if isinstance(names, str) else names)]
        names = [*flat, *getattr(x, "__dict__", ())]
    return [n for n in dict.fromkeys(names) if hasattr(x, n) and not _is_kept(x, n)]


def _is_kept(x: Any, name: str) -> bool:
    return isinstance(getattr(type(x), name, None), functools.cached_property | property)


def _fill(made: Any, steps: list[str], parts: list[Any]) -> Any:
    """A copy of an object with other fields, without what it keeps of computations with its own."""
    for step, part in zip(steps, parts, strict=True):
        object.__setattr__(made, step.removeprefix("."), part)
    kept = getattr(made, "__dict__", {})
    for name in [name for name in kept if _is_kept(made, name)]:
        del kept[name]
    return made


@functools.lru_cache(maxsize=1024)  # classes
def _is_users(kind: type) -> bool:
    # A class may define it as a property of its objects.
    name = str(kind.__module__)
    file = str(getattr(sys.modules.get(name), "__file__", None) or "")
    if name in _NAMESPACES:
        return True
    known = name.partition(".")[0] in _NOT_USERS
    return not known and not any(folder in file for folder in _LIBRARIES)


def is_number(leaf: Any) -> bool:
    """Whether a leaf is a number or an array of real or complex floats.

    Examples
    --------
    >>> is_number(2.0), is_number(2), is_number(np.ones(2)), is_number("text")
    (True, False, True, False)
    """
    if isinstance(leaf, float | complex):
        return True
    kind = getattr(getattr(leaf, "dtype", None), "kind", None)
    if kind is None and hasattr(type(leaf), "__array__"):
        kind = np.asarray(leaf).dtype.kind
    # NumPy itself, kept as an object's `xp`, has a dtype too, and a kind that is no string.
    return isinstance(kind, str) and kind in "fc"


def is_tree(x: Any) -> bool:
    """Whether `x` is a node.

    Examples
    --------
    >>> is_tree({"w": 1.0}), is_tree(()), is_tree(np.ones(2))
    (True, True, False)
    """
    return _node(x, (), True) is not None


def flatten(structure: Any, objects: bool = True, _inside: EnclosingIds = ()) -> list[Any]:
    """The leaves of a tree, dicts in order of insertion; None is one.

    Parameters
    ----------
    structure : object
    objects : bool
        Whether dataclasses and other objects are nodes, or leaves.

    Examples
    --------
    >>> flatten({"w": [1.0, (2.0, None)], "b": "text"})
    [1.0, 2.0, None, 'text']
    """
    if hasattr(type(structure), "__array__"):
        return [structure]
    if isinstance(structure, list | tuple):
        return [leaf for item in structure for leaf in flatten(item, objects, _inside)]
    if type(structure) is dict:
        return [leaf for item in structure.values() for leaf in flatten(item, objects, _inside)]
    if _refers_back(structure, _inside):
        return []
    node = _node(structure, _inside, objects)
    if node is None:
        return [structure]
    return [leaf for item in node.parts for leaf in flatten(item, objects, node.inside)]


def paths(structure: Any, name: str = "", _inside: EnclosingIds = ()) -> list[str]:
    """How each leaf of a tree is reached, as Python writes it.

    Examples
    --------
    >>> paths({"w": [1.0, 2.0], "b": 3.0}, "params")
    ["params['w'][0]", "params['w'][1]", "params['b']"]
    """
    if _refers_back(structure, _inside):
        return []
    node = _node(structure, _inside, True)
    if node is None:
        return [name]
    return [
        path
        for step, part in zip(node.steps, node.parts, strict=True)
        for path in paths(part, name + step, node.inside)
    ]


def flatten_like(
    structure: Any,
    reference: Any,
    covers: Callable[[Any], bool] = lambda part: part is None,
    _inside: EnclosingIds = (),
) -> list[Any]:
    """The parts of `structure` that lie where `reference` has its leaves.

    Parameters
    ----------
    structure, reference : object
    covers : callable
        Whether a part of `structure` counts for all leaves below its place; by default None does.

    Raises
    ------
    ValueError
        `structure` is not nested as `reference` is.

    Examples
    --------
    >>> flatten_like({"a": None, "b": 1}, {"a": [2.0, 3.0], "b": 4.0})
    [None, None, 1]
    """
    if _refers_back(reference, _inside):
        return []
    node = _node(reference, _inside, True)
    if node is None:
        return [structure]
    if covers(structure):
        return [structure] * len(flatten(reference, _inside=_inside))
    pairs = zip(_parts_like(structure, reference, node), node.parts, strict=True)
    return [leaf for part, like in pairs for leaf in flatten_like(part, like, covers, node.inside)]


def _parts_like(structure: Any, reference: Any, node: _Node) -> list[Any]:
    if isinstance(reference, Mapping):
        if not isinstance(structure, Mapping) or structure.keys() != reference.keys():
            raise ValueError(f"expected a dict with the keys {list(reference)}, got {structure!r}")
        return [structure[key] for key in reference]
    if isinstance(reference, list | tuple | deque):
        fits = isinstance(structure, list | tuple | deque) or np.ndim(structure)
        if not fits or len(structure) != len(reference):
            raise ValueError(f"expected {len(reference)} entries, got {structure!r}")
        return list(structure)
    names = [step.removeprefix(".") for step in node.steps]
    if all(hasattr(structure, name) for name in names):
        return [getattr(structure, name) for name in names]
    same = _node(structure, (), True) if type(structure) is type(reference) else None
    if same is None or len(same.parts) != len(node.parts):
        raise ValueError(f"expected a {type(reference).__name__}, got {structure!r}")
    return same.parts


def pack(structure: Any, leaves: Iterator[Any], objects: bool = True) -> Any:
    """`leaves` in the shape of `structure`.

    Examples
    --------
    >>> pack({"w": [1.0, 2.0], "b": 3.0}, iter("xyz"))
    {'w': ['x', 'y'], 'b': 'z'}
    """
    return _pack_node(structure, leaves, objects, (), {})


def _pack_node(
    x: Any, leaves: Iterator[Any], objects: bool, inside: EnclosingIds, copies: dict[int, Any]
) -> Any:
    if hasattr(type(x), "__array__"):
        return next(leaves)
    kind = type(x)
    if kind is float:
        return next(leaves)
    if kind is dict:
        return {key: _pack_node(part, leaves, objects, inside, copies) for key, part in x.items()}
    if kind is list or kind is tuple:
        return kind([_pack_node(part, leaves, objects, inside, copies) for part in x])
    if _refers_back(x, inside):
        return _link_back(x, copies)
    node = _node(x, inside, objects)
    if node is None:
        return next(leaves)
    made = None
    if node.build is None:
        made = copy.copy(x)
        copies = copies | {id(x): made}
    parts = [_pack_node(part, leaves, objects, node.inside, copies) for part in node.parts]
    return _fill(made, node.steps, parts) if node.build is None else node.build(parts)


class Tree(NamedTuple):
    """A structure, and which of its leaves are numbers that derivatives are taken by or of."""

    structure: Any
    moves: list[bool]

    def take_parts(self, other: Any) -> list[Any]:
        """The parts of a structure like this one that lie where its numbers are."""
        parts = flatten_like(other, self.structure)
        return [part for part, moves in zip(parts, self.moves, strict=True) if moves]

    def fill(self, parts: Iterator[Any]) -> Any:
        """`parts` in place of the numbers; None in that of all else."""
        leaves = [next(parts) if moves else None for moves in self.moves]
        return pack(self.structure, iter(leaves))

    def replace_numbers(self, parts: Iterator[Any]) -> Any:
        """`parts` in place of the numbers, beside all else as it is."""
        pairs = zip(flatten(self.structure), self.moves, strict=True)
        return pack(self.structure, iter([next(parts) if moves else x for x, moves in pairs]))


def concatenate_entries(parts: Sequence[Any]) -> Any:
    """The entries of arrays, one after the other, as a vector of float64.

    Examples
    --------
    >>> concatenate_entries([1, np.eye(2)])
    array([1., 1., 0., 0., 1.])
    """
    return np.concatenate(parts, axis=None, dtype=np.float64, casting="unsafe")


def separate_entries(vector: Any, shapes: Iterable[tuple[int, ...]]) -> list[Any]:
    """The arrays of these shapes whose entries, one after the other, are `vector`.

    Examples
    --------
    >>> [part.tolist() for part in separate_entries([1, 2, 3], [(), (2, 1)])]
    [1, [[2], [3]]]
    """
    array, parts, start = np.asarray(vector), [], 0
    for shape in shapes:
        end = start + math.prod(shape)
        parts.append(array[start:end].reshape(shape))
        start = end
    return parts


def layout(structure: Any, of_kept: Callable[[Any], Any], _inside: EnclosingIds = ()) -> Any:
    """How a tree is built, without its leaves; two with the same layout are packed alike.

    Parameters
    ----------
    structure : object
    of_kept : callable
        What to say of a field that is kept, since there are no numbers in it.

    Examples
    --------
    >>> layout([1.0, {"w": 2.0}], str)
    (<class 'list'>, ('[0]', '[1]'), (None, (<class 'dict'>, ("['w']",), (None,), ())), ())
    """
    if _refers_back(structure, _inside):
        return "back"
    node = _node(structure, _inside, True)
    if node is None:
        return None
    parts = tuple([layout(part, of_kept, node.inside) for part in node.parts])
    kept: tuple[Any, ...] = ()
    if node.build is None:
        moving = {step.removeprefix(".") for step in node.steps}
        others = [name for name in _fields(structure) if name not in moving]
        kept = tuple([(name, of_kept(getattr(structure, name))) for name in others])
    return type(structure), tuple(node.steps), parts, kept
