"""Claims about complex arguments: by real and imaginary part, in either convention."""

import numpy as np
import pytest

import verify
from verify import Verdict
from verify.errors import UsageError

POINT = 0.6 - 0.8j


def energy(z):
    return np.abs(z) ** 2 * np.real(z)


def by_torch(z):
    return 2 * z * np.real(z) + np.abs(z) ** 2


def by_jax(z):
    return np.conj(by_torch(z))


def test_the_convention_of_torch_is_the_default():
    assert verify.gradient(energy, by_torch, at=[POINT]).verdict is Verdict.CORRECT


def test_the_convention_of_jax_by_a_keyword():
    result = verify.gradient(energy, by_jax, at=[POINT], convention="transpose")
    assert result.verdict is Verdict.CORRECT


@pytest.mark.parametrize(
    ("claim", "convention", "whose"),
    [(by_jax, "conjugate", "JAX's"), (by_torch, "transpose", "TensorFlow's and PyTorch's")],
)
def test_a_conjugated_claim_is_told(claim, convention, whose):
    result = verify.gradient(energy, claim, at=[POINT], convention=convention)
    assert result.verdict is Verdict.WRONG
    assert "conjugated: " in result.witness.message
    assert whose in result.witness.message


@pytest.mark.parametrize(
    "lie", [lambda g: g * (1 + 1e-12), lambda g: g + 1e-12j, lambda g: g + 1e-12]
)
def test_lies_in_either_part_are_wrong(lie):
    result = verify.gradient(energy, lambda z: lie(by_torch(z)), at=[POINT])
    assert result.verdict is Verdict.WRONG
    assert "conjugated" not in result.witness.message


def test_arrays_beside_real_arguments():
    def function(z, x):
        return np.sum(np.abs(z) ** 2) * x

    def claim(z, x):
        return 2 * z * x, np.sum(np.abs(z) ** 2)

    points = [(np.array([1 + 2j, 3.0]), 2.0)]
    assert verify.gradient(function, claim, at=points).verdict is Verdict.CORRECT
    by_the_first = verify.gradient(function, lambda z, x: 2 * z * x, at=points, argnums=0)
    assert by_the_first.verdict is Verdict.CORRECT
    wrong = verify.gradient(function, lambda z, x: (2 * z * x, 0 * x), at=points)
    assert wrong.verdict is Verdict.WRONG


def test_single_precision():
    z = np.complex64(0.6 - 0.8j)
    assert verify.gradient(energy, by_torch, at=[z]).verdict is Verdict.CORRECT
    wrong = verify.gradient(energy, lambda z: by_torch(z) * np.float32(1.0001), at=[z])
    assert wrong.verdict is Verdict.WRONG


def test_the_jacobian_of_a_holomorphic_function():
    function, slope = (lambda z: z * np.exp(z)), (lambda z: (1 + z) * np.exp(z))
    assert verify.jacobian(function, slope, at=[POINT]).verdict is Verdict.CORRECT
    wrong = verify.jacobian(function, lambda z: slope(z) * (1 + 1e-12), at=[POINT])
    assert wrong.verdict is Verdict.WRONG


def test_of_a_function_that_is_not_holomorphic_no_jacobian_is_right():
    result = verify.jacobian(lambda z: z * np.conj(z) + 0j, lambda z: np.conj(z), at=[POINT])
    assert result.verdict is Verdict.WRONG


@pytest.mark.long
def test_regions_of_complex_arguments():
    numbers = verify.gradient(energy, by_torch, over=[-1 - 1j, 1 + 1j], effort=0.2)
    assert numbers.verdict is Verdict.CORRECT
    over = verify.rectangle(-1 - 1j, 1 + 1j, shape=3)
    vectors = verify.gradient(
        lambda z: np.sum(np.abs(z) ** 2), lambda z: 2 * z, over=over, effort=0.2
    )
    assert vectors.verdict is Verdict.CORRECT


@pytest.mark.long
def test_a_needle_in_the_plane_is_found():
    def with_needle(z):
        return by_torch(z) + np.where(np.abs(z - 0.5j) < 1e-2, 1e-3j, 0)

    found = verify.gradient(energy, with_needle, over=[-1 - 1j, 1 + 1j])
    assert found.verdict is Verdict.WRONG


def test_a_cut_is_a_kink_of_a_complex_argument():
    result = verify.gradient(lambda z: np.imag(np.log(z)), lambda z: 1j / np.conj(z), at=[-1 + 0j])
    assert result.verdict is Verdict.KINK
    beside = verify.gradient(lambda z: np.imag(np.log(z)), lambda z: 1j / np.conj(z), at=[-1 + 1j])
    assert beside.verdict is Verdict.CORRECT


def test_what_is_refused():
    with pytest.raises(UsageError, match="by the real and the imaginary part"):
        verify.hessian(energy, lambda z: 2.0, at=[POINT])
    with pytest.raises(UsageError, match=r"verify\.rectangle"):
        verify.gradient(energy, by_torch, at=[POINT], over=[-1.0, 1.0])
