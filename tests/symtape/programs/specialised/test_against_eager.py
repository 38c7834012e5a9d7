"""Compiled and eager agree within rounding on every row and every case, by each back end."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import symtape
from symtape.errors import SymtapeError, Unsupported
from symtape.process.extras import is_installed
from symtape.programs.specialised import recording
from symtape.recording.structure import flatten
from tests.symtape.programs.compiled import in_balls
from verify.claimants.tape import tape_derivative
from verify.suites import SUITES

BACKENDS = ("numpy", "llvm") if is_installed("llvmlite") else ("numpy",)
SAMPLE = 5
"""By default one case in so many; all of them with ``-m campaign``."""


@pytest.fixture(autouse=True)
def silent():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def points(case):
    """One point of a case, of numbers and arrays; none of trees, or of a region without points."""
    if case.at and not any(isinstance(x, dict | complex) for x in case.at[0]):
        args = [np.asarray(x) for x in case.at[0]]
        if all(x.dtype.kind in "iuf" for x in args):
            yield [x.astype(float)[()] if x.dtype.kind != "f" else x[()] for x in args]


def compared(cases, backend):
    """How many values and derivatives of the cases are the same, within rounding, compiled."""
    count = 0
    for case in cases:
        for args in points(case):
            derivative = tape_derivative(case.function, case.claimed_quantity, len(args))
            for eager in (case.function, derivative):
                count += is_compared(eager, args, backend, case.id)
    return count


def is_compared(eager, args, backend, name):
    try:
        graph = symtape.record(eager, *args)
    except (SymtapeError, np.linalg.LinAlgError):
        return False  # no program is made of what is refused
    compiled = symtape.jit(eager, backend=backend)
    try:
        found = flatten(compiled(*args))
    except Unsupported:
        assert backend == "llvm", name
        return False
    again, wanted = flatten(compiled(*args)), flatten(answered(eager, graph, args))
    assert len(found) == len(wanted) == len(graph.outputs), name
    for k, (one, two, right) in enumerate(zip(found, again, wanted, strict=True)):
        np.testing.assert_array_equal(one, two, err_msg=name)
        one, right = np.asarray(one), np.asarray(right)
        assert one.shape == right.shape, name
        assert in_balls._may_be(one, right, graph, args, k), (name, backend, one, right)
    return True


def answered(eager, graph, args):
    """By plain arrays, or by the recording of what takes tensors alone."""
    try:
        return eager(*args)
    except (AttributeError, TypeError):
        return graph.evaluate(*args)


LEAST = {("primitives", "numpy"): 140, ("primitives", "llvm"): 20}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("suite", SUITES)
def test_a_sample_of_cases(suite, backend):
    assert compared(SUITES[suite]()[::SAMPLE], backend) >= LEAST.get((suite, backend), 3)


@pytest.mark.campaign
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("suite", SUITES)
def test_every_case(suite, backend):
    least = 4 * LEAST.get((suite, backend), 3)
    assert compared(SUITES[suite](), backend) >= least


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_program_that_is_off_is_found(backend, monkeypatch):
    """Each program is made of the function times 1 + 1e-9."""
    made = recording.Program

    def wrong(graph, name, how):
        def off(*xs):
            values = graph.values(*xs)
            return [values[k] * (1 + 1e-9) for k in graph.outputs]

        return made(symtape.record(off, *graph.at), name, how)

    args = [np.float64(0.5)]
    assert is_compared(np.sin, args, backend, "sin")
    monkeypatch.setattr(recording, "Program", wrong)
    with pytest.raises(AssertionError):
        is_compared(np.sin, args, backend, "sin")
