"""Long sums: every addition is in one of them, once, in the order in which it was written."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symtape.symbolic.matrix_products import Sums, uses
from symtape.symbolic.program import Program
from symtape.symbolic.template import ADD


def random_program(seed, count=40):
    """A program of sums and products of a few inputs, and some statements that are wanted."""
    draw = np.random.default_rng(seed)
    program = Program()
    known = [program.input() for _ in range(5)]
    for _ in range(count):
        a, b = (known[k] for k in draw.integers(0, len(known), 2))
        known.append(program.add(a, b) if draw.random() < 0.8 else program.multiply(a, b))
    return program, {known[-1], known[int(draw.integers(0, len(known)))]}


@given(st.integers(0, 10**6))
def test_sums_are_what_their_additions_are(seed):
    program, wanted = random_program(seed)
    order = program.list_needed(wanted)
    values = dict(zip(program.inputs, [1, 10, 100, 1000, 10000], strict=True))
    for at in order:
        if program.templates[at] is not None:
            a, b = (values[arg] for arg in program.arguments[at])
            values[at] = a + b if program.templates[at] is ADD else a * b
    sums = Sums(program, order, wanted)
    for at, terms in sums.terms.items():
        assert sum(values[term] for term in terms) == values[at]


@given(st.integers(0, 10**6))
def test_every_addition_is_in_one_sum(seed):
    program, wanted = random_program(seed)
    order = program.list_needed(wanted)
    sums = Sums(program, order, wanted)
    additions = [at for at in order if program.templates[at] is ADD]
    assert sum(len(terms) - 1 for terms in sums.terms.values()) == len(additions)
    assert {at for at in wanted if program.templates[at] is ADD} <= sums.terms.keys()


def test_what_is_used_twice_stands_for_itself():
    program = Program()
    a, b, c = (program.input() for _ in range(3))
    pair = program.add(a, b)
    both = [program.add(pair, c), program.multiply(pair, c)]
    order = program.list_needed(both)
    assert Sums(program, order, both).terms == {pair: [a, b], both[0]: [pair, c]} or Sums(
        program, order, both
    ).terms == {pair: [a, b], both[0]: [c, pair]}
    assert uses(program, order)[pair] == 2


@pytest.mark.parametrize("count", [2, 3, 100])
def test_a_chain_is_one_sum(count):
    program = Program()
    inputs = [program.input() for _ in range(count)]
    total = inputs[0]
    for at in inputs[1:]:
        total = program.add(total, at)
    assert Sums(program, program.list_needed([total]), {total}).terms == {total: inputs}
