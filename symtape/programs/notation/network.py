"""A product of arrays with common indices, contracted step by step to products of matrices."""

from __future__ import annotations

import functools
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from symtape.programs.notation import tree as tr
from symtape.programs.notation.indexed import Indices, NotReadable
from symtape.programs.notation.tree import Call, Chain, Literal, Part, Tree

_LETTERS: Final = string.ascii_lowercase[8:] + string.ascii_lowercase[:8]


@dataclass(slots=True)
class Item:
    """An array of given indices: the product of some arrays by the product of others."""

    above: list[Tree]
    below: list[Tree]
    indices: Indices

    @property
    def tree(self) -> Tree:
        """As one tree."""
        return tr.make_product(1, *self.above, below=self.below)

    def transpose(self) -> Item:
        """The transpose, of a matrix."""
        above, below = ([tr.make_transpose(t) for t in parts] for parts in (self.above, self.below))
        return Item(above, below, self.indices[::-1])


def align_tree(tree: Tree, have: Indices, wanted: Indices) -> Tree:
    """A tree that broadcasts to the indices `wanted` as NumPy does it."""
    if not have or have == wanted[len(wanted) - len(have) :]:
        return tree
    after = wanted[wanted.index(have[0]) :]
    index = tuple(":" if i in have else None for i in after)
    return Part(tree, index, len(after))


class Network:
    """Arrays with common indices, contracted two at a time.

    Parameters
    ----------
    items : list of Item
    rank : int
        How many indices are free.
    extents : tuple of int
        Of the others.
    """

    def __init__(self, items: list[Item], rank: int, extents: tuple[int, ...]) -> None:
        self._items = items
        self._rank = rank
        self._waiting = set(range(rank, rank + len(extents)))
        self._extents = {rank + k: n for k, n in enumerate(extents)}
        self._scalars: list[Tree] = []

    def contract(self) -> tuple[Tree, Indices]:
        """What is left with free indices, in ascending order."""
        steps: tuple[Callable[[], bool], ...] = (
            self._trace,
            self._vector,
            functools.partial(self._product, 1, 2),
            self._stacks,
            functools.partial(self._product, 2, 2),
            self._sum,
            functools.partial(self._product, 1, 2, 2),
        )
        while self._waiting:
            self._merge()
            if not any(step() for step in steps):
                self._einsum()
        self._merge()
        tree, have = self._spread_out()
        if not self._scalars:
            return tree, have
        if isinstance(tree, Literal):
            return tr.make_product(1, *self._scalars), have
        return tr.make_product(1, *self._scalars, tree), have

    def _items_with_index(self, index: int) -> list[Item]:
        return [item for item in self._items if index in item.indices]

    def _replace(self, gone: Sequence[Item], made: Tree, indices: Indices) -> bool:
        self._items = [i for i in self._items if not any(i is g for g in gone)]
        if indices:
            self._items.append(Item([made], [], indices))
        else:
            self._scalars.append(made)
        used = {i for item in self._items for i in item.indices}
        self._waiting &= used
        return True

    def _merge(self) -> None:
        """Items of the same indices are multiplied element by element."""
        kept: list[Item] = []
        for item in self._items:
            for other in kept:
                same = item
                if set(other.indices) == set(item.indices) and len(item.indices) <= 2:
                    if self._is_trace(item, other):
                        continue
                    same = item if item.indices == other.indices else item.transpose()
                elif other.indices != item.indices:
                    continue
                other.above += same.above
                other.below += same.below
                break
            else:
                kept.append(item)
        self._items = kept

    def _is_trace(self, a: Item, b: Item) -> bool:
        """Whether all that there is of two indices is the trace of a product of two matrices."""
        chained = any(isinstance(item.tree, Chain) for item in (a, b))
        if len(a.indices) != 2:
            return False
        turned = a.indices == b.indices[::-1] or (chained and a.indices == b.indices)
        summed = set(a.indices) <= self._waiting
        return turned and summed and all(len(self._items_with_index(i)) == 2 for i in a.indices)

    def _trace(self) -> bool:
        for a in self._items:
            for b in self._items:
                if a is not b and self._is_trace(a, b):
                    left = a.transpose() if a.indices == b.indices else a
                    product = tr.make_matrix_product(left.tree, b.tree)
                    if isinstance(product, tr.Times):
                        return self._replace([a, b], Call("trace", (product,), 0), ())
                    return self._replace([a, b], tr.trace(product), ())
        return False

    def _vector(self) -> bool:
        """``v @ w`` or ``sum(v)``, of an index that only vectors have."""
        for k in sorted(self._waiting):
            held = self._items_with_index(k)
            if len(held) == 1 and held[0].indices == (k,):
                return self._replace(held, self._total(held[0], k), ())
        return False

    def _total(self, item: Item, index: int) -> Tree:
        if len(item.above) == 2 and not item.below:
            first, second = item.above
            if isinstance(first, Chain) and not isinstance(second, Chain):
                first, second = second, first
            return tr.make_matrix_product(first, second)
        return _sum_tree(item.tree, None)

    def _product(self, *ranks: int) -> bool:
        """``M @ v``, ``M @ N`` or ``M @ diag(v) @ N``, by the ranks of all that have an index."""
        for k in sorted(self._waiting):
            held = sorted(self._items_with_index(k), key=lambda item: len(item.indices))
            plain = all(len(set(item.indices)) == len(item.indices) for item in held)
            if plain and [len(item.indices) for item in held] == [*ranks]:
                return self._multiply(held, k)
        return False

    def _multiply(self, held: Sequence[Item], k: int) -> bool:
        *between, a, b = held
        outer = [tuple(i for i in item.indices if i != k) for item in (a, b)]
        if not outer[0] or (outer[1] and outer[0] > outer[1]):
            a, b = b, a
            outer.reverse()
        left = a if a.indices[-1] == k else a.transpose()
        right = b if b.indices[0] == k else b.transpose()
        middle = [Call("diag", (item.tree,), 2) for item in between]
        made = tr.make_matrix_product(left.tree, *middle, right.tree)
        return self._replace(held, made, outer[0] + outer[1])

    def _stacks(self) -> bool:
        """Products with a vector, or with a matrix at each place of the axes before."""
        for k in sorted(self._waiting):
            held = self._items_with_index(k)
            for a, b in (held, held[::-1]) if len(held) == 2 else ():
                if len(a.indices) < 2 or a.indices[-1] != k or k in a.indices[:-1]:
                    continue
                *around, i = a.indices[:-1]
                right, made = b.tree, (*around, i, *b.indices[-1:])
                if b.indices == (k,):
                    made = (*around, i)
                elif around and b.indices[:-2] == (*around,) and b.indices[-1] == k:
                    rank = len(b.indices)
                    axes = (*range(rank - 2), rank - 1, rank - 2)
                    right, made = tr.Transpose(right, rank, axes), (*around, i, b.indices[-2])
                elif not around or b.indices[:-1] != (*around, k):
                    continue
                return self._replace(held, Chain((a.tree, right), len(made)), made)
        return False

    def _sum(self) -> bool:
        """``sum(M, axis=...)``."""
        for k in sorted(self._waiting):
            held = self._items_with_index(k)
            if len(held) != 1:
                continue
            (item,) = held
            alone = [
                i for i in item.indices if i in self._waiting and self._items_with_index(i) == held
            ]
            left = tuple(i for i in item.indices if i not in alone)
            if all(self._extents[i] == 1 for i in alone):
                index = tuple(0 if i in alone else ":" for i in item.indices)
                return self._replace(held, Part(item.tree, index, len(left)), left)
            axes = tuple(p for p, i in enumerate(item.indices) if i in alone)
            return self._replace(held, _sum_tree(item.tree, axes), left)
        return False

    def _einsum(self) -> None:
        letters: dict[int, str] = {}
        for item in self._items:
            for i in item.indices:
                letters.setdefault(i, _LETTERS[len(letters)])
        free = tuple(sorted(i for i in letters if i not in self._waiting))
        said = ",".join("".join(letters[i] for i in item.indices) for item in self._items)
        subscripts = f"{said}->{''.join(letters[i] for i in free)}"
        made = Call(
            "einsum",
            tuple(item.tree for item in self._items),
            len(free),
            (("subscripts", subscripts),),
        )
        self._replace(self._items, made, free)

    def _spread_out(self) -> tuple[Tree, Indices]:
        """The items, which have free indices alone, as one array."""
        if not self._items:
            return tr.literal(1), ()
        union = tuple(sorted({i for item in self._items for i in item.indices}))
        if (diagonal := self._find_diagonal_tree()) is not None:
            return diagonal, union
        if all(len(item.indices) == 1 for item in self._items) and len(self._items) == 2:
            a, b = sorted(self._items, key=lambda item: item.indices)
            return Call("outer", (a.tree, b.tree), 2), union
        above, below = list[Tree](), list[Tree]()
        for item in sorted(self._items, key=lambda item: len(item.indices)):
            order = sorted(item.indices)
            # With axes put in, a quotient is read as one.
            whole = len(order) < len(union) - order[0]
            tops, bottoms = ([item.tree], []) if whole else (item.above, item.below)
            for parts, into in ((tops, above), (bottoms, below)):
                for part in parts:
                    straight = _permute_axes(part, item.indices, order)
                    into.append(align_tree(straight, tuple(order), union))
        return tr.make_product(1, *above, below=below), union

    def _find_diagonal_tree(self) -> Tree | None:
        """``diag(v)``, of what a unit matrix is multiplied with."""
        units = [i for i in self._items if any(_is_unit(t) for t in i.above)]
        if not units:
            return None
        (unit, *others) = units
        pair = set(unit.indices)
        if others or any(set(item.indices) - pair for item in self._items):
            raise NotReadable("unit matrices among more than two axes")
        along: list[Item] = []
        for item in self._items:
            above = [t for t in item.above if not _is_unit(t)]
            if len(item.indices) == 2:
                above = [Call("diag", (t,), 1) for t in above]
                below = [Call("diag", (t,), 1) for t in item.below]
                along.append(Item(above, list(below), item.indices[:1]))
            else:
                along.append(Item(above, item.below, item.indices))
        tops = [t for item in along for t in item.above]
        bottoms = [t for item in along for t in item.below]
        if not tops and not bottoms:
            return next(t for t in unit.above if _is_unit(t))
        return Call("diag", (tr.make_product(1, *tops, below=bottoms),), 2)


def unit(extent: int) -> Tree:
    """The unit matrix."""
    return Call("eye", (), 2, (("N", extent),))


def _is_unit(tree: Tree) -> bool:
    return isinstance(tree, Call) and tree.function == "eye"


def _permute_axes(tree: Tree, indices: Indices, order: Sequence[int]) -> Tree:
    """A tree with its axes in another order."""
    if list(indices) == list(order):
        return tree
    if len(indices) == 2:
        return tr.make_transpose(tree)
    return tr.Transpose(tree, len(indices), tuple(indices.index(i) for i in order))


def _sum_tree(tree: Tree, axes: tuple[int, ...] | None) -> Tree:
    if axes is None or len(axes) == tree.rank:
        return Call("sum", (tree,), 0)
    axis = axes[0] if len(axes) == 1 else axes
    return Call("sum", (tree,), tree.rank - len(axes), (("axis", axis),))
