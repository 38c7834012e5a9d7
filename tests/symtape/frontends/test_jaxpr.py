"""What is read of a program of JAX computes what JAX computes, and records its lines."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import symtape
from symtape.errors import NotOnTape
from symtape.frontends.jaxpr.library import precision

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    jax = pytest.importorskip("jax", reason="reading JAX needs jax: pip install 'symtape[jax]'")
    import jax.numpy as jnp
    import jax.scipy as jsp
    from jax import lax

DRAW = np.random.default_rng(0)
V, W = DRAW.normal(size=5), DRAW.normal(size=5)
P = np.abs(V) + 0.3
M = DRAW.normal(size=(3, 3))
S = M @ M.T + 3 * np.eye(3)
B = DRAW.normal(size=(3, 2))
T = DRAW.normal(size=(2, 3, 4))
IMAGE = DRAW.normal(size=(1, 5, 4, 3))
KERNEL = DRAW.normal(size=(3, 2, 3, 2))
LAYOUT = ("NHWC", "HWIO", "NHWC")


def recurrent(w, u, xs):
    def step(h, x):
        h = jnp.tanh(w @ h + u @ x)
        return h, h

    last, all_ = lax.scan(step, jnp.zeros(3), xs)
    return jnp.sum(all_**2) + last[0]


def convolved(x, k, **options):
    return jnp.sum(lax.conv_general_dilated(x, k, dimension_numbers=LAYOUT, **options) ** 2)


def pooled(x, start, combine, pad):
    return jnp.sum(lax.reduce_window(x, start, combine, (1, 2, 3, 1), (1, 2, 1, 1), pad) ** 2)


def weighed(values):
    return jnp.sum(values * jnp.arange(1.0, 1.0 + values.size).reshape(values.shape))


PROGRAMS = {
    "softplus": (lambda x: weighed(jax.nn.softplus(x)), V),
    "logsumexp": (jax.nn.logsumexp, V),
    "gelu": (lambda x: weighed(jax.nn.gelu(x)), V),
    "elu": (lambda x: weighed(jax.nn.elu(x)), V),
    "std": (jnp.std, V),
    "cumulative": (lambda x: weighed(jnp.cumsum(x) * jnp.cumprod(x) + lax.cummax(x)), V),
    "cumulative, reversed": (lambda x: weighed(lax.cumsum(x, reverse=True)), V),
    "cumlogsumexp": (lambda x: weighed(lax.cumlogsumexp(x)), V),
    "sort": (lambda x: weighed(jnp.sort(x)), V),
    "sort by several keys": (
        lambda x: weighed(lax.sort((jnp.round(x), -x, x * x), num_keys=2)[2]),
        V,
    ),
    "argsort": (lambda x: weighed(x[jnp.argsort(x)]), V),
    "top_k": (lambda x: weighed(lax.top_k(x, 2)[0]), V),
    "median": (jnp.median, V),
    "argmax": (lambda x: x[jnp.argmax(x)] ** 2 + x[jnp.argmin(x)], V),
    "at add": (lambda x: weighed(jnp.asarray(x).at[1].add(x[2])), V),
    "at set": (lambda x: weighed(jnp.asarray(x).at[jnp.array([1, 3])].set(x[2] * 2)), V),
    "at mul": (lambda x: weighed(jnp.asarray(x).at[1].mul(x[2], unique_indices=True)), V),
    "at max": (lambda x: weighed(jnp.asarray(x).at[1].max(x[2])), V),
    "at an index that is computed": (
        lambda x: weighed(jnp.asarray(x).at[jnp.argmax(x)].add(3 * x[0])),
        V,
    ),
    "set at an index that is computed": (
        lambda x: weighed(jnp.asarray(x).at[jnp.argmin(x)].set(3 * x[0])),
        V,
    ),
    "take, out of bounds": (
        lambda x: jnp.nansum(jnp.take(x, jnp.array([0, 9]), mode="fill", fill_value=2.5)),
        V,
    ),
    "take, clipped": (lambda x: weighed(jnp.take(x, jnp.array([-9, 9]), mode="clip")), V),
    "pad": (lambda x: weighed(lax.pad(x, 1.5, [(-1, 2, 1)])), V),
    "pad, around": (lambda x: weighed(jnp.pad(x, (1, 2), constant_values=2.0)), V),
    "dynamic slice": (lambda x: weighed(lax.dynamic_slice(x, (9,), (3,))), V),
    "dynamic update": (lambda x: weighed(lax.dynamic_update_slice(x, x[:2] * 2, (2,))), V),
    "where": (lambda x: weighed(jnp.where(x > 0, x**2, -x)), V),
    "clip": (lambda x: weighed(jnp.clip(x, -0.5, 0.5)), V),
    "switch": (lambda x: lax.switch(1, [jnp.sum, jnp.prod, jnp.max], x), V),
    "fori": (lambda x: lax.fori_loop(0, 4, lambda i, c: c * jnp.sum(x) + i, 1.0), V),
    "associative scan": (lambda x: weighed(lax.associative_scan(jnp.multiply, x)), V),
    "vmap": (lambda x: weighed(jax.vmap(lambda y: jnp.sin(y) * y)(x)), V),
    "remat": (lambda x: weighed(jax.checkpoint(lambda y: jnp.sin(jnp.cos(y)))(x)), V),
    "powers": (lambda x: weighed(x**3 + x**-2 + P**x), V),
    "angles": (lambda x: weighed(jnp.hypot(x, W) + jnp.arctan2(x, W)), V),
    "erf": (lambda x: weighed(jsp.special.erf(x) + jsp.special.erfc(x)), V),
    "ndtri": (lambda x: weighed(jsp.special.ndtri(jax.nn.sigmoid(x))), V),
    "gamma": (lambda x: weighed(jsp.special.gammaln(x) + jsp.special.digamma(x)), P),
    "polygamma": (lambda x: weighed(jsp.special.polygamma(2, x)), P),
    "zeta": (lambda x: weighed(jsp.special.zeta(3.0, x)), P),
    "gammainc": (lambda x: weighed(jsp.special.gammainc(2.5, x)), P),
    "betainc": (lambda x: weighed(jsp.special.betainc(2.5, 1.5, jax.nn.sigmoid(x))), V),
    "bessel": (lambda x: weighed(jsp.special.i0(x) + jsp.special.i1e(x)), V),
    "mod": (lambda x: weighed(jnp.mod(x, 0.7) + jnp.fmod(x, 0.7) + jnp.floor(x)), V),
    "det": (jnp.linalg.det, S),
    "slogdet": (lambda m: jnp.linalg.slogdet(m)[1], S),
    "inv": (lambda m: weighed(jnp.linalg.inv(m)), S),
    "solve": (lambda m: weighed(jnp.linalg.solve(m, B)), S),
    "solve a stack": (
        lambda m: weighed(jnp.linalg.solve(jnp.stack([m, m + 1]), jnp.stack([B, 2 * B]))),
        S,
    ),
    "cholesky": (lambda m: weighed(jnp.linalg.cholesky(m)), S),
    "cho_solve": (
        lambda m: weighed(jsp.linalg.cho_solve((jnp.linalg.cholesky(m), True), B)),
        S,
    ),
    "eigh": (lambda m: jnp.linalg.eigh(m)[0][0] ** 2, S),
    "svd": (lambda m: weighed(jnp.linalg.svd(m, compute_uv=False)), M),
    "qr": (lambda m: weighed(jnp.linalg.qr(m)[1] ** 2), M),
    "lu": (lambda m: weighed(jsp.linalg.lu(m)[2]), M),
    "tridiagonal": (
        lambda x: weighed(lax.linalg.tridiagonal_solve(x, x + 9.0, 2 * x, B[:, :1])),
        V[:3],
    ),
    "einsum": (lambda t: weighed(jnp.einsum("bij,bkj->bik", t, t)), T),
    "tensordot": (lambda t: weighed(jnp.tensordot(t, t, axes=([0, 2], [0, 2]))), T),
    "convolution": (
        lambda x: convolved(x, KERNEL, window_strides=(2, 1), padding="SAME"),
        IMAGE,
    ),
    "convolution by kernel": (
        lambda k: convolved(IMAGE, k, window_strides=(1, 1), padding="VALID", rhs_dilation=(1, 2)),
        KERNEL,
    ),
    "convolution, grouped": (
        lambda x: convolved(
            x,
            KERNEL[:, :, :1].repeat(3, -1),
            window_strides=(1, 1),
            padding=((1, 1), (0, 1)),
            lhs_dilation=(2, 1),
            feature_group_count=3,
        ),
        IMAGE,
    ),
    "max pool": (lambda x: pooled(x, -jnp.inf, lax.max, "VALID"), IMAGE),
    "average pool": (lambda x: pooled(x, 0.0, lax.add, "SAME"), IMAGE),
    "recurrent network": (recurrent, M, M.T.copy(), DRAW.normal(size=(4, 3))),
    "cross entropy": (
        lambda x: -jnp.mean(jax.nn.log_softmax(x)[jnp.arange(3), jnp.array([0, 1, 1])]),
        B,
    ),
    "a constant draw": (lambda x: jnp.sum(x * jax.random.normal(jax.random.key(0), (5,))), V),
    "stop_gradient": (lambda x: jnp.sum(x * lax.stop_gradient(x)), V),
}


@pytest.fixture(autouse=True)
def double():
    """As JAX is configured by default, but for what a test asks of NumPy."""
    assert not jax.config.jax_enable_x64


def by_jax(function, *xs):
    with precision([np.dtype(float)]):
        # To optimise what runs once would take longer than to run it.
        quickly = {"xla_backend_optimization_level": 0}
        found = jax.jit(function, compiler_options=quickly)(*map(jnp.asarray, xs))
        return [np.asarray(leaf) for leaf in jax.tree_util.tree_leaves(found)]


def assert_same(found, wanted):
    for a, b in zip(found, wanted, strict=True):
        assert np.shape(a) == b.shape
        assert np.asarray(a).dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)


SLOW = [
    "betainc",
    "bessel",
    "cho_solve",
    "cumlogsumexp",
    "gammainc",
    "gamma",
    "lu",
    "max pool",
    "ndtri",
    "qr",
    "solve a stack",
    "tensordot",
    "tridiagonal",
    "zeta",
]
"""What JAX takes long to compile."""

EACH = [pytest.param(name, marks=pytest.mark.campaign if name in SLOW else ()) for name in PROGRAMS]


@pytest.mark.parametrize("name", EACH)
def test_a_program_and_its_gradient_are_read(name):
    function, *xs = PROGRAMS[name]
    slope = jax.value_and_grad(function, argnums=tuple(range(len(xs))))
    value, *wanted = by_jax(slope, *xs)
    graph = symtape.record(symtape.from_jax(slope), *xs)
    assert not graph.escapes
    assert_same(graph.evaluate(*xs), [value, *wanted])
    assert_same([symtape.record(symtape.from_jax(function), *xs).evaluate(*xs)[0]], [value])
    ours = symtape.grad(symtape.from_jax(function), argnums=tuple(range(len(xs))))(*xs)
    for a, b in zip(ours, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10)


def test_a_linear_solve_is_read_by_what_it_solves():
    def solved(b):
        return lax.custom_linear_solve(lambda v: S @ v, b, lambda f, b: 0 * b, symmetric=True)

    (found,) = symtape.record(symtape.from_jax(solved), V[:3]).evaluate(V[:3])
    np.testing.assert_allclose(found, np.linalg.solve(S, V[:3]))


def test_the_closed_form_is_that_of_the_function():
    made = symtape.derive(symtape.from_jax(lambda x: jnp.exp(-(x**2)) * jnp.sin(x)), 1.0)
    assert "df/dx = (-2*x*sin(x) + cos(x))*exp(-x**2)" in str(made)


def test_an_operation_comes_from_the_line_of_the_user():
    def two_lines(x):
        y = jnp.exp(x)
        return jax.nn.softplus(y)

    graph = symtape.record(symtape.from_jax(jax.jit(two_lines)), 0.5)
    first = two_lines.__code__.co_firstlineno
    places = {(node.name, node.origin.line - first) for node in graph.nodes if node.origin}
    assert ("exp", 1) in places
    assert {line for _, line in places} == {1, 2}
    assert all(node.origin.file == __file__ for node in graph.nodes if node.origin)


def test_float32_stays_float32():
    graph = symtape.record(symtape.from_jax(lambda x: jnp.sin(x) * 2 + 1), np.float32(0.5))
    assert {node.dtype for node in graph.nodes} == {np.dtype(np.float32)}


def test_float64_is_read_in_double_whatever_jax_is_set_to():
    value = symtape.from_jax(lambda x: x * 1.1)(np.float64(0.1))
    assert value.dtype == np.float64
    assert value == 0.1 * 1.1


def test_a_claimed_rule_is_no_part_of_the_function():
    @jax.custom_vjp
    def square(x):
        return x * x

    square.defvjp(lambda x: (square(x), x), lambda x, g: (7 * g,))
    assert symtape.grad(symtape.from_jax(square))(3.0) == 6.0
    assert symtape.from_jax(jax.grad(square))(3.0) == 7.0


def test_a_path_that_values_choose_is_recorded():
    def halved(x):
        return lax.while_loop(lambda c: c > 1.0, lambda c: c / 2, x)

    def folded(x):
        return lax.cond(x > 0, lambda y: y, lambda y: -y, x)

    graph = symtape.record(symtape.from_jax(halved), 5.0)
    assert [step.outcome for step in graph.path] == [True, True, True, False]
    graph = symtape.record(symtape.from_jax(folded), -2.0)
    assert [graph.nodes[step.node].name for step in graph.path] == ["greater"]
    assert graph.evaluate(-2.0) == (2.0,)


def test_nested_arguments_and_results_keep_their_structure():
    def affine(weights, x):
        return {"y": x @ weights["w"] + weights["b"], "x": x}

    read = symtape.from_jax(affine)
    answer = read({"w": M, "b": V[:3]}, W[:3])
    np.testing.assert_allclose(answer["y"], W[:3] @ M + V[:3])
    slopes = symtape.grad(lambda p: np.sum(read(p, W[:3])["y"]))({"w": M, "b": V[:3]})
    np.testing.assert_allclose(slopes["w"], np.outer(W[:3], np.ones(3)))
    np.testing.assert_allclose(slopes["b"], np.ones(3))


def test_tracing_is_done_once_for_a_shape():
    traced = []

    def counted(x):
        traced.append(x.shape)
        return jnp.sum(x)

    read = symtape.from_jax(counted)
    for x in (V, V + 1, V[:2], V):
        read(x)
    assert traced == [(5,), (2,)]


def test_what_is_no_number_is_refused():
    with pytest.raises(NotOnTape, match="complex128"):
        symtape.from_jax(jnp.sum)(np.array([1j]))
    with pytest.raises(TypeError, match="from_jax takes a function, got 3"):
        symtape.from_jax(3)
