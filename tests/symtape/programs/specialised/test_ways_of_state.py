"""However a function holds a number: once it has changed, no program of before answers."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
from symtape.errors import NotTraceable
from tests.symtape.programs.specialised.ways_of_state import WAYS

X = np.array([1.0, 2.0])
TRANSFORMS = {
    "itself": (lambda f: f, symtape.jit),
    "gradient": (symtape.grad, lambda f: symtape.jit(symtape.grad(f))),
    "gradient of compiled": (symtape.grad, lambda f: symtape.grad(symtape.jit(f))),
    "compiled for arguments": (symtape.grad, lambda f: symtape.compile(symtape.grad(f), X)),
}


@pytest.mark.parametrize("how", TRANSFORMS)
@pytest.mark.parametrize("name", WAYS)
def test_compiled_is_eager_before_and_after_a_change(name, how):
    function, change = WAYS[name]()
    of_eager, of_compiled = TRANSFORMS[how]
    eager, compiled = of_eager(function), of_compiled(function)
    for step in (lambda: None, change):
        step()
        np.testing.assert_array_equal(compiled(X), eager(X))


def test_what_a_function_draws_is_refused():
    generator = np.random.default_rng(0)
    with pytest.raises(NotTraceable, match="changes at each call"):
        symtape.jit(lambda x: generator.normal() * np.sum(x))(X)
