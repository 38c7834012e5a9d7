"""Loops that are found again do what the straight line does, bit by bit."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symtape.programs.compiled import assembly
from symtape.programs.compiled.operations import Operation
from symtape.programs.compiled.rolling import Block, Columns, roll_program

CODES = {
    "fadd": lambda a, b: a + b,
    "fsub": lambda a, b: a - b,
    "fmul": lambda a, b: a * b,
    "fneg": lambda a: -a,
    "fcmp olt": lambda a, b: a < b,
    "select": lambda c, a, b: a if c else b,
    "uitofp": lambda c: float(c),
}


def kept_of(every):
    return [k for k, op in enumerate(every) if op.code not in ("input", "constant")]


def test_blocks_cover_each_operation_once():
    step = [Operation("fmul", (k, k)) for k in range(300)]
    every = [Operation("input", (), (0, 0)), *step]
    found = roll_program(Columns(every, kept_of(every)))
    assert [k for block in found for k in range(block.start, block.stop)] == list(range(300))
    assert max(block.count for block in found) >= 298


@pytest.mark.parametrize("period", [1, 2, 3, 7, 40, 90])
def test_a_block_that_repeats_is_found_whatever_its_length(period):
    draws = np.random.default_rng(period)
    codes = draws.choice(["fadd", "fsub", "fmul"], period)
    every = [Operation("input", (), (0, k)) for k in range(2)]
    for k in range(60 * period):
        every.append(Operation(str(codes[k % period]), (k, k + 1)))
    found = roll_program(Columns(every, kept_of(every)))
    assert sum(block.period for block in found) <= 5 * period


def test_what_does_not_repeat_is_left():
    codes = np.random.default_rng(0).choice(["fadd", "fsub", "fmul"], 200)
    every = [Operation("input", (), (0, 0)), *(Operation(str(c), (0, 0)) for c in codes)]
    assert roll_program(Columns(every, kept_of(every))) == [Block(0, 200, 1)]


@st.composite
def lines(draw):
    """Operations in blocks, repeated with arguments that wander, stay, or come from anywhere."""
    every = [Operation("input", (), (0, k)) for k in range(6)]
    every += [Operation("constant", (), (struct.pack("=d", x),)) for x in (0.5, -0.25, 3.0)]
    truths = []
    numbers = list(range(len(every)))

    def one(code, turn, offset):
        if code == "select":
            return (truths[-1 - offset % len(truths)], *(one("fadd", turn, offset)))
        if code == "uitofp":
            return (truths[-1 - (offset + turn) % len(truths)],)
        ways = {
            0: numbers[-1 - offset % len(numbers)],
            1: numbers[offset % len(numbers)],
            2: numbers[(offset + turn) % len(numbers)],
            3: numbers[-1 - (offset + 2 * turn) % len(numbers)],
            4: numbers[(offset * 7 + turn * turn) % len(numbers)],
        }
        count = 1 if code == "fneg" else 2
        return tuple([ways[(offset + k) % 5] for k in range(count)])

    for _ in range(draw(st.integers(1, 3))):
        shape = draw(
            st.lists(st.tuples(st.sampled_from(sorted(CODES)), st.integers(0, 12)), max_size=12)
        )
        for turn in range(draw(st.integers(1, 40))):
            for code, offset in shape:
                if code in ("select", "uitofp") and not truths:
                    continue
                every.append(Operation(code, one(code, turn, offset)))
                (truths if code.startswith("fcmp") else numbers).append(len(every) - 1)
    last = numbers[-8:]
    every += [Operation("store", (k,), (0, place)) for place, k in enumerate(last)]
    return every, len(last)


def walked(every, x, size):
    """One operation after the other, by Python's floats."""
    values, out = [], [0.0] * size
    for op in every:
        if op.code == "input":
            values.append(x[op.static[1]])
        elif op.code == "constant":
            values.append(struct.unpack("=d", op.static[0])[0])
        elif op.code == "store":
            out[op.static[1]] = values[op.inputs[0]]
        else:
            values.append(CODES[op.code](*(values[i] for i in op.inputs)))
    return out


@pytest.mark.parametrize("longest", [400, 5])
@given(lines())
@settings(max_examples=40, derandomize=True, deadline=None)
def test_random_lines_in_loops_keep_every_bit(longest, line):
    pytest.importorskip("llvmlite")
    from symtape.programs.compiled.llvm import make_function

    every, size = line
    before, assembly.LONGEST = assembly.LONGEST, longest
    try:
        _, entry = make_function("random", every, [(6,)], [(size,)])
    finally:
        assembly.LONGEST = before
    for x in ([0.1, -0.2, 0.3, 0.7, -0.9, 1.1], [0.0, -0.0, 1.0, math.inf, 5e-324, -2.0]):
        found = entry(np.array(x))[0].tolist()
        for one, two in zip(found, walked(every, x, size), strict=True):
            assert struct.pack("d", one) == struct.pack("d", two) or (one != one and two != two)
