"""Fourier transforms in machine code are those of NumPy to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape

pytest.importorskip("llvmlite", reason="llvmlite is missing; pip install 'symtape[llvm]'")

from symtape.primitives.fourier import IRFFT, RFFT
from symtape.programs.compiled import transforms
from symtape.programs.compiled.complex_parts import compute_by_parts
from symtape.programs.compiled.fused_source import FusedSource
from symtape.programs.compiled.library_calls import LibraryCall
from symtape.programs.compiled.program import Program
from symtape.programs.compiled.segments import Segment
from symtape.programs.compiled.transforms import TRANSFORMS


def transforms_in(program):
    for loop in program.loops:
        steps = loop.steps if isinstance(loop, Segment) else ()
        yield from filter(is_transform, (loop, *(step.kernel for step in steps)))


def is_transform(loop):
    return type(loop) is LibraryCall and loop.graph.nodes[loop.graph.outputs[0]].row in TRANSFORMS


SHAPES = st.lists(st.integers(1, 9) | st.sampled_from([16, 31, 64]), min_size=1, max_size=3)


@settings(deadline=None, max_examples=25, derandomize=True)
@given(
    shape=SHAPES,
    axis=st.integers(0, 2),
    norm=st.sampled_from(["backward", "ortho", "forward"]),
    inverse=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_results_have_the_bits_of_numpy(shape, axis, norm, inverse, seed):
    axis, random = axis % len(shape), np.random.default_rng(seed)
    real, imaginary = random.normal(size=(2, *shape))
    whole = np.fft.ifft if inverse else np.fft.fft
    found = symtape.compile(lambda a, b: whole(a + 1j * b, axis=axis, norm=norm), real, imaginary)
    wanted = whole(real + 1j * imaginary, axis=axis, norm=norm)
    assert np.array_equal(found(real, imaginary), wanted)

    half = (np.fft.ihfft if inverse else np.fft.rfft)(real, axis=axis, norm=norm)
    forth = np.fft.ihfft if inverse else np.fft.rfft
    by_half = symtape.compile(lambda a: np.abs(forth(a, axis=axis, norm=norm)), real)
    np.testing.assert_allclose(by_half(real), np.abs(half), rtol=1e-14)

    n, back = shape[axis], np.fft.irfft if inverse else np.fft.hfft
    to_reals = symtape.compile(
        lambda a, b: back(a + 1j * b, n, axis=axis, norm=norm), half.real, half.imag
    )
    wanted = back(half, n, axis=axis, norm=norm)
    np.testing.assert_allclose(to_reals(half.real, half.imag), wanted, atol=1e-13, rtol=1e-13)


@pytest.mark.parametrize("shape", [(64,), (6, 128), (128, 6), (3, 40, 5), (4096,)])
@pytest.mark.parametrize("row", ["whole", "of real numbers", "to real numbers"])
def test_transforms_are_machine_code(shape, row):
    random = np.random.default_rng(3)
    a, b = random.normal(size=(2, *shape))
    axis = int(np.argmax(shape))
    functions = {
        "whole": lambda a, b: np.abs(np.fft.fft(a + 1j * b, axis=axis)) ** 2,
        "of real numbers": lambda a, b: np.abs(np.fft.rfft(a, axis=axis)) ** 2 * 2.0,
        "to real numbers": lambda a, b: np.fft.irfft(a + 1j * b, axis=axis) * 2.0,
    }
    graph = compute_by_parts(symtape.record(functions[row], a, b))
    program = FusedSource(graph, "f", exact=False)
    assert len(list(transforms_in(program))) == 1
    np.testing.assert_allclose(program(a, b)[0], functions[row](a, b), rtol=1e-12)


def test_long_transforms_are_left_to_numpy():
    def f(x):
        return np.sum(np.abs(np.fft.fft(x + 1j * np.sin(x))) ** 2)

    for n, count in ((8192, 2), (8193, 0)):
        program = Program(symtape.record(symtape.grad(f), np.linspace(0, 1, n)), "f", "auto").run
        assert len(list(transforms_in(program))) == count
        assert program.source.count("row_fft") == 2 - count


def test_loops_of_a_numpy_without_them_are_not_called(monkeypatch):
    monkeypatch.setattr(transforms, "_find_function", lambda name: None)
    x = np.linspace(0, 1, 16)
    slopes = symtape.grad(lambda x: np.sum(np.abs(np.fft.fft(x * (1 + 1j))) ** 2))
    program = Program(symtape.record(slopes, x), "f", "auto").run
    assert not list(transforms_in(program))
    np.testing.assert_allclose(program(x)[0], slopes(x), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("row", [RFFT, IRFFT])
def test_arrays_that_lie_otherwise_are_left_to_numpy(row):
    x = np.random.default_rng(0).normal(size=(8, 6))

    def f(x):
        turned = x.T + 0.0
        half = np.fft.rfft(turned[::-1], axis=0)
        return np.fft.irfft(half * half, 6, axis=0) if row is IRFFT else np.abs(half)

    graph = compute_by_parts(symtape.record(f, x))
    np.testing.assert_allclose(FusedSource(graph, "f", exact=False)(x)[0], f(x), rtol=1e-12)


def test_both_parts_may_be_one_array():
    def f(x):
        return np.fft.fft(x * (1 + 1j))

    x = np.random.default_rng(0).normal(size=7)
    assert np.array_equal(symtape.compile(f, x)(x), f(x))
