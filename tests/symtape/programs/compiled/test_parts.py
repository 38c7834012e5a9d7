"""Rows as operations that never look: the values of the rows, at infinities and NaN too."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_softmax, logsumexp
from scipy.special import softmax as softmax_of

import symtape
import verify
from symtape.errors import Unsupported
from symtape.primitives import extrema, norms, reductions, softmax
from symtape.programs.compiled.expanding import expand_graph
from symtape.programs.compiled.fused_source import FusedSource, fuse_graph
from symtape.programs.compiled.parts import PARTS
from symtape.programs.compiled.passes import optimise_graph
from symtape.programs.compiled.program import Program
from symtape.programs.compiled.scalars import Scalars
from symtape.programs.compiled.segments import Segment
from verify import Verdict

INF = np.inf
HARD = np.array(
    [
        [0.5, -1.25, 700.0, 3.0],
        [-INF, 0.0, 0.0, -800.0],
        [-INF, -INF, -INF, -INF],
        [INF, 1.0, -INF, 2.0],
        [INF, INF, 0.0, 0.0],
        [np.nan, 0.0, 1.0, 2.0],
        [1e308, -1e308, 1e308, 0.0],
        [-1e-300, 1e-300, 0.0, 0.0],
    ]
)
ROWS = [softmax.LOGSUMEXP, softmax.SOFTMAX, softmax.LOG_SOFTMAX]
PULLED_BACK = [softmax.SOFTMAX_PULL_BACK, softmax.LOG_SOFTMAX_PULL_BACK]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
@pytest.mark.parametrize("axis", [(0,), (1,), (0, 1)])
def test_values_are_those_of_the_row(row, axis):
    params = {"keepdims": False} if row is softmax.LOGSUMEXP else {}
    with np.errstate(all="ignore"):
        for x in (HARD, HARD[:1], np.random.default_rng(0).normal(size=(5, 7))):
            found, wanted = (f(x, axis=axis, **params) for f in (PARTS[row], row.evaluate))
            np.testing.assert_allclose(found, wanted, rtol=1e-15, atol=0.0)


@pytest.mark.parametrize("row", [reductions.VAR, reductions.STD], ids=lambda row: row.name)
@pytest.mark.parametrize("axis", [None, (0,), (1,), (0, 1)])
@pytest.mark.parametrize("more", [{"ddof": 1, "keepdims": True}, {"ddof": 0, "keepdims": False}])
def test_variances_are_those_of_the_row(row, axis, more):
    x = np.random.default_rng(0).normal(size=(5, 7))
    found, wanted = (f(x, axis=axis, **more) for f in (PARTS[row], row.evaluate))
    np.testing.assert_allclose(found, wanted, rtol=1e-14)


def test_a_loop_of_numbers_that_begins_with_a_variance_is_machine_code():
    pytest.importorskip("llvmlite")

    def volatility(x):
        h, total = np.var(x), 0.0
        for one in x:
            h = 0.1 + 0.2 * one**2 + 0.7 * h
            total = total + np.log(h) + one**2 / h
        return total

    x = np.random.default_rng(0).normal(size=100)
    eager = symtape.grad(volatility)
    compiled = symtape.compile(eager, x)
    np.testing.assert_allclose(compiled(x), eager(x), rtol=1e-12)
    assert "define" in compiled.sources[0]


@pytest.mark.parametrize("function", [logsumexp, softmax_of, log_softmax])
def test_shares_among_numbers_are_machine_code(function):
    pytest.importorskip("llvmlite")

    def cells(x):
        table = np.zeros((7, 7))
        for i in range(1, 7):
            for j in range(1, 7):
                near = np.array([table[i - 1, j], table[i, j - 1], 2 * table[i - 1, j - 1]])
                table[i, j] = (x[i] - x[j]) ** 2 + np.sum(function(near) * np.arange(1.0, 4.0))
        return table[-1, -1] / 1e6

    compiled = symtape.jit(symtape.grad(cells))
    for seed in range(3):
        x = np.random.default_rng(seed).normal(size=7)
        np.testing.assert_allclose(compiled(x), symtape.grad(cells)(x), rtol=1e-11, atol=1e-12)
    assert "define" in compiled.sources[0]


@pytest.mark.parametrize("function", [logsumexp, softmax_of, log_softmax])
def test_what_shares_decide_is_left_to_numpy(function):
    pytest.importorskip("llvmlite")
    graph = optimise_graph(
        symtape.record(lambda x: x * x if np.sum(function(x)[()]) > 0 else -x, np.ones(3))
    )
    assert Program(graph, "f", "auto").run.backend != "llvm"
    with pytest.raises(Unsupported):
        Scalars(graph)


@pytest.mark.parametrize("row", PULLED_BACK, ids=lambda row: row.name)
@pytest.mark.parametrize("sure", [1.0, 40.0])
def test_pulled_back_values_are_those_of_the_row(row, sure):
    draw = np.random.default_rng(1)
    for axis in ((0,), (1,)):
        p = softmax.SOFTMAX.evaluate(sure * draw.normal(size=(6, 4)), axis=axis)
        g = draw.normal(size=(6, 4))
        found, wanted = (f(p, g, axis=axis) for f in (PARTS[row], row.evaluate))
        np.testing.assert_allclose(found, wanted, rtol=1e-15, atol=1e-300)


def test_parts_of_single_precision_are_of_single_precision():
    """Or source could not be written for them: counts and choices are of doubles."""
    largest, plain = {"largest": True}, {"keepdims": False}
    more = {extrema.SHARE: largest, softmax.LOGSUMEXP: plain, norms.EUCLIDEAN_NORM: plain}
    x = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
    for row in (*ROWS, extrema.SHARE, norms.EUCLIDEAN_NORM):
        params = {"axis": (1,), **more.get(row, {})}
        graph = symtape.record(lambda x, row=row, params=params: row(x, **params), x)
        found = expand_graph(graph, lambda graph, node: True, {row: PARTS[row]}).graph
        assert row.name not in [node.name for node in found.nodes]
        assert found.nodes[found.outputs[0]].dtype == np.float32
        np.testing.assert_allclose(*(each.evaluate(x)[0] for each in (found, graph)), rtol=1e-6)


def chain(emission, transition):
    alpha = emission[0]
    for row in emission[1:]:
        alpha = logsumexp(alpha[:, None] + transition, 0) + row
    return logsumexp(alpha)


def test_a_recursion_in_logs_is_one_call_of_machine_code():
    pytest.importorskip("llvmlite")
    draw = np.random.default_rng(2)
    args = draw.normal(size=(9, 12)), draw.normal(size=(12, 12))
    slope = symtape.grad(chain, (0, 1))
    fused = fuse_graph(optimise_graph(symtape.record(slope, *args)), exact=False)
    program = FusedSource(fused.graph, "f", exact=False, fused=fused)
    assert any(isinstance(loop, Segment) for loop in program.loops)
    assert fused.calls == 0
    for found, wanted in zip(program(*args), slope(*args), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("row", [None, softmax.SOFTMAX])
def test_a_planted_part_is_wrong(row, monkeypatch):
    pytest.importorskip("llvmlite")
    if row:
        right = PARTS[row]
        monkeypatch.setitem(PARTS, row, lambda x, axis: right(x, axis) * 1.001)
    draw = np.random.default_rng(3)
    args = draw.normal(size=(3, 12)), draw.normal(size=(12, 12))
    slope = symtape.grad(chain, (0, 1))
    program = FusedSource(optimise_graph(symtape.record(slope, *args)), "f", exact=False)
    result = verify.gradient(chain, claimed=lambda *xs: program(*xs)[0], at=[args], argnums=0)
    assert result.verdict is (Verdict.WRONG if row else Verdict.CORRECT), str(result)


@pytest.mark.parametrize("subscripts", ["ijk,ij,j->ik", "ab,acs,bds->cd", "ij,ij->i"])
def test_small_contractions_are_pairs_in_loops(subscripts):
    """NumPy's own einsum takes as long for its arguments as for a thousand products."""
    pytest.importorskip("llvmlite")
    *terms, _ = subscripts.replace("->", ",").split(",")
    draw = np.random.default_rng(0)
    given = [draw.normal(size=(3,) * len(term)) for term in terms]

    def function(x):
        return np.sum(np.exp(0.1 * np.einsum(subscripts, x, *given[1:])))

    eager = symtape.grad(function)
    graph = symtape.record(eager, given[0])
    program = FusedSource(optimise_graph(graph), "f", exact=False)
    np.testing.assert_allclose(program(given[0])[0], eager(given[0]), rtol=1e-13)
    assert "einsum" not in program.source
