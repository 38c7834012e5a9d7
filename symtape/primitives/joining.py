"""Rows and functions: join arrays, and split them again."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from symtape.primitives.arguments import refuse_out, shape_of
from symtape.primitives.arithmetic import rank, to_array
from symtape.primitives.axes import one_axis
from symtape.primitives.primitive import Array, Primitive, declare, implements


def _part(g: Array, axis: int, index: int | slice) -> Array:
    return g[(*(slice(None),) * axis, index)] if axis else g[index]


def _stack(*xs: Array, axis: int) -> Array:
    return np.stack(xs, axis) if rank(xs[0]) else np.array(xs)


def _stack_elements(*xs: Any, axis: int) -> Any:
    # Of balls beside truths NumPy would make floats.
    return np.stack([np.asarray(x, dtype=object) for x in xs], axis)


# ``bounds`` tells where along the axis each input begins, so that a rule need not look at
# all the others.
CONCATENATE: Primitive = declare(
    name="concatenate",
    inputs="*xs",
    evaluate=lambda *xs, axis, bounds: np.concatenate(xs, axis),
    vjp=lambda g, argnum, axis, bounds: _part(g, axis, slice(bounds[argnum], bounds[argnum + 1])),
    jvp="linear",
    rounding=(0, 0),
    complex="holomorphic",
    dependence="joins",
    source="NumPy, numpy.concatenate",
    example=(([1.5, -2.0], [0.25]), {"axis": 0, "bounds": (0, 2, 3)}),
)
STACK_UP: Primitive = declare(
    inputs="*xs",
    evaluate=_stack,
    vjp=lambda g, argnum, axis: _part(g, axis, argnum),
    elements=_stack_elements,
    jvp="linear",
    rounding=(0, 0),
    complex="holomorphic",
    dependence="joins",
    source="NumPy, numpy.stack",
    example=(([1.5, -2.0], [0.25, 3.0]), {"axis": 1}),
)


@implements(np.concatenate, np.concat)
def concatenate(
    arrays: Any,
    /,
    axis: int | None = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Array:
    """As ``numpy.concatenate``."""
    if out is not None:
        refuse_out("concatenate", out)
    items = [to_array(a) for a in arrays]
    if axis is None:
        return concatenate([np.ravel(a) for a in items], 0, dtype=dtype)
    if dtype is not None:
        items = [a.astype(dtype) for a in items]
    shapes = [shape_of(a) for a in items]
    rank = len(shapes[0])
    axis = one_axis(axis, rank)
    if [shape for shape in shapes if len(shape) != rank]:
        raise ValueError(
            f"arrays of shapes {shapes} cannot be concatenated: expected equally many axes; "
            "use np.expand_dims or np.stack"
        )
    bounds = tuple(itertools.accumulate([shape[axis] for shape in shapes], initial=0))
    return CONCATENATE(*items, axis=axis, bounds=bounds)


@implements(np.stack)
def stack(
    arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind"
) -> Array:
    """As ``numpy.stack``."""
    refuse_out("stack", out)
    items = [to_array(a) for a in arrays]
    if dtype is not None:
        items = [a.astype(dtype) for a in items]
    shapes = {shape_of(a) for a in items}
    if len(shapes) != 1:
        raise ValueError(f"arrays of shapes {sorted(shapes)} cannot be stacked: expected one shape")
    return STACK_UP(*items, axis=one_axis(axis, len(shapes.pop()) + 1))


@implements(np.vstack)
def vstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Array:
    """As ``numpy.vstack``."""
    return concatenate([np.atleast_2d(a) for a in tup], 0, dtype=dtype)


@implements(np.hstack)
def hstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Array:
    """As ``numpy.hstack``."""
    items = [a if shape_of(a) else np.atleast_1d(a) for a in map(to_array, tup)]
    return concatenate(items, 0 if items[0].ndim == 1 else 1, dtype=dtype)


@implements(np.dstack)
def dstack(tup: Any) -> Array:
    """As ``numpy.dstack``."""
    return concatenate([np.atleast_3d(a) for a in tup], 2)


@implements(np.column_stack)
def column_stack(tup: Any) -> Array:
    """As ``numpy.column_stack``."""
    columns = [to_array(a) for a in tup]
    return concatenate([a if np.ndim(a) > 1 else np.reshape(a, (-1, 1)) for a in columns], 1)


@implements(np.append)
def append(arr: Any, values: Any, axis: int | None = None) -> Array:
    """As ``numpy.append``."""
    if axis is None:
        return concatenate([np.ravel(to_array(arr)), np.ravel(to_array(values))])
    return concatenate([arr, values], axis)


@implements(np.block)
def block(arrays: Any) -> Array:
    """As ``numpy.block``."""
    depth = _depth(arrays)
    rank = max(depth, *(len(shape_of(leaf)) for leaf in _leaves(arrays)))

    def join_nested_blocks(item: Any, level: int) -> Array:
        if isinstance(item, list):
            return concatenate(
                [join_nested_blocks(part, level + 1) for part in item], level - depth
            )
        shape = shape_of(item)
        if len(shape) == rank:
            return item
        return np.reshape(item, (*(1,) * (rank - len(shape)), *shape))

    return join_nested_blocks(arrays, 0)


def _depth(arrays: Any) -> int:
    if not isinstance(arrays, list):
        return 0
    depths = {_depth(item) for item in arrays}
    if len(depths) != 1:
        raise ValueError("np.block expects non-empty lists that are nested equally deep")
    return 1 + depths.pop()


def _leaves(arrays: Any) -> list[Any]:
    if isinstance(arrays, list):
        return [leaf for item in arrays for leaf in _leaves(item)]
    return [arrays]


@implements(np.array_split)
def array_split(ary: Array, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """As ``numpy.array_split``."""
    axis = one_axis(axis, ary.ndim)
    total = ary.shape[axis]
    if np.ndim(indices_or_sections):
        cuts = [None, *(int(n) for n in indices_or_sections), None]
        return [_part(ary, axis, slice(a, b)) for a, b in itertools.pairwise(cuts)]
    sections = int(indices_or_sections)
    if sections <= 0:
        raise ValueError(f"number of sections is {sections}; expected at least 1")
    each, extra = divmod(total, sections)
    lengths = [each + 1] * extra + [each] * (sections - extra)
    bounds = itertools.accumulate(lengths, initial=0)
    return [_part(ary, axis, slice(a, b)) for a, b in itertools.pairwise(bounds)]


@implements(np.split)
def split(ary: Array, indices_or_sections: Any, axis: int = 0) -> Any:
    """As ``numpy.split``."""
    if not np.ndim(indices_or_sections) and ary.shape[axis] % int(indices_or_sections):
        raise ValueError(
            f"axis {axis} of length {ary.shape[axis]} does not divide into "
            f"{indices_or_sections} equal parts; use np.array_split for unequal ones"
        )
    return array_split(ary, indices_or_sections, axis)


@implements(np.hsplit)
def hsplit(ary: Array, indices_or_sections: Any) -> Any:
    """As ``numpy.hsplit``."""
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


@implements(np.vsplit)
def vsplit(ary: Array, indices_or_sections: Any) -> Any:
    """As ``numpy.vsplit``."""
    return split(ary, indices_or_sections, 0)


@implements(np.dsplit)
def dsplit(ary: Array, indices_or_sections: Any) -> Any:
    """As ``numpy.dsplit``."""
    return split(ary, indices_or_sections, 2)


@implements("unstack")
def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    """As ``numpy.unstack``."""
    axis = one_axis(axis, x.ndim)
    return tuple(_part(x, axis, k) for k in range(x.shape[axis]))
