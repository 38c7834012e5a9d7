"""What the tests of audits share: a claimant that lies as it is told."""

from __future__ import annotations

import numpy as np
import pytest

from verify.audit import measuring


class Liar:
    """symtape's tape, whose derivatives go through a change."""

    packages = ("symtape",)
    formats = ("float64", "float32", "bfloat16")
    name = "symtape"

    def __init__(self, change):
        self.change = change
        self.honest = measuring.claimant("symtape")

    def answer(self, expression, points, wrt, form):
        single = "float32" if form == "bfloat16" else form
        value, slope = self.honest.answer(expression, points, wrt, single)
        with np.errstate(all="ignore"):
            return value, self.change(slope, *points)

    def reproducer(self, expression, point, wrt, form):
        return "print(0.0)"


@pytest.fixture
def liar():
    return Liar
