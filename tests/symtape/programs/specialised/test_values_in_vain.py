"""What is no number, such as the labels of a batch, has a program as long as it comes again."""

from __future__ import annotations

import numpy as np

import symtape

P = np.array([0.5, 1.5, -2.0, 3.0])


def likelihood(p, labels, power=2):
    """A log-likelihood of classes."""
    return np.sum(p[labels] ** power) - np.log(np.sum(np.exp(p)))


def draw_labels(k):
    return np.random.default_rng(k).integers(0, 4, 20)


def test_labels_of_many_batches_have_few_programs_and_right_gradients():
    compiled, plain = symtape.jit(symtape.grad(likelihood)), symtape.grad(likelihood)
    for k in range(20):
        labels = draw_labels(k)
        np.testing.assert_allclose(compiled(P, labels), plain(P, labels), rtol=1e-13)
    assert compiled.programs < 10


def test_values_that_come_again_get_programs():
    compiled, plain = symtape.jit(symtape.grad(likelihood)), symtape.grad(likelihood)
    for _ in range(3):
        for k in range(20):
            labels = draw_labels(k)
            np.testing.assert_allclose(compiled(P, labels), plain(P, labels), rtol=1e-13)
    assert compiled.programs > 20 - 8


def test_other_shapes_and_paths_are_not_in_vain():
    compiled = symtape.jit(symtape.grad(likelihood))
    for size in range(4, 24):
        compiled(np.linspace(0.0, 1.0, size), draw_labels(0))
    assert compiled.programs == 20
