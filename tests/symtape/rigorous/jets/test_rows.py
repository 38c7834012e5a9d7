"""Every row of the vocabulary: jets beside the closed form, and beside a row that lies."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest
from flint import arb, arb_series

from symtape.errors import Unsupported
from symtape.graph.freeze import record
from symtape.primitives.primitive import PRIMITIVES, Primitive
from symtape.primitives.vocabulary import vocabulary
from symtape.process.precision import precision
from symtape.reading.record import readable
from symtape.rigorous import ball, jets
from symtape.rigorous.jets.jet import Jet, value_of
from verify.limits.limit import DEFAULT_BUDGET
from verify.oracles.closed_form import ClosedForms
from verify.suites.primitives import cases

BITS = 300
GOOD = 200

WITHOUT = {"primitives/share_of_extreme": "where balls overlap it is anything between 0 and 1"}
"""Cases that jets do not know to 200 bits, and why."""

WITHOUT_FORM = {
    **dict.fromkeys(
        ("gammainc", "gammaincc", "betainc", "betaincc", "hurwitz_zeta"),
        "SymPy has no closed form of its derivatives by parameters",
    ),
    **dict.fromkeys(
        ("gamma_by_shape", "hyperu", "kolmogorov", "ncx2_pdf", "owens_t"),
        "SymPy has no such function",
    ),
    **dict.fromkeys(
        ("stdtr", "vonmises_cdf", "wofz_imag", "wofz_real"), "SymPy has no such function"
    ),
}
"""Rows whose derivative has no closed form, and why."""


def recorded(case: Any) -> tuple[Any, list[Any]]:
    [point] = case.at
    inputs = [np.asarray(x, dtype=float)[()] for x in point]

    def real(*args: Any) -> Any:
        result = case.function(*args)
        complex_ = result.dtype.kind == "c"
        return np.stack([np.real(result), np.imag(result)]) if complex_ else result

    with np.errstate(all="ignore"):
        return readable(record(real, *inputs)), inputs


def is_narrow(ball: Any) -> bool:
    if not ball.is_finite():
        return False
    if ball.contains(0):
        return bool(ball.rad() < 2.0**-GOOD)
    return bool(ball.rel_accuracy_bits() >= GOOD)


def is_known(case: Any) -> bool:
    graph, inputs = recorded(case)
    try:
        parts = jets.jacobian(graph, inputs, BITS)
    except Unsupported:
        return False
    return all(is_narrow(ball) for part in parts for ball in part.flat)


CASES = cases()
KNOWN = [case for case in CASES if case.id not in WITHOUT]


@pytest.mark.long
def test_jets_know_every_row_but_those_listed():
    assert {case.id for case in CASES if not is_known(case)} == set(WITHOUT)


@pytest.mark.long
def test_jets_overlap_with_the_closed_form():
    silent = set()
    for case in KNOWN:
        graph, inputs = recorded(case)
        try:
            truth = ClosedForms("jacobian").evaluate(graph, inputs, DEFAULT_BUDGET)
        except Unsupported:
            silent.add(case.id.partition(".")[0].removeprefix("primitives/"))
            continue
        for ours, theirs in zip(jets.jacobian(graph, inputs, BITS), truth.parts, strict=True):
            for one, other in zip(ours.flat, theirs.flat, strict=True):
                assert other.is_finite(), case.id
                assert one.overlaps(other), (case.id, one, other)
    assert silent == set(WITHOUT_FORM)


def test_germs_agree_with_jets_where_there_is_no_kink():
    for case in KNOWN[::3]:
        graph, inputs = recorded(case)
        draw = np.random.default_rng(0)
        line = [draw.integers(1, 9, np.shape(x)) / 8 for x in inputs]
        [two_sided] = jets.taylor(graph, inputs, line, 120)
        [one_sided] = jets.taylor(graph, inputs, line, 120, germ=True)
        for one, other in zip(two_sided.flat, one_sided.flat, strict=True):
            assert one.overlaps(other), case.id


LIES = {
    "sin": lambda ball, x: ball.sin(x) * (1 + type(x)(2) ** -100),
    "tanh": lambda ball, x: -ball.tanh(x),
    "square": lambda ball, x: x * x * x,
    "expit": lambda ball, x: 1 / (1 + ball.exp(x)),
    "jv": lambda ball, v, x: x.bessel_j(v + 1),
    "gammainc": lambda ball, a, x: x.gamma_upper(a, 1),
}


@pytest.mark.parametrize("name", LIES)
def test_a_row_that_lies_is_disjoint(name, monkeypatch):
    row: Primitive = PRIMITIVES[name]
    case = next(one for one in CASES if one.id.split(".")[0] == f"primitives/{name}")
    graph, inputs = recorded(case)
    [*honest] = jets.jacobian(graph, inputs, BITS)
    monkeypatch.setattr(row, "ball", LIES[name])
    [*lie] = jets.jacobian(graph, inputs, BITS)
    assert any(
        not one.overlaps(other)
        for ours, false in zip(honest, lie, strict=True)
        for one, other in zip(ours.flat, false.flat, strict=True)
    )


def test_a_row_without_a_reading_is_named_with_its_line():
    opaque = Primitive(
        name="opaque_for_jets",
        inputs="x",
        evaluate=np.sin,
        vjp=[lambda g, x: g * np.cos(x)],
        elementwise=True,
    )
    graph = record(lambda x: opaque(x), 1.0)
    with pytest.raises(Unsupported, match=r"opaque_for_jets at .*test_rows"):
        jets.jvp(graph, [1.0], [1.0], 100)


ELEMENTWISE = {
    row.name: row
    for row in vocabulary()
    if row.elementwise
    and row.ball is not None
    and all(isinstance(x, int | float) for x in row.example)
    and row.name != "polygamma"  # whose order is a parameter
}


@pytest.mark.parametrize("width", [1e-3, 1.0, 60.0, 1e300])
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_a_wide_ball_holds_the_value_in_its_middle_and_raises_nothing(name, width):
    row: Primitive = ELEMENTWISE[name]
    assert row.ball is not None
    middle = [arb(x) for x in row.example]
    with precision(64, 6):
        for place, x in enumerate(middle):
            wide = Jet(arb_series([arb(x, width), 1]))
            args = [*middle[:place], wide, *middle[place + 1 :]]
            with contextlib.suppress(Unsupported, NotImplementedError, AttributeError):
                found = value_of(row.ball(jets.functions, *args))
                assert not found.is_finite() or found.overlaps(row.ball(ball, *middle))
