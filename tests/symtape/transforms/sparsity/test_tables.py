"""Tables of sets do what Python's sets do, whatever form they have."""

from __future__ import annotations

from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symtape.transforms.sparsity import tables

COUNT = 70
ROWS = st.lists(st.integers(0, COUNT), max_size=12).map(lambda rows: np.array(rows, np.int64))


def made(kind):
    """Sets of one index, of either form."""
    if kind is tables.Bits:
        return tables.singles(COUNT, 1)
    whole = tables.singles(COUNT, 2**60)
    assert isinstance(whole, tables.Lists)
    return whole


def as_sets(table, rows):
    found = [set() for _ in rows]
    for place, index in zip(*table.members(np.asarray(rows, np.int64)), strict=True):
        assert index not in found[place]
        found[place].add(int(index))
    return found


KINDS = pytest.mark.parametrize("kind", [tables.Bits, tables.Lists])


@KINDS
def test_the_form_is_the_shorter_one(kind):
    widest = {tables.Bits: 1, tables.Lists: tables._MOST_WORDS}[kind]
    assert type(tables.singles(COUNT, widest)) is kind
    assert ceil(COUNT / tables.BITS) == 2


@KINDS
@settings(max_examples=100)
@given(ROWS, st.randoms(use_true_random=False))
def test_unions_groups_and_members(kind, rows, random):
    table = made(kind)
    sets = as_sets(table, range(len(table)))
    assert sets == [set(), *({k} for k in range(COUNT))]
    others = rows[::-1]
    both = table.union(rows, table, others)
    assert as_sets(both, range(len(both))) == [
        set(), *(sets[a] | sets[b] for a, b in zip(rows, others, strict=True))
    ]  # fmt: skip
    whole = table.stack([table, both])
    places = rows % len(both) + len(table)
    groups = np.array([random.randrange(5) for _ in places], np.int64)
    found = whole.unite_groups(places, groups, 5)
    expected = [set() for _ in range(6)]
    for place, group in zip(as_sets(whole, places), groups, strict=True):
        expected[group + 1] |= place
    assert as_sets(found, range(6)) == expected
    assert found.total(np.arange(6)) in (0, sum(map(len, expected)))
