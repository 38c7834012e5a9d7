"""A pass of back ends: what is computed of the elements that a mask picks is a choice in loops.

``exp(x[m])`` is ``exp(x)[m]``, its sum is that of ``where(m, exp(x), 0)``, and what is put back
where the mask is true needs no picking at all. Values are the same to the bit but for the order of
sums.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.primitives.choice import WHERE
from symtape.primitives.comparison import COUNT_NONZERO, EQUAL
from symtape.primitives.indexing import GETITEM_BY, SCATTER_BY, Slot
from symtape.primitives.reductions import SUM
from symtape.primitives.shape import BROADCAST_TO, RESHAPE
from symtape.programs.compiled.deciding import deciding_nodes
from symtape.programs.compiled.fusing import summed_axes
from symtape.programs.compiled.passes import optimise_graph
from symtape.programs.compiled.rewriting import Builder, Rule, applies_to, applies_where, rewritten

Shape: TypeAlias = tuple[int, ...]

_OF_A_MASK: Final = (Slot(0, boolean=True),)

_MOST_IDLE: Final = 4
"""How many elements are computed at most, for one that the mask picked where it was recorded."""

_FEW: Final = 512
"""Elements that take less time than to pick some of them."""


def compute_under_masks(graph: Graph) -> Graph:
    """`graph` with operations on all elements, of those on elements that a mask picks.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> graph = symtape.record(lambda x: np.sum(np.exp(x[x > 1.0])), np.array([0.5, 2.0]))
    >>> names = [node.name for node in compute_under_masks(graph).nodes]
    >>> "exp" in names, "where" in names, "getitem_by" in names
    (True, True, False)
    """
    if not _picks(graph):
        return graph
    rules: list[Rule] = [_pick_late, _choose_in_place]
    # By NumPy's order of a sum, where the program decides by it.
    if all(graph.nodes[at].primitive is not SUM for at in deciding_nodes(graph)):
        rules.append(_sum_choices)
    graph = optimise_graph(rewritten(graph, rules))
    # What has as many elements as were counted is to be asked for after they have been.
    return graph if _picks(graph) else rewritten(graph, [_count_in_a_sum])


def _picks(graph: Graph) -> bool:
    """Whether there are arrays whose sizes depend on a mask."""
    rows = GETITEM_BY, SCATTER_BY
    return any(node.primitive in rows and _is_by_a_mask(node) for node in graph.nodes)


@applies_where(lambda row, given: row.elementwise and GETITEM_BY in given)
def _pick_late(build: Builder, node: Node) -> int | None:
    """Elements of a result for a result of elements."""
    picked = [build.nodes[i] for i in node.inputs if _is_picked(build.nodes[i])]
    masks = {x.inputs[1] for x in picked}
    if len(masks) != 1 or node.part is not None:
        return None
    (mask,) = masks
    chosen = build.nodes[mask].shape
    whole = (*chosen, *node.shape[1:])
    inputs = [_find_whole(build, i, node, len(chosen)) for i in node.inputs]
    if None in inputs or not _are_worth_it(whole, node.shape):
        return None
    places = tuple([at for at in inputs if at is not None])
    if np.broadcast_shapes(*(build.nodes[at].shape for at in places)) != whole:
        return None
    found = build.add(Node(node.row, places, node.params, whole, node.dtype, node.origin))
    return build.apply(GETITEM_BY, (found, mask), {"template": _OF_A_MASK}, node)


def _find_whole(build: Builder, at: int, node: Node, axes: int) -> int | None:
    """What an operation on all elements is given for what one on those of a mask is given."""
    given = build.nodes[at]
    if _is_picked(given):
        return given.inputs[0] if len(given.shape) == len(node.shape) else None
    if given.primitive is BROADCAST_TO and given.shape == node.shape:
        at = given.inputs[0]
        given = build.nodes[at]
    number = build.uniform(at) if isinstance(given.constant, np.ndarray) else None
    if number is not None:
        return build.add_constant(given.constant.flat[0])
    is_same_for_all = axes == 1 and given.shape[:1] == (1,)
    return at if len(given.shape) < len(node.shape) or is_same_for_all else None


@applies_to(SCATTER_BY)
def _choose_in_place(build: Builder, node: Node) -> int | None:
    """A choice, for elements of a mask that are put back where the mask picks them."""
    if not _is_by_a_mask(node):
        return None
    at, mask = node.inputs
    given = build.nodes[at]
    if _is_picked(given) and given.inputs[1] == mask:
        return _choose(build, mask, given.inputs[0], node)
    if given.primitive is not BROADCAST_TO:
        return None
    (source,) = given.inputs
    is_same_for_all = len(build.nodes[source].shape) < len(given.shape)
    return _choose(build, mask, source, node) if is_same_for_all else None


@applies_to(SUM, of=(GETITEM_BY,))
def _sum_choices(build: Builder, node: Node) -> int | None:
    """The sum of all elements, with zeros where a mask does not pick them."""
    given = build.nodes[node.inputs[0]]
    if not _is_picked(given) or given.dtype != np.float64:
        return None
    at, mask = given.inputs
    source = build.nodes[at]
    if not _are_worth_it(source.shape, given.shape):
        return None
    axes = summed_axes(node, len(given.shape))
    added = len(source.shape) - len(given.shape)
    keepdims = node.params["keepdims"]
    if 0 not in axes or (keepdims and added):
        return None
    axes = (*range(added + 1), *(k + added for k in axes if k))
    chosen = _choose(build, mask, at, source)
    if chosen is None:
        return None
    return build.apply(SUM, (chosen,), {"axis": axes, "keepdims": keepdims}, node)


@applies_to(EQUAL, of=(COUNT_NONZERO,))
def _count_in_a_sum(build: Builder, node: Node) -> int | None:
    """Whether as many elements are true as where it was recorded, in numbers that loops have."""
    at, other = node.inputs
    given, number = build.nodes[at], build.nodes[other].constant
    if given.primitive is not COUNT_NONZERO or number is None or given.shape or np.ndim(number):
        return None
    mask = build.nodes[given.inputs[0]]
    if mask.dtype != np.bool_:
        return None
    one = build.add_constant(np.float64(1.0))
    ones = _choose(build, given.inputs[0], one, _as_floats(mask))
    if ones is None:
        return None
    total = build.apply(SUM, (ones,), given.params, _as_floats(given))
    return build.apply(EQUAL, (total, build.add_constant(np.float64(number))), {}, node)


def _are_worth_it(every: Shape, picked: Shape) -> bool:
    return math.prod(every) <= max(_FEW, _MOST_IDLE * math.prod(picked))


def _as_floats(node: Node) -> Node:
    return Node(None, (), {}, node.shape, np.dtype(np.float64), node.origin)


def _choose(build: Builder, mask: int, at: int, like: Node) -> int | None:
    """What a mask of the leading axes picks of an array, and zeros elsewhere."""
    chosen = build.nodes[mask]
    behind = len(like.shape) - len(chosen.shape)
    if behind:
        shape = (*chosen.shape, *(1,) * behind)
        wide = Node(None, (), {}, shape, chosen.dtype, like.origin)
        mask = build.apply(RESHAPE, (mask,), {"shape": shape}, wide)
    zero = build.add_constant(np.zeros((), like.dtype)[()])
    shapes: Sequence[Any] = [build.nodes[i].shape for i in (mask, at)]
    if np.broadcast_shapes(*shapes) != like.shape:
        return None
    return build.apply(WHERE, (mask, at, zero), {}, like)


def _is_picked(node: Node) -> bool:
    return node.primitive is GETITEM_BY and _is_by_a_mask(node)


def _is_by_a_mask(node: Node) -> bool:
    """Whether a mask is all that an index has."""
    template = node.params["template"]
    return len(template) == 1 and type(template[0]) is Slot and template[0].boolean
