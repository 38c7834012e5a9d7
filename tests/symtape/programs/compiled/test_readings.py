"""Every row that acts element by element has machine code, which computes what NumPy does."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from symtape.errors import Unsupported
from symtape.graph.graph import Graph, Node
from symtape.primitives.primitive import PRIMITIVES
from symtape.programs.compiled import functions, planning
from symtape.programs.compiled.functions import LIBMVEC
from symtape.programs.compiled.fused_source import FusedSource
from symtape.programs.compiled.instructions import _POWERS, is_as_numpy
from symtape.programs.compiled.program import Program
from symtape.programs.compiled.scalars import Scalars
from symtape.rigorous.rounding import model

pytest.importorskip("llvmlite")

HARD = (0.0, -0.0, 0.3, -0.7, 1.0, -1.0, 2.5, -36.0, 710.0, 1e22, 1e-300, -5e-324, 1e308)
HARD += (np.inf, -np.inf, np.nan)
scipy.special.erf(symtape.constant(1.0))  # rows of SciPy are there once one is asked for

DISCRETE = {
    "astype": "a cast, of other dtypes than machine code has",
    "astype_discrete": "whole numbers",
    "bitwise_and": "truths",
    "bitwise_or": "truths",
    "bitwise_xor": "truths",
    "eval_hermite": "whole numbers",
    "eval_hermitenorm": "whole numbers",
    "frexp_exponent": "whole numbers",
    "imag": "a constant",
    "invert": "truths",
    "ldexp": "whole numbers",
    "logical_and": "truths",
    "logical_not": "truths",
    "logical_or": "truths",
    "logical_xor": "truths",
    "where": "a choice by a truth",
}
"""Rows that are not of floats alone, and what they are of."""

ROWS = sorted(
    row.name for row in PRIMITIVES.values() if row.elementwise and row.name not in DISCRETE
)


def example_of(row):
    """Arguments, and parameters."""
    one = row.example[0] if isinstance(row.example, list) else row.example
    return one if len(one) == 2 and isinstance(one[1], dict) else (one, {})


def graph_of(row, points, params):
    """The row alone, of points and of whole numbers; a truth as 1.0 or 0.0."""
    with np.errstate(all="ignore"):
        value = np.asarray(row.evaluate(*points, **params))
    shape, number = value.shape, np.dtype(float)
    nodes = [
        Node(None, (), {}, np.shape(x), number)
        if np.shape(x)
        else Node(None, (), {}, (), np.asarray(x).dtype, constant=x)
        for x in points
    ]
    count = len(nodes)
    nodes.append(Node(row, tuple(range(count)), params, shape, value.dtype))
    if value.dtype == bool:
        one = Node(None, (), {}, (), number, constant=np.float64(1.0))
        nodes += [one, Node(PRIMITIVES["multiply"], (count, count + 1), {}, shape, number)]
    given = tuple(k for k, x in enumerate(points) if np.shape(x))
    return Graph(tuple(nodes), given, (len(nodes) - 1,), at=tuple(points[k] for k in given))


def is_within_rounding(graph, points, found, wanted):
    """Alike where they are no numbers, or zero; else as near as the row's roundings are."""
    balls = None
    for place, (mine, theirs) in enumerate(zip(found.ravel(), wanted.ravel(), strict=True)):
        if np.isnan(theirs) or np.isinf(theirs) or theirs == 0:
            alike = np.isnan(mine) if np.isnan(theirs) else mine == theirs
            if not alike or (theirs == 0 and np.signbit(mine) != np.signbit(theirs)):
                return False
        elif abs(mine - theirs) > 4 * np.spacing(abs(theirs)):
            if balls is None:
                balls = model(graph, [np.asarray(x) for x in points])[0].ravel()
            if balls[place].is_finite() and not balls[place].contains(float(mine)):
                return False
    return True


def check(name, columns, backend):
    """A row at points, by machine code."""
    row = PRIMITIVES[name]
    args, params = example_of(row)
    points = [
        example if isinstance(example, int) else np.array(column)
        for example, column in zip(args, columns, strict=True)
    ]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        graph = graph_of(row, points, params)
        program = Program(graph, name, backend)
        found = program.run(*graph.at)
        assert found is not None
        (wanted,) = graph.evaluate(*graph.at)
        assert is_within_rounding(graph, graph.at, found[0], wanted), (name, points, found, wanted)


def columns_of(name, size=0):
    count = len(PRIMITIVES[name].inputs)
    hard = HARD if count < 3 else (0.3, 1.0, 2.5, -0.7, np.inf, np.nan)
    rows = list(itertools.product(hard, repeat=count))
    rows += rows * (size // len(rows))
    return list(zip(*rows, strict=True))


# SciPy's hyp0f1 divides by zero, and says so to nobody.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.mark.parametrize("name", ROWS)
def test_every_row_is_machine_code(name):
    check(name, columns_of(name), "llvm")


@pytest.mark.parametrize("name", ROWS)
def test_every_row_is_right_in_loops_over_arrays(name):
    """Of three numbers more than there are in whole vectors."""
    row = PRIMITIVES[name]
    if len(row.inputs) > 2:
        pytest.skip("a call of NumPy's")
    columns = [column[:-1] for column in columns_of(name, 3000)]
    check(name, columns, "auto")


SIZES = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.floats(min_value=-50.0, max_value=50.0),
    st.sampled_from(HARD),
)


@pytest.mark.parametrize("width", [1, 64])
@given(data=st.data())
@settings(max_examples=60, derandomize=True, deadline=None)
def test_rows_are_right_anywhere(width, data):
    name = data.draw(st.sampled_from(ROWS))
    count = len(PRIMITIVES[name].inputs)
    columns = [data.draw(st.lists(SIZES, min_size=9, max_size=9)) for _ in range(count)]
    if width == 1:
        check(name, columns, "llvm")
    elif count < 3:
        check(name, [(column * 200)[:-1] for column in columns], "auto")


@pytest.mark.parametrize("backend", ["llvm", "auto"])
@pytest.mark.parametrize("exponent", sorted(_POWERS))
def test_powers_of_known_exponents_are_right_anywhere(exponent, backend):
    rng = np.random.default_rng(0)
    spread = 10.0 ** rng.uniform(-323, 308, 1500) * rng.choice([1.0, 1.0, -1.0], 1500)
    x = np.concatenate([HARD, spread, rng.uniform(0.1, 10.0, 1500)])
    with np.errstate(all="ignore"):
        graph = symtape.record(lambda x: x**exponent, x)
        wanted = x**exponent
        (found,) = Program(graph, "f", backend).run(x)
    zero = wanted == 0
    np.testing.assert_array_equal(np.signbit(found[zero]), np.signbit(wanted[zero]))
    np.testing.assert_allclose(found, wanted, rtol=2**-50, atol=5e-324)


def test_what_is_not_of_floats_alone_is_known():
    assert {name for name in DISCRETE if PRIMITIVES[name].elementwise} == {*DISCRETE}


def test_float32_is_for_loops_and_rounded_from_double_precision():
    x = np.linspace(-1.0, 1.0, 3000, dtype=np.float32)
    graph = symtape.record(lambda x: np.tanh(x) * np.exp(x), x)
    with pytest.raises(Unsupported, match="float32"):
        Scalars(graph)
    (found,) = Program(graph, "f", "auto").run(x)
    assert found.dtype == np.float32
    functions_of = np.tanh(x.astype(float)), np.exp(x.astype(float))
    one, other = (y.astype(np.float32) for y in functions_of)
    np.testing.assert_allclose(found, one * other, rtol=2**-23, atol=0.0)


def test_what_decides_has_the_bits_of_numpy():
    graph = symtape.record(lambda x: np.where(np.exp(x) > 1.5, np.sin(x), np.cos(x)), 1.0)
    codes = {op.code for op in Scalars(graph).operations if op.code.startswith("call ")}
    assert codes == {"call numpy.exp", "call libm.sin", "call libm.cos"}
    assert [is_as_numpy(code) for code in sorted(codes)] == [False, False, True]


def test_a_place_in_an_array_changes_no_bit():
    """The last elements, of which there are fewer than eight, are as all others."""
    f = symtape.record(lambda x: np.exp(x) * np.tanh(x) + np.sin(x), np.ones(3003))
    run = Program(f, "f", "auto").run
    for value in np.linspace(-3.0, 3.0, 50):
        (found,) = run(np.full(3003, value))
        assert len(set(found.tolist())) == 1


@pytest.mark.parametrize("lanes", [4, 8])
@pytest.mark.parametrize("size", [3, 8, 1001])
def test_registers_of_each_size_give_the_functions_of_the_library(lanes, size, monkeypatch):
    if not functions._processor().get("avx512f" if lanes == 8 else "avx2"):
        pytest.skip("the processor has no such registers")
    monkeypatch.setattr(functions, "_lanes", lambda: lanes)
    monkeypatch.setattr(planning, "SMALLEST", 1)
    for name in [name for name in sorted(functions.IN_C) if functions._has(name, LIBMVEC)]:
        ufunc = getattr(np, name, None) or getattr(scipy.special, name)
        x = np.linspace(0.1, 0.9, size) + (name == "arccosh")
        given = [x] * ufunc.nin
        graph = symtape.record(lambda *given, f=ufunc: f(*given) + given[0], *given)
        loops = FusedSource(graph, "f", exact=False)
        assert f"@libmvec.{name}" in loops.assembly
        np.testing.assert_allclose(loops(*given)[0], ufunc(*given) + x, 2**-50, 2**-50)


@pytest.mark.parametrize("name", ["exp", "exp2", "expm1", "log", "tanh", "expit", "logaddexp"])
def test_functions_of_vectors_are_those_of_numpy_where_they_end(name):
    """Where values underflow, and at zeros and infinities, whatever the library does there."""
    ufunc = getattr(np, name, None) or getattr(scipy.special, name)
    ends = [np.arange(-1100.0, -690.0, 0.37), np.linspace(-40.0, 40.0, 333), [-1e9, 700.0, *HARD]]
    x = np.concatenate([part * sign for part in map(np.array, ends) for sign in (1.0, -1.0)])
    given = [x, x[::-1].copy()][: ufunc.nin]
    with np.errstate(all="ignore"):
        graph = symtape.record(lambda *given: ufunc(*given) * 1.0, *given)
        (found,), wanted = FusedSource(graph, "f", exact=False)(*given), ufunc(*given)
    np.testing.assert_allclose(found, wanted, rtol=2**-49, atol=np.finfo(float).tiny)
    assert np.array_equal(np.signbit(found[found == 0.0]), np.signbit(wanted[found == 0.0]))
