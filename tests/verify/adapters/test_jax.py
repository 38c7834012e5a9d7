"""Derivatives by JAX: faults are found from the region alone, and their right twins pass."""

from __future__ import annotations

import functools
import inspect
import itertools
import warnings

import numpy as np
import pytest

import verify
from symtape.errors import Unreadable
from verify.adapters import adapt_function, detection
from verify.adapters import jax as adapter
from verify.errors import UsageError
from verify.judging.judge import verify_case
from verify.model.case import Case, region_of
from verify.model.foreign import Foreign
from verify.model.verdict import Verdict

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    jax = pytest.importorskip("jax", reason="these tests need jax: pip install 'symtape[jax]'")
    import jax.numpy as jnp
    from jax.scipy.special import log_ndtr

BOX = verify.box(-2, 2, shape=(3,))


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """No memory of earlier searches; JAX as it is by default, in single precision."""
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))
    assert not jax.config.jax_enable_x64


def energy_with(factor):
    @jax.custom_vjp
    def energy(x):
        return jnp.sum(jnp.sin(x) ** 2)

    def forward(x):
        return energy(x), x

    def backward(x, cotangent):
        return (factor * cotangent * jnp.sin(x) * jnp.cos(x),)

    energy.defvjp(forward, backward)
    return energy


def soft_with(sign):
    @jax.custom_jvp
    def soft(x):
        return jnp.logaddexp(x, 0.0)

    @soft.defjvp
    def rule(primals, tangents):
        return soft(*primals), sign * tangents[0] * jax.nn.sigmoid(*primals)

    return soft


WRONG = {
    "custom_vjp, a factor": (energy_with(1.0), jax.grad, BOX, "2 times too small"),
    "custom_jvp, the sign": (soft_with(-1.0), jax.grad, [-3, 3], "the sign is wrong"),
    "under jit": (jax.jit(energy_with(1.0)), lambda f: jax.jit(jax.grad(f)), BOX, "2 times"),
    "under vmap": (
        lambda x: jnp.sum(jax.vmap(soft_with(-1.0))(x)),
        jax.grad,
        BOX,
        "the sign is wrong",
    ),
    "by jacfwd": (soft_with(-1.0), jax.jacfwd, [-3, 3], "the sign is wrong"),
}
RIGHT = {
    "custom_vjp, a factor": (energy_with(2.0), jax.grad, BOX),
    "custom_jvp, the sign": (soft_with(1.0), jax.grad, [-3, 3]),
    "under jit": (jax.jit(energy_with(2.0)), lambda f: jax.jit(jax.grad(f)), BOX),
    "under vmap": (lambda x: jnp.sum(jax.vmap(soft_with(1.0))(x)), jax.grad, BOX),
    "by value_and_grad": (energy_with(2.0), jax.value_and_grad, BOX),
}


def searched(function, claimed, over):
    case = Case(
        id="jax",
        title="jax",
        function=adapt_function(function),
        at=(),
        quantity="gradient",
        claimed=adapt_function(claimed),
        over=region_of(function, over),
    )
    return verify_case(case, effort=0.1)


@pytest.mark.parametrize("name", WRONG)
def test_a_fault_is_found_from_the_region_alone(name):
    function, transform, over, cause = WRONG[name]
    result = searched(function, transform(function), over)
    assert result.verdict is Verdict.WRONG, str(result)
    assert cause in result.witness.message


@pytest.mark.parametrize("name", RIGHT)
def test_its_right_twin_is_not_accused(name):
    function, transform, over = RIGHT[name]
    result = searched(function, transform(function), over)
    assert result.verdict is Verdict.CORRECT, str(result)


@jax.custom_jvp
def bent(x):
    return jnp.logaddexp(x, 0.0)


@bent.defjvp
def bent_rule(primals, tangents):
    return bent(*primals), -tangents[0] * jax.nn.sigmoid(*primals)


@jax.custom_vjp
def swish(x):
    return x * jax.nn.sigmoid(x)


def swish_fwd(x):
    return swish(x), x


def swish_bwd(x, g):
    s = jax.nn.sigmoid(x)
    return (g * (s + s * (1 - s)),)


swish.defvjp(swish_fwd, swish_bwd)


@jax.custom_vjp
def scaled_sine(a, b):
    return a * jnp.sin(b)


def scaled_sine_bwd(saved, g):
    a, b = saved
    return g * jnp.sin(b), g * a


scaled_sine.defvjp(lambda a, b: (scaled_sine(a, b), (a, b)), scaled_sine_bwd)


def loss_of(rule):
    def loss(x):
        y = jnp.exp(x)
        z = rule(y)
        return jnp.sum(z * jnp.cos(x))

    return loss


RULES = {
    "custom_jvp": (bent, bent_rule, "the rule of bent is wrong: the sign is wrong"),
    "custom_vjp": (swish, swish_bwd, "lacks the factor x"),
    "under vmap": (jax.vmap(swish), swish_bwd, "lacks the factor"),
    "two arguments": (
        lambda y: scaled_sine(y, 2 * y),
        scaled_sine_bwd,
        "the rule of scaled_sine is wrong: the factor that sin contributes by the chain rule",
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_a_wrong_rule_inside_of_a_function_is_named_with_its_line(name):
    function, rule, cause = RULES[name]
    loss = loss_of(function)
    result = verify.gradient(loss, claimed=jax.grad(loss), at=[np.array([0.5, -1.0])])
    assert result.verdict is Verdict.WRONG
    witness = result.witness
    assert cause in witness.message
    assert witness.op in ("multiply", "negative")
    source, first = inspect.getsourcelines(rule)
    assert witness.origin in [f"{__file__}:{first + k}" for k in range(1, len(source))]
    assert f"in {rule.__name__}" in witness.message


def test_the_library_itself_is_the_claimant_where_nobody_is_named():
    result = verify.gradient(energy_with(1.0), at=[np.array([0.5, 1.0, -0.25])])
    assert result.verdict is Verdict.WRONG
    assert "jax.grad" in result.claimant


def test_a_mode_that_does_not_exist_is_no_finding():
    with pytest.raises(TypeError, match="custom_vjp"):
        adapter.derivatives(energy_with(2.0), "gradient")["forward"](np.ones(3))
    result = verify.gradient(energy_with(2.0), at=[np.array([0.5, 1.0, -0.25])])
    assert result.verdict is Verdict.CORRECT, str(result)


def cubic(x):
    return jnp.sum(x**3) + x[0] * x[1]


def wave(x):
    return jnp.sin(x) * x[0]


QUANTITIES = {
    "gradient": (cubic, np.array([0.5, -1.0])),
    "jacobian": (wave, np.array([0.5, -1.0])),
    "hessian": (cubic, np.array([0.5, -1.0])),
    "vjp": (wave, np.array([0.5, -1.0]), np.array([1.0, 2.0])),
    "jvp": (wave, np.array([0.5, -1.0]), np.array([1.0, 2.0])),
    "hvp": (cubic, np.array([0.5, -1.0]), np.array([1.0, 2.0])),
}


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_all_modes_agree_on_a_right_derivative(quantity):
    function, *xs = QUANTITIES[quantity]
    modes = adapter.derivatives(function, quantity)
    assert all(isinstance(mode, Foreign) for mode in modes.values())
    first, *others = [mode(*xs) for mode in modes.values()]
    assert first.dtype == np.float64
    for other in others:
        np.testing.assert_allclose(other, first, rtol=1e-13)


def test_derivatives_by_several_arguments_come_in_their_order():
    def function(x, y):
        return jnp.sum(x) ** 2 * y

    point = (np.array([1.0, 2.0]), np.array(3.0))
    blocks = adapter.derivatives(function, "hessian")["forward over reverse"](*point)
    assert [[block.shape for block in row] for row in blocks] == [[(2, 2), (2,)], [(2,), ()]]
    gradient = adapter.derivatives(function, "gradient")["reverse"](*point)
    np.testing.assert_allclose(gradient[0], [18.0, 18.0])
    np.testing.assert_allclose(gradient[1], 9.0)


class Model:
    scale = 2.0

    def __call__(self, x):
        return jnp.tanh(x) * self.scale

    def loss(self, x):
        return jnp.tanh(x) * self.scale


def scaled(scale, x):
    return jnp.tanh(x) * scale


RECOGNISED = {
    "plain": lambda x: jnp.tanh(x) * 2.0,
    "jit": jax.jit(lambda x: jnp.tanh(x) * 2.0),
    "vmap": jax.vmap(lambda x: jnp.tanh(x) * 2.0),
    "grad": jax.grad(lambda x: jnp.log(jnp.cosh(x)) * 2.0),
    "partial": functools.partial(scaled, 2.0),
    "partial of jit": functools.partial(jax.jit(scaled), 2.0),
    "method": Model().loss,
    "object": Model(),
    "custom_jvp": soft_with(1.0),
    "custom_vjp": energy_with(1.0),
}


@pytest.mark.parametrize("name", RECOGNISED)
def test_what_is_of_jax_is_recognised(name):
    function = RECOGNISED[name]
    assert [hit.framework for hit in detection.find_frameworks(function)] == ["jax"]
    assert isinstance(adapt_function(function), Foreign)


def test_what_is_not_of_jax_is_left_alone():
    def plain(x):
        return np.tanh(x)

    assert not detection.find_frameworks(plain)
    assert adapt_function(plain) is plain


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_numbers_keep_the_precision_of_the_point(dtype):
    slope = adapter.adapt(jax.grad(lambda x: jnp.sum(jnp.tanh(x))))
    found = slope(np.array([0.1, 0.2], dtype))
    assert found.dtype == dtype
    np.testing.assert_allclose(found, 1 - np.tanh([0.1, 0.2]) ** 2, rtol=1e-6)
    assert not jax.config.jax_enable_x64


def test_an_answer_in_less_precision_is_judged_by_its_own():
    def slope(x):
        return jnp.cos(x.astype(jnp.float32))

    result = verify.gradient(lambda x: jnp.sin(x), claimed=slope, at=[0.5])
    assert result.verdict is not Verdict.WRONG


def test_float32_points_are_judged_in_float32():
    result = verify.gradient(cubic, claimed=jax.grad(cubic), at=[np.array([0.5, -1.1], np.float32)])
    assert result.verdict is Verdict.CORRECT, str(result)


@pytest.mark.parametrize("x", [1e-310, 1e-160, 2.3e-308])
def test_a_subnormal_number_that_is_taken_for_zero_is_no_fault(x):
    def quartic(x):
        return jnp.sum(x**2) ** 2

    result = verify.gradient(quartic, claimed=jax.grad(quartic), at=[np.array([x, 1e-155])])
    assert result.verdict in (Verdict.CORRECT, Verdict.UNDECIDED), str(result)


def test_a_branch_that_values_choose_runs_and_is_not_read():
    def folded(x):
        return x if x > 0 else -x

    foreign = adapter.adapt(jax.grad(lambda x: jnp.sin(folded(x))))
    assert foreign(np.array(-0.5)) == pytest.approx(-np.cos(0.5))
    with pytest.raises(Unreadable, match=r"lax\.cond"):
        verify.gradient(
            lambda x: jnp.sin(folded(x)), claimed=lambda x: np.sign(x) * np.cos(x), at=[0.5]
        )


def test_a_function_with_state_is_not_deterministic():
    calls = itertools.count(1)

    def slope(x):
        return jnp.cos(x) * (1.0 + next(calls))

    for claimed in (slope, jax.jit(slope)):
        result = verify.gradient(lambda x: jnp.sin(x), claimed=claimed, at=[0.5])
        assert result.verdict is Verdict.WRONG
        assert "not deterministic" in result.witness.message


def test_what_a_point_cannot_give_is_refused_in_words():
    def slope(x, *, scale):
        return scale * jnp.cos(x)

    with pytest.raises(UsageError, match=r"needs scale by keyword.*functools\.partial"):
        verify.gradient(lambda x: jnp.sin(x), claimed=slope, at=[0.5])


def test_nested_answers_are_refused_in_words():
    def slopes(x, y):
        return {"x": y, "y": x}

    def product(x, y):
        return jnp.multiply(x, y)

    claimed = adapter.adapt(lambda x, y: {"x": jnp.asarray(y), "y": jnp.asarray(x)})
    with pytest.raises(UsageError, match=r"returned a dict with x, y; expected an array"):
        claimed(np.array(1.0), np.array(2.0))
    listed = adapter.adapt(lambda x, y: [jnp.asarray(y), jnp.asarray(x)])
    result = verify.gradient(product, claimed=listed, at=[(2.0, 3.0)])
    assert result.verdict is Verdict.CORRECT


def test_bfloat16_is_refused_in_words():
    claimed = adapter.adapt(lambda x: jnp.cos(x).astype(jnp.bfloat16))
    with pytest.raises(UsageError, match=r"returned bfloat16.*astype\(jnp\.float32\)"):
        claimed(np.array(0.5))


def test_what_cannot_be_read_names_operation_line_and_way_out():
    def spectrum(x):
        return jnp.sum(jnp.abs(jnp.fft.fft(x)) ** 2)

    with pytest.raises(Unreadable, match=r"complex.*evidence='sampled'"):
        verify.gradient(spectrum, claimed=jax.grad(spectrum), at=[np.array([1.0, 2.0])])


def test_i0_has_a_derivative_at_zero():
    """``i0(x) = exp(abs(x)) * i0e(x)``: both factors have a kink there, and their product none."""

    def bessel(x):
        return jax.scipy.special.i0(x)

    result = verify.gradient(bessel, claimed=lambda x: jax.scipy.special.i1(x), at=[0.0, 0.5])
    assert result.verdict is Verdict.CORRECT, str(result)
    result = verify.gradient(bessel, claimed=lambda x: 1 + jax.scipy.special.i1(x), at=[0.0])
    assert result.verdict is Verdict.WRONG


def test_noise_where_terms_cancel_exactly_is_no_wrong_rule():
    from jax.scipy.special import entr, xlogy

    def nothing(x):
        return xlogy(x, x) + entr(x)

    result = verify.gradient(nothing, over=[0.1, 5.0], effort=0.1)
    assert result.verdict in (Verdict.CORRECT, Verdict.INACCURATE), str(result)


def test_a_search_passes_over_numbers_that_xla_takes_for_zero():
    result = verify.gradient(lambda x: jnp.sum(2 * x**2), over=BOX, effort=0.2)
    assert result.verdict is Verdict.CORRECT, result
    assert result.coverage.undecided == 0
    tiny = verify.gradient(lambda x: jnp.sum(2 * x**2), over=verify.box(1e-320, 1e-310, shape=(3,)))
    assert tiny.verdict is Verdict.UNDECIDED
    assert "subnormal" in tiny.witness.message


@pytest.mark.parametrize("x", [-5.5, -1.0, 2.0, 4.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_constant_that_every_mode_rounds_in_its_own_way_is_no_fault(x, dtype):
    assert verify.gradient(log_ndtr, at=[dtype(x)]).verdict is Verdict.CORRECT


def _solve(transposed):
    @jax.custom_vjp
    def solve(a, b):
        return jnp.linalg.solve(a, b)

    def forward(a, b):
        x = solve(a, b)
        return x, (a, x)

    def backward(kept, g):
        a, x = kept
        to_b = jnp.linalg.solve(a.T if transposed else a, g)
        return -jnp.outer(to_b, x), to_b

    solve.defvjp(forward, backward)
    return lambda a: jnp.sum(solve(a, jnp.array([1.0, 2.0])) * jnp.array([1.0, 3.0]))


@pytest.mark.parametrize(("transposed", "verdict"), [(True, "CORRECT"), (False, "WRONG")])
def test_a_matrix_that_has_no_solution_is_one_point_of_the_region(transposed, verdict):
    over = verify.box(-1, 1, shape=(2, 2))
    found = verify.gradient(_solve(transposed), over=over, effort="quick")
    assert found.verdict.name == verdict, str(found)


@pytest.mark.parametrize("name", ["solve", "inv", "cholesky", "slogdet"])
def test_at_a_matrix_of_zeros_a_function_is_outside_of_its_domain(name):
    called = getattr(jnp.linalg, name)

    def total(a):
        found = called(a, jnp.ones(2)) if name == "solve" else called(a)
        return jnp.sum(found[1] if name == "slogdet" else found)

    found = verify.gradient(total, at=[np.zeros((2, 2)), np.array([[2.0, 1.0], [1.0, 3.0]])])
    assert [point.verdict for point in found.points] == [Verdict.OUTSIDE, Verdict.CORRECT]
