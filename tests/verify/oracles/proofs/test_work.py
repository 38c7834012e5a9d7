"""A proof that is made when it is met takes no more than a counted amount of work."""

import numpy as np
import pytest

import symtape
from symtape.errors import BudgetSpent
from symtape.primitives.vocabulary import moving_inputs
from symtape.process.work import meter_work
from verify.oracles.proofs import inherit
from verify.oracles.proofs.programs import prove_at_shape

HARD = {
    "svd": lambda x: np.linalg.svd(x, compute_uv=False),
    "many svd": lambda x: np.linalg.svd(np.stack([x, 2 * x, 3 * x]), compute_uv=False),
}


def last_operation(function):
    graph = symtape.record(function, np.array([[1.0, 0.5], [0.25, 2.0]]))
    values = graph.values(*graph.at)
    return next(
        (node.primitive, node, [np.asarray(values[at]) for at in node.inputs])
        for node in reversed(graph.nodes)
        if node.primitive is not None and "getitem" not in node.primitive.name
    )


@pytest.mark.long
@pytest.mark.parametrize("name", HARD)
def test_what_takes_long_is_given_up(name, monkeypatch):
    monkeypatch.setattr(inherit, "_FOUND", {})
    row, node, inputs = last_operation(HARD[name])
    with meter_work(inherit._MOST_WORK), pytest.raises(BudgetSpent):
        prove_at_shape(row, tuple(inputs), dict(node.params), moving_inputs(row, inputs), 0, 0)
    with meter_work() as work:
        assert not inherit.proved_when_small(row, node, inputs)
    assert work.spent == 0  # what is kept for the process costs nobody's budget
