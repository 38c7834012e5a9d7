"""What transforms ask of a run: derivatives of what it returned, by real or complex numbers."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from symtape.numeric.batch import Batch, basis, unbatch
from symtape.primitives.power import ONE
from symtape.recording.complex_numbers import (
    Convention,
    check_holomorphic,
    refuse_complex_target,
)
from symtape.recording.for_programs import are_finite
from symtape.recording.forward_tape import forward_tape
from symtape.recording.run import Run
from symtape.recording.stack import STACK
from symtape.recording.tensor import Tensor

OUTPUTS: Final = 2
"""How many times as many outputs as inputs there are where tangents are pushed forward."""

ROWS: Final = 64
"""Fewer outputs are quickly asked all at once, unless one tangent alone is to be pushed."""


def gradient_of(run: Run, holomorphic: bool, convention: Convention) -> list[Any]:
    """The gradient of a scalar output by each source of a run; its derivative, if holomorphic."""
    if holomorphic:
        return blocks_of(run, run.output, holomorphic, convention)
    if run.output._value.dtype.kind == "c":
        refuse_complex_target(run.output, by_complex=False)
    return run.gradient(convention)


def blocks_of(run: Run, target: Tensor, holomorphic: bool, convention: Convention) -> list[Any]:
    """The Jacobian of an output by each source of a run, with zeros where there is no path."""
    if holomorphic:
        check_holomorphic(target, run.sources)
    parts = run.tape.blocks(target, run.sources, holomorphic=holomorphic, convention=convention)
    return [
        np.zeros(target.shape + source.shape, source.dtype)[()] if part is None else part
        for source, part in zip(run.sources, parts, strict=True)
    ]


def is_tall(run: Run, target: Tensor) -> bool:
    """Whether the Jacobian of an output has many more rows than columns, of real numbers."""
    if target._value.dtype.kind != "f" or any(x._value.dtype.kind != "f" for x in run.sources):
        return False
    columns, rows = sum([x.size for x in run.sources]), target.size
    return 0 < columns * OUTPUTS <= rows and (columns == 1 or rows >= ROWS)


def columns_of(run: Run, target: Tensor) -> list[Any] | None:
    """The Jacobian of an output by each source of a run, all columns in one forward sweep.

    None where an entry is not finite: a product by 0 says nothing then.
    """
    sizes = [source.size for source in run.sources]
    count, first = sum(sizes), 0
    if len(sizes) == count == 1:
        return _column(run, target)
    seeds = []
    for source, size in zip(run.sources, sizes, strict=True):
        unit = basis(source.shape, source.dtype)
        seed = np.zeros((count, *source.shape), source.dtype) if size < count else unit
        seed[first : first + size] = unit
        first += size
        seeds.append(Batch(seed * ONE(source) if STACK.recorders else seed))
    (found,) = forward_tape(run).push_forward([target], run.sources, seeds)
    if found is None or not are_finite({0: found}):
        return None
    columns = np.moveaxis(unbatch(found, count), 0, -1)
    parts = np.split(columns, np.cumsum(sizes)[:-1], axis=-1) if len(sizes) > 1 else [columns]
    return [
        part.reshape(target.shape + source.shape).astype(source.dtype, copy=False)
        for part, source in zip(parts, run.sources, strict=True)
    ]


def _column(run: Run, target: Tensor) -> list[Any] | None:
    """As :func:`columns_of`, by one number."""
    (source,) = run.sources
    one = ONE(source) if STACK.recorders else np.ones(source.shape, source.dtype)[()]
    (found,) = forward_tape(run).push_forward([target], [source], [one])
    if found is None or not are_finite({0: found}):
        return None
    return [found.reshape(target.shape + source.shape)]
