"""Names that code looks up, in the bytecode of each version of Python."""

from __future__ import annotations

from verify.adapters.lookups import read_steps


def two_names_at_a_time(a, b):
    c, d = a, b
    return a * b.relu() + c * d


def test_each_step_loads_or_stores_one_name():
    steps = [
        (step.opname.split("_")[0], step.argval)
        for step in read_steps(two_names_at_a_time.__code__)
        if "_FAST" in step.opname
    ]
    assert [name for kind, name in steps if kind == "LOAD"] == ["a", "b", "a", "b", "c", "d"]
    assert {name for kind, name in steps if kind == "STORE"} == {"c", "d"}
