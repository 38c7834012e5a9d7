"""Graphs in balls: every row, decisions, precision, threads."""

from __future__ import annotations

import threading
from fractions import Fraction
from typing import Any

import flint
import numpy as np
import pytest
from flint import arb

import symtape
import symtape.primitives.special
from symtape.errors import Unsupported
from symtape.graph.freeze import record
from symtape.primitives.primitive import PRIMITIVES, Primitive
from symtape.process.precision import precision
from symtape.reading.record import readable
from symtape.rigorous.enclose import enclose


def examples(row: Primitive) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Arguments and parameters of the points that a row declares."""
    found = row.example if isinstance(row.example, list) else [row.example]
    result = []
    for example in found:
        params: dict[str, Any] = {}
        if len(example) == 2 and isinstance(example[1], dict):
            example, params = example
        elif len(example) == 1 and isinstance(example[0], tuple):
            (example,) = example
        result.append((example, params))
    return result


def recorded(row: Primitive, args: tuple[Any, ...], params: Any, dtype: Any) -> Any:
    """A graph, as engines read it, of `row` applied once, of its float arguments, and these."""
    arrays = [np.asarray(arg) for arg in args]
    traced = [i for i, array in enumerate(arrays) if array.dtype.kind == "f"]

    def apply(*tensors: Any) -> Any:
        full = [a if a.ndim else a.item() for a in arrays]
        for i, tensor in zip(traced, tensors, strict=True):
            full[i] = tensor
        result = row(*full, **params)
        if not isinstance(result, tuple) and result.dtype.kind == "c":
            return [np.real(result), np.imag(result)]
        return list(result) if isinstance(result, tuple) else result

    inputs = [arrays[i].astype(dtype) for i in traced]
    return readable(record(apply, *inputs)), inputs


WITHOUT_READING = {"frexp_exponent"}

EXAMPLES = [
    pytest.param(row, args, params, id=f"{name}-{number}")
    for name, row in sorted(PRIMITIVES.items())
    if row.example
    for number, (args, params) in enumerate(examples(row))
    if any(np.asarray(arg).dtype.kind == "f" for arg in args) and name not in WITHOUT_READING
]


@pytest.mark.parametrize(("row", "args", "params"), EXAMPLES)
def test_every_row_is_enclosed_at_its_examples(row: Any, args: Any, params: Any) -> None:
    graph, inputs = recorded(row, args, params, np.float64)
    narrow, wide = enclose(graph, inputs, 400), enclose(graph, inputs, 60)
    values = graph.evaluate(*inputs)
    for fine, coarse, value in zip(narrow, wide, values, strict=True):
        assert fine.shape == coarse.shape == np.shape(value)
        for x, y, v in zip(fine.flat, coarse.flat, np.ravel(value), strict=True):
            if isinstance(x, bool):
                assert x is y is bool(v)
            else:
                assert x.is_finite()
                assert y.overlaps(x)
                assert x.rad() < 1e-60
                assert abs(float(x) - v) <= 1e-13 * max(1.0, abs(float(x)))


def test_constants_and_inputs_are_the_exact_floats() -> None:
    graph = record(lambda x: x + 0.1, 0.2)
    [value] = enclose(graph, [0.2], 300)
    exact = Fraction(0.1) + Fraction(0.2)
    assert value[()].is_exact()
    with precision(300):
        assert value[()] == arb(exact.numerator) / exact.denominator


def test_float32_inputs_are_taken_as_they_are() -> None:
    graph = record(lambda x: x * np.float32(3), np.float32(0.1))
    [value] = enclose(graph, [np.float32(0.1)], 300)
    with precision(300):
        assert value[()] == arb(float(np.float32(0.1))) * 3


def test_a_derivative_program_is_enclosed() -> None:
    def gradient(x: Any) -> Any:
        with symtape.GradientTape() as tape:
            tape.watch(x)
            y = np.sum(np.where(x > 0, np.sin(x) * x, np.tanh(x) ** 3)) + np.max(x)
        return tape.gradient(y, x)

    x = np.array([0.5, -0.25, 1.5])
    graph = record(gradient, x)
    [value] = enclose(graph, [x], 300)
    np.testing.assert_allclose(np.vectorize(float)(value), graph.evaluate(x)[0], rtol=1e-14)
    assert all(entry.rel_accuracy_bits() > 250 for entry in value)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[np.argsort(x)],
        lambda x: x[np.argmax(x)],
        lambda x: np.sum(x > 0.2) * x,
        lambda x: np.count_nonzero(x) * x,
        lambda x: np.searchsorted(np.sort(x), x) * x,
        lambda x: x[x > 0],
        lambda x: np.median(x),
        lambda x: np.any(x > 0.2) * x,
        lambda x: ((x > 0) * (x < 0.4)) * x,
        lambda x: (x * 4).astype(int) * x,
    ],
)
def test_certain_decisions_are_taken(function: Any) -> None:
    x = np.array([0.1, 0.5, -0.3])
    graph = record(function, x)
    [value] = enclose(graph, [x], 100)
    np.testing.assert_allclose(np.vectorize(float)(value), graph.evaluate(x)[0], rtol=1e-14)


@pytest.mark.parametrize("function", [np.argsort, np.argmax, np.argmin, np.argpartition])
def test_decisions_that_depend_on_rounding_are_refused(function: Any) -> None:
    def near_tie(x: Any) -> Any:
        both = np.stack([x / 3 * 3, x])
        return both[function(both, 0) if function is np.argpartition else function(both)]

    graph = record(near_tie, 1.0)
    with pytest.raises(Unsupported, match="undecided"):
        enclose(graph, [1.0], 100)


def test_undecided_choices_are_hulls() -> None:
    graph = record(lambda x: np.where(x / 3 * 3 > x, x + 1, x - 1), 1.0)
    [value] = enclose(graph, [1.0], 60)
    assert value[()].contains(arb(0))
    assert value[()].contains(arb(2))
    graph = record(lambda x: x / 3 * 3 > x, 1.0)
    assert enclose(graph, [1.0], 60)[0][()] is None


def test_undecided_truths_are_counted_from_none_to_all() -> None:
    graph = record(lambda x: np.sum(np.stack([x / 3 * 3 > x, x > 0])) * x, 1.0)
    [value] = enclose(graph, [1.0], 60)
    assert value[()].contains(arb(1))
    assert value[()].contains(arb(2))
    graph = record(lambda x: np.stack([x, x])[np.stack([x / 3 * 3 >= x, x > 0])], 1.0)
    with pytest.raises(Unsupported, match="undecided"):
        enclose(graph, [1.0], 60)


def test_a_stopped_gradient_hands_its_balls_on() -> None:
    graph = symtape.record(lambda x: np.sum(x * symtape.stop_gradient(x)), np.ones(2))
    [square] = enclose(graph, [np.array([1.5, 2.0])], 100)
    assert square[()] == arb(6.25)


def test_what_has_no_reading_is_named() -> None:
    graph = record(lambda x: np.fft.fft(x).real, np.ones(4))
    with pytest.raises(Unsupported, match=r"fft.*test_enclose\.py"):
        enclose(graph, [np.ones(4)], 60)


def test_inputs_are_checked() -> None:
    graph = record(lambda x: x * 2, np.ones(3))
    with pytest.raises(ValueError, match="has 1 inputs, got 2"):
        enclose(graph, [1.0, 2.0], 60)
    with pytest.raises(ValueError, match=r"shape \(3,\), got \(\)"):
        enclose(graph, [1.0], 60)
    with pytest.raises(ValueError, match="at least 2 bits"):
        enclose(graph, [np.ones(3)], 1)


def test_precision_is_restored_after_an_error() -> None:
    before = flint.ctx.prec
    with precision(77):
        assert flint.ctx.prec == 77
        with pytest.raises(TypeError), precision(99):
            flint.arb(object())
        assert flint.ctx.prec == 77
    assert flint.ctx.prec == before


def test_threads_do_not_share_a_precision() -> None:
    graph = record(lambda x: np.exp(x), np.linspace(0, 1, 40))
    before, found = flint.ctx.prec, {}

    def work(bits: int) -> None:
        for _ in range(5):
            [value] = enclose(graph, [np.linspace(0, 1, 40)], bits)
            found.setdefault(bits, set()).update(
                entry.rel_accuracy_bits() // 20 for entry in value[1:]
            )

    threads = [threading.Thread(target=work, args=(bits,)) for bits in (60, 140, 620)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert flint.ctx.prec == before
    assert {bits: min(levels) >= bits // 20 - 1 for bits, levels in found.items()} == {
        60: True,
        140: True,
        620: True,
    }
    assert max(found[60]) < min(found[140]) <= max(found[140]) < min(found[620])
