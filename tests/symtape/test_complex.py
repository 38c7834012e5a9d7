"""Derivatives through complex numbers, and by them, against quotients by both of their parts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import symtape
from symtape.primitives.primitive import PRIMITIVES
from symtape.primitives.vocabulary import examples, vocabulary
from tests.symtape.complex_calls import CALLS, W, Z, joined, near, quotients, split, weighted

T = joined(Z)


@pytest.mark.parametrize("name", CALLS)
def test_values_are_numpys(name):
    found, _ = symtape.jvp(CALLS[name], (Z,), (W,))
    near(found, CALLS[name](Z), 1e-13)


@pytest.mark.parametrize("name", CALLS)
def test_gradients_through_complex_numbers(name):
    f = weighted(CALLS[name])
    near(symtape.grad(lambda t: f(split(t)))(T), quotients(lambda t: f(split(t)), T))


@pytest.mark.parametrize("name", CALLS)
def test_gradients_by_complex_numbers(name):
    f = weighted(CALLS[name])
    slopes = quotients(lambda t: f(split(t)), T)
    uphill = slopes[: Z.size] + 1j * slopes[Z.size :]
    near(symtape.grad(f)(Z), uphill)
    near(symtape.grad(f, convention="transpose")(Z), np.conj(uphill))


@pytest.mark.parametrize("name", CALLS)
def test_second_derivatives(name):
    if name == "a singular det":
        pytest.skip("the second derivative of a determinant is by the inverse")
    f = weighted(CALLS[name])
    slope = symtape.grad(lambda t: f(split(t)))
    curvature = quotients(slope, T)
    near(symtape.hessian(lambda t: f(split(t)))(T), curvature, 1e-7)
    turned = curvature @ joined(W)
    near(symtape.hvp(f)(Z, W), turned[: Z.size] + 1j * turned[Z.size :], 1e-7)


@pytest.mark.parametrize("name", CALLS)
def test_derivatives_in_a_direction(name):
    f = CALLS[name]
    _, tangent = symtape.jvp(f, (Z,), (W,))
    near(tangent, quotients(lambda h: f(Z + h[0] * W), np.zeros(1))[..., 0])


@pytest.mark.parametrize("name", CALLS)
def test_jacobians_of_complex_results_by_real_numbers(name):
    f = CALLS[name]
    near(symtape.jacobian(lambda t: f(split(t)))(T), quotients(lambda t: f(split(t)), T))


@pytest.mark.parametrize("name", CALLS)
def test_single_precision(name):
    f = weighted(CALLS[name])
    found = symtape.grad(f)(Z.astype(np.complex64))
    assert found.dtype == np.complex64
    near(found, symtape.grad(f)(Z), 2e-4)


ONCE = {name: getattr(special, name) for name in ("gamma", "loggamma", "rgamma")}


@pytest.mark.parametrize("name", ONCE)
def test_slopes_by_digamma_whose_own_is_refused(name):
    f = weighted(ONCE[name])
    slopes = quotients(lambda t: f(split(t)), T)
    near(symtape.grad(f)(Z), slopes[: Z.size] + 1j * slopes[Z.size :])
    with pytest.raises(LookupError, match="no entry for: psi of complex numbers"):
        symtape.hvp(f)(Z, W)


CONVENTIONS = {
    # By hand, with z = x + iy: the gradient is df/dx + i df/dy, JAX's is its conjugate.
    "|z|^2": (lambda z: np.abs(z) ** 2, lambda z: 2 * z),
    "real part": (np.real, lambda z: 1),
    "imaginary part": (np.imag, lambda z: 1j),
    "angle": (np.angle, lambda z: 1j * z / abs(z) ** 2),
    "real part of z^2": (lambda z: np.real(z * z), lambda z: 2 * np.conj(z)),
    "imaginary part of exp": (lambda z: np.imag(np.exp(z)), lambda z: 1j * np.conj(np.exp(z))),
}


@pytest.mark.parametrize("name", CONVENTIONS)
def test_conventions(name):
    f, by_hand = CONVENTIONS[name]
    z = 0.6 + 0.8j
    near(symtape.grad(f)(z), by_hand(z))
    near(symtape.grad(f, convention="transpose")(z), np.conj(by_hand(z)))
    near(symtape.value_and_grad(f)(z)[1], by_hand(z))
    near(symtape.jacobian(f)(z), by_hand(z))
    _, pull_back = symtape.vjp(f, z)
    near(pull_back(2.0)[0], 2 * by_hand(z))
    source = symtape.Variable(z)
    with symtape.GradientTape(persistent=True) as tape:
        target = f(source)
    near(tape.gradient(target, source).numpy(), by_hand(z))
    near(tape.jacobian(target, source).numpy(), by_hand(z))


@pytest.mark.parametrize("transform", [symtape.grad, symtape.value_and_grad, symtape.jacobian])
def test_an_unknown_convention(transform):
    with pytest.raises(ValueError, match=r"convention='jax'; expected 'conjugate'.*'transpose'"):
        transform(np.sin, convention="jax")
    with pytest.raises(ValueError, match="convention='jax'"):
        symtape.vjp(np.sin, 1j, convention="jax")


def test_cotangents_of_complex_results():
    z, weight = 0.6 + 0.8j, 0.5 - 1.5j
    _, pull_back = symtape.vjp(np.exp, z)
    near(pull_back(weight)[0], weight * np.conj(np.exp(z)))
    _, pull_back = symtape.vjp(np.exp, z, convention="transpose")
    near(pull_back(weight)[0], weight * np.exp(z))
    source = symtape.Variable(z)
    with symtape.GradientTape() as tape:
        target = np.exp(source)
    near(tape.gradient(target, source, weight).numpy(), weight * np.conj(np.exp(z)))


def test_complex_targets_of_a_tape_are_those_of_tensorflow():
    z = symtape.Variable(1 + 2j)
    with symtape.GradientTape(persistent=True) as tape:
        y = z * z
    near(tape.gradient(y, z).numpy(), np.conj(2 * (1 + 2j)))
    with pytest.raises(TypeError, match="no gradient by complex numbers"):
        tape.jacobian(y, z)
    x = symtape.Variable([1.0, 2.0])
    with symtape.GradientTape(persistent=True) as tape:
        y = np.exp(1j * x)
    near(tape.jacobian(y, x).numpy(), np.diag(1j * np.exp(1j * np.array([1.0, 2.0]))))
    near(tape.gradient(y, x, [1j, 1.0]).numpy(), [np.cos(1.0), -np.sin(2.0)])
    with pytest.raises(TypeError, match="has no gradient"):
        tape.batch_jacobian(y, x)


def test_holomorphic_functions():
    near(symtape.grad(np.exp, holomorphic=True)(1j), np.exp(1j))
    near(symtape.grad(np.exp, holomorphic=True, convention="transpose")(1j), np.exp(1j))
    near(symtape.hessian(lambda z: z**3, holomorphic=True)(1j), 6j)
    near(symtape.jacobian(lambda z: z**2 * W, holomorphic=True)(Z), np.diag(2 * Z * W))
    near(symtape.grad(lambda z: np.conj(np.conj(z) ** 2), holomorphic=True)(1j), 2j)


NOT_HOLOMORPHIC = {
    "conjugate": (np.conj, 1j, "Cauchy-Riemann equations by 2"),
    "a real part": (lambda z: z + 0.01 * np.real(z), 1j, "Cauchy-Riemann"),
    "a real argument": (lambda x: x * 1j, 1.0, "has a real argument, of float64"),
    "a real result": (np.abs, 1j, "has a real result, of float64"),
}


@pytest.mark.parametrize("name", NOT_HOLOMORPHIC)
def test_what_is_not_holomorphic(name):
    f, z, words = NOT_HOLOMORPHIC[name]
    for transform in (symtape.grad, symtape.jacobian, symtape.hessian):
        with pytest.raises(TypeError, match=words):
            transform(f, holomorphic=True)(z)


def test_complex_results_have_no_gradient():
    for transform in (symtape.grad, symtape.value_and_grad, symtape.hessian):
        with pytest.raises(TypeError, match=r"of dtype complex128 has no gradient.*np\.real"):
            transform(lambda x: x * 1j)(1.0)
    with pytest.raises(TypeError, match=r"no gradient by complex numbers.*holomorphic=True"):
        symtape.jacobian(np.exp)(1j)
    with pytest.raises(TypeError, match=r"no gradient by complex numbers.*holomorphic=True"):
        symtape.hessian(lambda z: np.abs(z) ** 4)(1j)
    x = symtape.Variable(1.0)
    with symtape.GradientTape() as tape:
        y = x * 1j
    with pytest.raises(TypeError, match=r"has no gradient.*np\.real"):
        tape.gradient(y, x)


def test_real_numbers_take_real_directions_and_weights():
    with pytest.raises(TypeError, match=r"tangents\[0\] is complex, but primals\[0\] is of float"):
        symtape.jvp(np.sin, (np.ones(2),), (1j * np.ones(2),))
    _, pull_back = symtape.vjp(np.sin, 1.0)
    with pytest.raises(TypeError, match="complex numbers, complex128, but its target is real"):
        pull_back(1j)


def test_gradients_of_users_point_uphill():
    @symtape.custom_gradient
    def square(z):
        return z * z, lambda upstream: upstream * np.conj(2 * z)

    f = lambda z: np.real((1 + 2j) * square(z))  # noqa: E731
    near(symtape.grad(f)(1 + 1j), np.conj((1 + 2j) * 2 * (1 + 1j)))
    near(symtape.grad(f, convention="transpose")(1 + 1j), (1 + 2j) * 2 * (1 + 1j))


def test_kinks_of_complex_numbers():
    assert symtape.grad(np.abs)(0j) == 0
    assert symtape.grad(np.angle)(0j) == 0
    assert symtape.grad(np.linalg.norm)(np.zeros(2, complex)).tolist() == [0, 0]
    z = np.array([0, 1j])
    with np.errstate(divide="ignore", invalid="ignore"):
        near(symtape.grad(lambda z: np.sum(np.where(z == 0, 0, np.abs(np.sqrt(z)))))(z), [0, 0.5j])


H = np.array([[2.0, 0.5 - 1j, 0.3j], [0.5 + 1j, -1.0, 0.7], [-0.3j, 0.7, 0.5]])

OF_PHASES = {
    "eigh": lambda a: np.linalg.eigh(a).eigenvectors[1, 0],
    "svd, left": lambda a: np.linalg.svd(a).U[1, 0],
    "svd, right": lambda a: np.linalg.svd(a).Vh[0, 1],
}


@pytest.mark.parametrize("name", OF_PHASES)
def test_what_depends_on_phases_of_vectors_is_refused(name):
    f = OF_PHASES[name]
    with pytest.raises(NotImplementedError, match="depends on the phases of the vectors"):
        symtape.grad(lambda a: np.real(f(a)) + np.imag(f(a)))(H)
    with pytest.raises(NotImplementedError, match="depends on the phases of the vectors"):
        symtape.jvp(f, (H,), (H @ H,))
    with pytest.raises(NotImplementedError, match="depends on the phases of the vectors"):
        symtape.jvp(f, (H,), (np.zeros((3, 3), complex),))


MULTIPLE = {
    "a Jordan block": np.array([[1.0, 1.0], [0.0, 1.0]]),
    "nearly a Jordan block": np.array([[1.0, 1.0], [1e-20, 1.0]]),
    "the unit matrix": np.eye(2),
    "a complex Jordan block": np.array([[1j, 1.0], [0.0, 1j]]),
}


@pytest.mark.parametrize("name", MULTIPLE)
def test_eigenvalues_that_are_equal_are_refused(name):
    a = MULTIPLE[name]
    with pytest.raises(NotImplementedError, match=r"eigenvalues that are equal.*np\.linalg\.eigh"):
        symtape.grad(lambda a: np.real(np.linalg.eigvals(a)[0]))(a)
    with pytest.raises(NotImplementedError, match=r"eigenvalues that are equal.*np\.linalg\.eigh"):
        symtape.grad(lambda a: np.sum(np.abs(np.linalg.eig(a).eigenvectors[0])))(a)


def test_roots_at_the_ends_are_refused():
    for p in ([1.0, 2.0, 0.0], [0.0, 1.0, 2.0]):
        with pytest.raises(NotImplementedError, match="expected a first and a last one"):
            symtape.grad(lambda p: np.sum(np.real(np.roots(p))))(np.array(p))


def test_the_roots_of_a_quadratic():
    def vertex(p):
        return np.sum(np.real(np.roots(p)))

    near(symtape.grad(vertex)(np.array([2.0, 3.0, 4.0])), [0.75, -0.5, 0.0])


ROWS = {row.name: row for row in vocabulary() if not row.variadic}


@pytest.mark.parametrize("name", ROWS)
def test_rows_without_rules_of_complex_numbers_refuse_them(name):
    """What is not known to hold of complex numbers is refused, and is never a number."""
    row = ROWS[name]
    if row.complex is not None:
        return
    for inputs, params in examples(row):
        turned = [turned_by(x, 1e-3j) for x in inputs]
        try:
            with np.errstate(all="ignore"):
                row.evaluate(*turned, **params)
        except (TypeError, ValueError, NotImplementedError, np.linalg.LinAlgError):
            continue
        sources = [symtape.constant(x) for x in turned]
        with symtape.GradientTape() as tape:
            tape.watch([x for x in sources if x.dtype.kind == "c"])
            y = row(*sources, **params)
            parts = [np.real(part) for part in (y if isinstance(y, tuple) else (y,))]
        with pytest.raises(LookupError, match=f"no entry for: {name} of complex numbers"):
            tape.gradient(parts, [x for x in sources if x.dtype.kind == "c"])


def turned_by(x, step):
    x = np.asarray(x)
    return x + x * step if x.dtype.kind == "f" else x


STEPS = {row.name: row for row in PRIMITIVES.values() if row.cuts and not row.stops}


@pytest.mark.parametrize("name", STEPS)
def test_rows_that_step_step_of_complex_numbers_too(name):
    row = STEPS[name]
    if row.complex is not None:
        return
    for inputs, params in examples(row):
        at = [turned_by(x, 0.3j) for x in inputs]
        try:
            values = [row.evaluate(*[turned_by(x, d) for x in at], **params) for d in (0, 1e-9j)]
        except TypeError:
            continue
        assert np.array_equal(*values)
