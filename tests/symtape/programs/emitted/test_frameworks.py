"""Source for JAX and PyTorch, run there, against the tape."""

import numpy as np
import pytest
import scipy.linalg

import symtape
from tests.symtape.programs.emitted.test_emitted_suites import (
    TRANSFORMS,
    argnums_of,
    assert_near,
    loaded,
    sources,
)

AMBIGUOUS = "primitives/svd"
"""Singular vectors have signs that LAPACKs choose differently, and slopes with them."""


@pytest.fixture(params=["jax", "torch"])
def language(request):
    """With JAX in double precision, and afterwards as it was."""
    framework = pytest.importorskip(request.param)
    if request.param != "jax":
        yield request.param
        return
    before = framework.config.jax_enable_x64
    framework.config.update("jax_enable_x64", True)
    yield request.param
    framework.config.update("jax_enable_x64", before)


def plain(tree):
    return tuple(map(plain, tree)) if isinstance(tree, tuple) else np.asarray(tree)


def test_the_suites_agree_with_the_tape(language):
    made = sources(language)
    assert len(made) >= 200
    for case, text in list(made.values())[::6]:
        if case.id.startswith(AMBIGUOUS):
            continue
        with np.errstate(all="ignore"):
            wanted = TRANSFORMS[case.quantity](case.function, argnums_of(case))(*case.at[0])
        got = plain(loaded(case, text)(*case.at[0]))
        assert_near(got, wanted)


def test_a_banded_system_is_one_of_the_whole_matrix(language):
    bands = np.array([[0.0, 1.0, 0.5], [4.0, 5.0, 6.0], [1.0, -1.0, 0.0]])

    def f(y):
        return np.sum(scipy.linalg.solve_banded((1, 1), bands, y) ** 2)

    y = np.array([1.0, 2.0, -0.5])
    space = {}
    exec(symtape.derive(f, y).gradient.code(language), space)
    assert_near(plain(space["grad_f"](y)), symtape.grad(f)(y))


def test_off_the_path(language):
    def f(x):
        return np.sum(x**3) if x[0] > 0 else np.sum(x)

    space = {}
    exec(symtape.derive(f, [1.0, 2.0]).code(language), space)
    np.testing.assert_allclose(np.asarray(space["grad_f"]([1.0, 3.0])), [3.0, 27.0])
    if language == "torch":
        with pytest.raises(ValueError, match="another path"):
            space["grad_f"]([-1.0, 3.0])
    else:
        assert np.isnan(np.asarray(space["grad_f"]([-1.0, 3.0]))).all()
