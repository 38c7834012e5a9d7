"""What is no number, such as the labels of a batch, has a program as long as it comes again."""

from __future__ import annotations

import numpy as np

import symtape
from symtape.programs.specialised.reads import Reads

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


def test_of_many_paths_the_one_that_holds_is_alone_asked_whether_it_is_stale(monkeypatch):
    compiled = symtape.jit(lambda x: sum((k + 1) * x[k] for k in range(4) if x[k] > 0) + P[0])
    points = [np.where(np.arange(4) == k, 1.0, -1.0) for k in range(4)]
    for x in points:
        compiled(x)
    asked = []
    plain = Reads.is_unchanged
    monkeypatch.setattr(Reads, "is_unchanged", lambda self: asked.append(self) or plain(self))
    for x in points:
        compiled(x)
        asked.clear()
        assert compiled(x) == x.argmax() + 1.5
        assert len(asked) == 1
