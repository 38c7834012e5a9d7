"""Jacobians row by row, of which nothing is compressed: what sparse ones are held against."""

from __future__ import annotations

import numpy as np

import symtape
from symtape.reading.running import run_of
from symtape.transforms.sparsity.pattern import pattern_of


def dense_jacobian(function, x):
    """By a tape, as a matrix."""
    source = symtape.constant(np.asarray(x))
    with symtape.GradientTape() as tape:
        tape.watch(source)
        y = function(source)
    found = tape.jacobian(y, source, unconnected_gradients="zero").numpy()
    return np.reshape(found, (y.size, source.size))


def dense_hessian(function, x):
    """By a tape around a gradient, as a matrix."""
    return dense_jacobian(symtape.grad(function), x)


def pattern_mask(function, x):
    """Where the Jacobian of a recording may have entries."""
    run = run_of(function, (np.asarray(x),), {}, 0)
    pattern = pattern_of(run.tape, run.output, run.sources)
    mask = np.zeros(pattern.shape, bool)
    mask[pattern.rows, pattern.columns] = True
    assert len(pattern) == mask.sum()
    return mask
