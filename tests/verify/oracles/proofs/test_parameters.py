"""A proof is of the parameters that it was made for, and of no others."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
import verify
from symtape.primitives.primitive import PRIMITIVES, Primitive
from symtape.primitives.vocabulary import examples, moving_inputs, vocabulary
from verify.oracles.proofs import inherit, known
from verify.oracles.proofs.inherit import rung_of
from verify.oracles.proofs.known import setting_words
from verify.oracles.proofs.row import is_proved_over_region, prove_row

ROWS = [row for row in vocabulary() if known.find_proof(row) is not None]
"""Those whose proof is current; a row that was just changed is certified until it is proved."""

ORDERED = [
    row.name
    for row in ROWS
    if is_proved_over_region(row) and any("=" in s for s in known.find_proof(row).params)
]
WITH_PARAMS = [
    row.name for row in ROWS if not is_proved_over_region(row) and any(p for _, p in examples(row))
]


def application(row, inputs, params, part=0):
    arrays = tuple(x if np.ndim(x) == 0 else np.asarray(x) for x in inputs)
    moving = moving_inputs(row, arrays)

    def apply(*xs):
        args = list(arrays)
        for place, x in zip(moving, xs, strict=True):
            args[place] = x
        result = row(*args, **params)
        return result[part] if row.outputs > 1 else result

    graph = symtape.record(apply, *[arrays[i] for i in moving])
    return rung_of(graph, graph.values(*[arrays[i] for i in moving]))


@pytest.fixture
def as_shipped(monkeypatch):
    """With nothing but the proofs that were made before."""
    monkeypatch.setattr(inherit, "_FOUND", {})
    monkeypatch.setattr(inherit, "_prove_application", lambda *args: False)


def held(row):
    return [k for k, rule in enumerate(row.rules) if rule is None]


@pytest.mark.parametrize("name", ORDERED)
def test_an_order_is_proved_only_if_it_is_listed(name):
    row = PRIMITIVES[name]
    listed = known.find_proof(row).params
    inputs, params = examples(row)[0]
    assert application(row, inputs, params) is not None
    orders = [k for k in held(row) if np.asarray(inputs[k]).dtype.kind in "iu"]
    for k in orders:
        for order in range(12):
            given = [*inputs]
            given[k] = order
            setting = setting_words([], {row.inputs[k]: order})
            with np.errstate(all="ignore"):
                try:
                    found = application(row, given, params)
                except (ArithmeticError, ValueError):
                    continue
            assert found is None or setting in listed, (order, listed)
        assert setting_words([], {row.inputs[k]: 11}) not in listed


def others(params, dimensions):
    """Each parameter at another value."""
    for key, value in params.items():
        if key == "axis":
            for axis in (None, *range(dimensions), *[(k,) for k in range(dimensions)]):
                yield {**params, key: axis}
        elif isinstance(value, bool):
            yield {**params, key: not value}
        elif isinstance(value, int | float):
            yield {**params, key: value + 1}


@pytest.mark.parametrize("name", WITH_PARAMS)
def test_parameters_of_no_proof_are_not_proved(name, as_shipped):
    row = PRIMITIVES[name]
    listed = known.find_proof(row).params
    for inputs, params in examples(row):
        most = max(np.ndim(x) for x in inputs)
        for other in others(params, most):
            setting = setting_words(inputs, other)
            if setting in listed:
                continue
            try:
                with np.errstate(all="ignore"):
                    found = application(row, inputs, other)
            except Exception:  # noqa: BLE001  # any error will do
                continue  # no parameters of this row
            assert found is None, setting


def halves(x, axis):
    return np.sum(x, axis) / 2


def summed(wrong_by):
    def rule(g, x_shape, axis):
        spread = np.broadcast_to(np.expand_dims(g, axis), x_shape) / 2
        return spread * wrong_by if axis else spread

    return Primitive(
        name="half_of_sum",
        inputs="x",
        evaluate=halves,
        vjp=[rule],
        elements=halves,
        example=(([[0.5, 1.25], [2.0, 3.0]],), {"axis": 0}),
    )


@pytest.mark.parametrize("shape", [(2, 2), (3, 4), (60, 70)])
def test_a_rule_that_is_wrong_at_other_parameters_is_not_proved_there(shape):
    x = np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
    for wrong_by, proved in ((1, True), (2, False)):
        row = summed(wrong_by)
        known.remember(row, prove_row(row), lasting=False)
        assert application(row, (x,), {"axis": 0}) is not None
        assert (application(row, (x,), {"axis": 1}) is not None) == proved


@pytest.mark.usefixtures("proofs")
def test_evidence_names_what_was_proved():
    from scipy import special

    listed = verify.gradient(lambda x: special.expn(3, x), at=[1.5])
    assert str(listed.evidence).startswith("proved; certified at 1 point")
    beyond = verify.gradient(lambda x: special.expn(40, x), at=[1.5])
    assert str(beyond.evidence).startswith("certified at 1 point")


@pytest.mark.usefixtures("proofs")
def test_the_domain_of_a_proof_lists_its_orders():
    found = known.find_proof(PRIMITIVES["expn"])
    assert "for n = " in found.domain
    assert "7" in found.domain
