"""What the tests of audits share: a claimant that lies as it is told."""

from __future__ import annotations

import numpy as np
import pytest

from verify.auditing.libraries import measuring
from verify.model.outcome import Enclosure, Float, Input, PointOutcome
from verify.model.verdict import Verdict


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

    def reproducer(self, expression, point, wrt, form, copies):
        return "print(0.0)"


@pytest.fixture
def liar():
    return Liar


@pytest.fixture
def made_point():
    """``made_point(x, claimed)``: of a derivative that is 1, where 9 ulps are explained."""

    def made(x, claimed):
        return PointOutcome(
            Verdict.INACCURATE,
            inputs=(Input.from_array("x", x),),
            claimed=Float.from_number(claimed),
            enclosure=Enclosure("1.0", "1.0"),
            ulps=abs(claimed - 1.0) * 2**53,
            allowed_ulps=9.0,
        )

    return made
